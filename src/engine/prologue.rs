//! Before the first row: the device, its memory model, and the head of the results document.

use std::collections::BTreeMap;

use crate::gpu::{Gpu, GpuError};
use crate::memory_model::{self, AdapterIdentity, Backend, DeviceType, GpuFacts, MemoryModel, Overrides};
use crate::platform;
use crate::record::{Adapter, Host, Reference, Results, SCHEMA, Settings, Tool, Warning};

use super::device::{self, Device};
use super::request::{ChecksMode, Request};
use super::run::EngineError;

/// What a run begins with.
pub(super) struct Opened {
    pub gpu: Option<Gpu>,
    pub results: Results,
    pub model: MemoryModel,
    pub facts: Option<GpuFacts>,
}

/// Opens the device that is asked for and writes the head of the results.
pub(super) async fn open(request: &Request, device: &mut Device) -> Result<Opened, EngineError> {
    let mut warnings = Vec::new();
    let gpu = if request.predict_only { None } else { open_gpu(request, device, &mut warnings).await? };
    let adapter = gpu.as_ref().map(|gpu| gpu.adapter().clone());
    let identity = adapter.as_ref().map(identity);
    let model = model(request, identity.as_ref())?;
    let facts = identity.as_ref().and_then(memory_model::lookup);
    if adapter.as_ref().is_some_and(Adapter::is_cpu) {
        warnings.push(Warning::new("software_adapter", "This is a CPU: the counts hold, the speeds do not."));
    }
    let known = facts.as_ref();
    let results = Results {
        schema: SCHEMA.into(),
        started_at: jiff::Timestamp::now().to_string(),
        tool: tool(),
        host: host(),
        settings: settings(request, adapter.as_ref().is_some_and(Adapter::is_cpu)),
        adapter,
        memory_model: serde_json::to_value(&model).unwrap_or_default(),
        reference: Reference {
            datasheet_gb_per_s: request.peak_gb_per_s.or(known.and_then(|facts| facts.bandwidth_gb_per_s)),
            datasheet_gflop_per_s: known.and_then(|facts| facts.fp32_tflop_per_s).map(|rate| rate * 1000.0),
            datasheet_source: match (request.peak_gb_per_s, known) {
                (Some(_), _) => Some("--peak".into()),
                (None, facts) => facts.map(|facts| format!("{} ({}, {})", facts.name, facts.source, facts.confidence)),
            },
            last_level_cache_bytes: known.and_then(|facts| facts.last_level_cache_bytes),
            ..Reference::default()
        },
        stride_knee: None,
        rows: Vec::new(),
        control_rows: Vec::new(),
        ended: "running".into(),
        warnings,
    };
    Ok(Opened { gpu, results, model, facts })
}

async fn open_gpu(
    request: &Request,
    device: &mut Device,
    warnings: &mut Vec<Warning>,
) -> Result<Option<Gpu>, EngineError> {
    match device.take(&device::choice(request).map_err(EngineError::Usage)?).await {
        Ok(gpu) => Ok(Some(gpu)),
        Err(error @ (GpuError::NotFound { .. } | GpuError::Ambiguous { .. })) => {
            Err(EngineError::Usage(error.to_string()))
        }
        Err(error) => {
            warnings.push(Warning::new("no_adapter", error.to_string()));
            Ok(None)
        }
    }
}

fn model(request: &Request, identity: Option<&AdapterIdentity>) -> Result<MemoryModel, EngineError> {
    let model = match (request.model.as_deref(), identity) {
        (None | Some("auto"), Some(identity)) => memory_model::for_adapter(identity),
        (None | Some("auto"), None) => memory_model::LESSON.clone(),
        (Some(key), _) => memory_model::by_key(key).cloned().ok_or_else(|| {
            let keys: Vec<_> = memory_model::keys().collect();
            EngineError::Usage(format!("--model {key}: there is no such model; there are auto, {}", keys.join(", ")))
        })?,
    };
    let overrides = Overrides { subgroup: request.subgroup, sector: request.sector, fetch: request.fetch };
    model.with(&overrides).map_err(|error| EngineError::Usage(error.to_string()))
}

/// What the memory models know an adapter by.
pub(super) fn identity(adapter: &Adapter) -> AdapterIdentity {
    AdapterIdentity {
        name: adapter.name.clone(),
        vendor_id: adapter.vendor_id,
        device_id: adapter.device_id,
        device_type: match adapter.device_type.as_str() {
            "cpu" => DeviceType::Cpu,
            "integrated_gpu" => DeviceType::Integrated,
            "discrete_gpu" => DeviceType::Discrete,
            "virtual_gpu" => DeviceType::Virtual,
            _ => DeviceType::Other,
        },
        backend: match adapter.backend.as_str() {
            "metal" => Backend::Metal,
            "dx12" => Backend::Dx12,
            "gl" => Backend::Gl,
            "webgpu" => Backend::WebGpu,
            _ => Backend::Vulkan,
        },
        subgroup_min: adapter.subgroup_min,
        subgroup_max: adapter.subgroup_max,
    }
}

fn tool() -> Tool {
    Tool {
        version: env!("CARGO_PKG_VERSION").into(),
        commit: option_env!("SECTORSCOPE_COMMIT").map(str::to_owned),
        wgpu: locked_version("wgpu"),
        naga: locked_version("naga"),
    }
}

/// The version of a package that this was built with.
fn locked_version(package: &str) -> String {
    let lock = include_str!("../../Cargo.lock");
    let after = lock.split_once(&format!("name = \"{package}\"\nversion = \"")).map_or("", |(_, rest)| rest);
    after.split('"').next().unwrap_or_default().to_owned()
}

fn host() -> Host {
    let facts = platform::host();
    Host { os: facts.os, cpu: facts.cpu, memory_bytes: facts.memory_bytes, power: facts.power }
}

/// What was asked for by name, each once.
fn names(request: &Request) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let rows = request.rows.iter().map(|(id, _)| id).chain(request.shaders.iter().map(|shader| &shader.name));
    for name in request.kernels.iter().chain(&request.presets).chain(rows) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Shaders of the user's own run with checks unless each says otherwise.
fn checks(request: &Request) -> ChecksMode {
    let unchecked = request.shaders.iter().filter(|shader| shader.unchecked).count();
    match (request.shaders.len(), unchecked) {
        (0, _) => request.checks,
        (all, unchecked) if unchecked == all => ChecksMode::Off,
        (_, 0) => ChecksMode::On,
        _ => ChecksMode::Both,
    }
}

fn settings(request: &Request, software: bool) -> Settings {
    Settings {
        suite: request.suite().map(|suite| suite.name().to_owned()),
        kernels: names(request),
        set: request.set.iter().cloned().collect::<BTreeMap<_, _>>(),
        bytes: request.bytes.clone(),
        samples: request.samples(software),
        time_limit_s: request.time_limit_s,
        order: request.order.name().into(),
        seed: request.seed,
        fill: request.fill.name().into(),
        checks: checks(request).name().into(),
        peak_gb_per_s: request.peak_gb_per_s,
    }
}
