//! Compiling the statements of a function.

use naga::{Barrier, Block, Expression as Ir, Handle, Span, Statement, SwitchValue};

use super::code::{Argument, Atomic, AtomicKind, Case, Node, Root};
use super::compile::first_kind;
use super::error::InterpretError;
use super::expressions::FunctionCompiler;
use super::operands::statement_operands;
use crate::trace::AccessKind;

impl FunctionCompiler<'_, '_> {
    pub(super) fn block(&mut self, block: &Block) -> Result<Vec<Node>, InterpretError> {
        let mut nodes = Vec::new();
        for (statement, span) in block.span_iter() {
            if self.any_missing(&statement_operands(statement)) {
                continue;
            }
            match self.statement(statement, *span) {
                Ok(node) => nodes.extend(node),
                Err(error) => self.compiler.note(error)?,
            }
        }
        Ok(nodes)
    }

    fn statement(&mut self, statement: &Statement, span: Span) -> Result<Option<Node>, InterpretError> {
        let position = self.compiler.shader.source.start(span);
        let unsupported = |what: &str| Err(self.compiler.unsupported(what, span));
        Ok(Some(match statement {
            Statement::Emit(range) => return Ok(self.emit(range)),
            Statement::Block(block) => Node::Block(self.block(block)?),
            Statement::If { condition, accept, reject } => Node::If {
                needed: self.needs(*condition),
                condition: self.slot_of(*condition),
                accept: self.block(accept)?,
                reject: self.block(reject)?,
            },
            Statement::Switch { selector, cases } => {
                let (needed, selector) = (self.needs(*selector), self.slot_of(*selector));
                let cases = cases.iter().map(|case| self.case(case)).collect::<Result<_, _>>()?;
                Node::Switch { needed, selector, cases }
            }
            Statement::Loop { body, continuing, break_if } => {
                let (body, continuing) = (self.block(body)?, self.block(continuing)?);
                let depends_on = self.loop_depends_on(position);
                let break_if = break_if.map(|handle| self.slot_of(handle));
                Node::Loop { body, continuing, break_if, position, depends_on }
            }
            Statement::Break => Node::Break,
            Statement::Continue => Node::Continue,
            Statement::Return { value } => {
                let value = &value.filter(|handle| !self.any_missing(&[*handle]));
                let rows = self.function.result.map_or(0, |(_, rows)| rows);
                let back = Node::Return { value: value.map(|handle| self.slot_of(handle)), rows };
                match value {
                    Some(handle) if self.flat_of(*handle)?.cooperative => {
                        Node::Block(vec![Node::WholeSubgroups { same: [None; 2], position }, back])
                    }
                    _ => back,
                }
            }
            // Lanes are in lockstep: memory is always ordered, and a subgroup always together.
            Statement::ControlBarrier(Barrier::SUB_GROUP) => return Ok(None),
            Statement::ControlBarrier(_) => Node::Barrier(position),
            Statement::MemoryBarrier(_) => return Ok(None),
            Statement::Store { pointer, value } => {
                let transfer = self.transfer(*pointer, AccessKind::Store, span)?;
                let store = Node::Store { transfer, value: self.slot_of(*value), needed: self.needs_behind(*pointer) };
                if self.compiler.code.flats[transfer.flat].cooperative {
                    let whole = Node::WholeSubgroups { same: [transfer.place.dynamic, None], position };
                    return Ok(Some(Node::Block(vec![whole, store])));
                }
                store
            }
            Statement::Atomic { pointer, fun, value, result } => {
                let transfer = self.transfer(*pointer, AccessKind::Atomic, span)?;
                Node::Atomic(Atomic {
                    transfer,
                    fun: AtomicKind::of(fun, |handle| self.slot_of(handle)),
                    kind: first_kind(&self.flat_of(*value)?),
                    value: self.slot_of(*value),
                    result: result.map(|handle| self.slot_of(handle)),
                    needed: self.needs_behind(*pointer),
                })
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let transfer = self.transfer(*pointer, AccessKind::Load, span)?;
                Node::UniformLoad { transfer, result: self.slot_of(*result), position, needed: self.needs(*result) }
            }
            Statement::Call { function, arguments, result } => {
                let pointers = arguments.iter().copied().filter(|handle| self.is_pointer(*handle));
                if self.any_missing(&pointers.collect::<Vec<_>>()) {
                    return Ok(None);
                }
                self.call(*function, arguments, *result, span)?
            }
            Statement::Kill => return unsupported("discard"),
            Statement::ImageStore { image, coordinate, array_index, value } => {
                return self.write_texture(*image, (*coordinate, *array_index), (*value, None), span);
            }
            Statement::ImageAtomic { image, coordinate, array_index, fun, value } => {
                let fun = AtomicKind::of(fun, |handle| self.slot_of(handle));
                return self.write_texture(*image, (*coordinate, *array_index), (*value, Some(fun)), span);
            }
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => return unsupported("a ray query"),
            Statement::SubgroupBallot { result, predicate } => return self.ballot(*predicate, *result),
            Statement::SubgroupGather { mode, argument, result } => return self.gather(mode, *argument, *result),
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                return self.fold((*op, *collective_op), *argument, *result);
            }
            Statement::CooperativeStore { target, data } => {
                let tile = Box::new(self.tile(*target, data, AccessKind::Store, span)?);
                let whole = Node::WholeSubgroups { same: tile.uniform(), position };
                Node::Block(vec![whole, Node::StoreTile { tile, value: self.slot_of(*target) }])
            }
        }))
    }

    fn case(&mut self, case: &naga::SwitchCase) -> Result<Case, InterpretError> {
        let value = match case.value {
            SwitchValue::I32(value) => Some(value.cast_unsigned()),
            SwitchValue::U32(value) => Some(value),
            SwitchValue::Default => None,
        };
        Ok(Case { value, body: self.block(&case.body)?, falls_through: case.fall_through })
    }

    /// Expressions in their order; one that moves a cooperative matrix begins a new node, behind a look at the lanes.
    fn emit(&self, range: &naga::Range<Ir>) -> Option<Node> {
        let (mut first, last) = (range.clone().next()?.index(), range.clone().last()?.index());
        let piece = |first: usize, end: usize| {
            let expressions = &self.function.expressions[first..end];
            let counted = expressions.iter().filter(|expression| expression.counts).count() as u64;
            Node::Emit { first, end, counted }
        };
        let mut nodes = Vec::new();
        for handle in range.clone() {
            if let Some(same) = self.moves_a_matrix(handle) {
                nodes.push(piece(first, handle.index()));
                let position = self.compiler.shader.source.start(self.span(handle));
                nodes.push(Node::WholeSubgroups { same, position });
                first = handle.index();
            }
        }
        let rest = piece(first, last + 1);
        if nodes.is_empty() {
            return Some(rest);
        }
        nodes.push(rest);
        Some(Node::Block(nodes))
    }

    fn call(
        &mut self,
        function: Handle<naga::Function>,
        arguments: &[Handle<Ir>],
        result: Option<Handle<Ir>>,
        span: Span,
    ) -> Result<Node, InterpretError> {
        let call = self.compiler.code.calls.len();
        self.compiler.code.calls.push(self.compiler.shader.source.start(span));
        let callee = function.index();
        let shapes = self.compiler.code.functions[callee].arguments.clone();
        let arguments = arguments
            .iter()
            .zip(shapes)
            .map(|(handle, (_, rows))| {
                if self.is_pointer(*handle) {
                    let place = self.place(*handle)?;
                    if place.root != Root::Local {
                        return Err(self.compiler.unsupported("a pointer to shared memory as an argument", span));
                    }
                    return Ok(Argument::Pointer { offset: place.offset, dynamic: place.dynamic });
                }
                Ok(Argument::Value { slot: self.slot_of(*handle), rows })
            })
            .collect::<Result<_, _>>()?;
        let rows = self.compiler.code.functions[callee].result.map_or(0, |(_, rows)| rows);
        let result = result.map(|handle| (self.slot_of(handle), rows));
        Ok(Node::Call { function: callee, arguments, result, call })
    }
}
