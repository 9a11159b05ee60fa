//! The prediction document for people: the worst lines with cause and cure, then the source with what each line costs.

use super::lines::{bill, culprits};
use super::models;
use crate::record::prediction::{Cure, LineCount, PredictionDocument, Reach};
use crate::report::wrap::{hanging, printable};
use crate::units::format_tenths;

/// Lines of the summary.
const MOST_WORST: usize = 5;
/// Sources up to this many lines are shown whole; of longer ones what stands around accesses.
const WHOLE_SOURCE: usize = 120;
/// Lines shown before and behind an access of a long source.
const CONTEXT: usize = 1;
/// Cells of a bar.
const BAR: usize = 8;

/// Marks lines whose requests were not all executed one by one.
const REPEATED: char = '*';

/// How to show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns.
    pub width: u16,
}

/// The document beside its source.
#[must_use]
pub fn text(document: &PredictionDocument, wgsl: &str, style: Style) -> String {
    let width = style.width.max(60);
    let mut text = heading(document, width);
    text.push_str(&summary(document, width));
    text.push_str("\nLine by line, as written: a driver may merge, hoist or drop loads\n");
    text.push_str(&source(document, wgsl, width));
    text.push_str(&totals(document, width));
    text.push_str(&models::table(document, width));
    for warning in &document.warnings {
        let place = warning.line.map_or_else(String::new, |line| format!("line {line}: "));
        text.push_str(&hanging("warning: ", &format!("{place}{}", warning.text), width));
    }
    text
}

fn heading(document: &PredictionDocument, width: u16) -> String {
    let [x, y, z] = document.workgroup_size;
    let [dx, dy, dz] = document.dispatch;
    let name = document.file.as_deref().unwrap_or("WGSL");
    let end = if document.complete { "executed" } else { "begun, not to the end" };
    let traced = match (document.traced.total, document.traced.workgroups) {
        (1, _) => "its one workgroup".to_owned(),
        _ => document.traced.to_string(),
    };
    let mut text = hanging(
        "",
        &format!(
            "{name}: {}, workgroups of {x} x {y} x {z} lanes, dispatch {dx} x {dy} x {dz}; {traced} {end}",
            document.entry_point
        ),
        width,
    );
    text.push_str(&hanging(
        "",
        &format!(
            "model {}: subgroups of {} lanes (linear index, x fastest), sectors of {} bytes",
            document.model, document.subgroup, document.sector_bytes
        ),
        width,
    ));
    let defaults: Vec<String> = document
        .inputs
        .iter()
        .filter(|input| input.default)
        .map(|input| format!("{} = {}", input.name, input.value))
        .collect();
    if !defaults.is_empty() {
        text.push_str(&hanging("nobody chose: ", &defaults.join("; "), width));
    }
    for need in &document.needs {
        let reaches = |what: &Reach| need.reaches.iter().any(|reached| reached.what == *what);
        let reached: Vec<&str> = Reach::ALL.into_iter().filter(reaches).map(Reach::words).collect();
        text.push_str(&hanging(
            "needs: ",
            &format!("the contents of {} decide {}", need.buffer, reached.join(" and ")),
            width,
        ));
    }
    text
}

fn summary(document: &PredictionDocument, width: u16) -> String {
    let worst = document.worst_lines();
    if document.lines.is_empty() {
        return "\nNo access was executed.\n".to_owned();
    }
    if worst.is_empty() {
        let words = "No line costs more than it must: every request takes the fewest sectors and wavefronts.";
        return format!("\n{}", hanging("", words, width));
    }
    let mut text = String::from("\nWorst lines\n");
    for (number, line) in worst.iter().take(MOST_WORST).enumerate() {
        for (k, access) in culprits(document, line.line).into_iter().enumerate() {
            let head = if k == 0 { format!("{:>2}. ", number + 1) } else { "    ".to_owned() };
            text.push_str(&hanging(&head, &format!("line {}, {}", line.line, bill(access)), width));
            if let Some(cause) = &access.cause {
                text.push_str(&hanging("    why:  ", cause, width));
            }
        }
        for cure in document.cures.iter().filter(|cure| cure.line == line.line) {
            text.push_str(&cure_text(cure, width));
        }
        for cure in document.cures.iter().filter(|cure| cure.also_lines.contains(&line.line)) {
            text.push_str(&hanging("    cure: ", &format!("as for line {}", cure.line), width));
        }
    }
    let rest = worst.len().saturating_sub(MOST_WORST);
    if rest > 0 {
        let plural = if rest == 1 { "line costs" } else { "lines cost" };
        text.push_str(&format!("    {rest} more {plural} more than the ideal.\n"));
    }
    text
}

fn cure_text(cure: &Cure, width: u16) -> String {
    let mut text = hanging("    cure: ", &cure.text, width);
    for edit in &cure.edits {
        text.push_str(&cut(&format!("          {:>4} | {}", edit.line, printable(&edit.text)), width));
        text.push('\n');
    }
    text
}

fn source(document: &PredictionDocument, wgsl: &str, width: u16) -> String {
    let banked = document.lines.iter().any(|line| line.wavefronts.is_some());
    let mut text = format!("{:>4} {:>6} {:>11} {:BAR$}", "line", "reqs", "sect./ideal", "");
    text.push_str(if banked { " waves/ideal | source\n" } else { " | source\n" });
    let lines: Vec<&str> = wgsl.trim_start_matches('\u{feff}').lines().collect();
    let near = |number: usize| document.lines.iter().any(|line| number.abs_diff(line.line as usize) <= CONTEXT);
    let mut skipped = false;
    for (number, source) in (1usize..).zip(&lines) {
        if lines.len() > WHOLE_SOURCE && !near(number) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            text.push_str("  ...\n");
        }
        let line = document.lines.iter().find(|line| line.line as usize == number);
        let mark = if line.is_some_and(|line| line.extrapolated_requests > 0) { REPEATED } else { ' ' };
        let row = format!("{number:>4}{mark}{} | {}", gutter(line, banked), printable(&source.replace('\t', "  ")));
        text.push_str(&cut(&row, width));
        text.push('\n');
    }
    if document.lines.iter().any(|line| line.extrapolated_requests > 0) {
        let words = "turns of a loop that only shift addresses were counted, exactly, from a few that were executed";
        text.push_str(&hanging(&format!("{REPEATED} "), words, width));
    }
    text
}

/// What a line costs, in columns.
fn gutter(line: Option<&LineCount>, banked: bool) -> String {
    let pair = |cost: Option<u64>, ideal: Option<u64>| match (cost, ideal) {
        (Some(cost), Some(ideal)) => format!("{}/{}", compact(cost), compact(ideal)),
        _ => String::new(),
    };
    let Some(line) = line else {
        return " ".repeat(if banked { 39 } else { 27 });
    };
    let sectors = pair(line.sectors, line.ideal_sectors);
    let bar = match (line.sectors, line.ideal_sectors) {
        (Some(cost), Some(ideal)) => bar(ideal, cost),
        _ => " ".repeat(BAR),
    };
    let waves = if banked { format!(" {:>11}", pair(line.wavefronts, line.ideal_wavefronts)) } else { String::new() };
    format!("{:>6} {sectors:>11} {bar}{waves}", compact(line.requests))
}

/// A bar of the share that is ideal; anything below all of it leaves a cell open.
fn bar(ideal: u64, cost: u64) -> String {
    let cells = if ideal >= cost { BAR as u64 } else { (ideal * BAR as u64).div_ceil(cost.max(1)).min(BAR as u64 - 1) };
    (0..BAR as u64).map(|cell| if cell < cells { '\u{2588}' } else { '\u{2591}' }).collect()
}

/// A count in at most six characters: `1234`, `12.3k`, `4.56M`.
pub(super) fn compact(count: u64) -> String {
    let scaled = |unit: f64, name: &str| {
        let value = count as f64 / unit;
        let digits = if value >= 99.95 {
            0
        } else if value >= 9.995 {
            1
        } else {
            2
        };
        format!("{value:.digits$}{name}")
    };
    match count {
        0..=99_999 => count.to_string(),
        100_000..=999_499 => scaled(1e3, "k"),
        999_500..=999_499_999 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

fn totals(document: &PredictionDocument, width: u16) -> String {
    let totals = &document.totals;
    let mut words = format!("{} requests", totals.requests);
    if let Some(efficiency) = totals.request_efficiency {
        words.push_str(&format!(
            "; {} sectors where {} would do, {} % of their bytes are used; {} distinct sectors, counting once what \
             several accesses share",
            totals.sectors,
            totals.ideal_sectors,
            format_tenths(efficiency),
            totals.distinct_sectors
        ));
    }
    if let (Some(cost), Some(ideal)) = (totals.wavefronts, totals.ideal_wavefronts) {
        words.push_str(&format!("; {cost} wavefronts where {ideal} would do"));
    }
    hanging("total: ", &words, width)
}

/// A row cut to the width.
fn cut(row: &str, width: u16) -> String {
    let row = row.trim_end();
    if row.chars().count() <= usize::from(width) {
        return row.to_owned();
    }
    let mut cut: String = row.chars().take(usize::from(width).saturating_sub(1)).collect();
    cut.push('\u{2026}');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_stay_short() {
        let all: Vec<String> =
            [0, 99_999, 100_000, 123_456, 999_499, 999_500, 12_345_678, 999_499_999, 999_500_000, 5_000_000_000]
                .into_iter()
                .map(compact)
                .collect();
        assert_eq!(all, ["0", "99999", "100k", "123k", "999k", "1.00M", "12.3M", "999M", "1.00G", "5.00G"]);
    }

    #[test]
    fn a_bar_is_full_only_where_nothing_is_wasted() {
        assert_eq!(bar(4, 4), "\u{2588}".repeat(8));
        assert_eq!(bar(99, 100), format!("{}\u{2591}", "\u{2588}".repeat(7)));
        assert_eq!(bar(1, 32), format!("\u{2588}{}", "\u{2591}".repeat(7)));
    }
}
