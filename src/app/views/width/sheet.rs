//! What this view shows, as a picture for a file.

use super::{bandwidth, tile, ways};
use crate::app::picture::sheet::WIDTH;
use crate::app::picture::{Body, Piece, Sheet};
use crate::app::views::{View, whose};

/// The three ways, the plot, the tile.
#[must_use]
pub(super) fn sheet(view: &View<'_>) -> Sheet {
    let mut pieces = ways::pieces(view, WIDTH);
    let chart = bandwidth::chart(view);
    pieces.push(Piece::plain(chart.title.clone(), Body::Chart(chart)));
    pieces.extend(tile::scenes(view, WIDTH).into_iter().map(|(name, scene)| Piece::plain(name, Body::Scene(scene))));
    let mut patterns = bandwidth::patterns();
    patterns.push(view.state.tile.clone());
    let (captions, mark) = whose::captions(view, &|row| patterns.iter().any(|pattern| pattern.matches(row, None)));
    Sheet { title: "Width: the same bytes by wider and by more instructions".to_owned(), pieces, captions, mark }
}
