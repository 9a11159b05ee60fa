//! What a user says of one run of their own shader, and what is taken for all that they leave open.
//!
//! [`Inputs`] are plain data: they come from options ([`Inputs::set`]), from a file beside the shader
//! ([`Inputs::beside`]) or from a panel. [`Inputs::program`] fits them to the shader's reflection. Every name that is
//! not there, every size and every value that does not fit is an error that names the setting and the cure; every
//! setting that is left open is a [`Defaulted`], so that a report can state it.
//!
//! Defaults: the only entry point; one workgroup, so that counts are those of a workgroup and every index is small;
//! 1 MiB for a buffer of no fixed size; zeros in buffers; 64 in every number of a uniform, which lets loops over a size
//! turn a few times (zeros would make `n - 1u` endless, and large values walk out of every buffer); textures of 256
//! texels a side. An override without a default has none here either.

mod file;
mod fill;
mod json;
mod program;
mod setting;
mod textures;
mod variables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use fill::{Fill, Values};
pub use setting::{Key, Setting};

use crate::shader::ShaderError;
use crate::{platform, shader};

/// Size of a buffer that has no fixed one, in bytes (whole elements of it, so up to an element less).
pub const DEFAULT_BUFFER_BYTES: u64 = 1 << 20;
/// Every number of a uniform.
pub const DEFAULT_UNIFORM: u32 = 64;
/// Texels of each side of a texture.
pub const DEFAULT_TEXTURE_SIDE: u32 = 256;
/// What chooses the random sequences where nobody says.
pub const DEFAULT_SEED: u32 = 1;
/// Most bytes of a file of settings.
const FILE_BYTES: u64 = 1 << 20;

/// Settings of one run; whatever is absent is defaulted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Inputs {
    /// The compute entry point.
    pub entry: Option<String>,
    /// Workgroups in x, y, z.
    pub dispatch: Option<[u32; 3]>,
    /// Chooses the random sequences.
    pub seed: Option<u32>,
    /// Values of `override` constants, by name or by the number of `@id`; a bool is 0 or 1.
    pub overrides: BTreeMap<String, f64>,
    /// Sizes of storage buffers in bytes, by variable.
    pub buffers: BTreeMap<String, u64>,
    /// Contents of storage buffers, by variable.
    pub fills: BTreeMap<String, Fill>,
    /// Values of uniforms, by variable.
    pub uniforms: BTreeMap<String, Values>,
    /// Width, height, and depth or layers of textures, by variable.
    pub textures: BTreeMap<String, [u32; 3]>,
}

/// A setting that was left open and what was taken for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defaulted {
    /// Which.
    pub setting: Setting,
    /// The value, as it would be typed where that is possible.
    pub value: String,
    /// Why this one, in a few words.
    pub why: String,
}

impl std::fmt::Display for Defaulted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} = {} ({})", self.setting, self.value, self.why)
    }
}

/// What is wrong with the settings of a run, or with the shader.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputsError {
    /// The text, or its entry point or overrides.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// One setting.
    #[error("{setting}: {problem}")]
    Setting {
        /// Which.
        setting: Setting,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A file.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

impl Inputs {
    /// What tells runs of one text on other settings apart: the SHA-256 of all settings, as 64 hexadecimal digits. Files
    /// count by their names.
    #[must_use]
    pub fn sha256(&self) -> String {
        shader::sha256(&format!("{self:?}"))
    }

    /// Takes an option as it is typed: `a=64KiB` for [`Key::Buffer`], `8,8` for [`Key::Dispatch`].
    ///
    /// # Errors
    /// A text of another form, a value that nothing could have, a setting that was given already.
    pub fn set(&mut self, key: Key, text: &str) -> Result<(), InputsError> {
        setting::set(self, key, text)
    }

    /// Reads settings from a TOML text; paths in it start from `folder`.
    ///
    /// ```toml
    /// entry = "main"
    /// dispatch = [8, 8]
    /// seed = 7
    /// override.WG = 96
    /// buffer.a = "64KiB"
    /// fill.a = "random:0..64"
    /// fill.b = [1, 2, 3]
    /// uniform.params = { n = 64, scale = 0.5 }
    /// texture.t = "256x128"
    /// ```
    ///
    /// # Errors
    /// What is wrong, with its line.
    pub fn from_toml(text: &str, folder: &Path) -> Result<Self, String> {
        file::parse(text, folder)
    }

    /// Reads a file of settings; paths in it start from its folder.
    ///
    /// # Errors
    /// A file that cannot be read, or what is wrong in it, with its line.
    pub fn load(path: &Path) -> Result<Self, InputsError> {
        let fail = |problem| InputsError::File { path: path.to_owned(), problem };
        let bytes = platform::read_file_up_to(path, FILE_BYTES).map_err(|error| fail(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|_| fail("it is no UTF-8 text".to_owned()))?;
        Self::from_toml(&text, path.parent().unwrap_or(Path::new(""))).map_err(fail)
    }

    /// Where the settings of a shader stand: `kernel.sectorscope.toml` beside `kernel.wgsl`.
    #[must_use]
    pub fn beside(shader: &Path) -> PathBuf {
        shader.with_extension("sectorscope.toml")
    }

    /// These settings, and where they leave something open, the others: a size of these and a fill of the others go
    /// together.
    #[must_use]
    pub fn or(mut self, others: Self) -> Self {
        fn add<V>(own: &mut BTreeMap<String, V>, others: BTreeMap<String, V>) {
            for (name, value) in others {
                own.entry(name).or_insert(value);
            }
        }
        self.entry = self.entry.or(others.entry);
        self.dispatch = self.dispatch.or(others.dispatch);
        self.seed = self.seed.or(others.seed);
        add(&mut self.overrides, others.overrides);
        add(&mut self.buffers, others.buffers);
        add(&mut self.fills, others.fills);
        add(&mut self.uniforms, others.uniforms);
        add(&mut self.textures, others.textures);
        self
    }
}

/// Reads a shader's file.
///
/// # Errors
/// A file that cannot be read, that is too large ([`crate::shader::MOST_BYTES`]) or that is no text.
pub fn read_shader(path: &Path) -> Result<String, InputsError> {
    let fail = |error: std::io::Error| InputsError::File { path: path.to_owned(), problem: error.to_string() };
    // One byte more than there may be, so that the message about the size is the shader's own.
    let bytes = platform::read_file_up_to(path, 64 * shader::MOST_BYTES as u64).map_err(fail)?;
    Ok(shader::decode(&bytes)?.to_owned())
}
