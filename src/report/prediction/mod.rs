//! The prediction document as text, as JSON and back, as annotations for GitHub; its thresholds and its comparison with
//! an older one.

mod baseline;
mod github;
mod json;
mod lines;
mod models;
mod text;
mod thresholds;

pub use baseline::{Baseline, Change, ChangeKind, compare};
pub use github::annotations;
pub use json::{from_bytes, to_bytes};
pub use text::{Style, text};
pub use thresholds::{Miss, Threshold, misses};
