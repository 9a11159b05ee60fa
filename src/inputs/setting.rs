//! Settings by name, and how options are typed.

use std::fmt;

use super::{Inputs, InputsError};
use crate::program::Limits;
use crate::suggest::closest;
use crate::units::Bytes;

/// A kind of setting, named as its option.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// `--entry NAME`
    Entry,
    /// `--dispatch X[,Y[,Z]]`
    Dispatch,
    /// `--seed N`
    Seed,
    /// `--override NAME=VALUE`
    Override,
    /// `--buffer NAME=SIZE`
    Buffer,
    /// `--fill NAME=zero|index|random|random:LO..HI|file:PATH|[..]`
    Fill,
    /// `--uniform NAME=JSON|file:PATH`
    Uniform,
    /// `--texture NAME=W[xH[xD]]`
    Texture,
}

impl Key {
    /// The option without dashes, and the key in a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Entry => "entry",
            Self::Dispatch => "dispatch",
            Self::Seed => "seed",
            Self::Override => "override",
            Self::Buffer => "buffer",
            Self::Fill => "fill",
            Self::Uniform => "uniform",
            Self::Texture => "texture",
        }
    }

    /// What is typed behind the option.
    #[must_use]
    pub const fn form(self) -> &'static str {
        match self {
            Self::Entry => "NAME",
            Self::Dispatch => "X[,Y[,Z]]",
            Self::Seed => "N",
            Self::Override => "NAME=VALUE",
            Self::Buffer => "NAME=SIZE",
            Self::Fill => "NAME=zero|index|random|random:LO..HI|file:PATH|[..]",
            Self::Uniform => "NAME=JSON|file:PATH",
            Self::Texture => "NAME=W[xH[xD]]",
        }
    }
}

/// One setting: `buffer a`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Setting {
    /// Its kind.
    pub key: Key,
    /// Of which variable or override; empty where the kind says it all.
    pub name: String,
}

impl Setting {
    pub(super) fn new(key: Key, name: &str) -> Self {
        Self { key, name: name.to_owned() }
    }

    pub(super) fn fails(self, problem: impl Into<String>) -> InputsError {
        InputsError::Setting { setting: self, problem: problem.into() }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.name.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}", self.key.name(), self.name)
    }
}

pub(super) fn set(inputs: &mut Inputs, key: Key, text: &str) -> Result<(), InputsError> {
    let alone = || Setting::new(key, "");
    let twice = |setting: Setting| setting.fails("it is given twice");
    match key {
        Key::Entry => {
            let old = inputs.entry.replace(text.trim().to_owned());
            return if old.is_some() { Err(twice(alone())) } else { Ok(()) };
        }
        Key::Dispatch => {
            let old = inputs.dispatch.replace(dispatch(text).map_err(|problem| alone().fails(problem))?);
            return if old.is_some() { Err(twice(alone())) } else { Ok(()) };
        }
        Key::Seed => {
            let seed = text.trim().parse().map_err(|_| alone().fails(format!("'{text}' is no number below 2^32")))?;
            let old = inputs.seed.replace(seed);
            return if old.is_some() { Err(twice(alone())) } else { Ok(()) };
        }
        Key::Override | Key::Buffer | Key::Fill | Key::Uniform | Key::Texture => {}
    }
    let Some((name, value)) = text.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
        return Err(alone().fails(format!("'{text}' is not of the form {}", key.form())));
    };
    let setting = || Setting::new(key, name);
    if name.is_empty() {
        return Err(alone().fails(format!("'{text}' names no variable: write {}", key.form())));
    }
    let wrong = |problem: String| setting().fails(problem);
    let own = name.to_owned();
    let is_new = match key {
        Key::Override => inputs.overrides.insert(own, override_value(value).map_err(wrong)?).is_none(),
        Key::Buffer => inputs.buffers.insert(own, size(value).map_err(wrong)?).is_none(),
        Key::Fill => inputs.fills.insert(own, value.parse().map_err(wrong)?).is_none(),
        Key::Uniform => inputs.uniforms.insert(own, value.parse().map_err(wrong)?).is_none(),
        Key::Texture => inputs.textures.insert(own, extent(value).map_err(wrong)?).is_none(),
        Key::Entry | Key::Dispatch | Key::Seed => true,
    };
    if is_new { Ok(()) } else { Err(twice(setting())) }
}

/// `X[,Y[,Z]]`
pub(super) fn dispatch(text: &str) -> Result<[u32; 3], String> {
    let form = || format!("'{text}' is not of the form {}: write 64 or 8,8 or 4,4,4", Key::Dispatch.form());
    let sides = text.split(',').map(|side| side.trim().parse::<u64>().map_err(|_| form()));
    grid(&sides.collect::<Result<Vec<_>, _>>()?).map_err(|problem| problem.unwrap_or_else(form))
}

/// Workgroups of one to three sides; `None` for the wrong number of them.
pub(super) fn grid(sides: &[u64]) -> Result<[u32; 3], Option<String>> {
    let most = Limits::WITHOUT_DEVICE.max_workgroups_per_dimension;
    extents(sides, most, |side| format!("{side} workgroups: each side takes 1 to {most}"))
}

/// One to three sides from 1 to `most`, the others 1; `None` for the wrong number of them.
fn extents(sides: &[u64], most: u32, wrong: impl Fn(u64) -> String) -> Result<[u32; 3], Option<String>> {
    if sides.is_empty() || sides.len() > 3 {
        return Err(None);
    }
    let mut extents = [1; 3];
    for (slot, side) in extents.iter_mut().zip(sides) {
        let fits = u32::try_from(*side).ok().filter(|side| (1..=most).contains(side));
        *slot = fits.ok_or_else(|| Some(wrong(*side)))?;
    }
    Ok(extents)
}

pub(super) fn override_value(text: &str) -> Result<f64, String> {
    match text {
        "true" => Ok(1.0),
        "false" => Ok(0.0),
        _ => text
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| format!("'{text}' is no number, true or false")),
    }
}

pub(super) fn size(text: &str) -> Result<u64, String> {
    text.parse::<Bytes>().map(|bytes| bytes.0)
}

/// `W[xH[xD]]`
pub(super) fn extent(text: &str) -> Result<[u32; 3], String> {
    let form = || format!("'{text}' is no size of a texture: write 256 or 256x128 or 64x64x64");
    let sides: Vec<u64> =
        text.split('x').map(|side| side.trim().parse().map_err(|_| form())).collect::<Result<_, _>>()?;
    texels(&sides).map_err(|problem| problem.unwrap_or_else(form))
}

/// Texels of one to three sides; `None` for the wrong number of them.
pub(super) fn texels(sides: &[u64]) -> Result<[u32; 3], Option<String>> {
    /// The limits of common GPUs for two dimensions.
    const MOST: u32 = 16_384;
    extents(sides, MOST, |side| format!("{side} texels: each side has 1 to {MOST}"))
}

/// `; did you mean 'a'? the buffers are a, b`
pub(super) fn known<'a>(word: &str, what: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = closest(word, names.clone()).map_or_else(|| ";".to_owned(), |near| format!("; did you mean '{near}'?"));
    let all: Vec<&str> = names.collect();
    if all.is_empty() { format!("; there are no {what}") } else { format!("{near} the {what} are {}", all.join(", ")) }
}
