//! The matmul ladder: exact results at awkward sizes, counts of the text, and the check of large products.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::sync::atomic::AtomicBool;

use pollster::block_on;
use sectorscope::contents::random_bits;
use sectorscope::engine::matmul::counts;
use sectorscope::engine::predict::predict;
use sectorscope::engine::verify::{VerifyError, verify};
use sectorscope::gpu::{Checks, Gpu};
use sectorscope::kernels::matmul::FAMILY;
use sectorscope::kernels::{ALL, Kernel, Params, by_id};
use sectorscope::memory_model::LESSON;
use sectorscope::plan::{Plan, PlanError, plan};
use sectorscope::platform::in_parallel;
use sectorscope::record::{Matmul, Row};
use sectorscope::report::json;

const ANY_SIZE: [&str; 5] =
    ["matmul_uncoalesced", "matmul_naive", "matmul_tiled", "matmul_vec4_padded", "matmul_prefetch"];
const WHOLE_TILES: [(&str, [u32; 3]); 3] =
    [("matmul_register_1d", [64, 64, 8]), ("matmul_register", [128, 128, 8]), ("matmul_vec4", [128, 128, 8])];

fn sized(kernel: &Kernel, [m, n, k]: [u32; 3]) -> Params {
    kernel.defaults().with("m", m).with("n", n).with("k", k)
}

fn planned(id: &str, size: [u32; 3], limits: Option<&Gpu>) -> Plan {
    let kernel = by_id(id).unwrap();
    let mut setting = common::setting(1 << 20);
    if let Some(gpu) = limits {
        setting.limits = gpu.limits();
    }
    plan(kernel, &sized(kernel, size), &setting).unwrap()
}

const BOTH: &[Checks] = &[Checks::On, Checks::Off];

/// Runs the rung with and without safety checks and compares every word.
fn check(gpu: &mut Gpu, id: &str, size: [u32; 3], checks: &[Checks]) -> Result<(), String> {
    let plan = planned(id, size, Some(gpu));
    let words = plan.oracle.words;
    let expected = in_parallel(words, 1, |range| range.map(|word| (plan.oracle.expected)(word)).collect::<Vec<_>>());
    let expected = expected.unwrap().concat();
    for checks in checks {
        let prepared = block_on(gpu.prepare(&plan.program, &common::reflect(&plan.program), *checks)).unwrap();
        block_on(gpu.run_for_verification(&prepared)).unwrap();
        let found = block_on(gpu.read_words(&prepared, "c", 0..words)).unwrap();
        if let Some(word) = found.iter().zip(&expected).position(|(found, expected)| found != expected) {
            return Err(format!(
                "{id} {size:?} {checks:?}: word {word} is {:#x}, not {:#x}",
                found[word], expected[word]
            ));
        }
    }
    Ok(())
}

fn fail_if_any(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn rungs_of_any_size_are_exact_for_cubes() {
    let Some(mut gpu) = common::gpu() else { return };
    let mut wrong = Vec::new();
    for id in ANY_SIZE {
        for size in [1, 17, 31, 33, 64, 127, 255, 500, 513] {
            wrong.extend(check(&mut gpu, id, [size; 3], BOTH).err());
        }
    }
    fail_if_any(&wrong);
}

#[test]
fn rungs_of_any_size_are_exact_for_mixed_sizes() {
    const SEED: u32 = 2026;
    let Some(mut gpu) = common::gpu() else { return };
    println!("seed {SEED}");
    let mut wrong = Vec::new();
    for triple in 0..60 {
        let size = [0, 1, 2].map(|side| 1 + random_bits(SEED, 3 * triple + side) % 280);
        for id in ANY_SIZE {
            // Compiling is what takes time here, and the texts without guards are the longest: these take turns.
            let guarded = !["matmul_vec4_padded", "matmul_prefetch"].contains(&id);
            let checks = if guarded { BOTH } else { &BOTH[triple as usize % 2..][..1] };
            wrong.extend(check(&mut gpu, id, size, checks).err());
        }
    }
    fail_if_any(&wrong);
}

#[test]
fn rungs_of_whole_tiles_are_exact_and_refuse_others_with_the_reason() {
    let Some(mut gpu) = common::gpu() else { return };
    let mut wrong = Vec::new();
    for (id, [m, n, k]) in WHOLE_TILES {
        for times in [[1, 1, 1], [2, 1, 3], [1, 3, 16], [3, 2, 32], [4, 4, 64]] {
            wrong.extend(check(&mut gpu, id, [m * times[0], n * times[1], k * times[2]], BOTH).err());
        }
        let kernel = by_id(id).unwrap();
        for size in [[m + 1, n, k], [m, 100, k], [m, n, k + 4]] {
            let error = plan(kernel, &sized(kernel, size), &common::setting(1 << 20)).unwrap_err();
            let PlanError::Refused(reason) = error else { panic!("{error}") };
            assert!(reason.0.contains("no multiple of") && reason.0.contains("matmul_tiled"), "{}", reason.0);
        }
    }
    fail_if_any(&wrong);
}

#[test]
fn a_large_product_is_checked_without_multiplying() {
    let Some(mut gpu) = common::gpu() else { return };
    let original = planned("matmul_prefetch", [1030, 1025, 1040], Some(&gpu));
    let verified = |gpu: &mut Gpu, plan: &Plan| {
        block_on(async {
            let prepared = gpu.prepare(&plan.program, &common::reflect(&plan.program), Checks::Off).await.unwrap();
            verify(gpu, &prepared, plan).await
        })
    };
    let result = verified(&mut gpu, &original).unwrap();
    assert_eq!((result.method.as_str(), result.agrees_with_interpreter), ("freivalds+reals", Some(true)));
    for (from, to) in [("t < k;", "t + 16u < k;"), ("fma(vec4<f32>(a1_5), b1_high", "fma(vec4<f32>(a1_5), b1_low")] {
        let mut broken = original.clone();
        broken.program.wgsl = original.program.wgsl.replacen(from, to, 1).into();
        assert_ne!(broken.program.wgsl, original.program.wgsl, "{from}");
        let error = verified(&mut gpu, &broken).unwrap_err();
        assert!(matches!(error, VerifyError::Word { .. }), "{error}");
    }
}

/// The counts of a rung as interpreted at a size, all workgroups or a sample, on 32 lanes and 32 banks.
fn interpreted(id: &str, size: u32) -> Matmul {
    let plan = planned(id, [size; 3], None);
    counts(&plan, &predict(&plan, &LESSON, &AtomicBool::new(false)).unwrap()).unwrap()
}

/// A count of whole tiles at 256, which all do the same, for 2048: times 8 in m, n and k.
fn at_2048(count: Option<u64>) -> u64 {
    count.unwrap() * 8 * 8 * 8
}

#[test]
fn the_ladder_asks_for_less_and_less() {
    let scalar = interpreted("matmul_register", 256);
    assert_eq!(scalar.workgroup_loads_per_fma, Some(0.25));
    // 10/16 of them where a compiler merges eight loads that lie next to each other into two wide ones.
    assert_eq!(at_2048(scalar.workgroup_load_requests), 67_108_864);
    assert_eq!(
        (scalar.excess_store_wavefronts, scalar.excess_load_wavefronts),
        (Some(0), Some(0)),
        "the best scalar rung"
    );
    let wide = interpreted("matmul_vec4", 256);
    assert_eq!(wide.workgroup_loads_per_fma, Some(0.0625));
    assert_eq!(at_2048(wide.workgroup_load_requests), 16_777_216);
    assert_eq!(at_2048(wide.excess_store_wavefronts), 2_097_152);
    let padded = interpreted("matmul_vec4_padded", 256);
    assert_eq!((padded.excess_store_wavefronts, padded.workgroup_loads_per_fma), (Some(0), Some(0.0625)));
    let prefetch = interpreted("matmul_prefetch", 256);
    // 8 floats of a and 2 vec4 of b a step for 64 multiply-adds, and once more past the end.
    assert_eq!(prefetch.workgroup_loads_per_fma, Some(10.0 * 257.0 / (64.0 * 256.0)));
    // 8 tiles of 64 x 128, 4 subgroups each. The 8 lanes of a quarter load 8 vec4, the same ones in all quarters, but only
    // pairs of lanes share a pass (facts on wavefronts in `predict`): 2 too many for each load of b.
    assert_eq!(
        (prefetch.excess_store_wavefronts, prefetch.excess_load_wavefronts),
        (Some(0), Some(8 * 4 * 257 * 2 * 2))
    );
    let rungs: Vec<Matmul> = ["matmul_naive", "matmul_tiled", "matmul_register_1d", "matmul_register"]
        .iter()
        .map(|id| interpreted(id, 256))
        .collect();
    // Two loads a multiply-add; then 2 / 16, 2 / 64 and 2 / 128 of one, and a store of each output.
    let stores = 4.0 / 256.0;
    let bytes: Vec<f64> = rungs.iter().map(|rung| rung.storage_bytes_per_fma - stores).collect();
    assert_eq!(bytes, [8.0, 0.5, 0.125, 0.0625]);
    assert_eq!(rungs[1].workgroup_loads_per_fma, Some(2.0));
    assert_eq!(rungs[2].workgroup_loads_per_fma, Some(1.125));
    assert_eq!(rungs.iter().map(|rung| rung.outputs_per_lane).collect::<Vec<_>>(), [1, 1, 8, 64]);
    assert_eq!(rungs[3].workgroup_bytes, 4 * (8 * 132 + 8 * 128));
    assert!(rungs.iter().all(|rung| !rung.knob.is_empty()));
}

#[test]
fn swapping_two_indices_lines_up_the_loads() {
    let side = |id: &str| {
        let kernel = by_id(id).unwrap();
        let params = sized(kernel, [128; 3]).with("side", 32);
        let plan = plan(kernel, &params, &common::setting(1 << 20)).unwrap();
        counts(&plan, &predict(&plan, &LESSON, &AtomicBool::new(false)).unwrap()).unwrap().sectors_per_request
    };
    assert_eq!(side("matmul_uncoalesced"), [Some(32.0), Some(1.0)]);
    assert_eq!(side("matmul_naive"), [Some(1.0), Some(4.0)]);
}

#[test]
fn only_a_pad_of_four_cures_the_conflict_and_keeps_loads_aligned() {
    let kernel = by_id("matmul_vec4_padded").unwrap();
    for pad in 0..=8 {
        let params = sized(kernel, [256; 3]).with("pad", pad);
        match plan(kernel, &params, &common::setting(1 << 20)) {
            Ok(plan) => {
                let found = counts(&plan, &predict(&plan, &LESSON, &AtomicBool::new(false)).unwrap()).unwrap();
                assert_eq!(at_2048(found.excess_store_wavefronts), if pad == 4 { 0 } else { 2_097_152 }, "pad {pad}");
            }
            Err(error) => assert!(pad % 4 != 0 && error.to_string().contains("vec4 loads need 16"), "{pad}: {error}"),
        }
    }
}

#[test]
fn every_tile_of_the_generated_rung_is_exact_by_interpretation() {
    use sectorscope::interpreter::{Interpreter, Options};
    let kernel = by_id("matmul_prefetch").unwrap();
    let mut setting = common::setting(1 << 20);
    setting.limits.max_workgroup_memory_bytes = 48 << 10;
    for tile in ["64x64x16", "64x128x16", "128x128x16"] {
        let params = sized(kernel, [130, 129, 70]).with("tile", tile).with("strip", 2);
        let plan = plan(kernel, &params, &setting).unwrap();
        let outcome =
            Interpreter::new(&plan.program).unwrap().run(&Options::default(), &mut sectorscope::trace::Deaf).unwrap();
        assert_eq!(outcome.out_of_range, 0, "{tile}");
        for word in 0..plan.oracle.words {
            assert_eq!(outcome.memory.read_word("c", word), Some((plan.oracle.expected)(word)), "{tile}: word {word}");
        }
    }
}

/// The recorded rows of a rung at a size, by its other parameters' defaults.
fn recorded(file: &str, id: &str, size: u64, checks: &str) -> Row {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/reference").join(file);
    let results = json::from_bytes(&std::fs::read(path).unwrap()).unwrap();
    let is = |row: &Row| {
        row.kernel == id
            && row.checks == checks
            && row.params.get("pad").is_none_or(|pad| *pad == 4)
            && row.matmul.as_ref().is_some_and(|rung| rung.n == size)
    };
    results.rows.into_iter().find(is).unwrap()
}

#[test]
fn the_readme_shows_the_recorded_ladder() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let rate = |row: &Row| row.measured.as_ref().unwrap().gflop_per_s.unwrap() / 1000.0;
    for kernel in ALL.iter().filter(|kernel| kernel.family == FAMILY) {
        let row = recorded("h200-matmul.json", kernel.id, 2048, "off");
        let of_size = |size| rate(&recorded("h200-matmul-sizes.json", kernel.id, size, "off"));
        let rung = row.matmul.as_ref().unwrap();
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        let line = format!(
            "| `{}` | {:.3} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} |",
            kernel.id,
            rung.storage_bytes_per_fma,
            or_none(rung.workgroup_loads_per_fma.map(|loads| ((loads * 1e4).round() / 1e4).to_string())),
            or_none(rung.excess_store_wavefronts.map(|excess| excess.to_string())),
            of_size(1024),
            rate(&row),
            of_size(4096),
            rate(&recorded("h200-matmul.json", kernel.id, 2048, "on")),
            100.0 * rung.share_of_fma_peak.or(rung.share_of_cooperative_peak).unwrap(),
        );
        assert!(readme.contains(&line), "README.md lacks the row:\n{line}");
    }
}
