//! The user's own kernel: its text, what is typed for its inputs, and what of it is looked at.

mod act;
mod typed;

use serde::{Deserialize, Serialize};

pub use act::{Act, carry_out};
pub use typed::{Typed, default_text};

/// What stands in the editor before anything was opened.
pub const EXAMPLE: &str = include_str!("../../../assets/examples/halve.wgsl");
/// Its settings: the whole matrix.
const EXAMPLE_DISPATCH: &str = "16,16";
/// Most bytes of a text that the editor takes: far more than any kernel has, and still laid out in a frame.
pub const MOST_BYTES: usize = 128 << 10;

/// Which access of the text is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The line; `None`: the one that wastes most.
    pub line: Option<u32>,
    /// The access of that line, in the order of execution.
    pub access: usize,
    /// The subgroup.
    pub subgroup: usize,
}

/// The kernel. What follows from it is not here: [`crate::app::Forecasts`] works it out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OwnKernel {
    /// The file that it came from, for people; `None` where it was typed or pasted.
    pub file: Option<String>,
    /// The text.
    pub text: String,
    /// What is typed for its inputs.
    pub typed: Typed,
    /// Which access is looked at.
    #[serde(skip)]
    pub look: Look,
}

impl Default for OwnKernel {
    fn default() -> Self {
        let typed = Typed::default().with("dispatch", EXAMPLE_DISPATCH);
        Self { file: None, text: EXAMPLE.to_owned(), typed, look: Look::default() }
    }
}

impl OwnKernel {
    /// As stored; the example where that is not readable.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        let stored: Option<Self> = serde_json::from_str(text).ok();
        stored.filter(|own| own.text.len() <= MOST_BYTES).unwrap_or_default()
    }

    /// For storage.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
