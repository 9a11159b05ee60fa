//! Accesses summed up line by line.

use std::collections::BTreeMap;

use crate::memory_model::MemoryModel;
use crate::predict::Prediction;
use crate::record::Band;
use crate::record::prediction::{AccessCount, LineCount, ModelColumn, ModelLine, Totals};

/// Sums of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Sum {
    pub(super) requests: u64,
    pub(super) extrapolated_requests: u64,
    pub(super) useful_bytes: u64,
    pub(super) sectors: Option<u64>,
    pub(super) ideal_sectors: Option<u64>,
    pub(super) sector_bytes: u64,
    pub(super) wavefronts: Option<u64>,
    pub(super) ideal_wavefronts: Option<u64>,
    pub(super) out_of_range: u64,
}

impl Sum {
    fn add(&mut self, access: &AccessCount) {
        let add = |sum: &mut Option<u64>, value: Option<u64>| {
            if let Some(value) = value {
                *sum = Some(sum.unwrap_or(0) + value);
            }
        };
        self.requests += access.requests;
        self.extrapolated_requests += access.extrapolated_requests;
        // Efficiency is of memory: bytes in workgroup memory are no part of it.
        self.useful_bytes += if access.sectors.is_some() { access.useful_bytes } else { 0 };
        self.sector_bytes += access.sector_bytes_total.unwrap_or(0);
        add(&mut self.sectors, access.sectors);
        add(&mut self.ideal_sectors, access.ideal_sectors);
        add(&mut self.wavefronts, access.wavefronts);
        add(&mut self.ideal_wavefronts, access.ideal_wavefronts);
        self.out_of_range += access.out_of_range;
    }

    /// Sectors and passes over the banks, over the fewest possible.
    fn times_ideal(&self) -> Option<f64> {
        let ideal = self.ideal_sectors.unwrap_or(0) + self.ideal_wavefronts.unwrap_or(0);
        let paid = self.sectors.unwrap_or(0) + self.wavefronts.unwrap_or(0);
        (ideal > 0).then(|| paid as f64 / ideal as f64)
    }

    /// Useful over sector bytes.
    pub(super) fn efficiency(&self) -> Option<f64> {
        (self.sector_bytes > 0).then(|| self.useful_bytes as f64 / self.sector_bytes as f64)
    }
}

/// The sums of every line with an access.
pub(super) fn by_line(accesses: &[AccessCount]) -> BTreeMap<u32, Sum> {
    let mut lines: BTreeMap<u32, Sum> = BTreeMap::new();
    for access in accesses {
        lines.entry(access.line).or_default().add(access);
    }
    lines
}

/// The lines of the document.
pub(super) fn lines(accesses: &[AccessCount], wgsl: &str) -> Vec<LineCount> {
    let texts: Vec<&str> = wgsl.lines().collect();
    by_line(accesses)
        .into_iter()
        .map(|(line, sum)| LineCount {
            line,
            text: texts.get(line as usize - 1).map_or("", |text| text.trim()).to_owned(),
            requests: sum.requests,
            extrapolated_requests: sum.extrapolated_requests,
            useful_bytes: sum.useful_bytes,
            sectors: sum.sectors,
            ideal_sectors: sum.ideal_sectors,
            request_efficiency: sum.efficiency(),
            wavefronts: sum.wavefronts,
            ideal_wavefronts: sum.ideal_wavefronts,
            out_of_range: sum.out_of_range,
        })
        .collect()
}

/// A model's column: `predictions` are those of its values and of the ends of its bands.
pub(super) fn column(model: &MemoryModel, predictions: &[&Prediction]) -> Option<ModelColumn> {
    let first = predictions.first()?;
    let ends: Vec<BTreeMap<u32, Sum>> = predictions.iter().map(|prediction| by_line(&prediction.accesses)).collect();
    let lines = ends.first()?.iter().map(|(line, sum)| ModelLine {
        line: *line,
        requests: sum.requests,
        sectors: sum.sectors,
        ideal_sectors: sum.ideal_sectors,
        request_efficiency: band(ends.iter().filter_map(|end| end.get(line)?.efficiency())),
        wavefronts: sum.wavefronts,
        ideal_wavefronts: sum.ideal_wavefronts,
        times_ideal: band(ends.iter().filter_map(|end| end.get(line)?.times_ideal())),
    });
    Some(ModelColumn {
        model: model.key.clone().into_owned(),
        title: model.title.clone().into_owned(),
        subgroup: first.subgroup,
        sector_bytes: first.sector_bytes,
        subgroup_range: [model.subgroup.low, model.subgroup.high],
        sector_bytes_range: [model.sector_bytes.low, model.sector_bytes.high],
        totals: Totals::clone(&first.totals),
        request_efficiency: band(predictions.iter().filter_map(|prediction| prediction.totals.request_efficiency)),
        lines: lines.collect(),
    })
}

/// The band that these values span.
fn band(values: impl Iterator<Item = f64>) -> Option<Band> {
    values.fold(None, |band: Option<Band>, value| {
        Some(band.map_or(Band { low: value, high: value }, |band| Band {
            low: band.low.min(value),
            high: band.high.max(value),
        }))
    })
}
