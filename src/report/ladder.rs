//! What the matmul ladder says in words: one line a rung, and how far the whole of it climbs.

use std::collections::BTreeSet;

use crate::record::{Matmul, Results, Row};
use crate::units::{format_gb_per_s, format_percent};

/// `matmul_naive: lineup: 2.0 + 2.0 sectors for two loads, ..; 9.3 % of the multiply-add rate.` for the first row of each
/// rung.
pub(super) fn knobs(results: &Results) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let first = rungs(results).filter(|(row, _)| seen.insert(&row.kernel));
    let share = |rung: &Matmul| {
        rung.share_of_peak().map_or_else(String::new, |share| {
            format!("; {} % of the {} of this run", format_percent(share), rung.peak_name())
        })
    };
    first.map(|(row, rung)| format!("{}: {}{}.", row.kernel, rung.knob, share(rung))).collect()
}

/// `The ladder at 2048 x 2048 x 2048 climbs from 972 GFLOP/s (matmul_uncoalesced) to 42846 (matmul_prefetch): 44 times.`
/// Of products in f32: one of f16 inputs is another product.
pub(super) fn climb(results: &Results) -> Option<String> {
    let rate = |row: &Row| row.measured.as_ref().and_then(|measured| measured.gflop_per_s);
    let in_f32 = |rung: &Matmul| rung.cooperative.as_ref().is_none_or(|matrices| matrices.inputs == "f32");
    let rungs = || rungs(results).filter(|(_, rung)| in_f32(rung));
    let (_, size) = rungs().find(|(row, _)| rate(row).is_some())?;
    let of_size = || rungs().filter(|(_, rung)| (rung.m, rung.n, rung.k) == (size.m, size.n, size.k));
    let rates: Vec<(f64, &Row)> = of_size().filter_map(|(row, _)| Some((rate(row)?, row))).collect();
    let (low, slowest) = rates.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (high, fastest) = rates.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    (slowest.kernel != fastest.kernel && *low > 0.0).then(|| {
        format!(
            "The ladder at {} x {} x {} climbs from {} GFLOP/s ({}) to {} ({}): {:.1} times.",
            size.m,
            size.n,
            size.k,
            format_gb_per_s(*low),
            slowest.kernel,
            format_gb_per_s(*high),
            fastest.kernel,
            high / low
        )
    })
}

fn rungs(results: &Results) -> impl Iterator<Item = (&Row, &Matmul)> {
    results.rows.iter().filter_map(|row| Some((row, row.matmul.as_ref()?)))
}
