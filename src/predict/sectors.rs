//! Distinct bytes and distinct granules of one request.

use super::granules::GranuleSet;

/// The most lanes of a subgroup.
pub(super) const MAX_SUBGROUP: usize = 128;

/// The addresses of a request's active lanes, in the form that is quickest to count. The order of lanes does not matter
/// to sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Request<'a> {
    addresses: Addresses<'a>,
    /// Bytes that each lane touches; at least 1.
    element: u32,
    /// Whether every element lies in one granule, whatever the size of granules (from the element's on): its size is a
    /// power of two, and it is aligned to it.
    aligned: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Addresses<'a> {
    /// `first`, `first + step`, .. : `lanes` of them.
    Linear {
        /// The lowest address.
        first: u32,
        /// From one to the next; 0 for a broadcast.
        step: u32,
        /// How many; at least 1.
        lanes: u32,
    },
    /// In ascending order.
    Sorted(&'a [u32]),
}

impl<'a> Request<'a> {
    /// Classifies the addresses (at least one); `scratch` is used where they have to be sorted.
    pub(super) fn new(addresses: &'a [u32], element: u32, scratch: &'a mut [u32; MAX_SUBGROUP]) -> Self {
        let element = element.max(1);
        let all = addresses.iter().fold(0, |all, address| all | address);
        let aligned = element.is_power_of_two() && all & (element - 1) == 0;
        Self { addresses: Addresses::of(addresses, scratch), element, aligned }
    }

    /// Distinct bytes.
    pub(super) fn bytes(&self) -> u64 {
        let element = u64::from(self.element);
        match self.addresses {
            Addresses::Linear { step, lanes, .. } => u64::from(lanes - 1) * u64::from(step).min(element) + element,
            Addresses::Sorted(addresses) if self.aligned => changes(addresses, 0) * element,
            Addresses::Sorted(addresses) => {
                let mut counting = Counting { count: 0, next: 0 };
                for address in addresses {
                    counting.element(*address, self.element, 0);
                }
                counting.count
            }
        }
    }

    /// Distinct granules of 2^`shift` bytes; an element may straddle several.
    pub(super) fn granules(&self, shift: u32) -> u64 {
        let aligned = self.aligned && self.element <= 1 << shift;
        match self.addresses {
            Addresses::Linear { first, step, lanes } if u64::from(step) <= 1 << shift => {
                // No step passes over a granule, so all from the first to the last are touched.
                let last = u64::from(first) + u64::from(step) * u64::from(lanes - 1) + u64::from(self.element) - 1;
                (last >> shift) - u64::from(first >> shift) + 1
            }
            // Each step leads into another granule, and no element reaches into the next.
            Addresses::Linear { lanes, .. } if aligned => lanes.into(),
            Addresses::Sorted(addresses) if aligned => changes(addresses, shift),
            Addresses::Linear { .. } | Addresses::Sorted(_) => {
                let mut counting = Counting { count: 0, next: 0 };
                self.addresses.each(|address| counting.element(address, self.element, shift));
                counting.count
            }
        }
    }

    /// Adds the granules of 2^`shift` bytes to a set.
    pub(super) fn touch(&self, shift: u32, touched: &mut GranuleSet) {
        let reach = self.element - 1;
        match self.addresses {
            Addresses::Linear { first, step, lanes } if u64::from(step) <= 1 << shift => {
                let last = first.saturating_add(step.saturating_mul(lanes - 1)).saturating_add(reach);
                touched.insert(first >> shift, last >> shift);
            }
            Addresses::Linear { .. } | Addresses::Sorted(_) if self.aligned && self.element <= 1 << shift => {
                let mut word = WordOfGranules::default();
                self.addresses.each(|address| word.add(address >> shift, touched));
                word.flush(touched);
            }
            Addresses::Linear { .. } | Addresses::Sorted(_) => {
                self.addresses.each(|address| touched.insert(address >> shift, address.saturating_add(reach) >> shift));
            }
        }
    }
}

/// Gathers granules of one word of the set, so that neighbours cost one access to it.
#[derive(Default)]
struct WordOfGranules {
    word: u32,
    bits: u64,
}

impl WordOfGranules {
    fn add(&mut self, granule: u32, touched: &mut GranuleSet) {
        if granule / 64 != self.word {
            self.flush(touched);
            self.word = granule / 64;
        }
        self.bits |= 1 << (granule % 64);
    }

    fn flush(&mut self, touched: &mut GranuleSet) {
        if self.bits != 0 {
            touched.insert_word(self.word, self.bits);
            self.bits = 0;
        }
    }
}

impl<'a> Addresses<'a> {
    fn of(addresses: &'a [u32], scratch: &'a mut [u32; MAX_SUBGROUP]) -> Self {
        let lanes = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
        let (Some(first), Some(last)) = (addresses.first().copied(), addresses.last().copied()) else {
            return Self::Sorted(&[]);
        };
        let Some(second) = addresses.get(1) else {
            return Self::Linear { first, step: 0, lanes };
        };
        // Both loops look at every pair, without an early exit, so that they run in vector registers.
        let step = second.wrapping_sub(first);
        if pairs(addresses, |a, b| b.wrapping_sub(a) == step) {
            // 32-bit steps may wrap around: only an end where it belongs is a line.
            let span = u64::from(lanes - 1);
            if u64::from(first) + u64::from(step) * span == u64::from(last) {
                return Self::Linear { first, step, lanes };
            }
            let down = step.wrapping_neg();
            if u64::from(last) + u64::from(down) * span == u64::from(first) {
                return Self::Linear { first: last, step: down, lanes };
            }
        }
        if pairs(addresses, |a, b| a <= b) {
            return Self::Sorted(addresses);
        }
        let sorted = &mut scratch[..addresses.len().min(MAX_SUBGROUP)];
        for (to, from) in sorted.iter_mut().zip(addresses) {
            *to = *from;
        }
        sorted.sort_unstable();
        Self::Sorted(sorted)
    }

    /// Every address, in ascending order.
    fn each(&self, mut visit: impl FnMut(u32)) {
        match *self {
            Self::Linear { first, step, lanes } => {
                let mut address = first;
                for _ in 0..lanes {
                    visit(address);
                    address = address.wrapping_add(step);
                }
            }
            Self::Sorted(addresses) => addresses.iter().for_each(|address| visit(*address)),
        }
    }
}

/// Distinct granules of 2^`shift` bytes that hold the first bytes of sorted elements.
fn changes(sorted: &[u32], shift: u32) -> u64 {
    let neighbours = sorted.iter().zip(sorted.iter().skip(1));
    let changes: u32 = neighbours.map(|(a, b)| u32::from(a >> shift != b >> shift)).sum();
    u64::from(changes) + u64::from(!sorted.is_empty())
}

/// Whether all neighbours stand in this relation.
fn pairs(addresses: &[u32], relation: impl Fn(u32, u32) -> bool) -> bool {
    addresses.iter().zip(addresses.iter().skip(1)).fold(true, |all, (a, b)| all & relation(*a, *b))
}

/// Counts granules of elements that come in ascending order.
struct Counting {
    count: u64,
    /// The first granule above all that were counted.
    next: u64,
}

impl Counting {
    fn element(&mut self, address: u32, element: u32, shift: u32) {
        let first = u64::from(address >> shift);
        let end = ((u64::from(address) + u64::from(element) - 1) >> shift) + 1;
        self.count += end - first.max(self.next).min(end);
        self.next = end.max(self.next);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn of(addresses: &[u32], element: u32, check: impl FnOnce(&Request<'_>)) {
        check(&Request::new(addresses, element, &mut [0; MAX_SUBGROUP]));
    }

    fn brute(addresses: &[u32], element: u32, shift: u32) -> BTreeSet<u64> {
        let bytes = |a: &u32| u64::from(*a)..u64::from(*a) + u64::from(element);
        addresses.iter().flat_map(bytes).map(|byte| byte >> shift).collect()
    }

    fn addresses() -> impl Strategy<Value = Vec<u32>> {
        let line = (0u32..10_000, -300i32..300, 1i32..=128)
            .prop_map(|(first, step, lanes)| (0..lanes).map(|k| first.saturating_add_signed(step * k)).collect());
        let near = prop::collection::vec(0u32..600, 1..=128);
        let far = prop::collection::vec(any::<u32>(), 1..=128);
        let steps = (any::<u32>(), any::<u32>(), 1u32..=128)
            .prop_map(|(first, step, lanes)| (0..lanes).map(|k| first.wrapping_add(step.wrapping_mul(k))).collect());
        prop_oneof![line, near, far, steps]
    }

    proptest! {
        #[test]
        fn counts_equal_a_set_of_bytes(
            mut addresses in addresses(),
            element in 1u32..=16,
            shift in 2u32..9,
            aligned in any::<bool>(),
        ) {
            if aligned {
                addresses.iter_mut().for_each(|address| *address -= *address % element);
            }
            of(&addresses, element, |request| {
                assert_eq!(request.bytes(), brute(&addresses, element, 0).len() as u64);
                let granules = brute(&addresses, element, shift);
                assert_eq!(request.granules(shift), granules.len() as u64);
            });
        }

        #[test]
        fn the_set_holds_what_was_counted(addresses in addresses(), wide in 0u32..5, element in 1u32..=16) {
            let element = if wide < 4 { 2 << wide } else { element };
            let mut touched = GranuleSet::default();
            of(&addresses, element, |request| request.touch(5, &mut touched));
            of(&addresses, element, |request| assert_eq!(request.granules(5), touched.count(0)));
        }

        #[test]
        fn lanes_may_swap_and_everything_may_shift(
            mut addresses in prop::collection::vec(0u32..50_000, 1..=64),
            element in 1u32..=16,
            sectors in 0u32..1000,
        ) {
            let (mut bytes, mut count) = (0, 0);
            of(&addresses, element, |request| (bytes, count) = (request.bytes(), request.granules(5)));
            prop_assert!(bytes.div_ceil(32) <= count && bytes <= count * 32);
            addresses.reverse();
            let middle = addresses.len() / 2;
            addresses.rotate_left(middle);
            addresses.iter_mut().for_each(|address| *address += 32 * sectors);
            of(&addresses, element, |request| assert_eq!((request.bytes(), request.granules(5)), (bytes, count)));
        }
    }

    #[test]
    fn shapes_are_seen() {
        let of = |addresses: &[u32], check: &dyn Fn(&Addresses<'_>)| {
            check(&Addresses::of(addresses, &mut [0; MAX_SUBGROUP]));
        };
        of(&[0, 4, 8], &|r| assert_eq!(*r, Addresses::Linear { first: 0, step: 4, lanes: 3 }));
        of(&[8, 4, 0], &|r| assert_eq!(*r, Addresses::Linear { first: 0, step: 4, lanes: 3 }));
        of(&[7, 7], &|r| assert_eq!(*r, Addresses::Linear { first: 7, step: 0, lanes: 2 }));
        of(&[0, 1 << 31, 0], &|r| assert_eq!(*r, Addresses::Sorted(&[0, 0, 1 << 31])));
        of(&[5], &|r| assert_eq!(*r, Addresses::Linear { first: 5, step: 0, lanes: 1 }));
    }
}
