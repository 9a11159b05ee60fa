//! What is typed for the inputs of a kernel, field by field, and the [`Inputs`] that it means.
//!
//! Fields are named as in a file of settings: `dispatch`, `buffer.a`, `uniform.params.n`. An empty field is left open.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::inputs::{DEFAULT_UNIFORM, Inputs, InputsError, Key, Setting};
use crate::shader::Type;

/// The kinds of settings that name a variable.
const NAMED: [Key; 5] = [Key::Override, Key::Buffer, Key::Fill, Key::Uniform, Key::Texture];

/// Texts by field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Typed(BTreeMap<String, String>);

impl Typed {
    /// The text of a field; empty where nothing was typed.
    #[must_use]
    pub fn get(&self, field: &str) -> &str {
        self.0.get(field).map_or("", String::as_str)
    }

    /// These, with another text in a field.
    #[must_use]
    pub fn with(mut self, field: &str, text: &str) -> Self {
        if text.trim().is_empty() {
            self.0.remove(field);
        } else {
            self.0.insert(field.to_owned(), text.to_owned());
        }
        self
    }

    /// These without the fields of variables that are not `known`.
    #[must_use]
    pub fn of(&self, known: impl Fn(&str) -> bool) -> Self {
        Self(self.0.iter().filter(|(field, _)| known(name(field))).map(|(k, v)| (k.clone(), v.clone())).collect())
    }

    /// The fields whose variables are not `known`.
    #[must_use]
    pub fn strange(&self, known: impl Fn(&str) -> bool) -> Vec<&str> {
        self.0.keys().map(String::as_str).filter(|field| !known(name(field))).collect()
    }

    /// The settings of a shader's file, as fields; `folder` is where its paths start from.
    ///
    /// # Errors
    /// What is wrong with the text, as the command line says it.
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, String> {
        Inputs::from_toml(text, folder)?;
        let table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut typed = Self::default();
        for (kind, value) in &table {
            let json = serde_json::to_value(value).unwrap_or_default();
            match (kind.as_str(), &json) {
                ("dispatch", Value::Array(sides)) => typed = typed.with(kind, &joined(sides, ",")),
                (_, Value::Object(variables)) => {
                    for (variable, value) in variables {
                        typed.add(kind, variable, value, folder);
                    }
                }
                (_, value) => typed = typed.with(kind, &plain(value)),
            }
        }
        Ok(typed)
    }

    fn add(&mut self, kind: &str, variable: &str, value: &Value, folder: &Path) {
        let own = std::mem::take(self);
        let field = format!("{kind}.{variable}");
        *self = match (kind, value) {
            ("uniform", Value::Object(members)) => members
                .iter()
                .fold(own, |typed, (member, value)| typed.with(&format!("{field}.{member}"), &plain(value))),
            ("texture", Value::Array(sides)) => own.with(&field, &joined(sides, "x")),
            (_, Value::String(text)) => match text.strip_prefix("file:") {
                Some(path) => own.with(&field, &format!("file:{}", folder.join(path).display())),
                None => own.with(&field, text),
            },
            (_, value) => own.with(&field, &value.to_string()),
        };
    }

    /// The settings that these mean. `uniforms` says which members a uniform has, so that those that nobody typed get
    /// the usual number.
    ///
    /// # Errors
    /// The first field that cannot be read, as the command line says it.
    pub fn inputs(&self, uniforms: &BTreeMap<String, Type>) -> Result<Inputs, InputsError> {
        let mut inputs = Inputs::default();
        let mut members: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
        for (field, text) in &self.0 {
            match split(field) {
                (kind, "", _) => {
                    if let Some(key) = [Key::Entry, Key::Dispatch, Key::Seed].into_iter().find(|key| key.name() == kind)
                    {
                        inputs.set(key, text)?;
                    }
                }
                ("uniform", variable, member) if !member.is_empty() => {
                    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()));
                    members.entry(variable).or_default().insert(member.to_owned(), value);
                }
                (kind, variable, _) => {
                    if let Some(key) = NAMED.into_iter().find(|key| key.name() == kind) {
                        inputs.set(key, &format!("{variable}={text}"))?;
                    }
                }
            }
        }
        for (variable, mut given) in members {
            for member in uniforms.get(variable).map_or(&[][..], Type::members) {
                let usual = || serde_json::from_str(&default_text(&member.ty)).unwrap_or_default();
                given.entry(member.name.clone()).or_insert_with(usual);
            }
            inputs.set(Key::Uniform, &format!("{variable}={}", Value::Object(given)))?;
        }
        Ok(inputs)
    }

    /// The field of a setting.
    #[must_use]
    pub fn field(setting: &Setting) -> String {
        match setting.name.as_str() {
            "" => setting.key.name().to_owned(),
            name => format!("{}.{name}", setting.key.name()),
        }
    }
}

/// Kind, variable and member of a field.
fn split(field: &str) -> (&str, &str, &str) {
    let (kind, rest) = field.split_once('.').unwrap_or((field, ""));
    let (variable, member) = rest.split_once('.').unwrap_or((rest, ""));
    (kind, variable, member)
}

/// The variable of a field; empty where it is of the whole run.
fn name(field: &str) -> &str {
    split(field).1
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn joined(parts: &[Value], between: &str) -> String {
    parts.iter().map(plain).collect::<Vec<_>>().join(between)
}

/// The usual number in every place of a value of this type, as it is typed.
#[must_use]
pub fn default_text(ty: &Type) -> String {
    let list = |count: u32, part: String| format!("[{}]", vec![part; count as usize].join(", "));
    match ty {
        Type::Scalar(_) | Type::Atomic(_) | Type::Other(_) => DEFAULT_UNIFORM.to_string(),
        Type::Vector { lanes, scalar } => list(*lanes, default_text(&Type::Scalar(*scalar))),
        Type::Matrix { columns, rows, scalar } => {
            list(*columns, default_text(&Type::Vector { lanes: *rows, scalar: *scalar }))
        }
        Type::Array { element, count, .. } => list(count.unwrap_or(1), default_text(element)),
        Type::Struct { members, .. } => {
            let members = members.iter().map(|member| format!("\"{}\": {}", member.name, default_text(&member.ty)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_settings_becomes_fields_that_mean_the_same() {
        let text = "entry = \"main\"\ndispatch = [8, 4]\nseed = 7\noverride.WG = 96\nbuffer.a = \"64KiB\"\n\
                    fill.a = \"random:0..64\"\nfill.b = [1, 2, 3]\nuniform.p = { n = 64, s = [0.5, 1.5] }\n\
                    texture.t = [256, 128]\n";
        let typed = Typed::from_toml(text, Path::new("")).unwrap();
        assert_eq!((typed.get("dispatch"), typed.get("uniform.p.n")), ("8,4", "64"));
        assert_eq!((typed.get("texture.t"), typed.get("fill.b")), ("256x128", "[1,2,3]"));
        let inputs = typed.inputs(&BTreeMap::new()).unwrap();
        assert_eq!(inputs, Inputs::from_toml(text, Path::new("")).unwrap());
        assert!(Typed::from_toml("dispach = 3", Path::new("")).is_err());
    }

    #[test]
    fn paths_of_a_file_start_from_its_folder() {
        let typed = Typed::from_toml("fill.a = \"file:a.bin\"", Path::new("kernels")).unwrap();
        assert_eq!(Path::new(typed.get("fill.a").strip_prefix("file:").unwrap()), Path::new("kernels").join("a.bin"));
    }

    #[test]
    fn what_cannot_be_read_is_said_as_on_the_command_line() {
        let error = Typed::default().with("dispatch", "eight").inputs(&BTreeMap::new()).unwrap_err();
        assert_eq!(error, Inputs::default().set(Key::Dispatch, "eight").unwrap_err());
    }
}
