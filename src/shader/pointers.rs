//! Pointers to elements as arguments of functions: the language allows them, and naga's writer of SPIR-V panics on them.

use naga::{Expression, Function, Span, Statement};

use super::Specialised;
use crate::trace::Position;

impl Specialised {
    /// The first call that is passed a pointer to a part of a variable (`f(&t[i])`), in any function of the module, as
    /// writers write them all.
    #[must_use]
    pub fn element_pointer_argument(&self) -> Option<Position> {
        let entries = self.module.entry_points.iter().map(|entry| &entry.function);
        let functions = self.module.functions.iter().map(|(_, function)| function).chain(entries);
        let spans = functions.filter_map(|function| in_block(function, &function.body, &self.module));
        spans.map(|span| self.source.start(span)).min()
    }
}

/// Where a block makes such a call.
fn in_block(function: &Function, block: &naga::Block, module: &naga::Module) -> Option<Span> {
    block.span_iter().find_map(|(statement, span)| match statement {
        Statement::Call { function: callee, arguments, .. } => {
            let parameters = &module.functions[*callee].arguments;
            let is_part = |(argument, parameter): (&naga::Handle<Expression>, &naga::FunctionArgument)| {
                let part = matches!(
                    function.expressions[*argument],
                    Expression::Access { .. } | Expression::AccessIndex { .. }
                );
                part && module.types[parameter.ty].inner.pointer_space().is_some()
            };
            arguments.iter().zip(parameters).any(is_part).then_some(*span)
        }
        Statement::Block(block) => in_block(function, block, module),
        Statement::If { accept, reject, .. } => {
            in_block(function, accept, module).or_else(|| in_block(function, reject, module))
        }
        Statement::Switch { cases, .. } => cases.iter().find_map(|case| in_block(function, &case.body, module)),
        Statement::Loop { body, continuing, .. } => {
            in_block(function, body, module).or_else(|| in_block(function, continuing, module))
        }
        _ => None,
    })
}
