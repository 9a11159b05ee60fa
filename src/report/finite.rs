//! The last look before anything is written: a number that is not finite never leaves. It becomes absent, and the row
//! says why.

use crate::record::{Band, Measured, Predicted, Results, Row, Status};

/// Makes every number of the document finite or absent; rows say what was taken out.
pub fn repair_results(results: &mut Results) {
    let Results { adapter, settings, reference, stride_knee, rows, .. } = results;
    for value in [
        adapter.as_mut().map(|adapter| &mut adapter.timestamp_period_ns),
        stride_knee.as_mut().map(|knee| &mut knee.confidence),
        Some(&mut settings.time_limit_s),
        Some(&mut settings.peak_gb_per_s),
        Some(&mut reference.read),
        Some(&mut reference.write),
        Some(&mut reference.mixed),
        Some(&mut reference.fma_f32),
        Some(&mut reference.fma_cooperative),
        Some(&mut reference.datasheet_gb_per_s),
        Some(&mut reference.datasheet_gflop_per_s),
    ]
    .into_iter()
    .flatten()
    {
        drop_non_finite(value);
    }
    for row in rows {
        repair_row(row);
    }
}

/// Makes every number of the row finite or absent. Where one was not, `reason` names it; a row that loses its whole
/// measurement or prediction this way counts as failed.
pub fn repair_row(row: &mut Row) {
    let mut lost = Vec::new();
    let mut failed = false;
    if row.measured.as_ref().is_some_and(|measured| !required_are_finite_in_measured(measured)) {
        row.measured = None;
        lost.push("the measured time");
        failed = true;
    }
    if row.predicted.as_ref().is_some_and(|predicted| !required_are_finite_in_predicted(predicted)) {
        row.predicted = None;
        lost.push("the prediction");
        failed = true;
    }
    if row.verified.as_ref().is_some_and(|verified| !verified.max_error.is_finite()) {
        row.verified = None;
        lost.push("the largest error of the check");
    }
    for (name, value) in optional_numbers(row) {
        if drop_non_finite(value) {
            lost.push(name);
        }
    }
    for (name, band) in optional_bands(row) {
        if band.is_some_and(|band| !(band.low.is_finite() && band.high.is_finite())) {
            *band = None;
            lost.push(name);
        }
    }
    if lost.is_empty() {
        return;
    }
    if failed && row.status == Status::Ok {
        row.status = Status::Failed;
    }
    let text = format!("not a finite number: {}", lost.join(", "));
    row.reason = Some(match row.reason.take() {
        Some(reason) => format!("{reason}; {text}"),
        None => text,
    });
}

fn required_are_finite_in_measured(measured: &Measured) -> bool {
    [measured.median_ns, measured.p10_ns, measured.p90_ns, measured.clock_step_ns]
        .iter()
        .chain(&measured.samples_ns)
        .all(|value| value.is_finite())
}

fn required_are_finite_in_predicted(predicted: &Predicted) -> bool {
    let traffic = &predicted.traffic_efficiency;
    [
        predicted.sectors_per_request,
        predicted.ideal_sectors_per_request,
        predicted.request_efficiency,
        traffic.low,
        traffic.high,
    ]
    .iter()
    .all(|value| value.is_finite())
}

fn optional_numbers(row: &mut Row) -> impl Iterator<Item = (&'static str, &mut Option<f64>)> {
    let measured = row.measured.as_mut().map(|measured| {
        [
            ("host_floor_ns", &mut measured.host_floor_ns),
            ("longest_dispatch_ns", &mut measured.longest_dispatch_ns),
            ("drift", &mut measured.drift),
            ("useful_gb_per_s", &mut measured.useful_gb_per_s),
            ("efficiency", &mut measured.efficiency),
            ("gflop_per_s", &mut measured.gflop_per_s),
            ("gelements_per_s", &mut measured.gelements_per_s),
        ]
    });
    let predicted = row.predicted.as_mut().map(|predicted| {
        [("wavefronts", &mut predicted.wavefronts), ("ideal_wavefronts", &mut predicted.ideal_wavefronts)]
    });
    let verified = row.verified.as_mut().map(|verified| ("mean_error", &mut verified.mean_error));
    measured
        .into_iter()
        .flatten()
        .chain(predicted.into_iter().flatten())
        .chain(verified)
        .chain([("measured_over_predicted", &mut row.measured_over_predicted)])
}

fn optional_bands(row: &mut Row) -> impl Iterator<Item = (&'static str, &mut Option<Band>)> {
    let predicted = row.predicted.as_mut().map(|predicted| &mut predicted.useful_gb_per_s);
    predicted
        .map(|band| ("the predicted useful_gb_per_s", band))
        .into_iter()
        .chain([("implied_moved_gb_per_s", &mut row.implied_moved_gb_per_s)])
}

/// Whether something was dropped.
fn drop_non_finite(value: &mut Option<f64>) -> bool {
    let wrong = value.is_some_and(|number| !number.is_finite());
    if wrong {
        *value = None;
    }
    wrong
}
