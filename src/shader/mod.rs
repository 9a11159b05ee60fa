//! WGSL to validated naga IR: parse, apply overrides, reflect; errors with line, column and caret.
//!
//! Only this module and the interpreter know naga. What others need of a shader is in [`Reflection`], as plain data.

mod decode;
mod error;
mod features;
mod images;
mod overrides;
mod pointers;
mod reflect;
mod scan;
mod source;
mod template;
mod types;

use std::collections::BTreeMap;

use naga::back::pipeline_constants::process_overrides;
use naga::valid::{Capabilities, ModuleInfo};

pub use crate::contents::ScalarType;
pub use decode::{MOST_BYTES, decode};
pub use error::ShaderError;
pub use images::{Dimension, SamplerBinding, TextureBinding, TextureKind};
pub use overrides::Override;
pub(crate) use reflect::type_bytes;
pub use reflect::{Binding, BindingAccess, Reflection, VariableKind};
pub use scan::{MOST_BLOCKS, MOST_BRACKETS, MOST_DECLARATIONS, MOST_OPERATORS, MOST_TOKENS};
pub use source::Source;
pub use types::{Member, Type, column_stride};

use sha2::{Digest as _, Sha256};

use crate::suggest;

/// What documents know a shader by: the SHA-256 of its text, as 64 hexadecimal digits.
#[must_use]
pub fn wgsl_sha256(wgsl: &str) -> String {
    sha256(wgsl)
}

/// The SHA-256 of a text as 64 hexadecimal digits.
#[must_use]
pub(crate) fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A parsed and validated module, its overrides still open.
#[derive(Debug, Clone)]
pub struct Shader {
    source: Source,
    module: naga::Module,
    info: ModuleInfo,
}

/// A module with one entry point and no overrides: what a device would compile.
#[derive(Debug, Clone)]
pub struct Specialised {
    pub(crate) source: Source,
    pub(crate) module: naga::Module,
    pub(crate) info: ModuleInfo,
    reflection: Reflection,
}

impl Shader {
    /// Parses and validates a text. A byte-order mark, CRLF line ends and `enable subgroups;` are accepted.
    ///
    /// # Errors
    /// An empty text, a text that is too large or too deep, a template, a syntax error, a validation error, no compute
    /// entry point.
    pub fn parse(wgsl: &str) -> Result<Self, ShaderError> {
        decode(wgsl.as_bytes())?;
        let source = Source::new(wgsl);
        if source.is_blank() {
            return Err(ShaderError::Empty);
        }
        if let Some(error) = source.too_deep() {
            return Err(error);
        }
        let module = naga::front::wgsl::parse_str(source.text()).map_err(|error| source.parse_error(&error))?;
        let info = features::validator(Capabilities::all())
            .validate(&module)
            .map_err(|error| source.validation_error(&error))?;
        let shader = Self { source, module, info };
        if shader.entry_points().is_empty() {
            return Err(ShaderError::NoComputeEntryPoint { others: shader.other_stages() });
        }
        Ok(shader)
    }

    /// The text as a compiler takes it: without a byte-order mark and without extensions that need no enabling there.
    /// Lines and columns are those of the text as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// Names of its compute entry points, in the order of the text.
    #[must_use]
    pub fn entry_points(&self) -> Vec<&str> {
        let compute = |entry: &&naga::EntryPoint| entry.stage == naga::ShaderStage::Compute;
        self.module.entry_points.iter().filter(compute).map(|entry| entry.name.as_str()).collect()
    }

    /// The compute entry point of a name, or the only one where none is named.
    ///
    /// # Errors
    /// There is none of this name, or there are several.
    pub fn entry_point(&self, name: Option<&str>) -> Result<&str, ShaderError> {
        let known = self.entry_points();
        let found = match name {
            None if known.len() > 1 => return Err(ShaderError::SeveralEntryPoints { known: known.join(", ") }),
            None => known.first(),
            Some(name) => known.iter().find(|entry| **entry == name),
        };
        let entry = name.unwrap_or_default();
        found.copied().ok_or_else(|| ShaderError::UnknownEntryPoint {
            entry: entry.to_owned(),
            near: suggest::hint(entry, known.iter().copied()),
            known: known.join(", "),
        })
    }

    /// `; there are fragment fs`, for a shader without compute.
    fn other_stages(&self) -> String {
        let others = self.module.entry_points.iter();
        let others: Vec<String> =
            others.map(|entry| format!("{} {}", format!("{:?}", entry.stage).to_lowercase(), entry.name)).collect();
        let verb = if others.len() == 1 { "is" } else { "are" };
        if others.is_empty() { String::new() } else { format!(" (there {verb} {})", others.join(", ")) }
    }

    /// Every bound variable of the text, whatever uses it.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, VariableKind)> {
        reflect::variables(&self.module)
    }

    /// The module of one entry point with the values of its overrides filled in.
    ///
    /// # Errors
    /// An unknown entry point or override, a missing value, a value that makes the module invalid.
    pub fn specialise(&self, entry: &str, constants: &BTreeMap<String, f64>) -> Result<Specialised, ShaderError> {
        let entry = self.entry_point(Some(entry))?;
        let values = constants.iter().map(|(name, value)| (name.clone(), *value)).collect();
        let stage = (naga::ShaderStage::Compute, entry);
        let (module, info) = process_overrides(&self.module, &self.info, Some(stage), &values)
            .map_err(|error| self.override_error(error, entry, constants))?;
        let (module, info) = (module.into_owned(), info.into_owned());
        let reflection = reflect::reflect(&module, &info, entry)?;
        Ok(Specialised { source: self.source.clone(), module, info, reflection })
    }
}

impl Specialised {
    /// What the text says of its bindings and sizes.
    #[must_use]
    pub const fn reflection(&self) -> &Reflection {
        &self.reflection
    }
}
