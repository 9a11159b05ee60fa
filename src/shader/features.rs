//! Which features of a device a module needs: those without which naga refuses it.

use std::collections::BTreeSet;

use naga::Module;
use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};

use crate::program::Feature;

/// Features and what they let a shader do. Everything else that naga knows is taken to be there: what is not in compute
/// shaders, and what all devices have.
const FEATURES: [(Feature, Capabilities); 7] = [
    (Feature::F16, Capabilities::SHADER_FLOAT16),
    (Feature::Subgroups, Capabilities::SUBGROUP.union(Capabilities::SUBGROUP_BARRIER)),
    (Feature::Int64, Capabilities::SHADER_INT64),
    (Feature::Float64, Capabilities::FLOAT64),
    (Feature::Int64Atomics, Capabilities::SHADER_INT64_ATOMIC_MIN_MAX.union(Capabilities::SHADER_INT64_ATOMIC_ALL_OPS)),
    (Feature::Float32Atomics, Capabilities::SHADER_FLOAT32_ATOMIC),
    (Feature::CooperativeMatrix, Capabilities::COOPERATIVE_MATRIX),
];

/// A validator of what a device with some capabilities takes.
pub(super) fn validator(capabilities: Capabilities) -> Validator {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.subgroup_stages(ShaderStages::all()).subgroup_operations(SubgroupOperationSet::all());
    validator
}

/// The features that a valid module needs.
pub(super) fn needed(module: &Module) -> BTreeSet<Feature> {
    let is_valid = |capabilities| validator(capabilities).validate(module).is_ok();
    let without = |capabilities: Capabilities| Capabilities::all().difference(capabilities);
    let all = FEATURES.iter().fold(Capabilities::empty(), |all, (_, capabilities)| all.union(*capabilities));
    if is_valid(without(all)) {
        return BTreeSet::new();
    }
    FEATURES.iter().filter(|(_, own)| !is_valid(without(*own))).map(|(feature, _)| *feature).collect()
}
