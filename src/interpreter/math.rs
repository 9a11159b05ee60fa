//! WGSL's math functions on words. Those that IEEE 754 defines are exact; the others are the host library's, which is
//! within an ULP or two of any GPU's.

use half::f16;
use naga::MathFunction as Fun;

use super::arithmetic::f;
use super::flat::Kind;
use super::half::{h, to_h, wide_to_h};
use super::lanes::{Slot, map1, map2, map3};

/// A call: operands' slots, rows of the result, rows of the first operand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub fun: Fun,
    pub kind: Kind,
    pub args: [Slot; 4],
    pub dst: Slot,
    pub rows: usize,
    pub arg_rows: usize,
    /// Rows of the third operand: the share of `mix` may be one number for all components.
    pub third_rows: usize,
    pub matrix: Option<(u32, u32)>,
    pub lanes: usize,
}

/// Whether [`math`] knows the function: no WGSL text reaches the others, and a transpose is not computed.
pub(super) const fn covers(fun: Fun) -> bool {
    !matches!(fun, Fun::Outer | Fun::Inverse | Fun::Transpose)
}

/// Evaluates a call; `false` where the function is not covered.
pub(super) fn math(words: &mut [u32], call: &Call) -> bool {
    reduce(words, call) || pack(words, call) || integer(words, call) || float(words, call)
}

/// Functions whose result has other rows than their operand.
fn reduce(words: &mut [u32], call: &Call) -> bool {
    let Call { args: [a, b, ..], dst, lanes, arg_rows, kind, .. } = *call;
    let (from, to) = converters(kind);
    let (read, write) = words.split_at_mut(dst);
    let row = |slot: usize, k: usize, lane: usize| read[slot + k * lanes + lane];
    let get = |slot: usize, k: usize, lane: usize| from(row(slot, k, lane));
    let dot = |x: Slot, y: Slot, lane: usize| {
        (0..arg_rows).map(|k| get(x, k, lane) * get(y, k, lane)).reduce(|a, b| a + b).unwrap_or(0.0)
    };
    let each = |write: &mut [u32], f: &dyn Fn(usize) -> u32| {
        write[..lanes].iter_mut().enumerate().for_each(|(lane, out)| *out = f(lane));
    };
    match call.fun {
        Fun::Dot if matches!(kind, Kind::I32 | Kind::U32) => each(write, &|lane| {
            (0..arg_rows).fold(0u32, |sum, k| sum.wrapping_add(row(a, k, lane).wrapping_mul(row(b, k, lane))))
        }),
        Fun::Dot => each(write, &|lane| to(dot(a, b, lane))),
        Fun::Length => each(write, &|lane| to(dot(a, a, lane).sqrt())),
        Fun::Distance => each(write, &|lane| {
            let sum = (0..arg_rows).map(|k| (get(a, k, lane) - get(b, k, lane)).powi(2)).sum::<f32>();
            to(sum.sqrt())
        }),
        Fun::Normalize => {
            for k in 0..arg_rows {
                each(&mut write[k * lanes..], &|lane| to(get(a, k, lane) / dot(a, a, lane).sqrt()));
            }
        }
        Fun::Reflect => {
            for k in 0..arg_rows {
                each(&mut write[k * lanes..], &|lane| to(get(a, k, lane) - 2.0 * dot(b, a, lane) * get(b, k, lane)));
            }
        }
        Fun::FaceForward => {
            let c = call.args[2];
            for k in 0..arg_rows {
                each(&mut write[k * lanes..], &|lane| {
                    let value = get(a, k, lane);
                    to(if dot(b, c, lane) < 0.0 { value } else { -value })
                });
            }
        }
        Fun::Refract => {
            let share = |lane: usize| get(call.args[2], 0, lane);
            for k in 0..arg_rows {
                each(&mut write[k * lanes..], &|lane| {
                    let (eta, cosine) = (share(lane), dot(b, a, lane));
                    let rest = 1.0 - eta * eta * (1.0 - cosine * cosine);
                    to(if rest < 0.0 {
                        0.0
                    } else {
                        eta * get(a, k, lane) - (eta * cosine + rest.sqrt()) * get(b, k, lane)
                    })
                });
            }
        }
        // Both give a structure: all fractions, then all whole parts or exponents.
        Fun::Modf => {
            for k in 0..arg_rows {
                each(&mut write[k * lanes..], &|lane| to(get(a, k, lane) - get(a, k, lane).trunc()));
                each(&mut write[(arg_rows + k) * lanes..], &|lane| to(get(a, k, lane).trunc()));
            }
        }
        Fun::Frexp => {
            for k in 0..arg_rows {
                each(&mut write[k * lanes..], &|lane| to(fraction_and_exponent(get(a, k, lane)).0));
                each(&mut write[(arg_rows + k) * lanes..], &|lane| fraction_and_exponent(get(a, k, lane)).1);
            }
        }
        Fun::Cross => {
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                each(&mut write[k * lanes..], &|lane| {
                    to(get(a, i, lane) * get(b, j, lane) - get(a, j, lane) * get(b, i, lane))
                });
            }
        }
        Fun::Determinant => {
            let n = call.matrix.map_or(1, |(columns, _)| columns as usize);
            each(write, &|lane| to(determinant(n, &|column, row| get(a, column * n + row, lane))));
        }
        _ => return false,
    }
    true
}

/// A number as a fraction in 0.5..1 times a power of two; zero, infinities and NaN are their own fractions.
fn fraction_and_exponent(x: f32) -> (f32, u32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // In f64 every f32 is normal.
    let bits = f64::from(x).to_bits();
    let exponent = (bits >> 52 & 0x7FF).wrapping_sub(1022);
    #[expect(clippy::cast_possible_truncation, reason = "the fraction has 24 bits, the exponent fits in 32")]
    ((f64::from_bits(bits & !(0x7FF << 52) | 1022 << 52)) as f32, exponent as u32)
}

/// Laplace expansion along the first column, for n <= 4.
fn determinant(n: usize, at: &dyn Fn(usize, usize) -> f32) -> f32 {
    if n == 1 {
        return at(0, 0);
    }
    (0..n)
        .map(|row| {
            let minor = determinant(n - 1, &|c, r| at(c + 1, if r < row { r } else { r + 1 }));
            if row % 2 == 0 { at(0, row) * minor } else { -at(0, row) * minor }
        })
        .sum()
}

pub(super) type Converters = (fn(u32) -> f32, fn(f32) -> u32);

pub(super) fn converters(kind: Kind) -> Converters {
    match kind {
        Kind::F16 => (h, to_h),
        _ => (f, f32::to_bits),
    }
}

/// Packing and unpacking.
fn pack(words: &mut [u32], call: &Call) -> bool {
    let Call { args: [a, ..], dst, lanes, .. } = *call;
    let (read, write) = words.split_at_mut(dst);
    let get = |k: usize, lane: usize| read[a + k * lanes + lane];
    let pack_with = |write: &mut [u32], parts: usize, f: &dyn Fn(u32) -> u32| {
        let bits = 32 / parts;
        for (lane, out) in write[..lanes].iter_mut().enumerate() {
            *out = (0..parts).fold(0, |word, k| word | (f(get(k, lane)) & mask(bits)) << (k * bits));
        }
    };
    let unpack_with = |write: &mut [u32], parts: usize, f: &dyn Fn(u32) -> u32| {
        let bits = 32 / parts;
        for k in 0..parts {
            for (lane, out) in write[k * lanes..(k + 1) * lanes].iter_mut().enumerate() {
                *out = f(get(0, lane) >> (k * bits) & mask(bits));
            }
        }
    };
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the range first")]
    let norm = |low: f32, scale: f32| {
        move |word: u32| ((0.5 + scale * f(word).clamp(low, 1.0)).floor() as i32).cast_unsigned()
    };
    #[expect(clippy::cast_precision_loss, reason = "at most 16 bits")]
    let unnorm = |scale: f32| move |part: u32| (part as f32 / scale).to_bits();
    #[expect(clippy::cast_precision_loss, reason = "at most 16 bits")]
    let signed_unnorm =
        |bits: u32, scale: f32| move |part: u32| (sign_extend(part, bits) as f32 / scale).max(-1.0).to_bits();
    match call.fun {
        Fun::Pack2x16float => pack_with(write, 2, &|word| to_h(f(word))),
        Fun::Pack2x16unorm => pack_with(write, 2, &norm(0.0, 65_535.0)),
        Fun::Pack2x16snorm => pack_with(write, 2, &norm(-1.0, 32_767.0)),
        Fun::Pack4x8unorm => pack_with(write, 4, &norm(0.0, 255.0)),
        Fun::Pack4x8snorm => pack_with(write, 4, &norm(-1.0, 127.0)),
        Fun::Pack4xI8 | Fun::Pack4xU8 => pack_with(write, 4, &|word| word),
        Fun::Pack4xI8Clamp => pack_with(write, 4, &|word| word.cast_signed().clamp(-128, 127).cast_unsigned()),
        Fun::Pack4xU8Clamp => pack_with(write, 4, &|word| word.min(255)),
        Fun::Unpack2x16float => unpack_with(write, 2, &|part| h(part).to_bits()),
        Fun::Unpack2x16unorm => unpack_with(write, 2, &unnorm(65_535.0)),
        Fun::Unpack2x16snorm => unpack_with(write, 2, &signed_unnorm(16, 32_767.0)),
        Fun::Unpack4x8unorm => unpack_with(write, 4, &unnorm(255.0)),
        Fun::Unpack4x8snorm => unpack_with(write, 4, &signed_unnorm(8, 127.0)),
        Fun::Unpack4xI8 => unpack_with(write, 4, &|part| sign_extend(part, 8).cast_unsigned()),
        Fun::Unpack4xU8 => unpack_with(write, 4, &|part| part),
        Fun::Dot4U8Packed | Fun::Dot4I8Packed => {
            let (b, signed) = (call.args[1], call.fun == Fun::Dot4I8Packed);
            for (lane, out) in write[..lanes].iter_mut().enumerate() {
                let (x, y) = (get(0, lane), read[b + lane]);
                *out = (0..4).fold(0u32, |sum, k| {
                    let [x, y] = [x, y].map(|word| word >> (8 * k) & 255);
                    let [x, y] = if signed { [x, y].map(|part| sign_extend(part, 8).cast_unsigned()) } else { [x, y] };
                    sum.wrapping_add(x.wrapping_mul(y))
                });
            }
        }
        _ => return false,
    }
    true
}

const fn mask(bits: usize) -> u32 {
    (1 << bits) - 1
}

const fn sign_extend(part: u32, bits: u32) -> i32 {
    (part << (32 - bits)).cast_signed() >> (32 - bits)
}

/// Functions of integers, and of bits.
fn integer(words: &mut [u32], call: &Call) -> bool {
    let Call { args: [a, b, c, d], dst, rows, lanes, kind, .. } = *call;
    let len = rows * lanes;
    let signed = kind == Kind::I32;
    let i = u32::cast_signed;
    match (call.fun, kind) {
        (Fun::CountTrailingZeros, _) => map1(words, dst, a, len, u32::trailing_zeros),
        (Fun::CountLeadingZeros, _) => map1(words, dst, a, len, u32::leading_zeros),
        (Fun::CountOneBits, _) => map1(words, dst, a, len, u32::count_ones),
        (Fun::ReverseBits, _) => map1(words, dst, a, len, u32::reverse_bits),
        (Fun::FirstTrailingBit, _) => {
            map1(words, dst, a, len, |a| if a == 0 { u32::MAX } else { a.trailing_zeros() });
        }
        (Fun::FirstLeadingBit, _) => map1(words, dst, a, len, |a| {
            let bits = if signed && i(a) < 0 { !a } else { a };
            if bits == 0 { u32::MAX } else { 31 - bits.leading_zeros() }
        }),
        (Fun::ExtractBits, _) => {
            for row in 0..rows {
                // Offset and count are scalars for every row.
                map3(words, dst + row * lanes, [a + row * lanes, b, c], lanes, |a, offset, count| {
                    let offset = offset.min(32);
                    let count = count.min(32 - offset);
                    if count == 0 {
                        return 0;
                    }
                    let high = a << (32 - offset - count);
                    if signed { (i(high) >> (32 - count)).cast_unsigned() } else { high >> (32 - count) }
                });
            }
        }
        (Fun::InsertBits, _) => {
            let (read, write) = words.split_at_mut(dst);
            for (k, out) in write[..len].iter_mut().enumerate() {
                let lane = k % lanes;
                let offset = read[c + lane].min(32);
                let count = read[d + lane].min(32 - offset);
                #[expect(clippy::cast_possible_truncation, reason = "at most 32 bits set")]
                let mask = (((1u64 << count) - 1) << offset) as u32;
                let inserted = read[b + k].checked_shl(offset).unwrap_or(0);
                *out = (read[a + k] & !mask) | (inserted & mask);
            }
        }
        (Fun::Abs, Kind::I32) => map1(words, dst, a, len, |a| i(a).wrapping_abs().cast_unsigned()),
        (Fun::Abs, Kind::U32) => map1(words, dst, a, len, |a| a),
        (Fun::Sign, Kind::I32) => map1(words, dst, a, len, |a| i(a).signum().cast_unsigned()),
        (Fun::Sign, Kind::U32) => map1(words, dst, a, len, |a| a.min(1)),
        (Fun::Min, Kind::I32) => map2(words, dst, a, b, len, |a, b| i(a).min(i(b)).cast_unsigned()),
        (Fun::Max, Kind::I32) => map2(words, dst, a, b, len, |a, b| i(a).max(i(b)).cast_unsigned()),
        (Fun::Min, Kind::U32) => map2(words, dst, a, b, len, u32::min),
        (Fun::Max, Kind::U32) => map2(words, dst, a, b, len, u32::max),
        // WGSL: min(max(x, low), high), also where low > high.
        (Fun::Clamp, Kind::I32) => {
            map3(words, dst, [a, b, c], len, |a, low, high| i(a).max(i(low)).min(i(high)).cast_unsigned());
        }
        (Fun::Clamp, Kind::U32) => map3(words, dst, [a, b, c], len, |a, low, high| a.max(low).min(high)),
        _ => return false,
    }
    true
}

/// Functions of floats, component by component.
#[expect(clippy::manual_clamp, reason = "a NaN becomes the lower end, as min(max(x, low), high) does on devices")]
fn float(words: &mut [u32], call: &Call) -> bool {
    let Call { args: [a, b, c, _], dst, rows, lanes, kind, .. } = *call;
    let len = rows * lanes;
    let (from, to) = converters(kind);
    macro_rules! one {
        ($f:expr) => {{
            // The common type without a call for each lane.
            if kind == Kind::F32 {
                map1(words, dst, a, len, |a| f32::to_bits($f(f(a))));
            } else {
                map1(words, dst, a, len, |a| to($f(from(a))));
            }
        }};
    }
    macro_rules! two {
        ($f:expr) => {{
            if kind == Kind::F32 {
                map2(words, dst, a, b, len, |a, b| f32::to_bits($f(f(a), f(b))));
            } else {
                map2(words, dst, a, b, len, |a, b| to($f(from(a), from(b))));
            }
        }};
    }
    macro_rules! three {
        ($f:expr) => {{
            if kind == Kind::F32 {
                map3(words, dst, [a, b, c], len, |a, b, c| f32::to_bits($f(f(a), f(b), f(c))));
            } else {
                map3(words, dst, [a, b, c], len, |a, b, c| to($f(from(a), from(b), from(c))));
            }
        }};
    }
    match call.fun {
        Fun::Abs => one!(f32::abs),
        Fun::Saturate => one!(|x: f32| x.max(0.0).min(1.0)),
        Fun::Cos => one!(f32::cos),
        Fun::Cosh => one!(f32::cosh),
        Fun::Sin => one!(f32::sin),
        Fun::Sinh => one!(f32::sinh),
        Fun::Tan => one!(f32::tan),
        Fun::Tanh => one!(f32::tanh),
        Fun::Acos => one!(f32::acos),
        Fun::Asin => one!(f32::asin),
        Fun::Atan => one!(f32::atan),
        Fun::Asinh => one!(f32::asinh),
        Fun::Acosh => one!(f32::acosh),
        Fun::Atanh => one!(f32::atanh),
        Fun::Radians => one!(f32::to_radians),
        Fun::Degrees => one!(f32::to_degrees),
        Fun::Ceil => one!(f32::ceil),
        Fun::Floor => one!(f32::floor),
        Fun::Round => one!(f32::round_ties_even),
        Fun::Fract => one!(|x: f32| x - x.floor()),
        Fun::Trunc => one!(f32::trunc),
        Fun::Exp => one!(f32::exp),
        Fun::Exp2 => one!(f32::exp2),
        Fun::Log => one!(f32::ln),
        Fun::Log2 => one!(f32::log2),
        Fun::Sqrt => one!(f32::sqrt),
        Fun::InverseSqrt => one!(|x: f32| 1.0 / x.sqrt()),
        Fun::Sign => one!(|x: f32| if x > 0.0 {
            1.0
        } else if x < 0.0 {
            -1.0
        } else {
            0.0
        }),
        Fun::QuantizeToF16 => one!(|x: f32| f16::from_f32(x).to_f32()),
        Fun::Min => two!(f32::min),
        Fun::Max => two!(f32::max),
        Fun::Atan2 => two!(f32::atan2),
        Fun::Pow => two!(f32::powf),
        Fun::Step => two!(|edge: f32, x: f32| if edge <= x { 1.0 } else { 0.0 }),
        Fun::Ldexp => map2(words, dst, a, b, len, |x, exponent| {
            #[expect(clippy::cast_possible_truncation, reason = "rounds to f32, as ldexp does")]
            let scaled = (f64::from(from(x)) * 2f64.powi(exponent.cast_signed().clamp(-400, 400))) as f32;
            to(scaled)
        }),
        Fun::Clamp => three!(|x: f32, low: f32, high: f32| x.max(low).min(high)),
        // One rounding for f16 too: a product of two f16 is exact in f64, and so is its sum with a third.
        Fun::Fma if kind == Kind::F16 => map3(words, dst, [a, b, c], len, |a, b, c| {
            wide_to_h(f64::from(h(a)).mul_add(f64::from(h(b)), f64::from(h(c))))
        }),
        Fun::Fma => map3(words, dst, [a, b, c], len, |a, b, c| f(a).mul_add(f(b), f(c)).to_bits()),
        Fun::SmoothStep => three!(|low: f32, high: f32, x: f32| {
            let t = ((x - low) / (high - low)).max(0.0).min(1.0);
            t * t * (3.0 - 2.0 * t)
        }),
        Fun::Mix => mix(words, call),
        _ => return false,
    }
    true
}

fn mix(words: &mut [u32], call: &Call) {
    let (from, to) = converters(call.kind);
    let Call { args: [a, b, c, _], dst, rows, lanes, third_rows, .. } = *call;
    for row in 0..rows {
        let at = row * lanes;
        let share = if third_rows == 1 { c } else { c + at };
        map3(words, dst + at, [a + at, b + at, share], lanes, |x, y, share| {
            let (x, y, share) = (from(x), from(y), from(share));
            to(x * (1.0 - share) + y * share)
        });
    }
}
