//! The bytes of a file as a text, or why they are none.

use super::ShaderError;

/// Most bytes of a text: ten times the largest kernel that was met.
pub const MOST_BYTES: usize = 1 << 20;

/// The text of a shader's file.
///
/// # Errors
/// Too many bytes; bytes that are no UTF-8 text, with the first that is wrong.
pub fn decode(bytes: &[u8]) -> Result<&str, ShaderError> {
    let binary = |what: String| Err(ShaderError::Binary(what));
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return binary("it is UTF-16; save it as UTF-8".to_owned());
    }
    let sample = &bytes[..bytes.len().min(MOST_BYTES)];
    if let Some(at) = sample.iter().position(|byte| *byte == 0) {
        return binary(format!("byte {at} is zero, as in binary files"));
    }
    if bytes.len() > MOST_BYTES {
        return Err(ShaderError::TooLarge { bytes: bytes.len() });
    }
    std::str::from_utf8(bytes).or_else(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        binary(format!("byte {at} (0x{byte:02X}) is no UTF-8; save it as UTF-8"))
    })
}
