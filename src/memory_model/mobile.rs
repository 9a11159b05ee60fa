//! Phones and boards: Qualcomm Adreno, Arm Mali.

use std::borrow::Cow;

use super::{Fact, MemoryModel, Trust};

/// Adreno 6xx and later.
pub(super) static ADRENO: MemoryModel = MemoryModel {
    key: Cow::Borrowed("adreno"),
    title: Cow::Borrowed("Qualcomm Adreno"),
    subgroup: Fact::band(64, 64, 128, "waves of 64 or 128 (Mesa); the driver picks"),
    sector_bytes: Fact::band(64, 32, 128, "line 64 B on Adreno 640 (ArchProbe); later ones are not documented"),
    fetch_bytes: Fact::band(64, 32, 128, "line 64 B on Adreno 640 (ArchProbe); memory bursts of 32 or 64 B"),
    line_bytes: Some(Fact::exact(64, Trust::Assumed, "ArchProbe on Adreno 640; later ones are not documented")),
    banks: None,
    lanes_per_request: None,
};

/// Workgroup memory of a Mali is plain cached memory, so it has no banks to count.
const fn mali(key: &'static str, title: &'static str, subgroup: Fact<u32>) -> MemoryModel {
    const BUS: &str = "Arm counter reference: bus transactions of up to 64 B, shorter ones occur";
    MemoryModel {
        key: Cow::Borrowed(key),
        title: Cow::Borrowed(title),
        subgroup,
        sector_bytes: Fact::band(64, 16, 64, BUS),
        fetch_bytes: Fact::band(64, 16, 64, BUS),
        line_bytes: Some(Fact::exact(64, Trust::Documented, "Arm counter reference")),
        banks: None,
        lanes_per_request: None,
    }
}

/// Mali Bifrost.
pub(super) static MALI_BIFROST: MemoryModel = mali(
    "mali-bifrost",
    "Arm Mali Bifrost",
    Fact::band(8, 4, 8, "libGPUCounters: 4 (G31 G51 G71 G72) or 8 (G52 G76) lanes"),
);

/// Mali Valhall and the fifth generation.
pub(super) static MALI_VALHALL: MemoryModel = mali(
    "mali-valhall",
    "Arm Mali Valhall and later",
    Fact::exact(16, Trust::Documented, "libGPUCounters: warps of 16"),
);
