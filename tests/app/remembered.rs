//! What outlives the window, and the size of everything.

use eframe::App as _;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use sectorscope::app::{ModelChoice, Origin, Start, Tab, Told};
use sectorscope::engine::Event;

use crate::fake::{Bench, Memory, device, document, row};

/// Closes a window in which this was pressed; what it leaves.
fn closed_after(keys: &[(Modifiers, Key)]) -> Memory {
    let mut bench = Bench::new();
    for (modifiers, key) in keys {
        bench.harness.key_press_modifiers(*modifiers, *key);
        bench.run();
        bench.run();
    }
    let mut memory = Memory::default();
    bench.harness.state_mut().save(&mut memory);
    memory
}

fn opened(memory: &Memory, start: &Start) -> Bench {
    let mut bench = Bench::start(start, [1280.0, 800.0]);
    bench.harness.state_mut().recall(memory, start);
    bench.run();
    bench.run();
    bench
}

#[test]
fn theme_model_view_and_size_are_those_of_last_time() {
    let plain = Modifiers::NONE;
    let fresh = opened(&Memory::default(), &Start::default());
    let first = fresh.harness.ctx.theme();
    let keys = [(plain, Key::T), (plain, Key::L), (Modifiers::COMMAND, Key::Plus), (plain, Key::Num2)];
    let memory = closed_after(&keys);
    let bench = opened(&memory, &Start::default());
    assert_eq!((bench.state().tab, bench.state().model), (Tab::Width, ModelChoice::ThisGpu));
    assert_ne!(bench.harness.ctx.theme(), first);
    assert!((bench.harness.ctx.zoom_factor() - 1.1).abs() < 1e-4);
    // Whoever asks for a preset wants to see it.
    let start = Start { preset: Some("lesson-stride-8".into()), ..Start::default() };
    let bench = opened(&memory, &start);
    assert_eq!((bench.state().tab, bench.state().pattern.number("stride")), (Tab::Patterns, Some(8)));
    assert_ne!(bench.harness.ctx.theme(), first);
}

#[test]
fn what_cannot_be_read_is_the_beginning() {
    let mut memory = closed_after(&[(Modifiers::NONE, Key::Num3)]);
    for value in memory.0.values_mut() {
        *value = "{".to_owned();
    }
    let bench = opened(&memory, &Start::default());
    assert_eq!((bench.state().tab, bench.state().model), (Tab::Patterns, ModelChoice::Lesson));
    assert_eq!(bench.state().settings.zoom, 1.0);
}

#[test]
fn keys_and_buttons_change_the_size_and_the_main_buttons_stay() {
    let mut bench = Bench::new();
    let zoom = |bench: &Bench| bench.state().settings.zoom;
    let inside = |bench: &Bench| {
        let screen = bench.harness.ctx.content_rect();
        for label in ["Measure on this GPU (about 5 s)", "Stop"] {
            let rect = bench.harness.get_by_label(label).rect();
            assert!(screen.expand(0.5).contains_rect(rect), "{label} at zoom {}: {rect:?}", zoom(bench));
        }
    };
    let mut last = zoom(&bench);
    for _ in 0..25 {
        bench.harness.key_press_modifiers(Modifiers::COMMAND, Key::Plus);
        bench.run();
        bench.run();
        assert!(zoom(&bench) > last || zoom(&bench) == 3.0, "{} after {last}", zoom(&bench));
        assert!((bench.harness.ctx.zoom_factor() - zoom(&bench)).abs() < 1e-4);
        last = zoom(&bench);
        inside(&bench);
    }
    assert_eq!(last, 3.0, "the largest");
    for (modifiers, key, lower) in [(Modifiers::COMMAND, Key::Minus, 2.95), (Modifiers::COMMAND, Key::Num0, 1.01)] {
        bench.harness.key_press_modifiers(modifiers, key);
        bench.run();
        bench.run();
        assert!(zoom(&bench) < lower, "{key:?}: {}", zoom(&bench));
    }
    bench.harness.get_by_label("Smaller").click();
    bench.run();
    bench.run();
    assert!((bench.harness.ctx.zoom_factor() - 1.0 / 1.1).abs() < 1e-4);
}

/// A window that keeps its measurements in this folder.
fn keeping(folder: &std::path::Path) -> Bench {
    let mut bench = Bench::new();
    bench.harness.state_mut().keep_in(folder, std::sync::Arc::new(|| {}));
    bench
}

/// Lets the window run until this holds.
fn until(bench: &mut Bench, what: &str, holds: impl Fn(&Bench) -> bool) {
    for _ in 0..1000 {
        if holds(bench) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
        bench.run();
    }
    panic!("{what}");
}

#[test]
fn measurements_are_there_again_as_earlier_ones_until_they_are_put_away() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.jsonl");
    let mut bench = keeping(folder.path());
    bench.harness.get_by_label("Measure on this GPU (about 5 s)").click();
    bench.run();
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    bench.event(Event::Row { index: 0, row: Box::new(row(1, 123.0)) });
    assert!(!file.exists(), "a run that goes on is not kept");
    bench.tell(Told::Ended(Ok(())));
    until(&mut bench, "it is never kept", |_| file.exists());
    bench.harness.state_mut().on_exit();

    let mut bench = keeping(folder.path());
    until(&mut bench, "it does not come back", |bench| bench.state().documents.all().len() == 3);
    bench.run();
    bench.harness.get_by_label("earlier: read");
    // Its rows are folded; what it says of the pattern that is looked at is not.
    bench.harness.get_by_label("read: 123 GB/s");
    let earlier = &bench.state().documents.all()[2];
    assert!(earlier.earlier && matches!(&earlier.origin, Origin::Session(what) if what == "read"));
    bench.harness.get_by_label("Close earlier: read").click();
    bench.run();
    until(&mut bench, "it stays in the file", |_| std::fs::read(&file).is_ok_and(|bytes| bytes.is_empty()));

    // What was measured on another card is not this machine's.
    let line = serde_json::json!({ "what": "read", "results": document(device().adapter) }).to_string();
    std::fs::write(&file, line.replace("NVIDIA H200", "Card of before")).unwrap();
    let mut bench = keeping(folder.path());
    until(&mut bench, "it does not come back", |bench| bench.state().documents.all().len() == 3);
    let earlier = &bench.state().documents.all()[2];
    assert_eq!((earlier.title().as_str(), earlier.shown), ("earlier, on Card of before: read", false));
}
