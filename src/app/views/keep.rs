//! Buttons that keep a document: as the JSON and CSV of `--bench`, or as Markdown on the clipboard.

use eframe::egui;

use crate::app::command::{Command, Export};
use crate::record::Results;
use crate::report::{csv, json, markdown};

/// A row of buttons for these results. `title` tells the buttons of several documents apart.
pub(super) fn show(ui: &mut egui::Ui, title: &str, results: &Results, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        let mut button = |label: &str, tip: &str| {
            let response = ui.small_button(label).on_hover_text(tip);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{label}: {title}")));
            response.clicked()
        };
        if button("Save JSON", "Everything, every sample included: `--open` and `show` read it again.") {
            out.extend(save("json", json::to_bytes(results)));
        }
        if button("Save CSV", "One line a row, for a spreadsheet.") {
            out.extend(save("csv", csv::to_bytes(results, b',')));
        }
        if button("Copy table", "As Markdown, with adapter, driver and evidence.") {
            out.push(Command::Copy(markdown::to_string(results)));
        }
    });
}

/// `None` where a document could not be made, which no results of this program cause.
fn save(ending: &str, bytes: std::io::Result<Vec<u8>>) -> Option<Command> {
    let name = format!("sectorscope.{ending}");
    bytes.ok().map(|bytes| Command::Save(Box::new(Export { name, bytes })))
}
