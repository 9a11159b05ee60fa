//! What single values on the command line may be. Each message names the value and says what to write.

use std::path::PathBuf;

use crate::kernels::Fill;
use crate::units::Bytes;

/// Where a document goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// Standard output, once, at the end.
    Stdout,
    /// A file, replaced as rows arrive.
    File(PathBuf),
}

/// `-` or a file.
pub(super) fn target(text: &str) -> Result<Target, String> {
    match text {
        "" => Err("write a file name, or - for standard output".to_owned()),
        "-" | "/dev/stdout" => Ok(Target::Stdout),
        path => Ok(Target::File(PathBuf::from(path))),
    }
}

/// What `--fill` of a run names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FillChoice {
    /// The contents of all input buffers of built-in kernels.
    All(Fill),
    /// `NAME=CONTENTS`: those of one buffer of a user's shader.
    One(String),
}

/// `random`, `zero`, `index` or `NAME=CONTENTS`.
pub(super) fn fill(text: &str) -> Result<FillChoice, String> {
    let known = [Fill::Random, Fill::Zero, Fill::Index].into_iter().find(|fill| fill.name() == text);
    match known {
        Some(fill) => Ok(FillChoice::All(fill)),
        None if text.contains('=') => Ok(FillChoice::One(text.to_owned())),
        None => Err(format!("'{text}' is no filling: write random, zero or index; of --wgsl NAME=CONTENTS")),
    }
}

/// `NAME=V[,V...]`.
pub(super) fn setting(text: &str) -> Result<(String, Vec<String>), String> {
    let wrong = || format!("'{text}' is not NAME=VALUE: write stride=8, or stride=1,2,4 for several");
    let (name, values) = text.split_once('=').ok_or_else(wrong)?;
    let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
    if name.trim().is_empty() || values.iter().any(String::is_empty) {
        return Err(wrong());
    }
    Ok((name.trim().to_owned(), values))
}

/// A size above zero.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let Bytes(bytes) = text.parse()?;
    if bytes == 0 {
        Err("a footprint of no bytes measures nothing: write 64MiB, for example".to_owned())
    } else {
        Ok(bytes)
    }
}

/// A finite number above zero.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite() && *number > 0.0)
        .ok_or_else(|| format!("'{text}' is not a number above 0: write 30 or 1.5, for example"))
}

/// A whole number of samples.
pub(super) fn samples(text: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|samples| (1..=100_000).contains(samples))
        .ok_or_else(|| format!("'{text}' is not a number of samples: write 1 to 100000"))
}

/// A seed in decimal or, after `0x`, hexadecimal.
pub(super) fn seed(text: &str) -> Result<u32, String> {
    let text = text.trim();
    text.strip_prefix("0x")
        .map_or_else(|| text.parse(), |digits| u32::from_str_radix(digits, 16))
        .map_err(|_| format!("'{text}' is not a seed: write 0 to {}", u32::MAX))
}

/// A subgroup's width.
pub(super) fn subgroup(text: &str) -> Result<u32, String> {
    power_of_two(text, 1, 128, "lanes")
}

/// A sector's size.
pub(super) fn sector(text: &str) -> Result<u32, String> {
    power_of_two(text, 4, 1024, "bytes")
}

/// A fetch granule's size.
pub(super) fn fetch(text: &str) -> Result<u32, String> {
    power_of_two(text, 4, 4096, "bytes")
}

fn power_of_two(text: &str, least: u32, most: u32, unit: &str) -> Result<u32, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|number: &u32| number.is_power_of_two() && (least..=most).contains(number))
        .ok_or_else(|| format!("'{text}' is not a power of two from {least} to {most} ({unit}): write 32, for example"))
}

/// The character between the cells of a CSV line.
pub(super) fn separator(text: &str) -> Result<u8, String> {
    match text {
        "tab" | "\\t" | "\t" => Ok(b'\t'),
        "," | ";" | "|" | ":" => Ok(text.as_bytes()[0]),
        _ => Err(format!("'{text}' cannot separate cells: write ',', ';', '|', ':' or tab")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_split() {
        assert_eq!(setting("stride=1,2, 4"), Ok(("stride".into(), vec!["1".into(), "2".into(), "4".into()])));
        for wrong in ["stride", "=1", "stride=", "stride=1,,2", ""] {
            assert!(setting(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_have_ranges() {
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert!(size("0").is_err() && size("64MB").is_err() && size("-1").is_err());
        assert_eq!(positive("1.5"), Ok(1.5));
        for wrong in ["0", "-1", "nan", "inf", "", "1,5"] {
            assert!(positive(wrong).is_err(), "{wrong}");
        }
        assert_eq!(samples("12"), Ok(12));
        assert!(samples("0").is_err() && samples("x").is_err());
        assert_eq!((seed("0x10"), seed("7")), (Ok(16), Ok(7)));
        assert!(seed("-1").is_err());
        assert_eq!(subgroup("64"), Ok(64));
        assert!(subgroup("48").is_err() && subgroup("0").is_err() && subgroup("256").is_err());
        assert!(sector("2").is_err() && fetch("8192").is_err());
    }

    #[test]
    fn targets_and_separators() {
        assert_eq!(target("-"), Ok(Target::Stdout));
        assert_eq!(target("a.json"), Ok(Target::File("a.json".into())));
        assert!(target("").is_err());
        assert_eq!((separator(";"), separator("tab")), (Ok(b';'), Ok(b'\t')));
        assert!(separator(".").is_err() && separator("").is_err() && separator("ab").is_err());
    }
}
