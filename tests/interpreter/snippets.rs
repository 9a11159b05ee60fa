//! Many small expressions in the interpreter and on the device: integers bit by bit, floats within what WGSL allows
//! ("Floating point accuracy" in its specification: units in the last place, or an absolute error).

use std::fmt::Write as _;

use sectorscope::contents::{Contents, hash};
use sectorscope::program::Program;

use super::raw::Raw;
use super::{buffer, bytes, distance, interpret, program};

/// Lanes; each has its own operands.
const LANES: u32 = 64;

/// An expression, and how far two results may be apart: in units of the last place, or else absolutely.
type Snippet = (&'static str, u32, f32);

const fn exact(text: &'static str) -> Snippet {
    (text, 0, 0.0)
}

/// Operands: `x`, `y`, `z` f32 in -8..8 and a few special values, `p` f32 in 0..1; `v`, `w` vec3<f32> of them.
const FLOATS: &[Snippet] = &[
    exact("abs(x)"),
    exact("sign(x)"),
    exact("floor(x)"),
    exact("ceil(x)"),
    exact("trunc(x)"),
    exact("round(x)"),
    exact("x - y"),
    exact("x * y"),
    exact("-x"),
    exact("fract(x)"),
    exact("saturate(x)"),
    exact("min(x, y)"),
    exact("max(x, y)"),
    exact("clamp(x, -1.0, 2.5)"),
    exact("step(y, x)"),
    exact("quantizeToF16(x)"),
    exact("ldexp(x, i32(lane % 9u) - 4)"),
    exact("modf(x).fract"),
    exact("modf(x).whole"),
    exact("frexp(x).fract"),
    exact("f32(frexp(v).exp.y)"),
    exact("f32(i32(x))"),
    exact("f32(u32(x))"),
    exact("select(x, y, x < z)"),
    exact("select(v, w, v < w).y"),
    exact("transpose(mat2x3<f32>(v, w))[lane % 3u].y"),
    exact("mat2x3<f32>(v, w)[lane % 2u][lane % 3u]"),
    exact("f32(all(v < w)) + 2.0 * f32(any(v < w))"),
    exact("faceForward(v, w, v).x"),
    exact("unpack4x8unorm(bitcast<u32>(x)).z"),
    exact("unpack4x8snorm(bitcast<u32>(x)).w"),
    exact("unpack2x16unorm(bitcast<u32>(x)).x"),
    exact("unpack2x16snorm(bitcast<u32>(x)).y"),
    exact("unpack2x16float(pack2x16float(vec2<f32>(x, y))).y"),
    ("x / y", 3, 0.0),
    ("x % y", 3, 1e-5),
    ("fma(x, y, z)", 1, 1e-5),
    ("sqrt(abs(x))", 3, 0.0),
    ("inverseSqrt(abs(x))", 3, 0.0),
    ("radians(x)", 3, 0.0),
    ("degrees(x)", 3, 0.0),
    ("mix(x, y, p)", 4, 1e-5),
    ("mix(v, w, p).z", 4, 1e-5),
    ("smoothstep(0.0, 8.0, x)", 8, 1e-6),
    ("dot(v, w)", 4, 2e-5),
    ("cross(v, w).y", 4, 2e-5),
    ("length(v)", 4, 0.0),
    ("distance(v, w)", 4, 1e-5),
    ("normalize(v).x", 4, 1e-6),
    ("reflect(v, normalize(w)).z", 16, 2e-5),
    ("refract(normalize(v), normalize(w), 0.7).x", 64, 2e-5),
    ("determinant(mat3x3<f32>(v, w, v.zxy))", 16, 1e-3),
    ("determinant(mat4x4<f32>(vec4<f32>(v, x), vec4<f32>(w, y), vec4<f32>(z, v), vec4<f32>(p, w)))", 64, 2e-2),
    ("determinant(mat2x2<f32>(x, y, z, p))", 4, 2e-5),
    ("(mat3x3<f32>(v, w, v.yzx) * w).y", 4, 5e-5),
    ("(v * mat3x3<f32>(v, w, v.yzx)).z", 4, 5e-5),
    ("(mat2x3<f32>(v, w) * mat3x2<f32>(v.xy, w.xy, v.yz))[2].x", 4, 5e-5),
    ("(mat2x3<f32>(v, w) + mat2x3<f32>(w, v) * x)[1].y", 4, 5e-5),
    ("sin(x)", 4, 4.9e-4),
    ("cos(x)", 4, 4.9e-4),
    ("tan(x * 0.15)", 16, 2e-3),
    // Vulkan's bound: that of atan2(p, sqrt(1 - p * p)).
    ("asin(p)", 4096, 0.0),
    ("acos(p)", 4096, 4e-4),
    ("atan(x)", 4096, 0.0),
    ("atan2(x, y)", 4096, 0.0),
    ("sinh(x)", 64, 2e-6),
    ("cosh(x)", 64, 0.0),
    ("tanh(x)", 64, 2e-6),
    ("asinh(x)", 64, 2e-6),
    ("acosh(abs(x) + 1.0)", 64, 1e-3),
    ("atanh(p * 0.9)", 64, 2e-6),
    ("exp(x)", 19, 0.0),
    ("exp2(x)", 19, 0.0),
    ("log(abs(x))", 3, 4.8e-7),
    ("log2(abs(x))", 3, 4.8e-7),
    ("pow(abs(x), p * 4.0)", 64, 0.0),
];

/// Operands: `i`, `j` i32 and `x`, `y` u32 of all bits; `s` u32 under 32.
const INTEGERS: &[Snippet] = &[
    exact("x + y * 3u"),
    exact("i - j"),
    exact("i * j"),
    exact("x / (y >> s)"),
    exact("x % (y >> s)"),
    exact("i / (j >> s)"),
    exact("i % (j >> s)"),
    exact("x << s"),
    exact("i >> s"),
    exact("x ^ y & ~x | s"),
    exact("abs(i)"),
    exact("sign(i)"),
    exact("min(i, j)"),
    exact("max(x, y)"),
    exact("clamp(i, -1000, 1000000)"),
    exact("countOneBits(x)"),
    exact("countLeadingZeros(x >> s)"),
    exact("countTrailingZeros(x << s)"),
    exact("firstLeadingBit(i >> s)"),
    exact("firstLeadingBit(x >> s)"),
    exact("firstTrailingBit(vec2<u32>(0u, x << s))[lane % 2u]"),
    exact("reverseBits(x)"),
    exact("extractBits(i, s, 7u)"),
    exact("extractBits(x, s, y)"),
    exact("insertBits(x, y, s, 9u)"),
    exact("dot(vec3<i32>(i, j, 3), vec3<i32>(j, i, i))"),
    exact("dot4U8Packed(x, y)"),
    exact("dot4I8Packed(x, y)"),
    exact("pack4xI8(vec4<i32>(i, j, i >> 8u, j >> 8u))"),
    exact("pack4xU8(vec4<u32>(x, y, x >> 8u, s))"),
    exact("pack4xI8Clamp(vec4<i32>(i >> 20u, j, 3, -200))"),
    exact("pack4xU8Clamp(vec4<u32>(x >> 20u, y, 3u, 200u))"),
    exact("unpack4xI8(x)[lane % 4u]"),
    exact("unpack4xU8(x).y"),
    exact("pack4x8snorm(vec4<f32>(f32(s) / 31.0, -0.3, -2.0, 0.71))"),
    exact("pack4x8unorm(vec4<f32>(f32(s) / 31.0, -0.3, 2.0, 0.71))"),
    exact("pack2x16snorm(vec2<f32>(f32(s) / 31.0, -0.3))"),
    exact("pack2x16unorm(vec2<f32>(f32(s) / 31.0, 0.31))"),
    exact("pack2x16float(vec2<f32>(f32(i), f32(s) / 7.0))"),
    exact("bitcast<i32>(bitcast<f32>(x))"),
    exact("bitcast<vec2<i32>>(vec2<u32>(x, y)).y"),
    exact("bitcast<u32>(f32(x))"),
    exact("bitcast<u32>(f32(i))"),
    exact("select(x, y, i < j)"),
    exact("u32(i < j && x > y || s == 3u)"),
    exact("u32(bool(s & 1u)) + u32(!(i < j))"),
];

/// Operands: `x`, `y`, `z` f16 in -8..8; `v`, `w` vec3<f16>. One unit of an f16 is 8192 of the f32 that it becomes.
const HALVES: &[Snippet] = &[
    exact("x + y"),
    exact("x - y"),
    exact("x * y"),
    exact("-x"),
    exact("abs(x)"),
    exact("floor(x)"),
    exact("round(x)"),
    exact("min(x, y)"),
    exact("max(x, y)"),
    exact("clamp(x, -1.0h, 2.5h)"),
    exact("sign(x)"),
    exact("step(y, x)"),
    exact("f16(f32(x) * 1.37)"),
    exact("f16(i32(lane) * 773 - 9000)"),
    exact("f16(lane * 1771u)"),
    exact("select(x, y, x < z)"),
    exact("mat2x3<f16>(v, w)[lane % 2u][lane % 3u]"),
    exact("ldexp(x, 3)"),
    exact("modf(x).whole"),
    ("x / y", 8192, 0.0),
    ("fma(x, y, z)", 8192, 0.04),
    ("sqrt(abs(x))", 8192, 0.0),
    ("dot(v, w)", 4 * 8192, 0.2),
    ("length(v)", 4 * 8192, 0.0),
    ("mix(x, y, 0.25h)", 4 * 8192, 0.01),
    ("exp(x)", 20 * 8192, 0.0),
    ("sin(x)", 4 * 8192, 8e-3),
    ("(mat3x3<f16>(v, w, v.yzx) * w).y", 8 * 8192, 0.5),
];

fn words(seed: u32) -> impl Iterator<Item = u32> {
    (0..LANES * 4).map(move |k| hash(k ^ hash(seed)))
}

/// Floats in -8..8, with zeros, ones and halves among them.
fn floats() -> Vec<u32> {
    const SPECIAL: [f32; 8] = [0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 3.5, 0.001];
    let scale = |word: u32| f32::from(u16::try_from(word >> 16).unwrap()) / 4096.0 - 8.0;
    let value = |(k, word): (usize, u32)| if k < 24 { SPECIAL[k % 8] } else { scale(word) };
    words(1).enumerate().map(value).map(f32::to_bits).collect()
}

/// One program that evaluates all expressions of a table; `wrap` makes a word of a result.
fn all(table: &[Snippet], operands: &str, wrap: [&str; 2], contents: Contents) -> Program {
    let mut body = String::new();
    for (k, (text, ..)) in table.iter().enumerate() {
        writeln!(body, "o[{k}u * {LANES}u + lane] = {}{text}{};", wrap[0], wrap[1]).unwrap();
    }
    let enable = if operands.contains("f16") { "enable f16;" } else { "" };
    let wgsl = format!(
        "{enable}
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size({LANES}) fn main(@builtin(local_invocation_index) lane: u32) {{
    {operands}
    {body}
}}"
    );
    let size = table.len() as u64 * u64::from(LANES);
    program(&wgsl, vec![buffer("a", u64::from(LANES) * 4, contents), buffer("o", size, Contents::Poison)], [1, 1, 1])
}

/// Whether two words may both be the result.
fn agree(a: u32, b: u32, (_, ulps, floor): Snippet, is_float: bool) -> bool {
    if a == b {
        return true;
    }
    let [x, y] = [a, b].map(f32::from_bits);
    // Vulkan promises nothing of infinities and NaN, and lets zeros lose their sign.
    is_float && (!x.is_finite() || !y.is_finite() || x == y || distance(a, b) <= ulps || (x - y).abs() <= floor)
}

fn compare(table: &[Snippet], program: &Program, is_float: bool) {
    let found = interpret(program).unwrap();
    let Some(raw) = Raw::open(program) else { return };
    let device = raw.run(program);
    let mut problems = Vec::new();
    for (k, snippet) in table.iter().enumerate() {
        let here = k * LANES as usize..(k + 1) * LANES as usize;
        let wrong = found[here.clone()].iter().zip(&device[here]).enumerate();
        let mut wrong = wrong.filter(|(_, (found, device))| !agree(**found, **device, *snippet, is_float));
        if let Some((lane, (found, device))) = wrong.next() {
            let [x, y] = [*found, *device].map(f32::from_bits);
            problems.push(format!("{} in lane {lane}: {found:#x} ({x}), the device has {device:#x} ({y})", snippet.0));
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn float_functions_agree_with_the_device() {
    let operands = "let x = bitcast<f32>(a[lane * 4u]); let y = bitcast<f32>(a[lane * 4u + 1u]); let z = bitcast<f32>(a[lane * 4u + 2u]); let p = abs(bitcast<f32>(a[lane * 4u + 3u])) / 8.0;
        let v = vec3<f32>(x, y, z); let w = vec3<f32>(z, p, x - 1.0);";
    compare(FLOATS, &all(FLOATS, operands, ["bitcast<u32>(", ")"], bytes(floats())), true);
}

#[test]
fn integer_functions_agree_with_the_device() {
    let operands = "let x = a[lane * 4u]; let y = a[lane * 4u + 1u]; let i = bitcast<i32>(a[lane * 4u + 2u]); let j = bitcast<i32>(a[lane * 4u + 3u]); let s = lane % 32u;";
    compare(INTEGERS, &all(INTEGERS, operands, ["u32(", ")"], bytes(words(2))), false);
}

#[test]
fn half_functions_agree_with_the_device() {
    let operands = "let x = f16(bitcast<f32>(a[lane * 4u])); let y = f16(bitcast<f32>(a[lane * 4u + 1u])); let z = f16(bitcast<f32>(a[lane * 4u + 2u]));
        let v = vec3<f16>(x, y, z); let w = vec3<f16>(z, x - 1.0h, y);";
    compare(HALVES, &all(HALVES, operands, ["bitcast<u32>(f32(", "))"], bytes(floats())), true);
}
