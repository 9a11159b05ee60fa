//! Twins: rows that nobody asked for, measured to tell why an asked one falls short of its prediction.

use crate::gpu::Gpu;
use crate::kernels::Setting;
use crate::kernels::suite::{Choice, Footprint};

use super::conclude;
use super::job::{Job, Role};
use super::run::Run;

impl Run<'_> {
    /// Measures the twins of rows that fall short of their prediction: more bytes in flight at equal traffic.
    pub(super) async fn measure_twins(&mut self, gpu: &mut Gpu) {
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
        if let Some(clock) = self.measure(gpu, prepared).await {
            self.compare(clock);
        }
    }
}

/// The run's footprint of which `bytes` is the row's.
const fn bytes_of_run(footprint: Footprint, bytes: u64) -> u64 {
    match footprint {
        Footprint::Divided(n) => bytes << (2 * n),
        Footprint::Run | Footprint::Bytes(_) => bytes,
    }
}
