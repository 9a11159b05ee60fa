//! Why an execution ended early.

use crate::shader::ShaderError;
use crate::trace::Position;

/// A construct that cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// What.
    pub construct: String,
    /// Where.
    pub position: Position,
}

/// Why an execution ended early. Nothing here is a panic: any text that naga accepts runs or ends in one of these.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterpretError {
    /// The text is not a shader.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// A construct that is not covered, where everything must be, or one that leaves nothing to execute.
    #[error("line {}, column {}: {construct} is not supported by the interpreter", position.line, position.column)]
    Unsupported {
        /// What.
        construct: String,
        /// Where.
        position: Position,
    },
    /// A barrier that not all lanes of the workgroup reach together.
    #[error("line {}, column {}: barrier under a lane-dependent condition: not every lane of the workgroup reaches it", position.line, position.column)]
    DivergentBarrier {
        /// Where.
        position: Position,
    },
    /// A cooperative matrix that the lanes of a subgroup do not move as one.
    #[error("line {}, column {}: cooperative matrix: {what}", position.line, position.column)]
    DividedSubgroup {
        /// How the lanes differ.
        what: String,
        /// Where.
        position: Position,
    },
    /// More turns of loops and calls than allowed.
    #[error("line {}, column {}: stopped after {steps} steps{}", position.line, position.column, waits_for(depends_on))]
    StepBudget {
        /// The innermost loop, or the call.
        position: Position,
        /// How many steps were taken.
        steps: u64,
        /// The buffers whose contents decide when the loop ends.
        depends_on: Vec<String>,
    },
    /// The cancel flag was set.
    #[error("cancelled")]
    Cancelled,
    /// The program does not fit its shader.
    #[error("{0}")]
    Program(String),
}

fn waits_for(buffers: &[String]) -> String {
    if buffers.is_empty() { String::new() } else { format!("; whether it ends depends on {}", buffers.join(", ")) }
}
