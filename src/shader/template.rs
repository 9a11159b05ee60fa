//! Texts that are not WGSL yet: templates and preprocessors, recognised by name so that an author knows what to paste.

use super::scan::{Token, tokens};

/// A mark of another language in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// Its byte offset.
    pub at: usize,
    /// As it stands there.
    pub mark: String,
    /// What it is, and what to paste instead.
    pub advice: &'static str,
}

/// Directives behind `#`, what they are and what to do.
const DIRECTIVES: &[(&[&str], &str)] = &[
    (
        &["import", "define_import_path"],
        "an import of naga_oil (Bevy), and WGSL has no imports: paste the composed text, or the imported text in its place",
    ),
    (&["include"], "an include of a preprocessor: paste the included text in its place"),
    (
        &["if", "ifdef", "ifndef", "else", "elif", "endif"],
        "a condition of a preprocessor: keep the branch that your program builds, and remove the directives",
    ),
    (&["define", "undef"], "a macro of a preprocessor: write a const or an override, or paste the preprocessed text"),
    (
        &["version", "extension", "pragma"],
        "GLSL or HLSL: only WGSL can be taken, so translate it first (naga FILE out.wgsl)",
    ),
];

/// The first mark of a template or of a preprocessor outside comments. For texts that do not parse: `{{` may also be two
/// blocks.
pub(super) fn first_mark(text: &str) -> Option<Mark> {
    let mut before = None;
    for (at, token) in tokens(text) {
        let rest = &text[at..];
        let line = rest.lines().next().unwrap_or_default();
        let begins_line = text[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty());
        let found = match token {
            Token::Symbol('#') if begins_line => directive(line),
            Token::Symbol('{') => braces(line),
            Token::Symbol('<') if line.starts_with("<%") => line.find("%>").map(|end| {
                (line[..end + 2].to_owned(), "a template (ERB, EJS): paste what your program renders from it")
            }),
            Token::Symbol('$') if line.starts_with("${") => line.find('}').map(|end| {
                (line[..=end].to_owned(), "a JavaScript template: paste the string that your program makes of it")
            }),
            Token::Word("import") if begins_line && before.is_none_or(|c| c == ';') && line.contains("::") => {
                let end = line.find(';').map_or(line.len(), |end| end + 1);
                Some((
                    line[..end].to_owned(),
                    "an import of WESL: paste the text that the WESL compiler makes (wesl-cli)",
                ))
            }
            _ => None,
        };
        if let Some((mark, advice)) = found {
            return Some(Mark { at, mark, advice });
        }
        before = match token {
            Token::Symbol(c) => Some(c),
            Token::Word(_) => Some(' '),
        };
    }
    None
}

fn directive(line: &str) -> Option<(String, &'static str)> {
    let name = line.get(1..)?.trim_start();
    let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let (_, advice) = DIRECTIVES.iter().find(|(names, _)| names.contains(&name))?;
    Some((format!("#{name}"), advice))
}

/// `{{ name }}` and `{% if %}`.
fn braces(line: &str) -> Option<(String, &'static str)> {
    for (open, close, advice) in [
        ("{{", "}}", "a template (Jinja, Handlebars, Askama): paste what your program renders from it"),
        ("{%", "%}", "a template (Jinja, Askama): paste what your program renders from it"),
        ("{#", "#}", "a template (Jinja, Askama): paste what your program renders from it"),
    ] {
        let inside = line.strip_prefix(open).and_then(|rest| rest.split_once(close)).map(|(inside, _)| inside);
        // Two blocks on a line hold statements.
        if let Some(inside) = inside.filter(|inside| !inside.contains(';')) {
            return Some((format!("{open}{inside}{close}"), advice));
        }
    }
    None
}
