//! Workgroup memory, barriers, atomics.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "barriers make stores seen",
        "var<workgroup> t: array<u32, 8>; var<workgroup> zero: array<u32, 3>;",
        "t[lane] = lane * lane; workgroupBarrier(); r[0] = t[7u - lane]; workgroupBarrier(); t[lane] += t[lane ^ 1u] * 0u + 1u; storageBarrier();
         workgroupBarrier(); r[1] = t[(lane + 1u) % 8u]; r[2] = zero[lane % 3u];",
        |n| vec![(7 - n) * (7 - n), ((n + 1) % 8) * ((n + 1) % 8) + 1, 0],
    ),
    case(
        "a tree of sums",
        "var<workgroup> t: array<u32, 8>;",
        "t[lane] = lane + 1u; workgroupBarrier(); for (var s = 4u; s > 0u; s >>= 1u) { if (lane < s) { t[lane] += t[lane + s]; } workgroupBarrier(); }
         r[0] = t[0];",
        |_| vec![36],
    ),
    case(
        "booleans in workgroup memory",
        "struct Flags { k: u32, on: bool, more: vec3<bool> } var<workgroup> b: array<bool, 8>; var<workgroup> one: bool; var<workgroup> s: array<Flags, 8>;",
        "b[lane] = lane % 3u == 0u; if (lane == 2u) { one = true; } s[lane].on = lane > 4u; s[lane].more = vec3<bool>(lane > 1u, false, lane > 6u);
         s[lane].k = 9u; workgroupBarrier(); for (var k = 0u; k < 8u; k++) { r[0] += u32(b[k]) << k; } r[1] = u32(one);
         let f = s[7u - lane]; r[2] = u32(f.on) + 2u * u32(f.more.x) + 4u * u32(f.more.y) + 8u * u32(f.more.z) + 100u * f.k; r[3] = u32(s[lane].more.z);",
        |n| {
            let m = 7 - n;
            vec![0b0100_1001, 1, u32::from(m > 4) + 2 * u32::from(m > 1) + 8 * u32::from(m > 6) + 900, u32::from(n > 6)]
        },
    ),
    case(
        "halves in workgroup memory",
        "struct H { a: f16, b: vec3<f16>, c: f16 } var<workgroup> h: array<f16, 9>; var<workgroup> v: array<vec3<f16>, 8>; var<workgroup> s: array<H, 8>;
         var<workgroup> m: array<mat3x3<f16>, 8>;",
        "h[lane] = f16(lane); h[8] = 0.5h; v[lane] = vec3<f16>(f16(lane), 1.0h, 2.0h); v[lane].y = 7.0h; s[lane] = H(1.0h, vec3<f16>(f16(lane)), 3.0h);
         s[lane].c += 1.0h; m[lane][1] = vec3<f16>(1.0h, f16(lane), 3.0h); m[lane][lane % 3u].z = 9.0h; workgroupBarrier(); let n = 7u - lane;
         r[0] = u32(h[n]); r[1] = u32(h[8] * 2.0h); r[2] = u32(v[n].x) + 10u * u32(v[n].y) + 100u * u32(v[n].z); r[3] = u32(s[n].a + s[n].b.z + s[n].c);
         let k = m[n]; r[4] = u32(k[1].y) + 10u * u32(k[n % 3u].z);",
        |n| {
            let m = 7 - n;
            vec![m, 1, m + 70 + 200, 5 + m, m + 90]
        },
    ),
    case(
        "structures, matrices and vec3 in workgroup memory",
        "struct S { k: u32, v: vec3<f32>, w: f32, m: mat3x3<f32>, t: array<vec3<u32>, 2> } var<workgroup> s: array<S, 8>;",
        "var x: S; x.k = lane; x.v = vec3<f32>(1.0, 2.0, f32(lane)); x.w = 5.0; x.m[2] = vec3<f32>(f32(lane)); x.t[1] = vec3<u32>(7u, 8u, lane); s[lane] = x;
         workgroupBarrier(); s[lane].m[lane % 3u][1] = 4.0; s[lane].t[0].z = 6u; workgroupBarrier(); let n = 7u - lane; let y = s[n]; r[0] = y.k;
         r[1] = u32(y.v.z + y.w); r[2] = u32(y.m[2].x + y.m[n % 3u].y); r[3] = y.t[1].z + 10u * y.t[0].z; r[4] = u32(s[n].v[n % 3u]); r[5] = s[n].t[lane & 1u].z;",
        |n| {
            let m = 7 - n;
            vec![m, m + 5, m + 4, m + 60, [1, 2, m][m as usize % 3], if n & 1 == 0 { 6 } else { m }]
        },
    ),
    case(
        "a load for the whole workgroup",
        "struct S { k: u32, v: vec3<u32> } var<workgroup> t: array<u32, 8>; var<workgroup> s: S; var<workgroup> i: i32;",
        "t[lane] = lane * 3u; if (lane == 5u) { s = S(5u, vec3<u32>(1u, 2u, 3u)); i = -7; } let k = workgroupUniformLoad(&t[6]);
         let all = workgroupUniformLoad(&s); r[0] = k; r[1] = all.k + all.v.z; r[2] = u32(workgroupUniformLoad(&i));",
        |_| vec![18, 8, (-7i32).cast_unsigned()],
    ),
    case(
        "atomics of every kind in workgroup memory",
        "var<workgroup> c: array<atomic<u32>, 8>; var<workgroup> s: array<atomic<i32>, 4>;",
        "if (lane == 0u) { atomicStore(&c[3], 0xFFu); atomicStore(&c[5], 100u); atomicStore(&s[0], 3); } workgroupBarrier();
         atomicAdd(&c[0], lane); atomicSub(&c[1], 1u); atomicMax(&c[2], lane); atomicAnd(&c[3], ~(1u << lane)); atomicOr(&c[4], 1u << lane);
         atomicMin(&c[5], lane + 1u); atomicXor(&c[6], 3u << lane); atomicMin(&s[0], i32(lane) - 4); atomicMax(&s[1], i32(lane) - 4); atomicMax(&s[2], -1);
         atomicAdd(&s[3], -2); workgroupBarrier(); for (var k = 0u; k < 4u; k++) { r[k] = atomicLoad(&c[k]); }
         r[4] = atomicLoad(&c[4]) + 1000u * atomicLoad(&c[5]) + 10000u * (atomicLoad(&c[6]) & 1u) + 100000u * (atomicLoad(&c[6]) >> 8u);
         r[5] = u32(atomicLoad(&s[0])); r[6] = u32(atomicLoad(&s[1]) * 10 + atomicLoad(&s[2])); r[7] = u32(atomicLoad(&s[3]));",
        // 3 ^ 6 ^ 12 ^ .. ^ 384 telescopes to bits 0 and 8.
        |_| vec![28, 8u32.wrapping_neg(), 7, 0, 255 + 1000 + 10_000 + 100_000, (-4i32).cast_unsigned(), 30, (-16i32).cast_unsigned()],
    ),
    case(
        "what atomics return",
        "var<workgroup> c: array<atomic<u32>, 8>; var<workgroup> order: array<u32, 8>; var<workgroup> won: atomic<u32>;",
        // Each old value is handed out once, in whatever order the lanes come.
        "let old = atomicAdd(&c[0], 1u); order[old] = 1u; let swapped = atomicExchange(&c[2], lane + 1u); atomicAdd(&c[3], swapped); workgroupBarrier();
         r[0] = order[lane]; r[1] = atomicLoad(&c[3]) + atomicLoad(&c[2]); let mine = atomicCompareExchangeWeak(&c[4], 50u, 51u); r[2] = mine.old_value; r[3] = u32(mine.exchanged);
         let first = atomicCompareExchangeWeak(&c[5], 0u, 7u); if (first.exchanged) { atomicAdd(&won, 1u); } workgroupBarrier(); r[4] = atomicLoad(&won);
         r[5] = atomicLoad(&c[5]); if (lane > 5u) { atomicAdd(&c[6], 10u); } workgroupBarrier(); r[6] = atomicLoad(&c[6]);",
        |_| vec![1, 36, 0, 0, 1, 7, 20],
    ),
    case(
        "atomics with a lane-dependent place",
        "struct Bins { total: atomic<u32>, bins: array<atomic<u32>, 3> } var<workgroup> b: Bins;",
        "atomicAdd(&b.bins[lane % 3u], lane); atomicAdd(&b.total, 1u); workgroupBarrier();
         r[0] = atomicLoad(&b.bins[0]); r[1] = atomicLoad(&b.bins[1]); r[2] = atomicLoad(&b.bins[2]); r[3] = atomicLoad(&b.total);",
        |_| vec![3 + 6, 1 + 4 + 7, 2 + 5, 8],
    ),
    case(
        "indices past the end of workgroup memory stay in their variable",
        "var<workgroup> before: array<u32, 4>; var<workgroup> t: array<u32, 4>; var<workgroup> after: array<u32, 4>; var<workgroup> c: array<atomic<u32>, 2>;",
        "before[lane % 4u] = 1u; after[lane % 4u] = 2u; workgroupBarrier(); if (lane == 6u) { t[lane + 100u * lane] = 9u; } atomicAdd(&c[lane], 1u); workgroupBarrier();
         r[0] = before[3] + after[0]; r[1] = t[0] + t[1];",
        |_| vec![3, 0],
    ),
];
