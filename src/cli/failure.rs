//! How a call ends: the exit status, and what is said about it.

use std::process::ExitCode;

/// A call that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Everything is ok, or left out on purpose.
    Fine,
    /// A row failed, or something could not be written; it has been said.
    Failed,
    /// No adapter; predictions were printed.
    NoAdapter,
    /// Interrupted; finished rows were written.
    Interrupted,
}

/// A call that could not be carried out.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// Wrong usage or input; the text names it and says what to do.
    #[error("{0}")]
    Usage(String),
    /// There is no window to open.
    #[error("{0}")]
    NoWindow(String),
    /// It went wrong, or an output could not be written.
    #[error("{0}")]
    Failed(String),
}

/// The exit status of an interrupted call.
pub(super) const INTERRUPTED: u8 = 130;

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Failed => 1,
            Outcome::NoAdapter => 3,
            Outcome::Interrupted => INTERRUPTED,
        })
    }
}

impl Failure {
    /// Its exit status.
    pub(super) fn code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::NoWindow(_) => 3,
        })
    }

    /// An output that could not be written.
    pub(super) fn unwritten(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Self::Failed(format!("{what} could not be written: {error}"))
    }
}
