//! `fma_cooperative`: arithmetic of matrix units without memory, what `matmul_cooperative` is compared with.

use super::element::replace_line;
use super::{Counts, Draft, Kernel, Oracle, Params, Reach, Refusal, SUBGROUP_SIZE, Setting, output, word_index};
use crate::program::{Cooperative, Matrices, Scalar};
use crate::record::Work;

/// The kernel.
pub(super) const FMA_COOPERATIVE: Kernel = Kernel {
    id: "fma_cooperative",
    family: "patterns",
    question: "How many multiply-adds can the device's matrix units do when memory is not asked for anything?",
    wgsl: include_str!("../../shaders/patterns/fma_cooperative.wgsl"),
    parameters: &[],
    primary: "sums",
    counts: Counts::Operations,
    draft,
};

/// Turns of the loop, the shader's default.
const ITERATIONS: u64 = 32;
/// Multiply-adds of each sum in one turn.
const STEPS: u64 = 4;
/// The left and the right inputs; each pair has a sum.
const INPUTS: [u64; 2] = [2, 4];
/// Subgroups of a workgroup.
const SUBGROUPS: u64 = 4;
/// A lane's share of the footprint, as of `fma`.
const BYTES_A_LANE: u64 = 1024;

fn draft(_: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let cooperative = setting.limits.cooperative.unwrap_or(Cooperative::WITHOUT_DEVICE);
    let (matrices, subgroup) = (cooperative.matrices, u64::from(cooperative.subgroup));
    let side = u64::from(matrices.side());
    let needed = (u64::from(matrices.input_bytes()) * (INPUTS[0] + INPUTS[1]) + 4 * SUBGROUPS) * side * side;
    let most = u64::from(setting.limits.max_workgroup_memory_bytes);
    if needed > most {
        return Err(Refusal(format!("it needs {needed} bytes of workgroup memory, and this device has {most}")));
    }
    let workgroup = SUBGROUPS * subgroup;
    let groups = (setting.footprint_bytes / BYTES_A_LANE).div_ceil(workgroup).max(1);
    let lanes = groups * workgroup;
    let sums: Vec<u32> = (0..subgroup).map(|lane| lane_sum(side, subgroup, lane)).collect();
    let multiply_adds = SUBGROUPS * ITERATIONS * STEPS * INPUTS[0] * INPUTS[1] * side.pow(3);
    Ok(Draft {
        wgsl: text(matrices),
        constants: vec![("iterations", ITERATIONS as f64), (SUBGROUP_SIZE, subgroup as f64)],
        workgroup: word_index(workgroup),
        groups,
        buffers: vec![output("sums", lanes * 4)],
        uniforms: vec![("factor", Scalar::from(1.0))],
        phases: Vec::new(),
        keeps: true,
        reach: vec![Reach { buffer: "sums", max_index: lanes - 1, pitch: 4 }],
        work: Work { flop: groups * multiply_adds * 2, held: "loads".into(), ..Work::default() },
        touched_bytes: 0,
        oracle: Oracle::new("sums", lanes, move |word| {
            let lane = usize::try_from(word % subgroup).unwrap_or_default();
            sums.get(lane).copied().unwrap_or_default()
        }),
        features: matrices.features().to_vec(),
    })
}

/// The text for matrices of a kind.
fn text(matrices: Matrices) -> String {
    let (side, input) = (matrices.side(), matrices.input());
    let matrix = |element: &str, role: &str| format!("coop_mat{side}x{side}<{element}, {role}>;");
    let lines = [
        ("enable f16;", if input == "f16" { "enable f16;".to_owned() } else { String::new() }),
        ("alias Element = ", format!("alias Element = {input};")),
        ("alias Left = ", format!("alias Left = {}", matrix(input, "A"))),
        ("alias Right = ", format!("alias Right = {}", matrix(input, "B"))),
        ("alias Sums = ", format!("alias Sums = {}", matrix("f32", "C"))),
        ("const SIDE = ", format!("const SIDE = {side}u;")),
    ];
    lines.iter().fold(FMA_COOPERATIVE.wgsl.to_owned(), |text, (start, line)| replace_line(&text, start, line))
}

/// What lane `lane` of a subgroup stores: its places of all sums, after all turns, as an f32's bits.
fn lane_sum(side: u64, subgroup: u64, lane: u64) -> u32 {
    let places = side * side;
    // Element (row, column) of input number `matrix`.
    let input = |matrix: u64, row: u64, column: u64| (matrix * places + row * side + column) * 7 % 11 % 5;
    let product = |left: u64, right: u64, place: u64| -> u64 {
        let (row, column) = (place / side, place % side);
        (0..side).map(|i| input(left, row, i) * input(INPUTS[0] + right, i, column)).sum()
    };
    let of_place = |place| -> u64 {
        (0..INPUTS[0])
            .flat_map(|left| (0..INPUTS[1]).map(move |right| (left, right)))
            .map(|(left, right)| product(left, right, place))
            .sum()
    };
    let sum: u64 = (lane..places).step_by(usize::try_from(subgroup).unwrap_or(1)).map(of_place).sum();
    #[expect(clippy::cast_precision_loss, reason = "below 2^24: 64 places of at most 16 * 16 * 128")]
    let sum = word_index(ITERATIONS * STEPS * sum) as f32;
    sum.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::Shader;

    #[test]
    fn every_kind_of_matrices_makes_a_valid_text() {
        for matrices in Matrices::ALL {
            let text = text(matrices);
            assert_eq!(text == FMA_COOPERATIVE.wgsl, matrices == Matrices::Half16);
            let constants = [("workgroup_size".to_owned(), 128.0)].into();
            Shader::parse(&text).unwrap().specialise("main", &constants).unwrap();
        }
    }

    #[test]
    fn sums_are_exact_in_f32() {
        for side in [8, 16] {
            for subgroup in [8, 16, 32, 64] {
                for lane in 0..subgroup {
                    let sum = f32::from_bits(lane_sum(side, subgroup, lane));
                    assert!(sum > 0.0 && sum < 16_777_216.0, "{side} {subgroup} {lane}: {sum}");
                }
            }
        }
    }
}
