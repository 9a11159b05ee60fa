//! The table of a document for a README: GitHub's Markdown, the same columns as on a terminal, and the evidence for
//! each limit.

use super::cells::{HEADERS, cells, heading, notes};
use super::summary;
use crate::record::Results;

/// Heading, table, summary and notes.
#[must_use]
pub fn to_string(results: &Results) -> String {
    let mut lines: Vec<String> =
        vec![heading(results).iter().map(|line| escape(line)).collect::<Vec<_>>().join("  \n")];
    lines.push(String::new());
    lines.push(line(HEADERS.into_iter().chain(["evidence"]).map(str::to_owned)));
    lines.push(line((0..=HEADERS.len()).map(|column| rule(column).to_owned())));
    for (cells, row) in cells(results).iter().zip(&results.rows) {
        let evidence = row.limit.as_ref().map_or("", |limit| limit.evidence.as_str());
        lines.push(line(cells.iter().map(String::as_str).chain([evidence]).map(escape)));
    }
    lines.push(String::new());
    for sentence in summary::figures(results).iter().chain(&notes(results)) {
        lines.push(format!("- {}", escape(sentence)));
    }
    lines.join("\n") + "\n"
}

/// Numbers stand to the right.
const fn rule(column: usize) -> &'static str {
    if matches!(column, 2..=7) { "---:" } else { "---" }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}

/// Keeps a text inside its cell and free of mark-up.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
