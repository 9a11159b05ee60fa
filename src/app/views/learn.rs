//! The view "Learn".

use eframe::egui;

use super::{Action, View, parts};
use crate::app::command::Command;

/// What it is about.
pub const SENTENCE: &str = "Ten steps: guess, run, and see why.";

/// Draws it.
pub fn show(ui: &mut egui::Ui, view: &View<'_>, _out: &mut Vec<Command>) {
    egui::CentralPanel::default().show(ui, |ui| {
        parts::sentence(ui, view, SENTENCE);
    });
}

/// Its buttons.
#[must_use]
pub fn actions(_view: &View<'_>) -> Vec<Action> {
    Vec::new()
}
