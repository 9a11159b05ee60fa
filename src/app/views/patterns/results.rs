//! The list of results, and what held the picked one back.

use eframe::egui::{self, RichText};

use crate::app::command::Command;
use crate::app::documents::{Document, Origin};
use crate::app::views::{View, keep, parts};
use crate::record::{Limit, LimitKind, Results, Row, Status};
use crate::units::format_gb_per_s;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    parts::title(ui, "Results");
    let documents = view.state.documents.all();
    let mut any = false;
    // The newest first; the recorded ones stand in the plot, not here.
    for (place, document) in documents.iter().enumerate().rev() {
        if document.origin != Origin::Recorded && document.results().is_some() {
            any = true;
            ui.scope(|ui| list(ui, view, place, document, out));
        }
    }
    if !any {
        parts::remark(ui, view, "Nothing is measured yet. Grey points in the plot are recorded on another machine.");
    }
    let picked = view.state.picked.and_then(|place| view.state.documents.row(place));
    if let Some((results, row)) = picked.or_else(|| newest(view)) {
        ui.separator();
        details(ui, view, results, row);
    }
}

/// The newest result of the pattern that is looked at.
fn newest<'a>(view: &View<'a>) -> Option<(&'a Results, &'a Row)> {
    let own = view.state.documents.all().iter().rev().filter(|document| document.origin != Origin::Recorded);
    own.filter_map(Document::results).find_map(|results| {
        let row = results.rows.iter().find(|row| row.measured.is_some() && view.state.pattern.matches(row, None))?;
        Some((results, row))
    })
}

fn list(ui: &mut egui::Ui, view: &View<'_>, place: usize, document: &Document, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let mut shown = document.shown;
        let title = document.title();
        if ui.checkbox(&mut shown, RichText::new(&title).strong()).on_hover_text("Show it in the plot.").changed() {
            out.push(Command::Overlay(place, shown));
        }
        let response = ui.small_button("x").on_hover_text("Put it away.");
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Close {title}")));
        if response.clicked() {
            out.push(Command::Close(place));
        }
    });
    let Some(results) = document.results() else { return };
    keep::results(ui, &document.title(), results, out);
    ui.spacing_mut().button_padding = egui::vec2(8.0, 2.0);
    ui.spacing_mut().interact_size.y = 22.0;
    for (number, row) in results.rows.iter().enumerate() {
        let picked = view.state.picked == Some((place, number));
        if ui.selectable_label(picked, line(row)).clicked() {
            out.push(Command::Pick((!picked).then_some((place, number))));
        }
    }
}

/// `stride 8: 568 GB/s`, or how it ended.
fn line(row: &Row) -> String {
    let name = crate::app::forecast::Pattern::of_row(row).map_or_else(|| row.kernel.clone(), |pattern| pattern.name());
    format!("{name}: {}", outcome(row))
}

fn outcome(row: &Row) -> String {
    let rate = row.measured.as_ref().and_then(|measured| {
        let useful = measured.useful_gb_per_s.map(|rate| format!("{} GB/s", format_gb_per_s(rate)));
        useful.or_else(|| measured.gflop_per_s.map(|rate| format!("{} GFLOP/s", format_gb_per_s(rate))))
    });
    match (row.status, rate) {
        (Status::Ok, Some(rate)) => rate,
        (Status::Ok, None) => "predicted only".to_owned(),
        // A row that is left out says why; one whose turn is to come has no reason yet.
        (Status::Skipped, None) if row.reason.is_some() => "not measured".to_owned(),
        (Status::Skipped, None) => "waiting".to_owned(),
        (Status::Skipped, Some(rate)) => format!("{rate} so far"),
        (Status::Unsupported, _) => "cannot run here".to_owned(),
        (Status::Failed, _) => "failed".to_owned(),
    }
}

fn details(ui: &mut egui::Ui, view: &View<'_>, results: &Results, row: &Row) {
    ui.strong(line(row));
    if let Some(reason) = &row.reason {
        ui.colored_label(view.palette.bad, reason);
    }
    if let Some(ratio) = row.measured_over_predicted.filter(|_| !results.is_software()) {
        ui.label(format!("Measured over predicted: {ratio:.2}."));
    }
    match &row.limit {
        Some(limit) => {
            ui.label(sentence(limit));
        }
        None if results.is_software() => {
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
