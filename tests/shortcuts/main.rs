//! Shortcuts of the interpreter leave no trace in what it tells: executed whole, without values, and with turns of loops
//! told at once, a program's counts are the same.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod documents;
mod random;
mod traps;
#[path = "../wild/kernels.rs"]
mod wild;

use std::collections::BTreeMap;

use sectorscope::contents::Contents;
use sectorscope::inputs::{Inputs, Key};
use sectorscope::interpreter::{InterpretError, Interpreter, Options, TextureUse, Workgroups};
use sectorscope::kernels::suite::Suite;
use sectorscope::kernels::{self, Fill, PRESETS, Params, Setting};
use sectorscope::memory_model::{MemoryModel, by_key};
use sectorscope::plan::plan;
use sectorscope::predict::{Both, Counter, Prediction, Scope};
use sectorscope::program::{Cooperative, Limits, Program};
use sectorscope::shader::Shader;
use sectorscope::trace::{Access, AccessKind, Observer, Site};

use traps::TRAPS;

/// A fingerprint of everything that is told: in its order, and as a set.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Heard {
    accesses: u64,
    in_order: u64,
    as_a_set: u64,
}

impl Observer for Heard {
    fn site(&mut self, _: &Site) {}

    fn workgroup(&mut self, id: [u32; 3]) {
        self.in_order = mix(self.in_order, id.iter().fold(7, |hash, x| mix(hash, u64::from(*x))));
    }

    fn access(&mut self, access: &Access<'_>) {
        let kind = match access.kind {
            AccessKind::Load => 1,
            AccessKind::Store => 2,
            AccessKind::Atomic => 3,
        };
        let head = [access.site, access.element_bytes, access.variable, access.out_of_range, kind];
        let one = head.iter().fold(1, |hash, x| mix(hash, u64::from(*x)));
        let one =
            access.active.iter().fold(one, |hash, lane| mix(mix(hash, lane as u64), u64::from(access.addresses[lane])));
        self.accesses += 1;
        self.in_order = mix(self.in_order, one);
        self.as_a_set = self.as_a_set.wrapping_add(mix(one, 3));
    }
}

fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// What one way of executing has told.
#[derive(Debug, PartialEq)]
struct Told {
    heard: Heard,
    predictions: Vec<Prediction>,
    outcome: Result<([u64; 3], Vec<TextureUse>), InterpretError>,
    /// Requests that were told at once.
    extrapolated: u64,
}

/// Models of different sectors, granules, groups of lanes and banks, with subgroups of this width.
fn models(width: u32) -> Vec<MemoryModel> {
    let mut models: Vec<MemoryModel> = ["nv-hopper", "amd-rdna"].map(|key| by_key(key).unwrap().clone()).into();
    for model in &mut models {
        model.subgroup.value = width;
    }
    models
}

fn execute(program: &Program, width: u32, options: &Options<'_>) -> Told {
    let models = models(width);
    let counters = Both(Counter::new(&models[0]), Counter::new(&models[1]));
    let mut observer = Both(Heard::default(), counters);
    let interpreter = match Interpreter::with_subgroup(program, width) {
        Ok(interpreter) => interpreter,
        Err(error) => panic!("{error}:\n{}", program.wgsl),
    };
    let outcome = interpreter.run(options, &mut observer);
    let Both(heard, Both(one, other)) = observer;
    let mut predictions = [one, other].map(|counter| counter.finish(&Scope::default()));
    let mut extrapolated = 0;
    for access in predictions.iter_mut().flat_map(|prediction| &mut prediction.accesses) {
        extrapolated += std::mem::take(&mut access.extrapolated_requests);
    }
    let outcome = outcome.map(|outcome| ([outcome.steps, outcome.accesses, outcome.out_of_range], outcome.textures));
    Told { heard, predictions: predictions.into(), outcome, extrapolated }
}

/// Executes a program in all ways and compares; returns how many requests were told at once.
fn check(name: &str, program: &Program, width: u32, options: &Options<'_>) -> u64 {
    let whole = execute(program, width, options);
    let addresses = execute(program, width, &Options { values: false, ..options.clone() });
    assert_eq!(addresses, whole, "{name}, subgroups of {width}: without values");
    let mut total = 0;
    for values in [false, true] {
        let mut at_once = execute(program, width, &Options { values, extrapolate: true, ..options.clone() });
        total += std::mem::take(&mut at_once.extrapolated);
        at_once.heard.in_order = whole.heard.in_order;
        assert_eq!(at_once, whole, "{name}, subgroups of {width}: turns told at once, values {values}");
    }
    total
}

fn options() -> Options<'static> {
    Options { keep_stores: false, step_budget: 1 << 20, ..Options::default() }
}

#[test]
fn every_built_in_kernel_costs_the_same_with_and_without_shortcuts() {
    let presets = PRESETS.iter().filter_map(|preset| Some((preset.kernel, preset.params().into_iter().next()?)));
    let rows = Suite::Standard.rows().into_iter().map(|choice| (choice.kernel.id, choice.params));
    let all: BTreeMap<String, (&str, Params)> =
        rows.chain(presets).map(|(id, params)| (format!("{id} {params:?}"), (id, params))).collect();
    let mut at_once: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, (id, params)) in &all {
        let kernel = kernels::by_id(id).unwrap();
        for width in [32, 8] {
            let cooperative = Cooperative { subgroup: width, ..Cooperative::WITHOUT_DEVICE };
            let limits = Limits { cooperative: Some(cooperative), ..Limits::WITHOUT_DEVICE };
            let setting = Setting { footprint_bytes: 1 << 18, limits, seed: 5, fill: Fill::Random, size: 256 };
            let Ok(plan) = plan(kernel, params, &setting) else { continue };
            let last = plan.program.grid.map(|n| n - 1);
            let workgroups = Workgroups::List(vec![[0; 3], last]);
            let count = check(name, &plan.program, width, &Options { workgroups, ..options() });
            *at_once.entry(id).or_default() += count;
        }
    }
    assert!(at_once.len() >= kernels::ALL.len() - 1, "{at_once:?}");
    for id in ["matmul_naive", "matmul_tiled", "matmul_register", "matmul_vec4"] {
        assert!(at_once[id] > 0, "no turn of {id} was told at once: {at_once:?}");
    }
}

/// A program that runs a text as it stands: uniforms 64 everywhere, buffers of up to 16 KiB that hold their indices.
fn as_it_stands(wgsl: &str, entry: &str) -> Option<Program> {
    let mut inputs = Inputs::default();
    inputs.set(Key::Entry, entry).ok()?;
    inputs.set(Key::Dispatch, "2,2,1").ok()?;
    let (mut program, _) = inputs.program(wgsl).ok()?;
    for buffer in program.buffers.iter_mut().filter(|buffer| buffer.contents == Contents::Zero) {
        (buffer.bytes, buffer.contents) = (buffer.bytes.min(1 << 14), Contents::Index);
    }
    Some(program)
}

#[test]
fn every_fixture_costs_the_same_with_and_without_shortcuts() {
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))];
    let mut checked = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Some(text) = std::fs::read_to_string(&path).ok().filter(|_| path.extension() == Some("wgsl".as_ref()))
            else {
                continue;
            };
            let points =
                Shader::parse(&text).map(|shader| shader.entry_points().into_iter().map(str::to_owned).collect());
            for point in points.unwrap_or_else(|_| Vec::new()) {
                let Some(program) = as_it_stands(&text, &point) else { continue };
                for width in [32, 8] {
                    if Interpreter::with_subgroup(&program, width).is_ok() {
                        check(&path.display().to_string(), &program, width, &options());
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked >= 30, "{checked}");
}

#[test]
fn every_kernel_of_the_field_costs_the_same_with_and_without_shortcuts() {
    let mut some = 0;
    for kernel in wild::all() {
        for width in [32, 8] {
            some += u32::from(check(&kernel.name, &kernel.program, width, &options()) > 0);
        }
    }
    assert!(some >= 10, "{some}");
}

/// A kernel of 64 lanes around this body; `l` is the lane, `n` a uniform of 64 and `a` holds its indices.
fn with(globals: &str, body: &str) -> Program {
    let text = format!(
        "struct Params {{ n: u32, m: i32 }}
@group(0) @binding(0) var<uniform> u: Params;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@group(0) @binding(3) var<storage, read_write> c: array<atomic<u32>>;
var<workgroup> t: array<u32, 256>;
var<private> p: u32;
{globals}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {{
  var s = u.n - u.n + a[0] * 0u + atomicLoad(&c[0]) * 0u;
  {body}
  o[l] = s;
}}"
    );
    as_it_stands(&text, "main").unwrap()
}

#[test]
fn nothing_that_tries_to_break_the_shortcuts_does() {
    let mut problems = Vec::new();
    for (name, globals, body, some) in TRAPS {
        let program = with(globals, body);
        let options = Options { workgroups: Workgroups::List(vec![[0; 3], [1, 1, 0]]), step_budget: 3000, ..options() };
        for width in [32, 8] {
            let at_once = check(name, &program, width, &options);
            if (at_once > 0) != *some {
                problems.push(format!("{name}: {at_once} requests told at once"));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn a_line_says_how_much_of_it_was_told_at_once() {
    // 4 subgroups of 8 lanes; of 40 turns three are executed: the first, one to compare with, and one to follow.
    let program = with("", "for (var k = 0u; k < 40u; k++) { s += a[l + k * 64u]; }");
    let interpreter = Interpreter::new(&program).unwrap();
    let options = Options { workgroups: Workgroups::List(vec![[0; 3]]), values: false, extrapolate: true, ..options() };
    let mut counter = Counter::new(by_key("nv-hopper").unwrap());
    interpreter.run(&options, &mut counter).unwrap();
    let prediction = counter.finish(&Scope::default());
    let access = prediction.accesses.iter().find(|access| access.requests == 80).unwrap();
    assert_eq!((access.line, access.extrapolated_requests), (12, 74));
    assert_eq!(access.sectors, Some(80 * 4));
}
