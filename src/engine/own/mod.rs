//! Shaders of the user's own: counted by the interpreter first, and run on the device only where that came to its end.
//!
//! Their rows come after those of built-in kernels, whose references they are compared with.

mod measure;
mod row;

use std::sync::atomic::AtomicBool;

use crate::analysis::{self, PredictError, Trace, of_program, what_ended};
use crate::inputs::{Defaulted, Key};
use crate::interpreter::InterpretError;
use crate::memory_model::MemoryModel;
use crate::program::{Limits, Program};
use crate::record::prediction::{LineWarning, PredictionDocument, Reach};
use crate::record::{Row, Status, Warning};
use crate::shader::{Reflection, Shader};

use super::job::Direction;
use super::request::{Request, UserShader};

/// What ends an execution for reasons that would hang a device, too, and the cures.
const HANGS: [(&str, &str); 2] = [
    ("step_budget", "give contents, overrides or uniforms with which the loop ends, or ends sooner"),
    ("divergent_barrier", "move the barrier out of the condition"),
];

/// A row of a user's shader on its way.
pub(super) struct Own {
    pub row: Row,
    program: Program,
    reflection: Reflection,
    /// What the interpreter counted; `None` where it could not.
    document: Option<PredictionDocument>,
    unchecked: bool,
}

/// Counts what every shader of a request costs. Nothing has run on a device when this fails.
///
/// # Errors
/// A shader or inputs that are wrong or that the device cannot hold, an endless loop, and without safety checks an index out
/// of range: each named, with its cure.
pub(super) fn own(
    request: &Request,
    model: &MemoryModel,
    limits: Option<&Limits>,
    cancel: &AtomicBool,
) -> Result<Vec<Own>, String> {
    let of = |shader| Own::new(shader, model, limits, cancel);
    request.shaders.iter().map(|shader| of(shader).map_err(|text| format!("{}: {text}", shader.name))).collect()
}

impl Own {
    fn new(
        shader: &UserShader,
        model: &MemoryModel,
        limits: Option<&Limits>,
        cancel: &AtomicBool,
    ) -> Result<Self, String> {
        let (program, defaulted) = shader.inputs.program(&shader.wgsl).map_err(|error| error.to_string())?;
        let specialised = Shader::parse(&program.wgsl)
            .and_then(|parsed| parsed.specialise(&program.entry_point, &program.constants))
            .map_err(|error| error.to_string())?;
        let reflection = specialised.reflection().clone();
        if let Some(limits) = limits {
            check_buffers(&program, limits)?;
        }
        let document = match count(&program, &defaulted, model, cancel) {
            Ok(document) => Some(document),
            Err(InterpretError::Cancelled) => None,
            Err(error) => return Err(PredictError::from(error).to_string()),
        };
        let warnings = document.as_ref().map_or(&[][..], |document| document.warnings.as_slice());
        let hang = |warning| hangs(warning).map(|cure| (warning, cure));
        if let Some((warning, cure)) = warnings.iter().find_map(hang) {
            let text = place(warning, what_ended(warning));
            return Err(format!("{text}; it is not run on a device, which could hang: {cure}"));
        }
        let strayed = warnings.iter().find(|warning| warning.code == "out_of_range");
        if let Some(warning) = strayed.filter(|_| shader.unchecked) {
            let text = place(warning, &warning.text);
            return Err(format!("{text}; without safety checks it would reach other memory: leave --unchecked out"));
        }
        let mut row = row::row(shader, &program, document.as_ref(), model);
        row.warnings.extend(warnings.iter().map(|warning| Warning::new(&warning.code, place(warning, &warning.text))));
        if defaulted.iter().any(|defaulted| defaulted.setting.key == Key::Dispatch) {
            let text = "one workgroup runs, since nobody said how many: --dispatch X,Y,Z gives yours";
            row.warnings.push(Warning::new("default_dispatch", text));
        }
        if shader.unchecked {
            let text = "without safety checks: an index out of range in a workgroup that was not executed beforehand reads or \
                        writes other memory";
            row.warnings.push(Warning::new("unchecked", text));
        }
        // Only Vulkan's writer has this gap, but a text that runs on one device only is worth knowing of everywhere.
        if let Some(position) = specialised.element_pointer_argument() {
            row.status = Status::Unsupported;
            row.reason = Some(format!(
                "line {}, column {}: a pointer to an element is passed to a function, which the compiler of this program \
                 cannot translate: pass the index or the value instead",
                position.line, position.column
            ));
        }
        Ok(Self { row, program, reflection, document, unchecked: shader.unchecked })
    }

    /// Whether there is still something to run.
    fn is_open(&self) -> bool {
        self.row.status == Status::Skipped && self.row.reason.is_none()
    }

    /// Which way its bytes go.
    pub(super) fn direction(&self) -> Direction {
        match (self.row.work.bytes_read, self.row.work.bytes_written) {
            (0, 0) => Direction::None,
            (_, 0) => Direction::Read,
            (0, _) => Direction::Write,
            (_, _) => Direction::Mixed,
        }
    }

    /// Whether what it writes decides addresses, branches or loops: run again on its own results it would do other work
    /// than was counted, or never end.
    fn feeds_itself(&self) -> bool {
        let needs = self.document.iter().flat_map(|document| &document.needs);
        let written = |name: &str| self.program.buffers.iter().any(|buffer| buffer.name == name && buffer.written);
        needs.into_iter().any(|need| written(&need.buffer) && !need.reaches.is_empty())
    }

    /// What the interpreter does not know of a loop's end holds for the device, too.
    fn loops_on(&self) -> Option<&str> {
        let needs = self.document.iter().flat_map(|document| &document.needs);
        let mut loops = needs.filter(|need| need.reaches.iter().any(|reached| reached.what == Reach::Loop));
        loops.next().map(|need| need.buffer.as_str())
    }

    fn end(&mut self, status: Status, reason: impl Into<String>) {
        self.row.status = status;
        self.row.reason = Some(reason.into());
    }
}

/// The prediction of a sample of the workgroups; of the first alone where the sample takes too many steps, since long and
/// endless are told apart by one workgroup.
fn count(
    program: &Program,
    defaulted: &[Defaulted],
    model: &MemoryModel,
    cancel: &AtomicBool,
) -> Result<PredictionDocument, InterpretError> {
    let trace = |trace| {
        let settings =
            analysis::Settings { models: vec![model.clone()], trace, cancel: Some(cancel), ..Default::default() };
        of_program(program, defaulted, &settings)
    };
    let sample = trace(Trace::Sample)?;
    let is_long = sample.warnings.iter().any(|warning| warning.code == "step_budget");
    if is_long && sample.traced.total > 1 { trace(Trace::One([0; 3])) } else { Ok(sample) }
}

/// The cure of what would hang a device.
fn hangs(warning: &LineWarning) -> Option<&'static str> {
    HANGS.iter().find(|(code, _)| *code == warning.code).map(|(_, cure)| *cure)
}

/// A text with its line before it.
fn place(warning: &LineWarning, text: &str) -> String {
    warning.line.map_or_else(|| text.to_owned(), |line| format!("line {line}: {text}"))
}

/// Buffers that this device cannot bind, by the option that sizes them.
fn check_buffers(program: &Program, limits: &Limits) -> Result<(), String> {
    let most = limits.max_storage_binding_bytes.min(limits.max_buffer_bytes);
    match program.buffers.iter().find(|buffer| buffer.bytes > most) {
        Some(buffer) => Err(format!(
            "--buffer {}: {} bytes are more than this device binds, {most}: give it a smaller size",
            buffer.name, buffer.bytes
        )),
        None => Ok(()),
    }
}
