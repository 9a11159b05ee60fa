//! Thread layout and value layout of a tile: which lane owns which pieces.

use eframe::egui;

use super::knobs;
use crate::app::command::Command;
use crate::app::picture::tile::{self, Show, Tile};
use crate::app::picture::{Scene, scene_painter};
use crate::app::views::{View, parts};
use crate::units::format_gb_per_s;

/// From this width on, both pictures stand side by side.
const WIDE: f32 = 1080.0;
/// Tiles of more pieces across have the whole width each.
const MOST_BESIDE: usize = 40;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    parts::sentence(
        ui,
        view,
        "Every copy of a tile has two knobs: which lane goes where, and how much each lane moves.",
    );
    parts::words(ui, view, &["tile, bits per copy, pieces across"]);
    knobs::show(ui, view, out);
    let pattern = &view.state.tile;
    let trace = view.trace(pattern);
    let trace = match trace.as_ref() {
        Ok(trace) => trace,
        Err(reason) => {
            ui.colored_label(view.palette.bad, reason);
            return;
        }
    };
    let tile = Tile::of(trace, across(view));
    // Who goes where is what is asked about; sectors and speed are the answer.
    if !parts::covered(ui, view) {
        figures(ui, view, &tile);
        rate(ui, view);
    }
    let load = load_shown(ui, &tile);
    if ui.available_width() >= WIDE && tile.size[0] <= MOST_BESIDE {
        parts::columns(ui, 2, |column, ui| match column {
            0 => threads(ui, view, &tile, load),
            _ => values(ui, view, &tile),
        });
    } else {
        threads(ui, view, &tile, load);
        ui.add_space(6.0);
        values(ui, view, &tile);
    }
}

fn threads(ui: &mut egui::Ui, view: &View<'_>, tile: &Tile, load: usize) {
    parts::title(ui, THREADS);
    let bars = if view.state.covered { "" } else { " Bars are sectors." };
    parts::remark(ui, view, format!("Numbers are lanes. Filled: load {}.{bars}", load + 1));
    picture(ui, view, tile, Show::Load(load));
}

fn values(ui: &mut egui::Ui, view: &View<'_>, tile: &Tile) {
    parts::title(ui, VALUES);
    parts::remark(ui, view, "Filled: the pieces of lane 0, by the number of the load that moves them.");
    picture(ui, view, tile, Show::Lane(0));
}

/// Both pictures with their names, for a file; none where the tile cannot be copied.
pub(super) fn scenes(view: &View<'_>, width: f32) -> Vec<(String, Scene)> {
    let trace = view.trace(&view.state.tile);
    let Ok(trace) = trace.as_ref() else { return Vec::new() };
    let tile = Tile::of(trace, across(view));
    let scene = |show| tile::scene(&tile, show, view.state.model().sector_bytes.value, width);
    let name = view.state.tile.name();
    vec![
        (format!("{THREADS} ({name}, load 1)"), scene(Show::Load(0))),
        (format!("{VALUES} ({name}, lane 0)"), scene(Show::Lane(0))),
    ]
}

const THREADS: &str = "Thread layout: which lane goes where";
const VALUES: &str = "Value layout: what one lane owns";

/// Pieces from one side of the tile to the other.
fn across(view: &View<'_>) -> usize {
    let number = |name| view.state.tile.number(name).unwrap_or(1);
    (number("threads_x") * number("values_x")) as usize
}

fn picture(ui: &mut egui::Ui, view: &View<'_>, tile: &Tile, show: Show) {
    let width = (ui.available_width() - 4.0).max(200.0);
    let scene = if view.state.covered {
        tile::layout(tile, show, width)
    } else {
        tile::scene(tile, show, view.state.model().sector_bytes.value, width)
    };
    scene_painter::show(ui, &scene, view.palette);
}

/// `4 loads x 4 sectors = 16 sector requests · a lane has 4 x 4 B = 16 B under way`.
fn figures(ui: &mut egui::Ui, view: &View<'_>, tile: &Tile) {
    let sum = |of: fn(&crate::app::Bill) -> u64| tile.requests.iter().map(|request| of(&request.bill)).sum::<u64>();
    let (sectors, ideal) = (sum(|bill| bill.sectors), sum(|bill| bill.ideal_sectors));
    let loads = tile.loads();
    let each = sectors as f64 / loads.max(1) as f64;
    let text = format!(
        "{} x {each} sectors = {sectors} sector requests (the fewest: {ideal}) · a lane has {loads} x {} B = {} B under way",
        if loads == 1 { "1 load".to_owned() } else { format!("{loads} loads") },
        tile.piece_bytes,
        loads as u64 * u64::from(tile.piece_bytes),
    );
    parts::figures(ui, &text, view.palette.excess(sectors as f64 / ideal.max(1) as f64));
}

fn rate(ui: &mut egui::Ui, view: &View<'_>) {
    let rates = super::bandwidth::rates(view, &view.state.tile);
    if let Some(rate) = rates.here {
        ui.label(format!("Measured here: {} useful GB/s, loads and stores together.", format_gb_per_s(rate)));
    }
}

/// Which load the first picture shows.
fn load_shown(ui: &mut egui::Ui, tile: &Tile) -> usize {
    let id = ui.scope_id().with("tile-load");
    let last = tile.loads().saturating_sub(1);
    let mut load = ui.data(|data| data.get_temp(id)).unwrap_or(0usize).min(last);
    if last > 0 {
        ui.horizontal_wrapped(|ui| {
            ui.label("Show");
            for k in 0..tile.loads() {
                if ui.add(egui::Button::selectable(k == load, format!("Load {}", k + 1)).frame(true)).clicked() {
                    load = k;
                }
            }
        });
        ui.data_mut(|data| data.insert_temp(id, load));
    }
    load
}
