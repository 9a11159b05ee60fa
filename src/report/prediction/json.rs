//! The prediction document as JSON, and back.

use std::io;

use crate::record::prediction::{PredictionDocument, SCHEMA};
use crate::report::ReadError;
use crate::report::json::{pretty, read};

/// The document, indented, with a newline at its end.
///
/// # Errors
/// Never for a document that Rust code can build; the serialiser's error otherwise.
pub fn to_bytes(document: &PredictionDocument) -> io::Result<Vec<u8>> {
    pretty(document)
}

/// Reads a document that [`to_bytes`] wrote. Unknown fields are ignored: later versions add some.
///
/// # Errors
/// No JSON, no schema, another schema, or a field that lacks or has the wrong type; with line and column.
pub fn from_bytes(bytes: &[u8]) -> Result<PredictionDocument, ReadError> {
    read(bytes, SCHEMA)
}
