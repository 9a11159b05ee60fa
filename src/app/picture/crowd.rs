//! What can be seen of a crowd of points: those that would lie on each other are drawn once, bars that overlap in a column
//! of pixels as one. A frame must not take longer than the eye notices, however many points there are.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use eframe::egui::{Color32, Shape, Ui};
use egui_plot::{PlotBounds, PlotGeometry, PlotItem, PlotItemBase, PlotPoint, PlotTransform};

use super::chart::{Chart, Dot};

/// Points so near to each other are one, in points of the screen: a mark is five times as large.
const NEAR: f64 = 2.0;

/// The raster on which a chart is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raster {
    low: [f64; 2],
    /// Cells for each unit of the chart.
    scale: [f64; 2],
}

impl Raster {
    /// The raster of a chart that is drawn so large.
    pub(super) fn new(chart: &Chart, size: [f32; 2]) -> Self {
        let [x_low, x_high, y_low, y_high] = chart.bounds();
        let scale = |size: f32, length: f64| f64::from(size) / NEAR / length.max(f64::MIN_POSITIVE);
        Self { low: [x_low, y_low], scale: [scale(size[0], x_high - x_low), scale(size[1], y_high - y_low)] }
    }

    #[expect(clippy::cast_possible_truncation, reason = "cells of a screen")]
    fn cell(self, place: [f64; 2]) -> [i64; 2] {
        [0, 1].map(|axis| ((place[axis] - self.low[axis]) * self.scale[axis]).round() as i64)
    }

    /// Where there are points: one place for each cell.
    pub(super) fn places<'a>(self, chart: &Chart, dots: impl Iterator<Item = &'a Dot>) -> Vec<[f64; 2]> {
        let mut taken = HashSet::new();
        dots.filter_map(|dot| chart.place(dot.x, dot.y)).filter(|place| taken.insert(self.cell(*place))).collect()
    }

    /// From low to high for each point that has a spread; those that overlap in a column together. Points ascend in x.
    fn bars<'a>(self, chart: &Chart, dots: impl Iterator<Item = &'a Dot>) -> Vec<[[f64; 2]; 2]> {
        let mut bars: Vec<[[f64; 2]; 2]> = Vec::new();
        for dot in dots.filter(|dot| dot.low < dot.high) {
            let Some((low, high)) = chart.place(dot.x, dot.low).zip(chart.place(dot.x, dot.high)) else { continue };
            let column = self.cell(low)[0];
            let mut here = bars.iter_mut().rev().take_while(|bar| self.cell(bar[0])[0] == column);
            match here.find(|bar| bar[0][1] <= high[1] && low[1] <= bar[1][1]) {
                Some(bar) => (bar[0][1], bar[1][1]) = (bar[0][1].min(low[1]), bar[1][1].max(high[1])),
                None => bars.push([low, high]),
            }
        }
        bars
    }
}

/// The bars of a series, as one piece of the plot: a line each would cost far more.
pub(super) struct Bars {
    base: PlotItemBase,
    bars: Vec<[[f64; 2]; 2]>,
    color: Color32,
}

impl Bars {
    pub(super) fn new<'a>(raster: Raster, chart: &Chart, dots: impl Iterator<Item = &'a Dot>, color: Color32) -> Self {
        Self { base: PlotItemBase::new(String::new()), bars: raster.bars(chart, dots), color }
    }
}

impl PlotItem for Bars {
    fn shapes(&self, _ui: &Ui, transform: &PlotTransform, shapes: &mut Vec<Shape>) {
        let on_screen = |[x, y]: [f64; 2]| transform.position_from_point(&PlotPoint::new(x, y));
        shapes.extend(self.bars.iter().map(|bar| Shape::line_segment(bar.map(on_screen), (2.0, self.color))));
    }

    fn initialize(&mut self, _x_range: RangeInclusive<f64>) {}

    fn color(&self) -> Color32 {
        self.color
    }

    fn allow_hover(&self) -> bool {
        false
    }

    fn geometry(&self) -> PlotGeometry<'_> {
        PlotGeometry::None
    }

    fn bounds(&self) -> PlotBounds {
        let mut bounds = PlotBounds::NOTHING;
        for place in self.bars.iter().flatten() {
            bounds.extend_with(&PlotPoint::from(*place));
        }
        bounds
    }

    fn base(&self) -> &PlotItemBase {
        &self.base
    }

    fn base_mut(&mut self) -> &mut PlotItemBase {
        &mut self.base
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChartMark, Ink, Scale, Series};
    use super::*;

    /// From 1 to 1024 along x, 0 to about 100 along y.
    fn chart(dots: Vec<Dot>) -> Chart {
        Chart {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            y_scale: Scale::Linear,
            x_ticks: Vec::new(),
            series: vec![Series::new("", Ink::Measured, ChartMark::Disc, dots)],
            regions: Vec::new(),
            here: Vec::new(),
        }
    }

    #[test]
    fn points_on_each_other_are_drawn_once_and_others_all() {
        let far: Vec<Dot> = (0..=10).map(|k| Dot::new(f64::from(1 << k), 100.0)).collect();
        let mut crowd = far.clone();
        crowd.extend((0..1000).map(|k| Dot::new(2.0 + f64::from(k) * 1e-6, 100.0)));
        let chart = chart(crowd);
        let raster = Raster::new(&chart, [1000.0, 500.0]);
        let places = raster.places(&chart, chart.series[0].dots().iter());
        let expected: Vec<_> = far.iter().filter_map(|dot| chart.place(dot.x, dot.y)).collect();
        assert_eq!(places, expected);
    }

    #[test]
    fn overlapping_bars_of_a_column_become_one_that_covers_them() {
        let bar = |x: f64, low: f64, high: f64| Dot { low, high, ..Dot::new(x, low) };
        let dots = vec![bar(1.0, 10.0, 20.0), bar(1.0, 50.0, 60.0), bar(1.0, 15.0, 30.0), bar(1024.0, 15.0, 30.0)];
        let chart = chart(dots);
        let raster = Raster::new(&chart, [1000.0, 500.0]);
        let bars = raster.bars(&chart, chart.series[0].dots().iter());
        let ranges: Vec<_> = bars.iter().map(|bar| (bar[0][0], bar[0][1], bar[1][1])).collect();
        assert_eq!(ranges, [(0.0, 10.0, 30.0), (0.0, 50.0, 60.0), (10.0, 15.0, 30.0)]);
    }
}
