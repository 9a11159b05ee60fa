//! The same bytes three ways: four loads side by side, four loads of a run, one wide load.

use eframe::egui;

use super::bandwidth;
use crate::app::forecast::{Pattern, TracedRequest};
use crate::app::picture::{Body, Piece, Role, loads, scene_painter};
use crate::app::views::{View, parts};
use crate::kernels::{self, PRESETS};
use crate::units::format_gb_per_s;

/// The preset that names the three ways.
const PRESET: &str = "vector-width";
const TITLES: [(&str, &str); 3] = [
    ("Four loads, side by side", "Neighbouring lanes take neighbouring elements."),
    ("Four loads, each lane its own run", "Each lane takes four elements in a row, one at a time."),
    ("One load of four", "Each lane takes its four with one vec4 instruction."),
];
/// From this width on, the ways stand side by side.
const WIDE: f32 = 1080.0;

/// One way to fetch the bytes.
struct Way {
    title: &'static str,
    meaning: &'static str,
    /// As it is measured.
    pattern: Pattern,
    /// The loads of the first subgroup, or why there are none.
    requests: Result<Vec<TracedRequest>, String>,
}

/// The patterns of the three ways, as the preset has them.
pub(super) fn patterns() -> Vec<Pattern> {
    let preset = PRESETS.iter().find(|preset| preset.id == PRESET);
    let kernel = preset.and_then(|preset| kernels::by_id(preset.kernel));
    let rows = preset.zip(kernel).into_iter();
    rows.flat_map(|(preset, kernel)| preset.params().into_iter().map(move |params| Pattern { kernel, params }))
        .collect()
}

fn ways(view: &View<'_>) -> Vec<Way> {
    let subgroup = view.state.model().subgroup.value;
    let traced = |pattern: &Pattern| {
        // A workgroup of one subgroup: then all three fetch the very same bytes.
        let trace = view.trace(&pattern.with("workgroup", subgroup));
        match trace.as_ref() {
            Ok(trace) => Ok((0..trace.accesses.len())
                .filter(|access| trace.site(*access).is_some_and(|site| site.name == trace.primary))
                .filter_map(|access| trace.request(access, 0))
                .collect()),
            Err(reason) => Err(reason.clone()),
        }
    };
    let ways = TITLES.into_iter().zip(patterns());
    ways.map(|((title, meaning), pattern)| Way { title, meaning, requests: traced(&pattern), pattern }).collect()
}

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>) {
    let ways = ways(view);
    let asked = ways.first().map_or(0, |way| sum(way, |request| request.bill.asked_bytes));
    parts::sentence(ui, view, &format!("The same {asked} bytes, three ways: how many instructions, how many sectors?"));
    parts::words(ui, view, &["lane, sector, request, vec4, lineup, width"]);
    let covered = parts::covered(ui, view);
    ui.add_space(4.0);
    let most = ways.iter().flat_map(|way| &way.requests).map(Vec::len).max().unwrap_or_default();
    if ui.available_width() >= WIDE {
        parts::columns(ui, ways.len(), |column, ui| {
            if let Some(way) = ways.get(column) {
                card(ui, view, way, most);
            }
        });
    } else {
        for way in &ways {
            card(ui, view, way, 0);
            ui.add_space(6.0);
        }
    }
    if !covered {
        parts::remark(ui, view, remark(view, &ways));
    }
}

/// What to see in it.
fn remark(view: &View<'_>, ways: &[Way]) -> String {
    let sectors = |k: usize| ways.get(k).map_or(0, |way| sum(way, |request| request.bill.sectors));
    let rates: Vec<_> = ways.iter().map(|way| bandwidth::rates(view, &way.pattern)).collect();
    let recorded = match rates.as_slice() {
        [first, second, ..] => first.recorded.zip(second.recorded),
        _ => None,
    };
    let evidence = recorded.map_or_else(String::new, |(first, second)| {
        let title = &rates[0].recorded_title;
        let (first, second) = (format_gb_per_s(first), format_gb_per_s(second));
        format!(" In the grey figures it did: {second} of {first} GB/s ({title}).")
    });
    format!(
        "All touch the same bytes. The first asks for as few sectors as can be ({}); so does the vec4, with a quarter of the \
         instructions. A run for each lane, one element at a time, asks for every sector again and again ({} requests): a \
         cache has to make up for it.{evidence}",
        sectors(0),
        sectors(1),
    )
}

fn sum(way: &Way, of: impl Fn(&TracedRequest) -> u64) -> u64 {
    way.requests.iter().flatten().map(of).sum()
}

/// The pictures of all ways, so wide, for a file.
pub(super) fn pieces(view: &View<'_>, width: f32) -> Vec<Piece> {
    let piece = |way: Way| {
        let requests = way.requests.as_ref().ok()?;
        let role = Role::Excess(excess(&way));
        let body = Body::Scene(loads::scene(requests, 0, width));
        Some(Piece { heading: way.title.to_owned(), figures: (bill(requests), role), body })
    };
    ways(view).into_iter().filter_map(piece).collect()
}

/// Sector requests over the fewest possible.
fn excess(way: &Way) -> f64 {
    let ideal = sum(way, |request| request.bill.ideal_sectors);
    sum(way, |request| request.bill.sectors) as f64 / ideal.max(1) as f64
}

/// A way with room for so many loads, so that cards side by side are alike.
fn card(ui: &mut egui::Ui, view: &View<'_>, way: &Way, room: usize) {
    egui::Frame::group(ui.style()).fill(view.palette.ground).inner_margin(10).show(ui, |ui| {
        ui.set_width(ui.available_width());
        parts::title(ui, way.title);
        parts::remark(ui, view, way.meaning);
        let requests = match &way.requests {
            Ok(requests) => requests,
            Err(reason) => {
                ui.colored_label(view.palette.bad, reason);
                return;
            }
        };
        if view.state.covered {
            // What the way is stays; what it costs is the answer.
            instruction(ui, requests);
            return;
        }
        parts::figures(ui, &bill(requests), view.palette.excess(excess(way)));
        let scene = loads::scene(requests, room, ui.available_width().max(240.0));
        scene_painter::show(ui, &scene, view.palette);
        figures(ui, view, way, requests);
    });
}

/// `4 loads · 64 sector requests`.
fn bill(requests: &[TracedRequest]) -> String {
    let all: u64 = requests.iter().map(|request| request.bill.sectors).sum();
    let loads = if requests.len() == 1 { "1 load".to_owned() } else { format!("{} loads", requests.len()) };
    format!("{loads} · {all} sector requests")
}

/// What one instruction asks for.
fn instruction(ui: &mut egui::Ui, requests: &[TracedRequest]) {
    if let Some(first) = requests.first() {
        ui.label(format!("Bytes per instruction: {}", asked(first)));
    }
}

/// `128 (32 x 4)`.
fn asked(request: &TracedRequest) -> String {
    format!("{} ({} x {})", request.bill.asked_bytes, request.bill.lanes, request.site.element_bytes)
}

/// Bytes an instruction beside bytes a sector, and what was measured.
fn figures(ui: &mut egui::Ui, view: &View<'_>, way: &Way, requests: &[TracedRequest]) {
    let Some(first) = requests.first() else { return };
    let bill = &first.bill;
    let used: u64 = requests.iter().map(|request| request.bill.useful_bytes).sum();
    let sectors: u64 = requests.iter().map(|request| request.bill.sectors).sum();
    let of_sector = used as f64 / sectors.max(1) as f64;
    let rates = bandwidth::rates(view, &way.pattern);
    let rate = |rate: Option<f64>, none: &str| rate.map_or_else(|| none.to_owned(), format_gb_per_s);
    let (text, grey) = (view.palette.text, view.palette.recorded);
    let rows = [
        ("Bytes per instruction", asked(first), text),
        ("Bytes used per sector", format!("{of_sector:.0} of {}", bill.sector_bytes), text),
        ("Different sectors", loads::distinct_sectors(requests).to_string(), text),
        ("GB/s here", rate(rates.here, "not measured yet"), text),
        ("GB/s recorded", rate(rates.recorded, "-"), grey),
    ];
    egui::Grid::new(("way", way.title)).num_columns(2).min_row_height(0.0).spacing([16.0, 5.0]).show(ui, |ui| {
        for (name, value, color) in rows {
            ui.label(egui::RichText::new(name).color(color));
            ui.label(egui::RichText::new(value).strong().color(color));
            ui.end_row();
        }
    });
}
