//! The run loop as a story: choose, plan, predict, verify, warm up, measure, conclude.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::gpu::{Gpu, GpuError};
use crate::kernels::matmul as matmul_ladder;
use crate::kernels::suite::{Choice, Footprint};
use crate::kernels::{Setting, by_id};
use crate::memory_model::MemoryModel;
use crate::platform::{Instant, now};
use crate::program::{Limits, Program};
use crate::record::{Results, Status, Warning};

use super::conclude::{self, Clock};
use super::device::{self, Device};
use super::event::{Event, Stage};
use super::footprint;
use super::job::{Direction, Job, Role};
use super::matmul;
use super::own::{Own, own};
use super::predict::predict;
use super::prologue::{self, Opened};
use super::request::{ChecksMode, Request};
use super::size::{self, Reduced};

/// Why there are no results at all.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The request is wrong; the text names what and the cure.
    #[error("{0}")]
    Usage(String),
}

/// The default footprint is not halved below this.
const SMALLEST_FOOTPRINT: u64 = 1 << 20;

/// A run in progress.
pub(super) struct Run<'a> {
    pub request: &'a Request,
    sink: &'a mut dyn FnMut(Event),
    pub cancel: &'a AtomicBool,
    started: Instant,
    /// When the rows at hand began, seconds after the start: shares of the time limit are of what was left then.
    phase_from_s: f64,
    pub setting: Setting,
    /// A size of the matmul ladder below the default.
    reduced: Option<Reduced>,
    pub results: Results,
    model: MemoryModel,
    /// Where the model's fetch granule comes from.
    fetch_origin: String,
    pub jobs: Vec<Job>,
    /// The user's own shaders; their rows follow those of `jobs`.
    pub own: Vec<Own>,
}

/// Runs what is asked for and reports as it goes. Where there is no adapter, or only predictions are asked for,
/// `results.adapter` is `None` and every row is skipped with its prediction.
///
/// # Errors
/// Only for a wrong request; everything else becomes a row or a warning.
pub async fn run(request: &Request, sink: &mut dyn FnMut(Event), cancel: &AtomicBool) -> Result<Results, EngineError> {
    run_on(&mut Device::default(), request, sink, cancel).await
}

/// As [`run`], on a device that is open already, or stays open for the next run.
///
/// # Errors
/// As [`run`].
pub async fn run_on(
    device: &mut Device,
    request: &Request,
    sink: &mut dyn FnMut(Event),
    cancel: &AtomicBool,
) -> Result<Results, EngineError> {
    let choices = request.choices().map_err(EngineError::Usage)?;
    let Opened { mut gpu, results, model, facts } = prologue::open(request, device).await?;
    let device_limits = gpu.as_ref().map(Gpu::limits);
    let own = match own(request, &model, device_limits.as_ref(), cancel) {
        Ok(own) => own,
        Err(text) => {
            if let (Some(gpu), Ok(choice)) = (gpu, device::choice(request)) {
                device.keep(choice, gpu);
            }
            return Err(EngineError::Usage(text));
        }
    };
    let limits = device_limits.unwrap_or(Limits::WITHOUT_DEVICE);
    let software = results.is_software();
    let setting = Setting {
        footprint_bytes: footprint::default_bytes(facts.as_ref(), software, results.host.memory_bytes, &limits),
        limits,
        seed: request.seed,
        fill: request.fill,
        size: if software { matmul_ladder::SMALL } else { matmul_ladder::LARGE },
    };
    let mut run = Run {
        request,
        sink,
        cancel,
        started: now(),
        phase_from_s: 0.0,
        setting,
        reduced: None,
        results,
        model,
        fetch_origin: String::new(),
        jobs: Vec::new(),
        own,
    };
    run.plan(&choices, gpu.is_some());
    if let Some(gpu) = &mut gpu {
        run.reduced = size::choose(gpu, request, &setting, &choices, run.jobs.len(), cancel).await;
        run.setting.size = run.reduced.as_ref().map_or(setting.size, |reduced| reduced.size);
        run.plan(&choices, true);
    }
    (run.sink)(Event::Started {
        results: Box::new(run.results.clone()),
        rows: run.jobs.iter().filter(|job| job.role == Role::Asked).count() + run.own.len(),
    });
    if let Some(gpu) = &mut gpu {
        run.reserve(gpu, &choices, false).await;
    }
    run.predict_all(if request.fetch.is_some() { "given" } else { "model" });
    run.send_rows();
    match &mut gpu {
        Some(gpu) => {
            let clock = run.execute(gpu).await;
            run.execute_cooperative(gpu, clock).await;
            run.execute_own(gpu, clock).await;
            run.skip_all("interrupted, or the time limit was reached before it was measured");
        }
        None => {
            run.skip_all(if request.predict_only { "predictions only, as asked" } else { "no adapter to measure on" });
        }
    }
    let results = run.finish();
    if let (Some(gpu), Ok(choice)) = (gpu, device::choice(request)) {
        device.keep(choice, gpu);
    }
    Ok(results)
}

impl Run<'_> {
    fn plan(&mut self, choices: &[Choice], measures: bool) {
        let setting = &self.setting;
        let checks: &[bool] = match self.request.checks {
            ChecksMode::Off => &[false],
            ChecksMode::On => &[true],
            ChecksMode::Both => &[false, true],
        };
        self.jobs.clear();
        for choice in choices {
            for checked in checks {
                if let Some(job) = self.jobs.iter_mut().find(|job| job.measures(choice, *checked)) {
                    // The same row by two names is measured once.
                    job.row.preset = job.row.preset.take().or_else(|| choice.preset.map(str::to_owned));
                } else {
                    self.jobs.push(Job::new(choice.clone(), Role::Asked, *checked, setting));
                }
            }
        }
        if let Some(reduced) = &self.reduced {
            for job in self.jobs.iter_mut().filter(|job| size::is_chosen(&job.choice) && job.is_open()) {
                job.row.warnings.push(Warning::new("size_reduced", reduced.text.clone()));
            }
        }
        if measures {
            let cooperative = setting.limits.cooperative.is_some() && self.jobs.iter().any(Job::is_cooperative);
            for choice in self.references(cooperative) {
                if !self.jobs.iter().any(|job| job.measures(&choice, false)) {
                    self.jobs.push(Job::new(choice, Role::Reference, false, setting));
                }
            }
        }
    }

    /// Rows that are measured in every run, because others are compared with them; in a brief one only those of the
    /// directions that were asked for, as in one of the user's shaders. The plain read is among them: it is the control of
    /// every round.
    fn references(&self, cooperative: bool) -> Vec<Choice> {
        let directions: Vec<Direction> =
            self.jobs.iter().map(Job::direction).chain(self.own.iter().map(Own::direction)).collect();
        let few = self.request.brief || !self.own.is_empty();
        let is_needed = |choice: &Choice| {
            let direction = Job::new(choice.clone(), Role::Reference, false, &self.setting).direction();
            direction == Direction::Read || directions.contains(&direction)
        };
        references(cooperative).into_iter().filter(|choice| !few || is_needed(choice)).collect()
    }

    /// Allocates what the rows of cooperative matrices need, or all others. Where that is too much the default footprint is
    /// halved; of footprints that were asked for, and of rows that follow others, the largest end.
    pub(super) async fn reserve(&mut self, gpu: &mut Gpu, choices: &[Choice], cooperative: bool) {
        let mine = |job: &Job| job.is_open() && job.is_cooperative() == cooperative;
        loop {
            let open = self.jobs.iter().filter(|job| mine(job)).filter_map(|job| job.plan.as_ref());
            let programs: Vec<&Program> = open.map(|plan| &plan.program).collect();
            let reserved = gpu.reserve(&programs).await;
            let sizes = self.jobs.iter().filter(|job| mine(job)).filter_map(Job::buffer_bytes);
            let most = sizes.max().unwrap_or_default();
            let largest = |job: &Job| mine(job) && job.buffer_bytes() == Some(most);
            let asked = self.jobs.iter().any(|job| largest(job) && matches!(job.choice.footprint, Footprint::Bytes(_)));
            match reserved {
                Ok(()) => return,
                Err(error @ GpuError::OutOfMemory { .. })
                    if !asked && !cooperative && self.setting.footprint_bytes > SMALLEST_FOOTPRINT =>
                {
                    self.warn("out_of_memory", format!("{error}: the default footprint is halved"));
                    self.setting.footprint_bytes /= 2;
                    self.plan(choices, true);
                }
                Err(error @ GpuError::OutOfMemory { .. }) if most > 0 => {
                    for job in self.jobs.iter_mut().filter(|job| largest(job)) {
                        job.end(Status::Failed, format!("did not fit: {error}"));
                    }
                }
                Err(error) => {
                    let all: Vec<usize> = (0..self.jobs.len()).filter(|index| mine(&self.jobs[*index])).collect();
                    self.warn("device_failed", error.to_string());
                    self.fail_all(&all, &error);
                    return;
                }
            }
        }
    }

    fn predict_all(&mut self, fetch_origin: &str) {
        fetch_origin.clone_into(&mut self.fetch_origin);
        self.predict_from(0);
    }

    /// Predicts the jobs from number `first` on.
    pub(super) fn predict_from(&mut self, first: usize) {
        let total = self.jobs.len();
        for index in first..total {
            let job = &mut self.jobs[index];
            let Some(plan) = &job.plan else { continue };
            match predict(plan, &self.model, self.cancel) {
                Ok(prediction) => {
                    job.row.matmul = matmul::counts(plan, &prediction);
                    conclude::predicted(job, prediction, &self.fetch_origin);
                }
                Err(error) => conclude::set_warning(&mut job.row, "no_prediction", Some(error.to_string())),
            }
            self.progress(Stage::Predict, index + 1, total, index);
        }
    }

    /// References, ratios and limits from what was measured so far; rows are sent.
    pub(super) fn compare(&mut self, clock: Clock) {
        self.results.reference = conclude::reference(&self.jobs, self.results.reference.clone());
        conclude::compare(&mut self.jobs, &self.results.reference, clock);
        // A CPU's speeds are not those of what is predicted: there is nothing to explain.
        if self.results.is_software() {
            self.jobs.iter_mut().for_each(|job| job.row.limit = None);
        }
        self.send_rows();
    }

    /// Puts the granule that the run's own stride sweep shows in place of an assumed one, and predicts again.
    pub(super) fn learn_granule(&mut self) {
        let footprint = self.jobs.iter().map(|job| job.choice.footprint).find(|f| !matches!(f, Footprint::Divided(_)));
        self.results.stride_knee = conclude::stride_knee(
            &self.jobs,
            footprint.unwrap_or(Footprint::Run),
            self.results.reference.last_level_cache_bytes,
        );
        if self.request.fetch.is_none()
            && !self.results.is_software()
            && let Some(model) = conclude::with_knee(&self.model, self.results.stride_knee.as_ref())
        {
            self.results.memory_model = serde_json::to_value(&model).unwrap_or_default();
            self.model = model;
            self.predict_all("stride_knee");
        }
    }

    /// Whether the run is cancelled or its time is up.
    pub(super) fn stopped(&self) -> bool {
        self.cancel.load(Ordering::Relaxed) || self.is_late(1.0)
    }

    /// Whether more than this share has passed of the time that the limit left to the rows at hand.
    pub(super) fn is_late(&self, share: f64) -> bool {
        let (elapsed, from) = (self.started.elapsed().as_secs_f64(), self.phase_from_s);
        self.request.time_limit_s.is_some_and(|limit| elapsed > from + share * (limit - from).max(0.0))
    }

    /// Other rows begin.
    pub(super) fn begin_phase(&mut self) {
        self.phase_from_s = self.started.elapsed().as_secs_f64();
    }

    /// When the time limit is reached.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let limit = self.request.time_limit_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())?;
        self.started.checked_add(limit)
    }

    /// Rows that lack samples fail; those that have all of them stay.
    pub(super) fn fail_all(&mut self, indices: &[usize], error: &GpuError) {
        let wanted = self.results.settings.samples as usize;
        for index in indices {
            let job = &mut self.jobs[*index];
            let taken = job.row.measured.as_ref().map_or(0, |measured| measured.samples_ns.len());
            if taken < wanted {
                job.end(Status::Failed, format!("{error} ({taken} of {wanted} samples were taken)"));
            }
        }
    }

    pub(super) fn skip_all(&mut self, reason: &str) {
        for job in &mut self.jobs {
            if job.is_open() && job.row.status == Status::Skipped && job.row.reason.is_none() {
                job.row.reason = Some(reason.to_owned());
            }
        }
        for own in self.own.iter_mut().filter(|own| own.row.status == Status::Skipped) {
            own.row.reason.get_or_insert_with(|| reason.to_owned());
        }
    }

    pub(super) fn warn(&mut self, code: &str, text: impl Into<String>) {
        let warning = Warning::new(code, text);
        self.results.warnings.push(warning.clone());
        (self.sink)(Event::Warning(warning));
    }

    pub(super) fn progress(&mut self, stage: Stage, done: usize, total: usize, index: usize) {
        let what = self.jobs.get(index).map(Job::name).unwrap_or_default();
        self.tell(stage, done, total, what);
    }

    /// Says how far a stage has come.
    pub(super) fn tell(&mut self, stage: Stage, done: usize, total: usize, what: String) {
        (self.sink)(Event::Progress { stage, done, total, what });
    }

    pub(super) fn send_rows(&mut self) {
        let asked = self.jobs.iter().filter(|job| job.role == Role::Asked).map(|job| &job.row);
        for (index, row) in asked.chain(self.own.iter().map(|own| &own.row)).enumerate() {
            (self.sink)(Event::Row { index, row: Box::new(row.clone()) });
        }
    }

    fn finish(mut self) -> Results {
        self.send_rows();
        let cancelled = self.cancel.load(Ordering::Relaxed);
        // A limit that left rows out has ended the run, too.
        let measures = self.results.adapter.is_some() && self.request.time_limit_s.is_some();
        let mut rows = self.jobs.iter().map(|job| &job.row).chain(self.own.iter().map(|own| &own.row));
        let left_out = measures && rows.any(|row| row.status == Status::Skipped);
        self.results.ended = match (cancelled, self.is_late(1.0) || left_out) {
            (true, _) => "interrupted",
            (false, true) => "time_limit",
            (false, false) => "complete",
        }
        .into();
        let (asked, others): (Vec<Job>, Vec<Job>) = self.jobs.into_iter().partition(|job| job.role == Role::Asked);
        self.results.rows =
            asked.into_iter().map(|job| job.row).chain(self.own.into_iter().map(|own| own.row)).collect();
        self.results.control_rows = others.into_iter().map(|job| job.row).collect();
        (self.sink)(Event::Finished { results: Box::new(self.results.clone()), cancelled });
        self.results
    }
}

/// Rows that are measured in every run, because others are compared with them; `cooperative` ones only where a row is.
fn references(cooperative: bool) -> Vec<Choice> {
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
    let plain = |kernel: &str| {
        let kernel = by_id(kernel)?;
        Some(Choice { kernel, params: kernel.defaults(), footprint: Footprint::Run, preset: None })
    };
    let rows = rows.into_iter().filter_map(|(kernel, element, items)| row(kernel, element, items));
    let peaks = ["fma"].into_iter().chain(cooperative.then_some("fma_cooperative"));
    rows.chain(peaks.filter_map(plain)).collect()
}
