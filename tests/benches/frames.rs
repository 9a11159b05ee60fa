//! What a frame of the window costs on one core, and how soon the picture follows a dragged stride.
//!
//! `cargo bench --bench frames`. Layout and tessellation are measured, as both hold the window up; the device's part is
//! not. The last column is the limit that the app keeps to, where it has one.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark fails by panicking, tells by printing and runs natively"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use eframe::egui;
use sectorscope::app::picture::{Chart, ChartMark, Dot, Ink, Scale, Series, chart_painter, micro_world, scene_painter};
use sectorscope::app::theme::{self, Palette};
use sectorscope::app::{Engine, Files, Forecasts, Pattern, Services, Settings, Shell, Start, State, Told};
use sectorscope::engine::Request;
use sectorscope::kernels;
use sectorscope::memory_model::{self, LESSON, MemoryModel};
use sectorscope::record::Row;
use sectorscope::report::json;

/// Milliseconds of a frame, and of a trace, that the app keeps to.
const FRAME_LIMIT_MS: f64 = 4.0;
const TRACE_LIMIT_MS: f64 = 5.0;

/// Strides that a hand drags over, and some that are typed.
const STRIDES: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 500, 4096];

/// An engine that measures nothing.
struct Silent;

impl Engine for Silent {
    fn look(&mut self) {}
    fn start(&mut self, _request: Request) {}
    fn stop(&mut self) {}
    fn poll(&mut self) -> Vec<Told> {
        Vec::new()
    }
    fn close(&mut self) {}
}

fn context() -> egui::Context {
    let ctx = egui::Context::default();
    theme::apply(&ctx);
    ctx
}

/// Milliseconds of the frame in the middle and of the slowest of many, after some that fill the caches.
fn frames(ctx: &egui::Context, size: [f32; 2], mut draw: impl FnMut(&mut egui::Ui)) -> [f64; 2] {
    let screen = egui::Rect::from_min_size(egui::Pos2::ZERO, size.into());
    let times = (0..80).map(|number| {
        let time = Some(f64::from(number) / 60.0);
        let input = egui::RawInput { screen_rect: Some(screen), time, ..egui::RawInput::default() };
        let start = Instant::now();
        let mut output = ctx.run_ui(input, &mut draw);
        output.textures_delta.clear();
        let pieces = ctx.tessellate(output.shapes, output.pixels_per_point);
        let took = start.elapsed();
        assert!(!pieces.is_empty(), "an empty frame");
        took
    });
    let mut times: Vec<f64> = times.skip(20).map(|time: Duration| time.as_secs_f64() * 1e3).collect();
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() - 1]]
}

fn print(name: &str, [median, slowest]: [f64; 2], limit: Option<f64>) {
    let limit = limit.map_or_else(String::new, |limit| format!("limit {limit} ms"));
    println!("{name:<66} {median:>7.2} ms, slowest {slowest:>7.2} ms  {limit}");
}

/// The pattern of a family whose picture is the dearest, of all kernels, presets and models.
fn micro_worlds() {
    let state = State::default();
    let mut patterns: Vec<Pattern> =
        kernels::ALL.iter().filter(|kernel| kernel.family == "patterns").map(|kernel| Pattern::of(kernel)).collect();
    for preset in kernels::PRESETS {
        let kernel = kernels::by_id(preset.kernel).expect("a kernel of a preset");
        patterns.extend(preset.params().into_iter().map(|params| Pattern { kernel, params }));
    }
    let hopper = memory_model::by_key("nv-hopper").expect("a memory model");
    let mut worst = (String::new(), [0.0; 2]);
    for pattern in &patterns {
        for model in [&LESSON, hopper] {
            let Some(cost) = micro_world_cost(&state, pattern, model) else { continue };
            if cost[0] > worst.1[0] {
                worst = (format!("{} under {}", pattern.name(), model.key), cost);
            }
        }
    }
    print(&format!("micro-world, the dearest of {}: {}", patterns.len(), worst.0), worst.1, Some(FRAME_LIMIT_MS));
}

fn micro_world_cost(state: &State, pattern: &Pattern, model: &MemoryModel) -> Option<[f64; 2]> {
    let mut setup = state.setup();
    setup.model = model.clone();
    let forecasts = Forecasts::new(Arc::new(|| {}));
    let trace = forecasts.trace(pattern, &setup);
    let trace = trace.as_ref().as_ref().ok()?;
    trace.request(trace.primary_access(), 0)?;
    let ctx = context();
    Some(frames(&ctx, [1900.0, 600.0], |ui| {
        let request = trace.request(trace.primary_access(), 0).expect("a request");
        let scene = micro_world::scene(&request, model, ui.available_width());
        scene_painter::show(ui, &scene, Palette::of(ui.ctx().theme()));
    }))
}

/// Ten thousand points with spreads, in four series of which each tenth point is flagged.
fn plot() {
    let dot = |place: u32| {
        let x = 1.0 + f64::from(place) * 4095.0 / 2500.0;
        let y = 3000.0 / x.min(16.0) * (1.0 + 0.1 * f64::from(place % 7));
        let flag = place.is_multiple_of(10).then(|| "the clock drifted".to_owned());
        Dot { x, y, low: 0.9 * y, high: 1.1 * y, flag }
    };
    let marks =
        [(Ink::Measured, ChartMark::Disc), (Ink::Moved, ChartMark::Square), (Ink::Recorded, ChartMark::Diamond)];
    let series = |(ink, mark)| Series::new(format!("{ink:?}"), ink, mark, (0..2500).map(dot).collect());
    let mut all: Vec<Series> = marks.into_iter().map(series).collect();
    all.push(series((Ink::Predicted, ChartMark::Line)));
    let count: usize = all.iter().map(|series| series.dots().len()).sum();
    let chart = Chart {
        title: "read by stride".to_owned(),
        x_label: "stride in elements".to_owned(),
        y_label: "useful GB/s".to_owned(),
        y_scale: Scale::Log2,
        x_ticks: (0..=12).map(f64::from).map(f64::exp2).collect(),
        series: all,
        regions: Vec::new(),
        here: Vec::new(),
    };
    let cost = frames(&context(), [1900.0, 600.0], |ui| {
        chart_painter::show(ui, "plot", &chart, Palette::of(ui.ctx().theme()), 500.0);
    });
    print(&format!("plot of {count} points with spreads"), cost, None);
}

/// The whole window at the view Patterns, with a file of so many rows open, eight samples each.
fn whole(rows: u32, limit: Option<f64>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.json");
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/reference/h200-standard.json"));
    let mut results = json::from_bytes(&bytes.expect("the recorded run")).expect("the recorded run");
    let pattern = Pattern::of(kernels::by_id("read").expect("a kernel"));
    let model = results.rows.iter().find(|row| row.measured.is_some() && pattern.matches(row, None));
    let model = model.expect("a row of read").clone();
    let row = |number: u32| {
        let mut row: Row = model.clone();
        row.params.insert("stride".into(), (1 + number % 4096).into());
        if let Some(measured) = &mut row.measured {
            measured.samples_ns = vec![measured.median_ns; 8];
        }
        row
    };
    results.rows = (0..rows).map(row).collect();
    std::fs::write(&path, json::to_bytes(&results).expect("a document")).expect("a file");
    let start = Start { open: Some(path.to_string_lossy().into_owned()), ..Start::default() };
    let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(|| {});
    let services = Services { engine: Box::new(Silent), forecasts: Forecasts::new(wake.clone()) };
    let ctx = context();
    let mut shell = Shell::new(&ctx, services, Files::new(wake), Settings::default(), &start);
    let own = shell.state().documents.all().len();
    let begin = Instant::now();
    while shell.state().documents.all().len() == own || !shell.forecasts().is_settled() {
        assert!(begin.elapsed().as_secs() < 60, "the file never came");
        frames(&ctx, [1920.0, 1080.0], |ui| {
            shell.poll();
            shell.show(ui);
        });
    }
    let cost = frames(&ctx, [1920.0, 1080.0], |ui| {
        shell.poll();
        shell.show(ui);
    });
    let samples = rows * 8;
    print(&format!("whole window, Patterns, with a file of {rows} rows, {samples} samples"), cost, limit);
}

/// From a stride to the picture's data: plan, execution of the first workgroup, the request's bill.
fn traces() {
    let state = State::default();
    let mut worst = (String::new(), [0.0; 2]);
    for kernel in kernels::ALL.iter().filter(|kernel| kernel.parameter("stride").is_some()) {
        for stride in STRIDES {
            let pattern = Pattern::of(kernel).with("stride", stride);
            let mut times: Vec<f64> = (0..9).map(|_| trace_ms(&state, &pattern)).collect();
            times.sort_by(f64::total_cmp);
            if times[4] > worst.1[0] {
                worst = (pattern.name(), [times[4], times[8]]);
            }
        }
    }
    print(&format!("trace while a stride is dragged, the dearest: {}", worst.0), worst.1, Some(TRACE_LIMIT_MS));
}

fn trace_ms(state: &State, pattern: &Pattern) -> f64 {
    // A fresh one each time: it remembers.
    let forecasts = Forecasts::new(Arc::new(|| {}));
    let start = Instant::now();
    let trace = forecasts.trace(pattern, &state.setup());
    if let Ok(trace) = trace.as_ref() {
        drop(trace.request(trace.primary_access(), 0));
    }
    start.elapsed().as_secs_f64() * 1e3
}

fn main() {
    micro_worlds();
    plot();
    whole(0, None);
    whole(1250, Some(FRAME_LIMIT_MS));
    whole(10_000, None);
    traces();
}
