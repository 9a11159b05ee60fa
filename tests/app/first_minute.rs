//! What a newcomer sees and does first.

use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use sectorscope::app::{ModelChoice, Start, Tab};

use crate::fake::Bench;

#[test]
fn the_first_screen_asks_answers_and_hints() {
    let bench = Bench::new();
    let harness = &bench.harness;
    harness.get_by_label("32 lanes ask for 4 bytes each. How many 32-byte sectors must be fetched?");
    harness.get_by_label("Asked 128 B · 4 sectors = 128 B · 100 % used");
    harness.get_by_label("Drag Stride to 8.");
    harness.get_by_label("Model: lesson (32 lanes x 32 B)");
    harness.get_by_label("Measure on this GPU (about 5 s)");
    assert!(bench.script.borrow().requests.is_empty(), "nothing is measured unasked");
}

#[test]
fn a_stride_typed_in_changes_the_bill() {
    for (stride, bill) in [
        (2.0, "Asked 128 B · 8 sectors = 256 B · 50 % used"),
        (8.0, "Asked 128 B · 32 sectors = 1024 B · 12.5 % used"),
        (16.0, "Asked 128 B · 32 sectors = 1024 B · 12.5 % used"),
        (500.0, "Asked 128 B · 32 sectors = 1024 B · 12.5 % used"),
    ] {
        let mut bench = Bench::new();
        bench.harness.get_by_label("Exact stride").set_value_accesskit(stride);
        bench.run();
        bench.harness.get_by_label(bill);
    }
}

#[test]
fn the_slider_stops_at_detents_and_obeys_keys() {
    let mut bench = Bench::new();
    bench.harness.get_by_role_and_label(Role::Slider, "Stride").focus();
    bench.run();
    for expected in [2, 4, 8] {
        bench.harness.key_press(eframe::egui::Key::ArrowRight);
        bench.run();
        assert_eq!(bench.state().pattern.number("stride"), Some(expected));
    }
    bench.harness.key_press(eframe::egui::Key::ArrowLeft);
    bench.run();
    assert_eq!(bench.state().pattern.number("stride"), Some(4));
}

#[test]
fn the_slider_follows_the_mouse_from_detent_to_detent() {
    let mut bench = Bench::new();
    let rail = bench.harness.get_by_role_and_label(Role::Slider, "Stride").rect();
    let at = |share: f32| eframe::egui::pos2(rail.left() + share * rail.width(), rail.center().y);
    let mut seen = Vec::new();
    bench.harness.drag_at(at(0.02));
    bench.run();
    for step in 0..=20 {
        bench.harness.hover_at(at(0.02 + 0.48 * step as f32 / 20.0));
        bench.run();
        seen.extend(bench.state().pattern.number("stride"));
    }
    bench.harness.drop_at(at(0.5));
    bench.run();
    seen.dedup();
    assert_eq!(seen, [1, 2, 4, 8]);
    bench.harness.get_by_label("Asked 128 B · 32 sectors = 1024 B · 12.5 % used");
}

#[test]
fn an_offset_of_one_costs_a_fifth_sector() {
    let mut bench = Bench::new();
    bench.harness.get_by_role_and_label(Role::SpinButton, "Offset").set_value_accesskit(1.0);
    bench.run();
    bench.harness.get_by_label("Asked 128 B · 5 sectors = 160 B · 80 % used");
    bench.harness.get_by_label("elements = 4 B");
}

#[test]
fn this_gpus_model_adds_what_memory_delivers() {
    let mut bench = Bench::start(&Start { preset: Some("lesson-stride-16".into()), open: None }, [1280.0, 800.0]);
    bench.harness.get_by_label("Model: lesson (32 lanes x 32 B)").click();
    bench.run();
    assert_eq!(bench.state().model, ModelChoice::ThisGpu);
    bench
        .harness
        .get_by_label("Asked 128 B · requested 32 sectors = 1024 B · from memory 32 x 64 B = 2048 B (6.3 % used)");
}

#[test]
fn a_covered_answer_is_nowhere_on_the_screen() {
    let mut bench = Bench::new();
    bench.harness.get_by_label("Cover answer").click();
    bench.run();
    bench.harness.get_by_label("32 lanes ask for 4 bytes each. How many 32-byte sectors must be fetched?");
    assert!(bench.harness.query_by_label_contains("sectors =").is_none());
    assert!(bench.harness.query_by_label_contains("They touch").is_none());
}

#[test]
fn every_view_says_what_it_is_about() {
    let mut bench = Bench::new();
    for tab in Tab::ALL {
        bench.harness.get_by_label(tab.title()).click();
        bench.run();
        assert_eq!(bench.state().tab, tab);
    }
}

#[test]
fn two_patterns_stand_beside_each_other() {
    let start = Start { preset: Some("fused-or-scattered".into()), open: None };
    let bench = Bench::start(&start, [1280.0, 1000.0]);
    bench.harness.get_by_label("A: read, items 1, workgroup 8");
    bench.harness.get_by_label("B: read, stride 500, items 1, workgroup 8");
    bench.harness.get_by_label("Asked 32 B · 1 sector = 32 B · 100 % used");
    bench.harness.get_by_label("Asked 32 B · 8 sectors = 256 B · 12.5 % used");
    bench.harness.get_by_label("8 lanes ask for 4 bytes each. How many 32-byte sectors must be fetched?");
}

#[test]
fn what_the_main_buttons_say_stays_visible_at_any_size() {
    for size in [[720.0, 480.0], [1024.0, 640.0], [3840.0, 2160.0]] {
        let bench = Bench::start(&Start::default(), size);
        for label in ["Measure on this GPU (about 5 s)", "Sweep", "Stop"] {
            let rect = bench.harness.get_by_label(label).rect();
            assert!(rect.right() <= size[0] && rect.bottom() <= size[1] && rect.top() >= 0.0, "{label}: {rect:?}");
        }
    }
    let bench = Bench::new();
    assert!(bench.harness.get_by_label("Stop").accesskit_node().is_disabled());
}
