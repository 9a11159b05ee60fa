//! Control flow under divergence.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "if and else",
        "",
        "var x = 0u; if (lane < 2u) { x = 1u; } else if (lane < 5u) { x = 2u; if (lane == 3u) { x += 10u; } } else { x = 3u; }
         r[0] = x; if (lane == 100u) { r[1] = 1u; } else { r[1] = 2u; }",
        |n| vec![[1, 1, 2, 12, 2, 3, 3, 3][n as usize], 2],
    ),
    case(
        "switch with several selectors, default in the middle, breaks",
        "",
        "var x = 0u; switch (lane) { case 0u: { x = 10u; } case 1u, 2u: { x = 20u; if (lane == 2u) { break; } x += 1u; }
         default: { x = 30u; } case 5u: { x = 50u; } } r[0] = x;
         switch (i32(lane) - 4) { case -2: { r[1] = 1u; } case 0, default: { r[1] = 2u; } case 3: { } }
         switch (lane) { default: { r[2] = lane; } }",
        |n| vec![[10, 21, 20, 30, 30, 50, 30, 30][n as usize], [2, 2, 1, 2, 2, 2, 2, 0][n as usize], n],
    ),
    case(
        "loops of every form",
        "",
        "var x = 0u; for (var i = 0u; i < lane; i++) { x += i; } r[0] = x; var y = lane; while (y > 2u) { y /= 2u; r[1] += 1u; }
         var z = 0u; loop { z += 1u; continuing { z += 1u; break if z >= lane; } } r[2] = z;
         for (var i = 0u; ; i++) { if (i * i > lane) { r[3] = i; break; } }
         for (var i = 0u; i < 10u; i++) { if (i % 2u == lane % 2u) { continue; } r[4] += i; }",
        |n| {
            let mut z = 0;
            loop {
                z += 2;
                if z >= n {
                    break;
                }
            }
            vec![
                (0..n).sum(),
                [0, 0, 0, 1, 1, 1, 2, 2][n as usize],
                z,
                (0..).find(|i| i * i > n).unwrap(),
                (0..10).filter(|i| i % 2 != n % 2).sum(),
            ]
        },
    ),
    case(
        "switch in a loop: break leaves the switch, continue the turn",
        "",
        "var x = 0u; for (var i = 0u; i < 6u; i++) { switch (i + lane) { case 2u: { continue; } case 3u, 4u: { if (lane == 1u) { break; } x += 10u; }
         default: { x += 1u; } } x += 100u; } r[0] = x;",
        |n| {
            let mut x = 0;
            for i in 0..6 {
                match i + n {
                    2 => continue,
                    3 | 4 => x += if n == 1 { 0 } else { 10 },
                    _ => x += 1,
                }
                x += 100;
            }
            vec![x]
        },
    ),
    case(
        "nested loops with divergent exits",
        "",
        "var x = 0u; for (var i = 0u; i < 5u; i++) { if (i == lane) { continue; } var j = 0u; loop { if (j > i) { break; }
         if (j == 2u && lane > 4u) { break; } x += 1u + 10u * u32(i == 4u); continuing { j += 1u; } } if (x > 20u) { break; } x += 100u * u32(lane == 7u); }
         r[0] = x;",
        |n| {
            let mut x = 0;
            for i in 0..5 {
                if i == n {
                    continue;
                }
                for j in 0..=i {
                    if j == 2 && n > 4 {
                        break;
                    }
                    x += 1 + 10 * u32::from(i == 4);
                }
                if x > 20 {
                    break;
                }
                x += 100 * u32::from(n == 7);
            }
            vec![x]
        },
    ),
    case(
        "return from nested loops and a switch",
        "fn find(lane: u32) -> u32 { for (var i = 0u; i < 8u; i++) { for (var j = 0u; j < 8u; j++) {
           switch (i * 8u + j) { case 11u: { if (lane == 1u) { return 1000u; } } case 20u: { if (lane > 5u) { return i * 10u + j; } break; } default: { } }
           if (i + j == lane) { return i * 100u + j; } } if (lane == 7u && i == 1u) { return 7u; } } return 99u; }",
        "r[0] = find(lane); r[1] = find(lane + 8u); if (lane > 2u) { r[2] = find(30u); }",
        |n| {
            let find = |lane: u32| {
                for i in 0..8 {
                    for j in 0..8 {
                        match i * 8 + j {
                            11 if lane == 1 => return 1000,
                            20 if lane > 5 => return i * 10 + j,
                            _ => {}
                        }
                        if i + j == lane {
                            return i * 100 + j;
                        }
                    }
                    if lane == 7 && i == 1 {
                        return 7;
                    }
                }
                99
            };
            vec![find(n), find(n + 8), if n > 2 { find(30) } else { 0 }]
        },
    ),
    case(
        "a variable of the body begins anew in every turn",
        "",
        "for (var i = 0u; i < lane; i++) { var x: u32; var y = i; x += 1u; y += x; r[0] += x; r[1] += y; }",
        |n| vec![n, (1..=n).sum()],
    ),
    case(
        "what the body computed is seen by continuing",
        "",
        "var i = 0u; loop { let twice = i * 2u; if (lane == 3u && i == 1u) { r[1] += 1u; } else if (i == 2u && lane > 5u) { break; }
         continuing { i += 1u; r[0] += twice; break if twice >= lane; } }",
        |n| {
            let (mut i, mut sum, mut seen) = (0, 0, 0);
            loop {
                let twice = i * 2;
                if n == 3 && i == 1 {
                    seen += 1;
                } else if i == 2 && n > 5 {
                    break;
                }
                i += 1;
                sum += twice;
                if twice >= n {
                    break;
                }
            }
            vec![sum, seen]
        },
    ),
    case(
        "deeply nested blocks",
        "",
        "var x = 0u; {{{{{{{{ if (lane > 0u) { if (lane > 1u) { if (lane > 2u) { if (lane > 3u) { {{{{ x = lane; }}}} } else { x = 50u; } } } } }}}}}}}}
         r[0] = x;",
        |n| vec![[0, 0, 0, 50, 4, 5, 6, 7][n as usize]],
    ),
];
