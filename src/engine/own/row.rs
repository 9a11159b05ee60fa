//! What the interpreter counted of a user's shader, as a row of the results.

use std::collections::BTreeMap;

use crate::memory_model::MemoryModel;
use crate::program::Program;
use crate::record::prediction::{AccessCount, PredictionDocument};
use crate::record::{Predicted, Row, Work};
use crate::shader::wgsl_sha256;
use crate::trace::{AccessKind, Space};

use super::super::request::UserShader;

/// The row before anything was measured.
pub(super) fn row(
    shader: &UserShader,
    program: &Program,
    document: Option<&PredictionDocument>,
    model: &MemoryModel,
) -> Row {
    let [x, y, z] = program.grid;
    let mut params: BTreeMap<String, serde_json::Value> =
        program.constants.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
    params.insert("entry".to_owned(), program.entry_point.clone().into());
    params.insert("dispatch".to_owned(), format!("{x},{y},{z}").into());
    let footprint_bytes = program.buffers.iter().map(|buffer| buffer.bytes).sum();
    Row {
        params,
        inputs_sha256: Some(shader.inputs.sha256()),
        work: document.map_or_else(Work::default, |document| work(document, footprint_bytes)),
        predicted: document.and_then(|document| predicted(document, model)),
        ..Row::unmeasured(&shader.name, wgsl_sha256(&program.wgsl), !shader.unchecked)
    }
}

/// Accesses to storage buffers, which memory's rates are of.
fn storage(document: &PredictionDocument) -> impl Iterator<Item = &AccessCount> {
    document.accesses.iter().filter(|access| access.space == Space::Storage)
}

/// What the whole dispatch does, from the share of it that was traced. An atomic loads and stores.
fn work(document: &PredictionDocument, footprint_bytes: u64) -> Work {
    let traced = &document.traced;
    let whole = |part: u64| {
        let all = u128::from(part) * u128::from(traced.total) / u128::from(traced.workgroups.max(1));
        u64::try_from(all).unwrap_or(u64::MAX)
    };
    let sum = |value: fn(&AccessCount) -> u64, kinds: &[AccessKind]| {
        whole(storage(document).filter(|access| kinds.contains(&access.kind)).map(value).sum())
    };
    let requested: fn(&AccessCount) -> u64 = |access| access.requested_bytes;
    let all = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];
    Work {
        requested_bytes: sum(requested, &all),
        bytes_read: sum(requested, &[AccessKind::Load, AccessKind::Atomic]),
        bytes_written: sum(requested, &[AccessKind::Store, AccessKind::Atomic]),
        useful_bytes: sum(|access| access.useful_bytes, &all),
        flop: 0,
        footprint_bytes,
        useful_loads: sum(|access| access.active_lanes, &[AccessKind::Load]),
        held: String::new(),
    }
}

/// What it should cost: sums over all accesses, since no single one is the point of a user's shader.
fn predicted(document: &PredictionDocument, model: &MemoryModel) -> Option<Predicted> {
    let traffic_efficiency = document.traffic_efficiency.clone()?;
    let totals = &document.totals;
    let requests: u64 =
        document.accesses.iter().filter(|access| access.sectors.is_some()).map(|access| access.requests).sum();
    let a_request = |amount: u64| amount as f64 / requests.max(1) as f64;
    let workgroup: u64 =
        document.accesses.iter().filter(|access| access.wavefronts.is_some()).map(|access| access.requests).sum();
    let passes = |passes: Option<u64>| Some(passes? as f64 / workgroup.max(1) as f64);
    Some(Predicted {
        model: document.model.clone(),
        subgroup: document.subgroup,
        sector_size_bytes: document.sector_bytes,
        fetch_bytes: [model.fetch_bytes.low, model.fetch_bytes.high],
        fetch_origin: "model".to_owned(),
        requests,
        sectors_per_request: a_request(totals.sectors),
        ideal_sectors_per_request: a_request(totals.ideal_sectors),
        request_efficiency: totals.request_efficiency?,
        traffic_efficiency,
        wavefronts: passes(totals.wavefronts),
        ideal_wavefronts: passes(totals.ideal_wavefronts),
        useful_bytes: totals.useful_bytes,
        sector_bytes: totals.sector_bytes_total,
        useful_gb_per_s: None,
        traced: document.traced.to_string(),
        accesses: document.accesses.iter().filter_map(|access| serde_json::to_value(access).ok()).collect(),
    })
}
