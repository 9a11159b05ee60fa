//! Native: work beside the caller, in a thread of its own.

use std::thread::JoinHandle;
use std::time::Duration;

/// What may go to another thread. A page has one thread, so there it is everything.
pub trait MaybeSend: Send {}
impl<T: Send> MaybeSend for T {}

/// Work that goes on beside the caller. Dropping it does not end it.
#[derive(Debug)]
pub struct Task(JoinHandle<()>);

impl Task {
    /// Whether it came to its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits for its end, but no longer than `most`; whether it came.
    pub fn join_within(self, most: Duration) -> bool {
        let start = super::now();
        while !self.0.is_finished() {
            if start.elapsed() > most {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.0.join().is_ok()
    }
}

/// Runs the future that `make` makes, in a thread of this name. The future itself need not be `Send`: it is made there.
///
/// # Errors
/// The operating system's, where it has no thread to give.
pub fn spawn<F: Future<Output = ()> + 'static>(
    name: &str,
    make: impl FnOnce() -> F + MaybeSend + 'static,
) -> std::io::Result<Task> {
    std::thread::Builder::new().name(name.to_owned()).spawn(move || pollster::block_on(make())).map(Task)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_waited_for_but_not_for_ever() {
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let wait = move || async move { ended.recv().unwrap_or_default() };
        let task = spawn("waits", wait).unwrap();
        assert!(!task.is_finished());
        assert!(!task.join_within(Duration::from_millis(20)));
        drop(end);
        assert!(spawn("ends", || async {}).unwrap().join_within(Duration::from_secs(10)));
    }
}
