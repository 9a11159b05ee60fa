//! Stand-in for `shader::Reflection` until that module is merged.

use crate::program::{Block, Uniforms};

/// How a shader uses a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
    /// `var<uniform>`
    Uniform,
}

/// One bound variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// `@group`
    pub group: u32,
    /// `@binding`
    pub binding: u32,
    /// The variable.
    pub name: String,
    /// How it is used.
    pub access: Access,
}

/// What the text says about an entry point.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reflection {
    /// Lanes in x, y, z.
    pub workgroup_size: [u32; 3],
    /// Workgroup memory.
    pub workgroup_bytes: u32,
    /// All bound variables.
    pub bindings: Vec<Binding>,
    /// Members of the uniform block and their byte offsets.
    pub members: Vec<(String, u32)>,
    /// Size of the uniform block.
    pub uniform_size: u32,
}

impl Reflection {
    /// The bytes of a uniform block.
    #[must_use]
    pub fn uniform_bytes(&self, uniforms: &Uniforms, block: Block) -> Vec<u8> {
        let mut bytes = vec![0; self.uniform_size as usize];
        for (name, value) in uniforms.block(block) {
            if let Some((_, offset)) = self.members.iter().find(|(member, _)| *member == name) {
                let at = *offset as usize;
                bytes[at..at + 4].copy_from_slice(&value.bits().to_le_bytes());
            }
        }
        bytes
    }
}
