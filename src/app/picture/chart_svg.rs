//! A chart as shapes of SVG, with the places and the marks of the window's plot.

use eframe::egui::Color32;
use svg::Node as _;
use svg::node::element::{Circle, Group, Polyline};

use super::chart::{Chart, Dot, Mark, Series, number};
use super::chart_painter::color;
use super::svg_parts::{hex, line, polygon, rectangle, text, width};
use crate::app::theme::Palette;
use crate::report::shapes::round;

/// Letters of axes and legend.
const LETTERS: f64 = 13.0;
/// Room left, right and below the plot for the names of its axes.
const LEFT: f64 = 76.0;
const RIGHT: f64 = 16.0;
const BELOW: f64 = 48.0;
/// A row of the legend.
const ROW: f64 = 20.0;

/// From figures to points.
struct Places {
    bounds: [f64; 4],
    /// Left, right, top, bottom of the plot.
    plot: [f64; 4],
}

impl Places {
    fn x(&self, place: f64) -> f64 {
        let [low, high, ..] = self.bounds;
        self.plot[0] + (place - low) / (high - low) * (self.plot[1] - self.plot[0])
    }

    fn y(&self, place: f64) -> f64 {
        let [_, _, low, high] = self.bounds;
        self.plot[3] - (place - low) / (high - low) * (self.plot[3] - self.plot[2])
    }

    /// Where a point stands; `None` where it cannot be drawn.
    fn at(&self, chart: &Chart, x: f64, y: f64) -> Option<[f64; 2]> {
        chart.place(x, y).map(|[x, y]| [self.x(x), self.y(y)])
    }
}

/// The chart with legend, axes and notes, so large; and the height that it took.
pub(super) fn group(chart: &Chart, palette: &Palette, [wide, high]: [f64; 2]) -> (Group, f64) {
    let mut group = Group::new();
    let top = legend(&mut group, chart, palette, wide) + 10.0;
    let plot = [LEFT, wide - RIGHT, top, (high - BELOW).max(top + 60.0)];
    let places = Places { bounds: chart.bounds(), plot };
    axes(&mut group, chart, palette, &places);
    regions(&mut group, chart, palette, &places);
    for (x, name) in &chart.here {
        if let Some([x, _]) = chart.place(*x, 1.0) {
            let x = places.x(x);
            group.append(line([x, plot[2]], [x, plot[3]], 1.5, palette.text).set("stroke-dasharray", "6 6"));
            group.append(text([x + 4.0, plot[2] + 8.0], LETTERS, palette.text, name));
        }
    }
    for series in &chart.series {
        draw(&mut group, chart, series, &places, color(series.ink, palette));
    }
    let mut y = plot[3] + BELOW;
    for note in chart.notes() {
        group.append(text([LEFT, y + 8.0], LETTERS, palette.weak, &note));
        y += ROW;
    }
    (group, y)
}

/// What each series is; returns the height of its rows.
fn legend(group: &mut Group, chart: &Chart, palette: &Palette, wide: f64) -> f64 {
    let (mut x, mut y) = (LEFT, 10.0);
    for series in &chart.series {
        let room = 34.0 + width(&series.name, LETTERS) + 14.0;
        if x > LEFT && x + room > wide {
            (x, y) = (LEFT, y + ROW);
        }
        let color = color(series.ink, palette);
        match series.mark {
            Mark::Line | Mark::Dashed => group.append(stroke(vec![[x, y], [x + 24.0, y]], series.mark, color)),
            Mark::Disc | Mark::Diamond | Mark::Square | Mark::Triangle => {
                mark(group, series.mark, [x + 12.0, y], color);
            }
        }
        group.append(text([x + 30.0, y], LETTERS, palette.text, &series.name));
        x += room;
    }
    if chart.series.iter().any(|series| series.dots().iter().any(|dot| dot.flag.is_some())) {
        let words = "flagged, see below";
        if x + 30.0 + width(words, LETTERS) > wide {
            (x, y) = (LEFT, y + ROW);
        }
        cross(group, [x + 12.0, y], palette.text);
        group.append(text([x + 30.0, y], LETTERS, palette.text, words));
    }
    y + ROW / 2.0
}

fn axes(group: &mut Group, chart: &Chart, palette: &Palette, places: &Places) {
    let [left, right, top, bottom] = places.plot;
    for place in chart.x_places() {
        let x = places.x(place);
        group.append(line([x, top], [x, bottom], 1.0, palette.faint));
        let name = text([x, bottom + 14.0], LETTERS, palette.weak, &number(place.exp2()));
        group.append(name.set("text-anchor", "middle"));
    }
    for place in chart.y_places() {
        let y = places.y(place);
        group.append(line([left, y], [right, y], 1.0, palette.faint));
        group.append(text([left - 8.0, y], LETTERS, palette.weak, &chart.y_name(place)).set("text-anchor", "end"));
    }
    let middle = f64::midpoint(left, right);
    group.append(text([middle, bottom + 36.0], LETTERS, palette.text, &chart.x_label).set("text-anchor", "middle"));
    let y = round(f64::midpoint(top, bottom));
    let name = text([18.0, y], LETTERS, palette.text, &chart.y_label).set("text-anchor", "middle");
    group.append(name.set("transform", format!("rotate(-90 18 {y})")));
}

fn regions(group: &mut Group, chart: &Chart, palette: &Palette, places: &Places) {
    for (k, region) in chart.regions.iter().enumerate() {
        let ends = chart.place(region.from, 1.0).zip(chart.place(region.to, 1.0));
        let Some((from, to)) = ends.map(|([from, _], [to, _])| (places.x(from), places.x(to))) else { continue };
        if k % 2 == 1 {
            let area = rectangle([from, places.plot[2]], [to - from, places.plot[3] - places.plot[2]]);
            group.append(area.set("fill", hex(palette.weak)).set("fill-opacity", 0.1));
        }
        let at = [f64::midpoint(from, to), places.plot[3] - 9.0];
        let words = width(&region.label, LETTERS) + 8.0;
        group.append(rectangle([at[0] - words / 2.0, at[1] - 8.0], [words, 16.0]).set("fill", hex(palette.ground)));
        group.append(text(at, LETTERS, palette.weak, &region.label).set("text-anchor", "middle"));
    }
}

fn draw(group: &mut Group, chart: &Chart, series: &Series, places: &Places, color: Color32) {
    let at = |dot: &Dot, y: f64| places.at(chart, dot.x, y);
    match series.mark {
        Mark::Line | Mark::Dashed => {
            if series.dots().iter().any(|dot| dot.low < dot.high) {
                let lows = series.dots().iter().filter_map(|dot| at(dot, dot.low));
                let highs = series.dots().iter().rev().filter_map(|dot| at(dot, dot.high));
                group.append(polygon(lows.chain(highs)).set("fill", hex(color)).set("fill-opacity", 0.25));
            }
            let points = series.dots().iter().filter_map(|dot| at(dot, dot.y)).collect();
            group.append(stroke(points, series.mark, color));
        }
        Mark::Disc | Mark::Diamond | Mark::Square | Mark::Triangle => {
            for dot in series.dots() {
                if let Some((low, high)) = at(dot, dot.low).zip(at(dot, dot.high)).filter(|_| dot.low < dot.high) {
                    group.append(line(low, high, 2.0, color));
                }
                match (at(dot, dot.y), &dot.flag) {
                    (Some(place), None) => mark(group, series.mark, place, color),
                    (Some(place), Some(_)) => cross(group, place, color),
                    (None, _) => {}
                }
            }
        }
    }
}

fn stroke(points: Vec<[f64; 2]>, mark: Mark, color: Color32) -> Polyline {
    let points: Vec<String> = points.into_iter().map(|[x, y]| format!("{},{}", round(x), round(y))).collect();
    let stroke = Polyline::new()
        .set("points", points.join(" "))
        .set("fill", "none")
        .set("stroke", hex(color))
        .set("stroke-width", 2.5);
    if mark == Mark::Dashed { stroke.set("stroke-dasharray", "4 3") } else { stroke }
}

/// A mark of radius 6, or a disc of 5.
fn mark(group: &mut Group, mark: Mark, [x, y]: [f64; 2], color: Color32) {
    let corners = mark.corners();
    if corners.is_empty() {
        group.append(Circle::new().set("cx", round(x)).set("cy", round(y)).set("r", 5).set("fill", hex(color)));
        return;
    }
    let outline =
        polygon(corners.iter().map(|[right, down]| [x + 6.0 * f64::from(*right), y + 6.0 * f64::from(*down)]));
    group.append(outline.set("fill", "none").set("stroke", hex(color)).set("stroke-width", 1.5));
}

fn cross(group: &mut Group, [x, y]: [f64; 2], color: Color32) {
    group.append(line([x - 5.0, y - 5.0], [x + 5.0, y + 5.0], 2.0, color));
    group.append(line([x - 5.0, y + 5.0], [x + 5.0, y - 5.0], 2.0, color));
}
