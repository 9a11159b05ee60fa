//! What a counted execution says: one entry an access, their totals, and the traffic of the dispatch.

use serde::Serialize;

use crate::record::prediction::{AccessCount, Totals, Traced};
use crate::record::{Band, TrafficEfficiency};

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
