//! A user's own shader on the command line: the file, and what it is given. `predict` and `--bench --wgsl` share it.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::Failure;
use crate::inputs::{Inputs, InputsError, Key, read_shader};
use crate::shader;

/// What a shader is given.
#[derive(Debug, Default, Clone, PartialEq, Args)]
pub(super) struct ShaderArguments {
    /// The compute entry point [default: the only one]
    #[arg(long, value_name = "NAME", help_heading = "Your shader")]
    pub(super) entry: Option<String>,

    /// Workgroups in x, y, z [default: 1,1,1]
    ///
    /// Example: --dispatch 64,64
    #[arg(long, value_name = "X[,Y[,Z]]", help_heading = "Your shader")]
    pub(super) dispatch: Option<String>,

    /// Value of an override constant; may be repeated
    ///
    /// Example: --override TILE=32
    #[arg(long = "override", value_name = "NAME=VALUE", help_heading = "Your shader")]
    pub(super) overrides: Vec<String>,

    /// Size of a storage buffer [default: 1MiB for an array without a length]; may be repeated
    ///
    /// Example: --buffer image=16MiB
    #[arg(long = "buffer", value_name = "NAME=SIZE", help_heading = "Your shader")]
    pub(super) buffers: Vec<String>,

    /// Values of a uniform by the names of its members [default: 64 in every number]; may be repeated
    ///
    /// As JSON or file:PATH. Example: --uniform params='{"width": 1024, "origin": [0, 0]}'
    #[arg(long = "uniform", value_name = "NAME=JSON", help_heading = "Your shader")]
    pub(super) uniforms: Vec<String>,

    /// Size of a texture [default: 256,256]; may be repeated
    #[arg(long = "texture", value_name = "NAME=W[,H[,D]]", help_heading = "Your shader")]
    pub(super) textures: Vec<String>,

    /// File of settings [default: FILE.sectorscope.toml beside the shader, if there is one]
    ///
    /// Options on the command line go before it.
    #[arg(long, value_name = "FILE.toml", help_heading = "Your shader")]
    pub(super) inputs: Option<PathBuf>,
}

/// Options that mean something else beside a suite than beside a shader.
#[derive(Debug, Default)]
pub(super) struct Given<'a> {
    /// Contents of buffers, as `NAME=CONTENTS`.
    pub(super) fills: &'a [String],
    /// Seed of random contents.
    pub(super) seed: Option<&'a str>,
}

/// The text of a file or of standard input.
pub(super) fn wgsl(file: &Path) -> Result<String, Failure> {
    if file != Path::new("-") {
        return read_shader(file).map_err(|error| Failure::Usage(error.to_string()));
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(shader::MOST_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Usage(format!("standard input could not be read: {error}")))?;
    let text = shader::decode(&bytes).map_err(|error| Failure::Usage(format!("standard input: {error}")))?;
    Ok(text.to_owned())
}

/// The options, then the file of settings.
pub(super) fn inputs(file: &Path, arguments: &ShaderArguments, given: &Given<'_>) -> Result<Inputs, Failure> {
    let mut inputs = Inputs::default();
    let one = |value: Option<&str>| value.map(str::to_owned).into_iter().collect::<Vec<_>>();
    let options = [
        (Key::Entry, one(arguments.entry.as_deref())),
        (Key::Dispatch, one(arguments.dispatch.as_deref())),
        (Key::Seed, one(given.seed)),
        (Key::Override, arguments.overrides.clone()),
        (Key::Buffer, arguments.buffers.clone()),
        (Key::Fill, given.fills.to_vec()),
        (Key::Uniform, arguments.uniforms.clone()),
        (Key::Texture, arguments.textures.clone()),
    ];
    let usage = |error: InputsError| Failure::Usage(error.to_string());
    for (key, values) in options {
        for value in values {
            inputs.set(key, &value).map_err(usage)?;
        }
    }
    let beside = Inputs::beside(file);
    let settings = match &arguments.inputs {
        Some(path) => Some(path),
        None => Some(&beside).filter(|path| file != Path::new("-") && path.is_file()),
    };
    match settings {
        Some(path) => Ok(inputs.or(Inputs::load(path).map_err(usage)?)),
        None => Ok(inputs),
    }
}
