//! A picture for a file: what a view shows, on one sheet, with whose figures they are. Its title and its description hold
//! the same in words, for those who cannot see it.

use svg::node::element::{Description, Title};
use svg::{Document, Node as _};

use super::chart::Chart;
use super::scene::{Role, Scene};
use super::scene_painter::color;
use super::svg_parts::{FONTS, hex, line, rectangle, text, width};
use super::{chart_svg, scene_svg};
use crate::app::theme::Palette;

/// Space around everything.
const MARGIN: f64 = 24.0;
/// Space between pieces.
const GAP: f64 = 22.0;
/// Height of a chart.
const CHART: f64 = 420.0;
/// Width of the scenes that views put on a sheet, and the least of any sheet: a chart can be read, and captions fit.
pub const WIDTH: f32 = 900.0;

/// What a piece shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// A scene at its size.
    Scene(Scene),
    /// A chart, as wide as the sheet.
    Chart(Chart),
}

/// A picture on the sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// What stands above it; may be empty.
    pub heading: String,
    /// What is read off it, large, in the colour of what it costs; may be empty.
    pub figures: (String, Role),
    /// The picture.
    pub body: Body,
}

impl Piece {
    /// A picture without figures.
    #[must_use]
    pub fn plain(heading: impl Into<String>, body: Body) -> Self {
        Self { heading: heading.into(), figures: (String::new(), Role::Text), body }
    }
}

/// A whole picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// What it shows.
    pub title: String,
    /// The pictures, one below the other.
    pub pieces: Vec<Piece>,
    /// Whose figures they are: adapter, driver, date.
    pub captions: Vec<String>,
    /// What must not be overlooked, in a frame.
    pub mark: Option<String>,
}

impl Sheet {
    /// The picture in words, with its numbers.
    #[must_use]
    pub fn description(&self) -> String {
        let mut words: Vec<String> = Vec::new();
        words.extend(self.mark.as_ref().map(|mark| format!("{mark}.")));
        for piece in &self.pieces {
            let heading =
                [piece.heading.as_str(), piece.figures.0.as_str()].into_iter().filter(|text| !text.is_empty());
            words.extend(heading.map(|text| format!("{}.", text.trim_end_matches(['.', ':']))));
            words.push(match &piece.body {
                Body::Scene(scene) => scene.description.clone(),
                Body::Chart(chart) => chart.description(),
            });
            if let Body::Chart(chart) = &piece.body {
                words.extend(chart.notes().into_iter().map(|note| format!("{}.", note.trim_end_matches('.'))));
            }
        }
        words.extend(self.captions.iter().cloned());
        words.join(" ")
    }

    /// The picture as a text of SVG.
    #[must_use]
    pub fn svg(&self, palette: &Palette) -> String {
        let scenes = || {
            self.pieces.iter().filter_map(|piece| match &piece.body {
                Body::Scene(scene) => Some(scene),
                Body::Chart(_) => None,
            })
        };
        let widest = scenes().map(|scene| f64::from(scene.size[0])).fold(f64::from(WIDTH), f64::max);
        let wide = widest + 2.0 * MARGIN;
        let mut page = Page { nodes: Vec::new(), y: MARGIN };
        page.words(22.0, palette.text, &self.title, true);
        if let Some(mark) = &self.mark {
            page.mark(mark, palette);
        }
        for piece in &self.pieces {
            page.piece(piece, palette, widest);
        }
        page.y += 4.0;
        page.nodes.push(Box::new(line([MARGIN, page.y], [wide - MARGIN, page.y], 1.0, palette.faint)));
        page.y += 6.0;
        for caption in &self.captions {
            page.words(13.0, palette.weak, caption, false);
        }
        let high = (page.y + MARGIN / 2.0).ceil();
        let mut document = Document::new()
            .set("viewBox", (0, 0, wide, high))
            .set("width", wide)
            .set("height", high)
            .set("role", "img")
            .set("font-family", FONTS)
            .add(Title::new(self.title.as_str()))
            .add(Description::new().add(svg::node::Text::new(self.description())))
            .add(scene_svg::hatchings(scenes(), palette))
            .add(rectangle([0.0, 0.0], [wide, high]).set("fill", hex(palette.ground)));
        for node in page.nodes {
            document.append(node);
        }
        format!("{document}\n")
    }
}

/// What is on the page so far, and where the next goes.
struct Page {
    nodes: Vec<Box<dyn svg::Node>>,
    y: f64,
}

impl Page {
    fn words(&mut self, size: f64, color: eframe::egui::Color32, words: &str, bold: bool) {
        let height = 1.45 * size;
        let line = text([MARGIN, self.y + height / 2.0], size, color, words);
        self.nodes.push(Box::new(if bold { line.set("font-weight", "bold") } else { line }));
        self.y += height;
    }

    /// Words in a frame.
    fn mark(&mut self, mark: &str, palette: &Palette) {
        let size = 17.0;
        let frame = rectangle([MARGIN, self.y + 4.0], [width(mark, size) + 36.0, 30.0]).set("fill", "none");
        self.nodes.push(Box::new(frame.set("stroke", hex(palette.bad)).set("stroke-width", 2)));
        let words = text([MARGIN + 14.0, self.y + 19.0], size, palette.bad, mark);
        self.nodes.push(Box::new(words.set("font-weight", "bold")));
        self.y += 40.0;
    }

    fn piece(&mut self, piece: &Piece, palette: &Palette, widest: f64) {
        self.y += GAP / 2.0;
        if !piece.heading.is_empty() {
            self.words(16.0, palette.text, &piece.heading, false);
        }
        let (figures, role) = &piece.figures;
        if !figures.is_empty() {
            self.words(22.0, color(*role, palette), figures, true);
        }
        self.y += 6.0;
        let (group, height) = match &piece.body {
            Body::Scene(scene) => (scene_svg::group(scene, palette), f64::from(scene.size[1])),
            Body::Chart(chart) => chart_svg::group(chart, palette, [widest, CHART]),
        };
        self.nodes.push(Box::new(group.set("transform", format!("translate({MARGIN} {:.1})", self.y))));
        self.y += height + GAP / 2.0;
    }
}
