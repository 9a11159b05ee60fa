//! The views: one file (or folder) each, one line each in [`show`] and [`actions`]. A view draws from a [`View`] and
//! returns commands; it changes nothing by itself.

pub mod found;
mod keep;
pub mod learn;
pub mod listing;
pub mod matmul;
pub mod parts;
pub mod patterns;
pub mod stepping;
pub mod wgsl;
pub mod whose;
pub mod width;

use std::rc::Rc;

use eframe::egui;

use super::command::Command;
use super::forecast::{Forecasts, Outcome, Pattern, WorkgroupTrace};
use super::state::{State, Tab};
use super::theme::Palette;
use crate::predict::Prediction;

/// What panels see.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// What is known and chosen.
    pub state: &'a State,
    /// What follows from it.
    pub forecasts: &'a Forecasts,
    /// Colours of the theme in use.
    pub palette: &'a Palette,
}

impl View<'_> {
    /// What the first workgroup of a pattern touches, under the chosen model.
    #[must_use]
    pub fn trace(&self, pattern: &Pattern) -> Outcome<WorkgroupTrace> {
        self.forecasts.trace(pattern, &self.state.setup())
    }

    /// The same for a kernel that does much: `None` until it is worked out.
    #[must_use]
    pub fn trace_soon(&self, pattern: &Pattern) -> Option<Outcome<WorkgroupTrace>> {
        self.forecasts.trace_soon(pattern, &self.state.setup())
    }

    /// What a whole dispatch of a pattern should cost, under the chosen model: `None` until it is worked out.
    #[must_use]
    pub fn prediction(&self, pattern: &Pattern) -> Option<Rc<Result<Prediction, String>>> {
        self.forecasts.prediction(pattern, &self.state.setup())
    }
}

/// A button of the bar at the bottom, which stays visible at any size.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// What it says.
    pub label: String,
    /// What it explains when pointed at.
    pub tip: String,
    /// Whether it can be done, as far as the view knows.
    pub ready: bool,
    /// What it does.
    pub command: Command,
    /// Whether it is the first thing to try.
    pub main: bool,
}

/// Draws the view that is shown.
pub fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    match view.state.tab {
        Tab::Patterns => patterns::show(ui, view, out),
        Tab::Width => width::show(ui, view, out),
        Tab::Matmul => matmul::show(ui, view, out),
        Tab::Learn => learn::show(ui, view, out),
        Tab::Wgsl => wgsl::show(ui, view, out),
    }
}

/// The buttons of the view that is shown.
#[must_use]
pub fn actions(view: &View<'_>) -> Vec<Action> {
    match view.state.tab {
        Tab::Patterns => patterns::actions(view),
        Tab::Width => width::actions(view),
        Tab::Matmul => matmul::actions(view),
        Tab::Learn => learn::actions(view),
        Tab::Wgsl => wgsl::actions(view),
    }
}
