//! The view "Matmul": the ladder, its roofline, and each rung's tile, counts and text.

use egui_kittest::kittest::{NodeT as _, Queryable as _};
use sectorscope::app::forecast::{Forecasts, Pattern, RungTile, Setup};
use sectorscope::app::picture::roofline::{Roof, Whose, scene};
use sectorscope::app::picture::{Align, Fill, Mark, Role, Scene, Shape, product};
use sectorscope::app::{Tab, Told};
use sectorscope::engine::Event;
use sectorscope::kernels::{self, Kernel};
use sectorscope::memory_model::LESSON;
use sectorscope::program::Limits;
use sectorscope::record::{Results, Row, Status};
use sectorscope::report::json;
use sectorscope::report::roofline::Roofline;

use crate::fake::{Bench, device, document};

fn bench() -> Bench {
    let mut bench = Bench::start(&Default::default(), [1280.0, 2400.0]);
    bench.harness.get_by_label("Matmul").click();
    bench.run();
    assert_eq!(bench.state().tab, Tab::Matmul);
    bench
}

fn family() -> Vec<&'static Kernel> {
    kernels::ALL.iter().copied().filter(|kernel| kernel.family == "matmul").collect()
}

fn recorded() -> Results {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/reference/h200-matmul.json");
    json::from_bytes(&std::fs::read(path).unwrap()).unwrap()
}

/// The recorded row of a kernel with another rate, as if measured here.
fn row(kernel: &str, gflop_per_s: f64, share: f64) -> Row {
    let mut row = recorded().rows.into_iter().find(|row| row.kernel == kernel && row.checks == "off").unwrap();
    row.measured.as_mut().unwrap().gflop_per_s = Some(gflop_per_s);
    row.matmul.as_mut().unwrap().share_of_fma_peak = Some(share);
    row
}

fn text(bench: &Bench, part: &str) -> String {
    let node = bench.harness.get_by_label_contains(part);
    let node = node.accesskit_node();
    node.label().or_else(|| node.value()).unwrap_or_default()
}

#[test]
fn every_rung_of_the_registry_can_be_looked_at() {
    let mut bench = bench();
    for (place, kernel) in family().into_iter().enumerate() {
        let name = kernel.id.strip_prefix("matmul_").unwrap().replace('_', " ");
        bench.harness.get_by_label(&format!("{} {name}", place + 1)).click();
        bench.run();
        assert_eq!(bench.state().rung, kernel.id);
        bench.harness.get_by_label(kernel.question);
        bench.harness.get_by_label(&format!("Run rung {} {name}", place + 1));
    }
}

#[test]
fn the_bars_say_what_was_recorded_and_then_what_was_measured_here() {
    let mut bench = bench();
    let title = "Share of the highest multiply-add rate";
    let bars = text(&bench, title);
    assert!(bars.contains("5 register, recorded: 33.0 TFLOP/s, 54.73 %"), "{bars}");
    assert!(!bars.contains("here:"), "{bars}");
    bench.harness.get_by_label("Run all rungs (about 20 s)").click();
    bench.run();
    let asked: Vec<String> = bench.script.borrow().requests[0].rows.iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(asked, family().iter().map(|kernel| kernel.id).collect::<Vec<_>>());
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    bench.event(Event::Row { index: 0, row: Box::new(row("matmul_register", 12_345.0, 0.25)) });
    bench.tell(Told::Ended(Ok(())));
    let bars = text(&bench, title);
    assert!(bars.contains("5 register, here: 12.3 TFLOP/s, 25 %, recorded: 33.0 TFLOP/s, 54.73 %"), "{bars}");
    let roof = text(&bench, "Roofline of");
    assert!(roof.contains("Roofline of this machine, 2048 x 2048 x 2048"), "{roof}");
    assert!(roof.contains("5 matmul_register: 12345 GFLOP/s"), "{roof}");
    assert!(roof.contains("1 matmul_uncoalesced: 972 GFLOP/s at 0.059 to 341"), "{roof}");
}

#[test]
fn a_rung_that_cannot_run_here_says_why() {
    let mut bench = bench();
    bench.harness.get_by_label("Run rung 1 uncoalesced").click();
    bench.run();
    let mut row = row("matmul_uncoalesced", 1.0, 1.0);
    row.measured = None;
    row.status = Status::Unsupported;
    row.reason = Some("this device has no such feature".into());
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    bench.event(Event::Row { index: 0, row: Box::new(row) });
    bench.harness.get_by_label("unsupported here: this device has no such feature");
    let bars = text(&bench, "Share of the highest multiply-add rate");
    assert!(bars.contains("1 uncoalesced, here: unsupported here, recorded: 972 GFLOP/s"), "{bars}");
}

#[test]
fn one_rung_can_be_run_alone() {
    let mut bench = bench();
    bench.harness.get_by_label("3 tiled").click();
    bench.run();
    bench.harness.get_by_label("Run rung 3 tiled").click();
    bench.run();
    let tiled = kernels::by_id("matmul_tiled").unwrap();
    assert_eq!(bench.script.borrow().requests[0].rows, [("matmul_tiled".to_owned(), tiled.defaults())]);
}

#[test]
fn counts_come_from_the_interpreter_before_anything_is_measured() {
    let mut bench = bench();
    bench.harness.get_by_label("3 tiled").click();
    bench.run();
    bench.settle();
    // Two loads from the tiles for each multiply-add; a load of 16 x 16 floats by 32 lanes is two rows of 64 bytes.
    bench.harness.get_by_label("2.0000");
    bench.harness.get_by_label("4.0 and 4.0");
    bench.harness.get_by_label_contains("reuse in workgroup memory:");
    bench.harness.get_by_label_contains("A workgroup of 256 lanes computes 16 x 16 outputs and takes 16 columns of A");
    assert!(bench.script.borrow().requests.is_empty());
}

#[test]
fn a_covered_answer_is_nowhere_in_the_view() {
    let mut bench = bench();
    bench.harness.get_by_label("Cover answer").click();
    bench.run();
    bench.harness.get_by_label(family()[0].question);
    for word in ["Share of the highest", "Roofline of", "Who computes what", "Counts"] {
        assert!(bench.harness.query_by_label_contains(word).is_none(), "{word}");
    }
}

/// The tile of a rung at the size of a GPU.
fn tile(id: &str) -> RungTile {
    let forecasts = Forecasts::new(std::sync::Arc::new(|| {}));
    let setup = Setup { model: LESSON.clone(), footprint_bytes: 256 << 20, limits: Limits::WITHOUT_DEVICE, size: 2048 };
    let pattern = Pattern::of(kernels::by_id(id).unwrap());
    let start = sectorscope::platform::now();
    loop {
        if let Some(tile) = forecasts.rung_tile(&pattern, &setup) {
            return tile.as_ref().clone().unwrap();
        }
        assert!(start.elapsed().as_secs() < 60, "the tile of {id} never came");
        std::thread::sleep(std::time::Duration::from_millis(5));
        forecasts.poll();
    }
}

#[test]
fn tiles_are_those_of_the_texts() {
    // Rows, columns, depth, lanes, outputs a lane: as each text's comments say.
    for (id, size, depth, lanes, outputs) in [
        ("matmul_uncoalesced", [16, 16], 1, 256, 1),
        ("matmul_naive", [16, 16], 1, 256, 1),
        ("matmul_tiled", [16, 16], 16, 256, 1),
        ("matmul_register_1d", [64, 64], 8, 512, 8),
        ("matmul_register", [128, 128], 8, 256, 64),
        ("matmul_vec4", [128, 128], 8, 256, 64),
        // One of the two halves of its tile is in use.
        ("matmul_prefetch", [128, 128], 8, 256, 64),
    ] {
        let tile = tile(id);
        assert_eq!((tile.size, tile.depth, tile.lanes), (size, depth, lanes), "{id}");
        assert_eq!(tile.product, [2048, 2048, 64], "{id}");
        let mut owned = vec![0; lanes];
        for owner in &tile.owners {
            owned[*owner as usize] += 1;
        }
        assert!(owned.iter().all(|count| *count == outputs), "{id}: {owned:?}");
        assert_eq!(tile.outputs_of_first_subgroup(), 32 * outputs, "{id}");
    }
}

#[test]
fn neighbours_of_the_first_rung_are_a_row_apart_and_of_the_second_a_column() {
    let places = |id| {
        let tile = tile(id);
        let place = |lane: u32| tile.owners.iter().position(|owner| *owner == lane).unwrap();
        [0, 1].map(|lane| [place(lane) / tile.size[1], place(lane) % tile.size[1]])
    };
    assert_eq!(places("matmul_uncoalesced"), [[0, 0], [1, 0]]);
    assert_eq!(places("matmul_naive"), [[0, 0], [0, 1]]);
}

#[test]
fn the_drawn_tile_covers_what_its_lanes_own() {
    let tile = tile("matmul_register");
    let drawn = product::scene(&tile, 460.0);
    let whole =
        drawn.parts.iter().position(|part| part.tip == "The workgroup's part of C: 128 x 128 outputs.").unwrap();
    let area = |part: usize, fill: Fill, inside: Option<[f32; 2]>| -> f32 {
        let of = |mark: &Mark| match mark.shape {
            Shape::Rect { at, size, fill: f }
                if f == fill
                    && mark.parts == [part]
                    && inside.is_none_or(|from| at[0] >= from[0] && at[1] >= from[1]) =>
            {
                size[0] * size[1]
            }
            _ => 0.0,
        };
        drawn.marks.iter().map(of).sum()
    };
    let corner = drawn.marks.iter().find_map(|mark| match mark.shape {
        Shape::Rect { at, .. } if mark.parts == [whole] => Some(at),
        _ => None,
    });
    let all = area(whole, Fill::Outline, None);
    // 32 of 256 lanes, and one of them.
    assert!((area(whole + 1, Fill::Soft, None) / all - 32.0 / 256.0).abs() < 1e-3);
    assert!((area(whole + 2, Fill::Solid, corner) / all - 1.0 / 256.0).abs() < 1e-3);
}

/// The place of a tick's word along an axis.
fn tick(drawn: &Scene, word: &str, align: Align) -> [f32; 2] {
    let is = |mark: &Mark| match &mark.shape {
        Shape::Text { at, text, align: a, .. } if text == word && *a == align && mark.role == Role::Weak => Some(*at),
        _ => None,
    };
    drawn.marks.iter().find_map(is).unwrap_or_else(|| panic!("no tick {word}"))
}

#[test]
fn marks_of_the_roofline_stand_at_their_figures_at_any_size_and_numbers_cover_nothing() {
    let roofline = Roofline::of(&recorded()).unwrap();
    let roof = Roof { roofline: roofline.clone(), name: "an H200".into(), whose: Whose::Recorded, earlier: Vec::new() };
    let number = |id: &str| family().iter().position(|kernel| kernel.id == id).map_or(0, |place| place + 1);
    for size in [[360.0, 300.0], [600.0, 380.0], [1600.0, 460.0]] {
        let drawn = scene(std::slice::from_ref(&roof), &number, size);
        // Both axes are logarithmic: two ticks tell where any figure stands.
        let x = [1.0, 100.0].map(|value: f64| tick(&drawn, &format!("{value}"), Align::Centre)[0]);
        let y = [1000.0, 100_000.0].map(|value: f64| tick(&drawn, &format!("{value}"), Align::Right)[1]);
        let along = |[from, to]: [f32; 2], decades: f64| f64::from(from) + f64::from(to - from) * decades / 2.0;
        let marks: Vec<([f32; 2], [f32; 2])> = drawn
            .marks
            .iter()
            .filter_map(|mark| match mark.shape {
                Shape::Rect { at, size, .. } => Some((at, size)),
                _ => None,
            })
            .collect();
        assert_eq!(marks.len(), family().len(), "one a recorded rung");
        for (point, (at, side)) in roofline.points.iter().zip(&marks) {
            let middle = [0, 1].map(|axis| f64::from(at[axis] + side[axis] / 2.0));
            let wanted = [along(x, point.intensity.low.log10()), along(y, point.gflop_per_s.log10() - 3.0)];
            assert!((0..2).all(|k| (middle[k] - wanted[k]).abs() < 0.1), "{}: {middle:?}, {wanted:?}", point.kernel);
        }
        let numbers: Vec<[f32; 2]> = drawn
            .marks
            .iter()
            .filter_map(|mark| match &mark.shape {
                Shape::Text { at, text, .. } if mark.role == Role::Text && text.parse::<usize>().is_ok() => Some(*at),
                _ => None,
            })
            .collect();
        assert_eq!(numbers.len(), marks.len());
        for (k, at) in numbers.iter().enumerate() {
            assert!(at[0] > 0.0 && at[0] < size[0] && at[1] > 0.0 && at[1] < size[1], "{at:?}");
            let apart =
                |other: [f32; 2], room: [f32; 2]| (0..2).any(|axis| (at[axis] - other[axis]).abs() >= room[axis]);
            assert!(numbers[..k].iter().all(|other| apart(*other, [10.0, 14.0])), "{size:?}: {at:?} of {numbers:?}");
            let on_mark = marks.iter().any(|(mark, side)| !apart([0, 1].map(|a| mark[a] + side[a] / 2.0), [9.0, 11.0]));
            assert!(!on_mark, "{size:?}: {at:?} covers a mark");
        }
    }
}

#[test]
fn rungs_wait_while_the_ladder_runs_and_were_stopped_after_it_was_stopped() {
    let mut bench = bench();
    bench.harness.get_by_label("Run all rungs (about 20 s)").click();
    bench.run();
    let waiting = |id| Row { measured: None, status: Status::Skipped, reason: None, limit: None, ..row(id, 1.0, 1.0) };
    let mut results = document(device().adapter);
    results.ended = String::new();
    results.rows = vec![waiting("matmul_naive"), waiting("matmul_tiled")];
    bench.event(Event::Started { results: Box::new(results.clone()), rows: 2 });
    bench.event(Event::Row { index: 0, row: Box::new(row("matmul_naive", 4321.0, 0.07)) });
    let bars = |bench: &Bench| text(bench, "Share of the highest multiply-add rate");
    assert!(bars(&bench).contains("3 tiled, here: waiting, recorded:"), "{}", bars(&bench));
    results.rows[0] = row("matmul_naive", 4321.0, 0.07);
    results.rows[1].reason = Some("interrupted, or the time limit was reached before it was measured".into());
    results.ended = "interrupted".into();
    bench.event(Event::Finished { results: Box::new(results), cancelled: true });
    bench.tell(Told::Ended(Ok(())));
    assert!(bars(&bench).contains("3 tiled, here: not measured: stopped, recorded:"), "{}", bars(&bench));
    assert!(bars(&bench).contains("2 naive, here: 4.3 TFLOP/s, 7 %"), "{}", bars(&bench));
    bench.harness.get_by_label("Patterns").click();
    bench.run();
    bench.harness.get_by_label("matmul_tiled: not measured: stopped");
    bench.harness.get_by_label("matmul_naive: 4321 GFLOP/s");
}

#[test]
fn bars_of_an_earlier_run_are_told_and_the_last_rung_has_its_own_100_percent() {
    let mut bench = bench();
    for (id, rate) in [("matmul_naive", 4000.0), ("matmul_tiled", 8000.0)] {
        bench.harness.get_by_label("Run all rungs (about 20 s)").click();
        bench.run();
        bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
        bench.event(Event::Row { index: 0, row: Box::new(row(id, rate, rate / 40_000.0)) });
        bench.tell(Told::Ended(Ok(())));
    }
    let bars = text(&bench, "Share of the highest multiply-add rate");
    assert!(bars.contains("2 naive (earlier run), here: 4.0 TFLOP/s, 10 %"), "{bars}");
    assert!(bars.contains("3 tiled, here: 8.0 TFLOP/s, 20 %"), "{bars}");
    assert!(bars.contains("9 cooperative (100 %: matrices), recorded:"), "{bars}");
    bench.harness.get_by_label_contains("Full bars: measured on this machine, 2048 x 2048 x 2048.");
    bench.harness.get_by_label_contains("Empty marks: of an earlier run");
}

#[test]
fn the_shader_of_a_rung_is_shown_and_copied_whole() {
    let mut bench = bench();
    bench.harness.get_by_label("2 naive").click();
    bench.run();
    bench.settle();
    let naive = kernels::by_id("matmul_naive").unwrap();
    bench.harness.get_by_label_contains("matmul_naive.wgsl");
    let shown = text(&bench, "var<storage, read> a");
    assert_eq!(shown.trim(), naive.wgsl.trim());
    bench.harness.get_by_label("Copy the shader").click();
    bench.harness.step();
    let commands = &bench.harness.output().platform_output.commands;
    let copied = commands.iter().any(
        |command| matches!(command, eframe::egui::OutputCommand::CopyText(text) if text.trim() == naive.wgsl.trim()),
    );
    assert!(copied, "{commands:?}");
}
