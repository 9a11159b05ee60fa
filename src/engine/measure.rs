//! Executing rows: prepare and verify all of them first, then warm up and time all in rounds.

use std::sync::atomic::Ordering;

use crate::contents::Contents;
use crate::gpu::{Checks, Gpu, GpuError, Prepared, Progress, host_clock_step_ns};
use crate::kernels::Counts;
use crate::kernels::suite::Footprint;
use crate::program::{Buffer, Program};
use crate::record::{Status, TimeSource, Warning};
use crate::shader::Reflection;

use super::conclude::{self, Clock};
use super::event::Stage;
use super::job::Job;
use super::request::Order;
use super::run::Run;
use super::sampler::{Sampler, Subject};
use super::verify::{COMPARED_BYTES, VerifyError, verify_while};

/// The share of a time limit by which rows must be verified, and by which their passes must be sized: what is ready then
/// is measured in the rest.
const VERIFIED_BY: f64 = 0.4;
const SIZED_BY: f64 = 0.6;

/// Runs that verifying a row takes.
const RUNS_TO_VERIFY: f64 = 2.0;
/// Parts of a run, the first aside, that took this long together say how long the whole takes.
const TELLING_NS: f64 = 100e6;

/// Rows whose samples scatter (10th to 90th percentile) by more than this share of their median get more of them ..
const NOISY: f64 = 0.01;
/// .. this many times what all rows have.
const MORE_SAMPLES: u32 = 3;

/// Why a run that has come this far is too long for a time limit: no row may take more than half of the time in which all
/// are verified.
fn too_long(limit_s: Option<f64>, progress: &Progress) -> Option<String> {
    let limit = limit_s?;
    let whole = progress.whole_ns / 1e9;
    let is_too_long = progress.settled_ns > TELLING_NS && RUNS_TO_VERIFY * whole > VERIFIED_BY * limit / 2.0;
    is_too_long.then(|| {
        format!(
            "one run takes about {whole:.1} s, which is too long for --time-limit {limit}: raise the limit, or set a smaller \
             size"
        )
    })
}

impl Run<'_> {
    /// Verifies and measures all rows but those of cooperative matrices; the clock they were measured by, if any was.
    pub(super) async fn execute(&mut self, gpu: &mut Gpu) -> Option<Clock> {
        let subjects = self.verify_all(gpu, false).await;
        let clock = self.measure(gpu, subjects).await?;
        self.learn_granule();
        self.compare(clock);
        if gpu.lost().is_none() && !self.request.brief && self.own.is_empty() {
            self.measure_twins(gpu).await;
        }
        Some(clock)
    }

    /// Prepares and verifies the rows of cooperative matrices, or all others.
    pub(super) async fn verify_all(&mut self, gpu: &mut Gpu, cooperative: bool) -> Vec<(usize, Prepared)> {
        let mut subjects = Vec::new();
        let total = self.jobs.len();
        for index in 0..total {
            if self.jobs[index].is_cooperative() != cooperative {
                continue;
            }
            if self.stopped() || self.is_late(VERIFIED_BY) {
                break;
            }
            if let Some(subject) = self.verify_one(gpu, index).await {
                subjects.push((index, subject));
            }
            self.progress(Stage::Verify, index + 1, total, index);
        }
        subjects
    }

    /// Prepares and verifies a row; `None` where it ended.
    pub(super) async fn verify_one(&mut self, gpu: &mut Gpu, index: usize) -> Option<Prepared> {
        let (cancel, limit_s) = (self.cancel, self.request.time_limit_s);
        let job = &mut self.jobs[index];
        let plan = job.plan.as_ref()?;
        let checks = if job.checked { Checks::On } else { Checks::Off };
        let prepared = match reflect(&plan.program) {
            Ok(reflection) => gpu.prepare(&plan.program, &reflection, checks).await,
            Err(error) => {
                job.end(Status::Failed, error);
                return None;
            }
        };
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                let status = if matches!(error, GpuError::Unsupported(_) | GpuError::OverLimit { .. }) {
                    Status::Unsupported
                } else {
                    Status::Failed
                };
                job.end(status, error.to_string());
                return None;
            }
        };
        let mut reason = None;
        let mut go_on = |progress: &Progress| {
            reason = too_long(limit_s, progress);
            reason.is_none() && !cancel.load(Ordering::Relaxed)
        };
        match verify_while(COMPARED_BYTES, gpu, &prepared, plan, &mut go_on).await {
            Ok(verified) => {
                if verified.agrees_with_interpreter == Some(false) {
                    let text =
                        "the interpreter stores other words than the device: the prediction may be of another program";
                    job.row.warnings.push(Warning::new("interpreter_differs", text));
                }
                job.row.verified = Some(verified);
                Some(prepared)
            }
            Err(VerifyError::Stopped) => {
                // Without a reason of its own it is one of those that the end of the run left over.
                if let Some(reason) = reason {
                    job.end(Status::Skipped, reason);
                }
                None
            }
            Err(error) => {
                job.end(Status::Failed, error.to_string());
                None
            }
        }
    }

    /// Times all verified rows; `None` where nothing could be timed.
    pub(super) async fn measure(&mut self, gpu: &mut Gpu, prepared: Vec<(usize, Prepared)>) -> Option<Clock> {
        let (indices, mut subjects): (Vec<usize>, Vec<Subject>) =
            prepared.into_iter().map(|(index, prepared)| (index, Subject::new(prepared))).unzip();
        if subjects.is_empty() {
            return None;
        }
        let control = indices.iter().position(|index| is_control(&self.jobs[*index])).unwrap_or(0);
        let (floor_ns, empty_dispatch_ns) =
            (gpu.empty_submission_ns().await.unwrap_or_default(), empty_dispatch_ns(gpu).await);
        let software = self.results.is_software();
        let source = if gpu.timestamps() { TimeSource::GpuTimestamp } else { TimeSource::Host };
        let (cancel, deadline) = (self.cancel, self.deadline());
        let mut sampler = Sampler { gpu, source, floor_ns, cancel, deadline, software, implausible: 0 };
        self.progress(Stage::WarmUp, 0, 1, indices[control]);
        if let Err(error) = self.prepare_clock(&mut sampler, &mut subjects[control]).await {
            self.fail_all(&indices, &error);
            return None;
        }
        for (k, subject) in subjects.iter_mut().enumerate() {
            if self.stopped() || self.is_late(SIZED_BY) {
                break;
            }
            if let Err(error) = sampler.calibrate(subject).await {
                subject.failed = Some(error.to_string());
            }
            self.progress(Stage::WarmUp, k + 1, indices.len(), indices[k]);
        }
        let clock = Clock {
            source: sampler.source,
            step_ns: match sampler.source {
                TimeSource::GpuTimestamp => sampler.gpu.clock_step_ns().unwrap_or_default(),
                TimeSource::Host => host_clock_step_ns(),
            },
            host_floor_ns: floor_ns,
            empty_dispatch_ns,
        };
        self.sample_rounds(&mut sampler, &mut subjects, control, &indices, clock).await;
        Some(clock)
    }

    /// Decides which clock to believe and brings the device's clocks up.
    async fn prepare_clock(&mut self, sampler: &mut Sampler<'_>, control: &mut Subject) -> Result<(), GpuError> {
        if let Some(reason) = sampler.choose_clock(control).await? {
            self.warn("host_time", reason);
        }
        sampler.warm_up(control).await
    }

    async fn sample_rounds(
        &mut self,
        sampler: &mut Sampler<'_>,
        subjects: &mut [Subject],
        control: usize,
        indices: &[usize],
        clock: Clock,
    ) {
        let software = sampler.software;
        let rounds = self.request.samples(software);
        let order = self.order(subjects.len());
        let (mut repeated, mut off) = (0, 0);
        for round in 0..rounds {
            if self.stopped() {
                break;
            }
            let mut error = sampler.round(subjects, &order).await.err();
            // A round whose control is off is taken again, once.
            if error.is_none() && !software && Sampler::control_is_off(&subjects[control]) && !self.stopped() {
                repeated += 1;
                subjects.iter_mut().for_each(Subject::reject_round);
                error = sampler.round(subjects, &order).await.err();
                off += usize::from(Sampler::control_is_off(&subjects[control]));
            }
            self.keep_samples(indices, subjects, clock);
            self.send_rows();
            if let Some(error) = error {
                self.warn("device_failed", format!("{error}, after {round} of {rounds} rounds"));
                self.fail_all(indices, &error);
                break;
            }
            self.progress(Stage::Measure, round as usize + 1, rounds as usize, indices[control]);
        }
        self.sample_noisy(sampler, subjects, indices, clock, &order).await;
        if repeated > 0 {
            let text = format!(
                "the control row was off by over 3 % in {repeated} of {rounds} rounds: they were taken again, and {off} were still off"
            );
            self.warn("unsteady_clock", text);
        }
        if sampler.implausible > 0 {
            let text = format!(
                "{} batches had timestamps that were no times or did not fit the host's clock",
                sampler.implausible
            );
            self.warn("implausible_timestamps", text);
        }
    }

    /// More samples of the rows that scatter, so that their medians repeat too. A software adapter shares its cores: there
    /// is no end to its scatter.
    async fn sample_noisy(
        &mut self,
        sampler: &mut Sampler<'_>,
        subjects: &mut [Subject],
        indices: &[usize],
        clock: Clock,
        order: &[usize],
    ) {
        // A sample of a split run is long enough to average out what makes short ones scatter.
        let scatters = |k: &usize| subjects[*k].split.is_none() && subjects[*k].scatter() > NOISY;
        let noisy: Vec<usize> = order.iter().copied().filter(scatters).collect();
        let enough = sampler.software || self.request.brief || noisy.is_empty();
        let rounds = if enough { 0 } else { self.request.samples(false) * MORE_SAMPLES };
        for _ in 0..rounds {
            if self.stopped() {
                return;
            }
            if let Err(error) = sampler.round(subjects, &noisy).await {
                self.warn("device_failed", error.to_string());
                return;
            }
        }
        self.keep_samples(indices, subjects, clock);
    }

    /// Positions of subjects in the order in which they are measured.
    fn order(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        match self.request.order {
            Order::Forward => {}
            Order::Reverse => order.reverse(),
            Order::Shuffle => order.sort_by_key(|k| {
                crate::contents::random_bits(self.request.seed, u32::try_from(*k).unwrap_or(u32::MAX))
            }),
        }
        order
    }

    fn keep_samples(&mut self, indices: &[usize], subjects: &[Subject], clock: Clock) {
        for (index, subject) in indices.iter().zip(subjects) {
            let job = &mut self.jobs[*index];
            match &subject.failed {
                Some(reason) => job.end(Status::Failed, reason.clone()),
                None if subject.samples_ns.is_empty() => {}
                None => {
                    let counts_elements = job.choice.kernel.counts == Counts::Elements;
                    conclude::measured(&mut job.row, counts_elements, subject, self.results.settings.samples, clock);
                    job.row.status = Status::Ok;
                    job.row.reason = None;
                }
            }
        }
    }
}

/// Time of a dispatch that stores one word, ns, from a thousand of them in one pass. The store makes each wait for the one
/// before it, as a real kernel's stores do.
async fn empty_dispatch_ns(gpu: &mut Gpu) -> Option<f64> {
    const DISPATCHES: u32 = 1000;
    let program = Program {
        wgsl: include_str!("../../shaders/empty.wgsl").into(),
        entry_point: "main".into(),
        constants: std::collections::BTreeMap::new(),
        buffers: vec![Buffer { name: "word".into(), bytes: 4, contents: Contents::Poison, written: true }],
        textures: Vec::new(),
        uniforms: None,
        grid: [1, 1, 1],
        features: std::collections::BTreeSet::new(),
    };
    let prepared = gpu.prepare(&program, &reflect(&program).ok()?, Checks::Off).await.ok()?;
    gpu.time_alone(&prepared, DISPATCHES, 0).await.ok()?;
    let sample = gpu.time_alone(&prepared, DISPATCHES, 0).await.ok()?;
    Some(sample.gpu_ns.unwrap_or(sample.host_ns) / f64::from(DISPATCHES))
}

pub(super) fn reflect(program: &Program) -> Result<Reflection, String> {
    crate::shader::Shader::parse(&program.wgsl)
        .and_then(|shader| shader.specialise(&program.entry_point, &program.constants))
        .map(|shader| shader.reflection().clone())
        .map_err(|error| error.to_string())
}

/// The control row of every round: the plain read, and on the device of cooperative matrices their multiply-adds.
fn is_control(job: &Job) -> bool {
    ["read", "fma_cooperative"].contains(&job.choice.kernel.id)
        && job.choice.params == job.choice.kernel.defaults()
        && job.choice.footprint == Footprint::Run
        && !job.checked
}
