//! Several memory models: one column each, line by line.

use super::text::compact;
use crate::record::Band;
use crate::record::prediction::{ModelColumn, PredictionDocument};
use crate::report::wrap::hanging;

/// Columns in front of the models.
const HEAD: usize = 8;
/// Columns of a model.
const COLUMN: usize = 13;

/// What each model says, in as many tables as the width asks for; empty for a single model.
pub(super) fn table(document: &PredictionDocument, width: u16) -> String {
    let has_band = |model: &ModelColumn| {
        model.subgroup_range[0] != model.subgroup_range[1] || model.sector_bytes_range[0] != model.sector_bytes_range[1]
    };
    if document.models.len() < 2 && !document.models.iter().any(has_band) {
        return String::new();
    }
    let title = "Sectors and wavefronts over the fewest possible (1.00 is ideal), by model; a range where the width or the \
                 sector is not known";
    let mut text = format!("\n{}", hanging("", title, width));
    for models in document.models.chunks((usize::from(width).saturating_sub(HEAD) / COLUMN).max(1)) {
        let mut row = |head: &str, cell: &dyn Fn(&ModelColumn) -> String| {
            let cells: String = models.iter().map(|model| format!("{:>COLUMN$}", cell(model))).collect();
            text.push_str(format!("{head:<HEAD$}{cells}").trim_end());
            text.push('\n');
        };
        row("", &|model| model.model.chars().take(COLUMN - 1).collect());
        row("lanes", &|model| range(model.subgroup, model.subgroup_range));
        row("sector", &|model| range(model.sector_bytes, model.sector_bytes_range));
        for line in &document.lines {
            row(&format!("line {}", line.line), &|model| {
                let found = model.lines.iter().find(|other| other.line == line.line);
                found.and_then(|line| line.times_ideal).map_or_else(|| "-".to_owned(), band)
            });
        }
        row("sectors", &|model| compact(model.totals.sectors));
        row("ideal", &|model| compact(model.totals.ideal_sectors));
    }
    text
}

fn range(value: u32, [low, high]: [u32; 2]) -> String {
    if low == high { value.to_string() } else { format!("{value} ({low}-{high})") }
}

fn band(Band { low, high }: Band) -> String {
    let (low, high) = (format!("{low:.2}"), format!("{high:.2}"));
    if low == high { low } else { format!("{low}-{high}") }
}
