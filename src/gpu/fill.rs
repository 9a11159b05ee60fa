//! Filling buffers and summing them up on the device, by the functions of [`crate::contents`].

use super::device::Gpu;
use super::error::GpuError;
use super::pipeline::Prepared;
use crate::contents::{Contents, Pointing};

/// Words of one submission: long enough to keep a device busy, short enough for a software adapter.
const CHUNK_WORDS: u64 = 16 << 20;
/// Workgroups in x; more of them stand in y. The same number is in both shaders.
const ROW_WORKGROUPS: u32 = 1024;
/// Lanes of a workgroup. The same number is in both shaders.
const LANES: u32 = 256;
/// Workgroups that sum up a chunk, each lane a strided part of it.
const CHECKSUM_WORKGROUPS: u32 = 512;
/// Bytes of one upload.
const UPLOAD_BYTES: usize = 16 << 20;

/// The block `Job` of both shaders.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Job {
    first: u32,
    words: u32,
    kind: u32,
    seed: u32,
    count: u32,
    rows: u32,
    columns: u32,
    pitch: u32,
}

/// The two pipelines, and the block they read.
pub(super) struct Fill {
    contents: wgpu::ComputePipeline,
    checksum: wgpu::ComputePipeline,
    job: wgpu::Buffer,
    sum: wgpu::Buffer,
}

impl Fill {
    pub(super) fn new(device: &wgpu::Device) -> Self {
        let pipeline = |label, text: &str, entry_point| {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(label),
                layout: None,
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let buffer = |label, size, usage| {
            let usage = usage | wgpu::BufferUsages::COPY_DST;
            device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
        };
        Self {
            contents: pipeline("contents", include_str!("../../shaders/contents.wgsl"), "fill"),
            checksum: pipeline("checksum", include_str!("../../shaders/checksum.wgsl"), "add_up"),
            job: buffer("job", size_of::<Job>() as u64, wgpu::BufferUsages::UNIFORM),
            sum: buffer("sum", 4, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC),
        }
    }

    /// Gives the first `bytes` of a buffer these contents. Does not wait.
    pub(super) async fn contents(
        gpu: &mut Gpu,
        buffer: &wgpu::Buffer,
        bytes: u64,
        contents: &Contents,
    ) -> Result<(), GpuError> {
        let words = bytes / 4;
        match contents {
            Contents::Bytes(given) => {
                let most = usize::try_from(bytes).unwrap_or(usize::MAX);
                let mut padded = given.get(..given.len().min(most)).unwrap_or(given).to_vec();
                padded.resize(padded.len().next_multiple_of(4), 0);
                let rest = (padded.len() as u64 / 4).min(words)..words;
                gpu.run_jobs(buffer, rest, &kind(&Contents::Zero), None).await?;
                let mut offset = 0;
                for part in padded.chunks(UPLOAD_BYTES) {
                    gpu.queue.write_buffer(buffer, offset, part);
                    offset += part.len() as u64;
                }
                gpu.check()
            }
            Contents::Elements(elements) => {
                for first in (0..words).step_by(UPLOAD_BYTES / 4) {
                    let range = first..(first + UPLOAD_BYTES as u64 / 4).min(words);
                    let word = |index: u64| u32::try_from(index).map_or(0, |index| elements.word(index));
                    let part: Vec<u8> = range.flat_map(|index| word(index).to_le_bytes()).collect();
                    gpu.queue.write_buffer(buffer, first * 4, &part);
                    // What is written waits in staging memory until something is submitted.
                    let nothing = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                    gpu.submit(nothing.finish())?;
                }
                gpu.check()
            }
            _ => gpu.run_jobs(buffer, 0..words, &kind(contents), None).await,
        }
    }

    /// The sum of [`crate::contents::checksum_term`] over the first `bytes` of a buffer.
    pub(super) async fn checksum(gpu: &mut Gpu, buffer: &wgpu::Buffer, bytes: u64) -> Result<u32, GpuError> {
        let sum = gpu.fill.sum.clone();
        gpu.queue.write_buffer(&sum, 0, &[0; 4]);
        gpu.run_jobs(buffer, 0..bytes / 4, &kind(&Contents::Zero), Some(&sum)).await?;
        let words = gpu.read_buffer(&sum, 0..1).await?;
        words.first().copied().ok_or_else(|| GpuError::Internal("the checksum could not be read".to_owned()))
    }
}

impl Gpu {
    /// Gives a buffer of the program other contents. Other programs may share it: the caller gives it its own again.
    ///
    /// # Errors
    /// No such buffer, or a lost device.
    pub async fn refill(&mut self, prepared: &Prepared, buffer: &str, contents: &Contents) -> Result<(), GpuError> {
        let (buffer, bytes) = prepared.buffer(buffer)?;
        let buffer = buffer.clone();
        Fill::contents(self, &buffer, bytes, contents).await
    }

    /// Runs one of the two shaders over a range of words in chunks: the checksum if there is a `sum`, else the fill.
    async fn run_jobs(
        &mut self,
        buffer: &wgpu::Buffer,
        words: std::ops::Range<u64>,
        job: &Job,
        sum: Option<&wgpu::Buffer>,
    ) -> Result<(), GpuError> {
        let pipeline = if sum.is_some() { self.fill.checksum.clone() } else { self.fill.contents.clone() };
        let block = self.fill.job.clone();
        let mut entries = vec![entry(0, buffer), entry(1, &block)];
        entries.extend(sum.map(|sum| entry(2, sum)));
        let group = self
            .guarded(0, || {
                self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.get_bind_group_layout(0),
                    entries: &entries,
                })
            })
            .await?;
        let mut first = words.start;
        while first < words.end {
            let count = (words.end - first).min(CHUNK_WORDS);
            let too_large = |_| GpuError::Internal("a buffer of more than 2^32 words".to_owned());
            let (start, count) = (u32::try_from(first).map_err(too_large)?, u32::try_from(count).map_err(too_large)?);
            let job = Job { first: start, words: count, ..*job };
            self.queue.write_buffer(&block, 0, bytemuck::bytes_of(&job));
            let rows = count.div_ceil(ROW_WORKGROUPS * LANES);
            let grid = if sum.is_some() { [CHECKSUM_WORKGROUPS, 1] } else { [ROW_WORKGROUPS, rows] };
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(grid[0], grid[1], 1);
            }
            self.submit(encoder.finish())?;
            first += u64::from(count);
        }
        Ok(())
    }
}

fn entry(binding: u32, buffer: &wgpu::Buffer) -> wgpu::BindGroupEntry<'_> {
    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
}

/// The codes that `shaders/contents.wgsl` knows.
fn kind(contents: &Contents) -> Job {
    let job = |kind, seed, count| Job { first: 0, words: 0, kind, seed, count, rows: 0, columns: 0, pitch: 1 };
    let matrix =
        |kind, seed, [rows, columns, pitch]: [u32; 3]| Job { rows, columns, pitch: pitch.max(1), ..job(kind, seed, 1) };
    match contents {
        // These two are uploaded; only the rest behind bytes is filled.
        Contents::Zero | Contents::Bytes(_) | Contents::Elements(_) => job(0, 0, 1),
        Contents::Index => job(1, 0, 1),
        Contents::Random { seed } => job(2, *seed, 1),
        Contents::Integers { seed, rows, columns, pitch } => matrix(10, *seed, [*rows, *columns, *pitch]),
        Contents::HalfIntegers { seed, rows, columns, pitch } => matrix(11, *seed, [*rows, *columns, *pitch]),
        Contents::Reals { seed, rows, columns, pitch } => matrix(12, *seed, [*rows, *columns, *pitch]),
        Contents::HalfReals { seed, rows, columns, pitch } => matrix(13, *seed, [*rows, *columns, *pitch]),
        Contents::Poison => job(3, 0, 1),
        Contents::Indices { pointing, count, seed } => {
            let code = match pointing {
                Pointing::Identity => 4,
                Pointing::Reversed => 5,
                Pointing::Xor => 6,
                Pointing::Random => 7,
                Pointing::Window => 8,
                Pointing::Equal => 9,
            };
            job(code, *seed, (*count).max(1))
        }
    }
}
