//! The same bytes three ways: four loads side by side, four loads of a run, one wide load.

use eframe::egui;

use super::bandwidth;
use crate::app::forecast::{Pattern, TracedRequest};
use crate::app::picture::{loads, scene_painter};
use crate::app::views::{View, parts};
use crate::kernels::{self, PRESETS};
use crate::units::format_gb_per_s;

/// The preset that names the three ways.
const PRESET: &str = "vector-width";
const TITLES: [(&str, &str); 3] = [
    ("Four loads, side by side", "In each load neighbouring lanes take neighbouring elements."),
    ("Four loads, each lane its own run", "Each lane takes four elements in a row, one at a time."),
    ("One load of four", "Each lane takes its four elements with a single vec4 instruction."),
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
    if parts::covered(ui, view) {
        return;
    }
    ui.add_space(4.0);
    if ui.available_width() >= WIDE {
        ui.columns(ways.len().max(1), |columns| {
            for (ui, way) in columns.iter_mut().zip(&ways) {
                card(ui, view, way);
            }
        });
    } else {
        for way in &ways {
            card(ui, view, way);
            ui.add_space(6.0);
        }
    }
    let sectors = |k: usize| ways.get(k).map_or(0, |way| sum(way, |request| request.bill.sectors));
    parts::remark(
        ui,
        view,
        format!(
            "All {} touch the same bytes. The first asks for as few sectors as can be ({}); so does the vec4, with a quarter \
             of the instructions. Runs of single loads ask for each sector again and again ({} requests): a cache has to \
             make up for it.",
            ways.len(),
            sectors(0),
            sectors(1),
        ),
    );
}

fn sum(way: &Way, of: impl Fn(&TracedRequest) -> u64) -> u64 {
    way.requests.iter().flatten().map(of).sum()
}

fn card(ui: &mut egui::Ui, view: &View<'_>, way: &Way) {
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
        let (sectors, ideal) = (sum(way, |request| request.bill.sectors), sum(way, |r| r.bill.ideal_sectors));
        let color = view.palette.excess(sectors as f64 / ideal.max(1) as f64);
        parts::figures(ui, &bill(requests), color);
        let scene = loads::scene(requests, ui.available_width().max(240.0));
        scene_painter::show(ui, &scene, view.palette);
        figures(ui, requests);
        rates(ui, view, way);
    });
}

/// `4 loads x 16 sectors = 64 sector requests`.
fn bill(requests: &[TracedRequest]) -> String {
    let all: u64 = requests.iter().map(|request| request.bill.sectors).sum();
    let each = requests.first().map_or(0, |request| request.bill.sectors);
    let loads = if requests.len() == 1 { "1 load".to_owned() } else { format!("{} loads", requests.len()) };
    if requests.iter().all(|request| request.bill.sectors == each) {
        format!("{loads} x {each} sectors = {all} sector requests")
    } else {
        format!("{loads}: {all} sector requests")
    }
}

/// Bytes an instruction beside bytes a sector.
fn figures(ui: &mut egui::Ui, requests: &[TracedRequest]) {
    let Some(first) = requests.first() else { return };
    let bill = &first.bill;
    let used: u64 = requests.iter().map(|request| request.bill.useful_bytes).sum();
    let sectors: u64 = requests.iter().map(|request| request.bill.sectors).sum();
    let of_sector = used as f64 / sectors.max(1) as f64;
    let rows = [
        ("Bytes an instruction", format!("{} ({} x {})", bill.asked_bytes, bill.lanes, first.site.element_bytes)),
        ("Bytes used of a requested sector", format!("{of_sector:.0} of {}", bill.sector_bytes)),
        ("Different sectors", loads::distinct_sectors(requests).to_string()),
    ];
    for (name, value) in rows {
        ui.horizontal_wrapped(|ui| {
            ui.label(name);
            ui.strong(value);
        });
    }
}

/// What was measured of it, here and on the recorded machine.
fn rates(ui: &mut egui::Ui, view: &View<'_>, way: &Way) {
    let rates = bandwidth::rates(view, &way.pattern);
    let text = |rate: Option<f64>| {
        rate.map_or_else(|| "not measured yet".to_owned(), |r| format!("{} GB/s", format_gb_per_s(r)))
    };
    ui.horizontal_wrapped(|ui| {
        ui.label("Useful bandwidth here");
        ui.strong(text(rates.here));
    });
    if let Some(recorded) = rates.recorded {
        ui.horizontal_wrapped(|ui| {
            parts::remark(ui, view, format!("{}: {} GB/s", rates.recorded_title, format_gb_per_s(recorded)));
        });
    }
}
