//! Measured bandwidth over width x loads: what bytes under way buy.

use eframe::egui::{self, RichText};

use super::ways;
use crate::app::command::Command;
use crate::app::documents::{Document, Origin};
use crate::app::forecast::Pattern;
use crate::app::picture::{Chart, ChartMark, Dot, Ink, Scale, Series, chart_painter};
use crate::app::settings::{RateScale, Settings};
use crate::app::views::patterns::along::serious;
use crate::app::views::{View, found, parts};
use crate::kernels::element::Element;
use crate::kernels::{self, Value};
use crate::record::{Measured, Row};
use crate::units::format_gb_per_s;

/// What the view is about.
const SENTENCE: &str = "Width buys bytes in flight; so do more loads per lane; once memory is full neither helps.";
/// What is asked while that is covered.
const QUESTION: &str = "What do wider loads buy, what do more loads per lane, and when does neither help?";
const WIDTHS: [&str; 3] = ["f32", "vec2", "vec4"];
const LOADS: [u32; 4] = [1, 2, 4, 8];
/// From this width on, plot and table stand side by side.
const WIDE: f32 = 1080.0;

/// `read` with one width and so many loads a lane.
fn pattern(width: &'static str, loads: u32) -> Option<Pattern> {
    let read = Pattern::of(kernels::by_id("read")?);
    Some(read.with("element", Value::Word(width)).with("items", loads))
}

/// All that the plot shows, and the three ways above it.
pub(super) fn patterns() -> Vec<Pattern> {
    let all = WIDTHS.into_iter().flat_map(|width| LOADS.into_iter().filter_map(move |loads| pattern(width, loads)));
    let mut all: Vec<Pattern> = all.collect();
    for way in ways::patterns() {
        if !all.contains(&way) {
            all.push(way);
        }
    }
    all
}

/// Bytes that a lane has under way, GB/s with its spread, and why it should not be trusted as others are.
fn dot(pattern: &Pattern, row: &Row, best: Option<f64>) -> Option<Dot> {
    let Measured { median_ns, p10_ns, p90_ns, useful_gb_per_s, .. } = row.measured.as_ref()?;
    let rate = (*useful_gb_per_s)?;
    // Percent of the best read where that is wanted.
    let unit = best.map_or(1.0, |best| 100.0 / best);
    let at = |ns: f64| rate * median_ns / ns * unit;
    let (x, flag) = (bytes_under_way(pattern), serious(row));
    Some(Dot { x, y: at(*median_ns), low: at(*p90_ns), high: at(*p10_ns), flag })
}

fn bytes_under_way(pattern: &Pattern) -> f64 {
    let bytes = Element::named(pattern.params.word("element")).bytes * pattern.number("items").unwrap_or(1);
    f64::from(bytes)
}

/// A pattern's rate here and on the recorded machine.
pub(super) struct Rates {
    pub here: Option<f64>,
    pub recorded: Option<f64>,
    /// Whose the recorded one is.
    pub recorded_title: String,
}

pub(super) fn rates(view: &View<'_>, pattern: &Pattern) -> Rates {
    let rate = |row: &Row| row.measured.as_ref()?.useful_gb_per_s;
    let recorded = found::recorded(view, pattern);
    Rates {
        here: found::here(view, pattern).and_then(|(_, row)| rate(row)),
        recorded: recorded.and_then(|(_, row)| rate(row)),
        recorded_title: recorded.map(|(document, _)| document.title()).unwrap_or_default(),
    }
}

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    parts::sentence(ui, view, if view.state.covered { QUESTION } else { SENTENCE });
    parts::software(ui, view);
    if parts::covered(ui, view) {
        return;
    }
    parts::title(ui, "Useful bandwidth over bytes under way per lane");
    ui.horizontal_wrapped(|ui| {
        let settings = view.state.settings;
        for (scale, name) in [(RateScale::Rate, "GB/s"), (RateScale::Share, "% of best read")] {
            if ui.selectable_label(settings.scale == scale, name).clicked() {
                out.push(Command::Settings(Settings { scale, ..settings }));
            }
        }
    });
    let chart = chart(view);
    if ui.available_width() >= WIDE {
        parts::columns(ui, 2, |column, ui| match column {
            0 => chart_painter::show(ui, "width-bandwidth", &chart, view.palette, 320.0),
            _ => table(ui, view),
        });
    } else {
        chart_painter::show(ui, "width-bandwidth", &chart, view.palette, 300.0);
        table(ui, view);
    }
}

/// The plot as plain data.
#[must_use]
pub(super) fn chart(view: &View<'_>) -> Chart {
    let share = view.state.settings.scale == RateScale::Share;
    let mut series = Vec::new();
    series.extend(roof(view, share));
    let of = |is: fn(&Origin) -> bool| -> Vec<&Document> {
        view.state.documents.shown().filter(|document| is(&document.origin)).collect()
    };
    let recorded = of(|origin| *origin == Origin::Recorded);
    if let Some(document) = recorded.last() {
        series.extend(measured(&recorded, &format!("recorded ({})", document.adapter()), Ink::Recorded, share));
    }
    for (k, document) in of(|origin| matches!(origin, Origin::File(_))).into_iter().enumerate() {
        series.extend(measured(&[document], &document.title(), Ink::File(k), share));
    }
    let own = of(|origin| matches!(origin, Origin::Session(_)));
    series.extend(measured(&own, "this machine", Ink::Measured, share));
    let mut ticks: Vec<f64> = patterns().iter().map(bytes_under_way).collect();
    ticks.sort_by(f64::total_cmp);
    ticks.dedup();
    Chart {
        title: "Useful bandwidth by width and loads".to_owned(),
        x_label: "bytes a lane has under way: width x loads".to_owned(),
        y_label: if share { "% of the best read".to_owned() } else { "useful GB/s".to_owned() },
        y_scale: if share { Scale::Linear } else { Scale::Log2 },
        x_ticks: ticks,
        series,
        regions: Vec::new(),
        here: Vec::new(),
    }
}

/// What the bytes alone allow, had memory always enough to do: the prediction knows nothing of bytes under way.
fn roof(view: &View<'_>, share: bool) -> Option<Series> {
    let read = |document: &Document| document.results()?.reference.read.filter(|rate| *rate > 0.0);
    let of = |is: fn(&Origin) -> bool| {
        view.state.documents.shown().filter(|document| is(&document.origin)).filter_map(read).last()
    };
    let own = of(|origin| matches!(origin, Origin::Session(_))).map(|rate| (rate, "this machine's"));
    let (best, whose) = own.or_else(|| of(|origin| *origin == Origin::Recorded).map(|rate| (rate, "the recorded")))?;
    let mut dots: Vec<Dot> = Vec::new();
    for pattern in patterns() {
        let x = bytes_under_way(&pattern);
        if dots.iter().any(|dot| dot.x == x) {
            continue;
        }
        let prediction = view.prediction(&pattern)?;
        let band = prediction.as_ref().as_ref().ok()?.useful_gb_per_s(best)?;
        let rate = f64::midpoint(band.low, band.high);
        dots.push(Dot::new(x, if share { 100.0 * rate / best } else { rate }));
    }
    let name = format!("predicted with memory full, by {whose} best");
    Some(Series::new(name, Ink::Predicted, ChartMark::Line, dots))
}

/// A series for each width: shape tells the width, colour whose it is. Of several documents the newest counts.
fn measured(documents: &[&Document], name: &str, ink: Ink, share: bool) -> Vec<Series> {
    let marks = [ChartMark::Disc, ChartMark::Square, ChartMark::Diamond];
    let one = |(width, mark): (&'static str, ChartMark)| {
        let dots = LOADS.into_iter().filter_map(|loads| {
            let pattern = pattern(width, loads)?;
            documents.iter().rev().find_map(|document| {
                let best = document.results()?.reference.read.filter(|best| *best > 0.0);
                let best = if share { Some(best?) } else { None };
                dot(&pattern, found::row(document, &pattern)?, best)
            })
        });
        let dots: Vec<Dot> = dots.collect();
        (!dots.is_empty()).then(|| Series::new(format!("{width}, {name}"), ink, mark, dots))
    };
    WIDTHS.into_iter().zip(marks).filter_map(one).collect()
}

/// The same figures by width and loads.
fn table(ui: &mut egui::Ui, view: &View<'_>) {
    ui.add_space(4.0);
    egui::ScrollArea::horizontal().id_salt("width-table").show(ui, |ui| grid(ui, view));
    ui.add_space(4.0);
    reading(ui, view);
}

fn grid(ui: &mut egui::Ui, view: &View<'_>) {
    egui::Grid::new("width-grid").num_columns(LOADS.len() + 1).spacing([18.0, 8.0]).striped(true).show(ui, |ui| {
        ui.strong("GB/s");
        for loads in LOADS {
            ui.strong(if loads == 1 { "1 load".to_owned() } else { format!("{loads} loads") });
        }
        ui.end_row();
        for width in WIDTHS {
            let bytes = Element::named(width).bytes;
            ui.label(RichText::new(format!("{width}, {bytes} B")).strong());
            for loads in LOADS {
                let Some(pattern) = pattern(width, loads) else { continue };
                cell(ui, view, width, loads, &rates(view, &pattern));
            }
            ui.end_row();
        }
    });
}

/// How to read it.
fn reading(ui: &mut egui::Ui, view: &View<'_>) {
    let title = pattern(WIDTHS[0], 1).map(|pattern| rates(view, &pattern).recorded_title).unwrap_or_default();
    parts::remark(ui, view, format!("Upper figure: this machine. Lower, grey: {title}."));
    let best = [("f32", 1), ("f32", 4), ("vec4", 1), ("vec4", 8)].map(|(width, loads)| {
        let rate = rates(view, &pattern(width, loads)?).recorded?;
        Some(format_gb_per_s(rate))
    });
    if let [Some(one), Some(four), Some(wide), Some(full)] = best {
        parts::remark(
            ui,
            view,
            format!(
                "Read the grey ones: one f32 a lane reaches {one} GB/s. Four loads of it ({four}) and one vec4 ({wide}) put \
                 the same 16 bytes under way and fare alike. Eight vec4 reach {full}: memory was full before."
            ),
        );
    }
}

fn cell(ui: &mut egui::Ui, view: &View<'_>, width: &str, loads: u32, rates: &Rates) {
    ui.vertical(|ui| {
        let here = rates.here.map(format_gb_per_s);
        let color = if here.is_some() { view.palette.measured } else { view.palette.weak };
        let response = ui.label(RichText::new(here.as_deref().unwrap_or("-")).strong().color(color));
        let name = format!("{width}, loads {loads}, here: {}", here.as_deref().unwrap_or("not measured"));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
        if let Some(rate) = rates.recorded {
            let rate = format_gb_per_s(rate);
            let response = ui.label(RichText::new(&rate).color(view.palette.recorded));
            let name = format!("{width}, loads {loads}, recorded: {rate}");
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
        }
    });
}
