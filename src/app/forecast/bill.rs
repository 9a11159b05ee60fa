//! The bill of one request: what was asked for, what was requested, what comes from memory.

use crate::memory_model::MemoryModel;
use crate::predict::{Counter, Scope};
use crate::trace::{Access, LaneMask, MAX_LANES, Observer as _, Site};
use crate::units::format_tenths;

use super::workgroup::LaneAccess;

/// What one request costs under a memory model, by the same counter that predictions use.
#[derive(Debug, Clone, PartialEq)]
pub struct Bill {
    /// Lanes that take part.
    pub lanes: u32,
    /// Active lanes x element size.
    pub asked_bytes: u64,
    /// Distinct bytes of them.
    pub useful_bytes: u64,
    /// Sectors.
    pub sectors: u64,
    /// The fewest that could hold the useful bytes.
    pub ideal_sectors: u64,
    /// Bytes of a sector.
    pub sector_bytes: u32,
    /// Fetch granules, where each has the smallest and where each has the largest size that the model allows.
    pub granules: [u64; 2],
    /// Those sizes in bytes.
    pub granule_bytes: [u32; 2],
}

impl Bill {
    pub(super) fn of(site: &Site, lanes: &[LaneAccess], model: &MemoryModel) -> Self {
        let granules = |fetch_bytes: u32| {
            let mut model = model.clone();
            (model.sector_bytes.value, model.lanes_per_request) = (fetch_bytes, None);
            count(site, lanes, &model).sectors
        };
        let granule_bytes = [model.fetch_bytes.low, model.fetch_bytes.high];
        let totals = count(site, lanes, model);
        Self {
            lanes: u32::try_from(lanes.len()).unwrap_or(u32::MAX),
            asked_bytes: totals.requested_bytes,
            useful_bytes: totals.useful_bytes,
            sectors: totals.sectors,
            ideal_sectors: totals.ideal_sectors,
            sector_bytes: model.sector_bytes.value,
            granules: granule_bytes.map(granules),
            granule_bytes,
        }
    }

    /// Sectors x their size.
    #[must_use]
    pub const fn requested_bytes(&self) -> u64 {
        self.sectors * self.sector_bytes as u64
    }

    /// Bytes that come from memory where nothing is cached: least and most.
    #[must_use]
    pub fn memory_bytes(&self) -> [u64; 2] {
        let bytes: [u64; 2] = std::array::from_fn(|k| self.granules[k] * u64::from(self.granule_bytes[k]));
        [bytes[0].min(bytes[1]), bytes[0].max(bytes[1])]
    }

    /// Sectors over the fewest possible: 1 is perfect.
    #[must_use]
    pub fn excess(&self) -> f64 {
        self.sectors as f64 / self.ideal_sectors.max(1) as f64
    }

    /// The bill in words: `Asked 128 B · 4 sectors = 128 B · 100 % used`, and with a granule larger than a sector
    /// `Asked 128 B · requested 32 sectors = 1024 B · from memory 32 x 64 B = 2048 B (6.3 % used)`.
    #[must_use]
    pub fn text(&self) -> String {
        let used = |bytes: u64| format_tenths(self.useful_bytes as f64 / bytes as f64);
        let (asked, requested) = (self.asked_bytes, self.requested_bytes());
        let sectors =
            format!("{} {} = {requested} B", self.sectors, if self.sectors == 1 { "sector" } else { "sectors" });
        let [least, most] = self.memory_bytes();
        if least == requested && most == requested {
            return format!("Asked {asked} B · {sectors} · {} % used", used(requested));
        }
        let memory = if least == most {
            let (count, bytes) = (self.granules[0], self.granule_bytes[0]);
            format!("from memory {count} x {bytes} B = {least} B ({} % used)", used(least))
        } else {
            format!("from memory {least} to {most} B ({} to {} % used)", used(most), used(least))
        };
        format!("Asked {asked} B · requested {sectors} · {memory}")
    }
}

fn count(site: &Site, lanes: &[LaneAccess], model: &MemoryModel) -> crate::predict::Totals {
    let mut counter = Counter::new(model);
    let mut active = LaneMask::EMPTY;
    let mut addresses = [0u32; MAX_LANES];
    for lane in lanes.iter().filter(|lane| (lane.lane as usize) < MAX_LANES) {
        active.insert(lane.lane as usize);
        addresses[lane.lane as usize] = lane.address;
    }
    let last = lanes.iter().map(|lane| lane.lane as usize + 1).max().unwrap_or(1).min(MAX_LANES);
    counter.site(site);
    counter.workgroup([0; 3]);
    counter.access(&Access {
        site: 0,
        element_bytes: site.element_bytes,
        space: site.space,
        variable: site.variable,
        kind: site.kind,
        addresses: &addresses[..last],
        active,
        out_of_range: 0,
        first_strayed: None,
    });
    counter.finish(&Scope { total_workgroups: 1, ..Scope::default() }).totals
}
