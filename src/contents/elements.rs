//! Contents by the number types of a buffer's elements. They are computed on the host only, which uploads them to a GPU:
//! a device may round the arithmetic of a range otherwise.

use super::random_bits;

/// A number type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Number {
    /// i16
    I16,
    /// u16
    U16,
    /// f16
    F16,
    /// i32
    I32,
    /// u32
    U32,
    /// f32
    F32,
    /// i64
    I64,
    /// u64
    U64,
    /// f64
    F64,
}

/// Sets the upper halves of 64 random bits apart from the lower ones.
const UPPER: u32 = 0x5EED_5EED;

impl Number {
    /// Its size.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Its name in WGSL.
    const fn name(self) -> &'static str {
        match self {
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::F16 => "f16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::F32 => "f32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F64 => "f64",
        }
    }

    /// The least and the largest integer that it holds; `None` for floats.
    const fn integers(self) -> Option<(i128, i128)> {
        Some(match self {
            Self::I16 => (i16::MIN as i128, i16::MAX as i128),
            Self::U16 => (0, u16::MAX as i128),
            Self::I32 => (i32::MIN as i128, i32::MAX as i128),
            Self::U32 => (0, u32::MAX as i128),
            Self::I64 => (i64::MIN as i128, i64::MAX as i128),
            Self::U64 => (0, u64::MAX as i128),
            Self::F16 | Self::F32 | Self::F64 => return None,
        })
    }

    /// Whether every number of `low..high` can be had.
    ///
    /// # Errors
    /// What is wrong with the range for this type.
    pub fn holds_range(self, low: f64, high: f64) -> Result<(), String> {
        let name = self.name();
        let Some((least, largest)) = self.integers() else {
            let (low, high) = (self.float(low), self.float(high));
            let fits = low.is_finite() && high.is_finite() && low < high;
            return if fits { Ok(()) } else { Err(format!("{name} holds no numbers of that range")) };
        };
        if low.fract() != 0.0 || high.fract() != 0.0 {
            return Err(format!("a range of {name} is between integers: {low}..{high} is not"));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a float beyond i128 becomes its nearest: out of range, too"
        )]
        let (first, end) = (low as i128, high as i128);
        if first < least || end > largest + 1 {
            return Err(format!("{low}..{high} leaves the range of {name}: {least}..{}", largest + 1));
        }
        Ok(())
    }

    /// A float rounded to this type; itself for integers.
    fn float(self, value: f64) -> f64 {
        match self {
            Self::F16 => half::f16::from_f64(value).to_f64(),
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
            Self::F32 => f64::from(value as f32),
            _ => value,
        }
    }

    /// The bits of an integral value, wrapped around; of a float that holds it, for small ones.
    fn integer_bits(self, value: i128) -> u64 {
        match self {
            Self::F16 | Self::F32 | Self::F64 => self.float_bits(value as f64),
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wraps around")]
            _ => value as u64,
        }
    }

    fn float_bits(self, value: f64) -> u64 {
        match self {
            Self::F16 => half::f16::from_f64(value).to_bits().into(),
            #[expect(clippy::cast_possible_truncation, reason = "rounding is what is asked for")]
            Self::F32 => (value as f32).to_bits().into(),
            _ => value.to_bits(),
        }
    }

    /// The largest float of this type below another.
    fn below(self, value: f64) -> u64 {
        match self {
            Self::F16 => {
                let bits = half::f16::from_f64(value).to_bits();
                // Towards minus infinity: down for positive floats, up in magnitude for negative ones, from 0 to -tiny.
                u64::from(match bits {
                    0 | 0x8000 => 0x8001,
                    bits if bits < 0x8000 => bits - 1,
                    bits => bits + 1,
                })
            }
            #[expect(clippy::cast_possible_truncation, reason = "it is a float of this type")]
            Self::F32 => (value as f32).next_down().to_bits().into(),
            _ => value.next_down().to_bits(),
        }
    }

    /// The bits of the `n`-th number of this type.
    fn bits(self, rule: &Rule, n: u64) -> u64 {
        let is_float = self.integers().is_none();
        let Rule::Range { seed, low, high } = rule else {
            return self.integer_bits(i128::from(if is_float { n % 1024 } else { n }));
        };
        #[expect(clippy::cast_possible_truncation, reason = "buffers have fewer numbers than 2^32")]
        let place = n as u32;
        let random = u64::from(random_bits(*seed, place)) | u64::from(random_bits(seed ^ UPPER, place)) << 32;
        let (low, high) = (f64::from_bits(*low), f64::from_bits(*high));
        if is_float {
            let (low, high) = (self.float(low), self.float(high));
            // 53 bits: every step is exact, the sum is rounded to f64 and then to the type.
            let unit = (random >> 11) as f64 / (1u64 << 53) as f64;
            let value = low + (high - low) * unit;
            return if self.float(value) < high { self.float_bits(value) } else { self.below(high) };
        }
        #[expect(clippy::cast_possible_truncation, reason = "integers of at most 64 bits: holds_range")]
        let (low, high) = (low as i128, high as i128);
        self.integer_bits(low + ((u128::from(random) * high.abs_diff(low)) >> 64).cast_signed())
    }
}

/// Which number covers two bytes, and which two of its own they are; `None` for padding.
type Pair = Option<(Number, u8)>;

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
    pub fn of(number: Number) -> Self {
        let mut pattern = Self::new(0, number.bytes());
        pattern.place(0, number);
        pattern
    }

    /// Puts a number at a byte of the head or of the first period; what lies beyond is the same again.
    pub fn place(&mut self, at: u32, number: Number) {
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
    pub fn numbers(&self) -> impl Iterator<Item = Number> + '_ {
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

/// Numbers by a rule where a pattern has them.
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
        let bits = number.bits(&self.rule, start / u64::from(number.bytes()));
        (bits >> (16 * u32::from(part)) & 0xFFFF) as u32
    }
}
