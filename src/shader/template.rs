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
    for (at, token) in tokens(text) {
        let rest = &text[at..];
        let begins_line =
            || text[..at].trim_end_matches([' ', '\t']).chars().next_back().is_none_or(|c| "\r\n".contains(c));
        let found = match token {
            Token::Symbol('#') if begins_line() => directive(rest),
            Token::Symbol('{') => [("{{", "}}"), ("{%", "%}"), ("{#", "#}")]
                .into_iter()
                .find_map(|(open, close)| pair(rest, open, close))
                .map(|mark| (mark, "a template (Jinja, Handlebars, Askama): paste what your program renders from it")),
            Token::Symbol('<') => pair(rest, "<%", "%>")
                .map(|mark| (mark, "a template (ERB, EJS): paste what your program renders from it")),
            Token::Symbol('$') => pair(rest, "${", "}")
                .map(|mark| (mark, "a JavaScript template: paste the string that your program makes of it")),
            Token::Word("import") if begins_line() => {
                pair(rest, "import", ";").filter(|mark| mark.contains("::")).map(|mark| {
                    (mark, "an import of WESL, and WGSL has no imports: paste the text that the WESL compiler makes")
                })
            }
            Token::Symbol(_) | Token::Word(_) => None,
        };
        if let Some((mark, advice)) = found {
            return Some(Mark { at, mark, advice });
        }
    }
    None
}

fn directive(rest: &str) -> Option<(String, &'static str)> {
    let name = rest.get(1..)?.trim_start_matches([' ', '\t']);
    let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let (_, advice) = DIRECTIVES.iter().find(|(names, _)| names.contains(&name))?;
    Some((format!("#{name}"), advice))
}

/// What stands between two marks of one line, with them. Statements do not: two blocks are no template.
fn pair(rest: &str, open: &str, close: &str) -> Option<String> {
    const LONGEST: usize = 200;
    let inside = rest.strip_prefix(open)?;
    let longest = (0..=LONGEST.min(inside.len())).rev().find(|end| inside.is_char_boundary(*end))?;
    let inside = inside.get(..longest)?.lines().next()?;
    let (inside, _) = inside.split_once(close)?;
    (!inside.contains(';')).then(|| format!("{open}{inside}{close}"))
}
