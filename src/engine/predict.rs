//! A plan's prediction: a sample of its workgroups is interpreted, and what they touch is counted.

use std::sync::atomic::AtomicBool;

use crate::interpreter::{InterpretError, Interpreter, Options, Workgroups};
use crate::memory_model::MemoryModel;
use crate::plan::Plan;
use crate::predict::{Counter, Prediction, Scope};
use crate::program::Block;

/// Blocks of consecutive workgroups that a sample has: at the start, the middle and the end of the grid.
const BLOCKS: u64 = 3;
/// Most workgroups of a block.
const MOST_IN_BLOCK: u64 = 16;
/// Loads that a block is meant to hold at most, so that a heavy workgroup is not interpreted sixteen times over.
const LOADS_IN_BLOCK: u64 = 1 << 18;

/// The workgroups to trace, by number: all of a small grid, else blocks at the start, the middle and the end. The last
/// workgroup of all, which may have a ragged tail, stands for itself alone in a large grid: it is left out.
#[must_use]
pub fn sample(groups: u64, loads: u64) -> Vec<u64> {
    let per_group = (loads / groups.max(1)).max(1);
    let block = (LOADS_IN_BLOCK / per_group).clamp(1, MOST_IN_BLOCK);
    if groups <= BLOCKS * block {
        return (0..groups).collect();
    }
    let middle = (groups - block) / 2;
    [0, middle, groups - 1 - block].into_iter().flat_map(|start| start..start + block).collect()
}

/// The grid position of workgroup `number` of a folded grid.
#[must_use]
pub fn position(number: u64, grid: [u32; 3]) -> [u32; 3] {
    let columns = u64::from(grid[0].max(1));
    let narrow = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    [narrow(number % columns), narrow(number / columns), 0]
}

/// What the plan should cost under a memory model.
///
/// # Errors
/// Where the interpreter cannot execute the kernel.
pub fn predict(plan: &Plan, model: &MemoryModel, cancel: &AtomicBool) -> Result<Prediction, InterpretError> {
    let numbers = sample(plan.groups, plan.work.useful_loads.max(plan.work.flop));
    let workgroups = numbers.iter().map(|number| position(*number, plan.program.grid)).collect();
    let interpreter = Interpreter::with_subgroup(&plan.program, plan.subgroup())?;
    let mut counter = Counter::new(model);
    let options = Options {
        workgroups: Workgroups::List(workgroups),
        block: Block::Phase(0),
        keep_stores: false,
        values: false,
        extrapolate: true,
        cancel: Some(cancel),
        ..Options::default()
    };
    interpreter.run(&options, &mut counter)?;
    let buffer_bytes = plan.program.buffers.iter().map(|buffer| (buffer.name.clone(), buffer.bytes)).collect();
    Ok(counter.finish(&Scope { total_workgroups: plan.groups, buffer_bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_grids_are_traced_whole_and_large_ones_in_three_blocks() {
        assert_eq!(sample(5, 5), [0, 1, 2, 3, 4]);
        let large = sample(1_000_000, 256_000_000);
        assert_eq!((large.len(), large[0], large[47]), (48, 0, 999_998));
        // 65536 loads a workgroup: four of them in a block.
        assert_eq!(sample(1000, 65_536_000).len(), 12);
    }

    #[test]
    fn numbers_fold_as_the_shader_unfolds_them() {
        assert_eq!(position(70_000, [65_000, 2, 1]), [5000, 1, 0]);
    }
}
