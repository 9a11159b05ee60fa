//! The interpreter against results that were computed by hand or in Rust, and against the device where there is one.
//!
//! A [`Case`] is the body of a function of one lane, and what that lane must leave in `r`. Every case runs in the
//! interpreter and on the device.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;
mod cooperative;
mod errors;
mod flow;
mod functions;
mod layouts;
mod math;
mod mutants;
mod properties;
mod ranges;
mod raw;
mod shared;
mod snippets;
mod subgroups;
mod textures;
mod traces;
mod values;
mod wide;

use std::collections::BTreeMap;

use pollster::block_on;
use sectorscope::contents::Contents;
use sectorscope::gpu::Checks;
use sectorscope::interpreter::{InterpretError, Interpreter, Options};
use sectorscope::program::{Buffer, Feature, Program};
use sectorscope::trace::Deaf;

/// Lanes of a case's workgroup.
const LANES: u32 = 8;
/// Words that a lane may leave.
const WORDS: usize = 8;
/// Words of the buffer `a`; word i is 100 + i.
const INPUT: u32 = 64;

/// A function body and its results.
struct Case {
    name: &'static str,
    /// Declarations before the function.
    globals: &'static str,
    /// The body of `fn body(lane: u32)`; results go to the private array `r`.
    body: &'static str,
    /// What lane `n` leaves in the first words of `r`.
    expected: fn(u32) -> Vec<u32>,
    /// How far floats may be off, in units of the last place; 0 for everything that must be exact.
    ulps: u32,
    /// How many of the f32 words may be off on a device, where its rules allow more than one rounding.
    device_ulps: u32,
    /// Whether a device can be asked too.
    on_device: bool,
}

const fn case(name: &'static str, globals: &'static str, body: &'static str, expected: fn(u32) -> Vec<u32>) -> Case {
    Case { name, globals, body, expected, ulps: 0, device_ulps: 0, on_device: true }
}

/// A case that naga validates although its writers cannot say it.
const fn interpreted_only(case: Case) -> Case {
    Case { on_device: false, ..case }
}

/// A case of floats that are rounded several times.
const fn near(name: &'static str, ulps: u32, body: &'static str, expected: fn(u32) -> Vec<u32>) -> Case {
    Case { name, globals: "", body, expected, ulps, device_ulps: ulps * 16, on_device: true }
}

fn buffer(name: &str, words: u64, contents: Contents) -> Buffer {
    Buffer { name: name.into(), bytes: words * 4, contents, written: name == "o" }
}

fn bytes(words: impl IntoIterator<Item = u32>) -> Contents {
    Contents::Bytes(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

/// A program of one workgroup (or a larger grid) with these buffers.
fn program(wgsl: &str, buffers: Vec<Buffer>, grid: [u32; 3]) -> Program {
    let needed = [("enable f16", Feature::F16), ("subgroup", Feature::Subgroups)];
    let features = needed.into_iter().filter(|(word, _)| wgsl.contains(word)).map(|(_, feature)| feature).collect();
    Program {
        wgsl: wgsl.into(),
        entry_point: "main".into(),
        constants: BTreeMap::new(),
        buffers,
        textures: Vec::new(),
        uniforms: None,
        grid,
        features,
    }
}

impl Case {
    fn program(&self) -> Program {
        let enable = if self.globals.contains("f16") || self.body.contains("f16") { "enable f16;" } else { "" };
        let wgsl = format!(
            "{enable}
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
var<private> r: array<u32, {WORDS}>;
{}
fn body(lane: u32) {{
    {}
}}
@compute @workgroup_size({LANES})
fn main(@builtin(local_invocation_index) lane: u32) {{
    body(lane);
    for (var k = 0u; k < {WORDS}u; k++) {{ o[lane * {WORDS}u + k] = r[k] + 0u * a[0]; }}
}}",
            self.globals, self.body
        );
        let a = buffer("a", INPUT.into(), bytes((0..INPUT).map(|i| 100 + i)));
        let o = buffer("o", u64::from(LANES) * WORDS as u64, Contents::Poison);
        program(&wgsl, vec![a, o], [1, 1, 1])
    }

    fn check(&self, found: &[u32], by: &str, ulps: u32) -> Vec<String> {
        let mut problems = Vec::new();
        for (lane, found) in (0..LANES).zip(found.chunks(WORDS)) {
            let expected = (self.expected)(lane);
            let close = |(e, f): (&u32, &u32)| e == f || (ulps > 0 && distance(*e, *f) <= ulps);
            if !expected.iter().zip(found).all(close) {
                let found = &found[..expected.len()];
                problems.push(format!("{} lane {lane} by {by}: {found:x?}, not {expected:x?}", self.name));
            }
        }
        problems
    }
}

/// Units in the last place between two floats of the same sign.
fn distance(a: u32, b: u32) -> u32 {
    if (a ^ b) >> 31 == 0 { a.abs_diff(b) } else { (a & (u32::MAX >> 1)) + (b & (u32::MAX >> 1)) }
}

/// All words that an execution left in `o`; zeros where the entry point does not use it.
fn interpret(program: &Program) -> Result<Vec<u32>, InterpretError> {
    let interpreter = Interpreter::new(program)?;
    let outcome = interpreter.run(&Options::default(), &mut Deaf)?;
    let words = program.buffers.iter().find(|buffer| buffer.name == "o").unwrap().bytes / 4;
    Ok((0..words).map(|word| outcome.memory.read_word("o", word).unwrap_or_default()).collect())
}

fn all_cases() -> impl Iterator<Item = &'static Case> {
    [
        values::CASES,
        math::CASES,
        flow::CASES,
        functions::CASES,
        shared::CASES,
        layouts::CASES,
        subgroups::CASES,
        wide::CASES,
    ]
    .into_iter()
    .flatten()
}

#[test]
fn every_case_is_interpreted_as_computed_by_hand() {
    let mut problems = Vec::new();
    for case in all_cases() {
        match interpret(&case.program()) {
            Ok(words) => problems.extend(case.check(&words, "the interpreter", case.ulps)),
            Err(error) => problems.push(format!("{}: {error}", case.name)),
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

#[test]
fn every_case_runs_on_the_device_as_computed_by_hand() {
    let Some(mut gpu) = common::gpu() else { return };
    let mut problems = Vec::new();
    for case in all_cases().filter(|case| case.on_device) {
        let program = case.program();
        if program.wgsl.contains("64") {
            // The library's executor asks for no such numbers.
            let device = raw::Raw::open(&program).map(|raw| raw.run(&program));
            problems.extend(device.map_or(Vec::new(), |found| case.check(&found, "the device", case.device_ulps)));
            continue;
        }
        let prepared = block_on(gpu.prepare(&program, &common::reflect(&program), Checks::On));
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(error) if !program.features.is_empty() => {
                println!("SKIPPED {}: {error}", case.name);
                continue;
            }
            Err(error) => panic!("{}: {error}", case.name),
        };
        block_on(gpu.run_for_verification(&prepared)).unwrap();
        let words = u64::from(LANES) * WORDS as u64;
        let found = block_on(gpu.read_words(&prepared, "o", 0..words)).unwrap();
        problems.extend(case.check(&found, "the device", case.device_ulps));
    }
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}
