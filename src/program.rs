//! Everything about one run of one shader: text, entry point, constants, buffers, uniforms, grid. The GPU and the
//! interpreter execute the same [`Program`]; nothing about a kernel is written twice.

mod texture;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use texture::{Edges, Filter, Texels, Texture};

use crate::contents::Contents;

/// A shader and all that it needs to run. Workgroup size, bindings and layouts are reflected from the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// The WGSL text.
    pub wgsl: Arc<str>,
    /// The compute entry point.
    pub entry_point: String,
    /// Values of WGSL `override` constants, by name.
    pub constants: BTreeMap<String, f64>,
    /// Storage buffers, each for the WGSL variable of its name.
    pub buffers: Vec<Buffer>,
    /// Textures, each for the WGSL variable of its name; the interpreter knows them, the GPU runs programs without.
    pub textures: Vec<Texture>,
    /// The one uniform buffer, if the shader has one.
    pub uniforms: Option<Uniforms>,
    /// Workgroups in x, y, z.
    pub grid: [u32; 3],
    /// What the device must offer beyond the base.
    pub features: BTreeSet<Feature>,
}

/// A storage buffer of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The name of the WGSL variable.
    pub name: String,
    /// Size in bytes: a multiple of 4, at least 4.
    pub bytes: u64,
    /// What it holds before the run.
    pub contents: Contents,
    /// Whether the kernel writes it (then its contents are [`Contents::Poison`] or zero, and it is what gets verified).
    pub written: bool,
}

/// A uniform buffer whose block is a struct of u32, i32 and f32 members.
///
/// Dispatches of a timed sample cycle through `phases`, so that repeats do not re-read what is still cached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uniforms {
    /// The name of the WGSL variable.
    pub name: String,
    /// Values of all members, by name, as in phase 0 of a timed dispatch.
    pub values: BTreeMap<String, Scalar>,
    /// What each further timed dispatch changes; empty where every dispatch is alike.
    pub phases: Vec<BTreeMap<String, Scalar>>,
    /// What verification changes, for example from which value on folds are stored; always on top of phase 0.
    pub verification: BTreeMap<String, Scalar>,
}

/// The uniform with which every built-in kernel compares a workgroup's number: those from it on have nothing to do.
pub const GROUPS: &str = "groups";
/// The uniform that every built-in kernel adds to a workgroup's number: what lets a long run be split into several
/// dispatches, each of the workgroups from it up to [`GROUPS`].
pub const FIRST_GROUP: &str = "first_group";

/// A 32-bit scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// u32
    U32(u32),
    /// i32
    I32(i32),
    /// f32, by its bits so that values compare.
    F32(u32),
}

impl Scalar {
    /// Its 32 bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::U32(bits) | Self::F32(bits) => bits,
            Self::I32(value) => value.cast_unsigned(),
        }
    }
}

impl From<u32> for Scalar {
    fn from(value: u32) -> Self {
        Self::U32(value)
    }
}

impl From<f32> for Scalar {
    fn from(value: f32) -> Self {
        Self::F32(value.to_bits())
    }
}

/// Device features a program may need, named as in WGSL where WGSL names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// 16-bit floats (`enable f16;`).
    #[serde(rename = "f16")]
    F16,
    /// Subgroup operations.
    Subgroups,
    /// Matrices that a subgroup multiplies as a whole (`enable wgpu_cooperative_matrix;`): experimental, so only on a
    /// device of its own.
    CooperativeMatrix,
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::F16 => "f16",
            Self::Subgroups => "subgroups",
            Self::CooperativeMatrix => "cooperative-matrix",
        })
    }
}

/// Matrices that the lanes of a subgroup hold together and multiply as a whole: sums + a x b, all square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cooperative {
    /// Size and types.
    pub matrices: Matrices,
    /// Lanes of every subgroup.
    pub subgroup: u32,
}

/// Which matrices: the kinds that kernels are written for, the preferred one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Matrices {
    /// 16 x 16 x 16: f16 inputs, f32 sums (NVIDIA, AMD, Intel).
    Half16,
    /// 8 x 8 x 8: f32 throughout (Apple).
    Float8,
}

impl Matrices {
    /// All kinds, the preferred one first.
    pub const ALL: [Self; 2] = [Self::Half16, Self::Float8];

    /// Rows and columns of each matrix.
    #[must_use]
    pub const fn side(self) -> u32 {
        match self {
            Self::Half16 => 16,
            Self::Float8 => 8,
        }
    }

    /// The WGSL type of the inputs' elements; sums are f32.
    #[must_use]
    pub const fn input(self) -> &'static str {
        match self {
            Self::Half16 => "f16",
            Self::Float8 => "f32",
        }
    }

    /// Bytes of an input's element.
    #[must_use]
    pub const fn input_bytes(self) -> u32 {
        match self {
            Self::Half16 => 2,
            Self::Float8 => 4,
        }
    }

    /// What a device must offer.
    #[must_use]
    pub const fn features(self) -> &'static [Feature] {
        match self {
            Self::Half16 => &[Feature::F16, Feature::CooperativeMatrix],
            Self::Float8 => &[Feature::CooperativeMatrix],
        }
    }

    /// The kind that a program of these features multiplies, if any.
    #[must_use]
    pub fn of(features: &BTreeSet<Feature>) -> Option<Self> {
        Self::ALL.into_iter().find(|matrices| matrices.features().iter().all(|feature| features.contains(feature)))
    }
}

impl std::fmt::Display for Matrices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let side = self.side();
        write!(f, "{side}x{side}x{side} {} to f32", self.input())
    }
}

impl Cooperative {
    /// What a prediction assumes where no device says otherwise.
    pub const WITHOUT_DEVICE: Self = Self { matrices: Matrices::Half16, subgroup: 32 };
}

/// Which uniform block a run uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// The block of timed dispatch `k` (cycling).
    Phase(usize),
    /// The block of verification.
    Verification,
}

impl Uniforms {
    /// How many different timed blocks there are; at least 1.
    #[must_use]
    pub fn phase_count(&self) -> usize {
        1 + self.phases.len()
    }

    /// All member values of a block.
    #[must_use]
    pub fn block(&self, block: Block) -> BTreeMap<String, Scalar> {
        let mut values = self.values.clone();
        let changes = match block {
            Block::Phase(k) => match k % self.phase_count() {
                0 => None,
                k => self.phases.get(k - 1),
            },
            Block::Verification => Some(&self.verification),
        };
        values.extend(changes.into_iter().flatten().map(|(name, value)| (name.clone(), *value)));
        values
    }
}

/// The smallest grid [x, y, 1] of at least `groups` workgroups with neither side above `most`; `None` if there is none.
///
/// A workgroup's number is y * x-size + x; those from `groups` on have nothing to do.
#[must_use]
pub fn fold_grid(groups: u64, most: u32) -> Option<[u32; 3]> {
    let groups = groups.max(1);
    let rows = groups.div_ceil(u64::from(most.max(1)));
    let columns = groups.div_ceil(rows);
    Some([u32::try_from(columns).ok()?, u32::try_from(rows).ok().filter(|rows| *rows <= most)?, 1])
}

/// What a device allows, reduced to what planning needs (all in bytes or counts; see the WebGPU limits of those names).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest storage buffer binding.
    pub max_storage_binding_bytes: u64,
    /// Largest buffer.
    pub max_buffer_bytes: u64,
    /// Largest grid in one dimension.
    pub max_workgroups_per_dimension: u32,
    /// Most lanes of a workgroup.
    pub max_workgroup_lanes: u32,
    /// Most lanes of a workgroup in x, y, z.
    pub max_workgroup_size: [u32; 3],
    /// Most workgroup memory.
    pub max_workgroup_memory_bytes: u32,
    /// Most storage buffers a shader may bind.
    pub max_storage_buffers: u32,
    /// The matrices that its subgroups multiply, on a device opened for them; `None` where there are none.
    pub cooperative: Option<Cooperative>,
}

impl Limits {
    /// WebGPU's default limits: what a prediction without a device assumes, except that buffers may reach 2 GiB.
    pub const WITHOUT_DEVICE: Self = Self {
        max_storage_binding_bytes: (2 << 30) - 256,
        max_buffer_bytes: (2 << 30) - 256,
        max_workgroups_per_dimension: 65_535,
        max_workgroup_lanes: 1024,
        max_workgroup_size: [1024, 1024, 64],
        max_workgroup_memory_bytes: 32_768,
        max_storage_buffers: 8,
        cooperative: None,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cycle_and_overlay() {
        let value = |v: u32| BTreeMap::from([("offset".to_owned(), Scalar::U32(v))]);
        let uniforms = Uniforms {
            name: "params".into(),
            values: BTreeMap::from([("offset".into(), Scalar::U32(1)), ("stride".into(), Scalar::U32(8))]),
            phases: vec![value(2), value(3)],
            verification: BTreeMap::from([("stride".into(), Scalar::U32(9))]),
        };
        let offset = |block| uniforms.block(block)["offset"];
        assert_eq!([0, 1, 2, 3].map(|k| offset(Block::Phase(k)).bits()), [1, 2, 3, 1]);
        assert_eq!(uniforms.block(Block::Verification)["stride"], Scalar::U32(9));
    }

    #[test]
    fn folded_grids_cover_every_workgroup_and_waste_little() {
        for groups in [1, 65_535, 65_536, 65_537, 131_071, 1_048_576, 4_000_037] {
            let [x, y, z] = fold_grid(groups, 65_535).unwrap();
            let size = u64::from(x) * u64::from(y) * u64::from(z);
            assert!(x <= 65_535 && y <= 65_535 && size >= groups, "{groups}: {x} x {y}");
            assert!(size - groups < u64::from(y), "{groups} wastes {}", size - groups);
        }
        assert_eq!(fold_grid(65_535 * 65_535 + 1, 65_535), None);
    }
}
