//! Variables as nodes: one for each, or one for each member where it is of structures.

use std::ops::Range;

use naga::{Expression, Function, Handle, Module, Type, TypeInner};

use super::graph::Graph;

/// The nodes of what a function's variables and arguments hold.
pub(super) struct Places {
    pub(super) locals: Vec<Range<usize>>,
    /// What is behind a pointer, or the value; and for a pointer the address.
    pub(super) arguments: Vec<Range<usize>>,
    pub(super) addresses: Vec<usize>,
}

impl Places {
    pub(super) fn new(module: &Module, function: &Function, graph: &mut Graph) -> Self {
        let place = |graph: &mut Graph, ty| {
            let first = graph.nodes(members(module, ty));
            first..first + members(module, ty)
        };
        Self {
            locals: function.local_variables.iter().map(|(_, variable)| place(graph, variable.ty)).collect(),
            arguments: function
                .arguments
                .iter()
                .map(|argument| match behind(module, argument.ty) {
                    Some(ty) => place(graph, ty),
                    None => {
                        let node = graph.nodes(1);
                        node..node + 1
                    }
                })
                .collect(),
            addresses: function.arguments.iter().map(|_| graph.nodes(1)).collect(),
        }
    }
}

/// The type behind a pointer; a texture stands for what it holds.
pub(super) fn behind(module: &Module, ty: Handle<Type>) -> Option<Handle<Type>> {
    match module.types[ty].inner {
        TypeInner::Pointer { base, .. } => Some(base),
        TypeInner::Image { .. } | TypeInner::Sampler { .. } => Some(ty),
        _ => None,
    }
}

/// The type itself, or that of the elements if it is of arrays.
fn element(module: &Module, mut ty: Handle<Type>) -> Handle<Type> {
    while let TypeInner::Array { base, .. } = module.types[ty].inner {
        ty = base;
    }
    ty
}

/// How many nodes a variable of this type has.
pub(super) fn members(module: &Module, ty: Handle<Type>) -> usize {
    match &module.types[element(module, ty)].inner {
        TypeInner::Struct { members, .. } => members.len().max(1),
        _ => 1,
    }
}

/// What a pointer leads into.
#[derive(Debug, Clone, Copy)]
pub(super) enum Root {
    Global(Handle<naga::GlobalVariable>),
    Local(usize),
    Argument(usize),
}

/// The variable that a pointer leads into, and the member if it is one.
pub(super) fn root(module: &Module, function: &Function, pointer: Handle<Expression>) -> Option<(Root, Option<usize>)> {
    // Of the steps from the variable on, the first that chooses a member is the last one found on the way back.
    let mut steps = Vec::new();
    let mut at = pointer;
    let (root, ty) = loop {
        match function.expressions[at] {
            Expression::Access { base, .. } => {
                steps.push(None);
                at = base;
            }
            Expression::AccessIndex { base, index } => {
                steps.push(Some(index as usize));
                at = base;
            }
            Expression::GlobalVariable(variable) => {
                break (Root::Global(variable), Some(module.global_variables[variable].ty));
            }
            Expression::LocalVariable(variable) => {
                break (Root::Local(variable.index()), Some(function.local_variables[variable].ty));
            }
            Expression::FunctionArgument(index) => {
                let argument = function.arguments.get(index as usize)?;
                break (Root::Argument(index as usize), behind(module, argument.ty));
            }
            _ => return None,
        }
    };
    let mut ty = ty;
    for step in steps.into_iter().rev() {
        match ty.map(|ty| &module.types[ty].inner) {
            Some(TypeInner::Array { base, .. }) => ty = Some(*base),
            Some(TypeInner::Struct { .. }) => return Some((root, step)),
            _ => break,
        }
    }
    Some((root, None))
}
