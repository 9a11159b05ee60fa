//! `show FILE`: the table of a results file again, on a terminal or as Markdown.

use std::path::Path;

use super::compare::read;
use super::failure::{Failure, Outcome};
use super::terminal::Terminal;
use crate::report::{markdown, table};

/// Prints the table of a results file.
///
/// # Errors
/// A file that cannot be read, or an output that cannot be written.
pub(super) fn run(file: &Path, as_markdown: bool, terminal: &Terminal) -> Result<Outcome, Failure> {
    let results = read(file)?;
    let text = if as_markdown {
        markdown::to_string(&results)
    } else {
        table::to_string(&results, table::terminal_width(false).unwrap_or(table::DEFAULT_WIDTH))
    };
    terminal.data(text.as_bytes())?;
    Ok(Outcome::Fine)
}
