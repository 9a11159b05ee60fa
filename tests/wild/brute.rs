//! Counting as the definitions read, with sets of bytes, and nothing of the predictor's.
//!
//! Sectors: a request is what one subgroup does in one execution of an access; it moves each 32-byte sector that holds a
//! byte of an active lane once. Wavefronts: 32 banks of 4 bytes; elements of up to 4 bytes are served in one pass over
//! 32 lanes, of 8 bytes in passes of 16 lanes, of 16 bytes (and 12) in passes of 8; a pass takes as many wavefronts as
//! one bank has distinct words asked of it; two neighbouring passes of a load are one if every active lane t has the
//! address of lane t ^ 1, or every one that of t ^ 2.

use std::collections::{BTreeSet, HashMap, HashSet};

use sectorscope::trace::{Access, AccessKind, Observer, Site, Space};

const SECTOR: u64 = 32;
const BANKS: u64 = 32;

/// Every access of an execution, as it came.
#[derive(Default)]
pub(crate) struct Tape {
    pub(crate) sites: Vec<Site>,
    /// By site: the address of each lane of the workgroup, where it was active.
    pub(crate) touches: Vec<Vec<Vec<Option<u32>>>>,
    pub(crate) out_of_range: Vec<u64>,
}

impl Observer for Tape {
    fn site(&mut self, site: &Site) {
        self.sites.push(site.clone());
        self.touches.push(Vec::new());
        self.out_of_range.push(0);
    }

    fn workgroup(&mut self, _: [u32; 3]) {}

    fn access(&mut self, access: &Access<'_>) {
        let lanes = access.addresses.iter().enumerate();
        let lanes = lanes.map(|(lane, address)| access.active.contains(lane).then_some(*address)).collect();
        self.touches[access.site as usize].push(lanes);
        self.out_of_range[access.site as usize] += u64::from(access.out_of_range);
    }
}

/// What all requests of an access cost together. `cost` is sectors, or wavefronts in workgroup memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) requests: u64,
    pub(crate) lanes: u64,
    pub(crate) useful_bytes: u64,
    pub(crate) cost: u64,
    pub(crate) ideal: u64,
    /// Distinct sectors of all requests together; 0 in workgroup memory.
    pub(crate) distinct: u64,
    /// Lanes and cost of the first request.
    pub(crate) first: [u64; 2],
}

/// What is counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct What {
    pub(crate) space: Space,
    pub(crate) kind: AccessKind,
    pub(crate) element: u32,
}

/// Counts accesses (of a workgroup's lanes each) under a subgroup of so many lanes.
pub(crate) fn count(touches: &[Vec<Option<u32>>], what: What, width: usize) -> Count {
    let mut count = Count::default();
    let mut seen: HashSet<u64> = HashSet::new();
    let element = u64::from(what.element);
    for request in touches.iter().flat_map(|lanes| lanes.chunks(width)) {
        let active: Vec<u64> = request.iter().flatten().map(|address| u64::from(*address)).collect();
        if active.is_empty() {
            continue;
        }
        let bytes: HashSet<u64> = active.iter().flat_map(|address| *address..address + element).collect();
        let sectors: HashSet<u64> = bytes.iter().map(|byte| byte / SECTOR).collect();
        let useful = bytes.len() as u64;
        let [cost, ideal] = if what.space == Space::Workgroup {
            let lanes: Vec<Option<u64>> = request.iter().map(|lane| lane.map(u64::from)).collect();
            [wavefronts(&lanes, what), fewest_wavefronts(&lanes, what)]
        } else {
            seen.extend(&sectors);
            [sectors.len() as u64, useful.div_ceil(SECTOR)]
        };
        count.requests += 1;
        count.lanes += active.len() as u64;
        count.useful_bytes += useful;
        count.cost += cost;
        count.ideal += ideal;
        if count.requests == 1 {
            count.first = [active.len() as u64, cost];
        }
    }
    count.distinct = seen.len() as u64;
    count
}

const fn lanes_of_a_pass(element: u32) -> usize {
    match element {
        ..=4 => 32,
        5..=8 => 16,
        _ => 8,
    }
}

fn may_merge(lanes: &[Option<u64>], what: What) -> bool {
    what.kind == AccessKind::Load && lanes_of_a_pass(what.element) < lanes.len()
}

fn wavefronts(lanes: &[Option<u64>], what: What) -> u64 {
    let alike = |distance: usize| {
        lanes.iter().enumerate().all(|(t, own)| match (own, lanes.get(t ^ distance).copied().flatten()) {
            (Some(own), Some(other)) => *own == other,
            _ => true,
        })
    };
    let merged = may_merge(lanes, what) && (alike(1) || alike(2));
    let pass = lanes_of_a_pass(what.element) * if merged { 2 } else { 1 };
    let mut sum = 0;
    for lanes in lanes.chunks(pass) {
        let mut banks: HashMap<u64, HashSet<u64>> = HashMap::new();
        for address in lanes.iter().flatten() {
            for byte in *address..address + u64::from(what.element) {
                banks.entry(byte / 4 % BANKS).or_default().insert(byte / 4);
            }
        }
        sum += banks.values().map(HashSet::len).max().unwrap_or(0) as u64;
    }
    sum
}

/// The least that lanes at other addresses could cost, with as many distinct ones: one wavefront for each pass that has
/// an active lane, and passes merge where the lanes could share addresses in pairs.
fn fewest_wavefronts(lanes: &[Option<u64>], what: What) -> u64 {
    let distinct = lanes.iter().flatten().collect::<HashSet<_>>().len();
    let pairs = |distance: usize| {
        let pair = |(t, lane): (usize, &Option<u64>)| lane.map(|_| t.min(t ^ distance));
        lanes.iter().enumerate().filter_map(pair).collect::<BTreeSet<_>>().len()
    };
    let merged = may_merge(lanes, what) && distinct <= pairs(1).max(pairs(2));
    let pass = lanes_of_a_pass(what.element) * if merged { 2 } else { 1 };
    lanes.chunks(pass).filter(|lanes| lanes.iter().any(Option::is_some)).count() as u64
}
