//! Native: threads, the file system, the operating system's facts.

use std::io::Write as _;
use std::path::Path;

/// Splits `0..count` over the machine's cores and calls `work(range)` for each part; returns the results in order.
///
/// Each part starts at a multiple of `align`.
pub fn in_parallel<T: Send>(count: u64, align: u64, work: impl Fn(std::ops::Range<u64>) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let part = count.div_ceil(threads).next_multiple_of(align.max(1)).max(1);
    let ranges = (0..count.div_ceil(part)).map(|k| k * part..((k + 1) * part).min(count));
    std::thread::scope(|scope| {
        let handles: Vec<_> = ranges.map(|range| scope.spawn(|| work(range))).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
    })
}

/// Replaces the file by `bytes` in one step: a reader sees the old file or the new one, never a part.
///
/// # Errors
/// The file system's.
pub fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // A device or a pipe (/dev/stdout, /dev/full) cannot be replaced, only written to.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
        return file.write_all(bytes);
    }
    let mut file = tempfile::NamedTempFile::new_in(folder(path))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Whether [`replace_file`] can be expected to succeed; leaves no trace.
///
/// # Errors
/// What stands in the way: the folder is missing or not writable, or the path is a folder.
pub fn can_replace_file(path: &Path) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => Err(std::io::ErrorKind::IsADirectory.into()),
        // Opening a pipe to try it would disturb its reader.
        Ok(meta) if !meta.is_file() => Ok(()),
        Ok(_) | Err(_) => tempfile::NamedTempFile::new_in(folder(path)).map(drop),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_in_order() {
        for count in [0, 1, 5, 64, 1000] {
            let parts = in_parallel(count, 4, |range| range.collect::<Vec<_>>());
            assert_eq!(parts.concat(), (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.json");
        for text in ["one", "two"] {
            replace_file(&path, text.as_bytes()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert!(can_replace_file(&path).is_ok());
        for wrong in [folder.path().to_owned(), folder.path().join("no/such/folder")] {
            assert!(replace_file(&wrong, b"").is_err());
            assert!(can_replace_file(&wrong).is_err());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left behind");
    }
}
