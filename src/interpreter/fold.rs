//! What combines two scalars into one: in atomics, and over the lanes of a subgroup.

use super::arithmetic::f;
use super::flat::Kind;
use super::half::{h, to_h};

/// An operation that is commutative, or that atomics have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    Min,
    Max,
}

impl Fold {
    /// Both scalars and the result lie in the low bits of their kind.
    #[expect(clippy::cast_possible_truncation, reason = "kinds of one word use the low one")]
    pub(super) fn combine(self, kind: Kind, a: u64, b: u64) -> u64 {
        let (x, y) = (a as u32, b as u32);
        match kind {
            Kind::F32 => self.float(f(x), f(y)).to_bits().into(),
            Kind::F16 => to_h(self.float(h(x), h(y))).into(),
            Kind::F64 => self.double(f64::from_bits(a), f64::from_bits(b)).to_bits(),
            Kind::I64 => match self {
                Self::Min => a.cast_signed().min(b.cast_signed()).cast_unsigned(),
                Self::Max => a.cast_signed().max(b.cast_signed()).cast_unsigned(),
                _ => self.integer(a, b),
            },
            Kind::I32 => match self {
                Self::Min => x.cast_signed().min(y.cast_signed()).cast_unsigned().into(),
                Self::Max => x.cast_signed().max(y.cast_signed()).cast_unsigned().into(),
                _ => (self.integer(a, b) as u32).into(),
            },
            Kind::U32 | Kind::Bool => (self.integer(x.into(), y.into()) as u32).into(),
            Kind::U64 => self.integer(a, b),
        }
    }

    /// What leaves a scalar as it is.
    pub(super) fn neutral(self, kind: Kind) -> u64 {
        match (self, kind) {
            (Self::Multiply, Kind::F32) => 1.0f32.to_bits().into(),
            (Self::Multiply, Kind::F16) => to_h(1.0).into(),
            (Self::Multiply, Kind::F64) => 1.0f64.to_bits(),
            (Self::Multiply, _) => 1,
            (Self::And, _) => u64::MAX,
            _ => 0,
        }
    }

    fn float(self, a: f32, b: f32) -> f32 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Min => a.min(b),
            // Bits of floats are not combined.
            Self::Max | Self::And | Self::Or | Self::Xor => a.max(b),
        }
    }

    fn double(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::Min => a.min(b),
            Self::Max | Self::And | Self::Or | Self::Xor => a.max(b),
        }
    }

    const fn integer(self, a: u64, b: u64) -> u64 {
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Subtract => a.wrapping_sub(b),
            Self::Multiply => a.wrapping_mul(b),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Min => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            Self::Max => {
                if a > b {
                    a
                } else {
                    b
                }
            }
        }
    }
}
