//! Freivalds' check: C = A x B is compared with A x (B x) for a random vector x, which costs as many multiplications as
//! the matrices have elements. A wrong row passes with a chance of 1 in 2^16; on top of it one element of every row, the
//! last row and the last column are computed exactly.

use crate::contents::random_bits;
use crate::gpu::{Gpu, Prepared};
use crate::kernels::{Oracle, Product};
use crate::platform::in_parallel;

use super::verify::VerifyError;

/// Products up to this many multiply-adds are computed in full, element by element.
const COMPUTED_FMA: u64 = 1 << 30;
/// Words that are read back at a time.
const CHUNK_WORDS: u64 = 4 << 20;
/// Chooses the vector and the sampled elements.
const SEED: u32 = 0xF4E1_7A1D;

/// The product to check this way: where the oracle has one that is too large to be computed in full.
pub(super) fn large(oracle: &Oracle) -> Option<&Product> {
    oracle.product.as_ref().filter(|product| product.shape().fma() > COMPUTED_FMA)
}

/// Reads the stored product back and checks it.
///
/// # Errors
/// The first wrong word, with how many of its row differ; how the device failed.
pub(super) async fn check(
    gpu: &mut Gpu,
    prepared: &Prepared,
    oracle: &Oracle,
    product: &Product,
) -> Result<(), VerifyError> {
    let (shape, stored) = (product.shape(), product.stored());
    let x: Vec<i64> = (0..shape.n).map(|column| i64::from(draw(column) >> 16)).collect();
    let sums = product.times(&x).ok_or(VerifyError::Oracle(oracle.buffer))?;
    let rows_at_once = (CHUNK_WORDS / stored.n).max(1);
    for first in (0..stored.m).step_by(usize::try_from(rows_at_once).unwrap_or(1)) {
        let rows = rows_at_once.min(stored.m - first);
        let words = gpu.read_words(prepared, oracle.buffer, first * stored.n..(first + rows) * stored.n).await?;
        let line = |row: u64| -> &[u32] {
            let start = usize::try_from(row * stored.n).unwrap_or(usize::MAX);
            words.get(start..start + usize::try_from(stored.n).unwrap_or(0)).unwrap_or_default()
        };
        let is_wrong = |row: &u64| {
            let sum = usize::try_from(first + row).ok().and_then(|row| sums.get(row)).copied().unwrap_or(0);
            row_times(line(*row), &x) != Some(sum)
                || sampled(product, first + row).any(|column| {
                    let found = usize::try_from(column).ok().and_then(|column| line(*row).get(column));
                    found != Some(&product.word((first + row) * stored.n + column))
                })
        };
        let wrong = in_parallel(rows, 1, |mut rows| rows.find(is_wrong)).ok_or(VerifyError::Oracle(oracle.buffer))?;
        let wrong = wrong.into_iter().flatten().next();
        if let Some(row) = wrong {
            return Err(wrong_word(oracle, (first + row) * stored.n, line(row)));
        }
    }
    Ok(())
}

fn draw(place: u64) -> u32 {
    random_bits(SEED, u32::try_from(place).unwrap_or(u32::MAX))
}

/// The sum of a stored row's elements times `x`; `None` where an element is no integer, or the padding is not zero.
fn row_times(row: &[u32], x: &[i64]) -> Option<i64> {
    let (elements, padding) = row.split_at_checked(x.len())?;
    let products = elements.iter().zip(x).map(|(word, x)| Some(integer(*word)? * x));
    let sum = products.sum::<Option<i64>>()?;
    padding.iter().all(|word| *word == 0).then_some(sum)
}

/// An f32 that is an integer below 2^24.
fn integer(word: u32) -> Option<i64> {
    let value = f32::from_bits(word);
    #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^24")]
    let integer = (value.abs() < 16_777_216.0 && value.fract() == 0.0).then_some(value as i64);
    integer
}

/// Columns of a row whose elements are computed exactly: one at random and the last, all of the last row.
fn sampled(product: &Product, row: u64) -> impl Iterator<Item = u64> {
    let shape = product.shape();
    let all = if row + 1 == shape.m { 0..shape.n } else { 0..0 };
    all.chain([u64::from(draw(row + (1 << 24))) % shape.n, shape.n - 1])
}

fn wrong_word(oracle: &Oracle, start: u64, row: &[u32]) -> VerifyError {
    let wrong = || (start..).zip(row).filter(|(index, found)| (oracle.expected)(*index) != **found);
    let (index, found) = wrong().next().map_or((start, 0), |(index, found)| (index, *found));
    VerifyError::Word {
        buffer: oracle.buffer,
        index,
        found,
        expected: (oracle.expected)(index),
        wrong: wrong().count() as u64,
        compared: row.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[f32]) -> Vec<u32> {
        values.iter().map(|value| value.to_bits()).collect()
    }

    #[test]
    fn a_row_is_its_integers_times_the_vector() {
        assert_eq!(row_times(&words(&[1.0, -2.0, 3.0, 0.0]), &[10, 100, 1000]), Some(2810));
        assert_eq!(row_times(&words(&[1.0, -2.5, 3.0]), &[10, 100, 1000]), None, "no integer");
        assert_eq!(row_times(&words(&[1.0, f32::NAN, 3.0]), &[10, 100, 1000]), None, "poison");
        assert_eq!(row_times(&words(&[1.0, 2.0, 3.0, 4.0]), &[10, 100, 1000]), None, "padding");
    }
}
