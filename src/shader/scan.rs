//! The text before naga sees it: what would exhaust the stack of its recursive parser is refused with a position, and
//! extensions that naga has without knowing their names are blanked.

/// A piece of text that matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or a number.
    Word(&'a str),
    /// Anything else, one character at a time.
    Symbol(char),
}

/// The tokens of a text with their byte offsets, comments and white space left out.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let first = rest.chars().next()?;
            if let Some(length) = comment(rest) {
                at += length;
            } else if first.is_whitespace() {
                at += first.len_utf8();
            } else {
                let start = at;
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                if length > 0 {
                    at += length;
                    return Some((start, Token::Word(&rest[..length])));
                }
                at += first.len_utf8();
                return Some((start, Token::Symbol(first)));
            }
        }
    })
}

/// The length of the comment that a text begins with. Block comments nest; one without an end goes to the end.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") if depth == 1 => return Some(at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    Some(text.len())
}

// The limits that follow leave a stack of 2 MiB (a thread's, where nobody says) at least three quarters free, measured
// with naga 30.0.2 and optimisation level 1: 1600 operators, 800 else-ifs and 6000 declarations still fit there.

/// Most parentheses and square brackets within each other.
pub const MOST_BRACKETS: usize = 100;
/// Most blocks within each other, each `else if` counted: it is an `if` inside an `else`.
pub const MOST_BLOCKS: usize = 100;
/// Most operators, indices, members and calls in a chain within an expression: how deep its tree is.
pub const MOST_OPERATORS: usize = 400;
/// Most declarations outside of functions: each may refer to the next, which the parser follows.
pub const MOST_DECLARATIONS: usize = 2000;
/// Most names, numbers and signs in one function: the parser's time grows with the square of its length, one second here.
pub const MOST_TOKENS: usize = 60_000;

/// A bracket that is open, and the height of the expression in it so far.
#[derive(Default)]
struct Level {
    is_block: bool,
    /// Operators since the expression began.
    operators: usize,
    /// The height of the highest bracketed part of it.
    highest: usize,
    /// The height of the highest expression before it, in a list of them.
    before: usize,
    /// `else if`s of the chain at hand.
    chain: usize,
}

impl Level {
    /// Of the highest expression so far.
    fn height(&self) -> usize {
        self.before.max(self.operators + self.highest)
    }
}

/// Where a text goes deeper than a parser's stack, and how.
pub(super) fn too_deep(text: &str) -> Option<(usize, String)> {
    let mut levels = vec![Level { is_block: true, ..Level::default() }];
    let (mut blocks, mut brackets, mut declarations, mut in_function) = (0, 0, 0, 0);
    let mut after_block = false;
    let mut after_else = false;
    for (at, token) in tokens(text) {
        // The outermost block; what lies in other brackets there, such as a table of constants, is read in no time.
        in_function = if levels.get(1).is_some_and(|level| level.is_block) { in_function + 1 } else { 0 };
        let depth = levels.len();
        let level = levels.last_mut()?;
        if after_block && token != Token::Word("else") {
            blocks -= level.chain;
            level.chain = 0;
        }
        if after_else && token == Token::Word("if") {
            level.chain += 1;
            blocks += 1;
        }
        after_else = after_block && token == Token::Word("else");
        after_block = false;
        let is_declaration = matches!(token, Token::Word("const" | "override" | "var" | "fn" | "struct" | "alias"));
        if is_declaration && depth == 1 {
            declarations += 1;
        }
        match token {
            Token::Symbol(open @ ('(' | '[' | '{')) => {
                level.operators += 1;
                let is_block = open == '{';
                blocks += usize::from(is_block);
                brackets += usize::from(!is_block);
                levels.push(Level { is_block, ..Level::default() });
            }
            // A bracket too many is the parser's to report.
            Token::Symbol(')' | ']' | '}') if depth > 1 => {
                let inner = levels.pop().unwrap_or_default();
                let height = inner.height();
                blocks -= usize::from(inner.is_block) + inner.chain;
                brackets -= usize::from(!inner.is_block);
                after_block = inner.is_block;
                let outer = levels.last_mut()?;
                if inner.is_block {
                    *outer = Level { is_block: outer.is_block, chain: outer.chain, ..Level::default() };
                } else {
                    outer.highest = outer.highest.max(height);
                }
            }
            Token::Symbol(';' | ',') => {
                level.before = if token == Token::Symbol(',') { level.height() } else { 0 };
                (level.operators, level.highest) = (0, 0);
            }
            Token::Symbol(c) if "+-*/%&|^<>=!~.:".contains(c) => level.operators += 1,
            Token::Symbol(_) | Token::Word(_) => {}
        }
        let height = levels.last().map_or(0, Level::height);
        let too_many = [
            (blocks, MOST_BLOCKS, "blocks or else-ifs within each other"),
            (brackets, MOST_BRACKETS, "brackets within each other"),
            (height, MOST_OPERATORS, "operators in one expression"),
            (in_function, MOST_TOKENS, "names, numbers and signs in one function"),
            (declarations, MOST_DECLARATIONS, "declarations outside of functions"),
        ];
        if let Some((_, most, what)) = too_many.into_iter().find(|(count, most, _)| count > most) {
            return Some((at, format!("there are more than {most} {what}")));
        }
    }
    None
}

/// Extensions that naga implements and whose `enable` it refuses.
const NEEDLESS: [&str; 1] = ["subgroups"];

/// The text with names of such extensions replaced by spaces, and their whole `enable` if it names no others: every
/// byte offset stays. Directives stand before everything else.
pub(super) fn blank_extensions(text: &str) -> String {
    let mut blanks = Vec::new();
    let mut tokens = tokens(text);
    while let Some((start, Token::Word(word))) = tokens.next() {
        if !["enable", "requires", "diagnostic"].contains(&word) {
            break;
        }
        let mut names = Vec::new();
        let mut end = start;
        for (at, token) in tokens.by_ref() {
            end = at + 1;
            match token {
                Token::Word(name) => names.push((at, name)),
                Token::Symbol(';') => break,
                Token::Symbol(_) => {}
            }
        }
        let needless = |name: &(usize, &str)| NEEDLESS.contains(&name.1);
        if word != "enable" || !names.iter().any(needless) {
            continue;
        }
        let kept: Vec<&str> = names.iter().filter(|name| !needless(name)).map(|(_, name)| *name).collect();
        blanks.push((start..end, kept.join(", ")));
    }
    let mut blanked = text.to_owned();
    for (range, kept) in blanks {
        let old = &text[range.clone()];
        let statement = if kept.is_empty() { String::new() } else { format!("enable {kept};") };
        // Comments inside the statement and line ends keep their place where the shorter statement leaves room.
        let rest: String = old
            .char_indices()
            .filter(|(at, _)| *at >= statement.len())
            .map(|(_, c)| if c == '\n' || c == '\r' { c.to_string() } else { " ".repeat(c.len_utf8()) })
            .collect();
        let new = format!("{statement}{rest}");
        if new.len() == old.len() {
            blanked.replace_range(range, &new);
        }
    }
    blanked
}
