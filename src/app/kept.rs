//! Measurements that outlive the window: the newest runs, a line each, in one file of the program's data folder. The file
//! is replaced in one step, beside the window, so a reader sees the runs of before or those of now.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::documents::Documents;
use crate::platform::{self, Task};
use crate::record::Results;

/// The file's name.
pub const FILE: &str = "runs.jsonl";
/// Most bytes that it has: the newest runs that fit, which are hundreds of a few rows each.
const MOST_BYTES: usize = 4 << 20;
/// How long a closing window waits for what is being written.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// A run with what it was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// What was asked for, for people.
    pub what: String,
    /// Its document.
    pub results: Results,
}

/// What comes of it, for the window.
#[derive(Debug)]
pub enum Told {
    /// The runs of earlier windows, the oldest first.
    Earlier(Vec<Run>),
    /// What went wrong, and what that means.
    Failed(String),
}

/// Reads and writes the file.
pub struct Keeper {
    path: PathBuf,
    wake: Arc<dyn Fn() + Send + Sync>,
    send: Sender<Told>,
    receive: Receiver<Told>,
    /// One at a time: an older state must not replace a newer one.
    writing: Option<Task>,
    waiting: Option<Vec<Run>>,
    /// Whether the file was read: before that nothing is written, or what it has would be lost.
    ready: bool,
}

impl std::fmt::Debug for Keeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keeper").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Keeper {
    /// Begins to read this file, which need not be there; `wake` is called from other threads.
    #[must_use]
    pub fn open(path: PathBuf, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (send, receive) = channel();
        let mut keeper = Self { path: path.clone(), wake, send, receive, writing: None, waiting: None, ready: false };
        keeper.writing = keeper.spawn(move || match platform::read_file(&path) {
            Ok(bytes) => Some(read(&bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(Told::Earlier(Vec::new())),
            Err(error) => Some(Told::Failed(format!(
                "{} could not be read ({error}): save results that you want to keep.",
                path.display()
            ))),
        });
        keeper
    }

    /// Keeps the runs of these documents, soon. Does nothing until [`Told::Earlier`] has come.
    pub fn keep(&mut self, documents: &Documents) {
        if self.ready {
            self.waiting = Some(documents.to_keep());
            self.go_on();
        }
    }

    /// What was read, and what went wrong.
    pub fn poll(&mut self) -> Vec<Told> {
        self.go_on();
        let told: Vec<Told> = self.receive.try_iter().collect();
        self.ready |= told.iter().any(|told| matches!(told, Told::Earlier(_)));
        told
    }

    /// Ends what is being written, but does not wait for long: the window is closing.
    pub fn close(&mut self) {
        let idle = self.writing.take().is_none_or(|task| task.join_within(LAST_WAIT));
        if let Some(runs) = self.waiting.take().filter(|_| idle)
            && let Err(error) = platform::replace_file(&self.path, &write(&runs))
        {
            log::warn!("{} could not be written: {error}", self.path.display());
        }
    }

    fn go_on(&mut self) {
        if self.writing.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        self.writing = None;
        let Some(runs) = self.waiting.take() else { return };
        let path = self.path.clone();
        self.writing = self.spawn(move || {
            let failed = platform::replace_file(&path, &write(&runs)).err()?;
            let text =
                format!("{} could not be written: {failed}. Save results that you want to keep.", path.display());
            Some(Told::Failed(text))
        });
    }

    fn spawn(&self, work: impl FnOnce() -> Option<Told> + platform::MaybeSend + 'static) -> Option<Task> {
        let (send, wake) = (self.send.clone(), self.wake.clone());
        let spawned = platform::spawn("keeper", move || async move {
            if let Some(told) = work() {
                // Nobody listens any more where the window is closed.
                drop(send.send(told));
            }
            wake();
        });
        spawned.map_err(|error| drop(self.send.send(Told::Failed(format!("no thread for files: {error}"))))).ok()
    }
}

/// The runs of a file; lines that this program cannot read are left out.
fn read(bytes: &[u8]) -> Told {
    let text = String::from_utf8_lossy(bytes);
    Told::Earlier(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// As many of the newest runs as fit; they come oldest first.
fn write(runs: &[Run]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut room = MOST_BYTES;
    for run in runs.iter().rev() {
        let Ok(mut line) = serde_json::to_vec(run) else { continue };
        line.push(b'\n');
        let Some(left) = room.checked_sub(line.len()) else { break };
        room = left;
        lines.push(line);
    }
    lines.reverse();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(what: &str) -> Run {
        Run { what: what.to_owned(), results: Documents::recorded().all()[1].results().unwrap().clone() }
    }

    fn runs_of(bytes: &[u8]) -> Vec<Run> {
        match read(bytes) {
            Told::Earlier(runs) => runs,
            Told::Failed(text) => panic!("{text}"),
        }
    }

    #[test]
    fn what_is_written_is_read_and_the_newest_fit() {
        let runs = [run("a"), run("b")];
        let bytes = write(&runs);
        assert_eq!(runs_of(&bytes), runs);
        let many: Vec<Run> = (0..400).map(|k| run(&k.to_string())).collect();
        let bytes = write(&many);
        assert!(bytes.len() <= MOST_BYTES);
        let kept = runs_of(&bytes);
        assert!(kept.len() > 3 && kept.len() < many.len(), "{}", kept.len());
        assert_eq!(kept.last().map(|run| run.what.as_str()), Some("399"));
        assert_eq!(kept.first().map(|run| run.what.clone()), Some((400 - kept.len()).to_string()));
    }

    #[test]
    fn lines_that_are_none_do_not_hide_the_others() {
        let mut bytes = write(&[run("a")]);
        bytes.extend(b"{\"what\": 7}\n");
        assert_eq!(runs_of(&bytes).len(), 1);
        assert_eq!((runs_of(b"{"), runs_of(b"")), (Vec::new(), Vec::new()));
    }
}
