//! Controls above a micro-world: which model counts, and the steps from request to request.

use eframe::egui;

use super::View;
use crate::app::command::Command;
use crate::app::state::ModelChoice;

/// `Model: lesson (32 lanes x 32 B)`: one click to the other.
pub fn model_chip(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let model = view.state.model();
    let (name, other) = match view.state.model {
        ModelChoice::Lesson => ("lesson".to_owned(), ModelChoice::ThisGpu),
        ModelChoice::ThisGpu => (format!("this GPU, {}", model.key), ModelChoice::Lesson),
    };
    let text = format!("Model: {name} ({} lanes x {} B)", model.subgroup.value, model.sector_bytes.value);
    let can_switch = view.state.device.found().is_some() || other == ModelChoice::Lesson;
    let tip = match other {
        ModelChoice::ThisGpu => "Counts as every course does. Click to count by what is known of this GPU.",
        ModelChoice::Lesson => "Counts by what is known of this GPU. Click to count as every course does.",
    };
    if ui.add_enabled(can_switch, egui::Button::new(text).corner_radius(14)).on_hover_text(tip).clicked() {
        out.push(Command::Model(other));
    }
}

/// `< Request 1/8 >`; the new place if a button was pressed.
pub fn turn(ui: &mut egui::Ui, what: &str, at: usize, count: usize) -> Option<usize> {
    if count < 2 {
        return None;
    }
    let mut chosen = None;
    let lower = what.to_lowercase();
    let button = |ui: &mut egui::Ui, sign: &str, name: String, enabled: bool| {
        let response = ui.add_enabled(enabled, egui::Button::new(sign)).on_hover_text(&name);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, enabled, &name));
        response.clicked()
    };
    if button(ui, "<", format!("Previous {lower}"), at > 0) {
        chosen = Some(at - 1);
    }
    ui.add(egui::Label::new(format!("{what} {}/{count}", at + 1)).extend());
    if button(ui, ">", format!("Next {lower}"), at + 1 < count) {
        chosen = Some(at + 1);
    }
    chosen
}
