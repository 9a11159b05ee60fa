//! By how much every value grows from turn to turn of a loop, worked out beside one turn that is executed.

use super::affine::{Turns, Word};
use super::code::{Expression, Op, Place, Root, Transfer};
use super::flat::{Flat, Kind};
use super::lanes::Slot;
use crate::trace::{LaneMask, SiteId, Strayed};

/// Words of addresses that a turn may leave behind: 16 MiB of them.
const MOST_WORDS: usize = 1 << 22;

/// An access of the turn.
pub(super) struct Heard {
    pub access: usize,
    pub site: SiteId,
    pub addresses: Vec<u32>,
    pub active: LaneMask,
    pub out_of_range: u32,
    pub first_strayed: Option<Strayed>,
    /// What each lane's address grows by.
    pub steps: Vec<u32>,
}

/// The steps of all slots in one turn.
pub(super) struct Steps {
    lanes: usize,
    /// Valid in rows that vary.
    steps: Vec<u32>,
    varies: Vec<bool>,
    turns: Turns,
    /// Whether everything so far has a step.
    holds: bool,
    heard: Vec<Heard>,
    heard_words: usize,
    /// What the variables grow by, valid in rows that do: the steps with which the turn began.
    first: Vec<u32>,
    grows: Vec<bool>,
}

impl Steps {
    /// For so many words, of which the first `variables` are variables.
    pub(super) fn new(words: usize, variables: usize, lanes: usize) -> Self {
        Self {
            lanes,
            first: vec![0; variables],
            grows: vec![false; variables / lanes.max(1)],
            steps: vec![0; words],
            varies: vec![false; words.div_ceil(lanes.max(1)) + 1],
            turns: Turns(u64::MAX),
            holds: true,
            heard: Vec::new(),
            heard_words: 0,
        }
    }

    /// Forgets everything, for another turn.
    pub(super) fn clear(&mut self) {
        self.varies.fill(false);
        self.grows.fill(false);
        (self.turns, self.holds, self.heard_words) = (Turns(u64::MAX), true, 0);
        self.heard.clear();
    }

    pub(super) const fn give_up(&mut self) {
        self.holds = false;
    }

    /// For how many turns, the executed one included, all of this holds; 0 where it does not.
    pub(super) const fn turns(&self) -> u64 {
        if self.holds { self.turns.0 } else { 0 }
    }

    pub(super) fn heard(&self) -> &[Heard] {
        &self.heard
    }

    fn varies(&self, slot: Slot) -> bool {
        self.varies[slot / self.lanes]
    }

    /// The step of a lane's word.
    pub(super) fn step(&self, slot: Slot, lane: usize) -> u32 {
        if self.varies(slot) { self.steps[slot + lane] } else { 0 }
    }

    /// What a variable's row grows by, in the lanes of the mask.
    pub(super) fn begin(&mut self, slot: Slot, mask: &LaneMask, step: impl Fn(usize) -> u32) {
        self.write(slot, mask, |_, lane| step(lane));
        let row = slot..slot + self.lanes;
        self.first[row.clone()].copy_from_slice(&self.steps[row]);
        self.grows[slot / self.lanes] = self.varies(slot);
    }

    /// The step of a variable's word with which the turn began.
    pub(super) fn first(&self, slot: Slot, lane: usize) -> u32 {
        if self.grows(slot) { self.first[slot + lane] } else { 0 }
    }

    /// Whether the variable in a row grows in any lane.
    pub(super) fn grows(&self, slot: Slot) -> bool {
        self.grows[slot / self.lanes]
    }

    /// Whether the turn has added to a variable's row what the turn before had added to it.
    pub(super) fn grows_again(&self, slot: Slot, mask: &LaneMask) -> bool {
        (!self.grows(slot) && !self.varies(slot))
            || mask.iter().all(|lane| self.first(slot, lane) == self.step(slot, lane))
    }

    /// Sets the steps of a row in the lanes of the mask; the other lanes never look at it.
    fn set(&mut self, slot: Slot, mask: &LaneMask, step: impl Fn(&Self, usize) -> u32) {
        let mut any = 0;
        for lane in mask.iter() {
            let step = step(self, lane);
            self.steps[slot + lane] = step;
            any |= step;
        }
        self.varies[slot / self.lanes] = any != 0;
    }

    /// Sets the steps of a variable's row, whose other lanes keep theirs.
    pub(super) fn write(&mut self, slot: Slot, mask: &LaneMask, step: impl Fn(&Self, usize) -> u32) {
        let mut any = 0;
        if !self.varies(slot) {
            self.steps[slot..slot + self.lanes].fill(0);
        }
        for lane in mask.iter() {
            let step = step(self, lane);
            self.steps[slot + lane] = step;
            any |= step;
        }
        self.varies[slot / self.lanes] |= any != 0;
    }

    /// Copies rows into a variable or result.
    pub(super) fn copy(&mut self, from: Slot, to: Slot, rows: usize, mask: &LaneMask) {
        for row in 0..rows {
            let (from, to) = (from + row * self.lanes, to + row * self.lanes);
            if self.varies(from) || self.varies(to) {
                self.write(to, mask, |this, lane| this.step(from, lane));
            }
        }
    }

    /// Rows whose words do not vary.
    pub(super) fn rest(&mut self, slot: Slot, rows: usize) {
        let first = slot / self.lanes;
        self.varies[first..first + rows].fill(false);
    }

    /// Sets a row to what another adds to a constant.
    pub(super) fn moved(&mut self, from: Option<Slot>, to: Slot, mask: &LaneMask) {
        match from {
            Some(from) => self.copy(from, to, 1, mask),
            None => self.rest(to, 1),
        }
    }

    /// Variables that got a constant in the lanes of the mask.
    pub(super) fn settle(&mut self, slot: Slot, rows: usize, mask: &LaneMask) {
        for row in 0..rows {
            let slot = slot + row * self.lanes;
            if self.varies(slot) {
                self.write(slot, mask, |_, _| 0);
            }
        }
    }

    /// Whether any of these rows varies in a lane of the mask.
    pub(super) fn any(&self, slot: Slot, rows: usize, mask: &LaneMask) -> bool {
        (0..rows)
            .map(|row| slot + row * self.lanes)
            .any(|slot| self.varies(slot) && mask.iter().any(|lane| self.steps[slot + lane] != 0))
    }

    /// Gives up if any of these rows varies.
    pub(super) fn must_rest(&mut self, slot: Slot, rows: usize, mask: &LaneMask) {
        if self.any(slot, rows, mask) {
            self.give_up();
        }
    }

    /// Remembers an access, whose addresses are at hand.
    pub(super) fn hear(
        &mut self,
        (access, site): (usize, SiteId),
        dynamic: Option<Slot>,
        addresses: &[u32],
        active: &LaneMask,
        (out_of_range, first_strayed): (u32, Option<Strayed>),
    ) {
        self.heard_words += 2 * addresses.len();
        if self.heard_words > MOST_WORDS {
            self.give_up();
        }
        if self.holds {
            let steps = dynamic.filter(|slot| self.varies(*slot));
            let steps = steps.map_or_else(|| vec![0; self.lanes], |slot| self.steps[slot..slot + self.lanes].to_vec());
            let addresses = addresses.to_vec();
            self.heard.push(Heard { access, site, addresses, active: *active, out_of_range, first_strayed, steps });
        }
    }

    /// A load whose value was moved.
    pub(super) fn load(&mut self, transfer: &Transfer, flat: &Flat, dst: Slot, words: &[u32], mask: &LaneMask) {
        let rows = flat.rows() as usize;
        let Place { root, offset, dynamic, .. } = transfer.place;
        if let Some(slot) = dynamic {
            // Contents do not grow by steps; which variable is meant must not change.
            self.must_rest(slot, 1, mask);
        }
        if root != Root::Local {
            return self.rest(dst, rows);
        }
        for row in 0..rows {
            let (to, first) = (dst + row * self.lanes, offset as usize + row);
            match dynamic {
                None if !self.varies(first * self.lanes) => self.rest(to, 1),
                None => self.set(to, mask, |this, lane| this.step(first * this.lanes, lane)),
                Some(slot) => self.set(to, mask, |this, lane| {
                    let from = (first + words[slot + lane] as usize) * this.lanes;
                    if from < words.len() { this.step(from, lane) } else { 0 }
                }),
            }
        }
    }

    /// A store whose value was moved.
    pub(super) fn store(&mut self, transfer: &Transfer, flat: &Flat, value: Slot, words: &[u32], mask: &LaneMask) {
        let Place { root, offset, dynamic, .. } = transfer.place;
        if root != Root::Local {
            // Memory that matters changes in the loop: loads may find something else in each turn.
            return self.give_up();
        }
        let rows = flat.rows() as usize;
        let Some(slot) = dynamic else {
            return self.copy(value, offset as usize * self.lanes, rows, mask);
        };
        self.must_rest(slot, 1, mask);
        for row in 0..rows {
            let from = value + row * self.lanes;
            for lane in mask.iter() {
                let to = (offset as usize + row + words[slot + lane] as usize) * self.lanes;
                if to < words.len() && (self.varies(from) || self.varies(to)) {
                    let mut one = LaneMask::EMPTY;
                    one.insert(lane);
                    self.write(to, &one, |this, lane| this.step(from, lane));
                }
            }
        }
    }

    /// What an expression's value grows by; its words have just been computed.
    pub(super) fn follow(&mut self, expression: &Expression, flats: &[Flat], words: &[u32], mask: &LaneMask) {
        let (dst, rows, lanes) = (expression.slot, expression.rows as usize, self.lanes);
        match &expression.op {
            Op::None => {}
            Op::Fill(_) => self.rest(dst, rows),
            Op::Load(transfer) => self.load(transfer, &flats[transfer.flat], dst, words, mask),
            Op::Rows(slots) => {
                for (row, slot) in slots.iter().enumerate() {
                    self.row(dst + row * lanes, &[*slot], mask, |this, lane, _| Some(this.step(*slot, lane)));
                }
            }
            Op::Pick { base, count, index } => {
                self.must_rest(*index, 1, mask);
                for row in 0..rows {
                    self.set(dst + row * lanes, mask, |this, lane| {
                        let element = words[index + lane].min(count.saturating_sub(1)) as usize;
                        this.step(base + (element * rows + row) * lanes, lane)
                    });
                }
            }
            Op::Address { base, index, stride, count, .. } => {
                let operands: Vec<Slot> = base.iter().copied().chain([*index]).collect();
                self.row(dst, &operands, mask, |this, lane, turns| {
                    let moved = turns.clamped(this.word(words, *index, lane), *count).wrapping_mul(*stride);
                    Some(base.map_or(0, |base| this.step(base, lane)).wrapping_add(moved))
                });
            }
            Op::Unary { kind, a, .. } if kind.is_wide() => self.settled(expression, &[(*a, expression.rows)], mask),
            Op::Unary { op, kind, a } => {
                for at in (0..rows).map(|row| row * lanes) {
                    self.row(dst + at, &[a + at], mask, |this, lane, _| {
                        let step = this.step(a + at, lane).wrapping_neg();
                        let known = *op != naga::UnaryOperator::LogicalNot && matches!(kind, Kind::I32 | Kind::U32);
                        (known || step == 0).then_some(step)
                    });
                }
            }
            Op::Binary { kind, a, a_rows, b, b_rows, .. } if kind.is_wide() => {
                self.settled(expression, &[(*a, *a_rows), (*b, *b_rows)], mask);
            }
            Op::Binary { op, kind, a, a_rows, b, b_rows } => {
                for at in (0..rows).map(|row| row * lanes) {
                    let of = |slot: Slot, own: u32| if own == 1 { slot } else { slot + at };
                    let (a, b) = (of(*a, *a_rows), of(*b, *b_rows));
                    self.row(dst + at, &[a, b], mask, |this, lane, turns| {
                        turns.binary(*op, *kind, this.word(words, a, lane), this.word(words, b, lane))
                    });
                }
            }
            Op::Select { condition, condition_rows, accept, reject } => {
                self.must_rest(*condition, *condition_rows as usize, mask);
                let words_of_one = (rows / (*condition_rows as usize).max(1)).max(1);
                for row in 0..rows {
                    let (at, condition) = (row * lanes, condition + row / words_of_one * lanes);
                    self.row(dst + at, &[accept + at, reject + at], mask, |this, lane, _| {
                        Some(this.step(if words[condition + lane] != 0 { accept + at } else { reject + at }, lane))
                    });
                }
            }
            Op::Convert { from, to, a, a_rows } if from.is_wide() || to.is_wide() => {
                self.settled(expression, &[(*a, *a_rows)], mask);
            }
            Op::Convert { from, to, a, .. } => {
                for at in (0..rows).map(|row| row * lanes) {
                    self.row(dst + at, &[a + at], mask, |this, lane, _| {
                        let step = this.step(a + at, lane);
                        let same = matches!((from, to), (Kind::I32 | Kind::U32, Kind::I32 | Kind::U32));
                        (same || step == 0).then_some(step)
                    });
                }
            }
            Op::Math { .. } => self.math(expression, words, mask),
            Op::MatrixProduct { kind, a, b, inner, left_rows, right_columns } => {
                let words = |rows: u32| inner * rows * kind.words();
                self.settled(expression, &[(*a, words(*left_rows)), (*b, words(*right_columns))], mask);
            }
            Op::Relational { a, a_rows, .. } => self.settled(expression, &[(*a, *a_rows)], mask),
            // Uses of textures are counted as they happen.
            Op::Texture(_) | Op::LoadTile(_) | Op::MultiplyAdd(_) => self.give_up(),
        }
    }

    /// A value of which nothing is known but that it does not vary if its operands (slots and rows) do not.
    fn settled(&mut self, expression: &Expression, operands: &[(Slot, u32)], mask: &LaneMask) {
        operands.iter().for_each(|(slot, rows)| self.must_rest(*slot, *rows as usize, mask));
        self.rest(expression.slot, expression.rows as usize);
    }

    fn math(&mut self, expression: &Expression, words: &[u32], mask: &LaneMask) {
        use naga::MathFunction::{Clamp, Max, Min};
        let Op::Math { fun, kind, args, .. } = &expression.op else { return };
        let (dst, rows, lanes) = (expression.slot, expression.rows as usize, self.lanes);
        if kind.is_wide() || !matches!(fun, Min | Max | Clamp) {
            return self.settled(expression, args, mask);
        }
        for at in (0..rows).map(|row| row * lanes) {
            let [a, b, c] = [args[0].0, args[1].0, args[2].0].map(|slot| slot + at);
            let operands = if *fun == Clamp { vec![a, b, c] } else { vec![a, b] };
            self.row(dst + at, &operands, mask, |this, lane, turns| {
                let word = |slot| this.word(words, slot, lane);
                if *fun != Clamp {
                    return turns.extreme(*fun == Min, *kind, word(a), word(b));
                }
                let step = turns.extreme(false, *kind, word(a), word(b))?;
                let now = greater(*kind, words[a + lane], words[b + lane]);
                turns.extreme(true, *kind, Word { now, step }, word(c))
            });
        }
    }

    fn word(&self, words: &[u32], slot: Slot, lane: usize) -> Word {
        Word { now: words[slot + lane], step: self.step(slot, lane) }
    }

    /// One row of a result; where no operand varies it does not either.
    fn row(
        &mut self,
        dst: Slot,
        operands: &[Slot],
        mask: &LaneMask,
        step: impl Fn(&Self, usize, &mut Turns) -> Option<u32>,
    ) {
        if !operands.iter().any(|slot| self.varies(*slot)) {
            return self.rest(dst, 1);
        }
        let (mut turns, mut any) = (self.turns, 0);
        for lane in mask.iter() {
            let Some(step) = step(self, lane, &mut turns) else { return self.give_up() };
            self.steps[dst + lane] = step;
            any |= step;
        }
        self.turns = turns;
        self.varies[dst / self.lanes] = any != 0;
    }
}

fn greater(kind: Kind, a: u32, b: u32) -> u32 {
    if kind == Kind::I32 { a.cast_signed().max(b.cast_signed()).cast_unsigned() } else { a.max(b) }
}
