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
/// From the first rung that was measured to the fastest, without safety checks where both were measured, and in f32: a
/// product of f16 inputs is another product. A processor climbs another ladder.
pub(super) fn climb(results: &Results) -> Option<String> {
    let in_f32 = |rung: &Matmul| rung.cooperative.as_ref().is_none_or(|matrices| matrices.inputs == "f32");
    let measured: Vec<Measured<'_>> = rungs(results)
        .filter(|(_, rung)| in_f32(rung))
        .filter_map(|(row, rung)| {
            let rate = row.measured.as_ref()?.gflop_per_s?;
            Some(Measured { rate, kernel: &row.kernel, size: [rung.m, rung.n, rung.k], checks: &row.checks })
        })
        .collect();
    let checks = measured.iter().map(|row| row.checks).find(|checks| *checks == "off");
    let mut alike = measured.iter().filter(|row| checks.is_none_or(|checks| row.checks == checks));
    let first = alike.next().filter(|first| first.rate > 0.0 && !results.is_software())?;
    let of_size = alike.filter(|row| row.size == first.size);
    let fastest = of_size.max_by(|a, b| a.rate.total_cmp(&b.rate)).filter(|fastest| fastest.rate > first.rate)?;
    let [m, n, k] = first.size;
    Some(format!(
        "The ladder at {m} x {n} x {k} climbs from {} GFLOP/s ({}) to {} ({}): {:.1} times.",
        format_gb_per_s(first.rate),
        first.kernel,
        format_gb_per_s(fastest.rate),
        fastest.kernel,
        fastest.rate / first.rate
    ))
}

/// A rung that was measured.
struct Measured<'a> {
    /// GFLOP/s.
    rate: f64,
    kernel: &'a str,
    size: [u64; 3],
    checks: &'a str,
}

fn rungs(results: &Results) -> impl Iterator<Item = (&Row, &Matmul)> {
    results.rows.iter().filter_map(|row| Some((row, row.matmul.as_ref()?)))
}
