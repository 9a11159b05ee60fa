//! What can be done with the user's kernel.

use super::{Look, OwnKernel, Typed};

/// Something that the user did in the view "Your WGSL".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Have this text in the editor.
    Text(String),
    /// Have this in a field of the inputs.
    Type {
        /// The field, as in a file of settings.
        field: String,
        /// What stands in it now.
        text: String,
    },
    /// Have these inputs.
    Inputs(Typed),
    /// Look at this access.
    Look(Look),
    /// Have a text from elsewhere, with its own inputs.
    Take {
        /// Where it is from.
        file: Option<String>,
        /// The text.
        text: String,
        /// Its inputs.
        typed: Typed,
    },
}

/// Does it.
pub fn carry_out(own: &mut OwnKernel, act: Act) {
    match act {
        Act::Text(text) => own.text = text,
        Act::Type { field, text } => {
            own.typed = std::mem::take(&mut own.typed).with(&field, &text);
        }
        Act::Inputs(typed) => own.typed = typed,
        Act::Look(look) => own.look = look,
        Act::Take { file, text, typed } => {
            // As the editor has lines: a mark at the beginning and a second letter at line ends are not shown.
            let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
            *own = OwnKernel { file, text, typed, look: Look::default() };
        }
    }
}
