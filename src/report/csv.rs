//! One line a row for spreadsheets and scripts: RFC 4180 quoting, dot decimals whatever the locale, absent is empty.
//!
//! The columns of [`columns`] come first and never move. `params` has all parameters as `name=value name=value`; after
//! the fixed columns each parameter that occurs in the document has a column of its own, `param_NAME`, for filters and
//! charts. Line breaks inside a text become spaces, so that a row is always one line.

use std::collections::BTreeSet;
use std::io;

use super::cells::{code_of, params_text, value_text, warning_codes};
use crate::record::{Band, Results, Row};

type Field = fn(&Results, &Row) -> Option<String>;

/// The fixed columns: name and where it comes from.
const FIELDS: &[(&str, Field)] = &[
    ("kernel", |_, row| Some(row.kernel.clone())),
    ("preset", |_, row| row.preset.clone()),
    ("params", |_, row| Some(params_text(&row.params))),
    ("adapter", |results, _| results.adapter.as_ref().map(|adapter| adapter.name.clone())),
    ("backend", |results, _| results.adapter.as_ref().map(|adapter| adapter.backend.clone())),
    ("device_type", |results, _| results.adapter.as_ref().map(|adapter| adapter.device_type.clone())),
    ("software_adapter", |results, _| results.adapter.as_ref().map(|adapter| adapter.is_cpu().to_string())),
    ("status", |_, row| code_of(&row.status)),
    ("reason", |_, row| row.reason.clone()),
    ("checks", |_, row| Some(row.checks.clone())),
    ("footprint_bytes", |_, row| Some(row.work.footprint_bytes.to_string())),
    ("requested_bytes", |_, row| Some(row.work.requested_bytes.to_string())),
    ("useful_bytes", |_, row| Some(row.work.useful_bytes.to_string())),
    ("bytes_read", |_, row| Some(row.work.bytes_read.to_string())),
    ("bytes_written", |_, row| Some(row.work.bytes_written.to_string())),
    ("flop", |_, row| Some(row.work.flop.to_string())),
    ("model", |_, row| row.predicted.as_ref().map(|p| p.model.clone())),
    ("predicted_sectors_per_request", |_, row| row.predicted.as_ref().and_then(|p| number(p.sectors_per_request))),
    ("predicted_ideal_sectors_per_request", |_, row| {
        row.predicted.as_ref().and_then(|p| number(p.ideal_sectors_per_request))
    }),
    ("predicted_request_efficiency", |_, row| row.predicted.as_ref().and_then(|p| number(p.request_efficiency))),
    ("predicted_traffic_efficiency_low", |_, row| {
        row.predicted.as_ref().and_then(|p| number(p.traffic_efficiency.low))
    }),
    ("predicted_traffic_efficiency_high", |_, row| {
        row.predicted.as_ref().and_then(|p| number(p.traffic_efficiency.high))
    }),
    ("predicted_wavefronts", |_, row| row.predicted.as_ref().and_then(|p| p.wavefronts).and_then(number)),
    ("predicted_useful_gb_per_s_low", |_, row| predicted_rate(row).and_then(|band| number(band.low))),
    ("predicted_useful_gb_per_s_high", |_, row| predicted_rate(row).and_then(|band| number(band.high))),
    ("time_source", |_, row| row.measured.as_ref().and_then(|m| code_of(&m.time_source))),
    ("median_ns", |_, row| row.measured.as_ref().and_then(|m| number(m.median_ns))),
    ("p10_ns", |_, row| row.measured.as_ref().and_then(|m| number(m.p10_ns))),
    ("p90_ns", |_, row| row.measured.as_ref().and_then(|m| number(m.p90_ns))),
    ("useful_gb_per_s", |_, row| row.measured.as_ref().and_then(|m| m.useful_gb_per_s).and_then(number)),
    ("efficiency", |_, row| row.measured.as_ref().and_then(|m| m.efficiency).and_then(number)),
    ("gflop_per_s", |_, row| row.measured.as_ref().and_then(|m| m.gflop_per_s).and_then(number)),
    ("gelements_per_s", |_, row| row.measured.as_ref().and_then(|m| m.gelements_per_s).and_then(number)),
    ("samples", |_, row| row.measured.as_ref().map(|m| m.samples_ns.len().to_string())),
    ("measured_over_predicted", |_, row| row.measured_over_predicted.and_then(number)),
    ("ratio_reason", |_, row| row.ratio_reason.clone()),
    ("inside_band", |_, row| row.inside_band.map(|inside| inside.to_string())),
    ("limit", |_, row| row.limit.as_ref().and_then(|limit| code_of(&limit.kind))),
    ("verified", |_, row| row.verified.as_ref().map(|verified| verified.method.clone())),
    ("warnings", |_, row| Some(warning_codes(row).join(" "))),
];

/// The fixed columns, in order.
#[must_use]
pub fn columns() -> Vec<&'static str> {
    FIELDS.iter().map(|(name, _)| *name).collect()
}

/// The rows of the document, under a line of column names, with `separator` between the cells.
///
/// # Errors
/// Never for a buffer in memory; the writer's otherwise.
pub fn to_bytes(results: &Results, separator: u8) -> io::Result<Vec<u8>> {
    let params: BTreeSet<&str> = results.rows.iter().flat_map(|row| row.params.keys()).map(String::as_str).collect();
    let mut writer = ::csv::WriterBuilder::new().delimiter(separator).from_writer(Vec::new());
    writer.write_record(
        columns().into_iter().map(str::to_owned).chain(params.iter().map(|name| one_line(&format!("param_{name}")))),
    )?;
    for row in &results.rows {
        let fixed = FIELDS.iter().map(|(_, field)| field(results, row).unwrap_or_default());
        let own = params.iter().map(|name| row.params.get(*name).map(value_text).unwrap_or_default());
        writer.write_record(fixed.chain(own).map(|cell| one_line(&cell)))?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

fn predicted_rate(row: &Row) -> Option<Band> {
    row.predicted.as_ref().and_then(|predicted| predicted.useful_gb_per_s)
}

/// All digits, a dot, no exponent; nothing for what is not finite.
fn number(value: f64) -> Option<String> {
    value.is_finite().then(|| value.to_string())
}

fn one_line(cell: &str) -> String {
    cell.replace("\r\n", " ").replace(char::is_control, " ")
}
