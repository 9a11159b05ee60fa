//! Browser: one thread, no file system.

/// Calls `work(range)` for the whole of `0..count`: a page has one thread.
pub fn in_parallel<T>(count: u64, _align: u64, work: impl Fn(std::ops::Range<u64>) -> T) -> Option<Vec<T>> {
    Some(if count == 0 { Vec::new() } else { vec![work(0..count)] })
}

/// Hands the bytes to the user as a file to download.
///
/// # Errors
/// The browser's.
#[cfg(feature = "app")]
pub async fn write_chosen(file: &rfd::FileHandle, bytes: &[u8]) -> std::io::Result<()> {
    file.write(bytes).await
}

/// A page does not learn where a chosen file lies.
#[cfg(feature = "app")]
#[must_use]
pub fn chosen_path(_file: &rfd::FileHandle) -> Option<std::path::PathBuf> {
    None
}

/// A page has no folder.
#[cfg(feature = "app")]
#[must_use]
pub fn data_folder(_id: &str) -> Option<std::path::PathBuf> {
    None
}

/// A page has no file system.
///
/// # Errors
/// Always.
pub fn replace_file(_path: &std::path::Path, _bytes: &[u8]) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// A page has no file system.
///
/// # Errors
/// Always.
#[cfg(feature = "app")]
pub fn append_to_file(_path: &std::path::Path, _bytes: &[u8]) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// A page has no file system.
///
/// # Errors
/// Always.
pub fn read_file(_path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// A page has no file system.
///
/// # Errors
/// Always.
pub fn read_file_up_to(path: &std::path::Path, _most: u64) -> std::io::Result<Vec<u8>> {
    read_file(path)
}

/// A page is told hardly anything of the machine.
#[must_use]
pub fn host() -> super::HostFacts {
    super::HostFacts { os: "browser".to_owned(), ..super::HostFacts::default() }
}

/// What may go to another thread: a page has one, so everything.
pub trait MaybeSend {}
impl<T> MaybeSend for T {}

/// Work that goes on beside the caller, whenever the caller waits.
#[derive(Debug)]
pub struct Task(std::rc::Rc<std::cell::Cell<bool>>);

impl Task {
    /// Whether it came to its end.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.0.get()
    }

    /// Whether it came to its end: a page cannot wait.
    pub fn join_within(self, _most: std::time::Duration) -> bool {
        self.is_finished()
    }
}

/// Runs the future that `make` makes, on the page's own event loop.
///
/// # Errors
/// Never.
pub fn spawn<F: Future<Output = ()> + 'static>(
    _name: &str,
    make: impl FnOnce() -> F + MaybeSend + 'static,
) -> std::io::Result<Task> {
    let finished = std::rc::Rc::new(std::cell::Cell::new(false));
    let task = Task(finished.clone());
    wasm_bindgen_futures::spawn_local(async move {
        make().await;
        finished.set(true);
    });
    Ok(task)
}
