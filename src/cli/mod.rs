//! The command line: a listener of the engine's events. With `main` the only place that prints or sets the exit status.

mod args;
mod bench;
mod catalog;
mod compare;
mod devices;
mod failure;
mod interrupt;
mod output;
mod predict;
mod progress;
mod request;
mod shader;
mod show;
mod terminal;
mod values;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser as _;

use args::{Arguments, Command, RunArguments};
use failure::{Failure, Outcome};
use terminal::Terminal;

use crate::{kernels, platform, suggest};

/// What the window is to begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// A results file.
    pub open: Option<String>,
    /// A preset.
    pub preset: Option<String>,
    /// Where the window's journal goes.
    pub log: Option<PathBuf>,
}

/// Opens the window and returns when it is closed; the error says why there is none.
pub type OpenWindow = fn(Opening) -> Result<(), String>;

const WELCOME: &str = "\
sectorscope shows what a GPU memory access pattern should cost, and what it does cost.

The desktop app is not built into this program; `cargo build --release` with default features builds it. Without a window:
  sectorscope --bench --suite quick      a dozen patterns, predicted and measured
  sectorscope --bench --predict-only     predictions only, needs no GPU
  sectorscope predict FILE.wgsl          what each line of your shader costs, needs no GPU
  sectorscope kernels                    what can be run
  sectorscope adapters                   what it can run on
  sectorscope --help                     everything else
";

/// Carries out a command line (the first argument is the program's name) and returns its exit status. `window` is how to
/// open one, where it is built in.
pub fn main(arguments: impl IntoIterator<Item = OsString>, window: Option<OpenWindow>) -> ExitCode {
    let terminal = Terminal::default();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(message) => return told_by_parser(&message, &terminal),
    };
    terminal.start_logging();
    match carry_out(arguments, &terminal, window) {
        Ok(outcome) => outcome.into(),
        Err(failure) => {
            terminal.note(&format!("error: {failure}"));
            failure.code()
        }
    }
}

fn carry_out(arguments: Arguments, terminal: &Terminal, window: Option<OpenWindow>) -> Result<Outcome, Failure> {
    if arguments.bench {
        return bench::run(&arguments.run, terminal);
    }
    match arguments.command {
        Some(Command::App { open, preset, log }) => {
            let open = open.map(|path| path.to_string_lossy().into_owned());
            open_window(Opening { open, preset, log }, window)
        }
        Some(Command::Predict(arguments)) => predict::run(&arguments, terminal),
        Some(Command::Compare { a, b, json }) => compare::run(&a, &b, json.as_ref(), terminal),
        Some(Command::Show { file, roofline: Some(target), .. }) => show::roofline(&file, &target, terminal),
        Some(Command::Show { file, markdown, .. }) => show::run(&file, markdown, terminal),
        Some(Command::Adapters { backend, json }) => devices::adapters(backend, json.as_ref(), terminal),
        Some(Command::Kernels { json, source: None, .. }) => catalog::list(json.as_ref(), terminal),
        Some(Command::Kernels { source: Some(id), set, .. }) => catalog::source(&id, &set, terminal),
        Some(Command::Doctor) => devices::doctor(terminal),
        None => without_command(&arguments, terminal, window),
    }
}

/// Options alone mean the app, or a forgotten `--bench`.
fn without_command(arguments: &Arguments, terminal: &Terminal, window: Option<OpenWindow>) -> Result<Outcome, Failure> {
    let app_only = RunArguments { preset: arguments.run.preset.clone(), ..RunArguments::default() };
    if arguments.run != app_only || arguments.run.preset.len() > 1 {
        return Err(Failure::Usage("these options belong to a run: add --bench".to_owned()));
    }
    let opening = Opening {
        open: arguments.open.as_ref().map(|path| path.to_string_lossy().into_owned()),
        preset: arguments.run.preset.first().cloned(),
        log: arguments.log.clone(),
    };
    if window.is_none() && opening == Opening::default() {
        terminal.data(WELCOME.as_bytes())?;
        return Ok(Outcome::Fine);
    }
    open_window(opening, window)
}

fn open_window(opening: Opening, window: Option<OpenWindow>) -> Result<Outcome, Failure> {
    if let Some(id) = &opening.preset
        && !kernels::PRESETS.iter().any(|preset| preset.id == id)
    {
        let known: Vec<_> = kernels::PRESETS.iter().map(|preset| preset.id).collect();
        let hint = suggest::hint(id, known.iter().copied());
        return Err(Failure::Usage(format!(
            "--preset {id}: there is no such preset{hint}; there are {}",
            known.join(", ")
        )));
    }
    let open = window.ok_or_else(no_app)?;
    if let Some(file) = &opening.log {
        let emptied = platform::replace_file(file, b"");
        emptied.map_err(|error| Failure::unwritten(format_args!("--log {}", file.display()), &error))?;
    }
    match open(opening) {
        Ok(()) => Ok(Outcome::Fine),
        Err(reason) => Err(Failure::NoWindow(format!(
            "{reason}. Without a window `sectorscope --bench` measures and `sectorscope --bench --predict-only` predicts; \
             `sectorscope doctor` says what was found of drivers and devices"
        ))),
    }
}

fn no_app() -> Failure {
    Failure::Usage(
        "the desktop app is not built into this program: build it with default features (`cargo build --release`); \
         `sectorscope --bench` runs without a window, `sectorscope --help` tells more"
            .to_owned(),
    )
}

/// Help and version are data, anything else is wrong usage.
fn told_by_parser(message: &clap::Error, terminal: &Terminal) -> ExitCode {
    if message.use_stderr() {
        terminal.note(&message.render().to_string());
        return Failure::Usage(String::new()).code();
    }
    match terminal.data(message.render().to_string().as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.note(&format!("error: {failure}"));
            failure.code()
        }
    }
}
