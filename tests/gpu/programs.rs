//! Programs run as their text says, with and without safety checks, on every backend.

use std::collections::BTreeMap;

use pollster::block_on;
use sectorscope::contents::POISON;
use sectorscope::gpu::Checks;
use sectorscope::program::{Scalar, Uniforms};

use super::{copy_program, open, open_each, reflect};

#[test]
fn a_copy_is_verified_checked_and_unchecked() {
    for mut gpu in open_each() {
        let words = 70_001;
        let (program, reflection) = copy_program(words);
        for checks in [Checks::On, Checks::Off] {
            let prepared = block_on(gpu.prepare(&program, &reflection, checks)).unwrap();
            assert!(prepared.compile_ns() > 0.0);
            block_on(gpu.run_for_verification(&prepared)).unwrap();
            let contents = &program.buffers[0].contents;
            let result = block_on(gpu.read_words(&prepared, "target_words", 0..u64::from(words))).unwrap();
            for (i, word) in (0..).zip(result) {
                let expected = contents.word(i).wrapping_mul(3).wrapping_add(5);
                assert_eq!(word, expected, "word {i}, {checks:?}, {}", gpu.adapter().backend);
            }
        }
    }
}

#[test]
fn phases_cycle_through_their_uniform_blocks() {
    for mut gpu in open_each() {
        // Each of four phases copies a quarter; five dispatches from phase 2 on cover quarters 2, 3, 0, 1, 2.
        let (mut program, reflection) = copy_program(256);
        program.grid = [1, 1, 1];
        let quarter = |k: u32| BTreeMap::from([("offset".to_owned(), Scalar::U32(64 * k))]);
        let uniforms = program.uniforms.take().unwrap();
        program.uniforms = Some(Uniforms { phases: vec![quarter(1), quarter(2), quarter(3)], ..uniforms });
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
        let written = |dispatches, first, gpu: &mut sectorscope::gpu::Gpu| {
            block_on(gpu.run_for_verification(&prepared)).unwrap();
            block_on(gpu.time_alone(&prepared, dispatches, first)).unwrap();
            let words = block_on(gpu.read_words(&prepared, "target_words", 0..256)).unwrap();
            [0, 64, 128, 192].map(|i| words[i] != POISON)
        };
        // Verification itself writes the first quarter.
        assert_eq!(written(1, 0, &mut gpu), [true, false, false, false]);
        assert_eq!(written(2, 2, &mut gpu), [true, false, true, true]);
        assert_eq!(written(5, 2, &mut gpu), [true; 4]);
    }
}

#[test]
fn a_binding_that_the_code_does_not_use_changes_nothing() {
    let Some(mut gpu) = open() else { return };
    let (mut program, reflection) = copy_program(64);
    program.wgsl = program.wgsl.replace("source[i] * FACTOR", "7u * FACTOR").into();
    // Whether a reflection lists it or not.
    for reflection in [reflection, reflect(&program).unwrap()] {
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::On)).unwrap();
        block_on(gpu.run_for_verification(&prepared)).unwrap();
        assert_eq!(block_on(gpu.read_words(&prepared, "target_words", 0..1)).unwrap(), [26]);
    }
    program.wgsl = program.wgsl.replace("params.offset", "0u").replace("params.count", "64u").into();
    program.wgsl = program.wgsl.replace("params.keep", "1u").into();
    let prepared = block_on(gpu.prepare(&program, &reflect(&program).unwrap(), Checks::On)).unwrap();
    block_on(gpu.run_for_verification(&prepared)).unwrap();
    assert_eq!(block_on(gpu.read_words(&prepared, "target_words", 0..1)).unwrap(), [22]);
}

#[test]
fn a_workgroup_of_1024_lanes_with_workgroup_memory_runs() {
    for mut gpu in open_each() {
        if gpu.limits().max_workgroup_lanes < 1024 {
            println!("SKIPPED: {} has fewer lanes", gpu.adapter().name);
            continue;
        }
        let (mut program, _) = copy_program(1024);
        program.wgsl = "
            @group(0) @binding(0) var<storage, read_write> target_words: array<u32>;
            var<workgroup> tile: array<u32, 1024>;
            @compute @workgroup_size(1024)
            fn copy(@builtin(local_invocation_index) i: u32) {
                tile[i] = i;
                workgroupBarrier();
                target_words[i] = tile[1023u - i];
            }"
        .into();
        program.constants.clear();
        program.uniforms = None;
        program.buffers.remove(0);
        program.grid = [1, 1, 1];
        let reflection = reflect(&program).unwrap();
        assert_eq!((reflection.workgroup_size, reflection.workgroup_bytes), ([1024, 1, 1], 4096));
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
        block_on(gpu.run_for_verification(&prepared)).unwrap();
        let words = block_on(gpu.read_words(&prepared, "target_words", 0..1024)).unwrap();
        assert!((0..1024).rev().eq(words), "on {}", gpu.adapter().backend);
    }
}
