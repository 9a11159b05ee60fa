//! `--bench`: runs the engine and listens to its events.

use std::io::{self, IsTerminal as _};

use super::args::RunArguments;
use super::failure::{Failure, Outcome};
use super::interrupt;
use super::output::Outputs;
use super::progress::Progress;
use super::request::request;
use super::terminal::Terminal;
use crate::engine::{self, EngineError, Event};
use crate::record::{Results, Status};
use crate::report::{self, table};
use crate::session::Session;

/// The code of the warning that the heading of the results stands for.
const SOFTWARE_ADAPTER: &str = "software_adapter";

/// Runs what the arguments ask for; writes documents and table.
///
/// # Errors
/// Wrong usage, or a run that could not begin.
pub(super) fn run(arguments: &RunArguments, terminal: &Terminal) -> Result<Outcome, Failure> {
    let request = request(arguments)?;
    let outputs = Outputs::new(arguments)?;
    if arguments.unchecked {
        terminal.note(
            "warning: --unchecked: an index out of range can read or write other memory; it is looked for beforehand, in \
             the workgroups that the interpreter executes",
        );
    }
    let cancel = interrupt::flag(terminal);
    let mut listener = Listener::new(outputs, terminal);
    let result = pollster::block_on(engine::run(&request, &mut |event| listener.hear(event), &cancel));
    listener.progress.end();
    match result {
        Ok(results) => {
            listener.session.finish(results);
            listener.conclude(arguments.predict_only)
        }
        Err(EngineError::Usage(text)) => Err(Failure::Usage(text)),
    }
}

struct Listener {
    session: Session,
    outputs: Outputs,
    progress: Progress,
    terminal: Terminal,
}

impl Listener {
    fn new(outputs: Outputs, terminal: &Terminal) -> Self {
        Self { session: Session::default(), outputs, progress: Progress::new(terminal), terminal: terminal.clone() }
    }

    fn hear(&mut self, event: Event) {
        match &event {
            Event::Started { results, .. } => {
                for line in report::heading(results) {
                    self.terminal.note(&line);
                }
            }
            Event::Progress { stage, done, total, what } => self.progress.update(*stage, *done, *total, what),
            // The heading has said so.
            Event::Warning(warning) if warning.code == SOFTWARE_ADAPTER => {}
            Event::Warning(warning) => self.terminal.note(&format!("warning: {}", warning.text)),
            Event::Row { .. } | Event::Finished { .. } => {}
        }
        if self.session.apply(event) {
            self.outputs.mark();
        }
        // Also on progress: the last row before a long step must not wait for the next row.
        if let Some(results) = self.session.results().filter(|results| !results.rows.is_empty()) {
            self.outputs.refresh(results, &self.terminal);
        }
    }

    /// Documents, table, and how it went.
    fn conclude(&self, predict_only: bool) -> Result<Outcome, Failure> {
        let Some(results) = self.session.results() else { return Ok(Outcome::Failed) };
        let written = self.outputs.finish(results, &self.terminal);
        let beside_data = self.outputs.own_stdout();
        let width = table::terminal_width(beside_data).unwrap_or(table::DEFAULT_WIDTH);
        // The heading has been on stderr since the beginning: whoever sees both streams need not see it twice.
        let seen = beside_data || (io::stdout().is_terminal() && io::stderr().is_terminal());
        let text = if seen { table::body(results, width) } else { table::to_string(results, width) };
        let shown = if beside_data {
            self.terminal.note(&text);
            Ok(())
        } else {
            self.terminal.data(text.as_bytes())
        };
        let mut unwritten = false;
        for failure in [written, shown].into_iter().filter_map(Result::err) {
            self.terminal.note(&format!("error: {failure}"));
            unwritten = true;
        }
        let outcome = outcome(results, self.session.cancelled, unwritten, predict_only);
        if outcome == Outcome::NoAdapter {
            self.terminal.note(
                "No adapter was found: these are predictions only. `sectorscope doctor` says what was searched and \
                 what to do.",
            );
        }
        Ok(outcome)
    }
}

/// The outcome of a run: an interruption first, as it explains what else is missing.
fn outcome(results: &Results, cancelled: bool, unwritten: bool, predict_only: bool) -> Outcome {
    if cancelled {
        Outcome::Interrupted
    } else if unwritten || results.rows.iter().any(|row| row.status == Status::Failed) {
        Outcome::Failed
    } else if results.adapter.is_none() && !predict_only {
        Outcome::NoAdapter
    } else {
        Outcome::Fine
    }
}
