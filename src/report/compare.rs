//! Two documents side by side: which settings differ first, then each row's speed in B over that in A, with its noise.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::Value;

use super::cells::{ABSENT, ShownParameters, code_of, value_text};
use crate::record::{Band, Measured, Results, Row, Status};

/// The name and version of the comparison's form.
pub const SCHEMA: &str = "sectorscope-comparison/1";

/// What two runs have and have not in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// Settings, device and program, where they differ.
    pub differences: Vec<Difference>,
    /// Rows of both, in the order of A.
    pub rows: Vec<RowPair>,
    /// Rows that only A has, as text.
    pub only_in_a: Vec<String>,
    /// Rows that only B has, as text.
    pub only_in_b: Vec<String>,
}

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its name.
    pub name: String,
    /// Its value in A.
    pub a: String,
    /// Its value in B.
    pub b: String,
}

/// A row of both documents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowPair {
    /// The kernel.
    pub kernel: String,
    /// The parameters that tell rows apart, as text.
    pub params: String,
    /// Unit of both rates: `GB/s`, `GFLOP/s`, `Gelem/s`, or `runs/s` where neither counts anything.
    pub unit: &'static str,
    /// Rate in A.
    pub a: Option<f64>,
    /// Rate in B.
    pub b: Option<f64>,
    /// B over A: above 1, B is faster.
    pub ratio: Option<f64>,
    /// The ratio between the slow tenth of one and the fast tenth of the other: the noise.
    pub noise: Option<Band>,
    /// `faster`, `slower`, `same` (1 lies within the noise) or `unknown`.
    pub verdict: &'static str,
    /// What else changed: status, the WGSL, the work.
    pub notes: Vec<String>,
}

/// Compares B with A.
#[must_use]
pub fn compare(a: &Results, b: &Results) -> Comparison {
    let mut waiting: BTreeMap<String, VecDeque<&Row>> = BTreeMap::new();
    for row in &b.rows {
        waiting.entry(key(row)).or_default().push_back(row);
    }
    let (shown_a, shown_b) = (ShownParameters::of(a), ShownParameters::of(b));
    let (mut rows, mut only_in_a) = (Vec::new(), Vec::new());
    for row in &a.rows {
        match waiting.get_mut(&key(row)).and_then(VecDeque::pop_front) {
            Some(other) => rows.push(pair(row, other, shown_a.text(row))),
            None => only_in_a.push(label(row, &shown_a)),
        }
    }
    // What still waits has no partner; told in the order of B.
    let mut only_in_b = Vec::new();
    for row in &b.rows {
        if let Some(queue) = waiting.get_mut(&key(row))
            && queue.front().is_some_and(|front| std::ptr::eq(*front, row))
        {
            queue.pop_front();
            only_in_b.push(label(row, &shown_b));
        }
    }
    Comparison { schema: SCHEMA, differences: differences(a, b), rows, only_in_a, only_in_b }
}

/// What makes a row the same row in another run.
fn key(row: &Row) -> String {
    let params: Vec<_> = row.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!("{} {} {} {}", row.kernel, params.join(" "), row.checks, row.work.footprint_bytes)
}

fn label(row: &Row, shown: &ShownParameters) -> String {
    format!("{} {}", row.kernel, shown.text(row)).trim_end().to_owned()
}

fn pair(a: &Row, b: &Row, params: String) -> RowPair {
    let mut notes = Vec::new();
    if a.status != b.status {
        notes.push(format!("{} -> {}", status(a), status(b)));
    }
    if a.wgsl_sha256 != b.wgsl_sha256 {
        notes.push("the WGSL differs".to_owned());
    }
    if a.inputs_sha256 != b.inputs_sha256 {
        notes.push("the shader's inputs differ".to_owned());
    }
    if a.work != b.work {
        notes.push("the work differs".to_owned());
    }
    let speeds = a.measured.as_ref().zip(b.measured.as_ref());
    let unit = speeds.map_or("runs/s", |(a, b)| common_unit(a, b));
    let ratio = speeds.and_then(|(a, b)| quotient(rate(b, unit), rate(a, unit)));
    let noise = speeds.and_then(|(a, b)| noise(a, b, ratio?));
    let verdict = match (ratio, noise) {
        (Some(_), Some(noise)) if noise.low <= 1.0 && 1.0 <= noise.high => "same",
        (Some(ratio), _) if ratio > 1.0 => "faster",
        (Some(ratio), _) if ratio < 1.0 => "slower",
        (Some(_), _) => "same",
        (None, _) => "unknown",
    };
    let own = |row: &Row| row.measured.as_ref().and_then(|measured| rate(measured, unit));
    RowPair { kernel: a.kernel.clone(), params, unit, a: own(a), b: own(b), ratio, noise, verdict, notes }
}

fn status(row: &Row) -> String {
    let word = code_of(&row.status).unwrap_or_default();
    match &row.reason {
        Some(reason) if row.status != Status::Ok => format!("{word} ({reason})"),
        _ => word,
    }
}

/// The first unit that both have a rate in.
fn common_unit(a: &Measured, b: &Measured) -> &'static str {
    ["GB/s", "GFLOP/s", "Gelem/s"]
        .into_iter()
        .find(|unit| rate(a, unit).is_some() && rate(b, unit).is_some())
        .unwrap_or("runs/s")
}

fn rate(measured: &Measured, unit: &str) -> Option<f64> {
    match unit {
        "GB/s" => measured.useful_gb_per_s,
        "GFLOP/s" => measured.gflop_per_s,
        "Gelem/s" => measured.gelements_per_s,
        _ => quotient(Some(1e9), Some(measured.median_ns)),
    }
}

/// The ratio's range: both rates scale with the reciprocal of the time, so that the percentiles of the times give it.
fn noise(a: &Measured, b: &Measured, ratio: f64) -> Option<Band> {
    let of_medians = quotient(Some(a.median_ns), Some(b.median_ns))?;
    let scale = ratio / of_medians;
    Some(Band {
        low: scale * quotient(Some(a.p10_ns), Some(b.p90_ns))?,
        high: scale * quotient(Some(a.p90_ns), Some(b.p10_ns))?,
    })
}

fn quotient(numerator: Option<f64>, denominator: Option<f64>) -> Option<f64> {
    let denominator = denominator.filter(|value| *value > 0.0)?;
    Some(numerator? / denominator).filter(|value| value.is_finite())
}

fn differences(a: &Results, b: &Results) -> Vec<Difference> {
    let (facts_a, facts_b) = (facts(a), facts(b));
    facts_a
        .into_iter()
        .zip(facts_b)
        .map(|((name, a), (_, b))| Difference { name: name.to_owned(), a, b })
        .chain(model_differences(&a.memory_model, &b.memory_model))
        .filter(|difference| difference.a != difference.b)
        .collect()
}

/// The facts of both memory models, one by one.
fn model_differences(a: &Value, b: &Value) -> Vec<Difference> {
    let none = serde_json::Map::new();
    let (a, b) = (a.as_object().unwrap_or(&none), b.as_object().unwrap_or(&none));
    let text = |value: Option<&Value>| value.map_or_else(|| ABSENT.to_owned(), value_text);
    a.keys()
        .chain(b.keys().filter(|name| !a.contains_key(*name)))
        .map(|name| Difference { name: format!("memory model: {name}"), a: text(a.get(name)), b: text(b.get(name)) })
        .collect()
}

/// Everything about a run that may explain a difference of its rows.
fn facts(results: &Results) -> Vec<(&'static str, String)> {
    let adapter = |field: fn(&crate::record::Adapter) -> String| {
        results.adapter.as_ref().map_or_else(|| "none".to_owned(), field)
    };
    let settings = &results.settings;
    let number = |value: Option<f64>| value.map_or_else(|| ABSENT.to_owned(), |value| value.to_string());
    let list = |values: &[String]| if values.is_empty() { ABSENT.to_owned() } else { values.join(",") };
    let bytes: Vec<String> = settings.bytes.iter().map(ToString::to_string).collect();
    let set: Vec<String> = settings.set.iter().map(|(name, values)| format!("{name}={}", values.join(","))).collect();
    let models: std::collections::BTreeSet<&str> =
        results.rows.iter().filter_map(|row| row.predicted.as_ref()).map(|p| p.model.as_str()).collect();
    vec![
        ("adapter", adapter(|adapter| adapter.name.clone())),
        ("device_type", adapter(|adapter| adapter.device_type.clone())),
        ("backend", adapter(|adapter| adapter.backend.clone())),
        ("pci", adapter(|adapter| adapter.pci.clone().unwrap_or_else(|| ABSENT.to_owned()))),
        ("driver", adapter(|adapter| format!("{} {}", adapter.driver, adapter.driver_info).trim().to_owned())),
        ("tool version", results.tool.version.clone()),
        ("commit", results.tool.commit.clone().unwrap_or_else(|| ABSENT.to_owned())),
        ("wgpu", results.tool.wgpu.clone()),
        ("naga", results.tool.naga.clone()),
        ("os", results.host.os.clone()),
        ("cpu", results.host.cpu.clone()),
        ("power", results.host.power.clone().unwrap_or_else(|| ABSENT.to_owned())),
        ("model", models.into_iter().collect::<Vec<_>>().join(",")),
        ("suite", settings.suite.clone().unwrap_or_else(|| ABSENT.to_owned())),
        ("kernels", list(&settings.kernels)),
        ("set", list(&set)),
        ("bytes", if bytes.is_empty() { "chosen for the device".to_owned() } else { bytes.join(",") }),
        ("samples", settings.samples.to_string()),
        ("time limit", number(settings.time_limit_s)),
        ("order", settings.order.clone()),
        ("seed", settings.seed.to_string()),
        ("fill", settings.fill.clone()),
        ("checks", settings.checks.clone()),
        ("peak", number(settings.peak_gb_per_s)),
    ]
}

impl Comparison {
    /// The text: settings first, then rows, then what has no partner.
    #[cfg(feature = "cli")]
    #[must_use]
    pub fn to_text(&self, width: u16) -> String {
        use super::table::plain;
        let mut text = String::new();
        if self.differences.is_empty() {
            text.push_str("A and B have the same device and settings.\n");
        } else {
            let rows: Vec<_> = self.differences.iter().map(|d| [d.name.clone(), d.a.clone(), d.b.clone()]).collect();
            text.push_str(&plain(&["differs", "A", "B"], &rows, 0..0, width));
        }
        let headers = ["kernel", "parameters", "A", "B", "unit", "B/A", "noise", "verdict", "notes"];
        let rows: Vec<_> = self.rows.iter().map(RowPair::cells).collect();
        if rows.is_empty() {
            text.push_str("No row is in both.\n");
        } else {
            text.push_str(&plain(&headers, &rows, 2..4, width));
            text.push_str("B/A above 1: B is faster. noise: p10 to p90 of both; same: 1 lies within it.\n");
        }
        for (name, rows) in [("A", &self.only_in_a), ("B", &self.only_in_b)] {
            for row in rows {
                text.push_str(&format!("only in {name}: {row}\n"));
            }
        }
        text
    }
}

impl RowPair {
    #[cfg(feature = "cli")]
    fn cells(&self) -> [String; 9] {
        let rate = |rate: Option<f64>| rate.map_or_else(|| ABSENT.to_owned(), crate::units::format_gb_per_s);
        [
            self.kernel.clone(),
            self.params.clone(),
            rate(self.a),
            rate(self.b),
            self.unit.to_owned(),
            self.ratio.map_or_else(|| ABSENT.to_owned(), |ratio| format!("{ratio:.3}")),
            self.noise.map_or_else(|| ABSENT.to_owned(), |noise| format!("{:.3}-{:.3}", noise.low, noise.high)),
            self.verdict.to_owned(),
            self.notes.join(", "),
        ]
    }
}
