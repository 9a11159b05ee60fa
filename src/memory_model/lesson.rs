//! The lesson model, which is what every course teaches, and the model of a device that nothing is known of.

use std::borrow::Cow;

use super::{Banks, Fact, MemoryModel, Trust};

/// 32 lanes, 32-byte sectors, 32 banks of 4 bytes: the numbers of every course, whatever the device.
pub static LESSON: MemoryModel = MemoryModel {
    key: Cow::Borrowed("lesson"),
    title: Cow::Borrowed("Lesson (32 lanes, 32-byte sectors)"),
    subgroup: Fact::exact(32, Trust::Documented, "by definition of the lesson model"),
    sector_bytes: Fact::exact(32, Trust::Documented, "by definition of the lesson model"),
    fetch_bytes: Fact::exact(32, Trust::Documented, "by definition of the lesson model"),
    line_bytes: Some(Fact::exact(128, Trust::Documented, "by definition of the lesson model")),
    banks: Some(Banks {
        count: 32,
        bytes: 4,
        merges_pairs: true,
        trust: Trust::Documented,
        source: Cow::Borrowed("by definition of the lesson model"),
    }),
    lanes_per_request: None,
};

/// A device that no rule knows.
pub static UNKNOWN: MemoryModel = MemoryModel {
    key: Cow::Borrowed("unknown"),
    title: Cow::Borrowed("Unknown device"),
    subgroup: Fact::band(32, 4, 128, "most common width; the widths that WebGPU allows"),
    sector_bytes: Fact::band(64, 32, 128, "the sectors of all documented devices"),
    fetch_bytes: Fact::band(64, 32, 128, "the granules of all documented devices"),
    line_bytes: None,
    banks: None,
    lanes_per_request: None,
};
