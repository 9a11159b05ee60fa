//! A plot as plain data: series of points over a doubling axis. Numbers that are not finite never get in.

/// How an axis runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal differences; from zero.
    Linear,
    /// Equal steps are doublings; only positive numbers.
    Log2,
}

/// What a series stands for: decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// What a prediction says.
    Predicted,
    /// What was measured here.
    Measured,
    /// Bytes that must have moved.
    Moved,
    /// Recorded on another machine.
    Recorded,
    /// Of the pinned pattern.
    Pinned,
    /// Of another file, by number.
    File(usize),
}

/// How a series is drawn. Differs in shape, not only in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line; a band where points have a low and a high.
    Line,
    /// A dashed line.
    Dashed,
    /// Discs with bars from low to high.
    Disc,
    /// Open diamonds.
    Diamond,
    /// Open squares.
    Square,
    /// Triangles.
    Triangle,
}

impl Mark {
    /// The corners of an open mark around its centre, for a radius of 1; empty for what has none.
    #[must_use]
    pub const fn corners(self) -> &'static [[f32; 2]] {
        match self {
            Self::Line | Self::Dashed | Self::Disc => &[],
            Self::Diamond => &[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]],
            Self::Square => &[[-0.8, -0.8], [0.8, -0.8], [0.8, 0.8], [-0.8, 0.8]],
            Self::Triangle => &[[0.0, -1.0], [0.9, 0.7], [-0.9, 0.7]],
        }
    }
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Dot {
    /// Where.
    pub x: f64,
    /// How much.
    pub y: f64,
    /// From ..
    pub low: f64,
    /// .. to.
    pub high: f64,
    /// Why it should not be trusted as the others are: it is drawn as a cross.
    pub flag: Option<String>,
}

impl Dot {
    /// A point without a spread.
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: y, high: y, flag: None }
    }
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// What it stands for.
    pub ink: Ink,
    /// How it is drawn.
    pub mark: Mark,
    dots: Vec<Dot>,
    /// Points that could not be drawn.
    dropped: usize,
}

/// Most points of a series; of more, every n-th is drawn.
const MOST_DOTS: usize = 4096;

impl Series {
    /// The points in ascending x; those that are not finite are counted and left out, those that are too many thinned.
    #[must_use]
    pub fn new(name: impl Into<String>, ink: Ink, mark: Mark, dots: Vec<Dot>) -> Self {
        let all = dots.len();
        let finite = |dot: &Dot| [dot.x, dot.y, dot.low, dot.high].iter().all(|value| value.is_finite());
        let mut dots: Vec<Dot> = dots.into_iter().filter(finite).collect();
        let dropped = all - dots.len();
        dots.sort_by(|a, b| a.x.total_cmp(&b.x));
        let step = dots.len().div_ceil(MOST_DOTS).max(1);
        let dots = dots.into_iter().step_by(step).collect();
        Self { name: name.into(), ink, mark, dots, dropped }
    }

    /// Its points.
    #[must_use]
    pub fn dots(&self) -> &[Dot] {
        &self.dots
    }

    /// Its points in words, and of measured ones the best and the worst.
    fn numbers(&self) -> String {
        let name = |dot: &Dot| format!("{}: {}", number(dot.x), number(dot.y));
        let mut text = match self.dots.as_slice() {
            [first, .., last] if self.dots.len() > MOST_WORDS => {
                format!("{} points, from {} to {}", self.dots.len(), name(first), name(last))
            }
            dots => dots.iter().map(name).collect::<Vec<_>>().join(", "),
        };
        let measured = !matches!(self.ink, Ink::Predicted) && self.mark != Mark::Triangle;
        let least = self.dots.iter().min_by(|a, b| a.y.total_cmp(&b.y));
        let most = self.dots.iter().max_by(|a, b| a.y.total_cmp(&b.y));
        if let Some((least, most)) = least.zip(most).filter(|(least, most)| measured && least.y < most.y) {
            let (best, worst) = (number(most.y), number(least.y));
            text.push_str(&format!(" (best {best} at {}, worst {worst} at {})", number(most.x), number(least.x)));
        }
        text
    }
}

/// Of more points than these a description tells the ends.
const MOST_WORDS: usize = 64;

/// A part of the x axis with something to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// From here ..
    pub from: f64,
    /// .. to here.
    pub to: f64,
    /// What holds there.
    pub label: String,
}

/// A plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// What x is.
    pub x_label: String,
    /// What y is, with its unit.
    pub y_label: String,
    /// How y runs; x always doubles.
    pub y_scale: Scale,
    /// The places of x that may be named.
    pub x_ticks: Vec<f64>,
    /// The series, the lowest first.
    pub series: Vec<Series>,
    /// Parts of the x axis.
    pub regions: Vec<Region>,
    /// Places of x to be noticed, with their names.
    pub here: Vec<(f64, String)>,
}

impl Chart {
    /// The same as drawn: x by its logarithm, y by its scale. `None` where it cannot be drawn.
    #[must_use]
    pub fn place(&self, x: f64, y: f64) -> Option<[f64; 2]> {
        let y = match self.y_scale {
            Scale::Linear => y,
            Scale::Log2 if y > 0.0 => y.log2(),
            Scale::Log2 => return None,
        };
        (x > 0.0).then(|| [x.log2(), y]).filter(|at| at.iter().all(|value| value.is_finite()))
    }

    /// Bounds of what is drawn, with room around: [least x, most x, least y, most y]. Sound for any data.
    #[must_use]
    pub fn bounds(&self) -> [f64; 4] {
        // Extremes first, logarithms after: there may be many points, and each frame asks.
        let positive = self.y_scale == Scale::Log2;
        let (mut x, mut y) = (Extremes::NONE, Extremes::NONE);
        for dot in self.series.iter().flat_map(|series| &series.dots).filter(|dot| dot.x > 0.0) {
            for value in [dot.low, dot.y, dot.high] {
                if value.is_finite() && (value > 0.0 || !positive) {
                    x.add(dot.x);
                    y.add(value);
                }
            }
        }
        let here = self.here.iter().map(|(x, _)| *x);
        let regions = self.regions.iter().flat_map(|region| [region.from, region.to]);
        here.chain(regions).filter(|x| *x > 0.0).for_each(|value| x.add(value));
        if !positive {
            y.add(0.0);
        }
        let (x_low, x_high) = x.map(f64::log2).with_room(0.4);
        let (y_low, y_high) = if positive { y.map(f64::log2) } else { y }.with_room(0.0);
        let room = match self.y_scale {
            Scale::Linear => 0.12 * (y_high - y_low).max(1e-9),
            Scale::Log2 => 0.7,
        };
        let below = if self.y_scale == Scale::Linear { y_low } else { y_low - room };
        [x_low, x_high.max(x_low + 1.0), below, (y_high + room).max(below + 1e-9)]
    }

    /// Where x has a name, as drawn: within the bounds.
    #[must_use]
    pub fn x_places(&self) -> Vec<f64> {
        let [low, high, ..] = self.bounds();
        let places = self.x_ticks.iter().filter(|x| **x > 0.0).map(|x| x.log2());
        places.filter(|x| (low..=high).contains(x)).collect()
    }

    /// Round numbers along y, as drawn: within the bounds.
    #[must_use]
    pub fn y_places(&self) -> Vec<f64> {
        let [_, _, low, high] = self.bounds();
        match self.y_scale {
            Scale::Log2 => round_logarithms(low, high),
            Scale::Linear => round_steps(low, high),
        }
    }

    /// What a place along y is called.
    #[must_use]
    pub fn y_name(&self, place: f64) -> String {
        number(if self.y_scale == Scale::Log2 { place.exp2() } else { place })
    }

    /// The plot in words, with its numbers.
    #[must_use]
    pub fn description(&self) -> String {
        let mut text = format!("{}: {} over {}.", self.title, self.y_label, self.x_label);
        for series in &self.series {
            text.push_str(&format!(" {}: {}.", series.name, series.numbers()));
        }
        text
    }

    /// What a reader must know of points that look different or are missing.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        // Two series of one measurement share its flags; many points of one series often have one reason.
        let mut told: Vec<(&str, &str, Vec<f64>)> = Vec::new();
        for series in &self.series {
            for dot in &series.dots {
                let Some(flag) = &dot.flag else { continue };
                match told.iter_mut().find(|(_, text, _)| text == flag) {
                    Some((_, _, places)) => places.push(dot.x),
                    None => told.push((&series.name, flag, vec![dot.x])),
                }
            }
            if series.dropped > 0 {
                notes.push(format!("{}: {} points are no numbers and left out", series.name, series.dropped));
            }
        }
        let flags = told.into_iter().map(|(name, text, mut places)| {
            places.sort_by(f64::total_cmp);
            places.dedup();
            let (first, rest) = places.split_at(places.len().min(MOST_PLACES));
            let first: Vec<String> = first.iter().map(|place| number(*place)).collect();
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            format!("{name} at {}{more}: {text}", first.join(", "))
        });
        flags.chain(notes).collect()
    }
}

/// The least and the greatest of some numbers.
#[derive(Clone, Copy)]
struct Extremes {
    low: f64,
    high: f64,
}

impl Extremes {
    const NONE: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn add(&mut self, value: f64) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    /// Of the numbers that an ascending function makes of these.
    fn map(self, ascending: fn(f64) -> f64) -> Self {
        if self.low > self.high { self } else { Self { low: ascending(self.low), high: ascending(self.high) } }
    }

    fn with_room(self, room: f64) -> (f64, f64) {
        if self.low > self.high { (0.0, 1.0) } else { (self.low - room, self.high + room) }
    }
}

/// A note names so many places of flagged points.
const MOST_PLACES: usize = 6;

/// Logarithms of 1, 2, 5, 10, .. between two logarithms or, where those would be too many, of 1, 10, 100, ..
fn round_logarithms(low: f64, high: f64) -> Vec<f64> {
    let steps: &[f64] = if high - low > 9.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let decades = (low * 2f64.log10()).floor().max(-30.0)..=(high * 2f64.log10()).ceil().min(30.0);
    let mut places = Vec::new();
    let mut decade = *decades.start();
    while decades.contains(&decade) {
        places.extend(steps.iter().map(|step| (step * 10f64.powf(decade)).log2()));
        decade += 1.0;
    }
    places.into_iter().filter(|place| (low..=high).contains(place)).collect()
}

/// Four to eight round numbers between two: steps of 1, 2 or 5 times a power of ten.
fn round_steps(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 8.0;
    let decade = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * decade).into_iter().find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil();
    (0..=8u32).map(|k| (first + f64::from(k)) * step).filter(|place| *place <= high).collect()
}

/// Three digits are enough for a plot.
#[must_use]
pub(super) fn number(value: f64) -> String {
    // Places come from logarithms: 99.99999 is meant to be 100.
    let value = if (value - value.round()).abs() < 1e-6 * value.abs() { value.round() } else { value };
    match value.abs() {
        size if size >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(scale: Scale, dots: Vec<Dot>) -> Chart {
        Chart {
            title: "t".into(),
            x_label: "stride".into(),
            y_label: "GB/s".into(),
            y_scale: scale,
            x_ticks: Vec::new(),
            series: vec![Series::new("s", Ink::Measured, Mark::Disc, dots)],
            regions: Vec::new(),
            here: Vec::new(),
        }
    }

    #[test]
    fn bounds_are_sound_for_any_data() {
        let cases: [Vec<Dot>; 6] = [
            vec![],
            vec![Dot::new(1.0, 5.0)],
            vec![Dot::new(2.0, 3.0); 5],
            vec![Dot::new(f64::NAN, 1.0), Dot::new(1.0, f64::INFINITY)],
            vec![Dot::new(0.0, -1.0), Dot::new(-4.0, 0.0)],
            (0..1_000_000).map(|k| Dot::new(f64::from(k) + 1.0, f64::from(k % 7) + 1.0)).collect(),
        ];
        for dots in cases {
            for scale in [Scale::Linear, Scale::Log2] {
                let bounds = chart(scale, dots.clone()).bounds();
                assert!(bounds.iter().all(|bound| bound.is_finite()), "{bounds:?}");
                assert!(bounds[0] < bounds[1] && bounds[2] < bounds[3], "{bounds:?}");
            }
        }
    }

    #[test]
    fn what_is_left_out_is_told() {
        let mut flagged = Dot::new(8.0, 1.0);
        flagged.flag = Some("a cache answered".into());
        let chart = chart(Scale::Log2, vec![flagged, Dot::new(1.0, f64::NAN)]);
        assert_eq!(chart.notes(), ["s at 8: a cache answered", "s: 1 points are no numbers and left out"]);
        assert_eq!(chart.description(), "t: GB/s over stride. s: 8: 1.");
    }

    #[test]
    fn many_points_with_one_reason_are_one_note() {
        let flagged = |x: u32| Dot { flag: Some("drift".into()), ..Dot::new(f64::from(x), 1.0) };
        let mut chart = chart(Scale::Log2, (1..=100).map(flagged).collect());
        chart.series.push(Series::new("moved", Ink::Moved, Mark::Square, vec![flagged(7)]));
        assert_eq!(chart.notes(), ["s at 1, 2, 3, 4, 5, 6 and 94 more: drift"]);
    }

    #[test]
    fn the_description_names_the_best_and_the_worst() {
        let chart = chart(Scale::Log2, vec![Dot::new(1.0, 80.0), Dot::new(2.0, 90.0), Dot::new(8.0, 10.0)]);
        let text = "t: GB/s over stride. s: 1: 80, 2: 90, 8: 10 (best 90 at 2, worst 10 at 8).";
        assert_eq!(chart.description(), text);
    }

    #[test]
    fn axes_have_round_numbers_within_their_bounds() {
        assert_eq!(round_steps(0.0, 112.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        let names = |low: f64, high: f64| {
            round_logarithms(low, high).into_iter().map(f64::exp2).map(number).collect::<Vec<_>>()
        };
        assert_eq!(names(3.0, 8.0), ["10", "20", "50", "100", "200"]);
        assert_eq!(names(0.0, 14.0), ["1", "10", "100", "1000", "10000"]);
    }

    #[test]
    fn points_are_thinned_and_sorted() {
        let dots = (0..10_000).rev().map(|k| Dot::new(f64::from(k), 1.0)).collect();
        let series = Series::new("s", Ink::Measured, Mark::Disc, dots);
        assert!(series.dots.len() <= MOST_DOTS && series.dots.is_sorted_by(|a, b| a.x < b.x));
    }
}
