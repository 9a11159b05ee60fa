//! The list of steps, with how far each is: told by shape, and by a word.

use eframe::egui::{self, Button, RichText, Sense, Stroke, WidgetInfo, pos2, vec2};

use crate::app::command::Command;
use crate::app::lessons::{Act, Course, Page, Question, Step, StepState, counted, is_right};
use crate::app::views::{View, parts};

/// What stands behind the steps.
pub(super) const AFTER: [(Page, &str, &str); 2] =
    [(Page::Recall, "Card", "In one breath"), (Page::Differs, "Differs", "Where claims and hardware differ")];

/// As a column.
pub(super) fn column(ui: &mut egui::Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    // All of it should be in sight in a window of the usual size.
    ui.spacing_mut().item_spacing.y = 3.0;
    ui.spacing_mut().button_padding.y = 4.0;
    parts::title(ui, super::SENTENCE);
    parts::remark(ui, view, view.state.learn.progress.sentence(course));
    ui.add_space(4.0);
    for (place, step) in course.steps.iter().enumerate() {
        let state = Mark::of(view, step);
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
            let state = Mark::of(view, step);
            let mut text = RichText::new((place + 1).to_string());
            if state.step == StepState::Open {
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

/// How far a step is, and how well.
#[derive(Clone, Copy)]
struct Mark {
    step: StepState,
    /// Whether every guess was right.
    all_right: bool,
}

impl Mark {
    fn of(view: &View<'_>, step: &Step) -> Self {
        let progress = &view.state.learn.progress;
        let is_wrong = |(place, question): (usize, &Question)| {
            let guess = progress.guess(step, place)?;
            is_right(question, guess, |figure| {
                counted(figure, super::trace(view, &question.pattern)?.as_ref().as_ref().ok()?)
            })
        };
        let wrong = step.questions.iter().enumerate().any(|question| is_wrong(question) == Some(false));
        Self { step: progress.state(step), all_right: !wrong }
    }

    /// In words.
    fn name(self) -> String {
        let words = self.step.name();
        if self.all_right { words.to_owned() } else { format!("{words}, not all right") }
    }
}

fn name(response: &egui::Response, place: usize, title: &str, state: Mark) {
    let text = format!("Step {}: {title}, {}", place + 1, state.name());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, &text));
}

/// An empty circle, one with a dot, one with a tick: full where every guess was right.
fn mark(ui: &mut egui::Ui, view: &View<'_>, state: Mark) {
    let (rect, _) = ui.allocate_exact_size(vec2(16.0, 16.0), Sense::hover());
    let (painter, centre) = (ui.painter(), rect.center());
    let colour = if state.all_right { view.palette.good } else { view.palette.fair };
    let ring = |color| painter.circle_stroke(centre, 6.5, Stroke::new(1.5, color));
    match state.step {
        StepState::Open => {
            ring(view.palette.weak);
        }
        StepState::Answered => {
            ring(colour);
            painter.circle_filled(centre, 3.0, colour);
        }
        StepState::Done => {
            let at = |x: f32, y: f32| pos2(centre.x + x, centre.y + y);
            let tick = if state.all_right {
                painter.circle_filled(centre, 7.5, colour);
                view.palette.ground
            } else {
                ring(colour);
                colour
            };
            painter.line(vec![at(-3.5, 0.0), at(-1.0, 3.0), at(3.5, -3.0)], Stroke::new(2.0, tick));
        }
    }
}
