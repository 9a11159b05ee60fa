//! Compiling global variables: where each one is, and how large.

use naga::valid::GlobalUse;
use naga::{AddressSpace, GlobalVariable, ImageDimension, Span, TypeInner};

use super::code::{BoundBuffer, Place, Root};
use super::compile::{Compiler, count};
use super::error::InterpretError;
use super::images::{BoundTexture, texels_of};
use crate::program::Program;

/// Variables of workgroup memory begin at multiples of this, so that banks do not depend on their order.
const WORKGROUP_ALIGNMENT: u32 = 128;

impl Compiler<'_> {
    /// Places of all global variables that the entry point uses; those that are not covered have none.
    pub(super) fn globals(&mut self, program: &Program) -> Result<(), InterpretError> {
        let module = &self.shader.module;
        let entry = &self.shader.reflection().entry_point;
        let index = module.entry_points.iter().position(|point| point.name == *entry).unwrap_or_default();
        let uses = self.shader.info.get_entry_point(index);
        for (handle, variable) in module.global_variables.iter() {
            let used: GlobalUse = uses[handle];
            let span = module.global_variables.get_span(handle);
            let number = u32::try_from(handle.index()).unwrap_or(u32::MAX);
            let (place, resource) = if used.is_empty() {
                (None, None)
            } else if variable.space == AddressSpace::Handle {
                match self.handle(program, variable, span) {
                    Ok(number) => (None, Some(number)),
                    Err(error) => self.note(error).map(|()| (None, None))?,
                }
            } else {
                match self.global(program, variable, used, span) {
                    Ok((root, offset)) => (
                        Some(Place { root, offset, dynamic: None, clamp: None, beyond: false, variable: number }),
                        None,
                    ),
                    Err(error) => self.note(error).map(|()| (None, None))?,
                }
            };
            self.globals.push(place);
            self.resources.push(resource);
        }
        Ok(())
    }

    /// Where a variable of memory is.
    fn global(
        &mut self,
        program: &Program,
        variable: &GlobalVariable,
        used: GlobalUse,
        span: Span,
    ) -> Result<(Root, u32), InterpretError> {
        let module = &self.shader.module;
        let name = variable.name.clone().unwrap_or_default();
        match variable.space {
            AddressSpace::WorkGroup => {
                let end = self.code.workgroup_bytes;
                let base = end.checked_next_multiple_of(WORKGROUP_ALIGNMENT).unwrap_or(end);
                let bytes = crate::shader::type_bytes(module, &self.layouts.layouter, variable.ty);
                self.code.workgroup_bytes = base.saturating_add(bytes);
                Ok((Root::Workgroup, base))
            }
            AddressSpace::Private => {
                let flat = self.layouts.flat(variable.ty).map_err(|what| self.unsupported(what, span))?;
                let words = self.initial_words(&module.global_expressions, variable.init, flat.rows())?;
                let first = self.local_rows;
                self.local_rows += count(&words);
                self.code.privates.push((first, words));
                Ok((Root::Local, first))
            }
            AddressSpace::Storage { .. } | AddressSpace::Uniform
                if matches!(module.types[variable.ty].inner, TypeInner::BindingArray { .. }) =>
            {
                Err(self.unsupported(format!("variable {name}, an array of bindings,"), span))
            }
            AddressSpace::Storage { .. } | AddressSpace::Uniform => {
                let uniform = variable.space == AddressSpace::Uniform;
                let bytes = self.buffer_bytes(program, &name, uniform)?;
                let loaded = used.contains(GlobalUse::READ);
                self.code.buffers.push(BoundBuffer { name, uniform, bytes, loaded });
                Ok((Root::Buffer(self.code.buffers.len() - 1), 0))
            }
            AddressSpace::Function
            | AddressSpace::Handle
            | AddressSpace::Immediate
            | AddressSpace::TaskPayload
            | AddressSpace::RayPayload
            | AddressSpace::IncomingRayPayload => Err(self.unsupported(format!("variable {name} of this space"), span)),
        }
    }

    /// The number of a texture or sampler.
    fn handle(&mut self, program: &Program, variable: &GlobalVariable, span: Span) -> Result<u32, InterpretError> {
        let name = variable.name.clone().unwrap_or_default();
        let (dim, class) = match self.shader.module.types[variable.ty].inner {
            // How it reads is said of each texture.
            TypeInner::Sampler { .. } => return Ok(0),
            TypeInner::Image { dim, class, .. } => (dim, class),
            ref other => {
                return Err(self.unsupported(format!("variable {name}, a {},", super::flat::name(other)), span));
            }
        };
        let (kind, format) = texels_of(class).map_err(|what| self.unsupported(what, span))?;
        let Some(texture) = program.textures.iter().find(|texture| texture.name == name) else {
            return Err(self.unsupported(format!("texture {name} without a size"), span));
        };
        if texture.size.contains(&0) || !(1..=32).contains(&texture.levels) {
            return Err(InterpretError::Program(format!(
                "texture {name} needs a size without zeros and 1 to 32 levels"
            )));
        }
        let deep = dim == ImageDimension::D3;
        self.code.textures.push(BoundTexture { texture: texture.clone(), kind, format, deep });
        Ok(count(&self.code.textures) - 1)
    }

    fn buffer_bytes(&self, program: &Program, name: &str, uniform: bool) -> Result<u32, InterpretError> {
        if uniform {
            let binding = self.shader.reflection().binding(name);
            return Ok(binding.map_or(0, |binding| binding.bytes.next_multiple_of(16)));
        }
        let buffer = program.buffers.iter().find(|buffer| buffer.name == name);
        let bytes = buffer
            .ok_or_else(|| InterpretError::Program(format!("buffer {name} has no size: the program lacks it")))?
            .bytes;
        u32::try_from(bytes).map_err(|_| InterpretError::Program(format!("buffer {name} is larger than 4 GiB")))
    }
}
