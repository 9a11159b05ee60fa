//! Intel, Gen9 to Xe3.

use std::borrow::Cow;

use super::{Banks, Fact, MemoryModel, Trust};

const RUNTIME: &str = "Intel compute runtime: global memory line 64 B";
const WIDTHS: Fact<u32> = Fact::band(16, 8, 32, "widths 8, 16 and 32 (Intel compute runtime); the compiler picks");
const BANKS: Option<Banks> = Some(Banks {
    count: 16,
    bytes: 4,
    merges_pairs: false,
    trust: Trust::Assumed,
    source: Cow::Borrowed("Intel Gen9 architecture paper, read at second hand"),
});

const LINE: Fact<u32> = Fact::exact(64, Trust::Documented, RUNTIME);
const GEN9_LINE: Fact<u32> =
    Fact::exact(64, Trust::Assumed, "Intel Gen9 architecture paper, read at second hand: L3 line 64 B");
const WIDE_WIDTHS: Fact<u32> = Fact::band(16, 16, 32, "widths 16 and 32 (Intel compute runtime); the compiler picks");
const XE2_PIECE: Fact<u32> =
    Fact::band(64, 64, 256, "the driver reports lines of 256 B; what part of one moves is not documented");

const fn model(
    key: &'static str,
    title: &'static str,
    subgroup: Fact<u32>,
    sector_bytes: Fact<u32>,
    fetch_bytes: Fact<u32>,
    line_bytes: Fact<u32>,
    banks: Option<Banks>,
) -> MemoryModel {
    MemoryModel {
        key: Cow::Borrowed(key),
        title: Cow::Borrowed(title),
        subgroup,
        sector_bytes,
        fetch_bytes,
        line_bytes: Some(line_bytes),
        banks,
        lanes_per_request: None,
    }
}

/// Gen9, also Gen8 and Gen11.
pub(super) static GEN9: MemoryModel =
    model("intel-gen9", "Intel Gen9 and Gen11", WIDTHS, GEN9_LINE, GEN9_LINE, GEN9_LINE, BANKS);

/// Xe-LP and Xe-LPG.
pub(super) static XELP: MemoryModel = model("intel-xelp", "Intel Xe-LP", WIDTHS, LINE, LINE, LINE, BANKS);

/// Arc A.
pub(super) static XEHPG: MemoryModel = model(
    "intel-xehpg",
    "Intel Xe-HPG (Arc A)",
    WIDTHS,
    LINE,
    Fact::band(64, 64, 128, "one line, or two neighbours"),
    LINE,
    None,
);

/// Data Center GPU Max.
pub(super) static XEHPC: MemoryModel = model("intel-xehpc", "Intel Xe-HPC (Max)", WIDE_WIDTHS, LINE, LINE, LINE, BANKS);

/// Arc B, Lunar Lake, Xe3.
pub(super) static XE2: MemoryModel = model(
    "intel-xe2",
    "Intel Xe2 and Xe3",
    WIDE_WIDTHS,
    XE2_PIECE,
    XE2_PIECE,
    Fact::exact(256, Trust::Documented, "Intel compute runtime: global memory line 256 B"),
    None,
);
