//! JSON values laid out into the bytes of a WGSL type.

use serde_json::Value;

use crate::shader::{Member, ScalarType, Type, column_stride};
use crate::suggest;

/// What does not fit, and where in the value.
struct Problem {
    /// As one would write it in WGSL behind the variable: `.dims[2]`.
    place: String,
    what: String,
}

impl Problem {
    fn new(what: impl Into<String>) -> Self {
        Self { place: String::new(), what: what.into() }
    }

    fn within(mut self, step: &str) -> Self {
        self.place.insert_str(0, step);
        self
    }
}

/// The bytes of a value; an array without a count takes as many elements as are given.
pub(super) fn bytes(ty: &Type, value: &Value) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; size(ty, value)];
    put(ty, value, &mut bytes).map_err(|problem| match problem.place.as_str() {
        "" => problem.what,
        place => format!("{}: {}", place.trim_start_matches('.'), problem.what),
    })?;
    Ok(bytes)
}

/// The bytes of a type in which every number is the same small integer.
pub(super) fn same(ty: &Type, number: u32) -> Vec<u8> {
    let mut bytes = vec![0; ty.bytes() as usize];
    spread(ty, number, &mut bytes);
    bytes
}

fn size(ty: &Type, value: &Value) -> usize {
    let Some((offset, stride)) = ty.runtime_array() else { return ty.bytes() as usize };
    let list = match ty {
        Type::Struct { members, .. } => members.last().and_then(|last| value.get(&last.name)),
        _ => Some(value),
    };
    let count = list.and_then(Value::as_array).map_or(0, Vec::len).max(1);
    (offset as usize + count * stride as usize).max(ty.bytes() as usize)
}

fn spread(ty: &Type, number: u32, out: &mut [u8]) {
    match ty {
        Type::Scalar(scalar) | Type::Atomic(scalar) => {
            // A small integer fits every type.
            let _fits = put_scalar(*scalar, &Value::from(number), out);
        }
        Type::Vector { lanes, scalar } => {
            parts(out, scalar.bytes(), *lanes).for_each(|part| spread(&Type::Scalar(*scalar), number, part));
        }
        Type::Matrix { columns, rows, scalar } => {
            let column = Type::Vector { lanes: *rows, scalar: *scalar };
            parts(out, column_stride(*rows, *scalar), *columns).for_each(|part| spread(&column, number, part));
        }
        Type::Array { element, count, stride } => {
            parts(out, *stride, count.unwrap_or(1)).for_each(|part| spread(element, number, part));
        }
        Type::Struct { members, .. } => {
            for member in members {
                spread(&member.ty, number, out.get_mut(member.offset as usize..).unwrap_or_default());
            }
        }
        Type::Other(_) => {}
    }
}

/// `count` parts behind each other.
fn parts(out: &mut [u8], stride: u32, count: u32) -> impl Iterator<Item = &mut [u8]> {
    out.chunks_mut(stride.max(1) as usize).take(count as usize)
}

fn put(ty: &Type, value: &Value, out: &mut [u8]) -> Result<(), Problem> {
    match ty {
        Type::Scalar(scalar) | Type::Atomic(scalar) => put_scalar(*scalar, value, out).map_err(Problem::new),
        Type::Vector { lanes, scalar } => {
            list(value, ty, Some(*lanes), "numbers", out, scalar.bytes(), &Type::Scalar(*scalar))
        }
        Type::Matrix { columns, rows, scalar } => {
            let column = Type::Vector { lanes: *rows, scalar: *scalar };
            list(value, ty, Some(*columns), "columns", out, column_stride(*rows, *scalar), &column)
        }
        Type::Array { element, count, stride } => list(value, ty, *count, "elements", out, *stride, element),
        Type::Struct { name, members, .. } => put_struct(name, members, value, out),
        Type::Other(kind) => Err(Problem::new(format!("no value can be given for a {kind}"))),
    }
}

fn list(
    value: &Value,
    ty: &Type,
    count: Option<u32>,
    parts_name: &str,
    out: &mut [u8],
    stride: u32,
    element: &Type,
) -> Result<(), Problem> {
    let wanted = count.map_or_else(String::new, |count| format!("{count} "));
    let Some(values) = value.as_array() else {
        return Err(Problem::new(format!("{} is not a list of {wanted}{parts_name}, as {ty} needs", short(value))));
    };
    let fits = count.map_or(!values.is_empty(), |count| values.len() == count as usize);
    if !fits {
        return Err(Problem::new(format!(
            "{} {parts_name} are given, {ty} needs {}",
            values.len(),
            match count {
                Some(count) => count.to_string(),
                None => "at least 1".to_owned(),
            }
        )));
    }
    for ((k, value), out) in values.iter().enumerate().zip(out.chunks_mut(stride.max(1) as usize)) {
        put(element, value, out).map_err(|problem| problem.within(&format!("[{k}]")))?;
    }
    Ok(())
}

/// Whether a member only fills a gap: its value may be left out.
fn is_padding(name: &str) -> bool {
    let rest = name.trim_start_matches('_');
    rest.len() < name.len()
        || rest
            .strip_prefix("padding")
            .or_else(|| rest.strip_prefix("pad"))
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '_'))
}

fn put_struct(name: &str, members: &[Member], value: &Value, out: &mut [u8]) -> Result<(), Problem> {
    let list = || {
        let members: Vec<String> = members.iter().map(|member| format!("{}: {}", member.name, member.ty)).collect();
        format!("the members of {name} are {}", members.join(", "))
    };
    let Some(values) = value.as_object() else {
        return Err(Problem::new(format!("{} gives no values by member names; {}", short(value), list())));
    };
    let names = || members.iter().map(|member| member.name.as_str());
    if let Some(unknown) = values.keys().find(|key| !names().any(|name| name == key.as_str())) {
        let near = suggest::hint(unknown, names());
        return Err(Problem::new(format!("there is no member '{unknown}'{near}; {}", list())));
    }
    let missing: Vec<&str> = names().filter(|name| !values.contains_key(*name) && !is_padding(name)).collect();
    if !missing.is_empty() {
        let (word, verb) = if missing.len() == 1 { ("member", "has") } else { ("members", "have") };
        return Err(Problem::new(format!("{word} {} {verb} no value; {}", missing.join(", "), list())));
    }
    for member in members {
        let Some(value) = values.get(&member.name) else { continue };
        let out = out.get_mut(member.offset as usize..).unwrap_or_default();
        put(&member.ty, value, out).map_err(|problem| problem.within(&format!(".{}", member.name)))?;
    }
    Ok(())
}

/// A value as it stands in a message.
fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 { text } else { format!("{}..", text.chars().take(38).collect::<String>()) }
}

fn put_scalar(scalar: ScalarType, value: &Value, out: &mut [u8]) -> Result<(), String> {
    let bits = bits(scalar, value)?.to_le_bytes();
    let width = scalar.bytes() as usize;
    let slot = out.get_mut(..width).ok_or_else(|| format!("a {scalar} lies outside of its variable"))?;
    slot.copy_from_slice(&bits[..width]);
    Ok(())
}

/// The bits of a number; floats also as "inf", "-inf", "nan", integers also as "0x1F".
fn bits(scalar: ScalarType, value: &Value) -> Result<u64, String> {
    let Some((least, most)) = scalar.integers() else {
        let number = float(value).ok_or_else(|| format!("{} is no {scalar}", short(value)))?;
        return if scalar.float(number).is_finite() || !number.is_finite() {
            Ok(scalar.float_bits(number))
        } else {
            Err(format!("{} is too large for {scalar}", short(value)))
        };
    };
    let number = integer(value).ok_or_else(|| format!("{} is no {scalar}", short(value)))?;
    let fits = (least..=most).contains(&number);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the lower bytes are what counts")]
    if fits { Ok(number as u64) } else { Err(format!("{number} is no {scalar}: it holds {least} to {most}")) }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => {
            let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
            // 1e3 is a float to JSON and a whole number to its author.
            #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^127")]
            let truncated = |float: f64| float as i128;
            whole.or_else(|| number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30).map(truncated))
        }
        Value::String(text) => i128::from_str_radix(text.strip_prefix("0x")?, 16).ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            "nan" => Some(f64::NAN),
            _ => None,
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
