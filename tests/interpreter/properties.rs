//! Arithmetic against plain Rust on random words.

use half::f16;
use proptest::prelude::*;
use sectorscope::contents::Contents;

use super::{buffer, bytes, interpret, program};

const LANES: usize = 64;

/// What `expression` of `x` and `y` is for each pair of words; `prelude` declares both from `p` and `q`.
fn evaluate(prelude: &str, expression: &str, pairs: &[(u32, u32)]) -> Vec<u32> {
    let enable = if prelude.contains("f16") { "enable f16;" } else { "" };
    let text = format!(
        "{enable} @group(0) @binding(0) var<storage, read> a: array<vec2<u32>>;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size({LANES}) fn main(@builtin(local_invocation_index) lane: u32) {{
            let p = a[lane].x; let q = a[lane].y; {prelude} o[lane] = {expression}; }}"
    );
    let input = bytes(pairs.iter().flat_map(|(a, b)| [*a, *b]));
    let buffers = vec![buffer("a", 2 * LANES as u64, input), buffer("o", LANES as u64, Contents::Zero)];
    interpret(&program(&text, buffers, [1, 1, 1])).unwrap()
}

/// Pairs of words, with the interesting ones among them.
fn pairs() -> impl Strategy<Value = Vec<(u32, u32)>> {
    let word = prop_oneof![
        4 => any::<u32>(),
        1 => prop::sample::select(vec![0, 1, 2, 31, 32, 33, u32::MAX, 1 << 31, (1 << 31) - 1, u32::MAX - 1]),
        1 => 0u32..100,
    ];
    prop::collection::vec((word.clone(), word), LANES)
}

fn check(
    prelude: &str,
    expression: &str,
    pairs: &[(u32, u32)],
    expected: impl Fn(u32, u32) -> u32,
) -> Result<(), TestCaseError> {
    for ((a, b), found) in pairs.iter().zip(evaluate(prelude, expression, pairs)) {
        let expected = expected(*a, *b);
        // All NaNs are one.
        let both_nan = f32::from_bits(found).is_nan() && f32::from_bits(expected).is_nan();
        prop_assert!(found == expected || both_nan, "{expression} of {a:#x} and {b:#x}: {found:#x}, not {expected:#x}");
    }
    Ok(())
}

const WORDS: &str = "let x = p; let y = q;";
const SIGNED: &str = "let x = i32(p); let y = i32(q);";
const FLOATS: &str = "let x = bitcast<f32>(p); let y = bitcast<f32>(q);";
const HALVES: &str = "let x = f16(unpack2x16float(p).x); let y = f16(unpack2x16float(q).x);";

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn unsigned(pairs in pairs()) {
        check(WORDS, "x + y", &pairs, u32::wrapping_add)?;
        check(WORDS, "x - y", &pairs, u32::wrapping_sub)?;
        check(WORDS, "x * y", &pairs, u32::wrapping_mul)?;
        check(WORDS, "x / y", &pairs, |x, y| x.checked_div(y).unwrap_or(x))?;
        check(WORDS, "x % y", &pairs, |x, y| if y == 0 { 0 } else { x % y })?;
        check(WORDS, "x << y", &pairs, |x, y| x << (y % 32))?;
        check(WORDS, "x >> y", &pairs, |x, y| x >> (y % 32))?;
        check(WORDS, "u32(x < y) | u32(x >= y) << 1u", &pairs, |x, y| if x < y { 1 } else { 2 })?;
        check(WORDS, "extractBits(x, y % 40u, y / 40u % 40u)", &pairs, |x, y| {
            let offset = (y % 40).min(32);
            let count = (y / 40 % 40).min(32 - offset);
            u32::try_from(u64::from(x) >> offset & ((1u64 << count) - 1)).unwrap()
        })?;
    }

    #[test]
    fn signed(pairs in pairs()) {
        let on = |f: fn(i32, i32) -> i32| move |x: u32, y: u32| f(x.cast_signed(), y.cast_signed()).cast_unsigned();
        check(SIGNED, "u32(x + y)", &pairs, on(i32::wrapping_add))?;
        check(SIGNED, "u32(x * y)", &pairs, on(i32::wrapping_mul))?;
        check(SIGNED, "u32(x / y)", &pairs, on(|x, y| if y == 0 { x } else { x.wrapping_div(y) }))?;
        check(SIGNED, "u32(x % y)", &pairs, on(|x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }))?;
        check(SIGNED, "u32(x >> q)", &pairs, on(|x, y| x >> (y & 31)))?;
        check(SIGNED, "u32(max(x, y) - min(x, y))", &pairs, on(|x, y| x.max(y).wrapping_sub(x.min(y))))?;
        check(SIGNED, "u32(abs(x)) + u32(x < y)", &pairs, |x, y| {
            x.cast_signed().wrapping_abs().cast_unsigned().wrapping_add(u32::from(x.cast_signed() < y.cast_signed()))
        })?;
    }

    #[test]
    fn floats(pairs in pairs()) {
        let on = |f: fn(f32, f32) -> f32| move |x, y| f(f32::from_bits(x), f32::from_bits(y)).to_bits();
        check(FLOATS, "bitcast<u32>(x + y)", &pairs, on(|x, y| x + y))?;
        check(FLOATS, "bitcast<u32>(x * y)", &pairs, on(|x, y| x * y))?;
        check(FLOATS, "bitcast<u32>(x / y)", &pairs, on(|x, y| x / y))?;
        check(FLOATS, "bitcast<u32>(fma(x, y, x))", &pairs, on(|x, y| x.mul_add(y, x)))?;
        check(FLOATS, "bitcast<u32>(floor(x) + trunc(y))", &pairs, on(|x, y| x.floor() + y.trunc()))?;
        // Where an operand is NaN, or both are zeros, either may result.
        let numbers: Vec<_> = pairs.iter().map(|(x, y)| (x & !(1 << 30), y & !(1 << 30))).collect();
        check(FLOATS, "bitcast<u32>(max(x, y) + 0.0)", &numbers, on(|x, y| if x > y { x } else { y } + 0.0))?;
        check(FLOATS, "u32(x < y) + 2u * u32(x == y)", &pairs, |x, y| {
            let (x, y) = (f32::from_bits(x), f32::from_bits(y));
            u32::from(x < y) + 2 * u32::from(x == y)
        })?;
    }

    #[test]
    fn conversions(pairs in pairs()) {
        #[expect(clippy::cast_precision_loss, reason = "what is tested")]
        let (unsigned, signed) = (|x: u32, _: u32| (x as f32).to_bits(), |x: u32, _: u32| (x.cast_signed() as f32).to_bits());
        check(WORDS, "bitcast<u32>(f32(x))", &pairs, unsigned)?;
        check(SIGNED, "bitcast<u32>(f32(x))", &pairs, signed)?;
        // Towards zero, and to the nearest end of the range that both types have.
        let clamped = |low: f64, high: f64| move |x: u32| f64::from(f32::from_bits(x)).trunc().clamp(low, high);
        #[expect(clippy::cast_possible_truncation, reason = "clamped before")]
        let integer = |x: f64| if x.is_nan() { 0 } else { x as i64 };
        check(FLOATS, "u32(x)", &pairs, |x, _| {
            u32::try_from(integer(clamped(0.0, 4_294_967_040.0)(x))).unwrap()
        })?;
        check(FLOATS, "u32(i32(x))", &pairs, |x, _| {
            i32::try_from(integer(clamped(f64::from(i32::MIN), 2_147_483_520.0)(x))).unwrap().cast_unsigned()
        })?;
    }

    #[test]
    fn halves(pairs in pairs()) {
        // Each half is exact in f64, and so are sums and products: one rounding is all there is.
        let on = |f: fn(f64, f64) -> f64| move |x: u32, y: u32| {
            let half = |word: u32| f16::from_bits(u16::try_from(word & 0xFFFF).unwrap()).to_f64();
            f16::from_f64(f(half(x), half(y))).to_f32().to_bits()
        };
        check(HALVES, "bitcast<u32>(f32(x + y))", &pairs, on(|x, y| x + y))?;
        check(HALVES, "bitcast<u32>(f32(x * y))", &pairs, on(|x, y| x * y))?;
        check(HALVES, "bitcast<u32>(f32(x / y))", &pairs, on(|x, y| x / y))?;
        check(HALVES, "bitcast<u32>(f32(sqrt(abs(x))))", &pairs, on(|x, _| x.abs().sqrt()))?;
        check("let x = f16(p);", "bitcast<u32>(f32(x))", &pairs, |x, _| f16::from_f64(x.into()).to_f32().to_bits())?;
        check("let x = f16(bitcast<f32>(p));", "bitcast<u32>(f32(x))", &pairs, |x, _| {
            f16::from_f32(f32::from_bits(x)).to_f32().to_bits()
        })?;
    }
}
