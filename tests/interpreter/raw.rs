//! A program on the first device that wgpu finds, with every feature that it has and without the library's executor:
//! also textures and numbers of 64 bits.

#![allow(clippy::print_stdout, clippy::panic, reason = "a test that is skipped says so, and one fails by panicking")]

use naga::{AddressSpace, ImageClass, ImageDimension, ScalarKind, StorageFormat, TypeInner};
use pollster::block_on;
use sectorscope::program::{Edges, Feature, Filter, Program, Texture};
use wgpu::util::DeviceExt as _;

/// A device with all that its adapter offers.
pub(super) struct Raw {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// Lanes of every subgroup, where there is one width.
    pub(super) subgroup: Option<u32>,
}

fn features(needed: &Program) -> wgpu::Features {
    let mut features = wgpu::Features::empty();
    for feature in &needed.features {
        features |= match feature {
            Feature::F16 => wgpu::Features::SHADER_F16,
            Feature::Subgroups => wgpu::Features::SUBGROUP,
            Feature::Int64 => wgpu::Features::SHADER_INT64,
            Feature::Float64 => wgpu::Features::SHADER_F64,
            Feature::Int64Atomics => wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS,
            Feature::Float32Atomics => wgpu::Features::SHADER_FLOAT32_ATOMIC,
            Feature::CooperativeMatrix => wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX,
        };
    }
    for (word, feature) in [
        ("64", wgpu::Features::SHADER_INT64),
        ("f64", wgpu::Features::SHADER_F64),
        ("atomic<u64>", wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS),
        ("textureAtomic", wgpu::Features::TEXTURE_ATOMIC),
        ("read_write>;", wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES),
    ] {
        if needed.wgsl.contains(word) {
            features |= feature;
        }
    }
    features
}

impl Raw {
    /// `None`, with a line that says so, where there is no device or it lacks what the program needs.
    pub(super) fn open(needed: &Program) -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let adapter = match block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())) {
            Ok(adapter) => adapter,
            Err(error) => {
                assert!(std::env::var_os("REQUIRE_GPU").is_none_or(|value| value != "1"), "{error}");
                println!("SKIPPED: {error}");
                return None;
            }
        };
        let needed = features(needed);
        if !adapter.features().contains(needed) {
            println!("SKIPPED: the device lacks {:?}", needed - adapter.features());
            return None;
        }
        let info = adapter.get_info();
        let descriptor = wgpu::DeviceDescriptor {
            required_features: needed,
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = block_on(adapter.request_device(&descriptor)).unwrap();
        let subgroup = (info.subgroup_min_size == info.subgroup_max_size).then_some(info.subgroup_min_size);
        Some(Self { device, queue, subgroup })
    }

    /// All words that the program leaves in `o`.
    pub(super) fn run(&self, program: &Program) -> Vec<u32> {
        let text: &str = &program.wgsl;
        let module = naga::front::wgsl::parse_str(text).unwrap();
        let shader = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &shader,
            entry_point: Some(&program.entry_point),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let buffers: Vec<wgpu::Buffer> = program
            .buffers
            .iter()
            .map(|buffer| {
                let words = u32::try_from(buffer.bytes / 4).unwrap();
                let bytes: Vec<u8> = (0..words).flat_map(|word| buffer.contents.word(word).to_le_bytes()).collect();
                let contents = wgpu::util::BufferInitDescriptor { label: None, contents: &bytes, usage: storage };
                self.device.create_buffer_init(&contents)
            })
            .collect();
        let views: Vec<wgpu::TextureView> =
            program.textures.iter().map(|texture| self.texture(texture, &module)).collect();
        let samplers: Vec<wgpu::Sampler> = program.textures.iter().map(|texture| self.sampler(texture)).collect();
        let mut entries = Vec::new();
        for (_, variable) in module.global_variables.iter() {
            let (Some(binding), Some(name)) = (&variable.binding, &variable.name) else { continue };
            let texture = program.textures.iter().position(|texture| texture.name == *name);
            let resource = match (variable.space, &module.types[variable.ty].inner) {
                (AddressSpace::Handle, TypeInner::Sampler { .. }) => wgpu::BindingResource::Sampler(&samplers[0]),
                (AddressSpace::Handle, _) => wgpu::BindingResource::TextureView(&views[texture.unwrap()]),
                _ => {
                    let buffer = program.buffers.iter().position(|buffer| buffer.name == *name).unwrap();
                    buffers[buffer].as_entire_binding()
                }
            };
            entries.push(wgpu::BindGroupEntry { binding: binding.binding, resource });
        }
        let layout = pipeline.get_bind_group_layout(0);
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            let [x, y, z] = program.grid;
            pass.dispatch_workgroups(x, y, z);
        }
        let output = program.buffers.iter().position(|buffer| buffer.name == "o").unwrap();
        let copy = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: program.buffers[output].bytes,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        encoder.copy_buffer_to_buffer(&buffers[output], 0, &copy, 0, program.buffers[output].bytes);
        self.queue.submit([encoder.finish()]);
        copy.slice(..).map_async(wgpu::MapMode::Read, |result| result.unwrap());
        self.device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = copy.slice(..).get_mapped_range().unwrap();
        bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    /// A texture of the format that its variable asks for, its bytes as the program has them.
    fn texture(&self, texture: &Texture, module: &naga::Module) -> wgpu::TextureView {
        let variable = module.global_variables.iter().find(|(_, v)| v.name.as_ref() == Some(&texture.name)).unwrap().1;
        let TypeInner::Image { dim, arrayed, class } = module.types[variable.ty].inner else { panic!("no texture") };
        let (format, is_storage) = match class {
            ImageClass::Sampled { kind: ScalarKind::Uint, .. } => (wgpu::TextureFormat::Rgba8Uint, false),
            ImageClass::Sampled { kind: ScalarKind::Sint, .. } => (wgpu::TextureFormat::Rgba8Sint, false),
            ImageClass::Storage { format: StorageFormat::R32Uint, .. } => (wgpu::TextureFormat::R32Uint, true),
            ImageClass::Storage { format: StorageFormat::R32Float, .. } => (wgpu::TextureFormat::R32Float, true),
            ImageClass::Storage { format: StorageFormat::Rgba8Unorm, .. } => (wgpu::TextureFormat::Rgba8Unorm, true),
            _ => (wgpu::TextureFormat::Rgba8Unorm, false),
        };
        let [width, height, depth_or_array_layers] = texture.size;
        let size = wgpu::Extent3d { width, height, depth_or_array_layers };
        let dimension = match dim {
            ImageDimension::D1 => wgpu::TextureDimension::D1,
            ImageDimension::D3 => wgpu::TextureDimension::D3,
            _ => wgpu::TextureDimension::D2,
        };
        let usage =
            if is_storage { wgpu::TextureUsages::STORAGE_BINDING } else { wgpu::TextureUsages::TEXTURE_BINDING };
        let made = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size,
            mip_level_count: texture.levels,
            sample_count: 1,
            dimension,
            format,
            usage: usage | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        for level in 0..texture.levels {
            let deep = dimension == wgpu::TextureDimension::D3;
            let shrink = |n: u32| (n >> level).max(1);
            let size = [
                shrink(width),
                shrink(height),
                if deep { shrink(size.depth_or_array_layers) } else { size.depth_or_array_layers },
            ];
            let mut bytes = Vec::new();
            for z in 0..size[2] {
                for (y, x) in (0..size[1]).flat_map(|y| (0..size[0]).map(move |x| (y, x))) {
                    let channel = |k| texture.texels.byte(level, [x, y, z], k);
                    match format {
                        wgpu::TextureFormat::R32Uint => bytes.extend(u32::from(channel(0)).to_le_bytes()),
                        wgpu::TextureFormat::R32Float => bytes.extend((f32::from(channel(0)) / 255.0).to_le_bytes()),
                        _ => bytes.extend((0..4).map(channel)),
                    }
                }
            }
            let target = wgpu::TexelCopyTextureInfo { mip_level: level, ..made.as_image_copy() };
            let layout = wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(size[0] * 4),
                rows_per_image: Some(size[1]),
            };
            let extent = wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: size[2] };
            self.queue.write_texture(target, &bytes, layout, extent);
        }
        let dimension = match (dim, arrayed) {
            (ImageDimension::D1, _) => wgpu::TextureViewDimension::D1,
            (ImageDimension::D3, _) => wgpu::TextureViewDimension::D3,
            (_, true) => wgpu::TextureViewDimension::D2Array,
            _ => wgpu::TextureViewDimension::D2,
        };
        made.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(dimension),
            ..wgpu::TextureViewDescriptor::default()
        })
    }

    fn sampler(&self, texture: &Texture) -> wgpu::Sampler {
        let edges = match texture.edges {
            Edges::Clamp => wgpu::AddressMode::ClampToEdge,
            Edges::Repeat => wgpu::AddressMode::Repeat,
        };
        let filter = match texture.filter {
            Filter::Nearest => wgpu::FilterMode::Nearest,
            Filter::Linear => wgpu::FilterMode::Linear,
        };
        self.device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: edges,
            address_mode_v: edges,
            address_mode_w: edges,
            mag_filter: filter,
            min_filter: filter,
            ..wgpu::SamplerDescriptor::default()
        })
    }
}
