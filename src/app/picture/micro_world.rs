//! The micro-world: the lanes of one subgroup above the sectors of the memory that they touch, each lane tied to its
//! bytes. Drawn from what the interpreter traced, never from a formula.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::forecast::{Bill, LaneAccess, TracedRequest};
use crate::memory_model::MemoryModel;

use super::scene::{Align, Fill, PartId, Role, Scene};

const LANE_TOP: f32 = 22.0;
const LANE_HEIGHT: f32 = 28.0;
const TIE_HEIGHT: f32 = 64.0;
const SECTOR_HEIGHT: f32 = 46.0;
const SECTOR_TOP: f32 = LANE_TOP + LANE_HEIGHT + TIE_HEIGHT;
const SECTOR_END: f32 = SECTOR_TOP + SECTOR_HEIGHT;
/// The height of the whole picture in points.
pub const HEIGHT: f32 = SECTOR_END + 74.0;
/// Space to both sides.
const MARGIN: f32 = 2.0;
/// A gap, in sectors' widths.
const GAP: f32 = 0.7;

/// A piece of the row of sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// The sector of this number.
    Sector(u64),
    /// So many sectors that nobody touches, not drawn.
    Gap(u64),
}

/// What happens to a sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// Nobody touches it.
    Skipped,
    /// It comes from memory with its neighbours, though nobody requested it.
    Dragged,
    /// It is requested.
    Requested,
}

/// The memory that one request touches.
struct Memory<'a> {
    request: &'a TracedRequest,
    sector: u64,
    granule: u64,
    requested: BTreeSet<u64>,
    granules: BTreeSet<u64>,
}

impl<'a> Memory<'a> {
    fn new(request: &'a TracedRequest, model: &MemoryModel) -> Self {
        let sector = u64::from(model.sector_bytes.value.max(1));
        let granule = u64::from(model.fetch_bytes.high).max(sector);
        Self { request, sector, granule, requested: touched(request, sector), granules: touched(request, granule) }
    }

    fn fate(&self, sector: u64) -> Fate {
        if self.requested.contains(&sector) {
            Fate::Requested
        } else if self.granules.contains(&(sector * self.sector / self.granule)) {
            Fate::Dragged
        } else {
            Fate::Skipped
        }
    }

    /// The row of sectors: from the first granule on, at least as many sectors as lanes, so that the picture does not jump
    /// while a stride is dragged; long gaps are left out.
    fn cells(&self) -> Vec<Cell> {
        let per_granule = self.granule / self.sector;
        let Some((first, last)) = self.granules.first().zip(self.granules.last()) else { return Vec::new() };
        let (first, last) = (first * per_granule, (last + 1) * per_granule - 1);
        let room = u64::from(self.request.subgroup_lanes.max(8));
        let end = last.max(first + room - 1);
        if end - first < 2 * room {
            return (first..=end).map(Cell::Sector).collect();
        }
        let fetched = self.granules.iter().flat_map(|granule| granule * per_granule..(granule + 1) * per_granule);
        let mut cells = Vec::new();
        let mut next = first;
        for sector in fetched {
            match sector.saturating_sub(next) {
                0 => {}
                1 => cells.push(Cell::Sector(next)),
                gap => cells.push(Cell::Gap(gap)),
            }
            cells.push(Cell::Sector(sector));
            next = sector + 1;
        }
        cells
    }
}

/// The pieces of so many bytes that a request touches, by number.
fn touched(request: &TracedRequest, bytes: u64) -> BTreeSet<u64> {
    request.lanes.iter().flat_map(|lane| pieces(lane, bytes)).collect()
}

fn pieces(lane: &LaneAccess, bytes: u64) -> std::ops::RangeInclusive<u64> {
    let first = u64::from(lane.address);
    first / bytes..=(first + u64::from(lane.bytes.max(1)) - 1) / bytes
}

/// The picture of a request, so wide.
#[must_use]
pub fn scene(request: &TracedRequest, model: &MemoryModel, width: f32) -> Scene {
    let memory = Memory::new(request, model);
    let mut scene = Scene { size: [width, HEIGHT], description: describe(request), ..Scene::default() };
    let lanes = draw_lanes(&mut scene, request, width);
    let places = draw_sectors(&mut scene, &memory, width);
    draw_ties(&mut scene, &memory, &lanes, &places, width);
    draw_legend(&mut scene, &memory);
    scene
}

/// Centre of a lane's box.
fn lane_centre(lane: u32, lanes: u32, width: f32) -> f32 {
    MARGIN + (lane as f32 + 0.5) * (width - 2.0 * MARGIN) / lanes.max(1) as f32
}

fn draw_lanes(scene: &mut Scene, request: &TracedRequest, width: f32) -> BTreeMap<u32, PartId> {
    let count = request.subgroup_lanes.max(1);
    let pitch = (width - 2.0 * MARGIN) / count as f32;
    let box_width = (pitch - 2.0).max(1.0);
    scene.text([MARGIN, 9.0], 14.0, Align::Left, Role::Weak, format!("{count} lanes of one subgroup"));
    let mut parts = BTreeMap::new();
    for lane in 0..count {
        let access = request.lanes.iter().find(|access| access.lane == lane);
        let part = scene.part(lane_tip(request, lane, access));
        let (fill, role) = if access.is_some() { (Fill::Soft, Role::Accent) } else { (Fill::Outline, Role::Faint) };
        let centre = lane_centre(lane, count, width);
        scene.rect([centre - box_width / 2.0, LANE_TOP], [box_width, LANE_HEIGHT], fill, role, &[part]);
        // Every number where there is room, else every eighth.
        if pitch >= 17.0 || (lane % 8 == 0 && pitch * 8.0 >= 17.0) {
            let at = [centre, LANE_TOP + LANE_HEIGHT / 2.0];
            scene.text(at, 12.0, Align::Centre, Role::Text, lane.to_string());
        }
        parts.insert(lane, part);
    }
    parts
}

fn lane_tip(request: &TracedRequest, lane: u32, access: Option<&LaneAccess>) -> String {
    let Some(access) = access else { return format!("Lane {lane} takes no part in this request.") };
    let last = u64::from(access.address) + u64::from(access.bytes) - 1;
    let sectors: Vec<String> =
        pieces(access, request.bill.sector_bytes.into()).map(|sector| sector.to_string()).collect();
    let word = if sectors.len() == 1 { "sector" } else { "sectors" };
    let (from, name) = (access.address, &request.site.name);
    format!("Lane {lane} asks for bytes {from} to {last} of `{name}`: {word} {}.", sectors.join(" and "))
}

/// A drawn sector: its part, its left edge, its width.
#[derive(Debug, Clone, Copy)]
struct Place {
    part: PartId,
    left: f32,
    width: f32,
}

fn draw_sectors(scene: &mut Scene, memory: &Memory<'_>, width: f32) -> BTreeMap<u64, Place> {
    let cells = memory.cells();
    let weight = |cell: &Cell| if matches!(cell, Cell::Sector(_)) { 1.0 } else { GAP };
    let unit = (width - 2.0 * MARGIN) / cells.iter().map(weight).sum::<f32>().max(1.0);
    let role = Role::Excess(memory.request.bill.excess());
    let mut places = BTreeMap::new();
    let mut left = MARGIN;
    for cell in &cells {
        match cell {
            Cell::Gap(sectors) => {
                let part = scene.part(format!("{sectors} sectors that nobody touches."));
                let size = [GAP * unit, SECTOR_HEIGHT];
                scene.rect([left, SECTOR_TOP], size, Fill::Outline, Role::Faint, &[part]);
                let at = [left + GAP * unit / 2.0, SECTOR_TOP + SECTOR_HEIGHT / 2.0];
                scene.text(at, 12.0, Align::Centre, Role::Weak, "…");
            }
            Cell::Sector(sector) => {
                let fate = memory.fate(*sector);
                let part = scene.part(sector_tip(memory, *sector, fate));
                let box_width = (unit - if unit > 6.0 { 2.0 } else { 0.5 }).max(0.5);
                let (fill, role) = match fate {
                    Fate::Requested => (Fill::Soft, role),
                    Fate::Dragged => (Fill::Hatched, role),
                    Fate::Skipped => (Fill::Outline, Role::Faint),
                };
                scene.rect([left, SECTOR_TOP], [box_width, SECTOR_HEIGHT], fill, role, &[part]);
                places.insert(*sector, Place { part, left, width: box_width });
            }
        }
        left += weight(cell) * unit;
    }
    draw_useful_bytes(scene, memory, &places, role);
    draw_granules(scene, memory, &places, role);
    draw_addresses(scene, memory, &places, unit);
    places
}

fn sector_tip(memory: &Memory<'_>, sector: u64, fate: Fate) -> String {
    let (from, to) = (sector * memory.sector, (sector + 1) * memory.sector - 1);
    let range = format!("Sector {sector}, bytes {from} to {to}");
    match fate {
        Fate::Skipped => format!("{range}: nobody touches it."),
        Fate::Dragged => format!("{range}: comes from memory with its neighbour, though nobody requested it."),
        Fate::Requested => {
            let users: Vec<&LaneAccess> =
                memory.request.lanes.iter().filter(|lane| pieces(lane, memory.sector).contains(&sector)).collect();
            let used = used_bytes(&users, from, memory.sector).len();
            let who = match users.as_slice() {
                [one] => format!("lane {}", one.lane),
                several => format!("{} lanes", several.len()),
            };
            format!("{range}: {used} of {} bytes are used, by {who}.", memory.sector)
        }
    }
}

/// Offsets in a sector of the bytes that these lanes use.
fn used_bytes(lanes: &[&LaneAccess], from: u64, sector: u64) -> BTreeSet<u64> {
    let in_sector = |byte: &u64| (from..from + sector).contains(byte);
    let bytes = |lane: &&LaneAccess| u64::from(lane.address)..u64::from(lane.address) + u64::from(lane.bytes);
    lanes.iter().flat_map(bytes).filter(in_sector).map(|byte| byte - from).collect()
}

/// Left edge and width of a lane's bytes in a drawn sector: clear of its border where there is room, and wide enough to be
/// told from it.
fn bytes_in(lane: &LaneAccess, sector: u64, place: &Place, sector_bytes: u64) -> (f32, f32) {
    let start = sector * sector_bytes;
    let from = u64::from(lane.address).max(start) - start;
    let to = (u64::from(lane.address) + u64::from(lane.bytes)).min(start + sector_bytes) - start;
    let (inset, least) = match place.width {
        width if width > 10.0 => (2.5, 3.5),
        width if width > 6.0 => (1.5, 2.0),
        _ => (0.0, 0.0),
    };
    let room = place.width - 2.0 * inset;
    let scale = room / sector_bytes as f32;
    let width = ((to - from) as f32 * scale).max(least);
    (place.left + inset + (from as f32 * scale).min(room - width), width)
}

fn draw_useful_bytes(scene: &mut Scene, memory: &Memory<'_>, places: &BTreeMap<u64, Place>, role: Role) {
    for lane in &memory.request.lanes {
        for sector in pieces(lane, memory.sector) {
            let Some(place) = places.get(&sector) else { continue };
            let (left, width) = bytes_in(lane, sector, place, memory.sector);
            // A seam between neighbours' bytes, where there is room for one.
            let seam = if width > 5.0 { 1.0 } else { 0.0 };
            let at = [left + seam / 2.0, SECTOR_TOP + 3.0];
            scene.rect(at, [(width - seam).max(1.0), SECTOR_HEIGHT - 6.0], Fill::Solid, role, &[place.part]);
        }
    }
}

/// Brackets around what memory delivers in one piece, where that is more than a sector.
fn draw_granules(scene: &mut Scene, memory: &Memory<'_>, places: &BTreeMap<u64, Place>, role: Role) {
    let per_granule = memory.granule / memory.sector;
    if per_granule < 2 {
        return;
    }
    let y = SECTOR_END + 5.0;
    for granule in &memory.granules {
        let first = places.get(&(granule * per_granule));
        let last = places.get(&((granule + 1) * per_granule - 1));
        if let Some((first, last)) = first.zip(last) {
            // Each ends a little before the next begins, or they would look like one line.
            let inset = (0.1 * first.width).clamp(0.3, 2.0);
            let (left, right) = (first.left + inset, last.left + last.width - inset);
            scene.line([left, y + 4.0], [right, y + 4.0], 1.5, role, &[]);
            for x in [left, right] {
                scene.line([x, y], [x, y + 4.0], 1.5, role, &[]);
            }
        }
    }
}

fn draw_addresses(scene: &mut Scene, memory: &Memory<'_>, places: &BTreeMap<u64, Place>, unit: f32) {
    let y = SECTOR_END + 20.0;
    // Addresses at least 48 points apart.
    let mut free_from = f32::MIN;
    for (sector, place) in places {
        if place.left >= free_from && memory.fate(*sector) >= Fate::Dragged || *sector == 0 {
            scene.text([place.left, y], 12.0, Align::Left, Role::Weak, (sector * memory.sector).to_string());
            free_from = place.left + unit.max(48.0);
        }
    }
    let [least, most] = memory.request.bill.granule_bytes;
    let granule = match (most > memory.request.bill.sector_bytes, least == most) {
        (false, _) => String::new(),
        (true, true) => format!("; memory sends {most} B at a time (brackets)"),
        (true, false) => format!("; memory sends {least} to {most} B at a time (brackets)"),
    };
    let (name, sector) = (&memory.request.site.name, memory.sector);
    let text = format!("bytes of `{name}` in sectors of {sector} B{granule}");
    scene.text([MARGIN, y + 20.0], 13.5, Align::Left, Role::Weak, text);
}

fn draw_ties(
    scene: &mut Scene,
    memory: &Memory<'_>,
    lanes: &BTreeMap<u32, PartId>,
    places: &BTreeMap<u64, Place>,
    width: f32,
) {
    for lane in &memory.request.lanes {
        let Some(part) = lanes.get(&lane.lane) else { continue };
        for sector in pieces(lane, memory.sector) {
            let Some(place) = places.get(&sector) else { continue };
            let (left, bytes_width) = bytes_in(lane, sector, place, memory.sector);
            let from = [lane_centre(lane.lane, memory.request.subgroup_lanes, width), LANE_TOP + LANE_HEIGHT];
            scene.line(from, [left + bytes_width / 2.0, SECTOR_TOP], 1.0, Role::Weak, &[*part, place.part]);
            scene.link(*part, place.part);
        }
    }
}

/// What the fillings mean.
fn draw_legend(scene: &mut Scene, memory: &Memory<'_>) {
    let role = Role::Excess(memory.request.bill.excess());
    let dragged = (memory.granule > memory.sector).then_some((Fill::Hatched, role, "fetched, not requested"));
    let entries = [
        Some((Fill::Solid, role, "asked for")),
        Some((Fill::Soft, role, "in its sector")),
        dragged,
        Some((Fill::Outline, Role::Faint, "untouched")),
    ];
    let (mut left, y) = (MARGIN, HEIGHT - 8.0);
    for (fill, role, text) in entries.into_iter().flatten() {
        scene.rect([left, y - 6.0], [18.0, 12.0], fill, role, &[]);
        scene.text([left + 24.0, y], 13.0, Align::Left, Role::Weak, text);
        // About the width of the words: scenes know no fonts.
        left += 24.0 + 6.4 * text.len() as f32 + 16.0;
    }
}

/// The picture in words.
#[must_use]
pub fn describe(request: &TracedRequest) -> String {
    let Bill { lanes, sectors, ideal_sectors, sector_bytes, .. } = &request.bill;
    let bytes = request.site.element_bytes;
    let step = step_bytes(&request.lanes).map(|step| match step {
        0 => ", all for the same".to_owned(),
        step => format!(", {step} bytes from one lane to the next"),
    });
    format!(
        "{lanes} lanes ask for {bytes} bytes each{}. They touch {sectors} sectors of {sector_bytes} bytes, where \
         {ideal_sectors} could do. {}.",
        step.unwrap_or_default(),
        request.bill.text()
    )
}

/// Bytes from one lane's address to the next's, where that is the same for all.
fn step_bytes(lanes: &[LaneAccess]) -> Option<i64> {
    let mut steps = lanes.windows(2).map(|pair| i64::from(pair[1].address) - i64::from(pair[0].address));
    let first = steps.next()?;
    steps.all(|step| step == first).then_some(first)
}
