//! A row on its way: its choice, its plan, and what is known of it so far.

use crate::kernels::suite::{Choice, Footprint};
use crate::kernels::{Counts, Setting};
use crate::plan::{Plan, plan};
use crate::predict::Prediction;
use crate::program::Feature;
use crate::record::{Row, Status, Work};
use crate::shader::wgsl_sha256;

/// What a row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It was asked for.
    Asked,
    /// It is the denominator of others.
    Reference,
    /// It shows whether another row is held back by its width or by safety checks.
    Twin,
}

/// Which way the bytes of a kernel go: which reference rate it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
    Mixed,
    /// No memory worth comparing.
    None,
}

/// A row on its way.
pub(super) struct Job {
    pub choice: Choice,
    pub role: Role,
    pub checked: bool,
    pub plan: Option<Plan>,
    pub prediction: Option<Prediction>,
    pub row: Row,
}

impl Job {
    /// The job of a choice in a setting. Where there is no plan, its row says why.
    pub(super) fn new(choice: Choice, role: Role, checked: bool, setting: &Setting) -> Self {
        let footprint_bytes = match choice.footprint {
            Footprint::Run => setting.footprint_bytes,
            Footprint::Divided(n) => setting.footprint_bytes >> (2 * n),
            Footprint::Bytes(bytes) => bytes,
        };
        let planned = plan(choice.kernel, &choice.params, &Setting { footprint_bytes, ..*setting });
        let text = planned.as_ref().map_or(choice.kernel.wgsl, |plan| &*plan.program.wgsl);
        let row = Row {
            params: choice.params.iter().map(|(name, value)| (name.to_owned(), value.into())).collect(),
            preset: choice.preset.map(str::to_owned),
            status: if planned.is_ok() { Status::Skipped } else { Status::Unsupported },
            reason: planned.as_ref().err().map(ToString::to_string),
            work: planned
                .as_ref()
                .map_or_else(|_| Work { footprint_bytes, ..Work::default() }, |plan| plan.work.clone()),
            ..Row::unmeasured(choice.kernel.id, wgsl_sha256(text), checked)
        };
        Self { choice, role, checked, plan: planned.ok(), prediction: None, row }
    }

    /// Whether two jobs would measure the same.
    pub(super) fn measures(&self, choice: &Choice, checked: bool) -> bool {
        self.choice.kernel.id == choice.kernel.id
            && self.choice.params == choice.params
            && self.choice.footprint == choice.footprint
            && self.checked == checked
    }

    /// Its name in progress lines.
    pub(super) fn name(&self) -> String {
        let changed: Vec<_> = self
            .choice
            .kernel
            .parameters
            .iter()
            .filter_map(|parameter| {
                let value = self.choice.params.get(parameter.name)?;
                (*value != parameter.default).then(|| format!("{}={value}", parameter.name))
            })
            .collect();
        format!("{} {}", self.choice.kernel.id, changed.join(" ")).trim_end().to_owned()
    }

    /// Which reference rate it is compared with.
    pub(super) fn direction(&self) -> Direction {
        if matches!(self.choice.kernel.counts, Counts::Operations | Counts::Products) {
            return Direction::None;
        }
        match (self.row.work.bytes_read, self.row.work.bytes_written) {
            (0, 0) => Direction::None,
            (_, 0) => Direction::Read,
            (0, _) => Direction::Write,
            (_, _) => Direction::Mixed,
        }
    }

    /// Ends the row with a reason.
    pub(super) fn end(&mut self, status: Status, reason: impl Into<String>) {
        self.row.status = status;
        self.row.reason = Some(reason.into());
        self.plan = None;
    }

    /// Whether it runs on the device of cooperative matrices; not without a plan.
    pub(super) fn is_cooperative(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.program.features.contains(&Feature::CooperativeMatrix))
    }

    /// Whether there is still something to measure.
    pub(super) fn is_open(&self) -> bool {
        self.plan.is_some()
    }
}

impl Job {
    /// Bytes touched between two visits; 0 without a plan.
    pub(super) fn plan_touched(&self) -> u64 {
        self.plan.as_ref().map_or(0, |plan| plan.touched_bytes)
    }

    /// Bytes of all its buffers; `None` without a plan.
    pub(super) fn buffer_bytes(&self) -> Option<u64> {
        self.plan.as_ref().map(|plan| plan.program.buffers.iter().map(|buffer| buffer.bytes).sum())
    }

    /// Bytes from one element of the kernel to the next.
    pub(super) fn pitch(&self) -> u64 {
        u64::from(crate::kernels::element::Element::named(self.choice.params.word("element")).pitch)
    }
}
