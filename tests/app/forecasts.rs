//! Traces and bills against figures worked out by hand, and how long a trace takes.

use std::time::Duration;

use sectorscope::app::forecast::{Pattern, Setup, WorkgroupTrace};
use sectorscope::kernels;
use sectorscope::memory_model::{self, LESSON};
use sectorscope::platform::now;
use sectorscope::program::Limits;

fn setup(model: &str) -> Setup {
    Setup {
        model: memory_model::by_key(model).unwrap().clone(),
        footprint_bytes: 256 << 20,
        limits: Limits::WITHOUT_DEVICE,
        size: 2048,
    }
}

fn trace(pattern: &Pattern, model: &str) -> WorkgroupTrace {
    let setup = setup(model);
    WorkgroupTrace::record(&pattern.plan(&setup).unwrap(), &setup.model).unwrap()
}

fn read() -> Pattern {
    Pattern::of(kernels::by_id("read").unwrap())
}

/// (stride, offset, sectors, granules of 64 bytes) of 32 lanes of 4 bytes, by hand.
const BY_HAND: [(u32, u32, u64, u64); 8] = [
    (1, 0, 4, 2),
    (1, 1, 5, 3),
    (2, 0, 8, 4),
    (4, 0, 16, 8),
    (8, 0, 32, 16),
    (16, 0, 32, 32),
    (64, 0, 32, 32),
    (3, 0, 12, 6),
];

#[test]
fn bills_are_those_worked_out_by_hand() {
    for (stride, offset, sectors, granules) in BY_HAND {
        let pattern = read().with("stride", stride).with("offset", offset);
        let trace = trace(&pattern, "nv-hopper");
        let bill = trace.request(trace.primary_access(), 0).unwrap().bill;
        assert_eq!((bill.asked_bytes, bill.useful_bytes, bill.ideal_sectors), (128, 128, 4), "stride {stride}");
        assert_eq!((bill.sectors, bill.granules), (sectors, [granules; 2]), "stride {stride}, offset {offset}");
    }
}

#[test]
fn every_request_of_the_workgroup_can_be_shown() {
    let trace = trace(&read(), "lesson");
    assert_eq!((trace.accesses.len(), trace.subgroups(), trace.lanes), (8, 8, 256));
    for access in 0..8 {
        for subgroup in 0..8 {
            let request = trace.request(access, subgroup).unwrap();
            let first = u32::try_from(access * 256 + subgroup * 32).unwrap() * 4;
            let addresses: Vec<u32> = request.lanes.iter().map(|lane| lane.address).collect();
            assert_eq!(addresses, (0..32).map(|lane| first + 4 * lane).collect::<Vec<_>>());
        }
    }
    assert!(trace.request(8, 0).is_none() && trace.request(0, 8).is_none());
}

#[test]
fn a_refusal_names_the_cure() {
    let odd = read().with("element", "vec4").with("offset_bytes", 4);
    assert!(odd.plan(&setup("lesson")).unwrap_err().contains("nearest scalar load"));
}

/// The screen must follow the slider: see the bound of 5 ms. Without optimisation the interpreter is slower, so
/// the bound holds for release builds only.
#[test]
fn a_stride_is_traced_in_under_5_ms() {
    let mut times: Vec<Duration> = (1..=32u32)
        .map(|stride| {
            let pattern = read().with("stride", stride);
            let start = now();
            let trace = trace(&pattern, &LESSON.key);
            assert!(trace.request(0, 0).is_some());
            start.elapsed()
        })
        .collect();
    times.sort();
    let most = if cfg!(debug_assertions) { 60 } else { 5 };
    assert!(times[16] < Duration::from_millis(most), "median {:?}, worst {:?}", times[16], times[31]);
    println!("a re-trace takes {:?} (median), {:?} at worst", times[16], times[31]);
}
