//! An open device: its limits, its errors as values, and waiting for it.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::adapter::{self, AdapterChoice};
use super::cooperative;
use super::error::GpuError;
use super::fill::Fill;
use super::hooks::TestHooks;
use super::pool::Pool;
use super::sample::Samples;
use super::timing::Clock;
use super::wait::{Receiver, lock, once};
use crate::platform::now;
use crate::program::{Cooperative, Feature, Limits};
use crate::record::Adapter;
use crate::stats::median;

/// How long the device may take for what is in flight before it counts as hung. A software adapter may work on one
/// dispatch for tens of seconds.
pub const WAIT_SECONDS: u64 = 120;

/// An open device with its queue, buffers and clock. It belongs to the caller alone; nothing else draws on it.
pub struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) pool: Pool,
    pub(super) fill: Fill,
    pub(super) clock: Clock,
    pub(super) samples: Samples,
    pub(super) staging: Option<wgpu::Buffer>,
    pub(super) hooks: TestHooks,
    /// How its adapter was chosen.
    choice: AdapterChoice,
    adapter: Adapter,
    limits: Limits,
    cooperative: Result<Cooperative, String>,
    raw_limits: wgpu::Limits,
    features: BTreeSet<Feature>,
    faults: Arc<Mutex<Faults>>,
    wait_seconds: u64,
    submissions: u64,
    /// Keeps the driver's library loaded as long as the device lives.
    _instance: wgpu::Instance,
}

/// What the driver reported outside of a call.
#[derive(Default)]
struct Faults {
    lost: Option<String>,
    uncaptured: Option<GpuError>,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("adapter", &self.adapter).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl Gpu {
    /// Opens the chosen adapter with all that it allows and only the features that programs may need.
    ///
    /// # Errors
    /// No adapter, none or several that match, no compute shaders, or the driver's refusal.
    pub async fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        Self::open_with(choice, TestHooks::from_env()).await
    }

    /// As [`Gpu::open`], with failures forced for tests.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub async fn open_with(choice: &AdapterChoice, hooks: TestHooks) -> Result<Self, GpuError> {
        Self::request(choice, hooks, wgpu::Features::empty(), wgpu::ExperimentalFeatures::disabled()).await
    }

    /// Opens the same adapter once more, with cooperative matrices. They are experimental in wgpu: whatever goes wrong
    /// with them stays on a device of their own.
    ///
    /// # Errors
    /// An adapter that has none, or as [`Gpu::open`].
    pub async fn open_cooperative(&self) -> Result<Self, GpuError> {
        self.cooperative()?;
        #[expect(unsafe_code, reason = "wgpu lets no experimental feature be requested otherwise")]
        // SAFETY: experimental features may have bugs that are undefined behaviour. The only programs that use this one
        // are kernels of the registry whose plan has proved every index to be in range, and whose matrices and subgroup
        // size the driver lists.
        let experimental = unsafe { wgpu::ExperimentalFeatures::enabled() };
        let added = wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX;
        Self::request(&self.choice, self.hooks.clone(), added, experimental).await
    }

    /// Opens the chosen adapter with what programs may need, and these features.
    async fn request(
        choice: &AdapterChoice,
        hooks: TestHooks,
        added: wgpu::Features,
        experimental_features: wgpu::ExperimentalFeatures,
    ) -> Result<Self, GpuError> {
        let (instance, chosen) = adapter::find(choice).await?;
        let mut wanted = wgpu::Features::TIMESTAMP_QUERY | adapter::wanted_features() | added;
        if hooks.disable_timestamps {
            wanted.remove(wgpu::Features::TIMESTAMP_QUERY);
        }
        let features = wanted & chosen.raw.features();
        let raw_limits = chosen.raw.limits();
        log::debug!("opening {} ({})", chosen.record.name, chosen.record.backend);
        let request = wgpu::DeviceDescriptor {
            label: Some("sectorscope"),
            required_features: features,
            required_limits: raw_limits.clone(),
            experimental_features,
            ..Default::default()
        };
        let opened = chosen.raw.request_device(&request).await;
        let (device, queue) = opened.map_err(|error| GpuError::NoDevice(error.to_string()))?;
        let faults = watch(&device);
        let mut adapter = chosen.record;
        adapter.timestamps = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let period = f64::from(queue.get_timestamp_period());
        adapter.timestamp_period_ns = adapter.timestamps.then_some(period);
        let clock = Clock::new(adapter.timestamps, period * hooks.period_scale.unwrap_or(1.0), hooks.zero_timestamps);
        let fill = Fill::new(&device);
        let cooperative = cooperative::usable(&adapter);
        let gpu = Self {
            limits: Limits { cooperative: cooperative.clone().ok(), ..program_limits(&raw_limits) },
            cooperative,
            choice: choice.clone(),
            features: adapter::program_features(features),
            pool: Pool::default(),
            fill,
            clock,
            samples: Samples::default(),
            staging: None,
            wait_seconds: WAIT_SECONDS,
            submissions: 0,
            _instance: instance,
            device,
            queue,
            hooks,
            adapter,
            raw_limits,
            faults,
        };
        gpu.check()?;
        Ok(gpu)
    }

    /// The device as its driver describes it.
    #[must_use]
    pub const fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// What programs may ask for; sizes rounded down to multiples of 256 bytes, since drivers report odd ones.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// Optional shader features of the device.
    #[must_use]
    pub const fn features(&self) -> &BTreeSet<Feature> {
        &self.features
    }

    /// The matrices that kernels use on this adapter, on a device of [`Gpu::open_cooperative`].
    ///
    /// # Errors
    /// [`GpuError::NoCooperativeMatrices`] with the reason.
    pub fn cooperative(&self) -> Result<Cooperative, GpuError> {
        self.cooperative.clone().map_err(GpuError::NoCooperativeMatrices)
    }

    /// Whether the device times its own work.
    #[must_use]
    pub const fn timestamps(&self) -> bool {
        self.adapter.timestamps
    }

    /// The smallest step of the device's clock that was seen so far, at least one tick, ns; `None` without timestamps
    /// (see [`host_clock_step_ns`]).
    #[must_use]
    pub fn clock_step_ns(&self) -> Option<f64> {
        self.clock.step_ns()
    }

    /// Why the device was lost, if it was.
    #[must_use]
    pub fn lost(&self) -> Option<String> {
        lock(&self.faults).lost.clone()
    }

    /// How long to wait for the device from now on before it counts as hung; [`WAIT_SECONDS`] at first.
    pub const fn set_wait_seconds(&mut self, seconds: u64) {
        self.wait_seconds = seconds;
    }

    /// Nanoseconds from submitting nothing to hearing that it is done, the median of several: the least that a time
    /// by the host's clock can show.
    ///
    /// # Errors
    /// A lost or hung device.
    pub async fn empty_submission_ns(&mut self) -> Result<f64, GpuError> {
        self.wait().await?;
        let mut times = Vec::new();
        for _ in 0..9 {
            let encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let commands = encoder.finish();
            let start = now();
            self.submit(commands)?;
            self.wait().await?;
            times.push(start.elapsed().as_secs_f64() * 1e9);
        }
        Ok(median(&times).unwrap_or(0.0))
    }

    pub(super) const fn raw_limits(&self) -> &wgpu::Limits {
        &self.raw_limits
    }

    /// Hands commands to the queue.
    pub(super) fn submit(&mut self, commands: wgpu::CommandBuffer) -> Result<(), GpuError> {
        self.submissions += 1;
        if self.hooks.lose_device_after.is_some_and(|count| self.submissions > count) {
            self.device.destroy();
        }
        self.queue.submit([commands]);
        self.check()
    }

    /// Runs `calls` and turns the errors that the driver reports for them into a value. `bytes` is what the calls ask
    /// for, for the message when it is not there.
    pub(super) async fn guarded<T>(&self, bytes: u64, calls: impl FnOnce() -> T) -> Result<T, GpuError> {
        let scopes = [wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal, wgpu::ErrorFilter::Validation]
            .map(|filter| self.device.push_error_scope(filter));
        let value = calls();
        // Scopes are a stack: the last one pushed is popped first.
        let [memory, internal, validation] = scopes;
        let (validation, internal, memory) = (validation.pop(), internal.pop(), memory.pop());
        let errors = [memory.await, validation.await, internal.await];
        let first = errors.into_iter().flatten().map(|error| GpuError::from_driver(error, bytes)).next();
        // A lost device makes every other error a consequence.
        self.lost().map(GpuError::DeviceLost).or(first).map_or(Ok(value), Err)
    }

    /// Fails if the driver has reported anything outside of a guarded call.
    pub(super) fn check(&self) -> Result<(), GpuError> {
        let mut faults = lock(&self.faults);
        if let Some(reason) = &faults.lost {
            return Err(GpuError::DeviceLost(reason.clone()));
        }
        faults.uncaptured.take().map_or(Ok(()), Err)
    }

    /// Waits until all that was submitted is done.
    pub(super) async fn wait(&self) -> Result<(), GpuError> {
        let (sender, receiver) = once();
        self.queue.on_submitted_work_done(move || sender.send(()));
        self.receive(receiver).await
    }

    /// Waits for the value that a callback of the device sends.
    pub(super) async fn receive<T>(&self, receiver: Receiver<T>) -> Result<T, GpuError> {
        if self.adapter.backend == "webgpu" {
            let value = receiver.await;
            return self.check().map(|()| value);
        }
        let timeout = Some(Duration::from_secs(self.wait_seconds));
        let poll = || self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout });
        // wgpu panics in a poll that finds the device lost (it treats the driver's answer as fatal); here it is a value.
        let polled = catch_unwind(AssertUnwindSafe(poll)).unwrap_or_else(|_| {
            lock(&self.faults).lost.get_or_insert_with(|| "the driver stopped answering".to_owned());
            Ok(wgpu::PollStatus::QueueEmpty)
        });
        self.check()?;
        match polled {
            Err(wgpu::PollError::Timeout) => return Err(GpuError::TimedOut { seconds: self.wait_seconds }),
            Err(error) => return Err(GpuError::Internal(error.to_string())),
            Ok(_) => {}
        }
        receiver.take().ok_or_else(|| GpuError::Internal("the device finished without an answer".to_owned()))
    }
}

/// Records what the driver reports at any time. Without a handler wgpu panics.
fn watch(device: &wgpu::Device) -> Arc<Mutex<Faults>> {
    let faults = Arc::new(Mutex::new(Faults::default()));
    let shared = Arc::clone(&faults);
    device.set_device_lost_callback(move |reason, message| {
        log::warn!("device lost ({reason:?}): {message}");
        let message = if message.is_empty() { format!("{reason:?}") } else { message };
        lock(&shared).lost.get_or_insert(message);
    });
    let shared = Arc::clone(&faults);
    device.on_uncaptured_error(Arc::new(move |error| {
        log::error!("uncaptured device error: {error}");
        lock(&shared).uncaptured.get_or_insert(GpuError::from_driver(error, 0));
    }));
    faults
}

impl GpuError {
    /// The driver's error as a value; `bytes` were asked for.
    fn from_driver(error: wgpu::Error, bytes: u64) -> Self {
        match error {
            wgpu::Error::OutOfMemory { .. } => Self::OutOfMemory { bytes },
            wgpu::Error::Validation { description, .. } => Self::Validation(description),
            wgpu::Error::Internal { description, .. } => Self::Internal(description),
        }
    }
}

/// A size limit as programs see it: a multiple of 256 (the largest alignment of a binding) that 32-bit byte offsets
/// reach.
pub(super) fn rounded(bytes: u64) -> u64 {
    bytes.min(u64::from(u32::MAX)) & !255
}

fn program_limits(raw: &wgpu::Limits) -> Limits {
    Limits {
        max_storage_binding_bytes: rounded(raw.max_storage_buffer_binding_size.min(raw.max_buffer_size)),
        max_buffer_bytes: rounded(raw.max_buffer_size),
        max_workgroups_per_dimension: raw.max_compute_workgroups_per_dimension,
        max_workgroup_lanes: raw.max_compute_invocations_per_workgroup,
        max_workgroup_size: [
            raw.max_compute_workgroup_size_x,
            raw.max_compute_workgroup_size_y,
            raw.max_compute_workgroup_size_z,
        ],
        max_workgroup_memory_bytes: raw.max_compute_workgroup_storage_size,
        max_storage_buffers: raw.max_storage_buffers_per_shader_stage,
        cooperative: None,
    }
}

/// The smallest step that the host's clock shows in a few readings, ns.
#[must_use]
pub fn host_clock_step_ns() -> f64 {
    let step = || {
        let start = now();
        // A clock that stands still for long must not hold the caller for ever.
        (0..1_000_000).map(|_| start.elapsed()).find(|elapsed| !elapsed.is_zero()).unwrap_or_default()
    };
    (0..9).map(|_| step().as_secs_f64() * 1e9).fold(f64::INFINITY, f64::min)
}
