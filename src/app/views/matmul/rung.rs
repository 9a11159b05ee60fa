//! One rung: its question, its tile, its counts, what was measured of it, and its text.

use eframe::egui::{self, RichText};

use super::{chosen, pattern, rungs, title};
use crate::app::command::Command;
use crate::app::forecast::{Pattern, RungTile};
use crate::app::picture::{product, roofline, scene_painter};
use crate::app::views::{View, found, listing, parts};
use crate::kernels::Kernel;
use crate::record::{Matmul, Row};
use crate::units::format_flop_rate;

/// From this width on, tile and counts stand side by side.
const WIDE: f32 = 860.0;
/// Height of the text's window.
const TEXT_HEIGHT: f32 = 420.0;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let Some(kernel) = chosen(view) else { return };
    ui.horizontal_wrapped(|ui| {
        parts::title(ui, "Rung");
        for other in rungs() {
            let button = egui::Button::selectable(other.id == kernel.id, title(other)).frame(true);
            if ui.add(button).on_hover_text(other.question).clicked() {
                out.push(Command::Rung(other.id));
            }
        }
    });
    parts::sentence(ui, view, kernel.question);
    let pattern = pattern(kernel);
    let setup = view.state.setup();
    let tile = view.forecasts.rung_tile(&pattern, &setup);
    if parts::covered(ui, view) {
        return;
    }
    let counts = view.forecasts.rung_counts(&pattern, &setup);
    if let Some(Ok(counts)) = counts.as_ref().map(|counts| counts.as_ref())
        && !counts.knob.is_empty()
    {
        ui.label("The knob that it turns:");
        parts::figures(ui, &counts.knob, view.palette.accent);
    }
    if ui.available_width() >= WIDE {
        parts::columns(ui, 2, |column, ui| match column {
            0 => picture(ui, view, tile.as_deref()),
            _ => numbers(ui, view, counts.as_deref(), &pattern),
        });
    } else {
        picture(ui, view, tile.as_deref());
        numbers(ui, view, counts.as_deref(), &pattern);
    }
    let text = tile.as_ref().and_then(|tile| tile.as_ref().as_ref().ok()).map(|tile| tile.wgsl.to_string());
    source(ui, view, kernel, &text.unwrap_or_else(|| kernel.wgsl.to_owned()), out);
}

fn capitalised(text: &str) -> String {
    let mut letters = text.to_owned();
    if let Some(first) = letters.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    letters
}

fn picture(ui: &mut egui::Ui, view: &View<'_>, tile: Option<&Result<RungTile, String>>) {
    parts::title(ui, "Who computes what");
    match tile {
        None => {
            parts::remark(ui, view, "The interpreter is executing the first workgroup ..");
        }
        Some(Err(reason)) => {
            ui.colored_label(view.palette.fair, reason);
        }
        Some(Ok(tile)) => {
            let scene = product::scene(tile, (ui.available_width() - 4.0).max(260.0));
            scene_painter::show(ui, &scene, view.palette);
            let [m, n, _] = tile.product;
            let text = format!(
                "The first workgroup of a product of {m} x {n} outputs: C = A x B. It walks along A and down B, {} at a time.",
                tile.depth
            );
            parts::remark(ui, view, text);
        }
    }
}

/// What the interpreter counts, and what was measured.
fn numbers(ui: &mut egui::Ui, view: &View<'_>, counts: Option<&Result<Matmul, String>>, pattern: &Pattern) {
    parts::title(ui, "Counts");
    match counts {
        None => {
            parts::remark(ui, view, "The interpreter is counting ..");
        }
        Some(Err(reason)) => {
            ui.colored_label(view.palette.fair, reason);
        }
        Some(Ok(counts)) => {
            grid(ui, view, counts);
            let model = &view.state.model().title;
            let text = format!(
                "Counted by the interpreter for {} x {} x {}, model: {model}. Nothing is measured for this.",
                counts.m, counts.n, counts.k
            );
            parts::remark(ui, view, text);
        }
    }
    ui.add_space(6.0);
    parts::title(ui, "Measured");
    let here = found::here(view, pattern).map(|(_, row)| ("this machine".to_owned(), row));
    let recorded = found::recorded(view, pattern).map(|(document, row)| (document.title(), row));
    match found::refusal(view, pattern) {
        Some((words, reason)) => {
            let text = reason.map_or_else(|| words.to_owned(), |reason| format!("{words}: {reason}"));
            ui.add(egui::Label::new(RichText::new(text).color(view.palette.fair)).wrap());
        }
        None if here.is_none() => {
            parts::remark(ui, view, "Not on this machine yet: run this rung.");
        }
        None => {}
    }
    for (whose, row) in here.into_iter().chain(recorded) {
        measured(ui, view, &whose, row);
    }
}

fn measured(ui: &mut egui::Ui, view: &View<'_>, whose: &str, row: &Row) {
    let rate = row.measured.as_ref().and_then(|measured| measured.gflop_per_s);
    let size = found::size(row).map_or_else(String::new, |size| format!(" for {size}"));
    if let Some(rate) = rate {
        ui.add(egui::Label::new(RichText::new(format!("{}{size}, {whose}", format_flop_rate(rate))).strong()).wrap());
    }
    if let Some(limit) = &row.limit {
        parts::remark(ui, view, capitalised(&limit.evidence));
    }
    if let Some(intensity) = row.matmul.as_ref().and_then(|rung| rung.intensity_flop_per_byte) {
        let text = format!(
            "In the roofline at {} operations a byte: the same count for this size, by that device's own memory model.",
            roofline::range(intensity)
        );
        parts::remark(ui, view, text);
    }
}

/// The counts with what they mean.
fn grid(ui: &mut egui::Ui, view: &View<'_>, rung: &Matmul) {
    let number = |value: Option<f64>, digits: usize| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"));
    // Without workgroup memory there is nothing to count; with it, but without known banks, nothing is known.
    let missing = if rung.workgroup_bytes == 0 { "none" } else { "not known" };
    let passes = |value: Option<u64>| value.map_or_else(|| missing.to_owned(), |value| value.to_string());
    let [a, b] = rung.sectors_per_request.map(|sectors| number(sectors, 1));
    let rows = [
        (
            "Sectors a request, A and B",
            format!("{a} and {b}"),
            "32-byte pieces of memory that one load of a subgroup touches.",
        ),
        (
            "Buffer bytes a multiply-add",
            number(Some(rung.storage_bytes_per_fma), 4),
            "Bytes that lanes load from and store to buffers for each multiply-add (one product, one sum).",
        ),
        (
            "Workgroup loads a multiply-add",
            rung.workgroup_loads_per_fma.map_or_else(|| "none".to_owned(), |loads| format!("{loads:.4}")),
            "Loads from the workgroup's own fast memory that a lane executes for each multiply-add.",
        ),
        (
            "Store passes too many",
            passes(rung.excess_store_wavefronts),
            "Stores to workgroup memory are served in passes; lanes that meet in the same bank need passes of their own.",
        ),
        ("Load passes too many", passes(rung.excess_load_wavefronts), "The same of loads from workgroup memory."),
        ("Outputs a lane", rung.outputs_per_lane.to_string(), "Sums that a lane keeps in registers."),
        ("Workgroup memory", format!("{} B", rung.workgroup_bytes), "Memory that the lanes of a workgroup share."),
        (
            "Operations a byte from memory",
            rung.intensity_flop_per_byte.map_or_else(|| "-".to_owned(), roofline::range),
            "From nothing is cached, to each matrix comes once.",
        ),
    ];
    egui::Grid::new("rung-counts").num_columns(2).spacing([18.0, 6.0]).striped(true).show(ui, |ui| {
        for (name, value, meaning) in rows {
            ui.label(name).on_hover_text(meaning);
            ui.label(RichText::new(value).strong().color(view.palette.text)).on_hover_text(meaning);
            ui.end_row();
        }
    });
}

/// The text that runs.
fn source(ui: &mut egui::Ui, view: &View<'_>, kernel: &Kernel, text: &str, out: &mut Vec<Command>) {
    ui.add_space(8.0);
    ui.horizontal_wrapped(|ui| {
        parts::title(ui, "WGSL");
        if ui.button("Copy the shader").clicked() {
            out.push(Command::Copy(text.to_owned()));
        }
    });
    parts::remark(ui, view, format!("{}.wgsl, {} lines: the text that runs.", kernel.id, text.lines().count()));
    egui::Frame::new().fill(view.palette.ground).inner_margin(8).show(ui, |ui| {
        ui.set_width(ui.available_width());
        let id = ("rung-source", kernel.id);
        let area = egui::ScrollArea::both().id_salt(id).max_height(TEXT_HEIGHT).min_scrolled_height(TEXT_HEIGHT);
        area.auto_shrink([false, true]).show(ui, |ui| {
            ui.add(egui::Label::new(listing::job(ui, view, text, "rs")).selectable(true));
        });
    });
}
