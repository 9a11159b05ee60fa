//! The file of settings: TOML with the names of the options.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::fill::{Fill, Values};
use super::{Inputs, setting};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    entry: Option<String>,
    dispatch: Option<Dispatch>,
    seed: Option<u32>,
    #[serde(default, rename = "override")]
    overrides: BTreeMap<String, Override>,
    #[serde(default, rename = "buffer")]
    buffers: BTreeMap<String, Size>,
    #[serde(default, rename = "fill")]
    fills: BTreeMap<String, FillText>,
    #[serde(default, rename = "uniform")]
    uniforms: BTreeMap<String, UniformText>,
    #[serde(default, rename = "texture")]
    textures: BTreeMap<String, Extent>,
}

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Dispatch([u32; 3]);

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Override(f64);

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Size(u64);

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct FillText(Fill);

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct UniformText(Values);

#[derive(Deserialize)]
#[serde(try_from = "toml::Value")]
struct Extent([u32; 3]);

/// Whole numbers, as a list or alone.
fn sides(value: &Value) -> Option<Vec<u64>> {
    match value {
        Value::Array(values) => values.iter().map(Value::as_u64).collect(),
        value => value.as_u64().map(|side| vec![side]),
    }
}

/// The text of a string, or the value as it is written.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl TryFrom<toml::Value> for Dispatch {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let value = json(value);
        let form = || format!("{value} is no dispatch: write 64 or [8, 8] or \"4,4,4\"");
        match (value.as_str(), sides(&value)) {
            (Some(text), _) => setting::dispatch(text).map(Self),
            (None, Some(sides)) => setting::grid(&sides).map(Self).map_err(|problem| problem.unwrap_or_else(form)),
            (None, None) => Err(form()),
        }
    }
}

impl TryFrom<toml::Value> for Override {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        setting::override_value(&text(&json(value))).map(Self)
    }
}

impl TryFrom<toml::Value> for Size {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        setting::size(&text(&json(value))).map(Self)
    }
}

impl TryFrom<toml::Value> for FillText {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => text.parse().map(Self),
            value => Ok(Self(Fill::Values(Values::Json(json(value))))),
        }
    }
}

impl TryFrom<toml::Value> for UniformText {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::String(text) => text.parse().map(Self),
            value => Ok(Self(Values::Json(json(value)))),
        }
    }
}

impl TryFrom<toml::Value> for Extent {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        let value = json(value);
        let form = || format!("{value} is no size of a texture: write \"256x128\" or [256, 128]");
        match (value.as_str(), sides(&value)) {
            (Some(text), _) => setting::extent(text).map(Self),
            (None, Some(sides)) => setting::texels(&sides).map(Self).map_err(|problem| problem.unwrap_or_else(form)),
            (None, None) => Err(form()),
        }
    }
}

/// The same value in JSON, which has no infinity and no NaN: those become the words that a float may also be given as.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) if number.is_nan() => "nan".into(),
        toml::Value::Float(number) if number.is_infinite() => if number > 0.0 { "inf" } else { "-inf" }.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(values) => values.into_iter().map(json).collect::<Vec<_>>().into(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(name, value)| (name, json(value))).collect())
        }
    }
}

pub(super) fn parse(text: &str, folder: &Path) -> Result<Inputs, String> {
    let document: Document = toml::from_str(text).map_err(|error| describe(text, &error))?;
    let fill = |fill: Fill| match fill {
        Fill::Values(values) => Fill::Values(values.in_folder(folder)),
        rule => rule,
    };
    Ok(Inputs {
        entry: document.entry,
        dispatch: document.dispatch.map(|dispatch| dispatch.0),
        seed: document.seed,
        overrides: document.overrides.into_iter().map(|(name, value)| (name, value.0)).collect(),
        buffers: document.buffers.into_iter().map(|(name, value)| (name, value.0)).collect(),
        fills: document.fills.into_iter().map(|(name, value)| (name, fill(value.0))).collect(),
        uniforms: document.uniforms.into_iter().map(|(name, value)| (name, value.0.in_folder(folder))).collect(),
        textures: document.textures.into_iter().map(|(name, value)| (name, value.0)).collect(),
    })
}

/// The message with the line where it applies.
fn describe(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', "; ");
    let line = error.span().and_then(|span| text.get(..span.start)).map(|before| before.matches('\n').count() + 1);
    line.map_or_else(|| message.clone(), |line| format!("line {line}: {message}"))
}
