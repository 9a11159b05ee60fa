//! Accesses and a memory model to numbers: sectors, wavefronts and traffic. Knows neither naga nor wgpu, and never sees
//! a time; only [`knee`] reads measured rates, to infer the fetch granule from them.

mod counter;
pub mod knee;
mod prediction;

pub use counter::{Both, Counter, Scope};
pub use prediction::{AccessCount, FirstRequest, Prediction, PrimaryFigures, Totals, Traced};
