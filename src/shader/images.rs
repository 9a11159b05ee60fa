//! Textures and samplers of a shader, as plain data.

use naga::{ImageClass, ImageDimension, StorageAccess, TypeInner};

use crate::contents::ScalarType;

/// The shape of a texture's texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// `texture_1d`
    One,
    /// `texture_2d`
    Two,
    /// `texture_3d`
    Three,
    /// `texture_cube`: six square faces.
    Cube,
}

/// What a texture holds and how it may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextureKind {
    /// `texture_2d<f32>`: loaded or sampled.
    Sampled {
        /// f32, i32 or u32.
        scalar: ScalarType,
    },
    /// `texture_depth_2d`
    Depth,
    /// `texture_external`
    External,
    /// `texture_storage_2d<format, access>`
    Storage {
        /// Its texel format as WGSL names it, such as `rgba8unorm`.
        format: String,
        /// Whether it is loaded from.
        loads: bool,
        /// Whether it is stored to.
        stores: bool,
    },
}

/// A texture variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureBinding {
    /// `@group`
    pub group: u32,
    /// `@binding`
    pub binding: u32,
    /// The variable.
    pub name: String,
    /// Its shape.
    pub dimension: Dimension,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it has several samples a texel.
    pub multisampled: bool,
    /// What it holds.
    pub kind: TextureKind,
}

/// A sampler variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplerBinding {
    /// `@group`
    pub group: u32,
    /// `@binding`
    pub binding: u32,
    /// The variable.
    pub name: String,
    /// `sampler_comparison`
    pub comparison: bool,
}

/// A texture or a sampler, where the variable is one.
pub(super) enum Image {
    Texture(TextureBinding),
    Sampler(SamplerBinding),
}

pub(super) fn image(
    inner: &TypeInner,
    naga::ResourceBinding { group, binding }: naga::ResourceBinding,
    name: String,
) -> Option<Image> {
    let (dimension, arrayed, class) = match inner {
        TypeInner::Sampler { comparison } => {
            return Some(Image::Sampler(SamplerBinding { group, binding, name, comparison: *comparison }));
        }
        TypeInner::Image { dim, arrayed, class } => (*dim, *arrayed, *class),
        _ => return None,
    };
    let (kind, multisampled) = match class {
        ImageClass::Sampled { kind, multi } => {
            let scalar = match kind {
                naga::ScalarKind::Sint => ScalarType::I32,
                naga::ScalarKind::Uint => ScalarType::U32,
                _ => ScalarType::F32,
            };
            (TextureKind::Sampled { scalar }, multi)
        }
        ImageClass::Depth { multi } => (TextureKind::Depth, multi),
        ImageClass::External => (TextureKind::External, false),
        ImageClass::Storage { format, access } => {
            let kind = TextureKind::Storage {
                format: format!("{format:?}").to_lowercase(),
                loads: access.contains(StorageAccess::LOAD),
                stores: access.contains(StorageAccess::STORE),
            };
            (kind, false)
        }
    };
    let dimension = match dimension {
        ImageDimension::D1 => Dimension::One,
        ImageDimension::D2 => Dimension::Two,
        ImageDimension::D3 => Dimension::Three,
        ImageDimension::Cube => Dimension::Cube,
    };
    Some(Image::Texture(TextureBinding { group, binding, name, dimension, arrayed, multisampled, kind }))
}
