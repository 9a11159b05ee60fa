//! The form of one request's addresses: what a reader would say of them.

use crate::predict::CountedRequest;

/// How the addresses of a request's active lanes follow from the lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Only one lane takes part.
    Single,
    /// Every lane has the same address.
    Same,
    /// Each lane is `step` bytes from the lane before it.
    Line {
        /// Bytes; below 0 where addresses fall.
        step: i64,
    },
    /// Lanes stand in rows: `step` bytes from lane to lane in a row, `pitch` from row to row.
    Rows {
        /// Lanes of a row.
        row: usize,
        /// Bytes from lane to lane.
        step: i64,
        /// Bytes from row to row.
        pitch: i64,
    },
    /// Elements lie side by side, each asked for once, in another order than the lanes.
    Shuffled,
    /// None of these.
    Scattered,
}

/// A form, and how far its lowest address lies behind the start of a sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) form: Form,
    pub(super) behind_sector: u32,
}

/// The shape of a request whose lanes each move `element` bytes, in workgroups of this size.
pub(super) fn shape(request: &CountedRequest<'_>, element: u32, sector_bytes: u32, size: [u32; 3]) -> Shape {
    let lanes: Vec<(usize, i64)> = request
        .addresses
        .iter()
        .enumerate()
        .filter(|(t, _)| request.active >> t & 1 == 1)
        .map(|(t, address)| (request.first_lane + t, i64::from(*address)))
        .collect();
    let lowest = lanes.iter().map(|(_, address)| *address).min().unwrap_or(0);
    let behind_sector = u32::try_from(lowest % i64::from(sector_bytes.max(1))).unwrap_or(0);
    Shape { form: form(&lanes, element, request.addresses.len(), size), behind_sector }
}

fn form(lanes: &[(usize, i64)], element: u32, width: usize, size: [u32; 3]) -> Form {
    let [first, second, ..] = lanes else { return Form::Single };
    if lanes.iter().all(|(_, address)| *address == first.1) {
        return Form::Same;
    }
    if let Some(step) = slope(first, second)
        && fits(lanes, |lane| distance(lane, first.0) * step + first.1)
    {
        return Form::Line { step };
    }
    // The workgroup's own rows and planes first: they have names.
    let (row, plane) = (size[0] as usize, size[0] as usize * size[1] as usize);
    let powers = (1..).map(|k| 1usize << k).take_while(|row| *row < width);
    for row in [row, plane].into_iter().chain(powers).filter(|row| *row > 1) {
        if let Some((step, pitch)) = rows(lanes, row) {
            return Form::Rows { row, step, pitch };
        }
    }
    if is_block(lanes, element) { Form::Shuffled } else { Form::Scattered }
}

/// Bytes from lane to lane, if they are whole.
fn slope(a: &(usize, i64), b: &(usize, i64)) -> Option<i64> {
    let lanes = distance(b.0, a.0);
    (lanes != 0 && (b.1 - a.1) % lanes == 0).then(|| (b.1 - a.1) / lanes)
}

fn distance(lane: usize, from: usize) -> i64 {
    i64::try_from(lane).unwrap_or(0) - i64::try_from(from).unwrap_or(0)
}

fn fits(lanes: &[(usize, i64)], address: impl Fn(usize) -> i64) -> bool {
    lanes.iter().all(|(lane, at)| address(*lane) == *at)
}

/// Step and pitch of rows of so many lanes, if these are such rows.
fn rows(lanes: &[(usize, i64)], row: usize) -> Option<(i64, i64)> {
    let first = lanes.first()?;
    let neighbours = lanes.iter().zip(lanes.iter().skip(1));
    let step = neighbours.clone().find(|(a, b)| a.0 / row == b.0 / row).and_then(|(a, b)| slope(a, b))?;
    let flat = |(lane, address): &(usize, i64)| address - distance(lane % row, 0) * step;
    let pitch = neighbours
        .filter(|(a, b)| a.0 / row != b.0 / row)
        .map(|(a, b)| slope(&(a.0 / row, flat(a)), &(b.0 / row, flat(b))))
        .next()??;
    let base = flat(first);
    fits(lanes, |lane| base + distance(lane % row, 0) * step + distance(lane / row, first.0 / row) * pitch)
        .then_some((step, pitch))
}

/// Whether the elements fill a stretch of memory, each asked for once.
fn is_block(lanes: &[(usize, i64)], element: u32) -> bool {
    let mut addresses: Vec<i64> = lanes.iter().map(|(_, address)| *address).collect();
    addresses.sort_unstable();
    addresses.iter().zip(addresses.iter().skip(1)).all(|(a, b)| b - a == i64::from(element))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: impl Fn(u32) -> u32, active: u128, size: [u32; 3]) -> Shape {
        let addresses: Vec<u32> = (0..32).map(address).collect();
        let request = CountedRequest { addresses: &addresses, first_lane: 0, active, cost: 0, ideal: 0 };
        shape(&request, 4, 32, size)
    }

    const ALL: u128 = 0xFFFF_FFFF;

    #[test]
    fn forms_are_recognised() {
        let line = [32, 1, 1];
        assert_eq!(of(|t| 4 * t + 4, ALL, line), Shape { form: Form::Line { step: 4 }, behind_sector: 4 });
        assert_eq!(of(|t| 4000 - 128 * t, ALL, line).form, Form::Line { step: -128 });
        assert_eq!(of(|_| 64, ALL, line).form, Form::Same);
        assert_eq!(of(|t| 4 * (t ^ 5), ALL, line).form, Form::Shuffled);
        assert_eq!(of(|t| t * t * 4, ALL, line).form, Form::Scattered);
        assert_eq!(of(|t| t * t * 4, 1 << 7, line).form, Form::Single);
        // Lanes that do not take part do not matter.
        assert_eq!(of(|t| if t % 2 == 0 { 8 * t } else { 77 }, 0x5555_5555, line).form, Form::Line { step: 8 });
    }

    #[test]
    fn rows_are_those_of_the_workgroup_or_of_a_power_of_two() {
        // a[x * 256 + y] of a 16 x 16 workgroup.
        let transposed = of(|t| (t % 16 * 256 + t / 16) * 4, ALL, [16, 16, 1]);
        assert_eq!(transposed.form, Form::Rows { row: 16, step: 1024, pitch: 4 });
        // The same index from the linear one: no row of the workgroup shows it.
        let linear = of(|t| (t % 8 * 256 + t / 8) * 4, ALL, [64, 1, 1]);
        assert_eq!(linear.form, Form::Rows { row: 8, step: 1024, pitch: 4 });
        // Rows of 6 lanes, as the workgroup has them; the last is cut off by the subgroup.
        let ragged = of(|t| (t % 6 + t / 6 * 100) * 4, ALL, [6, 10, 1]);
        assert_eq!(ragged.form, Form::Rows { row: 6, step: 4, pitch: 400 });
    }
}
