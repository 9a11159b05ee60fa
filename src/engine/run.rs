//! The run loop as a story: choose, plan, predict, verify, warm up, measure, conclude.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::gpu::Gpu;
use crate::kernels::suite::{Choice, Footprint};
use crate::kernels::{Counts, Setting, by_id};
use crate::memory_model::MemoryModel;
use crate::platform::{Instant, now};
use crate::program::{Limits, Program};
use crate::record::{Results, Status, Warning};

use super::conclude::{self, Clock};
use super::event::{Event, Stage};
use super::footprint;
use super::job::{Job, Role};
use super::matmul;
use super::predict::predict;
use super::prologue::{self, Opened};
use super::request::{ChecksMode, Request};

/// Why there are no results at all.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The request is wrong; the text names what and the cure.
    #[error("{0}")]
    Usage(String),
}

/// A run in progress.
pub(super) struct Run<'a> {
    pub request: &'a Request,
    sink: &'a mut dyn FnMut(Event),
    pub cancel: &'a AtomicBool,
    started: Instant,
    pub results: Results,
    model: MemoryModel,
    pub jobs: Vec<Job>,
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
    run.predict_all(if request.fetch.is_some() { "given" } else { "model" });
    run.send_rows();
    match &mut gpu {
        Some(gpu) => run.execute(gpu).await,
        None => {
            run.skip_all(if request.predict_only { "predictions only, as asked" } else { "no adapter to measure on" });
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
            for choice in references(choices) {
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
                    job.row.matmul = matmul::counts(plan, &prediction);
                    job.prediction = Some(prediction);
                }
                Err(error) => job.row.warnings.push(Warning::new("no_prediction", error.to_string())),
            }
            self.progress(Stage::Predict, index + 1, total, index);
        }
    }

    /// References, ratios and limits from what was measured so far; rows are sent.
    pub(super) fn compare(&mut self, clock: Clock) {
        self.results.reference = conclude::reference(&self.jobs, self.results.reference.clone());
        conclude::compare(&mut self.jobs, &self.results.reference, clock);
        self.send_rows();
    }

    /// Puts the granule that the run's own stride sweep shows in place of an assumed one, and predicts again.
    pub(super) fn learn_granule(&mut self) {
        let footprint = self.jobs.iter().map(|job| job.choice.footprint).find(|f| !matches!(f, Footprint::Divided(_)));
        self.results.stride_knee = conclude::stride_knee(&self.jobs, footprint.unwrap_or(Footprint::Run));
        if self.request.fetch.is_none()
            && let Some(model) = conclude::with_knee(&self.model, self.results.stride_knee.as_ref())
        {
            self.results.memory_model = serde_json::to_value(&model).unwrap_or_default();
            self.model = model;
            self.predict_all("stride_knee");
        }
    }

    pub(super) fn stopped(&self) -> bool {
        let late = |limit: f64| self.started.elapsed().as_secs_f64() > limit;
        self.cancel.load(Ordering::Relaxed) || self.request.time_limit_s.is_some_and(late)
    }

    pub(super) fn fail_all(&mut self, indices: &[usize], error: &crate::gpu::GpuError) {
        for index in indices {
            if self.jobs[*index].row.status != Status::Ok {
                self.jobs[*index].end(Status::Failed, error.to_string());
            }
        }
    }

    pub(super) fn skip_all(&mut self, reason: &str) {
        for job in &mut self.jobs {
            if job.is_open() && job.row.status == Status::Skipped && job.row.reason.is_none() {
                job.row.reason = Some(reason.to_owned());
            }
        }
    }

    pub(super) fn warn(&mut self, code: &str, text: impl Into<String>) {
        let warning = Warning::new(code, text);
        self.results.warnings.push(warning.clone());
        (self.sink)(Event::Warning(warning));
    }

    pub(super) fn progress(&mut self, stage: Stage, done: usize, total: usize, index: usize) {
        let what = self.jobs.get(index).map(Job::name).unwrap_or_default();
        (self.sink)(Event::Progress { stage, done, total, what });
    }

    pub(super) fn send_rows(&mut self) {
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

/// Rows that are measured in every run, because others are compared with them.
fn references(asked: &[Choice]) -> Vec<Choice> {
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
    let rows = rows.into_iter().filter_map(|(kernel, element, items)| row(kernel, element, items));
    // Arithmetic is measured where a row is about it.
    let ladder = asked.iter().any(|choice| choice.kernel.counts == Counts::Products);
    let fma = by_id("fma").filter(|_| ladder);
    let fma = fma.map(|kernel| Choice { kernel, params: kernel.defaults(), footprint: Footprint::Run, preset: None });
    rows.chain(fma).collect()
}
