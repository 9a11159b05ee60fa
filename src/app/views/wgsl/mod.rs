//! The view "Your WGSL": a kernel of the user's own, what each of its lines costs, why, and what would help.

mod editor;
mod gutter;
mod inputs;
mod measured;
mod verdict;
mod world;

use eframe::egui;

use super::{Action, View, parts};
use crate::app::command::Command;
use crate::app::forecast::{Own, OwnKey};
use crate::app::own::Act;

/// From this width on, the inputs have a column of their own.
const WIDE: f32 = 900.0;

/// Draws it.
pub fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let own = forecast(view);
    if let Some(left) = own.newest.ask_in {
        ui.ctx().request_repaint_after(left);
    }
    dropped(ui, out);
    let wide = ui.available_width() >= WIDE;
    if wide {
        egui::Panel::right("own inputs").resizable(true).default_size(310.0).size_range(270.0..=480.0).show(ui, |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| {
                // Beside the editor, where it is seen as soon as it comes.
                if !view.state.covered {
                    measured::show(ui, view, &own);
                }
                inputs::show(ui, view, &own, out);
            });
        });
    }
    egui::CentralPanel::default().show(ui, |ui| {
        egui::ScrollArea::vertical().id_salt("own").show(ui, |ui| {
            if !parts::covered(ui, view) {
                verdict::headline(ui, view, &own);
                verdict::cures(ui, view, &own, out);
            }
            source(ui, view, out);
            editor::show(ui, view, &own, out);
            editor::fault(ui, view, &own);
            if !view.state.covered {
                world::show(ui, view, &own, out);
                ui.separator();
                if !wide {
                    measured::show(ui, view, &own);
                }
                verdict::sums(ui, view, &own);
            }
            if !wide {
                ui.separator();
                inputs::show(ui, view, &own, out);
            }
        });
    });
}

/// Its buttons.
#[must_use]
pub fn actions(view: &View<'_>) -> Vec<Action> {
    vec![measured::action(view, &forecast(view))]
}

fn forecast(view: &View<'_>) -> Own {
    let own = &view.state.own;
    view.forecasts.own(&OwnKey { text: own.text.clone(), typed: own.typed.clone(), model: view.state.model().clone() })
}

/// Where the text comes from, and other places to take one from.
fn source(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        if ui.button("Open WGSL").on_hover_text("A file of WGSL; or drop one here, or paste its text.").clicked() {
            out.push(Command::OpenWgsl);
        }
        let label = ui.label("Path");
        let mut path = view.state.path.clone();
        let field = egui::TextEdit::singleline(&mut path).desired_width(180.0).hint_text("kernel.wgsl");
        let response = ui.add(field).labelled_by(label.id);
        if response.changed() {
            out.push(Command::Path(path.clone()));
        }
        let enter = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let typed = !path.trim().is_empty();
        if ui.add_enabled(typed, egui::Button::new("Open path")).clicked() || (enter && typed) {
            out.push(Command::OpenWgslPath(path.trim().to_owned()));
        }
        if ui.button("Example").on_hover_text("Puts a short kernel with one flaw into the editor.").clicked() {
            let example = crate::app::OwnKernel::default();
            out.push(Command::Own(Act::Take { file: None, text: example.text, typed: example.typed }));
        }
    });
    if let Some(file) = &view.state.own.file {
        parts::remark(ui, view, file);
    }
}

/// Takes in files that were dropped on the window: the last one stands.
fn dropped(ui: &egui::Ui, out: &mut Vec<Command>) {
    let Some(file) = ui.input(|input| input.raw.dropped_files.last().cloned()) else { return };
    out.push(Command::OpenWgslPath(file.path().display().to_string()));
}
