//! The lesson's table, from nothing but WGSL text: the kernels' own, and the same with one thing changed in it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use sectorscope::engine::predict::predict;
use sectorscope::kernels::{self, PRESETS, Params, Value};
use sectorscope::memory_model::LESSON;
use sectorscope::plan::{Plan, plan};
use sectorscope::predict::Prediction;
use std::sync::atomic::AtomicBool;

/// What differs from a kernel's defaults.
type Changes<'a> = &'a [(&'static str, Value)];

fn planned(kernel: &str, changes: Changes<'_>) -> Plan {
    let kernel = kernels::by_id(kernel).unwrap();
    let params = changes.iter().fold(kernel.defaults(), |params: Params, (name, value)| params.with(name, *value));
    plan(kernel, &params, &common::setting(16 << 20)).unwrap()
}

fn predicted(plan: &Plan) -> Prediction {
    predict(plan, &LESSON, &AtomicBool::new(false)).unwrap()
}

/// Sectors and useful bytes of the first request to the source: all its lanes are active.
fn figures(plan: &Plan) -> (u64, f64) {
    let prediction = predicted(plan);
    let access = prediction.accesses.iter().find(|access| access.variable == "source").unwrap();
    let first = access.first_request;
    let sectors = first.sectors.unwrap();
    let useful = u64::from(first.active_lanes) * u64::from(access.element_bytes);
    (sectors, useful as f64 / (sectors * 32) as f64)
}

fn read(changes: Changes<'_>) -> (u64, f64) {
    figures(&planned("read", changes))
}

fn number(name: &'static str, value: u32) -> (&'static str, Value) {
    (name, value.into())
}

fn word(name: &'static str, value: &'static str) -> (&'static str, Value) {
    (name, value.into())
}

#[test]
fn the_lessons_counts() {
    let cases: &[(Changes<'_>, u64, f64)] = &[
        (&[], 4, 1.0),
        (&[number("offset", 1)], 5, 0.8),
        (&[number("offset", 8)], 4, 1.0),
        (&[number("stride", 2)], 8, 0.5),
        (&[number("stride", 8)], 32, 0.125),
        (&[number("stride", 16)], 32, 0.125),
        (&[number("stride", 64)], 32, 0.125),
        (&[word("element", "f16")], 2, 1.0),
        (&[word("element", "f16"), number("stride", 16)], 32, 0.0625),
        (&[word("element", "vec4")], 16, 1.0),
    ];
    for (changes, sectors, efficiency) in cases {
        assert_eq!(read(changes), (*sectors, *efficiency), "{changes:?}");
    }
}

#[test]
fn four_scalars_of_a_lane_request_four_times_what_one_vec4_does() {
    let sectors = |changes: Changes<'_>, requests: u64| read(changes).0 * requests;
    let items = number("items", 4);
    assert_eq!(sectors(&[items, word("order", "blocked")], 4), 64);
    assert_eq!(sectors(&[items], 4), 16);
    assert_eq!(sectors(&[number("items", 1), word("element", "vec4")], 1), 16);
}

#[test]
fn fused_or_scattered_is_one_against_eight() {
    let preset = PRESETS.iter().find(|preset| preset.id == "fused-or-scattered").unwrap();
    let kernel = kernels::by_id(preset.kernel).unwrap();
    let setting = common::setting(16 << 20);
    let sectors = preset.params().into_iter().map(|params| figures(&plan(kernel, &params, &setting).unwrap()).0);
    assert_eq!(sectors.collect::<Vec<_>>(), [1, 8]);
}

#[test]
fn the_counts_come_from_the_text() {
    for stride in [1, 2, 3, 7] {
        let mut plan = planned("read", &[number("stride", stride), number("items", 1)]);
        let changed = plan.program.wgsl.replace("* params.stride", "* (params.stride + 1u)");
        assert_ne!(*changed, *plan.program.wgsl);
        plan.program.wgsl = changed.into();
        let found = figures(&plan);
        assert_eq!(found, read(&[number("stride", stride + 1), number("items", 1)]));
        assert_ne!(found, read(&[number("stride", stride), number("items", 1)]));
    }
}

#[test]
fn bank_conflicts_of_the_transpose() {
    let waves =
        |padding| predicted(&planned("transpose_tiled", &[number("padding", padding)])).worst_wavefronts().unwrap();
    assert_eq!(waves(0), (32.0, 1.0));
    assert_eq!(waves(1), (1.0, 1.0));
}
