//! Which adapters there are, and which one is meant.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::error::GpuError;
use crate::program::Feature;
use crate::record::Adapter;

/// A graphics interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Vulkan: Linux, Windows, Android.
    Vulkan,
    /// Metal: macOS, iOS.
    Metal,
    /// Direct3D 12: Windows.
    Dx12,
    /// OpenGL (ES).
    Gl,
}

impl Backend {
    /// All of them, the preferred ones first.
    pub const ALL: [Self; 4] = [Self::Vulkan, Self::Metal, Self::Dx12, Self::Gl];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Dx12 => "dx12",
            Self::Gl => "gl",
        }
    }

    pub(super) const fn bits(self) -> wgpu::Backends {
        match self {
            Self::Vulkan => wgpu::Backends::VULKAN,
            Self::Metal => wgpu::Backends::METAL,
            Self::Dx12 => wgpu::Backends::DX12,
            Self::Gl => wgpu::Backends::GL,
        }
    }
}

impl std::fmt::Display for Backend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Backend {
    type Err = String;

    /// # Errors
    /// The text, and the names that are understood.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|backend| backend.name().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| format!("'{text}' is not a backend: write vulkan, metal, dx12 or gl"))
    }
}

/// Which adapter to open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdapterChoice {
    /// Search this backend only; else those of the variable `WGPU_BACKEND`, else all.
    pub backend: Option<Backend>,
    /// An index of the list of [`adapters`] for the same backend, or a part of a name that only one adapter has; else
    /// that of the variable `WGPU_ADAPTER_NAME`, else the best one.
    pub adapter: Option<String>,
}

/// An adapter with what is known of it.
pub(super) struct Found {
    pub(super) raw: wgpu::Adapter,
    pub(super) record: Adapter,
}

impl Found {
    pub(super) fn runs_compute(&self) -> bool {
        let flags = self.raw.get_downlevel_capabilities().flags;
        let limits = self.raw.limits();
        flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
            && limits.max_compute_invocations_per_workgroup > 0
            && limits.max_storage_buffers_per_shader_stage > 0
    }
}

/// All adapters in stable order: by backend as in [`Backend::ALL`], then as the driver lists them; `index` is the
/// place in this list.
///
/// Each adapter is opened once to learn its timestamp period.
pub async fn adapters(backend: Option<Backend>) -> Vec<Adapter> {
    let mut list = Vec::new();
    for mut found in search(backends(backend)).await.1 {
        if found.record.timestamps {
            let request = wgpu::DeviceDescriptor { label: Some("sectorscope period"), ..Default::default() };
            let request = wgpu::DeviceDescriptor { required_limits: found.raw.limits(), ..request };
            if let Ok((_device, queue)) = found.raw.request_device(&request).await {
                found.record.timestamp_period_ns = Some(f64::from(queue.get_timestamp_period()));
            }
        }
        list.push(found.record);
    }
    list
}

/// The backends to search: the chosen one, those of `WGPU_BACKEND`, or all.
fn backends(backend: Option<Backend>) -> wgpu::Backends {
    backend.map_or_else(|| wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all()), Backend::bits)
}

/// A wgpu instance that needs no display. Validation layers of a debug build would slow what is measured, and the
/// validation of indirect calls would clamp buffers to 4 GiB: both are off unless the variables of wgpu say otherwise.
pub(super) fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        flags: wgpu::InstanceFlags::empty().with_env(),
        // Refuse a buffer before the driver starts to swap, or a software adapter fills the host's memory.
        memory_budget_thresholds: wgpu::MemoryBudgetThresholds {
            for_resource_creation: Some(95),
            for_device_loss: None,
        },
        backend_options: wgpu::BackendOptions::from_env_or_default(),
        display: None,
    })
}

/// The instance and its adapters in stable order.
pub(super) async fn search(backends: wgpu::Backends) -> (wgpu::Instance, Vec<Found>) {
    log::debug!("searching adapters on {}", names(backends));
    let instance = instance(backends);
    let mut raw = instance.enumerate_adapters(backends).await;
    if raw.is_empty() && backends.contains(wgpu::Backends::BROWSER_WEBGPU) {
        // A browser lists no adapters, it grants one.
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        raw.extend(instance.request_adapter(&options).await.ok());
    }
    raw.sort_by_key(|adapter| rank(adapter.get_info().backend));
    let found = raw.into_iter().enumerate().map(|(index, raw)| Found { record: describe(index, &raw), raw }).collect();
    (instance, found)
}

/// Opens the instance with the adapter that is meant. OpenGL, which speaks to display servers and on standard error, is
/// left alone where nobody asks for it and another interface has a real GPU.
///
/// # Errors
/// No adapter, none that matches, or several that do.
pub(super) async fn find(choice: &AdapterChoice) -> Result<(wgpu::Instance, Found), GpuError> {
    let backends = backends(choice.backend);
    let without_gl = backends - wgpu::Backends::GL;
    let named = choice.adapter.is_some() || std::env::var_os("WGPU_ADAPTER_NAME").is_some();
    if choice.backend.is_none() && !named && !without_gl.is_empty() {
        let (instance, found) = search(without_gl).await;
        if let Ok(chosen) = choose(found, choice, without_gl)
            && chosen.raw.get_info().device_type != wgpu::DeviceType::Cpu
        {
            return Ok((instance, chosen));
        }
    }
    let (instance, found) = search(backends).await;
    choose(found, choice, backends).map(|chosen| (instance, chosen))
}

/// The adapter that is meant.
///
/// # Errors
/// No adapter, none that matches, or several that do.
fn choose(found: Vec<Found>, choice: &AdapterChoice, searched: wgpu::Backends) -> Result<Found, GpuError> {
    let from_variable = || std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty());
    let wanted = choice.adapter.clone().or_else(from_variable);
    if found.is_empty() {
        return Err(GpuError::NoAdapter { searched: names(searched) });
    }
    let records: Vec<&Adapter> = found.iter().map(|found| &found.record).collect();
    let index = match wanted {
        Some(wanted) => pick(&records, &wanted)?,
        None => found
            .iter()
            .filter(|found| found.runs_compute())
            .min_by_key(|found| {
                let info = found.raw.get_info();
                (preference(info.device_type), rank(info.backend), found.record.index)
            })
            .map(|found| found.record.index)
            .ok_or_else(|| GpuError::NoCompute { adapter: records[0].name.clone() })?,
    };
    let chosen = found.into_iter().nth(index).ok_or_else(|| GpuError::NoAdapter { searched: names(searched) })?;
    if chosen.runs_compute() { Ok(chosen) } else { Err(GpuError::NoCompute { adapter: chosen.record.name }) }
}

/// The place of the adapter that `wanted` names: an index, or a part of exactly one name.
fn pick(adapters: &[&Adapter], wanted: &str) -> Result<usize, GpuError> {
    let cloned = |list: &[&Adapter]| list.iter().map(|adapter| (*adapter).clone()).collect::<Vec<_>>();
    if let Ok(index) = wanted.trim().parse::<usize>()
        && index < adapters.len()
    {
        return Ok(index);
    }
    let part = wanted.trim().to_lowercase();
    let matching: Vec<&Adapter> =
        adapters.iter().copied().filter(|adapter| adapter.name.to_lowercase().contains(&part)).collect();
    match matching.as_slice() {
        [one] => Ok(one.index),
        [] => Err(GpuError::NotFound { wanted: wanted.to_owned(), adapters: cloned(adapters) }),
        several => Err(GpuError::Ambiguous { wanted: wanted.to_owned(), adapters: cloned(several) }),
    }
}

/// Discrete, integrated, virtual, other, processor.
fn preference(device_type: wgpu::DeviceType) -> u8 {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn rank(backend: wgpu::Backend) -> u8 {
    match backend {
        wgpu::Backend::Vulkan => 0,
        wgpu::Backend::Metal => 1,
        wgpu::Backend::Dx12 => 2,
        wgpu::Backend::BrowserWebGpu => 3,
        wgpu::Backend::Gl => 4,
        wgpu::Backend::Noop => 5,
    }
}

fn backend_name(backend: wgpu::Backend) -> &'static str {
    match backend {
        wgpu::Backend::Vulkan => "vulkan",
        wgpu::Backend::Metal => "metal",
        wgpu::Backend::Dx12 => "dx12",
        wgpu::Backend::BrowserWebGpu => "webgpu",
        wgpu::Backend::Gl => "gl",
        wgpu::Backend::Noop => "noop",
    }
}

/// The names of these backends, for messages; those that this build lacks are left out, unless nothing would be left.
pub(super) fn names(backends: wgpu::Backends) -> String {
    let built = backends & wgpu::Instance::enabled_backend_features();
    let list = |set: wgpu::Backends| {
        let names = Backend::ALL.into_iter().filter(|backend| set.contains(backend.bits())).map(Backend::name);
        let browser = set.contains(wgpu::Backends::BROWSER_WEBGPU).then_some("webgpu");
        names.chain(browser).collect::<Vec<_>>().join(", ")
    };
    if built.is_empty() { format!("{}, which this build does not have", list(backends)) } else { list(built) }
}

/// The features that programs may need, and what a device calls them.
const PROGRAM_FEATURES: [(Feature, wgpu::Features); 7] = [
    (Feature::F16, wgpu::Features::SHADER_F16),
    (Feature::Subgroups, wgpu::Features::SUBGROUP),
    (Feature::Int64, wgpu::Features::SHADER_INT64),
    (Feature::Float64, wgpu::Features::SHADER_F64),
    (Feature::Int64Atomics, wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
    (Feature::Float32Atomics, wgpu::Features::SHADER_FLOAT32_ATOMIC),
    (Feature::CooperativeMatrix, wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX),
];

/// Those of some features that programs may need.
pub(super) fn program_features(features: wgpu::Features) -> BTreeSet<Feature> {
    PROGRAM_FEATURES.into_iter().filter(|(_, needed)| features.contains(*needed)).map(|(feature, _)| feature).collect()
}

/// All features that programs may need, without experimental ones.
pub(super) fn wanted_features() -> wgpu::Features {
    let all = PROGRAM_FEATURES.iter().fold(wgpu::Features::empty(), |all, (_, needed)| all | *needed);
    all.difference(wgpu::Features::all_experimental_mask())
}

fn describe(index: usize, raw: &wgpu::Adapter) -> Adapter {
    let info = raw.get_info();
    let limits = raw.limits();
    let features = raw.features();
    let device_type = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete_gpu",
        wgpu::DeviceType::IntegratedGpu => "integrated_gpu",
        wgpu::DeviceType::VirtualGpu => "virtual_gpu",
        wgpu::DeviceType::Cpu => "cpu",
        wgpu::DeviceType::Other => "other",
    };
    Adapter {
        index,
        name: if info.name.is_empty() { "unnamed adapter".to_owned() } else { info.name },
        backend: backend_name(info.backend).to_owned(),
        device_type: device_type.to_owned(),
        vendor_id: info.vendor,
        device_id: info.device,
        pci: Some(info.device_pci_bus_id).filter(|pci| !pci.is_empty()),
        driver: info.driver,
        driver_info: info.driver_info,
        subgroup_min: info.subgroup_min_size,
        subgroup_max: info.subgroup_max_size,
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        timestamp_period_ns: None,
        features: program_features(features).iter().map(ToString::to_string).collect(),
        max_storage_binding_bytes: super::device::rounded(limits.max_storage_buffer_binding_size),
        max_workgroup_memory_bytes: limits.max_compute_workgroup_storage_size,
        cooperative_matrices: super::cooperative::listed(raw),
    }
}
