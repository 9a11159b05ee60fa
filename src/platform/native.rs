//! Native: threads, the file system, the operating system's facts.

use std::io::{Read as _, Write as _};
use std::path::Path;

/// Splits `0..count` over the machine's cores and calls `work(range)` for each part; returns the results in order;
/// `None` where a part panicked.
///
/// Each part starts at a multiple of `align`.
pub fn in_parallel<T: Send>(count: u64, align: u64, work: impl Fn(std::ops::Range<u64>) -> T + Sync) -> Option<Vec<T>> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let part = count.div_ceil(threads).next_multiple_of(align.max(1)).max(1);
    let ranges = (0..count.div_ceil(part)).map(|k| k * part..((k + 1) * part).min(count));
    std::thread::scope(|scope| {
        let handles: Vec<_> = ranges.map(|range| scope.spawn(|| work(range))).collect();
        handles.into_iter().map(|handle| handle.join().ok()).collect()
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
    // A link stays one: what it points to is replaced.
    let target = path.canonicalize();
    let path = target.as_deref().unwrap_or(path);
    let mut file = new_file(path)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Adds `bytes` at the end of the file, which is made where there is none.
///
/// # Errors
/// The file system's.
#[cfg(feature = "app")]
pub fn append_to_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
}

/// Writes to the file that was chosen in a dialog, in one step as [`replace_file`].
///
/// # Errors
/// The file system's.
#[cfg(feature = "app")]
pub async fn write_chosen(file: &rfd::FileHandle, bytes: &[u8]) -> std::io::Result<()> {
    replace_file(file.path(), bytes)
}

/// Where a chosen file lies.
#[cfg(feature = "app")]
#[must_use]
pub fn chosen_path(file: &rfd::FileHandle) -> Option<std::path::PathBuf> {
    Some(file.path().to_owned())
}

/// The folder for what the app of this name keeps; `None` where the system has no place for it.
#[cfg(feature = "app")]
#[must_use]
pub fn data_folder(id: &str) -> Option<std::path::PathBuf> {
    let folder = eframe::storage_dir(id)?;
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder)
}

/// What a file holds.
///
/// # Errors
/// The file system's.
pub fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// What a file holds, if it is no longer than `most` bytes.
///
/// # Errors
/// The file system's; [`std::io::ErrorKind::FileTooLarge`].
pub fn read_file_up_to(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // A length from the file's metadata would be wrong for pipes and devices.
    std::fs::File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let text = format!("it has more than {}", crate::units::Bytes(most));
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
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

/// A file beside `path` with the permissions of the file there, else with those of any new file.
fn new_file(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = std::fs::metadata(path).map(|meta| meta.permissions());
        // The process's umask takes away from these.
        builder.permissions(permissions.unwrap_or_else(|_| std::fs::Permissions::from_mode(0o666)));
    }
    builder.tempfile_in(folder(path))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What the operating system says of itself: name and version, processor, main memory in bytes, power supply.
#[cfg(feature = "gpu")]
#[must_use]
pub fn host() -> super::HostFacts {
    let os = sysinfo::System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned());
    let mut facts =
        super::HostFacts { os, power: power_supply(Path::new("/sys/class/power_supply")), ..Default::default() };
    if let Ok(mut system) = sysinfo::System::new() {
        system.refresh_memory();
        system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
        facts.cpu = system.cpus().first().map_or_else(String::new, |cpu| cpu.brand().trim().to_owned());
        facts.memory_bytes = system.total_memory();
    }
    facts
}

/// `mains` or `battery` from Linux's power supply folder; `None` where there is none.
#[cfg(feature = "gpu")]
fn power_supply(folder: &Path) -> Option<String> {
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let supplies = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut states = supplies.filter_map(|supply| {
        match (read(supply.join("type"))?.as_str(), read(supply.join("online")), read(supply.join("status"))) {
            ("Mains", Some(online), _) if online == "1" => Some("mains"),
            ("Battery", _, Some(status)) if status == "Discharging" => Some("battery"),
            _ => None,
        }
    });
    states.next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_everything_in_order() {
        for count in [0, 1, 5, 64, 1000] {
            let parts = in_parallel(count, 4, |range| range.collect::<Vec<_>>()).unwrap();
            assert_eq!(parts.concat(), (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_part_that_panics_is_not_lost() {
        assert_eq!(in_parallel(100, 1, |range| assert!(!range.contains(&99), "on purpose")), None);
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
