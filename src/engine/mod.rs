//! The one run loop: predict, verify, warm up, measure, conclude; emits events; knows neither command line nor window.

mod conclude;
mod cooperative;
mod device;
mod event;
pub mod footprint;
mod job;
pub mod limit;
pub mod matmul;
mod measure;
mod own;
pub mod predict;
mod product;
mod prologue;
pub mod reals;
mod request;
mod run;
mod sampler;
mod size;
mod twins;
pub mod verify;

pub use device::{Device, Found};
pub use event::{Event, Stage};
pub use request::{ChecksMode, Order, Request, UserShader};
pub use run::{EngineError, run, run_on};
