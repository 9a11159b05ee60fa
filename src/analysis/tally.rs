//! The observer of an analysis: counts under the first model, and keeps what the causes are told from.

use std::collections::BTreeMap;

use super::form::{Shape, shape};
use crate::memory_model::MemoryModel;
use crate::predict::{CountedRequest, Counter};
use crate::record::prediction::LineWarning;
use crate::trace::{Access, AccessKind, Observer, Site, Strayed};

/// Shapes that are told apart at one access; what has more is named by the worst of these.
const MOST_SHAPES: usize = 64;

/// Counts, and remembers the shapes of requests.
pub(super) struct Tally {
    pub(super) counter: Counter,
    pub(super) sites: Vec<SiteTally>,
    facts: Facts,
    /// Where the first active lane of each subgroup was last in each variable.
    trails: BTreeMap<(u32, usize), Trail>,
}

/// What shapes are told by.
#[derive(Debug, Clone, Copy)]
struct Facts {
    sector_bytes: u32,
    subgroup: u32,
    workgroup_size: [u32; 3],
}

/// What is known of the requests of one site.
pub(super) struct SiteTally {
    pub(super) site: Site,
    pub(super) shapes: Vec<(Shape, Weight)>,
    pub(super) requests: u64,
    /// Lanes that took part, and lanes that the subgroups have.
    pub(super) active: u64,
    pub(super) lanes: u64,
    /// Requests that begin or continue a lane's walk through neighbouring elements.
    pub(super) walks: u64,
    /// Of the last access: its requests, and how many of them walk.
    recent: Recent,
    /// The last request and its shape: most requests are like the one before.
    last: Option<Last>,
    /// Lanes that asked for an address outside the variable.
    out_of_range: u64,
    /// The first of them.
    first_strayed: Option<Strayed>,
}

/// How much of a site has a shape.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weight {
    pub(super) requests: u64,
    pub(super) cost: u64,
    pub(super) ideal: u64,
}

/// What the requests of one access did.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    requests: u64,
    walks: u64,
}

/// A request, and the place of its shape.
struct Last {
    addresses: Vec<u32>,
    active: u128,
    first_lane: usize,
    place: usize,
}

impl Last {
    /// Whether a request is this one moved by whole sectors: then it has the same shape.
    fn fits(&self, request: &CountedRequest<'_>, facts: Facts) -> bool {
        let anchor = request.active.trailing_zeros() as usize;
        let (Some(old), Some(new)) = (self.addresses.get(anchor), request.addresses.get(anchor)) else { return false };
        let moved = new.wrapping_sub(*old);
        // Rows of the workgroup begin at other lanes of other subgroups.
        self.active == request.active
            && (self.first_lane == request.first_lane || facts.workgroup_size[1] * facts.workgroup_size[2] == 1)
            && moved.is_multiple_of(facts.sector_bytes)
            && self.addresses.len() == request.addresses.len()
            && self.addresses.iter().zip(request.addresses).enumerate().fold(true, |fits, (t, (old, new))| {
                fits & ((new.wrapping_sub(*old) == moved) | (request.active >> t & 1 == 0))
            })
    }
}

struct Trail {
    lane: usize,
    address: u32,
    site: usize,
    /// Whether its own step was counted as part of a walk.
    counted: bool,
}

impl Weight {
    /// What is paid beyond the ideal.
    pub(super) const fn excess(&self) -> u64 {
        self.cost.saturating_sub(self.ideal)
    }
}

impl Tally {
    pub(super) fn new(model: &MemoryModel, size: [u32; 3]) -> Self {
        Self {
            counter: Counter::new(model),
            sites: Vec::new(),
            facts: Facts {
                sector_bytes: model.sector_bytes.value,
                subgroup: model.subgroup.value,
                workgroup_size: size,
            },
            trails: BTreeMap::new(),
        }
    }
}

impl SiteTally {
    /// The shape that costs most beyond the ideal, and among equals the most frequent one.
    pub(super) fn leading(&self) -> Option<&(Shape, Weight)> {
        self.shapes.iter().max_by_key(|(_, weight)| (weight.excess(), weight.requests))
    }

    /// A warning where lanes asked for what is outside the variable.
    pub(super) fn out_of_range(&self) -> Option<LineWarning> {
        let (count, name) = (self.out_of_range, &self.site.name);
        let first = self.first_strayed.map_or_else(String::new, |Strayed { lane, index }| {
            let index = index.map_or_else(String::new, |index| format!(", index {index}"));
            format!(" (first: lane {lane}{index})")
        });
        let access = match self.site.kind {
            AccessKind::Load => "loads of",
            AccessKind::Store => "stores to",
            AccessKind::Atomic => "atomics on",
        };
        (count > 0).then(|| LineWarning {
            code: "out_of_range".to_owned(),
            line: Some(self.site.position.line),
            text: format!(
                "{count} {access} {name} asked for an element outside it{first}; they were moved to its last element, as \
                 WGSL's safe mode does: guard the index, or give {name} its real size"
            ),
        })
    }

    /// The place of a request's shape.
    fn place(&mut self, request: &CountedRequest<'_>, facts: Facts) -> usize {
        let shape = shape(request, self.site.element_bytes, facts.sector_bytes, facts.workgroup_size);
        let known = self.shapes.iter().position(|(other, _)| *other == shape);
        let place = match known {
            Some(place) => place,
            None if self.shapes.len() < MOST_SHAPES => {
                self.shapes.push((shape, Weight::default()));
                self.shapes.len() - 1
            }
            None => MOST_SHAPES - 1,
        };
        self.last = Some(Last {
            addresses: request.addresses.to_vec(),
            active: request.active,
            first_lane: request.first_lane,
            place,
        });
        place
    }

    /// One request more that begins or continues a walk.
    const fn walk(&mut self) {
        self.walks += 1;
        self.recent.walks += 1;
    }

    /// Adds so many requests that are alike.
    fn add(&mut self, request: &CountedRequest<'_>, alike: u64, facts: Facts) {
        let place = match &self.last {
            Some(last) if last.fits(request, facts) => last.place,
            _ => self.place(request, facts),
        };
        let weight = &mut self.shapes[place].1;
        weight.requests += alike;
        weight.cost += request.cost * alike;
        weight.ideal += request.ideal * alike;
        self.requests += alike;
        self.active += u64::from(request.active.count_ones()) * alike;
        self.lanes += u64::from(facts.subgroup) * alike;
    }
}

impl Observer for Tally {
    fn site(&mut self, site: &Site) {
        self.counter.site(site);
        self.sites.push(SiteTally {
            site: site.clone(),
            shapes: Vec::new(),
            requests: 0,
            active: 0,
            lanes: 0,
            walks: 0,
            recent: Recent::default(),
            last: None,
            out_of_range: 0,
            first_strayed: None,
        });
    }

    fn workgroup(&mut self, id: [u32; 3]) {
        self.counter.workgroup(id);
        self.trails.clear();
    }

    fn access(&mut self, access: &Access<'_>) {
        let number = access.site as usize;
        let Self { counter, sites, facts, trails } = self;
        if let Some(tally) = sites.get_mut(number) {
            tally.recent = Recent::default();
            if access.out_of_range > 0 {
                tally.out_of_range += u64::from(access.out_of_range);
                tally.first_strayed = tally.first_strayed.or(access.first_strayed);
            }
        }
        counter.count(access, |request| {
            let Some(tally) = sites.get_mut(number) else { return };
            tally.add(request, 1, *facts);
            tally.recent.requests += 1;
            if access.kind == AccessKind::Atomic {
                return;
            }
            let lane = request.active.trailing_zeros() as usize;
            let Some(address) = request.addresses.get(lane).copied() else { return };
            let mut counted = false;
            if let Some(trail) = trails.get(&(access.variable, request.first_lane))
                && trail.lane == lane
                && address.abs_diff(trail.address) == access.element_bytes
            {
                tally.walk();
                counted = true;
                if !trail.counted
                    && let Some(before) = sites.get_mut(trail.site)
                {
                    before.walk();
                }
            }
            trails.insert((access.variable, request.first_lane), Trail { lane, address, site: number, counted });
        });
    }

    /// Turns of a loop that are told at once walk as the last one that was executed did: their steps are those of it.
    fn repeat(&mut self, access: &Access<'_>, steps: &[u32], times: u64) {
        let Self { counter, sites, facts, .. } = self;
        let Some(tally) = sites.get_mut(access.site as usize) else { return };
        tally.out_of_range += u64::from(access.out_of_range) * times;
        let before = tally.requests;
        counter.count_repeated(access, steps, times, |request, alike| tally.add(request, alike, *facts));
        tally.walks += (tally.requests - before) * tally.recent.walks / tally.recent.requests.max(1);
    }
}
