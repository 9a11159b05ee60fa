//! Steady clocks and honest time: choose the clock, warm up, choose how many dispatches a sample has, take samples
//! round-robin over all rows with a control row in every round.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::gpu::{AIM, Gpu, GpuError, Pace, Plausibility, Prepared, Sample, TELLING_NS, plausibility};
use crate::platform::{Instant, now};
use crate::program::Block;
use crate::record::TimeSource;
use crate::stats;

/// How long a timed pass should take on a GPU; samples are 10 to 100 ms.
const SAMPLE_NS: f64 = 16e6;
/// Recording a pass costs the host about a microsecond a dispatch.
const MOST_DISPATCHES: u32 = 1 << 14;
/// Work that is queued before results are fetched: enough to keep the device busy, little enough to stop soon.
const QUEUED_NS: f64 = 300e6;
/// An idle GPU needs 0.1 to 0.2 s of work to reach its clocks (measured on an H200: 345 to 1980 MHz).
const WARM_UP_NS: f64 = 250e6;
/// A device that has not settled by now will not.
const LONGEST_WARM_UP_NS: f64 = 4e9;
/// Rounds whose control differs by more than this from the median of all are taken again, once.
const CONTROL_TOLERANCE: f64 = 0.03;
/// Parts that took more than this share of the longest submission are made smaller.
const TOO_LONG: f64 = 0.8;
/// Passes that are compared with the host's clock before timestamps are believed: long enough to tell a wrong unit.
const TRIAL_NS: f64 = 60e6;
/// How many such passes must agree.
const TRIALS: u32 = 3;

/// How a long dispatch is split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Split {
    /// Workgroups of a part, the last one aside.
    pub groups: u64,
    /// The longest part so far, ns.
    pub longest_ns: f64,
}

/// A row to sample.
pub(super) struct Subject {
    pub prepared: Prepared,
    /// Dispatches of a timed pass.
    pub dispatches: u32,
    /// Time of one dispatch in each sample, ns.
    pub samples_ns: Vec<f64>,
    /// Samples of rounds that were taken again.
    pub rejected_ns: Vec<f64>,
    /// Why there are no more samples.
    pub failed: Option<String>,
    /// Whether its pass has been sized.
    pub ready: bool,
    /// How it is split where one dispatch of all its workgroups takes too long.
    pub split: Option<Split>,
    /// How many workgroups a submission may have, as far as is known.
    pace: Pace,
    /// Time of its last pass, ns.
    pass_ns: f64,
    /// How many dispatches there were so far: phases go on where the last pass ended.
    next_phase: usize,
    /// Samples before the round at hand.
    before_round: usize,
}

impl Subject {
    pub(super) fn new(prepared: Prepared) -> Self {
        Self {
            prepared,
            dispatches: 1,
            samples_ns: Vec::new(),
            rejected_ns: Vec::new(),
            failed: None,
            ready: false,
            split: None,
            pace: Pace::default(),
            pass_ns: SAMPLE_NS,
            next_phase: 0,
            before_round: 0,
        }
    }

    fn take(&mut self, pass_ns: Option<f64>) {
        if let Some(ns) = pass_ns {
            self.pass_ns = ns;
            self.samples_ns.push(ns / f64::from(self.dispatches));
        }
        self.next_phase = self.next_phase.wrapping_add(self.dispatches as usize);
    }

    /// Dispatches that one run of all workgroups takes.
    pub(super) fn dispatches_per_run(&self) -> u32 {
        self.split.map_or(1, |split| u32::try_from(self.prepared.groups().div_ceil(split.groups)).unwrap_or(u32::MAX))
    }

    /// Splits the run into equal parts of about [`AIM`] of the longest submission, if it took longer than that.
    fn split(&mut self, run_ns: f64, longest_ns: f64) {
        let groups = self.prepared.groups();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
        let parts = (run_ns / (AIM * longest_ns)).ceil().max(1.0) as u64;
        let split = Split { groups: groups.div_ceil(parts).max(1), longest_ns: 0.0 };
        self.split = (split.groups < groups).then_some(split);
    }

    /// Doubles the dispatches of its pass; says whether it could.
    fn grow(&mut self) -> bool {
        let can = self.split.is_none() && self.dispatches < MOST_DISPATCHES;
        if can {
            self.dispatches *= 2;
        }
        can
    }

    /// 10th to 90th percentile over the median; 0 without samples.
    pub(super) fn scatter(&self) -> f64 {
        let quantile = |q| stats::quantile(&self.samples_ns, q);
        let spread = quantile(0.9).zip(quantile(0.1)).zip(quantile(0.5));
        spread.map_or(0.0, |((high, low), median)| (high - low) / median)
    }

    /// Sets the samples of the round at hand aside: it will be taken again.
    pub(super) fn reject_round(&mut self) {
        self.rejected_ns.extend(self.samples_ns.drain(self.before_round..));
    }
}

fn is_stopped(cancel: &AtomicBool, deadline: Option<Instant>) -> bool {
    cancel.load(Ordering::Relaxed) || deadline.is_some_and(|deadline| now() > deadline)
}

/// Takes samples.
pub(super) struct Sampler<'a> {
    pub gpu: &'a mut Gpu,
    pub source: TimeSource,
    /// Host time of an empty submission, ns.
    pub floor_ns: f64,
    pub cancel: &'a AtomicBool,
    /// When to stop, if there is a time limit.
    pub deadline: Option<Instant>,
    pub software: bool,
    /// Batches whose timestamps were no times, or did not fit the host's clock.
    pub implausible: usize,
}

impl Sampler<'_> {
    /// Whether the run is cancelled or late.
    fn stopped(&self) -> bool {
        is_stopped(self.cancel, self.deadline)
    }

    /// The time of a sample by the source in use; `None` where the pair of timestamps is no time.
    pub(super) fn time_ns(&self, sample: &Sample) -> Option<f64> {
        match self.source {
            TimeSource::GpuTimestamp => sample.gpu_ns,
            TimeSource::Host => Some(sample.host_ns - self.floor_ns).filter(|ns| *ns > 0.0),
        }
    }

    /// One timed pass of so many dispatches, waited for; its time by the source in use, else by the host's clock.
    async fn alone(&mut self, subject: &Subject, dispatches: u32) -> Result<f64, GpuError> {
        let sample = self.gpu.time_alone(&subject.prepared, dispatches, subject.next_phase).await?;
        Ok(self.any_time_ns(&sample))
    }

    fn any_time_ns(&self, sample: &Sample) -> f64 {
        self.time_ns(sample).unwrap_or_else(|| (sample.host_ns - self.floor_ns).max(1.0))
    }

    /// One sample, waited for: a pass, or all parts of a split run. `None` where the run was stopped between parts.
    async fn sample(&mut self, subject: &mut Subject) -> Result<Option<f64>, GpuError> {
        match subject.split {
            None => self.alone(subject, subject.dispatches).await.map(Some),
            Some(split) => self.parts(subject, split).await,
        }
    }

    /// The sum of the times of all parts of a run. Parts that have become too long are halved from the next run on.
    async fn parts(&mut self, subject: &mut Subject, mut split: Split) -> Result<Option<f64>, GpuError> {
        let (groups, block) = (subject.prepared.groups(), Block::Phase(subject.next_phase));
        let (mut sum, mut longest_ns) = (0.0, 0.0f64);
        for first in (0..groups).step_by(usize::try_from(split.groups).unwrap_or(usize::MAX)) {
            if self.stopped() {
                return Ok(None);
            }
            let part = first..groups.min(first + split.groups);
            let sample = self.gpu.time_part(&subject.prepared, block, part).await?;
            let ns = self.any_time_ns(&sample);
            self.implausible += usize::from(self.time_ns(&sample).is_none());
            sum += ns;
            longest_ns = longest_ns.max(ns);
        }
        split.longest_ns = split.longest_ns.max(longest_ns);
        if longest_ns > TOO_LONG * self.gpu.longest_submission_ns() {
            split.groups = split.groups.div_ceil(2);
        }
        subject.split = Some(split);
        Ok(Some(sum))
    }

    /// Believes timestamps only where a few long passes of this row agree with the host's clock; says why not.
    pub(super) async fn choose_clock(&mut self, subject: &mut Subject) -> Result<Option<String>, GpuError> {
        if self.source == TimeSource::Host {
            return Ok(Some("the device has no timestamps: the host's clock is used".to_owned()));
        }
        self.source = TimeSource::Host;
        self.size_pass(subject, TRIAL_NS).await?;
        let mut trials = 0;
        // Enough to double the shortest pass until it is long enough, and then three trials.
        for _ in 0..TRIALS + 2 * MOST_DISPATCHES.ilog2() {
            if trials == TRIALS || self.stopped() {
                break;
            }
            let sample = match subject.split {
                None => self.gpu.time_alone(&subject.prepared, subject.dispatches, 0).await?,
                Some(split) => self.gpu.time_part(&subject.prepared, Block::Phase(0), 0..split.groups).await?,
            };
            let problem = match plausibility(&[sample]) {
                // A busy machine sizes the pass too short: a shorter one cannot tell a unit that is too small.
                Plausibility::Plausible if sample.batch_host_ns < TELLING_NS && subject.grow() => continue,
                Plausibility::Plausible => {
                    trials += 1;
                    continue;
                }
                Plausibility::Incomplete => "they are zero, equal or out of order".to_owned(),
                Plausibility::LongerThanHost { ratio } => format!("they say {ratio:.1} times the host's time"),
                Plausibility::ShorterThanHost { ratio } => format!("they say {ratio:.3} of the host's time"),
            };
            return Ok(Some(format!("the device's timestamps are no times ({problem}): the host's clock is used")));
        }
        self.source = TimeSource::GpuTimestamp;
        Ok(None)
    }

    /// Chooses how many dispatches a sample of this row has.
    pub(super) async fn calibrate(&mut self, subject: &mut Subject) -> Result<(), GpuError> {
        let most = AIM * self.gpu.longest_submission_ns();
        let target = match self.source {
            TimeSource::GpuTimestamp => {
                // Fifty steps of a coarse clock make 2 %.
                let step = self.gpu.clock_step_ns().unwrap_or_default();
                SAMPLE_NS.max(50.0 * step).min(most)
            }
            // The floor of the host's clock must not exceed 2 % of a sample.
            TimeSource::Host => SAMPLE_NS.max(50.0 * self.floor_ns).min(most),
        };
        self.size_pass(subject, target).await
    }

    /// Grows a pass until it takes about `target` ns. What one run takes is found out in small parts first; where that is
    /// too long for one submission, it stays split.
    async fn size_pass(&mut self, subject: &mut Subject, target: f64) -> Result<(), GpuError> {
        let (cancel, deadline, longest_ns) = (self.cancel, self.deadline, self.gpu.longest_submission_ns());
        let mut go_on = |_: &_| !is_stopped(cancel, deadline);
        let block = Block::Phase(subject.next_phase);
        let run = self.gpu.run_in_parts(&subject.prepared, block, &mut subject.pace, &mut go_on).await?;
        let Some(run) = run else { return Ok(()) };
        subject.split(run.whole_ns, longest_ns);
        if let Some(split) = &mut subject.split {
            split.longest_ns = run.longest_ns;
            (subject.dispatches, subject.pass_ns, subject.ready) = (1, run.elapsed_ns, true);
            return Ok(());
        }
        let mut dispatches = 1u32;
        for _ in 0..6 {
            let ns = self.alone(subject, dispatches).await?;
            (subject.dispatches, subject.pass_ns, subject.ready) = (dispatches, ns, true);
            let one = ns / f64::from(dispatches);
            if one > AIM * longest_ns {
                // The parts said less: the first of them may have run in an idle moment.
                subject.split(one, longest_ns);
                subject.dispatches = 1;
                break;
            }
            if ns >= 0.8 * target || self.stopped() {
                break;
            }
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to 1..=MOST_DISPATCHES"
            )]
            let next = (target / one).ceil().clamp(1.0, f64::from(MOST_DISPATCHES)) as u32;
            // A first pass may be far too short to tell: growth in steps keeps the next one from being far too long.
            dispatches = next.min(dispatches.saturating_mul(64));
            if dispatches == subject.dispatches {
                break;
            }
        }
        Ok(())
    }

    /// Runs the subject until its time no longer changes.
    pub(super) async fn warm_up(&mut self, subject: &mut Subject) -> Result<(), GpuError> {
        self.calibrate(subject).await?;
        let start = now();
        let mut times: Vec<f64> = Vec::new();
        let enough = if self.software { 3 } else { 8 };
        let recent = |times: &[f64], skip: usize| {
            let newest: Vec<f64> = times.iter().rev().skip(skip).take(enough / 2).copied().collect();
            stats::median(&newest)
        };
        while !self.stopped() {
            let Some(ns) = self.sample(subject).await? else { break };
            times.push(ns);
            let elapsed = start.elapsed().as_nanos() as f64;
            let change = recent(&times, 0).zip(recent(&times, enough / 2)).map(|(new, old)| (new / old - 1.0).abs());
            let settled = times.len() >= enough && change.is_some_and(|change| change < 0.01);
            let done = if self.software { times.len() >= enough } else { settled && elapsed > WARM_UP_NS };
            if done || elapsed > LONGEST_WARM_UP_NS {
                break;
            }
        }
        // The first calibration saw the idle clock.
        self.calibrate(subject).await
    }

    /// One sample of each subject named, in that order.
    pub(super) async fn round(&mut self, subjects: &mut [Subject], order: &[usize]) -> Result<(), GpuError> {
        subjects.iter_mut().for_each(|subject| subject.before_round = subject.samples_ns.len());
        let mut queued: Vec<usize> = Vec::new();
        let mut queued_ns = 0.0;
        for index in order {
            if self.stopped() {
                break;
            }
            let Some(subject) = subjects.get_mut(*index).filter(|subject| subject.ready && subject.failed.is_none())
            else {
                continue;
            };
            match self.source {
                // Parts are waited for one by one: nothing else may be in flight.
                _ if subject.split.is_some() => {
                    self.fetch(subjects, &mut queued).await?;
                    queued_ns = 0.0;
                    let Some(subject) = subjects.get_mut(*index) else { continue };
                    let Some(ns) = self.sample(subject).await? else { break };
                    subject.take(Some(ns));
                }
                TimeSource::GpuTimestamp => {
                    self.gpu.submit_sample(&subject.prepared, subject.dispatches, subject.next_phase)?;
                    queued.push(*index);
                    queued_ns += subject.pass_ns;
                }
                TimeSource::Host => {
                    let ns = self.alone(subject, subject.dispatches).await?;
                    subject.take(Some(ns));
                }
            }
            if queued_ns > QUEUED_NS {
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
        self.implausible += usize::from(plausibility(&samples) != Plausibility::Plausible);
        for (index, sample) in queued.drain(..).zip(samples) {
            let ns = self.time_ns(&sample);
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
