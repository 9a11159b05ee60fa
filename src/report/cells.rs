//! What a person reads of a row: the same columns for terminal and Markdown.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::kernels;
use crate::record::{Adapter, Band, Results, Row, Status};
use crate::units::{Bytes, format_gb_per_s, format_percent};

/// The columns' names. Shares are percent, rates GB/s unless the cell says otherwise.
pub const HEADERS: [&str; 10] = [
    "kernel",
    "parameters",
    "sectors",
    "request %",
    "traffic %",
    "predicted GB/s",
    "measured GB/s",
    "ratio",
    "limit",
    "notes",
];

/// What stands where a number is not known.
pub(super) const ABSENT: &str = "-";

/// The sentence that goes with every speed of a software adapter.
pub(super) const CPU_SENTENCE: &str = "This is a CPU: the counts hold, the speeds do not.";

/// The cells of every row, in the document's order.
#[must_use]
pub fn cells(results: &Results) -> Vec<[String; 10]> {
    let shown = ShownParameters::of(results);
    let (footnotes, common_end) = (footnotes(results), common_end(results).is_some());
    results
        .rows
        .iter()
        .map(|row| {
            [
                row.kernel.clone(),
                shown.text(row),
                row.predicted.as_ref().map_or_else(absent, |p| sectors(p.sectors_per_request)),
                row.predicted.as_ref().map_or_else(absent, |p| format_percent(p.request_efficiency)),
                // A product uses each byte it fetches many times over: its share of fetched bytes says nothing.
                row.predicted.as_ref().filter(|_| row.matmul.is_none()).map_or_else(absent, |p| {
                    share_band(Band { low: p.traffic_efficiency.low, high: p.traffic_efficiency.high })
                }),
                row.predicted.as_ref().and_then(|p| p.useful_gb_per_s).map_or_else(absent, rate_band),
                measured(row),
                ratio(row),
                row.limit.as_ref().and_then(|limit| code_of(&limit.kind)).unwrap_or_else(absent),
                row_notes(row, &footnotes, common_end),
            ]
        })
        .collect()
}

/// What stands above the rows: the device, and whether its speeds mean anything.
#[must_use]
pub fn heading(results: &Results) -> Vec<String> {
    let Some(adapter) = &results.adapter else {
        return ["Predictions only.".to_owned()].into_iter().chain(model(results)).collect();
    };
    let mut lines = vec![device(adapter)];
    if adapter.is_cpu() {
        lines.push(CPU_SENTENCE.to_owned());
    }
    lines.extend(model(results));
    lines
}

/// `NVIDIA H200, vulkan, driver NVIDIA 580.159.04`.
#[must_use]
pub fn device(adapter: &Adapter) -> String {
    let driver = [adapter.driver.as_str(), adapter.driver_info.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let driver = if driver.is_empty() { String::new() } else { format!(", driver {driver}") };
    format!("{}, {}{driver}", adapter.name, adapter.backend).replace(char::is_control, " ")
}

/// `Model nv-hopper: subgroups of 32 lanes, sectors of 32 B, 64 B fetched on a miss.`
fn model(results: &Results) -> Option<String> {
    let predicted = results.rows.iter().find_map(|row| row.predicted.as_ref())?;
    let [low, high] = predicted.fetch_bytes;
    let fetch = if low == high { low.to_string() } else { format!("{low} to {high}") };
    let origin = match predicted.fetch_origin.as_str() {
        "stride_knee" => " (by this run's own stride sweep)",
        "given" => " (as given)",
        _ => "",
    };
    let (key, lanes, sector) = (&predicted.model, predicted.subgroup, predicted.sector_size_bytes);
    Some(format!(
        "Model {key}: subgroups of {lanes} lanes, sectors of {sector} B, {fetch} B fetched on a miss{origin}."
    ))
}

/// What stands below the rows: how to read them, and what concerns the whole run.
#[must_use]
pub fn notes(results: &Results) -> Vec<String> {
    let mut lines = Vec::new();
    if !results.rows.is_empty() {
        lines.push(
            "sectors: of one request, on average. request %: useful bytes of these sectors. traffic %: useful bytes of all \
             that is fetched; low-high where caches decide. ratio: measured over predicted."
                .to_owned(),
        );
        lines.push("Parameters at their defaults are left out; `sectorscope kernels` lists them.".to_owned());
    }
    if let Some((status, reason)) = common_end(results) {
        lines.push(format!("Every row is {status}: {reason}"));
    }
    for (number, row) in footnotes(results).iter().enumerate() {
        let reason = row.reason.as_deref().unwrap_or_default();
        lines.push(format!("[{}] {}: {reason}", number + 1, row.kernel));
    }
    lines.extend(super::ladder::knobs(results));
    lines.extend(results.rows.iter().find_map(elements));
    lines.extend(row_warnings(results));
    let knee = results.stride_knee.as_ref().filter(|knee| knee.fetch_bytes.is_none());
    lines.extend(knee.map(|knee| format!("Bytes fetched on a miss, by the stride sweep: {}", knee.reason)));
    lines.extend(match results.ended.as_str() {
        "interrupted" => Some("The run was interrupted before its end.".to_owned()),
        "time_limit" => Some("The run reached its time limit before its end.".to_owned()),
        _ => None,
    });
    for warning in &results.warnings {
        // The heading has said this one.
        let said = warning.code == "software_adapter" && results.is_software();
        if !said {
            lines.push(format!("{}: {}", warning.code, warning.text));
        }
    }
    lines
}

/// What arithmetic has to do with the first row that counts in elements.
fn elements(row: &Row) -> Option<String> {
    let intensity = row.intensity.as_ref()?;
    let rate = row.measured.as_ref()?.gelements_per_s?;
    let ceiling = intensity.ceiling_gelements_per_s?;
    let mut text = format!(
        "{}: {rate:.1} of at most {ceiling:.1} G elements/s that the measured bandwidth allows at {} bytes each",
        row.kernel, intensity.bytes_per_element
    );
    if let Some(datasheet) = intensity.datasheet_ceiling_gelements_per_s {
        text.push_str(&format!(" ({datasheet:.1} by the datasheet)"));
    }
    text.push_str(&format!("; {:.3} flop a byte", intensity.flop_per_byte));
    if let Some(balance) = intensity.machine_balance_flop_per_byte {
        text.push_str(&format!(", where arithmetic would take over from {balance:.1} on"));
    }
    Some(text + ".")
}

/// Each kind of row warning once, with the first text of its kind; where texts differ, with the row that it is of.
fn row_warnings(results: &Results) -> Vec<String> {
    let shown = ShownParameters::of(results);
    let mut texts: BTreeMap<&str, (&str, &Row, bool)> = BTreeMap::new();
    for (row, warning) in results.rows.iter().flat_map(|row| row.warnings.iter().map(move |warning| (row, warning))) {
        let (first, _, differ) = texts.entry(&warning.code).or_insert((&warning.text, row, false));
        *differ |= *first != warning.text;
    }
    let line = |(code, (text, row, differ)): (&str, (&str, &Row, bool))| {
        let name = format!("{} {}", row.kernel, shown.text(row));
        if differ {
            format!("{code} (of {}, first of several): {text}", name.trim_end())
        } else {
            format!("{code}: {text}")
        }
    };
    texts.into_iter().map(line).collect()
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

/// What tells the rows of a kernel apart: parameters that the user set, values that are not the kernel's defaults, and
/// footprints other than the run's. The baseline of several sweeps so has nothing beside its name, and each other row
/// what it changes.
pub(super) struct ShownParameters {
    set: BTreeSet<String>,
    checks: bool,
    /// The largest footprint of each kernel; of all sizes where the user gave several.
    footprints: BTreeMap<String, u64>,
}

impl ShownParameters {
    pub(super) fn of(results: &Results) -> Self {
        let mut footprints: BTreeMap<String, u64> = BTreeMap::new();
        for row in &results.rows {
            let most = footprints.entry(row.kernel.clone()).or_default();
            *most = row.work.footprint_bytes.max(*most);
        }
        let sizes_given = results.settings.bytes.len() > 1;
        let checks: BTreeSet<&str> = results.rows.iter().map(|row| row.checks.as_str()).collect();
        Self {
            set: results.settings.set.keys().cloned().collect(),
            checks: checks.len() > 1,
            footprints: if sizes_given { BTreeMap::new() } else { footprints },
        }
    }

    pub(super) fn text(&self, row: &Row) -> String {
        let kernel = kernels::by_id(&row.kernel);
        let is_default = |name: &str, value: &Value| {
            let parameter = kernel.and_then(|kernel| kernel.parameter(name));
            parameter.is_some_and(|parameter| Value::from(&parameter.default) == *value)
        };
        let mut parts: Vec<String> = row
            .params
            .iter()
            .filter(|(name, value)| self.set.contains(*name) || !is_default(name, value))
            .map(|(name, value)| format!("{name}={}", value_text(value)))
            .collect();
        // Matrices do not fill a footprint to the byte: only another size is told.
        let footprint = row.work.footprint_bytes;
        if footprint > 0 && self.footprints.get(&row.kernel).is_none_or(|most| 2 * footprint <= *most) {
            parts.push(Bytes(footprint).to_string());
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

/// `4`, or `4.98` where requests differ.
fn sectors(per_request: f64) -> String {
    format_percent(per_request / 100.0)
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

/// A reason up to this length stands beside its row, a longer one below the table.
const SHORT: usize = 40;

fn is_long(reason: &str) -> bool {
    reason.chars().count() > SHORT || reason.contains('\n')
}

/// The rows whose reason stands below the table, in the order of their numbers: each reason once.
fn footnotes(results: &Results) -> Vec<&Row> {
    let mut reasons = BTreeSet::new();
    let long = |row: &&Row| row.reason.as_deref().is_some_and(is_long);
    let all = common_end(results).is_some();
    results.rows.iter().filter(|_| !all).filter(long).filter(|row| reasons.insert(&row.reason)).collect()
}

/// Status and reason where all rows ended the same way and not well: said once for all.
fn common_end(results: &Results) -> Option<(String, &str)> {
    let (first, others) = results.rows.split_first()?;
    let same =
        first.status != Status::Ok && others.iter().all(|row| row.status == first.status && row.reason == first.reason);
    Some((code_of(&first.status)?, first.reason.as_deref()?)).filter(|_| same)
}

fn row_notes(row: &Row, footnotes: &[&Row], common_end: bool) -> String {
    let mut parts = Vec::new();
    let reason = row.reason.as_deref().filter(|_| !common_end).map(|reason| {
        footnotes
            .iter()
            .position(|other| other.reason == row.reason)
            .map_or_else(|| reason.to_owned(), |place| format!("[{}]", place + 1))
    });
    let status = Some(row.status).filter(|status| *status != Status::Ok && !common_end).and_then(|s| code_of(&s));
    match (status, reason) {
        (Some(status), Some(reason)) if reason.starts_with('[') => parts.push(format!("{status} {reason}")),
        (Some(status), Some(reason)) => parts.push(format!("{status}: {reason}")),
        (status, reason) => parts.extend(status.or(reason)),
    }
    parts.extend(warning_codes(row).into_iter().map(str::to_owned));
    parts.join(", ")
}
