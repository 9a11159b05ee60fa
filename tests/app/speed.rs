//! How soon a measurement answers, on the real device. Ignored by default: it needs the machine for itself.

use std::sync::atomic::AtomicBool;

use sectorscope::app::{Command, Device, Effect, State, update};
use sectorscope::engine::{self, Event, Request};
use sectorscope::platform::now;

fn request(command: Command, state: &mut State) -> Request {
    let effects = update(state, command);
    let [Effect::Start(request)] = effects.as_slice() else { panic!("{effects:?}") };
    (**request).clone()
}

/// Seconds to the first measured row, and to the end.
fn time(device: &mut engine::Device, request: &Request) -> (f64, f64) {
    let start = now();
    let mut first = None;
    let mut hear = |event: Event| {
        if let Event::Row { row, .. } = event
            && row.measured.is_some()
        {
            first.get_or_insert(start.elapsed().as_secs_f64());
        }
    };
    let never = AtomicBool::new(false);
    let run = engine::run_on(device, request, &mut hear, &never);
    let results = pollster::block_on(run).unwrap();
    for row in &results.rows {
        assert!(row.measured.is_some(), "{}: {:?}", row.kernel, row.reason);
    }
    (first.unwrap(), start.elapsed().as_secs_f64())
}

#[test]
#[ignore = "measures speed: run it alone, in a release build"]
fn the_first_point_and_the_sweep_come_soon() {
    let mut device = engine::Device::default();
    let found = pollster::block_on(device.look(&Request::default())).unwrap();
    let software = found.adapter.is_cpu();
    let name = found.adapter.name.clone();
    let mut state = State { device: Device::Found(Box::new(found)), ..State::default() };
    let one = request(Command::Measure, &mut state);
    state.run = Default::default();
    let sweep = request(Command::Sweep, &mut state);
    let measured = time(&mut device, &one);
    let swept = time(&mut device, &sweep);
    println!("{name}: one point after {:.2} s (whole run {:.2} s)", measured.0, measured.1);
    println!("{name}: sweep, first point after {:.2} s, all after {:.2} s", swept.0, swept.1);
    let (first, all) = if software { (5.0, 20.0) } else { (1.5, 5.0) };
    assert!(measured.0 < first && swept.1 < all, "first within {first} s, sweep within {all} s");
}
