//! The loads of one subgroup one below the other, over the same sectors: what each instruction takes of them. Drawn from
//! what the interpreter traced.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::forecast::TracedRequest;

use super::scene::{Align, Fill, PartId, Role, Scene};

/// Room for the lanes' numbers.
const NUMBERS: f32 = 15.0;
/// Where the lanes end.
const LANE_END: f32 = NUMBERS + 20.0;
const TIE_HEIGHT: f32 = 34.0;
const FIRST_STRIP: f32 = LANE_END + TIE_HEIGHT;
const STRIP_HEIGHT: f32 = 26.0;
/// From one strip to the next.
const STRIP_PITCH: f32 = STRIP_HEIGHT + 7.0;
/// Room for the name of a load.
const NAMES: f32 = 58.0;
/// Room for its sectors.
const COUNTS: f32 = 78.0;
/// Room for addresses below.
const ADDRESSES: f32 = 24.0;
const LETTERS: f32 = 14.0;
/// Between two sectors.
const SEAM: f32 = 2.0;

/// The picture of some requests that together fetch the same bytes, so wide, with room for so many.
#[must_use]
pub fn scene(requests: &[TracedRequest], room: usize, width: f32) -> Scene {
    let height = FIRST_STRIP + requests.len().max(room) as f32 * STRIP_PITCH + ADDRESSES;
    let mut scene = Scene { size: [width, height], description: describe(requests), ..Scene::default() };
    let Some(first) = requests.first() else { return scene };
    let strip = Strip::new(requests, width);
    let lanes = lanes(&mut scene, first, requests, width);
    for (k, request) in requests.iter().enumerate() {
        let top = FIRST_STRIP + k as f32 * STRIP_PITCH;
        let sectors = load(&mut scene, &strip, request, k, top, &lanes);
        if k == 0 {
            ties(&mut scene, &strip, request, &lanes, &sectors);
        }
    }
    addresses(&mut scene, &strip, FIRST_STRIP + requests.len() as f32 * STRIP_PITCH);
    scene
}

/// Sectors an instruction, in words.
#[must_use]
pub fn describe(requests: &[TracedRequest]) -> String {
    let each = requests.iter().enumerate().map(|(k, request)| {
        let bill = &request.bill;
        format!(
            "Load {}: {} lanes ask for {} bytes each and touch {} sectors of {} bytes, where {} could do.",
            k + 1,
            bill.lanes,
            request.site.element_bytes,
            bill.sectors,
            bill.sector_bytes,
            bill.ideal_sectors
        )
    });
    each.collect::<Vec<_>>().join(" ")
}

/// The row of sectors that all loads share.
struct Strip {
    sector_bytes: u64,
    /// Place of each sector in the row.
    places: BTreeMap<u64, usize>,
    left: f32,
    pitch: f32,
}

impl Strip {
    fn new(requests: &[TracedRequest], width: f32) -> Self {
        let sector_bytes = requests.first().map_or(1, |request| u64::from(request.bill.sector_bytes.max(1)));
        let touched: BTreeSet<u64> = requests.iter().flat_map(|request| sectors(request, sector_bytes)).collect();
        let places: BTreeMap<u64, usize> = touched.into_iter().enumerate().map(|(k, sector)| (sector, k)).collect();
        let pitch = (width - NAMES - COUNTS).max(40.0) / places.len().max(1) as f32;
        Self { sector_bytes, places, left: NAMES, pitch }
    }

    fn sector_left(&self, sector: u64) -> f32 {
        self.left + self.places.get(&sector).copied().unwrap_or_default() as f32 * self.pitch
    }

    /// Left edge and width of some bytes.
    fn bytes(&self, address: u64, bytes: u32) -> (f32, f32) {
        let byte = (self.pitch - SEAM) / self.sector_bytes as f32;
        let left = self.sector_left(address / self.sector_bytes) + (address % self.sector_bytes) as f32 * byte;
        (left, bytes as f32 * byte)
    }
}

fn sectors(request: &TracedRequest, sector_bytes: u64) -> BTreeSet<u64> {
    let of = |address: u32, bytes: u32| {
        let first = u64::from(address);
        first / sector_bytes..=(first + u64::from(bytes.max(1)) - 1) / sector_bytes
    };
    request.lanes.iter().flat_map(|lane| of(lane.address, lane.bytes)).collect()
}

/// Distinct sectors of all requests together.
#[must_use]
pub fn distinct_sectors(requests: &[TracedRequest]) -> usize {
    let sector_bytes = requests.first().map_or(1, |request| u64::from(request.bill.sector_bytes.max(1)));
    requests.iter().flat_map(|request| sectors(request, sector_bytes)).collect::<BTreeSet<_>>().len()
}

fn lane_pitch(request: &TracedRequest, width: f32) -> f32 {
    (width - NAMES - COUNTS).max(40.0) / request.subgroup_lanes.max(1) as f32
}

fn lane_left(lane: u32, request: &TracedRequest, width: f32) -> f32 {
    NAMES + lane as f32 * lane_pitch(request, width)
}

fn lanes(scene: &mut Scene, first: &TracedRequest, requests: &[TracedRequest], width: f32) -> BTreeMap<u32, PartId> {
    let pitch = lane_pitch(first, width);
    scene.text([0.0, NUMBERS + 10.0], LETTERS, Align::Left, Role::Weak, "lanes");
    let mut parts = BTreeMap::new();
    for lane in 0..first.subgroup_lanes {
        let part = scene.part(lane_tip(lane, requests));
        let role = if lane == 0 { Role::Accent } else { Role::Weak };
        let at = lane_left(lane, first, width);
        let size = [(pitch - 1.5).max(1.0), LANE_END - NUMBERS];
        scene.rect([at, NUMBERS], size, Fill::Soft, role, &[part]);
        // Every number where there is room, else every eighth.
        if pitch >= 19.0 || (lane % 8 == 0 && pitch * 8.0 >= 24.0) {
            let at = [at + (pitch - 1.5) / 2.0, NUMBERS / 2.0];
            scene.text(at, 12.0, Align::Centre, Role::Text, lane.to_string());
        }
        parts.insert(lane, part);
    }
    parts
}

fn lane_tip(lane: u32, requests: &[TracedRequest]) -> String {
    let each = requests.iter().enumerate().filter_map(|(k, request)| {
        let access = request.lanes.iter().find(|access| access.lane == lane)?;
        let last = u64::from(access.address) + u64::from(access.bytes) - 1;
        Some(format!("load {}: bytes {} to {last}", k + 1, access.address))
    });
    format!("Lane {lane}, {}", each.collect::<Vec<_>>().join("; "))
}

/// One instruction: the sectors that it touches, and which bytes of them it takes.
fn load(
    scene: &mut Scene,
    strip: &Strip,
    request: &TracedRequest,
    number: usize,
    top: f32,
    lanes: &BTreeMap<u32, PartId>,
) -> BTreeMap<u64, PartId> {
    let middle = top + STRIP_HEIGHT / 2.0;
    scene.text([0.0, middle], LETTERS, Align::Left, Role::Text, format!("load {}", number + 1));
    let touched = sectors(request, strip.sector_bytes);
    let role = Role::Excess(request.bill.excess());
    let mut parts = BTreeMap::new();
    for sector in strip.places.keys() {
        let (from, to) = (sector * strip.sector_bytes, (sector + 1) * strip.sector_bytes - 1);
        let takes = touched.contains(sector);
        let verb = if takes { "requests" } else { "does not touch" };
        let part = scene.part(format!("Load {} {verb} sector {sector}, bytes {from} to {to}.", number + 1));
        let (fill, role) = if takes { (Fill::Soft, role) } else { (Fill::Outline, Role::Faint) };
        let size = [(strip.pitch - SEAM).max(1.0), STRIP_HEIGHT];
        scene.rect([strip.sector_left(*sector), top], size, fill, role, &[part]);
        parts.insert(*sector, part);
    }
    for lane in &request.lanes {
        let Some(part) = lanes.get(&lane.lane) else { continue };
        let (left, width) = strip.bytes(u64::from(lane.address), lane.bytes);
        let seam = if width > 4.0 { 1.0 } else { 0.0 };
        let role = if lane.lane == 0 { Role::Accent } else { role };
        let size = [(width - seam).max(1.0), STRIP_HEIGHT - 8.0];
        scene.rect([left, top + 4.0], size, Fill::Solid, role, &[*part]);
        if let Some(sector) = parts.get(&(u64::from(lane.address) / strip.sector_bytes)) {
            scene.link(*part, *sector);
        }
    }
    let sectors = request.bill.sectors;
    let text = if sectors == 1 { "1 sector".to_owned() } else { format!("{sectors} sectors") };
    scene.text([scene.size[0], middle], LETTERS, Align::Right, Role::Text, text);
    parts
}

/// Each lane tied to what its first load takes.
fn ties(
    scene: &mut Scene,
    strip: &Strip,
    request: &TracedRequest,
    lanes: &BTreeMap<u32, PartId>,
    sectors: &BTreeMap<u64, PartId>,
) {
    let width = scene.size[0];
    for lane in &request.lanes {
        let sector = u64::from(lane.address) / strip.sector_bytes;
        let Some((lane_part, sector_part)) = lanes.get(&lane.lane).zip(sectors.get(&sector)) else { continue };
        let (left, bytes) = strip.bytes(u64::from(lane.address), lane.bytes);
        let from = [lane_left(lane.lane, request, width) + lane_pitch(request, width) / 2.0, LANE_END];
        let role = if lane.lane == 0 { Role::Accent } else { Role::Weak };
        scene.line(from, [left + bytes / 2.0, FIRST_STRIP], 1.0, role, &[*lane_part, *sector_part]);
    }
}

/// Where the row begins and ends.
fn addresses(scene: &mut Scene, strip: &Strip, top: f32) {
    let ends = strip.places.keys().next().zip(strip.places.keys().next_back());
    if let Some((first, last)) = ends {
        let y = top + ADDRESSES / 2.0 - 2.0;
        let text = format!("byte {}", first * strip.sector_bytes);
        scene.text([strip.left, y], 13.0, Align::Left, Role::Weak, text);
        let (right, text) = (strip.sector_left(*last) + strip.pitch, (last + 1) * strip.sector_bytes - 1);
        scene.text([right, y], 13.0, Align::Right, Role::Weak, text.to_string());
    }
}
