//! Faults planted in the text of every kernel: verification must catch each, and pass the original.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use sectorscope::engine::reals::{self, Nearness};
use sectorscope::engine::verify::{VerifyError, verify_up_to};
use sectorscope::gpu::{Checks, Gpu};
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::kernels::matmul::FAMILY;
use sectorscope::kernels::{self, Params};
use sectorscope::plan::{Plan, plan};
use sectorscope::program::{Block, Cooperative, Feature};
use sectorscope::record::Verified;
use sectorscope::trace::Deaf;

/// A change of the text that makes the kernel wrong.
struct Fault {
    what: &'static str,
    from: &'static str,
    to: &'static str,
}

const fn fault(what: &'static str, from: &'static str, to: &'static str) -> Fault {
    Fault { what, from, to }
}

/// The faults of the kernels that fold what they load in `load_items` and `load_tail`.
const FOLDS: [Fault; 4] = [
    fault("drop the tail", "fold = load_tail(first, lane);", "fold = 0u;"),
    fault("load not folded", "var fold = load(first, lane, 0u);", "var fold = 0u; let unused = load(first, lane, 0u);"),
    fault("one load zeroed", "fold += load(first, lane, 1u);", "fold += 0u;"),
    fault(
        "swap two stores",
        "folds[group * workgroup_size + lane] = fold",
        "folds[group * workgroup_size + (lane ^ 1u)] = fold",
    ),
];

/// The faults of the kernels that hold items and then store them; `place` is what wraps an index.
fn streams(kernel: &str) -> Vec<Fault> {
    let strided = ["copy", "write"].contains(&kernel);
    let mut faults = vec![
        fault("drop the tail", "do_tail(first + lane);", "return;"),
        fault(
            "load not stored",
            "held[2] = load(start + 2u * workgroup_size);",
            "let unused = load(start + 2u * workgroup_size);",
        ),
        fault("one load zeroed", "held[1] = load(start + workgroup_size);", "held[1] = Element();"),
    ];
    if strided {
        faults.extend([
            fault(
                "index + 1",
                "return i * params.stride + params.offset;",
                "return i * params.stride + params.offset + 1u;",
            ),
            fault("drop the last item", "destination[place(start + 3u * workgroup_size)] = held[3];", ""),
            fault("swap two stores", "destination[place(start)] = held[0];", "destination[place(start)] = held[1];"),
        ]);
    } else {
        faults.extend([
            fault("drop the last item", "destination[start + 3u * workgroup_size] = held[3];", ""),
            fault("swap two stores", "destination[start] = held[0];", "destination[start] = held[1];"),
        ]);
    }
    faults.extend(match kernel {
        "triad" => vec![fault("index + 1", "b[i] +", "b[i + 1u] +"), fault("wrong factor", "params.scale *", "")],
        "vector_add" => vec![fault("index + 1", "a[i] +", "a[i + 1u] +")],
        _ => Vec::new(),
    });
    faults
}

fn faults(kernel: &str) -> Vec<Fault> {
    match kernel {
        "read" => FOLDS
            .into_iter()
            .chain([
                fault("index + 1", "params.offset]", "params.offset + 1u]"),
                fault("drop the last item", "load(first, lane, 6u) + load(first, lane, 7u)", "load(first, lane, 6u)"),
            ])
            .collect(),
        "gather" => FOLDS
            .into_iter()
            .chain([
                fault(
                    "index + 1",
                    "source[indices[first + item * workgroup_size + lane]]",
                    "source[indices[first + item * workgroup_size + lane] + 1u]",
                ),
                fault("drop the last item", "load(first, lane, 2u) + load(first, lane, 3u)", "load(first, lane, 2u)"),
            ])
            .collect(),
        "rows" => vec![
            fault(
                "index + 1",
                "field * params.count + record, by_field)]",
                "field * params.count + record, by_field) + 1u]",
            ),
            fault("drop the last item", "load(record, 6u) + load(record, 7u)", "load(record, 6u)"),
            fault("drop the tail", "record >= params.count)", "record + 64u >= params.count)"),
            fault(
                "load not folded",
                "var fold = load(record, 0u) + load(record, 1u);",
                "var fold = load(record, 0u); let unused = load(record, 1u);",
            ),
            fault("one load zeroed", "fold += load(record, 2u) + load(record, 3u);", "fold += load(record, 2u);"),
            fault("swap two stores", "folds[record] = fold", "folds[record ^ 1u] = fold"),
        ],
        "traverse" => vec![
            fault("index + 1", "by_row)]", "by_row) + 1u]"),
            fault(
                "drop the last item",
                "load(first, lane, step + 6u) + load(first, lane, step + 7u)",
                "load(first, lane, step + 6u)",
            ),
            fault("drop the tail", "group >= params.groups", "group + 1u >= params.groups"),
            fault(
                "load not folded",
                "sum += load(first, lane, step) + load(first, lane, step + 1u);",
                "let unused = load(first, lane, step); sum += load(first, lane, step + 1u);",
            ),
            fault(
                "one load zeroed",
                "sum += load(first, lane, step + 2u) + load(first, lane, step + 3u);",
                "sum += load(first, lane, step + 2u);",
            ),
            fault(
                "swap two stores",
                "sums[group * workgroup_size + lane] = sum",
                "sums[group * workgroup_size + (lane ^ 1u)] = sum",
            ),
        ],
        "transpose" => vec![
            fault("index + 1", "return source[select(", "return source[1u + select("),
            fault("drop the last item", "store(x, y + 24u, value_3);", ""),
            fault("drop the tail", "group >= params.groups", "group + 1u >= params.groups"),
            fault("one load zeroed", "let value_1 = load(x, y + 8u);", "let value_1 = 0.0;"),
            fault(
                "load not stored",
                "let value_2 = load(x, y + 16u);",
                "let unused = load(x, y + 16u); let value_2 = value_1;",
            ),
            fault("swap two stores", "store(x, y, value_0);", "store(x, y, value_1);"),
        ],
        "transpose_tiled" => vec![
            fault("index + 1", "let value_0 = source[from_first];", "let value_0 = source[from_first + 1u];"),
            fault(
                "drop the last item",
                "destination[to_first + 24u * params.n] = tile[column * pitch + row + 24u];",
                "",
            ),
            fault("drop the tail", "group >= params.groups", "group + 1u >= params.groups"),
            fault("one load zeroed", "tile[(row + 8u) * pitch + column] = value_1;", ""),
            fault("swap two stores", "tile[row * pitch + column] = value_0;", "tile[row * pitch + column] = value_1;"),
        ],
        "fma" => vec![
            fault(
                "index + 1",
                "sums[group * workgroup_size + lane] = sum",
                "sums[group * workgroup_size + ((lane + 1u) % workgroup_size)] = sum",
            ),
            fault("drop the last item", "        c7 = fma(c7, a, b);\n    }", "    }"),
            fault("drop the tail", "group >= params.groups", "group + 1u >= params.groups"),
            fault("not folded", " + vec4<f32>(c5)", ""),
            fault("one turn fewer", "var k = 0u;", "var k = 1u;"),
            fault("one chain zeroed", "var c3 = c2 + a;", "var c3 = Element();"),
        ],
        "tiled_copy" => vec![
            fault(
                "index + 1",
                "held[0] = source[place(first, lane, 0u)];",
                "held[0] = source[place(first, lane, 0u) + 1u];",
            ),
            fault("drop the last item", "destination[place(first, lane, 3u)] = held[3];", ""),
            fault("drop the tail", "group >= params.groups", "group + 1u >= params.groups"),
            fault(
                "load not stored",
                "held[2] = source[place(first, lane, 2u)];",
                "let unused = source[place(first, lane, 2u)];",
            ),
            fault("one load zeroed", "held[1] = source[place(first, lane, 1u)];", "held[1] = Piece();"),
            fault(
                "swap two stores",
                "destination[place(first, lane, 0u)] = held[0];",
                "destination[place(first, lane, 0u)] = held[1];",
            ),
        ],
        "fma_cooperative" => vec![
            fault(
                "index + 1",
                "sums[group * workgroup_size + lane] = sum",
                "sums[group * workgroup_size + ((lane + 1u) % workgroup_size)] = sum",
            ),
            fault("drop the last item", "        c7 = coopMultiplyAdd(a1, b3, c7);\n    }", "    }"),
            fault("drop the tail", "group >= params.groups", "group + 1u >= params.groups"),
            fault("not folded", "sum += part(at, lane % subgroup_size);", ""),
            fault("one turn fewer", "var turn = 0u;", "var turn = 1u;"),
            fault(
                "one input for another",
                "coopLoadT<Right>(&inputs[4u * PLACES]",
                "coopLoadT<Right>(&inputs[3u * PLACES]",
            ),
            fault("one input transposed", "let a0 = coopLoadT<", "let a0 = coopLoad<"),
        ],
        rung if rung.starts_with("matmul") => ladder(rung),
        stream => streams(stream),
    }
}

/// The faults of the rungs of the matmul ladder: the last tile along k dropped and one column off at each.
fn ladder(rung: &str) -> Vec<Fault> {
    let group = fault("drop the last workgroup", "group >= params.groups", "group + 1u >= params.groups");
    let mut faults = match rung {
        "matmul_uncoalesced" | "matmul_naive" => vec![
            fault("drop the last of k", "i < k;", "i + 1u < k;"),
            fault("one column off", "b[i * n + column]", "b[i * n + column + 1u]"),
            fault("one row off", "a[row * k + i]", "a[row * k + i + k]"),
            fault("swap two stores", "c[row * n + column]", "c[row * n + (column ^ 1u)]"),
        ],
        "matmul_tiled" => vec![
            fault("drop the last tile of k", "t < k;", "t + tile < k;"),
            fault("one column off", "b[(t + y) * n + column]", "b[(t + y) * n + column + 1u]"),
            fault("one row off", "a[row * k + t + x]", "a[row * k + t + x + k]"),
            fault("one product left out", " + 7u], tile_b[at_b + 7u * tile]", " + 7u], 0.0"),
        ],
        "matmul_register_1d" => vec![
            fault("drop the last tile of k", "t < k;", "t + 8u < k;"),
            fault("one column off", "b[from_b + t * n]", "b[from_b + t * n + 1u]"),
            fault("swap two stores", "c[to + 7u * n] = c7;", "c[to + 7u * n] = c6;"),
            fault("one product wrong", "at_a + 56u]", "at_a + 48u]"),
        ],
        "matmul_register" => vec![
            fault("drop the last tile of k", "t < k;", "t + 8u < k;"),
            fault("one column off", "tile_b[lane] = b[at_b];", "tile_b[lane] = b[at_b + 1u];"),
            fault("swap two stores", "c7_low, c7_high);\n}", "c7_high, c7_low);\n}"),
            fault("one product wrong", "fma(a3, b_high, c3_high)", "fma(a3, b_low, c3_high)"),
        ],
        "matmul_vec4" | "matmul_vec4_padded" => vec![
            fault("drop the last tile of k", "t < k;", "t + 8u < k;"),
            fault("four columns off", "b[from_b + t * n4]", "b[from_b + t * n4 + 1u]"),
            fault("swap two stores", "c[to + 7u * n4] = c7_low;", "c[to + 7u * n4] = c6_low;"),
            fault("one product wrong", "fma(vec4<f32>(a_low.w), b_high", "fma(vec4<f32>(a_low.z), b_high"),
            fault("one component not filled", "[part] = of_a.w;", "[part] = of_a.z;"),
        ],
        "matmul_cooperative" => vec![
            fault("drop the last tile of k", "t < k;", "t + 32u < k;"),
            fault("four columns off", "b[from_b + next * n4];", "b[from_b + next * n4 + 1u];"),
            fault("first tile wrong", "var next_a1 = a[from_a + 16u * k4];", "var next_a1 = a[from_a];"),
            fault("one product wrong", "coopMultiplyAdd(a2, b3, c2_3)", "coopMultiplyAdd(a2, b2, c2_3)"),
            fault("one matrix transposed", "let b1 = coopLoadT<", "let b1 = coopLoad<"),
            fault("one element not copied", "tile_a[at + 3u] = values.w;", "tile_a[at + 3u] = values.z;"),
            fault("swap two stores", "coopStoreT(c3_3,", "coopStoreT(c3_2,"),
        ],
        _ => vec![
            fault("drop the last tile of k", "t < k;", "t + 16u < k;"),
            fault("four columns off", "b[from_b + next * n4];", "b[from_b + next * n4 + 1u];"),
            fault("first tile wrong", "var next_b1 = b[from_b + 4u * n4];", "var next_b1 = b[from_b];"),
            fault("one product wrong", "fma(vec4<f32>(a1_5), b1_high", "fma(vec4<f32>(a1_5), b1_low"),
            fault("one element not transposed", "= next_a0.w;", "= next_a0.z;"),
            fault("swap two stores", "c[to + 19u * n4 + 8u] = c7_high;", "c[to + 19u * n4 + 8u] = c6_high;"),
        ],
    };
    faults.push(group);
    faults
}

/// A plan with a ragged last workgroup where the kernel has one.
fn small_plan(id: &str, cooperative: Option<Cooperative>) -> Plan {
    let kernel = kernels::by_id(id).unwrap();
    let params: Params = kernel.defaults();
    let mut setting = common::setting(2_100_016);
    setting.limits.cooperative = cooperative;
    plan(kernel, &params, &setting).unwrap()
}

/// The plan with a fault in its text.
fn broken(original: &Plan, fault: &Fault) -> Plan {
    let text = original.program.wgsl.replacen(fault.from, fault.to, 1);
    assert_ne!(*text, *original.program.wgsl, "{}: '{}' changes nothing", original.kernel.id, fault.what);
    let mut broken = original.clone();
    broken.program.wgsl = text.into();
    broken
}

/// Whether the interpreter leaves what the oracle wants.
fn right_by_interpretation(plan: &Plan) -> bool {
    let options = Options { block: Block::Verification, ..Options::default() };
    let interpreter = Interpreter::with_subgroup(&plan.program, plan.subgroup()).unwrap();
    let memory = interpreter.run(&options, &mut Deaf).unwrap().memory;
    (0..plan.oracle.words).all(|word| memory.read_word(plan.oracle.buffer, word) == Some((plan.oracle.expected)(word)))
}

/// Verifies a plan word by word, or by checksum and last words.
fn checked(gpu: &mut Gpu, plan: &Plan, word_by_word: bool) -> Result<Verified, VerifyError> {
    let compared_bytes = if word_by_word { u64::MAX } else { 0 };
    pollster::block_on(async {
        let prepared = gpu.prepare(&plan.program, &common::reflect(&plan.program), Checks::On).await.unwrap();
        verify_up_to(compared_bytes, gpu, &prepared, plan).await
    })
}

#[test]
fn every_planted_fault_is_caught() {
    let Some(mut gpu) = common::gpu() else { return };
    let cooperative = gpu.cooperative().ok();
    let mut own = pollster::block_on(gpu.open_cooperative()).ok();
    for kernel in kernels::ALL {
        let original = small_plan(kernel.id, cooperative);
        // Without such a device by interpretation only: see below.
        let Some(gpu) = device_of(&original, &mut gpu, &mut own) else { continue };
        let faults = faults(kernel.id);
        assert!(faults.len() >= 5, "{} has only {} faults", kernel.id, faults.len());
        for word_by_word in [true, false] {
            let verified =
                checked(gpu, &original, word_by_word).unwrap_or_else(|error| panic!("{}: {error}", kernel.id));
            assert_eq!(verified.agrees_with_interpreter, Some(true), "{}", kernel.id);
            for fault in &faults {
                let result = checked(gpu, &broken(&original, fault), word_by_word);
                let caught = matches!(result, Err(VerifyError::Word { .. } | VerifyError::Checksum { .. }));
                assert!(caught, "{}: {} passes: {result:?}", kernel.id, fault.what);
            }
        }
    }
}

#[test]
fn every_fault_of_cooperative_matrices_shows_in_what_is_stored() {
    for id in ["fma_cooperative", "matmul_cooperative"] {
        let original = small_plan(id, None);
        assert!(right_by_interpretation(&original), "{id}");
        let faults = faults(id);
        assert!(faults.len() >= 5);
        for fault in &faults {
            assert!(!right_by_interpretation(&broken(&original, fault)), "{id}: {} passes", fault.what);
        }
    }
}

/// The device that a plan needs, if it is there.
fn device_of<'a>(plan: &Plan, gpu: &'a mut Gpu, own: &'a mut Option<Gpu>) -> Option<&'a mut Gpu> {
    if plan.program.features.contains(&Feature::CooperativeMatrix) { own.as_mut() } else { Some(gpu) }
}

/// Checks a plan with random reals alone.
fn by_reals(gpu: &mut Gpu, plan: &Plan, most_fma: u64) -> Result<Nearness, VerifyError> {
    pollster::block_on(async {
        let prepared = gpu.prepare(&plan.program, &common::reflect(&plan.program), Checks::On).await.unwrap();
        let result = reals::check(most_fma, gpu, &prepared, plan, &mut |_| true).await;
        for buffer in plan.program.buffers.iter().filter(|buffer| !buffer.written) {
            let words = gpu.read_words(&prepared, &buffer.name, 0..buffer.bytes / 4).await.unwrap();
            let own = (0..).zip(&words).all(|(index, word)| buffer.contents.word(index) == *word);
            assert!(own, "{} does not hold its own contents again", buffer.name);
        }
        result.map(|nearness| nearness.unwrap())
    })
}

#[test]
fn reals_alone_catch_the_faults_of_every_rung() {
    let Some(mut gpu) = common::gpu() else { return };
    let cooperative = gpu.cooperative().ok();
    let mut own = pollster::block_on(gpu.open_cooperative()).ok();
    for kernel in kernels::ALL.iter().filter(|kernel| kernel.family == FAMILY) {
        let original = small_plan(kernel.id, cooperative);
        let Some(gpu) = device_of(&original, &mut gpu, &mut own) else { continue };
        let nearness = by_reals(gpu, &original, reals::COMPARED_FMA).unwrap();
        assert!(nearness.largest > 0.0 && nearness.elements == original.oracle.words, "{}: {nearness:?}", kernel.id);
        for fault in ladder(kernel.id) {
            let result = by_reals(gpu, &broken(&original, &fault), reals::COMPARED_FMA);
            let caught = matches!(result, Err(VerifyError::Reals(_)));
            assert!(caught, "{}: {} passes: {result:?}", kernel.id, fault.what);
        }
    }
}

#[test]
fn reals_alone_catch_faults_at_several_depths_and_in_a_sample() {
    const ROUNDED: &str = "fma(quantizeToF16(a[row * k + i]), quantizeToF16(b[i * n + column]), sum)";
    let Some(mut gpu) = common::gpu() else { return };
    let cases = [
        ("matmul_tiled", fault("drop the last tile of k", "t < k;", "t + tile < k;")),
        ("matmul_naive", fault("skip one k", "var i = 0u;", "var i = 1u;")),
        ("matmul_naive", fault("one column off", "b[i * n + column]", "b[i * n + column + 1u]")),
        ("matmul_naive", fault("inputs in f16", "fma(a[row * k + i], b[i * n + column], sum)", ROUNDED)),
    ];
    for (id, fault) in cases {
        let kernel = kernels::by_id(id).unwrap();
        for (k, most_fma) in [(64, u64::MAX), (500, u64::MAX), (2048, 1), (2048, u64::MAX)] {
            let params = kernel.defaults().with("m", 70).with("n", 66).with("k", k);
            let original = plan(kernel, &params, &common::setting(1 << 20)).unwrap();
            let nearness = by_reals(&mut gpu, &original, most_fma).unwrap();
            let sampled = if most_fma == 1 { 64 * 64 } else { 70 * 66 };
            assert_eq!(nearness.elements, sampled, "{id}, depth {k}");
            let result = by_reals(&mut gpu, &broken(&original, &fault), most_fma);
            assert!(matches!(result, Err(VerifyError::Reals(_))), "{} passes at depth {k}: {result:?}", fault.what);
        }
    }
}
