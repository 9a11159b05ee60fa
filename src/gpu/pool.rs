//! Buffers that all programs share. Contents are functions of the word's place, so the largest buffer of some contents
//! serves every smaller one: a program binds just the bytes it asked for. That keeps many programs resident at once,
//! which round-robin sampling needs, and outputs in one place.

use std::collections::BTreeMap;

use super::device::Gpu;
use super::error::GpuError;
use super::fill::Fill;
use crate::contents::Contents;
use crate::program::{Buffer, Program};

/// What lets two programs share a buffer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// Only read, and of these contents: the `n`-th such buffer of its program. Two inputs of one program never share,
    /// else one would be read from the cache that the other filled.
    Input(Contents, usize),
    /// Written before anything depends on it: the `n`-th such buffer of its program.
    Output(usize),
    /// Written, and its contents matter to the run: the `n`-th such buffer of its program.
    InOut(Contents, usize),
}

/// All buffers of a device.
#[derive(Default)]
pub(super) struct Pool {
    buffers: BTreeMap<Key, wgpu::Buffer>,
}

/// One buffer for each of `buffers`, in order; `written` says which are written.
fn keys(buffers: &[Buffer], written: impl Fn(&Buffer) -> bool) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::with_capacity(buffers.len());
    for buffer in buffers {
        let contents = || buffer.contents.clone();
        let key = |n| match (&buffer.contents, written(buffer)) {
            (_, false) => Key::Input(contents(), n),
            (Contents::Poison | Contents::Zero, true) => Key::Output(n),
            (_, true) => Key::InOut(contents(), n),
        };
        let n = (0..).find(|n| !keys.contains(&key(*n))).unwrap_or(buffers.len());
        keys.push(key(n));
    }
    keys
}

impl Key {
    const fn contents(&self) -> &Contents {
        match self {
            Self::Input(contents, _) | Self::InOut(contents, _) => contents,
            Self::Output(_) => &Contents::Poison,
        }
    }
}

impl Gpu {
    /// Allocates and fills at once the buffers that all these programs need, each as large as the largest program
    /// wants it. [`Gpu::prepare`] then finds them; without this it allocates as it goes, and a buffer that has to grow
    /// exists twice while programs of the smaller one are alive.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] with the sum of what was asked for (nothing of it stays allocated), or what
    /// [`Gpu::prepare`] fails with.
    pub async fn reserve(&mut self, programs: &[&Program]) -> Result<(), GpuError> {
        let mut sizes: BTreeMap<Key, u64> = BTreeMap::new();
        for program in programs {
            for (key, buffer) in keys(&program.buffers, |buffer| buffer.written).into_iter().zip(&program.buffers) {
                self.check_size(buffer)?;
                let size = sizes.entry(key).or_default();
                *size = buffer.bytes.max(*size);
            }
        }
        self.allocate(sizes).await
    }

    /// Bytes of all buffers of the pool.
    #[must_use]
    pub fn reserved_bytes(&self) -> u64 {
        self.pool.buffers.values().map(wgpu::Buffer::size).sum()
    }

    /// Lets go of all buffers. Those of programs that are still prepared live on with them.
    pub fn release(&mut self) {
        self.pool.buffers.clear();
        self.staging = None;
    }

    /// The storage buffers of a program, in order; allocated and filled where missing or too small.
    pub(super) async fn buffers(
        &mut self,
        buffers: &[Buffer],
        written: impl Fn(&Buffer) -> bool,
    ) -> Result<Vec<wgpu::Buffer>, GpuError> {
        for buffer in buffers {
            self.check_size(buffer)?;
        }
        let keys = keys(buffers, written);
        let sizes = keys.iter().cloned().zip(buffers.iter().map(|buffer| buffer.bytes)).collect();
        self.allocate(sizes).await?;
        let buffers: Option<Vec<_>> = keys.iter().map(|key| self.pool.buffers.get(key).cloned()).collect();
        buffers.ok_or_else(|| GpuError::Internal("a buffer vanished from the pool".to_owned()))
    }

    fn check_size(&self, buffer: &Buffer) -> Result<(), GpuError> {
        if buffer.bytes == 0 || !buffer.bytes.is_multiple_of(4) {
            return Err(GpuError::Program(format!(
                "buffer `{}` has {} bytes, which is no positive multiple of 4",
                buffer.name, buffer.bytes
            )));
        }
        let limit = self.raw_limits().max_storage_buffer_binding_size.min(self.limits().max_buffer_bytes);
        if buffer.bytes > limit {
            let what = format!("buffer `{}` (bytes)", buffer.name);
            return Err(GpuError::OverLimit { what, wanted: buffer.bytes, limit });
        }
        Ok(())
    }

    async fn allocate(&mut self, mut sizes: BTreeMap<Key, u64>) -> Result<(), GpuError> {
        sizes.retain(|key, bytes| self.pool.buffers.get(key).is_none_or(|buffer| buffer.size() < *bytes));
        if sizes.is_empty() {
            return Ok(());
        }
        // What is too small goes first, so that old and new need not fit side by side.
        self.pool.buffers.retain(|key, _| !sizes.contains_key(key));
        let total = sizes.values().sum();
        if self.hooks.memory_bytes.is_some_and(|limit| self.reserved_bytes() + total > limit) {
            return Err(GpuError::OutOfMemory { bytes: total });
        }
        log::debug!("allocating {total} bytes in {} buffers", sizes.len());
        let create = |(key, bytes): (&Key, &u64)| {
            let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("pool"),
                size: *bytes,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            (key.clone(), buffer)
        };
        let created = self.guarded(total, || sizes.iter().map(create).collect::<Vec<_>>()).await?;
        for (key, buffer) in &created {
            self.fill_and_check(buffer, key.contents()).await.map_err(|error| match error {
                GpuError::OutOfMemory { .. } => GpuError::OutOfMemory { bytes: total },
                error => error,
            })?;
        }
        self.pool.buffers.extend(created);
        Ok(())
    }

    /// Fills a new buffer, which also touches every page, so that no timed pass is the first to use one. Then looks at
    /// its last word: some OpenGL drivers run out of memory without a word, and the buffer is not there.
    async fn fill_and_check(&mut self, buffer: &wgpu::Buffer, contents: &Contents) -> Result<(), GpuError> {
        let bytes = buffer.size();
        Fill::contents(self, buffer, bytes, contents).await?;
        let last = bytes / 4 - 1;
        let found = self.read_buffer(buffer, last..last + 1).await?;
        let expected = u32::try_from(last).map(|last| contents.word(last));
        if expected.is_ok_and(|expected| found.first() != Some(&expected)) {
            return Err(GpuError::OutOfMemory { bytes });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_inputs_of_one_program_do_not_share() {
        let buffer = |contents: Contents, written| Buffer { name: String::new(), bytes: 4, contents, written };
        let random = |seed| Contents::Random { seed };
        let buffers = [
            buffer(random(1), false),
            buffer(random(1), false),
            buffer(random(2), false),
            buffer(Contents::Poison, true),
            buffer(Contents::Zero, true),
            buffer(random(1), true),
        ];
        let expected = [
            Key::Input(random(1), 0),
            Key::Input(random(1), 1),
            Key::Input(random(2), 0),
            Key::Output(0),
            Key::Output(1),
            Key::InOut(random(1), 0),
        ];
        assert_eq!(keys(&buffers, |buffer| buffer.written), expected);
    }
}
