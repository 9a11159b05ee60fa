//! The view "Width": the same bytes by wider instructions and by more of them, and the two knobs of every copy.

mod bandwidth;
mod knobs;
mod sheet;
mod table;
mod tile;
mod ways;

use eframe::egui;

use super::{Action, View, keep};
use crate::app::command::Command;
use crate::app::update::request;

/// Draws it.
pub fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    egui::CentralPanel::default().show(ui, |ui| {
        egui::ScrollArea::vertical().id_salt("width").auto_shrink(false).show(ui, |ui| {
            ways::show(ui, view);
            section(ui);
            bandwidth::show(ui, view, out);
            section(ui);
            tile::show(ui, view, out);
            section(ui);
            table::show(ui, view);
            section(ui);
            keep::show(ui, view, "sectorscope-width", &|| Some(sheet::sheet(view)), out);
            ui.add_space(12.0);
        });
    });
}

fn section(ui: &mut egui::Ui) {
    ui.add_space(10.0);
    ui.separator();
    ui.add_space(4.0);
}

/// Its buttons.
#[must_use]
pub fn actions(view: &View<'_>) -> Vec<Action> {
    let run =
        |what: &str, patterns| Command::Run { what: what.to_owned(), request: Box::new(request(view.state, patterns)) };
    vec![
        Action {
            label: "Measure width x loads (about 10 s)".to_owned(),
            tip: "Runs read with f32, vec2 and vec4, 1 to 8 loads a lane, and the three ways above.".to_owned(),
            command: run("width x loads", bandwidth::patterns()),
            ready: true,
            main: true,
        },
        Action {
            label: "Measure this tile".to_owned(),
            tip: format!("Runs {} on this machine.", view.state.tile.name()),
            command: run(&view.state.tile.name(), vec![view.state.tile.clone()]),
            ready: true,
            main: false,
        },
    ]
}
