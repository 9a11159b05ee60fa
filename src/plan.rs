//! (kernel, parameters, setting) to a [`Plan`]: pure, and proof that every index is in range, which is what lets a
//! built-in kernel run without safety checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kernels::{Draft, Kernel, Oracle, Params, Refusal, SUBGROUP_SIZE, Setting};
use crate::program::{Cooperative, FIRST_GROUP, GROUPS, Limits, Program, Scalar, Uniforms, fold_grid};
use crate::record::Work;

/// One kernel with its parameters, ready to be executed, interpreted and verified.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Its parameters.
    pub params: Params,
    /// What runs.
    pub program: Program,
    /// Workgroups with work; the grid may hold a few more where it is folded.
    pub groups: u64,
    /// What one dispatch does.
    pub work: Work,
    /// Bytes touched between two visits of a byte, over all phases.
    pub touched_bytes: u64,
    /// What must come out.
    pub oracle: Oracle,
}

impl Plan {
    /// Lanes of a subgroup that the text is made for; what lessons assume where it does not matter.
    #[must_use]
    pub fn subgroup(&self) -> u32 {
        let given = self.program.constants.get(SUBGROUP_SIZE);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive integer")]
        given.map_or(Cooperative::WITHOUT_DEVICE.subgroup, |lanes| *lanes as u32)
    }
}

/// Why there is no plan. The row is `unsupported` with this reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The kernel cannot be had with these parameters.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A limit of the device is in the way.
    #[error("{what} needs {needed}, and this device allows {allowed} ({limit}): {cure}")]
    Limit {
        /// What asks for too much.
        what: String,
        /// How much it asks for.
        needed: u64,
        /// How much there may be.
        allowed: u64,
        /// The limit's name in WebGPU.
        limit: &'static str,
        /// What to do.
        cure: &'static str,
    },
    /// Indices are u32 in WGSL.
    #[error("{kernel} would form the index {index}, which wraps in 32 bits: take fewer bytes or a smaller stride")]
    Wraps {
        /// The kernel.
        kernel: &'static str,
        /// The index.
        index: u64,
    },
    /// A kernel that reaches past its own buffer: a mistake in the registry, never run.
    #[error(
        "{kernel} would reach byte {reach} of {buffer}, which has {bytes}: this is a mistake in the kernel's entry"
    )]
    OutOfRange {
        /// The kernel.
        kernel: &'static str,
        /// The buffer.
        buffer: &'static str,
        /// One past the last byte reached.
        reach: u64,
        /// The bytes there are.
        bytes: u64,
    },
}

/// Footprints above this are refused before anything is computed from them.
const MOST_BYTES: u64 = 1 << 44;

/// The plan of a kernel.
///
/// # Errors
/// Where the kernel refuses, a limit is exceeded, or an index would wrap.
pub fn plan(kernel: &'static Kernel, params: &Params, setting: &Setting) -> Result<Plan, PlanError> {
    if setting.footprint_bytes > MOST_BYTES {
        return Err(PlanError::Limit {
            what: format!("the footprint of {}", kernel.id),
            needed: setting.footprint_bytes,
            allowed: MOST_BYTES,
            limit: "more than any device has",
            cure: "take fewer --bytes",
        });
    }
    let draft = (kernel.draft)(params, setting)?;
    check_limits(kernel, &draft, &setting.limits)?;
    check_reach(kernel, &draft)?;
    let grid = fold_grid(draft.groups, setting.limits.max_workgroups_per_dimension).ok_or(PlanError::Limit {
        what: format!("the grid of {}", kernel.id),
        needed: draft.groups,
        allowed: u64::from(setting.limits.max_workgroups_per_dimension).pow(2),
        limit: "maxComputeWorkgroupsPerDimension, squared",
        cure: "take fewer bytes or a larger workgroup",
    })?;
    let mut values: BTreeMap<String, Scalar> = named(draft.uniforms);
    #[expect(clippy::cast_possible_truncation, reason = "check_reach has shown that it fits")]
    values.insert(GROUPS.into(), Scalar::U32(draft.groups as u32));
    values.insert(FIRST_GROUP.into(), Scalar::U32(0));
    let mut verification = BTreeMap::new();
    if draft.keeps {
        values.insert("store_from".into(), Scalar::U32(u32::MAX));
        verification.insert("store_from".into(), Scalar::U32(0));
    }
    let mut constants: BTreeMap<String, f64> =
        draft.constants.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    constants.insert("workgroup_size".into(), f64::from(draft.workgroup));
    Ok(Plan {
        kernel,
        params: params.clone(),
        program: Program {
            wgsl: Arc::from(draft.wgsl),
            entry_point: "main".into(),
            constants,
            buffers: draft.buffers,
            textures: Vec::new(),
            uniforms: Some(Uniforms {
                name: "params".into(),
                values,
                phases: draft.phases.into_iter().map(named).collect(),
                verification,
            }),
            grid,
            features: draft.features.into_iter().collect(),
        },
        groups: draft.groups,
        work: Work { useful_bytes: draft.work.requested_bytes, ..draft.work },
        touched_bytes: draft.touched_bytes,
        oracle: draft.oracle,
    })
}

fn named(values: Vec<(&'static str, Scalar)>) -> BTreeMap<String, Scalar> {
    values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn check_limits(kernel: &Kernel, draft: &Draft, limits: &Limits) -> Result<(), PlanError> {
    let limit = |what: String, needed: u64, allowed: u64, limit, cure| {
        if needed <= allowed { Ok(()) } else { Err(PlanError::Limit { what, needed, allowed, limit, cure }) }
    };
    for buffer in &draft.buffers {
        let what = || format!("buffer {} of {}", buffer.name, kernel.id);
        let cure = "take fewer --bytes";
        let binding = limits.max_storage_binding_bytes;
        limit(what(), buffer.bytes, binding, "maxStorageBufferBindingSize", cure)?;
        limit(what(), buffer.bytes, limits.max_buffer_bytes, "maxBufferSize", cure)?;
    }
    limit(
        format!("the number of buffers of {}", kernel.id),
        draft.buffers.len() as u64,
        u64::from(limits.max_storage_buffers),
        "maxStorageBuffersPerShaderStage",
        "this device cannot run the kernel",
    )?;
    limit(
        format!("a workgroup of {}", kernel.id),
        u64::from(draft.workgroup),
        u64::from(limits.max_workgroup_lanes.min(limits.max_workgroup_size[0])),
        "maxComputeInvocationsPerWorkgroup",
        "set a smaller workgroup",
    )
}

fn check_reach(kernel: &Kernel, draft: &Draft) -> Result<(), PlanError> {
    // The largest element number that a lane of the last tile forms, before it is compared with the count.
    let items = draft.constants.iter().find(|(name, _)| *name == "items").map_or(1.0, |(_, items)| *items);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive integer")]
    let tile = u64::from(draft.workgroup) * items as u64;
    let indices = draft.reach.iter().map(|reach| reach.max_index).chain([draft.groups * tile]);
    if let Some(index) = indices.max().filter(|index| u32::try_from(*index).is_err()) {
        return Err(PlanError::Wraps { kernel: kernel.id, index });
    }
    for reach in &draft.reach {
        let end = (reach.max_index + 1) * u64::from(reach.pitch);
        let bytes = draft.buffers.iter().find(|buffer| buffer.name == reach.buffer).map_or(0, |buffer| buffer.bytes);
        if end > bytes {
            return Err(PlanError::OutOfRange { kernel: kernel.id, buffer: reach.buffer, reach: end, bytes });
        }
    }
    Ok(())
}
