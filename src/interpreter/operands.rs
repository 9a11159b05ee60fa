//! Which expressions an expression or a statement uses directly.

use naga::{Expression as Ir, GatherMode, Handle, ImageQuery, SampleLevel, Statement};

/// The operands of an expression.
pub(super) fn operands(ir: &Ir) -> Vec<Handle<Ir>> {
    match *ir {
        Ir::Access { base, index } => vec![base, index],
        Ir::AccessIndex { base, .. } => vec![base],
        Ir::Splat { value, .. } => vec![value],
        Ir::Swizzle { vector, .. } => vec![vector],
        Ir::Compose { ref components, .. } => components.clone(),
        Ir::Load { pointer } | Ir::ArrayLength(pointer) => vec![pointer],
        Ir::Unary { expr, .. } | Ir::As { expr, .. } | Ir::Derivative { expr, .. } => vec![expr],
        Ir::Binary { left, right, .. } => vec![left, right],
        Ir::Select { condition, accept, reject } => vec![condition, accept, reject],
        Ir::Relational { argument, .. } => vec![argument],
        Ir::Math { arg, arg1, arg2, arg3, .. } => [Some(arg), arg1, arg2, arg3].into_iter().flatten().collect(),
        Ir::ImageSample { image, sampler, coordinate, array_index, offset, level, depth_ref, .. } => {
            let levels = match level {
                SampleLevel::Auto | SampleLevel::Zero => [None; 2],
                SampleLevel::Exact(level) | SampleLevel::Bias(level) => [Some(level), None],
                SampleLevel::Gradient { x, y } => [Some(x), Some(y)],
            };
            let others = [Some(image), Some(sampler), Some(coordinate), array_index, offset, depth_ref];
            others.into_iter().chain(levels).flatten().collect()
        }
        Ir::ImageLoad { image, coordinate, array_index, sample, level } => {
            [Some(image), Some(coordinate), array_index, sample, level].into_iter().flatten().collect()
        }
        Ir::ImageQuery { image, query } => match query {
            ImageQuery::Size { level } => [Some(image), level].into_iter().flatten().collect(),
            ImageQuery::NumLevels | ImageQuery::NumLayers | ImageQuery::NumSamples => vec![image],
        },
        Ir::RayQueryVertexPositions { query, .. } | Ir::RayQueryGetIntersection { query, .. } => vec![query],
        Ir::CooperativeLoad { ref data, .. } => vec![data.pointer, data.stride],
        Ir::CooperativeMultiplyAdd { a, b, c } => vec![a, b, c],
        Ir::Literal(_)
        | Ir::Constant(_)
        | Ir::Override(_)
        | Ir::ZeroValue(_)
        | Ir::FunctionArgument(_)
        | Ir::GlobalVariable(_)
        | Ir::LocalVariable(_)
        | Ir::CallResult(_)
        | Ir::AtomicResult { .. }
        | Ir::WorkGroupUniformLoadResult { .. }
        | Ir::RayQueryProceedResult
        | Ir::SubgroupBallotResult
        | Ir::SubgroupOperationResult { .. } => Vec::new(),
    }
}

/// The index of a gather, if a lane gives one.
pub(super) const fn gather_index(mode: &GatherMode) -> Option<Handle<Ir>> {
    match *mode {
        GatherMode::Broadcast(index)
        | GatherMode::Shuffle(index)
        | GatherMode::ShuffleDown(index)
        | GatherMode::ShuffleUp(index)
        | GatherMode::ShuffleXor(index)
        | GatherMode::QuadBroadcast(index) => Some(index),
        GatherMode::BroadcastFirst | GatherMode::QuadSwap(_) => None,
    }
}

/// What a statement that moves values uses. Those of control flow use numbers only, and calls what they are given.
pub(super) fn statement_operands(statement: &Statement) -> Vec<Handle<Ir>> {
    match *statement {
        Statement::Store { pointer, value } => vec![pointer, value],
        Statement::ImageStore { image, coordinate, array_index, value } => {
            [Some(image), Some(coordinate), array_index, Some(value)].into_iter().flatten().collect()
        }
        Statement::Atomic { pointer, value, .. } => vec![pointer, value],
        Statement::ImageAtomic { image, coordinate, array_index, value, .. } => {
            [Some(image), Some(coordinate), array_index, Some(value)].into_iter().flatten().collect()
        }
        Statement::WorkGroupUniformLoad { pointer, result } => vec![pointer, result],
        Statement::SubgroupBallot { predicate, .. } => predicate.into_iter().collect(),
        Statement::SubgroupGather { ref mode, argument, .. } => {
            gather_index(mode).into_iter().chain([argument]).collect()
        }
        Statement::SubgroupCollectiveOperation { argument, .. } => vec![argument],
        Statement::CooperativeStore { target, ref data } => vec![target, data.pointer, data.stride],
        Statement::Emit(_)
        | Statement::Block(_)
        | Statement::If { .. }
        | Statement::Switch { .. }
        | Statement::Loop { .. }
        | Statement::Break
        | Statement::Continue
        | Statement::Return { .. }
        | Statement::Kill
        | Statement::ControlBarrier(_)
        | Statement::MemoryBarrier(_)
        | Statement::Call { .. }
        | Statement::RayQuery { .. }
        | Statement::RayPipelineFunction(_) => Vec::new(),
    }
}
