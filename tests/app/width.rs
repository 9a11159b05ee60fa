//! The view "Width": three ways to the same bytes, bandwidth over width x loads, the tile's two knobs.

use egui_kittest::kittest::{NodeT as _, Queryable as _};
use sectorscope::app::forecast::{Pattern, Setup, TracedRequest, WorkgroupTrace};
use sectorscope::app::picture::tile::{Show, Tile, scene};
use sectorscope::app::picture::{Fill, Scene, Shape, loads};
use sectorscope::app::{State, Tab, Told};
use sectorscope::engine::Event;
use sectorscope::kernels::{self, PRESETS, Value};
use sectorscope::memory_model::LESSON;
use sectorscope::program::Limits;

use crate::fake::{Bench, device, document, row};

fn bench() -> Bench {
    let mut bench = Bench::start(&Default::default(), [1280.0, 2400.0]);
    bench.harness.get_by_label("Width").click();
    bench.run();
    assert_eq!(bench.state().tab, Tab::Width);
    bench
}

fn setup() -> Setup {
    Setup { model: LESSON.clone(), footprint_bytes: 64 << 20, limits: Limits::WITHOUT_DEVICE, size: 256 }
}

fn trace(pattern: &Pattern) -> WorkgroupTrace {
    WorkgroupTrace::record(&pattern.plan(&setup()).unwrap(), &LESSON).unwrap()
}

/// The loads of the first subgroup of each row of the preset, in workgroups of 32 lanes.
fn ways() -> Vec<Vec<TracedRequest>> {
    let preset = PRESETS.iter().find(|preset| preset.id == "vector-width").unwrap();
    let kernel = kernels::by_id(preset.kernel).unwrap();
    let way = |params| {
        let trace = trace(&Pattern { kernel, params }.with("workgroup", 32u32));
        let loads = (0..trace.accesses.len()).filter(|access| trace.site(*access).unwrap().name == "source");
        loads.filter_map(|access| trace.request(access, 0)).collect()
    };
    preset.params().into_iter().map(way).collect()
}

fn rects(scene: &Scene, fill: Fill, height: f32) -> usize {
    let is = |shape: &Shape| matches!(shape, Shape::Rect { size, fill: f, .. } if *f == fill && (size[1] - height).abs() < 0.1);
    scene.marks.iter().filter(|mark| is(&mark.shape)).count()
}

#[test]
fn the_same_bytes_cost_16_64_and_16_requests() {
    let bench = bench();
    let harness = &bench.harness;
    harness.get_by_label("The same 512 bytes, three ways: how many instructions, how many sectors?");
    harness.get_by_label("4 loads · 16 sector requests");
    harness.get_by_label("4 loads · 64 sector requests");
    harness.get_by_label("1 load · 16 sector requests");
    // Bytes an instruction beside bytes a sector.
    assert_eq!(harness.query_all_by_label("128 (32 x 4)").count(), 2);
    harness.get_by_label("512 (32 x 16)");
    assert_eq!(harness.query_all_by_label("32 of 32").count(), 2);
    harness.get_by_label("8 of 32");
    assert_eq!(harness.query_all_by_label("16").filter(|node| node.accesskit_node().role() == LABEL).count(), 3);
}

const LABEL: eframe::egui::accesskit::Role = eframe::egui::accesskit::Role::Label;

#[test]
fn each_load_is_drawn_over_the_sectors_that_it_touches() {
    let drawn = |requests: &[TracedRequest]| {
        let scene = loads::scene(requests, 4, 400.0);
        // Sectors are 26 high, the bytes in them 18.
        (rects(&scene, Fill::Soft, 26.0), rects(&scene, Fill::Outline, 26.0), rects(&scene, Fill::Solid, 18.0))
    };
    let drawn: Vec<_> = ways().iter().map(|requests| drawn(requests)).collect();
    assert_eq!(drawn, [(16, 48, 128), (64, 0, 128), (16, 0, 32)]);
}

#[test]
fn a_lane_tells_what_each_of_its_loads_takes() {
    let tips: Vec<String> =
        ways().iter().map(|requests| loads::scene(requests, 4, 400.0).parts[5].tip.clone()).collect();
    assert_eq!(
        tips,
        [
            "Lane 5, load 1: bytes 20 to 23; load 2: bytes 148 to 151; load 3: bytes 276 to 279; load 4: bytes 404 to 407",
            "Lane 5, load 1: bytes 80 to 83; load 2: bytes 84 to 87; load 3: bytes 88 to 91; load 4: bytes 92 to 95",
            "Lane 5, load 1: bytes 80 to 95",
        ]
    );
}

#[test]
fn measuring_asks_for_every_width_and_every_number_of_loads() {
    let mut bench = bench();
    bench.harness.get_by_label("Measure width x loads (about 10 s)").click();
    bench.run();
    let rows = bench.script.borrow().requests[0].rows.clone();
    let mut asked: Vec<(String, u32)> = rows
        .iter()
        .filter(|(_, params)| params.word("order") == "interleaved")
        .map(|(_, params)| (params.word("element").to_owned(), params.number("items")))
        .collect();
    asked.sort();
    let wanted = ["f32", "vec2", "vec4"].map(|width| [1, 2, 4, 8].map(|loads| (width.to_owned(), loads))).concat();
    assert_eq!(asked, wanted);
    // And the blocked one of the three ways.
    assert_eq!(rows.len(), 13);
}

#[test]
fn a_rate_stands_in_its_cell_beside_the_recorded_one() {
    let mut bench = bench();
    bench.harness.get_by_label("f32, loads 8, here: not measured");
    bench.harness.get_by_label("f32, loads 8, recorded: 4566");
    bench.harness.get_by_label("f32, loads 1, recorded: 1555");
    bench.harness.get_by_label("vec4, loads 1, recorded: 4491");
    bench.harness.get_by_label("Measure width x loads (about 10 s)").click();
    bench.run();
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    bench.event(Event::Row { index: 0, row: Box::new(row(1, 123.0)) });
    bench.harness.get_by_label("f32, loads 8, here: 123");
    let plot = bench.harness.get_by_label_contains("Useful bandwidth by width and loads");
    let text = plot.accesskit_node().label().unwrap_or_default();
    // Eight loads of four bytes: 32 bytes under way.
    assert!(text.contains("f32, this machine: 32: 123."), "{text}");
    bench.tell(Told::Ended(Ok(())));
}

#[test]
fn the_knobs_of_the_tile_change_lineup_and_width() {
    let mut bench = bench();
    let fewest = "sector requests (the fewest: 16)";
    bench.harness.get_by_label(&format!("4 loads x 4 sectors = 16 {fewest} · a lane has 4 x 4 B = 16 B under way"));
    for (example, figures) in [
        ("Each lane its own run", format!("4 loads x 16 sectors = 64 {fewest} · a lane has 4 x 4 B = 16 B under way")),
        ("The run in one copy", format!("1 load x 16 sectors = 16 {fewest} · a lane has 1 x 16 B = 16 B under way")),
        ("Lanes down a column", format!("4 loads x 32 sectors = 128 {fewest} · a lane has 4 x 4 B = 16 B under way")),
        ("Lanes along a row", format!("4 loads x 4 sectors = 16 {fewest} · a lane has 4 x 4 B = 16 B under way")),
    ] {
        bench.harness.get_by_label(example).click();
        bench.run();
        bench.harness.get_by_label(&figures);
    }
    bench.harness.get_by_label("Bits per copy 64").click();
    bench.run();
    assert_eq!(bench.state().tile.number("bits"), Some(64));
    bench.harness.get_by_label_contains("a lane has 4 x 8 B = 32 B under way");
    bench.harness.get_by_label("Neighbours are runs of one lane").click();
    bench.run();
    assert_eq!(bench.state().tile.params.get("order"), Some(&Value::Word("blocked")));
}

#[test]
fn a_tile_that_cannot_be_says_why() {
    let mut bench = bench();
    bench.harness.get_by_label("Pieces down 16").click();
    bench.run();
    bench.harness.get_by_label_contains("values_x x values_y = 64 pieces a lane: at most 16");
}

#[test]
fn this_tile_is_measured_as_it_is() {
    let mut bench = bench();
    bench.harness.get_by_label("Lanes down a column").click();
    bench.run();
    bench.harness.get_by_label("Measure this tile").click();
    bench.run();
    let rows = bench.script.borrow().requests[0].rows.clone();
    assert_eq!(rows, [("tiled_copy".to_owned(), bench.state().tile.params.clone())]);
}

/// The lane at a place of a tile, by the layouts' definition.
fn owner(tile: &Pattern, [x, y]: [usize; 2]) -> usize {
    let number = |name| tile.number(name).unwrap() as usize;
    let (threads_x, threads_y) = (number("threads_x"), number("workgroup") / number("threads_x"));
    if tile.params.word("order") == "blocked" {
        x / number("values_x") + y / number("values_y") * threads_x
    } else {
        x % threads_x + y % threads_y * threads_x
    }
}

#[test]
fn every_piece_has_the_owner_that_the_layouts_define() {
    let first = State::default().tile;
    let tiles: [[u32; 4]; 5] = [[32, 8, 4, 1], [128, 32, 1, 4], [16, 1, 2, 2], [64, 4, 16, 1], [128, 16, 8, 2]];
    for [bits, threads_x, values_x, values_y] in tiles {
        for order in ["interleaved", "blocked"] {
            let tile = first.with("bits", bits).with("threads_x", threads_x).with("order", order);
            let tile = tile.with("values_x", values_x).with("values_y", values_y);
            let [across, down] = [threads_x * values_x, 32 / threads_x * values_y].map(|side| side as usize);
            let pieces = Tile::of(&trace(&tile), across);
            assert_eq!(pieces.size, [across, down], "{}", tile.name());
            assert_eq!(pieces.pieces.len(), across * down, "{}", tile.name());
            assert_eq!(pieces.piece_bytes, bits / 8);
            for piece in &pieces.pieces {
                assert_eq!(piece.lane, owner(&tile, piece.place), "{} at {:?}", tile.name(), piece.place);
            }
        }
    }
}

#[test]
fn a_picture_of_any_tile_stays_in_its_bounds() {
    let first = State::default().tile;
    for (threads_x, values_x, values_y) in [(8u32, 4u32, 1u32), (32, 16, 1), (1, 1, 16), (32, 1, 1)] {
        let tile = first.with("threads_x", threads_x).with("values_x", values_x).with("values_y", values_y);
        let tile = Tile::of(&trace(&tile), (threads_x * values_x) as usize);
        for show in [Show::Load(0), Show::Lane(0)] {
            let scene = scene(&tile, show, 32, 600.0);
            for mark in &scene.marks {
                if let Shape::Rect { at, size, .. } = mark.shape {
                    let inside = at[0] >= 0.0 && at[0] + size[0] <= 600.5 && at[1] + size[1] <= scene.size[1];
                    assert!(inside && size[0] > 0.0 && size[1] > 0.0, "{:?}", mark.shape);
                }
            }
        }
    }
}

#[test]
fn a_covered_answer_is_nowhere_in_the_view_and_what_is_asked_about_stays() {
    let mut bench = bench();
    bench.harness.get_by_label("Cover answer").click();
    bench.run();
    for answer in
        ["sector requests", "GB/s recorded", "Useful bandwidth by width", "neither helps", "touches", "swap indices"]
    {
        assert!(bench.harness.query_by_label_contains(answer).is_none(), "{answer}");
    }
    bench.harness.get_by_label("The same 512 bytes, three ways: how many instructions, how many sectors?");
    bench.harness.get_by_label("Each lane takes its four with one vec4 instruction.");
    bench.harness.get_by_label("Bytes per instruction: 512 (32 x 16)");
    bench.harness.get_by_label_contains("when does neither help?");
    bench.harness.get_by_label("Thread layout: which lane goes where");
    bench.harness.get_by_label("How many bytes does each lane have under way at a time?");
    bench.harness.get_by_label("How do you fix it?");
}

#[test]
fn the_two_knobs_have_five_rows() {
    let bench = bench();
    for question in [
        "Which question does it answer?",
        "What does it change?",
        "What does it cost when wrong?",
        "How do you see it in the counts?",
        "How do you fix it?",
    ] {
        bench.harness.get_by_label(question);
    }
}
