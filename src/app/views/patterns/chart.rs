//! The plot: measured beside predicted useful bandwidth along the axis of the pattern, and what must have moved.

use eframe::egui;

use super::along::{Along, Found};
use super::sweep;
use super::verdict::verdict;
use crate::app::command::Command;
use crate::app::documents::{Document, Origin};
use crate::app::forecast::Pattern;
use crate::app::picture::{Chart, ChartMark, Dot, Ink, Region, Scale, Series, chart_painter};
use crate::app::settings::{RateScale, Settings};
use crate::app::views::{View, parts};
use crate::kernels::element::Element;
use crate::record::{Band, Measured, Reference};

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>, height: f32) {
    let top = ui.cursor().top();
    ui.horizontal_wrapped(|ui| {
        parts::title(ui, "Useful bandwidth");
        let settings = view.state.settings;
        for (scale, name) in [(RateScale::Rate, "GB/s"), (RateScale::Share, "% of best read")] {
            if ui.selectable_label(settings.scale == scale, name).clicked() {
                out.push(Command::Settings(Settings { scale, ..settings }));
            }
        }
    });
    let Some(chart) = chart(view) else {
        parts::remark(ui, view, "This kernel has no parameter to plot along. Measure it: the result appears beside.");
        return;
    };
    if let Some(text) = verdict(view.state, &view.state.pattern) {
        ui.add(egui::Label::new(egui::RichText::new(text).color(view.palette.fair)).wrap());
    }
    if view.state.settings.scale == RateScale::Rate && is_far_below(view) {
        parts::remark(ui, view, "This machine and the recorded one are far apart: \"% of best read\" shows both.");
    }
    let used = ui.cursor().top() - top;
    chart_painter::show(ui, "useful-bandwidth", &chart, view.palette, (height - used - 4.0).max(150.0));
}

/// Whether this machine's best read is so far below the recorded one that one scale flattens both.
fn is_far_below(view: &View<'_>) -> bool {
    let read = |is: fn(&Origin) -> bool| {
        let documents = view.state.documents.shown().filter(move |document| is(&document.origin));
        documents.filter_map(|document| document.results()?.reference.read).last()
    };
    let own = read(|origin| matches!(origin, Origin::Session(_)));
    own.zip(read(|origin| *origin == Origin::Recorded)).is_some_and(|(own, recorded)| own < recorded / 30.0)
}

/// Which direction's rate a kernel is compared with.
fn direction(pattern: &Pattern, reference: &Reference) -> Option<f64> {
    match pattern.kernel.id {
        "read" | "gather" | "rows" | "traverse" => reference.read,
        "write" => reference.write,
        _ => reference.mixed.or(reference.read),
    }
}

/// The plot of the pattern that is looked at; `None` where its kernel has nothing to plot along.
pub(in crate::app::views) fn chart(view: &View<'_>) -> Option<Chart> {
    let pattern = &view.state.pattern;
    let axis = sweep::axis(pattern.kernel)?;
    let values = sweep::values(pattern);
    let share = view.state.settings.scale == RateScale::Share;
    let mut series = Vec::new();
    series.extend(predicted(view, axis, &values));
    let along = Along { pattern, axis, footprint: view.state.footprint_bytes() };
    let of = |is: fn(&Origin) -> bool| view.state.documents.shown().filter(move |document| is(&document.origin));
    // Several recorded runs of one machine: the first that has the pattern speaks for all.
    let recorded = of(|origin| *origin == Origin::Recorded).map(|one| (one, along.of_run(one)));
    let recorded = recorded.into_iter().find(|(_, found)| !found.is_empty());
    let own = along.of_session(of(|origin| matches!(origin, Origin::Session(_))));
    if let Some((document, found)) = &recorded {
        series.extend(measured(&document.title(), Ink::Recorded, ChartMark::Diamond, found, share));
        // One series of these is enough to see that memory is full: this machine's where there is one.
        if own.is_empty() {
            series.extend(moved("recorded: moved, with the bytes nobody asked for", Ink::Recorded, found, share));
        }
    }
    for (k, document) in of(|origin| matches!(origin, Origin::File(_))).enumerate() {
        series.extend(measured(&document.title(), Ink::File(k), ChartMark::Square, &along.of_run(document), share));
    }
    series.extend(moved("moved, with the bytes nobody asked for", Ink::Moved, &own, share));
    series.extend(measured("measured on this machine", Ink::Measured, ChartMark::Disc, &own, share));
    if let Some(pinned) = &view.state.pinned {
        let along = Along { pattern: pinned, ..along };
        let here = |found: &Found<'_>| pinned.number(axis).map(f64::from) == Some(found.x);
        let found = along.of_session(of(|origin| *origin != Origin::Recorded)).into_iter().filter(here);
        series.extend(measured("A (pinned)", Ink::Pinned, ChartMark::Diamond, &found.collect::<Vec<_>>(), share));
    }
    let places: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
    let here = pattern.number(axis).map(|value| (f64::from(value), "here".to_owned()));
    Some(Chart {
        title: format!("{} by {}", pattern.kernel.id, axis.replace('_', " ")),
        x_label: if axis == "stride" { "stride in elements".to_owned() } else { axis.replace('_', " ") },
        y_label: if share { "% of the best read".to_owned() } else { "useful GB/s".to_owned() },
        y_scale: if share { Scale::Linear } else { Scale::Log2 },
        x_ticks: if axis == "stride" { (0..=12).map(f64::from).map(f64::exp2).collect() } else { places },
        series,
        regions: regions(view, axis, &values),
        here: here.into_iter().collect(),
    })
}

/// What a rate is shown as: itself, or percent of its own run's reference.
fn shown(rate: f64, share: bool, reference: Option<f64>) -> Option<f64> {
    if share {
        reference.filter(|reference| *reference > 0.0).map(|reference| 100.0 * rate / reference)
    } else {
        Some(rate)
    }
}

/// Medians with their spread.
fn measured(name: &str, ink: Ink, mark: ChartMark, found: &[Found<'_>], share: bool) -> Option<Series> {
    let dot = |found: &Found<'_>| {
        let Measured { median_ns, p10_ns, p90_ns, useful_gb_per_s, .. } = found.row.measured.as_ref()?;
        let rate = useful_gb_per_s.as_ref()?;
        let at = |ns: f64| shown(rate * median_ns / ns, share, found.results.reference.read);
        Some(Dot { x: found.x, y: at(*median_ns)?, low: at(*p90_ns)?, high: at(*p10_ns)?, flag: found.flag() })
    };
    let dots: Vec<Dot> = found.iter().filter_map(dot).collect();
    (!dots.is_empty()).then(|| Series::new(name, ink, mark, dots))
}

/// Bytes that must have moved at the measured time; on a CPU nobody knows, because its caches are not the model's.
fn moved(name: &str, ink: Ink, found: &[Found<'_>], share: bool) -> Option<Series> {
    let dot = |found: &Found<'_>| {
        let Band { low, high } = found.row.implied_moved_gb_per_s.filter(|_| !found.results.is_software())?;
        let at = |rate: f64| shown(rate, share, found.results.reference.read);
        let y = at(f64::midpoint(low, high))?;
        Some(Dot { x: found.x, y, low: at(low)?, high: at(high)?, flag: found.flag() })
    };
    let dots: Vec<Dot> = found.iter().filter_map(dot).collect();
    (!dots.is_empty()).then(|| Series::new(name, ink, ChartMark::Triangle, dots))
}

/// The reference that a prediction is scaled by: this machine's where it was measured, else the recorded one's.
fn reference(view: &View<'_>) -> Option<(f64, String, f64)> {
    let pattern = &view.state.pattern;
    let of = |document: &Document| {
        let results = document.results()?;
        Some((direction(pattern, &results.reference)?, results.reference.read?))
    };
    let documents = view.state.documents.all();
    let own = documents.iter().rev().filter(|document| matches!(document.origin, Origin::Session(_))).find_map(of);
    let recorded = || documents.iter().filter(|document| document.origin == Origin::Recorded).find_map(of);
    match own {
        Some((rate, read)) => Some((rate, "predicted, from this machine's best rate".to_owned(), read)),
        None => recorded().map(|(rate, read)| (rate, "predicted, from the recorded best rate".to_owned(), read)),
    }
}

fn predicted(view: &View<'_>, axis: &'static str, values: &[u32]) -> Option<Series> {
    let (rate, name, read) = reference(view)?;
    let share = view.state.settings.scale == RateScale::Share;
    let dots = values.iter().filter_map(|value| {
        let prediction = view.prediction(&view.state.pattern.with(axis, *value))?;
        let band = prediction.as_ref().as_ref().ok()?.useful_gb_per_s(rate)?;
        let [low, high] = [band.low, band.high].map(|rate| shown(rate, share, Some(read)).unwrap_or(rate));
        let y = if band.is_one_number() { f64::midpoint(low, high) } else { (low * high).sqrt() };
        let (low, high) = if band.is_one_number() { (y, y) } else { (low, high) };
        Some(Dot { x: f64::from(*value), y, low, high, flag: None })
    });
    let dots: Vec<Dot> = dots.collect();
    (!dots.is_empty()).then(|| Series::new(name, Ink::Predicted, ChartMark::Line, dots))
}

/// Up to a sector from lane to lane every GPU does the same; beyond it depends on what memory delivers at a time.
fn regions(view: &View<'_>, axis: &str, values: &[u32]) -> Vec<Region> {
    let pattern = &view.state.pattern;
    let Some((first, last)) = values.first().zip(values.last()).filter(|_| axis == "stride") else { return Vec::new() };
    let pitch = Element::named(pattern.params.word("element")).pitch.max(1);
    let sector = f64::from((view.state.model().sector_bytes.value / pitch).max(1));
    let (first, last) = (f64::from(*first), f64::from(*last));
    if sector <= first || sector >= last {
        return Vec::new();
    }
    vec![
        Region { from: first, to: sector, label: "here every GPU agrees".to_owned() },
        Region { from: sector, to: last, label: "here your GPU answers".to_owned() },
    ]
}
