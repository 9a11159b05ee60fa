//! What outlives the window, and the size of everything.

use eframe::App as _;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable as _;
use sectorscope::app::{ModelChoice, Start, Tab};

use crate::fake::{Bench, Memory};

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
