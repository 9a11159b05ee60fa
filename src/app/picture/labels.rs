//! Where labels stand: close to what they name, but on nothing else.

/// A rectangle: left, top, right, bottom.
type Rect = [f32; 4];

/// What covering something costs: a line can be read through, a mark or a label cannot.
const LINE: u32 = 1;
const SOLID: u32 = 8;
const OUTSIDE: u32 = 64;
/// A line is covered rather than to go on by more places than this.
const TURNS: u32 = 3;

/// Keeps account of what is there.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    bounds: Rect,
    solid: Vec<Rect>,
    lines: Vec<[[f32; 2]; 2]>,
}

impl Labels {
    /// Nothing is there; labels stand inside `bounds`.
    #[must_use]
    pub(super) const fn new(bounds: Rect) -> Self {
        Self { bounds, solid: Vec::new(), lines: Vec::new() }
    }

    /// Something that must not be covered.
    pub(super) fn avoid(&mut self, rect: Rect) {
        self.solid.push(rect);
    }

    /// A line that should not be covered.
    pub(super) fn avoid_line(&mut self, ends: [[f32; 2]; 2]) {
        self.lines.push(ends);
    }

    /// Puts a label of this size at one of these middles, the best first: a later one only where the earlier cover more.
    /// Says where, and keeps the place.
    pub(super) fn place(&mut self, middles: impl IntoIterator<Item = [f32; 2]>, size: [f32; 2]) -> [f32; 2] {
        let rect = |[x, y]: [f32; 2]| {
            let half = size.map(|side| side / 2.0);
            [x - half[0], y - half[1], x + half[0], y + half[1]]
        };
        let mut best: Option<(u32, [f32; 2])> = None;
        for (turn, middle) in (0u32..).zip(middles) {
            let cost = self.cost(rect(middle)).saturating_mul(TURNS).saturating_add(turn);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, middle));
            }
        }
        let place = best.map_or([self.bounds[0], self.bounds[1]], |(_, place)| place);
        self.avoid(rect(place));
        place
    }

    fn cost(&self, rect: Rect) -> u32 {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let solid = self.solid.iter().filter(|other| meet(rect, **other)).count();
        let lines = self.lines.iter().filter(|line| crosses(rect, **line)).count();
        let [left, top, right, bottom] = self.bounds;
        let inside = rect[0] >= left && rect[1] >= top && rect[2] <= right && rect[3] <= bottom;
        let outside = if inside { 0 } else { OUTSIDE };
        outside.saturating_add(SOLID.saturating_mul(count(solid))).saturating_add(LINE.saturating_mul(count(lines)))
    }
}

fn meet(a: Rect, b: Rect) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Whether a line passes through a rectangle: what is left of it between the sides, one pair after the other.
fn crosses(rect: Rect, [from, to]: [[f32; 2]; 2]) -> bool {
    let (mut first, mut last) = (0.0_f32, 1.0_f32);
    for axis in 0..2 {
        let (start, step) = (from[axis], to[axis] - from[axis]);
        let (low, high) = (rect[axis] - start, rect[axis + 2] - start);
        if step.abs() < 1e-6 {
            if low >= 0.0 || high <= 0.0 {
                return false;
            }
            continue;
        }
        let (enter, leave) = if step > 0.0 { (low / step, high / step) } else { (high / step, low / step) };
        first = first.max(enter);
        last = last.min(leave);
    }
    first < last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_crosses_what_it_passes_through() {
        let rect = [10.0, 10.0, 20.0, 20.0];
        for (line, expected) in [
            ([[0.0, 15.0], [30.0, 15.0]], true),
            ([[0.0, 15.0], [9.0, 15.0]], false),
            ([[0.0, 9.0], [30.0, 9.0]], false),
            ([[0.0, 0.0], [30.0, 30.0]], true),
            ([[30.0, 0.0], [0.0, 30.0]], true),
            ([[0.0, 15.0], [15.0, 30.0]], false),
            ([[15.0, 0.0], [15.0, 12.0]], true),
        ] {
            assert_eq!(crosses(rect, line), expected, "{line:?}");
        }
    }

    #[test]
    fn labels_go_where_nothing_is_and_stay_there() {
        let mut labels = Labels::new([0.0, 0.0, 100.0, 100.0]);
        labels.avoid([40.0, 40.0, 60.0, 60.0]);
        labels.avoid_line([[0.0, 80.0], [100.0, 80.0]]);
        let places = [[50.0, 50.0], [50.0, 80.0], [50.0, 20.0], [20.0, 50.0]];
        assert_eq!(labels.place(places, [10.0, 10.0]), [50.0, 20.0], "on nothing");
        assert_eq!(labels.place(places, [10.0, 10.0]), [20.0, 50.0], "the other free one");
        assert_eq!(labels.place(places, [10.0, 10.0]), [50.0, 80.0], "a line is the least evil");
        assert_eq!(labels.place([[99.0, 5.0], [50.0, 50.0]], [10.0, 10.0]), [50.0, 50.0], "never outside");
    }
}
