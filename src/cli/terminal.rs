//! The two streams: data to stdout, everything else to stderr, past the progress bar if one is shown.

use std::io::{self, ErrorKind, Write};

use indicatif::MultiProgress;

use super::failure::Failure;

/// Both streams of the program.
#[derive(Debug, Clone, Default)]
pub(super) struct Terminal {
    /// The bars that stand on stderr now; a line is written above them.
    pub(super) bars: MultiProgress,
}

impl Terminal {
    /// Writes data to stdout. A reader that has gone away wants no more: that is no failure.
    ///
    /// # Errors
    /// Whatever else keeps the data from being written, a full disk for example.
    pub(super) fn data(&self, bytes: &[u8]) -> Result<(), Failure> {
        let write = || {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes)?;
            stdout.flush()
        };
        match self.bars.suspend(write) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::unwritten("standard output", &error)),
            Err(_) | Ok(()) => Ok(()),
        }
    }

    /// Writes text for a person to stderr. Where nobody can read it, it is dropped: there is no other place to say so.
    pub(super) fn note(&self, text: &str) {
        self.bars.suspend(|| {
            let mut stderr = io::stderr().lock();
            let _ = stderr.write_all(text.as_bytes());
            let end: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
            let _ = stderr.write_all(end);
        });
    }

    /// Logs go to stderr: warnings by default, and of the graphics stack only errors, as its warnings are many and
    /// concern nobody here. `RUST_LOG` says otherwise.
    pub(super) fn start_logging(&self) {
        let filter = env_logger::Env::default().default_filter_or("warn,wgpu_hal=error,wgpu_core=error,naga=error");
        let target = env_logger::Target::Pipe(Box::new(LogLines(self.clone())));
        // A second logger in one process is refused; the first one then goes on.
        let _ =
            env_logger::Builder::from_env(filter).target(target).write_style(env_logger::WriteStyle::Never).try_init();
    }
}

/// Log lines, written past the bars.
struct LogLines(Terminal);

impl Write for LogLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.bars.suspend(|| io::stderr().lock().write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
