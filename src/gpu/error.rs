//! What can go wrong on a device, as values: nothing in this module panics.

use crate::record::Adapter;
use crate::units::Bytes;

/// A device could not be opened or could not do what was asked.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// The machine shows no adapter at all.
    #[error("no GPU adapter found (searched: {searched}); `sectorscope doctor` says what is missing")]
    NoAdapter {
        /// The backends that were searched.
        searched: String,
    },
    /// The wanted adapter is not in the list.
    #[error("no adapter matches '{wanted}'; there are:\n{}", list(.adapters))]
    NotFound {
        /// What was asked for.
        wanted: String,
        /// What there is.
        adapters: Vec<Adapter>,
    },
    /// Several adapters match.
    #[error("'{wanted}' matches more than one adapter; choose by index, or add --backend:\n{}", list(.adapters))]
    Ambiguous {
        /// What was asked for.
        wanted: String,
        /// Those that match.
        adapters: Vec<Adapter>,
    },
    /// The adapter draws, but runs no compute shaders.
    #[error("no compute shaders on this adapter: {adapter}")]
    NoCompute {
        /// Its name.
        adapter: String,
    },
    /// The driver refused to open the device.
    #[error("the device could not be opened: {0}")]
    NoDevice(String),
    /// The device lacks a feature.
    #[error("this device does not support {0}")]
    Unsupported(String),
    /// The adapter has no cooperative matrices that kernels can use.
    #[error("{0}")]
    NoCooperativeMatrices(String),
    /// More than a limit of the device allows.
    #[error("{what} is {wanted}, but this device allows at most {limit}")]
    OverLimit {
        /// What is limited, with its unit.
        what: String,
        /// What was asked for.
        wanted: u64,
        /// The most there can be.
        limit: u64,
    },
    /// The program does not fit its shader.
    #[error("the program does not fit its shader: {0}")]
    Program(String),
    /// The shader or a call was refused.
    #[error("{0}")]
    Validation(String),
    /// Memory ran out.
    #[error("not enough device memory ({} were asked for)", Bytes(*.bytes))]
    OutOfMemory {
        /// How much was asked for, all buffers of the failed step together.
        bytes: u64,
    },
    /// The device is gone: reset by a watchdog, unplugged, or destroyed.
    #[error("the device was lost: {0}")]
    DeviceLost(String),
    /// The device did not finish in time.
    #[error("the device did not finish within {seconds} s")]
    TimedOut {
        /// How long it was waited for.
        seconds: u64,
    },
    /// The driver failed in a way that has no better name.
    #[error("the driver failed: {0}")]
    Internal(String),
}

impl GpuError {
    /// Whether it says what the device cannot do, as opposed to what went wrong.
    #[must_use]
    pub const fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unsupported(_) | Self::OverLimit { .. } | Self::NoCompute { .. })
    }

    /// Whether the device itself is of no more use, so that a new one must be opened.
    #[must_use]
    pub const fn is_fatal(&self) -> bool {
        matches!(self, Self::DeviceLost(_) | Self::TimedOut { .. })
    }
}

/// One line an adapter, as in `sectorscope adapters`.
fn list(adapters: &[Adapter]) -> String {
    let line = |adapter: &Adapter| {
        format!("  [{}] {} ({}, {})", adapter.index, adapter.name, adapter.backend, adapter.device_type)
    };
    adapters.iter().map(line).collect::<Vec<_>>().join("\n")
}
