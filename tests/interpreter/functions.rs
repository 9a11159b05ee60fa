//! Calls, pointers as arguments, private variables, overrides.

use super::{Case, case, interpreted_only};

pub(super) const CASES: &[Case] = &[
    case(
        "values in and out, nested and in one expression",
        "struct Pair { x: u32, y: vec2<u32> }
         fn pair(x: u32, y: vec2<u32>) -> Pair { return Pair(x + 1u, y.yx); }
         fn sum(p: Pair, t: array<u32, 3>) -> u32 { return p.x + 10u * p.y.x + 100u * p.y.y + 1000u * t[p.x % 3u]; }
         fn twice(x: u32) -> u32 { return 2u * x; }",
        "let p = pair(lane, vec2<u32>(3u, lane)); r[0] = sum(p, array<u32, 3>(5u, 6u, 7u)); r[1] = twice(twice(lane) + twice(1u));
         r[2] = pair(1u, vec2<u32>(lane)).y.x;",
        |n| vec![n + 1 + 10 * n + 300 + 1000 * (5 + (n + 1) % 3), 4 * n + 4, n],
    ),
    case(
        "early returns with values under divergence",
        "fn first(x: u32) -> u32 { if (x < 2u) { return 10u; } if (x == 4u) { return 40u; } var k = 0u; if (x > 5u) { k = 1u; if (x == 7u) { return 70u; } }
           return x + 100u * k; }
         fn nothing(x: u32) { if (x > 3u) { return; } r[2] = x + 1u; }",
        "r[0] = first(lane); if ((lane & 1u) == 1u) { r[1] = first(lane - 1u); } nothing(lane);",
        |n| {
            let first = |x: u32| match x {
                0 | 1 => 10,
                4 => 40,
                7 => 70,
                6 => 106,
                x => x,
            };
            let odd = n & 1 == 1;
            vec![first(n), if odd { first(n - 1) } else { 0 }, if n > 3 { 0 } else { n + 1 }]
        },
    ),
    // naga's SPIR-V writer panics on pointers to parts of variables as arguments.
    interpreted_only(case(
        "pointers to variables, elements, members, matrices",
        "struct S { k: u32, t: array<vec2<u32>, 3>, m: mat2x2<f32> }
         fn bump(p: ptr<function, u32>, by: u32) -> u32 { let old = *p; *p = old + by; return old; }
         fn fill(p: ptr<function, array<vec2<u32>, 3>>, at: u32) { (*p)[at] = vec2<u32>(at, 7u); (*p)[at].y += 1u; (*p)[2].x += 5u; }
         fn whole(p: ptr<function, S>) { (*p).k = 3u; (*p).t[(*p).k - 2u].x = 8u; (*p).m[1] = vec2<f32>(1.0, 2.0); fill(&(*p).t, 0u); }
         fn relay(p: ptr<function, array<u32, 4>>, i: u32) -> u32 { return bump(&(*p)[i], 100u); }",
        "var x = lane; r[0] = bump(&x, 5u) + 100u * x; var t: array<vec2<u32>, 3>; fill(&t, lane % 3u); r[1] = t[lane % 3u].y + 10u * t[2].x;
         var s: S; whole(&s); r[2] = s.k + 10u * s.t[1].x + 100u * s.t[0].y + 1000u * s.t[2].x; r[3] = bitcast<u32>(s.m[1][lane & 1u]);
         var e = array<u32, 4>(1u, 2u, 3u, 4u); r[4] = relay(&e, lane % 4u) + 1000u * e[lane % 4u]; r[5] = e[0] + e[1] + e[2] + e[3];
         var several: array<S, 2>; whole(&several[lane & 1u]); r[6] = several[0].k * 10u + several[1].k; r[7] = several[lane & 1u].t[0].y;",
        |n| {
            let third = n % 3;
            let two = [0, 0, 2][third as usize] + 5;
            vec![
                n + 100 * (n + 5),
                8 + 10 * two,
                3 + 80 + 800 + 5000,
                [1.0f32, 2.0][n as usize & 1].to_bits(),
                n % 4 + 1 + 1000 * (n % 4 + 101),
                110,
                [30, 3][n as usize & 1],
                8,
            ]
        },
    )),
    case(
        "pointers to whole variables",
        "fn bump(p: ptr<function, u32>, by: u32) -> u32 { let old = *p; *p = old + by; return old; }
         fn fill(p: ptr<function, array<vec2<u32>, 3>>, at: u32) { (*p)[at] = vec2<u32>(at, 7u); (*p)[at].y += 1u; (*p)[2].x += 5u; }
         fn relay(p: ptr<function, array<vec2<u32>, 3>>) { fill(p, 1u); }",
        "var x = lane; r[0] = bump(&x, 5u) + 100u * x; var t: array<vec2<u32>, 3>; fill(&t, lane % 3u); relay(&t); r[1] = t[lane % 3u].y + 10u * t[2].x + 100u * t[1].x;",
        |n| vec![n + 100 * (n + 5), 8 + 10 * (if n % 3 == 2 { 7 } else { 5 } + 5) + 100],
    ),
    case(
        "private variables with initialisers, and pointers to them",
        "var<private> base: u32 = 40u; var<private> table: array<vec2<u32>, 2> = array<vec2<u32>, 2>(vec2<u32>(1u, 2u), vec2<u32>(3u, 4u));
         var<private> flag = true; fn touch(p: ptr<private, u32>) { *p += 1u; } fn also() -> u32 { base += 10u; return base; }",
        "touch(&base); r[0] = also() + base; table[lane & 1u].x += lane; r[1] = table[0].x * 100u + table[1].x; r[2] = u32(flag);
         if (lane > 3u) { flag = false; touch(&base); } r[3] = u32(flag); r[4] = base;",
        |n| {
            let (mut x, mut y) = (1, 3);
            *if n & 1 == 0 { &mut x } else { &mut y } += n;
            vec![102, x * 100 + y, 1, u32::from(n <= 3), if n > 3 { 52 } else { 51 }]
        },
    ),
    case(
        "lets of pointers",
        "",
        "var t = array<u32, 4>(1u, 2u, 3u, 4u); var i = lane % 4u; let p = &t[i]; i = 0u; *p = 50u; r[0] = t[lane % 4u]; let q = &t; (*q)[i] += 1u;
         r[1] = t[0]; let unused = &a[3];",
        |n| vec![50, if n.is_multiple_of(4) { 51 } else { 2 }],
    ),
    case(
        "a function that is called many times keeps its variables apart",
        "fn count(n: u32) -> u32 { var c = 1u; var seen: array<u32, 4>; for (var i = 0u; i < n; i++) { seen[i % 4u] += 1u; c += seen[i % 4u]; } return c; }",
        "r[0] = count(lane); r[1] = count(3u); if (lane > 3u) { r[2] = count(5u); } r[3] = count(0u);",
        |n| {
            let count = |n: u32| 1 + (0..n).map(|i| i / 4 + 1).sum::<u32>();
            vec![count(n), count(3), if n > 3 { count(5) } else { 0 }, 1]
        },
    ),
    case(
        "overrides as numbers and array lengths",
        "override N: u32 = 3u; override M: u32 = N * 2u + 1u; override SCALE: f32 = 1.5; override ON: bool = true; var<workgroup> w: array<u32, M>;",
        "w[lane % M] = N; workgroupBarrier(); r[0] = M; r[1] = w[M - 1u]; r[2] = bitcast<u32>(SCALE * f32(lane)); r[3] = u32(ON); var x = M + lane; r[4] = x;",
        |n| vec![7, 3, (1.5 * f32::from(u16::try_from(n).unwrap())).to_bits(), 1, 7 + n],
    ),
];
