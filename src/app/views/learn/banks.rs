//! The store to workgroup memory that a question is about: the banks that its lanes meet in, without a pad and with one.

use eframe::egui::Ui;

use crate::app::lessons::{self, Ask, Guess, Question};
use crate::app::picture::banks::{Store, scene};
use crate::app::picture::scene_painter;
use crate::app::views::{View, parts};

/// Depth of the product that is traced for the picture: its first store is the same at any.
const DEPTH: u32 = 64;

pub(super) fn show(ui: &mut Ui, view: &View<'_>, question: &Question) {
    for pad in pads(view, question) {
        let pattern = question.pattern.with("pad", pad).with("k", DEPTH);
        let Some(trace) = super::trace(view, &pattern) else {
            parts::remark(ui, view, "Being counted ..");
            continue;
        };
        // A pad that the shader cannot have is told in the reply to it.
        let Ok(trace) = trace.as_ref() else { continue };
        let Some(store) = Store::of(trace) else { continue };
        let passes = if store.passes() == 1 { "1 pass".to_owned() } else { format!("{} passes", store.passes()) };
        let title = if pad == 0 { "Without a pad".to_owned() } else { format!("With a pad of {pad}") };
        parts::title(ui, &format!("{title}: {} lanes store in {passes}", store.lanes()));
        scene_painter::show(ui, &scene(&store, ui.available_width().max(240.0)), view.palette);
    }
    let text = "Columns are banks, rows are passes, numbers are lanes: the first store into the tile, as the interpreter met it.";
    parts::remark(ui, view, text);
}

/// None, the one that was chosen, and the question's own.
fn pads(view: &View<'_>, question: &Question) -> Vec<u32> {
    let chosen = lessons::course().ok().and_then(|course| view.state.learn.guess(course));
    let chosen = match (&question.ask, chosen) {
        (Ask::Choices(all), Some(Guess::Choice(place))) => all.get(place).and_then(|choice| choice.text.parse().ok()),
        _ => None,
    };
    let mut pads: Vec<u32> = [Some(0), chosen, question.pattern.number("pad")].into_iter().flatten().collect();
    pads.sort_unstable();
    pads.dedup();
    pads
}
