//! Changes of the text that make a line cheaper. One is offered only after it has been executed on the same inputs: it
//! writes what the text wrote, its addresses show that it means the same, its line costs less, and no other line costs
//! more beyond its ideal.

mod block;
mod pad;
mod split;
mod swap;
mod tokens;
mod trial;
mod witness;

use std::sync::atomic::AtomicBool;

use crate::memory_model::MemoryModel;
use crate::program::Program;
use crate::record::prediction::{AccessCount, Cure, Edit, PredictionDocument};
use crate::shader::Specialised;
use crate::trace::Space;

use tokens::{Patch, Text};
use trial::{Before, Trial, with_noise};
use witness::Proof;

/// Accesses for which a change is looked for: those that cost most beyond their ideal.
const MOST_TARGETS: usize = 6;
/// Below this share of all that is paid, a line is not worth a change.
const WORTH: f64 = 0.02;

/// A change to try.
struct Candidate {
    kind: &'static str,
    /// What to do.
    text: String,
    patches: Vec<Patch>,
    /// The changed text, and what else it needs to run on the same inputs.
    program: Program,
    /// What shows that it means the same, beside what it writes.
    proof: Proof,
}

/// A program with some of its text changed, on another grid.
fn changed(program: &Program, text: &Text<'_>, patches: &[Patch], grid: [u32; 3]) -> Program {
    Program { wgsl: text.patched(patches).into(), grid, ..program.clone() }
}

/// The cures of a document's costliest accesses, the best first.
pub(super) fn cures(
    program: &Program,
    shader: &Specialised,
    document: &PredictionDocument,
    model: &MemoryModel,
    cancel: Option<&AtomicBool>,
) -> Vec<Cure> {
    let program = &with_noise(program, &document.needs);
    let text = Text::new(&program.wgsl);
    let mut cures: Vec<Cure> = Vec::new();
    let mut before = Before::new(program, model, cancel);
    for target in targets(document) {
        if cures.iter().any(|cure| cure.line == target.line && cure.variable == target.variable) {
            continue;
        }
        let cure = match target.space {
            Space::Workgroup => best(&mut before, &text, target, pad::candidates(program, &text, shader, target)),
            Space::Storage | Space::Uniform => {
                let ways: [&dyn Fn() -> Vec<Candidate>; 3] = [
                    &|| swap::candidates(program, &text, shader),
                    &|| block::candidates(program, &text, target),
                    &|| split::candidates(program, &text, shader, target),
                ];
                ways.iter().find_map(|way| best(&mut before, &text, target, way()))
            }
        };
        cures.extend(cure);
    }
    let gain = |cure: &Cure| cure.before.saturating_sub(cure.after);
    cures.sort_by_key(|cure| std::cmp::Reverse(gain(cure)));
    // One change often helps several lines: it is offered once, for the line that gains most.
    let mut distinct: Vec<Cure> = Vec::new();
    for cure in cures {
        match distinct.iter_mut().find(|other| other.edits == cure.edits) {
            Some(other) if other.line == cure.line || other.also_lines.contains(&cure.line) => {}
            Some(other) => other.also_lines.push(cure.line),
            None => distinct.push(cure),
        }
    }
    distinct
}

/// The accesses worth a change.
fn targets(document: &PredictionDocument) -> Vec<&AccessCount> {
    let mut targets: Vec<&AccessCount> = Vec::new();
    for space in [Space::Storage, Space::Workgroup] {
        let of = |access: &&AccessCount| (access.space == Space::Workgroup) == (space == Space::Workgroup);
        let paid: u64 = document.accesses.iter().filter(of).map(AccessCount::cost).sum();
        let worth = |access: &&AccessCount| access.excess() as f64 > WORTH * paid as f64;
        targets.extend(document.accesses.iter().filter(of).filter(worth));
    }
    targets.sort_by_key(|access| std::cmp::Reverse(access.excess()));
    targets.truncate(MOST_TARGETS);
    targets
}

/// The candidate with the greatest gain, if any has one.
fn best(before: &mut Before<'_>, text: &Text<'_>, target: &AccessCount, candidates: Vec<Candidate>) -> Option<Cure> {
    let mut best: Option<(u64, Cure)> = None;
    for candidate in candidates {
        let Some(trial) = before.try_out(&candidate, target) else { continue };
        if best.as_ref().is_none_or(|(least, _)| trial.after < *least) {
            best = Some((trial.after, cure(text, target, &candidate, &trial)));
        }
    }
    best.map(|(_, cure)| cure)
}

fn cure(text: &Text<'_>, target: &AccessCount, candidate: &Candidate, trial: &Trial) -> Cure {
    let unit = if target.sectors.is_some() { "sectors" } else { "wavefronts" };
    let &Trial { before, after, all_before, all_after } = trial;
    let gain = if after == 0 {
        // Its loads have become another line's.
        format!(
            "line {} pays no {unit} instead of {before}, all lines {all_after} instead of {all_before}",
            target.line
        )
    } else {
        let times = before as f64 / after as f64;
        format!("{before} to {after} {unit} on line {}, {times:.1} times fewer", target.line)
    };
    Cure {
        line: target.line,
        variable: target.variable.clone(),
        kind: candidate.kind.to_owned(),
        text: format!("{}: {gain}", candidate.text),
        edits: text
            .patched_lines(&candidate.patches)
            .into_iter()
            .map(|(line, text)| Edit { line, text: text.trim().to_owned() })
            .collect(),
        before,
        after,
        unit: unit.to_owned(),
        also_lines: Vec::new(),
    }
}
