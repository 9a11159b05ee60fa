//! The view "Patterns": the lanes of one subgroup, the sectors they touch, and the bandwidth that is left.

pub(super) mod along;
pub(super) mod chart;
mod controls;
mod foreign;
pub(super) mod results;
pub(super) mod sheet;
mod source;
pub mod sweep;
pub mod verdict;
mod world;

use eframe::egui;

use super::{Action, View, keep, parts};
use crate::app::command::Command;
use crate::app::picture::chart_painter;

/// From this width on, results and source have a column of their own.
const WIDE: f32 = 1180.0;

/// Below this width the controls stand under the micro-world, not beside it.
const NARROW: f32 = 660.0;

/// Most height of the plot where results stand below it.
const MOST_HEIGHT: f32 = 480.0;

/// Draws it.
pub fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let (wide, narrow) = (ui.available_width() >= WIDE, ui.available_width() < NARROW);
    if !narrow {
        egui::Panel::left("controls").resizable(false).exact_size(272.0).show(ui, |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| controls::show(ui, view, out));
        });
    }
    if wide {
        egui::Panel::right("results").resizable(true).default_size(330.0).size_range(280.0..=560.0).show(ui, |ui| {
            egui::ScrollArea::vertical().show(ui, |ui| beside(ui, view, out));
        });
    }
    egui::CentralPanel::default().show(ui, |ui| {
        egui::ScrollArea::vertical().show(ui, |ui| {
            world::show(ui, view, out);
            if narrow {
                ui.separator();
                controls::show(ui, view, out);
                ui.separator();
            }
            if view.state.covered {
                return;
            }
            // The plot has what is left, unless that is too little to read, or more stands below it.
            let most = if wide { f32::INFINITY } else { MOST_HEIGHT };
            chart::show(ui, view, out, ui.available_height().clamp(chart_painter::LEAST_HEIGHT, most));
            if !wide {
                ui.separator();
                beside(ui, view, out);
            }
        });
    });
}

fn beside(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    if !view.state.covered {
        results::show(ui, view, out);
        ui.separator();
    }
    source::show(ui, view, out);
    if !view.state.covered {
        ui.separator();
        parts::title(ui, "Keep it");
        keep::picture(ui, view, "sectorscope-pattern", &|| sheet::sheet(view), out);
        keep::path(ui, view, out);
    }
}

/// Its buttons.
#[must_use]
pub fn actions(view: &View<'_>) -> Vec<Action> {
    let pattern = &view.state.pattern;
    let mut actions = vec![Action {
        label: "Measure on this GPU (about 5 s)".to_owned(),
        tip: format!("Runs {} on this machine and puts the rate into the plot.", pattern.name()),
        command: Command::Measure,
        ready: true,
        main: true,
    }];
    if let Some(axis) = sweep::axis(pattern.kernel) {
        actions.push(Action {
            label: "Sweep".to_owned(),
            tip: format!("Measures every {} of the plot's axis.", axis.replace('_', " ")),
            command: Command::Sweep,
            ready: true,
            main: false,
        });
    }
    actions
}
