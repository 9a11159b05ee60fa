//! Records to bytes: JSON, CSV, a table for a terminal, Markdown, a comparison. Sees no device and writes nowhere.

mod cells;
pub mod compare;
pub mod csv;
mod finite;
pub mod json;
mod ladder;
pub mod markdown;
pub mod prediction;
pub mod roofline;
pub(crate) mod shapes;
pub mod summary;
#[cfg(feature = "cli")]
pub mod table;
mod wrap;

pub use cells::{HEADERS, cells, device, heading, notes};
pub use finite::{repair_results, repair_row};

/// Why a document could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The bytes are no JSON, or lack something.
    #[error("not such a document: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON without a schema.
    #[error("it names no schema; expected \"{expected}\", as written with --json")]
    NoSchema {
        /// What this program reads there.
        expected: &'static str,
    },
    /// A document of another kind or version.
    #[error("its schema is \"{found}\"; this program reads \"{expected}\" here")]
    WrongSchema {
        /// What the document says.
        found: String,
        /// What this program reads there.
        expected: &'static str,
    },
}
