//! The rung of cooperative matrices: exact by interpretation for every kind of matrices and width of subgroups, its
//! counts, and its row where a device has no such matrices.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::process::Command;
use std::sync::atomic::AtomicBool;

use pollster::block_on;
use sectorscope::engine::matmul::counts;
use sectorscope::engine::predict::predict;
use sectorscope::engine::verify::verify;
use sectorscope::gpu::{Checks, GpuError};
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::kernels::{Setting, by_id};
use sectorscope::memory_model::LESSON;
use sectorscope::plan::{Plan, plan};
use sectorscope::program::{Block, Cooperative, Limits, Matrices};
use sectorscope::record::{Reference, Status};
use sectorscope::report::json;
use sectorscope::trace::Deaf;

fn setting(matrices: Matrices, subgroup: u32) -> Setting {
    let limits = Limits { cooperative: Some(Cooperative { matrices, subgroup }), ..Limits::WITHOUT_DEVICE };
    Setting { limits, ..common::setting(1 << 20) }
}

fn product(setting: &Setting, [m, n, k]: [u32; 3], strip: u32) -> Plan {
    let kernel = by_id("matmul_cooperative").unwrap();
    let params = kernel.defaults().with("m", m).with("n", n).with("k", k).with("strip", strip);
    plan(kernel, &params, setting).unwrap()
}

fn assert_exact(plan: &Plan) {
    let name = format!("{} {:?} {:?}", plan.kernel.id, plan.params, plan.program.constants);
    let options = Options { block: Block::Verification, ..Options::default() };
    let interpreter = Interpreter::with_subgroup(&plan.program, plan.subgroup()).unwrap();
    let outcome = interpreter.run(&options, &mut Deaf).unwrap();
    assert_eq!(outcome.out_of_range, 0, "{name}");
    for word in 0..plan.oracle.words {
        let found = outcome.memory.read_word(plan.oracle.buffer, word);
        assert_eq!(found, Some((plan.oracle.expected)(word)), "{name}: word {word}");
    }
}

#[test]
fn every_kind_and_width_is_exact_by_interpretation() {
    for matrices in Matrices::ALL {
        for subgroup in [8, 16, 32, 64] {
            let setting = setting(matrices, subgroup);
            for (size, strip) in [([1, 1, 1], 1), ([130, 129, 70], 2), ([260, 40, 33], 1)] {
                assert_exact(&product(&setting, size, strip));
            }
            let fma = by_id("fma_cooperative").unwrap();
            assert_exact(&plan(fma, &fma.defaults(), &setting).unwrap());
        }
    }
}

#[test]
fn a_matrix_is_loaded_for_many_multiply_adds() {
    let plan = product(&setting(Matrices::Half16, 32), [256; 3], 1);
    let found = counts(&plan, &predict(&plan, &LESSON, &AtomicBool::new(false)).unwrap()).unwrap();
    // A subgroup loads 4 + 4 matrices of 256 halves, 16 bytes a lane, for 64 x 64 x 16 multiply-adds.
    assert_eq!(found.workgroup_loads_per_fma, Some(8.0 * 32.0 / f64::from(64 * 64 * 16)));
    // Both matrices, two bytes an element, by 2 tiles across or down and one tile of 32 past their end; C once.
    let loaded = f64::from(2 * (256 + 32) * (256 * 2 + 256 * 2));
    assert_eq!(found.storage_bytes_per_fma, (loaded + f64::from(4 * 256 * 256)) / f64::from(1 << 24));
    // Rows of 40 and 136 halves: the 32 lanes of a load meet in no bank.
    assert_eq!(found.excess_load_wavefronts, Some(0));
    assert_eq!((found.workgroup_bytes, found.outputs_per_lane), (2 * (128 * 40 + 32 * 136), 128));
    assert_eq!(found.cooperative.map(|matrices| matrices.to_string()).as_deref(), Some("16x16x16 f16 to f32"));
    assert!(found.knob.contains("0.0039"), "{}", found.knob);
}

#[test]
fn a_device_without_workgroup_memory_for_it_is_told() {
    let mut setting = setting(Matrices::Half16, 32);
    setting.limits.max_workgroup_memory_bytes = 16 << 10;
    let kernel = by_id("matmul_cooperative").unwrap();
    let reason = plan(kernel, &kernel.defaults(), &setting).unwrap_err().to_string();
    assert!(reason.contains("18944") && reason.contains("16384"), "{reason}");
}

#[test]
fn a_device_of_its_own_runs_it_exactly() {
    let Some(gpu) = common::gpu() else { return };
    let mut own = match block_on(gpu.open_cooperative()) {
        Ok(own) => own,
        Err(GpuError::NoCooperativeMatrices(reason)) => {
            assert!(reason.contains(&gpu.adapter().name), "{reason}");
            assert!(gpu.limits().cooperative.is_none());
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let setting = Setting { limits: own.limits(), ..common::setting(1 << 20) };
    for size in [[1, 1, 1], [130, 129, 70], [513, 500, 255], [1030, 1025, 1040]] {
        for (strip, checks) in [(1, Checks::Off), (4, Checks::On)] {
            let plan = product(&setting, size, strip);
            let reflection = common::reflect(&plan.program);
            let prepared = block_on(own.prepare(&plan.program, &reflection, checks)).unwrap();
            let verified = block_on(verify(&mut own, &prepared, &plan)).unwrap();
            assert_eq!(verified.agrees_with_interpreter, Some(true), "{size:?}");
        }
    }
}

#[test]
fn its_row_is_measured_or_says_why_not_and_other_rows_do_not_care() {
    let Some(gpu) = common::gpu() else { return };
    let mut command = Command::new(env!("CARGO_BIN_EXE_sectorscope"));
    command.args(["--bench", "--kernel", "matmul_cooperative", "--kernel", "matmul_tiled", "--set", "size=128"]);
    command.args(["--samples", "3", "--bytes", "4MiB", "--json", "-"]).env_remove("WGPU_ADAPTER_NAME");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let results = json::from_bytes(&output.stdout).unwrap();
    let [cooperative, tiled] = results.rows.as_slice() else { panic!("{} rows", results.rows.len()) };
    assert_eq!((cooperative.kernel.as_str(), tiled.status), ("matmul_cooperative", Status::Ok));
    let rung = cooperative.matmul.as_ref().unwrap();
    assert_eq!((rung.share_of_fma_peak, rung.share_of_datasheet), (None, None));
    let Reference { fma_cooperative, fma_f32, .. } = results.reference;
    let in_controls = results.control_rows.iter().any(|row| row.kernel == "fma_cooperative");
    match gpu.cooperative() {
        Ok(_) => {
            assert_eq!(cooperative.status, Status::Ok, "{:?}", cooperative.reason);
            let rate = cooperative.measured.as_ref().unwrap().gflop_per_s.unwrap();
            assert_eq!(rung.share_of_cooperative_peak, Some(rate / fma_cooperative.unwrap()));
            assert!(in_controls);
        }
        Err(reason) => {
            assert_eq!(
                (cooperative.status, cooperative.reason.clone()),
                (Status::Unsupported, Some(reason.to_string()))
            );
            assert!(cooperative.measured.is_none() && rung.share_of_cooperative_peak.is_none());
            assert!(fma_cooperative.is_none() && fma_f32.is_some() && !in_controls);
        }
    }
}
