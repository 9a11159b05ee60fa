//! WGSL types as a plain tree with offsets and strides: enough to lay values out into bytes, and to ask for them.

use std::fmt;

use crate::contents::ScalarType;

/// The number type that naga means; `None` for those that WGSL has no name for.
pub(super) const fn scalar_type(scalar: naga::Scalar) -> Option<ScalarType> {
    Some(match (scalar.kind, scalar.width) {
        (naga::ScalarKind::Bool, _) => ScalarType::Bool,
        (naga::ScalarKind::Sint, 2) => ScalarType::I16,
        (naga::ScalarKind::Uint, 2) => ScalarType::U16,
        (naga::ScalarKind::Float, 2) => ScalarType::F16,
        (naga::ScalarKind::Sint, 4) => ScalarType::I32,
        (naga::ScalarKind::Uint, 4) => ScalarType::U32,
        (naga::ScalarKind::Float, 4) => ScalarType::F32,
        (naga::ScalarKind::Sint, 8) => ScalarType::I64,
        (naga::ScalarKind::Uint, 8) => ScalarType::U64,
        (naga::ScalarKind::Float, 8) => ScalarType::F64,
        _ => return None,
    })
}

/// The type of a buffer or of a part of it. Offsets and strides are those of WGSL, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// `f32`
    Scalar(ScalarType),
    /// `atomic<u32>`
    Atomic(ScalarType),
    /// `vec3<f32>`: 2 to 4 numbers behind each other.
    Vector {
        /// How many.
        lanes: u32,
        /// Of what.
        scalar: ScalarType,
    },
    /// `mat4x3<f32>`: columns behind each other, each a vector with the stride of an array of them.
    Matrix {
        /// The first number of its name.
        columns: u32,
        /// The second.
        rows: u32,
        /// Of what.
        scalar: ScalarType,
    },
    /// `array<T>` or `array<T, count>`
    Array {
        /// Of what.
        element: Box<Self>,
        /// How many; `None` where the buffer's size decides.
        count: Option<u32>,
        /// Bytes from one to the next.
        stride: u32,
    },
    /// A struct.
    Struct {
        /// Its name.
        name: String,
        /// Its members, by ascending offset.
        members: Vec<Member>,
        /// Bytes of the whole, padding at the end included; a runtime-sized array counts as one element.
        bytes: u32,
    },
    /// What no value can be given for, by its kind.
    Other(String),
}

/// A member of a struct.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its byte offset in the struct.
    pub offset: u32,
    /// Its type.
    pub ty: Type,
}

/// Bytes from one column of a matrix to the next: 3 rows take the room of 4.
#[must_use]
pub const fn column_stride(rows: u32, scalar: ScalarType) -> u32 {
    rows.next_power_of_two() * scalar.bytes()
}

impl Type {
    /// Bytes of a value; an array without a count is counted with one element.
    #[must_use]
    pub fn bytes(&self) -> u32 {
        match self {
            Self::Scalar(scalar) | Self::Atomic(scalar) => scalar.bytes(),
            Self::Vector { lanes, scalar } => lanes * scalar.bytes(),
            Self::Matrix { columns, rows, scalar } => columns * column_stride(*rows, *scalar),
            Self::Array { count, stride, .. } => stride.saturating_mul(count.unwrap_or(1)),
            Self::Struct { bytes, .. } => *bytes,
            Self::Other(_) => 0,
        }
    }

    /// Members of a struct; none for others.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        match self {
            Self::Struct { members, .. } => members,
            _ => &[],
        }
    }

    /// Where the array begins whose count the buffer's size decides, and its stride; `None` for a type of fixed size.
    #[must_use]
    pub fn runtime_array(&self) -> Option<(u32, u32)> {
        match self {
            Self::Array { count: None, stride, .. } => Some((0, *stride)),
            Self::Struct { members, .. } => {
                let last = members.last()?;
                last.ty.runtime_array().map(|(offset, stride)| (last.offset + offset, stride))
            }
            _ => None,
        }
    }

    /// The number type, if all its numbers are of one.
    #[must_use]
    pub fn only_scalar(&self) -> Option<ScalarType> {
        match self {
            Self::Scalar(scalar) | Self::Atomic(scalar) | Self::Vector { scalar, .. } | Self::Matrix { scalar, .. } => {
                Some(*scalar)
            }
            Self::Array { element, .. } => element.only_scalar(),
            Self::Struct { members, .. } => {
                let mut scalars = members.iter().map(|member| member.ty.only_scalar());
                let first = scalars.next()??;
                scalars.all(|scalar| scalar == Some(first)).then_some(first)
            }
            Self::Other(_) => None,
        }
    }

    pub(super) fn of(module: &naga::Module, ty: naga::Handle<naga::Type>) -> Self {
        use naga::{TypeInner, VectorSize};
        let ty = &module.types[ty];
        let size = |size: VectorSize| u32::from(size as u8);
        let scalar = |scalar: naga::Scalar, make: &dyn Fn(ScalarType) -> Self| {
            scalar_type(scalar).map_or_else(|| Self::Other(format!("{:?}", scalar.kind)), make)
        };
        match &ty.inner {
            TypeInner::Scalar(inner) => scalar(*inner, &Self::Scalar),
            TypeInner::Atomic(inner) => scalar(*inner, &Self::Atomic),
            TypeInner::Vector { size: lanes, scalar: inner } => {
                scalar(*inner, &|scalar| Self::Vector { lanes: size(*lanes), scalar })
            }
            TypeInner::Matrix { columns, rows, scalar: inner } => {
                scalar(*inner, &|scalar| Self::Matrix { columns: size(*columns), rows: size(*rows), scalar })
            }
            TypeInner::Array { base, size, stride } => {
                let count = match size.resolve(module.to_ctx()) {
                    Ok(naga::proc::IndexableLength::Known(count)) => Some(count),
                    Ok(naga::proc::IndexableLength::Dynamic) | Err(_) => None,
                };
                Self::Array { element: Box::new(Self::of(module, *base)), count, stride: *stride }
            }
            TypeInner::Struct { members, span } => Self::Struct {
                name: ty.name.clone().unwrap_or_default(),
                members: members
                    .iter()
                    .map(|member| Member {
                        name: member.name.clone().unwrap_or_default(),
                        offset: member.offset,
                        ty: Self::of(module, member.ty),
                    })
                    .collect(),
                bytes: *span,
            },
            other => {
                let text = format!("{other:?}");
                let kind = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
                Self::Other(kind.to_lowercase())
            }
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(scalar) => scalar.fmt(f),
            Self::Atomic(scalar) => write!(f, "atomic<{scalar}>"),
            Self::Vector { lanes, scalar } => write!(f, "vec{lanes}<{scalar}>"),
            Self::Matrix { columns, rows, scalar } => write!(f, "mat{columns}x{rows}<{scalar}>"),
            Self::Array { element, count: Some(count), .. } => write!(f, "array<{element}, {count}>"),
            Self::Array { element, count: None, .. } => write!(f, "array<{element}>"),
            Self::Struct { name, .. } | Self::Other(name) => f.write_str(name),
        }
    }
}
