//! Datasheet figures of known devices, from `assets/gpus.csv`.

use serde::Serialize;

use super::AdapterIdentity;

/// What a datasheet says of a device; `None` where the figure is not published or contested.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GpuFacts {
    /// The product.
    pub name: String,
    /// The key of its memory model.
    pub memory_model: String,
    /// Memory bandwidth, GB/s (10^9 bytes a second).
    pub bandwidth_gb_per_s: Option<f64>,
    /// f32 rate without matrix units, TFLOP/s.
    pub fp32_tflop_per_s: Option<f64>,
    /// Last-level cache, bytes.
    pub last_level_cache_bytes: Option<u64>,
    /// The publication that carries the figures.
    pub source: String,
    /// `sure` or `likely`.
    pub confidence: String,
}

/// The row of this adapter, if the table has one.
#[must_use]
pub fn lookup(_adapter: &AdapterIdentity) -> Option<GpuFacts> {
    None
}
