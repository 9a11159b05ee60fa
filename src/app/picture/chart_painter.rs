//! Paints a chart with egui_plot, which has no logarithmic axis: the chart's own places are plotted, and named by ticks.

use eframe::egui::{self, Align2, Color32, Painter, Rect, RichText, Stroke, WidgetInfo, vec2};
use egui_plot::{
    FilledArea, GridMark, HoverPosition, Line, LineStyle, MarkerShape, Plot, PlotBounds, PlotPoint, PlotPoints, PlotUi,
    Points, Span, Text, VLine,
};

use super::chart::{Chart, Dot, Ink, Mark, Scale, Series, number};
use super::crowd::{Bars, Raster};
use crate::app::theme::Palette;

/// Paints the chart in what room there is, at most so high. Nothing in it moves or zooms: its bounds are those of its data.
pub fn show(ui: &mut egui::Ui, id: &str, chart: &Chart, palette: &Palette, height: f32) {
    let top = ui.cursor().top();
    let [x_low, x_high, y_low, y_high] = chart.bounds();
    let log = chart.y_scale == Scale::Log2;
    let x_places = chart.x_places();
    let y_name = move |y: f64| number(if log { y.exp2() } else { y });
    let plot = Plot::new(id)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
        .show_crosshair(false)
        .x_axis_label(chart.x_label.as_str())
        .y_axis_label(chart.y_label.as_str())
        .x_grid_spacer(move |_| x_places.iter().map(|value| GridMark { value: *value, step_size: 1.0 }).collect())
        .grid_spacing(14.0..=400.0)
        .grid_color(palette.faint)
        .x_axis_formatter(|mark, _| number(mark.value.exp2()))
        .y_axis_formatter(move |mark, _| y_name(mark.value))
        .y_axis_min_width(52.0)
        .label_formatter(move |at| match at {
            HoverPosition::NearDataPoint { plot_name, position, .. } if !plot_name.is_empty() => {
                Some(format!("{plot_name}\n{}: {}", number(position.x.exp2()), y_name(position.y)))
            }
            HoverPosition::NearDataPoint { .. } | HoverPosition::Elsewhere { .. } => None,
        });
    legend(ui, chart, palette);
    let height = (height - (ui.cursor().top() - top)).max(120.0);
    let plot = plot.height(height);
    let raster = Raster::new(chart, [ui.available_width(), height]);
    let y_places = chart.y_places();
    // The plot fades names that would stand too close, by this distance.
    let step_size = y_places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min).min(1e9);
    let plot =
        plot.y_grid_spacer(move |_| y_places.iter().map(|value| GridMark { value: *value, step_size }).collect());
    let response = plot.show(ui, |plot| {
        plot.set_plot_bounds(PlotBounds::from_min_max([x_low, y_low], [x_high, y_high]));
        regions(plot, chart, palette, [y_low, y_high]);
        for (x, name) in &chart.here {
            if let Some([x, _]) = chart.place(*x, 1.0) {
                let line = VLine::new(name.as_str(), x).color(palette.text).width(1.5).style(LineStyle::dashed_loose());
                plot.vline(line.allow_hover(false));
            }
        }
        for series in &chart.series {
            draw(plot, chart, raster, series, palette);
        }
    });
    response.response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, chart.description()));
    for note in chart.notes() {
        ui.label(RichText::new(note).small().color(palette.weak));
    }
}

/// What each series is, above the plot, where it hides no point.
fn legend(ui: &mut egui::Ui, chart: &Chart, palette: &Palette) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for series in &chart.series {
            // A sign stays with its words.
            let words = egui::WidgetText::from(RichText::new(&series.name).size(14.0));
            let words = words.into_galley(ui, Some(egui::TextWrapMode::Extend), f32::INFINITY, egui::TextStyle::Body);
            if ui.available_size_before_wrap().x < 24.0 + words.size().x {
                ui.end_row();
            }
            let (rect, _) = ui.allocate_exact_size(vec2(20.0, 16.0), egui::Sense::hover());
            sign(ui.painter(), rect, series.mark, color(series.ink, palette));
            ui.label(words);
            // At the end of a row there is no room to be left, or the plot would grow beyond its place.
            ui.add_space(ui.available_size_before_wrap().x.clamp(0.0, 10.0));
        }
        if chart.series.iter().any(|series| series.dots().iter().any(|dot| dot.flag.is_some())) {
            let (rect, _) = ui.allocate_exact_size(vec2(20.0, 16.0), egui::Sense::hover());
            let arm = vec2(5.0, 5.0);
            let stroke = Stroke::new(1.5, palette.text);
            ui.painter().line_segment([rect.center() - arm, rect.center() + arm], stroke);
            ui.painter().line_segment([rect.center() - arm.rot90(), rect.center() + arm.rot90()], stroke);
            ui.label(RichText::new("flagged, see below").size(14.0));
        }
    });
}

/// The sign of a series in the legend: the same shape as in the plot.
fn sign(painter: &Painter, rect: Rect, mark: Mark, color: Color32) {
    let (centre, stroke) = (rect.center(), Stroke::new(1.5, color));
    match mark {
        Mark::Line | Mark::Dashed => {
            let ends = [rect.left_center(), rect.right_center()];
            let stroke = Stroke::new(2.5, color);
            if mark == Mark::Line {
                painter.line_segment(ends, stroke);
            } else {
                painter.extend(egui::Shape::dashed_line(&ends, stroke, 4.0, 3.0));
            }
        }
        Mark::Disc => {
            painter.circle_filled(centre, 5.0, color);
        }
        Mark::Diamond | Mark::Square | Mark::Triangle => {
            let corners = mark.corners().iter().map(|[x, y]| centre + 6.0 * vec2(*x, *y)).collect();
            painter.add(egui::Shape::closed_line(corners, stroke));
        }
    }
}

/// The colour of a series.
#[must_use]
pub fn color(ink: Ink, palette: &Palette) -> Color32 {
    match ink {
        Ink::Predicted => palette.predicted,
        Ink::Measured => palette.measured,
        Ink::Moved => palette.moved,
        Ink::Recorded => palette.recorded,
        Ink::Pinned => palette.pinned,
        Ink::File(number) => [palette.good, palette.pinned, palette.bad][number % 3],
    }
}

fn regions(plot: &mut PlotUi<'_>, chart: &Chart, palette: &Palette, [y_low, y_high]: [f64; 2]) {
    for (k, region) in chart.regions.iter().enumerate() {
        let Some(([from, _], [to, _])) = chart.place(region.from, 1.0).zip(chart.place(region.to, 1.0)) else {
            continue;
        };
        if k % 2 == 1 {
            let fill = palette.weak.gamma_multiply(0.10);
            plot.span(Span::new("", from..=to).fill(fill).border_width(0.0));
        }
        let text = RichText::new(&region.label).size(14.0).color(palette.weak).background_color(palette.ground);
        // Rates fall to the right: the lower left and the upper right corner are where nothing is drawn.
        let (y, anchor) = if k % 2 == 1 { (y_high, Align2::CENTER_TOP) } else { (y_low, Align2::CENTER_BOTTOM) };
        plot.text(Text::new("", PlotPoint::new(f64::midpoint(from, to), y), text).anchor(anchor));
    }
}

fn draw(plot: &mut PlotUi<'_>, chart: &Chart, raster: Raster, series: &Series, palette: &Palette) {
    let color = color(series.ink, palette);
    match series.mark {
        Mark::Line | Mark::Dashed => {
            band(plot, chart, series, color);
            let style = if series.mark == Mark::Dashed { LineStyle::dashed_dense() } else { LineStyle::Solid };
            let points: Vec<_> = series.dots().iter().filter_map(|dot| chart.place(dot.x, dot.y)).collect();
            plot.line(Line::new(&series.name, points).color(color).width(2.5).style(style));
        }
        Mark::Disc | Mark::Diamond | Mark::Square | Mark::Triangle => {
            plot.add(Bars::new(raster, chart, series.dots().iter(), color));
            let (shape, filled, radius) = match series.mark {
                Mark::Diamond => (MarkerShape::Diamond, false, 6.0),
                Mark::Square => (MarkerShape::Square, false, 5.0),
                Mark::Triangle => (MarkerShape::Up, false, 6.0),
                Mark::Disc | Mark::Line | Mark::Dashed => (MarkerShape::Circle, true, 5.0),
            };
            let (sound, flagged): (Vec<&Dot>, Vec<&Dot>) = series.dots().iter().partition(|dot| dot.flag.is_none());
            let seen = |dots: Vec<&Dot>| PlotPoints::from(raster.places(chart, dots.into_iter()));
            plot.points(Points::new(&series.name, seen(sound)).color(color).radius(radius).shape(shape).filled(filled));
            let crosses = Points::new(format!("{} (flagged)", series.name), seen(flagged));
            plot.points(crosses.color(color).radius(7.0).shape(MarkerShape::Cross));
        }
    }
}

/// The area between low and high, where there is one.
fn band(plot: &mut PlotUi<'_>, chart: &Chart, series: &Series, color: Color32) {
    if series.dots().iter().all(|dot| dot.low == dot.high) {
        return;
    }
    let edges: Vec<[f64; 3]> = series
        .dots()
        .iter()
        .filter_map(|dot| {
            let ([x, low], [_, high]) = chart.place(dot.x, dot.low).zip(chart.place(dot.x, dot.high))?;
            Some([x, low, high])
        })
        .collect();
    let column = |k: usize| edges.iter().map(|edge| edge[k]).collect::<Vec<_>>();
    let area = FilledArea::new("", &column(0), &column(1), &column(2)).fill_color(color.gamma_multiply(0.25));
    plot.add(area.allow_hover(false));
}

/// The least height at which a chart with its legend can be read, points.
pub const LEAST_HEIGHT: f32 = 300.0;
