//! What every picture in SVG is drawn with.

use svg::node::element::Line;

/// A straight line of a colour as SVG names it.
pub(crate) fn line(from: [f64; 2], to: [f64; 2], colour: &str, width: f64) -> Line {
    Line::new()
        .set("x1", round(from[0]))
        .set("y1", round(from[1]))
        .set("x2", round(to[0]))
        .set("y2", round(to[1]))
        .set("stroke", colour)
        .set("stroke-width", width)
}

/// A tenth of a point is as fine as anyone sees.
pub(crate) fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}
