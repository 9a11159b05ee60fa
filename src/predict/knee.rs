//! The fetch granule, inferred from a sweep of strided reads.
//!
//! With elements of `e` bytes, a stride of `k` elements and a granule of `G` bytes, each fetched once, the useful rate is
//! `e / min(k e, G)` of the peak: it falls as 1/stride until a granule holds one element, and is flat from there on. Two
//! estimates must name the same power of two: where the curve leaves 1/stride, and how deep it lies right after. Further
//! out it falls again, as page tables and memory pages cost more with every step; those points say nothing of `G`.

use crate::contents::random_bits;
use crate::record::StrideKnee;
use crate::stats::median;

/// One point of a stride sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct StridePoint {
    /// Stride in elements.
    pub stride_elements: u32,
    /// Useful GB/s of every repeat.
    pub useful_gb_per_s: Vec<f64>,
}

/// What a sweep says of the granule.
#[derive(Debug, Clone, PartialEq)]
pub enum Knee {
    /// Both estimates agree.
    Determined {
        /// The granule in bytes, a power of two.
        bytes: u32,
        /// Share of resampled sweeps that say the same; `None` where a point has fewer than three repeats.
        confidence: Option<f64>,
    },
    /// They do not, or the curve has another shape.
    NotDetermined {
        /// Why.
        reason: String,
    },
}

/// How far a point may lie from 1/stride and still follow it; also what counts as rising with stride.
const TOLERANCE: f64 = 0.12;
/// Resampled sweeps behind a confidence.
const RESAMPLES: u32 = 500;

/// Infers the fetch granule from a sweep of strided reads of elements of `element_bytes`, one pass each over a footprint
/// far larger than the caches. The sweep starts at stride 1; the order of points does not matter.
#[must_use]
pub fn find(element_bytes: u32, points: &[StridePoint]) -> Knee {
    match curve(points, median).and_then(|curve| granule(element_bytes, &curve)) {
        Ok(bytes) => Knee::Determined { bytes, confidence: confidence(element_bytes, points, bytes) },
        Err(reason) => Knee::NotDetermined { reason },
    }
}

impl From<Knee> for StrideKnee {
    fn from(knee: Knee) -> Self {
        match knee {
            Knee::Determined { bytes, confidence } => Self {
                fetch_bytes: Some(bytes),
                confidence,
                reason: "where the useful rate leaves 1/stride, and how deep it lies there".into(),
            },
            Knee::NotDetermined { reason } => Self { fetch_bytes: None, confidence: None, reason },
        }
    }
}

/// (stride, useful rate), ascending in stride.
fn curve(points: &[StridePoint], mut rate: impl FnMut(&[f64]) -> Option<f64>) -> Result<Vec<(f64, f64)>, String> {
    let mut points: Vec<&StridePoint> = points.iter().collect();
    points.sort_by_key(|point| point.stride_elements);
    if points.windows(2).any(|pair| pair[0].stride_elements == pair[1].stride_elements) {
        return Err("two points have the same stride".into());
    }
    if points.first().is_none_or(|point| point.stride_elements != 1) {
        return Err("the sweep has no stride 1 to compare with".into());
    }
    points
        .iter()
        .map(|point| {
            rate(&point.useful_gb_per_s)
                .filter(|rate| *rate > 0.0)
                .map(|rate| (f64::from(point.stride_elements), rate))
                .ok_or_else(|| format!("stride {} has no valid rate", point.stride_elements))
        })
        .collect()
}

/// The granule, or why it cannot be told.
fn granule(element_bytes: u32, curve: &[(f64, f64)]) -> Result<u32, String> {
    if curve.len() < 4 {
        return Err("fewer than four strides".into());
    }
    if let Some(pair) = curve.windows(2).find(|pair| pair[1].1 > pair[0].1 * (1.0 + TOLERANCE)) {
        return Err(format!(
            "the useful rate rises from stride {} to {}: caches or power, not memory",
            pair[0].0, pair[1].0
        ));
    }
    let peak = curve[0].1;
    // 1 as long as the rate follows 1/stride, more from the knee on.
    let excess = |(stride, rate): (f64, f64)| stride * rate / peak;
    let leaves = curve.iter().position(|point| excess(*point) > 1.0 + TOLERANCE);
    let following = &curve[..leaves.unwrap_or(curve.len())];
    if let Some(point) = following.iter().find(|point| excess(**point) < 1.0 - TOLERANCE) {
        return Err(format!("falls faster than 1/stride at stride {}", point.0));
    }
    let Some(leaves) = leaves else {
        return Err(format!(
            "still falling as 1/stride at stride {}: the sweep is too short",
            curve[curve.len() - 1].0
        ));
    };
    if leaves < 2 {
        return Err("hardly falls with stride: caches, or too few bytes in flight, hide the memory".into());
    }
    let element = f64::from(element_bytes);
    // Where it leaves: at the last point that follows 1/stride, or between it and the next.
    let (from, to) = (curve[leaves - 1].0 * element, curve[leaves].0 * element);
    let mut candidates =
        (0..=12).map(|k| 1u32 << k).filter(|bytes| f64::from(*bytes) >= from && f64::from(*bytes) < to);
    let (Some(by_place), None) = (candidates.next(), candidates.next()) else {
        return Err(format!("leaves 1/stride between {from} and {to} bytes, where no single power of two lies"));
    };
    // How deep it lies: falling on can only make the granule look larger, so the least of the points right after counts.
    let depth = curve[leaves..]
        .iter()
        .filter(|point| point.0 <= 2.0 * curve[leaves].0.min(f64::from(by_place) / element))
        .map(|point| element * peak / point.1)
        .fold(element * peak / curve[leaves].1, f64::min);
    let by_depth = depth.log2().round().exp2();
    if by_depth != f64::from(by_place) {
        return Err(format!("leaves 1/stride at {by_place} bytes, but lies as deep as {depth:.0} bytes would"));
    }
    Ok(by_place)
}

/// Share of sweeps, each resampled from the repeats, that name the same granule. The draws are the same in every run.
fn confidence(element_bytes: u32, points: &[StridePoint], bytes: u32) -> Option<f64> {
    if points.iter().any(|point| point.useful_gb_per_s.len() < 3) {
        return None;
    }
    let mut draw = 0u32;
    let mut agree = 0u32;
    for resample in 0..RESAMPLES {
        let resampled = curve(points, |repeats| {
            let sample: Vec<f64> = (0..repeats.len())
                .map(|_| {
                    draw = draw.wrapping_add(1);
                    repeats[random_bits(resample, draw) as usize % repeats.len()]
                })
                .collect();
            median(&sample)
        });
        agree += u32::from(resampled.and_then(|curve| granule(element_bytes, &curve)) == Ok(bytes));
    }
    Some(f64::from(agree) / f64::from(RESAMPLES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(rates: &[(u32, f64)]) -> Vec<StridePoint> {
        rates
            .iter()
            .map(|(stride, rate)| StridePoint { stride_elements: *stride, useful_gb_per_s: vec![*rate] })
            .collect()
    }

    /// The useful rate of the model, `falloff` less at every doubling past the knee, `noise` to either side.
    fn synthetic(element: u32, granule: u32, strides: &[u32], falloff: f64, noise: f64) -> Vec<StridePoint> {
        strides
            .iter()
            .map(|stride| {
                let step = f64::from(stride * element);
                let past = (step / f64::from(granule)).log2().max(0.0);
                let rate = 1000.0 * f64::from(element) / step.min(f64::from(granule)) * (1.0 - falloff).powf(past);
                let repeat =
                    |k| rate * (1.0 + noise * (f64::from(random_bits(*stride, k)) / f64::from(u32::MAX) * 2.0 - 1.0));
                StridePoint { stride_elements: *stride, useful_gb_per_s: (0..12).map(repeat).collect() }
            })
            .collect()
    }

    fn reason(knee: Knee) -> String {
        match knee {
            Knee::NotDetermined { reason } => reason,
            Knee::Determined { .. } => panic!("{knee:?}"),
        }
    }

    const POWERS: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];
    const MIXED: [u32; 13] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256];

    #[test]
    fn the_measured_h200_has_64() {
        // f32 reads; useful GB/s measured on one H200 at these strides.
        let measured = [
            (1, 4538.0),
            (2, 2272.0),
            (4, 1133.0),
            (8, 566.0),
            (16, 283.0),
            (24, 266.0),
            (32, 234.0),
            (64, 158.0),
            (128, 148.0),
            (256, 132.0),
        ];
        assert_eq!(find(4, &points(&measured)), Knee::Determined { bytes: 64, confidence: None });
        let powers: Vec<_> = measured.into_iter().filter(|(stride, _)| stride.is_power_of_two()).collect();
        assert_eq!(find(4, &points(&powers)), Knee::Determined { bytes: 64, confidence: None });
    }

    #[test]
    fn synthetic_knees_are_found() {
        for granule in [32, 64, 128] {
            for strides in [&POWERS[..], &MIXED[..]] {
                for falloff in [0.0, 0.1, 0.2] {
                    for element in [4, 8] {
                        let knee = find(element, &synthetic(element, granule, strides, falloff, 0.03));
                        let Knee::Determined { bytes, confidence: Some(confidence) } = knee else {
                            panic!("{granule} B, {element} B elements, falloff {falloff}: {knee:?}")
                        };
                        assert_eq!(bytes, granule);
                        assert!(confidence > 0.9, "{granule} B, falloff {falloff}: {confidence}");
                    }
                }
            }
        }
    }

    #[test]
    fn noise_lowers_confidence_and_draws_repeat() {
        let noisy = synthetic(4, 64, &POWERS, 0.25, 0.25);
        let (first, again) = (find(4, &noisy), find(4, &noisy));
        assert_eq!(first, again);
        if let Knee::Determined { confidence, .. } = first {
            assert!(confidence < Some(1.0), "{confidence:?}");
        }
    }

    #[test]
    fn other_shapes_are_not_determined_and_say_why() {
        let flat = points(&POWERS.map(|stride| (stride, 10.0 - f64::from(stride).log2() * 0.2)));
        assert!(reason(find(4, &flat)).contains("hardly falls"));
        let short = synthetic(4, 64, &[1, 2, 4, 8, 16], 0.0, 0.01);
        assert!(reason(find(4, &short)).contains("too short"));
        let rising = points(&POWERS.map(|stride| (stride, f64::from(stride))));
        assert!(reason(find(4, &rising)).contains("rises"));
        let steep = points(&POWERS.map(|stride| (stride, 1000.0 / f64::from(stride).powf(1.5))));
        assert!(reason(find(4, &steep)).contains("faster"));
        let deep = synthetic(4, 64, &POWERS, 0.35, 0.0);
        assert!(reason(find(4, &deep)).contains("as deep as"));
        assert!(reason(find(4, &points(&[(1, 4.0), (2, 2.0), (4, 1.0)]))).contains("four"));
        assert!(reason(find(4, &points(&[(2, 4.0), (4, 2.0), (8, 1.0), (16, 1.0)]))).contains("no stride 1"));
        assert!(reason(find(4, &points(&[(1, 4.0), (1, 2.0), (8, 1.0), (16, 1.0)]))).contains("same stride"));
        assert!(reason(find(4, &points(&[(1, 4.0), (2, f64::NAN), (8, 1.0), (16, 1.0)]))).contains("stride 2"));
        assert!(reason(find(4, &points(&[(1, 4.0), (2, 0.0), (8, 1.0), (16, 1.0)]))).contains("stride 2"));
        assert!(reason(find(4, &[])).contains("no stride 1"));
        let sparse = synthetic(4, 32, &[1, 2, 4, 32, 64], 0.0, 0.0);
        assert!(reason(find(4, &sparse)).contains("no single power of two"));
    }
}
