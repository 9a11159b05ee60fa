//! Subgroup operations: each subgroup of the workgroup by itself, over its active lanes in ascending order.
//!
//! A lane that asks for the value of a lane that is not there or not active gets its own: WGSL leaves it open.

use naga::{CollectiveOperation, Expression as Ir, GatherMode, Handle, SubgroupOperation};

use super::code::Node;
use super::error::InterpretError;
use super::expressions::FunctionCompiler;
use super::flat::Kind;
use super::fold::Fold;
use super::lanes::Slot;
use super::machine::Machine;
use super::operands::gather_index;
use super::wide::Operand;
use crate::trace::{LaneMask, Observer};

/// A subgroup operation with the slot and rows of its operand, and where its result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Collective {
    how: How,
    kind: Kind,
    argument: (Slot, u32),
    result: (Slot, u32),
    /// Whether the result feeds an address or control flow.
    pub needed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// A bit for each lane; with a predicate only for those of which it holds.
    Ballot {
        predicate: bool,
    },
    Fold(Fold, CollectiveOperation),
    /// The value of another lane; the index is a slot.
    Gather(From, Slot),
}

/// Which lane's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    First,
    Lane,
    Below,
    Above,
    Xor,
    /// Another of the four lanes around.
    Quad,
    /// The one whose number differs in these bits.
    Swap(usize),
}

impl FunctionCompiler<'_, '_> {
    fn collective(
        &self,
        how: How,
        argument: Option<Handle<Ir>>,
        result: Handle<Ir>,
    ) -> Result<Option<Node>, InterpretError> {
        let slot = |handle| (self.slot_of(handle), self.rows(handle));
        let kind = argument.map_or(Ok(Kind::Bool), |handle| self.kind_of(handle))?;
        let argument = argument.map_or((0, 0), slot);
        let (needed, result) = (self.needs(result), slot(result));
        Ok(Some(Node::Subgroup(Box::new(Collective { how, kind, argument, result, needed }))))
    }

    pub(super) fn ballot(
        &self,
        predicate: Option<Handle<Ir>>,
        result: Handle<Ir>,
    ) -> Result<Option<Node>, InterpretError> {
        self.collective(How::Ballot { predicate: predicate.is_some() }, predicate, result)
    }

    pub(super) fn fold(
        &self,
        (op, collective): (SubgroupOperation, CollectiveOperation),
        argument: Handle<Ir>,
        result: Handle<Ir>,
    ) -> Result<Option<Node>, InterpretError> {
        let fold = match op {
            SubgroupOperation::All | SubgroupOperation::And => Fold::And,
            SubgroupOperation::Any | SubgroupOperation::Or => Fold::Or,
            SubgroupOperation::Add => Fold::Add,
            SubgroupOperation::Mul => Fold::Multiply,
            SubgroupOperation::Min => Fold::Min,
            SubgroupOperation::Max => Fold::Max,
            SubgroupOperation::Xor => Fold::Xor,
        };
        self.collective(How::Fold(fold, collective), Some(argument), result)
    }

    pub(super) fn gather(
        &self,
        mode: &GatherMode,
        argument: Handle<Ir>,
        result: Handle<Ir>,
    ) -> Result<Option<Node>, InterpretError> {
        let from = match mode {
            GatherMode::BroadcastFirst => From::First,
            GatherMode::Broadcast(_) | GatherMode::Shuffle(_) => From::Lane,
            GatherMode::ShuffleDown(_) => From::Above,
            GatherMode::ShuffleUp(_) => From::Below,
            GatherMode::ShuffleXor(_) => From::Xor,
            GatherMode::QuadBroadcast(_) => From::Quad,
            GatherMode::QuadSwap(direction) => From::Swap(*direction as usize + 1),
        };
        let index = gather_index(mode).map_or(0, |handle| self.slot_of(handle));
        self.collective(How::Gather(from, index), Some(argument), result)
    }
}

impl<O: Observer + ?Sized> Machine<'_, O> {
    pub(super) fn collective(&mut self, collective: &Collective, mask: &LaneMask) {
        self.counts.lane_expressions += u64::from(mask.count());
        let (lanes, width) = (self.code.lanes, self.code.subgroup);
        for first in (0..lanes).step_by(width) {
            let active: Vec<usize> = (first..lanes.min(first + width)).filter(|lane| mask.contains(*lane)).collect();
            if active.is_empty() {
                continue;
            }
            match collective.how {
                How::Ballot { predicate } => self.vote(collective, predicate, first, &active),
                How::Fold(fold, scan) => self.fold_lanes(collective, fold, scan, &active),
                How::Gather(from, index) => self.gather_lanes(collective, (from, index), first, &active),
            }
        }
    }

    fn vote(&mut self, collective: &Collective, predicate: bool, first: usize, active: &[usize]) {
        let mut bits = [0u32; 4];
        for lane in active {
            let number = lane - first;
            if number < 128 && (!predicate || self.words[collective.argument.0 + lane] != 0) {
                bits[number / 32] |= 1 << (number % 32);
            }
        }
        for (row, word) in bits.into_iter().enumerate() {
            for lane in active {
                self.words[collective.result.0 + row * self.code.lanes + lane] = word;
            }
        }
    }

    fn fold_lanes(&mut self, collective: &Collective, fold: Fold, scan: CollectiveOperation, active: &[usize]) {
        let kind = collective.kind;
        let [argument, result] =
            [collective.argument, collective.result].map(|(slot, rows)| Operand::new(slot, rows, kind));
        for k in 0..argument.scalars() {
            let mut sum = None;
            for lane in active {
                let at = [self.code.lanes, *lane];
                let value = argument.get(&self.words, k, at);
                let with = sum.map_or(value, |sum| fold.combine(kind, sum, value));
                let here = match scan {
                    CollectiveOperation::InclusiveScan => with,
                    CollectiveOperation::ExclusiveScan => sum.unwrap_or_else(|| fold.neutral(kind)),
                    CollectiveOperation::Reduce => 0,
                };
                result.put(&mut self.words, k, at, here);
                sum = Some(with);
            }
            if scan == CollectiveOperation::Reduce {
                for lane in active {
                    result.put(&mut self.words, k, [self.code.lanes, *lane], sum.unwrap_or(0));
                }
            }
        }
    }

    fn gather_lanes(&mut self, collective: &Collective, (from, index): (From, Slot), first: usize, active: &[usize]) {
        let (lanes, width) = (self.code.lanes, self.code.subgroup);
        let source = |lane: usize| {
            let (number, index) = (lane - first, self.words[index + lane] as usize);
            let number = match from {
                From::First => active[0] - first,
                From::Lane => index,
                From::Below => number.wrapping_sub(index),
                From::Above => number.wrapping_add(index),
                From::Xor => number ^ index,
                From::Quad => (number & !3) | (index & 3),
                From::Swap(bits) => number ^ bits,
            };
            let there = first.wrapping_add(number);
            if number < width && active.binary_search(&there).is_ok() { there } else { lane }
        };
        let sources: Vec<usize> = active.iter().map(|lane| source(*lane)).collect();
        for row in 0..collective.argument.1 as usize {
            for (lane, source) in active.iter().zip(&sources) {
                let word = self.words[collective.argument.0 + row * lanes + source];
                self.words[collective.result.0 + row * lanes + lane] = word;
            }
        }
    }
}
