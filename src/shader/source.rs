//! A WGSL text as its author sees it: lines and columns in characters, error messages with a caret.

use naga::valid::ValidationError;
use naga::{Span, WithSpan};

use super::ShaderError;
use super::scan::{blank_extensions, too_deep};
use super::template::first_mark;
use crate::trace::Position;

/// A text without byte-order mark, its offsets in bytes as naga's spans have them.
#[derive(Debug, Clone)]
pub struct Source {
    text: String,
    /// Byte offset at which each line begins.
    lines: Vec<usize>,
}

impl Source {
    /// Takes a text as it stands in a file. Lines end with LF, CRLF or CR.
    #[must_use]
    pub fn new(wgsl: &str) -> Self {
        let text = wgsl.strip_prefix('\u{FEFF}').unwrap_or(wgsl);
        // naga has subgroup operations and refuses the line that enables them. Spaces keep every column.
        let text = blank_extensions(text);
        let bytes = text.as_bytes();
        let ends_line = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
        let lines = std::iter::once(0).chain((0..bytes.len()).filter(ends_line).map(|at| at + 1)).collect();
        Self { text, lines }
    }

    /// What naga is given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is nothing but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The line and the column in characters of a byte offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let before = self.text.get(self.lines[line - 1]..offset).unwrap_or_default();
        let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Position { line: narrow(line), column: narrow(before.chars().count() + 1) }
    }

    /// Where a span begins; line 1, column 1 for one that naga did not set.
    #[must_use]
    pub(crate) fn start(&self, span: Span) -> Position {
        self.position(span.to_range().map_or(0, |range| range.start))
    }

    /// A line by its number, which counts from 1, without its end.
    fn line(&self, number: usize) -> &str {
        let start = self.lines.get(number.wrapping_sub(1)).copied().unwrap_or(self.text.len());
        let end = self.lines.get(number).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// The position, the line and a caret under the column, tabs kept so that it stands right.
    fn excerpt(&self, position: Position) -> String {
        /// Characters of a longer line that are shown before and behind the place.
        const AROUND: usize = 70;
        let line: Vec<char> = self.line(position.line as usize).chars().collect();
        let at = (position.column as usize - 1).min(line.len());
        let (start, end) = if line.len() > 2 * AROUND {
            (at.saturating_sub(AROUND), (at + AROUND).min(line.len()))
        } else {
            (0, line.len())
        };
        let before = if start > 0 { ".. " } else { "" };
        let behind = if end < line.len() { " .." } else { "" };
        let shown: String = line[start..end].iter().collect();
        let indent: String = line[start..at].iter().map(|c| if *c == '\t' { '\t' } else { ' ' }).collect();
        let number = position.line.to_string();
        let gutter = " ".repeat(number.len());
        let margin = " ".repeat(before.len());
        format!("{gutter} |\n{number} | {before}{shown}{behind}\n{gutter} | {margin}{indent}^")
    }

    pub(super) fn parse_error(&self, error: &naga::front::wgsl::ParseError) -> ShaderError {
        if let Some(mark) = first_mark(&self.text) {
            let position = self.position(mark.at);
            let excerpt = self.excerpt(position);
            return ShaderError::NotPlain { position, mark: mark.mark, advice: mark.advice, excerpt };
        }
        let offset = error.labels().find_map(|(span, _)| span.to_range()).map_or(0, |range| range.start);
        // The label often says the message again.
        let hints = error.labels().map(|(_, hint)| hint).filter(|hint| !error.message().contains(hint));
        let hints = hints.chain(error.notes());
        let mut hints: Vec<&str> = hints.filter(|hint| !hint.is_empty()).collect();
        if error.message().starts_with("no definition in scope") {
            hints.push("a declaration that your program puts in front of the text has to be pasted too");
        }
        self.error(offset, error.message(), &hints.join("; "))
    }

    pub(super) fn validation_error(&self, error: &WithSpan<ValidationError>) -> ShaderError {
        let mut causes = vec![error.as_inner().to_string()];
        let mut cause = std::error::Error::source(error.as_inner());
        while let Some(inner) = cause {
            causes.push(inner.to_string());
            cause = inner.source();
        }
        // The smallest is the innermost: others are the functions and types around it.
        let spans = error.spans().filter_map(|(span, label)| span.to_range().map(|range| (range, label)));
        let innermost = spans.min_by_key(|(range, _)| range.len());
        let (offset, label) = innermost.map_or((0, ""), |(range, label)| (range.start, label.as_str()));
        // Labels such as `naga::ir::Function [0]` tell an author nothing.
        self.error(offset, &causes.join(": "), if label.starts_with("naga::") { "" } else { label })
    }

    /// A text that would exhaust the parser's stack.
    pub(super) fn too_deep(&self) -> Option<ShaderError> {
        let (offset, what) = too_deep(&self.text)?;
        Some(self.error(offset, &what, "the most that is taken; split it into several statements or functions"))
    }

    fn error(&self, offset: usize, message: &str, hint: &str) -> ShaderError {
        /// Messages quote names, which may be as long as the text.
        const LONGEST: usize = 300;
        let shorten = |text: &str| match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}..", &text[..end]),
            None => text.to_owned(),
        };
        let position = self.position(offset);
        ShaderError::Invalid {
            position,
            message: shorten(message),
            hint: shorten(hint),
            excerpt: self.excerpt(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let source = Source::new("\u{FEFF}// é\r\nlet ü = x;\n");
        let offset = source.text().find('=').unwrap();
        assert_eq!(source.position(offset), Position { line: 2, column: 7 });
        assert_eq!(source.position(usize::MAX).line, 3);
    }

    #[test]
    fn every_line_end_counts_once() {
        let source = Source::new("a\nb\r\nc\rd\n");
        let places = ["a", "b", "c", "d"].map(|word| source.position(source.text().find(word).unwrap()));
        assert_eq!(places.map(|place| (place.line, place.column)), [(1, 1), (2, 1), (3, 1), (4, 1)]);
        assert_eq!((1..=5).map(|k| source.line(k)).collect::<Vec<_>>(), ["a", "b", "c", "d", ""]);
    }

    #[test]
    fn an_excerpt_points_with_tabs_kept() {
        let source = Source::new("fn f() {\n\tlet a = ?;\n}");
        let position = source.position(source.text().find('?').unwrap());
        assert_eq!(source.excerpt(position), "  |\n2 | \tlet a = ?;\n  | \t        ^");
    }
}
