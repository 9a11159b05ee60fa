//! Passes of one request over the banks of workgroup memory.
//!
//! The rule is what hardware counters showed on an NVIDIA H200, for 32 banks of 4 bytes: elements of up to 4 bytes take
//! one pass of 32 lanes, of 8 bytes two passes of 16 lanes, of 16 bytes four passes of 8 lanes, so that no pass asks for
//! more than all banks hold. A pass costs as many wavefronts as one bank has distinct words asked of it. Two neighbouring
//! passes of a *load* merge into one where every active lane `t` has the address of lane `t ^ 1`, or every one that of
//! `t ^ 2` (an inactive partner does not hinder; no row of the data could tell). Stores never merge. Atomics are counted
//! like stores, which is not measured. Other bank counts use the same rule, scaled, without merging.

use crate::memory_model::Banks;

use super::sectors::MAX_SUBGROUP;

/// The banks that a request of one element width meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passes {
    banks: u32,
    bank_bytes: u32,
    /// Lanes of a pass.
    lanes: usize,
    /// Whether neighbouring passes may merge.
    merges: bool,
}

impl Passes {
    /// For elements of this many bytes; `load` says whether it is a plain load.
    pub(super) fn new(banks: &Banks, element: u32, load: bool) -> Self {
        // 12-byte elements take the passes of 16-byte ones: not measured, and the next width that the hardware has.
        let width = element.clamp(1, 16).next_power_of_two().max(banks.bytes.max(1));
        let lanes = (banks.count.saturating_mul(banks.bytes) / width).max(1) as usize;
        Self { banks: banks.count.max(1), bank_bytes: banks.bytes.max(1), lanes, merges: load && banks.merges_pairs }
    }

    /// Wavefronts of a request: `addresses[t]` for the lanes `t` of `active`, each touching `element` bytes; `words` is
    /// scratch.
    pub(super) fn wavefronts(&self, addresses: &[u32], active: u128, element: u32, words: &mut Vec<u32>) -> u64 {
        let merged =
            self.merges && self.lanes < addresses.len() && (share(addresses, active, 1) || share(addresses, active, 2));
        let lanes = if merged { 2 * self.lanes } else { self.lanes };
        let mut total = 0;
        for (pass, addresses) in addresses.chunks(lanes).enumerate() {
            words.clear();
            for (t, address) in addresses.iter().enumerate() {
                if active >> (pass * lanes + t) & 1 == 1 {
                    let last = address.saturating_add(element.max(1) - 1);
                    words.extend(address / self.bank_bytes..=last / self.bank_bytes);
                }
            }
            total += self.worst_bank(words);
        }
        total
    }

    /// The most distinct words of one bank.
    fn worst_bank(&self, words: &mut Vec<u32>) -> u64 {
        // Most passes are free of conflicts, which needs no sorting to see.
        let mut owner = [u32::MAX; MAX_SUBGROUP];
        let free = words.iter().all(|word| {
            let bank = (*word % self.banks) as usize % MAX_SUBGROUP;
            let first = owner[bank] == u32::MAX;
            owner[bank] = if first { *word } else { owner[bank] };
            owner[bank] == *word
        });
        if free {
            return u64::from(!words.is_empty());
        }
        words.sort_unstable();
        words.dedup();
        let mut load = [0u16; MAX_SUBGROUP];
        let mut worst = 0;
        for word in words {
            let bank = (*word % self.banks) as usize % MAX_SUBGROUP;
            load[bank] += 1;
            worst = worst.max(load[bank]);
        }
        worst.into()
    }

    /// The fewest wavefronts that any addresses could cost which give the lanes of `active` (of a subgroup of `width`)
    /// this many distinct elements.
    ///
    /// Without merging every pass with an active lane costs at least 1, and exactly 1 where its distinct elements lie
    /// side by side, since a pass never asks for more words than there are banks. Merging halves the passes, and is
    /// possible exactly if the lanes can share addresses in pairs, that is if there are no more distinct elements than
    /// pairs `{t, t ^ 1}` (or `{t, t ^ 2}`) with an active lane; a merged pass has no more pairs than a pass has lanes,
    /// so it too costs 1 where they lie side by side.
    pub(super) fn ideal(&self, active: u128, width: usize, distinct_elements: u64) -> u64 {
        let groups = |lanes: usize| {
            (0..width.min(MAX_SUBGROUP)).step_by(lanes).filter(|start| active >> start & ones(lanes) != 0).count()
                as u64
        };
        let pairs = |x: usize| {
            (0..width.min(MAX_SUBGROUP)).filter(|t| t & x == 0 && (active >> t | active >> (t ^ x)) & 1 == 1).count()
                as u64
        };
        let merged = self.merges && self.lanes < width && pairs(1).max(pairs(2)) >= distinct_elements;
        groups(if merged { 2 * self.lanes } else { self.lanes })
    }
}

/// The lowest `n` bits.
const fn ones(n: usize) -> u128 {
    if n >= 128 { u128::MAX } else { (1 << n) - 1 }
}

/// Whether every active lane t has the address of lane t ^ x, where that one is active.
fn share(addresses: &[u32], active: u128, x: usize) -> bool {
    addresses.iter().enumerate().all(|(t, address)| {
        let partner = t ^ x;
        active >> t & 1 == 0
            || active >> partner & 1 == 0
            || addresses.get(partner).is_none_or(|other| other == address)
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::memory_model::Trust;

    fn banks(count: u32, merges_pairs: bool) -> Banks {
        Banks { count, bytes: 4, merges_pairs, trust: Trust::Assumed, source: Cow::Borrowed("test") }
    }

    /// The rule in its plainest form, for 32 banks and 32 lanes.
    fn brute(addresses: &[u32], active: u32, element: u32, load: bool) -> usize {
        let lanes = match element {
            8 => 16,
            16 => 8,
            _ => 32,
        };
        let on = |t: u32| active >> t & 1 == 1;
        let same = |t: u32, x: u32| !on(t) || !on(t ^ x) || addresses[t as usize] == addresses[(t ^ x) as usize];
        let merge = load && lanes < 32 && ((0..32).all(|t| same(t, 1)) || (0..32).all(|t| same(t, 2)));
        let lanes = if merge { 2 * lanes } else { lanes };
        let mut total = 0;
        for pass in 0..32 / lanes {
            let mut words: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
            for t in (pass * lanes..(pass + 1) * lanes).filter(|t| on(*t)) {
                for byte in addresses[t as usize]..addresses[t as usize] + element {
                    words.entry(byte / 4 % 32).or_default().insert(byte / 4);
                }
            }
            total += words.values().map(BTreeSet::len).max().unwrap_or(0);
        }
        total
    }

    proptest! {
        #[test]
        fn it_is_the_rule(
            mut elements in prop::collection::vec(0u32..64, 32),
            pairs in 0usize..3,
            active in any::<u32>(),
            wide in 0u32..4,
            load in any::<bool>(),
        ) {
            for t in 0..32 {
                elements[t] = if pairs == 0 { elements[t] } else { elements[t & !pairs] };
            }
            let element = 2 << wide;
            let addresses: Vec<u32> = elements.iter().map(|e| e * element).collect();
            let passes = Passes::new(&banks(32, true), element, load);
            let cost = passes.wavefronts(&addresses, active.into(), element, &mut Vec::new());
            prop_assert_eq!(cost, brute(&addresses, active, element, load) as u64);
            let distinct: BTreeSet<u32> =
                (0..32).filter(|t| active >> t & 1 == 1).map(|t| addresses[t]).collect();
            prop_assert!(passes.ideal(active.into(), 32, distinct.len() as u64) <= cost);
            // Turning the banks by whole words changes nothing.
            let turned: Vec<u32> = addresses.iter().map(|a| a + 4 * 5 * element).collect();
            prop_assert_eq!(passes.wavefronts(&turned, active.into(), element, &mut Vec::new()), cost);
        }
    }

    /// The least cost of all addresses below `places` elements, for each (active lanes, distinct elements).
    fn least(lanes: usize, bank_count: u32, element: u32, places: u32, load: bool) {
        let passes = Passes::new(&banks(bank_count, true), element, load);
        let mut least: BTreeMap<(u128, u64), u64> = BTreeMap::new();
        for choice in 0..places.pow(u32::try_from(lanes).unwrap()) {
            let addresses: Vec<u32> =
                (0..lanes).map(|t| choice / places.pow(u32::try_from(t).unwrap()) % places * element).collect();
            for active in 1..1u128 << lanes {
                let distinct: BTreeSet<u32> =
                    (0..lanes).filter(|t| active >> t & 1 == 1).map(|t| addresses[t]).collect();
                let cost = passes.wavefronts(&addresses, active, element, &mut Vec::new());
                let best = least.entry((active, distinct.len() as u64)).or_insert(cost);
                *best = cost.min(*best);
            }
        }
        for ((active, distinct), cost) in least {
            let ideal = passes.ideal(active, lanes, distinct);
            assert_eq!(ideal, cost, "{lanes} lanes {active:b}, {bank_count} banks, {element} B, {distinct} distinct");
        }
    }

    #[test]
    fn ideal_is_the_least_of_all_addresses() {
        // 4 lanes: one pass of 4 B elements, two passes of two lanes of 8 B elements, with and without merging.
        for load in [true, false] {
            least(4, 4, 4, 5, load);
            least(4, 4, 8, 5, load);
            least(4, 4, 2, 5, load);
            least(6, 4, 8, 4, load);
        }
        // Four passes of two lanes.
        least(8, 4, 8, 2, true);
    }

    #[test]
    fn known_patterns() {
        let cost = |element: u32, load: bool, address: fn(u32) -> u32| {
            let addresses: Vec<u32> = (0..32).map(|t| address(t) * element).collect();
            Passes::new(&banks(32, true), element, load).wavefronts(
                &addresses,
                u32::MAX.into(),
                element,
                &mut Vec::new(),
            )
        };
        assert_eq!(cost(4, true, |t| t), 1);
        assert_eq!(cost(4, true, |t| 32 * t), 32);
        assert_eq!(cost(4, true, |t| 33 * t), 1);
        assert_eq!(cost(4, true, |_| 7), 1);
        assert_eq!(cost(16, true, |t| t), 4);
        assert_eq!(cost(16, true, |_| 0), 2);
        assert_eq!(cost(16, false, |_| 0), 4);
        assert_eq!(cost(8, true, |t| t / 2), 1);
        assert_eq!(cost(2, true, |t| t), 1);
    }
}
