//! The table of a document for a terminal: plain text, no colours.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle};

use super::cells::{HEADERS, cells, heading, notes};
use super::summary;
use super::wrap::{printable, wrap};
use crate::record::Results;

/// The width for what is no terminal.
pub const DEFAULT_WIDTH: u16 = 120;

/// A line below the header and no other: rows of a sweep stand close together.
const STYLE: TableStyle =
    comfy_table::presets::NOTHING.header_separator(LineStyle::none().fill('\u{2500}').junction('\u{2500}'));

/// Heading, table, summary and notes, at most `width` columns wide where the words allow it.
#[must_use]
pub fn to_string(results: &Results, width: u16) -> String {
    let heading: String = heading(results).iter().map(|line| wrap(line, width)).collect();
    heading + &body(results, width)
}

/// Table, summary and notes, where the heading has already been shown.
#[must_use]
pub fn body(results: &Results, width: u16) -> String {
    let mut text = String::new();
    if !results.rows.is_empty() {
        text.push('\n');
        text.push_str(&plain(&HEADERS, &cells(results), 2..7, width));
    }
    for lines in [summary::figures(results), notes(results)] {
        if !lines.is_empty() {
            text.push('\n');
        }
        for line in lines {
            text.push_str(&wrap(&line, width));
        }
    }
    text
}

/// A table without colours; the columns of `numbers` stand to the right. Ends with a newline.
#[must_use]
pub fn plain<const N: usize>(
    headers: &[&str; N],
    rows: &[[String; N]],
    numbers: std::ops::Range<usize>,
    width: u16,
) -> String {
    let mut table = Table::new();
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .force_no_tty()
        .set_header(headers.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|cell| printable(cell)));
    }
    for column in numbers {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    // A name is not broken where there is room for it at all.
    if let Some(names) = table.column_mut(0).filter(|_| width >= DEFAULT_WIDTH) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    let mut text = table.trim_fmt();
    text.push('\n');
    text
}

/// The width of the terminal behind stdout or stderr; `None` where there is none.
#[must_use]
pub fn terminal_width(stderr: bool) -> Option<u16> {
    let mut table = Table::new();
    if stderr {
        table.use_stderr();
    }
    table.width()
}
