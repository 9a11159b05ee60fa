//! The observer that counts: cuts every access into requests of the model's subgroups and adds up what they cost.

use std::collections::BTreeMap;

use super::granules::GranuleSet;
use super::prediction::Prediction;
use super::sectors::{MAX_SUBGROUP, Request};
use super::traffic;
use super::wavefronts::Passes;
use crate::memory_model::{Banks, LanesPerRequest, MemoryModel};
use crate::record::prediction::FirstRequest;
use crate::trace::{Access, AccessKind, LaneMask, MAX_LANES, Observer, Site, Space};

/// What the counter cannot see in a sample of workgroups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Workgroups of the whole dispatch; where it is less than what was traced, the traced ones are the dispatch.
    pub total_workgroups: u64,
    /// Size in bytes of each storage buffer, by the name of its variable: a dispatch cannot fetch more than that.
    pub buffer_bytes: BTreeMap<String, u64>,
}

/// Counts an execution under one memory model. Its memory follows the memory touched (at most one bit a granule for each
/// access of the text), never the number of accesses.
#[derive(Debug, Clone)]
pub struct Counter {
    pub(super) model: MemoryModel,
    pub(super) rules: Rules,
    pub(super) sites: Vec<SiteCount>,
    pub(super) workgroups: u64,
    pub(super) blocks: u64,
    pub(super) scratch: Scratch,
    /// Bounding box of the block that is being traced: least and greatest workgroup id.
    block: Option<([u32; 3], [u32; 3])>,
}

/// Room for one request, kept so that no request has to clear it.
#[derive(Debug, Clone)]
pub(super) struct Scratch {
    packed: [u32; MAX_SUBGROUP],
    sorted: [u32; MAX_SUBGROUP],
    /// For a group of lanes of a request that still uses the others.
    group: [u32; MAX_SUBGROUP],
    group_sorted: [u32; MAX_SUBGROUP],
    words: Vec<u32>,
}

impl Scratch {
    const fn new() -> Self {
        const EMPTY: [u32; MAX_SUBGROUP] = [0; MAX_SUBGROUP];
        Self { packed: EMPTY, sorted: EMPTY, group: EMPTY, group_sorted: EMPTY, words: Vec::new() }
    }
}

/// The model, in the form that the inner loop uses.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) width: usize,
    /// Logarithms of sizes in bytes.
    pub(super) sector_shift: u32,
    pub(super) fetch_low_shift: u32,
    pub(super) fetch_high_shift: u32,
    /// The finest of them: granules of this size are remembered.
    pub(super) touched_shift: u32,
    groups: Option<LanesPerRequest>,
    pub(super) banks: Option<Banks>,
}

/// Sums over the requests of one site.
#[derive(Debug, Clone)]
pub(super) struct SiteCount {
    pub(super) site: Site,
    pub(super) requests: u64,
    /// How many of them were told at once, by the turns of a loop.
    pub(super) extrapolated_requests: u64,
    pub(super) active_lanes: u64,
    pub(super) useful_bytes: u64,
    pub(super) sectors: u64,
    pub(super) ideal_sectors: u64,
    /// Distinct granules of the largest possible size, of each request.
    pub(super) fetches: u64,
    pub(super) wavefronts: u64,
    pub(super) ideal_wavefronts: u64,
    pub(super) out_of_range: u64,
    pub(super) first_request: Option<FirstRequest>,
    /// Granules of all requests.
    pub(super) touched: GranuleSet,
    banks: Option<BankMemo>,
}

impl Rules {
    fn new(model: &MemoryModel) -> Self {
        let shift = |bytes: u32| bytes.max(1).ilog2();
        let (sector_shift, fetch_low_shift) = (shift(model.sector_bytes.value), shift(model.fetch_bytes.low));
        Self {
            // Every model has a power of two; a hand-made one is cut down to it.
            width: (1 << shift(model.subgroup.value)).min(MAX_SUBGROUP),
            sector_shift,
            fetch_low_shift,
            fetch_high_shift: shift(model.fetch_bytes.high),
            touched_shift: sector_shift.min(fetch_low_shift),
            groups: model.lanes_per_request,
            banks: model.banks.clone(),
        }
    }

    /// Distinct sectors that each group of lanes asks for, added over the groups; for load units that look at groups.
    fn sectors_by_group(
        &self,
        groups: LanesPerRequest,
        lanes: &[u32],
        active: u128,
        element: u32,
        scratch: &mut Scratch,
    ) -> u64 {
        let size = groups.lanes(element).clamp(1, 64) as usize;
        let mut total = 0;
        for (k, lanes) in lanes.chunks(size).enumerate() {
            let active = active >> (k * size) & (u128::MAX >> (128 - lanes.len()));
            if active != 0 {
                let lanes = pack(lanes, active, &mut scratch.group);
                total += Request::new(lanes, element, &mut scratch.group_sorted).granules(self.sector_shift);
            }
        }
        total
    }
}

impl Counter {
    /// A counter under this model.
    #[must_use]
    pub fn new(model: &MemoryModel) -> Self {
        Self {
            model: model.clone(),
            rules: Rules::new(model),
            scratch: Scratch::new(),
            sites: Vec::new(),
            workgroups: 0,
            blocks: 0,
            block: None,
        }
    }

    /// The result.
    #[must_use]
    pub fn finish(self, scope: &Scope) -> Prediction {
        traffic::summarise(&self, scope)
    }
}

impl Observer for Counter {
    fn site(&mut self, site: &Site) {
        self.sites.push(SiteCount::new(site));
    }

    /// Workgroups that touch the block traced so far belong to it; another one begins a new block.
    fn workgroup(&mut self, id: [u32; 3]) {
        self.workgroups += 1;
        let touches = self.block.is_some_and(|(low, high)| {
            (0..3).all(|k| id[k] >= low[k].saturating_sub(1) && id[k] <= high[k].saturating_add(1))
        });
        self.block = match self.block {
            Some((low, high)) if touches => {
                Some((std::array::from_fn(|k| low[k].min(id[k])), std::array::from_fn(|k| high[k].max(id[k]))))
            }
            _ => {
                self.blocks += 1;
                Some((id, id))
            }
        };
    }

    fn access(&mut self, access: &Access<'_>) {
        self.count(access, |_| {});
    }

    fn repeat(&mut self, access: &Access<'_>, steps: &[u32], times: u64) {
        self.count_repeated(access, steps, times, |_, _| {});
    }
}

/// What one request costs, as the counter has added it up.
#[derive(Debug, Clone, Copy)]
pub struct CountedRequest<'a> {
    /// The addresses of the subgroup's lanes; entries of inactive lanes mean nothing.
    pub addresses: &'a [u32],
    /// Its first lane, by linear local index.
    pub first_lane: usize,
    /// The active lanes, the first one in bit 0.
    pub active: u128,
    /// Sectors, or passes over the banks in workgroup memory.
    pub cost: u64,
    /// The fewest these could be.
    pub ideal: u64,
}

impl Counter {
    /// Counts an access and tells of each of its requests.
    pub fn count(&mut self, access: &Access<'_>, mut visit: impl FnMut(&CountedRequest<'_>)) {
        let Some(count) = self.sites.get_mut(access.site as usize) else {
            return;
        };
        count.out_of_range += u64::from(access.out_of_range);
        let lanes = &access.addresses[..access.addresses.len().min(MAX_LANES)];
        for (k, lanes) in lanes.chunks(self.rules.width).enumerate() {
            let active = active_of(&access.active, k * self.rules.width, lanes.len());
            if active != 0 {
                let [cost, ideal] = count.request(&self.rules, &mut self.scratch, access, lanes, active);
                visit(&CountedRequest { addresses: lanes, first_lane: k * self.rules.width, active, cost, ideal });
            }
        }
    }
}

impl SiteCount {
    fn new(site: &Site) -> Self {
        Self {
            site: site.clone(),
            requests: 0,
            extrapolated_requests: 0,
            active_lanes: 0,
            useful_bytes: 0,
            sectors: 0,
            ideal_sectors: 0,
            fetches: 0,
            wavefronts: 0,
            ideal_wavefronts: 0,
            out_of_range: 0,
            first_request: None,
            touched: GranuleSet::default(),
            banks: None,
        }
    }

    /// One request of an access: what it costs, and the least that it could.
    pub(super) fn request(
        &mut self,
        rules: &Rules,
        scratch: &mut Scratch,
        access: &Access<'_>,
        lanes: &[u32],
        active: u128,
    ) -> [u64; 2] {
        self.requests += 1;
        self.active_lanes += u64::from(active.count_ones());
        if access.space == Space::Workgroup {
            self.banks_request(rules, scratch, access, lanes, active)
        } else {
            self.memory_request(rules, scratch, access, lanes, active)
        }
    }

    fn memory_request(
        &mut self,
        rules: &Rules,
        scratch: &mut Scratch,
        access: &Access<'_>,
        lanes: &[u32],
        active: u128,
    ) -> [u64; 2] {
        let element = access.element_bytes.max(1);
        let by_group = rules.groups.map(|groups| rules.sectors_by_group(groups, lanes, active, element, scratch));
        let request = Request::new(pack(lanes, active, &mut scratch.packed), element, &mut scratch.sorted);
        let useful = request.bytes();
        let whole = request.granules(rules.sector_shift);
        let sectors = by_group.unwrap_or(whole);
        self.useful_bytes += useful;
        self.sectors += sectors;
        let ideal = (useful + (1 << rules.sector_shift) - 1) >> rules.sector_shift;
        self.ideal_sectors += ideal;
        self.fetches += match rules.fetch_high_shift {
            shift if shift == rules.sector_shift => whole,
            shift => request.granules(shift),
        };
        request.touch(rules.touched_shift, &mut self.touched);
        self.first_request.get_or_insert(FirstRequest {
            active_lanes: active.count_ones(),
            sectors: Some(sectors),
            wavefronts: None,
        });
        [sectors, ideal]
    }

    fn banks_request(
        &mut self,
        rules: &Rules,
        scratch: &mut Scratch,
        access: &Access<'_>,
        lanes: &[u32],
        active: u128,
    ) -> [u64; 2] {
        let element = access.element_bytes.max(1);
        if !self.banks.as_ref().is_some_and(|memo| memo.fits(lanes, active)) {
            let load = access.kind == AccessKind::Load;
            self.banks = Some(BankMemo::new(rules.banks.as_ref(), scratch, lanes, active, element, load));
        }
        let Some(memo) = &self.banks else {
            return [0; 2];
        };
        self.useful_bytes += memo.useful_bytes;
        self.wavefronts += memo.wavefronts;
        self.ideal_wavefronts += memo.ideal_wavefronts;
        self.first_request.get_or_insert(FirstRequest {
            active_lanes: active.count_ones(),
            sectors: None,
            wavefronts: rules.banks.as_ref().map(|_| memo.wavefronts),
        });
        [memo.wavefronts, memo.ideal_wavefronts]
    }
}

/// The costs of the last request to workgroup memory at a site: they hold for all requests of the same form, since
/// moving all addresses by whole bank words only turns the banks.
#[derive(Debug, Clone)]
struct BankMemo {
    active: u128,
    /// Addresses relative to the first lane's, and 0 for inactive lanes.
    form: Vec<u32>,
    /// The first active lane, and its address within a bank word.
    anchor: usize,
    remainder: u32,
    bank_bytes: u32,
    useful_bytes: u64,
    wavefronts: u64,
    ideal_wavefronts: u64,
}

impl BankMemo {
    fn new(
        banks: Option<&Banks>,
        scratch: &mut Scratch,
        lanes: &[u32],
        active: u128,
        element: u32,
        load: bool,
    ) -> Self {
        let anchor = active.trailing_zeros() as usize;
        let base = lanes.get(anchor).copied().unwrap_or(0);
        let useful_bytes = Request::new(pack(lanes, active, &mut scratch.packed), element, &mut scratch.sorted).bytes();
        let bank_bytes = banks.map_or(1, |banks| banks.bytes.max(1));
        let (wavefronts, ideal_wavefronts) = banks.map_or((0, 0), |banks| {
            let passes = Passes::new(banks, element, load);
            let distinct = useful_bytes.div_ceil(element.into());
            (passes.wavefronts(lanes, active, element, &mut scratch.words), passes.ideal(active, lanes.len(), distinct))
        });
        Self {
            active,
            form: lanes.iter().map(|address| address.wrapping_sub(base)).collect(),
            anchor,
            remainder: base % bank_bytes,
            bank_bytes,
            useful_bytes,
            wavefronts,
            ideal_wavefronts,
        }
    }

    fn fits(&self, lanes: &[u32], active: u128) -> bool {
        let base = lanes.get(self.anchor).copied().unwrap_or(0);
        self.active == active
            && self.form.len() == lanes.len()
            && base % self.bank_bytes == self.remainder
            && self.form.iter().zip(lanes).enumerate().fold(true, |fits, (t, (form, address))| {
                fits & ((address.wrapping_sub(base) == *form) | (active >> t & 1 == 0))
            })
    }
}

/// The active lanes among `lanes` (at most 128) from lane `start` on, lane `start` in bit 0.
pub(super) fn active_of(active: &LaneMask, start: usize, lanes: usize) -> u128 {
    let word = |k: usize| u128::from(active.words().get(k).copied().unwrap_or(0));
    let (k, shift) = (start / 64, start % 64);
    // `start` is a multiple of the width, a power of two up to 128, so either shift is 0 or all lanes lie in one word.
    let bits = (word(k) | word(k + 1) << 64) >> shift;
    bits & (u128::MAX >> (128 - lanes.clamp(1, MAX_SUBGROUP)))
}

/// The addresses of the active lanes; `packed` is used where some lane is not.
fn pack<'a>(lanes: &'a [u32], active: u128, packed: &'a mut [u32; MAX_SUBGROUP]) -> &'a [u32] {
    if active.count_ones() as usize == lanes.len() {
        return lanes;
    }
    let mut count = 0;
    for (t, address) in lanes.iter().enumerate().take(MAX_SUBGROUP) {
        packed[count] = *address;
        count += (active >> t & 1) as usize;
    }
    &packed[..count]
}

/// Two observers that hear the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Observer, B: Observer> Observer for Both<A, B> {
    fn site(&mut self, site: &Site) {
        self.0.site(site);
        self.1.site(site);
    }

    fn workgroup(&mut self, id: [u32; 3]) {
        self.0.workgroup(id);
        self.1.workgroup(id);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.0.access(access);
        self.1.access(access);
    }

    fn repeat(&mut self, access: &Access<'_>, steps: &[u32], times: u64) {
        self.0.repeat(access, steps, times);
        self.1.repeat(access, steps, times);
    }
}
