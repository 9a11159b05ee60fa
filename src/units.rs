//! Quantities: parsing sizes, and one formatter for each unit. GB = 10^9 bytes, MiB = 2^20 bytes.

use std::str::FromStr;

/// A size in bytes, as typed on the command line: `64MiB`, `256KiB`, `1GiB` or a plain number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

impl FromStr for Bytes {
    type Err = String;

    /// # Errors
    /// The text, and the forms that are understood.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let scale = match unit.trim() {
            "" | "B" => Some(1),
            "KiB" => Some(KIB),
            "MiB" => Some(MIB),
            "GiB" => Some(GIB),
            _ => None,
        };
        number
            .parse::<u64>()
            .ok()
            .zip(scale)
            .and_then(|(number, scale)| number.checked_mul(scale))
            .map(Self)
            .ok_or_else(|| format!("'{text}' is not a size: write 64MiB, 256KiB, 1GiB or a number of bytes"))
    }
}

impl std::fmt::Display for Bytes {
    /// The largest binary unit that divides the size, else a unit with one decimal.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (unit, name) in [(GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")] {
            if self.0 >= unit {
                return if self.0.is_multiple_of(unit) {
                    write!(f, "{} {name}", self.0 / unit)
                } else {
                    write!(f, "{:.1} {name}", self.0 as f64 / unit as f64)
                };
            }
        }
        write!(f, "{} B", self.0)
    }
}

/// A duration in nanoseconds with the unit that fits it: `950 ns`, `12.5 us`, `3.20 ms`, `1.50 s`.
#[must_use]
pub fn format_ns(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}

/// A rate in GB/s: whole numbers from 100 on, else three significant digits.
#[must_use]
pub fn format_gb_per_s(rate: f64) -> String {
    match rate {
        rate if rate >= 100.0 => format!("{rate:.0}"),
        rate if rate >= 10.0 => format!("{rate:.1}"),
        rate => format!("{rate:.2}"),
    }
}

/// A rate of arithmetic in GFLOP/s, with the unit that fits it: `33.7 TFLOP/s`, `972 GFLOP/s`.
#[must_use]
pub fn format_flop_rate(gflop_per_s: f64) -> String {
    match gflop_per_s {
        rate if rate >= 1e3 => format!("{:.1} TFLOP/s", rate / 1e3),
        rate if rate >= 10.0 => format!("{rate:.0} GFLOP/s"),
        rate => format!("{rate:.2} GFLOP/s"),
    }
}

/// A share as percent with at most two decimals, trailing zeros dropped: `100`, `12.5`, `6.25`.
#[must_use]
pub fn format_percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A share as percent to a tenth, half a tenth upwards: `6.3` for 0.0625.
#[must_use]
pub fn format_tenths(share: f64) -> String {
    // A half that a product of floats missed by a hair is still a half.
    format_percent((1000.0 * share + 1e-9).round() / 1000.0)
}

/// Bytes over nanoseconds is GB/s (10^9 bytes a second) exactly; `None` where the time is not positive and finite.
#[must_use]
pub fn gb_per_s(bytes: u64, ns: f64) -> Option<f64> {
    (ns.is_finite() && ns > 0.0).then(|| bytes as f64 / ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_parse_and_print() {
        assert_eq!("64MiB".parse(), Ok(Bytes(64 << 20)));
        assert_eq!("12".parse(), Ok(Bytes(12)));
        assert_eq!(Bytes(256 << 20).to_string(), "256 MiB");
        assert_eq!(Bytes(1_572_864).to_string(), "1.5 MiB");
        for wrong in ["", "MiB", "1.5MiB", "64MB", "-1", "99999999999GiB"] {
            assert!(wrong.parse::<Bytes>().is_err(), "{wrong} must be refused");
        }
    }

    #[test]
    fn a_rate_needs_a_time() {
        assert_eq!(gb_per_s(1_000, 10.0), Some(100.0));
        for ns in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(gb_per_s(1, ns), None);
        }
    }

    #[test]
    fn rates_of_arithmetic_have_the_unit_that_fits() {
        let texts = [33_683.0, 972.3, 1.234].map(format_flop_rate);
        assert_eq!(texts, ["33.7 TFLOP/s", "972 GFLOP/s", "1.23 GFLOP/s"]);
    }

    #[test]
    fn percents_keep_what_matters() {
        assert_eq!(format_percent(0.0625), "6.25");
        assert_eq!(format_percent(1.0), "100");
        assert_eq!(format_percent(0.125), "12.5");
        for (share, text) in [(0.0625, "6.3"), (0.062_49, "6.2"), (0.1245, "12.5"), (0.6665, "66.7"), (1.0, "100")] {
            assert_eq!(format_tenths(share), text);
        }
    }
}
