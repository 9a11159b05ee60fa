//! The desktop app without a window: panels by role and label, on an engine whose figures are fixed.
#![cfg(feature = "app")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod fake;
mod first_minute;
mod forecasts;
mod learn;
mod lessons;
mod matmul;
mod remembered;
mod running;
mod scenes;
mod speed;
mod width;
