//! Pieces of generated WGSL.

/// ` + 5u`, and nothing for 0.
pub(super) fn plus(offset: u64) -> String {
    if offset == 0 { String::new() } else { format!(" + {offset}u") }
}

/// A text that grows by indented lines.
#[derive(Default)]
pub(super) struct Lines(pub String);

impl Lines {
    pub(super) fn line(&mut self, depth: usize, text: &str) {
        if !text.is_empty() {
            self.0.push_str(&"    ".repeat(depth));
            self.0.push_str(text);
        }
        self.0.push('\n');
    }
}
