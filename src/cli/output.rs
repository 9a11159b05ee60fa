//! The documents that a run writes: files while it goes, standard output at its end.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::args::RunArguments;
use super::failure::Failure;
use super::terminal::Terminal;
use super::values::Target;
use crate::platform;
use crate::record::Results;
use crate::report;

/// Between two versions of the files at least this long passes, and at least [`SHARE`] times what writing takes: a
/// suite of hundreds of rows is not slowed down by its own results.
const PAUSE: Duration = Duration::from_millis(200);
const SHARE: u32 = 20;

/// The form of a document.
#[derive(Debug, Clone, Copy)]
enum Form {
    Json,
    Csv { separator: u8 },
}

impl Form {
    fn bytes(self, results: &Results) -> io::Result<Vec<u8>> {
        match self {
            Self::Json => report::json::to_bytes(results),
            Self::Csv { separator } => report::csv::to_bytes(results, separator),
        }
    }
}

/// All documents of a run.
#[derive(Debug)]
pub(super) struct Outputs {
    documents: Vec<(Form, Target)>,
    /// Whether the files are older than the results.
    dirty: bool,
    /// When files may be written again.
    next: Option<platform::Instant>,
    /// The first failure, which is told once; the last writing may still succeed.
    told: bool,
}

impl Outputs {
    /// The documents that were asked for. Files are tried now, so that a wrong path costs no measurement.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(super) fn new(arguments: &RunArguments) -> Result<Self, Failure> {
        let json = arguments.json.clone().map(|target| (Form::Json, target));
        let csv = Form::Csv { separator: arguments.csv_sep.unwrap_or(b',') };
        let csv = arguments.csv.clone().map(|target| (csv, target));
        let documents: Vec<_> = json.into_iter().chain(csv).collect();
        for (_, target) in &documents {
            if let Target::File(path) = target {
                platform::can_replace_file(path).map_err(|error| Failure::unwritten(path.display(), &error))?;
            }
        }
        Ok(Self { documents, dirty: false, next: None, told: false })
    }

    /// Whether a document has standard output for itself.
    pub(super) fn own_stdout(&self) -> bool {
        self.documents.iter().any(|(_, target)| *target == Target::Stdout)
    }

    /// The results have changed.
    pub(super) fn mark(&mut self) {
        self.dirty = true;
    }

    /// Rewrites the files where they are old and the last writing is long enough ago.
    pub(super) fn refresh(&mut self, results: &Results, terminal: &Terminal) {
        let begin = platform::now();
        if !self.dirty || self.next.is_some_and(|next| begin < next) {
            return;
        }
        for (form, target) in &self.documents {
            let Target::File(path) = target else { continue };
            // What is no file, a pipe for example, takes one document: at the end.
            if !is_replaceable(path) {
                continue;
            }
            if let Err(failure) = write_file(*form, path, results)
                && !std::mem::replace(&mut self.told, true)
            {
                terminal.note(&format!("warning: {failure}; the run goes on and tries again"));
            }
        }
        self.dirty = false;
        let end = platform::now();
        self.next = Some(end + PAUSE.max((end - begin) * SHARE));
    }

    /// Writes everything for the last time.
    ///
    /// # Errors
    /// The first document that could not be written, after all were tried.
    pub(super) fn finish(&self, results: &Results, terminal: &Terminal) -> Result<(), Failure> {
        let write = |(form, target): &(Form, Target)| match target {
            Target::File(path) => write_file(*form, path, results),
            Target::Stdout => {
                let bytes = form.bytes(results).map_err(|error| Failure::unwritten("standard output", &error))?;
                terminal.data(&bytes)
            }
        };
        self.documents.iter().map(write).fold(Ok(()), Result::and)
    }
}

/// Writes a document of another command.
///
/// # Errors
/// It could not be written.
pub(super) fn write(target: &Target, value: &impl serde::Serialize, terminal: &Terminal) -> Result<(), Failure> {
    let bytes = report::json::pretty(value).map_err(|error| Failure::unwritten("the JSON", &error))?;
    match target {
        Target::Stdout => terminal.data(&bytes),
        Target::File(path) => {
            platform::replace_file(path, &bytes).map_err(|error| Failure::unwritten(path.display(), &error))
        }
    }
}

fn write_file(form: Form, path: &Path, results: &Results) -> Result<(), Failure> {
    form.bytes(results)
        .and_then(|bytes| platform::replace_file(path, &bytes))
        .or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
        .map_err(|error| Failure::unwritten(path.display(), &error))
}

fn is_replaceable(path: &Path) -> bool {
    !std::fs::metadata(path).is_ok_and(|meta| !meta.is_file())
}
