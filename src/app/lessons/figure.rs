//! The figures that questions ask for and texts are filled with: counted from a trace, never written down.

use serde::Deserialize;

use crate::app::forecast::WorkgroupTrace;
use crate::trace::{AccessKind, Space};
use crate::units::format_tenths;

/// Something that the interpreter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Sectors that the first request touches.
    Sectors,
    /// Bytes that its lanes ask for.
    AskedBytes,
    /// Sectors x their size.
    SectorBytes,
    /// Bytes that come from memory where nothing is cached.
    MemoryBytes,
    /// Useful over sector bytes, percent.
    UsedPercent,
    /// Passes of the traced stores to workgroup memory beyond the fewest possible.
    StoreConflictPasses,
}

impl Figure {
    /// All.
    pub const ALL: [Self; 6] = [
        Self::Sectors,
        Self::AskedBytes,
        Self::SectorBytes,
        Self::MemoryBytes,
        Self::UsedPercent,
        Self::StoreConflictPasses,
    ];

    /// Its name in the file and in braces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sectors => "sectors",
            Self::AskedBytes => "asked_bytes",
            Self::SectorBytes => "sector_bytes",
            Self::MemoryBytes => "memory_bytes",
            Self::UsedPercent => "used_percent",
            Self::StoreConflictPasses => "store_conflict_passes",
        }
    }

    /// What it counts, after a number.
    #[must_use]
    pub fn unit(self, number: f64) -> &'static str {
        let one = (number - 1.0).abs() < 1e-9;
        match self {
            Self::Sectors if one => "sector",
            Self::Sectors => "sectors",
            Self::AskedBytes | Self::SectorBytes | Self::MemoryBytes => "bytes",
            Self::UsedPercent => "%",
            Self::StoreConflictPasses if one => "pass",
            Self::StoreConflictPasses => "passes",
        }
    }

    /// As read: `12.5`, `32`.
    #[must_use]
    pub fn text(number: f64) -> String {
        format_tenths(number / 100.0)
    }

    /// Whether a guess is this figure, which may be a fraction only where it is a share.
    #[must_use]
    pub fn is_right(self, guess: f64, answer: f64) -> bool {
        let near = if self == Self::UsedPercent { 0.1 } else { 1e-6 };
        (guess - answer).abs() <= near
    }
}

/// A figure of the first request to the variable that the kernel is about; `None` where there is none.
#[must_use]
pub fn counted(figure: Figure, trace: &WorkgroupTrace) -> Option<f64> {
    if figure == Figure::StoreConflictPasses {
        return store_conflicts(trace);
    }
    let bill = trace.request(trace.primary_access(), 0)?.bill;
    Some(match figure {
        Figure::Sectors => bill.sectors as f64,
        Figure::AskedBytes => bill.asked_bytes as f64,
        Figure::SectorBytes => bill.requested_bytes() as f64,
        Figure::MemoryBytes => bill.memory_bytes()[1] as f64,
        Figure::UsedPercent | Figure::StoreConflictPasses => used_percent(bill.useful_bytes, bill.requested_bytes()),
    })
}

/// Percent.
#[must_use]
pub fn used_percent(useful_bytes: u64, fetched_bytes: u64) -> f64 {
    100.0 * useful_bytes as f64 / fetched_bytes.max(1) as f64
}

fn store_conflicts(trace: &WorkgroupTrace) -> Option<f64> {
    let stores = trace
        .counts
        .accesses
        .iter()
        .filter(|access| access.space == Space::Workgroup && access.kind == AccessKind::Store)
        .map(|access| Some(access.wavefronts?.saturating_sub(access.ideal_wavefronts?)));
    let stores = stores.collect::<Option<Vec<u64>>>()?;
    (!stores.is_empty()).then(|| stores.iter().sum::<u64>() as f64)
}

/// A text with its figures; braces that name none stay as they are.
#[must_use]
pub fn fill(text: &str, trace: &WorkgroupTrace) -> String {
    let mut filled = text.to_owned();
    for figure in Figure::ALL {
        let place = format!("{{{}}}", figure.name());
        if filled.contains(&place)
            && let Some(number) = counted(figure, trace)
        {
            filled = filled.replace(&place, &Figure::text(number));
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(Figure::text(32.0), "32");
        assert_eq!(Figure::text(12.5), "12.5");
        assert_eq!([1.0, 2.0].map(|n| Figure::Sectors.unit(n)), ["sector", "sectors"]);
    }

    #[test]
    fn a_share_may_be_rounded_and_a_count_may_not() {
        assert!(Figure::UsedPercent.is_right(6.3, 6.25) && !Figure::UsedPercent.is_right(6.5, 6.25));
        assert!(Figure::Sectors.is_right(4.0, 4.0) && !Figure::Sectors.is_right(4.05, 4.0));
    }
}
