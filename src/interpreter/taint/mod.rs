//! Which values decide something, and whose contents reach them: over naga IR, across calls, without regard to the order
//! of statements, so rather too many than too few.
//!
//! Every expression, variable, argument and result is a node. A node that is computed from another, written from it, or
//! written under a condition that depends on it, holds all buffers that the other holds. The same graph followed
//! backwards tells what has to be computed if only addresses and control flow matter: a [`Slice`].

mod decides;
mod flow;
mod graph;
mod places;

use std::collections::BTreeSet;
use std::ops::Range;

use naga::{Expression, Function, Handle};

use flow::{Flow, Numbers};
use places::root;

use super::reach::reached;
use crate::shader::Specialised;
use crate::trace::Position;

/// What a value decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SinkKind {
    /// The address of an access.
    Address,
    /// Which lanes reach an access, a barrier or the end of a turn.
    Branch,
    /// When a loop ends.
    Loop,
}

/// A place where values decide something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sink {
    pub(crate) kind: SinkKind,
    pub(crate) position: Position,
    /// The variable whose address it is.
    pub(crate) variable: Option<u32>,
    /// The node that decides.
    node: usize,
}

/// A set of buffers, by the indices of their variables; what is beyond the last bit shares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sources(u128);

impl Sources {
    fn of(variable: Handle<naga::GlobalVariable>) -> Self {
        Self(1 << variable.index().min(127))
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The indices of the variables.
    pub(crate) fn variables(self) -> BTreeSet<u32> {
        (0..128).filter(|k| self.0 >> k & 1 == 1).collect()
    }
}

/// Every place where contents can decide something, with the buffers that do; none for a text that the interpreter
/// refuses because its calls or blocks lie too deep inside each other.
pub(crate) fn sinks(shader: &Specialised) -> Vec<(Sink, Sources)> {
    Slice::new(shader).map(|slice| slice.sinks).unwrap_or_default()
}

/// What matters where values do not: the part of a program that feeds addresses and control flow.
#[derive(Default)]
pub(super) struct Slice {
    needed: Vec<bool>,
    numbers: Vec<Numbers>,
    globals: Vec<Range<usize>>,
    sinks: Vec<(Sink, Sources)>,
}

impl Slice {
    /// The slice of a shader's entry point; `None` where that lies too deep.
    pub(super) fn new(shader: &Specialised) -> Option<Self> {
        let entry = shader.module.entry_points.iter().find(|point| point.name == shader.reflection().entry_point)?;
        let reached = reached(&shader.module, &entry.function).ok()?;
        let Flow { graph, numbers, globals, sinks, kept, .. } = Flow::build(shader, &reached);
        let reached = graph.spread();
        let roots = sinks.iter().map(|sink| sink.node).chain(kept);
        Some(Self {
            needed: graph.feeds(roots),
            sinks: sinks.iter().map(|sink| (*sink, reached[sink.node])).collect(),
            numbers,
            globals,
        })
    }

    /// Whether an expression of function `number` feeds an address or control flow; the entry point is the last one.
    pub(super) fn needs(&self, number: usize, handle: Handle<Expression>) -> bool {
        self.numbers[number].expressions.is_some_and(|first| self.needed[first + handle.index()])
    }

    /// Whether what is behind a pointer does.
    pub(super) fn needs_behind(&self, shader: &Specialised, number: usize, pointer: Handle<Expression>) -> bool {
        let module = &shader.module;
        let function = functions(shader).nth(number);
        let Some((root, member)) = function.and_then(|function| root(module, function, pointer)) else { return true };
        self.numbers[number].nodes(&self.globals, root, member).any(|node| self.needed[node])
    }

    /// The buffers on which it depends when the loop at a place ends.
    pub(super) fn loop_depends_on(&self, position: Position) -> BTreeSet<u32> {
        let loops = self.sinks.iter().filter(|(sink, _)| sink.kind == SinkKind::Loop && sink.position == position);
        loops.flat_map(|(_, sources)| sources.variables()).collect()
    }
}

/// All functions of a module, the entry point last.
fn functions(shader: &Specialised) -> impl Iterator<Item = &Function> {
    let module = &shader.module;
    let entry = module.entry_points.iter().find(|point| point.name == shader.reflection().entry_point);
    module.functions.iter().map(|(_, function)| function).chain(entry.map(|point| &point.function))
}

#[cfg(test)]
mod tests;
