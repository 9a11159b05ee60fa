//! What trips programs of this kind and is not tested elsewhere: loads that a compiler could drop, folded grids at the
//! edges, variants that differ in more than they should, contents that hardware could compress.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;

use sectorscope::contents::{Contents, POISON};
use sectorscope::engine::verify::verify;
use sectorscope::gpu::{AdapterChoice, Checks, Gpu, TestHooks};
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::kernels::{self, element};
use sectorscope::plan::{Plan, plan};
use sectorscope::program::Block;
use sectorscope::trace::Deaf;

fn planned(kernel: &str, changes: &[(&'static str, u32)], bytes: u64) -> Plan {
    let kernel = kernels::by_id(kernel).unwrap();
    let params = changes.iter().fold(kernel.defaults(), |params, (name, value)| params.with(name, *value));
    plan(kernel, &params, &common::setting(bytes)).unwrap()
}

/// A checksum of all that a plan stores when verified.
fn stored(plan: &Plan) -> u32 {
    let options = Options { block: Block::Verification, ..Options::default() };
    let outcome = Interpreter::new(&plan.program).unwrap().run(&options, &mut Deaf).unwrap();
    (0..plan.oracle.words).fold(0u32, |sum, word| {
        let index = u32::try_from(word).unwrap();
        let value = outcome.memory.read_word(plan.oracle.buffer, word).unwrap();
        sum.wrapping_add(sectorscope::contents::checksum_term(index, value))
    })
}

#[test]
fn every_input_word_reaches_the_result() {
    for kernel in kernels::ALL.iter().filter(|kernel| kernel.id != "fma" && kernel.id != "write") {
        let bytes = if kernel.id == "traverse" { 1 << 20 } else { 1 << 20 | 1 << 16 };
        let plan = planned(kernel.id, &[], bytes);
        let original = stored(&plan);
        // Indices are no data: changing one may point to an equal word.
        let inputs =
            plan.program.buffers.iter().enumerate().filter(|(_, buffer)| !buffer.written && buffer.name != "indices");
        for (number, buffer) in inputs {
            let words = buffer.bytes / 4;
            for word in [0, words / 3, words - 1] {
                let mut data: Vec<u8> =
                    (0..u32::try_from(words).unwrap()).flat_map(|i| buffer.contents.word(i).to_le_bytes()).collect();
                // The top bit of the exponent: no sum can round it away.
                data[usize::try_from(4 * word + 3).unwrap()] ^= 0x40;
                let mut changed = plan.clone();
                changed.program.buffers[number].contents = Contents::Bytes(Arc::from(data));
                assert_ne!(stored(&changed), original, "{}: word {word} of {} does not matter", kernel.id, buffer.name);
            }
        }
    }
}

#[test]
fn folded_grids_reach_the_last_word_on_the_device() {
    let Some(mut gpu) = common::gpu() else { return };
    // One element a lane, 32 lanes a workgroup: prime numbers of workgroups above the limit of one dimension.
    for groups in [65_537u64, 131_071] {
        let plan = planned("copy", &[("workgroup", 32), ("items", 1)], 2 * 4 * 32 * groups);
        assert_eq!(plan.groups, groups);
        assert!(plan.program.grid[1] > 1, "{:?}", plan.program.grid);
        let reflection = common::reflect(&plan.program);
        let verified = pollster::block_on(async {
            let prepared = gpu.prepare(&plan.program, &reflection, Checks::Off).await.unwrap();
            verify(&mut gpu, &prepared, &plan).await.unwrap()
        });
        assert_eq!(verified.elements, 32 * groups);
    }
}

#[test]
fn every_kernel_runs_in_parts_as_it_does_as_a_whole() {
    if common::gpu().is_none() {
        return;
    }
    // Every submission is too long: each part is one workgroup.
    let hooks = TestHooks { longest_submission_ns: Some(1.0), ..TestHooks::default() };
    let mut gpu = pollster::block_on(Gpu::open_with(&AdapterChoice::default(), hooks)).unwrap();
    for kernel in kernels::ALL {
        let bytes = if ["traverse", "tiled_copy"].contains(&kernel.id) { 1 << 24 } else { 300_000 };
        let plan = planned(kernel.id, &[], bytes);
        assert!((2..10_000).contains(&plan.groups), "{}: {} workgroups", kernel.id, plan.groups);
        if !plan.program.features.is_subset(gpu.features()) {
            println!("SKIPPED: {} needs what this device has not", kernel.id);
            continue;
        }
        pollster::block_on(async {
            let prepared = gpu.prepare(&plan.program, &common::reflect(&plan.program), Checks::On).await.unwrap();
            let ran = gpu.run_for_verification_while(&prepared, &mut |_| true).await.unwrap().unwrap();
            assert_eq!(u64::from(ran.parts), plan.groups, "{}", kernel.id);
            verify(&mut gpu, &prepared, &plan).await.unwrap_or_else(|error| panic!("{}: {error}", kernel.id));
            let mut parts = 0;
            let stopped = gpu
                .run_for_verification_while(&prepared, &mut |_| {
                    parts += 1;
                    parts < 1
                })
                .await
                .unwrap();
            assert_eq!((stopped, parts), (None, 1), "{}", kernel.id);
        });
    }
}

#[test]
fn a_part_writes_its_own_tiles_and_no_others() {
    let Some(mut gpu) = common::gpu() else { return };
    // 16 x 16 tiles of 16 x 16: parts that begin and end within a row of tiles.
    let plan = planned("matmul_naive", &[("size", 256)], 1 << 20);
    assert_eq!(plan.groups, 256);
    let tile = |word: u64| word / 256 / 16 * 16 + word % 256 / 16;
    pollster::block_on(async {
        let prepared = gpu.prepare(&plan.program, &common::reflect(&plan.program), Checks::Off).await.unwrap();
        for part in [0..1, 5..40, 250..256] {
            gpu.run_for_verification_while(&prepared, &mut |_| false).await.unwrap();
            gpu.time_part(&prepared, Block::Phase(0), part.clone()).await.unwrap();
            let words = gpu.read_words(&prepared, "c", 0..plan.oracle.words).await.unwrap();
            for (word, found) in (0..).zip(words) {
                // The first tile is what the stopped run had done.
                let done = part.contains(&tile(word)) || tile(word) == 0;
                let expected = if done { (plan.oracle.expected)(word) } else { POISON };
                assert_eq!(found, expected, "word {word} of part {part:?}");
            }
        }
    });
}

#[test]
fn element_types_differ_in_their_lines_only() {
    let kernel = kernels::by_id("read").unwrap();
    let text = |element: &'static str| kernel.source(&kernel.defaults().with("element", element)).unwrap();
    let reference = text("f32");
    for element in element::ELEMENTS {
        let own = text(element.name);
        let lines: Vec<&str> = own.lines().filter(|line| *line != "enable f16;").collect();
        let differ = lines.iter().zip(reference.lines()).filter(|(a, b)| **a != *b).count();
        assert_eq!(lines.len(), reference.lines().count(), "{}", element.name);
        assert!(differ <= 2, "{} differs in {differ} lines", element.name);
    }
    // Offsets, strides and orders are values: the text is the same.
    let source = |name, value: u32| kernel.source(&kernel.defaults().with(name, value)).unwrap();
    assert_eq!(source("offset", 1), reference);
    assert_eq!(source("stride", 8), reference);
}

#[test]
fn random_contents_do_not_compress() {
    // No byte value of the stream is much more frequent than another, except in the two exponent bytes.
    let bytes: Vec<[u8; 4]> = (0..1u32 << 16).map(|i| Contents::Random { seed: 3 }.word(i).to_le_bytes()).collect();
    let entropy = |position: usize| {
        let mut counts = [0u32; 256];
        bytes.iter().for_each(|word| counts[usize::from(word[position])] += 1);
        let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / bytes.len() as f64);
        shares.map(|share| -share * share.log2()).sum::<f64>()
    };
    let total: f64 = (0..4).map(entropy).sum();
    assert!(total > 27.9, "{total} bits of 32 a word");
}

#[test]
fn built_in_kernels_index_no_local_array_by_a_variable() {
    // FXC unrolls or refuses such code, and other compilers spill it.
    for kernel in kernels::ALL {
        for line in kernel.wgsl.lines().filter(|line| line.contains("held[")) {
            let constant = |piece: &str| piece.split(']').next().is_some_and(|index| index.parse::<u32>().is_ok());
            assert!(line.split("held[").skip(1).all(constant), "{}: {line}", kernel.id);
        }
    }
}
