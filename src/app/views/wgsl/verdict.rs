//! The line that wastes most, why, and what would help; then the sums and what a reader must know.

use eframe::egui;

use crate::app::command::Command;
use crate::app::forecast::{Own, OwnCounts};
use crate::app::own::Act;
use crate::app::views::{View, parts};
use crate::record::prediction::{AccessCount, Cure, LineCount, PredictionDocument};
use crate::units::format_tenths;

/// What a line pays, and the least it could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) paid: u64,
    pub(super) ideal: u64,
    pub(super) unit: &'static str,
}

/// A line's sectors; its passes over the banks where it has no sectors.
pub(super) fn cost(line: &LineCount) -> Cost {
    match (line.sectors, line.wavefronts) {
        (None, Some(paid)) => Cost { paid, ideal: line.ideal_wavefronts.unwrap_or(paid), unit: "wavefronts" },
        (sectors, _) => {
            let paid = sectors.unwrap_or(0);
            Cost { paid, ideal: line.ideal_sectors.unwrap_or(paid), unit: "sectors" }
        }
    }
}

/// The line that pays most beyond what it must.
pub(super) fn worst_line(document: &PredictionDocument) -> Option<&LineCount> {
    document.worst_lines().into_iter().next()
}

pub(super) fn headline(ui: &mut egui::Ui, view: &View<'_>, own: &Own) {
    let Some(counts) = &own.counts else {
        let text = if own.fault().is_some() { "This text has an error: see below it." } else { "Counting .." };
        parts::sentence(ui, view, text);
        return;
    };
    let document = &counts.document;
    let Some(line) = worst_line(document) else {
        parts::sentence(ui, view, "No line costs more than it must.");
        return waiting(ui, view, own);
    };
    let cost = cost(line);
    let text = format!("Line {} wastes most: {} {}, where {} would do.", line.line, cost.paid, cost.unit, cost.ideal);
    parts::sentence(ui, view, &text);
    let of_line = document.accesses.iter().filter(|access| access.line == line.line);
    if let Some(cause) = of_line.max_by_key(|access| access.excess()).and_then(cause) {
        ui.add(egui::Label::new(cause).wrap());
    }
    waiting(ui, view, own);
}

fn cause(access: &AccessCount) -> Option<String> {
    Some(format!("{}: {}.", access.variable, access.cause.as_deref()?.trim_end_matches('.')))
}

/// Whose counts these are, while others are worked out.
fn waiting(ui: &mut egui::Ui, view: &View<'_>, own: &Own) {
    if !own.newest.current {
        parts::remark(ui, view, "Counting .. until then the counts are those of the text before.");
    } else if !own.newest.complete {
        parts::remark(ui, view, "Looking for a cure ..");
    }
}

/// Changes that the interpreter has run and found better.
pub(super) fn cures(ui: &mut egui::Ui, view: &View<'_>, own: &Own, out: &mut Vec<Command>) {
    let Some(counts) = own.counts.as_ref().filter(|_| own.is_current()) else { return };
    for cure in &counts.document.cures {
        ui.horizontal_top(|ui| {
            let button = ui.add(parts::main_button(view, "Apply"));
            let name = format!("Apply the cure of line {}: {}", cure.line, cure.kind);
            button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
            if button.on_hover_text("Changes the text. Undo with Ctrl+Z.").clicked() {
                out.push(Command::Own(Act::Text(cured(counts, cure))));
            }
            ui.add(egui::Label::new(format!("Cure: {}.", cure.text.trim_end_matches('.'))).wrap());
        });
    }
}

/// The text with a cure's lines in place of its own.
fn cured(counts: &OwnCounts, cure: &Cure) -> String {
    let lines =
        counts.text.split('\n').zip(1u32..).map(|(text, line)| {
            cure.edits.iter().find(|edit| edit.line == line).map_or(text, |edit| edit.text.as_str())
        });
    lines.collect::<Vec<_>>().join("\n")
}

/// Sums, warnings, and what the counts mean.
pub(super) fn sums(ui: &mut egui::Ui, view: &View<'_>, own: &Own) {
    let Some(counts) = &own.counts else { return };
    let document = &counts.document;
    parts::title(ui, "Over the workgroups that were counted");
    let totals = &document.totals;
    let share = totals
        .request_efficiency
        .map_or(String::new(), |share| format!(", {} % of their bytes used", format_tenths(share)));
    let [x, y, z] = document.dispatch;
    let size = document.workgroup_size;
    ui.add(
        egui::Label::new(format!(
            "{}: {} requests, {} sectors (at best {}){share}.",
            document.entry_point, totals.requests, totals.sectors, totals.ideal_sectors
        ))
        .wrap(),
    );
    parts::remark(
        ui,
        view,
        format!(
            "{x} x {y} x {z} workgroups of {} x {} x {} lanes; counted over {}. As written: a driver may merge accesses \
             or move them out of loops.",
            size[0], size[1], size[2], document.traced
        ),
    );
    for warning in &document.warnings {
        let place = warning.line.map_or(String::new(), |line| format!("Line {line}: "));
        ui.add(
            egui::Label::new(egui::RichText::new(format!("{place}{}", warning.text)).color(view.palette.fair)).wrap(),
        );
    }
}
