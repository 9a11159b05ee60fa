//! An engine whose figures are fixed, and the app on it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use egui_kittest::Harness;
use sectorscope::app::{Engine, Files, Forecasts, Services, Settings, Shell, Start, State, Told};
use sectorscope::engine::{Event, Found, Request};
use sectorscope::memory_model;
use sectorscope::platform::now;
use sectorscope::program::Limits;
use sectorscope::record::{Adapter, Measured, Results, Row, Status, TimeSource};
use sectorscope::report::json;

/// What the app asked the engine for, and what the engine will tell.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) requests: Vec<Request>,
    pub(crate) stops: usize,
    pub(crate) told: Vec<Told>,
}

/// An engine that follows a script.
pub(crate) struct FakeEngine(Rc<RefCell<Script>>);

impl Engine for FakeEngine {
    fn look(&mut self) {
        self.0.borrow_mut().told.push(Told::Device(Ok(Box::new(device()))));
    }

    fn start(&mut self, request: Request) {
        self.0.borrow_mut().requests.push(request);
    }

    fn stop(&mut self) {
        self.0.borrow_mut().stops += 1;
    }

    fn poll(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.0.borrow_mut().told)
    }

    fn close(&mut self) {}
}

/// A device like an H200.
pub(crate) fn device() -> Found {
    Found {
        adapter: recorded().adapter.unwrap(),
        model: memory_model::by_key("nv-hopper").unwrap().clone(),
        facts: None,
        limits: Limits::WITHOUT_DEVICE,
        footprint_bytes: 256 << 20,
    }
}

/// The recorded run that the app brings along.
pub(crate) fn recorded() -> Results {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/reference/h200-standard.json");
    json::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}

/// A run's document without rows, on this adapter.
pub(crate) fn document(adapter: Adapter) -> Results {
    Results { adapter: Some(adapter), rows: Vec::new(), control_rows: Vec::new(), ..recorded() }
}

/// A measured row of `read` at this stride with so many useful GB/s.
pub(crate) fn row(stride: u32, useful_gb_per_s: f64) -> Row {
    let all = recorded();
    let is_it = |row: &&Row| {
        row.kernel == "read"
            && row.params["stride"] == 1
            && row.params["items"] == 8
            && row.params["element"] == "f32"
            && row.params["offset"] == 0
            && row.params["order"] == "interleaved"
            && row.params["workgroup"] == 256
    };
    let mut row = all.rows.iter().find(is_it).unwrap().clone();
    row.params.insert("stride".into(), stride.into());
    row.status = Status::Ok;
    row.warnings.clear();
    let ns = 1e6;
    row.measured = Some(Measured {
        time_source: TimeSource::GpuTimestamp,
        samples_ns: vec![ns; 8],
        rejected_samples_ns: Vec::new(),
        dispatches_per_sample: 1,
        dispatches_per_run: 1,
        longest_dispatch_ns: None,
        clock_step_ns: 32.0,
        host_floor_ns: None,
        median_ns: ns,
        p10_ns: ns,
        p90_ns: ns,
        drift: Some(0.0),
        useful_gb_per_s: Some(useful_gb_per_s),
        efficiency: None,
        gflop_per_s: None,
        gelements_per_s: None,
    });
    row
}

/// What the system keeps for the app.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) BTreeMap<String, String>);

impl eframe::Storage for Memory {
    fn get_string(&self, key: &str) -> Option<String> {
        self.0.get(key).cloned()
    }

    fn set_string(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }

    fn remove_string(&mut self, key: &str) {
        self.0.remove(key);
    }

    fn flush(&mut self) {}
}

/// The app in a window that is not there.
pub(crate) struct Bench {
    pub(crate) harness: Harness<'static, Shell>,
    pub(crate) script: Rc<RefCell<Script>>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::start(&Start::default(), [1280.0, 800.0])
    }

    pub(crate) fn start(start: &Start, size: [f32; 2]) -> Self {
        let script = Rc::new(RefCell::new(Script::default()));
        let engine = FakeEngine(script.clone());
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(|| {});
        let services = Services { engine: Box::new(engine), forecasts: Forecasts::new(wake.clone()) };
        let ctx = eframe::egui::Context::default();
        let mut shell = Some(Shell::new(&ctx, services, Files::new(wake), Settings::default(), start));
        let shell = shell.take().unwrap();
        let mut harness =
            Harness::builder().with_size(size).with_context_setup(sectorscope::app::theme::apply).build_ui_state(
                |ui, shell: &mut Shell| {
                    shell.poll();
                    shell.show(ui);
                },
                shell,
            );
        harness.run_ok();
        Self { harness, script }
    }

    pub(crate) fn state(&self) -> &State {
        self.harness.state().state()
    }

    pub(crate) fn run(&mut self) {
        self.harness.run_ok();
    }

    /// What the engine tells next.
    pub(crate) fn tell(&mut self, told: Told) {
        self.script.borrow_mut().told.push(told);
        self.run();
    }

    pub(crate) fn event(&mut self, event: Event) {
        self.tell(Told::Event(event));
    }

    /// Waits until all predictions are there.
    pub(crate) fn settle(&mut self) {
        let start = now();
        while !self.harness.state().forecasts().is_settled() {
            assert!(start.elapsed() < Duration::from_secs(60), "a prediction never came");
            std::thread::sleep(Duration::from_millis(5));
            self.run();
        }
        self.run();
    }
}
