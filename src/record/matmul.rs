//! The part of a result row that only the rungs of the matmul ladder have.

use serde::{Deserialize, Serialize};

use super::{Band, CooperativeMatrix};

/// The numbers of a rung of the matmul ladder: C (m x n) = A (m x k) x B (k x n). Counts are of the text as written, by
/// the interpreter, for the whole dispatch; a driver's compiler may merge or hoist loads. Registers are not visible to a
/// portable program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matmul {
    /// Rows of A and C.
    pub m: u64,
    /// Columns of B and C.
    pub n: u64,
    /// Columns of A, rows of B.
    pub k: u64,
    /// Measured rate over the run's highest multiply-add rate; null until both are measured.
    pub share_of_fma_peak: Option<f64>,
    /// Of a rung whose subgroups multiply whole matrices: measured rate over the run's highest rate of such matrices in
    /// registers; it has no share of the f32 rates.
    #[serde(default)]
    pub share_of_cooperative_peak: Option<f64>,
    /// Measured rate over the datasheet's, where that is known.
    pub share_of_datasheet: Option<f64>,
    /// The matrices that subgroups multiply; null where lanes multiply numbers.
    #[serde(default)]
    pub cooperative: Option<CooperativeMatrix>,
    /// Operations for each byte that comes from memory: low where every request misses, high where each matrix comes once.
    pub intensity_flop_per_byte: Option<Band>,
    /// The lower of the run's highest multiply-add rate and intensity x best read rate, GFLOP/s: at memory, low and high
    /// as the intensity.
    pub bound_gflop_per_s: Option<Band>,
    /// Bytes that lanes load from and store to buffers for each multiply-add.
    pub storage_bytes_per_fma: f64,
    /// Sectors a request of the loads of A and of B.
    pub sectors_per_request: [Option<f64>; 2],
    /// Loads from workgroup memory, of any width, that a lane executes for each multiply-add.
    pub workgroup_loads_per_fma: Option<f64>,
    /// Loads from workgroup memory that subgroups execute.
    pub workgroup_load_requests: Option<u64>,
    /// Passes of stores to workgroup memory beyond the fewest possible; null where no banks are known.
    pub excess_store_wavefronts: Option<u64>,
    /// The same of loads.
    pub excess_load_wavefronts: Option<u64>,
    /// Workgroup memory of a workgroup.
    pub workgroup_bytes: u32,
    /// Outputs that a lane accumulates.
    pub outputs_per_lane: u64,
    /// Which knob this rung moved, with its numbers.
    pub knob: String,
}

impl Matmul {
    /// The measured rate over the run's highest rate of the same kind of arithmetic.
    #[must_use]
    pub fn share_of_peak(&self) -> Option<f64> {
        if self.cooperative.is_some() { self.share_of_cooperative_peak } else { self.share_of_fma_peak }
    }

    /// What [`Matmul::share_of_peak`] is a share of.
    #[must_use]
    pub const fn peak_name(&self) -> &'static str {
        if self.cooperative.is_some() { "rate of cooperative matrices in registers" } else { "multiply-add rate" }
    }
}
