//! Arithmetic, vectors, matrices, arrays, structures, conversions.

use half::f16;

use super::{Case, case, near};

fn f(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn i(values: &[i32]) -> Vec<u32> {
    values.iter().map(|value| value.cast_unsigned()).collect()
}

fn number(lane: u32) -> f32 {
    f32::from(u16::try_from(lane).unwrap())
}

fn half_bits(value: f32) -> u32 {
    f16::from_f32(value).to_bits().into()
}

fn signed(lane: u32) -> i32 {
    lane.cast_signed()
}

pub(super) const CASES: &[Case] = &[
    case(
        "u32 wraps",
        "",
        "let x = a[lane]; r[0] = x - 200u; r[1] = x * 0x80000001u; r[2] = x / 7u; r[3] = x % 7u; r[4] = x / (lane - lane);
         r[5] = x % (lane - lane); r[6] = ~x; r[7] = (x & 12u) | (x ^ 5u);",
        |n| {
            let x = 100 + n;
            vec![x.wrapping_sub(200), x.wrapping_mul(0x8000_0001), x / 7, x % 7, x, 0, !x, (x & 12) | (x ^ 5)]
        },
    ),
    case(
        "i32 rounds to zero and wraps",
        "",
        "let x = i32(lane) - 4; let zero = x - x; r[0] = u32(x / 2); r[1] = u32(x % 3); r[2] = u32(x >> 1u);
         r[3] = u32(-x); r[4] = u32(x / zero); r[5] = u32(x % zero); r[6] = u32((-2147483647 - 1 + zero) / (zero - 1));
         r[7] = u32(x << 31u);",
        |n| {
            let x = signed(n) - 4;
            i(&[x / 2, x % 3, x >> 1, -x, x, 0, i32::MIN, x << 31])
        },
    ),
    case(
        "comparisons of every type",
        "",
        "let x = i32(lane) - 4; let y = f32(x); r[0] = u32(x < 0) | u32(x <= 0) << 1u | u32(x > 0) << 2u | u32(x >= 0) << 3u;
         r[1] = u32(lane < 4u) | u32(lane != 4u) << 1u | u32(u32(x) > 4u) << 2u;
         r[2] = u32(y < 0.0) | u32(y == 0.0) << 1u | u32(y >= 0.0) << 2u | u32(y != 0.0) << 3u;
         let z = vec3<i32>(x, 0, -x) < vec3<i32>(0, 1, 0); r[3] = u32(z.x) | u32(z.y) << 1u | u32(z.z) << 2u;
         r[4] = u32(all(z)) | u32(any(z)) << 1u | u32(any(!z)) << 2u;
         r[5] = u32((x < 0) == (y < 0.0)) | u32((x < 0) != true) << 1u;",
        |n| {
            let x = signed(n) - 4;
            let bits = |bits: &[bool]| bits.iter().rev().fold(0, |all, bit| all << 1 | u32::from(*bit));
            let z = [x < 0, true, -x < 0];
            vec![
                bits(&[x < 0, x <= 0, x > 0, x >= 0]),
                bits(&[n < 4, n != 4, n < 4]),
                bits(&[x < 0, x == 0, x >= 0, x != 0]),
                bits(&z),
                bits(&[z.iter().all(|z| *z), true, !z.iter().all(|z| *z)]),
                bits(&[true, x >= 0]),
            ]
        },
    ),
    case(
        "f32",
        "",
        "let x = f32(lane) + 0.5; r[0] = bitcast<u32>(x * 3.0); r[1] = bitcast<u32>(x - 8.25); r[2] = bitcast<u32>(-x);
         r[3] = bitcast<u32>(x / 4.0); r[4] = bitcast<u32>((x + 3.0) % 2.0); r[5] = bitcast<u32>((-x) % 2.0);",
        |n| {
            let x = number(n) + 0.5;
            f(&[x * 3.0, x - 8.25, -x, x / 4.0, (x + 3.0) % 2.0, -x % 2.0])
        },
    ),
    case(
        "f16 rounds every step",
        "fn both(v: vec2<f16>) -> u32 { return pack2x16float(vec2<f32>(v)); }",
        "let x = f16(lane) + 0.1h; r[0] = both(vec2<f16>(x, x * 3.0h)); r[1] = bitcast<u32>(f32(x + 1024.0h));
         r[2] = both(vec2<f16>(-x, f16(f32(lane) + 2049.0))); r[3] = u32(x); r[4] = u32(x > 3.0h);
         let v = vec2<f16>(unpack2x16float(0x3C004000u + lane)); r[5] = bitcast<u32>(f32(v.x)); r[6] = bitcast<u32>(f32(v.y)); r[7] = u32(bool(x - x));",
        |n| {
            let x = f16::from_f32(f16::from_f32(0.1).to_f32() + number(n)).to_f32();
            vec![
                half_bits(x) | half_bits(x * 3.0) << 16,
                f16::from_f32(x + 1024.0).to_f32().to_bits(),
                half_bits(-x) | half_bits(2049.0 + number(n)) << 16,
                n,
                u32::from(n >= 3),
                f16::from_bits(0x4000 + u16::try_from(n).unwrap()).to_f32().to_bits(),
                1.0f32.to_bits(),
                0,
            ]
        },
    ),
    case(
        "conversions by value and by bits",
        "",
        "let x = f32(lane) * 1.75 - 4.0; r[0] = u32(i32(x)); r[1] = u32(x); r[2] = bitcast<u32>(f32(i32(lane) - 5));
         r[3] = bitcast<u32>(f32(4294967295u - lane * 0u)); r[4] = u32(bool(lane)); r[5] = bitcast<u32>(f32(lane > 3u));
         r[6] = bitcast<u32>(bitcast<i32>(x)); r[7] = u32(i32(bitcast<f32>(0xC0800000u + lane)));",
        |n| {
            let x = number(n) * 1.75 - 4.0;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is tested")]
            let whole = (x.trunc() as i32, x.max(0.0) as u32);
            vec![
                whole.0.cast_unsigned(),
                whole.1,
                (number(n) - 5.0).to_bits(),
                4_294_967_296.0f32.to_bits(),
                u32::from(n != 0),
                f32::from(u8::from(n > 3)).to_bits(),
                x.to_bits(),
                (-4i32).cast_unsigned(),
            ]
        },
    ),
    case(
        "vectors, swizzles, splats",
        "",
        "let v = vec4<u32>(lane, 10u, 20u, 30u); r[0] = v.w + v.x; let s = v.zyx; r[1] = s.x * 100u + s.z;
         let t = v.xx + vec2(5u); r[2] = t.y; var w = v; w.y = 7u; w[2] = lane; r[3] = w.y + w.z;
         let u = vec4(v.xy, vec2<u32>(1u, 2u)); r[4] = u.z + u.w + u.y; r[5] = dot(v, u); r[6] = (2u * v).w; r[7] = (v >> vec4(1u)).z;",
        |n| vec![30 + n, 2000 + n, n + 5, 7 + n, 13, n * n + 100 + 20 + 60, 60, 10],
    ),
    case(
        "dynamic indices of vectors by value and by pointer",
        "",
        "let v = vec4<u32>(3u, 5u, 7u, 11u); r[0] = v[lane % 4u]; var w = v; w[lane % 4u] = 100u + lane; r[1] = w.x + w.y + w.z + w.w;
         r[2] = w[(lane + 1u) % 4u]; w[lane & 1u] += 1u; r[3] = w.x * 1000u + w.y;",
        |n| {
            let v = [3, 5, 7, 11];
            let mut w = v;
            w[n as usize % 4] = 100 + n;
            let sums = vec![v[n as usize % 4], w.iter().sum(), w[(n as usize + 1) % 4]];
            w[n as usize & 1] += 1;
            [sums, vec![w[0] * 1000 + w[1]]].concat()
        },
    ),
    case(
        "matrices",
        "",
        "let x = f32(lane); let m = mat3x2<f32>(1.0, 2.0, 3.0, 4.0, x, 6.0); let v = m * vec3<f32>(1.0, 2.0, 3.0);
         r[0] = bitcast<u32>(v.x); r[1] = bitcast<u32>(v.y); let w = vec2<f32>(1.0, 10.0) * m; r[2] = bitcast<u32>(w.z);
         let t = transpose(m); r[3] = bitcast<u32>(t[0][2] + t[1].y); let p = m * t; r[4] = bitcast<u32>(p[1][0]);
         r[5] = bitcast<u32>(m[lane % 3u][lane % 2u]); var d = m; d[lane % 3u].y = -1.0; d[0] *= 2.0;
         r[6] = bitcast<u32>(d[0].x + d[0].y + d[1].y + d[2].y);
         r[7] = bitcast<u32>(determinant(mat3x3<f32>(2.0, 0.0, 1.0, 1.0, 3.0, x, 0.0, 1.0, 1.0)) + (m * 2.0)[1].x);",
        |n| {
            let x = number(n);
            let m = [[1.0, 2.0], [3.0, 4.0], [x, 6.0]];
            let mut d = m;
            d[n as usize % 3][1] = -1.0;
            f(&[
                7.0 + 3.0 * x,
                2.0 + 8.0 + 18.0,
                x + 60.0,
                x + 4.0,
                2.0 + 12.0 + 6.0 * x,
                m[n as usize % 3][n as usize % 2],
                2.0 + 2.0 * d[0][1] + d[1][1] + d[2][1],
                2.0 * (3.0 - x) + 1.0 + 6.0,
            ])
        },
    ),
    case(
        "arrays by value and by pointer",
        "const TABLE = array<u32, 5>(2u, 3u, 5u, 7u, 11u);",
        "r[0] = TABLE[lane % 5u]; var t = TABLE; t[lane % 5u] += 100u; t[4] = t[lane % 5u] + t[(lane + 1u) % 5u]; r[1] = t[4];
         let copy = t; t[4] = 0u; r[2] = copy[4] + t[4]; var n: array<array<u32, 3>, 2>; n[lane & 1u][lane % 3u] = 9u; n[1][2] += 1u;
         r[3] = n[0][0] + 10u * n[0][1] + 100u * n[0][2] + 1000u * n[1][0] + 10000u * n[1][1] + 100000u * n[1][2];
         let row = n[lane & 1u]; r[4] = row[lane % 3u]; r[5] = n[lane & 1u][2];",
        |k| {
            let table = [2, 3, 5, 7, 11];
            let mut t = table;
            let at = k as usize % 5;
            t[at] += 100;
            t[4] = t[at] + t[(at + 1) % 5];
            let mut n = [[0; 3]; 2];
            n[k as usize & 1][k as usize % 3] = 9;
            n[1][2] += 1;
            let digits = n.concat().iter().rev().fold(0, |all, digit| all * 10 + digit);
            let row = n[k as usize & 1];
            vec![table[at], t[4], t[4], digits, row[k as usize % 3], row[2]]
        },
    ),
    case(
        "structures and access chains",
        "struct Inner { x: u32, v: vec3<u32> } struct Outer { k: u32, parts: array<Inner, 2>, m: mat2x2<f32> }",
        "var s: Outer; s.k = lane; s.parts[lane & 1u].v.y = 5u; s.parts[1].x = 7u; s.m[1][lane & 1u] = 2.0; let c = s;
         s.parts[0].v = vec3<u32>(1u, 2u, 3u); r[0] = c.k; r[1] = c.parts[0].v.y; r[2] = c.parts[lane & 1u].v.y; r[3] = c.parts[1].x;
         r[4] = s.parts[0].v[lane % 3u]; r[5] = bitcast<u32>(s.m[1].x); let i = Inner(3u, vec3<u32>(lane)); r[6] = i.x + i.v.z;
         s.parts[1] = i; r[7] = s.parts[1].x + s.parts[1].v[2];",
        |n| {
            let even = n.is_multiple_of(2);
            vec![
                n,
                if even { 5 } else { 0 },
                5,
                7,
                1 + n % 3,
                if even { 2.0f32.to_bits() } else { 0 },
                3 + n,
                3 + n,
            ]
        },
    ),
    case(
        "zero values and constants of a function",
        "const G = vec3<u32>(1u, 2u, 3u);",
        "const C = vec2<u32>(4u, 5u); let z = vec4<u32>(); var e: array<vec2<u32>, 3>; r[0] = C.y + z.x; r[1] = G.z + e[lane % 3u].y;
         const D = C.x * G.y; r[2] = D; let both = vec4<u32>(C, C); r[3] = both.w; r[4] = G[lane % 3u];",
        |n| vec![5, 3, 8, 5, 1 + n % 3],
    ),
    case(
        "select and short-circuit",
        "var<private> calls: u32; fn yes(x: bool) -> bool { calls += 1u; return x; }",
        "r[0] = select(1u, 2u, lane > 3u); let v = select(vec2<u32>(1u, 2u), vec2<u32>(3u, 4u), vec2<bool>(lane > 1u, lane > 5u));
         r[1] = v.x * 10u + v.y; r[2] = u32(lane > 3u && yes(lane > 5u)); r[3] = calls; r[4] = u32(lane > 3u || yes(lane > 1u)); r[5] = calls;
         let w = select(vec2<u32>(1u, 2u), vec2<u32>(3u, 4u), lane == 0u); r[6] = w.y; r[7] = u32((lane > 3u) & yes(true)) + calls * 10u;",
        |n| {
            let first = u32::from(n > 3);
            let v = if n > 5 {
                34
            } else if n > 1 {
                32
            } else {
                12
            };
            vec![1 + first, v, u32::from(n > 5), first, u32::from(n > 1), 1, if n == 0 { 4 } else { 2 }, first + 20]
        },
    ),
    case(
        "conversions saturate at what both types have",
        "",
        "let x = f32(lane) * 1e20; r[0] = u32(x); r[1] = u32(i32(x)); r[2] = u32(i32(-x)); r[3] = u32(-x);",
        |n| if n == 0 { vec![0; 4] } else { vec![0xFFFF_FF00, 0x7FFF_FF80, 0x8000_0000, 0] },
    ),
    near(
        "mixed float expressions",
        4,
        "let x = f32(lane) + 1.0; let v = vec3<f32>(x, 2.0, 0.5) / 3.0; let w = v * x + v.zxy; r[0] = bitcast<u32>(w.x); r[1] = bitcast<u32>(w.y);
         r[2] = bitcast<u32>(w.z); r[3] = bitcast<u32>(dot(v, w));",
        |n| {
            let x = number(n) + 1.0;
            let v = [x / 3.0, 2.0 / 3.0, 0.5 / 3.0];
            let w = [v[0] * x + v[2], v[1] * x + v[0], v[2] * x + v[1]];
            f(&[w[0], w[1], w[2], v[0] * w[0] + v[1] * w[1] + v[2] * w[2]])
        },
    ),
];
