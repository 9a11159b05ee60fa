//! Long dispatches in parts: a range of workgroups at a time, each in a submission of its own, so that none holds the
//! device for longer than watchdogs allow.

use std::ops::Range;

use super::device::Gpu;
use super::error::GpuError;
use super::pipeline::Prepared;
use crate::program::{Block, FIRST_GROUP, GROUPS, Uniforms};
use crate::shader::{Binding, Reflection};

/// No submission may take longer, ns: operating systems reset a device that does not answer (Windows after 2 s), and a
/// desktop on the same device stands still meanwhile.
pub const LONGEST_SUBMISSION_NS: f64 = 200e6;
/// The share of the longest submission that parts aim at: the time of the next one is a guess from the last.
pub const AIM: f64 = 0.5;
/// The first workgroups may all have run at once: no part has more than this many times the workgroups of the last.
const GROWTH: f64 = 8.0;

/// How many workgroups the next part of a dispatch may have: one at first, then as the parts so far allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    groups: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { groups: 1 }
    }
}

impl Pace {
    /// Workgroups of the next part.
    #[must_use]
    pub const fn groups(self) -> u64 {
        self.groups
    }

    /// Learns from a part that so many workgroups took so long.
    pub fn took(&mut self, groups: u64, ns: f64, longest_ns: f64) {
        let times = (AIM * longest_ns / ns.max(1.0)).min(GROWTH);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 8 times a count")]
        let fits = ((groups as f64 * times) as u64).max(1);
        // The last part of a dispatch is smaller than it might be: it says little of larger ones.
        if groups >= self.groups || fits < self.groups && times < 1.0 {
            self.groups = fits;
        }
    }
}

/// How far a dispatch in parts has come, by the host's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Time of the parts so far, ns.
    pub elapsed_ns: f64,
    /// The same without the first part: some drivers compile a shader when it is first run.
    pub settled_ns: f64,
    /// Time that all workgroups should take, ns: by the largest part, since small ones do not fill the device, or by all
    /// but the first, since one may have had to wait; the shorter time of the two.
    pub whole_ns: f64,
    /// Parts so far.
    pub parts: u32,
    /// The longest of them, ns.
    pub longest_ns: f64,
}

/// What a program needs to run in parts.
pub(super) struct Parts {
    /// Workgroups with work.
    pub groups: u64,
    /// Where the uniform block holds the first workgroup, and where the end of the range.
    first_at: usize,
    end_at: usize,
}

impl Parts {
    /// `None` where the program does not take a range of workgroups.
    pub(super) fn of(uniforms: Option<&Uniforms>, reflection: &Reflection) -> Option<Self> {
        let uniforms = uniforms?;
        let block: &Binding = reflection.binding(&uniforms.name)?;
        let at = |name: &str| {
            block.ty.members().iter().find(|member| member.name == name).map(|member| member.offset as usize)
        };
        let groups = uniforms.values.get(GROUPS)?.bits();
        Some(Self { groups: groups.into(), first_at: at(FIRST_GROUP)?, end_at: at(GROUPS)? })
    }

    /// The uniform block of a range of workgroups, from that of the whole.
    pub(super) fn block(&self, whole: &[u8], groups: &Range<u32>) -> Vec<u8> {
        let mut block = whole.to_vec();
        for (at, value) in [(self.first_at, groups.start), (self.end_at, groups.end)] {
            if let Some(slot) = block.get_mut(at..at + 4) {
                slot.copy_from_slice(&value.to_le_bytes());
            }
        }
        block
    }
}

impl Gpu {
    /// The longest that a submission may take, ns: [`LONGEST_SUBMISSION_NS`] but in tests.
    #[must_use]
    pub fn longest_submission_ns(&self) -> f64 {
        self.hooks.longest_submission_ns.unwrap_or(LONGEST_SUBMISSION_NS)
    }

    /// Runs all workgroups of a program once, in parts that begin with one workgroup where the pace is not known and then
    /// grow, each waited for; a program that takes no range of workgroups runs in one piece. `go_on` is asked after each
    /// part but the last; returns `None` where it says no.
    ///
    /// # Errors
    /// A lost or hung device.
    pub async fn run_in_parts(
        &mut self,
        prepared: &Prepared,
        block: Block,
        pace: &mut Pace,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Option<Progress>, GpuError> {
        let (longest_ns, total) = (self.longest_submission_ns(), prepared.groups());
        let mut progress = Progress { elapsed_ns: 0.0, settled_ns: 0.0, whole_ns: 0.0, parts: 0, longest_ns: 0.0 };
        let (mut first, mut settled, mut largest, mut by_largest) = (0, 0, 0, 0.0);
        while first < total {
            let groups = pace.groups().min(total - first);
            let ns = self.run_part(prepared, block, first..first + groups).await?;
            pace.took(groups, ns, longest_ns);
            first += groups;
            progress.parts += 1;
            progress.elapsed_ns += ns;
            progress.longest_ns = progress.longest_ns.max(ns);
            if progress.parts > 1 {
                settled += groups;
                progress.settled_ns += ns;
            }
            if groups >= largest {
                (largest, by_largest) = (groups, ns / groups as f64);
            }
            let by_all = if settled > 0 { progress.settled_ns / settled as f64 } else { f64::INFINITY };
            progress.whole_ns = by_all.min(by_largest) * total as f64;
            if first < total && !go_on(&progress) {
                return Ok(None);
            }
        }
        Ok(Some(progress))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_grow_to_half_of_what_is_allowed_and_shrink_when_they_take_too_long() {
        let mut pace = Pace::default();
        // A device on which every workgroup takes 1 ms, one after the other.
        let sizes: Vec<u64> = (0..4)
            .map(|_| {
                let groups = pace.groups();
                pace.took(groups, groups as f64 * 1e6, 200e6);
                groups
            })
            .collect();
        assert_eq!(sizes, [1, 8, 64, 100]);
        // The rest of a dispatch says nothing of larger parts; a part that took three times as long does.
        pace.took(3, 3e6, 200e6);
        assert_eq!(pace.groups(), 100);
        pace.took(100, 300e6, 200e6);
        assert_eq!(pace.groups(), 33);
        // One workgroup is the least, however slow.
        pace.took(33, 1e12, 200e6);
        assert_eq!(pace.groups(), 1);
    }
}
