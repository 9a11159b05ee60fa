//! How fast the interpreter is on one core, with sectors counted, and that its memory does not follow the grid.
//!
//! `cargo bench --bench interpreter`; a name after `--` runs only the kernels whose names contain it.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark fails by panicking, tells by printing and runs natively"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use sectorscope::contents::Contents;
use sectorscope::interpreter::{Interpreter, Options, Outcome, Workgroups};
use sectorscope::kernels::{self, Fill, Setting};
use sectorscope::memory_model;
use sectorscope::plan::plan;
use sectorscope::predict::Counter;
use sectorscope::program::{Block, Buffer, Limits, Program};
use sectorscope::trace::{Deaf, Observer};

/// A loop of plain arithmetic: what control flow and pure expressions cost.
const ARITHMETIC_LOOP: &str = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var x = g.x;
    for (var i = 0u; i < 1000u; i++) { x = x * 1664525u + 1013904223u; x ^= x >> 16u; }
    o[g.x] = x;
}";

/// Lanes leave the loop at different turns, through branches that diverge.
const DIVERGENT_LOOP: &str = "
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var x = g.x * 37u + 1u;
    var turns = 0u;
    while (x != 1u && turns < 200u) {
        if ((x & 1u) == 0u) { x = x / 2u; } else { x = 3u * x + 1u; }
        turns++;
    }
    o[g.x] = turns;
}";

fn synthetic(wgsl: &str, workgroups: u32) -> Program {
    let output =
        Buffer { name: "o".into(), bytes: u64::from(workgroups) * 1024, contents: Contents::Zero, written: true };
    Program {
        wgsl: wgsl.into(),
        entry_point: "main".into(),
        constants: BTreeMap::new(),
        buffers: vec![output],
        textures: Vec::new(),
        uniforms: None,
        grid: [workgroups, 1, 1],
        features: std::collections::BTreeSet::new(),
    }
}

fn built_in(id: &str, footprint_bytes: u64) -> Program {
    let kernel = kernels::by_id(id).expect("a kernel of this name");
    let setting = Setting { footprint_bytes, limits: Limits::WITHOUT_DEVICE, seed: 5, fill: Fill::Random, size: 256 };
    plan(kernel, &kernel.defaults(), &setting).expect("a plan").program
}

fn run(program: &Program, observer: &mut impl Observer) -> Outcome {
    let options = Options { keep_stores: false, block: Block::Phase(0), ..Options::default() };
    let interpreter = Interpreter::new(program).expect("a program that is covered");
    interpreter.run(&options, observer).expect("a run without errors")
}

/// The best of five runs, compilation included.
fn measure(name: &str, program: &Program) {
    let model = memory_model::by_key("nv-hopper").expect("a memory model");
    let mut line = format!("{name:<16}");
    for counting in [true, false] {
        let speed = (0..5).map(|_| {
            let start = Instant::now();
            let outcome = if counting { run(program, &mut Counter::new(model)) } else { run(program, &mut Deaf) };
            outcome.lane_expressions as f64 / start.elapsed().as_secs_f64() / 1e6
        });
        let best = speed.fold(0.0, f64::max);
        line += &format!("{best:>8.0} M/s {}", if counting { "counting sectors" } else { "without an observer" });
    }
    println!("{line}");
}

/// The best of five counted executions of one workgroup of the register-tiled matrix product, compilation included.
fn tiled_product() {
    let kernel = kernels::by_id("matmul_register").expect("a kernel of this name");
    let setting =
        Setting { footprint_bytes: 1 << 24, limits: Limits::WITHOUT_DEVICE, seed: 5, fill: Fill::Random, size: 1024 };
    let program = plan(kernel, &kernel.defaults(), &setting).expect("a plan").program;
    let model = memory_model::by_key("nv-hopper").expect("a memory model");
    println!("one workgroup of matmul_register, 256 lanes, 128 x 128 outputs, k = 1024, with sectors counted");
    let ways = [
        ("whole", Options::default()),
        ("addresses only", Options { values: false, ..Options::default() }),
        ("addresses, turns told at once", Options { values: false, extrapolate: true, ..Options::default() }),
    ];
    for (name, options) in ways {
        let seconds = (0..5).map(|_| {
            let start = Instant::now();
            let options = Options { workgroups: Workgroups::List(vec![[0; 3]]), keep_stores: false, ..options.clone() };
            let interpreter = Interpreter::new(&program).expect("a program that is covered");
            interpreter.run(&options, &mut Counter::new(model)).expect("a run without errors");
            start.elapsed().as_secs_f64()
        });
        println!("{name:<32}{:>8.4} s", seconds.fold(f64::INFINITY, f64::min));
    }
}

/// Pages of memory that the process holds, where the system says so.
fn resident_pages() -> Option<u64> {
    std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!("lane-expressions on one core, in millions a second");
    let programs = [
        ("copy", built_in("copy", 64 << 20)),
        ("traverse", built_in("traverse", 16 << 20)),
        ("arithmetic_loop", synthetic(ARITHMETIC_LOOP, 64)),
        ("divergent_loop", synthetic(DIVERGENT_LOOP, 64)),
    ];
    for (name, program) in programs.iter().filter(|(name, _)| name.contains(&filter)) {
        measure(name, program);
    }
    if "matmul_register".contains(&filter) {
        tiled_product();
    }
    println!("memory after a grid of this many workgroups of copy, stores not kept");
    for exponent in 8..=14 {
        // Four loads and stores of four bytes in each of 256 lanes.
        run(&built_in("copy", 8192 << exponent), &mut Deaf);
        match resident_pages() {
            Some(pages) => println!("2^{exponent:<2} workgroups: {pages} pages"),
            None => println!("2^{exponent:<2} workgroups: this system does not say"),
        }
    }
}
