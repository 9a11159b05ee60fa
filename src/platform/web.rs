//! Browser: one thread, no file system.

/// Calls `work(range)` for the whole of `0..count`: a page has one thread.
pub fn in_parallel<T>(count: u64, _align: u64, work: impl Fn(std::ops::Range<u64>) -> T) -> Option<Vec<T>> {
    Some(if count == 0 { Vec::new() } else { vec![work(0..count)] })
}

/// A page is told hardly anything of the machine.
#[must_use]
pub fn host() -> super::HostFacts {
    super::HostFacts { os: "browser".to_owned(), ..super::HostFacts::default() }
}
