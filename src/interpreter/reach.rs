//! Which functions an entry point reaches: the others may contain anything. How deep calls and blocks nest, and in how
//! many ways a function is reached, is bounded here, so that neither the stack nor the list of sites can overflow.

use naga::{Block, Function, Handle, Module, Span, Statement};

/// Most blocks and calls inside each other: each is a few kilobytes of stack, and a browser's has one megabyte.
const MOST_NESTED: u32 = 200;
/// Most chains of calls.
const MOST_CHAINS: u32 = 1 << 14;

/// A call that goes too far, in words, and where.
pub(super) struct TooFar {
    pub what: String,
    pub span: Span,
}

/// What a function costs those that call it.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    /// Blocks and calls inside each other.
    nested: u32,
    /// Chains of calls that begin here; the empty one counts.
    chains: u32,
}

/// For each function of the module whether the entry point calls it, directly or not.
pub(super) fn reached(module: &Module, entry: &Function) -> Result<Vec<bool>, TooFar> {
    let mut reached = vec![false; module.functions.len()];
    each_call(&entry.body, 0, &mut |callee, _, _| reached[callee.index()] = true);
    // Functions are called by later ones only.
    for (handle, function) in module.functions.iter().rev() {
        if reached[handle.index()] {
            each_call(&function.body, 0, &mut |callee, _, _| reached[callee.index()] = true);
        }
    }
    let mut costs: Vec<Cost> = Vec::with_capacity(reached.len());
    for (handle, function) in module.functions.iter() {
        let cost = if reached[handle.index()] { cost(function, &costs)? } else { Cost::default() };
        costs.push(cost);
    }
    cost(entry, &costs)?;
    Ok(reached)
}

fn cost(function: &Function, costs: &[Cost]) -> Result<Cost, TooFar> {
    let mut sum = Cost { nested: 0, chains: 1 };
    let mut too_far = None;
    let deepest = each_call(&function.body, 0, &mut |callee, nested, span| {
        let callee = costs.get(callee.index()).copied().unwrap_or_default();
        sum.nested = sum.nested.max(nested + 2 + callee.nested);
        sum.chains = sum.chains.saturating_add(callee.chains);
        let what = if sum.nested > MOST_NESTED {
            format!("more than {MOST_NESTED} blocks and calls inside each other")
        } else if sum.chains > MOST_CHAINS {
            format!("a program of more than {MOST_CHAINS} chains of calls")
        } else {
            return;
        };
        too_far.get_or_insert(TooFar { what, span });
    });
    sum.nested = sum.nested.max(deepest);
    too_far.map_or(Ok(sum), Err)
}

/// Visits every call with its depth in blocks; returns the depth of the deepest block.
fn each_call(block: &Block, depth: u32, visit: &mut dyn FnMut(Handle<Function>, u32, Span)) -> u32 {
    let mut deepest = depth;
    for (statement, span) in block.span_iter() {
        if let Statement::Call { function, .. } = statement {
            visit(*function, depth, *span);
        }
        for inner in inner_blocks(statement) {
            deepest = deepest.max(each_call(inner, depth + 1, visit));
        }
    }
    deepest
}

/// The blocks of a statement.
pub(crate) fn inner_blocks(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept, reject, .. } => vec![accept, reject],
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        Statement::Loop { body, continuing, .. } => vec![body, continuing],
        Statement::Emit(_)
        | Statement::Break
        | Statement::Continue
        | Statement::Return { .. }
        | Statement::Kill
        | Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_)
        | Statement::Store { .. }
        | Statement::ImageStore { .. }
        | Statement::Atomic { .. }
        | Statement::ImageAtomic { .. }
        | Statement::WorkGroupUniformLoad { .. }
        | Statement::Call { .. }
        | Statement::RayQuery { .. }
        | Statement::RayPipelineFunction(_)
        | Statement::SubgroupBallot { .. }
        | Statement::SubgroupGather { .. }
        | Statement::SubgroupCollectiveOperation { .. }
        | Statement::CooperativeStore { .. } => Vec::new(),
    }
}
