//! The tile of a rung of the matmul ladder: the workgroup's part of C with those of one subgroup and one lane, and the
//! pieces of A and B that it takes at a time.

use crate::app::forecast::RungTile;

use super::scene::{Align, Fill, PartId, Role, Scene};

/// Room for names above and left.
const NAMES: f32 = 24.0;
const GAP: f32 = 12.0;
/// The thinnest drawn depth, points.
const THINNEST: f32 = 8.0;
/// The largest picture, points.
const WIDEST: f32 = 520.0;
/// Height of a line of the legend.
const LINE: f32 = 24.0;

/// The picture, at most so wide.
#[must_use]
pub fn scene(tile: &RungTile, width: f32) -> Scene {
    let [rows, columns] = tile.size;
    let side = width.min(WIDEST) - 2.0 * NAMES - GAP;
    let longest = (rows.max(columns) + tile.depth).max(1) as f32;
    let unit = (side / longest).max(0.5);
    let depth = (tile.depth as f32 * unit).max(THINNEST);
    let (left, top) = (NAMES + depth + GAP, NAMES + depth + GAP);
    let (wide, high) = (columns as f32 * unit, rows as f32 * unit);
    let mut scene =
        Scene { size: [width, top + high + GAP + 4.0 * LINE], description: describe(tile), ..Scene::default() };
    scene.text([NAMES, top - 9.0], 14.0, Align::Left, Role::Text, "A");
    scene.text([left, NAMES / 2.0], 14.0, Align::Left, Role::Text, "B");
    scene.text([left, top - 8.0 + high + 18.0], 14.0, Align::Left, Role::Text, "C");
    let part = |scene: &mut Scene, tip: String| scene.part(tip);
    let step = part(&mut scene, format!("Of A: {rows} rows, {} columns at a time.", tile.depth));
    scene.rect([NAMES, top], [depth, high], Fill::Outline, Role::Text, &[step]);
    let step = part(&mut scene, format!("Of B: {} rows at a time, {columns} columns.", tile.depth));
    scene.rect([left, NAMES], [wide, depth], Fill::Outline, Role::Text, &[step]);
    let whole = part(&mut scene, format!("The workgroup's part of C: {rows} x {columns} outputs."));
    scene.rect([left, top], [wide, high], Fill::Outline, Role::Text, &[whole]);
    let owners = Owners { tile, left, top, unit };
    let subgroup = part(&mut scene, format!("The first subgroup's: {} outputs.", tile.outputs_of_first_subgroup()));
    owners.draw(&mut scene, &|lane| (lane as usize) < tile.subgroup, Fill::Soft, Role::Excess(1.0), subgroup);
    let lane = part(&mut scene, format!("Lane 0's: {} outputs.", tile.outputs_of_first_lane()));
    owners.draw(&mut scene, &|lane| lane == 0, Fill::Solid, Role::Accent, lane);
    owners.needs(&mut scene, lane, depth);
    legend(&mut scene, tile, top + high + GAP + LINE);
    scene
}

/// Draws outputs by their lanes.
struct Owners<'a> {
    tile: &'a RungTile,
    left: f32,
    top: f32,
    unit: f32,
}

impl Owners<'_> {
    /// Runs of outputs of these lanes along rows.
    fn draw(&self, scene: &mut Scene, is: &dyn Fn(u32) -> bool, fill: Fill, role: Role, part: PartId) {
        let [rows, columns] = self.tile.size;
        let owned = |row, column| self.tile.owner(row, column).is_some_and(is);
        for (row, height) in bands(rows, |row| (0..columns).map(|column| owned(row, column)).collect()) {
            let mut column = 0;
            while column < columns {
                let run = (column..columns).take_while(|column| owned(row, *column)).count();
                if run > 0 {
                    let at = [self.left + column as f32 * self.unit, self.top + row as f32 * self.unit];
                    scene.rect(at, [run as f32 * self.unit, height as f32 * self.unit], fill, role, &[part]);
                }
                column += run.max(1);
            }
        }
    }

    /// Rows of A and columns of B that lane 0 needs.
    fn needs(&self, scene: &mut Scene, part: PartId, depth: f32) {
        let [rows, columns] = self.tile.size;
        let own = |row, column| self.tile.owner(row, column) == Some(0);
        for row in (0..rows).filter(|row| (0..columns).any(|column| own(*row, column))) {
            let at = [NAMES, self.top + row as f32 * self.unit];
            scene.rect(at, [depth, self.unit.max(1.0)], Fill::Solid, Role::Accent, &[part]);
        }
        for column in (0..columns).filter(|column| (0..rows).any(|row| own(row, *column))) {
            let at = [self.left + column as f32 * self.unit, NAMES];
            scene.rect(at, [self.unit.max(1.0), depth], Fill::Solid, Role::Accent, &[part]);
        }
    }
}

/// Rows that are alike, together: the first of each band and how many they are.
fn bands(rows: usize, of: impl Fn(usize) -> Vec<bool>) -> Vec<(usize, usize)> {
    let mut bands: Vec<(usize, usize)> = Vec::new();
    let mut last = None;
    for row in 0..rows {
        let now = of(row);
        match bands.last_mut().filter(|_| last.as_ref() == Some(&now)) {
            Some((_, height)) => *height += 1,
            None => bands.push((row, 1)),
        }
        last = Some(now);
    }
    bands
}

fn legend(scene: &mut Scene, tile: &RungTile, top: f32) {
    let [rows, columns] = tile.size;
    let lines = [
        (Fill::Outline, Role::Text, format!("workgroup: {} lanes, {rows} x {columns} outputs", tile.lanes)),
        (
            Fill::Soft,
            Role::Excess(1.0),
            format!(
                "one subgroup: {} lanes, {} outputs",
                tile.subgroup.min(tile.lanes),
                tile.outputs_of_first_subgroup()
            ),
        ),
        (Fill::Solid, Role::Accent, format!("lane 0: outputs {}, and what it needs", tile.outputs_of_first_lane())),
    ];
    for (k, (fill, role, text)) in lines.into_iter().enumerate() {
        let y = top + k as f32 * LINE;
        scene.rect([NAMES, y - 8.0], [18.0, 14.0], fill, role, &[]);
        scene.text([NAMES + 26.0, y], 14.0, Align::Left, Role::Text, text);
    }
}

fn describe(tile: &RungTile) -> String {
    let [rows, columns] = tile.size;
    format!(
        "A workgroup of {} lanes computes {rows} x {columns} outputs and takes {} columns of A and rows of B at a time. Its \
         first subgroup of {} lanes owns {} of them, lane 0 owns {}.",
        tile.lanes,
        tile.depth,
        tile.subgroup.min(tile.lanes),
        tile.outputs_of_first_subgroup(),
        tile.outputs_of_first_lane()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_are_one_band() {
        let rows = [vec![true, false], vec![true, false], vec![false, true], vec![true, false]];
        assert_eq!(bands(4, |row| rows[row].clone()), [(0, 2), (2, 1), (3, 1)]);
        assert_eq!(bands(0, |_| vec![true]), []);
    }
}
