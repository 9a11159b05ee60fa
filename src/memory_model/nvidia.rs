//! NVIDIA, Maxwell to Blackwell.

use std::borrow::Cow;

use super::{Banks, Fact, LanesPerRequest, MemoryModel, Trust};

const SUBGROUP: Fact<u32> = Fact::exact(32, Trust::Documented, "CUDA C++ Programming Guide: a warp has 32 threads");
const MEASURED_BY_MT4G: &str =
    "mt4g sample results (P6000, V100, T1000, RTX 2080 Ti, A100, H100): L1 and L2 fetch 32 B";
const LINE_BY_MT4G: &str = "mt4g sample results: L1 and L2 line 128 B";
const CONTINUITY: &str = "by continuity with measured architectures";
const FETCH: Fact<u32> = Fact::band(
    32,
    32,
    64,
    "one sector, or two by the L2 fetch granularity (a hint of 0-128 B in CUDA; its default here is not documented)",
);

const fn banks(trust: Trust, source: &'static str) -> Option<Banks> {
    Some(Banks { count: 32, bytes: 4, merges_pairs: true, trust, source: Cow::Borrowed(source) })
}

const BANKS: Option<Banks> = banks(
    Trust::Documented,
    "CUDA C++ Programming Guide: 32 banks of 4 bytes; passes of wide elements as measured on Hopper, assumed here",
);

const fn model(
    key: &'static str,
    title: &'static str,
    sector_bytes: Fact<u32>,
    line_bytes: Fact<u32>,
    lanes_per_request: Option<LanesPerRequest>,
) -> MemoryModel {
    MemoryModel {
        key: Cow::Borrowed(key),
        title: Cow::Borrowed(title),
        subgroup: SUBGROUP,
        sector_bytes,
        fetch_bytes: FETCH,
        line_bytes: Some(line_bytes),
        banks: BANKS,
        lanes_per_request,
    }
}

const SECTOR: Fact<u32> = Fact::exact(32, Trust::Documented, MEASURED_BY_MT4G);
const LINE: Fact<u32> = Fact::exact(128, Trust::Documented, LINE_BY_MT4G);
const LIKELY_SECTOR: Fact<u32> = Fact::exact(32, Trust::Assumed, CONTINUITY);
const LIKELY_LINE: Fact<u32> = Fact::exact(128, Trust::Assumed, CONTINUITY);

/// Maxwell and Pascal split a subgroup's load before the tags (NVIDIA staff, developer forum, "Pascal L1 cache").
const SPLIT: Option<LanesPerRequest> = Some(LanesPerRequest { up_to_4_bytes: 8, up_to_8_bytes: 4, up_to_16_bytes: 2 });

/// GeForce 900 and relatives.
pub(super) static MAXWELL: MemoryModel = model("nv-maxwell", "NVIDIA Maxwell", LIKELY_SECTOR, LIKELY_LINE, SPLIT);

/// GeForce 10, Tesla P.
pub(super) static PASCAL: MemoryModel = model("nv-pascal", "NVIDIA Pascal", SECTOR, LINE, SPLIT);

/// Tesla V100, TITAN V.
pub(super) static VOLTA: MemoryModel = model("nv-volta", "NVIDIA Volta", SECTOR, LINE, None);

/// GeForce 16 and 20, T4.
pub(super) static TURING: MemoryModel = model("nv-turing", "NVIDIA Turing", SECTOR, LINE, None);

/// GeForce 30, A100.
pub(super) static AMPERE: MemoryModel = model("nv-ampere", "NVIDIA Ampere", SECTOR, LINE, None);

/// H100, H200.
pub(super) static HOPPER: MemoryModel = MemoryModel {
    key: Cow::Borrowed("nv-hopper"),
    title: Cow::Borrowed("NVIDIA Hopper"),
    subgroup: SUBGROUP,
    sector_bytes: SECTOR,
    fetch_bytes: Fact::exact(
        64,
        Trust::Measured,
        "hardware counters on one H200, driver 580.159, 2026-11-30: 64 B from memory for each L2 miss",
    ),
    line_bytes: Some(LINE),
    banks: banks(
        Trust::Measured,
        "CUDA C++ Programming Guide; passes from hardware counters on one H200, driver 580.159, 2026-11-30",
    ),
    lanes_per_request: None,
};

/// GeForce 40, L40.
pub(super) static ADA: MemoryModel = model("nv-ada", "NVIDIA Ada", LIKELY_SECTOR, LIKELY_LINE, None);

/// GeForce 50, B200.
pub(super) static BLACKWELL: MemoryModel = model("nv-blackwell", "NVIDIA Blackwell", LIKELY_SECTOR, LIKELY_LINE, None);
