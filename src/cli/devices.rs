//! `adapters` and `doctor`: what this machine offers.

use serde::Serialize;

use super::args::BackendName;
use super::failure::{Failure, Outcome};
use super::output;
use super::terminal::Terminal;
use super::values::Target;
use crate::gpu::{self, Backend, Diagnosis};
use crate::record::Adapter;
use crate::report::table;

/// The list of adapters as JSON.
#[derive(Serialize)]
struct AdapterList {
    schema: &'static str,
    adapters: Vec<Adapter>,
}

/// Lists the adapters.
///
/// # Errors
/// An output that cannot be written.
pub(super) fn adapters(
    backend: Option<BackendName>,
    target: Option<&Target>,
    terminal: &Terminal,
) -> Result<Outcome, Failure> {
    let backend: Option<Backend> = backend.map(|name| name.word().parse()).transpose().map_err(Failure::Usage)?;
    let adapters = pollster::block_on(gpu::adapters(backend));
    let none = adapters.is_empty();
    let text = adapter_table(&adapters);
    if let Some(target) = target {
        output::write(target, &AdapterList { schema: "sectorscope-adapters/1", adapters }, terminal)?;
    }
    if none {
        terminal.note("No adapter was found. `sectorscope doctor` says what was searched and what to do.");
        return Ok(Outcome::NoAdapter);
    }
    if target != Some(&Target::Stdout) {
        terminal.data(text.as_bytes())?;
    }
    Ok(Outcome::Fine)
}

/// Says what was found and what to do.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn doctor(terminal: &Terminal) -> Result<Outcome, Failure> {
    let diagnosis = pollster::block_on(gpu::diagnose());
    terminal.data(doctor_text(&diagnosis).as_bytes())?;
    let found = diagnosis.backends.iter().any(|backend| !backend.adapters.is_empty());
    Ok(if found { Outcome::Fine } else { Outcome::NoAdapter })
}

fn adapter_table(adapters: &[Adapter]) -> String {
    let rows: Vec<_> = adapters
        .iter()
        .map(|adapter| {
            [
                adapter.index.to_string(),
                adapter.name.clone(),
                adapter.device_type.clone(),
                adapter.backend.clone(),
                format!("{} {}", adapter.driver, adapter.driver_info).trim().to_owned(),
                adapter.pci.clone().unwrap_or_else(|| "-".to_owned()),
                if adapter.subgroup_min == adapter.subgroup_max {
                    adapter.subgroup_max.to_string()
                } else {
                    format!("{}-{}", adapter.subgroup_min, adapter.subgroup_max)
                },
                if adapter.timestamps { "yes" } else { "no" }.to_owned(),
            ]
        })
        .collect();
    let headers = ["index", "name", "type", "backend", "driver", "PCI", "subgroup", "timestamps"];
    let mut text = table::plain(&headers, &rows, 0..1, table::terminal_width(false).unwrap_or(table::DEFAULT_WIDTH));
    for adapter in adapters.iter().filter(|adapter| !adapter.cooperative_matrices.is_empty()) {
        let matrices: Vec<_> = adapter.cooperative_matrices.iter().map(ToString::to_string).collect();
        text.push_str(&format!("Cooperative matrices of {} (m x n x k): {}.\n", adapter.index, matrices.join(", ")));
    }
    if adapters.iter().any(Adapter::is_cpu) {
        text.push_str("Type cpu: a processor that plays a GPU. Its counts hold, its speeds do not.\n");
    }
    text
}

fn doctor_text(diagnosis: &Diagnosis) -> String {
    let mut lines = Vec::new();
    for report in &diagnosis.backends {
        let found = match (report.compiled, report.adapters.len()) {
            (false, _) => "not part of this build".to_owned(),
            (true, 0) => "no adapter".to_owned(),
            (true, _) => report
                .adapters
                .iter()
                .map(|adapter| format!("{} ({})", adapter.name, adapter.device_type))
                .collect::<Vec<_>>()
                .join(", "),
        };
        lines.push(format!("{}: {found}", report.backend));
    }
    for (path, there) in &diagnosis.files {
        lines.push(format!("{path}: {}", if *there { "found" } else { "missing" }));
    }
    for (name, value) in &diagnosis.environment {
        lines.push(format!("{name}={value}"));
    }
    if diagnosis.wsl {
        lines.push("This is Linux inside Windows (WSL).".to_owned());
    }
    if diagnosis.advice.is_empty() {
        lines.push("Nothing is missing.".to_owned());
    } else {
        lines.push("What to do:".to_owned());
        lines.extend(diagnosis.advice.iter().map(|advice| format!("- {advice}")));
    }
    lines.join("\n") + "\n"
}
