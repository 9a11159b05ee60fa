//! What a buffer holds, as a function of (seed, word index), so that a GPU fills it, the interpreter reads it lazily
//! and an oracle recomputes it, none of them storing it. `shaders/contents.wgsl` is the same function for the GPU.
//!
//! Words are 32 bits, little-endian; word `i` holds the bytes `4 i .. 4 i + 4`.

mod elements;
mod scalar;

use std::sync::Arc;

pub use elements::{Elements, Pattern, Rule};
pub use scalar::ScalarType;

/// How an index buffer of `count` entries points into `count` elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pointing {
    /// Entry i is i.
    Identity,
    /// The lanes of each group of 32 in reverse order: i ^ 31.
    Reversed,
    /// Neighbouring pairs and quads of lanes swapped: i ^ 5.
    Xor,
    /// Any element, drawn at random with repetition.
    Random,
    /// Any element of the same aligned window of 1024 elements (4 KiB of f32).
    Window,
    /// Every entry is the same element, the middle one.
    Equal,
}

/// The window of [`Pointing::Window`], in elements.
pub const WINDOW_ELEMENTS: u32 = 1024;

/// What a buffer holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Contents {
    /// Zero in every word.
    Zero,
    /// f32 counting 0, 1, .. 1023, 0, 1, ..: exact and finite in every element type, and easy to compress.
    Index,
    /// Random bits with moderate exponents, so that each word is a finite, normal f32 and each half of it a finite,
    /// normal f16: no sum of a few of them overflows, and none is flushed to zero.
    Random {
        /// Chooses the sequence.
        seed: u32,
    },
    /// A row-major f32 matrix of small integers, -4..=4, zero beyond its edges: sums of their products are exact.
    Integers {
        /// Chooses the sequence.
        seed: u32,
        /// Rows; zeros below them.
        rows: u32,
        /// Columns; zeros right of them.
        columns: u32,
        /// Elements from one row to the next; at least 1.
        pitch: u32,
    },
    /// The same integers as f16, two elements a word: element i of both is the same.
    HalfIntegers {
        /// Chooses the sequence.
        seed: u32,
        /// Rows; zeros below them.
        rows: u32,
        /// Columns; zeros right of them.
        columns: u32,
        /// Elements from one row to the next; at least 1.
        pitch: u32,
    },
    /// A row-major f32 matrix of reals, uniform in [-1, 1) in steps of 2^-23, zero beyond its edges.
    Reals {
        /// Chooses the sequence.
        seed: u32,
        /// Rows; zeros below them.
        rows: u32,
        /// Columns; zeros right of them.
        columns: u32,
        /// Elements from one row to the next; at least 1.
        pitch: u32,
    },
    /// The same in f16 and in steps of 2^-10, two elements a word.
    HalfReals {
        /// Chooses the sequence.
        seed: u32,
        /// Rows; zeros below them.
        rows: u32,
        /// Columns; zeros right of them.
        columns: u32,
        /// Elements from one row to the next; at least 1.
        pitch: u32,
    },
    /// Marks words that no kernel has written yet.
    Poison,
    /// u32 indices.
    Indices {
        /// Which elements they name.
        pointing: Pointing,
        /// Entries, and elements pointed into; at least 1.
        count: u32,
        /// Chooses the random sequences.
        seed: u32,
    },
    /// Numbers of the buffer's own types, by a rule; the host computes them and uploads them to a GPU.
    Elements(Arc<Elements>),
    /// These bytes, then zeros.
    Bytes(Arc<[u8]>),
}

/// The value of every word of [`Contents::Poison`]: a quiet NaN as f32, an unlikely integer.
pub const POISON: u32 = 0x7FED_C0DE;

/// A bijection of 32-bit words that scatters neighbouring inputs ("lowbias32", found by Chris Wellons' search for
/// low-bias integer hashes, <https://nullprogram.com/blog/2018/07/31/>).
#[must_use]
pub const fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// Sets sequences of small seeds apart (the golden ratio's bits).
pub(crate) const SEQUENCE: u32 = 0x9E37_79B9;

/// Word `index` of the random sequence `seed`, all 32 bits.
#[must_use]
pub const fn random_bits(seed: u32, index: u32) -> u32 {
    hash(index ^ hash(seed ^ SEQUENCE))
}

/// `bits` with both five-bit f16 exponents moved to 12..=19: as f16 2^-3..2^4, as f32 2^-31..2^32.
#[must_use]
pub const fn moderate(bits: u32) -> u32 {
    let high = 12 + ((bits >> 26) & 7);
    let low = 12 + ((bits >> 10) & 7);
    (bits & !0x7C00_7C00) | (high << 26) | (low << 10)
}

/// The integer at a place of [`Contents::Integers`].
#[must_use]
pub const fn small_integer(seed: u32, index: u32) -> i8 {
    (random_bits(seed, index) % 9) as i8 - 4
}

/// The number at a place of [`Contents::Reals`]: exact as f32.
#[must_use]
pub const fn real(seed: u32, index: u32) -> f32 {
    let steps = (random_bits(seed, index) >> 8).cast_signed() - (1 << 23);
    #[expect(clippy::cast_precision_loss, reason = "an integer of at most 2^23")]
    let real = steps as f32 / 8_388_608.0;
    real
}

/// The number at a place of [`Contents::HalfReals`]: exact as f16.
#[must_use]
pub const fn half_real(seed: u32, index: u32) -> f32 {
    let steps = (random_bits(seed, index) >> 21).cast_signed() - (1 << 10);
    #[expect(clippy::cast_precision_loss, reason = "an integer of at most 2^10")]
    let real = steps as f32 / 1024.0;
    real
}

/// Whether an index lies in a matrix of this size.
fn is_inside(index: u32, [rows, columns, pitch]: [u32; 3]) -> bool {
    let pitch = pitch.max(1);
    index % pitch < columns && index / pitch < rows
}

/// A word of two f16 elements.
fn halves(word: u32, element: impl Fn(u32) -> f32) -> u32 {
    let half = |index| u32::from(half::f16::from_f32(element(index)).to_bits());
    let first = word.wrapping_mul(2);
    half(first) | (half(first.wrapping_add(1)) << 16)
}

impl Contents {
    /// Word `index` of the buffer.
    #[must_use]
    pub fn word(&self, index: u32) -> u32 {
        match self {
            Self::Zero => 0,
            #[expect(clippy::cast_precision_loss, reason = "below 1024")]
            Self::Index => ((index & 1023) as f32).to_bits(),
            Self::Random { seed } => moderate(random_bits(*seed, index)),
            Self::Integers { seed, rows, columns, pitch } => {
                let inside = is_inside(index, [*rows, *columns, *pitch]);
                if inside { f32::from(small_integer(*seed, index)).to_bits() } else { 0 }
            }
            Self::HalfIntegers { seed, rows, columns, pitch } => halves(index, |element| {
                let inside = is_inside(element, [*rows, *columns, *pitch]);
                if inside { f32::from(small_integer(*seed, element)) } else { 0.0 }
            }),
            Self::HalfReals { seed, rows, columns, pitch } => halves(index, |element| {
                let inside = is_inside(element, [*rows, *columns, *pitch]);
                if inside { half_real(*seed, element) } else { 0.0 }
            }),
            Self::Reals { seed, rows, columns, pitch } => {
                let inside = is_inside(index, [*rows, *columns, *pitch]);
                if inside { real(*seed, index).to_bits() } else { 0 }
            }
            Self::Poison => POISON,
            Self::Indices { pointing, count, seed } => pointing.entry(index, *count, *seed),
            Self::Elements(elements) => elements.word(index),
            Self::Bytes(bytes) => {
                let start = index as usize * 4;
                let byte = |k: usize| bytes.get(start + k).copied().unwrap_or(0);
                u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
            }
        }
    }
}

impl Contents {
    /// Element `index` of a matrix: a word of f32, a half of a word of f16.
    #[must_use]
    pub fn element(&self, index: u32) -> f32 {
        if matches!(self, Self::HalfIntegers { .. } | Self::HalfReals { .. }) {
            let word = self.word(index / 2);
            #[expect(clippy::cast_possible_truncation, reason = "the half that is asked for")]
            let half = if index.is_multiple_of(2) { word } else { word >> 16 } as u16;
            half::f16::from_bits(half).to_f32()
        } else {
            f32::from_bits(self.word(index))
        }
    }
}

impl Pointing {
    /// Entry `index` of an index buffer of `count` entries; always below `count`.
    #[must_use]
    pub fn entry(self, index: u32, count: u32, seed: u32) -> u32 {
        let count = count.max(1);
        // A permutation of lanes that would leave the range (in a ragged last group) stays where it is.
        let inside = |entry: u32| {
            if entry < count { entry } else { index.min(count - 1) }
        };
        match self {
            Self::Identity => inside(index),
            Self::Reversed => inside(index ^ 31),
            Self::Xor => inside(index ^ 5),
            Self::Random => random_bits(seed, index) % count,
            Self::Window => {
                let start = index - index % WINDOW_ELEMENTS;
                inside(start + random_bits(seed, index) % WINDOW_ELEMENTS.min(count.saturating_sub(start).max(1)))
            }
            Self::Equal => count / 2,
        }
    }
}

/// The checksum of one word at its place. Checksums of words add (wrapping); an odd factor makes every change of one word
/// visible, and one scattered by the place makes moved words visible, also by powers of two.
#[must_use]
pub const fn checksum_term(index: u32, word: u32) -> u32 {
    word.wrapping_mul(hash(index) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_words_are_normal_numbers_in_both_types() {
        for index in 0..100_000 {
            let word = Contents::Random { seed: 7 }.word(index);
            assert!(f32::from_bits(word).is_normal(), "f32 {word:#x}");
            for half in [word & 0xFFFF, word >> 16] {
                let half = half::f16::from_bits(u16::try_from(half).unwrap());
                assert!(half.is_normal(), "f16 {half:?}");
            }
        }
    }

    #[test]
    fn random_words_hardly_repeat() {
        // 28 of the 32 bits are free, so 2^16 words collide about 8 times (birthday bound), and never more than 40.
        let mut words: Vec<u32> = (0..1 << 16).map(|i| Contents::Random { seed: 1 }.word(i)).collect();
        words.sort_unstable();
        words.dedup();
        assert!(words.len() > (1 << 16) - 40, "{} distinct", words.len());
    }

    #[test]
    fn integers_are_small_balanced_and_end_at_the_edges() {
        let contents = Contents::Integers { seed: 3, rows: 90, columns: 100, pitch: 104 };
        let mut counts = [0u32; 9];
        for index in 0..104 * 100 {
            let value = f32::from_bits(contents.word(index));
            if index % 104 < 100 && index / 104 < 90 {
                let place = (-4..=4).position(|integer: i8| value.to_bits() == f32::from(integer).to_bits());
                counts[place.unwrap()] += 1;
            } else {
                assert_eq!(contents.word(index), 0, "{index}");
            }
        }
        assert!(counts.iter().all(|count| (900..1100).contains(count)), "{counts:?}");
    }

    #[test]
    fn half_integers_are_the_same_integers() {
        let (seed, rows, columns, pitch) = (3, 9, 11, 13);
        let floats = Contents::Integers { seed, rows, columns, pitch };
        let halves = Contents::HalfIntegers { seed, rows, columns, pitch };
        for index in 0..70 {
            let word = halves.word(index);
            for (half, element) in [(word & 0xFFFF, 2 * index), (word >> 16, 2 * index + 1)] {
                let half = half::f16::from_bits(u16::try_from(half).unwrap()).to_f32();
                assert_eq!(half.to_bits(), floats.word(element), "element {element}");
            }
        }
    }

    #[test]
    fn half_reals_are_uniform_and_exact() {
        let contents = Contents::HalfReals { seed: 4, rows: 90, columns: 100, pitch: 104 };
        let values: Vec<f32> = (0..100).map(|column| contents.element(5 * 104 + column)).collect();
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value) && (value * 1024.0).fract() == 0.0));
        assert!(values.iter().filter(|value| **value < 0.0).count() > 30);
        assert_eq!((100..104).map(|column| contents.element(5 * 104 + column)).sum::<f32>(), 0.0, "padding");
        assert_eq!(contents.element(90 * 104), 0.0, "below");
    }

    #[test]
    fn reals_are_uniform_exact_and_end_at_the_edges() {
        let contents = Contents::Reals { seed: 3, rows: 90, columns: 100, pitch: 104 };
        let mut counts = [0u32; 10];
        for index in 0..104 * 100 {
            let value = f32::from_bits(contents.word(index));
            if index % 104 < 100 && index / 104 < 90 {
                assert!((-1.0..1.0).contains(&value), "{value}");
                assert_eq!((value * 8_388_608.0).fract(), 0.0, "{value} is no multiple of 2^-23");
                let tenth =
                    (0..10).position(|tenth| value < -1.0 + 0.2 * (f32::from(u8::try_from(tenth).unwrap()) + 1.0));
                counts[tenth.unwrap_or(9)] += 1;
            } else {
                assert_eq!(contents.word(index), 0, "{index}");
            }
        }
        assert!(counts.iter().all(|count| (800..1000).contains(count)), "{counts:?}");
    }

    #[test]
    fn every_index_is_in_range() {
        for pointing in
            [Pointing::Identity, Pointing::Reversed, Pointing::Xor, Pointing::Random, Pointing::Window, Pointing::Equal]
        {
            for count in [1, 5, 31, 33, 1025, 5000] {
                assert!((0..count).all(|i| pointing.entry(i, count, 3) < count), "{pointing:?} of {count}");
            }
        }
    }

    #[test]
    fn permutations_are_permutations() {
        for pointing in [Pointing::Identity, Pointing::Reversed, Pointing::Xor] {
            let mut entries: Vec<u32> = (0..64).map(|i| pointing.entry(i, 64, 0)).collect();
            entries.sort_unstable();
            assert_eq!(entries, (0..64).collect::<Vec<_>>(), "{pointing:?}");
        }
    }

    #[test]
    fn a_checksum_sees_changes_and_swaps() {
        let sum =
            |words: &[u32]| words.iter().zip(0..).fold(0u32, |sum, (w, i)| sum.wrapping_add(checksum_term(i, *w)));
        assert_ne!(sum(&[1, 2, 3]), sum(&[2, 1, 3]));
        assert_ne!(sum(&[1, 2, 3]), sum(&[1, 2, 3 ^ 0x8000_0000]));
    }
}
