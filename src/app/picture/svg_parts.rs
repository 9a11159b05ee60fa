//! The few shapes that all pictures of files are made of.

use eframe::egui::Color32;
use svg::node::element::{Line, Polygon, Rectangle, Text};

use crate::report::shapes::{self, round};

/// The fonts of a page, then any: what a file is rasterised with here stands last.
pub(super) const FONTS: &str = "system-ui, 'DejaVu Sans', Arial, sans-serif";

/// `#0072b2`.
pub(super) fn hex(color: Color32) -> String {
    format!("#{:02x}{:02x}{:02x}", color.r(), color.g(), color.b())
}

/// One line of words, its vertical middle at the point.
pub(super) fn text([x, y]: [f64; 2], size: f64, color: Color32, words: &str) -> Text {
    // Letters stand on their line, which lies about a third of their height below their middle.
    Text::new(words).set("x", round(x)).set("y", round(y + 0.35 * size)).set("font-size", size).set("fill", hex(color))
}

pub(super) fn line(from: [f64; 2], to: [f64; 2], width: f64, color: Color32) -> Line {
    shapes::line(from, to, &hex(color), width)
}

pub(super) fn rectangle([x, y]: [f64; 2], [width, height]: [f64; 2]) -> Rectangle {
    Rectangle::new().set("x", round(x)).set("y", round(y)).set("width", round(width)).set("height", round(height))
}

/// The outline of a mark, or an area, through these points.
pub(super) fn polygon(points: impl IntoIterator<Item = [f64; 2]>) -> Polygon {
    let points: Vec<String> = points.into_iter().map(|[x, y]| format!("{},{}", round(x), round(y))).collect();
    Polygon::new().set("points", points.join(" "))
}

/// About the width of words: files know no fonts.
pub(super) fn width(words: &str, size: f64) -> f64 {
    0.55 * size * words.chars().count() as f64
}
