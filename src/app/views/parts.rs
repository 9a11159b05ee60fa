//! Pieces that several views share.

use eframe::egui::{self, RichText};

use super::View;
use crate::app::theme;
use crate::app::words::{self, Word};

/// A sentence that a class must read.
pub fn sentence(ui: &mut egui::Ui, view: &View<'_>, text: &str) -> egui::Response {
    ui.add(egui::Label::new(RichText::new(text).heading().strong().color(view.palette.text)).wrap())
}

/// Figures that a class must read, in the colour of what they cost.
pub fn figures(ui: &mut egui::Ui, text: &str, color: egui::Color32) -> egui::Response {
    ui.add(egui::Label::new(RichText::new(text).text_style(theme::large()).strong().color(color)).wrap())
}

/// The title of a panel.
pub fn title(ui: &mut egui::Ui, text: &str) -> egui::Response {
    ui.label(RichText::new(text).text_style(theme::title()).strong())
}

/// A remark.
pub fn remark(ui: &mut egui::Ui, view: &View<'_>, text: impl Into<String>) -> egui::Response {
    ui.add(egui::Label::new(RichText::new(text).color(view.palette.weak)).wrap())
}

/// A button that stands out.
pub fn main_button<'a>(view: &View<'_>, text: &str) -> egui::Button<'a> {
    egui::Button::new(RichText::new(text).strong().color(view.palette.on_accent)).fill(view.palette.accent)
}

/// Words of these texts that may be new, each with its meaning when it is pointed at: the dots below it tell so.
pub fn words(ui: &mut egui::Ui, view: &View<'_>, texts: &[&str]) {
    let words = words::in_text(&texts.join("\n"));
    if words.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 12.0;
        ui.label(RichText::new("Words:").color(view.palette.weak));
        for word in words {
            explained(ui, view, word);
        }
    });
}

fn explained(ui: &mut egui::Ui, view: &View<'_>, word: &Word) {
    let text = RichText::new(&word.word).color(view.palette.weak);
    let response = ui.add(egui::Label::new(text).sense(egui::Sense::hover()).extend());
    let (rect, y) = (response.rect, response.rect.bottom());
    let dots = egui::Shape::dotted_line(
        &[egui::pos2(rect.left(), y), egui::pos2(rect.right(), y)],
        view.palette.weak,
        4.0,
        1.0,
    );
    ui.painter().extend(dots);
    let name = format!("{}: {}", word.word, word.meaning);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
    response.on_hover_text(&name);
}

/// A remark on speeds where the device is a processor.
pub fn software(ui: &mut egui::Ui, view: &View<'_>) {
    if view.state.device.found().is_some_and(|found| found.adapter.is_cpu()) {
        ui.colored_label(view.palette.fair, "This is a CPU. The counts hold, the speeds do not.");
    }
}

/// Whether the answer is covered; then a remark says so.
pub fn covered(ui: &mut egui::Ui, view: &View<'_>) -> bool {
    if view.state.covered {
        remark(ui, view, "The answer is covered: make a guess, then uncover it.");
    }
    view.state.covered
}

/// So many equal columns side by side. Unlike [`egui::Ui::columns`] it leaves text ragged.
pub fn columns(ui: &mut egui::Ui, count: usize, mut draw: impl FnMut(usize, &mut egui::Ui)) {
    let gap = 16.0;
    let width = ((ui.available_width() - gap * count.saturating_sub(1) as f32) / count.max(1) as f32).max(1.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for column in 0..count {
            ui.allocate_ui_with_layout(egui::vec2(width, 0.0), egui::Layout::top_down(egui::Align::Min), |ui| {
                ui.spacing_mut().item_spacing.x = 8.0;
                ui.set_width(width);
                draw(column, ui);
            });
        }
    });
}
