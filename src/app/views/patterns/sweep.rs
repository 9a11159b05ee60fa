//! What the plot's axis is, and which patterns stand along it.

use crate::app::forecast::Pattern;
use crate::kernels::{Domain, Kernel, Value};

/// The strides that matter: powers of two, up to eight cache lines.
pub const STRIDES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// The parameter along the axis: the stride, else the first that is one of several numbers.
#[must_use]
pub fn axis(kernel: &Kernel) -> Option<&'static str> {
    let stride = kernel.parameter("stride");
    let of_numbers =
        || kernel.parameters.iter().find(|parameter| matches!(parameter.domain, Domain::Numbers(all) if all.len() > 2));
    stride.or_else(of_numbers).map(|parameter| parameter.name)
}

/// The values along the axis, in ascending order: the detents, and where the pattern stands itself.
#[must_use]
pub fn values(pattern: &Pattern) -> Vec<u32> {
    let Some(parameter) = axis(pattern.kernel).and_then(|name| pattern.kernel.parameter(name)) else {
        return Vec::new();
    };
    let mut values = match parameter.domain {
        Domain::Numbers(all) => all.to_vec(),
        Domain::Range(..) | Domain::Words(_) => STRIDES.to_vec(),
    };
    values.extend(pattern.number(parameter.name));
    values.sort_unstable();
    values.dedup();
    values
}

/// The patterns along the axis; the pattern itself where there is none.
#[must_use]
pub fn patterns(pattern: &Pattern) -> Vec<Pattern> {
    match axis(pattern.kernel) {
        Some(name) => values(pattern).into_iter().map(|value| pattern.with(name, Value::Number(value))).collect(),
        None => vec![pattern.clone()],
    }
}

/// What a sweep is called.
#[must_use]
pub fn title(pattern: &Pattern) -> String {
    let base = axis(pattern.kernel).and_then(|name| {
        let default = pattern.kernel.parameter(name)?.default;
        Some((name, pattern.with(name, default)))
    });
    match base {
        Some((name, base)) => format!("{}, every {}", base.name(), name.replace('_', " ")),
        None => pattern.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;

    #[test]
    fn the_detents_and_the_pattern_itself_stand_along_the_axis() {
        let read = Pattern::of(kernels::by_id("read").unwrap());
        assert_eq!(values(&read), STRIDES);
        let odd = read.with("stride", 500);
        assert_eq!(values(&odd), [1, 2, 4, 8, 16, 32, 64, 500]);
        assert_eq!(title(&odd.with("element", "f16")), "read, f16, every stride");
        assert_eq!(patterns(&read)[3], read.with("stride", 8));
    }

    #[test]
    fn every_kernel_can_be_swept_or_measured() {
        for kernel in kernels::ALL {
            assert!(!patterns(&Pattern::of(kernel)).is_empty(), "{}", kernel.id);
        }
    }
}
