//! What held a row back, judged in the order clock, footprint, width, lineup: a row with too few bytes in flight must
//! not look like a wrong prediction.

use crate::record::{Band, Limit, LimitKind};
use crate::units::{format_gb_per_s, format_ns, format_percent};

/// What is known of a measured row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Whether memory is not asked for anything.
    pub compute_bound: bool,
    /// Operations per second, GFLOP/s.
    pub gflop_per_s: Option<f64>,
    /// The run's highest such rate.
    pub peak_gflop_per_s: Option<f64>,
    /// Time of a dispatch, ns.
    pub median_ns: f64,
    /// Time of an empty dispatch, ns.
    pub empty_dispatch_ns: Option<f64>,
    /// Measured useful GB/s.
    pub useful: f64,
    /// Predicted useful GB/s.
    pub predicted: Option<Band>,
    /// Reference rate of the same direction, GB/s.
    pub reference: f64,
    /// Bytes touched between two visits, and the last-level cache, where known.
    pub touched_bytes: u64,
    /// Last-level cache, bytes.
    pub cache_bytes: Option<u64>,
    /// Requested over fetched sectors of the primary access.
    pub request_efficiency: f64,
    /// The twin with more bytes in flight at equal traffic: its name and useful GB/s.
    pub width_twin: Option<(String, f64)>,
    /// The same row without safety checks: useful GB/s.
    pub unchecked_twin: Option<f64>,
    /// Workgroup-memory passes over the fewest possible.
    pub conflict: Option<f64>,
    /// Bytes from one lane's element to the next lane's, where the pattern is a stride.
    pub stride_bytes: Option<u64>,
    /// The fetch granule of the prediction, upper bound.
    pub fetch_bytes: u32,
    /// Whether stores leave gaps in the sectors that they touch.
    pub partly_written: bool,
    /// Useful GB/s of the same pattern at the next smaller stride of the sweep, with that stride.
    pub smaller_stride: Option<(u32, f64)>,
}

/// A dispatch shorter than this many empty ones says little of memory.
const LAUNCHES: f64 = 20.0;
/// What starting and ending a real dispatch costs, in empty ones: it also fills and drains the device.
const START_AND_END: f64 = 2.0;
/// A twin must be faster by this to explain a row.
const TWIN_GAIN: f64 = 1.10;
/// Requests of which no more than this is useful are scattered.
const SCATTERED: f64 = 0.2;
/// Above a prediction by more than this, a row is a finding.
const ABOVE: f64 = 0.05;
/// Not below a prediction by more than this, a row is explained by it.
const BELOW: f64 = 0.10;

/// The judgement.
#[must_use]
pub fn judge(evidence: &Evidence) -> Limit {
    let (kind, evidence) = [compute, launch, safety_checks, cache, width, conflict, explained, partial_writes, page]
        .iter()
        .find_map(|rule| rule(evidence))
        .unwrap_or_else(|| (LimitKind::Unexplained, unexplained(evidence)));
    Limit { kind, evidence }
}

type Verdict = Option<(LimitKind, String)>;

fn compute(e: &Evidence) -> Verdict {
    e.compute_bound.then(|| {
        let rate = e.gflop_per_s.unwrap_or_default();
        let share = e.peak_gflop_per_s.map_or(1.0, |peak| rate / peak);
        (LimitKind::Compute, format!("{rate:.0} GFLOP/s, {} % of the highest rate of this run", format_percent(share)))
    })
}

fn launch(e: &Evidence) -> Verdict {
    let empty = e.empty_dispatch_ns?;
    // Starting and ending explain a row if it would meet its prediction without them.
    let work_ns = e.median_ns - START_AND_END * empty;
    let without = e.useful * e.median_ns / work_ns;
    let met = work_ns <= START_AND_END * empty || e.predicted.is_none_or(|band| without > (1.0 - BELOW) * band.low);
    (e.median_ns < LAUNCHES * empty && met).then(|| {
        let text = format!(
            "a dispatch of {} is only {:.0} times an empty one of {}: take more bytes",
            format_ns(e.median_ns),
            e.median_ns / empty,
            format_ns(empty)
        );
        (LimitKind::Launch, text)
    })
}

fn safety_checks(e: &Evidence) -> Verdict {
    let unchecked = e.unchecked_twin.filter(|rate| *rate > TWIN_GAIN * e.useful)?;
    let text = format!(
        "without safety checks it runs at {} GB/s, {:.2} times as fast",
        format_gb_per_s(unchecked),
        unchecked / e.useful
    );
    Some((LimitKind::SafetyChecks, text))
}

fn cache(e: &Evidence) -> Verdict {
    let high = e.predicted?.high;
    let fits = e.cache_bytes.is_some_and(|cache| e.touched_bytes < cache);
    if let Some((stride, rate)) = e.smaller_stride
        && e.useful > (1.0 + ABOVE) * rate
    {
        let text = format!(
            "faster than stride {stride} ({} GB/s): time fell as the stride grew, so memory traffic was not the limit",
            format_gb_per_s(rate)
        );
        return Some((LimitKind::Cache, text));
    }
    (e.useful > (1.0 + ABOVE) * high).then(|| {
        let why = if fits {
            "what is touched fits in the last-level cache"
        } else {
            "a cache or the hardware's own compression absorbed traffic"
        };
        let text = format!("{:.2} times what memory allows by the prediction: {why}", e.useful / high);
        (LimitKind::Cache, text)
    })
}

fn width(e: &Evidence) -> Verdict {
    let (name, rate) = e.width_twin.as_ref().filter(|(_, rate)| *rate > TWIN_GAIN * e.useful)?;
    let text = format!(
        "{name} reaches {} GB/s, {:.2} times as much, at equal traffic: too few bytes in flight",
        format_gb_per_s(*rate),
        rate / e.useful
    );
    Some((LimitKind::Width, text))
}

fn conflict(e: &Evidence) -> Verdict {
    let passes = e.conflict.filter(|passes| *passes > 1.5)?;
    let low = e.predicted.map_or(e.reference, |band| band.high);
    (e.useful < (1.0 - BELOW) * low).then(|| {
        (
            LimitKind::Conflict,
            format!("its workgroup memory needs {passes:.0} passes where one could do: lanes meet in the same bank"),
        )
    })
}

fn explained(e: &Evidence) -> Verdict {
    let band = e.predicted?;
    if e.useful < (1.0 - BELOW) * band.low {
        return None;
    }
    let share = e.useful / e.reference;
    Some(if share > 1.0 - BELOW {
        (LimitKind::Roof, format!("{} % of the reference rate: memory is full of useful bytes", format_percent(share)))
    } else if band.is_one_number() {
        let moved = band.high / e.reference;
        let text =
            format!("memory is full, {} % of it useful: the rest was fetched and not asked for", format_percent(moved));
        (LimitKind::Lineup, text)
    } else {
        let text = format!(
            "between every request missing ({} GB/s) and every granule fetched once ({} GB/s): caches recover part of it",
            format_gb_per_s(band.low),
            format_gb_per_s(band.high)
        );
        (LimitKind::Lineup, text)
    })
}

fn partial_writes(e: &Evidence) -> Verdict {
    let band = e.predicted.filter(|_| e.partly_written)?;
    // Read and written back instead of written: twice the bytes for a pure write, less where reads are part of it.
    (e.useful > 0.4 * band.low).then(|| {
        let text = format!(
            "{} % of the prediction: as if sectors that are only partly written were read first",
            format_percent(e.useful / band.low)
        );
        (LimitKind::Lineup, text)
    })
}

fn page(e: &Evidence) -> Verdict {
    let band = e.predicted?;
    let share = format_percent(e.useful / band.low);
    let extra = "address translation and DRAM pages cost extra";
    let granule = u64::from(e.fetch_bytes);
    if let Some(stride) = e.stride_bytes.filter(|stride| *stride > granule) {
        let text = format!(
            "lanes are {stride} B apart, past the granule of {granule} B, at {share} % of the prediction: {extra}"
        );
        return Some((LimitKind::Page, text));
    }
    (e.request_efficiency <= SCATTERED).then(|| {
        (
            LimitKind::Page,
            format!(
                "each lane has a sector of its own, far from its neighbours', at {share} % of the prediction: {extra}"
            ),
        )
    })
}

fn unexplained(e: &Evidence) -> String {
    e.predicted.map_or_else(
        || "there is no prediction to compare with".to_owned(),
        |band| format!("{} % of the prediction, and no rule explains the rest", format_percent(e.useful / band.low)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(useful: f64, predicted: f64) -> Evidence {
        Evidence {
            useful,
            predicted: Some(Band { low: predicted, high: predicted }),
            reference: 4500.0,
            median_ns: 2e5,
            empty_dispatch_ns: Some(2000.0),
            request_efficiency: predicted / 4500.0,
            fetch_bytes: 64,
            touched_bytes: 1 << 30,
            cache_bytes: Some(60 << 20),
            ..Evidence::default()
        }
    }

    fn kind(evidence: &Evidence) -> LimitKind {
        judge(evidence).kind
    }

    #[test]
    fn each_kind_has_its_evidence() {
        assert_eq!(kind(&row(4480.0, 4500.0)), LimitKind::Roof);
        assert_eq!(kind(&row(560.0, 562.5)), LimitKind::Lineup);
        let twin = Some(("vec4".to_owned(), 4446.0));
        assert_eq!(kind(&Evidence { width_twin: twin, ..row(1544.0, 4500.0) }), LimitKind::Width);
        assert_eq!(kind(&Evidence { touched_bytes: 1 << 24, ..row(6000.0, 4500.0) }), LimitKind::Cache);
        assert_eq!(kind(&Evidence { stride_bytes: Some(256), ..row(158.0, 281.0) }), LimitKind::Page);
        assert_eq!(kind(&Evidence { conflict: Some(32.0), ..row(1900.0, 4100.0) }), LimitKind::Conflict);
        assert_eq!(kind(&Evidence { unchecked_twin: Some(4500.0), ..row(2992.0, 4500.0) }), LimitKind::SafetyChecks);
        assert_eq!(kind(&Evidence { compute_bound: true, ..row(0.0, 4500.0) }), LimitKind::Compute);
        assert_eq!(kind(&Evidence { median_ns: 9000.0, ..row(3000.0, 4500.0) }), LimitKind::Launch);
        assert_eq!(kind(&Evidence { median_ns: 5000.0, ..row(900.0, 4500.0) }), LimitKind::Launch);
        let strided = Evidence { stride_bytes: Some(1024), median_ns: 29_300.0, ..row(143.0, 286.0) };
        assert_eq!(kind(&strided), LimitKind::Page);
        assert_eq!(kind(&row(2000.0, 4500.0)), LimitKind::Unexplained);
        assert_eq!(kind(&Evidence { request_efficiency: 0.125, ..row(356.0, 549.0) }), LimitKind::Page);
        assert_eq!(kind(&Evidence { partly_written: true, ..row(263.0, 541.0) }), LimitKind::Lineup);
        assert_eq!(kind(&Evidence { smaller_stride: Some((8, 100.0)), ..row(200.0, 400.0) }), LimitKind::Cache);
    }

    #[test]
    fn evidence_has_numbers() {
        let text = judge(&Evidence { stride_bytes: Some(256), ..row(158.0, 281.0) }).evidence;
        assert!(text.contains("256 B") && text.contains("64 B") && text.contains("56.23 %"), "{text}");
    }
}
