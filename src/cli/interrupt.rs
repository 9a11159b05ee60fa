//! Ctrl-C: the first asks the run to stop and keeps what is finished, the second ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::INTERRUPTED;
use super::terminal::Terminal;

/// A flag that the first Ctrl-C sets.
pub(super) fn flag(terminal: &Terminal) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let (shared, notes) = (Arc::clone(&flag), terminal.clone());
    let handler = move || {
        if shared.swap(true, Ordering::SeqCst) {
            #[expect(clippy::exit, reason = "the second Ctrl-C means now, whatever the device is doing")]
            std::process::exit(i32::from(INTERRUPTED));
        }
        notes.note("Stopping; finished rows are kept. Press Ctrl-C again to end at once.");
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        log::warn!("Ctrl-C will end the run at once: {error}");
    }
    flag
}
