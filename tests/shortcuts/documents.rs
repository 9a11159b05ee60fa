//! Whole predictions, with causes in words, are the same with and without shortcuts.

use sectorscope::analysis::{Settings, of_program};
use sectorscope::inputs::{Defaulted, Inputs};
use sectorscope::program::Program;
use sectorscope::record::prediction::PredictionDocument;

use super::wild;

fn document(program: &Program, defaulted: &[Defaulted], shortcuts: bool) -> PredictionDocument {
    of_program(program, defaulted, &Settings { shortcuts, ..Settings::default() }).unwrap()
}

/// Compares; returns how many requests were told at once.
fn check(name: &str, program: &Program, defaulted: &[Defaulted]) -> u64 {
    let (mut short, whole) = (document(program, defaulted, true), document(program, defaulted, false));
    let at_once = short.lines.iter_mut().map(|line| std::mem::take(&mut line.extrapolated_requests)).sum();
    short.accesses.iter_mut().for_each(|access| access.extrapolated_requests = 0);
    assert_eq!(short, whole, "{name}");
    at_once
}

#[test]
fn documents_of_the_field_are_the_same() {
    let at_once: u64 = wild::all().iter().map(|kernel| check(&kernel.name, &kernel.program, &kernel.defaulted)).sum();
    assert!(at_once > 0);
}

#[test]
fn a_cause_is_that_of_all_turns() {
    // Each lane walks for 20 turns and leaps for 400: told at once the many must not look like the few.
    let wgsl = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
  var s = 0.0;
  var at = g.x * 1600u;
  for (var k = 0u; k < 420u; k++) {
    s += a[at];
    at += select(3u, 1u, k < 20u);
  }
  o[g.x] = s;
}";
    let (program, defaulted) = Inputs::default().program(wgsl).unwrap();
    assert!(check("walk", &program, &defaulted) > 0);
    let document = document(&program, &defaulted, true);
    let cause = document.accesses.iter().find(|access| access.line == 8).and_then(|access| access.cause.as_deref());
    assert!(cause.is_some_and(|cause| cause.contains("stride 1600 elements")), "{cause:?}");
}
