//! Which buffers' contents reach which value: over naga IR, across calls, without regard to the order of statements, so
//! rather too many than too few.
//!
//! Every expression, variable, argument and result is a node. A node that is computed from another, written from it, or
//! written under a condition that depends on it, holds all buffers that the other holds.

mod flow;

use std::collections::BTreeSet;

use naga::{Expression, Function, Handle, Module};

pub(super) use flow::{Sink, SinkKind};

use crate::shader::Specialised;
use flow::Flow;

/// A set of buffers, by the indices of their variables; what is beyond the last bit shares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sources(u128);

impl Sources {
    fn of(variable: Handle<naga::GlobalVariable>) -> Self {
        Self(1 << variable.index().min(127))
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The indices of the variables.
    pub(super) fn variables(self) -> BTreeSet<u32> {
        (0..128).filter(|k| self.0 >> k & 1 == 1).collect()
    }
}

/// Every place where contents can decide something, with the buffers that do.
pub(super) fn sinks(shader: &Specialised) -> Vec<(Sink, Sources)> {
    let graph = Flow::build(shader);
    let reached = graph.spread();
    graph
        .sinks
        .iter()
        .map(|sink| {
            let sources = sink.nodes.iter().fold(Sources::default(), |all, node| all.or(reached[*node]));
            (sink.clone(), sources)
        })
        .collect()
}

/// Nodes of one function, in one line of numbers.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    expressions: usize,
    locals: usize,
    arguments: usize,
    result: usize,
    /// Under what the function is called.
    control: usize,
}

impl Numbers {
    /// Numbers from `first` on; returns the first free one too.
    fn new(function: &Function, first: usize) -> (Self, usize) {
        let locals = first + function.expressions.len();
        let arguments = locals + function.local_variables.len();
        let result = arguments + function.arguments.len();
        (Self { expressions: first, locals, arguments, result, control: result + 1 }, result + 2)
    }

    const fn expression(&self, handle: Handle<Expression>) -> usize {
        self.expressions + handle.index()
    }
}

/// All functions of a module, the entry point last.
fn functions<'a>(module: &'a Module, entry: &str) -> Vec<&'a Function> {
    let point = module.entry_points.iter().find(|point| point.name == entry);
    module.functions.iter().map(|(_, function)| function).chain(point.map(|point| &point.function)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::shader::Shader;

    /// `line kind buffer` of every sink that a buffer reaches.
    fn found(wgsl: &str) -> Vec<String> {
        let shader = Shader::parse(wgsl).unwrap().specialise("main", &BTreeMap::new()).unwrap();
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
        // m is written under conditions on a, and in a loop whose end depends on a.
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
}
