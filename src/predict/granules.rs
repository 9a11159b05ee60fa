//! A set of granules of one buffer: a bitmap in pages, so that its size follows the memory touched, never the number of
//! accesses, and is at most one bit a granule.

/// Granules of a page.
const PAGE: u32 = 4096;
const WORDS: usize = 64;
/// No page yet.
const NONE: u32 = u32::MAX;

/// A set of granules, by index.
#[derive(Debug, Clone, Default)]
pub(super) struct GranuleSet {
    /// For each page the place of its bitmap in `bitmaps`, or [`NONE`].
    places: Vec<u32>,
    bitmaps: Vec<[u64; WORDS]>,
}

impl GranuleSet {
    fn page(&mut self, page: u32) -> &mut [u64; WORDS] {
        let page = page as usize;
        if page >= self.places.len() {
            self.places.resize(page + 1, NONE);
        }
        if self.places[page] == NONE {
            self.places[page] = u32::try_from(self.bitmaps.len()).unwrap_or(0);
            self.bitmaps.push([0; WORDS]);
        }
        &mut self.bitmaps[self.places[page] as usize]
    }

    /// Adds all granules from `first` to `last`, both included.
    pub(super) fn insert(&mut self, first: u32, last: u32) {
        let mut at = first;
        loop {
            let bits = self.page(at / PAGE);
            let word = (at % PAGE / 64) as usize;
            let end = last.min(at | 63);
            bits[word] |= (u64::MAX >> (63 - (end - at))) << (at % 64);
            if end >= last {
                return;
            }
            at = end + 1;
        }
    }

    /// Adds the granules `64 word + k` for the bits k of `bits`.
    pub(super) fn insert_word(&mut self, word: u32, bits: u64) {
        self.page(word / 64)[(word % 64) as usize] |= bits;
    }

    /// Adds all granules of the other set.
    pub(super) fn union(&mut self, other: &Self) {
        for (page, place) in (0u32..).zip(&other.places) {
            if let Some(from) = other.bitmaps.get(*place as usize) {
                for (bits, from) in self.page(page).iter_mut().zip(from) {
                    *bits |= from;
                }
            }
        }
    }

    /// How many granules of 2^`coarser` times the size have at least one member; `coarser` up to 12.
    pub(super) fn count(&self, coarser: u32) -> u64 {
        let words_per_granule = 1usize << coarser.clamp(6, 12).saturating_sub(6);
        self.bitmaps
            .iter()
            .flat_map(|bits| bits.chunks(words_per_granule))
            .map(|words| match words {
                [word] => u64::from(fold(*word, coarser).count_ones()),
                words => u64::from(words.iter().any(|word| *word != 0)),
            })
            .sum()
    }
}

/// The word with bit `i << coarser` set where any of the 2^`coarser` bits from there on was; all other bits clear.
fn fold(word: u64, coarser: u32) -> u64 {
    let mut word = word;
    // After step k bit i tells of the bits i .. i + 2^(k+1); what steps over the end of a granule is masked below.
    for step in 0..coarser.min(6) {
        word |= word >> (1 << step);
    }
    word & MASKS[coarser.min(6) as usize]
}

/// Every 2^k-th bit.
const MASKS: [u64; 7] = [
    u64::MAX,
    0x5555_5555_5555_5555,
    0x1111_1111_1111_1111,
    0x0101_0101_0101_0101,
    0x0001_0001_0001_0001,
    0x0000_0001_0000_0001,
    1,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_set(ranges in prop::collection::vec((0u32..40_000, 0u32..200), 0..40), split in 0usize..40) {
            let (mut one, mut other, mut expected) = (GranuleSet::default(), GranuleSet::default(), BTreeSet::new());
            for (k, (first, length)) in ranges.iter().enumerate() {
                let set = if k < split { &mut one } else { &mut other };
                set.insert(*first, first + length);
                expected.extend(*first..=first + length);
            }
            one.union(&other);
            for coarser in 0..=12 {
                let expected: BTreeSet<u32> = expected.iter().map(|granule| granule >> coarser).collect();
                prop_assert_eq!(one.count(coarser), expected.len() as u64, "{}", coarser);
            }
        }
    }

    #[test]
    fn the_last_granule_fits() {
        let mut set = GranuleSet::default();
        set.insert(u32::MAX / 4, u32::MAX / 4);
        assert_eq!(set.count(0), 1);
    }
}
