//! Accesses and a memory model to numbers: sectors, wavefronts and traffic. Knows neither naga nor wgpu, and never sees
//! a time; only [`knee`] reads measured rates, to infer the fetch granule from them.

mod counter;
mod granules;
pub mod knee;
mod prediction;
mod repeat;
mod sectors;
#[cfg(test)]
mod tests;
mod traffic;
mod wavefronts;

pub use crate::record::prediction::{AccessCount, FirstRequest, Totals, Traced};
pub use counter::{Both, CountedRequest, Counter, Scope};
pub use prediction::{Prediction, PrimaryFigures};
