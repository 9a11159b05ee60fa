//! How much memory a row walks over where nobody says.

use crate::memory_model::GpuFacts;
use crate::program::Limits;

/// Where neither caches nor bandwidth of the device are known.
const UNKNOWN_DEVICE: u64 = 256 << 20;
/// A software adapter works through this in tens of milliseconds.
const SOFTWARE_ADAPTER: u64 = 32 << 20;
/// Launch and tail of a dispatch cost a few microseconds: in a fifth of a millisecond they are lost.
const SECONDS_AT_PEAK: f64 = 0.2e-3;

/// The default footprint in bytes, a power of two: at least four times the last-level cache, long enough that starting
/// and ending a dispatch does not count, never more than a quarter of the host's memory where that is used, and no more
/// than one buffer can have.
#[must_use]
pub fn default_bytes(facts: Option<&GpuFacts>, software: bool, host_memory_bytes: u64, limits: &Limits) -> u64 {
    let wanted = if software {
        SOFTWARE_ADAPTER
    } else {
        let cache = facts.and_then(|facts| facts.last_level_cache_bytes).map_or(0, |cache| 4 * cache);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of bytes")]
        let long =
            facts.and_then(|facts| facts.bandwidth_gb_per_s).map_or(0, |rate| (rate * 1e9 * SECONDS_AT_PEAK) as u64);
        cache.max(long).max(UNKNOWN_DEVICE).next_power_of_two()
    };
    let quarter = if software && host_memory_bytes > 0 { host_memory_bytes / 4 } else { u64::MAX };
    let most = quarter.min(limits.max_storage_binding_bytes).min(limits.max_buffer_bytes);
    if wanted <= most { wanted } else { (most / 2 + 1).next_power_of_two() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(bandwidth: f64, cache_mib: u64) -> GpuFacts {
        GpuFacts {
            name: String::new(),
            memory_model: String::new(),
            bandwidth_gb_per_s: Some(bandwidth),
            fp32_tflop_per_s: None,
            last_level_cache_bytes: Some(cache_mib << 20),
            source: String::new(),
            confidence: String::new(),
            note: String::new(),
        }
    }

    #[test]
    fn caches_and_speed_decide() {
        let bytes = |facts: Option<GpuFacts>, software, memory| {
            default_bytes(facts.as_ref(), software, memory, &Limits::WITHOUT_DEVICE)
        };
        assert_eq!(bytes(None, false, 0), 256 << 20);
        assert_eq!(bytes(Some(facts(4800.0, 60)), false, 0), 1 << 30);
        assert_eq!(bytes(Some(facts(300.0, 128)), false, 0), 512 << 20);
        assert_eq!(bytes(None, true, 16 << 30), 32 << 20);
        assert_eq!(bytes(None, true, 100 << 20), 16 << 20);
        let small = Limits { max_storage_binding_bytes: (128 << 20) - 4, ..Limits::WITHOUT_DEVICE };
        assert_eq!(default_bytes(None, false, 0, &small), 64 << 20);
    }
}
