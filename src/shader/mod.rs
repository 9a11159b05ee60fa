//! WGSL to validated naga IR: parse, apply overrides, reflect; errors with line, column and caret.
//!
//! Only this module and the interpreter know naga. What others need of a shader is in [`Reflection`], as plain data.

mod error;
mod reflect;
mod source;

use std::collections::BTreeMap;

use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::{Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};

pub use error::ShaderError;
pub(crate) use reflect::type_bytes;
pub use reflect::{Binding, BindingAccess, Member, Reflection};
pub use source::Source;

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

/// A validator for everything that WGSL can say: what a device lacks is the device's to refuse.
fn validator() -> Validator {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.subgroup_stages(ShaderStages::all()).subgroup_operations(SubgroupOperationSet::all());
    validator
}

impl Shader {
    /// Parses and validates a text. A byte-order mark and CRLF line ends are accepted.
    ///
    /// # Errors
    /// An empty text, a syntax error, a validation error, no compute entry point.
    pub fn parse(wgsl: &str) -> Result<Self, ShaderError> {
        let source = Source::new(wgsl);
        if source.is_blank() {
            return Err(ShaderError::Empty);
        }
        let module = naga::front::wgsl::parse_str(source.text()).map_err(|error| source.parse_error(&error))?;
        let info = validator().validate(&module).map_err(|error| source.validation_error(&error))?;
        let shader = Self { source, module, info };
        if shader.entry_points().is_empty() { Err(ShaderError::NoComputeEntryPoint) } else { Ok(shader) }
    }

    /// Names of its compute entry points, in the order of the text.
    #[must_use]
    pub fn entry_points(&self) -> Vec<&str> {
        let compute = |entry: &&naga::EntryPoint| entry.stage == naga::ShaderStage::Compute;
        self.module.entry_points.iter().filter(compute).map(|entry| entry.name.as_str()).collect()
    }

    /// The module of one entry point with the values of its overrides filled in.
    ///
    /// # Errors
    /// An unknown entry point or override, a missing value, a value that makes the module invalid.
    pub fn specialise(&self, entry: &str, constants: &BTreeMap<String, f64>) -> Result<Specialised, ShaderError> {
        if !self.entry_points().contains(&entry) {
            return Err(ShaderError::UnknownEntryPoint {
                entry: entry.to_owned(),
                known: self.entry_points().join(", "),
            });
        }
        let values = constants.iter().map(|(name, value)| (name.clone(), *value)).collect();
        let stage = (naga::ShaderStage::Compute, entry);
        let (module, info) = process_overrides(&self.module, &self.info, Some(stage), &values)
            .map_err(|error| self.override_error(error))?;
        let (module, info) = (module.into_owned(), info.into_owned());
        let reflection = reflect::reflect(&module, &info, entry)?;
        Ok(Specialised { source: self.source.clone(), module, info, reflection })
    }

    fn override_error(&self, error: PipelineConstantError) -> ShaderError {
        let names = self.module.overrides.iter().filter_map(|(_, value)| value.name.as_deref());
        let known = names.collect::<Vec<_>>().join(", ");
        match error {
            PipelineConstantError::MissingValue(name) => ShaderError::MissingOverride { name },
            PipelineConstantError::NotFound(name) => ShaderError::UnknownOverride { name, known },
            PipelineConstantError::ValidationError(error) => self.source.validation_error(&error),
            other => ShaderError::Override(other.to_string()),
        }
    }
}

impl Specialised {
    /// What the text says of its bindings and sizes.
    #[must_use]
    pub const fn reflection(&self) -> &Reflection {
        &self.reflection
    }
}
