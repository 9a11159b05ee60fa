//! How values lie in lanes and in memory: every value is a row of scalars, each scalar one 32-bit word a lane, or two,
//! the low one first, where it has 64 bits.

use naga::proc::{IndexableLength, Layouter};
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner};

/// The scalar types that words can hold. Booleans are 0 and 1; f16 are their 16 bits; those of 64 bits take two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    F32,
    F16,
    I32,
    U32,
    Bool,
    I64,
    U64,
    F64,
}

impl Kind {
    pub(super) fn of(scalar: Scalar) -> Result<Self, String> {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Float, 4) => Ok(Self::F32),
            (ScalarKind::Float, 2) => Ok(Self::F16),
            (ScalarKind::Sint, 4) => Ok(Self::I32),
            (ScalarKind::Uint, 4) => Ok(Self::U32),
            (ScalarKind::Float, 8) => Ok(Self::F64),
            (ScalarKind::Sint, 8) => Ok(Self::I64),
            (ScalarKind::Uint, 8) => Ok(Self::U64),
            (ScalarKind::Bool, _) => Ok(Self::Bool),
            (ScalarKind::AbstractInt, _) => Ok(Self::I32),
            (ScalarKind::AbstractFloat, _) => Ok(Self::F32),
            (kind, width) => Err(format!("a {}-bit {kind:?} scalar", u32::from(width) * 8)),
        }
    }

    /// Bytes in memory. WGSL does not say what a boolean takes in workgroup memory; naga lays it out as a byte.
    pub(super) const fn bytes(self) -> u32 {
        match self {
            Self::Bool => 1,
            Self::F16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Whether a scalar takes two words.
    pub(super) const fn is_wide(self) -> bool {
        matches!(self, Self::I64 | Self::U64 | Self::F64)
    }

    /// Words of a scalar: rows that it takes.
    pub(super) const fn words(self) -> u32 {
        if self.is_wide() { 2 } else { 1 }
    }

    /// Where a scalar at a byte address lies in its word: how far to shift, and its bits unshifted.
    pub(super) const fn in_word(self, address: u32) -> (u32, u32) {
        match self {
            Self::Bool => (8 * (address & 3), 0xFF),
            Self::F16 => (8 * (address & 2), 0xFFFF),
            Self::F32 | Self::I32 | Self::U32 | Self::I64 | Self::U64 | Self::F64 => (0, u32::MAX),
        }
    }
}

/// A scalar of a value in memory, or one of its two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// Bytes from the start of the value.
    pub offset: u32,
    pub kind: Kind,
}

/// A piece of a value that one access moves: at most 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Bytes from the start of the value.
    pub offset: u32,
    pub bytes: u32,
    /// The scalars that it holds: `first..first + count`.
    pub first: u32,
    pub count: u32,
}

/// A type laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Flat {
    pub parts: Vec<Part>,
    pub leaves: Vec<Leaf>,
    pub bytes: u32,
    /// Whether there is a cooperative matrix in it. Its scalars are those that one lane holds.
    pub cooperative: bool,
}

impl Flat {
    fn push(&mut self, offset: u32, kind: Kind) {
        self.parts.extend((0..kind.words()).map(|word| Part { offset: offset + 4 * word, kind }));
    }

    /// Rows of a value.
    pub(super) fn rows(&self) -> u32 {
        u32::try_from(self.parts.len()).unwrap_or(u32::MAX)
    }
}

/// Values of more scalars than this are not held in lanes: it would be a whole table a lane.
const MOST_PARTS: usize = 1 << 14;

/// Layouts of a module's types.
pub(super) struct Layouts<'a> {
    pub module: &'a Module,
    pub layouter: Layouter,
    /// Lanes of the workgroup, and of a subgroup.
    pub lanes: [u32; 2],
}

impl<'a> Layouts<'a> {
    pub(super) fn new(module: &'a Module, lanes: [u32; 2]) -> Result<Self, String> {
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
        Ok(Self { module, layouter, lanes })
    }

    /// Elements of an array; `None` where that is known at run time only.
    pub(super) fn count(&self, size: ArraySize) -> Option<u32> {
        match size.resolve(self.module.to_ctx()) {
            Ok(IndexableLength::Known(count)) => Some(count),
            Ok(IndexableLength::Dynamic) | Err(_) => None,
        }
    }

    /// The layout of a type by handle.
    pub(super) fn flat(&self, ty: Handle<Type>) -> Result<Flat, String> {
        let mut flat = Flat { bytes: self.layouter[ty].size, ..Flat::default() };
        self.add(ty, 0, &mut flat)?;
        Ok(flat)
    }

    /// The layout of a type that may have no handle: scalars, vectors, matrices.
    pub(super) fn flat_inner(&self, inner: &TypeInner) -> Result<Flat, String> {
        let mut flat = Flat { bytes: inner.size(self.module.to_ctx()), ..Flat::default() };
        self.add_inner(inner, 0, flat.bytes, &mut flat)?;
        Ok(flat)
    }

    fn add(&self, ty: Handle<Type>, offset: u32, flat: &mut Flat) -> Result<(), String> {
        self.add_inner(&self.module.types[ty].inner, offset, self.layouter[ty].size, flat)
    }

    /// Adds the scalars of a value at `offset`, and its leaves: itself if it is small, else those of its parts.
    fn add_inner(&self, inner: &TypeInner, offset: u32, bytes: u32, flat: &mut Flat) -> Result<(), String> {
        let first = flat.parts.len();
        let leaves = flat.leaves.len();
        self.add_parts(inner, offset, flat)?;
        if flat.parts.len() > MOST_PARTS {
            return Err(format!("a value of more than {MOST_PARTS} scalars"));
        }
        if bytes <= 16 {
            flat.leaves.truncate(leaves);
            // A vec3 in memory is 12 bytes: what follows it may be another member.
            flat.leaves.push(Leaf { offset, bytes, first: index(first), count: index(flat.parts.len() - first) });
        }
        Ok(())
    }

    fn add_parts(&self, inner: &TypeInner, offset: u32, flat: &mut Flat) -> Result<(), String> {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                flat.push(offset, Kind::of(scalar)?);
                Ok(())
            }
            TypeInner::Vector { size, scalar } => {
                let kind = Kind::of(scalar)?;
                for k in 0..size as u32 {
                    let first = index(flat.parts.len());
                    flat.push(offset + k * kind.bytes(), kind);
                    // More than 16 bytes: two numbers of 64 bits to a leaf.
                    match flat.leaves.last_mut() {
                        Some(leaf) if kind.is_wide() && k % 2 == 1 => (leaf.bytes, leaf.count) = (16, 4),
                        _ if kind.is_wide() => {
                            flat.leaves.push(Leaf { offset: offset + k * 8, bytes: 8, first, count: 2 });
                        }
                        _ => {}
                    }
                }
                Ok(())
            }
            // A name for the lanes: its number among the textures.
            TypeInner::Image { .. } | TypeInner::Sampler { .. } => {
                flat.push(offset, Kind::U32);
                Ok(())
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let column = TypeInner::Vector { size: rows, scalar };
                let stride = column_stride(rows as u32, Kind::of(scalar)?.bytes());
                let bytes = rows as u32 * Kind::of(scalar)?.bytes();
                (0..columns as u32).try_for_each(|k| self.add_inner(&column, offset + k * stride, bytes, flat))
            }
            TypeInner::Array { base, size, stride } => {
                let count = self.count(size).ok_or("a value of a runtime-sized array")?;
                if count as usize > MOST_PARTS {
                    return Err(format!("an array value of {count} elements"));
                }
                (0..count).try_for_each(|k| self.add(base, offset + k * stride, flat))
            }
            TypeInner::Struct { ref members, .. } => {
                members.iter().try_for_each(|member| self.add(member.ty, offset + member.offset, flat))
            }
            TypeInner::CooperativeMatrix { columns, rows, scalar, .. } => {
                let ([lanes, width], kind) = (self.lanes, Kind::of(scalar)?);
                if lanes % width != 0 {
                    return Err(format!(
                        "a cooperative matrix in a workgroup of {lanes} lanes, whose last subgroup of {width} is partial,"
                    ));
                }
                let held = (columns as u32 * rows as u32).div_ceil(width);
                flat.parts.extend((0..held).map(|_| Part { offset, kind }));
                flat.cooperative = true;
                Ok(())
            }
            _ => Err(format!("a value of type {}", name(inner))),
        }
    }
}

/// Bytes from one column of a matrix to the next: vectors of three take the room of four.
pub(super) const fn column_stride(rows: u32, scalar_bytes: u32) -> u32 {
    (if rows == 3 { 4 } else { rows }) * scalar_bytes
}

/// A type's kind in words, for messages.
pub(super) fn name(inner: &TypeInner) -> &'static str {
    match inner {
        TypeInner::Scalar(_) | TypeInner::Vector { .. } | TypeInner::Matrix { .. } => "number",
        TypeInner::Atomic(_) => "atomic",
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => "pointer",
        TypeInner::Array { .. } => "runtime-sized array",
        TypeInner::Struct { .. } => "structure",
        TypeInner::Image { .. } => "texture",
        TypeInner::Sampler { .. } => "sampler",
        TypeInner::CooperativeMatrix { .. } => "cooperative matrix",
        TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => "ray query",
        TypeInner::BindingArray { .. } => "binding array",
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most MOST_PARTS")]
const fn index(value: usize) -> u32 {
    value as u32
}
