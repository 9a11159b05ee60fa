//! What can be wrong with a WGSL text or with how it is asked for.

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
    /// Only functions, or only other stages.
    #[error("there is no compute entry point: a function needs @compute @workgroup_size(..)")]
    NoComputeEntryPoint,
    /// There is none of this name.
    #[error("there is no compute entry point '{entry}'; there are {known}")]
    UnknownEntryPoint {
        /// As asked for.
        entry: String,
        /// Those there are.
        known: String,
    },
    /// An override without default was given no value.
    #[error("override {name} has no default: set it with --override {name}=VALUE")]
    MissingOverride {
        /// Its name.
        name: String,
    },
    /// There is no override of this name.
    #[error("there is no override '{name}'; there are {known}")]
    UnknownOverride {
        /// As given.
        name: String,
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
