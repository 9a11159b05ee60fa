//! The fetch granule from a stride sweep.

/// One point of a stride sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct StridePoint {
    /// Stride in elements.
    pub stride_elements: u32,
    /// Useful GB/s of every repeat.
    pub useful_gb_per_s: Vec<f64>,
}

/// What a sweep says of the granule.
#[derive(Debug, Clone, PartialEq)]
pub enum Knee {
    /// Both estimates agree.
    Determined {
        /// The granule in bytes, a power of two.
        bytes: u32,
        /// Share of resampled sweeps that say the same; `None` where a point has fewer than three repeats.
        confidence: Option<f64>,
    },
    /// They do not, or the curve has another shape.
    NotDetermined {
        /// Why.
        reason: String,
    },
}

/// Infers the fetch granule from a sweep of strided reads of elements of `element_bytes`.
#[must_use]
pub fn find(_element_bytes: u32, _points: &[StridePoint]) -> Knee {
    Knee::NotDetermined { reason: String::new() }
}
