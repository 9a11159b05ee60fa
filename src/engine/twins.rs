//! Twins: rows that nobody asked for, measured to tell why an asked one falls short of its prediction.

use crate::gpu::Gpu;
use crate::kernels::suite::Choice;

use super::conclude;
use super::job::{Job, Role};
use super::run::Run;

impl Run<'_> {
    /// Measures the twins of rows that fall short of their prediction: more bytes in flight at equal traffic.
    pub(super) async fn measure_twins(&mut self, gpu: &mut Gpu) {
        let first = self.jobs.len();
        for index in 0..first {
            let job = &self.jobs[index];
            if !conclude::needs_twin(job) {
                continue;
            }
            let Some(params) = conclude::width_twin(&job.choice) else { continue };
            let choice = Choice { params, preset: None, ..job.choice.clone() };
            let checked = job.checked;
            if !self.jobs.iter().any(|other| other.measures(&choice, checked)) {
                let twin = Job::new(choice, Role::Twin, checked, &self.setting);
                self.jobs.push(twin);
            }
        }
        let twins = first..self.jobs.len();
        if twins.is_empty() || self.stopped() {
            return;
        }
        self.predict_from(first);
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
