//! Runs a user's shader on the device: once to see how long it takes, then in timed samples.

use crate::gpu::{Checks, Gpu, GpuError, Prepared};
use crate::record::Status;
use crate::units::format_ns;

use super::super::conclude::{self, Clock};
use super::super::device;
use super::super::event::Stage;
use super::super::run::Run;
use super::super::sampler::{Sampler, Subject};
use super::Own;

impl Run<'_> {
    /// Measures the user's shaders, one after the other. A device that one of them breaks is replaced for the next.
    pub(in super::super) async fn execute_own(&mut self, gpu: &mut Gpu, clock: Option<Clock>) {
        let Some(clock) = clock else {
            if !self.stopped() {
                let reason =
                    "the device failed while the rows that this one is compared with were measured: run it again";
                self.own.iter_mut().filter(|own| own.is_open()).for_each(|own| own.end(Status::Failed, reason));
            }
            return;
        };
        // Whether the shader before has left the device of no use.
        let mut broken = false;
        for number in 0..self.own.len() {
            if self.stopped() {
                return;
            }
            self.own_progress(Stage::Verify, number);
            if !self.own[number].is_open() {
                continue;
            }
            if broken || gpu.lost().is_some() {
                if let Err(error) = self.renew(gpu).await {
                    self.own[number].end(Status::Failed, error.to_string());
                    continue;
                }
                broken = false;
            }
            if let Err(error) = self.run_own(gpu, number, clock).await {
                let status = if error.is_unsupported() { Status::Unsupported } else { Status::Failed };
                let loops = self.own[number].loops_on();
                let text = match (error.is_fatal(), loops) {
                    (true, Some(buffer)) => format!("{error}: contents of {buffer} decide when a loop ends"),
                    _ => error.to_string(),
                };
                self.own[number].end(status, text);
                broken |= error.is_fatal();
            }
            conclude::compare_own(&mut self.own[number], &self.results.reference);
            self.send_rows();
        }
    }

    /// Opens the device again.
    async fn renew(&self, gpu: &mut Gpu) -> Result<(), GpuError> {
        let choice = device::choice(self.request).map_err(GpuError::Internal)?;
        *gpu = Gpu::open(&choice).await?;
        Ok(())
    }

    async fn run_own(&mut self, gpu: &mut Gpu, number: usize, clock: Clock) -> Result<(), GpuError> {
        let own = &self.own[number];
        let checks = if own.unchecked { Checks::Off } else { Checks::On };
        let prepared = gpu.prepare(&own.program, &own.reflection, checks).await?;
        let longest_ns = gpu.longest_submission_ns();
        let first = gpu.run_for_verification_while(&prepared, &mut |_| true).await?;
        // The first run of a shader may have had to wait for the driver's compiler: a second one decides.
        let second = if first.is_some_and(|run| run.whole_ns > longest_ns) && !self.stopped() {
            gpu.run_for_verification_while(&prepared, &mut |_| true).await?
        } else {
            first
        };
        if let Some(run) = second.filter(|run| run.whole_ns > longest_ns) {
            let text = format!(
                "one dispatch takes {}, more than the {} after which drivers may reset a device: give fewer workgroups by \
                 --dispatch, or less work",
                format_ns(run.whole_ns),
                format_ns(longest_ns)
            );
            self.own[number].end(Status::Failed, text);
            return Ok(());
        }
        let subject = self.sample_own(gpu, number, prepared, clock).await?;
        let wanted = self.results.settings.samples;
        let own = &mut self.own[number];
        if subject.samples_ns.is_empty() {
            return Ok(());
        }
        conclude::measured(&mut own.row, false, &subject, wanted, clock);
        own.row.status = Status::Ok;
        own.row.reason = None;
        Ok(())
    }

    /// All timed samples of a shader. One that feeds on what it writes gets its contents again before every dispatch, so that
    /// each does the work that was counted.
    async fn sample_own(
        &mut self,
        gpu: &mut Gpu,
        number: usize,
        prepared: Prepared,
        clock: Clock,
    ) -> Result<Subject, GpuError> {
        let (rounds, software) = (self.results.settings.samples, self.results.is_software());
        let (cancel, deadline) = (self.cancel, self.deadline());
        let (source, floor_ns) = (clock.source, clock.host_floor_ns);
        let mut subject = Subject::new(prepared);
        let mut sampler = Sampler { gpu, source, floor_ns, cancel, deadline, software, implausible: 0 };
        if self.own[number].feeds_itself() {
            for _ in 0..rounds {
                if self.stopped() {
                    break;
                }
                sampler.gpu.restore(&subject.prepared).await?;
                let sample = sampler.gpu.time_alone(&subject.prepared, 1, 0).await?;
                subject.samples_ns.extend(sampler.time_ns(&sample));
                self.own_progress(Stage::Measure, number);
            }
            return Ok(subject);
        }
        sampler.warm_up(&mut subject).await?;
        let mut subjects = [subject];
        for _ in 0..rounds {
            if self.stopped() {
                break;
            }
            sampler.round(&mut subjects, &[0]).await?;
            self.own_progress(Stage::Measure, number);
        }
        let [subject] = subjects;
        Ok(subject)
    }

    fn own_progress(&mut self, stage: Stage, number: usize) {
        let what = self.own.get(number).map_or_else(String::new, |Own { row, .. }| row.kernel.clone());
        self.tell(stage, number, self.own.len(), what);
    }
}
