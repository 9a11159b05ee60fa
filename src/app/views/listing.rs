//! Program text with its words in colours, each dark or light enough to be read.

use eframe::egui::text::LayoutJob;
use eframe::egui::{self, Color32, Rgba};
use egui_extras::syntax_highlighting::{CodeTheme, highlight};

use super::View;
use crate::app::theme::contrast;

/// Height of letters, points.
pub const LETTERS: f32 = 13.0;
/// The least contrast of letters with what is behind them.
const LEAST: f64 = 4.5;

/// The text as it is drawn, in lines as long as they are; `syntax` is a name of the highlighter: `rs`, `cpp`, `py`.
#[must_use]
pub fn job(ui: &egui::Ui, view: &View<'_>, text: &str, syntax: &str) -> LayoutJob {
    let theme = if view.palette.dark { CodeTheme::dark(LETTERS) } else { CodeTheme::light(LETTERS) };
    let mut job = highlight(ui.ctx(), ui.style(), &theme, text, syntax);
    job.wrap.max_width = f32::INFINITY;
    for section in &mut job.sections {
        section.format.color = legible(section.format.color, view.palette.ground, view.palette.text);
    }
    job
}

/// The colour, moved towards that of text until it can be read.
fn legible(color: Color32, ground: Color32, text: Color32) -> Color32 {
    const STEPS: u8 = 8;
    let mix = |step: u8| {
        let share = f32::from(step) / f32::from(STEPS);
        Color32::from(Rgba::from(color) * (1.0 - share) + Rgba::from(text) * share)
    };
    (0..STEPS).map(mix).find(|mixed| contrast(*mixed, ground) >= LEAST).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::theme::{DARK, LIGHT};

    #[test]
    fn every_colour_becomes_legible_and_those_that_are_stay() {
        for palette in [&DARK, &LIGHT] {
            for color in [Color32::YELLOW, Color32::BLUE, Color32::GRAY, palette.ground, palette.text, palette.accent] {
                let shown = legible(color, palette.ground, palette.text);
                assert!(contrast(shown, palette.ground) >= LEAST, "{color:?} becomes {shown:?}");
            }
            assert_eq!(legible(palette.accent, palette.ground, palette.text), palette.accent);
        }
    }
}
