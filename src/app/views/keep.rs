//! What can be kept, alike in every view: results as the JSON and CSV of `--bench` or as Markdown on the clipboard, and what
//! is seen as a picture. Beside the dialog there is a field for a path: not every desktop has dialogs.

use eframe::egui;

use super::{View, parts};
use crate::app::command::{Command, Contents, Export};
use crate::app::documents::Origin;
use crate::app::picture::Sheet;
use crate::record::Results;
use crate::report::{csv, json, markdown};

/// Room around the words of these buttons, of which there are many.
const PADDING: egui::Vec2 = egui::vec2(8.0, 4.0);

/// The strip of a view: its picture, the results of this machine and of files, the path field.
pub(super) fn show(
    ui: &mut egui::Ui,
    view: &View<'_>,
    name: &str,
    sheet: &dyn Fn() -> Option<Sheet>,
    out: &mut Vec<Command>,
) {
    parts::title(ui, "Keep it");
    picture(ui, view, name, sheet, out);
    for document in view.state.documents.shown().filter(|document| document.origin != Origin::Recorded) {
        let Some(kept) = document.results() else { continue };
        ui.add(egui::Label::new(document.title()).wrap());
        results(ui, &document.title(), kept, out);
    }
    path(ui, view, out);
}

/// The picture of what is seen, as PNG and SVG. `sheet` is made only when it is wanted.
pub(super) fn picture(
    ui: &mut egui::Ui,
    view: &View<'_>,
    name: &str,
    sheet: &dyn Fn() -> Option<Sheet>,
    out: &mut Vec<Command>,
) {
    if view.state.covered {
        parts::remark(ui, view, "A picture would show what is covered.");
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().button_padding = PADDING;
        let svg = || sheet().map(|sheet| sheet.svg(view.palette));
        let tip = "What you see, with adapter, driver and date on it.";
        if ui.button("Picture PNG").on_hover_text(tip).clicked() {
            out.extend(svg().map(|svg| save(name, "png", Contents::Picture(svg))));
        }
        let tip = "The same as shapes: sharp at any size, with its numbers in words for those who cannot see it.";
        if ui.button("Picture SVG").on_hover_text(tip).clicked() {
            out.extend(svg().map(|svg| save(name, "svg", Contents::Bytes(svg.into_bytes()))));
        }
    });
}

/// Buttons for these results. `title` tells those of several documents apart.
pub(super) fn results(ui: &mut egui::Ui, title: &str, results: &Results, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().button_padding = PADDING;
        let mut button = |label: &str, tip: &str| {
            let response = ui.button(label).on_hover_text(tip);
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("{label}: {title}")));
            response.clicked()
        };
        // Documents that could not be made, which no results of this program cause, are not saved.
        if button("Save JSON", "Everything, every sample included: `--open` and `show` read it again.") {
            out.extend(json::to_bytes(results).ok().map(|bytes| save("sectorscope", "json", Contents::Bytes(bytes))));
        }
        if button("Save CSV", "One line a row, for a spreadsheet.") {
            let bytes = csv::to_bytes(results, b',').ok();
            out.extend(bytes.map(|bytes| save("sectorscope", "csv", Contents::Bytes(bytes))));
        }
        if button("Copy table", "As Markdown, with adapter, driver and evidence.") {
            out.push(Command::Copy(markdown::to_string(results)));
        }
    });
}

fn save(name: &str, ending: &str, contents: Contents) -> Command {
    Command::Save(Box::new(Export { name: format!("{name}.{ending}"), contents }))
}

/// The field for a path, which opens without a dialog and tells where things are saved.
pub(super) fn path(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        let label = ui.label("Path").on_hover_text(
            "Empty: a dialog asks where. Else what you save goes there: a folder, or a file whose ending is added. \
             Nothing that exists is replaced.",
        );
        let mut path = view.state.path.clone();
        let width = (ui.available_width() - 8.0).clamp(80.0, 320.0);
        let field = egui::TextEdit::singleline(&mut path).desired_width(width).hint_text("folder or file");
        if ui.add(field).labelled_by(label.id).changed() {
            out.push(Command::Path(path.clone()));
        }
        let path = path.trim();
        ui.spacing_mut().button_padding = PADDING;
        let open = ui.add_enabled(!path.is_empty(), egui::Button::new("Open path"));
        if open.on_hover_text("Reads the results file of this path, without a dialog.").clicked() {
            out.push(Command::OpenPath(path.to_owned()));
        }
    });
}
