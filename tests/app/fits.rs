//! At any size and zoom nothing of the views is cut off at the sides, and no two words lie on each other.

use eframe::egui::Rect;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use sectorscope::app::Start;

use crate::fake::Bench;

/// Widths in points: 1024 at zooms of 2.5, 2, 1.5, 1.25, 1 and 0.75, then 1280, and 4K.
const WIDTHS: [f32; 8] = [410.0, 512.0, 683.0, 819.0, 1024.0, 1365.0, 1280.0, 3840.0];

/// What is written or drawn, with its place.
fn pieces(bench: &Bench) -> Vec<(String, Role, Rect)> {
    let is = |role: Role| matches!(role, Role::Label | Role::Button | Role::Image);
    let nodes = bench.harness.query_all_by(move |node| is(node.role()));
    let piece = |node: egui_kittest::Node<'_>| {
        let inner = node.accesskit_node();
        let text = inner.label().or_else(|| inner.value()).unwrap_or_default();
        (text, inner.role(), node.rect())
    };
    // Lines of a shader or another language scroll sideways on purpose.
    nodes.map(piece).filter(|(text, ..)| !text.contains('\n')).collect()
}

fn check(tab: &str, preset: Option<&str>) {
    for width in WIDTHS {
        let size = [width, 12_000.0];
        let mut bench = Bench::start(&Start { preset: preset.map(str::to_owned), open: None }, size);
        bench.harness.get_by_label(tab).click();
        bench.run();
        bench.settle();
        // Some room is known a frame later.
        bench.run();
        let pieces = pieces(&bench);
        assert!(pieces.len() > 20, "{tab} shows {} pieces", pieces.len());
        for (k, (text, role, rect)) in pieces.iter().enumerate() {
            let inside = rect.left() >= -0.5 && rect.right() <= size[0] + 0.5;
            assert!(inside, "{tab} at {size:?}: {role:?} {text:?} at {rect:?}");
            for (other, _, place) in &pieces[..k] {
                let common = rect.intersect(*place);
                let apart = common.width() < 1.0 || common.height() < 1.0;
                assert!(apart, "{tab} at {size:?}: {text:?} at {rect:?} covers {other:?} at {place:?}");
            }
        }
    }
}

#[test]
fn patterns_fits() {
    check("Patterns", None);
    // Two patterns beside or below each other.
    check("Patterns", Some("fused-or-scattered"));
}

#[test]
fn learn_fits() {
    check("Learn", None);
}

#[test]
fn width_fits() {
    check("Width", None);
}

#[test]
fn matmul_fits() {
    check("Matmul", None);
}

#[test]
fn your_wgsl_fits() {
    check("Your WGSL", None);
}
