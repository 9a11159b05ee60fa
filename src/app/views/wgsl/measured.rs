//! The kernel on this machine's GPU: the button, and what came of it beside the prediction.

use eframe::egui;

use crate::app::command::Command;
use crate::app::documents::{Document, Origin};
use crate::app::forecast::{Own, OwnCounts};
use crate::app::update;
use crate::app::views::patterns::results;
use crate::app::views::{Action, View, found, parts};
use crate::engine::{Request, UserShader};
use crate::record::Row;
use crate::units::{format_gb_per_s, format_ns};

/// What the kernel is called where it is of no file.
const UNNAMED: &str = "your kernel";

/// The button: only for a text and inputs that are valid as they stand.
pub(super) fn action(view: &View<'_>, own: &Own) -> Action {
    let name = name(view);
    let counts = own.counts.as_ref().filter(|_| own.is_current());
    let shaders = counts.map(|counts| UserShader {
        name: name.clone(),
        wgsl: counts.text.clone(),
        inputs: counts.inputs.clone(),
        unchecked: false,
    });
    let request = Request { shaders: shaders.into_iter().collect(), ..update::request(view.state, Vec::new()) };
    Action {
        label: "Measure on this GPU".to_owned(),
        tip: format!("Runs {name} on this machine, with safety checks, once the text and its inputs are valid."),
        ready: counts.is_some(),
        command: Command::Run { what: name, request: Box::new(request) },
        main: true,
    }
}

/// The file's name without its folders.
fn name(view: &View<'_>) -> String {
    let file = view.state.own.file.as_deref().map(std::path::Path::new);
    let last = file.and_then(|file| file.file_name());
    last.map_or_else(|| UNNAMED.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The newest row of this text on these inputs that this machine measured, or that tells why it did not.
pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, own: &Own) {
    let Some(counts) = &own.counts else { return };
    let Some((document, row)) = newest(view, counts) else { return };
    parts::title(ui, "Measured on this machine");
    match (&row.measured, found::refused(document, row)) {
        (Some(measured), _) => {
            let rate = measured
                .useful_gb_per_s
                .map_or_else(String::new, |rate| format!("{} GB/s of useful bytes, ", format_gb_per_s(rate)));
            parts::figures(ui, &format!("{rate}{} a dispatch", format_ns(measured.median_ns)), view.palette.measured);
        }
        (None, refused) => {
            ui.strong(refused.unwrap_or("no figures"));
        }
    }
    if let Some(rate) = row.predicted.as_ref().and_then(|predicted| predicted.useful_gb_per_s) {
        let [low, high] = [rate.low, rate.high].map(format_gb_per_s);
        let band = if low == high { low } else { format!("{low} to {high}") };
        ui.label(egui::RichText::new(format!("Predicted: {band} GB/s.")).color(view.palette.predicted));
    }
    results::details(ui, view, document, row);
    ui.separator();
}

fn newest<'a>(view: &View<'a>, counts: &OwnCounts) -> Option<(&'a Document, &'a Row)> {
    let is_it = |row: &&Row| {
        row.wgsl_sha256 == counts.document.wgsl_sha256 && row.inputs_sha256.as_ref() == Some(&counts.inputs_sha256)
    };
    let here = |document: &&Document| matches!(document.origin, Origin::Session(_));
    let documents = view.state.documents.all().iter().rev().filter(here);
    documents.into_iter().find_map(|document| Some((document, document.rows().find(is_it)?)))
}
