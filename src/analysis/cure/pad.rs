//! Padding: rows of a workgroup array grow by a few elements, so that a column no longer lies in one bank.

use std::ops::Range;

use super::tokens::{Patch, Text, is_name, number};
use super::trial::small;
use super::witness::Proof;
use super::{Candidate, changed};
use crate::program::Program;
use crate::record::prediction::AccessCount;
use crate::shader::{Shader, Specialised};

/// Elements to add to a row.
const PADDINGS: [u32; 4] = [1, 2, 4, 8];

/// Rows of the array of an access, longer by each padding.
pub(super) fn candidates(
    program: &Program,
    text: &Text<'_>,
    shader: &Specialised,
    target: &AccessCount,
) -> Vec<Candidate> {
    let Some(declaration) = text.declaration(&target.variable) else { return Vec::new() };
    let bytes = shader.reflection().workgroup_bytes;
    let with = |padding: u32, patches: Vec<Patch>| -> Option<Candidate> {
        let changed = changed(program, text, &patches, small(program.grid));
        let grown = Shader::parse(&changed.wgsl).ok()?.specialise(&changed.entry_point, &changed.constants).ok()?;
        let plural = if padding == 1 { "" } else { "s" };
        let grown = grown.reflection().workgroup_bytes;
        Some(Candidate {
            kind: "pad",
            text: format!(
                "pad the rows of {} by {padding} element{plural} (workgroup memory {bytes} to {grown} bytes)",
                target.variable
            ),
            patches,
            program: changed,
            proof: Proof::EachAddressMoved,
        })
    };
    let rows = nested(text, &declaration.ty);
    PADDINGS
        .into_iter()
        .filter_map(|padding| match &rows {
            Some(length) => with(padding, vec![longer(text, length, padding)?]),
            None => with(padding, flat(text, &declaration.ty, &target.variable, padding)?),
        })
        .collect()
}

/// The tokens of a row's length in `array<array<T, LENGTH>, ROWS>`.
fn nested(text: &Text<'_>, ty: &Range<usize>) -> Option<Range<usize>> {
    let inner = ty.start + 2;
    if text.word(ty.start) != "array" || text.word(inner) != "array" {
        return None;
    }
    length(text, inner)
}

/// The tokens of the length of the array type that begins at a token.
fn length(text: &Text<'_>, array: usize) -> Option<Range<usize>> {
    let end = text.behind(array + 1)? - 1;
    let mut depth = 0i32;
    let mut comma = None;
    for k in array + 2..end {
        match text.word(k) {
            "<" | "(" => depth += 1,
            ">" | ")" => depth -= 1,
            "," if depth == 0 => comma = comma.or(Some(k)),
            _ => {}
        }
    }
    let comma = comma?;
    (comma + 1 < end).then_some(comma + 1..end)
}

/// A length with so many elements more: the sum where it is a number, else written as a sum.
fn longer(text: &Text<'_>, length: &Range<usize>, padding: u32) -> Option<Patch> {
    let range = text.bytes(length)?;
    let old = text.span(length.clone());
    let text = match number(old) {
        Some((value, suffix)) if length.len() == 1 => format!("{}{suffix}", value.checked_add(padding)?),
        _ => format!("{old} + {padding}"),
    };
    Some(Patch { range, text })
}

/// An array in one dimension whose every index has the form `.. * ROW ..`, with the same row everywhere.
fn flat(text: &Text<'_>, ty: &Range<usize>, variable: &str, padding: u32) -> Option<Vec<Patch>> {
    if text.word(ty.start) != "array" {
        return None;
    }
    let size = length(text, ty.start)?;
    let mut patches = Vec::new();
    let mut row: Option<String> = None;
    for access in text.find(&[variable, "["]) {
        let end = text.behind(access + 1)?;
        let factor = factor(text, access + 2..end - 1)?;
        let word = text.word(factor);
        let same = match (number(word), row.as_deref()) {
            (_, None) => true,
            (Some((value, _)), Some(row)) => number(row).is_some_and(|(other, _)| other == value),
            (None, Some(row)) => row == word,
        };
        if !same {
            return None;
        }
        row.get_or_insert_with(|| word.to_owned());
        let text_range = text.bytes(&(factor..factor + 1))?;
        let longer = match number(word) {
            Some((value, suffix)) => format!("{}{suffix}", value.checked_add(padding)?),
            None => format!("({word} + {padding})"),
        };
        patches.push(Patch { range: text_range, text: longer });
    }
    patches.push(grown(text, &size, &row?, padding)?);
    Some(patches)
}

/// The token of the one factor in an index: the constant beside its only `*`.
fn factor(text: &Text<'_>, index: Range<usize>) -> Option<usize> {
    let mut products = index.clone().filter(|k| text.word(*k) == "*");
    let product = products.next()?;
    if products.next().is_some() {
        return None;
    }
    let is_constant = |k: &usize| {
        let word = text.word(*k);
        index.contains(k)
            && (number(word).is_some_and(|(value, _)| value > 1) || (is_name(word) && is_declared_constant(text, word)))
    };
    [product + 1, product.checked_sub(1)?].into_iter().find(is_constant)
}

fn is_declared_constant(text: &Text<'_>, word: &str) -> bool {
    !text.find(&["const", word]).is_empty() || !text.find(&["override", word]).is_empty()
}

/// The size of the whole array, with longer rows.
fn grown(text: &Text<'_>, size: &Range<usize>, row: &str, padding: u32) -> Option<Patch> {
    let range = text.bytes(size)?;
    let old = text.span(size.clone());
    if let (Some((size, suffix)), Some((row, _))) = (number(old), number(row)) {
        let rows = size.checked_div(row).filter(|rows| rows.checked_mul(row) == Some(size))?;
        return Some(Patch { range, text: format!("{}{suffix}", rows.checked_mul(row.checked_add(padding)?)?) });
    }
    let factor = size.clone().find(|k| text.word(*k) == row)?;
    Some(Patch { range: text.bytes(&(factor..factor + 1))?, text: format!("({row} + {padding})") })
}
