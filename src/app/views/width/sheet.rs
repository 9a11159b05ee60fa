//! What this view shows, as a picture for a file.

use super::{bandwidth, tile, ways};
use crate::app::picture::{Body, Piece, Role, Sheet};
use crate::app::views::{View, whose};

/// Width of its pictures, points.
const WIDTH: f32 = 900.0;

/// The three ways, the plot, the tile.
#[must_use]
pub(super) fn sheet(view: &View<'_>) -> Sheet {
    let plain = |heading: String, body| Piece { heading, figures: (String::new(), Role::Text), body };
    let mut pieces = ways::pieces(view, WIDTH);
    let chart = bandwidth::chart(view);
    pieces.push(plain(chart.title.clone(), Body::Chart(chart)));
    pieces.extend(tile::scenes(view, WIDTH).into_iter().map(|(name, scene)| plain(name, Body::Scene(scene))));
    let mut patterns = bandwidth::patterns();
    patterns.push(view.state.tile.clone());
    let (captions, mark) = whose::captions(view, &|row| patterns.iter().any(|pattern| pattern.matches(row, None)));
    Sheet { title: "Width: the same bytes by wider and by more instructions".to_owned(), pieces, captions, mark }
}
