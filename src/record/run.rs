//! What a document says of the whole run: machine, device, settings, reference rates.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Row, Warning};

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`super::SCHEMA`].
    pub schema: String,
    /// When the run began, RFC 3339 in UTC.
    pub started_at: String,
    /// What produced it.
    pub tool: Tool,
    /// The machine.
    pub host: Host,
    /// The device that was measured; null for predictions only.
    pub adapter: Option<Adapter>,
    /// The memory model that the predictions use, as JSON (each fact with value or low/high, trust and source).
    pub memory_model: serde_json::Value,
    /// What was asked for.
    pub settings: Settings,
    /// Rates measured in this run that predictions and percentages refer to.
    pub reference: Reference,
    /// The fetch granule that the run's own stride sweep shows; null where there was no sweep.
    pub stride_knee: Option<StrideKnee>,
    /// One row a measurement, in the order of the suite.
    pub rows: Vec<Row>,
    /// Rows that nobody asked for: references, which the rates of `reference` are of, and twins, which tell what held a
    /// row back.
    #[serde(default)]
    pub control_rows: Vec<Row>,
    /// How the run ended: `complete`, `interrupted` or `time_limit`.
    #[serde(default)]
    pub ended: String,
    /// What concerns the whole run.
    pub warnings: Vec<Warning>,
}

impl Results {
    /// Whether a processor played the GPU: the counts hold, the speeds do not.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.adapter.as_ref().is_some_and(Adapter::is_cpu)
    }
}

/// The program that produced a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its version.
    pub version: String,
    /// The commit it was built from, where known.
    pub commit: Option<String>,
    /// Version of wgpu.
    pub wgpu: String,
    /// Version of naga.
    pub naga: String,
}

/// The machine around the device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// Operating system and its version.
    pub os: String,
    /// Processor.
    pub cpu: String,
    /// Main memory.
    pub memory_bytes: u64,
    /// `battery` or `mains`, where known.
    pub power: Option<String>,
}

/// A device as its driver describes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Adapter {
    /// Place in the list of `sectorscope adapters`.
    pub index: usize,
    /// The driver's name for it.
    pub name: String,
    /// `vulkan`, `metal`, `dx12`, `gl` or `webgpu`.
    pub backend: String,
    /// `discrete_gpu`, `integrated_gpu`, `virtual_gpu`, `cpu` or `other`.
    pub device_type: String,
    /// PCI vendor id, 0 where the backend tells none.
    pub vendor_id: u32,
    /// PCI device id, 0 where the backend tells none.
    pub device_id: u32,
    /// PCI bus address, where known.
    pub pci: Option<String>,
    /// The driver.
    pub driver: String,
    /// Its version.
    pub driver_info: String,
    /// Narrowest subgroup.
    pub subgroup_min: u32,
    /// Widest subgroup.
    pub subgroup_max: u32,
    /// Whether the device can time its own work.
    pub timestamps: bool,
    /// Nanoseconds a timestamp tick.
    pub timestamp_period_ns: Option<f64>,
    /// Optional shader features that the device offers.
    pub features: Vec<String>,
    /// Largest storage buffer binding.
    pub max_storage_binding_bytes: u64,
    /// Most workgroup memory.
    pub max_workgroup_memory_bytes: u32,
    /// Cooperative matrices that the driver lists for subgroups.
    #[serde(default)]
    pub cooperative_matrices: Vec<CooperativeMatrix>,
}

/// Matrices that the lanes of a subgroup multiply as a whole: (m x n) + (m x k) x (k x n).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CooperativeMatrix {
    /// Rows of the result.
    pub m: u32,
    /// Columns of the result.
    pub n: u32,
    /// Columns of the first, rows of the second input.
    pub k: u32,
    /// Element type of the inputs: `f16`, `f32`, `i32` or `u32`.
    pub inputs: String,
    /// Element type of the result.
    pub results: String,
}

impl std::fmt::Display for CooperativeMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { m, n, k, inputs, results } = self;
        write!(f, "{m}x{n}x{k} {inputs} to {results}")
    }
}

impl Adapter {
    /// Whether this is a processor that plays a GPU: its counts hold, its speeds do not.
    #[must_use]
    pub fn is_cpu(&self) -> bool {
        self.device_type == "cpu"
    }
}

/// What the run was asked to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The suite, or null where kernels were named.
    pub suite: Option<String>,
    /// Kernels that were named.
    pub kernels: Vec<String>,
    /// Parameters that were set, by name.
    pub set: BTreeMap<String, Vec<String>>,
    /// Footprints in bytes; empty: chosen for the device.
    pub bytes: Vec<u64>,
    /// Timed samples a row.
    pub samples: u32,
    /// Seconds that the run may take; null: no limit.
    pub time_limit_s: Option<f64>,
    /// `forward`, `reverse` or `shuffle`.
    pub order: String,
    /// Seed of contents and shuffle.
    pub seed: u32,
    /// `random`, `zero` or `index`.
    pub fill: String,
    /// `off`, `on` or `both`.
    pub checks: String,
    /// Datasheet peak given by the user, GB/s.
    pub peak_gb_per_s: Option<f64>,
}

/// Rates of the device; null where not measured or not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Best aligned, contiguous read, GB/s.
    pub read: Option<f64>,
    /// Best aligned, contiguous write, GB/s.
    pub write: Option<f64>,
    /// Best aligned, contiguous copy (bytes read + written), GB/s.
    pub mixed: Option<f64>,
    /// Most f32 operations, GFLOP/s.
    pub fma_f32: Option<f64>,
    /// Most operations on cooperative matrices in registers, GFLOP/s; null where no row needs it.
    #[serde(default)]
    pub fma_cooperative: Option<f64>,
    /// The datasheet's memory bandwidth, GB/s: never measured, only shown beside.
    #[serde(rename = "datasheet")]
    pub datasheet_gb_per_s: Option<f64>,
    /// The datasheet's f32 rate, GFLOP/s.
    pub datasheet_gflop_per_s: Option<f64>,
    /// Where the datasheet figures come from.
    pub datasheet_source: Option<String>,
    /// Last-level cache, bytes, by the same source.
    pub last_level_cache_bytes: Option<u64>,
}

/// What the run's own f32 stride sweep says of the fetch granule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrideKnee {
    /// The granule, or null where it is not determined.
    pub fetch_bytes: Option<u32>,
    /// 0..1, the share of resampled sweeps that agree.
    pub confidence: Option<f64>,
    /// How it was found, or why not.
    pub reason: String,
}
