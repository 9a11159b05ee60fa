//! Summaries of samples: median, quantiles, drift. Nothing here ever drops a sample.

/// The `q`-quantile (0..=1) with linear interpolation between order statistics (Hyndman & Fan 1996, type 7);
/// `None` for no samples or a non-finite one.
#[must_use]
pub fn quantile(samples: &[f64], q: f64) -> Option<f64> {
    if samples.is_empty() || samples.iter().any(|x| !x.is_finite()) {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let position = q.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = position.floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 <= position < len")]
    let index = below as usize;
    let upper = sorted[(index + 1).min(sorted.len() - 1)];
    Some(sorted[index] + (upper - sorted[index]) * (position - below))
}

/// The median; `None` for no samples.
#[must_use]
pub fn median(samples: &[f64]) -> Option<f64> {
    quantile(samples, 0.5)
}

/// How far the median of the second half lies from that of the first, as a share of the first: a trend that spread
/// alone does not reveal. `None` below four samples.
#[must_use]
pub fn drift(samples: &[f64]) -> Option<f64> {
    if samples.len() < 4 {
        return None;
    }
    let (first, second) = samples.split_at(samples.len() / 2);
    let (first, second) = (median(first)?, median(second)?);
    (first > 0.0).then(|| second / first - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(quantile(&[0.0, 10.0], 0.1), Some(1.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[1.0, f64::NAN], 0.5), None);
    }

    #[test]
    fn drift_sees_a_trend() {
        assert_eq!(drift(&[1.0, 1.0, 1.1, 1.1]).map(|d| (d * 100.0).round()), Some(10.0));
        assert_eq!(drift(&[1.0; 3]), None);
    }
}
