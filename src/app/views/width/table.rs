//! What each of the two knobs is, in five rows.

use eframe::egui::{self, RichText, vec2};

use crate::app::views::{View, parts};

/// What is asked of both knobs, then the answers for lineup and width.
const ROWS: [[&str; 3]; 5] = [
    [
        "Which question does it answer?",
        "Which addresses do neighbouring lanes ask for in one instruction?",
        "How many bytes does each lane have under way at a time?",
    ],
    [
        "What does it change?",
        "How many sectors an instruction touches, and so how many bytes are fetched for those that are used.",
        "How many instructions the same bytes take, and how much memory has to work on while lanes wait.",
    ],
    [
        "What does it cost when wrong?",
        "Bandwidth goes into bytes that nobody asked for. With 4 bytes from each sector of 32, one eighth is left.",
        "Memory is not full: it waits for the next request. The bytes are right, they only come too slowly.",
    ],
    [
        "How do you see it in the counts?",
        "More sectors a request than the fewest possible; less than 100 % of the bytes used.",
        "The counts look perfect. Look at bytes an instruction times loads under way: few, and the rate is below the roof.",
    ],
    [
        "How do you fix it?",
        "Let neighbouring lanes take neighbouring elements: swap indices, lay lanes along rows, or change how the data lies.",
        "Load vec2 or vec4, or let each lane start several independent loads before it uses the first.",
    ],
];
const HEADS: [&str; 3] = ["", "Lineup: who asks for what", "Width: how much at a time"];
/// In place of an answer.
const COVERED: &str = "covered";
/// From this width on there are three columns.
const WIDE: f32 = 760.0;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>) {
    parts::sentence(ui, view, "The two knobs, side by side");
    // The first row says what the knobs are, which a class needs for its guesses.
    let rows = ROWS.into_iter().enumerate().map(|(place, [question, lineup, width])| {
        let hidden = view.state.covered && place > 0;
        if hidden { [question, COVERED, COVERED] } else { [question, lineup, width] }
    });
    if ui.available_width() < WIDE {
        for [question, lineup, width] in rows {
            ui.strong(question);
            for (head, answer) in [("Lineup", lineup), ("Width", width)] {
                ui.add(egui::Label::new(format!("{head}: {answer}")).wrap());
            }
            ui.add_space(6.0);
        }
        return;
    }
    let gap = 18.0;
    let room = ui.available_width() - 2.0 * gap;
    let widths = [0.24 * room, 0.38 * room, 0.38 * room];
    row(ui, widths, gap, HEADS.map(|head| RichText::new(head).strong().color(view.palette.accent)));
    for [question, lineup, width] in rows {
        ui.separator();
        row(ui, widths, gap, [RichText::new(question).strong(), RichText::new(lineup), RichText::new(width)]);
    }
}

fn row(ui: &mut egui::Ui, widths: [f32; 3], gap: f32, texts: [RichText; 3]) {
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = gap;
        for (width, text) in widths.into_iter().zip(texts) {
            ui.allocate_ui_with_layout(vec2(width, 0.0), egui::Layout::top_down(egui::Align::Min), |ui| {
                ui.set_width(width);
                ui.add(egui::Label::new(text).wrap());
            });
        }
    });
}
