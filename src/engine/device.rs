//! A device that stays open between runs, and what is known of it before the first.

use crate::gpu::{AdapterChoice, Gpu, GpuError};
use crate::memory_model::{self, GpuFacts, MemoryModel};
use crate::platform;
use crate::program::Limits;
use crate::record::Adapter;

use super::footprint;
use super::prologue::identity;
use super::request::Request;

/// A device that stays open between runs: opening one costs a good part of a second. Between runs it holds no buffers.
#[derive(Debug, Default)]
pub struct Device {
    open: Option<(AdapterChoice, Gpu)>,
}

/// What is known of a device before anything was measured on it.
#[derive(Debug, Clone)]
pub struct Found {
    /// The device as its driver describes it.
    pub adapter: Adapter,
    /// The memory model that fits it.
    pub model: MemoryModel,
    /// What a data sheet says of it.
    pub facts: Option<GpuFacts>,
    /// What it allows.
    pub limits: Limits,
    /// The footprint of a run that names none, bytes.
    pub footprint_bytes: u64,
}

impl Device {
    /// Opens the device that the request names, unless it is open, and says what is known of it.
    ///
    /// # Errors
    /// No such device, none at all, or the driver's refusal; with what to do.
    pub async fn look(&mut self, request: &Request) -> Result<Found, String> {
        let choice = choice(request)?;
        let gpu = self.take(&choice).await.map_err(|error| error.to_string())?;
        let (adapter, limits) = (gpu.adapter().clone(), gpu.limits());
        self.keep(choice, gpu);
        let identity = identity(&adapter);
        let facts = memory_model::lookup(&identity);
        let memory = platform::host().memory_bytes;
        Ok(Found {
            footprint_bytes: footprint::default_bytes(facts.as_ref(), adapter.is_cpu(), memory, &limits),
            model: memory_model::for_adapter(&identity),
            facts,
            limits,
            adapter,
        })
    }

    /// The open device if it is the chosen one and well, else a fresh one.
    pub(super) async fn take(&mut self, choice: &AdapterChoice) -> Result<Gpu, GpuError> {
        match self.open.take() {
            Some((open, gpu)) if open == *choice && gpu.lost().is_none() => Ok(gpu),
            _ => Gpu::open(choice).await,
        }
    }

    /// Keeps a device for the next run, without its buffers; lets go of one that failed.
    pub(super) fn keep(&mut self, choice: AdapterChoice, mut gpu: Gpu) {
        gpu.release();
        self.open = gpu.lost().is_none().then_some((choice, gpu));
    }
}

/// The adapter that a request means.
///
/// # Errors
/// A word that is no backend.
pub(super) fn choice(request: &Request) -> Result<AdapterChoice, String> {
    let backend = request.backend.as_deref().map(str::parse).transpose()?;
    Ok(AdapterChoice { backend, adapter: request.adapter.clone() })
}
