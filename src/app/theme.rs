//! Colours and sizes. The colours are those of Okabe and Ito, which people with any colour vision tell apart, darkened
//! on light ground until every line and letter has a contrast of at least 4.5 to 1. What colours say is also said by
//! shape, pattern or words.

use eframe::egui::{self, Color32, FontFamily, FontId, Stroke, TextStyle, Visuals};

/// Colours by what they stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    /// Whether it is light on dark.
    pub dark: bool,
    /// Behind everything.
    pub ground: Color32,
    /// Behind panels and cards.
    pub panel: Color32,
    /// Text and axes.
    pub text: Color32,
    /// Text that may be overlooked.
    pub weak: Color32,
    /// Buttons that matter, selections, links.
    pub accent: Color32,
    /// Text on the accent.
    pub on_accent: Color32,
    /// As few sectors as there can be.
    pub good: Color32,
    /// Some more.
    pub fair: Color32,
    /// Far more.
    pub bad: Color32,
    /// What a prediction says.
    pub predicted: Color32,
    /// What was measured here.
    pub measured: Color32,
    /// Bytes that must have moved.
    pub moved: Color32,
    /// Recorded on another machine.
    pub recorded: Color32,
    /// The pinned pattern.
    pub pinned: Color32,
    /// Outlines of what was not touched, grid lines.
    pub faint: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16 & 255) as u8, (hex >> 8 & 255) as u8, (hex & 255) as u8)
}

/// Light on dark.
pub const DARK: Palette = Palette {
    dark: true,
    ground: rgb(0x0015_1719),
    panel: rgb(0x001D_2023),
    text: rgb(0x00F0_F0EC),
    weak: rgb(0x00B4_B8BC),
    accent: rgb(0x0056_B4E9),
    on_accent: rgb(0x0010_1214),
    good: rgb(0x0022_B88C),
    fair: rgb(0x00E6_9F00),
    bad: rgb(0x00F2_7A33),
    predicted: rgb(0x0056_B4E9),
    measured: rgb(0x00F0_E442),
    moved: rgb(0x00E6_9F00),
    recorded: rgb(0x009A_9EA3),
    pinned: rgb(0x00DC_8FB8),
    faint: rgb(0x0050_565C),
};

/// Dark on light.
pub const LIGHT: Palette = Palette {
    dark: false,
    ground: rgb(0x00FF_FFFF),
    panel: rgb(0x00F4_F5F6),
    text: rgb(0x0014_1618),
    weak: rgb(0x0050_565C),
    accent: rgb(0x0000_62A0),
    on_accent: rgb(0x00FF_FFFF),
    good: rgb(0x0000_6E50),
    fair: rgb(0x0088_5C00),
    bad: rgb(0x00B0_4400),
    predicted: rgb(0x0000_62A0),
    measured: rgb(0x0014_1618),
    moved: rgb(0x0088_5C00),
    recorded: rgb(0x006A_6E73),
    pinned: rgb(0x009C_3F72),
    faint: rgb(0x00B4_B8BC),
};

impl Palette {
    /// The palette of a theme.
    #[must_use]
    pub const fn of(theme: egui::Theme) -> &'static Self {
        match theme {
            egui::Theme::Dark => &DARK,
            egui::Theme::Light => &LIGHT,
        }
    }

    /// The colour of so many times the fewest possible sectors.
    #[must_use]
    pub fn excess(&self, times: f64) -> Color32 {
        match times {
            times if times < 1.2 => self.good,
            times if times < 3.0 => self.fair,
            _ => self.bad,
        }
    }

    /// All colours of lines and letters, with their names.
    #[must_use]
    pub const fn foreground(&self) -> [(&'static str, Color32); 11] {
        [
            ("text", self.text),
            ("weak", self.weak),
            ("accent", self.accent),
            ("good", self.good),
            ("fair", self.fair),
            ("bad", self.bad),
            ("predicted", self.predicted),
            ("measured", self.measured),
            ("moved", self.moved),
            ("recorded", self.recorded),
            ("pinned", self.pinned),
        ]
    }
}

/// Contrast of two opaque colours, 1 to 21, by WCAG 2.
#[must_use]
pub fn contrast(a: Color32, b: Color32) -> f64 {
    let linear = |byte: u8| {
        let share = f64::from(byte) / 255.0;
        if share <= 0.040_45 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    };
    let luminance =
        |color: Color32| 0.2126 * linear(color.r()) + 0.7152 * linear(color.g()) + 0.0722 * linear(color.b());
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// Figures and sentences that a class must read from the back row.
#[must_use]
pub fn large() -> TextStyle {
    TextStyle::Name("large".into())
}

/// Titles of panels.
#[must_use]
pub fn title() -> TextStyle {
    TextStyle::Name("title".into())
}

/// Gives the window its colours and sizes, for both themes.
pub fn apply(ctx: &egui::Context) {
    for (theme, palette) in [(egui::Theme::Dark, &DARK), (egui::Theme::Light, &LIGHT)] {
        ctx.style_mut_of(theme, |style| {
            style.visuals = visuals(palette);
            let proportional = |size| FontId::new(size, FontFamily::Proportional);
            style.text_styles = [
                (TextStyle::Small, proportional(13.0)),
                (TextStyle::Body, proportional(16.0)),
                (TextStyle::Button, proportional(16.0)),
                (TextStyle::Heading, proportional(20.0)),
                (TextStyle::Monospace, FontId::new(13.5, FontFamily::Monospace)),
                (large(), proportional(27.0)),
                (title(), proportional(18.0)),
            ]
            .into();
            style.spacing.item_spacing = egui::vec2(8.0, 7.0);
            style.spacing.button_padding = egui::vec2(12.0, 6.0);
            style.spacing.interact_size.y = 28.0;
            style.spacing.slider_rail_height = 8.0;
            // Nothing moves by itself while samples are taken.
            style.animation_time = 0.0;
        });
    }
}

fn visuals(palette: &Palette) -> Visuals {
    let mut visuals = if palette.dark { Visuals::dark() } else { Visuals::light() };
    visuals.panel_fill = palette.panel;
    visuals.window_fill = palette.panel;
    visuals.extreme_bg_color = palette.ground;
    visuals.faint_bg_color = palette.ground;
    visuals.override_text_color = Some(palette.text);
    visuals.weak_text_color = Some(palette.weak);
    visuals.hyperlink_color = palette.accent;
    visuals.warn_fg_color = palette.fair;
    visuals.error_fg_color = palette.bad;
    visuals.selection.bg_fill = palette.accent.gamma_multiply(if palette.dark { 0.45 } else { 0.3 });
    visuals.selection.stroke = Stroke::new(1.5, palette.accent);
    visuals.slider_trailing_fill = true;
    visuals.widgets.noninteractive.bg_stroke.color = palette.faint;
    visuals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((contrast(Color32::BLACK, Color32::WHITE) - 21.0).abs() < 1e-9);
        assert!((contrast(rgb(0x0077_7777), Color32::WHITE) - 4.48).abs() < 0.01);
    }

    #[test]
    fn every_line_and_letter_can_be_read() {
        for palette in [&DARK, &LIGHT] {
            for (name, color) in palette.foreground() {
                for ground in [palette.ground, palette.panel] {
                    let contrast = contrast(color, ground);
                    assert!(contrast >= 4.5, "{name} on {ground:?}, dark {}: {contrast:.2}", palette.dark);
                }
            }
            assert!(contrast(palette.on_accent, palette.accent) >= 4.5);
        }
    }
}
