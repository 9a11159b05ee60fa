//! AMD, GCN to RDNA4 and CDNA4.

use std::borrow::Cow;

use super::{Banks, Fact, MemoryModel, Trust};

const KFD: &str = "Linux kernel, amdkfd cache tables (kfd_crat.c)";
const WAVE64: Fact<u32> = Fact::exact(64, Trust::Documented, "AMD instruction set guides: waves of 64 lanes");

const fn banks(trust: Trust, source: &'static str) -> Option<Banks> {
    Some(Banks { count: 32, bytes: 4, merges_pairs: false, trust, source: Cow::Borrowed(source) })
}

const CDNA_BANKS: Option<Banks> =
    banks(Trust::Documented, "ROCm Compute Profiler, pipeline descriptions: 32 banks of 4 bytes");

/// GCN 1 to 5.
pub(super) static GCN: MemoryModel = MemoryModel {
    key: Cow::Borrowed("amd-gcn"),
    title: Cow::Borrowed("AMD GCN"),
    subgroup: WAVE64,
    sector_bytes: Fact::exact(64, Trust::Documented, KFD),
    fetch_bytes: Fact::band(64, 32, 64, "L2 line 64 B (amdkfd); a memory burst is 32 B"),
    line_bytes: Some(Fact::exact(64, Trust::Documented, KFD)),
    banks: CDNA_BANKS,
    lanes_per_request: None,
};

/// RDNA 1 to 4.
pub(super) static RDNA: MemoryModel = MemoryModel {
    key: Cow::Borrowed("amd-rdna"),
    title: Cow::Borrowed("AMD RDNA"),
    subgroup: Fact::band(32, 32, 64, "32 is native, 64 exists; the driver picks"),
    sector_bytes: Fact::band(128, 32, 128, "line 128 B (amdkfd), but L2 counters know reads of 32, 64, 96 and 128 B"),
    fetch_bytes: Fact::band(128, 32, 128, "line 128 B (amdkfd), but L2 counters know reads of 32, 64, 96 and 128 B"),
    line_bytes: Some(Fact::exact(128, Trust::Documented, KFD)),
    banks: banks(Trust::Assumed, "RDNA instruction set guides: two halves of 32 banks a workgroup processor"),
    lanes_per_request: None,
};

/// MI100.
pub(super) static CDNA1: MemoryModel = MemoryModel {
    key: Cow::Borrowed("amd-cdna1"),
    title: Cow::Borrowed("AMD CDNA 1"),
    subgroup: WAVE64,
    sector_bytes: Fact::exact(64, Trust::Documented, "mt4g sample results (MI100): L1 and L2 fetch 64 B"),
    fetch_bytes: Fact::exact(64, Trust::Documented, "ROCm Compute Profiler, L2 cache: reads are 64 B"),
    line_bytes: Some(Fact::exact(64, Trust::Documented, KFD)),
    banks: CDNA_BANKS,
    lanes_per_request: None,
};

/// MI200.
pub(super) static CDNA2: MemoryModel = MemoryModel {
    key: Cow::Borrowed("amd-cdna2"),
    title: Cow::Borrowed("AMD CDNA 2"),
    subgroup: WAVE64,
    sector_bytes: Fact::exact(64, Trust::Documented, "mt4g sample results (MI210): L1 and L2 fetch 64 B"),
    fetch_bytes: Fact::band(64, 64, 128, "reads are 64 B (ROCm Compute Profiler) of a 128 B line"),
    line_bytes: Some(Fact::exact(128, Trust::Documented, KFD)),
    banks: CDNA_BANKS,
    lanes_per_request: None,
};

/// MI300; MI350 by continuity.
pub(super) static CDNA3: MemoryModel = MemoryModel {
    key: Cow::Borrowed("amd-cdna3"),
    title: Cow::Borrowed("AMD CDNA 3 and 4"),
    subgroup: WAVE64,
    sector_bytes: Fact::exact(128, Trust::Documented, "mt4g sample results (MI300X): L1 and L2 fetch 128 B"),
    fetch_bytes: Fact::band(128, 64, 128, "L2 line 128 B, last-level line 64 B (amdkfd)"),
    line_bytes: Some(Fact::exact(128, Trust::Documented, KFD)),
    banks: CDNA_BANKS,
    lanes_per_request: None,
};
