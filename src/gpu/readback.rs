//! Words from the device to the host, through one staging buffer of bounded size.

use std::ops::Range;

use super::device::Gpu;
use super::error::GpuError;
use super::fill::Fill;
use super::pipeline::Prepared;
use super::wait::once;

/// Size of the staging buffer: what a readback holds on the host side at a time, whatever the buffer's size.
const STAGING_BYTES: u64 = 16 << 20;

impl Gpu {
    /// Words of a buffer of the program, by the name of its variable; `words` counts in 32-bit words.
    ///
    /// # Errors
    /// No such buffer or range, or a lost or hung device.
    pub async fn read_words(
        &mut self,
        prepared: &Prepared,
        buffer: &str,
        words: Range<u64>,
    ) -> Result<Vec<u32>, GpuError> {
        let (buffer, bytes) = prepared.buffer(buffer)?;
        if words.start > words.end || words.end > bytes / 4 {
            return Err(GpuError::Program(format!(
                "words {}..{} of a buffer of {} words",
                words.start,
                words.end,
                bytes / 4
            )));
        }
        let buffer = buffer.clone();
        self.read_buffer(&buffer, words).await
    }

    /// The checksum of all words of a buffer of the program: the wrapping sum of
    /// [`checksum_term`](crate::contents::checksum_term) of each, added up on the device.
    ///
    /// # Errors
    /// No such buffer, or a lost or hung device.
    pub async fn checksum(&mut self, prepared: &Prepared, buffer: &str) -> Result<u32, GpuError> {
        let (buffer, bytes) = prepared.buffer(buffer)?;
        let buffer = buffer.clone();
        Fill::checksum(self, &buffer, bytes).await
    }

    pub(super) async fn read_buffer(&mut self, buffer: &wgpu::Buffer, words: Range<u64>) -> Result<Vec<u32>, GpuError> {
        let staging = self.staging().await?;
        let mut values = Vec::with_capacity(usize::try_from(words.end - words.start).unwrap_or(0));
        let (mut offset, end) = (words.start * 4, words.end * 4);
        while offset < end {
            let bytes = (end - offset).min(STAGING_BYTES);
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(buffer, offset, &staging, 0, bytes);
            self.submit(encoder.finish())?;
            // The mapped bytes need not be aligned to words.
            let part = self.map(&staging, bytes, |bytes| {
                values.extend(bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned::<u32>));
            });
            part.await?;
            offset += bytes;
        }
        Ok(values)
    }

    async fn staging(&mut self) -> Result<wgpu::Buffer, GpuError> {
        if let Some(staging) = &self.staging {
            return Ok(staging.clone());
        }
        let create = || {
            self.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("staging"),
                size: STAGING_BYTES,
                usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        };
        let staging = self.guarded(STAGING_BYTES, create).await?;
        self.staging = Some(staging.clone());
        Ok(staging)
    }

    /// Waits until the first `bytes` of a readable buffer can be read, and lets `read` see them.
    pub(super) async fn map<T>(
        &self,
        buffer: &wgpu::Buffer,
        bytes: u64,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, GpuError> {
        let (sender, receiver) = once();
        let slice = buffer.slice(0..bytes);
        slice.map_async(wgpu::MapMode::Read, move |result| sender.send(result));
        self.receive(receiver).await?.map_err(|error| GpuError::Internal(error.to_string()))?;
        let view = slice.get_mapped_range().map_err(|error| GpuError::Internal(error.to_string()))?;
        let value = read(&view);
        drop(view);
        buffer.unmap();
        Ok(value)
    }
}
