//! Loops whose turns differ in nothing but addresses that grow by fixed steps: a few turns are executed, the others are
//! told to the observer at once.
//!
//! Let S be the variables of the lanes before a turn, and D what the turn before has added to them. [`Steps`] works out,
//! beside a turn that is executed, by how much every value of the turn would grow if S grew by D. If the turn adds D to
//! all variables, and D is also by how much what it leaves in them would grow, then by induction every later turn adds D,
//! all addresses grow by their steps, and no branch goes another way: for as many turns as the comparisons, clamped
//! indices and divisions on the way allow, which is counted. Where turns alternate (two buffers in turns), two, four or
//! eight of them are taken as one.
//!
//! Nothing is guessed: whatever has no step in this sense (products of two values that vary, floats, contents at an
//! address that moves, stores that matter) ends the attempt, and the loop runs turn by turn.

use std::collections::BTreeMap;

use super::control::Budget;
use super::machine::{Counts, Machine};
use super::steps::Steps;
use crate::trace::{Access, LaneMask, Observer, Position};

/// Words of variables above which a loop is not watched: a copy of them would cost more than its turns.
const MOST_WORDS: usize = 1 << 20;
/// How many turns are taken as one, after so many failed attempts; after as many as these a loop is left alone.
const PERIODS: [u32; 4] = [1, 2, 4, 8];
/// Attempts that may fail because lanes left meanwhile, with none between them that did not.
const MOST_SHORT: u32 = 64;
/// Attempts in a row that may save too little before turns are taken to alternate.
const MOST_SMALL: u32 = 3;
/// Turns that an attempt must save.
const LEAST_TURNS: u64 = 2;

/// Which loops are worth an attempt.
#[derive(Default)]
pub(super) struct Repeats {
    /// Whether turns may be told at once.
    pub allowed: bool,
    failures: BTreeMap<Position, Failures>,
    /// The steps of the turn that is being executed.
    pub steps: Option<Box<Steps>>,
    /// Kept for the next attempt.
    spare: Option<Box<Steps>>,
}

/// Attempts on one loop that failed.
#[derive(Default)]
struct Failures {
    /// Because turns differed.
    differing: usize,
    /// Because lanes left.
    short: u32,
    /// Because too few turns were alike.
    small: u32,
}

impl Repeats {
    /// How many turns of a loop the next attempt takes as one, if it is worth another one.
    fn period(&self, position: Position) -> Option<u32> {
        match self.failures.get(&position) {
            None => PERIODS.first().copied(),
            Some(failures) if failures.short >= MOST_SHORT => None,
            Some(failures) => PERIODS.get(failures.differing).copied(),
        }
    }
}

/// How far the attempt on one execution of a loop is.
enum Stage {
    Off,
    /// So many turns have been executed.
    Waiting(u32),
    /// The variables are known, these lanes go on, and so many turns are executed before any is followed.
    Seen {
        active: LaneMask,
        left: u32,
    },
    /// So many turns are followed: the lanes in them, and what had been done before.
    Following {
        active: LaneMask,
        left: u32,
        steps: u64,
        counts: Counts,
    },
}

/// The attempt on one execution of a loop.
pub(super) struct Watch {
    position: Position,
    period: u32,
    stage: Stage,
    /// The variables before the turn that is looked at.
    before: Vec<u32>,
}

impl<O: Observer + ?Sized> Machine<'_, O> {
    /// Begins with a loop.
    pub(super) fn watch(&self, position: Position) -> Watch {
        let repeats = &self.repeats;
        // The turns of a loop inside a turn that is followed are followed with it.
        let possible = repeats.allowed && repeats.steps.is_none() && self.variables() <= MOST_WORDS;
        let period = if possible { repeats.period(position) } else { None };
        let stage = period.map_or(Stage::Off, |_| Stage::Waiting(0));
        Watch { position, period: period.unwrap_or(1), stage, before: Vec::new() }
    }

    /// Words of all variables of the lanes.
    fn variables(&self) -> usize {
        self.code.local_rows as usize * self.code.lanes
    }

    /// Before a turn of these lanes.
    pub(super) fn before_turn(&mut self, watch: &mut Watch, active: &LaneMask, budget: &Budget<'_>) {
        watch.stage = match &watch.stage {
            Stage::Off | Stage::Following { .. } => return,
            // The first turn may differ in many ways, and a loop of one turn is not worth a look.
            Stage::Waiting(0) => Stage::Waiting(1),
            Stage::Seen { active: lanes, left: 1 } if lanes == active => {
                self.follow_from_here(&watch.before, active);
                self.remember(&mut watch.before);
                Stage::Following { active: *active, left: watch.period, steps: budget.steps, counts: self.counts }
            }
            Stage::Seen { active: lanes, left } if lanes == active => Stage::Seen { active: *active, left: left - 1 },
            _ => {
                self.remember(&mut watch.before);
                Stage::Seen { active: *active, left: watch.period }
            }
        };
    }

    fn remember(&self, variables: &mut Vec<u32>) {
        variables.clear();
        variables.extend_from_slice(&self.words[..self.variables()]);
    }

    /// From here on, variables grow by what the last turn has added to them.
    fn follow_from_here(&mut self, before: &[u32], active: &LaneMask) {
        let (lanes, words) = (self.code.lanes, self.code.words);
        let mut steps =
            self.repeats.spare.take().unwrap_or_else(|| Box::new(Steps::new(words, self.variables(), lanes)));
        steps.clear();
        for slot in (0..self.variables()).step_by(lanes) {
            let (now, before) = (&self.words[slot..slot + lanes], &before[slot..slot + lanes]);
            if now != before {
                steps.begin(slot, active, |lane| now[lane].wrapping_sub(before[lane]));
            }
        }
        self.repeats.steps = Some(steps);
    }

    /// After a turn, which these lanes go on from.
    pub(super) fn after_turn(&mut self, watch: &mut Watch, active: &LaneMask, budget: &mut Budget<'_>) {
        let Stage::Following { active: lanes, left, steps: done, counts } = &mut watch.stage else { return };
        *left -= 1;
        if *left > 0 && lanes == active {
            return;
        }
        let (lanes, left, done, counts) = (*lanes, *left, *done, *counts);
        let Some(steps) = self.repeats.steps.take() else { return };
        let spent = (budget.steps - done).max(1);
        // The last turn within the budget is executed, so that it ends where it would have ended.
        let affordable = budget.most.saturating_sub(budget.steps) / spent;
        let together = left == 0 && lanes == *active;
        let alike = together && steps.turns() > 0 && self.grows_again(&steps, &watch.before, active);
        let times = if alike { (steps.turns() - 1).min(affordable) } else { 0 };
        let failures = self.repeats.failures.entry(watch.position).or_default();
        if times * u64::from(watch.period) < LEAST_TURNS {
            if !together {
                failures.short += 1;
            } else if alike && failures.small < MOST_SMALL {
                failures.small += 1;
            } else {
                (failures.differing, failures.small) = (failures.differing + 1, 0);
            }
            let period = self.repeats.period(watch.position);
            watch.period = period.unwrap_or(1);
            watch.stage = period.map_or(Stage::Off, |_| Stage::Waiting(0));
        } else {
            (failures.short, failures.small) = (0, 0);
            self.advance(&steps, active, times);
            budget.steps += times * spent;
            self.counts.advance(counts, times);
            watch.stage = Stage::Waiting(0);
        }
        self.repeats.spare = Some(steps);
    }

    /// Whether the turn has added to all variables what the one before had added, and the next one will.
    fn grows_again(&self, steps: &Steps, before: &[u32], active: &LaneMask) -> bool {
        (0..self.variables()).step_by(self.code.lanes).all(|slot| {
            let added = |lane: usize| self.words[slot + lane].wrapping_sub(before[slot + lane]);
            steps.grows_again(slot, active) && active.iter().all(|lane| added(lane) == steps.first(slot, lane))
        })
    }

    /// Tells of so many more turns, and moves the variables behind them.
    fn advance(&mut self, steps: &Steps, active: &LaneMask, times: u64) {
        for heard in steps.heard() {
            let info = &self.code.accesses[heard.access];
            let access = Access {
                site: heard.site,
                element_bytes: info.element_bytes,
                space: info.space,
                variable: info.variable,
                kind: info.kind,
                addresses: &heard.addresses,
                active: heard.active,
                out_of_range: heard.out_of_range,
                first_strayed: heard.first_strayed,
            };
            self.observer.repeat(&access, &heard.steps, times);
        }
        #[expect(clippy::cast_possible_truncation, reason = "words are numbers modulo 2^32")]
        let turns = times as u32;
        for slot in (0..self.variables()).step_by(self.code.lanes).filter(|slot| steps.grows(*slot)) {
            for lane in active.iter() {
                self.words[slot + lane] =
                    self.words[slot + lane].wrapping_add(steps.first(slot, lane).wrapping_mul(turns));
            }
        }
    }
}

impl Counts {
    /// So many times again what was added since `before`.
    const fn advance(&mut self, before: Self, times: u64) {
        self.lane_expressions += (self.lane_expressions - before.lane_expressions) * times;
        self.accesses += (self.accesses - before.accesses) * times;
        self.out_of_range += (self.out_of_range - before.out_of_range) * times;
    }
}
