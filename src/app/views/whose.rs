//! Whose figures a picture shows: adapter, driver and date of every run in it, and whether one is of a processor.

use super::View;
use crate::app::documents::{Document, Origin};
use crate::app::state::Device;
use crate::record::Row;
use crate::report;

/// The mark on pictures with speeds that are no GPU's.
pub const SOFTWARE: &str = "software adapter: speeds are not a GPU's";

/// Captions for a picture of these rows, and the mark where the speeds of one of its runs are a processor's.
#[must_use]
pub fn captions(view: &View<'_>, shows: &dyn Fn(&Row) -> bool) -> (Vec<String>, Option<String>) {
    let mut lines = vec![format!("Counted by the interpreter, model: {}.", view.state.model().title)];
    let mut software = false;
    let shown = |document: &&Document| document.rows().any(|row| row.measured.is_some() && shows(row));
    let mut measured_here = false;
    for document in view.state.documents.shown().filter(shown) {
        let Some(results) = document.results() else { continue };
        let device = results.adapter.as_ref().map_or_else(|| "no device".to_owned(), report::device);
        let date = results.started_at.get(..10).unwrap_or(&results.started_at);
        let line = match &document.origin {
            Origin::Session(_) => format!("Measured on this machine: {device}, {date}."),
            Origin::File(name) => format!("{name}: {device}, {date}."),
            Origin::Recorded => format!("Recorded, not this machine: {device}, {date}."),
        };
        measured_here |= matches!(document.origin, Origin::Session(_));
        software |= results.is_software();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if !measured_here {
        lines.push(match &view.state.device {
            Device::Found(found) => {
                let kind = if found.adapter.is_cpu() { " (a software adapter)" } else { "" };
                format!("Nothing in it was measured on this machine: {}{kind}.", report::device(&found.adapter))
            }
            Device::Searching | Device::Missing(_) => "Nothing in it was measured on this machine.".to_owned(),
        });
    }
    lines.push(format!("Drawn by sectorscope {} on {}.", env!("CARGO_PKG_VERSION"), today()));
    (lines, software.then(|| SOFTWARE.to_owned()))
}

/// The date in UTC, as those of results.
fn today() -> String {
    let now = jiff::Timestamp::now().to_string();
    now.get(..10).unwrap_or(&now).to_owned()
}
