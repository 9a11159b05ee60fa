//! The device's clock: pairs of timestamps around compute passes, turned into nanoseconds only where they can be true.

use std::ops::Range;

use super::device::Gpu;
use super::error::GpuError;
use super::sample::Sample;

/// Timestamps in a query set: the most that WebGPU allows.
const QUERIES: u32 = 4096;
/// Pairs in a query set.
const PAIRS: usize = QUERIES as usize / 2;
/// Bytes of all timestamps of a set.
const RESOLVED_BYTES: u64 = QUERIES as u64 * 8;
/// No pass lasts longer than this; a longer one is a counter that jumped. One hour, in nanoseconds.
const ABSURD_NS: f64 = 3600e9;
/// Differences to see before their common divisor says anything about the clock.
const DIFFERENCES: u32 = 8;

/// Nanoseconds between two timestamps, `period_ns` a tick; `None` where the pair cannot be true: a stamp that is zero
/// (not written), equal stamps, an end before its begin (a counter that wrapped; its width is not known), or hours.
pub(super) fn ticks_to_ns(begin: u64, end: u64, period_ns: f64) -> Option<f64> {
    if begin == 0 || end == 0 {
        return None;
    }
    let ticks = end.checked_sub(begin).filter(|ticks| *ticks > 0)?;
    let ns = ticks as f64 * period_ns;
    (ns.is_finite() && ns > 0.0 && ns < ABSURD_NS).then_some(ns)
}

/// Query sets for samples in flight, and what was seen of the clock's step.
pub(super) struct Clock {
    /// Nanoseconds a tick; `None` without timestamps. wgpu's own normalization of timestamps is never switched on, so
    /// the period is applied once, here.
    period_ns: Option<f64>,
    zeroed: bool,
    sets: Vec<wgpu::QuerySet>,
    used: usize,
    buffers: Option<Buffers>,
    step: Step,
}

/// Where timestamps are resolved to, and where the host reads them.
#[derive(Clone)]
struct Buffers {
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
}

/// The common divisor of the differences of all raw timestamps.
#[derive(Default)]
struct Step {
    divisor: u64,
    differences: u32,
    last: Option<u64>,
}

impl Step {
    fn see(&mut self, tick: u64) {
        if let Some(last) = self.last.replace(tick)
            && tick != last
        {
            self.divisor = greatest_common_divisor(self.divisor, tick.abs_diff(last));
            self.differences += 1;
        }
    }

    fn ticks(&self) -> u64 {
        if self.differences < DIFFERENCES { 1 } else { self.divisor.max(1) }
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Clock {
    pub(super) fn new(supported: bool, period_ns: f64, zeroed: bool) -> Self {
        let period_ns = supported.then_some(period_ns);
        Self { period_ns, zeroed, sets: Vec::new(), used: 0, buffers: None, step: Step::default() }
    }

    pub(super) fn step_ns(&self) -> Option<f64> {
        self.period_ns.map(|period| period * self.step.ticks() as f64)
    }

    /// A pair of queries for one pass; `None` without timestamps.
    pub(super) fn take_slot(&mut self, device: &wgpu::Device) -> Option<usize> {
        self.period_ns?;
        let slot = self.used;
        self.used += 1;
        while self.sets.len() * PAIRS <= slot {
            self.sets.push(device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: QUERIES,
            }));
        }
        Some(slot)
    }

    /// How a pass writes the pair.
    pub(super) fn writes(&self, slot: Option<usize>) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let slot = slot?;
        let begin = u32::try_from(slot % PAIRS * 2).ok()?;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: self.sets.get(slot / PAIRS)?,
            beginning_of_pass_write_index: Some(begin),
            end_of_pass_write_index: Some(begin + 1),
        })
    }

    /// Makes all pairs free again. Nothing may be in flight.
    pub(super) const fn release_slots(&mut self) {
        self.used = 0;
    }

    fn buffers(&mut self, device: &wgpu::Device) -> Buffers {
        let buffer = |label, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: RESOLVED_BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        self.buffers
            .get_or_insert_with(|| Buffers {
                resolved: buffer(
                    "resolved timestamps",
                    wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                ),
                readable: buffer("readable timestamps", wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ),
            })
            .clone()
    }

    fn duration_ns(&mut self, pair: [u64; 2]) -> Option<f64> {
        let [begin, end] = if self.zeroed { [0, 0] } else { pair };
        let ns = ticks_to_ns(begin, end, self.period_ns?)?;
        self.step.see(begin);
        self.step.see(end);
        Some(ns)
    }
}

impl Gpu {
    /// The durations of passes that are done. They are resolved in a submission of its own: on some drivers stamps
    /// resolved behind their pass in the same command buffer read zero.
    pub(super) async fn pass_times(&mut self, slots: Range<usize>) -> Result<Vec<Option<f64>>, GpuError> {
        let mut times = Vec::with_capacity(slots.len());
        let mut next = slots.start;
        while next < slots.end {
            let end = slots.end.min((next / PAIRS + 1) * PAIRS);
            for pair in self.resolve(next, end).await? {
                times.push(self.clock.duration_ns(pair));
            }
            next = end;
        }
        Ok(times)
    }

    /// The raw pairs `first..end`, all of one query set.
    async fn resolve(&mut self, first: usize, end: usize) -> Result<Vec<[u64; 2]>, GpuError> {
        let query = |slot: usize| u32::try_from(slot % PAIRS * 2).unwrap_or(0);
        let queries = query(first)..query(end - 1) + 2;
        let bytes = u64::from(queries.end - queries.start) * 8;
        let buffers = self.clock.buffers(&self.device);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let Some(set) = self.clock.sets.get(first / PAIRS) else {
            return Err(GpuError::Internal("timestamps that were never written".to_owned()));
        };
        encoder.resolve_query_set(set, queries, &buffers.resolved, 0);
        encoder.copy_buffer_to_buffer(&buffers.resolved, 0, &buffers.readable, 0, bytes);
        self.submit(encoder.finish())?;
        let ticks = self.map(&buffers.readable, bytes, |bytes| {
            bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<u64>).collect::<Vec<_>>()
        });
        Ok(ticks.await?.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect())
    }
}

/// A batch of at least so many nanoseconds by the host's clock tells whether the device's unit is too small; in a shorter
/// one the host's own work may take most of the time.
pub const TELLING_NS: f64 = 50e6;

/// Whether the times of a batch by the device's clock fit the host's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plausibility {
    /// They fit.
    Plausible,
    /// No sample has a time by the device's clock, or some have none.
    Incomplete,
    /// The passes add up to more than the whole batch took: the clock's unit is wrong.
    LongerThanHost {
        /// Sum of the passes over the time of the batch.
        ratio: f64,
    },
    /// The passes add up to less than a third of a batch of at least 50 ms: the clock's unit is wrong, stamps are
    /// written too early, or the device waited for other work.
    ShorterThanHost {
        /// Sum of the passes over the time of the batch.
        ratio: f64,
    },
}

/// Compares the device's times with the host's, for samples of one batch as [`Gpu::collect`] returns them.
#[must_use]
pub fn plausibility(samples: &[Sample]) -> Plausibility {
    let Some(batch_ns) = samples.first().map(|sample| sample.batch_host_ns).filter(|ns| *ns > 0.0) else {
        return Plausibility::Incomplete;
    };
    let Some(device_ns) = samples.iter().map(|sample| sample.gpu_ns).sum::<Option<f64>>() else {
        return Plausibility::Incomplete;
    };
    let ratio = device_ns / batch_ns;
    match ratio {
        // Two clocks of one machine differ by parts in 10^5; 2 % and the host clock's own steps leave room.
        ratio if device_ns > 1.02 * batch_ns + 2e5 => Plausibility::LongerThanHost { ratio },
        ratio if batch_ns >= TELLING_NS && ratio < 1.0 / 3.0 => Plausibility::ShorterThanHost { ratio },
        _ => Plausibility::Plausible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::SampleId;

    #[test]
    fn only_pairs_that_can_be_true_are_times() {
        for (begin, end) in
            [(0, 0), (0, 5), (7, 0), (7, 7), (9, 3), (10, 3), ((1 << 36) - 10, 5), (0, u64::MAX), (1, u64::MAX)]
        {
            assert_eq!(ticks_to_ns(begin, end, 1.0), None, "{begin}..{end}");
        }
        assert_eq!(ticks_to_ns(7, 9, 1.0), Some(2.0));
        assert_eq!(ticks_to_ns(1000, 1012, 83.333), Some(12.0 * 83.333));
        assert_eq!(ticks_to_ns(1000, 1012, 52.083), Some(12.0 * 52.083));
        for period in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(ticks_to_ns(1, 2, period), None, "period {period}");
        }
    }

    #[test]
    fn the_step_is_the_common_divisor_once_enough_was_seen() {
        for quantum in [1, 32, 65_536, 100_000] {
            let mut clock = Clock::new(true, 2.0, false);
            assert_eq!(clock.step_ns(), Some(2.0));
            for k in [3_u64, 5, 11, 14, 20, 31, 47, 48] {
                clock.duration_ns([k * quantum, (k + 1) * quantum]);
            }
            assert_eq!(clock.step_ns(), Some(2.0 * quantum as f64));
        }
        assert_eq!(Clock::new(false, 1.0, false).step_ns(), None);
    }

    #[test]
    fn times_that_do_not_fit_the_host_are_found() {
        let batch = |gpu_ns: Option<f64>, batch_host_ns| {
            let id = SampleId(0);
            plausibility(&[Sample { id, dispatches: 1, gpu_ns, host_ns: batch_host_ns, batch_host_ns }])
        };
        assert_eq!(batch(Some(60e6), 100e6), Plausibility::Plausible);
        assert_eq!(batch(Some(6e6), 40e6), Plausibility::Plausible);
        assert!(matches!(batch(Some(60e6), 60e6 / 80.0), Plausibility::LongerThanHost { .. }));
        assert!(matches!(batch(Some(60e6 / 80.0), 60e6), Plausibility::ShorterThanHost { .. }));
        assert_eq!(batch(None, 60e6), Plausibility::Incomplete);
        assert_eq!(plausibility(&[]), Plausibility::Incomplete);
    }
}
