//! The numbers of a rung of the matmul ladder: from the interpreter's counts and the run's reference rates to the bound
//! of its roofline and the sentence that says which knob it moved.

use crate::kernels::Counts;
use crate::plan::Plan;
use crate::predict::{AccessCount, Prediction};
use crate::program::Matrices;
use crate::record::{Band, CooperativeMatrix, Limit, LimitKind, Matmul, Reference};
use crate::shader::Shader;
use crate::trace::{AccessKind, Space};
use crate::units::format_percent;

use super::job::Job;

/// From this share of the highest multiply-add rate on, arithmetic is the limit.
const ARITHMETIC: f64 = 0.75;
/// Where loads from workgroup memory leave at least this many subgroup passes for each multiply-add of a subgroup, they
/// are as busy as arithmetic: a multiprocessor serves one pass and four subgroups' multiply-adds in a cycle.
const PASSES_PER_FMA: f64 = 0.25;

/// The counts of a rung under the prediction's model; `None` for other kernels.
#[must_use]
pub fn counts(plan: &Plan, prediction: &Prediction) -> Option<Matmul> {
    let product = plan.oracle.product.as_ref().filter(|_| plan.kernel.counts == Counts::Products)?;
    let (shape, stored) = (product.shape(), product.stored());
    let whole = Whole { traced: prediction.traced.workgroups.max(1), total: plan.groups };
    let fma = shape.fma() as f64;
    let of = |space: Space, kind: AccessKind| {
        prediction.accesses.iter().filter(move |access| access.space == space && access.kind == kind)
    };
    let loads = || of(Space::Workgroup, AccessKind::Load);
    let excess = |kind| of(Space::Workgroup, kind).map(excess_wavefronts).sum::<Option<u64>>().map(|sum| whole.of(sum));
    let tiled = loads().next().is_some();
    let sectors = |name: &str| prediction.primary(name).map(|figures| figures.sectors_per_request);
    let (lanes, workgroup_bytes) = workgroup(plan)?;
    let mut matmul = Matmul {
        m: shape.m,
        n: shape.n,
        k: shape.k,
        share_of_fma_peak: None,
        share_of_cooperative_peak: None,
        share_of_datasheet: None,
        cooperative: Matrices::of(&plan.program.features).map(matrices),
        intensity_flop_per_byte: intensity(plan, prediction, whole),
        bound_gflop_per_s: None,
        storage_bytes_per_fma: plan.work.requested_bytes as f64 / fma,
        sectors_per_request: ["a", "b"].map(sectors),
        workgroup_loads_per_fma: tiled.then(|| whole.of(loads().map(|access| access.active_lanes).sum()) as f64 / fma),
        workgroup_load_requests: tiled.then(|| whole.of(loads().map(|access| access.requests).sum())),
        excess_store_wavefronts: if tiled { excess(AccessKind::Store) } else { None },
        excess_load_wavefronts: if tiled { excess(AccessKind::Load) } else { None },
        workgroup_bytes,
        outputs_per_lane: (stored.m * stored.n).div_ceil(plan.groups * lanes),
        knob: String::new(),
    };
    matmul.knob = knob(plan.kernel.id, &matmul);
    Some(matmul)
}

fn matrices(matrices: Matrices) -> CooperativeMatrix {
    let side = matrices.side();
    CooperativeMatrix { m: side, n: side, k: side, inputs: matrices.input().to_owned(), results: "f32".to_owned() }
}

/// From the traced workgroups to the dispatch: exact, since all workgroups of whole tiles do the same.
#[derive(Clone, Copy)]
struct Whole {
    traced: u64,
    total: u64,
}

impl Whole {
    fn of(self, count: u64) -> u64 {
        let all = u128::from(count) * u128::from(self.total) / u128::from(self.traced);
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

fn excess_wavefronts(access: &AccessCount) -> Option<u64> {
    Some(access.wavefronts?.saturating_sub(access.ideal_wavefronts?))
}

fn intensity(plan: &Plan, prediction: &Prediction, whole: Whole) -> Option<Band> {
    let storage = prediction.accesses.iter().filter(|access| access.space == Space::Storage);
    let useful = whole.of(storage.map(|access| access.useful_bytes).sum()) as f64;
    let missing = useful / prediction.traffic_efficiency.as_ref()?.low;
    let flop = plan.work.flop as f64;
    Some(Band { low: flop / missing, high: flop / plan.work.footprint_bytes as f64 })
}

/// Lanes of a workgroup, and its memory in bytes.
fn workgroup(plan: &Plan) -> Option<(u64, u32)> {
    let shader = Shader::parse(&plan.program.wgsl).ok()?;
    let shader = shader.specialise(&plan.program.entry_point, &plan.program.constants).ok()?;
    let reflection = shader.reflection();
    let lanes: u64 = reflection.workgroup_size.iter().map(|lanes| u64::from(*lanes)).product();
    Some((lanes.max(1), reflection.workgroup_bytes))
}

/// One sentence a rung.
fn knob(id: &str, rung: &Matmul) -> String {
    let [a, b] = rung.sectors_per_request.map(Option::unwrap_or_default);
    let bytes = rung.storage_bytes_per_fma;
    let loads = rung.workgroup_loads_per_fma.unwrap_or_default();
    let outputs = rung.outputs_per_lane;
    let excess =
        rung.excess_store_wavefronts.map_or_else(String::new, |excess| format!("; {excess} store passes too many"));
    match id {
        "matmul_uncoalesced" => {
            format!("none yet: {bytes:.3} B from buffers for each multiply-add, {a:.1} + {b:.1} sectors for two loads")
        }
        "matmul_naive" => {
            format!("lineup: {a:.1} + {b:.1} sectors for two loads, at the same {bytes:.3} B a multiply-add")
        }
        "matmul_tiled" => {
            format!(
                "reuse in workgroup memory: {bytes:.3} B from buffers for each multiply-add, and {loads:.2} loads there"
            )
        }
        "matmul_register_1d" => {
            format!("reuse in registers: {outputs} outputs a lane, {loads:.3} workgroup loads for each multiply-add")
        }
        "matmul_register" => {
            format!(
                "reuse in registers both ways: {outputs} outputs a lane, {loads:.3} workgroup loads for each multiply-add"
            )
        }
        "matmul_vec4" => {
            format!("width: {loads:.4} workgroup loads for each multiply-add{excess}")
        }
        "matmul_vec4_padded" => {
            format!("lineup in workgroup memory: the rows of the transposed tile are padded{excess}")
        }
        "matmul_prefetch" => format!(
            "latency: the next tile is under way while this one is used, loops written out; {bytes:.4} B from buffers for \
             each multiply-add{excess}"
        ),
        "matmul_cooperative" => {
            let matrices = rung.cooperative.as_ref().map_or_else(String::new, ToString::to_string);
            format!(
                "whole matrices a subgroup ({matrices}): {loads:.4} workgroup loads, shared evenly among its lanes, and \
                 {bytes:.4} B from buffers for each multiply-add{excess}"
            )
        }
        _ => String::new(),
    }
}

/// Writes the rung's shares, its bound and its limit into the row.
pub(super) fn compare(job: &mut Job, reference: &Reference) {
    let Some(rung) = &mut job.row.matmul else { return };
    let cooperative = rung.cooperative.is_some();
    let peak = if cooperative { reference.fma_cooperative } else { reference.fma_f32 };
    rung.bound_gflop_per_s = rung.intensity_flop_per_byte.zip(reference.read).map(|(intensity, read)| {
        let bound = |intensity: f64| (intensity * read).min(peak.unwrap_or(f64::INFINITY));
        Band { low: bound(intensity.low), high: bound(intensity.high) }
    });
    let Some(rate) = job.row.measured.as_ref().and_then(|measured| measured.gflop_per_s) else { return };
    let share = peak.map(|peak| rate / peak);
    if cooperative {
        rung.share_of_cooperative_peak = share;
    } else {
        rung.share_of_fma_peak = share;
        rung.share_of_datasheet = reference.datasheet_gflop_per_s.map(|peak| rate / peak);
    }
    job.row.limit = Some(limit(rung));
}

/// What held the rung back, from its numbers.
fn limit(rung: &Matmul) -> Limit {
    let Some(share) = rung.share_of_peak() else {
        return Limit { kind: LimitKind::Unexplained, evidence: format!("no {} to compare with", rung.peak_name()) };
    };
    let share_text = format!("{} % of the run's {}", format_percent(share), rung.peak_name());
    let [a, b] = rung.sectors_per_request.map(Option::unwrap_or_default);
    let loads = rung.workgroup_loads_per_fma;
    let (kind, evidence) = if share >= ARITHMETIC {
        (LimitKind::Compute, share_text)
    } else if let Some(loads) = loads.filter(|loads| *loads >= PASSES_PER_FMA) {
        (LimitKind::Width, format!("{share_text}: {loads:.3} loads from workgroup memory for each multiply-add"))
    } else if loads.is_none() {
        (
            LimitKind::Lineup,
            format!("{share_text}: two loads of {a:.1} and {b:.1} sectors for each multiply-add of a subgroup"),
        )
    } else {
        let stores = rung.excess_store_wavefronts.filter(|excess| *excess > 0);
        let stores = stores.map_or_else(String::new, |excess| format!("{excess} store passes too many, but "));
        let text = "workgroup loads and memory traffic leave room by these counts, and no rule explains the rest";
        (LimitKind::Unexplained, format!("{share_text}: {stores}{text}"))
    };
    Limit { kind, evidence }
}
