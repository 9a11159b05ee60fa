//! The list of steps, with how far each is: told by shape, and by a word.

use eframe::egui::{self, Button, RichText, Sense, Stroke, WidgetInfo, pos2, vec2};

use crate::app::command::Command;
use crate::app::lessons::{Act, Course, Page, StepState};
use crate::app::views::{View, parts};

/// What stands behind the steps.
pub(super) const AFTER: [(Page, &str, &str); 2] =
    [(Page::Recall, "Card", "In one breath"), (Page::Differs, "Differs", "Where claims and hardware differ")];

/// As a column.
pub(super) fn column(ui: &mut egui::Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    parts::title(ui, super::SENTENCE);
    parts::remark(ui, view, view.state.learn.progress.sentence(course));
    ui.add_space(4.0);
    for (place, step) in course.steps.iter().enumerate() {
        let state = view.state.learn.progress.state(step);
        let text = format!("{}  {}", place + 1, step.title);
        ui.horizontal(|ui| {
            mark(ui, view, state);
            let response = ui.add(Button::selectable(is_open(view, place), text).wrap());
            name(&response, place, &step.title, state);
            if response.on_hover_text(state.name()).clicked() {
                out.push(Command::Learn(Act::Step(place)));
            }
        });
    }
    ui.separator();
    for (page, _, title) in AFTER {
        if ui.add(Button::selectable(view.state.learn.page == page, title).wrap()).clicked() {
            out.push(Command::Learn(Act::Go(page)));
        }
    }
    ui.separator();
    if ui.button("Start again").on_hover_text("Forgets all guesses.").clicked() {
        out.push(Command::Learn(Act::Restart));
    }
}

/// As a row of numbers, where there is no room for titles.
pub(super) fn row(ui: &mut egui::Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().button_padding = vec2(7.0, 4.0);
        for (place, step) in course.steps.iter().enumerate() {
            let state = view.state.learn.progress.state(step);
            let mut text = RichText::new((place + 1).to_string());
            if state == StepState::Open {
                text = text.color(view.palette.weak);
            } else {
                text = text.strong().underline();
            }
            let response = ui.add(Button::selectable(is_open(view, place), text));
            name(&response, place, &step.title, state);
            if response.on_hover_text(format!("{}: {}", step.title, state.name())).clicked() {
                out.push(Command::Learn(Act::Step(place)));
            }
        }
        for (page, short, title) in AFTER {
            let response = ui.add(Button::selectable(view.state.learn.page == page, short)).on_hover_text(title);
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, title));
            if response.clicked() {
                out.push(Command::Learn(Act::Go(page)));
            }
        }
    });
}

fn is_open(view: &View<'_>, place: usize) -> bool {
    matches!(view.state.learn.page, Page::Question { step, .. } if step == place)
}

fn name(response: &egui::Response, place: usize, title: &str, state: StepState) {
    let text = format!("Step {}: {title}, {}", place + 1, state.name());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
}

/// An empty circle, one with a dot, a full one with a tick.
fn mark(ui: &mut egui::Ui, view: &View<'_>, state: StepState) {
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::hover());
    let (painter, centre) = (ui.painter(), rect.center());
    let stroke = |color| Stroke::new(1.5, color);
    match state {
        StepState::Open => {
            painter.circle_stroke(centre, 6.5, stroke(view.palette.weak));
        }
        StepState::Answered => {
            painter.circle_stroke(centre, 6.5, stroke(view.palette.accent));
            painter.circle_filled(centre, 3.0, view.palette.accent);
        }
        StepState::Done => {
            painter.circle_filled(centre, 7.5, view.palette.good);
            let at = |x: f32, y: f32| pos2(centre.x + x, centre.y + y);
            painter.line(vec![at(-3.5, 0.0), at(-1.0, 3.0), at(3.5, -3.0)], Stroke::new(2.0, view.palette.ground));
        }
    }
}
