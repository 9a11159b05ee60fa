//! A WGSL text as words with their places, and changes of it. Enough to find a declaration, an index or a member; whether
//! a changed text means the same is for the interpreter to say.

use std::ops::Range;

/// A word, a number or a sign of the text, comments left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) range: Range<usize>,
}

/// A replacement of a stretch of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// A text and its tokens.
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, tokens: tokens(text) }
    }

    /// Token `k` as it is written; empty past the end.
    pub(super) fn word(&self, k: usize) -> &'a str {
        self.tokens.get(k).and_then(|token| self.text.get(token.range.clone())).unwrap_or("")
    }

    /// The text of tokens, with what stands between them.
    pub(super) fn span(&self, tokens: Range<usize>) -> &'a str {
        self.bytes(&tokens).and_then(|range| self.text.get(range)).unwrap_or("")
    }

    /// Where tokens stand.
    pub(super) fn bytes(&self, tokens: &Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.tokens.get(tokens.start)?, self.tokens.get(tokens.end.checked_sub(1)?)?);
        (tokens.start < tokens.end).then_some(first.range.start..last.range.end)
    }

    /// The token behind the one that closes the bracket at `open`.
    pub(super) fn behind(&self, open: usize) -> Option<usize> {
        let (opening, closing) = match self.word(open) {
            "(" => ("(", ")"),
            "[" => ("[", "]"),
            "{" => ("{", "}"),
            "<" => ("<", ">"),
            _ => return None,
        };
        let mut depth = 0usize;
        for k in open..self.tokens.len() {
            let word = self.word(k);
            if word == opening {
                depth += 1;
            } else if word == closing {
                depth -= 1;
                if depth == 0 {
                    return Some(k + 1);
                }
            }
        }
        None
    }

    /// Every place where these words follow each other.
    pub(super) fn find(&self, words: &[&str]) -> Vec<usize> {
        (0..self.tokens.len()).filter(|k| words.iter().enumerate().all(|(i, word)| self.word(k + i) == *word)).collect()
    }

    /// The body of a function: the tokens from its `{` to behind its `}`.
    pub(super) fn body(&self, function: &str) -> Option<Range<usize>> {
        let start = *self.find(&["fn", function]).first()?;
        let arguments = self.behind(start + 2)?;
        let open = (arguments..self.tokens.len()).find(|k| self.word(*k) == "{")?;
        Some(open..self.behind(open)?)
    }

    /// The declaration of a module's variable.
    pub(super) fn declaration(&self, variable: &str) -> Option<Declaration> {
        for var in self.find(&["var", "<"]) {
            let name = self.behind(var + 1)?;
            if self.word(name) != variable || self.word(name + 1) != ":" {
                continue;
            }
            let end = (name..self.tokens.len()).find(|k| matches!(self.word(*k), ";" | "="))?;
            return Some(Declaration { ty: name + 2..end });
        }
        None
    }

    /// The line of a byte, from 1.
    fn line(&self, byte: usize) -> u32 {
        let before = self.text.get(..byte).unwrap_or(self.text);
        u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX)
    }

    /// The text with changes, which must not overlap.
    pub(super) fn patched(&self, patches: &[Patch]) -> String {
        let mut sorted: Vec<&Patch> = patches.iter().collect();
        sorted.sort_by_key(|patch| (patch.range.start, patch.range.end));
        let (mut text, mut at) = (String::with_capacity(self.text.len()), 0);
        for patch in sorted {
            text.push_str(self.text.get(at..patch.range.start).unwrap_or(""));
            text.push_str(&patch.text);
            at = patch.range.end.max(at);
        }
        text.push_str(self.text.get(at..).unwrap_or(""));
        text
    }

    /// The lines that changes touch, each as it then stands. No change adds a line or takes one away.
    pub(super) fn patched_lines(&self, patches: &[Patch]) -> Vec<(u32, String)> {
        let mut lines: Vec<u32> = patches.iter().map(|patch| self.line(patch.range.start)).collect();
        lines.sort_unstable();
        lines.dedup();
        let patched = self.patched(patches);
        let texts: Vec<&str> = patched.lines().collect();
        lines
            .into_iter()
            .filter_map(|line| texts.get(line as usize - 1).map(|text| (line, (*text).to_owned())))
            .collect()
    }
}

/// A module's variable.
pub(super) struct Declaration {
    /// The tokens of its type.
    pub(super) ty: Range<usize>,
}

/// A number of a text, and what is written behind its digits.
pub(super) fn number(word: &str) -> Option<(u32, &str)> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = word.split_at(digits);
    matches!(suffix, "" | "u" | "i").then(|| number.parse().ok())?.map(|number| (number, suffix))
}

/// Whether a word is a name.
pub(super) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            at = comment_end(bytes, at);
        } else if let Some(c) = rest.chars().next().filter(|c| c.is_whitespace()) {
            at += c.len_utf8();
        } else {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let word: usize = rest.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
            // A decimal point belongs to its number: `1.5`, and never to a name: `g.x`.
            let starts_with_digit = rest.starts_with(|c: char| c.is_ascii_digit());
            let fraction = rest.get(word..).filter(|tail| starts_with_digit && tail.starts_with('.'));
            let fraction = fraction
                .map_or(0, |tail| 1 + tail[1..].chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum::<usize>());
            let sign = rest.chars().next().map_or(1, char::len_utf8);
            let length = if word > 0 { word + fraction } else { sign };
            tokens.push(Token { range: at..at + length });
            at += length;
        }
    }
    tokens
}

/// The byte behind a block comment; they nest.
fn comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while at < bytes.len() {
        let pair = bytes.get(at..at + 2);
        if pair == Some(b"/*") {
            depth += 1;
            at += 2;
        } else if pair == Some(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_places_and_comments_have_none() {
        let text = Text::new("a /* b /* c */ d */ = 1.5 * g.x; // e\nf[2u]");
        let words: Vec<&str> = (0..text.tokens.len()).map(|k| text.word(k)).collect();
        assert_eq!(words, ["a", "=", "1.5", "*", "g", ".", "x", ";", "f", "[", "2u", "]"]);
        assert_eq!(text.line(text.tokens[8].range.start), 2);
        // A multi-byte comment that never ends is no reason to panic.
        assert!(Text::new("/* ä").tokens.is_empty());
    }

    #[test]
    fn declarations_and_bodies_are_found() {
        let text = Text::new("@group(0) @binding(0) var<storage, read> a: array<f32>;\nfn main() { if (x) { a[1]; } }");
        let a = text.declaration("a").unwrap();
        assert_eq!(text.span(a.ty), "array<f32>");
        let body = text.body("main").unwrap();
        assert_eq!(text.span(body), "{ if (x) { a[1]; } }");
    }

    #[test]
    fn patches_keep_the_rest() {
        let text = Text::new("x\n  y z\n");
        let y = text.tokens[1].range.clone();
        let patches =
            [Patch { range: y.clone(), text: "yy".into() }, Patch { range: y.start..y.start, text: "+".into() }];
        assert_eq!(text.patched(&patches), "x\n  +yy z\n");
        assert_eq!(text.patched_lines(&patches), [(2, "  +yy z".to_owned())]);
    }

    #[test]
    fn numbers_have_suffixes() {
        assert_eq!(
            (number("32u"), number("7"), number("1.5"), number("x")),
            (Some((32, "u")), Some((7, "")), None, None)
        );
    }
}
