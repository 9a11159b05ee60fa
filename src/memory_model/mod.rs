//! Hardware facts that a prediction rests on, each documented, measured, assumed or given by the user, with its source.
//!
//! One constant a model in the vendor files, one line in [`ALL`]. Sources are named in words that a reader can look up;
//! "(C)" facts of vendors, drivers or published microbenchmarks are [`Trust::Documented`], all else is assumed and, where
//! it is not one number, a band.

mod adapter;
mod amd;
mod apple;
mod cpu;
mod gpus;
mod intel;
mod lesson;
mod mobile;
mod nvidia;
mod overrides;

use std::borrow::Cow;

use serde::{Serialize, Serializer};

pub use adapter::{AdapterIdentity, Backend, DeviceType, for_adapter};
pub use gpus::{GpuFacts, lookup};
pub use lesson::{LESSON, UNKNOWN};
pub use overrides::{OverrideError, Overrides};

/// How much a fact is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// A vendor document, driver source, the driver itself or a published microbenchmark says so.
    Documented,
    /// Measured by this project.
    Measured,
    /// Likely, by analogy or from one unconfirmed source.
    Assumed,
    /// Set by the user.
    Given,
}

/// One number, or a band where it is not known better, with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<T> {
    /// What to predict with.
    pub value: T,
    /// Smallest possible value.
    pub low: T,
    /// Largest possible value.
    pub high: T,
    /// What it is worth.
    pub trust: Trust,
    /// Who says so.
    pub source: Cow<'static, str>,
}

impl<T: Copy + PartialEq> Fact<T> {
    /// One number.
    #[must_use]
    pub const fn exact(value: T, trust: Trust, source: &'static str) -> Self {
        Self { value, low: value, high: value, trust, source: Cow::Borrowed(source) }
    }

    /// A band with the value to predict with; always [`Trust::Assumed`].
    #[must_use]
    pub const fn band(value: T, low: T, high: T, source: &'static str) -> Self {
        Self { value, low, high, trust: Trust::Assumed, source: Cow::Borrowed(source) }
    }

    /// Whether it is a single number.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }
}

/// As in results files: `value`, or `value`, `low` and `high`; `trust`; `source`.
impl<T: Copy + PartialEq + Serialize> Serialize for Fact<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Fact", if self.is_exact() { 3 } else { 5 })?;
        out.serialize_field("value", &self.value)?;
        if !self.is_exact() {
            out.serialize_field("low", &self.low)?;
            out.serialize_field("high", &self.high)?;
        }
        out.serialize_field("trust", &self.trust)?;
        out.serialize_field("source", &self.source)?;
        out.end()
    }
}

/// The banks of workgroup memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Banks {
    /// How many there are; a power of two.
    pub count: u32,
    /// Bytes of one bank's word; a power of two.
    pub bytes: u32,
    /// Whether two passes of a wide load merge into one where lanes share addresses in pairs (measured on NVIDIA).
    pub merges_pairs: bool,
    /// What this is worth.
    pub trust: Trust,
    /// Who says so.
    pub source: Cow<'static, str>,
}

/// How many lanes the load unit looks at together, by element width, where that is not the whole subgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LanesPerRequest {
    /// Elements of at most 4 bytes.
    pub up_to_4_bytes: u32,
    /// Elements of 5 to 8 bytes.
    pub up_to_8_bytes: u32,
    /// Wider elements.
    pub up_to_16_bytes: u32,
}

impl LanesPerRequest {
    /// Lanes that are looked at together for this element.
    #[must_use]
    pub const fn lanes(&self, element_bytes: u32) -> u32 {
        match element_bytes {
            0..=4 => self.up_to_4_bytes,
            5..=8 => self.up_to_8_bytes,
            _ => self.up_to_16_bytes,
        }
    }
}

/// What is known of the memory path of one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MemoryModel {
    /// Stable name, for `--model`.
    pub key: Cow<'static, str>,
    /// For people.
    pub title: Cow<'static, str>,
    /// Lanes of a subgroup.
    pub subgroup: Fact<u32>,
    /// Smallest piece that the load path moves.
    pub sector_bytes: Fact<u32>,
    /// Smallest piece that comes from memory on a miss.
    pub fetch_bytes: Fact<u32>,
    /// Cache line of the last on-chip cache before memory.
    pub line_bytes: Option<Fact<u32>>,
    /// Banks of workgroup memory; `None` where there are none, or nothing is known.
    pub banks: Option<Banks>,
    /// Groups of lanes that the load unit looks at together; `None`: the whole subgroup.
    pub lanes_per_request: Option<LanesPerRequest>,
}

/// Every model; the lesson model first, the unknown one last.
pub static ALL: &[&MemoryModel] = &[
    &LESSON,
    &nvidia::MAXWELL,
    &nvidia::PASCAL,
    &nvidia::VOLTA,
    &nvidia::TURING,
    &nvidia::AMPERE,
    &nvidia::HOPPER,
    &nvidia::ADA,
    &nvidia::BLACKWELL,
    &amd::GCN,
    &amd::RDNA,
    &amd::CDNA1,
    &amd::CDNA2,
    &amd::CDNA3,
    &intel::GEN9,
    &intel::XELP,
    &intel::XEHPG,
    &intel::XEHPC,
    &intel::XE2,
    &apple::APPLE,
    &mobile::ADRENO,
    &mobile::MALI_BIFROST,
    &mobile::MALI_VALHALL,
    &cpu::X86,
    &cpu::ARM,
    &UNKNOWN,
];

/// The keys of all models, in the order of [`ALL`].
pub fn keys() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|model| model.key.as_ref())
}

/// The model of this key.
///
/// ```
/// let model = sectorscope::memory_model::by_key("nv-hopper").ok_or("no such model")?;
/// assert_eq!((model.sector_bytes.value, model.fetch_bytes.value), (32, 64));
/// # Ok::<(), &str>(())
/// ```
#[must_use]
pub fn by_key(key: &str) -> Option<&'static MemoryModel> {
    ALL.iter().find(|model| model.key == key).copied()
}

impl MemoryModel {
    /// Applies what the user set.
    ///
    /// # Errors
    /// A value that no memory path can have, or two that contradict each other; the message says what would do.
    pub fn with(&self, overrides: &Overrides) -> Result<Self, OverrideError> {
        overrides.apply(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_sound() {
        let mut seen = std::collections::BTreeSet::new();
        for model in ALL {
            assert!(seen.insert(&model.key), "{} twice", model.key);
            for fact in [&model.subgroup, &model.sector_bytes, &model.fetch_bytes].into_iter().chain(&model.line_bytes)
            {
                assert!(fact.low <= fact.value && fact.value <= fact.high, "{}: {fact:?}", model.key);
                assert!([fact.low, fact.value, fact.high].iter().all(|x| x.is_power_of_two()), "{}", model.key);
                assert!(!fact.source.is_empty() && fact.source.is_ascii(), "{}", model.key);
            }
            assert!(model.fetch_bytes.value >= model.sector_bytes.value, "{}", model.key);
            assert!(model.subgroup.value <= 128 && model.sector_bytes.value >= 16, "{}", model.key);
            if let Some(banks) = &model.banks {
                assert!(banks.count.is_power_of_two() && banks.bytes == 4, "{}", model.key);
            }
        }
    }

    #[test]
    fn facts_serialize_as_value_or_band() {
        let json = serde_json::to_value(&nvidia::HOPPER).unwrap();
        assert_eq!(json["fetch_bytes"]["value"], 64);
        assert_eq!(json["fetch_bytes"]["trust"], "measured");
        assert!(json["fetch_bytes"].get("low").is_none());
        let json = serde_json::to_value(&nvidia::AMPERE).unwrap();
        assert_eq!([&json["fetch_bytes"]["low"], &json["fetch_bytes"]["high"]], [32, 64]);
    }
}
