//! Wide loads: where each lane reads its own few neighbours one by one, it reads them as one vector.

use std::ops::Range;

use super::tokens::{Patch, Text, is_name, number};
use super::trial::small;
use super::witness::Proof;
use super::{Candidate, changed};
use crate::program::Program;
use crate::record::prediction::AccessCount;
use crate::trace::AccessKind;

/// One `name[base + part]`.
struct Part {
    /// The whole access, from its name to its `]`.
    tokens: Range<usize>,
    base: String,
    /// The part as written: a number, or the counter of a loop.
    part: String,
}

/// The array as one of vectors, read once.
pub(super) fn candidates(program: &Program, text: &Text<'_>, target: &AccessCount) -> Vec<Candidate> {
    if target.kind != AccessKind::Load || target.element_bytes != 4 {
        return Vec::new();
    }
    candidate(program, text, &target.variable).into_iter().collect()
}

fn candidate(program: &Program, text: &Text<'_>, variable: &str) -> Option<Candidate> {
    let declaration = text.declaration(variable)?;
    let element = declaration.ty.start + 2;
    let is_runtime_array = text.word(declaration.ty.start) == "array" && element + 2 == declaration.ty.end;
    let scalar = text.word(element);
    if !is_runtime_array || !matches!(scalar, "f32" | "u32" | "i32") {
        return None;
    }
    let parts = parts(text, variable, declaration.ty.start)?;
    let first = parts.first()?;
    if parts.iter().any(|part| part.base != first.base) {
        return None;
    }
    let (width, at) = width(text, &parts)?;
    let block = format!("{variable}_block");
    if !text.find(&[&block]).is_empty() {
        return None;
    }
    let mut patches = vec![
        Patch { range: text.bytes(&(element..element + 1))?, text: format!("vec{width}<{scalar}>") },
        Patch { range: at..at, text: format!("let {block} = {variable}[({}) / {width}]; ", first.base) },
    ];
    for part in &parts {
        patches.push(Patch { range: text.bytes(&part.tokens)?, text: format!("{block}[{}]", part.part) });
    }
    let program = changed(program, text, &patches, small(program.grid));
    Some(Candidate {
        kind: "vec4",
        text: format!("load {width} elements of {variable} as one vec{width}<{scalar}>"),
        patches,
        program,
        proof: Proof::SameWordsOfEachLane,
    })
}

/// All mentions of the variable beside its declaration, if each is `name[base + part]`.
fn parts(text: &Text<'_>, variable: &str, declared: usize) -> Option<Vec<Part>> {
    let mentions =
        text.find(&[variable]).into_iter().filter(|k| k + 2 != declared && text.word(k.wrapping_sub(1)) != ".");
    mentions
        .map(|name| {
            if text.word(name + 1) != "[" || text.word(name.wrapping_sub(1)) == "&" {
                return None;
            }
            let end = text.behind(name + 1)?;
            let (base, part) = divided(text, name + 2..end - 1);
            Some(Part { tokens: name..end, base, part })
        })
        .collect()
}

/// An index as base and part: what stands before and behind its last `+`, if that is a number or a name.
fn divided(text: &Text<'_>, index: Range<usize>) -> (String, String) {
    let plus = index.end.checked_sub(2).filter(|k| *k > index.start && text.word(*k) == "+");
    let part = text.word(index.end.saturating_sub(1));
    match plus {
        Some(plus) if number(part).is_some_and(|(n, _)| n < 4) || is_name(part) => {
            (text.span(index.start..plus).to_owned(), part.to_owned())
        }
        _ => (text.span(index).to_owned(), "0".to_owned()),
    }
}

/// How many parts there are, and where the vector is to be read: before the statement of the first of them, or before the
/// loop that counts through them.
fn width(text: &Text<'_>, parts: &[Part]) -> Option<(u32, usize)> {
    let first = parts.first()?;
    let (most, before) = if let Some(most) = parts.iter().map(|part| number(&part.part).map(|(n, _)| n + 1)).max()? {
        let start = (0..first.tokens.start).rev().find(|k| matches!(text.word(*k), ";" | "{" | "}"))? + 1;
        (most, start)
    } else {
        let counter = first.part.as_str();
        if parts.iter().any(|part| part.part != counter) {
            return None;
        }
        let start = text.find(&["for", "(", "var", counter]).into_iter().rfind(|k| *k < first.tokens.start)?;
        let bound = *text.find(&[counter, "<"]).iter().find(|k| **k > start)?;
        (number(text.word(bound + 2))?.0, start)
    };
    matches!(most, 2 | 4).then_some((most, text.bytes(&(before..before + 1))?.start))
}
