//! Textures of a program: sizes, and contents that are functions of the texel.

use crate::contents::{hash, random_bits};

/// A texture that a shader binds, sampled or storage. Addresses of texels are the driver's secret, so an execution
/// needs its size and seldom more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texture {
    /// The name of the WGSL variable.
    pub name: String,
    /// Width, height, and depth or layers (six for each cube); 1 where the texture has none.
    pub size: [u32; 3],
    /// Mip levels, at least 1: each of half the size of the one before.
    pub levels: u32,
    /// What it holds before the run.
    pub texels: Texels,
    /// How samplers read between texels, and how far levels matter: the nearest level is read.
    pub filter: Filter,
    /// What samplers read outside.
    pub edges: Edges,
}

/// What a texture holds: bytes, as an `rgba8` format would. To an f32 texture a byte is a fraction of 255, to one of
/// integers a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texels {
    /// All channels zero.
    Zero,
    /// Random bytes.
    Noise {
        /// Chooses the sequence.
        seed: u32,
    },
}

/// How a sampler reads between texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// The nearest texel.
    Nearest,
    /// The mean of the texels around, weighted by distance.
    Linear,
}

/// What a sampler reads outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edges {
    /// The outermost texel.
    Clamp,
    /// The texture again.
    Repeat,
}

impl Texels {
    /// The byte of a channel (0 to 3: red to alpha) of a texel of a level.
    #[must_use]
    pub const fn byte(self, level: u32, texel: [u32; 3], channel: u32) -> u8 {
        match self {
            Self::Zero => 0,
            Self::Noise { seed } => {
                let [x, y, z] = texel;
                let index = hash(x ^ hash(y ^ hash(z ^ hash(level * 4 + channel))));
                random_bits(seed, index).to_le_bytes()[3]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_differs_in_every_direction() {
        let noise = Texels::Noise { seed: 7 };
        let bytes = |of: &dyn Fn(u32) -> u8| (0..64).map(of).collect::<std::collections::BTreeSet<u8>>().len();
        assert!(bytes(&|x| noise.byte(0, [x, 0, 0], 0)) > 40);
        assert!(bytes(&|y| noise.byte(0, [0, y, 0], 0)) > 40);
        assert!(bytes(&|z| noise.byte(0, [0, 0, z], 0)) > 40);
        assert!(bytes(&|k| noise.byte(k / 4, [0; 3], k % 4)) > 40);
        assert_eq!(Texels::Zero.byte(0, [1, 2, 3], 3), 0);
    }
}
