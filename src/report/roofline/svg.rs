//! The roofline as a picture: both axes logarithmic, rungs numbered, with their names beside. Its description in words
//! holds the same numbers.

use svg::node::element::{Circle, Description, Group, Polyline, Rectangle, Text, Title};
use svg::{Document, Node as _};

use super::{Point, Roofline};
use crate::report::shapes::{line, round};
use crate::units::format_gb_per_s;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 540.0;
/// The plot: left, right, top, bottom. The names of the rungs stand right of it.
const PLOT: [f64; 4] = [76.0, 640.0, 64.0, 470.0];
const INK: &str = "#1a1a1a";
const FAINT: &str = "#d8d8d8";
/// Blue and vermilion of the Okabe-Ito palette, which all kinds of colour vision tell apart.
const ROOF: &str = "#0072b2";
const RUNG: &str = "#a33c00";

/// The picture as a text of SVG. `device` names what was measured, and when.
#[must_use]
pub fn to_string(roofline: &Roofline, device: &str) -> String {
    let [m, n, k] = roofline.size;
    let heading = format!("The matmul ladder under its roof: {m} x {n} x {k}");
    let scale = Scale::of(roofline);
    let document = Document::new()
        .set("viewBox", (0, 0, WIDTH, HEIGHT))
        .set("width", WIDTH)
        .set("height", HEIGHT)
        .set("role", "img")
        .set("font-family", "system-ui, 'DejaVu Sans', Arial, sans-serif")
        .set("font-size", 14)
        .add(Title::new(heading.clone()))
        .add(Description::new().add(svg::node::Text::new(description(roofline, device))))
        .add(Rectangle::new().set("width", WIDTH).set("height", HEIGHT).set("fill", "#ffffff"))
        .add(text(PLOT[0], 28.0, &heading).set("font-size", 18).set("font-weight", "bold"))
        .add(text(PLOT[0], 48.0, device))
        .add(axes(&scale))
        .add(roofs(roofline, &scale))
        .add(rungs(roofline, &scale))
        .add(legend(roofline));
    format!("{document}\n")
}

/// What the picture shows, in words.
fn description(roofline: &Roofline, device: &str) -> String {
    let mut words = vec![format!(
        "Measured: {device}. Memory allows {} GB/s times the operations for each byte.",
        format_gb_per_s(roofline.read_gb_per_s)
    )];
    words.extend(
        roofline
            .ceilings
            .iter()
            .map(|roof| format!("Its roof, {}: {} GFLOP/s.", roof.name, format_gb_per_s(roof.gflop_per_s))),
    );
    words.extend(roofline.points.iter().map(|point| {
        format!(
            "{}: {} GFLOP/s at {:.3} to {:.0} operations for each byte.",
            point.kernel,
            format_gb_per_s(point.gflop_per_s),
            point.intensity.low,
            point.intensity.high
        )
    }));
    words.join(" ")
}

/// From figures to places: decades of both axes.
struct Scale {
    x: [i32; 2],
    y: [i32; 2],
}

impl Scale {
    /// The decades that hold all rungs and roofs.
    fn of(roofline: &Roofline) -> Self {
        let lows = || roofline.points.iter().map(|point| point.intensity.low);
        let highs = roofline.points.iter().map(|point| point.intensity.high);
        let ridges = || roofline.ceilings.iter().map(|roof| roof.gflop_per_s / roofline.read_gb_per_s);
        let rates = || roofline.points.iter().map(|point| point.gflop_per_s);
        let roofs = || roofline.ceilings.iter().map(|roof| roof.gflop_per_s);
        Self {
            x: decades(lows().chain(ridges()), highs.chain(ridges())),
            y: decades(rates().chain(roofs()), rates().chain(roofs())),
        }
    }

    fn x(&self, intensity: f64) -> f64 {
        place(intensity, self.x, PLOT[0], PLOT[1])
    }

    fn y(&self, rate: f64) -> f64 {
        place(rate, self.y, PLOT[3], PLOT[2])
    }
}

/// Powers of ten around figures.
fn decades(low: impl Iterator<Item = f64>, high: impl Iterator<Item = f64>) -> [i32; 2] {
    #[expect(clippy::cast_possible_truncation, reason = "logarithms of finite positive figures")]
    let power = |log: f64| log as i32;
    let least = power(low.fold(f64::INFINITY, f64::min).log10().floor());
    let most = power(high.fold(f64::MIN_POSITIVE, f64::max).log10().ceil());
    [least, most.max(least + 1)]
}

fn place(figure: f64, [least, most]: [i32; 2], from: f64, to: f64) -> f64 {
    from + (figure.log10() - f64::from(least)) / f64::from(most - least) * (to - from)
}

fn axes(scale: &Scale) -> Group {
    let [left, right, top, bottom] = PLOT;
    let mut group = Group::new();
    for power in scale.x[0]..=scale.x[1] {
        let (figure, x) = (10f64.powi(power), scale.x(10f64.powi(power)));
        group.append(line([x, top], [x, bottom], FAINT, 1.0));
        group.append(text(x, bottom + 20.0, &plain(figure)).set("text-anchor", "middle"));
    }
    for power in scale.y[0]..=scale.y[1] {
        let (figure, y) = (10f64.powi(power), scale.y(10f64.powi(power)));
        group.append(line([left, y], [right, y], FAINT, 1.0));
        group.append(text(left - 8.0, y + 5.0, &plain(figure / 1000.0)).set("text-anchor", "end"));
    }
    let middle = f64::midpoint(left, right);
    let under = "operations for each byte from memory (left end: nothing is cached; right end: each matrix comes once)";
    group.append(text(middle, bottom + 46.0, under).set("text-anchor", "middle").set("font-size", 12));
    let turned = format!("rotate(-90 22 {})", f64::midpoint(top, bottom));
    group.add(text(22.0, f64::midpoint(top, bottom), "TFLOP/s").set("text-anchor", "middle").set("transform", turned))
}

/// Memory's slope up to each measured peak.
fn roofs(roofline: &Roofline, scale: &Scale) -> Group {
    let mut group = Group::new();
    let slope = |intensity: f64| roofline.read_gb_per_s * intensity;
    let start = 10f64.powi(scale.x[0]).max(10f64.powi(scale.y[0]) / roofline.read_gb_per_s);
    let highest = roofline.ceilings.iter().map(|roof| roof.gflop_per_s).fold(0.0, f64::max);
    let ridge = highest / roofline.read_gb_per_s;
    group.append(line([scale.x(start), scale.y(slope(start))], [scale.x(ridge), scale.y(highest)], ROOF, 2.5));
    for roof in &roofline.ceilings {
        let (from, y) = (scale.x(roof.gflop_per_s / roofline.read_gb_per_s), scale.y(roof.gflop_per_s));
        group.append(line([from, y], [PLOT[1], y], ROOF, 2.5));
        let words = format!("{}: {} TFLOP/s", roof.name, plain_rate(roof.gflop_per_s));
        group.append(text(PLOT[1] - 6.0, y - 8.0, &words).set("text-anchor", "end").set("fill", ROOF));
    }
    let words = format!("memory: {} GB/s", format_gb_per_s(roofline.read_gb_per_s));
    let (x, y) = (scale.x(start) + 26.0, scale.y(slope(start)) - 10.0);
    group.add(text(x, y, &words).set("fill", ROOF))
}

fn rungs(roofline: &Roofline, scale: &Scale) -> Group {
    let mut group = Group::new();
    for (number, point) in roofline.points.iter().enumerate() {
        let (x, end, y) = (scale.x(point.intensity.low), scale.x(point.intensity.high), scale.y(point.gflop_per_s));
        group.append(
            Polyline::new()
                .set("points", format!("{x:.1},{y:.1} {end:.1},{y:.1}"))
                .set("stroke", RUNG)
                .set("stroke-width", 1)
                .set("stroke-dasharray", "2 4")
                .set("fill", "none"),
        );
        // Rungs of one tile share a place or nearly so: each number stands a little further along its line.
        let near = roofline.points[..number].iter().filter(|other| is_near(scale, other, point)).count();
        group.append(mark(x + 22.0 * near as f64, y, number + 1));
    }
    group
}

/// Whether the marks of two rungs would cover each other.
fn is_near(scale: &Scale, a: &Point, b: &Point) -> bool {
    let across = scale.x(a.intensity.low) - scale.x(b.intensity.low);
    let down = scale.y(a.gflop_per_s) - scale.y(b.gflop_per_s);
    across.abs() < 22.0 && down.abs() < 20.0
}

fn mark(x: f64, y: f64, number: usize) -> Group {
    Group::new().add(Circle::new().set("cx", round(x)).set("cy", round(y)).set("r", 10).set("fill", RUNG)).add(
        text(x, y + 4.5, &number.to_string()).set("text-anchor", "middle").set("fill", "#ffffff").set("font-size", 12),
    )
}

/// Number, name and rate of each rung.
fn legend(roofline: &Roofline) -> Group {
    let mut group = Group::new();
    for (number, point) in roofline.points.iter().enumerate() {
        let y = PLOT[2] + 24.0 * number as f64;
        group.append(mark(PLOT[1] + 28.0, y, number + 1));
        group.append(text(PLOT[1] + 46.0, y + 5.0, &point.kernel));
        let rate = format!("{} TFLOP/s", plain_rate(point.gflop_per_s));
        group.append(text(WIDTH - 14.0, y + 5.0, &rate).set("text-anchor", "end"));
    }
    group
}

fn text(x: f64, y: f64, words: &str) -> Text {
    Text::new(words).set("x", round(x)).set("y", round(y)).set("fill", INK)
}

/// A power of ten as people write it.
fn plain(figure: f64) -> String {
    format!("{figure}")
}

fn plain_rate(gflop_per_s: f64) -> String {
    format!("{:.1}", gflop_per_s / 1000.0)
}
