//! The roofline of a run's matmul ladder: what memory and arithmetic allow by the run's own reference rates, and where the
//! rungs stand below it. Plain data; `svg` draws it.

pub mod svg;

use crate::record::{Band, Results, Row};

/// A roofline at memory with the rungs of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Roofline {
    /// Slope of the roof: the run's best read rate, GB/s.
    pub read_gb_per_s: f64,
    /// Flat parts of the roof, each a measured peak.
    pub ceilings: Vec<Ceiling>,
    /// Rows, columns and depth of the product.
    pub size: [u64; 3],
    /// The rungs in the order of the run.
    pub points: Vec<Point>,
}

/// A measured arithmetic peak.
#[derive(Debug, Clone, PartialEq)]
pub struct Ceiling {
    /// What reached it.
    pub name: String,
    /// The rate.
    pub gflop_per_s: f64,
}

/// A measured rung.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The kernel.
    pub kernel: String,
    /// Operations for each byte from memory: low where every request misses, high where each matrix comes once.
    pub intensity: Band,
    /// The measured rate.
    pub gflop_per_s: f64,
}

impl Roofline {
    /// The roofline of a run; `None` where the run measured no rung, or neither roof. Of several sizes it is the one that
    /// most rungs ran, then the larger; of rows of the same kernel the first, without safety checks where there is one.
    #[must_use]
    pub fn of(results: &Results) -> Option<Self> {
        let reference = &results.reference;
        let read_gb_per_s = reference.read.filter(|rate| *rate > 0.0)?;
        let fma = reference.fma_f32.filter(|rate| *rate > 0.0)?;
        let rungs: Vec<Rung> = results.rows.iter().filter_map(rung).collect();
        let size = rungs.iter().map(|rung| rung.size).max_by_key(|size| (points(&rungs, *size).len(), *size))?;
        let ceilings = vec![Ceiling { name: "multiply-adds in f32".into(), gflop_per_s: fma }];
        Some(Self { read_gb_per_s, ceilings, size, points: points(&rungs, size) })
    }
}

struct Rung {
    size: [u64; 3],
    checked: bool,
    point: Point,
}

fn rung(row: &Row) -> Option<Rung> {
    let (matmul, gflop_per_s) = (row.matmul.as_ref()?, row.measured.as_ref()?.gflop_per_s?);
    let intensity = matmul.intensity_flop_per_byte.filter(|band| band.low > 0.0 && band.high.is_finite())?;
    (gflop_per_s > 0.0).then(|| Rung {
        size: [matmul.m, matmul.n, matmul.k],
        checked: row.checks == "on",
        point: Point { kernel: row.kernel.clone(), intensity, gflop_per_s },
    })
}

fn points(rungs: &[Rung], size: [u64; 3]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for checked in [false, true] {
        for rung in rungs.iter().filter(|rung| rung.size == size && rung.checked == checked) {
            if !points.iter().any(|point| point.kernel == rung.point.kernel) {
                points.push(rung.point.clone());
            }
        }
    }
    points
}
