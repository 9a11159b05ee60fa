//! The view "Learn": ten steps of predict, run, explain. A question, a guess, and only then the answer.

mod answer;
mod banks;
mod compare;
mod ending;
mod guess;
mod steps;
mod turning;

use std::rc::Rc;

use eframe::egui;

use super::patterns::sheet;
use super::{Action, View, keep, parts};
use crate::app::command::Command;
use crate::app::forecast::{Pattern, Setup, WorkgroupTrace};
use crate::app::lessons::{self, Ask, Course, Page, Question};
use crate::app::update;
use crate::memory_model::LESSON;

/// What it is about.
pub const SENTENCE: &str = "Ten steps: guess, measure, and see why.";

/// From this width on, the steps have a column of their own.
const WIDE: f32 = 880.0;
/// From this height on, Back and Next stay visible.
const TALL: f32 = 330.0;
/// Lines longer than this are hard to read.
const LINE: f32 = 1000.0;

/// Draws it.
pub fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let course = match lessons::course() {
        Ok(course) => course,
        Err(reason) => {
            egui::CentralPanel::default().show(ui, |ui| {
                parts::sentence(ui, view, "The lesson's file cannot be read.");
                parts::remark(ui, view, reason);
            });
            return;
        }
    };
    let (wide, tall) = (ui.available_width() >= WIDE, ui.available_height() >= TALL);
    if wide {
        egui::Panel::left("learn-steps").resizable(false).exact_size(268.0).show(ui, |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| steps::column(ui, view, course, out));
        });
    }
    if tall {
        egui::Panel::bottom("learn-turn").show(ui, |ui| turning::bar(ui, view, course, out));
    }
    egui::CentralPanel::default().show(ui, |ui| {
        // A page that is opened begins at its top.
        egui::ScrollArea::vertical().id_salt(view.state.learn.page).auto_shrink(false).show(ui, |ui| {
            if !wide {
                steps::row(ui, view, course, out);
                ui.separator();
            }
            match view.state.learn.page {
                Page::Question { .. } => question(ui, view, course, out),
                Page::Recall => ending::recall(ui, view, course, out),
                Page::Differs => ending::differs(ui, view, course),
            }
            if !tall {
                ui.separator();
                turning::bar(ui, view, course, out);
            }
        });
    });
    turning::keys(ui, view, course, out);
}

fn question(ui: &mut egui::Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    let learn = &view.state.learn;
    let Some((step, question, place)) = learn.question(course) else { return };
    let number = course.steps.iter().position(|other| other.id == step.id).unwrap_or_default() + 1;
    ui.scope(|ui| {
        ui.set_max_width(LINE.min(ui.available_width()));
        let of = if step.questions.len() > 1 {
            format!(", question {} of {}", place + 1, step.questions.len())
        } else {
            String::new()
        };
        parts::remark(ui, view, format!("Step {number} of {}{of}", course.steps.len()));
        parts::title(ui, &step.title);
        parts::figures(ui, &question.text, view.palette.text);
        parts::words(ui, view, &texts(question));
        guess::show(ui, view, course, question, out);
    });
    if view.state.covered {
        let guessed = learn.guess(course).is_some();
        let text = if guessed { "The answer is covered." } else { "The answer comes once you have guessed." };
        parts::remark(ui, view, text);
        return;
    }
    let trace = trace(view, &question.pattern);
    let trace = trace.as_deref();
    answer::show(ui, view, course, question, trace);
    if learn.guess(course).is_some() {
        compare::show(ui, view, course, step, question, out);
    }
    answer::plot(ui, view, question);
    ui.separator();
    keep::show(ui, view, "sectorscope-lesson", &|| sheet::sheet(view), out);
}

/// What a learner reads before the guess, and after it.
fn texts(question: &Question) -> Vec<&str> {
    let mut texts = vec![question.text.as_str()];
    if let Ask::Choices(all) = &question.ask {
        texts.extend(all.iter().map(|choice| choice.text.as_str()));
    }
    texts.push(&question.explain);
    texts
}

/// Its buttons: what to measure, once there is a guess.
#[must_use]
pub fn actions(view: &View<'_>) -> Vec<Action> {
    let Ok(course) = lessons::course() else { return Vec::new() };
    let Some((step, question, _)) = view.state.learn.question(course) else { return Vec::new() };
    if view.state.covered || view.state.learn.guess(course).is_none() || question.rows.is_empty() {
        return Vec::new();
    }
    let rows = step.rows();
    vec![Action {
        label: "Measure on this GPU".to_owned(),
        tip: format!("Runs {}.", compare::names(&rows).join("; ")),
        command: Command::Run {
            what: format!("step: {}", step.title),
            request: Box::new(update::request(view.state, rows)),
        },
        ready: true,
        main: true,
    }]
}

/// Counts by the lesson's model, whatever model the other views count by.
fn setup(view: &View<'_>) -> Setup {
    Setup { model: LESSON.clone(), ..view.state.setup() }
}

/// What a first workgroup touches, or why that is not known.
type Traced = Rc<Result<WorkgroupTrace, String>>;

/// What the first workgroup touches; `None` until it is worked out.
fn trace(view: &View<'_>, pattern: &Pattern) -> Option<Traced> {
    if pattern.kernel.family == "matmul" {
        view.forecasts.trace_soon(pattern, &setup(view))
    } else {
        Some(view.forecasts.trace(pattern, &setup(view)))
    }
}
