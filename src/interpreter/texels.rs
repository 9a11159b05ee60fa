//! Formats of storage textures: what is left of a value that is stored and loaded again.

use naga::StorageFormat as Naga;

use super::arithmetic::f;
use super::flat::Kind;
use super::half::{h, to_h};

/// A format: how many channels it keeps, and as what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    channels: usize,
    encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// A fraction of the largest number of so many bits.
    Unorm(u32),
    Snorm(u32),
    Uint(u32),
    Sint(u32),
    Half,
    Float,
    /// Ten bits for colours, two for alpha.
    Uint1010102,
    Unorm1010102,
}

impl Format {
    /// `None` for those that are not covered: 64-bit numbers, and floats of 10 and 11 bits.
    pub(super) const fn of(format: Naga) -> Option<Self> {
        let (channels, encoding) = match format {
            Naga::R8Unorm => (1, Encoding::Unorm(8)),
            Naga::R8Snorm => (1, Encoding::Snorm(8)),
            Naga::R8Uint => (1, Encoding::Uint(8)),
            Naga::R8Sint => (1, Encoding::Sint(8)),
            Naga::R16Uint => (1, Encoding::Uint(16)),
            Naga::R16Sint => (1, Encoding::Sint(16)),
            Naga::R16Float => (1, Encoding::Half),
            Naga::Rg8Unorm => (2, Encoding::Unorm(8)),
            Naga::Rg8Snorm => (2, Encoding::Snorm(8)),
            Naga::Rg8Uint => (2, Encoding::Uint(8)),
            Naga::Rg8Sint => (2, Encoding::Sint(8)),
            Naga::R32Uint => (1, Encoding::Uint(32)),
            Naga::R32Sint => (1, Encoding::Sint(32)),
            Naga::R32Float => (1, Encoding::Float),
            Naga::Rg16Uint => (2, Encoding::Uint(16)),
            Naga::Rg16Sint => (2, Encoding::Sint(16)),
            Naga::Rg16Float => (2, Encoding::Half),
            Naga::Rgba8Unorm | Naga::Bgra8Unorm => (4, Encoding::Unorm(8)),
            Naga::Rgba8Snorm => (4, Encoding::Snorm(8)),
            Naga::Rgba8Uint => (4, Encoding::Uint(8)),
            Naga::Rgba8Sint => (4, Encoding::Sint(8)),
            Naga::Rgb10a2Uint => (4, Encoding::Uint1010102),
            Naga::Rgb10a2Unorm => (4, Encoding::Unorm1010102),
            Naga::Rg32Uint => (2, Encoding::Uint(32)),
            Naga::Rg32Sint => (2, Encoding::Sint(32)),
            Naga::Rg32Float => (2, Encoding::Float),
            Naga::Rgba16Uint => (4, Encoding::Uint(16)),
            Naga::Rgba16Sint => (4, Encoding::Sint(16)),
            Naga::Rgba16Float => (4, Encoding::Half),
            Naga::Rgba32Uint => (4, Encoding::Uint(32)),
            Naga::Rgba32Sint => (4, Encoding::Sint(32)),
            Naga::Rgba32Float => (4, Encoding::Float),
            Naga::R16Unorm => (1, Encoding::Unorm(16)),
            Naga::R16Snorm => (1, Encoding::Snorm(16)),
            Naga::Rg16Unorm => (2, Encoding::Unorm(16)),
            Naga::Rg16Snorm => (2, Encoding::Snorm(16)),
            Naga::Rgba16Unorm => (4, Encoding::Unorm(16)),
            Naga::Rgba16Snorm => (4, Encoding::Snorm(16)),
            Naga::Rg11b10Ufloat | Naga::R64Uint => return None,
        };
        Some(Self { channels, encoding })
    }

    /// What a load gives.
    pub(super) const fn kind(self) -> Kind {
        match self.encoding {
            Encoding::Uint(_) | Encoding::Uint1010102 => Kind::U32,
            Encoding::Sint(_) => Kind::I32,
            Encoding::Unorm(_) | Encoding::Snorm(_) | Encoding::Half | Encoding::Float | Encoding::Unorm1010102 => {
                Kind::F32
            }
        }
    }

    /// A texel as a load gives it after a store of this value: channels that the format lacks are 0, 0, 1.
    pub(super) fn round(self, texel: [u32; 4]) -> [u32; 4] {
        let one = if self.kind() == Kind::F32 { 1.0f32.to_bits() } else { 1 };
        std::array::from_fn(|channel| match channel {
            _ if channel < self.channels => self.channel(channel, texel[channel]),
            3 => one,
            _ => 0,
        })
    }

    fn channel(self, channel: usize, word: u32) -> u32 {
        let wide = if channel == 3 { 2 } else { 10 };
        match self.encoding {
            Encoding::Unorm(bits) => norm(word, 0.0, bits),
            Encoding::Snorm(bits) => norm(word, -1.0, bits - 1),
            Encoding::Unorm1010102 => norm(word, 0.0, wide),
            Encoding::Uint(bits) => word.min(most(bits)),
            Encoding::Uint1010102 => word.min(most(wide)),
            Encoding::Sint(bits) => {
                let high = most(bits - 1).cast_signed();
                word.cast_signed().clamp(-high - 1, high).cast_unsigned()
            }
            Encoding::Half => h(to_h(f(word))).to_bits(),
            Encoding::Float => word,
        }
    }
}

/// The largest number of so many bits.
const fn most(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

#[expect(clippy::cast_precision_loss, reason = "at most 16 bits")]
fn norm(word: u32, low: f32, bits: u32) -> u32 {
    let scale = most(bits) as f32;
    // A NaN becomes the lower end.
    let value = f(word).max(low).min(1.0);
    ((value * scale).round_ties_even() / scale).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(format: Naga, texel: [u32; 4]) -> [u32; 4] {
        Format::of(format).map_or([9; 4], |format| format.round(texel))
    }

    #[test]
    fn formats_keep_what_fits() {
        let one = 1.0f32.to_bits();
        assert_eq!(round(Naga::R32Uint, [70_000, 1, 2, 3]), [70_000, 0, 0, 1]);
        assert_eq!(round(Naga::Rgba8Uint, [70_000, 255, 2, 300]), [255, 255, 2, 255]);
        assert_eq!(round(Naga::R8Sint, [(-300i32).cast_unsigned(), 0, 0, 0])[0], (-128i32).cast_unsigned());
        assert_eq!(round(Naga::R32Sint, [u32::MAX, 0, 0, 0])[0], u32::MAX);
        assert_eq!(round(Naga::Rg16Float, [2049.0f32.to_bits(), one, one, 0]), [2048.0f32.to_bits(), one, 0, one]);
        assert_eq!(round(Naga::R8Unorm, [0.5f32.to_bits(), 0, 0, 0])[0], (128.0f32 / 255.0).to_bits());
        assert_eq!(round(Naga::R8Snorm, [(-3.0f32).to_bits(), 0, 0, 0])[0], (-1.0f32).to_bits());
        assert_eq!(round(Naga::Rgb10a2Unorm, [one, 0, 0, 0.4f32.to_bits()])[3], (1.0f32 / 3.0).to_bits());
    }
}
