//! A picture of rectangles, lines and words, some of which belong to parts that can be pointed at.

/// What a mark stands for: decides its colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Role {
    /// Words and outlines that matter.
    Text,
    /// Words that may be overlooked.
    Weak,
    /// What is there but not touched.
    Faint,
    /// Something that costs so many times the least possible.
    Excess(f64),
    /// Something to be noticed.
    Accent,
    /// One of several owners, by number: they take turns through the palette.
    Owner(u32),
}

/// How a rectangle is filled. Differs in pattern, not only in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// All over.
    Solid,
    /// Thinly.
    Soft,
    /// With slanted lines.
    Hatched,
    /// Not at all: only its outline.
    Outline,
}

/// Where a text stands to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// It begins there.
    Left,
    /// Its middle is there.
    Centre,
    /// It ends there.
    Right,
}

/// A shape; lengths in points, y downwards.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A rectangle.
    Rect {
        /// Left, top.
        at: [f32; 2],
        /// Width, height.
        size: [f32; 2],
        /// How it is filled.
        fill: Fill,
    },
    /// A line.
    Line {
        /// From here ..
        from: [f32; 2],
        /// .. to here.
        to: [f32; 2],
        /// So thick.
        width: f32,
    },
    /// One line of text, its vertical middle at the point.
    Text {
        /// The point.
        at: [f32; 2],
        /// The words.
        text: String,
        /// Height of letters.
        size: f32,
        /// Where it stands to the point.
        align: Align,
    },
}

/// Names a part of a picture that can be pointed at.
pub type PartId = usize;

/// A part of a picture that can be pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What is told of it.
    pub tip: String,
    /// Parts that belong to it.
    pub linked: Vec<PartId>,
}

/// A shape with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The shape.
    pub shape: Shape,
    /// What it stands for.
    pub role: Role,
    /// Parts that it belongs to: it lights up with them. A rectangle of one part is where that part is pointed at.
    pub parts: Vec<PartId>,
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// Its size in points.
    pub size: [f32; 2],
    /// Its marks, the lowest first.
    pub marks: Vec<Mark>,
    /// Its parts.
    pub parts: Vec<Part>,
    /// The picture in words.
    pub description: String,
}

impl Scene {
    /// Adds a rectangle.
    pub fn rect(&mut self, at: [f32; 2], size: [f32; 2], fill: Fill, role: Role, parts: &[PartId]) {
        self.marks.push(Mark { shape: Shape::Rect { at, size, fill }, role, parts: parts.to_vec() });
    }

    /// Adds a line.
    pub fn line(&mut self, from: [f32; 2], to: [f32; 2], width: f32, role: Role, parts: &[PartId]) {
        self.marks.push(Mark { shape: Shape::Line { from, to, width }, role, parts: parts.to_vec() });
    }

    /// Adds a text.
    pub fn text(&mut self, at: [f32; 2], size: f32, align: Align, role: Role, text: impl Into<String>) {
        self.marks.push(Mark { shape: Shape::Text { at, text: text.into(), size, align }, role, parts: Vec::new() });
    }

    /// Adds a part; returns its name.
    pub fn part(&mut self, tip: impl Into<String>) -> PartId {
        self.parts.push(Part { tip: tip.into(), linked: Vec::new() });
        self.parts.len() - 1
    }

    /// Two parts belong to each other.
    pub fn link(&mut self, a: PartId, b: PartId) {
        for (from, to) in [(a, b), (b, a)] {
            if let Some(part) = self.parts.get_mut(from)
                && !part.linked.contains(&to)
            {
                part.linked.push(to);
            }
        }
    }

    /// The part at a point: that of the uppermost rectangle there that belongs to one part.
    #[must_use]
    pub fn part_at(&self, point: [f32; 2]) -> Option<PartId> {
        self.marks.iter().rev().find_map(|mark| match (&mark.shape, mark.parts.as_slice()) {
            (Shape::Rect { at, size, .. }, [part]) => {
                let inside = (0..2).all(|k| at[k] <= point[k] && point[k] < at[k] + size[k]);
                inside.then_some(*part)
            }
            _ => None,
        })
    }

    /// Whether a mark lights up when this part is pointed at: it is of the part, or of one that belongs to it.
    #[must_use]
    pub fn is_lit(&self, mark: &Mark, part: PartId) -> bool {
        let linked = self.parts.get(part).map_or(&[][..], |part| &part.linked);
        match mark.parts.as_slice() {
            [] => false,
            [own] => *own == part || linked.contains(own),
            // A tie lights up with either end, but not with a third part.
            several => several.contains(&part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_and_light_up_together() {
        let mut scene = Scene::default();
        let (lane, sector, other) = (scene.part("lane"), scene.part("sector"), scene.part("other"));
        scene.link(lane, sector);
        scene.rect([0.0, 0.0], [10.0, 10.0], Fill::Solid, Role::Text, &[lane]);
        scene.rect([0.0, 20.0], [10.0, 10.0], Fill::Solid, Role::Text, &[sector]);
        scene.line([5.0, 10.0], [5.0, 20.0], 1.0, Role::Weak, &[lane, sector]);
        scene.rect([20.0, 20.0], [10.0, 10.0], Fill::Outline, Role::Faint, &[other]);
        assert_eq!((scene.part_at([5.0, 25.0]), scene.part_at([5.0, 15.0])), (Some(sector), None));
        let lit = |part| scene.marks.iter().map(|mark| scene.is_lit(mark, part)).collect::<Vec<_>>();
        assert_eq!(lit(lane), [true, true, true, false]);
        assert_eq!(lit(other), [false, false, false, true]);
    }
}
