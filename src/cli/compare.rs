//! `compare A.json B.json`.

use std::path::Path;

use super::failure::{Failure, Outcome};
use super::output;
use super::terminal::Terminal;
use super::values::Target;
use crate::record::Results;
use crate::report::{compare, json, table};

/// Compares two results files.
///
/// # Errors
/// A file that cannot be read, or an output that cannot be written.
pub(super) fn run(a: &Path, b: &Path, target: Option<&Target>, terminal: &Terminal) -> Result<Outcome, Failure> {
    let comparison = compare::compare(&read(a)?, &read(b)?);
    let beside_data = target == Some(&Target::Stdout);
    let width = table::terminal_width(beside_data).unwrap_or(table::DEFAULT_WIDTH);
    let text = format!("A: {}\nB: {}\n{}", a.display(), b.display(), comparison.to_text(width));
    if let Some(target) = target {
        output::write(target, &comparison, terminal)?;
    }
    if beside_data {
        terminal.note(&text);
    } else {
        terminal.data(text.as_bytes())?;
    }
    Ok(Outcome::Fine)
}

/// The results in a file.
pub(super) fn read(path: &Path) -> Result<Results, Failure> {
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::Usage(format!("{} could not be read: {error}", path.display())))?;
    json::from_bytes(&bytes).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}
