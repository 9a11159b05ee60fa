//! The counter as a whole: known patterns, brute force, sampling.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Both, Counter, Prediction, Scope};
use crate::memory_model::{LESSON, MemoryModel, Overrides, by_key};
use crate::trace::{Access, AccessKind, Deaf, LaneMask, Observer, Position, Site, Space};

fn site(space: Space, kind: AccessKind, variable: u32, element_bytes: u32) -> Site {
    Site {
        position: Position { line: 3 + variable, column: 5 },
        call_path: Vec::new(),
        space,
        variable,
        name: ["a", "b", "c"][variable as usize].into(),
        kind,
        element_bytes,
        leaf_offset: 0,
    }
}

/// Executes site `id` once.
fn execute(observer: &mut impl Observer, id: u32, site: &Site, addresses: &[u32], active: LaneMask) {
    let Site { space, variable, kind, element_bytes, .. } = *site;
    observer.access(&Access {
        site: id,
        element_bytes,
        space,
        variable,
        kind,
        addresses,
        active,
        out_of_range: 0,
        first_strayed: None,
    });
}

/// Loads of storage by one workgroup of 32 lanes, lane t at `address(t)`.
fn load(model: &MemoryModel, element_bytes: u32, address: impl Fn(u32) -> u32) -> Prediction {
    let site = site(Space::Storage, AccessKind::Load, 0, element_bytes);
    let addresses: Vec<u32> = (0..32).map(address).collect();
    let mut counter = Counter::new(model);
    counter.site(&site);
    counter.workgroup([0; 3]);
    execute(&mut counter, 0, &site, &addresses, LaneMask::first(32));
    counter.finish(&Scope::default())
}

#[test]
fn the_lesson_model_gives_the_numbers_of_the_lesson() {
    let sectors = |element: u32, stride: u32, offset: u32| {
        load(&LESSON, element, |t| (t * stride + offset) * element).totals.sectors
    };
    assert_eq!(sectors(4, 1, 0), 4);
    assert_eq!(sectors(4, 1, 1), 5);
    assert_eq!(sectors(4, 2, 0), 8);
    for stride in [8, 16, 64] {
        assert_eq!(sectors(4, stride, 0), 32, "stride {stride}");
    }
    assert_eq!(sectors(2, 1, 0), 2);
    assert_eq!(sectors(2, 16, 0), 32);
    assert_eq!(sectors(16, 1, 0), 16);
    assert_eq!(sectors(4, 0, 7), 1);
}

#[test]
fn efficiency_counts_a_broadcast_once() {
    let access = load(&LESSON, 4, |_| 64).accesses.remove(0);
    assert_eq!((access.requested_bytes, access.useful_bytes, access.ideal_sectors), (128, 4, Some(1)));
    assert_eq!(access.request_efficiency, Some(0.125));
    let misaligned = load(&LESSON, 4, |t| 4 * t + 4);
    assert_eq!(misaligned.primary("a").map(|row| row.request_efficiency), Some(0.8));
    assert_eq!(misaligned.primary("b"), None);
}

#[test]
fn narrow_load_units_look_at_groups_of_lanes() {
    let pascal = by_key("nv-pascal").unwrap();
    let sectors = |element, offset| load(pascal, element, |t| (t + offset) * element).totals.sectors;
    // 4 groups of 8 f32: one sector each, two where they are misaligned; 16 groups of two vec4: one each.
    assert_eq!([sectors(4, 0), sectors(4, 1), sectors(16, 0)], [4, 8, 16]);
    // 8 groups of four vec2, each 32 bytes; the same byte for all lanes is asked for by each group.
    assert_eq!(sectors(8, 0), 8);
    assert_eq!(load(pascal, 4, |_| 0).totals.sectors, 4);
}

#[test]
fn a_band_of_granules_gives_a_band_of_traffic() {
    let traffic = |key: &str, address: fn(u32) -> u32| {
        let traffic = load(by_key(key).unwrap(), 4, address).traffic_efficiency.unwrap();
        (traffic.low, traffic.high)
    };
    assert_eq!(traffic("nv-ampere", |t| 64 * t), (4.0 / 64.0, 4.0 / 32.0));
    assert_eq!(traffic("nv-hopper", |t| 64 * t), (4.0 / 64.0, 4.0 / 64.0));
    assert_eq!(traffic("lesson", |t| 64 * t), (4.0 / 32.0, 4.0 / 32.0));
    assert_eq!(traffic("nv-ampere", |t| 4 * t), (1.0, 1.0));
    // A sector that is itself a band: 128 B at worst, 32 B at best.
    assert_eq!(traffic("amd-rdna", |t| 128 * t), (4.0 / 128.0, 4.0 / 32.0));
}

/// `workgroups` groups of 64 lanes that each read `bytes_apart` further on, from a buffer of which all read the same 4 KiB,
/// or each its own.
fn sampled(ids: &[u32], shared: bool, scope: &Scope) -> Prediction {
    let site = site(Space::Storage, AccessKind::Load, 0, 4);
    let mut counter = Counter::new(&LESSON);
    counter.site(&site);
    for id in ids {
        counter.workgroup([*id, 0, 0]);
        let start = if shared { 0 } else { id * 256 };
        let addresses: Vec<u32> = (0..64).map(|t| start + 4 * t).collect();
        execute(&mut counter, 0, &site, &addresses, LaneMask::first(64));
    }
    counter.finish(scope)
}

#[test]
fn samples_are_scaled_and_buffers_bound_them() {
    let scope = |bytes| Scope { total_workgroups: 1000, buffer_bytes: BTreeMap::from([("a".to_owned(), bytes)]) };
    let ids = [0, 1, 2, 500, 501, 502, 997, 998, 999];
    let own = sampled(&ids, false, &scope(256_000));
    assert_eq!(own.traced.to_string(), "9 of 1000 workgroups in 3 blocks");
    let traffic = own.traffic_efficiency.unwrap();
    assert_eq!((traffic.low, traffic.high), (1.0, 1.0));
    assert_eq!(traffic.method, "every granule once, sampled over 9 of 1000 workgroups in 3 blocks");
    // All read the same 256 bytes of a buffer that has no more: memory gives them once, caches the rest.
    let shared = sampled(&ids, true, &scope(256));
    let traffic = shared.traffic_efficiency.clone().unwrap();
    assert_eq!((traffic.low, traffic.high), (1.0, 1000.0));
    assert!(traffic.method.ends_with("no more than the buffers hold"), "{}", traffic.method);
    assert_eq!(shared.useful_gb_per_s(10.0).map(|band| (band.low, band.high)), Some((10.0, 10_000.0)));
    assert_eq!(shared.useful_gb_per_s(f64::NAN), None);
    // A size that cannot be right bounds nothing below what was seen.
    assert!(sampled(&[0], false, &scope(0)).traffic_efficiency.unwrap().high <= 1000.0);
    let all = sampled(&[0, 1, 2], false, &Scope { total_workgroups: 3, ..Scope::default() });
    assert_eq!(all.traffic_efficiency.unwrap().method, "every granule once, counted over all 3 workgroups");
}

#[test]
fn two_dimensional_blocks_are_blocks() {
    let mut counter = Counter::new(&LESSON);
    for id in [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [9, 9, 0], [8, 9, 0], [u32::MAX; 3], [0, 0, 0]] {
        counter.workgroup(id);
    }
    let traced = counter.finish(&Scope::default()).traced;
    assert_eq!((traced.workgroups, traced.blocks, traced.total), (8, 4, 8));
}

#[test]
fn accesses_of_one_buffer_share_sectors_and_spaces_do_not_mix() {
    let (load, store) = (site(Space::Storage, AccessKind::Load, 0, 4), site(Space::Storage, AccessKind::Store, 0, 4));
    let (uniform, tile) =
        (site(Space::Uniform, AccessKind::Load, 1, 4), site(Space::Workgroup, AccessKind::Load, 2, 4));
    let mut both = Both(Counter::new(&LESSON), Deaf);
    for site in [&load, &store, &uniform, &tile] {
        both.site(site);
    }
    both.workgroup([0; 3]);
    let line: Vec<u32> = (0..32).map(|t| 4 * t).collect();
    execute(&mut both, 0, &load, &line, LaneMask::first(32));
    execute(&mut both, 1, &store, &line, LaneMask::first(32));
    execute(&mut both, 2, &uniform, &[0; 32], LaneMask::first(32));
    execute(&mut both, 3, &tile, &line.iter().map(|a| a * 32).collect::<Vec<_>>(), LaneMask::first(32));
    // Not announced, and without addresses: heard, and ignored.
    execute(&mut both, 9, &load, &line, LaneMask::first(32));
    execute(&mut both, 0, &load, &[], LaneMask::first(32));
    execute(&mut both, 0, &load, &line, LaneMask::EMPTY);
    let prediction = both.0.finish(&Scope::default());
    let totals = &prediction.totals;
    assert_eq!((totals.requests, totals.sectors, totals.distinct_sectors), (4, 9, 5));
    assert_eq!((totals.wavefronts, totals.ideal_wavefronts), (Some(32), Some(1)));
    assert_eq!(prediction.worst_wavefronts(), Some((32.0, 1.0)));
    assert_eq!((prediction.accesses[3].sectors, prediction.accesses[0].wavefronts), (None, None));
    // The store finds what the load fetched, at best.
    let traffic = prediction.traffic_efficiency.unwrap();
    assert_eq!((traffic.low, traffic.high), (1.0, 2.0));
    let unknown = Counter::new(by_key("unknown").unwrap()).finish(&Scope::default());
    assert_eq!(
        (unknown.totals.wavefronts, unknown.traffic_efficiency, unknown.totals.request_efficiency),
        (None, None, None)
    );
}

#[test]
fn names_in_json_are_those_of_the_contract() {
    let json = serde_json::to_value(load(&LESSON, 4, |t| 4 * t)).unwrap();
    let keys = |value: &serde_json::Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let names = |text: &str| text.split(' ').map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(
        keys(&json["accesses"][0]),
        names(
            "line column call_path space variable kind element_bytes requests requests_per_workgroup active_lanes \
             requested_bytes useful_bytes sectors ideal_sectors sector_bytes_total request_efficiency distinct_sectors \
             wavefronts ideal_wavefronts out_of_range cause first_request leaf_offset \
             extrapolated_requests"
        )
    );
    assert_eq!(keys(&json["accesses"][0]["first_request"]), names("active_lanes sectors wavefronts"));
    assert_eq!((&json["accesses"][0]["space"], &json["accesses"][0]["kind"]), (&"storage".into(), &"load".into()));
    assert!(json["accesses"][0]["wavefronts"].is_null(), "absent is null, never 0");
}

proptest! {
    #[test]
    fn counts_equal_brute_force(
        width in prop::sample::select(vec![1u32, 4, 8, 16, 32, 64, 128]),
        sector in prop::sample::select(vec![16u32, 32, 64, 128]),
        wider in 0u32..3,
        element in prop::sample::select(vec![1u32, 2, 4, 6, 8, 12, 16]),
        elements in prop::collection::vec(0u32..2000, 1..300),
        mask in any::<[u64; 5]>(),
        line in any::<bool>(),
    ) {
        let fetch = sector << wider;
        let set = Overrides { subgroup: Some(width), sector: Some(sector), fetch: Some(fetch) };
        let model = LESSON.with(&set).unwrap();
        let address = |t: usize| if line { elements[0] + 40 * u32::try_from(t).unwrap() } else { elements[t] * element };
        let addresses: Vec<u32> = (0..elements.len()).map(address).collect();
        let mut active = LaneMask::EMPTY;
        (0..elements.len()).filter(|t| mask[t / 64] >> (t % 64) & 1 == 1).for_each(|t| active.insert(t));

        let site = site(Space::Storage, AccessKind::Load, 0, element);
        let mut counter = Counter::new(&model);
        counter.site(&site);
        counter.workgroup([0; 3]);
        execute(&mut counter, 0, &site, &addresses, active);
        let prediction = counter.finish(&Scope::default());

        let mut expected = (0, 0, 0, 0);
        let (mut misses, mut once) = (0, BTreeSet::new());
        for lanes in (0..addresses.len()).collect::<Vec<_>>().chunks(width as usize) {
            let bytes: BTreeSet<u32> = lanes
                .iter()
                .filter(|t| active.contains(**t))
                .flat_map(|t| addresses[*t]..addresses[*t] + element)
                .collect();
            let granules = |size: u32| bytes.iter().map(|byte| byte / size).collect::<BTreeSet<u32>>();
            expected.0 += u64::from(!bytes.is_empty());
            expected.1 += bytes.len() as u64;
            expected.2 += granules(sector).len() as u64;
            expected.3 += (bytes.len() as u64).div_ceil(sector.into());
            misses += granules(fetch).len();
            once.extend(granules(fetch));
        }
        let totals = prediction.totals;
        prop_assert_eq!((totals.requests, totals.useful_bytes, totals.sectors, totals.ideal_sectors), expected);
        prop_assert!(totals.ideal_sectors <= totals.sectors && totals.request_efficiency.unwrap_or(1.0) <= 1.0);
        if let Some(traffic) = prediction.traffic_efficiency {
            prop_assert_eq!(traffic.low, expected.1 as f64 / (misses as f64 * f64::from(fetch)));
            prop_assert_eq!(traffic.high, expected.1 as f64 / (once.len() as f64 * f64::from(fetch)));
        }
    }

    #[test]
    fn groups_of_lanes_equal_brute_force(
        wide in 0u32..4,
        elements in prop::collection::vec(0u32..300, 32),
        active in any::<u32>(),
    ) {
        let (element, group) = (2 << wide, [8, 8, 4, 2][wide as usize]);
        let site = site(Space::Storage, AccessKind::Load, 0, element);
        let addresses: Vec<u32> = elements.iter().map(|e| e * element).collect();
        let mut mask = LaneMask::EMPTY;
        (0..32).filter(|t| active >> t & 1 == 1).for_each(|t| mask.insert(t));
        let mut counter = Counter::new(by_key("nv-maxwell").unwrap());
        counter.site(&site);
        execute(&mut counter, 0, &site, &addresses, mask);
        let lanes: Vec<usize> = (0..32).collect();
        let sectors = |lanes: &[usize]| {
            let active = lanes.iter().filter(|t| mask.contains(**t));
            active.map(|t| addresses[*t] / 32).collect::<BTreeSet<u32>>().len() as u64
        };
        let expected: u64 = lanes.chunks(group).map(sectors).sum();
        prop_assert_eq!(counter.finish(&Scope::default()).totals.sectors, expected);
    }

    #[test]
    fn a_request_costs_the_same_after_any_other(
        elements in prop::collection::vec(0u32..64, 64),
        requests in prop::collection::vec((0u32..40, 0u32..3, any::<bool>()), 1..6),
        wide in 0u32..4,
    ) {
        let site = site(Space::Workgroup, AccessKind::Load, 0, 2 << wide);
        let run = |requests: &[(u32, u32, bool)]| {
            let mut counter = Counter::new(&LESSON);
            counter.site(&site);
            for (shift, stretch, all) in requests {
                let addresses: Vec<u32> = elements.iter().map(|e| (e << stretch << wide) * 2 + 2 * shift).collect();
                execute(&mut counter, 0, &site, &addresses, LaneMask::first(if *all { 64 } else { 40 }));
            }
            let totals = counter.finish(&Scope::default()).totals;
            (totals.wavefronts.unwrap_or(0), totals.ideal_wavefronts.unwrap_or(0))
        };
        let (mut wavefronts, mut ideal) = (0, 0);
        for request in &requests {
            let (one, one_ideal) = run(&[*request]);
            (wavefronts, ideal) = (wavefronts + one, ideal + one_ideal);
        }
        prop_assert_eq!(run(&requests), (wavefronts, ideal));
        prop_assert!(ideal <= wavefronts);
    }
}
