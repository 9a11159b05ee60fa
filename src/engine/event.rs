//! What a run says while it goes: command line and window are two listeners of the same events.

use crate::record::{Results, Row, Warning};

/// A stage of the run, for progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Executing shaders in the interpreter.
    Predict,
    /// Compiling, running once and checking against the oracle.
    Verify,
    /// Bringing the clocks up.
    WarmUp,
    /// Taking timed samples.
    Measure,
}

/// Something happened.
#[derive(Debug, Clone)]
pub enum Event {
    /// The run begins; the results so far hold everything but rows.
    Started {
        /// The document as it stands.
        results: Box<Results>,
        /// How many rows will come.
        rows: usize,
    },
    /// Work of a stage: `done` of `total` steps, now at `what`.
    Progress {
        /// The stage.
        stage: Stage,
        /// Steps finished.
        done: usize,
        /// Steps in all.
        total: usize,
        /// What is being worked on.
        what: String,
    },
    /// Row `index` (in suite order) is as final as it can be now; it may be sent again with more known.
    Row {
        /// Its place.
        index: usize,
        /// The row.
        row: Box<Row>,
    },
    /// Something about the whole run.
    Warning(Warning),
    /// The end; the whole document.
    Finished {
        /// The document.
        results: Box<Results>,
        /// Whether it was cancelled before its end.
        cancelled: bool,
    },
}
