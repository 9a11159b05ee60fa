//! Rows of cooperative matrices: after all others, on a device of their own, so that nothing else rests on an
//! experimental feature.

use crate::gpu::{Gpu, GpuError};
use crate::record::Status;

use super::conclude::Clock;
use super::job::Job;
use super::run::Run;

impl Run<'_> {
    /// Verifies and measures the rows of cooperative matrices, with their own reference in the same rounds. Where there
    /// are none they are unsupported, and where their device cannot be had they fail, with the reason. `clock` is the one that other rows were measured by.
    pub(super) async fn execute_cooperative(&mut self, gpu: &mut Gpu, clock: Option<Clock>) {
        if !self.jobs.iter().any(Job::is_cooperative) {
            return;
        }
        let opened = match gpu.cooperative() {
            Ok(_) if self.stopped() => return,
            Ok(_) => {
                gpu.release();
                gpu.open_cooperative().await
            }
            Err(error) => Err(error),
        };
        self.begin_phase();
        match opened {
            Ok(mut own) => {
                self.reserve(&mut own, &[], true).await;
                let subjects = self.verify_all(&mut own, true).await;
                if let Some(own_clock) = self.measure(&mut own, subjects).await {
                    self.compare(clock.unwrap_or(own_clock));
                }
            }
            Err(error) => {
                let lacking = matches!(error, GpuError::NoCooperativeMatrices(_));
                let status = if lacking { Status::Unsupported } else { Status::Failed };
                for job in self.jobs.iter_mut().filter(|job| job.is_cooperative()) {
                    job.end(status, error.to_string());
                }
            }
        }
    }
}
