//! The measured rows of a pattern: here, in files that are laid over, and on the recorded machine.

use super::View;
use crate::app::documents::{Document, Origin};
use crate::app::forecast::Pattern;
use crate::record::{Row, Status};

/// The row of a pattern in a document: without safety checks where there is one, of the largest footprint.
#[must_use]
pub fn row<'a>(document: &'a Document, pattern: &Pattern) -> Option<&'a Row> {
    document
        .rows()
        .filter(|row| row.status == Status::Ok && row.measured.is_some() && pattern.matches(row, None))
        .max_by_key(|row| (row.checks == "off", row.work.footprint_bytes))
}

/// The newest row of a pattern that was measured on this machine in this session, with the document that it stands in.
#[must_use]
pub fn here<'a>(view: &View<'a>, pattern: &Pattern) -> Option<(&'a Document, &'a Row)> {
    newest(view, pattern, |origin| matches!(origin, Origin::Session(_)))
}

/// The same of what was recorded on another machine.
#[must_use]
pub fn recorded<'a>(view: &View<'a>, pattern: &Pattern) -> Option<(&'a Document, &'a Row)> {
    newest(view, pattern, |origin| *origin == Origin::Recorded)
}

/// The same of the files that are laid over.
#[must_use]
pub fn file<'a>(view: &View<'a>, pattern: &Pattern) -> Option<(&'a Document, &'a Row)> {
    newest(view, pattern, |origin| matches!(origin, Origin::File(_)))
}

fn newest<'a>(view: &View<'a>, pattern: &Pattern, is: fn(&Origin) -> bool) -> Option<(&'a Document, &'a Row)> {
    let documents = view.state.documents.shown().filter(|document| is(&document.origin));
    documents.filter_map(|document| Some((document, row(document, pattern)?))).last()
}

/// Why the newest run of a pattern on this machine has no figures, where it has none: its status in a word, and the reason.
#[must_use]
pub fn refusal<'a>(view: &View<'a>, pattern: &Pattern) -> Option<(&'static str, &'a str)> {
    let own = view.state.documents.shown().filter(|document| matches!(document.origin, Origin::Session(_)));
    let row = own.flat_map(|document| document.rows()).filter(|row| pattern.matches(row, None)).last()?;
    let status = match row.status {
        Status::Ok => return None,
        Status::Skipped => "skipped",
        Status::Unsupported => "unsupported",
        Status::Failed => "failed",
    };
    Some((status, row.reason.as_deref().unwrap_or("no reason is known")))
}
