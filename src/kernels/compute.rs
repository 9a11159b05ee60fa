//! `fma`: arithmetic without memory.

use super::element::replace_line;
use super::{Counts, Draft, Kernel, Oracle, Parameter, Params, Reach, Refusal, Setting, WORKGROUP, output, word_index};
use crate::program::{Feature, Scalar};
use crate::record::Work;

/// The kernel.
pub(super) const FMA: Kernel = Kernel {
    id: "fma",
    family: "patterns",
    question: "How many multiply-adds can the device do when memory is not asked for anything?",
    wgsl: include_str!("../../shaders/patterns/fma.wgsl"),
    parameters: &[Parameter::words("precision", "of the operands", &["f32", "f16"]), WORKGROUP],
    primary: "sums",
    counts: Counts::Operations,
    draft,
};

/// Turns of the loop, the shader's default.
const ITERATIONS: u64 = 64;
/// Multiply-adds of a component of a chain in one turn.
const STEPS: u64 = 4;
/// Chains of four components.
const CHAINS: u64 = 8;
/// A lane's share of the footprint: what makes 1 GiB a million lanes, and 32 MiB enough for a software adapter.
const BYTES_A_LANE: u64 = 1024;

#[expect(clippy::unnecessary_wraps, reason = "the signature of every kernel's draft")]
fn draft(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let half = params.word("precision") == "f16";
    let workgroup = u64::from(params.number("workgroup"));
    let groups = (setting.footprint_bytes / BYTES_A_LANE).div_ceil(workgroup).max(1);
    let lanes = groups * workgroup;
    let wgsl = if half {
        format!("enable f16;\n{}", replace_line(FMA.wgsl, "alias Element = ", "alias Element = vec4<f16>;"))
    } else {
        FMA.wgsl.to_owned()
    };
    // Chain k starts at lane % 64 + k and gains (component + 1) at every multiply-add by 1: small integers throughout.
    let expected = move |word: u64| {
        let (lane, component) = (word / 4 % workgroup % 64, word % 4);
        let gained = ITERATIONS * STEPS * (component + 1);
        let sum = CHAINS * (lane + gained) + (0..CHAINS).sum::<u64>();
        #[expect(clippy::cast_precision_loss, reason = "small integers")]
        let sum = word_index(sum) as f32;
        sum.to_bits()
    };
    Ok(Draft {
        wgsl,
        constants: vec![("iterations", ITERATIONS as f64)],
        workgroup: params.number("workgroup"),
        groups,
        buffers: vec![output("sums", lanes * 16)],
        uniforms: vec![("factor", Scalar::from(1.0))],
        phases: Vec::new(),
        keeps: true,
        reach: vec![Reach { buffer: "sums", max_index: lanes - 1, pitch: 16 }],
        work: Work { flop: lanes * ITERATIONS * STEPS * CHAINS * 4 * 2, held: "loads".into(), ..Work::default() },
        touched_bytes: 0,
        oracle: Oracle::new("sums", lanes * 4, expected),
        features: half.then_some(Feature::F16).into_iter().collect(),
    })
}
