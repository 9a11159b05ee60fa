//! A roofline: memory's slope up to the flat of arithmetic, and the rungs that stand below it, by number. Both axes are
//! logarithmic.

use crate::record::Band;
use crate::report::roofline::Roofline;
use crate::units::format_flop_rate;

use super::labels::Labels;
use super::scene::{Align, Fill, Role, Scene};

/// A run's roofline and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Roof {
    /// Roofs and points.
    pub roofline: Roofline,
    /// Whose: `this machine`.
    pub name: String,
    /// Whether it was measured here, stands in a file, or is the recorded one.
    pub whose: Whose,
    /// Kernels whose points are of earlier runs, which had roofs of their own.
    pub earlier: Vec<String>,
}

/// Whose a roofline is. The later stands above the earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    /// Recorded on another machine.
    Recorded,
    /// From a file that is laid over, by number.
    File(u32),
    /// This machine's.
    Here,
}

const LEFT: f32 = 62.0;
const RIGHT: f32 = 26.0;
const TOP: f32 = 26.0;
const BOTTOM: f32 = 46.0;
/// Side of a mark, whose middle is its true place.
const MARK: f32 = 9.0;
/// Height of a label, and its width for a letter.
const LABEL: [f32; 2] = [14.0, 7.0];
/// How far from its mark a number may stand without a leader.
const NEAR: f32 = 17.0;
const LETTERS: f32 = 13.0;

/// The picture, so large. `number` is that of a rung by its kernel.
#[must_use]
pub fn scene(roofs: &[Roof], number: &dyn Fn(&str) -> usize, size: [f32; 2]) -> Scene {
    let mut scene = Scene { size, description: describe(roofs, number), ..Scene::default() };
    let scale = Scale::of(roofs, size);
    let mut labels = Labels::new([LEFT, 0.0, size[0] - RIGHT, size[1] - BOTTOM]);
    let grid = axes(&mut scene, &scale);
    // What was recorded lies below what was measured here.
    let mut order: Vec<&Roof> = roofs.iter().collect();
    order.sort_by_key(|roof| roof.whose);
    for roof in &order {
        marks(&mut scene, &scale, roof, &mut labels);
    }
    // Names go where the marks and the roofs have left room, and off the grid; numbers may stand on that.
    for roof in &order {
        names(&mut scene, &scale, roof, &grid, &mut labels);
    }
    for roof in &order {
        numbers(&mut scene, &scale, roof, number, &mut labels);
    }
    scene
}

/// From figures to places.
struct Scale {
    /// Powers of ten at the ends.
    x: [f64; 2],
    y: [f64; 2],
    size: [f32; 2],
}

impl Scale {
    fn of(roofs: &[Roof], size: [f32; 2]) -> Self {
        let points = || roofs.iter().flat_map(|roof| &roof.roofline.points);
        let ceilings = || roofs.iter().flat_map(|roof| &roof.roofline.ceilings).map(|ceiling| ceiling.gflop_per_s);
        let intensities = points().flat_map(|point| [point.intensity.low, point.intensity.high]);
        let rates = points().map(|point| point.gflop_per_s).chain(ceilings());
        Self { x: decades(intensities, [0.1, 100.0]), y: decades(rates, [1.0, 100.0]), size }
    }

    fn x(&self, value: f64) -> f32 {
        LEFT + share(value, self.x) * (self.size[0] - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f32 {
        self.size[1] - BOTTOM - share(value, self.y) * (self.size[1] - TOP - BOTTOM)
    }
}

/// How far a figure is from one power of ten to another, 0 to 1.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn share(value: f64, [low, high]: [f64; 2]) -> f32 {
    ((value.log10() - low) / (high - low)).clamp(0.0, 1.0) as f32
}

/// Powers of ten around figures; those of `otherwise` where there are none.
fn decades(values: impl Iterator<Item = f64>, otherwise: [f64; 2]) -> [f64; 2] {
    let logs: Vec<f64> = values.filter(|value| *value > 0.0 && value.is_finite()).map(f64::log10).collect();
    let logs = if logs.is_empty() { otherwise.map(f64::log10).to_vec() } else { logs };
    let low = logs.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let high = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
    [low, high.max(low + 1.0)]
}

fn powers([low, high]: [f64; 2]) -> impl Iterator<Item = f64> {
    (0..=24).map(move |k| low + f64::from(k)).take_while(move |power| *power <= high).map(|power| 10f64.powf(power))
}

/// Draws them; returns the lines across.
fn axes(scene: &mut Scene, scale: &Scale) -> Vec<[[f32; 2]; 2]> {
    let mut grid = Vec::new();
    let [width, height] = scene.size;
    for value in powers(scale.x) {
        let x = scale.x(value);
        scene.line([x, TOP], [x, height - BOTTOM], 1.0, Role::Faint, &[]);
        scene.text([x, height - BOTTOM + 12.0], LETTERS, Align::Centre, Role::Weak, plain(value));
    }
    for value in powers(scale.y) {
        let y = scale.y(value);
        scene.line([LEFT, y], [width - RIGHT, y], 1.0, Role::Faint, &[]);
        grid.push([[LEFT, y], [width - RIGHT, y]]);
        scene.text([LEFT - 6.0, y], LETTERS, Align::Right, Role::Weak, plain(value));
    }
    scene.text([4.0, 9.0], LETTERS, Align::Left, Role::Text, "GFLOP/s");
    let middle = LEFT + (width - LEFT - RIGHT) / 2.0;
    let below = height - BOTTOM + 32.0;
    scene.text([middle, below], LETTERS, Align::Centre, Role::Text, "operations for each byte from memory");
    grid
}

fn plain(value: f64) -> String {
    if value >= 1.0 { format!("{value:.0}") } else { format!("{value}") }
}

/// How a machine's roofs and marks are drawn.
const fn style(roof: &Roof) -> (Role, f32, Fill) {
    match roof.whose {
        Whose::Recorded => (Role::Weak, 1.5, Fill::Outline),
        Whose::File(number) => (Role::Owner(2 + number), 2.0, Fill::Hatched),
        Whose::Here => (Role::Accent, 3.0, Fill::Solid),
    }
}

/// Roofs, and each rung's mark at its true place.
fn marks(scene: &mut Scene, scale: &Scale, roof: &Roof, labels: &mut Labels) {
    let (role, width, fill) = style(roof);
    let read = roof.roofline.read_gb_per_s;
    let highest = roof.roofline.ceilings.iter().map(|ceiling| ceiling.gflop_per_s).fold(0.0, f64::max);
    let from = 10f64.powf(scale.x[0]).max(10f64.powf(scale.y[0]) / read);
    let ridge = highest / read;
    if from < ridge {
        let part = scene.part(format!("Memory of {}: {read:.0} GB/s x operations for each byte.", roof.name));
        let ends = [[scale.x(from), scale.y(from * read)], [scale.x(ridge), scale.y(highest)]];
        scene.line(ends[0], ends[1], width, role, &[part]);
        labels.avoid_line(ends);
    }
    for ceiling in &roof.roofline.ceilings {
        let (rate, y) = (ceiling.gflop_per_s, scale.y(ceiling.gflop_per_s));
        let part = scene.part(format!("{} on {}: {rate:.0} GFLOP/s", ceiling.name, roof.name));
        let ends = [[scale.x(rate / read), y], [scene.size[0] - RIGHT, y]];
        scene.line(ends[0], ends[1], width, role, &[part]);
        labels.avoid_line(ends);
    }
    for point in &roof.roofline.points {
        let (x, y) = (scale.x(point.intensity.low), scale.y(point.gflop_per_s));
        let earlier = roof.earlier.contains(&point.kernel);
        let of = if earlier { ", in an earlier run with a roof of its own" } else { "" };
        let part = scene.part(format!(
            "{} on {}{of}\n{:.0} GFLOP/s at {} operations for each byte",
            point.kernel,
            roof.name,
            point.gflop_per_s,
            range(point.intensity)
        ));
        let end = scale.x(point.intensity.high).max(x);
        scene.line([x, y], [end, y], 1.0, Role::Faint, &[part]);
        labels.avoid_line([[x, y], [end, y]]);
        let at = [x - MARK / 2.0, y - MARK / 2.0];
        let fill = if earlier { Fill::Outline } else { fill };
        scene.rect(at, [MARK; 2], fill, role, &[part]);
        labels.avoid([at[0], at[1], at[0] + MARK, at[1] + MARK]);
    }
}

/// What each flat part is, beside it.
fn names(scene: &mut Scene, scale: &Scale, roof: &Roof, grid: &[[[f32; 2]; 2]], labels: &mut Labels) {
    let (role, ..) = style(roof);
    let right = scene.size[0] - RIGHT;
    for ceiling in &roof.roofline.ceilings {
        let text = format!("{}: {}", short(&ceiling.name), format_flop_rate(ceiling.gflop_per_s));
        let half = text.chars().count() as f32 * LABEL[1] / 2.0;
        let y = scale.y(ceiling.gflop_per_s);
        let places = [-11.0, 12.0, -26.0, 27.0, -41.0, 42.0].map(|below| [right - half, y + below]);
        let mut with_grid = labels.clone();
        grid.iter().for_each(|line| with_grid.avoid_line(*line));
        let [_, y] = with_grid.place(places, [2.0 * half, LABEL[0]]);
        labels.avoid([right - 2.0 * half, y - LABEL[0] / 2.0, right, y + LABEL[0] / 2.0]);
        scene.text([right, y], LETTERS, Align::Right, role, text);
    }
}

/// A roof's name where there is little room; its tip has all of it.
fn short(name: &str) -> &str {
    match name.strip_suffix(" in registers") {
        Some(matrices) => matrices,
        None if name.contains("f32 registers") => "f32",
        None => name,
    }
}

/// The number of each rung: left of its mark, or further away with a leader where others stand there.
fn numbers(scene: &mut Scene, scale: &Scale, roof: &Roof, number: &dyn Fn(&str) -> usize, labels: &mut Labels) {
    const SIDES: [f32; 2] = [-1.0, 1.0];
    const DOWN: [f32; 9] = [0.0, 15.0, 30.0, -15.0, 45.0, 22.0, 38.0, -30.0, 52.0];
    let (role, ..) = style(roof);
    // From the highest mark down, so that leaders of neighbours do not cross.
    let mut points: Vec<_> = roof.roofline.points.iter().collect();
    points.sort_by(|a, b| b.gflop_per_s.total_cmp(&a.gflop_per_s));
    for point in points {
        let at = [scale.x(point.intensity.low), scale.y(point.gflop_per_s)];
        let text = number(&point.kernel).to_string();
        let size = [text.len() as f32 * LABEL[1] + 3.0, LABEL[0]];
        let beside = SIDES.into_iter().flat_map(|side| {
            DOWN.into_iter().map(move |down| {
                let far = if down == 0.0 { 13.0 } else { 24.0 };
                [at[0] + side * far, at[1] + down]
            })
        });
        let place = labels.place(beside, size);
        if (place[0] - at[0]).hypot(place[1] - at[1]) > NEAR {
            // It ends where the number begins.
            let end = [place[0] - (place[0] - at[0]).signum() * size[0] / 2.0, place[1]];
            scene.line(at, end, 1.0, role, &[]);
        }
        scene.text(place, LETTERS, Align::Centre, Role::Text, text);
    }
}

/// `0.059 to 341`: operations for each byte, from nothing is cached to each matrix comes once.
#[must_use]
pub fn range(Band { low, high }: Band) -> String {
    format!("{low:.3} to {high:.0}")
}

fn describe(roofs: &[Roof], number: &dyn Fn(&str) -> usize) -> String {
    let mut words = Vec::new();
    for roof in roofs {
        let roofline = &roof.roofline;
        let [m, n, k] = roofline.size;
        words.push(format!("Roofline of {}, {m} x {n} x {k}: memory {:.0} GB/s.", roof.name, roofline.read_gb_per_s));
        words.extend(roofline.ceilings.iter().map(|c| format!("{}: {:.0} GFLOP/s.", c.name, c.gflop_per_s)));
        words.extend(roofline.points.iter().map(|point| {
            format!(
                "{} {}: {:.0} GFLOP/s at {} operations for each byte.",
                number(&point.kernel),
                point.kernel,
                point.gflop_per_s,
                range(point.intensity)
            )
        }));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_hold_their_figures_and_never_vanish() {
        assert_eq!(decades([0.06, 341.0].into_iter(), [0.1, 1.0]), [-2.0, 3.0]);
        assert_eq!(decades([10.0].into_iter(), [0.1, 1.0]), [1.0, 2.0]);
        assert_eq!(decades([f64::NAN, 0.0].into_iter(), [0.1, 100.0]), [-1.0, 2.0]);
    }
}
