//! Files: dialogs, reading and writing, all beside the window.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::command::{Contents, Export};
use super::own::{self, Typed};
use super::picture::raster;
use crate::inputs::{self, Inputs};
use crate::platform;
use crate::record::Results;
use crate::report::json;

/// What came of a file.
#[derive(Debug)]
pub enum Done {
    /// Results were read from the file of this name.
    Opened(String, Box<Results>),
    /// A kernel was read, and the settings beside it.
    Wgsl {
        /// The file.
        file: String,
        /// The text.
        text: String,
        /// The settings; none where there is no file of them.
        typed: Typed,
    },
    /// Something was written, as this tells.
    Saved(String),
    /// It went wrong, as this tells; nothing was written.
    Failed(String),
}

/// What is told where a dialog brought no file. A desktop without dialogs cannot be told from someone who changed their
/// mind.
const NO_FILE: &str = "No file was chosen. If no file dialog opens here, type a path into the field \"Path\" instead.";
/// The endings of what this program writes.
const ENDINGS: [&str; 4] = ["json", "csv", "png", "svg"];

/// Dialogs and files. Everything goes on in threads of its own; what comes of it is polled.
pub struct Files {
    wake: Arc<dyn Fn() + Send + Sync>,
    send: Sender<Done>,
    receive: Receiver<Done>,
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

    /// What came of files since the last call.
    pub fn poll(&mut self) -> Vec<Done> {
        self.receive.try_iter().collect()
    }

    /// Asks for a results file and reads it.
    pub fn ask_and_open(&self) {
        self.spawn(async || match rfd::AsyncFileDialog::new().add_filter("Results", &["json"]).pick_file().await {
            Some(file) => results(file.file_name(), &file.read().await),
            None => Done::Failed(NO_FILE.to_owned()),
        });
    }

    /// Reads the results file of this path.
    pub fn open(&self, path: &str) {
        let path = path.to_owned();
        self.spawn(async move || match platform::read_file(path.as_ref()) {
            Ok(bytes) => results(path, &bytes),
            Err(error) => Done::Failed(format!("{path} could not be read: {error}. {}", cure(&error))),
        });
    }

    /// Asks for a file of WGSL and reads it, with the settings beside it.
    pub fn ask_and_open_wgsl(&self) {
        self.spawn(async || match rfd::AsyncFileDialog::new().add_filter("WGSL", &["wgsl"]).pick_file().await {
            Some(file) => match platform::chosen_path(&file) {
                Some(path) => wgsl(&path),
                None => kernel(file.file_name(), &file.read().await, Typed::default()),
            },
            None => Done::Failed(NO_FILE.to_owned()),
        });
    }

    /// Reads the file of WGSL at this path, with the settings beside it.
    pub fn open_wgsl(&self, path: &str) {
        let path = PathBuf::from(path);
        self.spawn(async move || wgsl(&path));
    }

    /// Asks for a place and writes.
    pub fn ask_and_save(&self, export: Export) {
        self.spawn(async move || {
            let bytes = match bytes(export.contents) {
                Ok(bytes) => bytes,
                Err(reason) => return Done::Failed(format!("{} could not be made: {reason}", export.name)),
            };
            match rfd::AsyncFileDialog::new().set_file_name(&export.name).save_file().await {
                Some(file) => written(&file.file_name(), platform::write_chosen(&file, &bytes).await),
                None => Done::Failed(NO_FILE.to_owned()),
            }
        });
    }

    /// Writes to a path that was typed: a folder, or a file whose ending follows from what is written. Replaces nothing.
    pub fn save(&self, path: &str, export: Export) {
        let path = place(path, &export.name);
        self.spawn(async move || {
            let name = path.display().to_string();
            if path.exists() {
                return Done::Failed(format!("{name} exists already. Type another name into the field \"Path\"."));
            }
            match bytes(export.contents) {
                Ok(bytes) => written(&name, platform::replace_file(&path, &bytes)),
                Err(reason) => Done::Failed(format!("{name} could not be made: {reason}")),
            }
        });
    }

    fn spawn<F: Future<Output = Done> + 'static>(&self, work: impl FnOnce() -> F + platform::MaybeSend + 'static) {
        let (send, wake) = (self.send.clone(), self.wake.clone());
        let started = platform::spawn("files", move || async move {
            drop(send.send(work().await));
            wake();
        });
        if let Err(error) = started {
            drop(self.send.send(Done::Failed(format!("no thread for files: {error}"))));
        }
    }
}

/// Where something of this name goes that is to be written to a typed path.
fn place(path: &str, name: &str) -> PathBuf {
    let (typed, ending) = (Path::new(path), Path::new(name).extension().unwrap_or_default());
    if path.ends_with(std::path::is_separator) || typed.is_dir() {
        return typed.join(name);
    }
    let own = typed.extension().map(|own| own.to_string_lossy().to_lowercase());
    match own {
        Some(own) if ending.eq_ignore_ascii_case(&own) => typed.to_owned(),
        Some(own) if ENDINGS.contains(&own.as_str()) => typed.with_extension(ending),
        // A dot of another kind belongs to the name.
        Some(_) | None => format!("{path}.{}", ending.to_string_lossy()).into(),
    }
}

fn bytes(contents: Contents) -> Result<Vec<u8>, String> {
    match contents {
        Contents::Bytes(bytes) => Ok(bytes),
        Contents::Picture(svg) => raster::png(&svg, raster::SCALE),
    }
}

fn written(name: &str, result: std::io::Result<()>) -> Done {
    match result {
        Ok(()) => Done::Saved(format!("Saved {name}.")),
        Err(error) => Done::Failed(format!("{name} could not be written: {error}. {}", cure(&error))),
    }
}

/// What helps against an error of the file system.
fn cure(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "Look for a typing error; its folder must exist.",
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "Type a path in a folder that is yours.",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "Make room, or type a path on another disk.",
        ErrorKind::IsADirectory | ErrorKind::NotADirectory => "Type the path of a file.",
        _ => "Type another path.",
    }
}

/// A kernel and the settings beside it; settings that are wrong are a reason not to open it: its counts would be others.
fn wgsl(path: &Path) -> Done {
    let text = match inputs::read_shader(path) {
        Ok(text) => text,
        Err(error) => return Done::Failed(format!("{error}. Open a file of WGSL.")),
    };
    let beside = Inputs::beside(path);
    let typed = match platform::read_file_up_to(&beside, own::MOST_BYTES as u64) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Typed::default()),
        Err(error) => Err(error.to_string()),
        Ok(bytes) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            Typed::from_toml(&String::from_utf8_lossy(&bytes), folder)
        }
    };
    match typed {
        Ok(typed) => kernel(path.display().to_string(), text.as_bytes(), typed),
        Err(reason) => Done::Failed(format!("{}: {reason}", beside.display())),
    }
}

fn kernel(file: String, bytes: &[u8], typed: Typed) -> Done {
    match crate::shader::decode(bytes) {
        Ok(text) if text.len() > own::MOST_BYTES => {
            let (has, most) = (text.len(), own::MOST_BYTES);
            Done::Failed(format!("{file} has {has} bytes; the editor takes {most}: open the shader alone."))
        }
        Ok(text) => Done::Wgsl { file, text: text.to_owned(), typed },
        Err(error) => Done::Failed(format!("{file}: {error}")),
    }
}

fn results(name: String, bytes: &[u8]) -> Done {
    match json::from_bytes(bytes) {
        Ok(results) => Done::Opened(name, Box::new(results)),
        Err(error) => {
            Done::Failed(format!("{name}: {error}. Open a file that \"Save JSON\" or --bench --json has written."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_path_gets_the_ending_of_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().to_str().unwrap();
        let cases = [
            ("run", "a.json", "run.json"),
            ("run.json", "a.json", "run.json"),
            ("run.JSON", "a.json", "run.JSON"),
            ("run.json", "a.svg", "run.svg"),
            ("run 1.5", "a.csv", "run 1.5.csv"),
            ("out/", "a.png", "out/a.png"),
        ];
        for (path, name, expected) in cases {
            assert_eq!(place(path, name), Path::new(expected), "{path}");
        }
        assert_eq!(place(folder, "a.png"), Path::new(folder).join("a.png"));
    }
}
