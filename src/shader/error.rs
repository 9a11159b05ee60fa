//! What can be wrong with a WGSL text or with how it is asked for.

use super::MOST_BYTES;
use crate::trace::Position;

/// What is wrong, where, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShaderError {
    /// Nothing but white space.
    #[error("the WGSL text is empty")]
    Empty,
    /// A syntax or validation error.
    #[error("line {}, column {}: {message}{}{hint}\n{excerpt}", position.line, position.column, if hint.is_empty() { "" } else { ": " })]
    Invalid {
        /// Where.
        position: Position,
        /// What.
        message: String,
        /// More of it, or empty.
        hint: String,
        /// The line with a caret.
        excerpt: String,
    },
    /// A template, or the input of a preprocessor.
    #[error("line {}, column {}: `{mark}` is {advice}\n{excerpt}", position.line, position.column)]
    NotPlain {
        /// Where.
        position: Position,
        /// What stands there.
        mark: String,
        /// What it is and what to paste instead.
        advice: &'static str,
        /// The line with a caret.
        excerpt: String,
    },
    /// A file that is no text.
    #[error("it is no WGSL text: {0}")]
    Binary(String),
    /// More text than any kernel has.
    #[error("the text has {bytes} bytes; the most that is taken is {MOST_BYTES}: give the shader alone")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Only functions, or only other stages.
    #[error("there is no compute entry point{others}: a function needs @compute @workgroup_size(..)")]
    NoComputeEntryPoint {
        /// `; there are fragment fs, vertex vs`, or nothing.
        others: String,
    },
    /// More than one, and nobody says which.
    #[error("there are several compute entry points: name one of {known} (--entry NAME)")]
    SeveralEntryPoints {
        /// Those there are.
        known: String,
    },
    /// There is none of this name.
    #[error("there is no compute entry point '{entry}'{near}; there are {known}")]
    UnknownEntryPoint {
        /// As asked for.
        entry: String,
        /// The nearest as a question, or nothing.
        near: String,
        /// Those there are.
        known: String,
    },
    /// Overrides without default were given no value.
    #[error("{} no default: give {}", if missing.len() == 1 { "an override has" } else { "overrides have" }, missing.join(" "))]
    MissingOverrides {
        /// Each as its option: `--override N=VALUE (u32)`.
        missing: Vec<String>,
    },
    /// There is no override of this name.
    #[error("there is no override '{name}'{near}; there are {known}")]
    UnknownOverride {
        /// As given.
        name: String,
        /// The nearest as a question, or nothing.
        near: String,
        /// Those there are.
        known: String,
    },
    /// A value that an override cannot have.
    #[error("an override cannot have its value: {0}")]
    Override(String),
    /// A uniform member is not there, or was given no value.
    #[error("uniform {block}: {what}; its members are {known}")]
    Uniform {
        /// The variable.
        block: String,
        /// What is wrong.
        what: String,
        /// The members there are.
        known: String,
    },
    /// A construct whose layout is not known here.
    #[error("the layout of {0} cannot be computed")]
    Layout(String),
}

impl ShaderError {
    /// Where in the text it is, if it is in one place.
    #[must_use]
    pub const fn position(&self) -> Option<Position> {
        match self {
            Self::Invalid { position, .. } | Self::NotPlain { position, .. } => Some(*position),
            _ => None,
        }
    }
}
