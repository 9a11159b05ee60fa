//! The textures of a program: sizes as the user gave them, else squares; all texels zero.

use super::{DEFAULT_TEXTURE_SIDE, Inputs};
use crate::program::{Edges, Filter, Texels, Texture};
use crate::shader::{Dimension, TextureBinding};

impl Inputs {
    /// The texture of a binding, and what was taken for its size where nobody says.
    pub(super) fn texture(&self, binding: &TextureBinding) -> (Texture, Option<String>) {
        let side = DEFAULT_TEXTURE_SIDE;
        let default = match binding.dimension {
            Dimension::One => [side, 1, 1],
            Dimension::Two | Dimension::Cube => [side, side, 1],
            Dimension::Three => [side; 3],
        };
        let given = self.textures.get(&binding.name).copied();
        let [width, height, depth] = given.unwrap_or(default);
        let faces = if binding.dimension == Dimension::Cube { 6 } else { 1 };
        let texture = Texture {
            name: binding.name.clone(),
            size: [width, height, depth.saturating_mul(faces)],
            levels: 1,
            texels: Texels::Zero,
            filter: Filter::Linear,
            edges: Edges::Clamp,
        };
        (texture, given.is_none().then(|| format!("{width},{height},{depth} of zeros")))
    }
}
