//! At any size and zoom nothing of the views is cut off at the sides, and no two words lie on each other.

use eframe::egui::Rect;
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::{NodeT as _, Queryable as _};

use crate::fake::Bench;

/// 1024 x 640 at a zoom of 2.5, 1024 x 640, 1280 x 800, and 4K.
const SIZES: [[f32; 2]; 4] = [[410.0, 256.0], [1024.0, 640.0], [1280.0, 800.0], [3840.0, 2160.0]];

/// What is written or drawn, with its place.
fn pieces(bench: &Bench) -> Vec<(String, Role, Rect)> {
    let is = |role: Role| matches!(role, Role::Label | Role::Button | Role::Image);
    let nodes = bench.harness.query_all_by(move |node| is(node.role()));
    let piece = |node: egui_kittest::Node<'_>| {
        let inner = node.accesskit_node();
        let text = inner.label().or_else(|| inner.value()).unwrap_or_default();
        (text, inner.role(), node.rect())
    };
    // The text of a shader scrolls sideways on purpose.
    nodes.map(piece).filter(|(text, ..)| !text.contains("@compute")).collect()
}

fn check(tab: &str) {
    for size in SIZES {
        let mut bench = Bench::start(&Default::default(), [size[0], 12_000.0]);
        bench.harness.get_by_label(tab).click();
        bench.run();
        bench.settle();
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
fn width_fits() {
    check("Width");
}

#[test]
fn matmul_fits() {
    check("Matmul");
}
