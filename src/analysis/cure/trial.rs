//! Running a changed text beside the original, on the same inputs and the same few workgroups.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use super::super::lines::{Sum, by_line};
use super::Candidate;
use super::witness::Witness;
use crate::contents::Contents;
use crate::interpreter::{Interpreter, Memory, Options};
use crate::memory_model::MemoryModel;
use crate::predict::{Both, Counter, Scope};
use crate::program::Program;
use crate::record::prediction::{AccessCount, Need};

/// Most turns of loops and calls of a trial.
const MOST_STEPS: u64 = 200_000;

/// A change that holds: the cost of the line before and after, and that of all lines.
pub(super) struct Trial {
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) all_before: u64,
    pub(super) all_after: u64,
}

/// What a run cost, line by line, what it accessed, and what it wrote.
struct Run {
    lines: BTreeMap<u32, Sum>,
    witness: Witness,
    memory: Memory,
}

/// The original, executed once for each grid of a trial.
pub(super) struct Before<'a> {
    program: &'a Program,
    model: &'a MemoryModel,
    cancel: Option<&'a AtomicBool>,
    runs: BTreeMap<[u32; 3], Option<Run>>,
}

/// The part of a dispatch that a trial executes.
pub(super) fn small(grid: [u32; 3]) -> [u32; 3] {
    [grid[0].min(2), grid[1].min(2), 1]
}

/// The program with random numbers for zeros, in buffers whose contents decide neither addresses nor control flow: what
/// comes out then shows where it came from.
pub(super) fn with_noise(program: &Program, needs: &[Need]) -> Program {
    let mut program = program.clone();
    for (buffer, seed) in program.buffers.iter_mut().zip(1u32..) {
        if buffer.contents == Contents::Zero && needs.iter().all(|need| need.buffer != buffer.name) {
            buffer.contents = Contents::Random { seed };
        }
    }
    program
}

impl<'a> Before<'a> {
    pub(super) fn new(program: &'a Program, model: &'a MemoryModel, cancel: Option<&'a AtomicBool>) -> Self {
        Self { program, model, cancel, runs: BTreeMap::new() }
    }

    /// Executes a changed program; `None` unless it means and writes the same, its line is cheaper and no line is dearer.
    pub(super) fn try_out(&mut self, candidate: &Candidate, target: &AccessCount) -> Option<Trial> {
        let changed = &candidate.program;
        let (program, model, cancel) = (self.program, self.model, self.cancel);
        let before = self.runs.entry(changed.grid).or_insert_with(|| {
            let original = Program { grid: changed.grid, ..program.clone() };
            run(&original, model, cancel)
        });
        let before = before.as_ref()?;
        let after = run(changed, model, cancel)?;
        let paid = |sum: &Sum| if target.sectors.is_some() { sum.sectors } else { sum.wavefronts }.unwrap_or(0);
        let cost = |run: &Run| run.lines.get(&target.line).map_or(0, paid);
        let all = |run: &Run| run.lines.values().map(paid).sum();
        let trial =
            Trial { before: cost(before), after: cost(&after), all_before: all(before), all_after: all(&after) };
        let better = trial.after < trial.before && total(&after) < total(before);
        let proved = || before.witness.agrees(&after.witness, candidate.proof, &target.variable);
        (better && none_is_dearer(before, &after) && proved() && writes_the_same(before, &after)).then_some(trial)
    }
}

fn run(program: &Program, model: &MemoryModel, cancel: Option<&AtomicBool>) -> Option<Run> {
    let interpreter = Interpreter::with_subgroup(program, model.subgroup.value).ok()?;
    let mut observer = Both(Counter::new(model), Witness::default());
    let options = Options { step_budget: MOST_STEPS, cancel, ..Options::default() };
    let outcome = interpreter.run(&options, &mut observer).ok()?;
    let Both(counter, witness) = observer;
    Some(Run { lines: by_line(&counter.finish(&Scope::default()).accesses), witness, memory: outcome.memory })
}

/// Sectors and wavefronts of all lines.
fn total(run: &Run) -> u64 {
    run.lines.values().map(|sum| sum.sectors.unwrap_or(0) + sum.wavefronts.unwrap_or(0)).sum()
}

fn none_is_dearer(before: &Run, after: &Run) -> bool {
    let excess = |cost: Option<u64>, ideal: Option<u64>| cost.unwrap_or(0).saturating_sub(ideal.unwrap_or(0));
    let dearer = |old: &Sum, new: &Sum| {
        excess(new.sectors, new.ideal_sectors) > excess(old.sectors, old.ideal_sectors)
            || excess(new.wavefronts, new.ideal_wavefronts) > excess(old.wavefronts, old.ideal_wavefronts)
            || new.out_of_range > old.out_of_range
    };
    after.lines.iter().all(|(line, new)| !dearer(&before.lines.get(line).copied().unwrap_or_default(), new))
}

/// Whether both left the same words in every buffer that either wrote.
fn writes_the_same(before: &Run, after: &Run) -> bool {
    holds(&before.memory, &after.memory) && holds(&after.memory, &before.memory)
}

/// Whether `other` has all that was written in `memory`.
fn holds(memory: &Memory, other: &Memory) -> bool {
    memory.written_pages().all(|page| {
        let words = (page.first_word..).zip(page.words).enumerate();
        words
            .filter(|(k, _)| page.is_written(*k))
            .all(|(_, (index, word))| other.read_word(page.buffer, index) == Some(*word))
    })
}
