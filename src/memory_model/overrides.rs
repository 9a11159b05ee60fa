//! What the user sets in place of a model's facts.

use std::borrow::Cow;

use super::{Fact, MemoryModel, Trust};

/// Facts set by hand; `None` keeps the model's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Lanes of a subgroup: a power of two, 1 to 128.
    pub subgroup: Option<u32>,
    /// Sector in bytes: a power of two, 4 to 4096.
    pub sector: Option<u32>,
    /// Fetch granule in bytes: a power of two, 4 to 4096, at least the sector.
    pub fetch: Option<u32>,
}

/// Why a setting is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// Not a power of two in range.
    #[error("{option} {value}: must be a power of two from {min} to {max}; the nearest is {nearest}")]
    NotAPowerOfTwo {
        /// The option as typed.
        option: &'static str,
        /// Its value.
        value: u32,
        /// Least allowed.
        min: u32,
        /// Most allowed.
        max: u32,
        /// What would do.
        nearest: u32,
    },
    /// More would be moved than is fetched.
    #[error(
        "--fetch {fetch} is smaller than the sector of {sector} B: set --fetch to {sector} or more, or --sector to {fetch} or less"
    )]
    SectorAboveFetch {
        /// The sector.
        sector: u32,
        /// The fetch granule.
        fetch: u32,
    },
}

impl Overrides {
    pub(super) fn apply(self, model: &MemoryModel) -> Result<MemoryModel, OverrideError> {
        let mut model = model.clone();
        if let Some(width) = self.subgroup {
            model.subgroup = given(power_of_two("--subgroup", width, 1, 128)?);
        }
        if let Some(sector) = self.sector {
            let sector = power_of_two("--sector", sector, 4, 4096)?;
            model.sector_bytes = given(sector);
            // No memory path fetches less than it moves: the model's granule gives way where it was not set too.
            let fetch = &mut model.fetch_bytes;
            if self.fetch.is_none() && fetch.low < sector {
                fetch.low = sector;
                fetch.value = fetch.value.max(sector);
                fetch.high = fetch.high.max(sector);
                fetch.trust = Trust::Assumed;
                fetch.source = format!("{}; at least the sector set by the user", fetch.source).into();
            }
        }
        if let Some(fetch) = self.fetch {
            let fetch = power_of_two("--fetch", fetch, 4, 4096)?;
            let sector = model.sector_bytes.value;
            if fetch < sector {
                return Err(OverrideError::SectorAboveFetch { sector, fetch });
            }
            model.fetch_bytes = given(fetch);
        }
        Ok(model)
    }
}

const fn given(value: u32) -> Fact<u32> {
    Fact { value, low: value, high: value, trust: Trust::Given, source: Cow::Borrowed("set by the user") }
}

fn power_of_two(option: &'static str, value: u32, min: u32, max: u32) -> Result<u32, OverrideError> {
    if value.is_power_of_two() && (min..=max).contains(&value) {
        return Ok(value);
    }
    let above = value.clamp(min, max).next_power_of_two().min(max);
    let below = (above / 2).max(min);
    let nearest = if value.abs_diff(below) < value.abs_diff(above) { below } else { above };
    Err(OverrideError::NotAPowerOfTwo { option, value, min, max, nearest })
}

#[cfg(test)]
mod tests {
    use crate::memory_model::{LESSON, Overrides, Trust, by_key};

    #[test]
    fn what_the_user_sets_holds_and_says_so() {
        let set = Overrides { subgroup: Some(8), sector: Some(64), fetch: None };
        let model = LESSON.with(&set).unwrap();
        assert_eq!((model.subgroup.value, model.sector_bytes.value, model.fetch_bytes.value), (8, 64, 64));
        assert_eq!((model.subgroup.trust, model.sector_bytes.trust), (Trust::Given, Trust::Given));
        let fetch = by_key("nv-ampere").unwrap().with(&Overrides { fetch: Some(64), ..Overrides::default() }).unwrap();
        assert_eq!((fetch.fetch_bytes.low, fetch.fetch_bytes.high), (64, 64));
        assert_eq!(LESSON.with(&Overrides::default()).unwrap(), LESSON);
    }

    #[test]
    fn nonsense_is_refused_with_the_cure() {
        let error =
            |subgroup, sector, fetch| LESSON.with(&Overrides { subgroup, sector, fetch }).unwrap_err().to_string();
        for (message, cure) in [
            (error(Some(0), None, None), "nearest is 1"),
            (error(Some(33), None, None), "nearest is 32"),
            (error(Some(1 << 31), None, None), "nearest is 128"),
            (error(None, Some(48), None), "nearest is 64"),
            (error(None, Some(u32::MAX), None), "nearest is 4096"),
            (error(None, None, Some(16)), "set --fetch to 32 or more"),
            (error(None, Some(128), Some(64)), "--sector to 64 or less"),
        ] {
            assert!(message.contains(cure), "{message}");
        }
    }
}
