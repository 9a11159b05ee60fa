//! Timed samples: a sample is one compute pass of equal dispatches of one program, in a submission of its own.

use std::ops::Range;

use super::device::Gpu;
use super::error::GpuError;
use super::pipeline::Prepared;
use crate::platform::{Instant, now};
use crate::program::Block;

/// Names a submitted sample; later samples have larger ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleId(pub(super) u64);

/// The time of one pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// As [`Gpu::submit_sample`] returned it.
    pub id: SampleId,
    /// Dispatches in the pass.
    pub dispatches: u32,
    /// Time of the whole pass by the device's clock, ns; `None` without timestamps or where the pair cannot be true.
    pub gpu_ns: Option<f64>,
    /// From the submission of this sample until all that was submitted was done, by the host's clock, ns: a time of
    /// the pass only where it was alone ([`Gpu::time_alone`]).
    pub host_ns: f64,
    /// From the first submission of the batch until all of it was done, by the host's clock, ns.
    pub batch_host_ns: f64,
}

/// Samples that were submitted and not collected.
#[derive(Default)]
pub(super) struct Samples {
    next_id: u64,
    in_flight: Vec<InFlight>,
}

struct InFlight {
    id: SampleId,
    slot: Option<usize>,
    dispatches: u32,
    submitted: Instant,
}

impl Gpu {
    /// Submits one pass of `dispatches` equal dispatches that cycle through the program's phases from `first_phase` on.
    /// Does not wait; the pass should stay below 200 ms, else a watchdog may reset the device.
    ///
    /// # Errors
    /// A lost device, or an error that the driver reports at once.
    pub fn submit_sample(
        &mut self,
        prepared: &Prepared,
        dispatches: u32,
        first_phase: usize,
    ) -> Result<SampleId, GpuError> {
        let sample = self.start_sample(prepared, dispatches, first_phase)?;
        let id = sample.id;
        self.samples.in_flight.push(sample);
        Ok(id)
    }

    /// Waits for all submitted samples and returns them in the order of their submission.
    ///
    /// # Errors
    /// A lost or hung device; the samples in flight are gone then.
    pub async fn collect(&mut self) -> Result<Vec<Sample>, GpuError> {
        let in_flight = std::mem::take(&mut self.samples.in_flight);
        let Some(first) = in_flight.first().map(|sample| sample.submitted) else { return Ok(Vec::new()) };
        self.wait().await?;
        let done = now();
        let slots: Vec<usize> = in_flight.iter().filter_map(|sample| sample.slot).collect();
        let start = slots.first().copied().unwrap_or(0);
        let times = self.pass_times(start..slots.last().map_or(start, |last| last + 1)).await?;
        self.clock.release_slots();
        let sample = |sample: &InFlight| Sample {
            id: sample.id,
            dispatches: sample.dispatches,
            gpu_ns: sample.slot.and_then(|slot| times.get(slot - start).copied().flatten()),
            host_ns: nanoseconds(sample.submitted, done),
            batch_host_ns: nanoseconds(first, done),
        };
        Ok(in_flight.iter().map(sample).collect())
    }

    /// Submits one sample while nothing else is in flight and waits for it, so that its `host_ns` is a time as well.
    ///
    /// # Errors
    /// A lost or hung device.
    pub async fn time_alone(
        &mut self,
        prepared: &Prepared,
        dispatches: u32,
        first_phase: usize,
    ) -> Result<Sample, GpuError> {
        self.wait().await?;
        let sample = self.start_sample(prepared, dispatches, first_phase)?;
        self.finish_alone(sample).await
    }

    /// As [`Gpu::time_alone`] for some workgroups of one dispatch.
    ///
    /// # Errors
    /// A lost or hung device.
    pub async fn time_part(
        &mut self,
        prepared: &Prepared,
        block: Block,
        groups: Range<u64>,
    ) -> Result<Sample, GpuError> {
        self.wait().await?;
        let slot = self.clock.take_slot(&self.device);
        let commands = self.record(slot, |gpu, pass| prepared.encode_part(gpu, pass, block, &groups));
        let sample = self.start(commands, slot, 1)?;
        self.finish_alone(sample).await
    }

    /// Runs some workgroups of one dispatch and waits for them; their time by the host's clock, ns.
    pub(super) async fn run_part(
        &mut self,
        prepared: &Prepared,
        block: Block,
        groups: Range<u64>,
    ) -> Result<f64, GpuError> {
        self.check()?;
        let record = || self.record(None, |gpu, pass| prepared.encode_part(gpu, pass, block, &groups));
        let commands = self.guarded(0, record).await?;
        let submitted = now();
        self.submit(commands)?;
        self.wait().await?;
        Ok(nanoseconds(submitted, now()))
    }

    async fn finish_alone(&mut self, sample: InFlight) -> Result<Sample, GpuError> {
        self.wait().await?;
        let host_ns = nanoseconds(sample.submitted, now());
        let gpu_ns = match sample.slot {
            Some(slot) => self.pass_times(slot..slot + 1).await?.first().copied().flatten(),
            None => None,
        };
        if self.samples.in_flight.is_empty() {
            self.clock.release_slots();
        }
        Ok(Sample { id: sample.id, dispatches: sample.dispatches, gpu_ns, host_ns, batch_host_ns: host_ns })
    }

    fn start_sample(&mut self, prepared: &Prepared, dispatches: u32, first_phase: usize) -> Result<InFlight, GpuError> {
        self.check()?;
        let slot = self.clock.take_slot(&self.device);
        let phases = (0..dispatches as usize).map(|k| Block::Phase(first_phase.wrapping_add(k)));
        let commands = self.record(slot, |_, pass| prepared.encode(pass, phases));
        self.start(commands, slot, dispatches)
    }

    /// One pass, between timestamps where there is a slot for them.
    fn record(
        &self,
        slot: Option<usize>,
        encode: impl FnOnce(&Self, &mut wgpu::ComputePass<'_>),
    ) -> wgpu::CommandBuffer {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("sample") });
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("sample"),
                timestamp_writes: self.clock.writes(slot),
            });
            encode(self, &mut pass);
        }
        encoder.finish()
    }

    /// Recording and checking many dispatches takes the host a while: the time begins after it.
    fn start(
        &mut self,
        commands: wgpu::CommandBuffer,
        slot: Option<usize>,
        dispatches: u32,
    ) -> Result<InFlight, GpuError> {
        let id = SampleId(self.samples.next_id);
        self.samples.next_id += 1;
        let submitted = now();
        self.submit(commands)?;
        Ok(InFlight { id, slot, dispatches, submitted })
    }
}

fn nanoseconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64() * 1e9
}
