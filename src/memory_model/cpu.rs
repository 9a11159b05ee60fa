//! Processors that play a GPU: llvmpipe, SwiftShader, WARP.

use std::borrow::Cow;

use super::{Fact, MemoryModel, Trust};

const PAIRS: &str = "line 64 B, or a pair of them by the adjacent-line prefetcher";

/// x86: nothing is coalesced, a gather is one load a lane, so only lines mean anything.
pub(super) static X86: MemoryModel = MemoryModel {
    key: Cow::Borrowed("cpu-x86"),
    title: Cow::Borrowed("x86 processor"),
    subgroup: Fact::band(8, 4, 16, "vector bits of the software device / 32"),
    sector_bytes: Fact::exact(64, Trust::Documented, "x86 optimisation manuals: line 64 B"),
    fetch_bytes: Fact::band(64, 64, 128, PAIRS),
    line_bytes: Some(Fact::exact(64, Trust::Documented, "x86 optimisation manuals: line 64 B")),
    banks: None,
    lanes_per_request: None,
};

/// Arm: lines of 64 bytes, 128 on Apple's.
pub(super) static ARM: MemoryModel = MemoryModel {
    key: Cow::Borrowed("cpu-arm"),
    title: Cow::Borrowed("Arm processor"),
    subgroup: Fact::exact(4, Trust::Documented, "llvmpipe: NEON vectors of 128 bits / 32"),
    sector_bytes: Fact::band(64, 64, 128, "line 64 B on most, 128 B on Apple's"),
    fetch_bytes: Fact::band(64, 64, 128, PAIRS),
    line_bytes: Some(Fact::band(64, 64, 128, "line 64 B on most, 128 B on Apple's")),
    banks: None,
    lanes_per_request: None,
};
