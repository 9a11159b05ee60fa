//! From settings to a program: names, sizes and values against the shader's reflection, defaults for what is open.

use std::collections::BTreeMap;

use super::fill::Fill;
use super::{
    DEFAULT_BUFFER_BYTES, DEFAULT_SEED, DEFAULT_UNIFORM, Defaulted, Inputs, InputsError, Key, Setting, json, variables,
};
use crate::contents::Contents;
use crate::program::{Buffer, Limits, Program};
use crate::shader::{Binding, BindingAccess, Override, Reflection, ScalarType, Shader, Type};
use crate::units::Bytes;

/// Most bytes of a uniform: devices bind 64 KiB, few of them more.
const MOST_UNIFORM_BYTES: usize = 1 << 24;

impl Inputs {
    /// What runs, and what was taken for settings that were left open.
    ///
    /// Uniforms become buffers of their variable's name; the text is the one that compilers take
    /// ([`Shader::text`]), with the lines and columns of the one given.
    ///
    /// # Errors
    /// A text that is no shader; a setting that does not fit it, named with its cure; a file that cannot be read.
    pub fn program(&self, wgsl: &str) -> Result<(Program, Vec<Defaulted>), InputsError> {
        let shader = Shader::parse(wgsl)?;
        let entry = shader.entry_point(self.entry.as_deref())?.to_owned();
        let constants = self.constants(&shader)?;
        let specialised = shader.specialise(&entry, &constants)?;
        let reflection = specialised.reflection();
        let mut open = Open::default();
        if self.entry.is_none() {
            open.add(Key::Entry, "", entry.clone(), "the only one");
        }
        let grid = self.dispatch.unwrap_or_else(|| {
            open.add(Key::Dispatch, "", "1", "counts of one workgroup");
            [1; 3]
        });
        let mut buffers = Vec::new();
        for (binding, place) in reflection.bindings.iter().zip(0u32..) {
            buffers.push(match binding.access {
                BindingAccess::Uniform => self.uniform(binding, &mut open)?,
                BindingAccess::Read | BindingAccess::ReadWrite => self.buffer(binding, place, &mut open)?,
            });
        }
        let mut textures = Vec::new();
        for binding in &reflection.textures {
            let (texture, default) = self.texture(binding);
            if let Some(value) = default {
                open.add(Key::Texture, &binding.name, value, "how large it is, is not in the text");
            }
            textures.push(texture);
        }
        let is_used = |name: &str| is_used(reflection, name);
        let unused = variables::check(self, &shader, is_used, &entry)?;
        open.0.extend(unused);
        let program = Program {
            wgsl: shader.text().into(),
            entry_point: entry,
            constants,
            buffers,
            textures,
            uniforms: None,
            grid,
            features: reflection.features.clone(),
        };
        Ok((program, open.0))
    }

    /// Values of overrides by the keys of a pipeline.
    fn constants(&self, shader: &Shader) -> Result<BTreeMap<String, f64>, InputsError> {
        let mut constants = BTreeMap::new();
        for (name, value) in &self.overrides {
            let own = shader.find_override(name)?;
            let setting = || Setting::new(Key::Override, name);
            check_override(&own, *value).map_err(|problem| setting().fails(problem))?;
            if constants.insert(own.key, *value).is_some() {
                return Err(setting().fails("it is given by its name and by its number"));
            }
        }
        Ok(constants)
    }

    fn uniform(&self, binding: &Binding, open: &mut Open) -> Result<Buffer, InputsError> {
        let name = &binding.name;
        let setting = || Setting::new(Key::Uniform, name);
        let wanted = binding.ty.bytes() as usize;
        if wanted > MOST_UNIFORM_BYTES {
            let problem = format!("{} has {wanted} bytes, more than any device binds as a uniform", binding.ty);
            return Err(setting().fails(format!("{problem}: at most {MOST_UNIFORM_BYTES}; make it a storage buffer")));
        }
        let mut bytes = match self.uniforms.get(name) {
            Some(values) => values.bytes(&binding.ty).map_err(|problem| setting().fails(problem))?,
            None => {
                let why = "lets loops over a size turn a few times";
                open.add(Key::Uniform, name, format!("{DEFAULT_UNIFORM} in every number"), why);
                json::same(&binding.ty, DEFAULT_UNIFORM)
            }
        };
        if bytes.len() != wanted {
            return Err(setting().fails(format!("{} bytes are given, {} has {wanted}", bytes.len(), binding.ty)));
        }
        // WGSL rounds a uniform block up to 16 bytes.
        bytes.resize(bytes.len().next_multiple_of(16).max(16), 0);
        Ok(Buffer {
            name: name.clone(),
            bytes: bytes.len() as u64,
            contents: Contents::Bytes(bytes.into()),
            written: false,
        })
    }

    fn buffer(&self, binding: &Binding, place: u32, open: &mut Open) -> Result<Buffer, InputsError> {
        let (name, ty) = (&binding.name, &binding.ty);
        let in_fill = |problem: String| Setting::new(Key::Fill, name).fails(problem);
        let fill = self.fills.get(name);
        let given = fill.map(|fill| fill.given(ty)).transpose().map_err(in_fill)?.flatten();
        let bytes = match (self.buffers.get(name), &given) {
            (Some(bytes), _) => {
                check_size(ty, *bytes).map_err(|problem| Setting::new(Key::Buffer, name).fails(problem))?;
                *bytes
            }
            (None, Some(given)) => size_for(ty, given.len() as u64),
            (None, None) if ty.runtime_array().is_some() => {
                let bytes = size_within(ty, DEFAULT_BUFFER_BYTES);
                let whole = bytes.is_multiple_of(1 << 10);
                let text = if whole { Bytes(bytes).to_string() } else { format!("{bytes} bytes") };
                open.add(Key::Buffer, name, text, "its type has no size");
                bytes
            }
            (None, None) => size_for(ty, 0),
        };
        let seed = self.seed.unwrap_or(DEFAULT_SEED).wrapping_add(place);
        let contents = match (given, fill) {
            (Some(given), _) if given.len() as u64 > bytes => {
                let wanted = size_for(ty, given.len() as u64);
                return Err(in_fill(format!(
                    "{} bytes are given, the buffer has {bytes}: leave its size out, or give --buffer {name}={wanted}",
                    given.len()
                )));
            }
            (Some(given), _) => Contents::Bytes(given.into()),
            (None, Some(fill)) => fill.contents(ty, seed).map_err(in_fill)?,
            (None, None) => {
                if binding.loaded {
                    open.add(Key::Fill, name, "zero", "no contents are given");
                }
                Contents::Zero
            }
        };
        if self.seed.is_none() && matches!(fill, Some(Fill::Random | Fill::Range { .. })) {
            open.add_once(Key::Seed, DEFAULT_SEED.to_string(), "chooses the random sequences");
        }
        Ok(Buffer { name: name.clone(), bytes, contents, written: binding.stored })
    }
}

/// The settings that were left open so far.
#[derive(Default)]
struct Open(Vec<Defaulted>);

impl Open {
    fn add(&mut self, key: Key, name: &str, value: impl Into<String>, why: &str) {
        self.0.push(Defaulted { setting: Setting::new(key, name), value: value.into(), why: why.to_owned() });
    }

    fn add_once(&mut self, key: Key, value: String, why: &str) {
        if !self.0.iter().any(|known| known.setting.key == key) {
            self.add(key, "", value, why);
        }
    }
}

fn is_used(reflection: &Reflection, name: &str) -> bool {
    reflection.binding(name).is_some() || reflection.textures.iter().any(|texture| texture.name == name)
}

fn check_override(own: &Override, value: f64) -> Result<(), String> {
    let ty = own.ty;
    // Beyond, an f64 does not hold every integer.
    const EXACT: i128 = 1 << 53;
    let range = match ty {
        ScalarType::Bool => Some((0.0, 1.0)),
        _ => ty.integers().map(|(least, most)| (least.max(-EXACT) as f64, most.min(EXACT) as f64)),
    };
    let Some((least, most)) = range else {
        let largest = match ty {
            ScalarType::F16 => half::f16::MAX.to_f64(),
            ScalarType::F32 => f64::from(f32::MAX),
            _ => f64::MAX,
        };
        let fits = value.abs() <= largest;
        return if fits { Ok(()) } else { Err(format!("{value} is too large for {ty}")) };
    };
    let fits = value.fract() == 0.0 && (least..=most).contains(&value);
    if fits { Ok(()) } else { Err(format!("{value} is no {ty}: it takes whole numbers from {least} to {most}")) }
}

/// Sizes that a buffer of a type may have: the least, and the step to the next; `None` for any multiple of 4 above.
fn sizes(ty: &Type) -> (u64, Option<u64>) {
    let least = u64::from(ty.bytes()).max(4);
    let Some((offset, stride)) = ty.runtime_array() else { return (least.next_multiple_of(4), None) };
    let (offset, stride) = (u64::from(offset), u64::from(stride.max(1)));
    // Whole elements, and a multiple of 4 bytes, which every buffer has.
    let good = |bytes: &u64| bytes.is_multiple_of(4) && (bytes - offset).is_multiple_of(stride);
    let first = (least.max(offset + stride)..).take(4 * usize::try_from(stride).unwrap_or(1)).find(good);
    let step = (1..=4).map(|k| k * stride).find(|step| step.is_multiple_of(4)).unwrap_or(4 * stride);
    (first.unwrap_or_else(|| least.next_multiple_of(4)), Some(step))
}

/// The smallest size of at least so many bytes.
fn size_for(ty: &Type, bytes: u64) -> u64 {
    let (least, step) = sizes(ty);
    least + bytes.saturating_sub(least).next_multiple_of(step.unwrap_or(4))
}

/// The largest size of at most so many bytes, or the least that there is.
fn size_within(ty: &Type, bytes: u64) -> u64 {
    let (least, step) = sizes(ty);
    let step = step.unwrap_or(4);
    least + bytes.saturating_sub(least) / step * step
}

fn check_size(ty: &Type, bytes: u64) -> Result<(), String> {
    let most = Limits::WITHOUT_DEVICE.max_storage_binding_bytes;
    let (least, step) = sizes(ty);
    if bytes > most {
        return Err(format!("{bytes} bytes are more than a buffer can have: at most {most} (2 GiB)"));
    }
    if bytes < least {
        return Err(format!("{bytes} bytes are too few: {ty} takes at least {least}"));
    }
    if (bytes - least).is_multiple_of(step.unwrap_or(4)) {
        return Ok(());
    }
    let (below, above) = (size_within(ty, bytes), size_for(ty, bytes));
    let why = match ty.runtime_array() {
        Some((_, stride)) => format!("elements of {stride} bytes (and 4-byte words)"),
        None => "4-byte words".to_owned(),
    };
    Err(format!("{bytes} bytes are no whole number of {why}: give {below} or {above}"))
}
