//! Which buffer decides when a loop ends: for the message of a loop that does not.

use std::collections::HashSet;

use naga::{
    AddressSpace, Block, CooperativeData, Expression as Ir, Function, GlobalVariable, Handle, LocalVariable, Module,
    Statement,
};

use super::operands::{operands, statement_operands};
use super::reach::inner_blocks;

/// A variable of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    Global(Handle<GlobalVariable>),
    Local(Handle<LocalVariable>),
}

/// A write inside the loop: to what, and on what its value and its being made depend.
struct Write {
    to: Variable,
    result: Option<Handle<Ir>>,
    depends: Vec<Handle<Ir>>,
}

/// A loop as a graph of what depends on what.
struct Loop<'a> {
    module: &'a Module,
    function: &'a Function,
    writes: Vec<Write>,
    /// Results of subgroup operations with what went into them.
    collected: Vec<(Handle<Ir>, Vec<Handle<Ir>>)>,
    /// What decides whether a lane leaves.
    exits: Vec<Handle<Ir>>,
}

/// The first buffer found on the way back from the conditions under which lanes leave a loop.
pub(super) fn deciding_buffer<'a>(module: &'a Module, function: &'a Function, node: &Statement) -> Option<&'a str> {
    let Statement::Loop { body, continuing, break_if } = node else { return None };
    let mut graph = Loop { module, function, writes: Vec::new(), collected: Vec::new(), exits: Vec::new() };
    for block in [body, continuing] {
        graph.walk(block, &mut Vec::new());
    }
    graph.exits.extend(break_if);
    let mut open = std::mem::take(&mut graph.exits);
    let mut seen: HashSet<Handle<Ir>> = open.iter().copied().collect();
    let mut next = 0;
    while let Some(handle) = open.get(next).copied() {
        next += 1;
        match graph.operands(handle) {
            Ok(operands) => open.extend(operands.into_iter().filter(|operand| seen.insert(*operand))),
            Err(buffer) => return module.global_variables[buffer].name.as_deref(),
        }
    }
    None
}

impl Loop<'_> {
    /// Collects writes and exits with the conditions around them.
    fn walk(&mut self, block: &Block, conditions: &mut Vec<Handle<Ir>>) {
        for statement in block {
            match statement {
                Statement::Break | Statement::Return { .. } => self.exits.extend(conditions.iter()),
                Statement::Store { pointer, value } => self.write(*pointer, None, vec![*value], conditions),
                Statement::Atomic { pointer, value, result, .. } => {
                    self.write(*pointer, *result, vec![*value], conditions);
                }
                Statement::CooperativeStore { target, data } => {
                    self.write(data.pointer, None, vec![*target], conditions);
                }
                Statement::WorkGroupUniformLoad { pointer, result } => {
                    self.write(*pointer, Some(*result), Vec::new(), conditions);
                }
                Statement::SubgroupBallot { result, .. }
                | Statement::SubgroupGather { result, .. }
                | Statement::SubgroupCollectiveOperation { result, .. } => {
                    self.collected.push((*result, statement_operands(statement)));
                }
                _ => {}
            }
            let condition = match statement {
                Statement::If { condition, .. } => Some(*condition),
                Statement::Switch { selector, .. } => Some(*selector),
                _ => None,
            };
            conditions.extend(condition);
            for inner in inner_blocks(statement) {
                self.walk(inner, conditions);
            }
            if condition.is_some() {
                conditions.pop();
            }
        }
    }

    fn write(
        &mut self,
        pointer: Handle<Ir>,
        result: Option<Handle<Ir>>,
        mut depends: Vec<Handle<Ir>>,
        conditions: &[Handle<Ir>],
    ) {
        if let Some(to) = self.variable(pointer) {
            depends.extend(conditions);
            self.writes.push(Write { to, result, depends });
        }
    }

    /// The variable into which a pointer points.
    fn variable(&self, pointer: Handle<Ir>) -> Option<Variable> {
        match self.function.expressions[pointer] {
            Ir::Access { base, .. } | Ir::AccessIndex { base, .. } => self.variable(base),
            Ir::GlobalVariable(variable) => Some(Variable::Global(variable)),
            Ir::LocalVariable(variable) => Some(Variable::Local(variable)),
            _ => None,
        }
    }

    /// What an expression depends on; a storage buffer ends the search.
    fn operands(&self, handle: Handle<Ir>) -> Result<Vec<Handle<Ir>>, Handle<GlobalVariable>> {
        Ok(match self.function.expressions[handle] {
            Ir::Load { pointer } => {
                let mut operands = self.written(self.variable(pointer))?;
                operands.push(pointer);
                operands
            }
            Ir::CooperativeLoad { data: CooperativeData { pointer, stride, .. }, .. } => {
                let mut operands = self.written(self.variable(pointer))?;
                operands.extend([pointer, stride]);
                operands
            }
            Ir::AtomicResult { .. } | Ir::WorkGroupUniformLoadResult { .. } => {
                let write = self.writes.iter().find(|write| write.result == Some(handle));
                self.written(write.map(|write| write.to))?
            }
            Ir::SubgroupBallotResult | Ir::SubgroupOperationResult { .. } => {
                let of = self.collected.iter().find(|(result, _)| *result == handle);
                of.map(|(_, operands)| operands.clone()).unwrap_or_default()
            }
            ref other => operands(other),
        })
    }

    /// What the contents of a variable depend on.
    fn written(&self, variable: Option<Variable>) -> Result<Vec<Handle<Ir>>, Handle<GlobalVariable>> {
        if let Some(Variable::Global(global)) = variable
            && let AddressSpace::Storage { .. } = self.module.global_variables[global].space
        {
            return Err(global);
        }
        let writes = self.writes.iter().filter(|write| Some(write.to) == variable);
        Ok(writes.flat_map(|write| write.depends.iter().copied()).collect())
    }
}
