//! Swapping: x and y of the invocation change places, so that lanes that are neighbours read neighbours.

use std::ops::Range;

use naga::{Binding, BuiltIn, TypeInner};

use super::tokens::{Patch, Text};
use super::witness::Proof;
use super::{Candidate, changed};
use crate::program::Program;
use crate::shader::Specialised;

/// Most lanes of a trial: it needs a square of lanes, so that both texts do the same work.
const MOST_LANES: u64 = 1 << 16;

/// The global id swapped, then the local one.
pub(super) fn candidates(program: &Program, text: &Text<'_>, shader: &Specialised) -> Vec<Candidate> {
    [(BuiltIn::GlobalInvocationId, "global_invocation_id"), (BuiltIn::LocalInvocationId, "local_invocation_id")]
        .into_iter()
        .filter_map(|(built_in, name)| candidate(program, text, shader, built_in, name))
        .collect()
}

fn candidate(
    program: &Program,
    text: &Text<'_>,
    shader: &Specialised,
    built_in: BuiltIn,
    name: &str,
) -> Option<Candidate> {
    let size = shader.reflection().workgroup_size;
    let [extent_x, extent_y] = [0, 1].map(|k| u64::from(size[k]) * u64::from(program.grid[k]));
    // Without a second dimension there is nothing to swap.
    if extent_x < 2 || extent_y < 2 {
        return None;
    }
    let words = argument(shader, built_in)?;
    let body = text.body(&program.entry_point)?;
    let patches = swapped(text, body, &words)?;
    let (grid, dispatch) = if built_in == BuiltIn::GlobalInvocationId {
        let side = multiple(u64::from(size[0]), u64::from(size[1]));
        if side.checked_mul(side)? > MOST_LANES {
            return None;
        }
        let grid = [0, 1].map(|k| u32::try_from(side / u64::from(size[k])).unwrap_or(1));
        let groups = [extent_y.div_ceil(size[0].into()), extent_x.div_ceil(size[1].into())];
        let same = groups == [u64::from(program.grid[0]), u64::from(program.grid[1])];
        let dispatch =
            if same { String::new() } else { format!(" and dispatch {},{},{}", groups[0], groups[1], program.grid[2]) };
        ([grid[0], grid[1], 1], dispatch)
    } else {
        if size[0] != size[1] {
            return None;
        }
        (super::trial::small(program.grid), String::new())
    };
    let program = changed(program, text, &patches, grid);
    let text = format!("swap x and y of {name}{dispatch}");
    Some(Candidate { kind: "swap", text, patches, program, proof: Proof::SameAccesses })
}

fn multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a.max(1), b.max(1));
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a.max(1) / x * b.max(1)
}

/// How the entry point writes a built-in value: one name, or a member of an argument.
fn argument(shader: &Specialised, built_in: BuiltIn) -> Option<Vec<String>> {
    let module = &shader.module;
    let point = module.entry_points.iter().find(|point| point.name == shader.reflection().entry_point)?;
    point.function.arguments.iter().find_map(|argument| {
        let name = argument.name.clone()?;
        if argument.binding == Some(Binding::BuiltIn(built_in)) {
            return Some(vec![name]);
        }
        let TypeInner::Struct { members, .. } = &module.types[argument.ty].inner else { return None };
        let member = members.iter().find(|member| member.binding == Some(Binding::BuiltIn(built_in)))?;
        Some(vec![name, ".".to_owned(), member.name.clone()?])
    })
}

/// Every mention with its components swapped.
fn swapped(text: &Text<'_>, body: Range<usize>, words: &[String]) -> Option<Vec<Patch>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mentions = text.find(&words).into_iter().filter(|k| body.contains(k) && text.word(k.wrapping_sub(1)) != ".");
    let patches: Vec<Patch> = mentions.filter_map(|first| patch(text, first + words.len())).collect();
    (!patches.is_empty()).then_some(patches)
}

/// The change of a mention that ends before token `next`: `.x` becomes `.y`, and the whole becomes its `.yxz`.
fn patch(text: &Text<'_>, next: usize) -> Option<Patch> {
    let components = text.word(next + 1);
    let is_swizzle =
        text.word(next) == "." && components.bytes().all(|c| matches!(c, b'x' | b'y' | b'z' | b'r' | b'g' | b'b'));
    if !is_swizzle {
        let end = text.bytes(&(next.checked_sub(1)?..next))?.end;
        return Some(Patch { range: end..end, text: ".yxz".to_owned() });
    }
    let swapped: String = components
        .chars()
        .map(|c| match c {
            'x' => 'y',
            'y' => 'x',
            'r' => 'g',
            'g' => 'r',
            other => other,
        })
        .collect();
    (swapped != components).then_some(Patch { range: text.bytes(&(next + 1..next + 2))?, text: swapped })
}
