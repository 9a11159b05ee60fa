//! Textures and samplers of a program on the device: made for it alone, filled, and read back.

use super::device::Gpu;
use super::error::GpuError;
use super::pipeline::Prepared;
use crate::program::{Edges, Filter, Program, Texels, Texture};
use crate::shader::{Dimension, ScalarType, TextureBinding, TextureKind};

/// Rows of a copy from a texture begin at multiples of this.
const ROW_ALIGNMENT: u32 = 256;

/// A texture of a program.
pub(super) struct BoundTexture {
    texture: wgpu::Texture,
    /// What it holds before a run, for one that the program may write.
    written: Option<Texels>,
}

impl BoundTexture {
    pub(super) fn view(&self, binding: &TextureBinding) -> wgpu::TextureView {
        let dimension = Some(view_dimension(binding));
        self.texture.create_view(&wgpu::TextureViewDescriptor { dimension, ..Default::default() })
    }
}

/// How a texture stands in a layout.
pub(super) fn texture_type(binding: &TextureBinding) -> Result<wgpu::BindingType, GpuError> {
    let view_dimension = view_dimension(binding);
    if binding.multisampled {
        return Err(GpuError::Unsupported(format!("{}, a multisampled texture, in a program", binding.name)));
    }
    match &binding.kind {
        TextureKind::Sampled { scalar } => Ok(wgpu::BindingType::Texture {
            sample_type: match scalar {
                ScalarType::I32 => wgpu::TextureSampleType::Sint,
                ScalarType::U32 => wgpu::TextureSampleType::Uint,
                _ => wgpu::TextureSampleType::Float { filterable: true },
            },
            view_dimension,
            multisampled: false,
        }),
        TextureKind::Storage { loads, stores, .. } => Ok(wgpu::BindingType::StorageTexture {
            access: match (loads, stores) {
                (true, true) => wgpu::StorageTextureAccess::ReadWrite,
                (true, false) => wgpu::StorageTextureAccess::ReadOnly,
                (false, _) => wgpu::StorageTextureAccess::WriteOnly,
            },
            format: format_of(binding)?,
            view_dimension,
        }),
        TextureKind::Depth | TextureKind::External => {
            Err(GpuError::Unsupported(format!("{}, a depth or external texture, in a program", binding.name)))
        }
    }
}

const fn view_dimension(binding: &TextureBinding) -> wgpu::TextureViewDimension {
    match (binding.dimension, binding.arrayed) {
        (Dimension::One, _) => wgpu::TextureViewDimension::D1,
        (Dimension::Two, false) => wgpu::TextureViewDimension::D2,
        (Dimension::Two, true) => wgpu::TextureViewDimension::D2Array,
        (Dimension::Three, _) => wgpu::TextureViewDimension::D3,
        (Dimension::Cube, false) => wgpu::TextureViewDimension::Cube,
        (Dimension::Cube, true) => wgpu::TextureViewDimension::CubeArray,
    }
}

/// The format that holds what [`Texels`] are: bytes.
fn format_of(binding: &TextureBinding) -> Result<wgpu::TextureFormat, GpuError> {
    use wgpu::TextureFormat as F;
    let name = match &binding.kind {
        TextureKind::Sampled { scalar: ScalarType::I32 } => return Ok(F::Rgba8Sint),
        TextureKind::Sampled { scalar: ScalarType::U32 } => return Ok(F::Rgba8Uint),
        TextureKind::Sampled { .. } | TextureKind::Depth | TextureKind::External => return Ok(F::Rgba8Unorm),
        TextureKind::Storage { format, .. } => format.as_str(),
    };
    /// The formats that every device stores to.
    const FORMATS: [F; 17] = [
        F::Rgba8Unorm,
        F::Rgba8Snorm,
        F::Rgba8Uint,
        F::Rgba8Sint,
        F::Rgba16Uint,
        F::Rgba16Sint,
        F::Rgba16Float,
        F::R32Uint,
        F::R32Sint,
        F::R32Float,
        F::Rg32Uint,
        F::Rg32Sint,
        F::Rg32Float,
        F::Rgba32Uint,
        F::Rgba32Sint,
        F::Rgba32Float,
        F::Bgra8Unorm,
    ];
    let known = FORMATS.into_iter().find(|format| format!("{format:?}").eq_ignore_ascii_case(name));
    known.ok_or_else(|| GpuError::Unsupported(format!("storage textures of format {name} in a program")))
}

/// Width, height and depth or layers of a level.
fn level_size(texture: &wgpu::Texture, level: u32) -> wgpu::Extent3d {
    let wgpu::Extent3d { width, height, depth_or_array_layers } = texture.size();
    let shrink = |size: u32| if size >> level > 1 { size >> level } else { 1 };
    let deep = matches!(texture.dimension(), wgpu::TextureDimension::D3);
    wgpu::Extent3d {
        width: shrink(width),
        height: shrink(height),
        depth_or_array_layers: if deep { shrink(depth_or_array_layers) } else { depth_or_array_layers },
    }
}

impl Gpu {
    /// Makes and fills a texture.
    pub(super) async fn texture(&self, binding: &TextureBinding, program: &Program) -> Result<BoundTexture, GpuError> {
        let Some(given) = program.textures.iter().find(|texture| texture.name == binding.name) else {
            return Err(GpuError::Program(format!("nothing is given for the texture `{}`", binding.name)));
        };
        let format = format_of(binding)?;
        let (usage, is_written) = match binding.kind {
            TextureKind::Storage { stores, .. } => (wgpu::TextureUsages::STORAGE_BINDING, stores),
            _ => (wgpu::TextureUsages::TEXTURE_BINDING, false),
        };
        let [width, height, depth_or_array_layers] = given.size;
        let create = || {
            self.device.create_texture(&wgpu::TextureDescriptor {
                label: Some(&binding.name),
                size: wgpu::Extent3d { width, height, depth_or_array_layers },
                mip_level_count: given.levels,
                sample_count: 1,
                dimension: match binding.dimension {
                    Dimension::One => wgpu::TextureDimension::D1,
                    Dimension::Two | Dimension::Cube => wgpu::TextureDimension::D2,
                    Dimension::Three => wgpu::TextureDimension::D3,
                },
                format,
                usage: usage | wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
                view_formats: &[],
            })
        };
        let bytes = given.size.iter().map(|side| u64::from(*side)).product::<u64>() * 4;
        let texture = self.guarded(bytes, create).await?;
        self.fill_texture(&texture, given.texels).await?;
        Ok(BoundTexture { texture, written: is_written.then_some(given.texels) })
    }

    /// The sampler of a program: it reads as the first texture says.
    pub(super) fn sampler(&self, program: &Program) -> wgpu::Sampler {
        let (filter, edges) = program
            .textures
            .first()
            .map_or((Filter::Linear, Edges::Clamp), |Texture { filter, edges, .. }| (*filter, *edges));
        let mode = match edges {
            Edges::Clamp => wgpu::AddressMode::ClampToEdge,
            Edges::Repeat => wgpu::AddressMode::Repeat,
        };
        let filter = match filter {
            Filter::Nearest => wgpu::FilterMode::Nearest,
            Filter::Linear => wgpu::FilterMode::Linear,
        };
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: mode,
            address_mode_v: mode,
            address_mode_w: mode,
            mag_filter: filter,
            min_filter: filter,
            ..Default::default()
        })
    }

    /// Gives a texture its contents again if the program may write it.
    pub(super) async fn restore_texture(&self, bound: &BoundTexture) -> Result<(), GpuError> {
        match bound.written {
            Some(texels) => self.fill_texture(&bound.texture, texels).await,
            None => Ok(()),
        }
    }

    async fn fill_texture(&self, texture: &wgpu::Texture, texels: Texels) -> Result<(), GpuError> {
        use wgpu::TextureFormat as F;
        let format = texture.format();
        let holds_bytes = matches!(format, F::Rgba8Unorm | F::Rgba8Uint | F::Rgba8Sint);
        if texels != Texels::Zero && !holds_bytes {
            return Err(GpuError::Unsupported(format!("noise in a texture of format {format:?}")));
        }
        let texel_bytes = format.block_copy_size(None).unwrap_or(4);
        let write = || {
            for level in 0..texture.mip_level_count() {
                let size = level_size(texture, level);
                let bytes = bytes(texels, level, size, texel_bytes);
                let layout = wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(size.width * texel_bytes),
                    rows_per_image: Some(size.height),
                };
                let mut target = texture.as_image_copy();
                target.mip_level = level;
                self.queue.write_texture(target, &bytes, layout, size);
            }
        };
        self.guarded(0, write).await
    }

    /// The bytes of a texture of the program as the last run left it, row behind row, layer behind layer, in the format
    /// that the shader names.
    ///
    /// # Errors
    /// No such texture, or a lost or hung device.
    pub async fn read_texture(&mut self, prepared: &Prepared, name: &str) -> Result<Vec<u8>, GpuError> {
        let bound = prepared.textures.get(name);
        let texture = &bound.ok_or_else(|| GpuError::Program(format!("it has no texture `{name}`")))?.texture;
        let size = texture.size();
        let row = size.width * texture.format().block_copy_size(None).unwrap_or(4);
        let pitch = row.next_multiple_of(ROW_ALIGNMENT);
        let bytes = u64::from(pitch) * u64::from(size.height) * u64::from(size.depth_or_array_layers);
        let create = || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("texels"),
                size: bytes,
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        };
        let buffer = self.guarded(bytes, create).await?;
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: Some(size.height) };
        let target = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, size);
        self.submit(encoder.finish())?;
        let rows = |bytes: &[u8]| {
            bytes.chunks(pitch as usize).flat_map(|bytes| bytes.iter().take(row as usize)).copied().collect()
        };
        self.map(&buffer, bytes, rows).await
    }
}

/// The bytes of a level.
fn bytes(texels: Texels, level: u32, size: wgpu::Extent3d, texel_bytes: u32) -> Vec<u8> {
    let rows = (0..size.depth_or_array_layers).flat_map(|z| (0..size.height).map(move |y| [y, z]));
    let places = rows.flat_map(|[y, z]| (0..size.width).map(move |x| [x, y, z]));
    places.flat_map(|at| (0..texel_bytes).map(move |channel| texels.byte(level, at, channel))).collect()
}
