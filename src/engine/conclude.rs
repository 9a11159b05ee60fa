//! From samples and predictions to finished rows: rates, ratios, references, the stride knee, limits.

use std::collections::BTreeMap;

use crate::kernels::suite::{Choice, Footprint};
use crate::kernels::{Counts, Params};
use crate::memory_model::{MemoryModel, Trust};
use crate::predict::knee::{self, StridePoint};
use crate::predict::{AccessCount, Prediction};
use crate::record::{Band, Intensity, Measured, Predicted, Reference, Row, StrideKnee, TimeSource, Warning};
use crate::stats::{drift, median, quantile};
use crate::trace::Space;
use crate::units::{Bytes, format_ns, gb_per_s};

use super::job::{Direction, Job, Role};
use super::limit::{Evidence, judge};
use super::matmul;
use super::own::Own;
use super::sampler::{Split, Subject};

/// Samples below this make a row that is flagged.
const FEW_SAMPLES: usize = 3;
/// A trend within a row above this is flagged.
const DRIFT: f64 = 0.03;

/// What is known of the clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub source: TimeSource,
    pub step_ns: f64,
    pub host_floor_ns: f64,
    pub empty_dispatch_ns: Option<f64>,
}

/// Writes the prediction into the row.
pub(super) fn predicted(job: &mut Job, prediction: Prediction, fetch_origin: &str) {
    let figures = prediction.primary(job.choice.kernel.primary);
    if let (Some(figures), Some(traffic)) = (figures, prediction.traffic_efficiency.clone()) {
        let wavefronts = prediction.worst_wavefronts();
        job.row.predicted = Some(Predicted {
            model: prediction.model.clone(),
            subgroup: prediction.subgroup,
            sector_size_bytes: prediction.sector_bytes,
            fetch_bytes: prediction.fetch_bytes,
            fetch_origin: fetch_origin.to_owned(),
            requests: figures.requests,
            sectors_per_request: figures.sectors_per_request,
            ideal_sectors_per_request: figures.ideal_sectors_per_request,
            request_efficiency: figures.request_efficiency,
            traffic_efficiency: traffic,
            wavefronts: wavefronts.map(|(passes, _)| passes),
            ideal_wavefronts: wavefronts.map(|(_, ideal)| ideal),
            useful_bytes: figures.useful_bytes,
            sector_bytes: figures.sector_bytes_total,
            useful_gb_per_s: None,
            traced: prediction.traced.to_string(),
            accesses: prediction.accesses.iter().filter_map(|access| serde_json::to_value(access).ok()).collect(),
        });
    }
    job.prediction = Some(prediction);
    job.row.work.useful_bytes = useful_bytes(job);
}

/// Requested bytes that are useful: a broadcast counts once. The share is that of the traced workgroups' storage accesses.
fn useful_bytes(job: &Job) -> u64 {
    let storage = |value: fn(&AccessCount) -> u64| -> u64 {
        let accesses = job.prediction.iter().flat_map(|prediction| &prediction.accesses);
        accesses.filter(|access| access.space == Space::Storage).map(value).sum()
    };
    let (useful, requested) = (storage(|access| access.useful_bytes), storage(|access| access.requested_bytes));
    let all = u128::from(job.row.work.requested_bytes);
    if requested == 0 {
        return job.row.work.requested_bytes;
    }
    u64::try_from(all * u128::from(useful) / u128::from(requested)).unwrap_or(u64::MAX)
}

/// Writes samples into the row; `counts_elements` where its kernel is judged by elements.
pub(super) fn measured(row: &mut Row, counts_elements: bool, subject: &Subject, wanted: u32, clock: Clock) {
    let (samples_ns, dispatches) = (subject.samples_ns.as_slice(), subject.dispatches);
    let Some(median_ns) = median(samples_ns) else { return };
    let [p10_ns, p90_ns] = [0.1, 0.9].map(|q| quantile(samples_ns, q).unwrap_or(median_ns));
    let useful = row.work.useful_bytes;
    let per_second = |amount: u64| (amount > 0).then(|| gb_per_s(amount, median_ns)).flatten();
    row.measured = Some(Measured {
        time_source: clock.source,
        samples_ns: samples_ns.to_vec(),
        rejected_samples_ns: subject.rejected_ns.clone(),
        dispatches_per_sample: dispatches,
        dispatches_per_run: subject.dispatches_per_run(),
        longest_dispatch_ns: subject.split.map(|split| split.longest_ns),
        clock_step_ns: clock.step_ns,
        host_floor_ns: (clock.source == TimeSource::Host).then_some(clock.host_floor_ns),
        median_ns,
        p10_ns,
        p90_ns,
        drift: drift(samples_ns),
        useful_gb_per_s: per_second(useful),
        efficiency: None,
        gflop_per_s: per_second(row.work.flop),
        gelements_per_s: counts_elements.then(|| per_second(row.work.bytes_written / 4)).flatten(),
    });
    set_warning(row, "split", subject.split.map(|split| split_text(subject, split, median_ns)));
    let count = samples_ns.len();
    let short = count < wanted as usize;
    let text = short.then(|| format!("{count} of {wanted} samples: the run ended before the others"));
    set_warning(row, "incomplete", text);
    let plural = if count == 1 { "" } else { "s" };
    let text = (count < FEW_SAMPLES).then(|| format!("only {count} sample{plural}: the median may be off"));
    set_warning(row, "few_samples", text);
    // A trend is told only where it stands out of the noise.
    let noise = (p90_ns - p10_ns) / median_ns;
    let trend = drift(samples_ns).filter(|drift| drift.abs() > DRIFT.max(noise / 2.0) && count > 5);
    let text =
        trend.map(|drift| format!("the second half of the samples took {:+.1} % against the first", 100.0 * drift));
    set_warning(row, "drift", text);
    let pass_ns = median_ns * f64::from(dispatches);
    let floor = if clock.source == TimeSource::Host { clock.step_ns.max(clock.host_floor_ns) } else { clock.step_ns };
    let text = (pass_ns < 50.0 * floor).then(|| {
        format!("a sample of {} is under 50 times what the clock can tell, {}", format_ns(pass_ns), format_ns(floor))
    });
    set_warning(row, "coarse_clock", text);
    let host = clock.source == TimeSource::Host;
    let text = host.then(|| "timed by the host's clock, less the time of an empty submission".to_owned());
    set_warning(row, "host_time", text);
}

fn split_text(subject: &Subject, split: Split, median_ns: f64) -> String {
    format!(
        "a run of {} holds the device for too long: it is split into {} dispatches of {} workgroups, the longest {}",
        format_ns(median_ns),
        subject.dispatches_per_run(),
        split.groups,
        format_ns(split.longest_ns)
    )
}

/// A warning stands once, with its newest text, or not at all.
pub(super) fn set_warning(row: &mut Row, code: &str, text: Option<String>) {
    row.warnings.retain(|warning| warning.code != code);
    row.warnings.extend(text.map(|text| Warning::new(code, text)));
}

/// The reference rates of this run's rows: the best aligned, contiguous one of each direction.
pub(super) fn reference(jobs: &[Job], known: Reference) -> Reference {
    let best = |kernel: &str, rate: fn(&Measured) -> Option<f64>| {
        jobs.iter()
            .filter(|job| job.choice.kernel.id == kernel && !job.checked && is_plain(job))
            .filter_map(|job| rate(job.row.measured.as_ref()?))
            .max_by(f64::total_cmp)
    };
    Reference {
        read: best("read", |measured| measured.useful_gb_per_s),
        write: best("write", |measured| measured.useful_gb_per_s),
        mixed: best("copy", |measured| measured.useful_gb_per_s),
        fma_f32: jobs
            .iter()
            .filter(|job| job.choice.kernel.id == "fma" && job.choice.params.word("precision") == "f32" && !job.checked)
            .filter_map(|job| job.row.measured.as_ref()?.gflop_per_s)
            .max_by(f64::total_cmp),
        fma_cooperative: jobs
            .iter()
            .filter(|job| job.choice.kernel.id == "fma_cooperative" && !job.checked)
            .filter_map(|job| job.row.measured.as_ref()?.gflop_per_s)
            .max_by(f64::total_cmp),
        ..known
    }
}

/// Aligned, contiguous, at the run's footprint.
fn is_plain(job: &Job) -> bool {
    let params = &job.choice.params;
    job.choice.footprint == Footprint::Run
        && params.number("stride") <= 1
        && params.number("offset") == 0
        && params.number("offset_bytes") == 0
        && params.word("order") != "blocked"
}

/// The rate a job is compared with.
fn reference_of(direction: Direction, reference: &Reference) -> Option<f64> {
    match direction {
        Direction::Read => reference.read,
        Direction::Write => reference.write,
        Direction::Mixed => reference.mixed,
        Direction::None => None,
    }
}

/// The fetch granule by the run's own sweep of f32 strides; `None` where there is no such sweep.
pub(super) fn stride_knee(jobs: &[Job], footprint: Footprint, cache_bytes: Option<u64>) -> Option<StrideKnee> {
    let sweep = || jobs.iter().filter(|job| is_stride_point(job) && job.choice.footprint == footprint);
    // Several presets may name the same stride: one point each.
    let mut points: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for job in sweep() {
        let samples = job.row.measured.iter().flat_map(|measured| &measured.samples_ns);
        let rates = samples.filter_map(|ns| gb_per_s(job.row.work.useful_bytes, *ns)).collect();
        points.insert(job.choice.params.number("stride"), rates);
    }
    points.retain(|_, rates: &mut Vec<f64>| !rates.is_empty());
    if points.len() < 3 {
        return None;
    }
    let touched = sweep().map(Job::plan_touched).min().unwrap_or_default();
    if cache_bytes.is_some_and(|cache| touched < 4 * cache) {
        let reason = format!("not determined: a sweep over {} may be answered by the last-level cache", Bytes(touched));
        return Some(StrideKnee { fetch_bytes: None, confidence: None, reason });
    }
    let point = |(stride_elements, useful_gb_per_s)| StridePoint { stride_elements, useful_gb_per_s };
    Some(knee::find(4, &points.into_iter().map(point).collect::<Vec<_>>()).into())
}

/// A row of the f32 stride sweep: `read` at its defaults but for the stride.
fn is_stride_point(job: &Job) -> bool {
    let defaults = job.choice.kernel.defaults().with("stride", job.choice.params.number("stride"));
    job.choice.kernel.id == "read" && !job.checked && job.choice.params == defaults
}

/// The model with the run's own granule in place of an assumed one, if it says anything new.
pub(super) fn with_knee(model: &MemoryModel, knee: Option<&StrideKnee>) -> Option<MemoryModel> {
    let bytes = knee?.fetch_bytes?;
    let fetch = &model.fetch_bytes;
    if fetch.trust != Trust::Assumed || bytes < model.sector_bytes.value {
        return None;
    }
    let mut model = model.clone();
    let fact = &mut model.fetch_bytes;
    (fact.value, fact.low, fact.high) = (bytes, bytes, bytes);
    fact.trust = Trust::Measured;
    fact.source = "the stride knee of this run".into();
    Some(model)
}

/// The twin that has more bytes in flight at equal traffic: four times the items, else the same element four wide. Lanes
/// that own consecutive elements have none: more of them change the traffic too.
pub(super) fn width_twin(choice: &Choice) -> Option<Params> {
    let params = &choice.params;
    if params.word("order") == "blocked" {
        return None;
    }
    let items = params.number("items");
    let more = choice.kernel.parameter("items").filter(|_| items > 0)?.domain.parse(&(items * 4).to_string());
    if let Ok(more) = more {
        return Some(params.clone().with("items", more));
    }
    let wide = match params.word("element") {
        "f32" | "u32" => "vec4",
        "f16" => "vec4h",
        _ => return None,
    };
    let contiguous = params.number("stride") == 1 && params.number("offset") == 0;
    contiguous.then(|| params.clone().with("element", wide))
}

/// Ratios and limits of every measured row.
pub(super) fn compare(jobs: &mut [Job], reference: &Reference, clock: Clock) {
    for index in 0..jobs.len() {
        forget_comparison(&mut jobs[index].row);
        let Some(rate) = reference_of(jobs[index].direction(), reference) else {
            judge_without_reference(&mut jobs[index], reference);
            continue;
        };
        let job = &mut jobs[index];
        let band = job.prediction.as_ref().and_then(|prediction| prediction.useful_gb_per_s(rate));
        set_ratios(&mut job.row, band, rate);
        jobs[index].row.intensity = intensity(&jobs[index], rate, reference);
        let Some(evidence) = evidence(jobs, index, rate, reference, clock) else { continue };
        let job = &mut jobs[index];
        job.row.limit = Some(judge(&evidence));
        let touched = job.plan_touched();
        warn_of_cache(&mut job.row, touched, evidence.cache_bytes);
    }
}

/// Ratios of the row of a user's own shader. Its limit is not judged: what it waits for beside memory is not known.
pub(super) fn compare_own(own: &mut Own, reference: &Reference) {
    let direction = own.direction();
    let row = &mut own.row;
    if row.measured.is_none() {
        return;
    }
    let Some(rate) = reference_of(direction, reference) else {
        row.ratio_reason = Some("no_reference".to_owned());
        return;
    };
    let traffic = row.predicted.as_ref().map(|predicted| &predicted.traffic_efficiency);
    let band = traffic.map(|traffic| Band { low: rate * traffic.low, high: rate * traffic.high });
    set_ratios(row, band, rate);
    warn_of_cache(row, row.work.footprint_bytes, reference.last_level_cache_bytes);
}

fn warn_of_cache(row: &mut Row, touched: u64, cache_bytes: Option<u64>) {
    let small = cache_bytes.filter(|cache| touched < 4 * cache);
    let text = small.map(|cache| {
        format!(
            "{} are touched between two visits, under four times the last-level cache of {}: caches may help",
            Bytes(touched),
            Bytes(cache)
        )
    });
    set_warning(row, "cache", text);
}

/// What an earlier comparison said may rest on another prediction.
fn forget_comparison(row: &mut Row) {
    (row.implied_moved_gb_per_s, row.measured_over_predicted) = (None, None);
    (row.ratio_reason, row.inside_band, row.limit) = (None, None, None);
}

/// Arithmetic intensity and what bandwidth allows, for a kernel that counts in elements; `rate` is its reference, GB/s.
fn intensity(job: &Job, rate: f64, reference: &Reference) -> Option<Intensity> {
    let work = &job.row.work;
    let elements = work.bytes_written / 4;
    if job.choice.kernel.counts != Counts::Elements || elements == 0 {
        return None;
    }
    let bytes_per_element = work.requested_bytes as f64 / elements as f64;
    Some(Intensity {
        flop_per_byte: work.flop as f64 / work.requested_bytes as f64,
        machine_balance_flop_per_byte: reference.fma_f32.map(|flop| flop / rate),
        bytes_per_element,
        ceiling_gelements_per_s: Some(rate / bytes_per_element),
        datasheet_ceiling_gelements_per_s: reference.datasheet_gb_per_s.map(|peak| peak / bytes_per_element),
    })
}

fn judge_without_reference(job: &mut Job, reference: &Reference) {
    matmul::compare(job, reference);
    let Some(measured) = &job.row.measured else { return };
    let compute_bound = job.choice.kernel.counts == Counts::Operations;
    let product = job.choice.kernel.counts == Counts::Products;
    job.row.ratio_reason = Some(if compute_bound || product { "not_memory_bound" } else { "no_reference" }.into());
    if compute_bound {
        let cooperative = job.choice.kernel.id == "fma_cooperative";
        job.row.limit = Some(judge(&Evidence {
            compute_bound,
            gflop_per_s: measured.gflop_per_s,
            peak_gflop_per_s: if cooperative { reference.fma_cooperative } else { reference.fma_f32 },
            ..Evidence::default()
        }));
    }
}

fn set_ratios(row: &mut Row, band: Option<Band>, rate: f64) {
    if let Some(predicted) = &mut row.predicted {
        predicted.useful_gb_per_s = band;
    }
    let (Some(measured), Some(band)) = (&mut row.measured, band) else { return };
    let Some(useful) = measured.useful_gb_per_s else { return };
    measured.efficiency = Some(useful / rate);
    if let Some(traffic) = row.predicted.as_ref().map(|predicted| &predicted.traffic_efficiency) {
        row.implied_moved_gb_per_s = Some(Band { low: useful / traffic.high, high: useful / traffic.low });
    }
    if band.is_one_number() {
        row.measured_over_predicted = Some(useful / f64::midpoint(band.low, band.high));
    } else {
        let fetch_unknown =
            row.predicted.as_ref().is_some_and(|predicted| predicted.fetch_bytes[0] != predicted.fetch_bytes[1]);
        row.ratio_reason = Some(if fetch_unknown { "fetch_unknown" } else { "reuse" }.into());
        row.inside_band = Some((0.97 * band.low..=1.03 * band.high).contains(&useful));
    }
}

/// Everything that `judge` wants to know of row `index`.
fn evidence(jobs: &[Job], index: usize, rate: f64, reference: &Reference, clock: Clock) -> Option<Evidence> {
    let job = &jobs[index];
    let measured = job.row.measured.as_ref()?;
    let rate_of = |job: &Job| job.row.measured.as_ref()?.useful_gb_per_s;
    let find = |params: &Params, checked: bool| {
        let choice = Choice { params: params.clone(), ..job.choice.clone() };
        jobs.iter().find(|other| other.measures(&choice, checked))
    };
    let width_twin = width_twin(&job.choice)
        .and_then(|params| find(&params, job.checked))
        .and_then(|twin| Some((twin.name(), rate_of(twin)?)));
    let stride = job.choice.params.number("stride");
    let smaller_stride = jobs
        .iter()
        .filter(|other| {
            let same = job.choice.params.clone().with("stride", other.choice.params.number("stride"));
            stride > 1 && other.measures(&Choice { params: same, ..job.choice.clone() }, job.checked)
        })
        .filter(|other| other.choice.params.number("stride") < stride)
        .max_by_key(|other| other.choice.params.number("stride"))
        .and_then(|other| Some((other.choice.params.number("stride"), rate_of(other)?)));
    let predicted = job.row.predicted.as_ref();
    Some(Evidence {
        compute_bound: false,
        gflop_per_s: measured.gflop_per_s,
        peak_gflop_per_s: reference.fma_f32,
        median_ns: measured.median_ns,
        empty_dispatch_ns: clock.empty_dispatch_ns,
        useful: measured.useful_gb_per_s?,
        predicted: predicted.and_then(|predicted| predicted.useful_gb_per_s),
        reference: rate,
        touched_bytes: job.plan_touched(),
        cache_bytes: reference.last_level_cache_bytes,
        request_efficiency: predicted.map_or(1.0, |predicted| predicted.request_efficiency),
        width_twin,
        unchecked_twin: if job.checked { find(&job.choice.params, false).and_then(rate_of) } else { None },
        conflict: predicted.and_then(|predicted| Some(predicted.wavefronts? / predicted.ideal_wavefronts?)),
        stride_bytes: (stride > 1).then(|| u64::from(stride) * job.pitch()),
        fetch_bytes: predicted.map_or(0, |predicted| predicted.fetch_bytes[1]),
        smaller_stride,
        partly_written: job.row.work.bytes_written > 0 && stride > 1,
    })
}

/// Whether a measured row lies so far below its prediction that its twin must be asked.
pub(super) fn needs_twin(job: &Job) -> bool {
    let low = job.row.predicted.as_ref().and_then(|predicted| predicted.useful_gb_per_s).map(|band| band.low);
    let useful = job.row.measured.as_ref().and_then(|measured| measured.useful_gb_per_s);
    job.role == Role::Asked && useful.zip(low).is_some_and(|(useful, low)| useful < 0.95 * low)
}
