//! What a shader says of itself: workgroup size, bindings, layouts, needs. Plain data, no naga types.

use std::collections::BTreeSet;

use naga::proc::{IndexableLength, Layouter};
use naga::valid::{GlobalUse, ModuleInfo};
use naga::{AddressSpace, Module, StorageAccess, TypeInner};

use super::images::{Image, SamplerBinding, TextureBinding, image};
use super::types::{Member, Type};
use super::{ShaderError, features};
use crate::program::{Block, Feature, Uniforms};

/// How a shader may use a bound variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingAccess {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
    /// `var<uniform>`
    Uniform,
}

/// What a bound variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableKind {
    /// A storage buffer.
    Storage,
    /// A uniform buffer.
    Uniform,
    /// A texture.
    Texture,
    /// A sampler.
    Sampler,
}

/// One bound buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// `@group`
    pub group: u32,
    /// `@binding`
    pub binding: u32,
    /// The variable.
    pub name: String,
    /// How it may be used.
    pub access: BindingAccess,
    /// Whether the entry point loads from it.
    pub loaded: bool,
    /// Whether the entry point stores to it.
    pub stored: bool,
    /// Its type.
    pub ty: Type,
    /// Bytes of the type, a runtime-sized array counted with one element.
    pub bytes: u32,
}

/// What the text says about an entry point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reflection {
    /// The entry point.
    pub entry_point: String,
    /// Lanes in x, y, z.
    pub workgroup_size: [u32; 3],
    /// Workgroup memory in bytes.
    pub workgroup_bytes: u32,
    /// All buffers that the entry point uses.
    pub bindings: Vec<Binding>,
    /// All textures that it uses.
    pub textures: Vec<TextureBinding>,
    /// All samplers that it uses.
    pub samplers: Vec<SamplerBinding>,
    /// What a device must offer.
    pub features: BTreeSet<Feature>,
}

impl Reflection {
    /// The buffer of a name.
    #[must_use]
    pub fn binding(&self, name: &str) -> Option<&Binding> {
        self.bindings.iter().find(|binding| binding.name == name)
    }

    /// The bytes of a uniform block.
    ///
    /// # Errors
    /// A variable or member that is not there, or a member without a value.
    pub fn uniform_bytes(&self, uniforms: &Uniforms, block: Block) -> Result<Vec<u8>, ShaderError> {
        let binding = self.binding(&uniforms.name).filter(|binding| binding.access == BindingAccess::Uniform);
        let Some(binding) = binding else {
            let known = self.bindings.iter().map(|binding| binding.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(ShaderError::Uniform {
                block: uniforms.name.clone(),
                what: "there is no such uniform".into(),
                known,
            });
        };
        // Only what is one 32-bit scalar can be given by name; the rest is padding.
        let is_word = |member: &&Member| matches!(member.ty, Type::Scalar(scalar) if scalar.bytes() == 4);
        let members: Vec<&Member> = binding.ty.members().iter().filter(is_word).collect();
        let complain = |what: String| ShaderError::Uniform {
            block: uniforms.name.clone(),
            what,
            known: members.iter().map(|member| member.name.as_str()).collect::<Vec<_>>().join(", "),
        };
        let values = uniforms.block(block);
        let mut bytes = vec![0; binding.bytes.next_multiple_of(16) as usize];
        for member in &members {
            let value = values.get(&member.name).ok_or_else(|| complain(format!("{} has no value", member.name)))?;
            let start = member.offset as usize;
            let slot =
                bytes.get_mut(start..start + 4).ok_or_else(|| complain(format!("{} lies outside", member.name)))?;
            slot.copy_from_slice(&value.bits().to_le_bytes());
        }
        let unknown = values.keys().find(|name| !members.iter().any(|member| member.name == **name));
        unknown.map_or(Ok(bytes), |name| Err(complain(format!("there is no member {name}"))))
    }
}

pub(super) fn reflect(module: &Module, info: &ModuleInfo, entry: &str) -> Result<Reflection, ShaderError> {
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).map_err(|error| ShaderError::Layout(error.to_string()))?;
    let index = module.entry_points.iter().position(|point| point.name == entry).ok_or_else(|| {
        ShaderError::UnknownEntryPoint { entry: entry.to_owned(), near: String::new(), known: String::new() }
    })?;
    let uses = info.get_entry_point(index);
    let mut reflection = Reflection {
        entry_point: entry.to_owned(),
        workgroup_size: module.entry_points[index].workgroup_size,
        features: features::needed(module),
        ..Reflection::default()
    };
    for (handle, variable) in module.global_variables.iter() {
        let used = uses[handle];
        if used.is_empty() {
            continue;
        }
        let bytes = type_bytes(module, &layouter, variable.ty);
        let access = match variable.space {
            AddressSpace::WorkGroup => {
                reflection.workgroup_bytes += bytes.next_multiple_of(16);
                continue;
            }
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => BindingAccess::ReadWrite,
            AddressSpace::Storage { .. } => BindingAccess::Read,
            AddressSpace::Uniform => BindingAccess::Uniform,
            AddressSpace::Handle => {
                let name = variable.name.clone().unwrap_or_default();
                let inner = &module.types[variable.ty].inner;
                match variable.binding.and_then(|binding| image(inner, binding, name)) {
                    Some(Image::Texture(texture)) => reflection.textures.push(texture),
                    Some(Image::Sampler(sampler)) => reflection.samplers.push(sampler),
                    None => {}
                }
                continue;
            }
            _ => continue,
        };
        let Some(binding) = variable.binding else { continue };
        reflection.bindings.push(Binding {
            group: binding.group,
            binding: binding.binding,
            name: variable.name.clone().unwrap_or_default(),
            access,
            loaded: used.contains(GlobalUse::READ),
            stored: used.contains(GlobalUse::WRITE),
            ty: Type::of(module, variable.ty),
            bytes,
        });
    }
    reflection.bindings.sort_by_key(|binding| (binding.group, binding.binding));
    Ok(reflection)
}

/// Bytes of a type; naga's layouter counts an array whose size was an override as if it had one element.
pub(crate) fn type_bytes(module: &Module, layouter: &Layouter, ty: naga::Handle<naga::Type>) -> u32 {
    match module.types[ty].inner {
        TypeInner::Array { size, stride, .. } => match size.resolve(module.to_ctx()) {
            Ok(IndexableLength::Known(count)) => stride.saturating_mul(count),
            Ok(IndexableLength::Dynamic) | Err(_) => stride,
        },
        _ => layouter[ty].size,
    }
}

/// Every bound variable of a module.
pub(super) fn variables(module: &Module) -> Vec<(String, VariableKind)> {
    let kind = |variable: &naga::GlobalVariable| {
        Some(match variable.space {
            AddressSpace::Storage { .. } => VariableKind::Storage,
            AddressSpace::Uniform => VariableKind::Uniform,
            AddressSpace::Handle if matches!(module.types[variable.ty].inner, TypeInner::Sampler { .. }) => {
                VariableKind::Sampler
            }
            AddressSpace::Handle => VariableKind::Texture,
            _ => return None,
        })
    };
    let variables = module.global_variables.iter();
    variables.filter_map(|(_, variable)| Some((variable.name.clone().unwrap_or_default(), kind(variable)?))).collect()
}
