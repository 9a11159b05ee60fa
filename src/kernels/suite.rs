//! Suites: which rows a run has. A suite is a list of [`Choice`]s; footprints other than the run's own are part of it.

use super::{Kernel, Params, Value, by_id};

/// A row that is asked for.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Its parameters.
    pub params: Params,
    /// Its footprint.
    pub footprint: Footprint,
    /// The preset that it belongs to.
    pub preset: Option<&'static str>,
}

/// Bytes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Footprint {
    /// The run's.
    Run,
    /// A quarter, a sixteenth, ..: the run's divided by 4^n, for the cache curve.
    Divided(u32),
    /// Exactly these bytes.
    Bytes(u64),
}

/// The suites, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suite {
    /// A dozen rows: the lesson's table.
    Quick,
    /// Every kernel, strides, offsets, width x items, footprints.
    Standard,
    /// `standard` and more: strides up to 4096, offsets, every element type and number of items, workgroup sizes.
    Full,
    /// The memory patterns of `standard`, without `fma`.
    Patterns,
    /// The matmul ladder, with every padding of its seventh rung.
    Matmul,
}

type Change = (&'static str, Value);

struct Rows(Vec<Choice>);

impl Rows {
    /// A row of a kernel with some parameters changed.
    fn add(&mut self, kernel: &str, changes: &[Change]) {
        self.add_at(kernel, changes, Footprint::Run);
    }

    fn add_at(&mut self, kernel: &str, changes: &[Change], footprint: Footprint) {
        let Some(kernel) = by_id(kernel) else { return };
        let mut params = kernel.defaults();
        for (name, value) in changes {
            params.set(name, *value);
        }
        // Sweeps share rows (stride 1 is in most of them): each is measured once.
        let again = |row: &Choice| row.kernel.id == kernel.id && row.params == params && row.footprint == footprint;
        if !self.0.iter().any(again) {
            self.0.push(Choice { kernel, params, footprint, preset: None });
        }
    }

    /// A row for each value of a parameter.
    fn sweep<V: Into<Value> + Copy>(&mut self, kernel: &str, fixed: &[Change], name: &'static str, values: &[V]) {
        for value in values {
            let changes: Vec<Change> = fixed.iter().copied().chain([(name, (*value).into())]).collect();
            self.add(kernel, &changes);
        }
    }
}

fn number(name: &'static str, value: u32) -> Change {
    (name, Value::Number(value))
}

fn word(name: &'static str, value: &'static str) -> Change {
    (name, Value::Word(value))
}

impl Suite {
    /// Its name in options and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Full => "full",
            Self::Patterns => "patterns",
            Self::Matmul => "matmul",
        }
    }

    /// Its rows.
    #[must_use]
    pub fn rows(self) -> Vec<Choice> {
        let mut rows = Rows(Vec::new());
        match self {
            Self::Quick => quick(&mut rows),
            Self::Standard => {
                patterns(&mut rows);
                compute(&mut rows);
                ladder(&mut rows);
            }
            Self::Full => {
                patterns(&mut rows);
                compute(&mut rows);
                ladder(&mut rows);
                everything(&mut rows);
            }
            Self::Patterns => patterns(&mut rows),
            Self::Matmul => {
                rows.add("fma", &[]);
                rows.add("fma_cooperative", &[]);
                ladder(&mut rows);
                rows.sweep("matmul_vec4_padded", &[], "pad", &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
            }
        }
        rows.0
    }
}

fn quick(rows: &mut Rows) {
    rows.sweep("read", &[], "stride", &[1, 2, 4, 8, 16, 32]);
    rows.sweep("read", &[], "offset", &[1]);
    rows.sweep("read", &[], "items", &[1]);
    rows.add("read", &[word("element", "vec4"), number("items", 2)]);
    rows.add("copy", &[]);
    rows.add("write", &[]);
    rows.sweep("traverse", &[], "lanes_own", &["rows"]);
}

fn patterns(rows: &mut Rows) {
    strides(rows);
    widths(rows);
    streams(rows);
    matrices(rows);
    indexed(rows);
    tiles(rows);
    for division in 1..=4 {
        rows.add_at("read", &[], Footprint::Divided(division));
    }
    for stride in [1, 8, 16, 64] {
        rows.add_at("read", &[number("stride", stride)], Footprint::Bytes(16 << 20));
    }
}

fn strides(rows: &mut Rows) {
    rows.sweep("read", &[], "stride", &[1, 2, 3, 4, 8, 16, 32, 33, 64, 256]);
    rows.sweep("read", &[], "offset", &[1, 8]);
    rows.sweep("read", &[word("element", "f16")], "stride", &[1, 16, 32]);
    rows.sweep("read", &[word("element", "vec4"), number("items", 2)], "stride", &[1, 2, 4]);
}

fn widths(rows: &mut Rows) {
    for element in ["f32", "vec2", "vec4"] {
        rows.sweep("read", &[word("element", element)], "items", &[1, 2, 4, 8]);
    }
    rows.sweep("read", &[number("items", 4)], "order", &["blocked"]);
    rows.sweep("read", &[number("items", 4)], "element", &["u32", "vec3", "vec2h", "vec4h", "f16x8"]);
}

fn streams(rows: &mut Rows) {
    rows.sweep("copy", &[], "items", &[1, 4]);
    rows.add("copy", &[word("element", "vec4"), number("items", 1)]);
    rows.add("copy", &[number("stride", 2)]);
    rows.add("copy", &[number("stride", 8)]);
    rows.sweep("write", &[], "stride", &[1, 8]);
    rows.add("write", &[word("element", "vec4"), number("items", 1)]);
    rows.add("triad", &[]);
    rows.add("vector_add", &[]);
    rows.add("vector_add", &[word("element", "vec4"), number("items", 1)]);
}

fn matrices(rows: &mut Rows) {
    rows.sweep("traverse", &[], "lanes_own", &["columns", "rows"]);
    rows.sweep("transpose", &[], "strided", &["read", "write"]);
    rows.sweep("transpose_tiled", &[], "padding", &[0, 1]);
}

fn indexed(rows: &mut Rows) {
    rows.sweep("gather", &[], "indices", &["identity", "reversed", "xor", "window", "random", "equal"]);
    rows.sweep("rows", &[], "layout", &["aos", "soa"]);
}

fn tiles(rows: &mut Rows) {
    // The same 16 bytes a lane four ways, and one tile whose lanes run down.
    rows.add("tiled_copy", &[number("values_y", 1)]);
    rows.add("tiled_copy", &[number("bits", 32), number("values_x", 4), number("values_y", 1)]);
    rows.add(
        "tiled_copy",
        &[number("bits", 32), number("values_x", 4), number("values_y", 1), word("order", "blocked")],
    );
    rows.add("tiled_copy", &[number("bits", 64), number("values_x", 2), number("values_y", 1)]);
    rows.add("tiled_copy", &[number("bits", 16), number("values_x", 8), number("values_y", 1)]);
    rows.add("tiled_copy", &[number("bits", 32), number("threads_x", 1), number("values_y", 4)]);
}

fn compute(rows: &mut Rows) {
    rows.sweep("fma", &[], "precision", &["f32", "f16"]);
    rows.add("fma_cooperative", &[]);
}

fn ladder(rows: &mut Rows) {
    for kernel in super::ALL.iter().filter(|kernel| kernel.family == super::matmul::FAMILY) {
        rows.add(kernel.id, &[]);
    }
}

fn everything(rows: &mut Rows) {
    let strides = [5, 6, 7, 12, 24, 48, 65, 96, 128, 192, 257, 512, 1024, 1025, 2048, 4096];
    rows.sweep("read", &[], "stride", &strides);
    rows.sweep("read", &[], "offset", &[2, 3, 4, 5, 6, 7, 16, 31, 32]);
    for element in super::element::NAMES {
        rows.sweep("read", &[word("element", element)], "items", &[1, 2, 4, 8, 16]);
        rows.sweep("read", &[word("element", element), number("items", 4)], "stride", &[2, 4, 8, 16]);
    }
    rows.sweep("read", &[word("order", "blocked")], "items", &[2, 4, 8, 16]);
    for kernel in ["read", "copy"] {
        rows.sweep(kernel, &[], "workgroup", &[32, 64, 128, 512, 1024]);
    }
    for kernel in ["copy", "write", "triad", "vector_add"] {
        for element in ["f32", "vec2", "vec4"] {
            rows.sweep(kernel, &[word("element", element)], "items", &[1, 2, 4, 8, 16]);
        }
    }
    for kernel in ["copy", "write"] {
        rows.sweep(kernel, &[], "stride", &[2, 4, 8, 16, 32, 64]);
        rows.sweep(kernel, &[], "offset", &[1, 8]);
    }
    rows.sweep("traverse", &[word("lanes_own", "rows")], "columns", &[256, 4096]);
    rows.sweep("transpose_tiled", &[], "padding", &[2, 4, 8]);
    rows.sweep("rows", &[word("layout", "aos")], "fields", &[2, 4, 16]);
    rows.sweep("rows", &[word("layout", "soa")], "fields", &[2, 4, 16]);
    for threads in [1, 2, 4, 8, 16, 64, 128, 256] {
        rows.sweep("tiled_copy", &[number("threads_x", threads)], "bits", &[32, 128]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_as_large_as_promised() {
        let rows = |suite: Suite| suite.rows().len();
        assert_eq!(rows(Suite::Quick), 12);
        assert!(rows(Suite::Standard) >= 60, "standard has {}", rows(Suite::Standard));
        assert!(rows(Suite::Full) > 2 * rows(Suite::Standard), "full has {}", rows(Suite::Full));
    }

    #[test]
    fn standard_has_every_kernel() {
        let standard = Suite::Standard.rows();
        for kernel in super::super::ALL {
            assert!(standard.iter().any(|row| row.kernel.id == kernel.id), "standard lacks {}", kernel.id);
        }
    }
}
