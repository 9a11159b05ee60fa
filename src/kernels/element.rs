//! Element types of a kernel: the one `alias` line that a variant changes, and what the oracle needs to know of them.

use crate::program::Feature;

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// Its name in parameters.
    pub name: &'static str,
    /// Its WGSL type.
    pub wgsl: &'static str,
    /// Bytes that a lane moves.
    pub bytes: u32,
    /// Bytes from one element of an array to the next (WGSL pads vec3 to 16).
    pub pitch: u32,
    /// Its bits folded to a u32, as WGSL: the body of `fn bits(x: Element) -> u32`.
    pub bits: &'static str,
    /// Bits of each scalar: 16 or 32.
    pub scalar_bits: u32,
    /// Whether WGSL code needs `enable f16;`.
    pub needs_f16: bool,
}

/// Every element type of `read`.
pub const ELEMENTS: &[Element] = &[
    element("f32", "f32", [4, 4], "bitcast<u32>(x)", 32, false),
    element("u32", "u32", [4, 4], "x", 32, false),
    element("vec2", "vec2<f32>", [8, 8], "bitcast<u32>(x.x) + bitcast<u32>(x.y)", 32, false),
    element("vec3", "vec3<f32>", [12, 16], "bitcast<u32>(x.x) + bitcast<u32>(x.y) + bitcast<u32>(x.z)", 32, false),
    element("vec4", "vec4<f32>", [16, 16], "dot(bitcast<vec4<u32>>(x), vec4<u32>(1u))", 32, false),
    element("f16", "f16", [2, 2], "bitcast<u32>(f32(x))", 16, true),
    element("vec2h", "vec2<f16>", [4, 4], "dot(bitcast<vec2<u32>>(vec2<f32>(x)), vec2<u32>(1u))", 16, true),
    element("vec4h", "vec4<f16>", [8, 8], "dot(bitcast<vec4<u32>>(vec4<f32>(x)), vec4<u32>(1u))", 16, true),
    element(
        "f16x8",
        "vec4<u32>",
        [16, 16],
        "dot(bitcast<vec4<u32>>(vec4<f32>(unpack2x16float(x.x), unpack2x16float(x.y))) + \
         bitcast<vec4<u32>>(vec4<f32>(unpack2x16float(x.z), unpack2x16float(x.w))), vec4<u32>(1u))",
        16,
        false,
    ),
];

/// Names of [`ELEMENTS`].
pub const NAMES: &[&str] = &["f32", "u32", "vec2", "vec3", "vec4", "f16", "vec2h", "vec4h", "f16x8"];

const fn element(
    name: &'static str,
    wgsl: &'static str,
    [bytes, pitch]: [u32; 2],
    bits: &'static str,
    scalar_bits: u32,
    needs_f16: bool,
) -> Element {
    Element { name, wgsl, bytes, pitch, bits, scalar_bits, needs_f16 }
}

impl Element {
    /// The element type of a name; f32 for a name that is none.
    #[must_use]
    pub fn named(name: &str) -> &'static Self {
        ELEMENTS.iter().find(|element| element.name == name).unwrap_or(&ELEMENTS[0])
    }

    /// What a device must offer.
    #[must_use]
    pub fn feature(&self) -> Option<Feature> {
        self.needs_f16.then_some(Feature::F16)
    }

    /// The WGSL text for this element type: its `alias` line, its `bits` line where there is one, `enable f16;`.
    #[must_use]
    pub fn render(&self, wgsl: &str) -> String {
        let alias = format!("alias Element = {};", self.wgsl);
        let bits = format!("fn bits(x: Element) -> u32 {{ return {}; }}", self.bits);
        let text = replace_line(wgsl, "alias Element = ", &alias);
        let text = replace_line(&text, "fn bits(", &bits);
        if self.needs_f16 { format!("enable f16;\n{text}") } else { text }
    }

    /// What `bits` yields for element `index` of a buffer whose words are `word`.
    pub fn fold(&self, index: u64, word: impl Fn(u64) -> u32) -> u32 {
        let first = index * u64::from(self.pitch);
        let scalar_bytes = self.scalar_bits / 8;
        (0..self.bytes / scalar_bytes).fold(0, |fold, k| {
            let at = first + u64::from(k * scalar_bytes);
            let word = word(at / 4);
            let bits = if self.scalar_bits == 32 {
                word
            } else {
                #[expect(clippy::cast_possible_truncation, reason = "the half of the word that `at` names")]
                let half = if at.is_multiple_of(4) { word as u16 } else { (word >> 16) as u16 };
                half::f16::from_bits(half).to_f32().to_bits()
            };
            fold.wrapping_add(bits)
        })
    }
}

/// `text` with the one line that begins with `start` replaced.
#[must_use]
pub fn replace_line(text: &str, start: &str, line: &str) -> String {
    text.lines().map(|old| if old.starts_with(start) { line } else { old }).flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_elements() {
        assert!(ELEMENTS.iter().map(|element| element.name).eq(NAMES.iter().copied()));
    }

    #[test]
    fn a_fold_adds_the_bits_of_scalars() {
        let words = [0x3C00_4000, 7, 11, 13];
        let word = |i: u64| words[usize::try_from(i).unwrap()];
        assert_eq!(Element::named("vec4").fold(0, word), 0x3C00_4000 + 31);
        assert_eq!(Element::named("vec3").fold(0, word), 0x3C00_4000 + 18);
        assert_eq!(Element::named("u32").fold(3, word), 13);
        // The low half is 2.0, the high half 1.0.
        assert_eq!(Element::named("f16").fold(0, word), 2.0f32.to_bits());
        assert_eq!(Element::named("f16").fold(1, word), 1.0f32.to_bits());
    }
}
