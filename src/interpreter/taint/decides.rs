//! Whether it matters that lanes execute a block: what makes a condition around it decide something.

use naga::{Block, Expression, Handle, Statement};

use super::flow::Flow;
use crate::interpreter::reach::inner_blocks;

impl Flow<'_> {
    /// Whether it matters for counts that lanes execute this block: there is an access in it, a barrier, or a jump out of
    /// it that is no end of a loop.
    pub(super) fn decides(&self, number: usize, block: &Block) -> bool {
        self.touches_memory(number, block) || block.iter().any(|statement| self.jumps(number, statement))
    }

    fn jumps(&self, number: usize, statement: &Statement) -> bool {
        matches!(statement, Statement::Continue | Statement::Kill)
            // naga ends every branch of a last `if` with a return of its own, so only one that skips something counts.
            || (matches!(statement, Statement::Return { .. }) && self.numbers[number].touches)
            || inner_blocks(statement).into_iter().any(|block| block.iter().any(|inner| self.jumps(number, inner)))
    }

    pub(super) fn touches_memory(&self, number: usize, block: &Block) -> bool {
        let counted = |pointer: Handle<Expression>| self.counted(number, pointer).is_some();
        block.iter().any(|statement| match statement {
            Statement::Emit(range) => range.clone().any(|handle| match self.functions[number].expressions[handle] {
                Expression::Load { pointer } => counted(pointer),
                Expression::CooperativeLoad { .. } | Expression::ImageLoad { .. } | Expression::ImageSample { .. } => {
                    true
                }
                _ => false,
            }),
            Statement::Store { pointer, .. }
            | Statement::Atomic { pointer, .. }
            | Statement::WorkGroupUniformLoad { pointer, .. } => counted(*pointer),
            Statement::CooperativeStore { .. }
            | Statement::ControlBarrier(_)
            | Statement::ImageStore { .. }
            | Statement::ImageAtomic { .. } => true,
            Statement::Call { function, .. } => self.numbers[function.index()].touches,
            _ => inner_blocks(statement).into_iter().any(|inner| self.touches_memory(number, inner)),
        })
    }
}

/// Whether a block that accesses nothing is executed all the same: its steps count, or lanes leave it early.
pub(super) fn is_executed_for_itself(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Loop { .. }
        | Statement::Call { .. }
        | Statement::Break
        | Statement::Continue
        | Statement::Return { .. }
        | Statement::Kill
        | Statement::RayQuery { .. }
        | Statement::RayPipelineFunction(_) => true,
        _ => inner_blocks(statement).into_iter().any(is_executed_for_itself),
    })
}
