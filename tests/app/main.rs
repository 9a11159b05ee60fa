//! The desktop app without a window: panels by role and label, on an engine whose figures are fixed.
#![cfg(feature = "app")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;
mod exports;
mod fake;
mod first_minute;
mod fits;
mod forecasts;
mod learn;
mod lessons;
mod matmul;
mod pictures;
mod remembered;
mod running;
mod scenes;
mod speed;
mod wgsl;
mod width;
