//! Which workgroups of a dispatch are executed.

use std::str::FromStr;

use crate::interpreter::Workgroups;

/// Which workgroups are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Trace {
    /// All of them.
    All,
    /// All of a small dispatch; of a larger one blocks at its start, its middle and its end.
    #[default]
    Sample,
    /// This one.
    One([u32; 3]),
}

impl FromStr for Trace {
    type Err = String;

    /// # Errors
    /// The text, and the forms that are understood.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "all" => Ok(Self::All),
            "sample" => Ok(Self::Sample),
            other => {
                let wrong = || format!("'{text}' names no workgroups: write all, sample, or one as X,Y,Z: 0,0,0");
                let mut id = [0; 3];
                let parts: Vec<&str> = other.split(',').collect();
                if parts.is_empty() || parts.len() > 3 {
                    return Err(wrong());
                }
                for (id, part) in id.iter_mut().zip(&parts) {
                    *id = part.trim().parse().map_err(|_| wrong())?;
                }
                Ok(Self::One(id))
            }
        }
    }
}

/// Blocks of a sample.
const BLOCKS: u64 = 3;
/// Most workgroups of a block.
const MOST_IN_BLOCK: u32 = 16;
/// What one block may take: lanes times accesses.
const WORK_IN_BLOCK: u64 = 1 << 22;

/// The workgroups to execute, where one of them does so much work (accesses times lanes).
pub(super) fn workgroups(trace: Trace, grid: [u32; 3], work: u64) -> Workgroups {
    let in_block = u32::try_from(WORK_IN_BLOCK / work.max(1)).unwrap_or(MOST_IN_BLOCK).clamp(1, MOST_IN_BLOCK);
    match trace {
        Trace::All => Workgroups::All,
        Trace::One(id) => Workgroups::List(vec![id]),
        Trace::Sample if total(grid) <= BLOCKS * u64::from(in_block) => Workgroups::All,
        Trace::Sample => Workgroups::List(blocks(grid, in_block)),
    }
}

/// Workgroups of a dispatch.
pub(super) fn total(grid: [u32; 3]) -> u64 {
    grid.iter().map(|n| u64::from(*n)).product()
}

/// Blocks of neighbours at the start, the middle and the end. Where there is room the outermost workgroups at the end
/// are left out: they may have a ragged tail, and there are few of them.
fn blocks(grid: [u32; 3], in_block: u32) -> Vec<[u32; 3]> {
    let side = if in_block >= 16 {
        4
    } else if in_block >= 4 {
        2
    } else {
        1
    };
    let size = match grid {
        [_, 1, 1] => [in_block, 1, 1],
        [1, _, 1] => [1, in_block, 1],
        _ => [side, side, 1],
    };
    let size: [u32; 3] = std::array::from_fn(|k| size[k].min(grid[k]));
    let room: [u32; 3] = std::array::from_fn(|k| grid[k] - size[k]);
    let starts = [[0; 3], room.map(|room| room / 2), room.map(|room| room.saturating_sub(1))];
    let mut ids: Vec<[u32; 3]> = Vec::new();
    for start in starts {
        for z in start[2]..start[2] + size[2] {
            for y in start[1]..start[1] + size[1] {
                ids.extend((start[0]..start[0] + size[0]).map(|x| [x, y, z]));
            }
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    ids.retain(|id| seen.insert(*id));
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(grid: [u32; 3], work: u64) -> Vec<[u32; 3]> {
        match workgroups(Trace::Sample, grid, work) {
            Workgroups::List(ids) => ids,
            Workgroups::All => Vec::new(),
        }
    }

    #[test]
    fn small_dispatches_are_executed_whole() {
        assert_eq!(workgroups(Trace::Sample, [48, 1, 1], 1000), Workgroups::All);
        assert_eq!(workgroups(Trace::Sample, [4, 4, 3], 1000), Workgroups::All);
        assert_eq!(workgroups(Trace::All, [1 << 20, 1, 1], 1), Workgroups::All);
    }

    #[test]
    fn large_ones_in_blocks_of_neighbours() {
        let line = list([1000, 1, 1], 1000);
        assert_eq!((line.len(), line[0], line[16], line[47]), (48, [0, 0, 0], [492, 0, 0], [998, 0, 0]));
        let plane = list([100, 50, 1], 1000);
        assert_eq!((plane.len(), plane[15], plane[16], plane[47]), (48, [3, 3, 0], [48, 23, 0], [98, 48, 0]));
        // A workgroup of 2^24 accesses x lanes: one in each block.
        assert_eq!(list([100, 50, 1], 1 << 24), [[0, 0, 0], [49, 24, 0], [98, 48, 0]]);
    }

    #[test]
    fn words_are_read() {
        assert_eq!("all".parse(), Ok(Trace::All));
        assert_eq!("3,4".parse(), Ok(Trace::One([3, 4, 0])));
        for wrong in ["", "one", "1,2,3,4", "-1,0,0"] {
            assert!(wrong.parse::<Trace>().is_err(), "{wrong}");
        }
    }
}
