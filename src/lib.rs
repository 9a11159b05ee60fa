//! Sectorscope shows what a GPU memory access pattern *should* cost and what it *does* cost, side by side.
//!
//! The prediction is no formula kept beside the shader: the very WGSL that runs on the GPU is executed by an
//! interpreter over naga's IR, which records the bytes that every lane touches; a predictor counts the sectors.
//! The measurement is a dispatch of that same text through wgpu with timestamp queries.
//!
//! # Architecture
//!
//! ```text
//! main --> app, cli --> session --> engine, report --> analysis --> interpreter, gpu, predict --> plan --> kernels, inputs
//!      --> program, shader, record, memory_model, trace --> contents, units, stats, suggest, platform
//! ```
//!
//! A module imports only from modules to the right of it (`tests/tidy.rs` holds this).
//!
//! | module | one sentence |
//! |---|---|
//! | [`units`] | Quantities: parsing sizes, one formatter each. |
//! | [`stats`] | Summaries of samples. |
//! | [`suggest`] | The known word nearest to a misspelt one. |
//! | [`platform`] | The only place that knows native from browser: clock, threads, files. |
//! | [`contents`] | What a buffer holds, as a function of (seed, word index); checksums over words. |
//! | [`trace`] | What a workgroup touched, as plain data. |
//! | [`record`] | The result rows that outsiders may store. |
//! | [`memory_model`] | Hardware facts, each documented, measured or assumed, with its source. |
//! | [`shader`] | Parse, validate, apply overrides and reflect WGSL; errors with line, column and caret. |
//! | [`program`] | Everything about one run of one shader: text, constants, buffers, uniforms, grid. |
//! | [`kernels`] | The registry: one entry a kernel beside one file in `shaders/`. |
//! | [`plan`] | (kernel, parameters, limits) to a [`plan::Plan`]; pure; proves that every index is in range. |
//! | [`inputs`] | What a user says of a run of their own shader, and what is taken for the rest; to a program. |
//! | [`interpreter`] | Executes a program on naga IR, a whole workgroup in lockstep, and streams its accesses. |
//! | [`predict`] | Accesses + memory model to numbers; knows neither naga nor wgpu, never sees a time. |
//! | [`analysis`] | What each line of a user's shader costs: runs it, counts it, says why and what would help. |
//! | [`gpu`] | Executes a program on wgpu: adapter, device, pipelines, timestamps, readback. |
//! | [`engine`] | The one run loop; emits events; knows neither command line nor window. |
//! | [`report`] | Records to JSON, CSV, table, Markdown. |
//! | [`session`] | The document as the events of a run have built it so far. |
//! | [`cli`] | The command line: a listener of the engine's events. |
//! | [`app`] | The desktop app: the other listener; one state, panels that return commands. |

pub mod analysis;
#[cfg(feature = "app")]
pub mod app;
#[cfg(feature = "cli")]
pub mod cli;
pub mod contents;
#[cfg(feature = "gpu")]
pub mod engine;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod inputs;
pub mod interpreter;
pub mod kernels;
pub mod memory_model;
pub mod plan;
pub mod platform;
pub mod predict;
pub mod program;
pub mod record;
pub mod report;
#[cfg(feature = "gpu")]
pub mod session;
pub mod shader;
pub mod stats;
pub mod suggest;
pub mod trace;
pub mod units;
