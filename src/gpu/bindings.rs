//! What a program binds: the layouts of its groups, the uniform blocks of all phases laid out behind each other, and
//! the groups themselves.

use std::collections::{BTreeMap, BTreeSet};

use super::device::Gpu;
use super::error::GpuError;
use super::textures::{BoundTexture, texture_type};
use crate::contents::Contents;
use crate::program::{Block, Buffer, Program, Uniforms};
use crate::shader::{Binding, BindingAccess, Reflection};

pub(super) struct Group {
    pub(super) index: u32,
    pub(super) group: wgpu::BindGroup,
    /// Whether it has the uniform block that changes from phase to phase.
    pub(super) has_uniforms: bool,
}

pub(super) struct Bound {
    pub(super) buffer: wgpu::Buffer,
    pub(super) bytes: u64,
    /// What it holds before a run, if the program writes it.
    pub(super) written: Option<Contents>,
}

/// What there is to bind, by variable.
pub(super) struct Resources<'a> {
    /// Storage buffers, and uniforms that are the same in every dispatch.
    pub(super) buffers: &'a BTreeMap<String, Bound>,
    pub(super) textures: &'a BTreeMap<String, BoundTexture>,
    pub(super) uniforms: Option<&'a UniformBlocks>,
}

pub(super) struct UniformBlocks {
    pub(super) buffer: wgpu::Buffer,
    /// Of all phases and of verification.
    pub(super) blocks: Vec<Vec<u8>>,
    pub(super) bytes: u64,
    pub(super) stride: u32,
}

/// Whether a variable is the uniform whose block changes from dispatch to dispatch; others have one block for all.
fn has_phases(program: &Program, binding: &Binding) -> bool {
    let is_it = program.uniforms.as_ref().is_some_and(|uniforms| uniforms.name == binding.name);
    binding.access == BindingAccess::Uniform && is_it
}

/// The entries of groups 0, 1, ..
pub(super) fn layout_entries(
    program: &Program,
    reflection: &Reflection,
) -> Result<Vec<Vec<wgpu::BindGroupLayoutEntry>>, GpuError> {
    let mut entries: Vec<Vec<wgpu::BindGroupLayoutEntry>> = Vec::new();
    let mut add = |group: u32, binding: u32, ty: wgpu::BindingType| {
        let group = group as usize;
        if entries.len() <= group {
            entries.resize_with(group + 1, Vec::new);
        }
        let visibility = wgpu::ShaderStages::COMPUTE;
        entries[group].push(wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None });
    };
    for binding in &reflection.bindings {
        let ty = match binding.access {
            BindingAccess::Read => wgpu::BufferBindingType::Storage { read_only: true },
            BindingAccess::ReadWrite => wgpu::BufferBindingType::Storage { read_only: false },
            BindingAccess::Uniform => wgpu::BufferBindingType::Uniform,
        };
        let has_dynamic_offset = has_phases(program, binding);
        let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None };
        add(binding.group, binding.binding, ty);
    }
    for texture in &reflection.textures {
        add(texture.group, texture.binding, texture_type(texture)?);
    }
    for sampler in &reflection.samplers {
        if sampler.comparison {
            return Err(GpuError::Unsupported(format!("{}, a comparison sampler, in a program", sampler.name)));
        }
        let ty = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        add(sampler.group, sampler.binding, ty);
    }
    Ok(entries)
}

impl Gpu {
    pub(super) fn layouts(&self, entries: &[Vec<wgpu::BindGroupLayoutEntry>]) -> Vec<wgpu::BindGroupLayout> {
        let layout = |entries: &Vec<wgpu::BindGroupLayoutEntry>| {
            self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries })
        };
        entries.iter().map(layout).collect()
    }

    /// A uniform buffer of one block.
    pub(super) async fn fixed_block(&self, block: &Buffer) -> Result<wgpu::Buffer, GpuError> {
        let limit = self.raw_limits().max_uniform_buffer_binding_size;
        if block.bytes > limit {
            let what = format!("uniform `{}` (bytes)", block.name);
            return Err(GpuError::OverLimit { what, wanted: block.bytes, limit });
        }
        let words = (0..).take(usize::try_from(block.bytes / 4).unwrap_or(0));
        let bytes: Vec<u8> = words.flat_map(|index| block.contents.word(index).to_le_bytes()).collect();
        let create = || {
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&block.name),
                size: block.bytes,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            self.queue.write_buffer(&buffer, 0, &bytes);
            buffer
        };
        self.guarded(block.bytes, create).await
    }

    /// The blocks of all phases and of verification in one buffer.
    pub(super) fn uniform_blocks(
        &self,
        program: &Program,
        reflection: &Reflection,
    ) -> Result<Option<UniformBlocks>, GpuError> {
        // A shader may have stopped using its uniforms: then there is nothing to bind.
        let used = |uniforms: &&Uniforms| reflection.binding(&uniforms.name).is_some();
        let Some(uniforms) = program.uniforms.as_ref().filter(used) else { return Ok(None) };
        let alignment = self.raw_limits().min_uniform_buffer_offset_alignment.max(1) as usize;
        let blocks = (0..uniforms.phase_count()).map(Block::Phase).chain([Block::Verification]);
        let blocks: Vec<Vec<u8>> = blocks
            .map(|block| reflection.uniform_bytes(uniforms, block))
            .collect::<Result<_, _>>()
            .map_err(|error| GpuError::Program(error.to_string()))?;
        // One more for the part of a dispatch at hand. WGSL rounds a uniform block up to 16 bytes.
        let bytes = blocks.iter().map(Vec::len).max().unwrap_or(0).max(1).next_multiple_of(16);
        let stride = bytes.next_multiple_of(alignment);
        let mut all = Vec::with_capacity(stride * (blocks.len() + 1));
        for (k, block) in blocks.iter().enumerate() {
            all.extend(block);
            all.resize(stride * (k + 1), 0);
        }
        all.resize(stride * (blocks.len() + 1), 0);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("uniforms"),
            size: all.len() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.queue.write_buffer(&buffer, 0, &all);
        let stride = u32::try_from(stride).unwrap_or(u32::MAX);
        Ok(Some(UniformBlocks { buffer, blocks, bytes: bytes as u64, stride }))
    }

    pub(super) async fn bind(
        &self,
        program: &Program,
        reflection: &Reflection,
        layouts: &[wgpu::BindGroupLayout],
        resources: &Resources<'_>,
    ) -> Result<Vec<Group>, GpuError> {
        let nothing = |name: &str| GpuError::Program(format!("nothing is given for the variable `{name}`"));
        let mut with_uniforms = BTreeSet::new();
        let mut of_group = vec![Vec::new(); layouts.len()];
        let views: Vec<_> = reflection
            .textures
            .iter()
            .map(|binding| resources.textures.get(&binding.name).map(|texture| texture.view(binding)))
            .collect();
        let samplers: Vec<_> = reflection.samplers.iter().map(|_| self.sampler(program)).collect();
        for binding in &reflection.bindings {
            let (buffer, bytes) = match (resources.uniforms, resources.buffers.get(&binding.name)) {
                (Some(uniforms), _) if has_phases(program, binding) => {
                    with_uniforms.insert(binding.group);
                    (&uniforms.buffer, uniforms.bytes)
                }
                (_, Some(bound)) => (&bound.buffer, bound.bytes),
                (_, None) => return Err(nothing(&binding.name)),
            };
            let size = wgpu::BufferSize::new(bytes);
            let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size });
            of_group[binding.group as usize].push(wgpu::BindGroupEntry { binding: binding.binding, resource });
        }
        for (binding, view) in reflection.textures.iter().zip(&views) {
            let view = view.as_ref().ok_or_else(|| nothing(&binding.name))?;
            let resource = wgpu::BindingResource::TextureView(view);
            of_group[binding.group as usize].push(wgpu::BindGroupEntry { binding: binding.binding, resource });
        }
        for (binding, sampler) in reflection.samplers.iter().zip(&samplers) {
            let resource = wgpu::BindingResource::Sampler(sampler);
            of_group[binding.group as usize].push(wgpu::BindGroupEntry { binding: binding.binding, resource });
        }
        let create = || {
            let groups = (0..).zip(layouts).zip(&of_group).map(|((index, layout), entries)| Group {
                index,
                group: self.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries }),
                has_uniforms: with_uniforms.contains(&index),
            });
            groups.collect()
        };
        self.guarded(0, create).await
    }
}
