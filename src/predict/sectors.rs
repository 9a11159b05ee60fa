//! Distinct bytes and distinct granules of one request.

use super::granules::GranuleSet;

/// The most lanes of a subgroup.
pub(super) const MAX_SUBGROUP: usize = 128;

/// The addresses of a request's active lanes, in the form that is quickest to count. The order of lanes does not matter
/// to sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Addresses<'a> {
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

impl<'a> Addresses<'a> {
    /// Classifies the addresses (at least one); `scratch` is used where they have to be sorted.
    pub(super) fn of(addresses: &'a [u32], scratch: &'a mut [u32; MAX_SUBGROUP]) -> Self {
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

    /// Distinct bytes, where each lane touches `element` bytes (at least 1).
    pub(super) fn bytes(&self, element: u32) -> u64 {
        let element = u64::from(element);
        match *self {
            Self::Linear { step, lanes, .. } => u64::from(lanes - 1) * u64::from(step).min(element) + element,
            Self::Sorted(addresses) => {
                let (mut count, mut next) = (0, 0);
                for address in addresses {
                    let end = u64::from(*address) + element;
                    count += end - u64::from(*address).max(next).min(end);
                    next = end;
                }
                count
            }
        }
    }

    /// Distinct granules of 2^`shift` bytes; an element may straddle several.
    pub(super) fn granules(&self, element: u32, shift: u32) -> u64 {
        match *self {
            Self::Linear { first, step, lanes } if u64::from(step) <= 1 << shift => {
                // No step passes over a granule, so all from the first to the last are touched.
                let last = u64::from(first) + u64::from(step) * u64::from(lanes - 1) + u64::from(element) - 1;
                (last >> shift) - u64::from(first >> shift) + 1
            }
            Self::Linear { first, step, lanes } => {
                let mut counting = Counting { count: 0, next: 0 };
                let mut address = first;
                for _ in 0..lanes {
                    counting.element(address, element, shift);
                    address = address.wrapping_add(step);
                }
                counting.count
            }
            Self::Sorted(addresses) => {
                let mut counting = Counting { count: 0, next: 0 };
                for address in addresses {
                    counting.element(*address, element, shift);
                }
                counting.count
            }
        }
    }

    /// Adds the granules of 2^`shift` bytes to a set.
    pub(super) fn touch(&self, element: u32, shift: u32, touched: &mut GranuleSet) {
        let reach = element - 1;
        match *self {
            Self::Linear { first, step, lanes } if u64::from(step) <= 1 << shift => {
                let last = first.saturating_add(step.saturating_mul(lanes - 1)).saturating_add(reach);
                touched.insert(first >> shift, last >> shift);
            }
            Self::Linear { first, step, lanes } => {
                let mut address = first;
                for _ in 0..lanes {
                    touched.insert(address >> shift, address.saturating_add(reach) >> shift);
                    address = address.wrapping_add(step);
                }
            }
            Self::Sorted(addresses) => {
                // Neighbours often share a granule: join them to runs first.
                let mut run: Option<(u32, u32)> = None;
                for address in addresses {
                    let (from, to) = (address >> shift, address.saturating_add(reach) >> shift);
                    run = match run {
                        Some((first, last)) if from <= last + 1 => Some((first, last.max(to))),
                        Some((first, last)) => {
                            touched.insert(first, last);
                            Some((from, to))
                        }
                        None => Some((from, to)),
                    };
                }
                if let Some((first, last)) = run {
                    touched.insert(first, last);
                }
            }
        }
    }
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

    fn of(addresses: &[u32], check: impl FnOnce(&Addresses<'_>)) {
        check(&Addresses::of(addresses, &mut [0; MAX_SUBGROUP]));
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
        fn counts_equal_a_set_of_bytes(addresses in addresses(), element in 1u32..=16, shift in 4u32..9) {
            of(&addresses, |request| {
                assert_eq!(request.bytes(element), brute(&addresses, element, 0).len() as u64);
                let granules = brute(&addresses, element, shift);
                assert_eq!(request.granules(element, shift), granules.len() as u64);
            });
        }

        #[test]
        fn the_set_holds_what_was_counted(addresses in prop::collection::vec(0u32..100_000, 1..=64), element in 1u32..=16) {
            let mut touched = GranuleSet::default();
            of(&addresses, |request| request.touch(element, 5, &mut touched));
            of(&addresses, |request| assert_eq!(request.granules(element, 5), touched.count(0)));
        }

        #[test]
        fn lanes_may_swap_and_everything_may_shift(
            mut addresses in prop::collection::vec(0u32..50_000, 1..=64),
            element in 1u32..=16,
            sectors in 0u32..1000,
        ) {
            let (mut bytes, mut count) = (0, 0);
            of(&addresses, |request| (bytes, count) = (request.bytes(element), request.granules(element, 5)));
            prop_assert!(bytes.div_ceil(32) <= count && bytes <= count * 32);
            addresses.reverse();
            let middle = addresses.len() / 2;
            addresses.rotate_left(middle);
            addresses.iter_mut().for_each(|address| *address += 32 * sectors);
            of(&addresses, |request| assert_eq!((request.bytes(element), request.granules(element, 5)), (bytes, count)));
        }
    }

    #[test]
    fn shapes_are_seen() {
        of(&[0, 4, 8], |r| assert_eq!(*r, Addresses::Linear { first: 0, step: 4, lanes: 3 }));
        of(&[8, 4, 0], |r| assert_eq!(*r, Addresses::Linear { first: 0, step: 4, lanes: 3 }));
        of(&[7, 7], |r| assert_eq!(*r, Addresses::Linear { first: 7, step: 0, lanes: 2 }));
        of(&[0, 1 << 31, 0], |r| assert_eq!(*r, Addresses::Sorted(&[0, 0, 1 << 31])));
        of(&[5], |r| assert_eq!(*r, Addresses::Linear { first: 5, step: 0, lanes: 1 }));
    }
}
