//! Steady clocks and honest time: warm up, choose how many dispatches a sample has, take samples round-robin over all
//! rows with a control row in every round.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::gpu::{Gpu, GpuError, Prepared, Sample};
use crate::platform::now;
use crate::record::TimeSource;
use crate::stats;

/// How long a timed pass should take on a GPU; samples are 10 to 100 ms.
const SAMPLE_NS: f64 = 20e6;
/// No submission may take longer: watchdogs of operating systems reset the device.
const LONGEST_SUBMISSION_NS: f64 = 200e6;
/// Recording a pass costs the host about a microsecond a dispatch.
const MOST_DISPATCHES: u32 = 1 << 14;
/// Work that is queued before results are fetched: enough to keep the device busy, little enough to stop soon.
const QUEUED_NS: f64 = 300e6;
/// A clock needs about 0.15 s of work to come up (`README.md`, what is measured).
const WARM_UP_NS: f64 = 250e6;
/// A device that has not settled by now will not.
const LONGEST_WARM_UP_NS: f64 = 4e9;
/// Rounds whose control differs by more than this from the median of all are taken again, once.
const CONTROL_TOLERANCE: f64 = 0.03;

/// A row to sample.
pub(super) struct Subject {
    pub prepared: Prepared,
    /// Dispatches of a timed pass.
    pub dispatches: u32,
    /// Time of one dispatch in each sample, ns.
    pub samples_ns: Vec<f64>,
    /// How many phases were dispatched so far: samples go on where the last one ended.
    next_phase: usize,
    /// Why there are no more samples.
    pub failed: Option<String>,
}

impl Subject {
    pub(super) fn new(prepared: Prepared) -> Self {
        Self { prepared, dispatches: 1, samples_ns: Vec::new(), next_phase: 0, failed: None }
    }

    /// Nanoseconds that its timed pass takes, as far as known.
    fn pass_ns(&self) -> f64 {
        self.samples_ns.last().copied().unwrap_or(SAMPLE_NS) * f64::from(self.dispatches)
    }
}

/// Takes samples.
pub(super) struct Sampler<'a> {
    pub gpu: &'a mut Gpu,
    pub source: TimeSource,
    /// Host time of an empty submission, ns.
    pub floor_ns: f64,
    pub cancel: &'a AtomicBool,
    pub software: bool,
    /// Samples that had no valid timestamp pair, or batches whose device time exceeded the host's.
    pub invalid: usize,
}

impl Sampler<'_> {
    fn cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }

    /// The time of a sample by the source in use; `None` where the pair of timestamps is no time.
    fn time_ns(&self, sample: &Sample) -> Option<f64> {
        match self.source {
            TimeSource::GpuTimestamp => sample.gpu_ns,
            TimeSource::Host => Some((sample.host_ns - self.floor_ns).max(0.0)).filter(|ns| *ns > 0.0),
        }
    }

    /// One timed pass, waited for.
    async fn alone(&mut self, subject: &Subject, dispatches: u32) -> Result<Option<f64>, GpuError> {
        let sample = self.gpu.time_alone(&subject.prepared, dispatches, subject.next_phase).await?;
        // Device time that exceeds the host's, or is a tiny part of a long wait, is in a wrong unit.
        let long = sample.host_ns > 50e6;
        if let Some(gpu_ns) = sample.gpu_ns
            && (gpu_ns > 1.02 * sample.host_ns + 1e5 || (long && gpu_ns < sample.host_ns / 20.0))
        {
            self.invalid += 1;
        }
        Ok(self.time_ns(&sample))
    }

    /// Chooses how many dispatches a sample of this row has. Leaves the device warm, never ends early on a slow one.
    pub(super) async fn calibrate(&mut self, subject: &mut Subject) -> Result<(), GpuError> {
        let target = match self.source {
            TimeSource::GpuTimestamp => SAMPLE_NS,
            // The floor of the host's clock must not exceed 2 % of a sample.
            TimeSource::Host => SAMPLE_NS.max(50.0 * self.floor_ns),
        };
        let mut dispatches = 1u32;
        for _ in 0..6 {
            let Some(ns) = self.alone(subject, dispatches).await? else {
                self.invalid += 1;
                dispatches = dispatches.saturating_mul(8).min(MOST_DISPATCHES);
                continue;
            };
            let one = ns / f64::from(dispatches);
            if ns >= 0.8 * target || one > LONGEST_SUBMISSION_NS / 2.0 {
                subject.dispatches = dispatches;
                subject.samples_ns = vec![one];
                return Ok(());
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to 1..=MOST_DISPATCHES"
            )]
            let next = (target / one).ceil().clamp(1.0, f64::from(MOST_DISPATCHES)) as u32;
            dispatches = next.clamp(1, dispatches.saturating_mul(64));
        }
        subject.dispatches = dispatches;
        Ok(())
    }

    /// Runs the subject until its time no longer changes.
    pub(super) async fn warm_up(&mut self, subject: &mut Subject) -> Result<(), GpuError> {
        self.calibrate(subject).await?;
        let start = now();
        let mut times: Vec<f64> = Vec::new();
        let enough = if self.software { 3 } else { 8 };
        while !self.cancelled() {
            if let Some(ns) = self.alone(subject, subject.dispatches).await? {
                times.push(ns);
            }
            let elapsed = start.elapsed().as_nanos() as f64;
            let recent = |skip: usize| {
                stats::median(times.iter().rev().skip(skip).take(enough / 2).copied().collect::<Vec<_>>().as_slice())
            };
            let settled = times.len() >= enough
                && recent(0).zip(recent(enough / 2)).is_some_and(|(new, old)| (new / old - 1.0).abs() < 0.01);
            if (settled && elapsed > WARM_UP_NS)
                || elapsed > LONGEST_WARM_UP_NS
                || (self.software && times.len() >= enough)
            {
                break;
            }
        }
        // The first calibration saw the idle clock.
        self.calibrate(subject).await
    }

    /// One sample of each subject named, in that order.
    pub(super) async fn round(&mut self, subjects: &mut [Subject], order: &[usize]) -> Result<(), GpuError> {
        let mut queued: Vec<usize> = Vec::new();
        let mut queued_ns = 0.0;
        for (k, index) in order.iter().enumerate() {
            if self.cancelled() {
                break;
            }
            let Some(subject) = subjects.get_mut(*index) else { continue };
            if subject.failed.is_some() {
                continue;
            }
            match self.source {
                TimeSource::GpuTimestamp => {
                    self.gpu.submit_sample(&subject.prepared, subject.dispatches, subject.next_phase)?;
                    queued.push(*index);
                    queued_ns += subject.pass_ns();
                }
                TimeSource::Host => {
                    let ns = self.alone(subject, subject.dispatches).await?;
                    subject.take(ns);
                }
            }
            if queued_ns > QUEUED_NS || k + 1 == order.len() {
                self.fetch(subjects, &mut queued).await?;
                queued_ns = 0.0;
            }
        }
        self.fetch(subjects, &mut queued).await
    }

    async fn fetch(&mut self, subjects: &mut [Subject], queued: &mut Vec<usize>) -> Result<(), GpuError> {
        if queued.is_empty() {
            return Ok(());
        }
        let samples = self.gpu.collect().await?;
        for (index, sample) in queued.drain(..).zip(samples) {
            let ns = self.time_ns(&sample);
            self.invalid += usize::from(ns.is_none());
            if let Some(subject) = subjects.get_mut(index) {
                subject.take(ns);
            }
        }
        Ok(())
    }

    /// Whether the control's newest sample is off the median of all its samples.
    pub(super) fn control_is_off(control: &Subject) -> bool {
        let newest = control.samples_ns.last().copied();
        newest.zip(stats::median(&control.samples_ns)).is_some_and(|(newest, median)| {
            control.samples_ns.len() >= 3 && (newest / median - 1.0).abs() > CONTROL_TOLERANCE
        })
    }
}

impl Subject {
    fn take(&mut self, pass_ns: Option<f64>) {
        if let Some(ns) = pass_ns {
            self.samples_ns.push(ns / f64::from(self.dispatches));
        }
        self.next_phase = self.next_phase.wrapping_add(self.dispatches as usize);
    }

    /// Forgets the newest sample, which a repeated round replaces.
    pub(super) fn forget_newest(&mut self) {
        self.samples_ns.pop();
    }
}
