//! Compiling what touches textures. A texture is a number to the lanes, so that functions can be given one.

use naga::{
    Expression as Ir, Handle, ImageClass, ImageDimension, ImageQuery, SampleLevel, ScalarKind, Span, TypeInner,
};

use super::code::{AtomicKind, Node, Op};
use super::error::InterpretError;
use super::expressions::FunctionCompiler;
use super::flat::Kind;
use super::lanes::Slot;
use super::texels::Format;
use crate::program::Texture;
use crate::trace::{AccessKind, Position};

/// A texture that the shader binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BoundTexture {
    pub texture: Texture,
    pub kind: Kind,
    /// Of a storage texture.
    pub format: Option<Format>,
    /// Whether its third size shrinks from level to level.
    pub deep: bool,
}

/// A place in the text that touches a texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    pub position: Position,
    pub name: String,
    pub kind: AccessKind,
}

/// Texels of a texture: slots, and how many coordinates there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Aim {
    pub image: Slot,
    pub coordinate: Slot,
    pub dimensions: u32,
    pub layer: Option<Slot>,
    pub level: Option<Slot>,
    /// In [`super::code::Code::uses`].
    pub number: usize,
}

/// What is asked of a texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    Load(Aim),
    /// The level is an f32, or an integer.
    Sample {
        aim: Aim,
        level_is_float: bool,
        offset: Option<Slot>,
    },
    Size {
        image: Slot,
        level: Option<Slot>,
    },
    Levels(Slot),
    Layers {
        image: Slot,
        faces: u32,
    },
}

/// A store or an atomic to a texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Writing {
    pub aim: Aim,
    pub value: Slot,
    /// Of an atomic.
    pub atomic: Option<AtomicKind>,
}

/// How texels of a class are held; an error in words where they are not.
pub(super) fn texels_of(class: ImageClass) -> Result<(Kind, Option<Format>), String> {
    match class {
        ImageClass::Sampled { multi: true, .. } | ImageClass::Depth { multi: true } => {
            Err("a multisampled texture".into())
        }
        ImageClass::External => Err("an external texture".into()),
        ImageClass::Depth { multi: false } => Ok((Kind::F32, None)),
        ImageClass::Sampled { kind: ScalarKind::Sint, .. } => Ok((Kind::I32, None)),
        ImageClass::Sampled { kind: ScalarKind::Uint, .. } => Ok((Kind::U32, None)),
        ImageClass::Sampled { .. } => Ok((Kind::F32, None)),
        ImageClass::Storage { format, .. } => {
            let known = Format::of(format).ok_or_else(|| format!("a texture of format {format:?}"))?;
            Ok((known.kind(), Some(known)))
        }
    }
}

impl FunctionCompiler<'_, '_> {
    /// Dimensions of a texture and what it holds.
    fn image(&self, image: Handle<Ir>) -> Result<(ImageDimension, ImageClass), InterpretError> {
        match *self.inner(image) {
            TypeInner::Image { dim, class, .. } => {
                texels_of(class).map_err(|what| self.unsupported(what, image))?;
                Ok((dim, class))
            }
            _ => Err(self.unsupported("a texture of this form", image)),
        }
    }

    fn aim(
        &mut self,
        image: Handle<Ir>,
        (coordinate, layer): (Handle<Ir>, Option<Handle<Ir>>),
        level: Option<Handle<Ir>>,
        (kind, span): (AccessKind, Span),
    ) -> Result<Aim, InterpretError> {
        self.image(image)?;
        let slot = |handle: Option<Handle<Ir>>| handle.map(|handle| self.slot_of(handle));
        let aim = Aim {
            image: self.slot_of(image),
            coordinate: self.slot_of(coordinate),
            dimensions: self.rows(coordinate),
            layer: slot(layer),
            level: slot(level),
            number: self.compiler.code.uses.len(),
        };
        let module = &self.compiler.shader.module;
        let name = match self.ir.expressions[image] {
            Ir::GlobalVariable(variable) => module.global_variables[variable].name.clone(),
            Ir::FunctionArgument(index) => self.ir.arguments[index as usize].name.clone(),
            _ => None,
        };
        let position = self.compiler.shader.source.start(span);
        self.compiler.code.uses.push(Use { position, name: name.unwrap_or_default(), kind });
        Ok(aim)
    }

    pub(super) fn texture(&mut self, handle: Handle<Ir>, ir: &Ir) -> Result<Op, InterpretError> {
        let here = (AccessKind::Load, self.span(handle));
        let reading = match *ir {
            Ir::ImageLoad { image, coordinate, array_index, level, .. } => {
                Reading::Load(self.aim(image, (coordinate, array_index), level, here)?)
            }
            Ir::ImageQuery { image, query } => {
                let (dim, _) = self.image(image)?;
                let faces = if dim == ImageDimension::Cube { 6 } else { 1 };
                let slot = self.slot_of(image);
                match query {
                    ImageQuery::Size { level } => {
                        Reading::Size { image: slot, level: level.map(|level| self.slot_of(level)) }
                    }
                    ImageQuery::NumLevels => Reading::Levels(slot),
                    ImageQuery::NumLayers => Reading::Layers { image: slot, faces },
                    ImageQuery::NumSamples => return Err(self.unsupported("a multisampled texture", handle)),
                }
            }
            Ir::ImageSample { gather: Some(_), .. } => return Err(self.unsupported("textureGather", handle)),
            Ir::ImageSample { depth_ref: Some(_), .. } => {
                return Err(self.unsupported("a comparison with a depth texture", handle));
            }
            Ir::ImageSample { image, coordinate, array_index, offset, level, clamp_to_edge, .. } => {
                let level = match level {
                    SampleLevel::Zero => None,
                    SampleLevel::Exact(level) => Some(level),
                    SampleLevel::Auto | SampleLevel::Bias(_) | SampleLevel::Gradient { .. } => {
                        return Err(self.unsupported("a texture level that follows from derivatives", handle));
                    }
                };
                if clamp_to_edge {
                    return Err(self.unsupported("textureSampleBaseClampToEdge", handle));
                }
                if self.image(image)?.0 == ImageDimension::Cube {
                    return Err(self.unsupported("a cube texture", handle));
                }
                let level_is_float =
                    level.map_or(Ok(false), |level| self.kind_of(level).map(|kind| kind == Kind::F32))?;
                let offset = offset.map(|offset| self.slot_of(offset));
                Reading::Sample {
                    aim: self.aim(image, (coordinate, array_index), level, here)?,
                    level_is_float,
                    offset,
                }
            }
            _ => return Err(self.unsupported("a texture operation", handle)),
        };
        Ok(Op::Texture(Box::new(reading)))
    }

    pub(super) fn write_texture(
        &mut self,
        image: Handle<Ir>,
        at: (Handle<Ir>, Option<Handle<Ir>>),
        (value, atomic): (Handle<Ir>, Option<AtomicKind>),
        span: Span,
    ) -> Result<Option<Node>, InterpretError> {
        let kind = if atomic.is_some() { AccessKind::Atomic } else { AccessKind::Store };
        let aim = self.aim(image, at, None, (kind, span))?;
        Ok(Some(Node::WriteTexture(Box::new(Writing { aim, value: self.slot_of(value), atomic }))))
    }
}
