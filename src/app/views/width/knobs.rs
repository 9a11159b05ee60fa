//! The knobs of a tile: which lanes go where, how many pieces a lane owns, how wide it moves them.

use eframe::egui::{self, WidgetInfo};

use crate::app::command::Command;
use crate::app::forecast::Pattern;
use crate::app::views::{View, parts};
use crate::app::words;
use crate::kernels::{Domain, Value};

/// A tile worth looking at: its name, what it shows, and bits, lanes across, pieces across and down, order.
type Example = (&'static str, &'static str, [u32; 4], &'static str);

const EXAMPLES: [Example; 5] = [
    ("Lanes along a row", "Each load is a row: as few sectors as can be.", [32, 32, 1, 4], "interleaved"),
    ("Lanes in a block", "8 lanes across fill a sector in each of 4 rows.", [32, 8, 4, 1], "interleaved"),
    ("Each lane its own run", "The same bytes a lane, but each load skips from run to run.", [32, 8, 4, 1], "blocked"),
    ("The run in one copy", "128 bits a copy: the run that was four loads is one.", [128, 8, 1, 1], "interleaved"),
    ("Lanes down a column", "Each lane in a row of its own: a sector for each.", [32, 1, 4, 1], "interleaved"),
];
/// The parameters that are each knob, with their names on screen.
const LINEUP: [(&str, &str); 2] = [("threads_x", "Lanes across"), ("order", "Neighbours are")];
const WIDTH: [(&str, &str); 3] =
    [("bits", "Bits per copy"), ("values_x", "Pieces across"), ("values_y", "Pieces down")];

/// Draws them.
pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let tile = &view.state.tile;
    ui.horizontal_wrapped(|ui| {
        ui.label("Try");
        for (name, shows, [bits, threads_x, values_x, values_y], order) in EXAMPLES {
            let pattern = tile
                .with("bits", bits)
                .with("threads_x", threads_x)
                .with("values_x", values_x)
                .with("values_y", values_y)
                .with("order", order);
            let button = egui::Button::selectable(pattern == *tile, name).frame(true);
            if ui.add(button).on_hover_text(shows).clicked() {
                out.push(Command::Tile(pattern));
            }
        }
    });
    for (knob, parameters) in [("Lineup", &LINEUP[..]), ("Width", &WIDTH[..])] {
        ui.horizontal_wrapped(|ui| {
            parts::title(ui, knob);
            for (name, title) in parameters {
                choice(ui, tile, name, title, out);
            }
        });
    }
}

/// One of several values, all in sight.
fn choice(ui: &mut egui::Ui, tile: &Pattern, name: &str, title: &str, out: &mut Vec<Command>) {
    let Some(parameter) = tile.kernel.parameter(name) else { return };
    let lanes = tile.number("workgroup").unwrap_or(u32::MAX);
    let mut values: Vec<Value> = match parameter.domain {
        Domain::Words(all) => all.iter().map(|word| Value::Word(word)).collect(),
        Domain::Numbers(all) => {
            all.iter().filter(|number| **number <= most(name, lanes)).copied().map(Value::Number).collect()
        }
        Domain::Range(..) => Vec::new(),
    };
    values.sort_unstable();
    let meaning = words::find(title).map_or(parameter.meaning, |word| word.meaning.as_str());
    ui.add(egui::Label::new(title).extend()).on_hover_text(meaning);
    for value in values {
        let on = tile.params.get(parameter.name) == Some(&value);
        let text = match value {
            Value::Word("blocked") => "runs of one lane".to_owned(),
            Value::Word("interleaved") => "side by side".to_owned(),
            value => value.to_string(),
        };
        let label = format!("{title} {text}");
        let response = ui.add(egui::Button::selectable(on, text).frame(true));
        response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, on, &label));
        if response.clicked() && !on {
            out.push(Command::Tile(tile.with(parameter.name, value)));
        }
    }
    // At the end of a row there is no room to be left, or the view would grow beyond its place.
    ui.add_space(ui.available_size_before_wrap().x.clamp(0.0, 10.0));
}

/// More lanes across than there are lanes is no tile.
fn most(name: &str, lanes: u32) -> u32 {
    if name == "threads_x" { lanes } else { u32::MAX }
}
