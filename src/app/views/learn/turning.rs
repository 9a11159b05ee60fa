//! Back and Next, how far it is, and the keys of the view.

use eframe::egui::{self, Key, ProgressBar};

use super::guess;
use crate::app::command::Command;
use crate::app::lessons::{Act, Ask, Course, Page, pages};
use crate::app::views::{View, parts};

/// Back, Next, and how far it is.
pub(super) fn bar(ui: &mut egui::Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    let all = pages(course);
    let at = all.iter().position(|page| *page == view.state.learn.page).unwrap_or(0);
    ui.add_space(3.0);
    ui.horizontal_wrapped(|ui| {
        let back = at.checked_sub(1).and_then(|at| all.get(at));
        let next = all.get(at + 1);
        for (label, tip, page) in [("Back", "Left arrow", back), ("Next", "Right arrow", next)] {
            if ui.add_enabled(page.is_some(), egui::Button::new(label)).on_hover_text(tip).clicked() {
                out.extend(page.map(|page| Command::Learn(Act::Go(*page))));
            }
        }
        let share = (at + 1) as f32 / all.len() as f32;
        ui.add(ProgressBar::new(share).desired_width(120.0).desired_height(8.0).fill(view.palette.accent));
        parts::remark(ui, view, place(view.state.learn.page, &all));
    });
    ui.add_space(3.0);
}

/// `Question 3 of 19`, or the page after them.
fn place(page: Page, all: &[Page]) -> String {
    let questions: Vec<&Page> = all.iter().filter(|page| matches!(page, Page::Question { .. })).collect();
    match questions.iter().position(|other| **other == page) {
        Some(at) => format!("Question {} of {}", at + 1, questions.len()),
        None => "All questions are behind you".to_owned(),
    }
}

/// Left and Right turn the page, Down goes to the choices; a control in use has the keys for itself.
pub(super) fn keys(ui: &egui::Ui, view: &View<'_>, course: &Course, out: &mut Vec<Command>) {
    let free = !ui.ctx().egui_wants_keyboard_input() || guess::entry_is_empty(ui, view.state.learn.page);
    if !free {
        return;
    }
    let all = pages(course);
    let at = all.iter().position(|page| *page == view.state.learn.page).unwrap_or(0);
    let pressed = |key| ui.input(|input| input.modifiers.is_none() && input.key_pressed(key));
    let page: Option<&Page> = if pressed(Key::ArrowLeft) {
        at.checked_sub(1).and_then(|at| all.get(at))
    } else if pressed(Key::ArrowRight) {
        all.get(at + 1)
    } else {
        None
    };
    out.extend(page.map(|page| Command::Learn(Act::Go(*page))));
    let asks =
        view.state.learn.question(course).is_some_and(|(_, question, _)| matches!(question.ask, Ask::Choices(_)));
    if asks && pressed(Key::ArrowDown) {
        guess::focus_first_choice(ui, view.state.learn.page);
    }
}
