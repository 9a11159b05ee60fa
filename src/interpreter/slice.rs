//! Executing addresses and control flow only: what the compiler asks of the taint pass, and what is left of accesses
//! whose values do not matter.

use naga::{Expression as Ir, Handle};

use super::code::{Expression, Op, Root, Transfer};
use super::expressions::FunctionCompiler;
use super::machine::Machine;
use crate::trace::{LaneMask, Observer, Position};

impl FunctionCompiler<'_, '_> {
    /// The number of this function among those of the code.
    fn number(&self) -> usize {
        self.compiler.code.functions.len()
    }

    /// Whether an expression feeds an address or control flow.
    pub(super) fn needs(&self, handle: Handle<Ir>) -> bool {
        self.compiler.slice.needs(self.number(), handle)
    }

    /// Whether what is behind a pointer does.
    pub(super) fn needs_behind(&self, pointer: Handle<Ir>) -> bool {
        self.compiler.slice.needs_behind(self.compiler.shader, self.number(), pointer)
    }

    /// The buffers whose contents decide when the loop at a place ends.
    pub(super) fn loop_depends_on(&self, position: Position) -> Vec<String> {
        let names = self.compiler.shader.module.global_variables.iter().map(|(_, variable)| variable.name.clone());
        let names: Vec<String> = names.map(Option::unwrap_or_default).collect();
        let indices = self.compiler.slice.loop_depends_on(position);
        indices.into_iter().filter_map(|index| names.get(index as usize).cloned()).collect()
    }
}

impl<O: Observer + ?Sized> Machine<'_, O> {
    /// Tells of a load or store without moving anything.
    pub(super) fn pass(&mut self, transfer: &Transfer, mask: &LaneMask) {
        if transfer.place.root == Root::Local {
            return;
        }
        let code = self.code;
        for (k, leaf) in code.flats[transfer.flat].leaves.iter().enumerate() {
            self.addresses(&transfer.place, leaf.offset);
            self.observe(transfer.access + k, &transfer.place, mask);
        }
    }

    /// What is left of an expression whose value does not matter.
    pub(super) fn skip(&mut self, expression: &Expression, mask: &LaneMask) {
        match &expression.op {
            Op::Load(transfer) => self.pass(transfer, mask),
            Op::LoadTile(_) | Op::Texture(_) => {
                self.give_up();
                self.evaluate(expression, mask);
            }
            _ => {}
        }
    }
}
