//! Bars from nothing to a peak: what was measured here above what a file holds and what was recorded elsewhere.

use super::scene::{Align, Fill, Role, Scene};

/// A bar: its share of the peak, and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Share of the peak, 0 to 1; more is drawn as 1.
    pub share: f64,
    /// The figures.
    pub text: String,
}

/// What stands on one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// What must be known of its bars before they are compared with others; empty where nothing.
    pub note: String,
    /// Measured here.
    pub here: Option<Bar>,
    /// From the file that is laid over.
    pub file: Option<Bar>,
    /// Recorded elsewhere.
    pub recorded: Option<Bar>,
    /// Whether it is the one that is looked at.
    pub chosen: bool,
}

const NAMES: f32 = 148.0;
const FIGURES: f32 = 184.0;
const BAR: f32 = 15.0;
/// From one bar to the next.
const STEP: f32 = BAR + 2.0;
/// Room for the axis below.
const AXIS: f32 = 26.0;
const LETTERS: f32 = 14.0;
/// Height of a note's letters.
const NOTE: f32 = 12.5;

/// Height of a line: two bars and some air, or three where a file is laid over.
#[must_use]
pub fn line_height(lines: &[Line]) -> f32 {
    if lines.iter().any(|line| line.file.is_some()) { 3.0 * STEP + 8.0 } else { 2.0 * STEP + 8.0 }
}

/// The picture, so wide. The part of a line has its number.
#[must_use]
pub fn scene(title: &str, lines: &[Line], width: f32) -> Scene {
    let height = line_height(lines);
    let bottom = lines.len() as f32 * height;
    let mut scene = Scene { size: [width, bottom + AXIS], description: describe(title, lines), ..Scene::default() };
    let room = (width - NAMES - FIGURES).max(40.0);
    for (k, line) in lines.iter().enumerate() {
        let top = k as f32 * height;
        let part = scene.part(tip(line));
        let role = if line.chosen { Role::Accent } else { Role::Faint };
        // Bars have no part of their own, so the whole line can be pointed at.
        scene.rect([0.0, top], [width, height - 3.0], Fill::Outline, role, &[part]);
        let middle = top + height / 2.0 - 1.0;
        let raised = if line.note.is_empty() { 0.0 } else { 8.0 };
        scene.text([8.0, middle - raised], LETTERS + 1.0, Align::Left, Role::Text, line.name.clone());
        scene.text([8.0, middle + raised + 1.0], NOTE, Align::Left, Role::Weak, line.note.clone());
        let file = (&line.file, Fill::Soft, Role::Owner(2));
        let mut bars = vec![(&line.here, Fill::Solid, Role::Accent), (&line.recorded, Fill::Hatched, Role::Weak)];
        if height > 2.0 * STEP + 8.0 {
            bars.insert(1, file);
        }
        for (k, (bar, fill, role)) in bars.into_iter().enumerate() {
            let top = top + 4.0 + k as f32 * STEP;
            let Some(bar) = bar else { continue };
            scene.rect([NAMES, top], [(part_of(bar.share) * room).max(1.5), BAR], fill, role, &[]);
            let text_role = if k == 0 { Role::Text } else { Role::Weak };
            scene.text([width - 8.0, top + BAR / 2.0], LETTERS, Align::Right, text_role, bar.text.clone());
        }
    }
    for percent in [0, 25, 50, 75, 100] {
        let x = NAMES + percent as f32 / 100.0 * room;
        scene.line([x, 0.0], [x, bottom], 1.0, Role::Faint, &[]);
        scene.text([x, bottom + AXIS / 2.0], 13.0, Align::Centre, Role::Weak, format!("{percent} %"));
    }
    scene
}

/// A share between 0 and 1.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn part_of(share: f64) -> f32 {
    if share.is_finite() { share.clamp(0.0, 1.0) as f32 } else { 0.0 }
}

fn tip(line: &Line) -> String {
    let of = |name: &str, bar: &Option<Bar>| bar.as_ref().map(|bar| format!("{name}: {}", bar.text));
    let name = if line.note.is_empty() { line.name.clone() } else { format!("{} ({})", line.name, line.note) };
    let parts = [Some(name), of("here", &line.here), of("file", &line.file), of("recorded", &line.recorded)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

fn describe(title: &str, lines: &[Line]) -> String {
    let each: Vec<String> = lines.iter().map(|line| tip(line).replace('\n', ", ")).collect();
    format!("{title}. {}.", each.join("; "))
}
