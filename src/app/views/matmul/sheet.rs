//! What this view shows, as a picture for a file.

use super::{chosen, ladder, pattern, title};
use crate::app::picture::sheet::WIDTH;
use crate::app::picture::{Body, Piece, Sheet, product};
use crate::app::views::{View, whose};

/// The bars, the roofline, and the tile of the rung that is looked at, where it is worked out.
#[must_use]
pub(super) fn sheet(view: &View<'_>) -> Sheet {
    let plain = |heading: String, scene| Piece::plain(heading, Body::Scene(scene));
    let [bars, roofs] = ladder::scenes(view, [WIDTH, 420.0]);
    let mut pieces = vec![plain(ladder::TITLE.to_owned(), bars), plain(ladder::ROOFS.to_owned(), roofs)];
    if let Some(kernel) = chosen(view)
        && let Some(tile) = view.forecasts.rung_tile(&pattern(kernel), &view.state.setup())
        && let Ok(tile) = tile.as_ref()
    {
        pieces.push(plain(format!("Rung {}: who computes what", title(kernel)), product::scene(tile, WIDTH)));
    }
    let (captions, mark) = whose::captions(view, &|row| row.matmul.is_some());
    Sheet { title: "The matmul ladder".to_owned(), pieces, captions, mark }
}
