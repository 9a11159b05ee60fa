//! Runs a program for all models, as far as it goes.

use super::anatomy::Anatomy;
use super::columns::{Counters, Variants, finish};
use super::sample::{Trace, total, workgroups};
use super::tally::{SiteTally, Tally};
use super::{Settings, Stop};
use crate::interpreter::{InterpretError, Interpreter, Options, Outcome, TextureUse, Unsupported, Workgroups};
use crate::memory_model::MemoryModel;
use crate::predict::{Both, Counter, Prediction, Scope};
use crate::program::Program;
use crate::trace::Observer;

/// What an execution left.
pub(super) struct Execution {
    /// One for each of [`Variants::facts`].
    pub(super) predictions: Vec<Prediction>,
    /// What the causes are told from.
    pub(super) sites: Vec<SiteTally>,
    /// Why it ended early.
    pub(super) stop: Option<Stop>,
    /// What was not executed at all.
    pub(super) unsupported: Vec<Unsupported>,
    /// Accesses to textures, which have no addresses; of an execution that came to its end.
    pub(super) textures: Vec<TextureUse>,
}

/// Executes a program and counts for all variants.
///
/// # Errors
/// What keeps it from beginning. What ends it later is in [`Execution::stop`].
pub(super) fn execute(
    program: &Program,
    size: [u32; 3],
    anatomy: &Anatomy,
    variants: &Variants,
    settings: &Settings<'_>,
) -> Result<Execution, InterpretError> {
    let buffer_bytes = program.buffers.iter().map(|buffer| (buffer.name.clone(), buffer.bytes)).collect();
    let scope = Scope { total_workgroups: total(program.grid), buffer_bytes };
    let Some(first) = variants.facts.first() else {
        return Err(InterpretError::Program("no memory model is named".to_owned()));
    };
    let width = first.subgroup.value;
    let others = || {
        let heard = |facts: &&MemoryModel| !anatomy.by_subgroup || facts.subgroup.value == width;
        Counters(variants.facts.iter().skip(1).filter(heard).map(Counter::new).collect())
    };
    let lanes = size.iter().map(|n| u64::from(*n)).product::<u64>();
    let run = Run { program, settings, lanes };
    let (Both(tally, others), mut stop, outcome) = run.run(width, || Both(Tally::new(first, size), others()))?;
    let Tally { counter, sites, .. } = tally;
    let mut heard = std::iter::once(counter).chain(others.0);
    let mut counters: Vec<Option<Counter>> = variants
        .facts
        .iter()
        .map(|facts| if anatomy.by_subgroup && facts.subgroup.value != width { None } else { heard.next() })
        .collect();
    // What subgroups compute together depends on their width: another width is another execution.
    for width in variants.widths().into_iter().skip(1).filter(|_| anatomy.by_subgroup) {
        let of_width = |facts: &&MemoryModel| facts.subgroup.value == width;
        let counters_of_width = || Counters(variants.facts.iter().filter(of_width).map(Counter::new).collect());
        let (heard, stopped, _) = run.run(width, counters_of_width)?;
        stop = stop.or(stopped);
        let places = variants.facts.iter().enumerate().filter(|(_, facts)| facts.subgroup.value == width);
        for ((place, _), counter) in places.zip(heard.0) {
            counters[place] = Some(counter);
        }
    }
    let predictions = finish(counters.into_iter().flatten().collect(), &scope);
    Ok(Execution { predictions, sites, stop, unsupported: outcome.unsupported, textures: outcome.textures })
}

struct Run<'a> {
    program: &'a Program,
    settings: &'a Settings<'a>,
    lanes: u64,
}

impl Run<'_> {
    /// One execution at one width. How many workgroups a sample has is decided by what the first one costs.
    fn run<O: Observer>(
        &self,
        width: u32,
        observer: impl Fn() -> O,
    ) -> Result<(O, Option<Stop>, Outcome), InterpretError> {
        let interpreter = Interpreter::partial(self.program, width)?;
        let trace = self.settings.trace;
        let mut work = 1;
        if trace == Trace::Sample && total(self.program.grid) > 1 {
            let first = vec![[0; 3]];
            let mut probe = observer();
            let (outcome, stop) = self.execute(&interpreter, Workgroups::List(first.clone()), &mut probe)?;
            work = outcome.accesses.saturating_mul(self.lanes);
            if stop.is_some() || workgroups(trace, self.program.grid, work) == Workgroups::List(first) {
                return Ok((probe, stop, outcome));
            }
        }
        let mut heard = observer();
        let (outcome, stop) = self.execute(&interpreter, workgroups(trace, self.program.grid, work), &mut heard)?;
        Ok((heard, stop, outcome))
    }

    /// What the execution did, nothing where it ended early, and what ended it.
    fn execute(
        &self,
        interpreter: &Interpreter<'_>,
        workgroups: Workgroups,
        observer: &mut dyn Observer,
    ) -> Result<(Outcome, Option<Stop>), InterpretError> {
        let options = Options {
            workgroups,
            keep_stores: false,
            values: !self.settings.shortcuts,
            extrapolate: self.settings.shortcuts,
            step_budget: self.settings.max_steps,
            cancel: self.settings.cancel,
            ..Options::default()
        };
        match interpreter.run(&options, observer) {
            Ok(outcome) => Ok((outcome, None)),
            Err(error) => {
                let unsupported = interpreter.unsupported().to_vec();
                Stop::of(error).map(|stop| (Outcome { unsupported, ..Outcome::default() }, Some(stop)))
            }
        }
    }
}
