//! Tests that need a device. Without one each prints SKIPPED and passes, unless `REQUIRE_GPU=1` is set. They run on
//! every backend that the machine has: a software adapter is enough.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking and tells by printing"
)]

mod contents;
mod failures;
mod kernels;
mod programs;
mod timing;

use std::collections::{BTreeMap, BTreeSet};

use pollster::block_on;
use sectorscope::contents::Contents;
use sectorscope::gpu::{AdapterChoice, Backend, Gpu, GpuError, TestHooks};
use sectorscope::program::{Buffer, Program, Scalar, Uniforms};
use sectorscope::shader::{Reflection, Shader, ShaderError};

/// A device of this backend with these hooks; `None`, with a note, where the machine has none.
fn open_with(backend: Option<Backend>, hooks: TestHooks) -> Option<Gpu> {
    let choice = AdapterChoice { backend, adapter: None };
    match block_on(Gpu::open_with(&choice, hooks)) {
        Ok(gpu) => Some(gpu),
        Err(error @ (GpuError::NoAdapter { .. } | GpuError::NoCompute { .. })) => {
            let required = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
            // A missing backend is no fault where another one is there.
            assert!(!required || backend.is_some(), "REQUIRE_GPU=1, but {error}");
            println!("SKIPPED: no adapter ({error})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The default device.
fn open() -> Option<Gpu> {
    open_with(None, TestHooks::default())
}

/// One device for each backend of the machine.
fn open_each() -> Vec<Gpu> {
    let gpus: Vec<Gpu> =
        Backend::ALL.into_iter().filter_map(|backend| open_with(Some(backend), TestHooks::default())).collect();
    if gpus.is_empty() {
        open();
    }
    gpus
}

const COPY: &str = "
override FACTOR: u32 = 1;
struct Params { count: u32, offset: u32, keep: u32 }
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> target_words: array<u32>;
@group(1) @binding(0) var<uniform> params: Params;
@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x + params.offset;
    if i < params.count {
        target_words[i] = source[i] * FACTOR + params.keep;
    }
}";

/// Copies `words` words, times 3, plus 5 in verification. Its four phases are alike.
fn copy_program(words: u32) -> (Program, Reflection) {
    let value = |v: u32| Scalar::U32(v);
    let buffer = |name: &str, contents: Contents, written| Buffer {
        name: name.into(),
        bytes: u64::from(words) * 4,
        contents,
        written,
    };
    let program = Program {
        wgsl: COPY.into(),
        entry_point: "copy".into(),
        constants: BTreeMap::from([("FACTOR".into(), 3.0)]),
        buffers: vec![
            buffer("source", Contents::Random { seed: 4 }, false),
            buffer("target_words", Contents::Poison, true),
        ],
        textures: Vec::new(),
        uniforms: Some(Uniforms {
            name: "params".into(),
            values: BTreeMap::from([
                ("count".into(), value(words)),
                ("offset".into(), value(0)),
                ("keep".into(), value(0)),
            ]),
            phases: vec![BTreeMap::new(); 3],
            verification: BTreeMap::from([("keep".into(), value(5))]),
        }),
        grid: [words.div_ceil(64), 1, 1],
        features: BTreeSet::new(),
    };
    let reflection = reflect(&program).unwrap();
    (program, reflection)
}

/// What the text of a program says.
fn reflect(program: &Program) -> Result<Reflection, ShaderError> {
    let shader = Shader::parse(&program.wgsl)?.specialise(&program.entry_point, &program.constants)?;
    Ok(shader.reflection().clone())
}
