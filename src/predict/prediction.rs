//! What a counted execution says: one entry an access, their totals, and the traffic of the dispatch.

use serde::Serialize;

use crate::record::{Band, TrafficEfficiency};
use crate::trace::{AccessKind, Position, Space};

/// Which workgroups were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Traced {
    /// Workgroups that were executed.
    pub workgroups: u64,
    /// Contiguous blocks that they form.
    pub blocks: u64,
    /// Workgroups of the dispatch.
    pub total: u64,
}

impl std::fmt::Display for Traced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.workgroups >= self.total {
            return write!(f, "all {} workgroups", self.total);
        }
        let plural = if self.blocks == 1 { "" } else { "s" };
        write!(f, "{} of {} workgroups in {} block{plural}", self.workgroups, self.total, self.blocks)
    }
}

/// The first request of an access: what a reader checks by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct FirstRequest {
    /// Lanes that took part.
    pub active_lanes: u32,
    /// Distinct sectors; null in workgroup memory.
    pub sectors: Option<u64>,
    /// Passes over the banks; null outside workgroup memory or where no banks are known.
    pub wavefronts: Option<u64>,
}

/// All requests of one access of the text, over the traced workgroups. Byte counts are over all requests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccessCount {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Where the functions around it were called, outermost first.
    pub call_path: Vec<Position>,
    /// Which memory.
    pub space: Space,
    /// The variable's name.
    pub variable: String,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes that each lane moves.
    pub element_bytes: u32,
    /// Requests: executions by a subgroup with at least one active lane.
    pub requests: u64,
    /// Requests of one traced workgroup, on average.
    pub requests_per_workgroup: f64,
    /// Active lanes over all requests.
    pub active_lanes: u64,
    /// Active lanes x element size.
    pub requested_bytes: u64,
    /// Distinct bytes of each request.
    pub useful_bytes: u64,
    /// Distinct sectors of each request; null in workgroup memory.
    pub sectors: Option<u64>,
    /// The fewest that could hold the useful bytes of each request.
    pub ideal_sectors: Option<u64>,
    /// Sectors x sector size.
    pub sector_bytes_total: Option<u64>,
    /// Useful over sector bytes.
    pub request_efficiency: Option<f64>,
    /// Distinct sectors over all requests of each traced block, added over the blocks.
    pub distinct_sectors: Option<u64>,
    /// Passes over the banks of workgroup memory.
    pub wavefronts: Option<u64>,
    /// The fewest that any addresses with the same distinct bytes and active lanes could cost.
    pub ideal_wavefronts: Option<u64>,
    /// Lanes that asked for an address outside the variable.
    pub out_of_range: u64,
    /// Why it costs more than ideal, where that is known.
    pub cause: Option<String>,
    /// The first request.
    pub first_request: FirstRequest,
}

/// Sums over all accesses: sector figures over storage and uniform buffers, wavefronts over workgroup memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Totals {
    /// Requests to any memory.
    pub requests: u64,
    /// Active lanes x element size, storage and uniform buffers.
    pub requested_bytes: u64,
    /// Distinct bytes of each request, storage and uniform buffers.
    pub useful_bytes: u64,
    /// Distinct sectors of each request.
    pub sectors: u64,
    /// The fewest that could hold the useful bytes.
    pub ideal_sectors: u64,
    /// Sectors x sector size.
    pub sector_bytes_total: u64,
    /// Useful over sector bytes; null where nothing was requested.
    pub request_efficiency: Option<f64>,
    /// Distinct sectors of each buffer in each traced block, added: what several accesses share counts once.
    pub distinct_sectors: u64,
    /// Passes over the banks; null without a workgroup access, or where no banks are known.
    pub wavefronts: Option<u64>,
    /// The fewest these could be.
    pub ideal_wavefronts: Option<u64>,
    /// Lanes that asked for an address outside the variable.
    pub out_of_range: u64,
}

/// What a counted execution says of a dispatch under one memory model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// The memory model's key.
    pub model: String,
    /// Lanes of a subgroup.
    pub subgroup: u32,
    /// Sector in bytes.
    pub sector_bytes: u32,
    /// Fetch granule in bytes, [low, high].
    pub fetch_bytes: [u32; 2],
    /// Which workgroups were traced.
    pub traced: Traced,
    /// Every access that was executed, in the order in which they were first reached.
    pub accesses: Vec<AccessCount>,
    /// Their sums.
    pub totals: Totals,
    /// Useful over fetched bytes of all storage accesses; null without one.
    pub traffic_efficiency: Option<TrafficEfficiency>,
}

/// The figures of one variable's accesses of one kind, as a result row shows them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrimaryFigures {
    /// Requests of the traced workgroups.
    pub requests: u64,
    /// Sectors a request.
    pub sectors_per_request: f64,
    /// The fewest that could hold the useful bytes, a request.
    pub ideal_sectors_per_request: f64,
    /// Useful over sector bytes.
    pub request_efficiency: f64,
    /// Distinct bytes of each request, added.
    pub useful_bytes: u64,
    /// Sectors x sector size.
    pub sector_bytes_total: u64,
}

impl Prediction {
    /// The figures of all accesses to `variable` in storage or uniform memory; `None` where there
    /// is none.
    #[must_use]
    pub fn primary(&self, variable: &str) -> Option<PrimaryFigures> {
        let mut sum = PrimaryFigures {
            requests: 0,
            sectors_per_request: 0.0,
            ideal_sectors_per_request: 0.0,
            request_efficiency: 0.0,
            useful_bytes: 0,
            sector_bytes_total: 0,
        };
        let (mut sectors, mut ideal) = (0u64, 0u64);
        for access in &self.accesses {
            let (Some(access_sectors), Some(access_ideal)) = (access.sectors, access.ideal_sectors) else { continue };
            if access.variable != variable {
                continue;
            }
            sum.requests += access.requests;
            sum.useful_bytes += access.useful_bytes;
            sectors += access_sectors;
            ideal += access_ideal;
        }
        if sum.requests == 0 {
            return None;
        }
        sum.sector_bytes_total = sectors.saturating_mul(u64::from(self.sector_bytes));
        sum.sectors_per_request = sectors as f64 / sum.requests as f64;
        sum.ideal_sectors_per_request = ideal as f64 / sum.requests as f64;
        sum.request_efficiency = sum.useful_bytes as f64 / sum.sector_bytes_total as f64;
        Some(sum)
    }

    /// Passes a request and the fewest these could be, of the workgroup access with the most passes a request; `None`
    /// without one, or where no banks are known.
    #[must_use]
    pub fn worst_wavefronts(&self) -> Option<(f64, f64)> {
        self.accesses
            .iter()
            .filter_map(|access| {
                let requests = access.requests as f64;
                Some((access.wavefronts? as f64 / requests, access.ideal_wavefronts? as f64 / requests))
            })
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Useful GB/s to expect: the reference rate of the same direction (GB/s) x traffic efficiency. `None` without a
    /// storage access, or where the rate is not a positive number.
    #[must_use]
    pub fn useful_gb_per_s(&self, reference_gb_per_s: f64) -> Option<Band> {
        let traffic = self.traffic_efficiency.as_ref()?;
        (reference_gb_per_s.is_finite() && reference_gb_per_s > 0.0)
            .then_some(Band { low: reference_gb_per_s * traffic.low, high: reference_gb_per_s * traffic.high })
    }
}
