//! Contents by the number types of a buffer's elements. They are computed on the host only, which uploads them to a GPU:
//! a device may round the arithmetic of a range otherwise.

use super::random_bits;
use super::scalar::ScalarType;

/// Sets the upper halves of 64 random bits apart from the lower ones.
const UPPER: u32 = 0x5EED_5EED;

/// The bits of the `n`-th number of a type.
fn bits(number: ScalarType, rule: &Rule, n: u64) -> u64 {
    let is_float = number.integers().is_none();
    let Rule::Range { seed, low, high } = rule else {
        return number.integer_bits(i128::from(if is_float { n % 1024 } else { n }));
    };
    #[expect(clippy::cast_possible_truncation, reason = "buffers have fewer numbers than 2^32")]
    let place = n as u32;
    let random = u64::from(random_bits(*seed, place)) | u64::from(random_bits(seed ^ UPPER, place)) << 32;
    let (low, high) = (f64::from_bits(*low), f64::from_bits(*high));
    if is_float {
        let (low, high) = (number.float(low), number.float(high));
        // 53 bits: every step is exact, the sum is rounded to f64 and then to the type.
        let unit = (random >> 11) as f64 / (1u64 << 53) as f64;
        let value = low + (high - low) * unit;
        return if number.float(value) < high { number.float_bits(value) } else { number.below(high) };
    }
    #[expect(clippy::cast_possible_truncation, reason = "integers of at most 64 bits: holds_range")]
    let (low, high) = (low as i128, high as i128);
    number.integer_bits(low + ((u128::from(random) * high.abs_diff(low)) >> 64).cast_signed())
}

/// Which number covers two bytes, and which two of its own they are; `None` for padding.
type Pair = Option<(ScalarType, u8)>;

/// Where which numbers lie: a head, then a period over and over. In pieces of two bytes, the least that a type takes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pattern {
    head: Vec<Pair>,
    period: Vec<Pair>,
}

impl Pattern {
    /// Padding only: so many bytes of head, and of the period behind it.
    #[must_use]
    pub fn new(head_bytes: u32, period_bytes: u32) -> Self {
        let pairs = |bytes: u32| vec![None; bytes.div_ceil(2) as usize];
        Self { head: pairs(head_bytes), period: pairs(period_bytes.max(2)) }
    }

    /// One number after the other.
    #[must_use]
    pub fn of(number: ScalarType) -> Self {
        let mut pattern = Self::new(0, number.bytes());
        pattern.place(0, number);
        pattern
    }

    /// Puts a number at a byte of the head or of the first period; what lies beyond is the same again.
    pub fn place(&mut self, at: u32, number: ScalarType) {
        for (part, pair) in (0u8..).zip(at / 2..at / 2 + number.bytes() / 2) {
            let pair = pair as usize;
            let slot = match pair.checked_sub(self.head.len()) {
                None => self.head.get_mut(pair),
                Some(pair) => self.period.get_mut(pair),
            };
            if let Some(slot) = slot {
                *slot = Some((number, part));
            }
        }
    }

    /// Whether a byte lies in the head or in the first period.
    #[must_use]
    pub fn reaches(&self, at: u32) -> bool {
        ((at / 2) as usize) < self.head.len() + self.period.len()
    }

    /// The numbers of the head and of a period.
    pub fn numbers(&self) -> impl Iterator<Item = ScalarType> + '_ {
        self.head.iter().chain(&self.period).flatten().filter(|(_, part)| *part == 0).map(|(number, _)| *number)
    }

    fn pair(&self, pair: u64) -> Pair {
        let head = self.head.len() as u64;
        #[expect(clippy::cast_possible_truncation, reason = "below the length of a table")]
        match pair.checked_sub(head) {
            None => self.head.get(pair as usize).copied().flatten(),
            Some(rest) => self.period.get((rest % self.period.len().max(1) as u64) as usize).copied().flatten(),
        }
    }
}

/// What the numbers are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Each is its own place, counted in numbers of its size; floats modulo 1024, which is exact in every type.
    Index,
    /// Uniform in `low..high`.
    Range {
        /// Chooses the sequence.
        seed: u32,
        /// The bits of an f64, so that rules compare.
        low: u64,
        /// The same.
        high: u64,
    },
}

/// ScalarTypes by a rule where a pattern has them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Elements {
    /// Where.
    pub pattern: Pattern,
    /// What.
    pub rule: Rule,
}

impl Elements {
    /// Word `index` of the buffer.
    #[must_use]
    pub fn word(&self, index: u32) -> u32 {
        let first = u64::from(index) * 2;
        self.half(first) | self.half(first + 1) << 16
    }

    /// Two bytes of the buffer.
    fn half(&self, pair: u64) -> u32 {
        let Some((number, part)) = self.pattern.pair(pair) else { return 0 };
        let start = (pair - u64::from(part)) * 2;
        let bits = bits(number, &self.rule, start / u64::from(number.bytes()));
        (bits >> (16 * u32::from(part)) & 0xFFFF) as u32
    }
}
