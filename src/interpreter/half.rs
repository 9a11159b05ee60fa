//! 16-bit floats: their bits in the low half of a word, each result rounded once, to nearest, ties to even.

use half::f16;

/// The number in a word's low half. Every f16 is an f32.
#[expect(clippy::cast_possible_truncation, reason = "an f16 is the low half of its word")]
pub(super) fn h(word: u32) -> f32 {
    f16::from_bits(word as u16).to_f32()
}

/// Rounds to the nearest f16, ties to even. One rounding of an f32 sum, product, quotient or root of f16 values is the
/// f16 one: 24 bits are at least 2 x 11 + 2 (Figueroa, "When is double rounding innocuous?", 1995).
pub(super) fn to_h(value: f32) -> u32 {
    u32::from(f16::from_f32(value).to_bits())
}

/// The same from 64 bits. `f16::from_f64` goes by way of an f32 on most processors and rounds twice; here that way is
/// rounded to odd, which leaves the second rounding nothing to mistake (Boldo and Melquiond, 2008).
pub(super) fn wide_to_h(value: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "corrected below")]
    let near = value as f32;
    if f64::from(near) == value || !near.is_finite() {
        return to_h(near);
    }
    let below = if f64::from(near).abs() > value.abs() { near.to_bits() - 1 } else { near.to_bits() };
    to_h(f32::from_bits(below | 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest of all f16, ties to the even one, by search.
    fn nearest(value: f64) -> u32 {
        let all = (0..0x7C00u16).map(|bits| (f16::from_bits(bits).to_f64(), u32::from(bits)));
        let magnitude = value.abs();
        let best = all.min_by(|(a, i), (b, j)| {
            let far = |x: f64| (x - magnitude).abs();
            far(*a).total_cmp(&far(*b)).then((i & 1).cmp(&(j & 1)))
        });
        let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
        // Half a step above the largest is where infinity begins.
        if magnitude >= 65_520.0 { sign | 0x7C00 } else { sign | best.map_or(0, |(_, bits)| bits) }
    }

    #[test]
    fn one_rounding_from_64_bits() {
        let step = 2f64.powi(-40);
        for k in 0..400u32 {
            let bits = crate::contents::hash(k) % 0x7BFF;
            let value = f64::from(h(bits));
            let next = f64::from(h(bits + 1));
            let middle = f64::midpoint(value, next);
            for exact in [value, middle, middle * (1.0 + step), middle * (1.0 - step), -middle, -middle * (1.0 - step)]
            {
                assert_eq!(wide_to_h(exact), nearest(exact), "{exact:e}");
            }
        }
        // Just above a tie: an f32 on the way would make it the tie, and the tie goes down.
        let above = 2049.0 + 2f64.powi(-30);
        assert_eq!((wide_to_h(above), to_h(2049.0)), (0x6801, 0x6800));
        assert_eq!(wide_to_h(1e300), 0x7C00);
        assert_eq!(wide_to_h(-1e-300), 0x8000);
    }

    #[test]
    fn sums_products_and_quotients_round_once() {
        for k in 0..300u32 {
            let [a, b] = [k * 2, k * 2 + 1].map(|k| crate::contents::hash(k) & 0xFFFF);
            let (x, y) = (h(a), h(b));
            if !x.is_finite() || !y.is_finite() {
                continue;
            }
            let [p, q] = [f64::from(x), f64::from(y)];
            assert_eq!(to_h(x * y), wide_to_h(p * q), "{x} * {y}");
            assert_eq!(to_h(x + y), wide_to_h(p + q), "{x} + {y}");
        }
    }
}
