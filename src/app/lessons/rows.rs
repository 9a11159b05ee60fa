//! The rows of documents that the lesson compares: recorded ones, and those of this machine.

use crate::app::documents::{Document, Documents, Origin};
use crate::app::forecast::Pattern;
use crate::record::{Results, Row, Status};
use crate::units::format_gb_per_s;

/// A row, and the run it is of.
pub type Found<'a> = (&'a Results, &'a Row);

fn in_document<'a>(document: &'a Document, pattern: &Pattern) -> impl Iterator<Item = Found<'a>> {
    let results = document.results();
    document.rows().filter(move |row| pattern.matches(row, None)).filter_map(move |row| Some((results?, row)))
}

fn is_measured(row: &Row) -> bool {
    row.status == Status::Ok && row.measured.is_some()
}

/// The recorded row of a pattern: without safety checks, at the largest footprint, of several the first.
#[must_use]
pub fn recorded<'a>(documents: &'a Documents, pattern: &Pattern) -> Option<Found<'a>> {
    let all = documents.all().iter().filter(|document| document.origin == Origin::Recorded);
    let fit = all
        .flat_map(|document| in_document(document, pattern))
        .filter(|(_, row)| is_measured(row) && row.checks == "off");
    fit.reduce(|best, next| if next.1.work.footprint_bytes > best.1.work.footprint_bytes { next } else { best })
}

fn own(documents: &Documents) -> impl Iterator<Item = &Document> {
    documents.all().iter().rev().filter(|document| matches!(document.origin, Origin::Session(_)))
}

/// The newest row of a pattern on this machine, however it ended.
#[must_use]
pub fn newest<'a>(documents: &'a Documents, pattern: &Pattern) -> Option<Found<'a>> {
    own(documents).find_map(|document| in_document(document, pattern).last())
}

/// The newest run on this machine that measured all these patterns, and their rows: only rows of one run, which walked
/// over equal footprints, can be compared.
#[must_use]
pub fn newest_run<'a>(documents: &'a Documents, patterns: &[Pattern]) -> Option<Vec<Found<'a>>> {
    let of =
        |document: &'a Document, pattern: &Pattern| in_document(document, pattern).find(|(_, row)| is_measured(row));
    own(documents).find_map(|document| patterns.iter().map(|pattern| of(document, pattern)).collect())
}

/// The rate of a row and its unit: arithmetic where that is what it is about, else useful bytes.
#[must_use]
pub fn rate(row: &Row) -> Option<(f64, &'static str)> {
    let measured = row.measured.as_ref()?;
    let flop = measured.gflop_per_s.map(|rate| (rate, "GFLOP/s"));
    flop.or_else(|| measured.useful_gb_per_s.map(|rate| (rate, "GB/s")))
}

/// A text with the rates of rows: `{rate_N}` of row N, `{times_N}` that over the rate of row 0. `None` where a rate is
/// missing.
#[must_use]
pub fn fill_rates(text: &str, rows: &[Found<'_>]) -> Option<String> {
    let rates: Vec<f64> = rows.iter().map(|(_, row)| rate(row).map(|(rate, _)| rate)).collect::<Option<_>>()?;
    let mut filled = text.to_owned();
    for (place, rate) in rates.iter().enumerate() {
        filled = filled.replace(&format!("{{rate_{place}}}"), &format_gb_per_s(*rate));
        filled = filled.replace(&format!("{{times_{place}}}"), &format!("{:.2}", rate / rates[0]));
    }
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;

    #[test]
    fn of_several_recorded_rows_the_largest_footprint_counts() {
        let documents = Documents::recorded();
        let read = Pattern::of(kernels::by_id("read").unwrap()).with("stride", 8);
        let rows: Vec<_> = documents.all()[0].rows().filter(|row| read.matches(row, None)).collect();
        assert!(rows.len() > 1, "the recorded run has it at several footprints");
        let (_, row) = recorded(&documents, &read).unwrap();
        assert_eq!(Some(row.work.footprint_bytes), rows.iter().map(|row| row.work.footprint_bytes).max());
        assert!(newest(&documents, &read).is_none(), "a recorded row is not of this machine");
    }

    #[test]
    fn rates_are_filled_in_and_a_product_has_its_own_unit() {
        let documents = Documents::recorded();
        let of = |id| recorded(&documents, &Pattern::of(kernels::by_id(id).unwrap())).unwrap();
        let rows = [of("matmul_register"), of("matmul_vec4")];
        assert_eq!(rows[0].1.checks, "off");
        assert_eq!(rate(rows[0].1).unwrap().1, "GFLOP/s");
        let [a, b] = rows.map(|(_, row)| row.measured.as_ref().unwrap().gflop_per_s.unwrap());
        let text = fill_rates("{rate_0}, {times_1}, {other}", &rows).unwrap();
        assert_eq!(text, format!("{a:.0}, {:.2}, {{other}}", b / a));
    }
}
