//! A rung of the matmul ladder: which outputs its first workgroup, its first subgroup and its lanes own, as the stores to
//! C show it; and its counts.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::engine::matmul::counts;
use crate::engine::predict::predict;
use crate::plan::Plan;
use crate::record::Matmul;
use crate::trace::AccessKind;

use super::Key;
use super::workgroup::WorkgroupTrace;

/// What the first workgroup of a rung computes.
#[derive(Debug, Clone, PartialEq)]
pub struct RungTile {
    /// The text that was executed.
    pub wgsl: Arc<str>,
    /// Rows, columns and depth of the whole product.
    pub product: [u64; 3],
    /// Rows and columns of outputs of the workgroup.
    pub size: [usize; 2],
    /// The lane of each output, row by row; [`RungTile::NOBODY`] where none stores it.
    pub owners: Vec<u32>,
    /// Columns of A (rows of B) that the workgroup takes at a time.
    pub depth: usize,
    /// Lanes of the workgroup.
    pub lanes: usize,
    /// Lanes of a subgroup.
    pub subgroup: usize,
}

impl RungTile {
    /// In place of a lane.
    pub const NOBODY: u32 = u32::MAX;

    /// What the stores to C and the first load of A show.
    fn of(plan: &Plan, trace: &WorkgroupTrace) -> Result<Self, String> {
        let product = plan.oracle.product.as_ref().ok_or("this kernel is no matrix product")?;
        let (shape, stored) = (product.shape(), product.stored());
        let outputs = outputs(trace, stored.n);
        let bounds = |of: fn(&Output) -> u64| {
            let (low, high) = outputs.iter().map(of).fold((u64::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
            (low < u64::MAX).then(|| (low, usize::try_from(high - low + 1).unwrap_or(usize::MAX)))
        };
        let (first_row, rows) =
            bounds(|output| output.row).ok_or("the workgroup stores nothing that could be drawn")?;
        let (first_column, columns) = bounds(|output| output.column).ok_or("the workgroup stores nothing")?;
        let mut owners = vec![Self::NOBODY; rows.saturating_mul(columns)];
        for output in &outputs {
            let at = (output.row - first_row) * columns as u64 + output.column - first_column;
            if let Some(owner) = usize::try_from(at).ok().and_then(|at| owners.get_mut(at)) {
                *owner = output.lane;
            }
        }
        Ok(Self {
            wgsl: trace.wgsl.clone(),
            product: [shape.m, shape.n, shape.k],
            size: [rows, columns],
            owners,
            depth: depth(plan, trace, stored.m, stored.k).ok_or("no load of A was met")?,
            lanes: trace.lanes,
            subgroup: trace.model().subgroup.value as usize,
        })
    }

    /// The lane of an output.
    #[must_use]
    pub fn owner(&self, row: usize, column: usize) -> Option<u32> {
        let owner = self.owners.get(row * self.size[1] + column).copied();
        owner.filter(|owner| *owner != Self::NOBODY && column < self.size[1])
    }

    /// Outputs that the first lane owns.
    #[must_use]
    pub fn outputs_of_first_lane(&self) -> usize {
        self.owners.iter().filter(|owner| **owner == 0).count()
    }

    /// Outputs that the first subgroup owns.
    #[must_use]
    pub fn outputs_of_first_subgroup(&self) -> usize {
        self.owners.iter().filter(|owner| (**owner as usize) < self.subgroup).count()
    }
}

struct Output {
    row: u64,
    column: u64,
    lane: u32,
}

/// Bytes of an element of C.
const OUTPUT_BYTES: u64 = 4;

fn outputs(trace: &WorkgroupTrace, columns: u64) -> Vec<Output> {
    let mut outputs = Vec::new();
    for (number, access) in trace.accesses.iter().enumerate() {
        let Some(site) = trace.site(number).filter(|site| site.name == "c" && site.kind == AccessKind::Store) else {
            continue;
        };
        for lane in access.active.iter() {
            let Some(address) = access.addresses.get(lane) else { continue };
            let first = u64::from(*address) / OUTPUT_BYTES;
            outputs.extend((first..first + u64::from(site.element_bytes) / OUTPUT_BYTES).map(|place| Output {
                row: place / columns.max(1),
                column: place % columns.max(1),
                lane: u32::try_from(lane).unwrap_or(RungTile::NOBODY),
            }));
        }
    }
    outputs
}

/// Columns of A that the workgroup's first load of it covers.
fn depth(plan: &Plan, trace: &WorkgroupTrace, rows: u64, columns: u64) -> Option<usize> {
    let first = (0..trace.accesses.len()).find(|k| trace.site(*k).is_some_and(|site| site.name == "a"))?;
    let (site, access) = (trace.site(first)?, &trace.accesses[first]);
    let bytes = plan.program.buffers.iter().find(|buffer| buffer.name == "a")?.bytes;
    let element = (bytes / (rows * columns).max(1)).max(1);
    let mut touched: Vec<u64> = access
        .active
        .iter()
        .filter_map(|lane| access.addresses.get(lane))
        .flat_map(|address| {
            let place = u64::from(*address) / element;
            place..place + (u64::from(site.element_bytes) / element).max(1)
        })
        .map(|place| place % columns.max(1))
        .collect();
    touched.sort_unstable();
    touched.dedup();
    Some(touched.len())
}

/// Depth at which the tile is traced: enough for every rung's step, little enough to be quick.
pub(super) const TRACED_DEPTH: u32 = 64;
/// Depth at which a rung is counted where nobody asks for another: counts for each multiply-add hardly depend on it.
pub(super) const COUNTED_DEPTH: u32 = 256;

pub(super) fn tile((pattern, setup): &Key) -> Result<RungTile, String> {
    let plan = pattern.with("k", TRACED_DEPTH).plan(setup)?;
    RungTile::of(&plan, &WorkgroupTrace::record(&plan, &setup.model)?)
}

pub(super) fn count((pattern, setup): &Key) -> Result<Matmul, String> {
    let plan = pattern.with("k", COUNTED_DEPTH).plan(setup)?;
    let prediction = predict(&plan, &setup.model, &AtomicBool::new(false)).map_err(|error| error.to_string())?;
    counts(&plan, &prediction).ok_or_else(|| "this kernel is no matrix product".to_owned())
}
