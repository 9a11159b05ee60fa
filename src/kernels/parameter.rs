//! Parameters of kernels: their names, meanings, ranges, and values that fit them.

use std::collections::BTreeMap;

/// A parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A number.
    Number(u32),
    /// One of a few words.
    Word(&'static str),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Word(word) => word.fmt(f),
        }
    }
}

impl From<&Value> for serde_json::Value {
    fn from(value: &Value) -> Self {
        match value {
            Value::Number(number) => (*number).into(),
            Value::Word(word) => (*word).into(),
        }
    }
}

/// The values that a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// Any integer of the range, both ends included.
    Range(u32, u32),
    /// One of these numbers.
    Numbers(&'static [u32]),
    /// One of these words.
    Words(&'static [&'static str]),
}

impl Domain {
    /// The value that a text stands for.
    ///
    /// # Errors
    /// What would fit.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let number = text.parse::<u32>().ok();
        match self {
            Self::Range(low, high) => number.filter(|n| (*low..=*high).contains(n)).map(Value::Number),
            Self::Numbers(all) => number.filter(|n| all.contains(n)).map(Value::Number),
            Self::Words(all) => all.iter().find(|word| **word == text).map(|word| Value::Word(word)),
        }
        .ok_or_else(|| self.to_string())
    }
}

impl std::fmt::Display for Domain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Range(low, high) => write!(f, "{low}..{high}"),
            Self::Numbers(all) => {
                let all: Vec<_> = all.iter().map(ToString::to_string).collect();
                f.write_str(&all.join(", "))
            }
            Self::Words(all) => f.write_str(&all.join(", ")),
        }
    }
}

/// One knob of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its stable name, as in `--set NAME=V`.
    pub name: &'static str,
    /// What it does, one sentence without a full stop.
    pub meaning: &'static str,
    /// What it may be.
    pub domain: Domain,
    /// What it is where nobody says.
    pub default: Value,
}

impl Parameter {
    /// A number of a range.
    #[must_use]
    pub const fn range(name: &'static str, meaning: &'static str, low: u32, high: u32, default: u32) -> Self {
        Self { name, meaning, domain: Domain::Range(low, high), default: Value::Number(default) }
    }

    /// One of a few numbers.
    #[must_use]
    pub const fn numbers(name: &'static str, meaning: &'static str, all: &'static [u32], default: u32) -> Self {
        Self { name, meaning, domain: Domain::Numbers(all), default: Value::Number(default) }
    }

    /// One of a few words, the first by default.
    #[must_use]
    pub const fn words(name: &'static str, meaning: &'static str, all: &'static [&'static str]) -> Self {
        Self { name, meaning, domain: Domain::Words(all), default: Value::Word(all[0]) }
    }
}

/// A value for every parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Params(BTreeMap<&'static str, Value>);

impl Params {
    /// Every parameter at its default.
    #[must_use]
    pub fn defaults(parameters: &[Parameter]) -> Self {
        Self(parameters.iter().map(|parameter| (parameter.name, parameter.default)).collect())
    }

    /// Sets one, which must be a parameter of the kernel.
    pub fn set(&mut self, name: &'static str, value: Value) {
        self.0.insert(name, value);
    }

    /// The same with one changed.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.set(name, value.into());
        self
    }

    /// A numeric parameter; 0 if there is none of the name.
    #[must_use]
    pub fn number(&self, name: &str) -> u32 {
        match self.0.get(name) {
            Some(Value::Number(number)) => *number,
            Some(Value::Word(_)) | None => 0,
        }
    }

    /// A worded parameter; empty if there is none of the name.
    #[must_use]
    pub fn word(&self, name: &str) -> &'static str {
        match self.0.get(name) {
            Some(Value::Word(word)) => word,
            Some(Value::Number(_)) | None => "",
        }
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number)
    }
}

impl From<&'static str> for Value {
    fn from(word: &'static str) -> Self {
        Self::Word(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_fits_is_taken() {
        assert_eq!(Domain::Range(1, 4096).parse("33"), Ok(Value::Number(33)));
        assert_eq!(Domain::Range(1, 4096).parse("0"), Err("1..4096".into()));
        assert_eq!(Domain::Numbers(&[1, 2]).parse("3"), Err("1, 2".into()));
        assert_eq!(Domain::Words(&["aos", "soa"]).parse("soa"), Ok(Value::Word("soa")));
        assert!(Domain::Words(&["aos"]).parse("AOS").is_err());
    }
}
