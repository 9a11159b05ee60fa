//! What a person reads of a row: the same columns for terminal and Markdown.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::record::{Band, Results, Row, Status};
use crate::units::{Bytes, format_gb_per_s, format_percent};

/// The columns' names. Shares are percent, rates GB/s unless the cell says otherwise.
pub const HEADERS: [&str; 9] =
    ["kernel", "parameters", "request %", "traffic %", "predicted GB/s", "measured GB/s", "ratio", "limit", "notes"];

/// What stands where a number is not known.
pub(super) const ABSENT: &str = "-";

/// The sentence that goes with every speed of a software adapter.
pub(super) const CPU_SENTENCE: &str = "This is a CPU: the counts hold, the speeds do not.";

/// The cells of every row, in the document's order.
#[must_use]
pub fn cells(results: &Results) -> Vec<[String; 9]> {
    let shown = ShownParameters::of(results);
    results
        .rows
        .iter()
        .map(|row| {
            [
                row.kernel.clone(),
                shown.text(row),
                row.predicted.as_ref().map_or_else(absent, |p| format_percent(p.request_efficiency)),
                row.predicted.as_ref().map_or_else(absent, |p| {
                    share_band(Band { low: p.traffic_efficiency.low, high: p.traffic_efficiency.high })
                }),
                row.predicted.as_ref().and_then(|p| p.useful_gb_per_s).map_or_else(absent, rate_band),
                measured(row),
                ratio(row),
                row.limit.as_ref().and_then(|limit| code_of(&limit.kind)).unwrap_or_else(absent),
                row_notes(row),
            ]
        })
        .collect()
}

/// What stands above the rows: the device, and whether its speeds mean anything.
#[must_use]
pub fn heading(results: &Results) -> Vec<String> {
    let Some(adapter) = &results.adapter else {
        return vec!["No adapter: predictions only.".to_owned()];
    };
    let driver = [adapter.driver.as_str(), adapter.driver_info.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let driver = if driver.is_empty() { String::new() } else { format!(", driver {driver}") };
    let mut lines = vec![format!("{}, {}{driver}", adapter.name, adapter.backend)];
    if adapter.is_cpu() {
        lines.push(CPU_SENTENCE.to_owned());
    }
    lines
}

/// What stands below the rows: how to read them, and what concerns the whole run.
#[must_use]
pub fn notes(results: &Results) -> Vec<String> {
    let mut lines = Vec::new();
    if !results.rows.is_empty() {
        lines.push(
            "request %: useful bytes of the sectors a request touches. traffic %: useful bytes of all that is fetched; \
             low-high where caches decide. ratio: measured over predicted."
                .to_owned(),
        );
        lines
            .push("Parameters that are equal in all rows of a kernel are left out; JSON and CSV have them.".to_owned());
    }
    let mut codes = BTreeSet::new();
    for warning in results.rows.iter().flat_map(|row| &row.warnings) {
        if codes.insert(&warning.code) {
            lines.push(format!("{}: {}", warning.code, warning.text));
        }
    }
    for warning in &results.warnings {
        // The heading has said this one.
        let said = warning.code == "software_adapter" && results.adapter.as_ref().is_some_and(|a| a.is_cpu());
        if !said {
            lines.push(format!("{}: {}", warning.code, warning.text));
        }
    }
    lines
}

/// A unit variant as the word that the JSON has for it.
pub(super) fn code_of(value: &impl serde::Serialize) -> Option<String> {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => Some(word),
        _ => None,
    }
}

/// A parameter's value without quotes.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// All parameters as `name=value name=value`.
pub(super) fn params_text(params: &BTreeMap<String, Value>) -> String {
    params.iter().map(|(name, value)| format!("{name}={}", value_text(value))).collect::<Vec<_>>().join(" ")
}

/// The codes of a row's warnings, each once.
pub(super) fn warning_codes(row: &Row) -> Vec<&str> {
    row.warnings.iter().map(|warning| warning.code.as_str()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Which parameters tell the rows of a kernel apart.
pub(super) struct ShownParameters {
    names: BTreeSet<(String, String)>,
    checks: bool,
    footprint: bool,
}

impl ShownParameters {
    /// Those that vary within a kernel, and those that the user set.
    pub(super) fn of(results: &Results) -> Self {
        let mut values: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for row in &results.rows {
            for (name, value) in &row.params {
                values.entry((&row.kernel, name)).or_default().insert(value_text(value));
            }
        }
        let names = values
            .into_iter()
            .filter(|((_, name), values)| values.len() > 1 || results.settings.set.contains_key(*name))
            .map(|((kernel, name), _)| (kernel.to_owned(), name.to_owned()))
            .collect();
        let checks: BTreeSet<&str> = results.rows.iter().map(|row| row.checks.as_str()).collect();
        Self { names, checks: checks.len() > 1, footprint: results.settings.bytes.len() > 1 }
    }

    pub(super) fn text(&self, row: &Row) -> String {
        let mut parts: Vec<String> = row
            .params
            .iter()
            .filter(|(name, _)| self.names.contains(&(row.kernel.clone(), (*name).clone())))
            .map(|(name, value)| format!("{name}={}", value_text(value)))
            .collect();
        if self.footprint {
            parts.push(Bytes(row.work.footprint_bytes).to_string());
        }
        if self.checks {
            parts.push(format!("checks {}", row.checks));
        }
        parts.join(" ")
    }
}

pub(super) fn absent() -> String {
    ABSENT.to_owned()
}

/// `6.25`, or `67-100` where the bounds differ.
fn share_band(band: Band) -> String {
    if band.is_one_number() {
        return format_percent(f64::midpoint(band.low, band.high));
    }
    let bound = |share: f64| if share >= 0.1 { format!("{:.0}", share * 100.0) } else { format_percent(share) };
    format!("{}-{}", bound(band.low), bound(band.high))
}

fn rate_band(band: Band) -> String {
    if band.is_one_number() {
        return format_gb_per_s(f64::midpoint(band.low, band.high));
    }
    format!("{}-{}", format_gb_per_s(band.low), format_gb_per_s(band.high))
}

/// The rate that fits the row: GB/s, or GFLOP/s where memory is not what it is about.
fn measured(row: &Row) -> String {
    let Some(measured) = &row.measured else { return absent() };
    let arithmetic = row.ratio_reason.as_deref() == Some("not_memory_bound") || measured.useful_gb_per_s.is_none();
    if let (true, Some(rate)) = (arithmetic, measured.gflop_per_s) {
        return format!("{} GFLOP/s", format_gb_per_s(rate));
    }
    match (measured.useful_gb_per_s, measured.gelements_per_s) {
        (Some(rate), _) => format_gb_per_s(rate),
        (None, Some(rate)) => format!("{} Gelem/s", format_gb_per_s(rate)),
        (None, None) => absent(),
    }
}

fn ratio(row: &Row) -> String {
    match (row.measured_over_predicted, row.inside_band) {
        (Some(ratio), _) => format!("{ratio:.2}"),
        (None, Some(true)) => "inside".to_owned(),
        (None, Some(false)) => "outside".to_owned(),
        (None, None) => absent(),
    }
}

fn row_notes(row: &Row) -> String {
    let mut parts = Vec::new();
    if row.status != Status::Ok {
        let status = code_of(&row.status).unwrap_or_default();
        parts.push(row.reason.as_ref().map_or_else(|| status.clone(), |reason| format!("{status}: {reason}")));
    } else if let Some(reason) = &row.reason {
        parts.push(reason.clone());
    }
    parts.extend(warning_codes(row).into_iter().map(str::to_owned));
    parts.join(", ")
}
