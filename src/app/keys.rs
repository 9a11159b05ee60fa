//! Keys of the whole window, and their list.

use eframe::egui::{self, Key};

use super::command::Command;
use super::shell::toggled;
use super::state::{State, Tab};
use super::views::{self, View, parts};

/// Keys of the whole window, for the list under `?`.
const KEYS: [(&str, &str); 10] = [
    ("1 2 3 4 5", "the views (with Alt where something is typed)"),
    ("M, S", "the first and the second button below: measure, sweep"),
    ("Esc", "stop; close this list"),
    ("P", "pin the pattern as A, or let go of it"),
    ("C", "cover the answer, or show it"),
    ("L", "count by the lesson's model, or by this GPU's"),
    ("T", "dark or light"),
    ("Left, Right", "in Learn: back, next"),
    ("Ctrl + / Ctrl -", "larger, smaller"),
    ("Tab, arrows, Enter", "from control to control, and use them"),
];

/// Carries out what was pressed, and shows the list where it is asked for.
pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let state = view.state;
    if state.keys_shown {
        let shown = egui::Modal::new(egui::Id::unique("keys")).show(ui.ctx(), |ui| {
            parts::title(ui, "Keys");
            egui::Grid::new("keys").spacing([24.0, 6.0]).show(ui, |ui| {
                for (key, what) in KEYS {
                    ui.strong(key);
                    ui.add(egui::Label::new(what).extend());
                    ui.end_row();
                }
            });
            ui.button("Close").clicked()
        });
        if shown.inner || shown.backdrop_response.clicked() {
            out.push(Command::Keys(false));
        }
    }
    // A field that is typed into has the letters for itself.
    if ui.ctx().text_edit_focused() {
        return;
    }
    // Learn takes guesses: a digit that misses the entry must not lead away.
    let leads = |modifiers: egui::Modifiers| {
        modifiers == egui::Modifiers::ALT || (modifiers.is_none() && state.tab != Tab::Learn)
    };
    for (key, tab) in [Key::Num1, Key::Num2, Key::Num3, Key::Num4, Key::Num5].into_iter().zip(Tab::ALL) {
        if ui.input(|input| leads(input.modifiers) && input.key_pressed(key)) {
            out.push(Command::Show(tab));
        }
    }
    let can_start = state.run.is_idle() && state.device.found().is_some();
    let action = |place: usize| {
        Some(views::actions(view).get(place).filter(|action| can_start && action.ready)?.command.clone())
    };
    let letters = [
        (Key::M, action(0)),
        (Key::S, action(1)),
        (Key::P, Some(if state.pinned.is_some() { Command::Unpin } else { Command::Pin })),
        (Key::C, Some(Command::Cover(!state.covered))),
        (Key::T, Some(Command::Settings(toggled(state.settings, view.palette.dark)))),
        (Key::L, other_model(state)),
        (Key::Escape, Some(if state.keys_shown { Command::Keys(false) } else { Command::Stop })),
        (Key::Questionmark, Some(Command::Keys(!state.keys_shown))),
    ];
    for (key, command) in letters {
        if ui.input(|input| !input.modifiers.command && !input.modifiers.alt && input.key_pressed(key)) {
            out.extend(command);
        }
    }
}

fn other_model(state: &State) -> Option<Command> {
    use super::state::ModelChoice::{Lesson, ThisGpu};
    match state.model {
        ThisGpu => Some(Command::Model(Lesson)),
        Lesson => state.device.found().map(|_| Command::Model(ThisGpu)),
    }
}
