//! What values become when they grow by a fixed step from turn to turn of a loop: the steps of results, and for how many
//! turns they hold.
//!
//! A word is `now + k * step` (modulo 2^32) in turn k. Sums, differences, products with what does not vary and left
//! shifts of such words are such words again, without conditions, because they are so modulo 2^32. Everything else holds
//! while the numbers stay in a range in which no comparison changes and no division carries: [`Turns`] keeps count of how
//! long. Where nothing of the kind can be said, there is no step, and the loop is executed turn by turn.

use naga::BinaryOperator;

use super::flat::Kind;

/// A word that varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    pub now: u32,
    /// What it grows by from turn to turn, modulo 2^32.
    pub step: u32,
}

/// For how many turns, this one included, all that was said holds; at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turns(pub u64);

/// A number that does not wrap as long as it stays in the range of its kind.
#[derive(Debug, Clone, Copy)]
struct Line {
    now: i64,
    step: i64,
}

impl Word {
    fn line(self, kind: Kind) -> Line {
        let now = match kind {
            Kind::I32 => i64::from(self.now.cast_signed()),
            _ => i64::from(self.now),
        };
        Line { now, step: i64::from(self.step.cast_signed()) }
    }
}

/// The numbers that a kind has.
const fn range(kind: Kind) -> [i64; 2] {
    match kind {
        Kind::I32 => [i32::MIN as i64, i32::MAX as i64],
        _ => [0, u32::MAX as i64],
    }
}

impl Turns {
    /// Only as long as the line stays between two numbers, both included; it lies there now.
    fn within(&mut self, line: Line, [low, high]: [i64; 2]) {
        let room = match line.step {
            0 => return,
            step if step > 0 => (high - line.now) / step,
            step => (line.now - low) / -step,
        };
        self.0 = self.0.min(u64::try_from(room).unwrap_or(0) + 1);
    }

    /// Only as long as a number of this kind does not wrap around.
    fn unwrapped(&mut self, word: Word, kind: Kind) -> Line {
        let line = word.line(kind);
        self.within(line, range(kind));
        line
    }

    /// Only as long as a comparison has the result that it has now.
    fn compared(&mut self, op: BinaryOperator, kind: Kind, a: Word, b: Word) {
        let (a, b) = (self.unwrapped(a, kind), self.unwrapped(b, kind));
        let difference = Line { now: a.now - b.now, step: a.step - b.step };
        const FAR: i64 = i64::MAX / 4;
        let sides = match op {
            BinaryOperator::Less | BinaryOperator::GreaterEqual => [[-FAR, -1], [0, FAR]],
            BinaryOperator::LessEqual | BinaryOperator::Greater => [[-FAR, 0], [1, FAR]],
            _ if difference.now == 0 => [[0, 0], [0, 0]],
            // Equal once, or never.
            _ => {
                if difference.step != 0 && difference.now % difference.step == 0 && difference.now / difference.step < 0
                {
                    self.0 = self.0.min(u64::try_from(-(difference.now / difference.step)).unwrap_or(1));
                }
                return;
            }
        };
        self.within(difference, if difference.now <= sides[0][1] { sides[0] } else { sides[1] });
    }

    /// The steps of a quotient and a remainder of a number that stays above 0 by a number above 0: of one of them always,
    /// of both where the step is a multiple of the divisor; else only as long as the quotient stays.
    fn divided(&mut self, line: Line, divisor: i64) -> [i64; 2] {
        if line.step % divisor == 0 {
            return [line.step / divisor, 0];
        }
        let low = line.now.div_euclid(divisor) * divisor;
        self.within(line, [low, low + divisor - 1]);
        [0, line.step]
    }

    /// The step of the result of an operator on numbers; `None` where it has none, or none is known.
    pub(super) fn binary(&mut self, op: BinaryOperator, kind: Kind, a: Word, b: Word) -> Option<u32> {
        if a.step == 0 && b.step == 0 {
            return Some(0);
        }
        if !matches!(kind, Kind::I32 | Kind::U32) {
            return None;
        }
        match op {
            BinaryOperator::Add => Some(a.step.wrapping_add(b.step)),
            BinaryOperator::Subtract => Some(a.step.wrapping_sub(b.step)),
            // (a + k p)(b + k q) has no square if p q is none.
            BinaryOperator::Multiply if a.step.wrapping_mul(b.step) == 0 => {
                Some(a.step.wrapping_mul(b.now).wrapping_add(b.step.wrapping_mul(a.now)))
            }
            BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual
            | BinaryOperator::Equal
            | BinaryOperator::NotEqual => {
                self.compared(op, kind, a, b);
                Some(0)
            }
            BinaryOperator::And | BinaryOperator::InclusiveOr | BinaryOperator::ExclusiveOr => {
                let (word, mask) = if b.step == 0 { (a, b.now) } else { (b, a.now) };
                if a.step != 0 && b.step != 0 {
                    return None;
                }
                if op == BinaryOperator::And { self.masked(word, mask) } else { joined(word, mask) }
            }
            // What is left has an operand that must not vary.
            _ if b.step != 0 => None,
            BinaryOperator::ShiftLeft => Some(a.step.wrapping_shl(b.now)),
            BinaryOperator::ShiftRight => {
                let line = self.unwrapped(a, kind);
                Some(low(self.divided(line, 1 << (b.now & 31))[0]))
            }
            BinaryOperator::Divide | BinaryOperator::Modulo => {
                let divisor = Word { now: b.now, step: 0 }.line(kind).now;
                let line = self.unwrapped(a, kind);
                if kind == Kind::I32 {
                    // Rounding changes its direction at 0.
                    if line.now < 0 || divisor <= 0 {
                        return None;
                    }
                    self.within(line, [0, i64::MAX / 4]);
                }
                if divisor == 0 {
                    return Some(if op == BinaryOperator::Divide { a.step } else { 0 });
                }
                let [quotient, remainder] = self.divided(line, divisor);
                Some(low(if op == BinaryOperator::Divide { quotient } else { remainder }))
            }
            _ => None,
        }
    }

    /// The step of `word & mask`.
    fn masked(&mut self, word: Word, mask: u32) -> Option<u32> {
        let bits = 32 - mask.leading_zeros();
        if multiple(word.step, bits) {
            return Some(0);
        }
        let tail = mask.trailing_zeros();
        // Low bits alone: a remainder. High bits alone: what is left without it.
        let divisor = if mask.count_ones() == bits {
            1 << bits
        } else if mask.leading_ones() + tail == 32 {
            1 << tail
        } else {
            return None;
        };
        let line = self.unwrapped(word, Kind::U32);
        let [quotient, remainder] = self.divided(line, divisor);
        Some(low(if tail == 0 { remainder } else { quotient * divisor }))
    }

    /// The step of the smaller (or greater) of two numbers.
    pub(super) fn extreme(&mut self, least: bool, kind: Kind, a: Word, b: Word) -> Option<u32> {
        if a.step == 0 && b.step == 0 {
            return Some(0);
        }
        if !matches!(kind, Kind::I32 | Kind::U32) {
            return None;
        }
        self.compared(BinaryOperator::LessEqual, kind, a, b);
        let first_is_less = a.line(kind).now <= b.line(kind).now;
        Some(if first_is_less == least { a.step } else { b.step })
    }

    /// The step of an index that is clamped to `count` elements.
    pub(super) fn clamped(&mut self, index: Word, count: u32) -> u32 {
        let count = i64::from(count);
        let line = index.line(Kind::U32);
        if line.now < count {
            self.within(line, [0, count - 1]);
            index.step
        } else {
            self.within(line, [count, i64::from(u32::MAX)]);
            0
        }
    }
}

/// Whether a step leaves the low bits of a word alone.
const fn multiple(step: u32, bits: u32) -> bool {
    if bits >= 32 { step == 0 } else { step & ((1 << bits) - 1) == 0 }
}

/// The step of `word | bits` and `word ^ bits`, where the word varies above them only.
const fn joined(word: Word, bits: u32) -> Option<u32> {
    if multiple(word.step, 32 - bits.leading_zeros()) { Some(word.step) } else { None }
}

/// A step modulo 2^32.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "modulo 2^32")]
const fn low(step: i64) -> u32 {
    step as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interpreter::arithmetic::binary;

    const ALL: [BinaryOperator; 16] = [
        BinaryOperator::Add,
        BinaryOperator::Subtract,
        BinaryOperator::Multiply,
        BinaryOperator::Divide,
        BinaryOperator::Modulo,
        BinaryOperator::Equal,
        BinaryOperator::NotEqual,
        BinaryOperator::Less,
        BinaryOperator::LessEqual,
        BinaryOperator::Greater,
        BinaryOperator::GreaterEqual,
        BinaryOperator::And,
        BinaryOperator::ExclusiveOr,
        BinaryOperator::InclusiveOr,
        BinaryOperator::ShiftLeft,
        BinaryOperator::ShiftRight,
    ];

    fn value(op: BinaryOperator, kind: Kind, a: u32, b: u32) -> u32 {
        let mut words = [a, b, 0];
        binary(&mut words, 2, [0, 1], 1, op, kind);
        words[2]
    }

    /// Words that are near each other, near powers of two, near the ends of the range, or anywhere.
    fn word() -> impl Strategy<Value = u32> {
        let near = (0u32..32, -3i32..3).prop_map(|(bit, off)| (1u32 << bit).wrapping_add_signed(off));
        prop_oneof![0u32..70, near, (0u32..40).prop_map(u32::wrapping_neg), any::<u32>()]
    }

    fn step() -> impl Strategy<Value = u32> {
        prop_oneof![2 => Just(0u32), 3 => (0u32..8).prop_map(|bit| 1 << bit), 3 => word()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]
        #[test]
        fn results_grow_as_foretold(
            op in prop::sample::select(&ALL[..]),
            signed in any::<bool>(),
            (a, b) in (word(), word()),
            (p, q) in (step(), step()),
        ) {
            let kind = if signed { Kind::I32 } else { Kind::U32 };
            let mut turns = Turns(1 << 40);
            let (first, second) = (Word { now: a, step: p }, Word { now: b, step: q });
            let Some(step) = turns.binary(op, kind, first, second) else { return Ok(()) };
            prop_assert!(turns.0 >= 1);
            let now = value(op, kind, a, b);
            let at = |k: u32| value(op, kind, a.wrapping_add(p.wrapping_mul(k)), b.wrapping_add(q.wrapping_mul(k)));
            let last = u32::try_from(turns.0 - 1).unwrap_or(u32::MAX);
            for k in (0..60).chain([last.saturating_sub(1), last]).filter(|k| *k <= last) {
                prop_assert_eq!(at(k), now.wrapping_add(step.wrapping_mul(k)), "turn {} of {}", k, turns.0);
            }
        }

        #[test]
        fn extremes_and_clamped_indices_grow_as_foretold(
            least in any::<bool>(),
            signed in any::<bool>(),
            (a, b) in (word(), word()),
            (p, q) in (step(), step()),
            count in prop_oneof![1u32..200, 1u32..],
        ) {
            let kind = if signed { Kind::I32 } else { Kind::U32 };
            let grown = |now: u32, step: u32, k: u32| now.wrapping_add(step.wrapping_mul(k));
            let of = |a: u32, b: u32| match (signed, least) {
                (true, true) => a.cast_signed().min(b.cast_signed()).cast_unsigned(),
                (true, false) => a.cast_signed().max(b.cast_signed()).cast_unsigned(),
                (false, true) => a.min(b),
                (false, false) => a.max(b),
            };
            let mut turns = Turns(50);
            if let Some(step) = turns.extreme(least, kind, Word { now: a, step: p }, Word { now: b, step: q }) {
                for k in 0..u32::try_from(turns.0).unwrap() {
                    prop_assert_eq!(of(grown(a, p, k), grown(b, q, k)), grown(of(a, b), step, k));
                }
            }
            let mut turns = Turns(50);
            let step = turns.clamped(Word { now: a, step: p }, count);
            for k in 0..u32::try_from(turns.0).unwrap() {
                let index = grown(a, p, k);
                prop_assert_eq!(index.min(count - 1), grown(a.min(count - 1), step, k));
                prop_assert_eq!(index < count, a < count);
            }
        }
    }

    #[test]
    fn turns_end_where_something_changes() {
        let turns = |op, a: [u32; 2], b: [u32; 2]| {
            let mut turns = Turns(u64::MAX);
            let word = |[now, step]: [u32; 2]| Word { now, step };
            let step = turns.binary(op, Kind::U32, word(a), word(b));
            (step, turns.0)
        };
        // i < 10 with i = 4, 5, .. holds for six turns; i == 10 changes in the seventh.
        assert_eq!(turns(BinaryOperator::Less, [4, 1], [10, 0]), (Some(0), 6));
        assert_eq!(turns(BinaryOperator::Equal, [4, 1], [10, 0]), (Some(0), 6));
        assert_eq!(turns(BinaryOperator::Equal, [4, 4], [10, 0]).0, Some(0));
        // 30 / 8 stays 3 for two turns; with steps of 8 it grows by 1 until the number wraps.
        assert_eq!(turns(BinaryOperator::Divide, [30, 1], [8, 0]), (Some(0), 2));
        assert_eq!(turns(BinaryOperator::Divide, [30, 8], [8, 0]).0, Some(1));
        assert_eq!(turns(BinaryOperator::And, [30, 8], [7, 0]), (Some(0), u64::MAX));
        assert_eq!(turns(BinaryOperator::Multiply, [3, 1], [5, 1]), (None, u64::MAX));
    }
}
