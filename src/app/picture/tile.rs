//! Which lane owns which pieces of a tile, from the loads that the interpreter traced.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::forecast::{TracedRequest, WorkgroupTrace};
use crate::trace::AccessKind;

use super::scene::{Align, Fill, PartId, Role, Scene};

/// Most rows that are drawn.
const MOST_ROWS: usize = 32;
/// Sizes of a piece in points.
const WIDEST: f32 = 46.0;
const HEIGHTS: std::ops::RangeInclusive<f32> = 9.0..=30.0;
/// Height that the rows of a tile share.
const ROWS_HEIGHT: f32 = 320.0;
/// The bar of a sector below its pieces.
const BAR: f32 = 5.0;

/// What one lane loads with one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The lane.
    pub lane: usize,
    /// Which of the lane's loads, from 0.
    pub load: usize,
    /// Byte address.
    pub address: u32,
    /// Column and row in the tile, in pieces.
    pub place: [usize; 2],
}

/// A workgroup's tile, cut into the pieces that its lanes load.
#[derive(Debug, Clone, PartialEq)]
pub struct Tile {
    /// Pieces across and down.
    pub size: [usize; 2],
    /// Bytes of a piece.
    pub piece_bytes: u32,
    /// All pieces, by address.
    pub pieces: Vec<Piece>,
    /// The requests of the first subgroup, one a load.
    pub requests: Vec<TracedRequest>,
}

impl Tile {
    /// The tile, so many pieces wide, that the first workgroup loads.
    #[must_use]
    pub fn of(trace: &WorkgroupTrace, across: usize) -> Self {
        let loads: Vec<usize> = (0..trace.accesses.len())
            .filter(|access| {
                let site = trace.site(*access);
                site.is_some_and(|site| site.name == trace.primary && site.kind == AccessKind::Load)
            })
            .collect();
        let mut pieces: Vec<Piece> = Vec::new();
        for (load, access) in loads.iter().enumerate() {
            let access = &trace.accesses[*access];
            pieces.extend(access.active.iter().filter_map(|lane| {
                let address = *access.addresses.get(lane)?;
                Some(Piece { lane, load, address, place: [0, 0] })
            }));
        }
        // Rows of a tile are whole and lie one behind the other in memory: the order of addresses is that of places.
        pieces.sort_by_key(|piece| piece.address);
        let across = across.max(1);
        for (k, piece) in pieces.iter_mut().enumerate() {
            piece.place = [k % across, k / across];
        }
        let piece_bytes = loads.first().and_then(|access| trace.site(*access)).map_or(0, |site| site.element_bytes);
        let requests = loads.iter().filter_map(|access| trace.request(*access, 0)).collect();
        Self { size: [across, pieces.len().div_ceil(across)], piece_bytes, pieces, requests }
    }

    /// Loads of a lane.
    #[must_use]
    pub fn loads(&self) -> usize {
        self.requests.len()
    }
}

/// What a picture of a tile shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// The lanes of one load, by number, and the sectors that it touches.
    Load(usize),
    /// The pieces of one lane, by the load that takes them.
    Lane(usize),
}

/// The picture of a tile, at most so wide, with the sectors that the shown loads touch.
#[must_use]
pub fn scene(tile: &Tile, show: Show, sector_bytes: u32, width: f32) -> Scene {
    let mut scene = layout(tile, show, width);
    bars(&mut scene, tile, show, sector_bytes, Grid::of(tile, width));
    if let Show::Load(load) = show {
        let sectors = tile.requests.get(load).map_or(0, |request| request.bill.sectors);
        scene.description.push_str(&format!(" It touches {sectors} sectors."));
    }
    scene
}

/// Who goes where alone, without what it costs.
#[must_use]
pub fn layout(tile: &Tile, show: Show, width: f32) -> Scene {
    let [_, down] = tile.size;
    let Grid { pitch, height, row_pitch, rows } = Grid::of(tile, width);
    let note = if down > rows { 22.0 } else { 0.0 };
    let mut scene =
        Scene { size: [width, rows as f32 * row_pitch + note], description: describe(tile, show), ..Scene::default() };
    let lanes: BTreeSet<usize> = tile.pieces.iter().map(|piece| piece.lane).collect();
    let parts: BTreeMap<usize, PartId> =
        lanes.into_iter().map(|lane| (lane, scene.part(lane_tip(tile, lane)))).collect();
    for piece in tile.pieces.iter().filter(|piece| piece.place[1] < rows) {
        let at = [piece.place[0] as f32 * pitch, piece.place[1] as f32 * row_pitch];
        let Some(part) = parts.get(&piece.lane) else { continue };
        draw(&mut scene, piece, show, (at, [pitch, height]), *part);
    }
    if down > rows {
        let at = [0.0, rows as f32 * row_pitch + note / 2.0];
        scene.text(at, 13.0, Align::Left, Role::Weak, format!("{} more rows are like these", down - rows));
    }
    scene
}

/// Sizes of the drawn tile, points.
#[derive(Clone, Copy)]
struct Grid {
    pitch: f32,
    height: f32,
    row_pitch: f32,
    rows: usize,
}

impl Grid {
    fn of(tile: &Tile, width: f32) -> Self {
        let [across, down] = tile.size;
        let rows = down.min(MOST_ROWS);
        let height = (ROWS_HEIGHT / rows.max(1) as f32).clamp(*HEIGHTS.start(), *HEIGHTS.end());
        let pitch = (width / across.max(1) as f32).min(WIDEST);
        Self { pitch, height, row_pitch: height + BAR + 3.0, rows }
    }
}

fn draw(scene: &mut Scene, piece: &Piece, show: Show, (at, [pitch, height]): ([f32; 2], [f32; 2]), part: PartId) {
    let chosen = match show {
        Show::Load(load) => piece.load == load,
        Show::Lane(lane) => piece.lane == lane,
    };
    let (fill, role) = match show {
        _ if !chosen => (Fill::Outline, Role::Faint),
        Show::Load(_) => (Fill::Soft, Role::Owner(u32::try_from(piece.lane).unwrap_or_default())),
        Show::Lane(_) => (Fill::Soft, Role::Accent),
    };
    let seam = if pitch > 4.0 { 1.5 } else { 0.4 };
    scene.rect(at, [(pitch - seam).max(0.5), height], fill, role, &[part]);
    let text = match show {
        Show::Load(_) => piece.lane.to_string(),
        Show::Lane(_) if chosen => (piece.load + 1).to_string(),
        Show::Lane(_) => String::new(),
    };
    let room = pitch >= 8.0 * text.len() as f32 + 3.0 && height >= 13.0;
    if room && (chosen || matches!(show, Show::Load(_))) {
        let size = if height >= 18.0 && pitch >= 24.0 { 14.0 } else { 12.0 };
        let role = if chosen { Role::Text } else { Role::Weak };
        scene.text([at[0] + pitch / 2.0, at[1] + height / 2.0], size, Align::Centre, role, text);
    }
}

/// A bar below the pieces for each sector: full where the shown loads touch it.
fn bars(scene: &mut Scene, tile: &Tile, show: Show, sector_bytes: u32, grid: Grid) {
    let Grid { pitch, height, row_pitch, rows } = grid;
    let shown = |piece: &&Piece| match show {
        Show::Load(load) => piece.load == load,
        Show::Lane(lane) => piece.lane == lane,
    };
    let sector_bytes = sector_bytes.max(1);
    let touched: BTreeSet<u32> = tile.pieces.iter().filter(shown).map(|piece| piece.address / sector_bytes).collect();
    let excess = match show {
        Show::Load(load) => tile.requests.get(load).map(|request| request.bill.excess()),
        Show::Lane(_) => None,
    };
    let mut spans: BTreeMap<(usize, u32), [usize; 2]> = BTreeMap::new();
    for piece in tile.pieces.iter().filter(|piece| piece.place[1] < rows) {
        let span = spans.entry((piece.place[1], piece.address / sector_bytes)).or_insert([piece.place[0]; 2]);
        span[1] = piece.place[0];
    }
    for ((row, sector), [first, last]) in spans {
        let at = [first as f32 * pitch, row as f32 * row_pitch + height + 1.0];
        let size = [((last - first + 1) as f32 * pitch - 2.0).max(0.5), BAR];
        let (fill, role) = match (touched.contains(&sector), excess) {
            (true, Some(times)) => (Fill::Solid, Role::Excess(times)),
            (true, None) => (Fill::Solid, Role::Accent),
            (false, _) => (Fill::Outline, Role::Faint),
        };
        let words = if touched.contains(&sector) { "touched" } else { "not touched" };
        let part = scene.part(format!("Sector {sector} of {sector_bytes} bytes: {words}."));
        scene.rect(at, size, fill, role, &[part]);
    }
}

fn lane_tip(tile: &Tile, lane: usize) -> String {
    let mut own: Vec<&Piece> = tile.pieces.iter().filter(|piece| piece.lane == lane).collect();
    own.sort_by_key(|piece| piece.load);
    let each = own.iter().map(|piece| {
        let [column, row] = piece.place;
        format!("load {}: row {row}, column {column}", piece.load + 1)
    });
    format!("Lane {lane}\n{}", each.collect::<Vec<_>>().join("\n"))
}

fn describe(tile: &Tile, show: Show) -> String {
    let [across, down] = tile.size;
    let what = format!("A tile of {across} x {down} pieces of {} bytes.", tile.piece_bytes);
    let places = |shown: &mut dyn Iterator<Item = &Piece>| {
        shown.map(|piece| format!("{} at {}, {}", piece.lane, piece.place[0], piece.place[1])).collect::<Vec<_>>()
    };
    match show {
        Show::Load(load) => {
            let of = places(&mut tile.pieces.iter().filter(|piece| piece.load == load)).join("; ");
            format!("{what} Load {}, lane at column, row: {of}.", load + 1)
        }
        Show::Lane(lane) => {
            let own = tile.pieces.iter().filter(|piece| piece.lane == lane);
            let of: Vec<String> =
                own.map(|p| format!("load {} at {}, {}", p.load + 1, p.place[0], p.place[1])).collect();
            format!("{what} Lane {lane} owns {} of them: {}.", of.len(), of.join("; "))
        }
    }
}
