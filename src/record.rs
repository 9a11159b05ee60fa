//! The result rows that outsiders may store: the JSON document `sectorscope-results/1`. Fields may be added, never
//! renamed. Absent is null, never 0; times are nanoseconds, rates 10^9 bytes (or flop) a second, shares 0..1.

mod matmul;
pub mod prediction;
mod run;
pub use matmul::Matmul;
pub use run::{Adapter, CooperativeMatrix, Host, Reference, Results, Settings, StrideKnee, Tool};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The name and version of the document's form.
pub const SCHEMA: &str = "sectorscope-results/1";

/// How a row ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Verified, and measured where a device was there.
    Ok,
    /// Left out on purpose (time limit, interrupted, no device).
    Skipped,
    /// The device cannot do it.
    Unsupported,
    /// It went wrong.
    Failed,
}

/// One measurement with its prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The kernel's stable id.
    pub kernel: String,
    /// Its parameters, by name.
    pub params: BTreeMap<String, serde_json::Value>,
    /// The preset that names this row, if one does.
    pub preset: Option<String>,
    /// SHA-256 of the WGSL text that ran.
    pub wgsl_sha256: String,
    /// SHA-256 of the settings that a user's own shader ran with; absent for built-in kernels, whose parameters say it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs_sha256: Option<String>,
    /// Safety checks: `on` or `off`.
    pub checks: String,
    /// How it ended.
    pub status: Status,
    /// Why it did not end well.
    pub reason: Option<String>,
    /// What one dispatch does.
    pub work: Work,
    /// What it should cost.
    pub predicted: Option<Predicted>,
    /// What it did cost.
    pub measured: Option<Measured>,
    /// Bytes that must have moved at the measured time, by the prediction: [low, high], GB/s.
    pub implied_moved_gb_per_s: Option<Band>,
    /// Measured over predicted useful GB/s; null where the prediction is a band, see `ratio_reason`.
    pub measured_over_predicted: Option<f64>,
    /// Why there is no ratio: `reuse` (caches decide, the prediction is a band), `fetch_unknown`
    /// (so is the granule, the prediction is a band), `no_reference`, `not_memory_bound`.
    pub ratio_reason: Option<String>,
    /// Where the prediction is a band: whether the measurement lies in it.
    pub inside_band: Option<bool>,
    /// What held the row back.
    pub limit: Option<Limit>,
    /// The numbers of a rung of the matmul ladder; null for other kernels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matmul: Option<Matmul>,
    /// For kernels that count in elements: what arithmetic has to do with it.
    pub intensity: Option<Intensity>,
    /// How its results were checked.
    pub verified: Option<Verified>,
    /// What a reader must know.
    pub warnings: Vec<Warning>,
}

impl Row {
    /// A row of this kernel of which nothing else is known yet: it has not run.
    #[must_use]
    pub fn unmeasured(kernel: &str, wgsl_sha256: String, checked: bool) -> Self {
        Self {
            kernel: kernel.to_owned(),
            params: BTreeMap::new(),
            preset: None,
            wgsl_sha256,
            inputs_sha256: None,
            checks: if checked { "on" } else { "off" }.to_owned(),
            status: Status::Skipped,
            reason: None,
            work: Work::default(),
            predicted: None,
            measured: None,
            implied_moved_gb_per_s: None,
            measured_over_predicted: None,
            ratio_reason: None,
            inside_band: None,
            limit: None,
            matmul: None,
            intensity: None,
            verified: None,
            warnings: Vec::new(),
        }
    }
}

/// What one dispatch does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes that lanes load and store, each lane's counted.
    pub requested_bytes: u64,
    /// Of them loaded.
    pub bytes_read: u64,
    /// Of them stored.
    pub bytes_written: u64,
    /// Requested bytes that are distinct within their request: what rates are computed from.
    pub useful_bytes: u64,
    /// Floating-point operations (a fused multiply-add is two).
    pub flop: u64,
    /// Extent of the memory that the dispatch walks over.
    pub footprint_bytes: u64,
    /// Loads of useful elements.
    pub useful_loads: u64,
    /// `footprint` or `loads`: what a sweep of this kernel holds equal.
    pub held: String,
}

/// Arithmetic beside memory, for a kernel that counts in elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Intensity {
    /// Operations for each byte loaded or stored.
    pub flop_per_byte: f64,
    /// Operations for each byte at which this device is as long at arithmetic as at memory: its measured multiply-add
    /// rate over its measured bandwidth. Null without both.
    pub machine_balance_flop_per_byte: Option<f64>,
    /// Bytes loaded and stored for each element.
    pub bytes_per_element: f64,
    /// 10^9 elements a second that the measured bandwidth allows.
    pub ceiling_gelements_per_s: Option<f64>,
    /// The same by the datasheet's bandwidth.
    pub datasheet_ceiling_gelements_per_s: Option<f64>,
}

/// A low and a high bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Band {
    /// Whether both bounds agree within 5 %, so that one number may stand for them.
    #[must_use]
    pub fn is_one_number(&self) -> bool {
        self.high - self.low <= 0.05 * self.high
    }
}

/// Useful bytes over fetched bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrafficEfficiency {
    /// Where every request misses.
    pub low: f64,
    /// Where every granule is fetched once.
    pub high: f64,
    /// How `high` was found.
    pub method: String,
}

/// What a row should cost. Row figures are those of the `primary` access; `accesses` has all of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// The memory model's key.
    pub model: String,
    /// Its subgroup width.
    pub subgroup: u32,
    /// Its sector.
    pub sector_size_bytes: u32,
    /// Its fetch granule, [low, high].
    pub fetch_bytes: [u32; 2],
    /// Where the fetch granule comes from: `model`, `given` or `stride_knee`.
    pub fetch_origin: String,
    /// Requests of the traced workgroups.
    pub requests: u64,
    /// Sectors a request.
    pub sectors_per_request: f64,
    /// The fewest that could hold the useful bytes.
    pub ideal_sectors_per_request: f64,
    /// Useful over sector bytes.
    pub request_efficiency: f64,
    /// Useful over fetched bytes of the whole dispatch.
    pub traffic_efficiency: TrafficEfficiency,
    /// Workgroup-memory passes a request of the costliest access; null without one.
    pub wavefronts: Option<f64>,
    /// The fewest these could be.
    pub ideal_wavefronts: Option<f64>,
    /// Distinct bytes of the primary access in the traced workgroups.
    pub useful_bytes: u64,
    /// Sector bytes that it moves: distinct sectors of each request x sector size.
    pub sector_bytes: u64,
    /// Reference rate x traffic efficiency.
    pub useful_gb_per_s: Option<Band>,
    /// Which workgroups were traced.
    pub traced: String,
    /// Every access by its place in the text.
    pub accesses: Vec<serde_json::Value>,
}

/// Where a time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TimeSource {
    /// Timestamps written by the device around the pass.
    GpuTimestamp,
    /// The host's clock around submission and wait.
    Host,
}

/// What a row did cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Where the times come from.
    pub time_source: TimeSource,
    /// Time of one dispatch in each sample: pass time over `dispatches_per_sample`.
    pub samples_ns: Vec<f64>,
    /// The same of rounds that were taken again, because the control row was off.
    #[serde(default)]
    pub rejected_samples_ns: Vec<f64>,
    /// Equal dispatches in one timed pass.
    pub dispatches_per_sample: u32,
    /// Dispatches that one run of the kernel took, each of some of its workgroups in a submission of its own, so that none
    /// holds the device for too long; the time of a sample is their sum. 1 where it was not split.
    #[serde(default = "whole")]
    pub dispatches_per_run: u32,
    /// The longest of them, ns; null where the run was not split.
    #[serde(default)]
    pub longest_dispatch_ns: Option<f64>,
    /// Smallest step of the clock that was seen, over a whole pass.
    pub clock_step_ns: f64,
    /// Time of an empty submission where the host's clock was used.
    pub host_floor_ns: Option<f64>,
    /// Median.
    pub median_ns: f64,
    /// 10th percentile.
    pub p10_ns: f64,
    /// 90th percentile.
    pub p90_ns: f64,
    /// Change of the median from the first half of the samples to the second, as a share; null below four samples.
    pub drift: Option<f64>,
    /// `work.useful_bytes` over the median.
    pub useful_gb_per_s: Option<f64>,
    /// Over the reference rate of the same direction; never clamped.
    pub efficiency: Option<f64>,
    /// Operations over the median.
    pub gflop_per_s: Option<f64>,
    /// Elements over the median, 10^9 a second, for kernels that count in elements.
    pub gelements_per_s: Option<f64>,
}

const fn whole() -> u32 {
    1
}

/// What held a row back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Memory is full of useful bytes.
    Roof,
    /// Traffic explains it: bytes are fetched that nobody asked for.
    Lineup,
    /// Too few bytes in flight: the twin with more of them is faster at equal traffic.
    Width,
    /// A cache absorbed it.
    Cache,
    /// Past the knee below the prediction: TLB and DRAM pages.
    Page,
    /// Conflicts in workgroup memory.
    Conflict,
    /// Arithmetic.
    Compute,
    /// Too little work for the launch.
    Launch,
    /// The same kernel without safety checks is faster.
    SafetyChecks,
    /// None of these.
    Unexplained,
}

/// What held a row back, with the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limit {
    /// Which limit.
    pub kind: LimitKind,
    /// One sentence of evidence.
    pub evidence: String,
}

/// How a row's results were checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// `elements` (each compared), `checksum` (of all, plus the last words), `freivalds` (a product times a random vector,
    /// plus some elements) or `interpreter`; `+reals` behind it where a product of random reals was compared as well.
    pub method: String,
    /// How many 32-bit words were compared or summed.
    pub elements: u64,
    /// Of random reals, the largest |computed - exact| over what rounding allows for it, gamma_K sum |a| |b|: 1 and less is
    /// right. 0 where only bits are compared.
    pub max_error: f64,
    /// The same of the mean over all that were compared, and its own bound; null where there were none, or too few.
    #[serde(default)]
    pub mean_error: Option<f64>,
    /// Elements of products of random reals that were compared.
    #[serde(default)]
    pub real_elements: u64,
    /// Whether the interpreter's stores equal the device's, word by word; null where it was not asked.
    pub agrees_with_interpreter: Option<bool>,
}

/// Something a reader must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Stable lower-case word: `cache`, `drift`, `host_time`, `software_adapter`, ..
    pub code: String,
    /// What it means and what to do.
    pub text: String,
}

impl Warning {
    /// A warning from its code and text.
    #[must_use]
    pub fn new(code: &str, text: impl Into<String>) -> Self {
        Self { code: code.to_owned(), text: text.into() }
    }
}
