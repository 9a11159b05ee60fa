//! Layouts of values in lanes that are reinterpreted from the input buffer, and built-in values.

use super::{Case, case};

pub(super) const CASES: &[Case] = &[
    case(
        "loads of the input",
        "",
        "r[0] = a[lane]; let i = 3u * lane; r[1] = a[i] + a[i + 1u]; r[2] = arrayLength(&a);",
        |n| vec![100 + n, 201 + 6 * n, 64],
    ),
    case(
        "the old value is kept",
        "var<workgroup> t: array<u32, 8>;",
        "t[lane] = lane; let x = t[lane]; t[lane] = 7u; let y = t[lane]; r[0] = x; r[1] = y;",
        |n| vec![n, 7],
    ),
];
