//! The sentences that a person would quote, computed from the rows of the run and nothing else.

use std::collections::BTreeMap;

use super::cells::CPU_SENTENCE;
use crate::record::{Results, Row, Status};
use crate::units::{format_gb_per_s, format_percent};

/// The best rate, and what strides cost. A software adapter is announced, as its speeds mean nothing.
#[must_use]
pub fn lines(results: &Results) -> Vec<String> {
    let mut lines = figures(results);
    if !lines.is_empty() && results.is_software() {
        lines.push(CPU_SENTENCE.to_owned());
    }
    lines
}

/// [`lines`] for a page whose heading has announced a software adapter.
pub(super) fn figures(results: &Results) -> Vec<String> {
    [best_read(results), strides(results), super::ladder::climb(results)].into_iter().flatten().collect()
}

/// `Best read 4541 GB/s, 94.6 % of the datasheet's 4800.`
fn best_read(results: &Results) -> Option<String> {
    let best = results.reference.read?;
    let rate = format_gb_per_s(best);
    let share = |peak: f64| format!("{:.1} %", 100.0 * best / peak);
    let given = results.settings.peak_gb_per_s.filter(|peak| *peak > 0.0);
    let datasheet = results.reference.datasheet_gb_per_s.filter(|peak| *peak > 0.0);
    Some(match (given, datasheet) {
        (Some(peak), _) => format!("Best read {rate} GB/s, {} of the given peak of {}.", share(peak), plain(peak)),
        (None, Some(peak)) => format!("Best read {rate} GB/s, {} of the datasheet's {}.", share(peak), plain(peak)),
        (None, None) => format!("Best read {rate} GB/s; peak unknown: --peak GB_PER_S states it."),
    })
}

/// `Stride 8 costs 8.0x, stride 16 16.0x: this card fetches 64 bytes at a time.`
fn strides(results: &Results) -> Option<String> {
    let rates = stride_rates(&results.rows)?;
    let first = *rates.get(&1)?;
    let knee = results.stride_knee.as_ref();
    let software = results.is_software();
    let fetch = knee.and_then(|knee| knee.fetch_bytes).filter(|_| !software);
    let costs: Vec<String> = told(&rates, fetch)
        .iter()
        .map(|(stride, rate)| (stride, format!("{:.1}x", first / rate)))
        .enumerate()
        .map(|(place, (stride, cost))| match place {
            0 => format!("Stride {stride} costs {cost}"),
            _ => format!("stride {stride} {cost}"),
        })
        .collect();
    if costs.is_empty() {
        return None;
    }
    let costs = costs.join(", ");
    Some(match (fetch, knee) {
        (Some(bytes), _) => format!("{costs}: this card fetches {bytes} bytes at a time."),
        (None, Some(knee)) if !software => {
            let reason = knee.reason.trim_end_matches('.');
            format!("{costs}; how many bytes it fetches at a time is not determined: {reason}.")
        }
        (None, _) => format!("{costs}."),
    })
}

/// The two strides worth telling: those around the knee where it is known, else 8 and 16, else the largest two.
fn told(rates: &BTreeMap<u64, f64>, fetch: Option<u32>) -> Vec<(u64, f64)> {
    let knee = u64::from(fetch.unwrap_or(64) / 4).max(16);
    for wanted in [[knee / 2, knee], [8, 16]] {
        let found: Vec<_> = wanted.iter().filter_map(|stride| Some((*stride, *rates.get(stride)?))).collect();
        if found.len() == wanted.len() {
            return found;
        }
    }
    let mut last: Vec<_> =
        rates.iter().rev().filter(|(stride, _)| **stride > 1).take(2).map(|(stride, rate)| (*stride, *rate)).collect();
    last.reverse();
    last
}

/// Measured useful GB/s by stride, of the f32 sweep that says most: reads before others, then the longest.
fn stride_rates(rows: &[Row]) -> Option<BTreeMap<u64, f64>> {
    let mut sweeps: BTreeMap<(bool, String), BTreeMap<u64, f64>> = BTreeMap::new();
    // Where rows ran with and without safety checks, those without are the default.
    let unchecked = rows.iter().any(|row| row.checks == "off");
    for row in rows.iter().filter(|row| !unchecked || row.checks == "off") {
        let Some((stride, rate)) = stride_rate(row) else { continue };
        let mut others = row.params.clone();
        others.remove("stride");
        // Not by preset: a stride that is also a preset's row still belongs to its sweep.
        let key = format!("{} {} {others:?}", row.kernel, row.checks);
        sweeps.entry((row.work.bytes_written > 0, key)).or_default().entry(stride).or_insert(rate);
    }
    sweeps
        .into_iter()
        .filter(|(_, rates)| rates.len() > 1 && rates.contains_key(&1))
        .max_by_key(|((writes, _), rates)| (!writes, rates.len()))
        .map(|(_, rates)| rates)
}

/// Stride and rate of a row that belongs to a sweep over global memory in f32.
fn stride_rate(row: &Row) -> Option<(u64, f64)> {
    let element = row.params.get("element").and_then(|element| element.as_str()).unwrap_or("f32");
    let in_workgroup_memory = row.predicted.as_ref().is_some_and(|predicted| predicted.wavefronts.is_some());
    if row.status != Status::Ok || element != "f32" || in_workgroup_memory {
        return None;
    }
    let stride = row.params.get("stride")?.as_u64()?;
    let rate = row.measured.as_ref()?.useful_gb_per_s?;
    (rate > 0.0).then_some((stride, rate))
}

/// A peak as people write it: `4800`, `936.2`.
fn plain(peak: f64) -> String {
    format_percent(peak / 100.0)
}
