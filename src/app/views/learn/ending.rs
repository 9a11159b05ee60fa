//! What to take home, and where common claims and what was measured differ.

use eframe::egui::{self, RichText, Ui};

use super::compare;
use crate::app::command::Command;
use crate::app::lessons::{Act, Course, Figure, Page, counted, fill_rates, newest_run, recorded};
use crate::app::theme;
use crate::app::views::{View, parts};
use crate::record::Results;

/// The card of one breath, and the paragraph with the learner's own figures.
pub(super) fn recall(ui: &mut Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    ui.set_max_width(super::LINE.min(ui.available_width()));
    parts::title(ui, "In one breath");
    card(ui, view, |ui| {
        ui.add(egui::Label::new(RichText::new(&course.recall.card).text_style(theme::large())).wrap());
    });
    if ui.button("Copy the card").clicked() {
        out.push(Command::Copy(course.recall.card.clone()));
    }
    ui.add_space(12.0);
    parts::title(ui, "In your own figures");
    match paragraph(view, course) {
        Some(text) => {
            card(ui, view, |ui| {
                parts::sentence(ui, view, &text);
            });
            if ui.button("Copy the paragraph").clicked() {
                out.push(Command::Copy(text));
            }
        }
        None => to_measure(ui, view, course, out),
    }
    ui.add_space(12.0);
    parts::remark(ui, view, view.state.learn.progress.sentence(course));
}

/// The paragraph, once its rows were measured in one run on this machine.
#[must_use]
fn paragraph(view: &View<'_>, course: &Course) -> Option<String> {
    let recall = &course.recall;
    let rows = newest_run(&view.state.documents, &recall.rows)?;
    let adapter = rows.first()?.0.adapter.as_ref()?;
    let mut text = fill_rates(&recall.paragraph.replace("{device}", &adapter.name), &rows)?;
    for (place, row) in recall.rows.iter().enumerate() {
        let trace = super::trace(view, row)?;
        let used = counted(Figure::UsedPercent, trace.as_ref().as_ref().ok()?)?;
        text = text.replace(&format!("{{used_{place}}}"), &Figure::text(used));
    }
    if adapter.is_cpu() {
        text = format!("{text} {}", course.about.cpu);
    }
    Some(text)
}

/// What is missing for the paragraph, and which step measures it.
fn to_measure(ui: &mut Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    let wanted = &course.recall.rows;
    let names = compare::names(wanted).join(" and ");
    parts::remark(
        ui,
        view,
        format!(
            "A paragraph with the name and the figures of this machine's GPU stands here once {names} are measured."
        ),
    );
    let step = course.steps.iter().enumerate().find(|(_, step)| {
        let rows = step.rows();
        wanted.iter().all(|row| rows.contains(row))
    });
    let Some((place, step)) = step else { return };
    // The button that measures stands below a question with rows.
    let question = step.questions.iter().position(|question| !question.rows.is_empty()).unwrap_or(0);
    if ui.button(format!("Go to step {}: {}", place + 1, step.title)).clicked() {
        out.push(Command::Learn(Act::Go(Page::Question { step: place, question })));
    }
}

/// Claims, what was measured instead, on what and when.
pub(super) fn differs(ui: &mut Ui, view: &View<'_>, course: &Course) {
    ui.set_max_width(super::LINE.min(ui.available_width()));
    parts::title(ui, "Where claims and hardware differ");
    parts::remark(
        ui,
        view,
        "Rules of thumb are simpler than hardware. Here a measurement says something else than the rule.",
    );
    for differs in &course.differs {
        let rows: Option<Vec<_>> = differs.rows.iter().map(|row| recorded(&view.state.documents, row)).collect();
        let Some(rows) = rows else { continue };
        let Some(measured) = fill_rates(&differs.measured, &rows) else { continue };
        ui.add_space(8.0);
        card(ui, view, |ui| {
            let claim = RichText::new(format!("Claim: {}", differs.claim)).text_style(theme::title());
            ui.add(egui::Label::new(claim).wrap());
            ui.add(egui::Label::new(format!("Measured: {measured}")).wrap());
            if let Some((results, _)) = rows.first() {
                ui.add(egui::Label::new(RichText::new(source(results)).small().color(view.palette.weak)).wrap());
            }
        });
    }
}

/// `Recorded on an NVIDIA H200, not this machine, with this program on 2026-11-30 (vulkan, driver NVIDIA 580.159.04).`
#[must_use]
fn source(results: &Results) -> String {
    let date = results.started_at.split('T').next().unwrap_or_default();
    let adapter = results.adapter.as_ref();
    let name = adapter.map_or("", |adapter| &adapter.name);
    let driver = adapter.map_or_else(String::new, |adapter| {
        format!(" ({}, driver {} {})", adapter.backend, adapter.driver, adapter.driver_info)
    });
    format!("Recorded on an {name}, not this machine, with this program on {date}{driver}.")
}

fn card(ui: &mut Ui, view: &View<'_>, add: impl FnOnce(&mut Ui)) {
    egui::Frame::new()
        .fill(view.palette.ground)
        .stroke(egui::Stroke::new(1.0, view.palette.faint))
        .corner_radius(6)
        .inner_margin(14.0)
        .show(ui, |ui| {
            ui.set_width(ui.available_width());
            add(ui);
        });
}
