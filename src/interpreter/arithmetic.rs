//! Operators and conversions on words, by WGSL's rules: integers wrap, division by zero yields the dividend, shifts use
//! the low five bits, conversions from floats saturate.

use half::f16;
use naga::{BinaryOperator, RelationalFunction, UnaryOperator};

use super::flat::Kind;
use super::half::{h, to_h, wide_to_h};
use super::lanes::{Slot, map1, map2};

pub(super) const fn f(word: u32) -> f32 {
    f32::from_bits(word)
}

const fn i(word: u32) -> i32 {
    word.cast_signed()
}

/// Applies an operator to one row of each operand.
pub(super) fn binary(words: &mut [u32], dst: Slot, [a, b]: [Slot; 2], len: usize, op: BinaryOperator, kind: Kind) {
    match kind {
        Kind::F32 => float(words, dst, [a, b], len, op, f, f32::to_bits),
        Kind::F16 => float(words, dst, [a, b], len, op, h, to_h),
        Kind::I32 => signed(words, dst, [a, b], len, op),
        Kind::U32 | Kind::Bool => unsigned(words, dst, [a, b], len, op),
        // Of two words: `wide` has them.
        Kind::I64 | Kind::U64 | Kind::F64 => {}
    }
}

fn float(
    words: &mut [u32],
    dst: Slot,
    [a, b]: [Slot; 2],
    len: usize,
    op: BinaryOperator,
    from: impl Fn(u32) -> f32 + Copy,
    to: impl Fn(f32) -> u32 + Copy,
) {
    macro_rules! number {
        ($f:expr) => {
            map2(words, dst, a, b, len, |a, b| to($f(from(a), from(b))))
        };
    }
    macro_rules! test {
        ($f:expr) => {
            map2(words, dst, a, b, len, |a, b| u32::from($f(&from(a), &from(b))))
        };
    }
    match op {
        BinaryOperator::Add => number!(|a: f32, b: f32| a + b),
        BinaryOperator::Subtract => number!(|a: f32, b: f32| a - b),
        BinaryOperator::Multiply => number!(|a: f32, b: f32| a * b),
        BinaryOperator::Divide => number!(|a: f32, b: f32| a / b),
        BinaryOperator::Modulo => number!(|a: f32, b: f32| a % b),
        BinaryOperator::Equal => test!(f32::eq),
        BinaryOperator::NotEqual => test!(f32::ne),
        BinaryOperator::Less => test!(f32::lt),
        BinaryOperator::LessEqual => test!(f32::le),
        BinaryOperator::Greater => test!(f32::gt),
        BinaryOperator::GreaterEqual => test!(f32::ge),
        // The validator allows none of these on floats.
        BinaryOperator::And
        | BinaryOperator::ExclusiveOr
        | BinaryOperator::InclusiveOr
        | BinaryOperator::LogicalAnd
        | BinaryOperator::LogicalOr
        | BinaryOperator::ShiftLeft
        | BinaryOperator::ShiftRight => {}
    }
}

fn signed(words: &mut [u32], dst: Slot, [a, b]: [Slot; 2], len: usize, op: BinaryOperator) {
    macro_rules! test {
        ($f:expr) => {
            map2(words, dst, a, b, len, |a, b| u32::from($f(&i(a), &i(b))))
        };
    }
    match op {
        BinaryOperator::Divide => map2(words, dst, a, b, len, |a, b| match i(b) {
            0 => a,
            divisor => i(a).wrapping_div(divisor).cast_unsigned(),
        }),
        BinaryOperator::Modulo => map2(words, dst, a, b, len, |a, b| match i(b) {
            0 => 0,
            divisor => i(a).wrapping_rem(divisor).cast_unsigned(),
        }),
        BinaryOperator::Less => test!(i32::lt),
        BinaryOperator::LessEqual => test!(i32::le),
        BinaryOperator::Greater => test!(i32::gt),
        BinaryOperator::GreaterEqual => test!(i32::ge),
        BinaryOperator::ShiftRight => map2(words, dst, a, b, len, |a, b| i(a).wrapping_shr(b).cast_unsigned()),
        // Two's complement: the rest does not know signs.
        BinaryOperator::Add
        | BinaryOperator::Subtract
        | BinaryOperator::Multiply
        | BinaryOperator::Equal
        | BinaryOperator::NotEqual
        | BinaryOperator::And
        | BinaryOperator::ExclusiveOr
        | BinaryOperator::InclusiveOr
        | BinaryOperator::LogicalAnd
        | BinaryOperator::LogicalOr
        | BinaryOperator::ShiftLeft => unsigned(words, dst, [a, b], len, op),
    }
}

fn unsigned(words: &mut [u32], dst: Slot, [a, b]: [Slot; 2], len: usize, op: BinaryOperator) {
    macro_rules! test {
        ($f:expr) => {
            map2(words, dst, a, b, len, |a, b| u32::from($f(&a, &b)))
        };
    }
    match op {
        BinaryOperator::Add => map2(words, dst, a, b, len, u32::wrapping_add),
        BinaryOperator::Subtract => map2(words, dst, a, b, len, u32::wrapping_sub),
        BinaryOperator::Multiply => map2(words, dst, a, b, len, u32::wrapping_mul),
        BinaryOperator::Divide => map2(words, dst, a, b, len, |a, b| a.checked_div(b).unwrap_or(a)),
        BinaryOperator::Modulo => map2(words, dst, a, b, len, |a, b| a.checked_rem(b).unwrap_or(0)),
        BinaryOperator::Equal => test!(u32::eq),
        BinaryOperator::NotEqual => test!(u32::ne),
        BinaryOperator::Less => test!(u32::lt),
        BinaryOperator::LessEqual => test!(u32::le),
        BinaryOperator::Greater => test!(u32::gt),
        BinaryOperator::GreaterEqual => test!(u32::ge),
        BinaryOperator::And | BinaryOperator::LogicalAnd => map2(words, dst, a, b, len, |a, b| a & b),
        BinaryOperator::ExclusiveOr => map2(words, dst, a, b, len, |a, b| a ^ b),
        BinaryOperator::InclusiveOr | BinaryOperator::LogicalOr => map2(words, dst, a, b, len, |a, b| a | b),
        BinaryOperator::ShiftLeft => map2(words, dst, a, b, len, u32::wrapping_shl),
        BinaryOperator::ShiftRight => map2(words, dst, a, b, len, u32::wrapping_shr),
    }
}

pub(super) fn unary(words: &mut [u32], dst: Slot, a: Slot, len: usize, op: UnaryOperator, kind: Kind) {
    match (op, kind) {
        (UnaryOperator::Negate, Kind::F32) => map1(words, dst, a, len, |a| a ^ 0x8000_0000),
        (UnaryOperator::Negate, Kind::F16) => map1(words, dst, a, len, |a| a ^ 0x8000),
        (UnaryOperator::Negate, _) => map1(words, dst, a, len, u32::wrapping_neg),
        (UnaryOperator::LogicalNot, _) => map1(words, dst, a, len, |a| a ^ 1),
        (UnaryOperator::BitwiseNot, _) => map1(words, dst, a, len, |a| !a),
    }
}

/// Whether all or any rows of the operand are true, or a float is NaN or infinite.
pub(super) fn relational(
    words: &mut [u32],
    dst: Slot,
    (a, rows): (Slot, usize),
    lanes: usize,
    fun: RelationalFunction,
    kind: Kind,
) {
    let from = |word| if kind == Kind::F16 { h(word) } else { f(word) };
    match fun {
        RelationalFunction::IsNan => map1(words, dst, a, rows * lanes, |a| u32::from(from(a).is_nan())),
        RelationalFunction::IsInf => map1(words, dst, a, rows * lanes, |a| u32::from(from(a).is_infinite())),
        RelationalFunction::All | RelationalFunction::Any => {
            let (read, write) = words.split_at_mut(dst);
            for (lane, out) in write[..lanes].iter_mut().enumerate() {
                let mut row = (0..rows).map(|row| read[a + row * lanes + lane] != 0);
                *out = u32::from(if fun == RelationalFunction::All { row.all(|x| x) } else { row.any(|x| x) });
            }
        }
    }
}

/// The largest i32 and u32 that are f32 too.
const MOST_I32: f32 = 2_147_483_520.0;
const MOST_U32: f32 = 4_294_967_040.0;

/// Converts numbers by value. Too large floats become the largest integers that both types have, as WGSL has it since
/// 2025 (<https://github.com/gpuweb/gpuweb/pull/5073>); a NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "WGSL's conversions round as these casts do"
)]
pub(super) fn convert(words: &mut [u32], dst: Slot, a: Slot, len: usize, from: Kind, to: Kind) {
    macro_rules! from_float {
        ($from:expr, $most:expr) => {
            match to {
                Kind::F32 => map1(words, dst, a, len, |a| $from(a).to_bits()),
                Kind::F16 => map1(words, dst, a, len, |a| to_h($from(a))),
                Kind::I32 => map1(words, dst, a, len, |a| {
                    ($from(a).clamp(-$most.min(2_147_483_648.0), $most.min(MOST_I32)) as i32).cast_unsigned()
                }),
                Kind::U32 => map1(words, dst, a, len, |a| $from(a).clamp(0.0, $most.min(MOST_U32)) as u32),
                Kind::Bool => map1(words, dst, a, len, |a| u32::from($from(a) != 0.0)),
                Kind::I64 | Kind::U64 | Kind::F64 => {}
            }
        };
    }
    match (from, to) {
        (Kind::F32, _) => from_float!(f, f32::MAX),
        (Kind::F16, _) => from_float!(h, f16::MAX.to_f32_const()),
        (Kind::I32, Kind::F32) => map1(words, dst, a, len, |a| (i(a) as f32).to_bits()),
        (Kind::I32, Kind::F16) => map1(words, dst, a, len, |a| wide_to_h(f64::from(i(a)))),
        (Kind::U32 | Kind::Bool, Kind::F32) => map1(words, dst, a, len, |a| (a as f32).to_bits()),
        (Kind::U32 | Kind::Bool, Kind::F16) => map1(words, dst, a, len, |a| wide_to_h(f64::from(a))),
        (_, Kind::Bool) => map1(words, dst, a, len, |a| u32::from(a != 0)),
        (Kind::I32 | Kind::U32 | Kind::Bool, Kind::I32 | Kind::U32) => map1(words, dst, a, len, |a| a),
        // Of two words: `wide` has them.
        (Kind::I64 | Kind::U64 | Kind::F64, _) | (_, Kind::I64 | Kind::U64 | Kind::F64) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(op: BinaryOperator, kind: Kind, a: u32, b: u32) -> u32 {
        let mut words = [a, b, 0];
        binary(&mut words, 2, [0, 1], 1, op, kind);
        words[2]
    }

    #[test]
    fn wgsl_defines_what_other_languages_leave_open() {
        let signed = |op, a: i32, b: i32| one(op, Kind::I32, a.cast_unsigned(), b.cast_unsigned()).cast_signed();
        assert_eq!(signed(BinaryOperator::Divide, 7, 0), 7);
        assert_eq!(signed(BinaryOperator::Modulo, 7, 0), 0);
        assert_eq!(signed(BinaryOperator::Divide, i32::MIN, -1), i32::MIN);
        assert_eq!(signed(BinaryOperator::Modulo, i32::MIN, -1), 0);
        assert_eq!(signed(BinaryOperator::Modulo, -7, 3), -1);
        assert_eq!(one(BinaryOperator::Divide, Kind::U32, 7, 0), 7);
        assert_eq!(one(BinaryOperator::ShiftLeft, Kind::U32, 1, 33), 2);
        assert_eq!(signed(BinaryOperator::ShiftRight, -8, 1), -4);
        assert_eq!(one(BinaryOperator::Add, Kind::U32, u32::MAX, 2), 1);
    }

    #[test]
    fn conversions_saturate() {
        let convert_one = |word, from, to| {
            let mut words = [word, 0];
            convert(&mut words, 1, 0, 1, from, to);
            words[1]
        };
        assert_eq!(convert_one((-1.5f32).to_bits(), Kind::F32, Kind::U32), 0);
        assert_eq!(convert_one(1e20f32.to_bits(), Kind::F32, Kind::I32), 2_147_483_520);
        assert_eq!(convert_one(f32::INFINITY.to_bits(), Kind::F32, Kind::U32), 4_294_967_040);
        assert_eq!(convert_one(f32::NEG_INFINITY.to_bits(), Kind::F32, Kind::I32), i32::MIN.cast_unsigned());
        assert_eq!(convert_one(0xFC00, Kind::F16, Kind::I32), (-65_504i32).cast_unsigned());
        assert_eq!(convert_one(f32::NAN.to_bits(), Kind::F32, Kind::I32), 0);
        assert_eq!(convert_one(2049.0f32.to_bits(), Kind::F32, Kind::F16), u32::from(f16::from_f32(2048.0).to_bits()));
        assert_eq!(convert_one(0x3C00, Kind::F16, Kind::F32), 1.0f32.to_bits());
    }

    #[test]
    fn half_sums_round_once() {
        // 2048 + 1 ties to even in f16.
        assert_eq!(one(BinaryOperator::Add, Kind::F16, 0x6800, 0x3C00), 0x6800);
        assert_eq!(one(BinaryOperator::Add, Kind::F16, 0x6801, 0x3C00), 0x6802);
    }
}
