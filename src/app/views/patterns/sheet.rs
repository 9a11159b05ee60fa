//! What this view shows, as a picture for a file.

use super::{chart, sweep, world};
use crate::app::forecast::{Pattern, TracedRequest};
use crate::app::picture::sheet::WIDTH;
use crate::app::picture::{Body, Piece, Role, Sheet, micro_world};
use crate::app::views::{View, whose};

/// The micro-worlds and the plot; `None` where the pattern cannot run here.
#[must_use]
pub(in crate::app::views) fn sheet(view: &View<'_>) -> Option<Sheet> {
    let pattern = &view.state.pattern;
    let trace = view.trace(pattern);
    let trace = trace.as_ref().as_ref().ok()?;
    let step = world::shown_step(view.state.step, trace);
    let request = trace.request(step.access, step.subgroup)?;
    let mut pieces = Vec::new();
    if let Some(pinned) = &view.state.pinned {
        let trace = view.trace(pinned);
        let other = trace.as_ref().as_ref().ok().and_then(|trace| trace.request(trace.primary_access(), 0));
        pieces.extend(other.map(|other| micro(view, "A: ", pinned, &other)));
    }
    let name = if pieces.is_empty() { "" } else { "B: " };
    pieces.push(micro(view, name, pattern, &request));
    let plot = chart::chart(view).map(|chart| Piece::plain(chart.title.clone(), Body::Chart(chart)));
    pieces.extend(plot);
    let axis = sweep::axis(pattern.kernel);
    let pinned = view.state.pinned.as_ref();
    let shows =
        |row: &crate::record::Row| pattern.matches(row, axis) || pinned.is_some_and(|pinned| pinned.matches(row, None));
    let (captions, mark) = whose::captions(view, &shows);
    Some(Sheet { title: world::question(&request), pieces, captions, mark })
}

fn micro(view: &View<'_>, name: &str, pattern: &Pattern, request: &TracedRequest) -> Piece {
    Piece {
        heading: format!("{name}{}", pattern.name()),
        figures: (request.bill.text(), Role::Excess(request.bill.excess())),
        body: Body::Scene(micro_world::scene(request, view.state.model(), WIDTH)),
    }
}
