//! Splitting a structure: a member that is read alone moves into an array of its own.

use std::ops::Range;

use naga::{ArraySize, TypeInner};

use super::tokens::{Patch, Text, is_name};
use super::trial::small;
use super::witness::Proof;
use super::{Candidate, changed};
use crate::contents::Contents;
use crate::program::{Buffer, Program};
use crate::record::prediction::AccessCount;
use crate::shader::{BindingAccess, Specialised};
use crate::trace::AccessKind;

/// Larger arrays are not copied for a trial.
const MOST_BYTES: u64 = 16 << 20;

/// A member of an array of structures.
struct Member {
    name: String,
    offset: u32,
    bytes: u32,
    /// From one structure to the next.
    stride: u32,
}

/// Each member of the array that the line of the access reads, in an array of its own.
pub(super) fn candidates(
    program: &Program,
    text: &Text<'_>,
    shader: &Specialised,
    target: &AccessCount,
) -> Vec<Candidate> {
    if target.kind != AccessKind::Load {
        return Vec::new();
    }
    members(shader, &target.variable)
        .into_iter()
        .filter_map(|member| candidate(program, text, shader, &target.variable, &member))
        .collect()
}

/// The members that fill their place in an array: scalars and vectors of two or four.
fn members(shader: &Specialised, variable: &str) -> Vec<Member> {
    let types = &shader.module.types;
    let found = shader.module.global_variables.iter().find(|(_, other)| other.name.as_deref() == Some(variable));
    let Some(TypeInner::Array { base, size: ArraySize::Dynamic, stride }) = found.map(|(_, v)| &types[v.ty].inner)
    else {
        return Vec::new();
    };
    let TypeInner::Struct { members, .. } = &types[*base].inner else { return Vec::new() };
    members
        .iter()
        .filter_map(|member| {
            let bytes = match types[member.ty].inner {
                TypeInner::Scalar(scalar) if scalar.width == 4 => 4,
                TypeInner::Vector { size, scalar } if scalar.width == 4 && size != naga::VectorSize::Tri => {
                    4 * size as u32
                }
                _ => return None,
            };
            Some(Member { name: member.name.clone()?, offset: member.offset, bytes, stride: *stride })
        })
        .collect()
}

fn candidate(
    program: &Program,
    text: &Text<'_>,
    shader: &Specialised,
    variable: &str,
    member: &Member,
) -> Option<Candidate> {
    let bindings = &shader.reflection().bindings;
    let binding = bindings.iter().find(|binding| binding.name == variable && binding.access == BindingAccess::Read)?;
    let free = bindings.iter().filter(|other| other.group == binding.group).map(|other| other.binding + 1).max()?;
    let name = format!("{variable}_{}", member.name);
    if !text.find(&[&name]).is_empty() {
        return None;
    }
    let reads = reads(text, variable, &member.name);
    let declaration = text.declaration(variable)?;
    let ty = member_type(text, text.word(declaration.ty.start + 2), &member.name)?;
    let end = text.bytes(&declaration.ty)?.end;
    let end = end + text.text.get(end..)?.find(';')? + 1;
    let declared = format!(" @group({}) @binding({free}) var<storage, read> {name}: array<{ty}>;", binding.group);
    let mut patches = vec![Patch { range: end..end, text: declared }];
    for read in &reads {
        // `name[index].member` becomes `name_member[index]`.
        let head = text.bytes(&(read.start..read.start + 1))?;
        let tail = text.bytes(&(read.end - 2..read.end))?;
        patches.push(Patch { range: head, text: name.clone() });
        patches.push(Patch { range: tail, text: String::new() });
    }
    let buffer = alone(program.buffers.iter().find(|buffer| buffer.name == variable)?, &name, member)?;
    let mut changed = changed(program, text, &patches, small(program.grid));
    changed.buffers.push(buffer);
    // An array that nothing reads any more is no binding of the shader.
    (!reads.is_empty()).then(|| Candidate {
        kind: "split",
        text: format!("split the structure: `{}` of {variable} in an array of its own", member.name),
        patches,
        program: changed,
        proof: Proof::None,
    })
}

/// Every `variable[..].member`: the tokens from the name to the member.
fn reads(text: &Text<'_>, variable: &str, member: &str) -> Vec<Range<usize>> {
    let accesses = text.find(&[variable, "["]).into_iter();
    accesses
        .filter_map(|name| {
            let end = text.behind(name + 1)?;
            (text.word(end) == "." && text.word(end + 1) == member).then_some(name..end + 2)
        })
        .collect()
}

/// The type of a structure's member, as written.
fn member_type<'a>(text: &Text<'a>, structure: &str, member: &str) -> Option<&'a str> {
    if !is_name(structure) {
        return None;
    }
    let open = text.find(&["struct", structure, "{"]).first()? + 2;
    let end = text.behind(open)?;
    let name = (open..end).find(|k| text.word(*k) == member && text.word(k + 1) == ":")?;
    let mut depth = 0i32;
    let stop = (name + 2..end).find(|k| {
        match text.word(*k) {
            "<" => depth += 1,
            ">" => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(text.word(*k), "," | "}")
    })?;
    Some(text.span(name + 2..stop))
}

/// The buffer that holds one member of each structure of another.
fn alone(from: &Buffer, name: &str, member: &Member) -> Option<Buffer> {
    if from.bytes > MOST_BYTES {
        return None;
    }
    let count = u32::try_from(from.bytes).ok()? / member.stride.max(1);
    let words = (0..count).flat_map(|k| {
        let first = (k * member.stride + member.offset) / 4;
        (first..first + member.bytes / 4).map(|word| from.contents.word(word))
    });
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    Some(Buffer {
        name: name.to_owned(),
        bytes: u64::try_from(bytes.len()).ok()?.max(4),
        contents: Contents::Bytes(bytes.into()),
        written: false,
    })
}
