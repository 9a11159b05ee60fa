//! Requests that repeat with shifted addresses: counted once for each place that they can have in a granule.
//!
//! Where all lanes of a request move by the same step, what it costs depends on where its first address lies in the
//! largest granule (in workgroup memory: in a word of a bank), so the costs repeat after as many turns as bring it to the
//! same place again. Lanes that move apart are counted turn by turn.

use super::counter::{CountedRequest, Counter, Rules, Scratch, SiteCount, active_of};
use super::granules::GranuleSet;
use super::sectors::MAX_SUBGROUP;
use crate::trace::{Access, MAX_LANES, Space};

impl Counter {
    /// Counts an access so many times again, each lane a step further each time; tells of each kind of its requests, and
    /// how many there are of it.
    pub fn count_repeated(
        &mut self,
        access: &Access<'_>,
        steps: &[u32],
        times: u64,
        mut visit: impl FnMut(&CountedRequest<'_>, u64),
    ) {
        let Some(count) = self.sites.get_mut(access.site as usize) else {
            return;
        };
        count.out_of_range += u64::from(access.out_of_range) * times;
        let width = self.rules.width;
        let lanes = &access.addresses[..access.addresses.len().min(MAX_LANES).min(steps.len())];
        for (k, (lanes, steps)) in lanes.chunks(width).zip(steps.chunks(width)).enumerate() {
            let active = active_of(&access.active, k * width, lanes.len());
            if active != 0 {
                let lanes = Lanes { first: k * width, lanes, steps, active };
                count.repeated(&self.rules, &mut self.scratch, access, &lanes, times, &mut visit);
            }
        }
    }
}

/// The lanes of one request, and by how much they move.
struct Lanes<'a> {
    first: usize,
    lanes: &'a [u32],
    steps: &'a [u32],
    active: u128,
}

impl SiteCount {
    fn repeated(
        &mut self,
        rules: &Rules,
        scratch: &mut Scratch,
        access: &Access<'_>,
        &Lanes { first, lanes, steps, active }: &Lanes<'_>,
        times: u64,
        visit: &mut impl FnMut(&CountedRequest<'_>, u64),
    ) {
        let step = steps.get(active.trailing_zeros() as usize).copied().unwrap_or(0);
        let together = steps.iter().enumerate().all(|(t, other)| active >> t & 1 == 0 || *other == step);
        let period = if together { rules.period(access.space, step) } else { times };
        self.extrapolated_requests += times;
        let mut moved = [0; MAX_SUBGROUP];
        moved[..lanes.len()].copy_from_slice(lanes);
        let moved = &mut moved[..lanes.len()];
        for turn in 1..=period.min(times) {
            moved.iter_mut().zip(steps).for_each(|(address, step)| *address = address.wrapping_add(*step));
            let before = self.figures().map(|figure| *figure);
            let [cost, ideal] = self.request(rules, scratch, access, moved, active);
            // Turns that are whole periods later cost the same.
            let alike = (times - turn) / period;
            visit(&CountedRequest { addresses: moved, first_lane: first, active, cost, ideal }, 1 + alike);
            for (figure, before) in self.figures().into_iter().zip(before) {
                *figure += (*figure - before) * alike;
            }
        }
        if access.space != Space::Workgroup && period < times && step != 0 {
            let element = access.element_bytes.max(1);
            touch_line(&mut self.touched, rules.touched_shift, (lanes, active, element), step, times);
        }
    }

    /// Everything that is added up over requests.
    const fn figures(&mut self) -> [&mut u64; 8] {
        [
            &mut self.requests,
            &mut self.active_lanes,
            &mut self.useful_bytes,
            &mut self.sectors,
            &mut self.ideal_sectors,
            &mut self.fetches,
            &mut self.wavefronts,
            &mut self.ideal_wavefronts,
        ]
    }
}

impl Rules {
    /// After how many turns a request that moves by `step` lies in its granules as before.
    fn period(&self, space: Space, step: u32) -> u64 {
        let whole = match (space, &self.banks) {
            // Moving by whole words only turns the banks.
            (Space::Workgroup, banks) => u64::from(banks.as_ref().map_or(1, |banks| banks.bytes.max(1))),
            (Space::Storage | Space::Uniform, _) => {
                1 << self.sector_shift.max(self.fetch_low_shift).max(self.fetch_high_shift)
            }
        };
        let (mut a, mut b) = (whole, u64::from(step));
        while b != 0 {
            (a, b) = (b, a % b);
        }
        whole / a
    }
}

/// Adds the granules of lanes that move by `step` so many times.
fn touch_line(
    touched: &mut GranuleSet,
    shift: u32,
    (lanes, active, element): (&[u32], u128, u32),
    step: u32,
    times: u64,
) {
    let step = i64::from(step.cast_signed());
    let granule = |byte: i64| u32::try_from(byte.max(0) >> shift).unwrap_or(u32::MAX);
    let reach = i64::from(element) - 1;
    let times = i64::try_from(times).unwrap_or(i64::MAX);
    // A step within a granule passes none over: what lies between the first and the last is touched.
    let dense = step.abs() <= 1 << shift;
    for (_, address) in lanes.iter().enumerate().filter(|(t, _)| active >> t & 1 == 1) {
        let first = i64::from(*address);
        if dense {
            let (a, b) = (first + step, first.saturating_add(step.saturating_mul(times)));
            touched.insert(granule(a.min(b)), granule(a.max(b).saturating_add(reach)));
        } else {
            for turn in 1..=times {
                let at = first.saturating_add(step.saturating_mul(turn));
                touched.insert(granule(at), granule(at + reach));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::memory_model::{self, MemoryModel};
    use crate::predict::{Prediction, Scope};
    use crate::trace::{AccessKind, LaneMask, Observer, Position, Site};

    fn counted(model: &MemoryModel, access: &Access<'_>, tell: impl FnOnce(&mut Counter)) -> Prediction {
        let mut counter = Counter::new(model);
        counter.site(&Site {
            position: Position { line: 1, column: 1 },
            call_path: Vec::new(),
            space: access.space,
            variable: 0,
            name: "a".to_owned(),
            kind: access.kind,
            element_bytes: access.element_bytes,
            leaf_offset: 0,
        });
        counter.workgroup([0; 3]);
        tell(&mut counter);
        let mut prediction = counter.finish(&Scope::default());
        prediction.accesses.iter_mut().for_each(|access| access.extrapolated_requests = 0);
        prediction
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn repeating_equals_telling_one_by_one(
            first in 100_000u32..200_000,
            pitch in prop_oneof![Just(4u32), Just(0), Just(16), 0u32..300],
            scatter in prop::collection::vec(0u32..64, 64),
            scattered in any::<bool>(),
            step in prop_oneof![-300i32..300, (0u32..9).prop_map(|bit| 1 << bit), Just(0)],
            apart in prop_oneof![4 => Just(0u32), 1 => 1u32..9],
            active in prop_oneof![Just(u64::MAX), any::<u64>(), Just(1 << 40)],
            wide in 0u32..4,
            (workgroup, key) in (any::<bool>(), 0usize..4),
            times in prop_oneof![1u64..4, 1u64..200],
        ) {
            let model = memory_model::by_key(["lesson", "nv-hopper", "amd-rdna", "apple"][key]);
            let model = model.unwrap();
            let element = 2 << wide;
            let address = |t: u32| first + if scattered { scatter[t as usize] * element } else { t * pitch };
            let addresses: Vec<u32> = (0..64).map(address).collect();
            let steps: Vec<u32> = (0..64u32).map(|t| step.cast_unsigned().wrapping_add(t * apart)).collect();
            let mut words = [0; MAX_LANES / 64];
            words[0] = active;
            let active = LaneMask::from_words(words);
            if active.is_empty() {
                return Ok(());
            }
            let space = if workgroup { Space::Workgroup } else { Space::Storage };
            let access = Access {
                site: 0,
                element_bytes: element,
                space,
                variable: 0,
                kind: AccessKind::Load,
                addresses: &addresses,
                active,
                out_of_range: 1,
                first_strayed: None,
            };
            let at_once = counted(model, &access, |counter| {
                counter.access(&access);
                counter.repeat(&access, &steps, times);
            });
            let one_by_one = counted(model, &access, |counter| {
                for turn in 0..=u32::try_from(times).unwrap() {
                    let moved = addresses.iter().zip(&steps);
                    let moved: Vec<u32> = moved.map(|(a, s)| a.wrapping_add(s.wrapping_mul(turn))).collect();
                    counter.access(&Access { addresses: &moved, ..access });
                }
            });
            prop_assert_eq!(at_once, one_by_one);
        }
    }
}
