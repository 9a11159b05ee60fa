//! What the text says of each access: into which array, of what structure, and whose contents feed its index.

use std::collections::{BTreeMap, BTreeSet};

use naga::{AddressSpace, Expression, Function, Handle, Statement, TypeInner};

use super::tally::SiteTally;
use crate::interpreter::inner_blocks;
use crate::interpreter::taint::{self, Sink, SinkKind, Sources};
use crate::record::prediction::LineWarning;
use crate::shader::Specialised;
use crate::trace::Position;

/// What is known of an access before anything is executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Parts {
    /// Bytes from one element to the next of the innermost array that is indexed.
    pub(super) stride: Option<u32>,
    /// The structure that this array is of.
    pub(super) structure: Option<String>,
    /// Its member that is accessed, as written: `position`, `position.x`.
    pub(super) member: Option<String>,
    /// Whether the array is of 3-component vectors, which take the place of four.
    pub(super) of_vec3: bool,
    /// Storage buffers whose contents feed the index.
    pub(super) fed_by: Vec<u32>,
}

/// All accesses of a shader, and every place where contents decide something.
pub(super) struct Anatomy {
    parts: BTreeMap<(Position, u32), Parts>,
    pub(super) sinks: Vec<(Sink, Sources)>,
    /// Whether results depend on how lanes are cut into subgroups.
    pub(super) by_subgroup: bool,
    /// Names of global variables, by their index.
    pub(super) names: Vec<String>,
}

impl Anatomy {
    pub(super) fn new(shader: &Specialised) -> Self {
        let module = &shader.module;
        let sinks = taint::sinks(shader);
        let mut this = Self {
            parts: BTreeMap::new(),
            sinks: Vec::new(),
            by_subgroup: false,
            names: module.global_variables.iter().map(|(_, v)| v.name.clone().unwrap_or_default()).collect(),
        };
        for (handle, function) in module.functions.iter() {
            this.function(shader, function, &shader.info[handle]);
        }
        for (index, point) in module.entry_points.iter().enumerate() {
            if point.name == shader.reflection().entry_point {
                this.function(shader, &point.function, shader.info.get_entry_point(index));
                this.by_subgroup |= point.function.arguments.iter().any(|argument| is_of_subgroup(module, argument));
            }
        }
        let in_storage: BTreeSet<u32> = (0..)
            .zip(module.global_variables.iter())
            .filter(|(_, (_, variable))| matches!(variable.space, AddressSpace::Storage { .. }))
            .map(|(index, _)| index)
            .collect();
        for (sink, sources) in &sinks {
            if let (SinkKind::Address, Some(variable)) = (sink.kind, sink.variable)
                && let Some(parts) = this.parts.get_mut(&(sink.position, variable))
            {
                parts.fed_by.extend(sources.variables().intersection(&in_storage));
                parts.fed_by.sort_unstable();
                parts.fed_by.dedup();
            }
        }
        this.sinks = sinks;
        this
    }

    /// What is known of the access to a variable at a place.
    pub(super) fn parts(&self, position: Position, variable: u32) -> Parts {
        self.parts.get(&(position, variable)).cloned().unwrap_or_default()
    }

    /// A warning where accesses of the text were never executed.
    pub(super) fn unreached(&self, sites: &[SiteTally]) -> Option<LineWarning> {
        let reached: BTreeSet<(Position, u32)> = sites
            .iter()
            .filter(|tally| tally.requests > 0)
            .map(|tally| (tally.site.position, tally.site.variable))
            .collect();
        let all = self.parts.len();
        let lines: BTreeSet<u32> =
            self.parts.keys().filter(|access| !reached.contains(access)).map(|(position, _)| position.line).collect();
        let missed = self.parts.keys().filter(|access| !reached.contains(access)).count();
        let line = lines.first().copied()?;
        let some: Vec<String> = lines.iter().take(6).map(u32::to_string).collect();
        let more = if lines.len() > 6 { ", .." } else { "" };
        Some(LineWarning {
            code: if reached.is_empty() { "no_work" } else { "not_reached" }.to_owned(),
            line: Some(line),
            text: format!(
                "{missed} of the {all} accesses of the text were not executed with these inputs (lines {}{more}): other \
                 contents, uniforms or workgroups may reach them",
                some.join(", ")
            ),
        })
    }

    fn function(&mut self, shader: &Specialised, function: &Function, info: &naga::valid::FunctionInfo) {
        let mut add = |pointer: Handle<Expression>, span: naga::Span| {
            if let Some((variable, parts)) = parts(shader, function, info, pointer) {
                self.parts.entry((shader.source.start(span), variable)).or_insert(parts);
            }
        };
        for (handle, expression) in function.expressions.iter() {
            match expression {
                Expression::Load { pointer } => add(*pointer, function.expressions.get_span(handle)),
                Expression::CooperativeLoad { .. } => self.by_subgroup = true,
                _ => {}
            }
        }
        let mut blocks = vec![&function.body];
        while let Some(block) = blocks.pop() {
            for (statement, span) in block.span_iter() {
                match statement {
                    Statement::Store { pointer, .. }
                    | Statement::Atomic { pointer, .. }
                    | Statement::WorkGroupUniformLoad { pointer, .. } => add(*pointer, *span),
                    Statement::SubgroupBallot { .. }
                    | Statement::SubgroupGather { .. }
                    | Statement::SubgroupCollectiveOperation { .. } => self.by_subgroup = true,
                    _ => {}
                }
                blocks.extend(inner_blocks(statement));
            }
        }
    }
}

fn is_of_subgroup(module: &naga::Module, argument: &naga::FunctionArgument) -> bool {
    let of = |binding: &Option<naga::Binding>| {
        matches!(
            binding,
            Some(naga::Binding::BuiltIn(
                naga::BuiltIn::SubgroupSize
                    | naga::BuiltIn::SubgroupId
                    | naga::BuiltIn::SubgroupInvocationId
                    | naga::BuiltIn::NumSubgroups
            ))
        )
    };
    let members = match &module.types[argument.ty].inner {
        TypeInner::Struct { members, .. } => members.as_slice(),
        _ => &[],
    };
    of(&argument.binding) || members.iter().any(|member| of(&member.binding))
}

/// The variable and the parts of what a pointer names.
fn parts(
    shader: &Specialised,
    function: &Function,
    info: &naga::valid::FunctionInfo,
    pointer: Handle<Expression>,
) -> Option<(u32, Parts)> {
    let module = &shader.module;
    let mut found = Parts::default();
    let mut path: Vec<String> = Vec::new();
    let mut at = pointer;
    loop {
        let base = match function.expressions[at] {
            Expression::GlobalVariable(variable) => {
                let space = module.global_variables[variable].space;
                let counted =
                    matches!(space, AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::WorkGroup);
                return counted.then(|| (u32::try_from(variable.index()).unwrap_or(u32::MAX), found));
            }
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => base,
            _ => return None,
        };
        let outer = match info[base].ty.inner_with(&module.types) {
            TypeInner::Pointer { base, .. } => &module.types[*base].inner,
            other => other,
        };
        match (outer, &function.expressions[at]) {
            (TypeInner::Array { base: element, stride, .. }, _) if found.stride.is_none() => {
                found.stride = Some(*stride);
                let element = &module.types[*element];
                if let TypeInner::Struct { .. } = element.inner {
                    found.structure = Some(element.name.clone().unwrap_or_else(|| "a structure".to_owned()));
                    path.reverse();
                    found.member = (!path.is_empty()).then(|| path.join("."));
                }
                found.of_vec3 = matches!(element.inner, TypeInner::Vector { size: naga::VectorSize::Tri, .. });
            }
            (TypeInner::Struct { members, .. }, Expression::AccessIndex { index, .. }) => {
                let name = members.get(*index as usize).and_then(|member| member.name.clone());
                path.push(name.unwrap_or_else(|| index.to_string()));
            }
            (TypeInner::Vector { .. } | TypeInner::ValuePointer { .. }, Expression::AccessIndex { index, .. }) => {
                path.push(["x", "y", "z", "w"].get(*index as usize).copied().unwrap_or("?").to_owned());
            }
            _ => {}
        }
        at = base;
    }
}
