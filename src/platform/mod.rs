//! The only place that knows native from browser: the clock, threads, what the host is, files.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(not(target_arch = "wasm32"))]
pub use native::*;

#[cfg(target_arch = "wasm32")]
mod web;
#[cfg(target_arch = "wasm32")]
pub use web::*;

/// A point in time on a monotonic clock.
pub type Instant = web_time::Instant;

/// Now, on a monotonic clock.
#[must_use]
pub fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "this is the replacement that the lint names")]
    Instant::now()
}
