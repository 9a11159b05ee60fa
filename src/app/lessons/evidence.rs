//! What the measured rows of a question show: what the model says, or something else.

use serde::Deserialize;

use crate::record::Band;

/// What rows show where all goes as the model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shows {
    /// The rate falls from the first row to the others as their counts do.
    Falls,
    /// Rates differ although the counts are as good.
    Differs,
    /// Rates stay.
    Level,
}

/// A measured row beside what its counts let expect.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// Useful over fetched bytes by the model: low where every request misses, high where each sector comes once.
    pub expected: Option<Band>,
    /// The measured rate, in any unit that the rows share.
    pub rate: f64,
}

/// What a measurement shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// What the model says.
    Shown,
    /// Something else: the counts alone would not let this happen.
    Absorbed {
        /// The row that departs.
        row: usize,
        /// Its rate over that of the first row.
        measured: f64,
        /// The most that the counts allow for that, where they say anything.
        allowed: Option<f64>,
    },
}

/// A departure below this is scatter.
const QUARTER: f64 = 1.25;

/// What rows show; `None` where a rate or an expectation is not there, or nothing is to be compared.
///
/// A rate that falls less than its counts by a quarter and more was held up by something else than memory. That is also
/// where time fell as the stride grew: over one footprint, time is the useful bytes over the rate. Where the model says a
/// band, because it depends on caches, the nearer end counts.
#[must_use]
pub fn reading(shows: Shows, rows: &[Compared]) -> Option<Reading> {
    let first = rows.first()?;
    if rows.iter().any(|row| !(row.rate.is_finite() && row.rate > 0.0)) {
        return None;
    }
    let ratio = |row: &Compared| row.rate / first.rate;
    match shows {
        Shows::Falls => falls(rows, first),
        Shows::Differs | Shows::Level => {
            let fastest = (0..rows.len()).max_by(|a, b| rows[*a].rate.total_cmp(&rows[*b].rate))?;
            let slowest = (0..rows.len()).min_by(|a, b| rows[*a].rate.total_cmp(&rows[*b].rate))?;
            let differ = rows[fastest].rate >= QUARTER * rows[slowest].rate;
            Some(if differ == (shows == Shows::Differs) {
                Reading::Shown
            } else {
                let row = if fastest == 0 { slowest } else { fastest };
                Reading::Absorbed { row, measured: ratio(&rows[row]), allowed: None }
            })
        }
    }
}

fn falls(rows: &[Compared], first: &Compared) -> Option<Reading> {
    let middle = |band: Band| f64::midpoint(band.low, band.high);
    let base = middle(first.expected?);
    let mut departs: Option<Reading> = None;
    for (place, row) in rows.iter().enumerate().skip(1) {
        let band = row.expected?;
        let allowed = if band.is_one_number() { QUARTER * band.high } else { middle(band) } / base;
        let measured = row.rate / first.rate;
        if measured > allowed && departs.is_none() {
            departs = Some(Reading::Absorbed { row: place, measured, allowed: Some(band.low / base) });
        }
    }
    Some(departs.unwrap_or(Reading::Shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(all: &[(f64, f64, f64)]) -> Vec<Compared> {
        let row = |(low, high, rate): &(f64, f64, f64)| Compared {
            expected: Some(Band { low: *low, high: *high }),
            rate: *rate,
        };
        all.iter().map(row).collect()
    }

    fn absorbed(reading: Option<Reading>) -> Option<usize> {
        match reading {
            Some(Reading::Absorbed { row, .. }) => Some(row),
            Some(Reading::Shown) | None => None,
        }
    }

    #[test]
    fn a_rate_that_falls_with_its_counts_shows_them_and_one_that_does_not_was_absorbed() {
        // Strides 1, 8: an eighth. At 0.125 and at 0.15 of the first it fell; at 0.16 it is over by more than a quarter.
        for (rate, shown) in [(125.0, true), (150.0, true), (160.0, false), (60.0, true), (1000.0, false)] {
            let reading = reading(Shows::Falls, &rows(&[(1.0, 1.0, 1000.0), (0.125, 0.125, rate)]));
            assert_eq!(reading == Some(Reading::Shown), shown, "{rate}: {reading:?}");
        }
    }

    #[test]
    fn time_that_fell_as_the_stride_grew_is_evidence_too() {
        // Equal traffic should take equal time: at 0.8 of the time the rate is 1.25 times an eighth.
        let at = |share_of_time: f64| rows(&[(1.0, 1.0, 1000.0), (0.125, 0.125, 125.0 / share_of_time)]);
        assert_eq!(absorbed(reading(Shows::Falls, &at(0.79))), Some(1));
        assert_eq!(absorbed(reading(Shows::Falls, &at(0.81))), None);
    }

    #[test]
    fn the_first_row_that_departs_is_named_with_its_figures() {
        let all = rows(&[(1.0, 1.0, 1000.0), (0.5, 0.5, 500.0), (0.125, 0.125, 600.0)]);
        let expected = Reading::Absorbed { row: 2, measured: 0.6, allowed: Some(0.125) };
        assert_eq!(reading(Shows::Falls, &all), Some(expected));
    }

    #[test]
    fn where_caches_decide_the_nearer_end_counts() {
        // Rows of a matrix: an eighth without caches, all of it with them.
        let at = |rate| reading(Shows::Falls, &rows(&[(1.0, 1.0, 1000.0), (0.125, 1.0, rate)]));
        assert_eq!((absorbed(at(220.0)), absorbed(at(800.0))), (None, Some(1)));
    }

    #[test]
    fn width_shows_where_equal_counts_run_at_different_rates() {
        let at = |rate| rows(&[(1.0, 1.0, 400.0), (1.0, 1.0, rate)]);
        assert_eq!(absorbed(reading(Shows::Differs, &at(900.0))), None);
        assert_eq!(absorbed(reading(Shows::Differs, &at(420.0))), Some(1));
        assert_eq!(absorbed(reading(Shows::Level, &at(420.0))), None);
        assert_eq!(absorbed(reading(Shows::Level, &at(900.0))), Some(1));
        assert_eq!(absorbed(reading(Shows::Level, &at(200.0))), Some(1));
    }

    #[test]
    fn nothing_is_said_without_rates_or_expectations() {
        assert_eq!(reading(Shows::Level, &[]), None);
        assert_eq!(reading(Shows::Level, &rows(&[(1.0, 1.0, 0.0)])), None);
        let unknown = Compared { expected: None, rate: 10.0 };
        assert_eq!(reading(Shows::Falls, &[unknown, unknown]), None);
        assert_eq!(reading(Shows::Level, &[unknown]), Some(Reading::Shown));
    }
}
