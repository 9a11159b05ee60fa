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

/// Why a row has no figures, in a few words; `None` where it ended well.
#[must_use]
pub fn refused(document: &Document, row: &Row) -> Option<&'static str> {
    let ended = document.results().map_or("", |results| results.ended.as_str());
    match row.status {
        Status::Ok => None,
        Status::Unsupported => Some("unsupported here"),
        Status::Failed => Some("failed here"),
        Status::Skipped if document.is_running() => Some("waiting"),
        Status::Skipped if ended == "time_limit" => Some("not measured: time was up"),
        // A row that was never reached has no reason of its own.
        Status::Skipped if ended == "interrupted" || row.reason.is_none() => Some("not measured: stopped"),
        Status::Skipped => Some("not measured"),
    }
}

/// Why the newest run of a pattern on this machine has no figures, where it has none: in a few words, and the reason where
/// that says more.
#[must_use]
pub fn refusal<'a>(view: &View<'a>, pattern: &Pattern) -> Option<(&'static str, Option<&'a str>)> {
    let own = view.state.documents.shown().filter(|document| matches!(document.origin, Origin::Session(_)));
    let rows = own.flat_map(|document| document.rows().map(move |row| (document, row)));
    let (document, row) = rows.filter(|(_, row)| pattern.matches(row, None)).last()?;
    let words = refused(document, row)?;
    Some((words, row.reason.as_deref().filter(|_| row.status != Status::Skipped)))
}

/// `2048 x 2048 x 2048`: the size of a row's matrix product, where it is one.
#[must_use]
pub fn size(row: &Row) -> Option<String> {
    row.matmul.as_ref().map(|rung| format!("{} x {} x {}", rung.m, rung.n, rung.k))
}
