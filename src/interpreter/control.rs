//! Control flow: a workgroup in lockstep under masks of active lanes.

use std::sync::atomic::{AtomicBool, Ordering};

use super::code::{Argument, Atomic, AtomicKind, Case, Function, Node, Root};
use super::error::InterpretError;
use super::flat::Kind;
use super::machine::Machine;
use super::wide::Operand;
use crate::trace::{LaneMask, Observer, Position};

/// Limits of an execution, shared by all its workgroups.
pub(super) struct Budget<'a> {
    pub steps: u64,
    pub most: u64,
    pub cancel: Option<&'a AtomicBool>,
}

/// Lanes that left the block by a jump.
#[derive(Clone, Copy)]
struct Jumps {
    broken: LaneMask,
    continued: LaneMask,
    returned: LaneMask,
}

impl Jumps {
    const NONE: Self = Self { broken: LaneMask::EMPTY, continued: LaneMask::EMPTY, returned: LaneMask::EMPTY };
}

/// One call in execution.
struct Frame<'a> {
    function: &'a Function,
    jumps: Jumps,
}

impl<'a, O: Observer + ?Sized> Machine<'a, O> {
    /// Runs function `number` for the lanes of the mask; arguments are in their slots.
    pub(super) fn run(
        &mut self,
        number: usize,
        mask: &LaneMask,
        budget: &mut Budget<'_>,
    ) -> Result<(), InterpretError> {
        let function = &self.code.functions[number];
        let lanes = self.code.lanes;
        for (first, words) in &function.locals {
            for (row, word) in words.iter().enumerate() {
                let row = &mut self.words[(*first as usize + row) * lanes..][..lanes];
                if mask.count() as usize == lanes {
                    row.fill(*word);
                } else {
                    mask.iter().for_each(|lane| row[lane] = *word);
                }
            }
            if let Some(steps) = &mut self.repeats.steps {
                steps.settle(*first as usize * lanes, words.len(), mask);
            }
        }
        let mut frame = Frame { function, jumps: Jumps::NONE };
        self.block(&function.body, *mask, &mut frame, budget)?;
        Ok(())
    }

    /// Executes statements; returns the lanes that reach the end of them.
    fn block(
        &mut self,
        nodes: &'a [Node],
        mut mask: LaneMask,
        frame: &mut Frame<'a>,
        budget: &mut Budget<'_>,
    ) -> Result<LaneMask, InterpretError> {
        for node in nodes {
            if mask.is_empty() {
                break;
            }
            mask = self.node(node, mask, frame, budget)?;
        }
        Ok(mask)
    }

    fn node(
        &mut self,
        node: &'a Node,
        mask: LaneMask,
        frame: &mut Frame<'a>,
        budget: &mut Budget<'_>,
    ) -> Result<LaneMask, InterpretError> {
        match node {
            Node::Emit { first, end, counted } => {
                self.counts.lane_expressions += counted * u64::from(mask.count());
                let function = frame.function;
                for (expression, needed) in
                    function.expressions[*first..*end].iter().zip(&function.needed[*first..*end])
                {
                    if self.values || *needed {
                        self.evaluate(expression, &mask);
                        if let Some(steps) = &mut self.repeats.steps {
                            steps.follow(expression, &self.code.flats, &self.words, &mask);
                        }
                    } else {
                        self.skip(expression, &mask);
                    }
                }
            }
            Node::Block(nodes) => return self.block(nodes, mask, frame, budget),
            Node::If { needed: false, .. } | Node::Switch { needed: false, .. } if !self.values => {}
            Node::If { condition, accept, reject, .. } => {
                self.decide(*condition, &mask);
                let accepted = self.truth(*condition, &mask);
                let rejected = mask.without(&accepted);
                let accepted = self.block(accept, accepted, frame, budget)?;
                let rejected = self.block(reject, rejected, frame, budget)?;
                return Ok(accepted.or(&rejected));
            }
            Node::Switch { selector, cases, .. } => return self.switch(*selector, cases, mask, frame, budget),
            Node::Loop { .. } => return self.repeat(node, mask, frame, budget),
            Node::Break => {
                frame.jumps.broken = frame.jumps.broken.or(&mask);
                return Ok(LaneMask::EMPTY);
            }
            Node::Continue => {
                frame.jumps.continued = frame.jumps.continued.or(&mask);
                return Ok(LaneMask::EMPTY);
            }
            Node::Return { value, rows } => {
                if let (Some(value), Some((slot, _))) = (value, frame.function.result) {
                    self.copy_rows(*value, slot, *rows, &mask);
                }
                frame.jumps.returned = frame.jumps.returned.or(&mask);
                return Ok(LaneMask::EMPTY);
            }
            Node::Barrier(position) => self.barrier(*position, &mask)?,
            Node::Store { transfer, value, needed } => {
                self.counts.lane_expressions += u64::from(mask.count());
                if self.values || *needed {
                    self.store(transfer, *value, &mask);
                    if let Some(steps) = &mut self.repeats.steps {
                        steps.store(transfer, &self.code.flats[transfer.flat], *value, &self.words, &mask);
                    }
                } else {
                    self.pass(transfer, &mask);
                }
            }
            Node::Atomic(atomic) => self.atomic(atomic, &mask),
            Node::Subgroup(collective) if self.values || collective.needed => {
                self.give_up();
                self.collective(collective, &mask);
            }
            Node::Subgroup(_) => self.counts.lane_expressions += u64::from(mask.count()),
            Node::WriteTexture(writing) => {
                self.give_up();
                self.write_texture(writing, &mask);
            }
            Node::StoreTile { tile, value } => {
                self.counts.lane_expressions += u64::from(mask.count());
                self.store_tile(tile, *value, &mask);
                self.give_up();
            }
            Node::WholeSubgroups { same, position } => {
                self.give_up();
                self.whole_subgroups(same, *position, &mask)?;
            }
            Node::UniformLoad { transfer, result, position, needed } => {
                self.barrier(*position, &mask)?;
                if self.values || *needed {
                    self.load(transfer, *result, &mask);
                    if let Some(steps) = &mut self.repeats.steps {
                        steps.load(transfer, &self.code.flats[transfer.flat], *result, &self.words, &mask);
                    }
                } else {
                    self.pass(transfer, &mask);
                }
            }
            Node::Call { .. } => self.call(node, mask, budget)?,
        }
        Ok(mask)
    }

    /// A barrier needs the whole workgroup: WGSL requires uniform control flow, and a GPU may hang without it.
    fn barrier(&self, position: Position, mask: &LaneMask) -> Result<(), InterpretError> {
        if mask.count() as usize == self.code.lanes {
            Ok(())
        } else {
            Err(InterpretError::DivergentBarrier { position })
        }
    }

    fn copy_rows(&mut self, from: usize, to: usize, rows: u32, mask: &LaneMask) {
        let lanes = self.code.lanes;
        for row in 0..rows as usize {
            let (from, to) = (from + row * lanes, to + row * lanes);
            if mask.count() as usize == lanes {
                self.words.copy_within(from..from + lanes, to);
            } else {
                mask.iter().for_each(|lane| self.words[to + lane] = self.words[from + lane]);
            }
        }
        if let Some(steps) = &mut self.repeats.steps {
            steps.copy(from, to, rows as usize, mask);
        }
    }

    /// Lanes go where these words say: they must say the same in every turn.
    fn decide(&mut self, slot: usize, mask: &LaneMask) {
        if let Some(steps) = &mut self.repeats.steps {
            steps.must_rest(slot, 1, mask);
        }
    }

    /// The turn at hand cannot stand for others.
    pub(super) fn give_up(&mut self) {
        if let Some(steps) = &mut self.repeats.steps {
            steps.give_up();
        }
    }

    fn switch(
        &mut self,
        selector: usize,
        cases: &'a [Case],
        mask: LaneMask,
        frame: &mut Frame<'a>,
        budget: &mut Budget<'_>,
    ) -> Result<LaneMask, InterpretError> {
        self.decide(selector, &mask);
        let outer = std::mem::replace(&mut frame.jumps.broken, LaneMask::EMPTY);
        let lanes_of = |this: &Self, value: u32| {
            let mut chosen = LaneMask::EMPTY;
            mask.iter().filter(|lane| this.words[selector + lane] == value).for_each(|lane| chosen.insert(lane));
            chosen
        };
        let named = cases
            .iter()
            .filter_map(|case| case.value)
            .fold(LaneMask::EMPTY, |all, value| all.or(&lanes_of(self, value)));
        let mut falling = LaneMask::EMPTY;
        let mut done = LaneMask::EMPTY;
        for case in cases {
            let chosen = case.value.map_or_else(|| mask.without(&named), |value| lanes_of(self, value));
            let end = self.block(&case.body, falling.or(&chosen), frame, budget)?;
            (falling, done) = if case.falls_through { (end, done) } else { (LaneMask::EMPTY, done.or(&end)) };
        }
        let broken = std::mem::replace(&mut frame.jumps.broken, outer);
        Ok(done.or(&falling).or(&broken))
    }

    fn repeat(
        &mut self,
        node: &'a Node,
        mask: LaneMask,
        frame: &mut Frame<'a>,
        budget: &mut Budget<'_>,
    ) -> Result<LaneMask, InterpretError> {
        let Node::Loop { body, continuing, break_if, position, depends_on } = node else { return Ok(mask) };
        let outer = frame.jumps;
        (frame.jumps.broken, frame.jumps.continued) = (LaneMask::EMPTY, LaneMask::EMPTY);
        let mut active = mask;
        let mut watch = self.watch(*position);
        while !active.is_empty() {
            self.before_turn(&mut watch, &active, budget);
            budget.step(*position, depends_on)?;
            let end = self.block(body, active, frame, budget)?;
            let resumed = end.or(&frame.jumps.continued);
            frame.jumps.continued = LaneMask::EMPTY;
            active = self.block(continuing, resumed, frame, budget)?;
            if let Some(condition) = break_if {
                self.decide(*condition, &active);
                let leaving = self.truth(*condition, &active);
                frame.jumps.broken = frame.jumps.broken.or(&leaving);
                active = active.without(&leaving);
            }
            self.after_turn(&mut watch, &active, budget);
        }
        let broken = frame.jumps.broken;
        (frame.jumps.broken, frame.jumps.continued) = (outer.broken, outer.continued);
        Ok(broken)
    }

    fn call(&mut self, node: &'a Node, mask: LaneMask, budget: &mut Budget<'_>) -> Result<(), InterpretError> {
        let Node::Call { function, arguments, result, call } = node else { return Ok(()) };
        let lanes = self.code.lanes;
        let code = self.code;
        for (argument, (slot, _)) in arguments.iter().zip(&code.functions[*function].arguments) {
            match argument {
                Argument::Value { slot: from, rows } => {
                    self.words.copy_within(*from..from + *rows as usize * lanes, *slot);
                    if let Some(steps) = &mut self.repeats.steps {
                        steps.copy(*from, *slot, *rows as usize, &mask);
                    }
                }
                Argument::Pointer { offset, dynamic } => {
                    for lane in 0..lanes {
                        let moved = dynamic.map_or(0, |slot| self.words[slot + lane]);
                        self.words[slot + lane] = offset.wrapping_add(moved);
                    }
                    if let Some(steps) = &mut self.repeats.steps {
                        steps.moved(*dynamic, *slot, &mask);
                    }
                }
            }
        }
        budget.step(code.calls[*call], &[])?;
        self.paths.enter(*call);
        self.run(*function, &mask, budget)?;
        self.paths.leave();
        if let (Some((to, rows)), Some((from, _))) = (result, code.functions[*function].result) {
            self.words.copy_within(from..from + *rows as usize * lanes, *to);
            if let Some(steps) = &mut self.repeats.steps {
                steps.copy(from, *to, *rows as usize, &mask);
            }
        }
        Ok(())
    }

    /// Lanes take their turns in ascending order.
    fn atomic(&mut self, atomic: &Atomic, mask: &LaneMask) {
        self.counts.lane_expressions += u64::from(mask.count());
        let (place, lanes, kind) = (&atomic.transfer.place, self.code.lanes, atomic.kind);
        if place.root == Root::Local {
            return;
        }
        if !self.values && !atomic.needed {
            return self.pass(&atomic.transfer, mask);
        }
        self.give_up();
        let addresses = self.aim(place).to_vec();
        self.observe(atomic.transfer.access, place, mask);
        let operand = |slot| Operand::new(slot, kind.words(), kind);
        for lane in mask.iter() {
            let at = [lanes, lane];
            let old = self.shared_number(place.root, addresses[lane], kind);
            let value = operand(atomic.value).get(&self.words, 0, at);
            let (compared, new) = match atomic.fun {
                AtomicKind::CompareExchange(slot) => (operand(slot).get(&self.words, 0, at) == old, value),
                AtomicKind::Exchange => (true, value),
                AtomicKind::Fold(fold) => (true, fold.combine(kind, old, value)),
            };
            if compared {
                self.put_shared_number(place.root, addresses[lane], kind, new);
            }
            if let Some(result) = atomic.result {
                operand(result).put(&mut self.words, 0, at, old);
                if let AtomicKind::CompareExchange(_) = atomic.fun {
                    self.words[result + kind.words() as usize * lanes + lane] = u32::from(compared);
                }
            }
        }
    }

    /// A number of one or two words in shared memory.
    fn shared_number(&mut self, root: Root, address: u32, kind: Kind) -> u64 {
        let low = u64::from(self.get(root, address));
        if kind.is_wide() { low | u64::from(self.get(root, address.wrapping_add(4))) << 32 } else { low }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the two halves of a number")]
    fn put_shared_number(&mut self, root: Root, address: u32, kind: Kind, value: u64) {
        self.put(root, address, kind, value as u32);
        if kind.is_wide() {
            self.put(root, address.wrapping_add(4), kind, (value >> 32) as u32);
        }
    }
}

impl Budget<'_> {
    /// One turn of a loop, or one call.
    fn step(&mut self, position: Position, depends_on: &[String]) -> Result<(), InterpretError> {
        self.steps += 1;
        if self.steps > self.most {
            return Err(InterpretError::StepBudget { position, steps: self.most, depends_on: depends_on.to_vec() });
        }
        // At every step: a turn over large arrays may take a second.
        self.check_cancel()
    }

    pub(super) fn check_cancel(&self) -> Result<(), InterpretError> {
        let cancelled = self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed));
        if cancelled { Err(InterpretError::Cancelled) } else { Ok(()) }
    }
}
