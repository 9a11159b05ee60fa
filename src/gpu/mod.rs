//! Executes programs on wgpu: adapter, device, buffers, pipelines, timestamps, readback. The only module that touches
//! wgpu; everything it returns is plain data or opaque.
//!
//! A program is [prepared](Gpu::prepare) once (pipeline, buffers of a pool that all programs share, uniform blocks of
//! all phases), [run for verification](Gpu::run_for_verification), and then timed in samples: a sample is one compute
//! pass of equal dispatches between two timestamps, in a command buffer of its own. A dispatch that is too long for one
//! submission is run [in parts](Gpu::run_in_parts).
//!
//! All waiting is `async` without `Send` bounds: natively a poll of the device blocks, in a browser the page's event
//! loop goes on.

mod adapter;
mod bindings;
mod cooperative;
mod device;
mod doctor;
mod error;
mod fill;
mod hooks;
mod parts;
mod pipeline;
mod pool;
mod readback;
mod sample;
mod textures;
mod timing;
mod wait;

pub use adapter::{AdapterChoice, Backend, adapters};
pub use device::{Gpu, WAIT_SECONDS, host_clock_step_ns};
pub use doctor::{BackendReport, Diagnosis, diagnose};
pub use error::GpuError;
pub use hooks::TestHooks;
pub use parts::{AIM, LONGEST_SUBMISSION_NS, Pace, Progress};
pub use pipeline::{Checks, Prepared};
pub use sample::{Sample, SampleId};
pub use timing::{Plausibility, TELLING_NS, plausibility};
