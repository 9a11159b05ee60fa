//! The number types of WGSL: their sizes, their ranges, and the bits of a value.

use std::fmt;

/// A number type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScalarType {
    /// Only in overrides: no buffer holds one.
    Bool,
    /// i16 (`enable wgpu_int16;`)
    I16,
    /// u16 (`enable wgpu_int16;`)
    U16,
    /// f16 (`enable f16;`)
    F16,
    /// i32
    I32,
    /// u32
    U32,
    /// f32
    F32,
    /// i64
    I64,
    /// u64
    U64,
    /// f64
    F64,
}

impl ScalarType {
    /// Bytes in a buffer; those of u32 for a bool, which no buffer holds.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Its name in WGSL.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::F16 => "f16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F64 => "f64",
        }
    }

    /// The least and the largest integer that it holds, a bool as a u32; `None` for floats.
    #[must_use]
    pub const fn integers(self) -> Option<(i128, i128)> {
        Some(match self {
            Self::I16 => (i16::MIN as i128, i16::MAX as i128),
            Self::U16 => (0, u16::MAX as i128),
            Self::I32 => (i32::MIN as i128, i32::MAX as i128),
            Self::Bool | Self::U32 => (0, u32::MAX as i128),
            Self::I64 => (i64::MIN as i128, i64::MAX as i128),
            Self::U64 => (0, u64::MAX as i128),
            Self::F16 | Self::F32 | Self::F64 => return None,
        })
    }

    /// Whether every number of `low..high` can be had.
    ///
    /// # Errors
    /// What is wrong with the range for this type.
    pub fn holds_range(self, low: f64, high: f64) -> Result<(), String> {
        let name = self.name();
        let Some((least, largest)) = self.integers() else {
            let (low, high) = (self.float(low), self.float(high));
            let fits = low.is_finite() && high.is_finite() && low < high;
            return if fits { Ok(()) } else { Err(format!("{name} holds no numbers of that range")) };
        };
        if low.fract() != 0.0 || high.fract() != 0.0 {
            return Err(format!("a range of {name} is between integers: {low}..{high} is not"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a float beyond i128 becomes its nearest: out of range, too"
        )]
        let (first, end) = (low as i128, high as i128);
        if first < least || end > largest + 1 {
            return Err(format!("{low}..{high} leaves the range of {name}: {least}..{}", largest + 1));
        }
        Ok(())
    }

    /// A float rounded to this type; itself for integers.
    pub(crate) fn float(self, value: f64) -> f64 {
        match self {
            Self::F16 => half::f16::from_f64(value).to_f64(),
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
            Self::F32 => f64::from(value as f32),
            _ => value,
        }
    }

    /// The bits of an integral value, wrapped around; of a float that holds it, for small ones.
    pub(super) fn integer_bits(self, value: i128) -> u64 {
        match self {
            Self::F16 | Self::F32 | Self::F64 => self.float_bits(value as f64),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wraps around")]
            _ => value as u64,
        }
    }

    /// The bits of a float rounded to this type.
    pub(crate) fn float_bits(self, value: f64) -> u64 {
        match self {
            Self::F16 => half::f16::from_f64(value).to_bits().into(),
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
            Self::F32 => (value as f32).to_bits().into(),
            _ => value.to_bits(),
        }
    }

    /// The largest float of this type below another.
    pub(super) fn below(self, value: f64) -> u64 {
        match self {
            Self::F16 => {
                let bits = half::f16::from_f64(value).to_bits();
                // Towards minus infinity: down for positive floats, up in magnitude for negative ones, from 0 to -tiny.
                u64::from(match bits {
                    0 | 0x8000 => 0x8001,
                    bits if bits < 0x8000 => bits - 1,
                    bits => bits + 1,
                })
            }
            #[expect(clippy::cast_possible_truncation, reason = "it is a float of this type")]
            Self::F32 => (value as f32).next_down().to_bits().into(),
            _ => value.next_down().to_bits(),
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
