//! A matrix product of random reals, checked against f64: what integers cannot show, such as inputs that are rounded on the
//! way. Two bounds grow with the depth K and hold for correct code in every order of summation; u is the unit roundoff of
//! the sums, 2^-24 in f32 ([`Reals::unit_roundoff`]).
//!
//! - Each element: |computed - exact| <= gamma_K * sum |a| |b| with gamma_K = K u / (1 - K u) (N. J. Higham, Accuracy and
//!   Stability of Numerical Algorithms, 2nd edition, section 3.1).
//! - The mean over many elements: the error of a sum is at most u times the sum of the magnitudes of all its partial sums
//!   (section 4.2, to first order). A partial sum of j products of two numbers uniform in [-1, 1) has a mean magnitude of
//!   at most sqrt(j) / 3, its standard deviation; the order with the most of them adds one product at a time, which gives
//!   u (2 / 9) (K + 1)^1.5, and rounding the products themselves adds u K / 4. This is the sharper one where K is large:
//!   inputs that were rounded to f16 hide below the first from K = 1000 on, below the second from 3000 on, and so no more
//!   than [`REAL_DEPTH`](crate::kernels::product::REAL_DEPTH) columns of A hold reals.

use crate::contents::random_bits;
use crate::gpu::{Gpu, Prepared, Progress};
use crate::kernels::product::{Reals, Shape};
use crate::plan::Plan;
use crate::platform::in_parallel;

use super::verify::VerifyError;

/// Unit roundoff of f64.
const UNIT_OF_REFERENCE: f64 = 1.0 / (1u64 << 53) as f64;
/// Multiply-adds up to which every element is compared; of larger products as many as make about this.
pub const COMPARED_FMA: u64 = 1 << 27;
/// Elements of a factor, and of the product, that the host holds at most.
const MOST_HELD: u64 = 1 << 24;
/// Rows and columns of a large product that are compared at least.
const SAMPLED: u64 = 64;
/// Elements from which on their mean error is judged, and room for its scatter.
const ENOUGH_FOR_MEAN: u64 = 1024;
const ROOM: f64 = 1.5;
/// Chooses rows and columns.
const SEED: u32 = 0x5EA1_0F0F;

/// Rows and columns whose crossings are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crossings {
    /// Ascending; the last one of the product is among them.
    pub rows: Vec<u64>,
    /// Likewise.
    pub columns: Vec<u64>,
}

impl Crossings {
    /// All of a product of at most `most_fma` multiply-adds, else a sample.
    #[must_use]
    pub fn of(shape: Shape, most_fma: u64) -> Self {
        let Shape { m, n, k } = shape;
        let all = shape.fma() <= most_fma && m.max(n) * k <= MOST_HELD && m * n <= MOST_HELD;
        let rows = if all { m } else { m.min(SAMPLED) };
        let columns = if all { n } else { (most_fma / (rows * k)).min(MOST_HELD / k).max(SAMPLED) };
        Self { rows: pick(rows, m, 0), columns: pick(columns, n, 1 << 24) }
    }
}

/// `count` of `0..of`, one from each of as many equal parts, the last one among them.
fn pick(count: u64, of: u64, draws: u64) -> Vec<u64> {
    if count >= of {
        return (0..of).collect();
    }
    let from_part = |part: u64| {
        let (start, end) = (part * of / count, (part + 1) * of / count);
        let draw = random_bits(SEED, u32::try_from(draws + part).unwrap_or(u32::MAX));
        if part + 1 == count { of - 1 } else { start + u64::from(draw) % (end - start) }
    };
    (0..count).map(from_part).collect()
}

/// How near a correct product came to its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// Elements compared.
    pub elements: u64,
    /// The largest error of an element over its bound.
    pub largest: f64,
    /// The mean error over its bound; `None` of too few elements.
    pub mean: Option<f64>,
}

/// What is wrong with a product.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WrongReals {
    /// An element is off.
    #[error(
        "for random reals element ({row}, {column}) is {found}, and must be {exact} to within {bound:.1e} ({wrong} of \
         {compared} elements are off)"
    )]
    Element {
        /// Its row.
        row: u64,
        /// Its column.
        column: u64,
        /// What the device left there.
        found: f32,
        /// What belongs there.
        exact: f64,
        /// How far it may be off.
        bound: f64,
        /// How many are off.
        wrong: u64,
        /// Of how many.
        compared: u64,
    },
    /// Each could be right, but not all of them.
    #[error("for random reals elements are off by {mean:.1e} on average, and must not be by more than {bound:.1e}")]
    Mean {
        /// Mean error.
        mean: f64,
        /// How large it may be.
        bound: f64,
    },
}

/// gamma_K, and the rounding of the reference itself.
fn bound_of_element(k: u64, unit: f64) -> f64 {
    let gamma = |unit: f64| k as f64 * unit / (1.0 - k as f64 * unit);
    gamma(unit) + 2.0 * gamma(UNIT_OF_REFERENCE)
}

fn bound_of_mean(k: u64, unit: f64) -> f64 {
    let k = k as f64;
    ROOM * unit * (2.0 / 9.0 * (k + 1.0).powf(1.5) + k / 4.0)
}

/// The sum of the products of two lines, and of their magnitudes. Four partial sums each, so that they need not wait for
/// each other.
fn dot(a: &[f32], b: &[f32]) -> (f64, f64) {
    let (mut sums, mut magnitudes) = ([0.0; 4], [0.0; 4]);
    for (a, b) in a.chunks(4).zip(b.chunks(4)) {
        for ((a, b), (sum, magnitude)) in a.iter().zip(b).zip(sums.iter_mut().zip(&mut magnitudes)) {
            let product = f64::from(*a) * f64::from(*b);
            *sum += product;
            *magnitude += product.abs();
        }
    }
    (sums.iter().sum(), magnitudes.iter().sum())
}

/// What a part of the rows shows.
#[derive(Default)]
struct Seen {
    first: Option<WrongReals>,
    wrong: u64,
    largest: f64,
    sum: f64,
}

/// Compares elements with their exact values: `found` gives that of the row and column with these numbers in `crossings`.
/// `None` where a thread could not finish.
#[must_use]
pub fn judge(
    reals: &Reals,
    crossings: &Crossings,
    found: &(dyn Fn(usize, usize) -> f32 + Sync),
) -> Option<Result<Nearness, WrongReals>> {
    let (k, unit) = (reals.shape().k, reals.unit_roundoff());
    let compared = (crossings.rows.len() * crossings.columns.len()) as u64;
    let columns = crossings.columns.iter();
    let columns: Vec<Vec<f32>> = in_parallel(columns.len() as u64, 1, |range| {
        let of_part = crossings.columns.iter().zip(0..).filter(|(_, number)| range.contains(number));
        of_part.map(|(column, _)| reals.column_of_b(*column)).collect::<Vec<_>>()
    })?
    .concat();
    let parts = in_parallel(crossings.rows.len() as u64, 1, |range| {
        let mut seen = Seen::default();
        let rows = crossings.rows.iter().enumerate().zip(0..).filter(|(_, number)| range.contains(number));
        for ((number, row), _) in rows {
            let of_a = reals.row_of_a(*row);
            for ((at, column), of_b) in crossings.columns.iter().enumerate().zip(&columns) {
                let (exact, magnitude) = dot(&of_a, of_b);
                let (found, bound) = (found(number, at), bound_of_element(k, unit) * magnitude);
                let error = (f64::from(found) - exact).abs();
                seen.sum += error;
                if error <= bound {
                    seen.largest = seen.largest.max(if error > 0.0 { error / bound } else { 0.0 });
                    continue;
                }
                // Also what is no number at all.
                seen.wrong += 1;
                let (row, column) = (*row, *column);
                let wrong = WrongReals::Element { row, column, found, exact, bound, wrong: 0, compared };
                seen.first.get_or_insert(wrong);
            }
        }
        seen
    })?;
    let total = parts.iter().map(|seen| seen.wrong).sum();
    let mean = parts.iter().map(|seen| seen.sum).sum::<f64>() / compared.max(1) as f64;
    let largest = parts.iter().map(|seen| seen.largest).fold(0.0, f64::max);
    let first = parts.into_iter().find_map(|seen| seen.first);
    let bound = bound_of_mean(k, unit);
    Some(match first {
        Some(WrongReals::Element { row, column, found, exact, bound, compared, .. }) => {
            Err(WrongReals::Element { row, column, found, exact, bound, wrong: total, compared })
        }
        Some(wrong @ WrongReals::Mean { .. }) => Err(wrong),
        None if compared >= ENOUGH_FOR_MEAN && mean > bound => Err(WrongReals::Mean { mean, bound }),
        None => {
            let mean = (compared >= ENOUGH_FOR_MEAN).then_some(mean / bound);
            Ok(Nearness { elements: compared, largest, mean })
        }
    })
}

/// Runs the plan once with random reals in its input buffers and compares up to `most_fma` multiply-adds of the result;
/// then gives the buffers their contents again, since other programs share them. `None` for what is no product of reals.
///
/// # Errors
/// What differs, that `go_on` said no, or how the device failed.
pub async fn check(
    most_fma: u64,
    gpu: &mut Gpu,
    prepared: &Prepared,
    plan: &Plan,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Option<Nearness>, VerifyError> {
    let Some(reals) = plan.oracle.product.as_ref().and_then(|product| product.reals()) else { return Ok(None) };
    let inputs = || plan.program.buffers.iter().filter(|buffer| !buffer.written);
    for (buffer, contents) in inputs().zip(reals.factors()) {
        gpu.refill(prepared, &buffer.name, contents).await?;
    }
    let crossings = Crossings::of(reals.shape(), most_fma);
    let rows = product_rows(gpu, prepared, plan, reals, &crossings, go_on).await;
    for buffer in inputs() {
        gpu.refill(prepared, &buffer.name, &buffer.contents).await?;
    }
    let rows = rows?;
    let found = |row: usize, column: usize| {
        let column = crossings.columns.get(column).and_then(|column| usize::try_from(*column).ok());
        let word = rows.get(row).zip(column).and_then(|(row, column)| row.get(column));
        word.map_or(f32::NAN, |word| f32::from_bits(*word))
    };
    let judged = judge(reals, &crossings, &found).ok_or(VerifyError::Oracle(plan.oracle.buffer))?;
    Ok(Some(judged?))
}

/// Runs the plan, and reads the rows of its result that are compared.
async fn product_rows(
    gpu: &mut Gpu,
    prepared: &Prepared,
    plan: &Plan,
    reals: &Reals,
    crossings: &Crossings,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Vec<Vec<u32>>, VerifyError> {
    gpu.run_for_verification_while(prepared, go_on).await?.ok_or(VerifyError::Stopped)?;
    let (buffer, pitch) = (plan.oracle.buffer, reals.stored().n);
    let all = crossings.rows.len() as u64 == reals.shape().m;
    if all {
        let words = gpu.read_words(prepared, buffer, 0..reals.shape().m * pitch).await?;
        return Ok(words.chunks(usize::try_from(pitch).unwrap_or(1).max(1)).map(<[u32]>::to_vec).collect());
    }
    let mut rows = Vec::with_capacity(crossings.rows.len());
    for row in &crossings.rows {
        rows.push(gpu.read_words(prepared, buffer, row * pitch..(row + 1) * pitch).await?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
