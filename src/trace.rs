//! What a workgroup touched, as plain data: the language between the interpreter, which speaks it, and the predictors
//! and views, which listen. It knows neither naga nor any memory model; cutting lanes into subgroups is the listener's.

use serde::{Deserialize, Serialize};

/// The most lanes that a workgroup may have.
pub const MAX_LANES: usize = 1024;

/// A set of lanes of one workgroup, by linear local index (x fastest, then y, then z).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneMask([u64; MAX_LANES / 64]);

impl LaneMask {
    /// No lane.
    pub const EMPTY: Self = Self([0; MAX_LANES / 64]);

    /// The lanes `0..lanes` (at most [`MAX_LANES`]).
    #[must_use]
    pub fn first(lanes: usize) -> Self {
        let mut words = [0u64; MAX_LANES / 64];
        for (k, word) in words.iter_mut().enumerate() {
            *word = match lanes.saturating_sub(k * 64) {
                0 => 0,
                n if n >= 64 => u64::MAX,
                n => (1 << n) - 1,
            };
        }
        Self(words)
    }

    /// The set whose lane `64 k + b` is bit `b` of word `k`.
    #[must_use]
    pub const fn from_words(words: [u64; MAX_LANES / 64]) -> Self {
        Self(words)
    }

    /// Whether the lane is in the set.
    #[must_use]
    pub const fn contains(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// Adds a lane.
    pub const fn insert(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    /// Whether there is no lane.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The number of lanes.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Lanes in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    /// Lanes in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    /// Lanes of this set that are not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    /// The lanes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(k, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    k * 64 + bit
                })
            })
        })
    }

    /// The 64-lane words, lane 0 in bit 0 of word 0.
    #[must_use]
    pub const fn words(&self) -> &[u64; MAX_LANES / 64] {
        &self.0
    }

    fn zip(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let mut words = self.0;
        for (word, other) in words.iter_mut().zip(other.0) {
            *word = f(*word, other);
        }
        Self(words)
    }
}

/// Which memory an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// A storage buffer.
    Storage,
    /// A uniform buffer.
    Uniform,
    /// The workgroup's own memory (NVIDIA: shared memory; AMD: LDS).
    Workgroup,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    /// A load, also an atomic one.
    Load,
    /// A store, also an atomic one.
    Store,
    /// An atomic read-modify-write.
    Atomic,
}

/// A place in the text: 1-based line, 1-based column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One load, store or atomic of the IR, reached by one chain of calls. A value over 16 bytes has one site a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// Where the access stands.
    pub position: Position,
    /// Where the functions around it were called, outermost first; empty in the entry point.
    pub call_path: Vec<Position>,
    /// Which memory.
    pub space: Space,
    /// Index of the variable among the module's variables of any space; accesses to the same variable share it.
    pub variable: u32,
    /// The variable's name in the text.
    pub name: String,
    /// What the access does.
    pub kind: AccessKind,
    /// Bytes that each lane moves: 1..=16.
    pub element_bytes: u32,
    /// Byte offset of the leaf in a value over 16 bytes, else 0.
    pub leaf_offset: u32,
}

/// Names a [`Site`] within one execution: sites are numbered from 0 in the order in which they are first reached.
pub type SiteId = u32;

/// A lane that asked for an element outside its variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strayed {
    /// Its linear local index.
    pub lane: u32,
    /// The index that it asked for, where that is one number.
    pub index: Option<u32>,
}

/// One site executed once by the workgroup in lockstep. At least one lane is active.
#[derive(Debug, Clone, Copy)]
pub struct Access<'a> {
    /// The site.
    pub site: SiteId,
    /// Bytes that each lane moves.
    pub element_bytes: u32,
    /// Which memory.
    pub space: Space,
    /// Its variable, as in [`Site::variable`].
    pub variable: u32,
    /// What it does.
    pub kind: AccessKind,
    /// For each lane of the workgroup the byte address of its element: from the start of the buffer (buffers start at
    /// multiples of 256 bytes), or from the start of workgroup memory. Entries of inactive lanes mean nothing.
    pub addresses: &'a [u32],
    /// The lanes that take part.
    pub active: LaneMask,
    /// How many of them asked for an address outside the variable; theirs were clamped to its last element.
    pub out_of_range: u32,
    /// The first of these lanes, where it is known.
    pub first_strayed: Option<Strayed>,
}

/// Listens to an execution.
pub trait Observer {
    /// A site was reached for the first time; its id is the number of sites announced before.
    fn site(&mut self, site: &Site);
    /// The accesses that follow are those of this workgroup.
    fn workgroup(&mut self, id: [u32; 3]);
    /// An access was executed.
    fn access(&mut self, access: &Access<'_>);
    /// An access, told of before, is executed again so many `times`: in the k-th of them, from 1, each lane's address is
    /// `addresses[lane] + k * steps[lane]`. The repetitions of other accesses between them are told apart, so this is
    /// for listeners to whom the order of accesses says nothing. Whoever executes asks for it or not.
    fn repeat(&mut self, access: &Access<'_>, steps: &[u32], times: u64) {
        let mut addresses = access.addresses.to_vec();
        for _ in 0..times {
            for (address, step) in addresses.iter_mut().zip(steps) {
                *address = address.wrapping_add(*step);
            }
            self.access(&Access { addresses: &addresses, ..*access });
        }
    }
}

/// An observer for whom values are enough.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deaf;

impl Observer for Deaf {
    fn site(&mut self, _: &Site) {}
    fn workgroup(&mut self, _: [u32; 3]) {}
    fn access(&mut self, _: &Access<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_sets() {
        let mut mask = LaneMask::first(70);
        assert_eq!(mask.count(), 70);
        assert_eq!(mask.iter().collect::<Vec<_>>(), (0..70).collect::<Vec<_>>());
        mask.insert(1023);
        assert!(mask.contains(1023) && !mask.contains(70));
        assert_eq!(mask.without(&LaneMask::first(64)).iter().collect::<Vec<_>>(), [64, 65, 66, 67, 68, 69, 1023]);
        assert!(mask.and(&LaneMask::EMPTY).is_empty());
        assert_eq!(LaneMask::first(MAX_LANES).count(), 1024);
    }
}
