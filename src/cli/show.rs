//! `show FILE`: the table of a results file again, on a terminal or as Markdown; the roofline of its matmul ladder.

use std::path::Path;

use super::compare::read;
use super::failure::{Failure, Outcome};
use super::terminal::Terminal;
use super::values::Target;
use crate::platform;
use crate::record::Results;
use crate::report::roofline::{self, Roofline};
use crate::report::{heading, markdown, table};

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

/// Writes the roofline of the file's matmul ladder as SVG.
///
/// # Errors
/// A file that cannot be read or has no rung of the ladder, or an output that cannot be written.
pub(super) fn roofline(file: &Path, target: &Target, terminal: &Terminal) -> Result<Outcome, Failure> {
    let results = read(file)?;
    let Some(roofline) = Roofline::of(&results) else {
        return Err(Failure::Usage(format!(
            "{}: no rung of the matmul ladder was measured in it; `sectorscope --bench --suite matmul --json FILE` \
             measures all",
            file.display()
        )));
    };
    let picture = roofline::svg::to_string(&roofline, &device(&results));
    match target {
        Target::Stdout => terminal.data(picture.as_bytes())?,
        Target::File(path) => platform::replace_file(path, picture.as_bytes())
            .map_err(|error| Failure::unwritten(path.display(), &error))?,
    }
    Ok(Outcome::Fine)
}

/// What was measured, and when.
fn device(results: &Results) -> String {
    let day = results.started_at.split('T').next().unwrap_or_default();
    heading(results).first().map_or_else(|| day.to_owned(), |device| format!("{device}, {day}"))
}
