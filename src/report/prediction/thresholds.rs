//! Efficiencies that a kernel or a line of it must not fall below.

use std::str::FromStr;

use crate::record::prediction::PredictionDocument;
use crate::units::format_percent;

/// An efficiency that must be reached: the fewest sectors and passes over the banks possible, over those paid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The line it is for; `None`: the whole kernel.
    pub line: Option<u32>,
    /// 0..1.
    pub efficiency: f64,
}

impl FromStr for Threshold {
    type Err = String;

    /// `0.9`, `90%`, or for one line `12=0.9`.
    ///
    /// # Errors
    /// The text, and the forms that are understood.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is no efficiency: write 0.9 or 90% for the whole kernel, 12=0.9 for line 12");
        let (line, value) = match text.split_once('=') {
            Some((line, value)) => {
                (Some(line.trim().parse().ok().filter(|line| *line > 0).ok_or_else(wrong)?), value.trim())
            }
            None => (None, text.trim()),
        };
        let (number, scale) = value.strip_suffix('%').map_or((value, 1.0), |number| (number.trim(), 100.0));
        let efficiency = number.parse::<f64>().map_err(|_| wrong())? / scale;
        if (0.0..=1.0).contains(&efficiency) { Ok(Self { line, efficiency }) } else { Err(wrong()) }
    }
}

/// A threshold that was not reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The line; `None`: the whole kernel.
    pub line: Option<u32>,
    /// What was found and what was asked for.
    pub text: String,
}

/// The thresholds that a document does not reach. A whole kernel's miss names the line that wastes most.
#[must_use]
pub fn misses(document: &PredictionDocument, thresholds: &[Threshold]) -> Vec<Miss> {
    thresholds.iter().filter_map(|threshold| miss(document, *threshold)).collect()
}

fn miss(document: &PredictionDocument, Threshold { line, efficiency }: Threshold) -> Option<Miss> {
    let percent = |share: f64| format!("{} %", format_percent(share));
    let asked = format!("--fail-below asks for {}", percent(efficiency));
    let Some(number) = line else {
        let sum =
            |value: fn(&crate::record::prediction::LineCount) -> u64| document.lines.iter().map(value).sum::<u64>();
        let paid = sum(|line| line.sectors.unwrap_or(0) + line.wavefronts.unwrap_or(0));
        let ideal = sum(|line| line.ideal_sectors.unwrap_or(0) + line.ideal_wavefronts.unwrap_or(0));
        if paid == 0 {
            return Some(Miss { line: None, text: format!("no access was executed, and {asked}") });
        }
        let found = ideal as f64 / paid as f64;
        let worst =
            document.worst_lines().first().map_or_else(String::new, |line| format!("; line {} wastes most", line.line));
        return (found < efficiency)
            .then(|| Miss { line: None, text: format!("the kernel is {} efficient, {asked}{worst}", percent(found)) });
    };
    match document.line(number).and_then(|line| line.efficiency()) {
        None => Some(Miss { line, text: format!("no access was executed on line {number}, and {asked} there") }),
        Some(found) if found < efficiency => {
            Some(Miss { line, text: format!("line {number} is {} efficient, {asked}", percent(found)) })
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_read() {
        let threshold = |line, efficiency| Ok(Threshold { line, efficiency });
        assert_eq!("0.9".parse(), threshold(None, 0.9));
        assert_eq!("50%".parse(), threshold(None, 0.5));
        assert_eq!("12=0.25".parse(), threshold(Some(12), 0.25));
        for wrong in ["", "1.5", "-0.1", "x", "0=0.5", "a=0.5", "12=", "nan"] {
            assert!(wrong.parse::<Threshold>().is_err(), "{wrong}");
        }
    }
}
