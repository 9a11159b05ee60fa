//! The bounds of reals on the host: correct sums pass in every order, and what is wrong on purpose does not.

use half::f16;

use super::*;
use crate::contents::Contents;
use crate::kernels::Product;

fn reals(shape: Shape) -> Product {
    let narrow = |value: u64| u32::try_from(value).unwrap();
    let of = |seed, rows, columns| Contents::Reals {
        seed,
        rows: narrow(rows),
        columns: narrow(columns),
        pitch: narrow(columns),
    };
    let (a, b) = (of(11, shape.m, shape.k), of(12, shape.k, shape.n));
    Product::new(shape, shape, Contents::Zero, Contents::Zero).with_reals(shape.k, a, b)
}

/// Judges every element of a product of this depth that `sum` computes from a row and a column.
fn judged(k: u64, sum: impl Fn(&[f32], &[f32]) -> f32 + Sync) -> Result<Nearness, WrongReals> {
    let product = reals(Shape { m: 35, n: 31, k });
    let reals = product.reals().unwrap();
    let crossings = Crossings::of(reals.shape(), u64::MAX);
    assert_eq!((crossings.rows.len(), crossings.columns.len()), (35, 31));
    let element =
        |row, column| sum(&reals.row_of_a(crossings.rows[row]), &reals.column_of_b(crossings.columns[column]));
    judge(reals, &crossings, &element).unwrap()
}

const DEPTHS: [u64; 6] = [1, 7, 64, 500, 2048, 4096];

fn products(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| a * b).collect()
}

fn pairwise(values: &[f32]) -> f32 {
    if values.len() < 2 {
        return values.iter().sum();
    }
    let (low, high) = values.split_at(values.len() / 2);
    pairwise(low) + pairwise(high)
}

fn fused(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0f32, |sum, (a, b)| a.mul_add(*b, sum))
}

fn near(nearness: Result<Nearness, WrongReals>, what: &str, k: u64) -> Nearness {
    nearness.unwrap_or_else(|wrong| panic!("{what}, depth {k}: {wrong}"))
}

#[test]
fn correct_sums_pass_in_every_order() {
    for k in DEPTHS {
        for (what, nearness) in [
            ("fused", judged(k, fused)),
            ("one by one", judged(k, |a, b| products(a, b).iter().sum())),
            ("backwards", judged(k, |a, b| products(a, b).iter().rev().sum())),
            ("pairwise", judged(k, |a, b| pairwise(&products(a, b)))),
            ("tiles of 8", judged(k, |a, b| a.chunks(8).zip(b.chunks(8)).map(|(a, b)| fused(a, b)).sum())),
            // Partial sums that grow as far as they can, then shrink: the worst order for this very data.
            (
                "sorted",
                judged(k, |a, b| {
                    let mut values = products(a, b);
                    values.sort_by(f32::total_cmp);
                    values.iter().sum()
                }),
            ),
        ] {
            let nearness = near(nearness, what, k);
            assert!(nearness.elements == 35 * 31 && nearness.largest <= 1.0 && nearness.mean.unwrap() < 1.0);
        }
        // A bound that is far too wide would pass these as well: one rounding a step comes near enough to be told from 0.
        assert!(judged(k, fused).unwrap().largest > 0.0);
    }
}

#[test]
fn sums_that_are_cut_off_are_no_reason_to_fail() {
    // An adder that rounds towards zero errs by up to 2 u a step, always to the same side.
    let chopped = |sum: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "rounded to nearest; what is above it is cut off below")]
        let nearest = sum as f32;
        if f64::from(nearest).abs() > sum.abs() { f32::from_bits(nearest.to_bits() - 1) } else { nearest }
    };
    for k in [64, 500, 2048, 4096] {
        let sum = |a: &[f32], b: &[f32]| {
            a.iter().zip(b).fold(0.0f32, |sum, (a, b)| chopped(f64::from(*a) * f64::from(*b) + f64::from(sum)))
        };
        near(judged(k, sum), "towards zero", k);
    }
}

#[test]
fn faults_are_caught_at_every_depth() {
    let half = |value: f32| f16::from_f32(value).to_f32();
    for k in [64, 500, 2048] {
        let length = usize::try_from(k).unwrap();
        let faults: [(&str, Result<Nearness, WrongReals>); 5] = [
            ("inputs rounded to f16", judged(k, |a, b| a.iter().zip(b).map(|(a, b)| half(*a) * half(*b)).sum())),
            ("sums in f16", judged(k, |a, b| a.iter().zip(b).fold(0.0, |sum, (a, b)| half(sum + a * b)))),
            ("the last tile dropped", judged(k, |a, b| fused(&a[..length - 8], &b[..length - 8]))),
            ("one step skipped", judged(k, |a, b| fused(a, b) - a[length / 2] * b[length / 2])),
            ("nothing stored", judged(k, |_, _| f32::from_bits(crate::contents::POISON))),
        ];
        for (what, nearness) in faults {
            assert!(nearness.is_err(), "{what} passes at depth {k}: {nearness:?}");
        }
    }
    // Far deeper, where one element may be off by more than a product is large: the mean tells.
    let deep = judged(16_384, |a, b| fused(a, b) - a[0] * b[0]);
    assert!(matches!(deep, Err(WrongReals::Mean { .. })), "{deep:?}");
}

#[test]
fn one_wrong_element_is_named_and_counted() {
    let product = reals(Shape { m: 20, n: 30, k: 40 });
    let reals = product.reals().unwrap();
    let crossings = Crossings::of(reals.shape(), u64::MAX);
    let found = |row: usize, column: usize| {
        let sum = fused(&reals.row_of_a(row as u64), &reals.column_of_b(column as u64));
        if (row, column) == (19, 29) || (row, column) == (7, 3) { sum + 1e-3 } else { sum }
    };
    let Err(WrongReals::Element { row, column, wrong, compared, .. }) = judge(reals, &crossings, &found).unwrap()
    else {
        panic!("it passes");
    };
    assert_eq!((row, column, wrong, compared), (7, 3, 2, 600));
}

#[test]
fn samples_reach_the_last_row_and_column_and_stay_small() {
    for (m, n, k) in
        [(2048, 2048, 2048), (16_384, 16_384, 16_384), (1, 16_384, 16_384), (16_384, 3, 1), (5000, 70, 4096)]
    {
        let crossings = Crossings::of(Shape { m, n, k }, COMPARED_FMA);
        for (picked, of) in [(&crossings.rows, m), (&crossings.columns, n)] {
            assert!(picked.is_sorted_by(|a, b| a < b) && picked.last() == Some(&(of - 1)), "{m} {n} {k}");
            assert!(picked.len() as u64 >= of.min(SAMPLED));
            assert!(picked.len() as u64 * k <= MOST_HELD.max(SAMPLED * k));
        }
        let fma = (crossings.rows.len() * crossings.columns.len()) as u64 * k;
        assert!(fma <= COMPARED_FMA.max(SAMPLED * SAMPLED * k), "{fma}");
    }
}
