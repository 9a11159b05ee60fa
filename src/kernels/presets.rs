//! Named rows: those of the lesson's table first.

use super::{Params, Value, by_id};

/// A name for a few rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Stable name.
    pub id: &'static str,
    /// What it shows, one sentence.
    pub shows: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// For each row what differs from the kernel's defaults.
    pub rows: &'static [&'static [(&'static str, Value)]],
}

const fn number(name: &'static str, value: u32) -> (&'static str, Value) {
    (name, Value::Number(value))
}

const fn word(name: &'static str, value: &'static str) -> (&'static str, Value) {
    (name, Value::Word(value))
}

const fn read(id: &'static str, shows: &'static str, rows: &'static [&'static [(&'static str, Value)]]) -> Preset {
    Preset { id, shows, kernel: "read", rows }
}

/// Every preset.
pub const PRESETS: &[Preset] = &[
    read("lesson-aligned", "32 lanes load 32 consecutive f32: 4 sectors, all useful.", &[&[]]),
    read("lesson-misaligned", "One element aside: 5 sectors for the same 128 bytes.", &[&[number("offset", 1)]]),
    read("lesson-stride-2", "Every second element: 8 sectors, half of them useful.", &[&[number("stride", 2)]]),
    read("lesson-stride-8", "A sector for each lane: 32 sectors.", &[&[number("stride", 8)]]),
    read("lesson-stride-16", "Still 32 sectors, but memory may fetch more.", &[&[number("stride", 16)]]),
    read("lesson-stride-64", "Still 32 sectors; pages and TLB begin to cost.", &[&[number("stride", 64)]]),
    read("f16-1", "32 lanes load 32 consecutive f16: 2 sectors.", &[&[word("element", "f16")]]),
    read(
        "f16-16",
        "A sector for each 2-byte element: 6.25 % useful.",
        &[&[word("element", "f16"), number("stride", 16)]],
    ),
    Preset {
        id: "x-transposed",
        shows: "x[lane * 1024 + step]: each lane walks along its own row.",
        kernel: "traverse",
        rows: &[&[word("lanes_own", "rows")]],
    },
    read(
        "vector-width",
        "The same 16 bytes a lane: four interleaved loads, four blocked loads, one vec4.",
        &[
            &[number("items", 4)],
            &[number("items", 4), word("order", "blocked")],
            &[number("items", 1), word("element", "vec4")],
        ],
    ),
    read(
        "fused-or-scattered",
        "8 lanes side by side share one sector; 500 elements apart they need 8.",
        &[
            &[number("workgroup", 8), number("items", 1)],
            &[number("workgroup", 8), number("items", 1), number("stride", 500)],
        ],
    ),
];

impl Preset {
    /// Parameters of each of its rows.
    #[must_use]
    pub fn params(&self) -> Vec<Params> {
        let defaults = by_id(self.kernel).map(super::Kernel::defaults);
        let with = |row: &[(&'static str, Value)]| {
            let mut params = defaults.clone()?;
            for (name, value) in row {
                params.set(name, *value);
            }
            Some(params)
        };
        self.rows.iter().filter_map(|row| with(row)).collect()
    }
}
