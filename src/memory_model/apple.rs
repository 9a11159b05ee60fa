//! Apple GPUs, M1 to M5.

use std::borrow::Cow;

use super::{Fact, MemoryModel, Trust};

/// All of them: Apple publishes no sector, so it is a band.
pub(super) static APPLE: MemoryModel = MemoryModel {
    key: Cow::Borrowed("apple"),
    title: Cow::Borrowed("Apple"),
    subgroup: Fact::exact(32, Trust::Documented, "SIMD-groups of 32 (Dawn; applegpu documentation)"),
    sector_bytes: Fact::band(128, 32, 128, "line 128 B by one third party; what part of one moves is not documented"),
    fetch_bytes: Fact::band(128, 32, 128, "line 128 B by one third party; what part of one moves is not documented"),
    line_bytes: Some(Fact::exact(128, Trust::Assumed, "metal-benchmarks by P. Turner")),
    banks: None,
    lanes_per_request: None,
};
