//! Files: dialogs, reading and writing, all beside the window.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::command::Export;
use crate::platform;
use crate::record::Results;
use crate::report::json;

/// A results file with its name, or what went wrong.
pub type Opened = Result<(String, Box<Results>), String>;

/// Dialogs and files. Everything goes on in threads of its own; what comes of it is polled.
pub struct Files {
    wake: Arc<dyn Fn() + Send + Sync>,
    send: Sender<Opened>,
    receive: Receiver<Opened>,
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").finish_non_exhaustive()
    }
}

impl Files {
    /// Nothing is open. `wake` is called from other threads.
    #[must_use]
    pub fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (send, receive) = channel();
        Self { wake, send, receive }
    }

    /// What was opened, and what went wrong, since the last call.
    pub fn poll(&mut self) -> Vec<Opened> {
        self.receive.try_iter().collect()
    }

    /// Asks for a results file and reads it.
    pub fn ask_and_open(&self) {
        self.spawn(async || {
            let file = rfd::AsyncFileDialog::new().add_filter("Results", &["json"]).pick_file().await?;
            Some(results(file.file_name(), &file.read().await))
        });
    }

    /// Reads the results file of this path.
    pub fn open(&self, path: &str) {
        let path = path.to_owned();
        self.spawn(async move || {
            Some(match platform::read_file(path.as_ref()) {
                Ok(bytes) => results(path, &bytes),
                Err(error) => Err(format!("{path} could not be read: {error}")),
            })
        });
    }

    /// Asks for a place and writes.
    pub fn ask_and_save(&self, export: Export) {
        self.spawn(async move || {
            let file = rfd::AsyncFileDialog::new().set_file_name(&export.name).save_file().await?;
            let written = file.write(&export.bytes).await;
            written.err().map(|error| Err(format!("{} could not be written: {error}", file.file_name())))
        });
    }

    fn spawn<F: Future<Output = Option<Opened>> + 'static>(
        &self,
        work: impl FnOnce() -> F + platform::MaybeSend + 'static,
    ) {
        let (send, wake) = (self.send.clone(), self.wake.clone());
        let started = platform::spawn("files", move || async move {
            if let Some(opened) = work().await {
                drop(send.send(opened));
                wake();
            }
        });
        if let Err(error) = started {
            drop(self.send.send(Err(format!("no thread for files: {error}"))));
        }
    }
}

fn results(name: String, bytes: &[u8]) -> Opened {
    match json::from_bytes(bytes) {
        Ok(results) => Ok((name, Box::new(results))),
        Err(error) => Err(format!("{name}: {error}")),
    }
}
