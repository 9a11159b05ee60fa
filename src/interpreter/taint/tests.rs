//! What reaches what, by hand.

use std::collections::BTreeMap;

use super::*;
use crate::shader::Shader;

fn shader(wgsl: &str) -> Specialised {
    Shader::parse(wgsl).unwrap().specialise("main", &BTreeMap::new()).unwrap()
}

/// `line kind buffer` of every sink that a buffer reaches.
fn found(wgsl: &str) -> Vec<String> {
    let shader = shader(wgsl);
    let name = |index: u32| {
        let variable = shader.module.global_variables.iter().nth(index as usize).unwrap().1;
        variable.name.clone().unwrap()
    };
    let mut found: Vec<String> = sinks(&shader)
        .into_iter()
        .flat_map(|(sink, sources)| {
            let line = sink.position.line;
            sources.variables().into_iter().map(move |index| (line, sink.kind, index))
        })
        .map(|(line, kind, index)| format!("{line} {kind:?} {}", name(index)))
        .collect();
    found.sort();
    found.dedup();
    found
}

const BUFFERS: &str = "@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@group(0) @binding(3) var<uniform> n: vec4<u32>;
var<workgroup> t: array<u32, 64>;
var<private> p: u32;
";

fn of(code: &str) -> Vec<String> {
    found(&format!("{BUFFERS}{code}"))
}

#[test]
fn addresses_show_the_index_buffer_and_values_do_not() {
    let gather = "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
  let i = b[g.x];
  o[g.x] = a[i] + 1u;
}";
    assert_eq!(of(gather), ["9 Address b"]);
}

#[test]
fn contents_travel_through_variables_functions_and_workgroup_memory() {
    let code = "fn twice(x: u32) -> u32 { return x * 2u; }
fn write(to: ptr<function, u32>, x: u32) { *to = x; }
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  t[l] = a[l];
  workgroupBarrier();
  p = t[63u - l];
  var q = 0u;
  write(&q, b[l]);
  o[twice(p)] = 1u;
  o[q] = 2u;
}";
    assert_eq!(of(code), ["15 Address a", "16 Address b"]);
}

#[test]
fn branches_matter_where_accesses_stand_in_them_and_loops_always() {
    let code = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  if (l >= n.x) { return; }
  var m = 0u;
  if (a[l] > 3u) { m = 1u; }
  if (b[l] > 3u) { o[l] = m; }
  for (var k = 0u; k < a[0]; k++) { m += k; }
  o[m] = 1u;
}";
    // m is written under conditions on a, and in a loop whose end depends on a; lanes that have it are past n.
    assert_eq!(of(code), ["11 Branch b", "12 Loop a", "13 Address a", "8 Branch n"]);
}

#[test]
fn an_atomic_counter_decides_a_slot() {
    let code = "@group(0) @binding(4) var<storage, read_write> c: atomic<u32>;
@compute @workgroup_size(64) fn main() { let slot = atomicAdd(&c, 1u);
  o[slot] = 1u;
  if (arrayLength(&a) > 4u) { o[0] = a[n.x]; } }";
    assert_eq!(of(code), ["10 Address n", "9 Address c"]);
}

#[test]
fn what_a_jump_skips_depends_on_its_condition() {
    let code = "fn late(to: ptr<function, u32>, x: u32) { if (x > 3u) { return; } *to = 7u; }
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  var q = 0u;
  late(&q, a[l]);
  o[q] = 1u;
  var m = 0u;
  for (var k = 0u; k < 8u; k++) { if (k == b[l]) { continue; } m += 1u; }
  o[m] = 1u;
}";
    assert_eq!(of(code), ["11 Address a", "13 Branch b", "14 Address b"]);
}

#[test]
fn an_inner_break_ends_the_inner_loop_only_and_a_return_both() {
    let code = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  for (var k = 0u; k < 8u; k++) {
    loop { if (a[l] == k) { break; } }
  }
  for (var k = 0u; k < 8u; k++) {
    loop { if (b[l] == k) { return; } }
  }
}";
    let found = of(code);
    let loops: Vec<&String> = found.iter().filter(|sink| sink.contains("Loop")).collect();
    assert_eq!(loops, ["11 Loop b", "12 Loop b", "9 Loop a"]);
}

#[test]
fn members_are_apart() {
    let code = "struct Pair { index: u32, value: u32 }
var<workgroup> pairs: array<Pair, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  pairs[l].index = b[l];
  pairs[l].value = a[l];
  workgroupBarrier();
  o[pairs[l].index] = pairs[l].value;
}";
    assert_eq!(of(code), ["13 Address b"]);
}

#[test]
fn subgroup_results_depend_on_who_takes_part() {
    let code = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  var s = 0u;
  if (a[l] > 3u) { s = subgroupAdd(1u); }
  let rank = subgroupBroadcastFirst(b[l]);
  o[s] = 1u;
  o[rank] = 1u;
}";
    assert_eq!(of(code), ["11 Address a", "12 Address b"]);
}

/// Names of the lets and variables of `main` that feed addresses or control flow.
fn needed(code: &str) -> Vec<String> {
    let shader = shader(&format!("{BUFFERS}{code}"));
    let slice = Slice::new(&shader).unwrap();
    let number = shader.module.functions.len();
    let main = functions(&shader).last().unwrap();
    let named = main.named_expressions.iter().filter(|(handle, _)| slice.needs(number, **handle));
    let mut names: Vec<String> = named.map(|(_, name)| name.clone()).collect();
    for (handle, expression) in main.expressions.iter() {
        if let Expression::LocalVariable(variable) = expression
            && slice.needs_behind(&shader, number, handle)
        {
            names.push(main.local_variables[*variable].name.clone().unwrap());
        }
    }
    names.sort();
    names
}

#[test]
fn the_slice_of_a_tiled_kernel_has_no_values() {
    let code = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  var sum = 0u;
  var best = 0u;
  var base = l * 4u;
  for (var k = 0u; k < n.x; k++) {
    let at = base + k * 64u;
    let value = a[at] * 3u;
    t[l] = value;
    workgroupBarrier();
    let other = t[63u - l] + value;
    sum += other;
    if (other > best) { best = other; }
    workgroupBarrier();
    base += 1u;
  }
  o[l] = sum + best;
}";
    assert_eq!(needed(code), ["at", "base", "k", "l"]);
}

#[test]
fn a_branch_that_steers_an_address_is_in_the_slice() {
    let code = "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
  let value = a[l];
  let other = b[l];
  var at = l;
  if (value > 3u) { at = 0u; }
  o[at] = other;
}";
    assert_eq!(needed(code), ["at", "l", "value"]);
}
