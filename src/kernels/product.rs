//! What a matrix product must be: exact integer products, element by element or, without multiplying, by Freivalds' check.

use std::sync::{Arc, OnceLock};

use crate::contents::Contents;
use crate::platform::in_parallel;

use super::word_index;

/// Rows, columns and depth of C (m x n) = A (m x k) x B (k x n).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A and C.
    pub m: u64,
    /// Columns of B and C.
    pub n: u64,
    /// Columns of A, rows of B.
    pub k: u64,
}

impl Shape {
    /// Fused multiply-adds of the product.
    #[must_use]
    pub const fn fma(&self) -> u64 {
        self.m * self.n * self.k
    }
}

/// A product of two matrices of small integers ([`Contents::Integers`], [`Contents::HalfIntegers`]), stored with padded
/// rows.
#[derive(Debug, Clone)]
pub struct Product(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    shape: Shape,
    /// The shape as stored: rows and columns beyond `shape` hold zeros.
    stored: Shape,
    a: Contents,
    b: Contents,
    factors: OnceLock<Factors>,
    reals: Option<Reals>,
}

/// Most columns of A and rows of B that hold reals, where there are more: what a text rounds away hides in the errors of
/// longer sums (see `engine::reals`). The integers fill all of them.
pub const REAL_DEPTH: u64 = 2048;

/// The same product of other factors, reals ([`Contents::Reals`] or [`Contents::HalfReals`]), which shows how its text
/// rounds.
#[derive(Debug, Clone)]
pub struct Reals {
    shape: Shape,
    stored: Shape,
    factors: [Contents; 2],
}

impl Reals {
    /// Rows, columns and depth of what is not zero.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The same as stored, with padding.
    #[must_use]
    pub const fn stored(&self) -> Shape {
        self.stored
    }

    /// What the buffers of A and B hold.
    #[must_use]
    pub const fn factors(&self) -> &[Contents; 2] {
        &self.factors
    }

    /// Unit roundoff of its sums: 2^-24, that of f32. Factors in f16 are for matrix units, which sum in f32 but cut off
    /// what does not fit, some of it before they add: 2^-22 holds that (M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh,
    /// Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7, 2021).
    #[must_use]
    pub const fn unit_roundoff(&self) -> f64 {
        let bits = if matches!(self.factors, [Contents::HalfReals { .. }, _]) { 22 } else { 24 };
        1.0 / (1u64 << bits) as f64
    }

    /// A row of A.
    #[must_use]
    pub fn row_of_a(&self, row: u64) -> Vec<f32> {
        let [a, _] = &self.factors;
        (0..self.shape.k).map(|at| a.element(word_index(row * self.stored.k + at))).collect()
    }

    /// A column of B.
    #[must_use]
    pub fn column_of_b(&self, column: u64) -> Vec<f32> {
        let [_, b] = &self.factors;
        (0..self.shape.k).map(|at| b.element(word_index(at * self.stored.n + column))).collect()
    }
}

/// Both factors as integers, the rows of A and the columns of B each in one piece.
#[derive(Debug)]
struct Factors {
    a: Vec<i8>,
    b: Vec<i8>,
}

impl Product {
    /// The product of matrices with these contents, each row-major with the pitch of `stored`.
    #[must_use]
    pub fn new(shape: Shape, stored: Shape, a: Contents, b: Contents) -> Self {
        Self(Arc::new(Inner { shape, stored, a, b, factors: OnceLock::new(), reals: None }))
    }

    /// With reals to check it with as well, in the layout of A and of B: `depth` columns of A and rows of B, then zeros.
    #[must_use]
    pub fn with_reals(self, depth: u64, a: Contents, b: Contents) -> Self {
        let Inner { shape, stored, .. } = *self.0;
        let reals = Some(Reals { shape: Shape { k: depth, ..shape }, stored, factors: [a, b] });
        let [a, b] = [&self.0.a, &self.0.b].map(Contents::clone);
        Self(Arc::new(Inner { shape, stored, a, b, factors: OnceLock::new(), reals }))
    }

    /// The reals to check it with, if there are any.
    #[must_use]
    pub fn reals(&self) -> Option<&Reals> {
        self.0.reals.as_ref()
    }

    /// Rows, columns and depth.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.0.shape
    }

    /// The same as stored, with padding.
    #[must_use]
    pub fn stored(&self) -> Shape {
        self.0.stored
    }

    /// Word `word` of the stored C: an exact integer as f32 (sums of products of -4..=4 stay below 2^24 for any depth
    /// below 2^20), 0 in the padding.
    #[must_use]
    pub fn word(&self, word: u64) -> u32 {
        let (row, column) = (word / self.0.stored.n, word % self.0.stored.n);
        #[expect(clippy::cast_precision_loss, reason = "integers below 2^24")]
        let value = self.element(row, column) as f32;
        value.to_bits()
    }

    /// Element (row, column) of C; 0 beyond its edges.
    #[must_use]
    pub fn element(&self, row: u64, column: u64) -> i32 {
        let Shape { m, n, k } = self.0.shape;
        if row >= m || column >= n {
            return 0;
        }
        let factors = self.factors();
        let line = |of: &'_ [i8], number: u64| -> std::ops::Range<usize> {
            let start = usize::try_from(number * k).unwrap_or(of.len());
            start..(start + usize::try_from(k).unwrap_or(0)).min(of.len())
        };
        let a = factors.a.get(line(&factors.a, row)).unwrap_or_default();
        let b = factors.b.get(line(&factors.b, column)).unwrap_or_default();
        a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
    }

    /// A x (B x): what each row of C must give when it is multiplied by the vector `x` (one entry a column), by
    /// m k + k n multiplications instead of m n k. `None` where a thread could not finish.
    #[must_use]
    pub fn times(&self, x: &[i64]) -> Option<Vec<i64>> {
        let Shape { m, n, k } = self.0.shape;
        let dot = |row: &mut dyn Iterator<Item = i64>, x: &[i64]| row.zip(x).map(|(value, x)| value * x).sum::<i64>();
        let lines = |count: u64, length: u64, pitch: u64, of: &Contents, x: &[i64]| -> Option<Vec<i64>> {
            let parts = in_parallel(count, 1, |rows| {
                rows.map(|row| dot(&mut (0..length).map(|at| i64::from(integer(of, row * pitch + at))), x))
                    .collect::<Vec<_>>()
            })?;
            Some(parts.concat())
        };
        let bx = lines(k, n, self.0.stored.n, &self.0.b, x)?;
        lines(m, k, self.0.stored.k, &self.0.a, &bx)
    }

    fn factors(&self) -> &Factors {
        self.0.factors.get_or_init(|| {
            let Shape { m, n, k } = self.0.shape;
            let Shape { n: b_pitch, k: a_pitch, .. } = self.0.stored;
            let of_a = |row| (0..k).map(move |at| integer(&self.0.a, row * a_pitch + at));
            let of_b = |column| (0..k).map(move |at| integer(&self.0.b, at * b_pitch + column));
            Factors { a: (0..m).flat_map(of_a).collect(), b: (0..n).flat_map(of_b).collect() }
        })
    }
}

fn integer(contents: &Contents, index: u64) -> i8 {
    #[expect(clippy::cast_possible_truncation, reason = "contents are integers of -4..=4")]
    let value = contents.element(word_index(index)) as i8;
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(shape: Shape, stored: Shape) -> Product {
        let of = |seed: u32, rows: u64, columns: u64, pitch: u64| {
            let [rows, columns, pitch] = [rows, columns, pitch].map(word_index);
            Contents::Integers { seed, rows, columns, pitch }
        };
        Product::new(shape, stored, of(1, shape.m, shape.k, stored.k), of(2, shape.k, shape.n, stored.n))
    }

    #[test]
    fn elements_are_sums_of_products() {
        let (shape, stored) = (Shape { m: 3, n: 5, k: 7 }, Shape { m: 4, n: 8, k: 8 });
        let product = product(shape, stored);
        for (row, column) in (0..3).flat_map(|row| (0..5).map(move |column| (row, column))) {
            let sum: i32 = (0..7)
                .map(|i| {
                    i32::from(integer(&product.0.a, row * 8 + i)) * i32::from(integer(&product.0.b, i * 8 + column))
                })
                .sum();
            assert_eq!(product.element(row, column), sum);
            assert_eq!(f32::from_bits(product.word(row * 8 + column)), f32::from(i16::try_from(sum).unwrap()));
        }
        assert_eq!((product.word(5), product.word(3 * 8)), (0, 0), "padding");
    }

    #[test]
    fn halves_make_the_same_product() {
        let (shape, stored) = (Shape { m: 3, n: 5, k: 7 }, Shape { m: 4, n: 8, k: 8 });
        let halves = |contents: &Contents| {
            let Contents::Integers { seed, rows, columns, pitch } = *contents else { panic!("{contents:?}") };
            Contents::HalfIntegers { seed, rows, columns, pitch }
        };
        let floats = product(shape, stored);
        let half = Product::new(shape, stored, halves(&floats.0.a), halves(&floats.0.b));
        assert_ne!(floats.element(2, 4), 0, "a case that shows nothing");
        assert!((0..32).all(|word| half.word(word) == floats.word(word)));
        assert_eq!(half.times(&[1, -2, 3, 50, 7]), floats.times(&[1, -2, 3, 50, 7]));
    }

    #[test]
    fn a_vector_times_the_product_is_the_product_times_it() {
        let shape = Shape { m: 17, n: 33, k: 65 };
        let product = product(shape, shape);
        let x: Vec<i64> = (0..33).map(|i| i * i - 40).collect();
        let expected: Vec<i64> = (0..17)
            .map(|row| (0..33).map(|c| i64::from(product.element(row, c)) * x[usize::try_from(c).unwrap()]).sum())
            .collect();
        assert_eq!(product.times(&x), Some(expected));
    }
}
