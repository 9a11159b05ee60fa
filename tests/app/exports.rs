//! What is kept of the window: files under a typed path, pictures with their numbers in words.

use std::path::Path;
use std::time::Duration;

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::Queryable as _;
use resvg::tiny_skia::Pixmap;
use sectorscope::app::picture::{Body, Chart, ChartMark, Dot, Ink, Piece, Scale, Series, Sheet, chart_painter, raster};
use sectorscope::app::theme::LIGHT;
use sectorscope::app::{Start, Told};
use sectorscope::engine::Event;
use sectorscope::platform::now;
use sectorscope::report::json;

use crate::fake::{Bench, device, document, row};
use crate::pictures::every_mark;

/// A window with a measured row at stride 8 on this kind of device.
fn measured(device_type: &str) -> Bench {
    let mut bench = Bench::start(&Start::default(), [1400.0, 7000.0]);
    let mut found = device();
    found.adapter.device_type = device_type.to_owned();
    let results = document(found.adapter.clone());
    bench.tell(Told::Device(Ok(Box::new(found))));
    bench.harness.get_by_label("Exact stride").set_value_accesskit(8.0);
    bench.run();
    bench.harness.get_by_label("Measure on this GPU (about 5 s)").click();
    bench.run();
    bench.event(Event::Started { results: Box::new(results), rows: 1 });
    bench.event(Event::Row { index: 0, row: Box::new(row(8, 123.0)) });
    bench.tell(Told::Ended(Ok(())));
    bench.settle();
    bench
}

fn type_path(bench: &mut Bench, path: &Path) {
    let field = bench.harness.get_by_role_and_label(Role::TextInput, "Path");
    field.focus();
    field.type_text(path.to_str().unwrap());
    bench.run();
    assert_eq!(bench.state().path, path.to_str().unwrap());
}

/// Clicks, and waits for what is told of the file.
fn told(bench: &mut Bench, label: &str) -> String {
    bench.harness.get_by_label_contains(label).click();
    bench.run();
    let start = now();
    loop {
        bench.run();
        if let Some(notice) = bench.state().notices.iter().find(|notice| notice.code == "file") {
            return notice.text.clone();
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing was told of {label}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> &'a str {
    text.split_once(open).unwrap().1.split_once(close).unwrap().0
}

#[test]
fn a_picture_tells_its_numbers_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = measured("discrete_gpu");
    type_path(&mut bench, &folder.path().join("stride"));
    let text = told(&mut bench, "Picture SVG");
    let path = folder.path().join("stride.svg");
    assert_eq!(text, format!("Saved {}.", path.display()));
    let svg = std::fs::read_to_string(&path).unwrap();
    let title = between(&svg, "<title>", "</title>").trim();
    assert_eq!(title, "32 lanes ask for 4 bytes each. How many 32-byte sectors must be fetched?");
    let words = between(&svg, "<desc>", "</desc>");
    for expected in [
        "Asked 128 B · 32 sectors = 1024 B · 12.5 % used",
        "32 bytes from one lane to the next",
        "where 4 could do",
        "measured on this machine: 8: 123.",
        "(best 4566 at 1, worst 143 at 256)",
        "recorded: moved",
        "Measured on this machine: NVIDIA H200, vulkan, driver NVIDIA 580.159.04, 2026-11-30.",
    ] {
        let missing = expected == "recorded: moved";
        assert_ne!(words.contains(expected), missing, "{expected}: {words}");
    }
    // The same stands in the picture for those who see it, beside all 32 sectors.
    let seen = &svg[svg.find("</desc>").unwrap()..];
    assert!(seen.contains("driver NVIDIA 580.159.04, 2026-11-30."), "{seen}");
    assert_eq!(
        seen.matches(": 4 of 32 bytes are used, by lane ").count(),
        2 * 32,
        "a sector and its bytes for each lane"
    );
    assert!(!svg.contains("software adapter"));
}

#[test]
fn a_png_is_the_same_picture_and_marks_a_processor() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = measured("cpu");
    // A folder: the name is the program's.
    type_path(&mut bench, folder.path());
    told(&mut bench, "Picture PNG");
    let png = std::fs::read(folder.path().join("sectorscope-pattern.png")).unwrap();
    let pixels = Pixmap::decode_png(&png).unwrap();
    let mut other = measured("cpu");
    type_path(&mut other, &folder.path().join("same"));
    told(&mut other, "Picture SVG");
    let svg = std::fs::read_to_string(folder.path().join("same.svg")).unwrap();
    assert!(between(&svg, "<desc>", "</desc>").trim().starts_with("software adapter: speeds are not a GPU's."));
    let again = Pixmap::decode_png(&raster::png(&svg, raster::SCALE).unwrap()).unwrap();
    assert_eq!((pixels.width(), pixels.height()), (again.width(), again.height()));
    assert!(pixels.data() == again.data());
    // Without its words the picture is another: they are drawn, not only told.
    let mark = "software adapter: speeds are not a GPU's\n";
    assert_eq!(svg.matches(mark).count(), 1);
    let without = Pixmap::decode_png(&raster::png(&svg.replace(mark, ""), raster::SCALE).unwrap()).unwrap();
    let differ = again.pixels().iter().zip(without.pixels()).filter(|(a, b)| a != b).count();
    assert!(differ > 1000, "{differ} pixels");
}

#[test]
fn results_are_saved_whole_and_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = measured("discrete_gpu");
    let path = folder.path().join("mine");
    type_path(&mut bench, &path);
    told(&mut bench, "Save JSON: ");
    let written = json::from_bytes(&std::fs::read(path.with_extension("json")).unwrap()).unwrap();
    assert_eq!(Some(&written), bench.state().documents.all().last().unwrap().results());
    // What exists is not replaced.
    bench.harness.get_by_label("Dismiss").click();
    bench.run();
    let text = told(&mut bench, "Save JSON: ");
    assert!(text.contains("mine.json exists already. Type another name"), "{text}");
    bench.harness.get_by_label("Dismiss").click();
    bench.run();
    told(&mut bench, "Save CSV: ");
    let csv = std::fs::read_to_string(path.with_extension("csv")).unwrap();
    assert!(csv.lines().nth(1).unwrap().contains("read"), "{csv}");
    let mut names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["mine.csv", "mine.json"], "and nothing else is left behind");
}

#[test]
fn what_goes_wrong_is_told_with_name_and_cure() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = measured("discrete_gpu");
    type_path(&mut bench, &folder.path().join("no/such/folder/x"));
    let text = told(&mut bench, "Save CSV: ");
    assert!(
        text.contains("no/such/folder/x.csv could not be written: ") && text.ends_with("its folder must exist."),
        "{text}"
    );
    bench.harness.get_by_label("Dismiss").click();
    bench.run();
    let text = told(&mut bench, "Open path");
    assert!(text.contains("folder/x could not be read: "), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// A file that is opened is laid over every plot.
#[test]
fn a_second_file_is_laid_over_every_plot() {
    let name = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/reference/h200-standard-reversed.json");
    let ladder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/reference/h200-matmul.json");
    let mut bench = Bench::start(&Start { open: Some(name.into()), preset: None }, [1400.0, 6000.0]);
    let start = now();
    while bench.state().documents.all().len() < 3 {
        bench.run();
        assert!(start.elapsed() < Duration::from_secs(60), "the file was never opened");
    }
    bench.settle();
    for tab in ["Patterns", "Width"] {
        bench.harness.get_by_label(tab).click();
        bench.run();
        bench.settle();
        let all = bench.harness.query_all_by(|node| node.role() == Role::Image);
        let words: Vec<String> =
            all.filter_map(|node| egui_kittest::kittest::NodeT::accesskit_node(&node).label()).collect();
        assert!(words.iter().any(|words| words.contains(&format!("{name}: "))), "{tab}: {words:?}");
    }
    type_path_in(&mut bench, ladder);
    bench.harness.get_by_label("Open path").click();
    while bench.state().documents.all().len() < 4 {
        bench.run();
        assert!(start.elapsed() < Duration::from_secs(60), "the file was never opened");
    }
    bench.harness.get_by_label("Matmul").click();
    bench.run();
    bench.harness.get_by_label_contains("file: ");
    bench.harness.get_by_label_contains(&format!("Roofline of {ladder}"));
}

fn type_path_in(bench: &mut Bench, path: &str) {
    type_path(bench, Path::new(path));
}

/// Every view with results has the strip. A processor that measured nothing marks no picture: its speeds are not in it.
#[test]
fn each_view_keeps_its_own_picture() {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = measured("cpu");
    type_path(&mut bench, folder.path());
    for (tab, name, expected) in [
        ("Width", "sectorscope-width.svg", "4 loads · 64 sector requests."),
        ("Matmul", "sectorscope-matmul.svg", "8 prefetch, recorded: 45.7 TFLOP/s, 75.65 %"),
    ] {
        bench.harness.get_by_label(tab).click();
        bench.run();
        bench.settle();
        told(&mut bench, "Picture SVG");
        bench.harness.get_by_label("Dismiss").click();
        bench.run();
        let svg = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let words = between(&svg, "<desc>", "</desc>");
        assert!(words.contains(expected), "{tab}: {words}");
        assert!(words.contains("Nothing in it was measured on this machine: NVIDIA H200, vulkan, driver"), "{words}");
        assert!(words.contains("(a software adapter)") && !words.contains("speeds are not a GPU's"), "{words}");
        assert_eq!(bench.harness.query_all_by_label_contains("Save JSON: ").count(), 1, "{tab}");
    }
}

fn sheet(chart: Chart) -> Sheet {
    let figures = (String::new(), sectorscope::app::picture::Role::Text);
    let pieces = vec![Piece { heading: "a < b & c".into(), figures, body: Body::Chart(chart) }];
    Sheet { title: "x".into(), pieces, captions: vec!["\"quoted\" <name> & co".into()], mark: Some("m".into()) }
}

#[test]
fn any_data_makes_a_sound_picture() {
    let cases: [Vec<Dot>; 6] = [
        vec![],
        vec![Dot::new(1.0, 5.0)],
        vec![Dot::new(2.0, 3.0); 5],
        vec![Dot::new(f64::NAN, 1.0), Dot::new(1.0, f64::INFINITY)],
        vec![Dot::new(0.0, -1.0), Dot::new(-4.0, 0.0)],
        vec![Dot::new(1.0, 1e-300), Dot::new(4096.0, 1e300)],
    ];
    for dots in cases {
        for y_scale in [Scale::Linear, Scale::Log2] {
            for mark in [ChartMark::Line, ChartMark::Disc, ChartMark::Triangle] {
                let series = vec![Series::new("s", Ink::Measured, mark, dots.clone())];
                let svg =
                    sheet(Chart { series, y_scale, regions: Vec::new(), here: Vec::new(), ..every_mark() }).svg(&LIGHT);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{dots:?}: {svg}");
                raster::png(&svg, 0.25).unwrap();
                // And so does the window.
                let chart = Chart {
                    series: vec![Series::new("s", Ink::Measured, mark, dots.clone())],
                    y_scale,
                    ..every_mark()
                };
                egui_kittest::Harness::new_ui(move |ui| chart_painter::show(ui, "any", &chart, &LIGHT, 300.0)).run_ok();
            }
        }
    }
}

/// Every shape, and what cannot stand in a text of XML as it is.
#[test]
fn every_mark_of_a_plot_is_drawn() {
    let svg = sheet(every_mark()).svg(&LIGHT);
    for expected in
        ["a &lt; b &amp; c", "\"quoted\" &lt;name&gt; &amp; co", "here every GPU agrees", "flagged, see below"]
    {
        assert!(svg.contains(expected), "{expected}");
    }
    // Discs: six sound ones of seven and one in the legend. Triangles, squares, diamonds: seven and the legend's; and a band.
    assert_eq!(svg.matches("<circle").count(), 7);
    assert_eq!(svg.matches("<polygon").count(), 3 * 8 + 1);
    assert!(svg.contains("measured at 32: a cache answered"));
}
