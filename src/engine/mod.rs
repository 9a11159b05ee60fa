//! The one run loop: predict, verify, warm up, measure, conclude; emits events; knows neither command line nor window.

mod event;
pub use event::{Event, Stage};
