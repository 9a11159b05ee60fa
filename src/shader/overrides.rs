//! `override` constants of a shader: which there are, how they are named, which still need a value.

use std::collections::BTreeMap;

use naga::TypeInner;
use naga::back::pipeline_constants::PipelineConstantError;
use naga::compact::{KeepUnused, compact};

use super::types::scalar_type;
use super::{ScalarType, Shader, ShaderError};
use crate::suggest;

/// An `override` constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// What a pipeline calls it: its name, or the number of its `@id`.
    pub key: String,
    /// Its name in the text.
    pub name: String,
    /// Its type.
    pub ty: ScalarType,
    /// Whether the text gives it a value.
    pub has_default: bool,
}

fn list(module: &naga::Module) -> Vec<Override> {
    let all = module.overrides.iter().filter_map(|(_, own)| {
        let TypeInner::Scalar(scalar) = module.types[own.ty].inner else { return None };
        let name = own.name.clone().unwrap_or_default();
        let key = own.id.map_or_else(|| name.clone(), |id| id.to_string());
        // naga makes nameless ones of expressions of others.
        (!key.is_empty()).then_some(())?;
        Some(Override { key, name, ty: scalar_type(scalar)?, has_default: own.init.is_some() })
    });
    all.collect()
}

impl Shader {
    /// Its overrides, in the order of the text.
    #[must_use]
    pub fn overrides(&self) -> Vec<Override> {
        list(&self.module)
    }

    /// The override of a name or of the number of an `@id`.
    ///
    /// # Errors
    /// There is none: those there are, and the nearest.
    pub fn find_override(&self, name: &str) -> Result<Override, ShaderError> {
        let overrides = self.overrides();
        let found =
            overrides.iter().find(|own| own.key == name).or_else(|| overrides.iter().find(|own| own.name == name));
        found.cloned().ok_or_else(|| unknown(name, &overrides))
    }

    pub(super) fn override_error(
        &self,
        error: PipelineConstantError,
        entry: &str,
        given: &BTreeMap<String, f64>,
    ) -> ShaderError {
        match error {
            PipelineConstantError::MissingValue(_) => self.missing(entry, given),
            PipelineConstantError::NotFound(name) => unknown(&name, &self.overrides()),
            PipelineConstantError::ValidationError(error) => self.source.validation_error(&error),
            other => ShaderError::Override(other.to_string()),
        }
    }

    /// All that the entry point uses and that have no value.
    fn missing(&self, entry: &str, given: &BTreeMap<String, f64>) -> ShaderError {
        let mut module = self.module.clone();
        module.entry_points.retain(|point| point.stage == naga::ShaderStage::Compute && point.name == entry);
        compact(&mut module, KeepUnused::No);
        let open = list(&module).into_iter().filter(|own| !own.has_default && !given.contains_key(&own.key));
        let missing = open.map(|own| {
            let name = if own.key == own.name { String::new() } else { format!("{}, ", own.name) };
            format!("--override {}=VALUE ({name}{})", own.key, own.ty)
        });
        ShaderError::MissingOverrides { missing: missing.collect() }
    }
}

fn unknown(name: &str, overrides: &[Override]) -> ShaderError {
    let label = |own: &Override| {
        let id = if own.key == own.name { String::new() } else { format!(" (@id {})", own.key) };
        format!("{}{id}: {}", own.name, own.ty)
    };
    let known: Vec<String> = overrides.iter().map(label).collect();
    ShaderError::UnknownOverride {
        name: name.to_owned(),
        near: suggest::hint(name, overrides.iter().map(|own| own.name.as_str())),
        known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
    }
}
