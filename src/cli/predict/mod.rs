//! `predict FILE.wgsl`: options to inputs, the analysis, and what is made of its document.

mod args;

use std::path::Path;

pub(super) use args::{EXAMPLES, PredictArguments};

use args::FormatName;

use super::failure::{Failure, Outcome};
use super::shader::{Given, inputs, wgsl};
use super::terminal::Terminal;
use super::values::Target;
use super::{interrupt, output};
use crate::analysis::{MAX_STEPS, PredictError, Settings, predict};
use crate::interpreter::InterpretError;
use crate::memory_model::{self, LESSON, MemoryModel, Overrides};
use crate::record::prediction::PredictionDocument;
use crate::report::prediction::{self, Baseline, ChangeKind, Miss, Style};
use crate::report::table;
use crate::{platform, suggest};

/// Columns of what is no terminal.
const PIPED_WIDTH: u16 = 80;

/// Predicts a file and prints the report.
///
/// # Errors
/// Wrong usage or input, or an output that cannot be written.
pub(super) fn run(arguments: &PredictArguments, terminal: &Terminal) -> Result<Outcome, Failure> {
    let wgsl = wgsl(&arguments.file)?;
    let given = Given { fills: &arguments.fills, seed: arguments.seed.as_deref() };
    let inputs = inputs(&arguments.file, &arguments.shader, &given)?;
    let models = models(arguments)?;
    let old = arguments.baseline.as_deref().map(baseline).transpose()?;
    if let Some(Target::File(path)) = &arguments.json {
        platform::can_replace_file(path).map_err(|error| Failure::unwritten(path.display(), &error))?;
    }
    let cancel = interrupt::flag(terminal);
    let settings = Settings {
        models,
        trace: arguments.trace.unwrap_or_default(),
        max_steps: arguments.max_steps.unwrap_or(MAX_STEPS),
        cures: !arguments.no_cures,
        shortcuts: !arguments.without_shortcuts,
        cancel: Some(&cancel),
    };
    let name = arguments.file.display();
    let mut document = match predict(&wgsl, &inputs, &settings) {
        Ok(document) => document,
        Err(PredictError::Interpret(InterpretError::Cancelled)) => return Ok(Outcome::Interrupted),
        Err(error) => return Err(Failure::Usage(format!("{name}: {error}"))),
    };
    document.file = (arguments.file != Path::new("-")).then(|| name.to_string());
    let compared = match &old {
        Some(old) => Some(prediction::compare(old, &document).map_err(Failure::Usage)?),
        None => None,
    };
    let misses = prediction::misses(&document, &arguments.fail_below);
    let report = Report { document: &document, wgsl: &wgsl, misses: &misses, compared: compared.as_ref() };
    report.write(arguments, terminal)?;
    let regressed = compared.is_some_and(|baseline| baseline.has_regressed());
    let failed = !misses.is_empty() || regressed || !document.complete;
    Ok(if failed { Outcome::Failed } else { Outcome::Fine })
}

/// The models that are named, with what the user sets in their place.
fn models(arguments: &PredictArguments) -> Result<Vec<MemoryModel>, Failure> {
    let mut models: Vec<&MemoryModel> = Vec::new();
    for key in &arguments.model {
        if key == "all" {
            models.extend(memory_model::ALL);
            continue;
        }
        models.push(memory_model::by_key(key).ok_or_else(|| unknown_model(key))?);
    }
    if models.is_empty() {
        models.push(&LESSON);
    }
    let mut seen = std::collections::BTreeSet::new();
    models.retain(|model| seen.insert(&model.key));
    let overrides = Overrides { subgroup: arguments.subgroup, sector: arguments.sector, fetch: arguments.fetch };
    models.into_iter().map(|model| model.with(&overrides).map_err(|error| Failure::Usage(error.to_string()))).collect()
}

fn unknown_model(key: &str) -> Failure {
    let known: Vec<&str> = memory_model::keys().collect();
    let why = if key == "auto" {
        "predict looks at no device: name its model".to_owned()
    } else {
        format!("there is no such model{}", suggest::hint(key, known.iter().copied()))
    };
    Failure::Usage(format!("--model {key}: {why}; there are all, {}", known.join(", ")))
}

/// An older document.
fn baseline(path: &Path) -> Result<PredictionDocument, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Usage(format!("--baseline {}: {error}", path.display()));
    let bytes = platform::read_file(path).map_err(|error| wrong(&error))?;
    prediction::from_bytes(&bytes).map_err(|error| wrong(&error))
}

/// All that is to be said.
struct Report<'a> {
    document: &'a PredictionDocument,
    wgsl: &'a str,
    misses: &'a [Miss],
    compared: Option<&'a Baseline>,
}

impl Report<'_> {
    fn write(&self, arguments: &PredictArguments, terminal: &Terminal) -> Result<(), Failure> {
        let format = arguments.format.unwrap_or(FormatName::Text);
        let json = match (&arguments.json, format) {
            (Some(Target::Stdout), _) | (None, FormatName::Json) => Some(Target::Stdout),
            (Some(Target::File(path)), _) => Some(Target::File(path.clone())),
            (None, _) => None,
        };
        let beside_data = json == Some(Target::Stdout) || format == FormatName::Json;
        let width = table::terminal_width(beside_data).unwrap_or(PIPED_WIDTH);
        let text = match format {
            FormatName::Text => prediction::text(self.document, self.wgsl, Style { width }) + &self.verdict(),
            FormatName::Json => self.verdict(),
            FormatName::Github => prediction::annotations(self.document, self.misses, self.compared),
        };
        if let Some(target) = &json {
            output::write(target, self.document, terminal)?;
        }
        if format == FormatName::Json && json != Some(Target::Stdout) {
            output::write(&Target::Stdout, self.document, terminal)?;
        }
        if !beside_data {
            return terminal.data(text.as_bytes());
        }
        if !text.is_empty() {
            terminal.note(&text);
        }
        Ok(())
    }

    /// What the checks found.
    fn verdict(&self) -> String {
        let mut text = String::new();
        if let Some(baseline) = self.compared {
            text.push_str("\nAgainst the baseline\n");
            if let Some(note) = &baseline.note {
                text.push_str(&format!("  {note}\n"));
            }
            if baseline.changes.is_empty() {
                text.push_str("  nothing changed\n");
            }
            for change in &baseline.changes {
                let word = match change.kind {
                    ChangeKind::Worse => "WORSE",
                    ChangeKind::Better => "better",
                    ChangeKind::Other => "other",
                };
                let line = change.line.map_or_else(String::new, |line| format!("line {line}, "));
                text.push_str(&format!("  {word:<7}{line}{}\n", change.text));
            }
        }
        for miss in self.misses {
            text.push_str(&format!("FAILED: {}\n", miss.text));
        }
        text
    }
}
