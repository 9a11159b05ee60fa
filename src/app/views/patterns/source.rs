//! The text that runs, with the line that matters; the same access in other languages.

use eframe::egui::{self, FontId, RichText, TextStyle};
use egui_extras::syntax_highlighting::{CodeTheme, highlight};

use super::foreign;
use crate::app::command::Command;
use crate::app::views::{View, parts};

/// Lines shown before and after the one that matters.
const AROUND: usize = 12;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let pattern = &view.state.pattern;
    let id = ui.scope_id().with("language");
    let mut language: usize = ui.data(|data| data.get_temp(id)).unwrap_or(0);
    let foreign = foreign::of(pattern);
    parts::title(ui, "The access");
    ui.horizontal_wrapped(|ui| {
        let names = std::iter::once("WGSL").chain(foreign.iter().map(|text| text.language));
        for (k, name) in names.enumerate() {
            if ui.selectable_label(language == k, name).clicked() {
                language = k;
            }
        }
    });
    ui.data_mut(|data| data.insert_temp(id, language));
    match language.checked_sub(1).and_then(|k| foreign.get(k)) {
        Some(text) => {
            code(ui, view, &text.code, text.syntax, Some(text.line));
            parts::remark(
                ui,
                view,
                "Written from the parameters, for readers of that language. It is not what runs here.",
            );
        }
        None => wgsl(ui, view, out),
    }
}

/// The WGSL around the line of the access that is shown.
fn wgsl(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let trace = view.trace(&view.state.pattern);
    let Ok(trace) = trace.as_ref() else { return };
    let line = trace.site(trace.primary_access() + view.state.step.access).map(|site| site.position.line as usize);
    let all: Vec<&str> = trace.wgsl.lines().collect();
    let at = line.unwrap_or(1).clamp(1, all.len().max(1));
    let first = at.saturating_sub(AROUND + 1);
    let last = (at + AROUND).min(all.len());
    code(ui, view, &all[first..last].join("\n"), "rs", line.map(|line| line - first));
    if ui.button("Copy the whole shader").clicked() {
        out.push(Command::Copy(trace.wgsl.to_string()));
    }
}

/// Highlighted code; `line`, from 1, has a bar behind it.
fn code(ui: &mut egui::Ui, view: &View<'_>, text: &str, syntax: &str, line: Option<usize>) {
    let theme = if view.palette.dark { CodeTheme::dark(13.0) } else { CodeTheme::light(13.0) };
    let job = highlight(ui.ctx(), ui.style(), &theme, text, syntax);
    let height = ui.fonts_mut(|fonts| fonts.row_height(&FontId::monospace(13.0)));
    egui::Frame::new().fill(view.palette.ground).inner_margin(8).show(ui, |ui| {
        egui::ScrollArea::horizontal().id_salt("code").show(ui, |ui| {
            let behind = ui.painter().add(egui::Shape::Noop);
            let response = ui.add(egui::Label::new(job).selectable(true).extend());
            if let Some(line) = line {
                let top = response.rect.top() + (line as f32 - 1.0) * height;
                let bar = egui::Rect::from_x_y_ranges(ui.clip_rect().x_range(), top..=top + height);
                ui.painter().set(behind, egui::Shape::rect_filled(bar, 2.0, view.palette.accent.gamma_multiply(0.25)));
            }
        });
    });
    ui.label(RichText::new("The line of the access is marked.").text_style(TextStyle::Small).color(view.palette.weak));
}
