//! Loops that nobody would write: random indices, updates, branches and ends.

use proptest::prelude::*;
use sectorscope::interpreter::{Options, Workgroups};

use super::{check, options, with};

/// An index of the loop counters, the lane, variables and numbers that no compiler folds.
fn index() -> impl Strategy<Value = String> {
    let number = prop_oneof![0u32..9, (0u32..32).prop_map(|bit| 1 << bit), any::<u32>()];
    let leaf = prop_oneof![
        4 => Just("k".to_owned()),
        3 => Just("l".to_owned()),
        2 => Just("x".to_owned()),
        1 => Just("y".to_owned()),
        1 => Just("t[l]".to_owned()),
        3 => number.prop_map(|number| format!("(z + {number}u)")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let operator = prop::sample::select(vec!["+", "+", "-", "*", "*", "/", "%", "&", "|", "^"]);
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            6 => (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            1 => (two.clone(), prop::sample::select(vec!["<<", ">>"]))
                .prop_map(|((a, b), op)| format!("({a} {op} ({b} & 31u))")),
            1 => (two.clone(), prop::sample::select(vec!["min", "max"])).prop_map(|((a, b), f)| format!("{f}({a}, {b})")),
            1 => (two.clone(), prop::sample::select(vec!["/", "%", ">>"]))
                .prop_map(|((a, b), op)| if op == ">>" {
                    format!("u32(i32({a}) >> ({b} & 7u))")
                } else {
                    format!("u32(i32({a}) {op} i32({b}))")
                }),
            1 => (two.clone(), condition(inner.clone())).prop_map(|((a, b), c)| format!("select({a}, {b}, {c})")),
            1 => (two, inner).prop_map(|((a, b), c)| format!("clamp({a}, {b}, {c})")),
        ]
    })
}

fn condition(of: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let relation = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    (of.clone(), relation, of, any::<bool>()).prop_map(|(a, relation, b, signed)| {
        if signed { format!("i32({a}) {relation} i32({b})") } else { format!("{a} {relation} {b}") }
    })
}

fn statement() -> impl Strategy<Value = String> {
    let index = || index().boxed();
    let plain = prop_oneof![
        6 => index().prop_map(|i| format!("s += a[{i}];")),
        2 => index().prop_map(|i| format!("o[{i} % 512u] = s;")),
        1 => index().prop_map(|i| format!("t[{i} % 64u] += s;")),
        2 => index().prop_map(|i| format!("x = {i};")),
        2 => index().prop_map(|i| format!("x += {i};")),
        1 => index().prop_map(|i| format!("y ^= {i};")),
        1 => index().prop_map(|i| format!("r[{i} & 3u] += k; s += a[r[l & 3u]];")),
    ];
    let simple = (plain.clone(), condition(index()), 0u32..12).prop_map(|(plain, condition, how)| match how {
        0 => format!("if ({condition}) {{ break; }}"),
        1 => format!("if ({condition}) {{ continue; }}"),
        2 | 3 => format!("if ({condition}) {{ {plain} }}"),
        _ => plain,
    });
    let inner = prop::collection::vec(plain, 1..3)
        .prop_map(|all| format!("for (var i = 0u; i < 5u; i++) {{ x += i; {} }}", all.join(" ")));
    prop_oneof![8 => simple, 1 => inner]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn loops_that_nobody_would_write_cost_the_same(
        body in prop::collection::vec(statement(), 1..5),
        (from, turns, step) in (prop_oneof![Just(0u32), 0u32..100, Just(u32::MAX - 70)], 1u32..60, prop_oneof![Just(1u32), 1u32..70]),
        start in index(),
    ) {
        let end = from.wrapping_add(turns * step);
        let text = format!(
            "let z = u.n - u.n; t[l] = l * 3u; var k = 0u; var x = l; var y = 0u; x = {start};
             var r = array<u32, 4>(l, 1u, 2u, 3u);
             for (k = {from}u; k != {end}u; k += {step}u) {{ {} }}",
            body.join(" ")
        );
        let program = with("", &text);
        let workgroups = Workgroups::List(vec![[1, 0, 0]]);
        check(&text, &program, 32, &Options { workgroups, step_budget: 500, ..options() });
    }
}
