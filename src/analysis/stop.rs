//! What ends an execution early and still leaves a report.

use crate::interpreter::InterpretError;
use crate::record::prediction::LineWarning;

/// What stands between the reason of an early end and the cure that the command line of predictions has.
const REACHED: &str = "; the counts are those of what was executed before; ";

/// The reason alone of a warning of an early end: for those who show no counts.
#[must_use]
pub fn what_ended(warning: &LineWarning) -> &str {
    warning.text.split_once(REACHED).map_or(warning.text.as_str(), |(reason, _)| reason)
}

/// Why an execution ended early; the counts are those of what was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stop {
    code: &'static str,
    line: Option<u32>,
    text: String,
}

impl Stop {
    /// The error as the end of an execution, or the error again where there is nothing to report.
    pub(super) fn of(error: InterpretError) -> Result<Self, InterpretError> {
        let (code, line, cure) = match &error {
            InterpretError::StepBudget { position, depends_on, .. } => (
                "step_budget",
                Some(position.line),
                if !depends_on.is_empty() {
                    "give it contents that end the loop, or allow more with --max-steps"
                } else {
                    "allow more with --max-steps if the loop does end"
                },
            ),
            InterpretError::DivergentBarrier { position } => {
                ("divergent_barrier", Some(position.line), "a GPU may hang here; move the barrier out of the condition")
            }
            InterpretError::DividedSubgroup { position, .. } => {
                ("divided_subgroup", Some(position.line), "let whole subgroups take part")
            }
            InterpretError::Unsupported { position, .. } => {
                ("unsupported", Some(position.line), "what follows was not executed")
            }
            _ => return Err(error),
        };
        // The line stands beside the text.
        let message = error.to_string();
        let message = message.split_once(": ").map_or(message.as_str(), |(_, message)| message);
        let text = format!("{message}{REACHED}{cure}");
        Ok(Self { code, line, text })
    }

    pub(super) fn warning(&self) -> LineWarning {
        LineWarning { code: self.code.to_owned(), line: self.line, text: self.text.clone() }
    }
}
