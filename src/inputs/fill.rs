//! What a buffer is to hold, as it is typed, and the contents that this makes of it.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde_json::Value;

use super::json;
use crate::contents::{Contents, Elements, Pattern, Pointing, Rule};
use crate::platform;
use crate::program::Limits;
use crate::shader::{ScalarType, Type};

/// What a storage buffer holds before the run.
#[derive(Debug, Clone, PartialEq)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// Every number is its own place in the buffer, counted in numbers of its size; floats count 0 to 1023 over and
    /// over, which f16 holds exactly.
    Index,
    /// Random bits; floats of moderate size.
    Random,
    /// Uniform in `low..high`, the end excluded.
    Range {
        /// The least.
        low: f64,
        /// The end.
        high: f64,
    },
    /// These values.
    Values(Values),
}

/// Given values.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// By member names, as [`Type`] has them.
    Json(Value),
    /// The bytes of a file; or JSON, if its name ends in `.json`.
    File(PathBuf),
}

impl FromStr for Fill {
    type Err = String;

    /// # Errors
    /// The forms there are.
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "zero" => Self::Zero,
            "index" => Self::Index,
            "random" => Self::Random,
            _ if text.starts_with("file:") || text.starts_with(['[', '{']) => Self::Values(text.parse()?),
            _ => {
                let range = text.strip_prefix("random:").and_then(|range| range.split_once(".."));
                let ends = range.map(|(low, high)| (low.trim().parse(), high.trim().parse()));
                match ends {
                    Some((Ok(low), Ok(high))) => Self::range(low, high)?,
                    _ => {
                        return Err(format!(
                            "'{text}' is no fill: write zero, index, random, random:LO..HI, file:PATH or a list such as \
                             [1, 2, 3]"
                        ));
                    }
                }
            }
        })
    }
}

impl Fill {
    fn range(low: f64, high: f64) -> Result<Self, String> {
        let fits = low.is_finite() && high.is_finite() && low < high;
        if fits { Ok(Self::Range { low, high }) } else { Err(format!("{low}..{high} is empty: write LO..HI, LO < HI")) }
    }

    /// Bytes that the given values take; `None` for a rule that fills any size.
    pub(super) fn given(&self, ty: &Type) -> Result<Option<Vec<u8>>, String> {
        match self {
            Self::Values(values) => values.bytes(ty).map(Some),
            Self::Zero | Self::Index | Self::Random | Self::Range { .. } => Ok(None),
        }
    }

    /// The contents of a buffer of a type by a rule.
    pub(super) fn contents(&self, ty: &Type, seed: u32) -> Result<Contents, String> {
        let elements = |pattern, rule| Ok(Contents::Elements(Arc::new(Elements { pattern, rule })));
        match (self, ty.only_scalar()) {
            (Self::Zero | Self::Values(_), _) => Ok(Contents::Zero),
            (Self::Index, Some(ScalarType::F32)) => Ok(Contents::Index),
            (Self::Index, Some(ScalarType::U32 | ScalarType::I32)) => {
                Ok(Contents::Indices { pointing: Pointing::Identity, count: u32::MAX, seed })
            }
            (Self::Index, _) => elements(pattern(ty)?, Rule::Index),
            (Self::Random, _) => Ok(Contents::Random { seed }),
            (Self::Range { low, high }, _) => {
                let pattern = pattern(ty)?;
                pattern.numbers().try_for_each(|number| number.holds_range(*low, *high))?;
                elements(pattern, Rule::Range { seed, low: low.to_bits(), high: high.to_bits() })
            }
        }
    }
}

impl FromStr for Values {
    type Err = String;

    /// # Errors
    /// A text that is neither JSON nor `file:PATH`.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("file:") {
            return Ok(Self::File(PathBuf::from(path)));
        }
        serde_json::from_str(text).map(Self::Json).map_err(|error| {
            format!("'{}' is neither JSON nor file:PATH: {error}", text.chars().take(40).collect::<String>())
        })
    }
}

impl Values {
    /// The bytes for a type.
    pub(super) fn bytes(&self, ty: &Type) -> Result<Vec<u8>, String> {
        let path = match self {
            Self::Json(value) => return json::bytes(ty, value),
            Self::File(path) => path,
        };
        let of_file = |problem: String| format!("file {}: {problem}", path.display());
        let most = Limits::WITHOUT_DEVICE.max_storage_binding_bytes;
        let bytes = platform::read_file_up_to(path, most).map_err(|error| of_file(error.to_string()))?;
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            let value = serde_json::from_slice(&bytes).map_err(|error| of_file(error.to_string()))?;
            return json::bytes(ty, &value).map_err(of_file);
        }
        if bytes.is_empty() { Err(of_file("it is empty".to_owned())) } else { Ok(bytes) }
    }

    /// The same with a path that starts from a folder.
    pub(super) fn in_folder(self, folder: &Path) -> Self {
        match self {
            Self::File(path) => Self::File(folder.join(path)),
            Self::Json(value) => Self::Json(value),
        }
    }
}

/// Where which numbers lie in a buffer of a type.
fn pattern(ty: &Type) -> Result<Pattern, String> {
    /// Larger elements are for files.
    const MOST_BYTES: u32 = 64 << 10;
    if let Some(scalar) = ty.only_scalar() {
        return Ok(Pattern::of(scalar));
    }
    let (head, period) = match (ty.runtime_array(), ty) {
        (Some((offset, stride)), _) => (offset, stride),
        (None, Type::Array { stride, .. }) => (0, *stride),
        _ => (0, ty.bytes()),
    };
    if head.max(period) > MOST_BYTES {
        let most = MOST_BYTES >> 10;
        return Err(format!("{ty} has elements of over {most} KiB and several number types: fill it from a file"));
    }
    let mut pattern = Pattern::new(head, period);
    place(ty, 0, &mut pattern);
    Ok(pattern)
}

/// Enters the numbers of a type that begins at an offset; of an array at the top only the first element.
fn place(ty: &Type, at: u32, pattern: &mut Pattern) {
    match ty {
        Type::Scalar(scalar) | Type::Atomic(scalar) => pattern.place(at, *scalar),
        Type::Vector { lanes, scalar } => {
            (0..*lanes).for_each(|lane| pattern.place(at + lane * scalar.bytes(), *scalar));
        }
        Type::Matrix { columns, rows, scalar } => {
            let stride = crate::shader::column_stride(*rows, *scalar);
            for column in 0..*columns {
                place(&Type::Vector { lanes: *rows, scalar: *scalar }, at + column * stride, pattern);
            }
        }
        Type::Array { element, count, stride } => {
            for k in 0..count.unwrap_or(1) {
                if !pattern.reaches(at + k * stride) {
                    break;
                }
                place(element, at + k * stride, pattern);
            }
        }
        Type::Struct { members, .. } => {
            members.iter().for_each(|member| place(&member.ty, at + member.offset, pattern));
        }
        Type::Other(_) => {}
    }
}
