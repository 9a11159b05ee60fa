//! The command line: a listener of the engine's events. With `main` the only place that prints or sets the exit status.

mod args;
mod bench;
mod catalog;
mod compare;
mod devices;
mod failure;
mod interrupt;
mod output;
mod progress;
mod request;
mod session;
mod show;
mod terminal;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

use args::{Arguments, Command, RunArguments};
use failure::{Failure, Outcome};
use terminal::Terminal;

const WELCOME: &str = "\
sectorscope shows what a GPU memory access pattern should cost, and what it does cost.

The desktop app is not built into this program. Run it without a window:
  sectorscope --bench --suite quick      a dozen patterns, predicted and measured
  sectorscope --bench --predict-only     predictions only, needs no GPU
  sectorscope kernels                    what can be run
  sectorscope adapters                   what it can run on
  sectorscope --help                     everything else
";

/// Carries out a command line (the first argument is the program's name) and returns its exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let terminal = Terminal::default();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(message) => return told_by_parser(&message, &terminal),
    };
    terminal.start_logging();
    match carry_out(arguments, &terminal) {
        Ok(outcome) => outcome.into(),
        Err(failure) => {
            terminal.note(&format!("error: {failure}"));
            failure.code()
        }
    }
}

fn carry_out(arguments: Arguments, terminal: &Terminal) -> Result<Outcome, Failure> {
    if arguments.bench {
        return bench::run(&arguments.run, terminal);
    }
    match arguments.command {
        Some(Command::App { .. }) => Err(no_app()),
        Some(Command::Predict { .. }) => Err(Failure::Usage(
            "the command 'predict' is not built in yet; `sectorscope --bench --predict-only` predicts the built-in \
             kernels"
                .to_owned(),
        )),
        Some(Command::Compare { a, b, json }) => compare::run(&a, &b, json.as_ref(), terminal),
        Some(Command::Show { file, roofline: Some(target), .. }) => show::roofline(&file, &target, terminal),
        Some(Command::Show { file, markdown, .. }) => show::run(&file, markdown, terminal),
        Some(Command::Adapters { backend, json }) => devices::adapters(backend, json.as_ref(), terminal),
        Some(Command::Kernels { json, source: None, .. }) => catalog::list(json.as_ref(), terminal),
        Some(Command::Kernels { source: Some(id), set, .. }) => catalog::source(&id, &set, terminal),
        Some(Command::Doctor) => devices::doctor(terminal),
        None => without_command(&arguments, terminal),
    }
}

/// Options alone mean the app, or a forgotten `--bench`.
fn without_command(arguments: &Arguments, terminal: &Terminal) -> Result<Outcome, Failure> {
    let app_only = RunArguments { preset: arguments.run.preset.clone(), ..RunArguments::default() };
    if arguments.run != app_only {
        return Err(Failure::Usage("these options belong to a run: add --bench".to_owned()));
    }
    if arguments.open.is_some() || !arguments.run.preset.is_empty() {
        return Err(no_app());
    }
    terminal.data(WELCOME.as_bytes())?;
    Ok(Outcome::Fine)
}

fn no_app() -> Failure {
    Failure::Usage(
        "the desktop app is not built into this program; `sectorscope --bench` runs without a window, `sectorscope \
         --help` tells more"
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
