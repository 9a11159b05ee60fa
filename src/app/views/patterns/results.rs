//! The list of results, and what held the picked one back.

use eframe::egui::{self, RichText};

use crate::app::command::Command;
use crate::app::documents::{Document, Origin};
use crate::app::forecast::Pattern;
use crate::app::views::{View, found, keep, parts};
use crate::record::{Limit, LimitKind, Results, Row};
use crate::units::{Bytes, format_gb_per_s};

/// Share of the window's height that the list may have: the code below it stays in sight.
const SHARE: f32 = 0.26;
const LEAST: f32 = 120.0;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    parts::title(ui, "Results");
    let documents = view.state.documents.all();
    // The newest first; the recorded ones stand in the plot, not here.
    let listed = |document: &Document| document.origin != Origin::Recorded && document.results().is_some();
    let places: Vec<usize> = (0..documents.len()).rev().filter(|place| listed(&documents[*place])).collect();
    if places.is_empty() {
        parts::remark(ui, view, "Nothing is measured yet. Grey points in the plot are recorded on another machine.");
    }
    if places.iter().any(|place| documents[*place].rows().any(|row| is_superseded(view, &documents[*place], row))) {
        let text = "Strong counts: the newest of a pattern, over its largest footprint.";
        parts::remark(ui, view, text);
    }
    let height = (SHARE * ui.ctx().content_rect().height()).max(LEAST);
    egui::ScrollArea::vertical().id_salt("results-list").max_height(height).show(ui, |ui| {
        for (number, place) in places.into_iter().enumerate() {
            ui.scope(|ui| list(ui, view, (place, &documents[place]), number == 0 && !documents[place].earlier, out));
        }
    });
    parts::words(ui, view, &["footprint, items, gather, traverse"]);
    let picked = view.state.picked.and_then(|(place, row)| {
        let document = documents.get(place)?;
        Some((document, document.results()?.rows.get(row)?))
    });
    if let Some((document, row)) = picked.or_else(|| newest(view)) {
        ui.separator();
        details(ui, view, document, row);
    }
}

/// The newest result of the pattern that is looked at.
fn newest<'a>(view: &View<'a>) -> Option<(&'a Document, &'a Row)> {
    let own = view.state.documents.all().iter().rev().filter(|document| document.origin != Origin::Recorded);
    own.into_iter().find_map(|document| {
        let mut rows = document.results()?.rows.iter();
        let row = rows.find(|row| row.measured.is_some() && view.state.pattern.matches(row, None))?;
        Some((document, row))
    })
}

/// Whether another measurement of the same pattern on this machine counts instead.
fn is_superseded(view: &View<'_>, document: &Document, row: &Row) -> bool {
    if row.measured.is_none() || !matches!(document.origin, Origin::Session(_)) {
        return false;
    }
    let counts = Pattern::of_row(row).and_then(|pattern| found::here(view, &pattern));
    counts.is_some_and(|(_, counting)| !std::ptr::eq(counting, row))
}

/// A document's line, and its rows where it is unfolded: the newest of this window is, others by a click.
fn list(
    ui: &mut egui::Ui,
    view: &View<'_>,
    (place, document): (usize, &Document),
    is_newest: bool,
    out: &mut Vec<Command>,
) {
    let Some(results) = document.results() else { return };
    let title = document.title();
    // Places change as documents come and go; a run has one beginning.
    let id = egui::Id::unique(("unfolded", &title, &results.started_at));
    let mut unfolded = ui.data(|data| data.get_temp(id)).unwrap_or(is_newest);
    ui.horizontal(|ui| {
        let button = |ui: &mut egui::Ui, sign: &str, name: String, tip: &str| {
            let response = ui.small_button(sign).on_hover_text(tip);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
            response.clicked()
        };
        let fold = format!("{} {title}", if unfolded { "Fold" } else { "Unfold" });
        if button(ui, if unfolded { "-" } else { "+" }, fold, "Shows or hides its rows.") {
            unfolded = !unfolded;
            ui.ctx().data_mut(|data| data.insert_temp(id, unfolded));
        }
        if button(ui, "x", format!("Close {title}"), "Put it away.") {
            out.push(Command::Close(place));
        }
        let mut shown = document.shown;
        let response = ui.add(egui::Checkbox::without_text(&mut shown)).on_hover_text("Show it in the plot.");
        let name = format!("Plot {title}");
        response.widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, shown, &name));
        if response.changed() {
            out.push(Command::Overlay(place, shown));
        }
        ui.add(egui::Label::new(RichText::new(&title).strong()).truncate());
    });
    if !unfolded {
        return;
    }
    keep::results(ui, &title, results, out);
    ui.spacing_mut().button_padding = egui::vec2(8.0, 2.0);
    ui.spacing_mut().interact_size.y = ROW_HEIGHT;
    rows_in_sight(ui, results.rows.len(), |ui, number| {
        let row = &results.rows[number];
        let picked = view.state.picked == Some((place, number));
        let text = RichText::new(line(document, row));
        let (text, tip) = if is_superseded(view, document, row) {
            (
                text.color(view.palette.weak),
                "Another result of this pattern counts: a newer one, or a larger footprint.",
            )
        } else {
            (text.strong(), "Look at it.")
        };
        let button = egui::Button::selectable(picked, text).truncate();
        if ui.add(button).on_hover_text(tip).clicked() {
            out.push(Command::Pick((!picked).then_some((place, number))));
        }
    });
}

/// Height of a row of the list, points.
const ROW_HEIGHT: f32 = 22.0;

/// Of so many rows of one height those that can be seen, and room for the others: a file may have thousands.
fn rows_in_sight(ui: &mut egui::Ui, count: usize, mut show: impl FnMut(&mut egui::Ui, usize)) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let (top, sight) = (ui.cursor().top(), ui.clip_rect());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rows of a screen; a cast saturates")]
    let row_at = |y: f32| (((y - top) / ROW_HEIGHT).max(0.0) as usize).min(count);
    // One row more on each side, so that the keyboard's focus can walk out of sight.
    let (first, end) = (row_at(sight.top()).saturating_sub(1), (row_at(sight.bottom()) + 2).min(count));
    #[expect(clippy::cast_precision_loss, reason = "rows of a list")]
    let room = |rows: usize| rows as f32 * ROW_HEIGHT;
    ui.add_space(room(first));
    (first..end).for_each(|number| show(ui, number));
    ui.add_space(room(count - end));
}

/// `stride 8: 568 GB/s`, or how it ended.
fn line(document: &Document, row: &Row) -> String {
    let name = Pattern::of_row(row).map_or_else(|| row.kernel.clone(), |pattern| pattern.name());
    format!("{name}: {}", outcome(document, row))
}

/// The rate of a product is its arithmetic; of other rows their bytes, where they move any.
fn outcome(document: &Document, row: &Row) -> String {
    let rate = row.measured.as_ref().and_then(|measured| {
        let useful = measured.useful_gb_per_s.filter(|_| row.matmul.is_none());
        let useful = useful.map(|rate| format!("{} GB/s", format_gb_per_s(rate)));
        useful.or_else(|| measured.gflop_per_s.map(|rate| format!("{} GFLOP/s", format_gb_per_s(rate))))
    });
    match (found::refused(document, row), rate) {
        (None, Some(rate)) => rate,
        (None, None) => "predicted only".to_owned(),
        (Some("waiting"), Some(rate)) => format!("{rate} so far"),
        (Some(words), _) => words.to_owned(),
    }
}

/// What came of a row: its rate, ratio and limit, what must be known of it.
pub(in crate::app::views) fn details(ui: &mut egui::Ui, view: &View<'_>, document: &Document, row: &Row) {
    let software = document.results().is_some_and(Results::is_software);
    ui.strong(line(document, row));
    if let Some(measured) = &row.measured {
        let (footprint, samples) = (Bytes(row.work.footprint_bytes), measured.samples_ns.len());
        parts::remark(ui, view, format!("Over {footprint}, {samples} samples, {}.", document.title()));
    }
    if let Some(reason) = &row.reason {
        ui.colored_label(view.palette.bad, reason);
    }
    if let Some(ratio) = row.measured_over_predicted.filter(|_| !software) {
        ui.label(format!("Measured over predicted: {ratio:.2}."));
    }
    match &row.limit {
        Some(limit) => {
            ui.label(sentence(limit));
        }
        None if software => {
            ui.label("This is a CPU. The counts hold, the speeds do not.");
        }
        None => {}
    }
    for warning in &row.warnings {
        parts::remark(ui, view, &warning.text);
    }
}

/// What held a row back, in a sentence, with its evidence.
#[must_use]
fn sentence(limit: &Limit) -> String {
    let what = match limit.kind {
        LimitKind::Roof => "As fast as it gets",
        LimitKind::Lineup => "Held back by the lineup",
        LimitKind::Width => "Held back by the width: too few bytes in flight",
        LimitKind::Cache => "A cache absorbed it",
        LimitKind::Page => "Held back by pages and their tables",
        LimitKind::Conflict => "Held back by the banks of workgroup memory",
        LimitKind::Compute => "Held back by arithmetic, not by memory",
        LimitKind::Launch => "Too little work: starting it costs more than doing it",
        LimitKind::SafetyChecks => "Held back by safety checks",
        LimitKind::Unexplained => "Not explained",
    };
    let evidence = limit.evidence.trim_end_matches('.');
    if evidence.is_empty() { format!("{what}.") } else { format!("{what}. {}.", capitalised(evidence)) }
}

/// With a large first letter.
fn capitalised(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
