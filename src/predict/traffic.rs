//! From sums to a prediction, and the traffic of the dispatch: between "every request misses" and "every granule is
//! fetched once".

use std::collections::BTreeMap;

use super::counter::{Counter, Scope, SiteCount};
use super::granules::GranuleSet;
use super::prediction::Prediction;
use crate::record::TrafficEfficiency;
use crate::record::prediction::{AccessCount, FirstRequest, Totals, Traced};
use crate::trace::Space;

/// The result of a counter.
pub(super) fn summarise(counter: &Counter, scope: &Scope) -> Prediction {
    let traced = Traced {
        workgroups: counter.workgroups.max(1),
        blocks: counter.blocks.max(1),
        total: scope.total_workgroups.max(counter.workgroups).max(1),
    };
    let buffers = buffers(counter);
    Prediction {
        model: counter.model.key.clone().into_owned(),
        subgroup: counter.model.subgroup.value,
        sector_bytes: 1 << counter.rules.sector_shift,
        fetch_bytes: [1 << counter.rules.fetch_low_shift, 1 << counter.rules.fetch_high_shift],
        traced,
        accesses: counter.sites.iter().filter(|site| site.requests > 0).map(|site| access(counter, site)).collect(),
        totals: totals(counter, &buffers),
        traffic_efficiency: traffic(counter, scope, traced, &buffers),
    }
}

/// What all accesses to one variable touched.
struct Buffer<'a> {
    name: &'a str,
    space: Space,
    touched: GranuleSet,
}

fn buffers(counter: &Counter) -> Vec<Buffer<'_>> {
    let mut buffers: BTreeMap<u32, Buffer<'_>> = BTreeMap::new();
    for site in counter.sites.iter().filter(|site| site.in_memory()) {
        buffers
            .entry(site.site.variable)
            .or_insert_with(|| Buffer { name: &site.site.name, space: site.site.space, touched: GranuleSet::default() })
            .touched
            .union(&site.touched);
    }
    buffers.into_values().collect()
}

impl SiteCount {
    /// Whether it goes through the caches to memory.
    fn in_memory(&self) -> bool {
        self.site.space != Space::Workgroup
    }

    fn requested_bytes(&self) -> u64 {
        self.active_lanes.saturating_mul(self.site.element_bytes.into())
    }
}

fn access(counter: &Counter, count: &SiteCount) -> AccessCount {
    let rules = &counter.rules;
    let memory = |value: u64| count.in_memory().then_some(value);
    let banked = |value: u64| (!count.in_memory() && counter.model.banks.is_some()).then_some(value);
    let sector_bytes_total = count.sectors << rules.sector_shift;
    AccessCount {
        line: count.site.position.line,
        column: count.site.position.column,
        call_path: count.site.call_path.clone(),
        space: count.site.space,
        variable: count.site.name.clone(),
        kind: count.site.kind,
        element_bytes: count.site.element_bytes,
        leaf_offset: count.site.leaf_offset,
        requests: count.requests,
        extrapolated_requests: count.extrapolated_requests,
        requests_per_workgroup: count.requests as f64 / counter.workgroups.max(1) as f64,
        active_lanes: count.active_lanes,
        requested_bytes: count.requested_bytes(),
        useful_bytes: count.useful_bytes,
        sectors: memory(count.sectors),
        ideal_sectors: memory(count.ideal_sectors),
        sector_bytes_total: memory(sector_bytes_total),
        request_efficiency: memory(sector_bytes_total).and_then(|total| share(count.useful_bytes, total)),
        distinct_sectors: memory(count.touched.count(rules.sector_shift - rules.touched_shift)),
        wavefronts: banked(count.wavefronts),
        ideal_wavefronts: banked(count.ideal_wavefronts),
        out_of_range: count.out_of_range,
        cause: None,
        first_request: count.first_request.unwrap_or(FirstRequest { active_lanes: 0, sectors: None, wavefronts: None }),
    }
}

fn totals(counter: &Counter, buffers: &[Buffer<'_>]) -> Totals {
    let rules = &counter.rules;
    let sum = |value: fn(&SiteCount) -> u64| counter.sites.iter().map(value).sum::<u64>();
    let memory =
        |value: fn(&SiteCount) -> u64| -> u64 { counter.sites.iter().filter(|site| site.in_memory()).map(value).sum() };
    let banked = counter.model.banks.is_some() && counter.sites.iter().any(|site| !site.in_memory());
    let sectors = memory(|site| site.sectors);
    let useful_bytes = memory(|site| site.useful_bytes);
    Totals {
        requests: sum(|site| site.requests),
        requested_bytes: memory(SiteCount::requested_bytes),
        useful_bytes,
        sectors,
        ideal_sectors: memory(|site| site.ideal_sectors),
        sector_bytes_total: sectors << rules.sector_shift,
        request_efficiency: share(useful_bytes, sectors << rules.sector_shift),
        distinct_sectors: buffers
            .iter()
            .map(|buffer| buffer.touched.count(rules.sector_shift - rules.touched_shift))
            .sum(),
        wavefronts: banked.then(|| sum(|site| site.wavefronts)),
        ideal_wavefronts: banked.then(|| sum(|site| site.ideal_wavefronts)),
        out_of_range: sum(|site| site.out_of_range),
    }
}

/// Useful over fetched bytes of all storage accesses, loads and stores alike.
///
/// `low`: every request fetches its granules anew, of the largest size that the model allows. `high`: every granule, of
/// the smallest size, is fetched once in the dispatch. What a sample of workgroups touched is scaled to the dispatch, but
/// no buffer gives more granules than it has. `high` may pass 1: caches give the same byte to many requests.
fn traffic(counter: &Counter, scope: &Scope, traced: Traced, buffers: &[Buffer<'_>]) -> Option<TrafficEfficiency> {
    let rules = &counter.rules;
    let storage = || counter.sites.iter().filter(|site| site.site.space == Space::Storage);
    let useful = storage().map(|site| site.useful_bytes).sum::<u64>() as f64;
    let every_request =
        storage().map(|site| site.fetches).sum::<u64>() as f64 * f64::from(1u32 << rules.fetch_high_shift);
    let scale = traced.total as f64 / traced.workgroups as f64;
    let mut bounded = false;
    let mut once = 0.0;
    for buffer in buffers.iter().filter(|buffer| buffer.space == Space::Storage) {
        let touched = buffer.touched.count(rules.fetch_low_shift - rules.touched_shift) as f64;
        let all = scope.buffer_bytes.get(buffer.name).map_or(f64::INFINITY, |bytes| {
            // A size smaller than what was touched cannot be right, and bounds nothing.
            (bytes.div_ceil(1 << rules.fetch_low_shift) as f64).max(touched)
        });
        bounded |= all < touched * scale;
        once += all.min(touched * scale);
    }
    let once = once * f64::from(1u32 << rules.fetch_low_shift);
    if useful == 0.0 || every_request == 0.0 || once == 0.0 {
        return None;
    }
    let mut method = if traced.workgroups >= traced.total {
        format!("every granule once, counted over all {} workgroups", traced.total)
    } else {
        format!("every granule once, sampled over {traced}")
    };
    if bounded {
        method.push_str("; no more than the buffers hold");
    }
    Some(TrafficEfficiency { low: useful / every_request, high: useful * scale / once, method })
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
