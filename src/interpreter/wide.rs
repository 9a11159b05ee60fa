//! Scalars of 64 bits: two rows each, the low word first. They are rare, so nothing here is hurried.

use naga::{BinaryOperator as Bin, MathFunction as Fun, UnaryOperator};

use super::flat::Kind;
use super::half::{h, wide_to_h};
use super::lanes::Slot;

/// An operand: its slot, rows and whether its scalars take two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub slot: Slot,
    pub rows: u32,
    pub wide: bool,
}

impl Operand {
    pub(super) const fn new(slot: Slot, rows: u32, kind: Kind) -> Self {
        Self { slot, rows, wide: kind.is_wide() }
    }

    /// Scalar `k` of a lane; an operand of one scalar serves all.
    pub(super) fn get(&self, words: &[u32], k: usize, [lanes, lane]: [usize; 2]) -> u64 {
        let single = self.rows == if self.wide { 2 } else { 1 };
        let k = if single { 0 } else { k };
        if self.wide {
            let at = self.slot + 2 * k * lanes + lane;
            u64::from(words[at]) | u64::from(words[at + lanes]) << 32
        } else {
            u64::from(words[self.slot + k * lanes + lane])
        }
    }

    /// Writes scalar `k` of a lane.
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of a number")]
    pub(super) fn put(&self, words: &mut [u32], k: usize, [lanes, lane]: [usize; 2], value: u64) {
        if self.wide {
            let at = self.slot + 2 * k * lanes + lane;
            (words[at], words[at + lanes]) = (value as u32, (value >> 32) as u32);
        } else {
            words[self.slot + k * lanes + lane] = value as u32;
        }
    }

    /// How many scalars it has.
    pub(super) const fn scalars(&self) -> usize {
        self.rows as usize / if self.wide { 2 } else { 1 }
    }
}

/// `dst[k] = f(operands[k])` for every scalar and lane.
pub(super) fn each<const N: usize>(
    words: &mut [u32],
    dst: Operand,
    operands: [Operand; N],
    lanes: usize,
    f: impl Fn([u64; N]) -> u64,
) {
    for k in 0..dst.scalars() {
        for lane in 0..lanes {
            let value = f(operands.map(|operand| operand.get(words, k, [lanes, lane])));
            dst.put(words, k, [lanes, lane], value);
        }
    }
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// An operator on two scalars of a kind of 64 bits; the right of a shift has 32.
pub(super) fn binary(op: Bin, kind: Kind, a: u64, b: u64) -> u64 {
    let (x, y) = (a.cast_signed(), b.cast_signed());
    #[expect(clippy::cast_possible_truncation, reason = "shifts use the low six bits")]
    let shift = b as u32;
    match (op, kind) {
        (Bin::Add, Kind::F64) => (d(a) + d(b)).to_bits(),
        (Bin::Subtract, Kind::F64) => (d(a) - d(b)).to_bits(),
        (Bin::Multiply, Kind::F64) => (d(a) * d(b)).to_bits(),
        (Bin::Divide, Kind::F64) => (d(a) / d(b)).to_bits(),
        (Bin::Modulo, Kind::F64) => (d(a) % d(b)).to_bits(),
        (Bin::Equal, Kind::F64) => u64::from(d(a) == d(b)),
        (Bin::NotEqual, Kind::F64) => u64::from(d(a) != d(b)),
        (Bin::Less, Kind::F64) => u64::from(d(a) < d(b)),
        (Bin::LessEqual, Kind::F64) => u64::from(d(a) <= d(b)),
        (Bin::Greater, Kind::F64) => u64::from(d(a) > d(b)),
        (Bin::GreaterEqual, Kind::F64) => u64::from(d(a) >= d(b)),
        (Bin::Divide, Kind::I64) => if y == 0 { x } else { x.wrapping_div(y) }.cast_unsigned(),
        (Bin::Modulo, Kind::I64) => if y == 0 { 0 } else { x.wrapping_rem(y) }.cast_unsigned(),
        (Bin::Less, Kind::I64) => u64::from(x < y),
        (Bin::LessEqual, Kind::I64) => u64::from(x <= y),
        (Bin::Greater, Kind::I64) => u64::from(x > y),
        (Bin::GreaterEqual, Kind::I64) => u64::from(x >= y),
        (Bin::ShiftRight, Kind::I64) => x.wrapping_shr(shift).cast_unsigned(),
        (Bin::Add, _) => a.wrapping_add(b),
        (Bin::Subtract, _) => a.wrapping_sub(b),
        (Bin::Multiply, _) => a.wrapping_mul(b),
        (Bin::Divide, _) => a.checked_div(b).unwrap_or(a),
        (Bin::Modulo, _) => a.checked_rem(b).unwrap_or(0),
        (Bin::Equal, _) => u64::from(a == b),
        (Bin::NotEqual, _) => u64::from(a != b),
        (Bin::Less, _) => u64::from(a < b),
        (Bin::LessEqual, _) => u64::from(a <= b),
        (Bin::Greater, _) => u64::from(a > b),
        (Bin::GreaterEqual, _) => u64::from(a >= b),
        (Bin::And | Bin::LogicalAnd, _) => a & b,
        (Bin::ExclusiveOr, _) => a ^ b,
        (Bin::InclusiveOr | Bin::LogicalOr, _) => a | b,
        (Bin::ShiftLeft, _) => a.wrapping_shl(shift),
        (Bin::ShiftRight, _) => a.wrapping_shr(shift),
    }
}

pub(super) const fn unary(op: UnaryOperator, kind: Kind, a: u64) -> u64 {
    match (op, kind) {
        (UnaryOperator::Negate, Kind::F64) => a ^ 1 << 63,
        (UnaryOperator::Negate, _) => a.wrapping_neg(),
        (UnaryOperator::LogicalNot, _) => a ^ 1,
        (UnaryOperator::BitwiseNot, _) => !a,
    }
}

/// A number of any kind.
enum Number {
    Float(f64),
    Integer(i128),
}

fn number(kind: Kind, bits: u64) -> Number {
    #[expect(clippy::cast_possible_truncation, reason = "kinds of one word use the low one")]
    let word = bits as u32;
    match kind {
        Kind::F64 => Number::Float(d(bits)),
        Kind::F32 => Number::Float(f64::from(f32::from_bits(word))),
        Kind::F16 => Number::Float(f64::from(h(word))),
        Kind::I64 => Number::Integer(bits.cast_signed().into()),
        Kind::I32 => Number::Integer(word.cast_signed().into()),
        Kind::U64 => Number::Integer(bits.into()),
        Kind::U32 | Kind::Bool => Number::Integer(word.into()),
    }
}

/// The largest i64 and u64 that are f32 and f64 too; conversions of larger floats give them, as they do for 32 bits.
const MOST_I64: [f64; 2] = [9_223_371_487_098_961_920.0, 9_223_372_036_854_774_784.0];
const MOST_U64: [f64; 2] = [18_446_742_974_197_923_840.0, 18_446_744_073_709_549_568.0];

/// Converts by value where one of the kinds has 64 bits.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "WGSL's conversions round and wrap as these casts do"
)]
pub(super) fn convert(from: Kind, to: Kind, bits: u64) -> u64 {
    let most = |ends: [f64; 2]| if from == Kind::F64 { ends[1] } else { ends[0] };
    match (number(from, bits), to) {
        (Number::Float(x), Kind::F64) => x.to_bits(),
        (Number::Float(x), Kind::F32) => u64::from((x as f32).to_bits()),
        (Number::Float(x), Kind::F16) => u64::from(wide_to_h(x)),
        (Number::Float(x), Kind::Bool) => u64::from(x != 0.0),
        (Number::Float(x), Kind::I32) => u64::from((x as i32).cast_unsigned()),
        (Number::Float(x), Kind::U32) => u64::from(x as u32),
        (Number::Float(x), Kind::I64) => (x.min(most(MOST_I64)) as i64).cast_unsigned(),
        (Number::Float(x), Kind::U64) => x.min(most(MOST_U64)) as u64,
        (Number::Integer(x), Kind::F64) => (x as f64).to_bits(),
        (Number::Integer(x), Kind::F32) => u64::from((x as f32).to_bits()),
        (Number::Integer(x), Kind::F16) => u64::from(wide_to_h(x as f64)),
        (Number::Integer(x), Kind::Bool) => u64::from(x != 0),
        (Number::Integer(x), Kind::I32 | Kind::U32) => u64::from(x as u32),
        (Number::Integer(x), Kind::I64 | Kind::U64) => x as u64,
    }
}

type Scalar = fn([u64; 3]) -> u64;

/// A function of up to three scalars, component by component; `None` where it is not covered.
pub(super) fn function(fun: Fun, kind: Kind) -> Option<Scalar> {
    match kind {
        Kind::F64 => float(fun),
        Kind::I64 => match fun {
            Fun::Abs => Some(|[a, ..]| a.cast_signed().wrapping_abs().cast_unsigned()),
            Fun::Sign => Some(|[a, ..]| a.cast_signed().signum().cast_unsigned()),
            Fun::Min => Some(|[a, b, _]| a.cast_signed().min(b.cast_signed()).cast_unsigned()),
            Fun::Max => Some(|[a, b, _]| a.cast_signed().max(b.cast_signed()).cast_unsigned()),
            Fun::Clamp => Some(|[a, b, c]| a.cast_signed().max(b.cast_signed()).min(c.cast_signed()).cast_unsigned()),
            Fun::FirstLeadingBit => Some(|[a, ..]| leading(if a.cast_signed() < 0 { !a } else { a })),
            _ => bits(fun),
        },
        _ => match fun {
            Fun::Abs => Some(|[a, ..]| a),
            Fun::Sign => Some(|[a, ..]| a.min(1)),
            Fun::Min => Some(|[a, b, _]| a.min(b)),
            Fun::Max => Some(|[a, b, _]| a.max(b)),
            Fun::Clamp => Some(|[a, b, c]| a.max(b).min(c)),
            Fun::FirstLeadingBit => Some(|[a, ..]| leading(a)),
            _ => bits(fun),
        },
    }
}

fn leading(bits: u64) -> u64 {
    bits.checked_ilog2().map_or(u64::MAX, u64::from)
}

fn bits(fun: Fun) -> Option<Scalar> {
    Some(match fun {
        Fun::CountOneBits => |[a, ..]| a.count_ones().into(),
        Fun::CountLeadingZeros => |[a, ..]| a.leading_zeros().into(),
        Fun::CountTrailingZeros => |[a, ..]| a.trailing_zeros().into(),
        Fun::ReverseBits => |[a, ..]| a.reverse_bits(),
        Fun::FirstTrailingBit => |[a, ..]| if a == 0 { u64::MAX } else { a.trailing_zeros().into() },
        _ => return None,
    })
}

#[expect(clippy::manual_clamp, reason = "a NaN becomes the lower end, as min(max(x, low), high) does on devices")]
fn float(fun: Fun) -> Option<Scalar> {
    macro_rules! one {
        ($f:expr) => {
            |[a, ..]| f64::to_bits($f(d(a)))
        };
    }
    macro_rules! two {
        ($f:expr) => {
            |[a, b, _]| f64::to_bits($f(d(a), d(b)))
        };
    }
    macro_rules! three {
        ($f:expr) => {
            |[a, b, c]| f64::to_bits($f(d(a), d(b), d(c)))
        };
    }
    Some(match fun {
        Fun::Abs => one!(f64::abs),
        Fun::Saturate => one!(|x: f64| x.max(0.0).min(1.0)),
        Fun::Cos => one!(f64::cos),
        Fun::Sin => one!(f64::sin),
        Fun::Tan => one!(f64::tan),
        Fun::Tanh => one!(f64::tanh),
        Fun::Atan => one!(f64::atan),
        Fun::Radians => one!(f64::to_radians),
        Fun::Degrees => one!(f64::to_degrees),
        Fun::Ceil => one!(f64::ceil),
        Fun::Floor => one!(f64::floor),
        Fun::Round => one!(f64::round_ties_even),
        Fun::Fract => one!(|x: f64| x - x.floor()),
        Fun::Trunc => one!(f64::trunc),
        Fun::Exp => one!(f64::exp),
        Fun::Exp2 => one!(f64::exp2),
        Fun::Log => one!(f64::ln),
        Fun::Log2 => one!(f64::log2),
        Fun::Sqrt => one!(f64::sqrt),
        Fun::InverseSqrt => one!(|x: f64| 1.0 / x.sqrt()),
        Fun::Sign => one!(|x: f64| if x == 0.0 || x.is_nan() { 0.0 } else { x.signum() }),
        Fun::Min => two!(f64::min),
        Fun::Max => two!(f64::max),
        Fun::Atan2 => two!(f64::atan2),
        Fun::Pow => two!(f64::powf),
        Fun::Step => two!(|edge: f64, x: f64| if edge <= x { 1.0 } else { 0.0 }),
        Fun::Clamp => three!(|x: f64, low: f64, high: f64| x.max(low).min(high)),
        Fun::Fma => three!(f64::mul_add),
        Fun::Mix => three!(|x: f64, y: f64, share: f64| x * (1.0 - share) + y * share),
        Fun::SmoothStep => three!(|low: f64, high: f64, x: f64| {
            let t = ((x - low) / (high - low)).max(0.0).min(1.0);
            t * t * (3.0 - 2.0 * t)
        }),
        _ => return None,
    })
}

/// Columns x rows of the left, columns of the right, in f64.
pub(super) fn matrix_product(
    words: &mut [u32],
    (dst, lanes): (Slot, usize),
    [a, b]: [Slot; 2],
    [inner, left_rows, right_columns]: [usize; 3],
) {
    let operand = |slot| Operand { slot, rows: 0, wide: true };
    for (column, row) in (0..right_columns).flat_map(|column| (0..left_rows).map(move |row| (column, row))) {
        for lane in 0..lanes {
            let term = |k: usize| {
                let at = [lanes, lane];
                d(operand(a).get(words, k * left_rows + row, at)) * d(operand(b).get(words, column * inner + k, at))
            };
            let sum: f64 = (0..inner).map(term).sum();
            operand(dst).put(words, column * left_rows + row, [lanes, lane], sum.to_bits());
        }
    }
}

/// Functions of a whole vector.
const REDUCING: [Fun; 4] = [Fun::Length, Fun::Distance, Fun::Normalize, Fun::Cross];

/// Whether [`math`] knows the function.
pub(super) fn covers(fun: Fun, kind: Kind) -> bool {
    fun == Fun::Dot || (kind == Kind::F64 && REDUCING.contains(&fun)) || function(fun, kind).is_some()
}

/// Evaluates a function of slots and rows into `dst`.
pub(super) fn math(words: &mut [u32], fun: Fun, kind: Kind, args: [(Slot, u32); 4], dst: Operand, lanes: usize) {
    let [a, b, c, _] = args.map(|(slot, rows)| {
        // A function that has fewer operands looks at the first ones only.
        let (slot, rows) = if rows == 0 { args[0] } else { (slot, rows) };
        Operand::new(slot, rows, kind)
    });
    if let Some(f) = function(fun, kind) {
        return each(words, dst, [a, b, c], lanes, f);
    }
    let count = a.scalars();
    for lane in 0..lanes {
        let at = [lanes, lane];
        let x = |operand: Operand, k: usize| d(operand.get(words, k, at));
        let length = |difference: &dyn Fn(usize) -> f64| (0..count).map(|k| difference(k).powi(2)).sum::<f64>().sqrt();
        let results: Vec<u64> = match fun {
            Fun::Dot => {
                let terms = (0..count).map(|k| binary(Bin::Multiply, kind, a.get(words, k, at), b.get(words, k, at)));
                terms.reduce(|sum, term| binary(Bin::Add, kind, sum, term)).into_iter().collect()
            }
            Fun::Length => vec![length(&|k| x(a, k)).to_bits()],
            Fun::Distance => vec![length(&|k| x(a, k) - x(b, k)).to_bits()],
            Fun::Normalize => (0..count).map(|k| (x(a, k) / length(&|k| x(a, k))).to_bits()).collect(),
            _ => (0..3)
                .map(|k| ((k + 1) % 3, (k + 2) % 3))
                .map(|(i, j)| (x(a, i) * x(b, j) - x(a, j) * x(b, i)).to_bits())
                .collect(),
        };
        for (k, value) in results.into_iter().enumerate() {
            dst.put(words, k, at, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wgsl_rules_hold_with_64_bits() {
        let signed = |op, a: i64, b: i64| binary(op, Kind::I64, a.cast_unsigned(), b.cast_unsigned()).cast_signed();
        assert_eq!(signed(Bin::Divide, i64::MIN, -1), i64::MIN);
        assert_eq!(signed(Bin::Divide, 7, 0), 7);
        assert_eq!(signed(Bin::Modulo, -7, 3), -1);
        assert_eq!(signed(Bin::ShiftRight, -8, 65), -4);
        assert_eq!(binary(Bin::ShiftLeft, Kind::U64, 3, 40), 3 << 40);
        assert_eq!(function(Fun::FirstLeadingBit, Kind::U64).map(|f| f([1 << 40, 0, 0])), Some(40));
        assert!(function(Fun::Modf, Kind::F64).is_none());
    }

    #[test]
    fn conversions_go_through_the_value() {
        let minus_three = (-3i64).cast_unsigned();
        assert_eq!(convert(Kind::I64, Kind::F64, minus_three), (-3.0f64).to_bits());
        assert_eq!(convert(Kind::I64, Kind::I32, minus_three), u64::from((-3i32).cast_unsigned()));
        assert_eq!(convert(Kind::I32, Kind::I64, u64::from((-3i32).cast_unsigned())), minus_three);
        assert_eq!(convert(Kind::U32, Kind::U64, 0xFFFF_FFFF), 0xFFFF_FFFF);
        assert_eq!(convert(Kind::F64, Kind::U64, 1e30f64.to_bits()), 18_446_744_073_709_549_568);
        assert_eq!(convert(Kind::F32, Kind::I64, u64::from(1e30f32.to_bits())), 9_223_371_487_098_961_920);
        assert_eq!(convert(Kind::F64, Kind::I32, f64::NAN.to_bits()), 0);
        // 2^60 + 1 is between two f32: one rounding.
        assert_eq!(convert(Kind::I64, Kind::F32, (1 << 60) + 1), u64::from((2f32).powi(60).to_bits()));
    }
}
