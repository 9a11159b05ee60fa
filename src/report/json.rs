//! The results document as JSON, and back.

use std::io;

use super::{ReadError, repair_results};
use crate::record::{Results, SCHEMA};

/// The document, indented, with a newline at its end. Numbers that are not finite become null, and their row says so.
///
/// # Errors
/// Never for a document that Rust code can build; the serialiser's error otherwise.
pub fn to_bytes(results: &Results) -> io::Result<Vec<u8>> {
    let mut results = results.clone();
    repair_results(&mut results);
    pretty(&results)
}

/// Reads a document that [`to_bytes`] wrote. Unknown fields are ignored: later versions add some.
///
/// # Errors
/// No JSON, no schema, another schema, or a field that lacks or has the wrong type; with line and column.
pub fn from_bytes(bytes: &[u8]) -> Result<Results, ReadError> {
    read(bytes, SCHEMA)
}

/// Reads a document of a schema.
///
/// # Errors
/// As [`from_bytes`].
pub(super) fn read<T: serde::de::DeserializeOwned>(bytes: &[u8], schema: &'static str) -> Result<T, ReadError> {
    /// The only part of the document that is looked at before its form is known.
    #[derive(serde::Deserialize)]
    struct Head {
        schema: Option<String>,
    }
    // Some editors and shells put a byte order mark in front.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let head: Head = serde_json::from_slice(bytes)?;
    match head.schema {
        Some(found) if found == schema => Ok(serde_json::from_slice(bytes)?),
        Some(found) => Err(ReadError::WrongSchema { found, expected: schema }),
        None => Err(ReadError::NoSchema { expected: schema }),
    }
}

/// Any value as indented JSON with a newline at its end.
///
/// # Errors
/// The serialiser's.
pub fn pretty(value: &impl serde::Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}
