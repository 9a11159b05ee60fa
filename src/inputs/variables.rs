//! The names in the settings against those in the shader.

use super::setting::known;
use super::{Defaulted, Inputs, InputsError, Key, Setting};
use crate::shader::{Shader, VariableKind};

/// Refuses names that the shader does not have, or that are something else there. What it has and the entry point does
/// not use is said: a file of settings may serve several entry points.
pub(super) fn check(
    inputs: &Inputs,
    shader: &Shader,
    is_used: impl Fn(&str) -> bool,
    entry: &str,
) -> Result<Vec<Defaulted>, InputsError> {
    let variables = shader.variables();
    let mut unused = Vec::new();
    let given = (inputs.buffers.keys().map(|name| (Key::Buffer, name)))
        .chain(inputs.fills.keys().map(|name| (Key::Fill, name)))
        .chain(inputs.uniforms.keys().map(|name| (Key::Uniform, name)))
        .chain(inputs.textures.keys().map(|name| (Key::Texture, name)));
    for (key, name) in given {
        let setting = Setting::new(key, name);
        let wanted = match key {
            Key::Uniform => VariableKind::Uniform,
            Key::Texture => VariableKind::Texture,
            _ => VariableKind::Storage,
        };
        match variables.iter().find(|(variable, _)| variable == name) {
            Some((_, kind)) if *kind == wanted => {
                if !is_used(name) {
                    let why = format!("entry point {entry} does not use it");
                    unused.push(Defaulted { setting, value: "unused".to_owned(), why });
                }
            }
            Some((_, kind)) => return Err(setting.fails(other_kind(name, *kind))),
            None => {
                let names = variables.iter().filter(|(_, kind)| *kind == wanted).map(|(name, _)| name.as_str());
                let what = match wanted {
                    VariableKind::Storage => "storage buffers",
                    VariableKind::Uniform => "uniforms",
                    VariableKind::Texture => "textures",
                    VariableKind::Sampler => "samplers",
                };
                return Err(setting.fails(format!("there is no such variable{}", known(name, what, names))));
            }
        }
    }
    Ok(unused)
}

fn other_kind(name: &str, kind: VariableKind) -> String {
    match kind {
        VariableKind::Storage => {
            format!(
                "it is a storage buffer: give its size with --buffer {name}=SIZE and its contents with --fill {name}=.."
            )
        }
        VariableKind::Uniform => format!("it is a uniform: give its values with --uniform {name}=JSON"),
        VariableKind::Texture => format!("it is a texture: give its size with --texture {name}=WxH"),
        VariableKind::Sampler => "it is a sampler: it takes no setting".to_owned(),
    }
}
