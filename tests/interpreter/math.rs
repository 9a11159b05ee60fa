//! Built-in functions.

use half::f16;

use super::{Case, case, near};

fn number(lane: u32) -> f32 {
    f32::from(u16::try_from(lane).unwrap())
}

fn f(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn half_bits(value: f32) -> u32 {
    f16::from_f32(value).to_bits().into()
}

/// Bits worth counting: 0, all, single ones, a pattern.
fn pattern(lane: u32) -> u32 {
    [0, u32::MAX, 1, 0x8000_0000, 0x00F0_0000, 0x7FFF_FFFF, 0xFFFF_FFF0, 0x1234_5678][lane as usize]
}

const PATTERN: &str = "fn pattern(lane: u32) -> u32 { let t = array<u32, 8>(0u, 0xFFFFFFFFu, 1u, 0x80000000u, 0xF00000u, 0x7FFFFFFFu, 0xFFFFFFF0u, 0x12345678u);
    return t[lane]; }";

pub(super) const CASES: &[Case] = &[
    case(
        "bits counted and found",
        PATTERN,
        "let x = pattern(lane); r[0] = countOneBits(x); r[1] = countLeadingZeros(x); r[2] = countTrailingZeros(x); r[3] = reverseBits(x);
         r[4] = firstLeadingBit(x); r[5] = firstTrailingBit(x); r[6] = u32(firstLeadingBit(i32(x))); r[7] = u32(countLeadingZeros(vec2<i32>(i32(x), 1)).y);",
        |n| {
            let x = pattern(n);
            let signed = if x >> 31 == 1 { !x } else { x };
            let highest = |x: u32| x.checked_ilog2().unwrap_or(u32::MAX);
            let lowest = if x == 0 { u32::MAX } else { x.trailing_zeros() };
            vec![x.count_ones(), x.leading_zeros(), x.trailing_zeros(), x.reverse_bits(), highest(x), lowest, highest(signed), 31]
        },
    ),
    case(
        "bit fields",
        PATTERN,
        "let x = pattern(lane); r[0] = extractBits(x, 4u, 8u); r[1] = u32(extractBits(i32(x), 4u, 8u)); r[2] = extractBits(x, lane * 8u, 32u);
         r[3] = extractBits(x, 0u, 32u); r[4] = insertBits(x, 0xABu, 4u, 8u); r[5] = insertBits(x, 0xABu, lane * 8u, 40u); r[6] = insertBits(x, 5u, 3u, 0u);
         r[7] = extractBits(vec2<u32>(1u, x), 28u, 4u).y;",
        |n| {
            let x = pattern(n);
            let byte = x >> 4 & 0xFF;
            let signed = i32::from(u8::try_from(byte).unwrap().cast_signed()).cast_unsigned();
            let shifted = if n < 4 { x >> (8 * n) } else { 0 };
            let inserted = if n < 4 { (x & !(u32::MAX << (8 * n))) | 0xAB << (8 * n) } else { x };
            vec![byte, signed, shifted, x, (x & !0xFF0) | 0xAB0, inserted, x, x >> 28]
        },
    ),
    case(
        "integers",
        "",
        "let x = i32(lane) - 4; r[0] = u32(abs(x)); r[1] = u32(sign(x)); r[2] = u32(min(x, -1)); r[3] = u32(max(x, 1)); r[4] = u32(clamp(x, -2, 2));
         r[5] = min(lane, 3u) * 10u + max(lane, 3u); r[6] = clamp(lane, 5u, 2u); r[7] = u32(dot(vec3<i32>(x, 2, -1), vec3<i32>(x, x, 5)) + abs(-2147483647 - 1 - x + x));",
        |n| {
            let x = n.cast_signed() - 4;
            let signed = [x.abs(), x.signum(), x.min(-1), x.max(1), x.clamp(-2, 2)].map(i32::cast_unsigned);
            let dot = (x * x + 2 * x - 5).wrapping_add(i32::MIN).cast_unsigned();
            signed.into_iter().chain([n.min(3) * 10 + n.max(3), 2, dot]).collect()
        },
    ),
    case(
        "packing",
        "",
        "let x = f32(lane) / 4.0 - 0.984375; r[0] = pack4x8unorm(vec4<f32>(x, 0.5, 2.0, 0.0)); r[1] = pack4x8snorm(vec4<f32>(x, -2.0, 1.0, 0.0));
         r[2] = pack2x16unorm(vec2<f32>(x, 1.0)); r[3] = pack2x16snorm(vec2<f32>(x, -1.0)); r[4] = pack2x16float(vec2<f32>(x, 2049.0));
         r[5] = pack4xI8(vec4<i32>(i32(lane) - 4, 300, -1, 0)); r[6] = pack4xU8Clamp(vec4<u32>(lane, 300u, 255u, 0u)); r[7] = pack4xI8Clamp(vec4<i32>(i32(lane) - 4, 300, -300, 1));",
        |n| {
            let x = number(n) / 4.0 - 0.984375;
            #[expect(clippy::cast_possible_truncation, reason = "what is tested")]
            let norm = |x: f32, scale: f32| ((0.5 + scale * x).floor() as i32).cast_unsigned();
            let low = (n.wrapping_sub(4)) & 0xFF;
            vec![
                norm(x.max(0.0), 255.0) | 0x80 << 8 | 0xFF << 16,
                norm(x, 127.0) & 0xFF | 0x81 << 8 | 0x7F << 16,
                norm(x.max(0.0), 65_535.0) | 0xFFFF << 16,
                norm(x, 32_767.0) & 0xFFFF | 0x8001 << 16,
                half_bits(x) | half_bits(2048.0) << 16,
                low | 44 << 8 | 0xFF << 16,
                n | 0xFF << 8 | 0xFF << 16,
                low | 127 << 8 | 0x80 << 16 | 1 << 24,
            ]
        },
    ),
    case(
        "unpacking",
        "",
        "let x = 0x80FF7F00u + lane; let u = unpack4xU8(x); r[0] = u.x + u.y + u.z + u.w; let s = unpack4xI8(x); r[1] = u32(s.y + s.z + s.w);
         r[2] = dot4U8Packed(x, 0x01020304u); r[3] = u32(dot4I8Packed(x, 0x01020304u)); let h = unpack2x16float(0x3C004000u + lane);
         r[4] = bitcast<u32>(h.x); r[5] = bitcast<u32>(h.y); r[6] = bitcast<u32>(unpack4x8unorm(x).z); r[7] = bitcast<u32>(unpack2x16snorm(0x8000u).x);",
        |n| {
            vec![
                n + 127 + 255 + 128,
                (127 - 1 - 128i32).cast_unsigned(),
                4 * n + 3 * 127 + 2 * 255 + 128,
                (4 * n.cast_signed() + 3 * 127 - 2 - 128).cast_unsigned(),
                f16::from_bits(0x4000 + u16::try_from(n).unwrap()).to_f32().to_bits(),
                1.0f32.to_bits(),
                1.0f32.to_bits(),
                (-1.0f32).to_bits(),
            ]
        },
    ),
    case(
        "floats that are exact",
        "",
        "let x = f32(lane) * 0.5 - 1.75; r[0] = bitcast<u32>(floor(x)); r[1] = bitcast<u32>(ceil(x) + trunc(x)); r[2] = bitcast<u32>(round(f32(lane) * 0.5));
         r[3] = bitcast<u32>(abs(x)); r[4] = bitcast<u32>(sign(x)); r[5] = bitcast<u32>(min(x, 0.25) * max(x, -0.5)); r[6] = bitcast<u32>(clamp(x, -1.0, 1.0) + saturate(x));
         r[7] = bitcast<u32>(step(0.0, x));",
        |n| {
            let x = number(n) * 0.5 - 1.75;
            f(&[
                x.floor(),
                x.ceil() + x.trunc(),
                (number(n) * 0.5).round_ties_even(),
                x.abs(),
                x.signum(),
                x.min(0.25) * x.max(-0.5),
                x.clamp(-1.0, 1.0) + x.clamp(0.0, 1.0),
                if x >= 0.0 { 1.0 } else { 0.0 },
            ])
        },
    ),
    case(
        "more floats that are exact",
        "",
        "let x = f32(lane) + 0.25; r[0] = bitcast<u32>(fma(x, 2.0, 1.0)); r[1] = bitcast<u32>(fract(x)); r[2] = bitcast<u32>(ldexp(x, i32(lane) - 4));
         r[3] = bitcast<u32>(quantizeToF16(x + 2048.0)); r[4] = bitcast<u32>(cross(vec3<f32>(1.0, x, 0.0), vec3<f32>(0.0, 1.0, 2.0)).x);
         r[5] = bitcast<u32>(dot(vec2<f32>(x, 2.0), vec2<f32>(4.0, 0.5))); let m = mix(vec2<f32>(0.0, 8.0), vec2<f32>(4.0, 16.0), 0.25); r[6] = bitcast<u32>(m.y - m.x);
         r[7] = bitcast<u32>(mix(vec2<f32>(0.0, 8.0), vec2<f32>(4.0, 16.0), vec2<f32>(0.25, 0.5)).y);",
        |n| {
            let x = number(n) + 0.25;
            let power = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0][n as usize];
            f(&[
                2.0 * x + 1.0,
                0.25,
                x * power,
                f16::from_f32(x + 2048.0).to_f32(),
                2.0 * x,
                4.0 * x + 1.0,
                10.0 - 1.0,
                12.0,
            ])
        },
    ),
    case(
        "fractions and exponents",
        "",
        "let x = f32(lane) * 1.5 - 3.25; let m = modf(x); r[0] = bitcast<u32>(m.fract); r[1] = bitcast<u32>(m.whole); let e = frexp(f32(lane) * 3.0);
         r[2] = bitcast<u32>(e.fract); r[3] = u32(e.exp); let v = modf(vec2<f32>(x, 2.5)); r[4] = bitcast<u32>(v.fract.y); r[5] = bitcast<u32>(v.whole.x);
         r[6] = u32(frexp(vec2<f32>(1.0, 0.375)).exp.y);",
        |n| {
            let x = number(n) * 1.5 - 3.25;
            let y = 3.0 * number(n);
            let exponent = if n == 0 { 0 } else { (3 * n).ilog2() + 1 };
            vec![
                (x - x.trunc()).to_bits(),
                x.trunc().to_bits(),
                (y / f32::from(1u16 << exponent)).to_bits(),
                exponent,
                0.5f32.to_bits(),
                x.trunc().to_bits(),
                (-1i32).cast_unsigned(),
            ]
        },
    ),
    case(
        "halves",
        "fn both(v: vec2<f16>) -> u32 { return pack2x16float(vec2<f32>(v)); }",
        "let x = f16(lane) - 3.5h; r[0] = both(vec2<f16>(abs(x), max(x, 0.5h))); r[1] = both(vec2<f16>(floor(x), fma(x, x, 0.25h)));
         r[2] = bitcast<u32>(f32(dot(vec2<f16>(x, 1.0h), vec2<f16>(2.0h, 3.0h)))); r[3] = both(vec2<f16>(clamp(x, -1.0h, 1.0h), sign(x)));
         r[4] = both(vec2<f16>(mix(vec2<f16>(x), vec2<f16>(1.0h, 2.0h), 0.5h)));",
        |n| {
            let x = number(n) - 3.5;
            vec![
                half_bits(x.abs()) | half_bits(x.max(0.5)) << 16,
                half_bits(x.floor()) | half_bits(x * x + 0.25) << 16,
                (2.0 * x + 3.0).to_bits(),
                half_bits(x.clamp(-1.0, 1.0)) | half_bits(x.signum()) << 16,
                half_bits(0.5 * x + 0.5) | half_bits(0.5 * x + 1.0) << 16,
            ]
        },
    ),
    near(
        "roots and lengths",
        4,
        "let x = f32(lane) + 1.0; let v = vec3<f32>(x, 2.0, 0.5); r[0] = bitcast<u32>(sqrt(x)); r[1] = bitcast<u32>(inverseSqrt(x)); r[2] = bitcast<u32>(length(v));
         r[3] = bitcast<u32>(distance(v, vec3<f32>(1.0))); r[4] = bitcast<u32>(normalize(v).y); r[5] = bitcast<u32>(reflect(v, vec3<f32>(0.0, 1.0, 0.0)).y);
         r[6] = bitcast<u32>(faceForward(v, v, vec3<f32>(-1.0)).x); r[7] = bitcast<u32>(length(-x));",
        |n| {
            let x = number(n) + 1.0;
            let length = (x * x + 4.25).sqrt();
            f(&[
                x.sqrt(),
                1.0 / x.sqrt(),
                length,
                ((x - 1.0) * (x - 1.0) + 1.25).sqrt(),
                2.0 / length,
                -2.0,
                x,
                x,
            ])
        },
    ),
    near(
        "powers, logarithms, angles",
        // Device functions may be off by several units; 16 times this is what the device is allowed.
        16,
        "let x = f32(lane) + 1.0; r[0] = bitcast<u32>(exp(x * 0.25)); r[1] = bitcast<u32>(log2(x + 0.5)); r[2] = bitcast<u32>(pow(x, 1.5));
         r[3] = bitcast<u32>(exp2(x) + log(x + 1.0)); r[4] = bitcast<u32>(atan2(x, 2.0)); r[5] = bitcast<u32>(tanh(x * 0.1)); r[6] = bitcast<u32>(smoothstep(0.0, 10.0, x));
         r[7] = bitcast<u32>(radians(x) + degrees(x));",
        |n| {
            let x = number(n) + 1.0;
            let t = x / 10.0;
            f(&[
                (x * 0.25).exp(),
                (x + 0.5).log2(),
                x * x.sqrt(),
                x.exp2() + (x + 1.0).ln(),
                x.atan2(2.0),
                (x * 0.1).tanh(),
                t * t * (3.0 - 2.0 * t),
                x.to_radians() + x.to_degrees(),
            ])
        },
    ),
];
