//! A scene as shapes of SVG: the same marks that the window paints. What a part tells when it is pointed at stands in
//! its `<title>`, which browsers show.

use std::collections::BTreeMap;

use eframe::egui::Color32;
use svg::node::element::{Definitions, Group, Pattern, Title};

use super::scene::{Align, Fill, Mark, Scene, Shape};
use super::scene_painter::color;
use super::svg_parts::{hex, line, rectangle, text};
use crate::app::theme::Palette;

/// The marks of a scene.
pub(super) fn group(scene: &Scene, palette: &Palette) -> Group {
    scene.marks.iter().fold(Group::new(), |group, mark| draw(group, scene, mark, palette))
}

/// The hatchings that these scenes need, each once.
pub(super) fn hatchings<'a>(scenes: impl Iterator<Item = &'a Scene>, palette: &Palette) -> Definitions {
    let marks = scenes.flat_map(|scene| &scene.marks);
    let hatched = marks.filter(|mark| matches!(mark.shape, Shape::Rect { fill: Fill::Hatched, .. }));
    let colors: BTreeMap<String, Color32> = hatched.map(|mark| color(mark.role, palette)).map(|c| (id(c), c)).collect();
    colors.into_iter().fold(Definitions::new(), |all, (id, color)| {
        all.add(
            Pattern::new()
                .set("id", id)
                .set("width", 4.25)
                .set("height", 4.25)
                .set("patternUnits", "userSpaceOnUse")
                .set("patternTransform", "rotate(45)")
                .add(line([0.0, 0.0], [0.0, 4.25], 2.0, color)),
        )
    })
}

fn id(color: Color32) -> String {
    format!("hatch-{}", hex(color).trim_start_matches('#'))
}

fn draw(group: Group, scene: &Scene, mark: &Mark, palette: &Palette) -> Group {
    let color = color(mark.role, palette);
    let wide = |[x, y]: [f32; 2]| [f64::from(x), f64::from(y)];
    match &mark.shape {
        Shape::Rect { at, size, fill } => {
            // An outline lies inside, as in the window.
            let inset = if *fill == Fill::Solid { 0.0 } else { 0.5 };
            let [x, y] = wide(*at);
            let size = wide(*size).map(|length| (length - 2.0 * inset).max(0.1));
            let mut shape = rectangle([x + inset, y + inset], size).set("stroke", hex(color));
            shape = match fill {
                Fill::Solid => shape.set("fill", hex(color)).set("stroke", "none"),
                Fill::Soft => shape.set("fill", hex(color)).set("fill-opacity", 0.3),
                Fill::Hatched => shape.set("fill", format!("url(#{})", id(color))),
                Fill::Outline => shape.set("fill", "none"),
            };
            let tip = match mark.parts.as_slice() {
                [part] => scene.parts.get(*part).map(|part| part.tip.as_str()),
                _ => None,
            };
            match tip {
                Some(tip) => group.add(shape.add(Title::new(tip))),
                None => group.add(shape),
            }
        }
        Shape::Line { from, to, width } => group.add(line(wide(*from), wide(*to), f64::from(*width), color)),
        Shape::Text { at, text: words, size, align } => {
            let anchor = match align {
                Align::Left => "start",
                Align::Centre => "middle",
                Align::Right => "end",
            };
            group.add(text(wide(*at), f64::from(*size), color, words).set("text-anchor", anchor))
        }
    }
}
