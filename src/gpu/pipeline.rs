//! From a program to something that can be dispatched: limits checked, shader compiled, buffers bound.

use std::collections::BTreeMap;

use super::bindings::{Bound, Group, Resources, layout_entries};
use super::device::Gpu;
use super::error::GpuError;
use super::fill::Fill;
use super::parts::{Pace, Parts, Progress};
use super::textures::BoundTexture;
use crate::platform::now;
use crate::program::{Block, Buffer, Program, Uniforms, fold_grid};
use crate::shader::{BindingAccess, Reflection};

/// Whether the driver's compiler is given the safety checks of WGSL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Checks {
    /// No bounds checks, no loop bounds, no zeroed workgroup memory: only for programs whose indices are proved to be
    /// in range and whose loops end.
    Off,
    /// All that WGSL promises.
    On,
}

/// A program that is ready to run.
pub struct Prepared {
    pipeline: wgpu::ComputePipeline,
    groups: Vec<Group>,
    /// Byte offsets of the blocks of phases 0, 1, .. and of verification; all 0 without a uniform buffer.
    phases: Vec<u32>,
    verification: u32,
    /// What it needs to run in parts; `None` where it only runs as a whole.
    parts: Option<PartBlocks>,
    grid: [u32; 3],
    buffers: BTreeMap<String, Bound>,
    pub(super) textures: BTreeMap<String, BoundTexture>,
    compile_ns: f64,
}

/// How a program runs in parts: the blocks of all phases and of verification, and where that of the part at hand stands
/// behind them. It is written before each part's submission.
struct PartBlocks {
    parts: Parts,
    blocks: Vec<Vec<u8>>,
    buffer: wgpu::Buffer,
    offset: u32,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("grid", &self.grid)
            .field("buffers", &self.buffers.keys())
            .field("compile_ns", &self.compile_ns)
            .finish_non_exhaustive()
    }
}

impl Prepared {
    /// How long the driver took to compile the pipeline, ns.
    #[must_use]
    pub const fn compile_ns(&self) -> f64 {
        self.compile_ns
    }

    /// Workgroups with work, if it can run in parts; else 1, the whole.
    #[must_use]
    pub fn groups(&self) -> u64 {
        self.parts.as_ref().map_or(1, |blocks| blocks.parts.groups)
    }

    /// The number of a block among those of all phases and of verification.
    fn block_number(&self, block: Block) -> usize {
        match block {
            Block::Phase(k) => k % self.phases.len().max(1),
            Block::Verification => self.phases.len(),
        }
    }

    pub(super) fn buffer(&self, name: &str) -> Result<(&wgpu::Buffer, u64), GpuError> {
        let bound = self.buffers.get(name);
        bound
            .map(|bound| (&bound.buffer, bound.bytes))
            .ok_or_else(|| GpuError::Program(format!("it has no buffer `{name}`")))
    }

    /// Records one dispatch a block.
    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>, blocks: impl Iterator<Item = Block>) {
        pass.set_pipeline(&self.pipeline);
        let mut bound = None;
        for block in blocks {
            let offset = self.phases.get(self.block_number(block)).copied().unwrap_or(self.verification);
            if bound != Some(offset) {
                self.set_groups(pass, offset, bound.is_none());
                bound = Some(offset);
            }
            pass.dispatch_workgroups(self.grid[0], self.grid[1], self.grid[2]);
        }
    }

    /// Writes the block of some workgroups, and records their dispatch; all of them where the program takes no range.
    pub(super) fn encode_part(
        &self,
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        block: Block,
        groups: &std::ops::Range<u64>,
    ) {
        let narrow = |group: u64| u32::try_from(group).unwrap_or(u32::MAX);
        let range = narrow(groups.start)..narrow(groups.end);
        let part = self.parts.as_ref().filter(|blocks| *groups != (0..blocks.parts.groups));
        let most = gpu.limits().max_workgroups_per_dimension;
        let (Some(part), Some(grid)) = (part, fold_grid(groups.end - groups.start, most)) else {
            return self.encode(pass, std::iter::once(block));
        };
        let whole = part.blocks.get(self.block_number(block)).map_or(&[][..], Vec::as_slice);
        gpu.queue.write_buffer(&part.buffer, u64::from(part.offset), &part.parts.block(whole, &range));
        pass.set_pipeline(&self.pipeline);
        self.set_groups(pass, part.offset, true);
        pass.dispatch_workgroups(grid[0], grid[1], grid[2]);
    }

    /// Binds the groups whose uniforms lie at an offset; the others too if they are not bound yet.
    fn set_groups(&self, pass: &mut wgpu::ComputePass<'_>, offset: u32, all: bool) {
        for group in self.groups.iter().filter(|group| all || group.has_uniforms) {
            let offsets: &[u32] = if group.has_uniforms { &[offset] } else { &[] };
            pass.set_bind_group(group.index, &group.group, offsets);
        }
    }
}

impl Gpu {
    /// Compiles a program, allocates and fills its buffers (shared with other programs, see [`Gpu::reserve`]) and
    /// binds them.
    ///
    /// # Errors
    /// A limit or feature of the device, found before anything is created; a shader that does not compile
    /// ([`GpuError::Validation`]); memory; a lost device. The device stays usable after all but the last.
    pub async fn prepare(
        &mut self,
        program: &Program,
        reflection: &Reflection,
        checks: Checks,
    ) -> Result<Prepared, GpuError> {
        self.check()?;
        self.check_program(program, reflection)?;
        let start = now();
        let (layouts, pipeline) = self.compile(program, reflection, checks).await?;
        let compile_ns = start.elapsed().as_secs_f64() * 1e9;
        let writes = |name: &str| {
            reflection.bindings.iter().any(|binding| binding.name == name && binding.access == BindingAccess::ReadWrite)
        };
        let (blocks, storage): (Vec<Buffer>, Vec<Buffer>) = program.buffers.iter().cloned().partition(|buffer| {
            reflection.binding(&buffer.name).is_some_and(|binding| binding.access == BindingAccess::Uniform)
        });
        let buffers = self.buffers(&storage, |buffer| buffer.written || writes(&buffer.name)).await?;
        let bound = storage.iter().zip(buffers).map(|(buffer, bound)| {
            let written = (buffer.written || writes(&buffer.name)).then(|| buffer.contents.clone());
            (buffer.name.clone(), Bound { buffer: bound, bytes: buffer.bytes, written })
        });
        let mut bound: BTreeMap<String, Bound> = bound.collect();
        for block in blocks {
            let buffer = self.fixed_block(&block).await?;
            bound.insert(block.name, Bound { buffer, bytes: block.bytes, written: None });
        }
        let mut textures = BTreeMap::new();
        for binding in &reflection.textures {
            textures.insert(binding.name.clone(), self.texture(binding, program).await?);
        }
        let uniforms = self.uniform_blocks(program, reflection)?;
        let resources = Resources { buffers: &bound, textures: &textures, uniforms: uniforms.as_ref() };
        let groups = self.bind(program, reflection, &layouts, &resources).await?;
        let phase_count = program.uniforms.as_ref().map_or(1, Uniforms::phase_count);
        let stride = uniforms.as_ref().map_or(0, |uniforms| uniforms.stride);
        let offset = |k: usize| u32::try_from(k).unwrap_or(u32::MAX).saturating_mul(stride);
        let parts = Parts::of(program.uniforms.as_ref(), reflection).zip(uniforms).map(|(parts, uniforms)| {
            PartBlocks { parts, blocks: uniforms.blocks, buffer: uniforms.buffer, offset: offset(phase_count + 1) }
        });
        Ok(Prepared {
            pipeline,
            groups,
            phases: (0..phase_count).map(offset).collect(),
            verification: offset(phase_count),
            parts,
            grid: program.grid,
            buffers: bound,
            textures,
            compile_ns,
        })
    }

    /// Gives every buffer that the program writes its contents again (poison, as a rule) and runs all workgroups once with
    /// the verification block, in parts.
    ///
    /// # Errors
    /// A lost or hung device.
    pub async fn run_for_verification(&mut self, prepared: &Prepared) -> Result<(), GpuError> {
        self.run_for_verification_while(prepared, &mut |_| true).await.map(|_| ())
    }

    /// As [`Gpu::run_for_verification`], as long as `go_on` says so after each part: `None` where it said no.
    ///
    /// # Errors
    /// A lost or hung device.
    pub async fn run_for_verification_while(
        &mut self,
        prepared: &Prepared,
        go_on: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Option<Progress>, GpuError> {
        self.restore(prepared).await?;
        self.run_in_parts(prepared, Block::Verification, &mut Pace::default(), go_on).await
    }

    /// Gives every buffer and texture that the program writes its contents again.
    ///
    /// # Errors
    /// A lost or hung device.
    pub async fn restore(&mut self, prepared: &Prepared) -> Result<(), GpuError> {
        for bound in prepared.buffers.values() {
            if let Some(contents) = &bound.written {
                Fill::contents(self, &bound.buffer, bound.bytes, contents).await?;
            }
        }
        for texture in prepared.textures.values() {
            self.restore_texture(texture).await?;
        }
        self.wait().await
    }

    fn check_program(&self, program: &Program, reflection: &Reflection) -> Result<(), GpuError> {
        let missing: Vec<String> = program.features.difference(self.features()).map(ToString::to_string).collect();
        if !missing.is_empty() {
            return Err(GpuError::Unsupported(missing.join(", ")));
        }
        let limits = self.limits();
        let size = reflection.workgroup_size.map(u64::from);
        let buffers =
            reflection.bindings.iter().filter(|binding| binding.access != BindingAccess::Uniform).count() as u64;
        let mut amounts = vec![
            ("workgroup size (lanes)".to_owned(), size.iter().product(), u64::from(limits.max_workgroup_lanes)),
            (
                "workgroup memory (bytes)".to_owned(),
                u64::from(reflection.workgroup_bytes),
                u64::from(limits.max_workgroup_memory_bytes),
            ),
            ("number of storage buffers".to_owned(), buffers, u64::from(limits.max_storage_buffers)),
        ];
        let grid = program.grid.map(u64::from);
        for (((axis, lanes), most), groups) in ["x", "y", "z"].iter().zip(size).zip(limits.max_workgroup_size).zip(grid)
        {
            amounts.push((format!("workgroup size (lanes) in {axis}"), lanes, u64::from(most)));
            let most = u64::from(limits.max_workgroups_per_dimension);
            amounts.push((format!("grid (workgroups) in {axis}"), groups, most));
        }
        let over = amounts.into_iter().find(|(_, wanted, limit)| wanted > limit);
        over.map_or(Ok(()), |(what, wanted, limit)| Err(GpuError::OverLimit { what, wanted, limit }))
    }

    /// The layouts of groups 0, 1, .. and the pipeline. Layouts are explicit: one derived from the code would drop a
    /// binding that the code happens not to use.
    async fn compile(
        &self,
        program: &Program,
        reflection: &Reflection,
        checks: Checks,
    ) -> Result<(Vec<wgpu::BindGroupLayout>, wgpu::ComputePipeline), GpuError> {
        let label = Some(program.entry_point.as_str());
        let constants: Vec<(&str, f64)> =
            program.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let entries = layout_entries(program, reflection)?;
        let create = || {
            let layouts = self.layouts(&entries);
            let module = self.module(&program.wgsl, checks);
            let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label,
                bind_group_layouts: &layouts.iter().map(Some).collect::<Vec<_>>(),
                immediate_size: 0,
            });
            let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: label,
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    zero_initialize_workgroup_memory: checks == Checks::On,
                },
                cache: None,
            });
            (layouts, pipeline)
        };
        self.guarded(0, create).await
    }

    fn module(&self, wgsl: &str, checks: Checks) -> wgpu::ShaderModule {
        let descriptor =
            wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(wgsl.to_owned().into()) };
        match checks {
            Checks::On => self.device.create_shader_module(descriptor),
            Checks::Off => {
                #[expect(unsafe_code, reason = "the checks are a part of what is measured, so they must be removable")]
                // SAFETY: the caller asks for `Off` only where a plan has proved every index to be in range and every
                // loop to end, or where the user of the command line demanded it for a shader of their own.
                unsafe {
                    self.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
                }
            }
        }
    }
}
