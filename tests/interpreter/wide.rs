//! Numbers of 64 bits.

use sectorscope::contents::Contents;
use sectorscope::trace::AccessKind;

use super::traces::listen;
use super::{Case, buffer, bytes, case, interpret, program};

/// A number of 64 bits as two words.
fn two(bits: u64) -> [u32; 2] {
    [u32::try_from(bits & 0xFFFF_FFFF).unwrap(), u32::try_from(bits >> 32).unwrap()]
}

pub(super) const CASES: &[Case] = &[
    case(
        "long integers",
        "fn low(x: u64) -> u32 { return u32(x & 0xFFFFFFFFlu); } fn high(x: u64) -> u32 { return u32(x >> 32u); }",
        "let x = u64(lane) * 0x123456789lu + 5lu; r[0] = low(x); r[1] = high(x); let y = i64(lane) - 4li; let q = y * 10000000000li / 7li;
         r[2] = low(u64(q)); r[3] = high(u64(q)); r[4] = u32(y < 0li) + 2u * u32(x > 0x100000000lu) + 4u * u32(y % 3li == -1li);
         r[5] = high(x << (lane * 5u)); r[6] = low(u64(y >> 1u)); r[7] = low(u64(abs(y) + max(y, 2li) + min(y, -1li) + clamp(y, 0li, 1li)));",
        |n| {
            let (x, y) = (u64::from(n) * 0x1_2345_6789 + 5, i64::from(n) - 4);
            let q = two((y * 10_000_000_000 / 7).cast_unsigned());
            let flags = u32::from(y < 0) + 2 * u32::from(x > 0x1_0000_0000) + 4 * u32::from(y % 3 == -1);
            let mixed = y.abs() + y.max(2) + y.min(-1) + y.clamp(0, 1);
            let [low, high] = two(x);
            vec![low, high, q[0], q[1], flags, two(x << (n * 5))[1], two((y >> 1).cast_unsigned())[0], two(mixed.cast_unsigned())[0]]
        },
    ),
    case(
        "long integers in vectors, arrays, structures and memory",
        "struct S { k: u32, v: vec2<u64>, t: array<i64, 3> } var<workgroup> s: array<S, 8>; var<workgroup> v: array<vec3<i64>, 8>;",
        "var x: S; x.k = lane; x.v = vec2<u64>(u64(lane) << 33u, 7lu); x.t[lane % 3u] = -1li - i64(lane); x.v.y += x.v.x; s[lane] = x; v[lane] = vec3<i64>(1li, 2li, i64(lane) * -5000000000li);
         workgroupBarrier(); let n = 7u - lane; let y = s[n]; r[0] = u32(y.v.y >> 32u); r[1] = u32(y.v.yx.y >> 32u) + y.k; r[2] = u32(y.t[n % 3u]); r[3] = u32(v[n].z >> 32u);
         let w = select(vec2<u64>(1lu, 2lu), y.v, vec2<bool>(lane > 3u, false)); r[4] = u32(w.x >> 32u); r[5] = u32(w.y); r[6] = u32(y.v[lane & 1u] >> 33u);
         r[7] = u32(dot(v[n].xy, vec2<i64>(i64(lane), 3li)));",
        |n| {
            let m = 7 - n;
            let z = i64::from(m) * -5_000_000_000;
            vec![
                2 * m,
                3 * m,
                (-1 - m.cast_signed()).cast_unsigned(),
                two((z >> 32).cast_unsigned())[0],
                if n > 3 { 2 * m } else { 0 },
                2,
                m,
                n + 6,
            ]
        },
    ),
    case(
        "doubles",
        "",
        "let x = f64(lane) * 0.1lf + 1.0lf; r[0] = u32(x * 1e9lf); let s = sqrt(x); r[1] = u32(s * 1e9lf); r[2] = bitcast<u32>(f32(x / 3.0lf));
         r[3] = u32(x > 1.25lf) + 2u * u32(floor(x) == 1.0lf); r[4] = u32(i32(-x * 1000.0lf)); r[5] = u32(fma(x, 1e6lf, 0.5lf)); let m = mat2x2<f64>(1.0lf, 2.0lf, 3.0lf, x) * vec2<f64>(x, 2.0lf);
         r[6] = u32(m.y * 1e8lf); r[7] = u32(length(vec2<f64>(3.0lf, 4.0lf)) + max(x, 2.0lf) * 100.0lf);",
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is tested")]
        |n| {
            let x = f64::from(n) * 0.1 + 1.0;
            vec![
                (x * 1e9) as u32,
                (x.sqrt() * 1e9) as u32,
                ((x / 3.0) as f32).to_bits(),
                u32::from(x > 1.25) + 2,
                ((-x * 1000.0) as i32).cast_unsigned(),
                x.mul_add(1e6, 0.5) as u32,
                ((2.0 * x + x * 2.0) * 1e8) as u32,
                205,
            ]
        },
    ),
    case(
        "long atomics",
        "var<workgroup> c: array<atomic<u64>, 4>;",
        "atomicAdd(&c[0], 0x100000001lu); atomicMax(&c[1], u64(lane) << 40u); let old = atomicExchange(&c[2], 5lu); workgroupBarrier(); let x = atomicLoad(&c[0]); r[0] = u32(x); r[1] = u32(x >> 32u);
         r[2] = u32(atomicLoad(&c[1]) >> 40u); r[3] = u32(atomicLoad(&c[2]));",
        |_| vec![8, 8, 7, 5],
    ),
];

#[test]
fn accesses_of_eight_bytes_and_leaves_of_sixteen() {
    let wgsl = "@group(0) @binding(0) var<storage, read> a: array<vec4<u64>>;
@group(0) @binding(1) var<storage, read_write> b: array<vec3<f64>>;
@group(0) @binding(2) var<storage, read_write> o: array<u64>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) lane: u32) {
    let x = a[lane];
    b[lane] = vec3<f64>(1.0lf, 2.0lf, f64(lane));
    o[lane] = x.w + u64(b[lane].z);
}";
    let buffers = vec![buffer("a", 64, bytes(0..64)), buffer("b", 64, Contents::Zero), buffer("o", 16, Contents::Zero)];
    let program = program(wgsl, buffers, [1, 1, 1]);
    let log = listen(&program);
    let shape = |name: &str, kind: AccessKind| -> Vec<(u32, u32)> {
        log.of(name, kind).iter().map(|heard| (heard.bytes, heard.lanes[1].1)).collect()
    };
    // Lane 1 of a: 32 bytes on, in two leaves; of b, whose vec3 take the room of four, 16 and 8 bytes.
    assert_eq!(shape("a", AccessKind::Load), [(16, 32), (16, 48)]);
    assert_eq!(shape("b", AccessKind::Store), [(16, 32), (8, 48)]);
    assert_eq!(shape("b", AccessKind::Load), [(8, 48)]);
    assert_eq!(shape("o", AccessKind::Store), [(8, 8)]);
    // Word i of a is i: number w of lane n has the words 8n + 6 and 8n + 7.
    let words = interpret(&program).unwrap();
    for lane in 0..8u32 {
        assert_eq!(words[2 * lane as usize..][..2], [8 * lane + 6 + lane, 8 * lane + 7]);
    }
}
