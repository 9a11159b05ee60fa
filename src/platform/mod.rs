//! The only place that knows native from browser: the clock, threads, what the host is, files, windows.

#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
mod background;
#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(all(feature = "app", not(target_arch = "wasm32")))]
mod window;
#[cfg(all(feature = "gpu", not(target_arch = "wasm32")))]
pub use background::{MaybeSend, Task, spawn};
#[cfg(not(target_arch = "wasm32"))]
pub use native::*;
#[cfg(all(feature = "app", not(target_arch = "wasm32")))]
pub use window::{WindowError, open_window};

#[cfg(target_arch = "wasm32")]
mod web;
#[cfg(target_arch = "wasm32")]
pub use web::*;

/// What is known of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostFacts {
    /// Operating system and its version.
    pub os: String,
    /// Processor.
    pub cpu: String,
    /// Main memory in bytes; 0 where unknown.
    pub memory_bytes: u64,
    /// `battery` or `mains`, where known.
    pub power: Option<String>,
}

/// A point in time on a monotonic clock.
pub type Instant = web_time::Instant;

/// Now, on a monotonic clock.
#[must_use]
pub fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "this is the replacement that the lint names")]
    Instant::now()
}
