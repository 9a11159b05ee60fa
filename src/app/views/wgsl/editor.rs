//! The text, with what each line costs beside it, and what is wrong with it below.

use std::sync::Arc;

use eframe::egui::{self, FontId, Frame, Galley, RichText, Sense, TextBuffer, TextEdit, vec2};

use super::gutter;
use crate::app::command::Command;
use crate::app::forecast::Own;
use crate::app::own::{Act, MOST_BYTES};
use crate::app::theme;
use crate::app::views::{View, listing, parts};

/// The editor has this share of the window's height at most, so that the picture below it stays in sight.
const SHARE: f32 = 0.48;
/// Its least height.
const LEAST: f32 = 120.0;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, own: &Own, out: &mut Vec<Command>) {
    let mut text = view.state.own.text.clone();
    let height = ui.fonts_mut(|fonts| fonts.row_height(&FontId::monospace(listing::LETTERS)));
    // A line break at the end begins one more line.
    let rows = text.split('\n').count();
    let columns = gutter::Columns::for_width(ui.available_width(), view.state.covered);
    gutter::head(ui, view, &columns);
    let most = (SHARE * ui.ctx().content_rect().height()).max(LEAST);
    Frame::new().fill(view.palette.ground).inner_margin(4).show(ui, |ui| {
        egui::ScrollArea::vertical().id_salt("own text").max_height(most).show(ui, |ui| {
            ui.horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 6.0;
                let size = vec2(columns.width(), rows as f32 * height);
                let (area, _) = ui.allocate_exact_size(size, Sense::hover());
                egui::ScrollArea::horizontal().id_salt("own line").show(ui, |ui| {
                    edit(ui, view, &mut text, out);
                });
                gutter::rows(ui, view, own, &gutter::Rows { area, height, rows, columns }, out);
            });
        });
    });
}

fn edit(ui: &mut egui::Ui, view: &View<'_>, text: &mut String, out: &mut Vec<Command>) {
    let mut layout = |ui: &egui::Ui, text: &dyn TextBuffer, _width: f32| -> Arc<Galley> {
        let job = listing::job(ui, view, text.as_str(), "rs");
        ui.fonts_mut(|fonts| fonts.layout_job(job))
    };
    let editor = TextEdit::multiline(text)
        .id(egui::Id::unique("own editor"))
        .code_editor()
        .frame(Frame::NONE)
        .margin(0)
        .desired_width(f32::INFINITY)
        .desired_rows(1)
        .char_limit(MOST_BYTES)
        .layouter(&mut layout);
    let response = ui.add(editor);
    ui.ctx().accesskit_node_builder(response.id, |node| node.set_label("WGSL"));
    if response.changed() {
        out.push(Command::Own(Act::Text(std::mem::take(text))));
    }
}

/// What is wrong with the text or its inputs.
pub(super) fn fault(ui: &mut egui::Ui, view: &View<'_>, own: &Own) {
    let Some(fault) = own.fault() else { return };
    let mut lines = fault.text.trim_end().lines();
    let first = lines.next().unwrap_or_default();
    let said = RichText::new(first).text_style(theme::title()).strong().color(view.palette.bad);
    ui.add(egui::Label::new(said).wrap());
    let excerpt: Vec<&str> = lines.collect();
    if !excerpt.is_empty() {
        egui::ScrollArea::horizontal().id_salt("own fault").show(ui, |ui| {
            // One more line break: it is a text that scrolls, like the editor's.
            let text = format!("{}\n", excerpt.join("\n"));
            ui.add(egui::Label::new(RichText::new(text).monospace().color(view.palette.text)).extend());
        });
    }
    if own.counts.is_some() && !view.state.covered {
        parts::remark(ui, view, "The counts are those of the last text that was valid.");
    }
}
