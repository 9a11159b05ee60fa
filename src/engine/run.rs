//! The run loop as a story: choose, plan, predict, verify, warm up, measure, conclude.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::gpu::{Checks, Gpu, GpuError, Prepared};
use crate::kernels::suite::{Choice, Footprint};
use crate::kernels::{Setting, by_id};
use crate::memory_model::MemoryModel;
use crate::platform::{Instant, now};
use crate::program::{Limits, Program};
use crate::record::{Results, Status, TimeSource, Warning};
use crate::shader::Reflection;

use super::conclude::{self, Clock};
use super::event::{Event, Stage};
use super::footprint;
use super::job::{Job, Role};
use super::predict::predict;
use super::prologue::{self, Opened};
use super::request::{ChecksMode, Order, Request};
use super::sampler::{Sampler, Subject};
use super::verify::verify;

/// Why there are no results at all.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The request is wrong; the text names what and the cure.
    #[error("{0}")]
    Usage(String),
}

/// Timed samples of a row where nobody says.
const SAMPLES: u32 = 12;
/// The same on a software adapter, whose rows take much longer.
const SOFTWARE_SAMPLES: u32 = 5;

/// A run in progress.
struct Run<'a> {
    request: &'a Request,
    sink: &'a mut dyn FnMut(Event),
    cancel: &'a AtomicBool,
    started: Instant,
    results: Results,
    model: MemoryModel,
    jobs: Vec<Job>,
}

/// Runs what is asked for and reports as it goes. Where there is no adapter, or only predictions are asked for,
/// `results.adapter` is `None` and every row is skipped with its prediction.
///
/// # Errors
/// Only for a wrong request; everything else becomes a row or a warning.
pub async fn run(request: &Request, sink: &mut dyn FnMut(Event), cancel: &AtomicBool) -> Result<Results, EngineError> {
    let choices = request.choices().map_err(EngineError::Usage)?;
    let Opened { mut gpu, results, model, facts } = prologue::open(request).await?;
    let mut setting = Setting {
        footprint_bytes: footprint::default_bytes(
            facts.as_ref(),
            results.adapter.as_ref().is_some_and(crate::record::Adapter::is_cpu),
            results.host.memory_bytes,
        ),
        limits: gpu.as_ref().map_or(Limits::WITHOUT_DEVICE, Gpu::limits),
        seed: request.seed,
        fill: request.fill,
    };
    let mut run = Run { request, sink, cancel, started: now(), results, model, jobs: Vec::new() };
    run.plan(&choices, &setting, gpu.is_some());
    (run.sink)(Event::Started {
        results: Box::new(run.results.clone()),
        rows: run.jobs.iter().filter(|job| job.role == Role::Asked).count(),
    });
    if let Some(gpu) = &mut gpu {
        run.reserve(gpu, &choices, &mut setting).await;
    }
    run.predict_all("model");
    match &mut gpu {
        Some(gpu) => run.execute(gpu).await,
        None => {
            run.skip_all(if request.predict_only { "predictions only, as asked" } else { "no adapter to measure on" })
        }
    }
    Ok(run.finish())
}

impl Run<'_> {
    fn plan(&mut self, choices: &[Choice], setting: &Setting, measures: bool) {
        let checks: &[bool] = match self.request.checks {
            ChecksMode::Off => &[false],
            ChecksMode::On => &[true],
            ChecksMode::Both => &[false, true],
        };
        self.jobs.clear();
        for choice in choices {
            for checked in checks {
                if !self.jobs.iter().any(|job| job.measures(choice, *checked) && job.choice.preset == choice.preset) {
                    self.jobs.push(Job::new(choice.clone(), Role::Asked, *checked, setting));
                }
            }
        }
        if measures {
            for choice in references() {
                if !self.jobs.iter().any(|job| job.measures(&choice, false)) {
                    self.jobs.push(Job::new(choice, Role::Reference, false, setting));
                }
            }
        }
    }

    /// Allocates what all rows need, halving the footprint until it fits.
    async fn reserve(&mut self, gpu: &mut Gpu, choices: &[Choice], setting: &mut Setting) {
        loop {
            let programs: Vec<&Program> =
                self.jobs.iter().filter_map(|job| job.plan.as_ref()).map(|plan| &plan.program).collect();
            let Err(error) = gpu.reserve(&programs).await else { return };
            let smallest = setting.footprint_bytes <= 1 << 20;
            self.warn("out_of_memory", format!("{error}; the footprint is halved"));
            if smallest || !self.request.bytes.is_empty() {
                for job in &mut self.jobs {
                    if job.row.work.footprint_bytes > setting.footprint_bytes / 2 && job.is_open() {
                        job.end(Status::Failed, format!("did not fit: {error}"));
                    }
                }
                return;
            }
            setting.footprint_bytes /= 2;
            self.plan(choices, setting, true);
        }
    }

    fn predict_all(&mut self, fetch_origin: &str) {
        let total = self.jobs.len();
        for index in 0..total {
            let job = &mut self.jobs[index];
            let Some(plan) = &job.plan else { continue };
            match predict(plan, &self.model, self.cancel) {
                Ok(prediction) => {
                    conclude::predicted(&mut job.row, job.choice.kernel.primary, &prediction, fetch_origin);
                    job.prediction = Some(prediction);
                }
                Err(error) => job.row.warnings.push(Warning::new("no_prediction", error.to_string())),
            }
            self.progress(Stage::Predict, index + 1, total, index);
        }
    }

    async fn execute(&mut self, gpu: &mut Gpu) {
        let mut subjects = Vec::new();
        let total = self.jobs.len();
        for index in 0..total {
            if !self.stopped()
                && let Some(subject) = self.verify_one(gpu, index).await
            {
                subjects.push((index, subject));
            }
            self.progress(Stage::Verify, index + 1, total, index);
        }
        if let Some(clock) = self.measure(gpu, &mut subjects).await {
            self.conclude(clock);
            self.measure_twins(gpu, clock).await;
        }
        self.skip_all("interrupted, or the time limit was reached before it was measured");
    }

    /// Prepares and verifies a row; `None` where it ended.
    async fn verify_one(&mut self, gpu: &mut Gpu, index: usize) -> Option<Prepared> {
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
        match verify(gpu, &prepared, plan).await {
            Ok(verified) => {
                job.row.verified = Some(verified);
                Some(prepared)
            }
            Err(error) => {
                job.end(Status::Failed, error.to_string());
                None
            }
        }
    }

    /// Times all verified rows; `None` where nothing could be timed.
    async fn measure(&mut self, gpu: &mut Gpu, prepared: &mut Vec<(usize, Prepared)>) -> Option<Clock> {
        let (indices, mut subjects): (Vec<usize>, Vec<Subject>) =
            prepared.drain(..).map(|(index, prepared)| (index, Subject::new(prepared))).unzip();
        if subjects.is_empty() {
            return None;
        }
        let control = indices.iter().position(|index| is_control(&self.jobs[*index])).unwrap_or(0);
        let floor_ns = gpu.empty_submission_ns().await.unwrap_or_default();
        let software = self.results.adapter.as_ref().is_some_and(crate::record::Adapter::is_cpu);
        let source = if gpu.timestamps() { TimeSource::GpuTimestamp } else { TimeSource::Host };
        let mut sampler = Sampler { gpu, source, floor_ns, cancel: self.cancel, software, invalid: 0 };
        self.progress(Stage::WarmUp, 0, 1, indices[control]);
        if let Err(error) = sampler.warm_up(&mut subjects[control]).await {
            self.fail_all(&indices, &error);
            return None;
        }
        if sampler.invalid > 0 && sampler.source == TimeSource::GpuTimestamp {
            sampler.source = TimeSource::Host;
            self.warn("host_time", "the device's timestamps are no times: the host's clock is used instead");
            sampler.warm_up(&mut subjects[control]).await.ok()?;
        }
        for (k, subject) in subjects.iter_mut().enumerate() {
            if self.stopped() {
                break;
            }
            if let Err(error) = sampler.calibrate(subject).await {
                subject.failed = Some(error.to_string());
            }
            self.progress(Stage::WarmUp, k + 1, indices.len(), indices[k]);
        }
        for subject in &mut subjects {
            subject.samples_ns.clear();
        }
        self.sample_rounds(&mut sampler, &mut subjects, control, &indices).await;
        let source = sampler.source;
        let clock = Clock {
            source,
            step_ns: gpu.clock_step_ns().unwrap_or_default(),
            host_floor_ns: floor_ns,
            empty_dispatch_ns: empty_dispatch_ns(gpu).await,
        };
        self.keep_samples(&indices, &subjects, clock);
        Some(clock)
    }

    async fn sample_rounds(
        &mut self,
        sampler: &mut Sampler<'_>,
        subjects: &mut [Subject],
        control: usize,
        indices: &[usize],
    ) {
        let software = sampler.software;
        let rounds = self.request.samples.unwrap_or(if software { SOFTWARE_SAMPLES } else { SAMPLES });
        let order = self.order(subjects.len());
        let mut unsteady = 0;
        for round in 0..rounds {
            if self.stopped() {
                break;
            }
            let mut error = sampler.round(subjects, &order).await.err();
            // A round whose control is off is taken again, once.
            if error.is_none() && !software && Sampler::control_is_off(&subjects[control]) && !self.stopped() {
                unsteady += 1;
                subjects.iter_mut().for_each(Subject::forget_newest);
                error = sampler.round(subjects, &order).await.err();
            }
            if let Some(error) = error {
                self.fail_all(indices, &error);
                break;
            }
            self.progress(Stage::Measure, round as usize + 1, rounds as usize, indices[control]);
        }
        if unsteady > 0 {
            let text = format!("{unsteady} of {rounds} rounds were repeated: the control row was off by over 3 %");
            self.warn("unsteady_clock", text);
        }
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
                    conclude::measured(job, &subject.samples_ns, subject.dispatches, clock);
                    job.row.status = Status::Ok;
                    job.row.reason = None;
                }
            }
        }
    }

    /// References, knee, ratios and limits from what was measured; rows are sent.
    fn conclude(&mut self, clock: Clock) {
        self.results.reference = conclude::reference(&self.jobs, self.results.reference.clone());
        let footprint = self.jobs.iter().map(|job| job.choice.footprint).find(|f| !matches!(f, Footprint::Divided(_)));
        self.results.stride_knee = conclude::stride_knee(&self.jobs, footprint.unwrap_or(Footprint::Run));
        if self.request.fetch.is_none()
            && let Some(model) = conclude::with_knee(&self.model, self.results.stride_knee.as_ref())
        {
            self.results.memory_model = serde_json::to_value(&model).unwrap_or_default();
            self.model = model;
            self.predict_all("stride_knee");
        }
        conclude::compare(&mut self.jobs, &self.results.reference, clock);
        self.send_rows();
    }

    /// Measures the twins of rows that fall short of their prediction: more bytes in flight at equal traffic.
    async fn measure_twins(&mut self, gpu: &mut Gpu, _clock: Clock) {
        let setting =
            Setting { footprint_bytes: 0, limits: gpu.limits(), seed: self.request.seed, fill: self.request.fill };
        let first = self.jobs.len();
        for index in 0..first {
            let job = &self.jobs[index];
            if !conclude::needs_twin(job) {
                continue;
            }
            let Some(params) = conclude::width_twin(&job.choice.params) else { continue };
            let footprint = job.choice.footprint;
            let bytes = job.row.work.footprint_bytes;
            let choice = Choice { params, footprint, preset: None, ..job.choice.clone() };
            let checked = job.checked;
            if !self.jobs.iter().any(|other| other.measures(&choice, checked)) {
                let setting = Setting { footprint_bytes: bytes_of_run(footprint, bytes), ..setting };
                self.jobs.push(Job::new(choice, Role::Twin, checked, &setting));
            }
        }
        let twins = first..self.jobs.len();
        if twins.is_empty() || self.stopped() {
            return;
        }
        let mut prepared = Vec::new();
        for index in twins {
            if let Some(subject) = self.verify_one(gpu, index).await {
                prepared.push((index, subject));
            }
        }
        if let Some(clock) = self.measure(gpu, &mut prepared).await {
            for job in &mut self.jobs {
                job.row.warnings.retain(|warning| warning.code != "cache");
            }
            conclude::compare(&mut self.jobs, &self.results.reference, clock);
            self.send_rows();
        }
    }

    fn stopped(&self) -> bool {
        let late = |limit: f64| self.started.elapsed().as_secs_f64() > limit;
        self.cancel.load(Ordering::Relaxed) || self.request.time_limit_s.is_some_and(late)
    }

    fn fail_all(&mut self, indices: &[usize], error: &GpuError) {
        for index in indices {
            if self.jobs[*index].row.status != Status::Ok {
                self.jobs[*index].end(Status::Failed, error.to_string());
            }
        }
    }

    fn skip_all(&mut self, reason: &str) {
        for job in &mut self.jobs {
            if job.is_open() && job.row.status == Status::Skipped && job.row.reason.is_none() {
                job.row.reason = Some(reason.to_owned());
            }
        }
    }

    fn warn(&mut self, code: &str, text: impl Into<String>) {
        let warning = Warning::new(code, text);
        self.results.warnings.push(warning.clone());
        (self.sink)(Event::Warning(warning));
    }

    fn progress(&mut self, stage: Stage, done: usize, total: usize, index: usize) {
        let what = self.jobs.get(index).map(Job::name).unwrap_or_default();
        (self.sink)(Event::Progress { stage, done, total, what });
    }

    fn send_rows(&mut self) {
        let asked = self.jobs.iter().filter(|job| job.role == Role::Asked).enumerate();
        for (index, job) in asked {
            (self.sink)(Event::Row { index, row: Box::new(job.row.clone()) });
        }
    }

    fn finish(mut self) -> Results {
        self.send_rows();
        let asked = self.jobs.into_iter().filter(|job| job.role == Role::Asked);
        self.results.rows = asked.map(|job| job.row).collect();
        let cancelled = self.cancel.load(Ordering::Relaxed);
        (self.sink)(Event::Finished { results: Box::new(self.results.clone()), cancelled });
        self.results
    }
}

/// Time of a dispatch that does nothing, ns, from a thousand of them in one pass.
async fn empty_dispatch_ns(gpu: &mut Gpu) -> Option<f64> {
    const DISPATCHES: u32 = 1000;
    let program = Program {
        wgsl: include_str!("../../shaders/empty.wgsl").into(),
        entry_point: "main".into(),
        constants: std::collections::BTreeMap::new(),
        buffers: Vec::new(),
        uniforms: None,
        grid: [1, 1, 1],
        features: std::collections::BTreeSet::new(),
    };
    let prepared = gpu.prepare(&program, &reflect(&program).ok()?, Checks::Off).await.ok()?;
    gpu.time_alone(&prepared, DISPATCHES, 0).await.ok()?;
    let sample = gpu.time_alone(&prepared, DISPATCHES, 0).await.ok()?;
    Some(sample.gpu_ns.unwrap_or(sample.host_ns) / f64::from(DISPATCHES))
}

fn reflect(program: &Program) -> Result<Reflection, String> {
    crate::shader::Shader::parse(&program.wgsl)
        .and_then(|shader| shader.specialise(&program.entry_point, &program.constants))
        .map(|shader| shader.reflection().clone())
        .map_err(|error| error.to_string())
}

/// The run's footprint of which `bytes` is the row's.
const fn bytes_of_run(footprint: Footprint, bytes: u64) -> u64 {
    match footprint {
        Footprint::Divided(n) => bytes << (2 * n),
        Footprint::Run | Footprint::Bytes(_) => bytes,
    }
}

/// Rows that are measured in every run, because others are compared with them.
fn references() -> Vec<Choice> {
    let row = |kernel: &str, element: &'static str, items: u32| {
        let kernel = by_id(kernel)?;
        let params = kernel.defaults().with("element", element).with("items", items);
        Some(Choice { kernel, params, footprint: Footprint::Run, preset: None })
    };
    let rows = [
        ("read", "f32", 8),
        ("read", "vec4", 2),
        ("write", "f32", 4),
        ("write", "vec4", 1),
        ("copy", "f32", 4),
        ("copy", "vec4", 1),
    ];
    rows.into_iter().filter_map(|(kernel, element, items)| row(kernel, element, items)).collect()
}

/// The control row of every round: the plain read.
fn is_control(job: &Job) -> bool {
    job.choice.kernel.id == "read"
        && job.choice.params == job.choice.kernel.defaults()
        && job.choice.footprint == Footprint::Run
        && !job.checked
}
