//! Proof that a change means the same, from addresses: contents that are all alike, zeros above all, prove little.
//!
//! Accesses are added up in hashes, so that a witness stays small however long a trial is.

use std::collections::{BTreeMap, HashMap};

use crate::contents::hash;
use crate::trace::{Access, AccessKind, Observer, Site, Space};

/// What must be alike in the accesses of both texts, beside what they write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing: the change moves data into another buffer.
    None,
    /// Each lane loads the same words of the target's variable, in whatever pieces.
    SameWordsOfEachLane,
    /// Every address of the target's variable has become one of its own.
    EachAddressMoved,
    /// All lanes together make the same accesses to every variable.
    SameAccesses,
}

/// What an execution accessed.
#[derive(Default)]
pub(super) struct Witness {
    names: BTreeMap<u32, String>,
    variables: BTreeMap<u32, Seen>,
    workgroup: u32,
}

/// Accesses to one variable.
#[derive(Default, PartialEq, Eq)]
struct Seen {
    /// Of all accesses, whatever their order.
    accesses: u128,
    /// Of the words of each lane, whatever their order.
    words: u128,
    /// Of addresses of workgroup memory in their order, each as the number of its first appearance.
    order: u64,
    firsts: HashMap<u32, u32>,
}

impl Witness {
    /// Whether this execution and another one show what the proof asks for.
    pub(super) fn agrees(&self, other: &Self, proof: Proof, variable: &str) -> bool {
        let of = |witness: &Self, value: &dyn Fn(&Seen) -> u128| -> Vec<u128> {
            let named = witness.names.iter().filter(|(_, name)| *name == variable);
            named.filter_map(|(number, _)| witness.variables.get(number)).map(value).collect()
        };
        match proof {
            Proof::None => true,
            Proof::SameWordsOfEachLane => of(self, &|seen| seen.words) == of(other, &|seen| seen.words),
            Proof::EachAddressMoved => of(self, &|seen| seen.order.into()) == of(other, &|seen| seen.order.into()),
            Proof::SameAccesses => self.all_accesses() == other.all_accesses(),
        }
    }

    fn all_accesses(&self) -> BTreeMap<&str, u128> {
        let name = |number: &u32| self.names.get(number).map_or("", String::as_str);
        self.variables.iter().map(|(number, seen)| (name(number), seen.accesses)).collect()
    }
}

/// Two independent hashes of some numbers, side by side.
fn wide(numbers: [u32; 3]) -> u128 {
    let mix = |seed: u32| numbers.iter().fold(seed, |mixed, number| hash(mixed ^ hash(number ^ seed)));
    let half = |seed: u32| u64::from(mix(seed)) << 32 | u64::from(mix(seed ^ 0x5bd1_e995));
    u128::from(half(1)) << 64 | u128::from(half(2))
}

impl Observer for Witness {
    fn site(&mut self, site: &Site) {
        self.names.entry(site.variable).or_insert_with(|| site.name.clone());
    }

    fn workgroup(&mut self, _: [u32; 3]) {
        self.workgroup += 1;
    }

    fn access(&mut self, access: &Access<'_>) {
        let seen = self.variables.entry(access.variable).or_default();
        let kind = match access.kind {
            AccessKind::Load => 0,
            AccessKind::Store => 1,
            AccessKind::Atomic => 2,
        };
        for (lane, number) in access.active.iter().zip(0u32..) {
            let Some(address) = access.addresses.get(lane).copied() else { continue };
            let lane = u32::try_from(lane).unwrap_or(u32::MAX);
            seen.accesses = seen.accesses.wrapping_add(wide([kind, access.element_bytes, address]));
            for word in address / 4..address.saturating_add(access.element_bytes).div_ceil(4) {
                seen.words = seen.words.wrapping_add(wide([self.workgroup, lane, word]));
            }
            if access.space == Space::Workgroup {
                let next = u32::try_from(seen.firsts.len()).unwrap_or(u32::MAX);
                let first = *seen.firsts.entry(address).or_insert(next);
                let step = u64::from(hash(first ^ hash(lane ^ hash(number ^ kind))));
                seen.order = seen.order.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(step);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{LaneMask, Position};

    /// The witness of accesses of two lanes at these addresses, each of so many bytes.
    fn witness(accesses: &[([u32; 2], u32)]) -> Witness {
        let mut witness = Witness::default();
        let position = Position { line: 1, column: 1 };
        let site = Site {
            position,
            call_path: Vec::new(),
            space: Space::Workgroup,
            variable: 0,
            name: "t".to_owned(),
            kind: AccessKind::Load,
            element_bytes: 4,
            leaf_offset: 0,
        };
        witness.site(&site);
        witness.workgroup([0; 3]);
        for (addresses, element_bytes) in accesses {
            witness.access(&Access {
                site: 0,
                element_bytes: *element_bytes,
                space: Space::Workgroup,
                variable: 0,
                kind: AccessKind::Load,
                addresses,
                active: LaneMask::first(2),
                out_of_range: 0,
                first_strayed: None,
            });
        }
        witness
    }

    #[test]
    fn pieces_of_a_vector_are_the_vector_of_the_same_lane() {
        let proof = Proof::SameWordsOfEachLane;
        let scalars = witness(&[([0, 8], 4), ([4, 12], 4)]);
        assert!(scalars.agrees(&witness(&[([0, 8], 8)]), proof, "t"));
        // Pairs that overlap: the second lane would get the first one's.
        let overlapping = witness(&[([0, 4], 4), ([4, 8], 4)]);
        assert!(!overlapping.agrees(&witness(&[([0, 0], 8)]), proof, "t"));
    }

    #[test]
    fn moved_addresses_stay_apart() {
        let rows = witness(&[([0, 4], 4), ([8, 12], 4), ([0, 8], 4)]);
        let padded = witness(&[([0, 4], 4), ([12, 16], 4), ([0, 12], 4)]);
        assert!(rows.agrees(&padded, Proof::EachAddressMoved, "t"));
        // The second row now lies on the first: what was two elements is one.
        let folded = witness(&[([0, 4], 4), ([4, 8], 4), ([0, 4], 4)]);
        assert!(!rows.agrees(&folded, Proof::EachAddressMoved, "t"));
    }

    #[test]
    fn accesses_may_change_lanes() {
        let one = witness(&[([0, 4], 4), ([8, 12], 4)]);
        assert!(one.agrees(&witness(&[([0, 8], 4), ([4, 12], 4)]), Proof::SameAccesses, "t"));
        assert!(!one.agrees(&witness(&[([0, 8], 4), ([4, 8], 4)]), Proof::SameAccesses, "t"));
    }
}
