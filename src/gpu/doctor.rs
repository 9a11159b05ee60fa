//! What a machine offers and what it lacks, for `sectorscope doctor`.

use super::adapter::{Backend, adapters};
use crate::record::Adapter;

/// The findings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosis {
    /// One entry a backend.
    pub backends: Vec<BackendReport>,
    /// Environment variables that matter and are set.
    pub environment: Vec<(String, String)>,
    /// Files that matter, and whether they are there.
    pub files: Vec<(String, bool)>,
    /// Whether this is Linux inside Windows.
    pub wsl: bool,
    /// What to do, most useful first; empty where a GPU was found.
    pub advice: Vec<String>,
}

/// A backend and its adapters.
#[derive(Debug, Clone, PartialEq)]
pub struct BackendReport {
    /// The backend.
    pub backend: Backend,
    /// Whether this build has it.
    pub compiled: bool,
    /// What it offers.
    pub adapters: Vec<Adapter>,
}

/// Looks at the machine.
pub async fn diagnose() -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    for backend in Backend::ALL {
        let compiled = wgpu::Instance::enabled_backend_features().contains(backend.bits());
        let adapters = if compiled { adapters(Some(backend)).await } else { Vec::new() };
        diagnosis.backends.push(BackendReport { backend, compiled, adapters });
    }
    diagnosis
}
