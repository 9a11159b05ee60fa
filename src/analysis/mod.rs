//! What each line of a WGSL text costs: runs a program in the interpreter, counts under memory models, and says why a
//! line costs what it costs, whose contents decide it, and which change of the text makes it cheaper.
//!
//! ```text
//! Program --> anatomy, taint (what the text says)      --> needs, causes
//!         --> execute: form, tally, columns (what runs) --> accesses, lines, models --> cure (changed texts, run again)
//! ```
//!
//! [`predict`] is the one call, from the command line, the app and a `#[test]` alike. It needs no GPU, and builds without
//! wgpu (`--no-default-features`).

mod anatomy;
mod cause;
mod columns;
mod cure;
mod execute;
mod form;
mod lines;
mod needs;
mod sample;
mod stop;
mod tally;

use std::sync::atomic::AtomicBool;

pub use sample::Trace;
pub use stop::what_ended;

use anatomy::Anatomy;
use cause::{Around, cause};
use columns::Variants;
use execute::{Execution, execute};
use stop::Stop;
use tally::SiteTally;

use crate::inputs::{Defaulted, Inputs, InputsError, Key};
use crate::interpreter::InterpretError;
use crate::memory_model::{LESSON, MemoryModel};
use crate::program::Program;
use crate::record::prediction::{AccessCount, Cure, Input, LineWarning, Need, PredictionDocument, SCHEMA};
use crate::shader::{Shader, Specialised, wgsl_sha256};

/// Turns of loops and calls that an execution may take where nobody says: seconds, and more than any sample of a kernel
/// seen so far needs.
pub const MAX_STEPS: u64 = 1_000_000;

/// How to predict.
#[derive(Debug, Clone)]
pub struct Settings<'a> {
    /// The memory models; causes and cures are those of the first.
    pub models: Vec<MemoryModel>,
    /// Which workgroups are executed.
    pub trace: Trace,
    /// Most turns of loops and calls, over all workgroups.
    pub max_steps: u64,
    /// Whether to look for changes of the text that make it cheaper; each one found is executed.
    pub cures: bool,
    /// Whether only addresses and control flow are executed, and turns of loops that only shift addresses are counted from
    /// a few of them. The counts are the same without, and take longer.
    pub shortcuts: bool,
    /// Ends the execution when set.
    pub cancel: Option<&'a AtomicBool>,
}

/// The lesson model, a sample of the workgroups, no cures.
impl Default for Settings<'_> {
    fn default() -> Self {
        Self {
            models: vec![LESSON.clone()],
            trace: Trace::Sample,
            max_steps: MAX_STEPS,
            cures: false,
            shortcuts: true,
            cancel: None,
        }
    }
}

/// Why there is no prediction at all.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PredictError {
    /// The text, or what it was given.
    #[error(transparent)]
    Inputs(#[from] InputsError),
    /// It could not be executed.
    #[error(transparent)]
    Interpret(#[from] InterpretError),
}

/// Predicts what each line of a WGSL text costs.
///
/// In a test of a project that has kernels of its own:
///
/// ```
/// use sectorscope::analysis::{Settings, predict};
/// use sectorscope::inputs::{Inputs, Key};
///
/// let wgsl = "
/// @group(0) @binding(0) var<storage, read> a: array<f32>;
/// @group(0) @binding(1) var<storage, read_write> o: array<f32>;
/// @compute @workgroup_size(64)
/// fn main(@builtin(global_invocation_id) g: vec3<u32>) {
///     o[g.x] = a[2u * g.x];
/// }";
/// let mut inputs = Inputs::default();
/// inputs.set(Key::Dispatch, "16")?;
/// inputs.set(Key::Buffer, "a=64KiB")?;
///
/// let prediction = predict(wgsl, &inputs, &Settings::default())?;
/// let a = prediction.accesses_of("a").next().ok_or("a is not read")?;
/// assert_eq!((a.first_request.sectors, a.cause.as_deref()), (
///     Some(8),
///     Some("stride 2 elements: neighbouring lanes are 8 bytes apart"),
/// ));
/// assert_eq!(a.request_efficiency, Some(0.5));
/// // The whole kernel: what a change must not make worse.
/// assert!(prediction.totals.request_efficiency >= Some(0.66));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A text that is no shader, inputs that do not fit it, a program that cannot begin. What ends an execution later is a
/// warning of the document, and the document is not `complete`.
pub fn predict(wgsl: &str, inputs: &Inputs, settings: &Settings<'_>) -> Result<PredictionDocument, PredictError> {
    let (program, defaulted) = inputs.program(wgsl)?;
    Ok(of_program(&program, &defaulted, settings)?)
}

/// Predicts a program; `defaulted` is what nobody chose of it.
///
/// # Errors
/// A program that cannot begin.
pub fn of_program(
    program: &Program,
    defaulted: &[Defaulted],
    settings: &Settings<'_>,
) -> Result<PredictionDocument, InterpretError> {
    let shader = Shader::parse(&program.wgsl)?.specialise(&program.entry_point, &program.constants)?;
    let size = shader.reflection().workgroup_size;
    let anatomy = Anatomy::new(&shader);
    let variants = Variants::of(&settings.models);
    let execution = execute(program, size, &anatomy, &variants, settings)?;
    let (Some(first), Some(model)) = (execution.predictions.first(), settings.models.first()) else {
        return Err(InterpretError::Program("no memory model is named".to_owned()));
    };
    let accesses = accesses(&execution, &anatomy, size, model);
    let needs = needs::needs(&shader, &anatomy, defaulted);
    let columns = settings.models.iter().zip(&variants.of_model).filter_map(|(model, places)| {
        let predictions: Vec<_> = places.iter().filter_map(|place| execution.predictions.get(*place)).collect();
        lines::column(model, &predictions)
    });
    let mut document = PredictionDocument {
        schema: SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        file: None,
        wgsl_sha256: wgsl_sha256(&program.wgsl),
        entry_point: program.entry_point.clone(),
        workgroup_size: size,
        dispatch: program.grid,
        model: first.model.clone(),
        subgroup: first.subgroup,
        sector_bytes: first.sector_bytes,
        traced: first.traced,
        complete: execution.stop.is_none(),
        lines: lines::lines(&accesses, &program.wgsl),
        accesses,
        totals: first.totals.clone(),
        traffic_efficiency: first.traffic_efficiency.clone(),
        cures: Vec::new(),
        inputs: inputs(program, &shader, defaulted),
        warnings: warnings(&execution, &anatomy, &needs),
        needs,
        models: columns.collect(),
    };
    if settings.cures {
        document.cures = cures_of(program, &shader, &document, settings);
    }
    Ok(document)
}

/// The cures of a program whose counts are there already, by the same settings; none where it did not come to its end.
///
/// # Errors
/// A program that cannot begin.
pub fn cures(
    program: &Program,
    document: &PredictionDocument,
    settings: &Settings<'_>,
) -> Result<Vec<Cure>, InterpretError> {
    let shader = Shader::parse(&program.wgsl)?.specialise(&program.entry_point, &program.constants)?;
    Ok(cures_of(program, &shader, document, settings))
}

fn cures_of(
    program: &Program,
    shader: &Specialised,
    document: &PredictionDocument,
    settings: &Settings<'_>,
) -> Vec<Cure> {
    let model = settings.models.first().filter(|_| document.complete);
    model.map_or_else(Vec::new, |model| cure::cures(program, shader, document, model, settings.cancel))
}

/// The accesses of the first model with their causes, in the order of the text.
fn accesses(execution: &Execution, anatomy: &Anatomy, size: [u32; 3], model: &MemoryModel) -> Vec<AccessCount> {
    let counted = execution.predictions.first().map_or(&[][..], |prediction| &prediction.accesses);
    let mut accesses: Vec<AccessCount> = counted.to_vec();
    // Sites without a request are not in a prediction: the others are in the same order.
    let sites = execution.sites.iter().filter(|site| site.requests > 0);
    for (access, tally) in accesses.iter_mut().zip(sites) {
        let parts = anatomy.parts(tally.site.position, tally.site.variable);
        let around =
            Around { parts: &parts, names: &anatomy.names, workgroup_size: size, banks: model.banks.is_some() };
        access.cause = cause(tally, &around);
    }
    accesses.sort_by_key(|access| (access.line, access.column, access.leaf_offset));
    accesses
}

/// What the shader was given: the dispatch, then its variables.
fn inputs(program: &Program, shader: &Specialised, defaulted: &[Defaulted]) -> Vec<Input> {
    let is_default = |keys: &[Key], name: &str| {
        defaulted.iter().any(|other| keys.contains(&other.setting.key) && other.setting.name == name)
    };
    let [x, y, z] = program.grid;
    let dispatch = Input {
        name: "dispatch".to_owned(),
        value: format!("{x},{y},{z}"),
        default: defaulted.iter().any(|other| other.setting.key == Key::Dispatch),
    };
    let overrides = program.constants.iter().map(|(name, value)| Input {
        name: name.clone(),
        value: value.to_string(),
        default: is_default(&[Key::Override], name),
    });
    let bindings = shader.reflection().bindings.iter().filter_map(|binding| {
        let buffer = program.buffers.iter().find(|buffer| buffer.name == binding.name)?;
        let said: Vec<String> = defaulted
            .iter()
            .filter(|other| other.setting.name == binding.name && other.value != "unused")
            .map(|other| other.value.clone())
            .collect();
        Some(Input {
            name: binding.name.clone(),
            value: if said.is_empty() { crate::units::Bytes(buffer.bytes).to_string() } else { said.join(", ") },
            default: is_default(&[Key::Buffer, Key::Fill, Key::Uniform], &binding.name),
        })
    });
    std::iter::once(dispatch).chain(overrides).chain(bindings).collect()
}

fn warnings(execution: &Execution, anatomy: &Anatomy, needs: &[Need]) -> Vec<LineWarning> {
    let mut warnings: Vec<LineWarning> = execution.stop.iter().map(Stop::warning).collect();
    warnings.extend(execution.unsupported.iter().map(|unsupported| LineWarning {
        code: "unsupported".to_owned(),
        line: Some(unsupported.position.line),
        text: format!(
            "column {}: {} is not executed; it counts as zero, and what depends on it means nothing",
            unsupported.position.column, unsupported.construct
        ),
    }));
    warnings.extend(execution.textures.iter().filter(|texture| texture.accesses > 0).map(|texture| LineWarning {
        code: "texture".to_owned(),
        line: Some(texture.position.line),
        text: format!(
            "texture {}: {} accesses by {} lanes have no sectors: how texels lie in memory is the driver's choice",
            texture.name, texture.accesses, texture.lanes
        ),
    }));
    warnings.extend(execution.sites.iter().filter_map(SiteTally::out_of_range));
    if execution.stop.is_none() {
        warnings.extend(anatomy.unreached(&execution.sites));
    }
    warnings.extend(needs::warnings(needs));
    warnings
}
