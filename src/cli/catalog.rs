//! `kernels`: the registry as a list, as JSON, and the WGSL of a kernel.

use serde::Serialize;

use super::failure::{Failure, Outcome};
use super::output;
use super::terminal::Terminal;
use super::values::Target;
use crate::kernels::{self, Kernel};
use crate::suggest;

/// The registry as outsiders read it.
#[derive(Serialize)]
struct Catalog {
    schema: &'static str,
    kernels: Vec<KernelEntry>,
    presets: Vec<PresetEntry>,
}

#[derive(Serialize)]
struct KernelEntry {
    id: &'static str,
    family: &'static str,
    question: &'static str,
    parameters: Vec<ParameterEntry>,
}

#[derive(Serialize)]
struct ParameterEntry {
    name: &'static str,
    meaning: &'static str,
    default: serde_json::Value,
    allowed: String,
}

#[derive(Serialize)]
struct PresetEntry {
    id: &'static str,
    kernel: &'static str,
    shows: &'static str,
}

/// Lists the kernels and presets.
///
/// # Errors
/// An output that cannot be written.
pub(super) fn list(target: Option<&Target>, terminal: &Terminal) -> Result<Outcome, Failure> {
    let catalog = catalog();
    if let Some(target) = target {
        output::write(target, &catalog, terminal)?;
    }
    if target != Some(&Target::Stdout) {
        terminal.data(text(&catalog).as_bytes())?;
    }
    Ok(Outcome::Fine)
}

/// Prints the WGSL of a kernel.
///
/// # Errors
/// An unknown kernel, parameter or value; each message says what there is.
pub(super) fn source(id: &str, set: &[(String, Vec<String>)], terminal: &Terminal) -> Result<Outcome, Failure> {
    let kernel = kernels::ALL.iter().copied().find(|kernel| kernel.id == id).ok_or_else(|| {
        let hint = suggest::hint(id, kernels::ALL.iter().map(|kernel| kernel.id));
        Failure::Usage(format!("there is no kernel '{id}'{hint} (`sectorscope kernels` lists them)"))
    })?;
    let mut params = kernel.defaults();
    for (name, values) in set {
        let (name, value) = setting(kernel, name, values)?;
        params.set(name, value);
    }
    let mut wgsl = kernel.source(&params).map_err(|refusal| Failure::Usage(format!("{id}: {refusal}")))?;
    if !wgsl.ends_with('\n') {
        wgsl.push('\n');
    }
    terminal.data(wgsl.as_bytes())?;
    Ok(Outcome::Fine)
}

fn setting(kernel: &Kernel, name: &str, values: &[String]) -> Result<(&'static str, kernels::Value), Failure> {
    let parameter = kernel.parameters.iter().find(|parameter| parameter.name == name).ok_or_else(|| {
        let names: Vec<_> = kernel.parameters.iter().map(|parameter| parameter.name).collect();
        let hint = suggest::hint(name, names.iter().copied());
        Failure::Usage(format!("{} has no parameter '{name}'{hint} (it has {})", kernel.id, names.join(", ")))
    })?;
    let [value] = values else {
        return Err(Failure::Usage(format!("--source prints one text: give {name} one value")));
    };
    let value = parameter
        .domain
        .parse(value)
        .map_err(|allowed| Failure::Usage(format!("{name} cannot be '{value}': it may be {allowed}")))?;
    Ok((parameter.name, value))
}

fn catalog() -> Catalog {
    let parameters = |kernel: &Kernel| {
        let entry = |parameter: &kernels::Parameter| ParameterEntry {
            name: parameter.name,
            meaning: parameter.meaning,
            default: (&parameter.default).into(),
            allowed: parameter.domain.to_string(),
        };
        kernel.parameters.iter().map(entry).collect()
    };
    Catalog {
        schema: "sectorscope-kernels/1",
        kernels: kernels::ALL
            .iter()
            .map(|kernel| KernelEntry {
                id: kernel.id,
                family: kernel.family,
                question: kernel.question,
                parameters: parameters(kernel),
            })
            .collect(),
        presets: kernels::PRESETS
            .iter()
            .map(|preset| PresetEntry { id: preset.id, kernel: preset.kernel, shows: preset.shows })
            .collect(),
    }
}

fn text(catalog: &Catalog) -> String {
    let mut lines = Vec::new();
    for kernel in &catalog.kernels {
        lines.push(format!("{} ({})", kernel.id, kernel.family));
        lines.push(format!("    {}", kernel.question));
        for parameter in &kernel.parameters {
            let default = parameter.default.as_str().map_or_else(|| parameter.default.to_string(), str::to_owned);
            lines.push(format!("    {}={default}: {}; {}", parameter.name, parameter.meaning, parameter.allowed));
        }
    }
    if !catalog.presets.is_empty() {
        lines.push(String::new());
        lines.push("Presets (--preset ID):".to_owned());
        lines.extend(catalog.presets.iter().map(|preset| format!("    {}: {}", preset.id, preset.shows)));
    }
    if lines.is_empty() {
        lines.push("No kernels are built in.".to_owned());
    }
    lines.join("\n") + "\n"
}
