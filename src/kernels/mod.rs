//! The registry: one entry a kernel beside one file in `shaders/`.
//!
//! To add a kernel: write `shaders/<family>/<id>.wgsl`, whose first line is the question it answers as a comment, and
//! a constant [`Kernel`] in the file of its family here, named in [`ALL`]. A test walks both ways. Its uniform block begins
//! with `groups` and `first_group`, by which a long run is split.

mod compute;
mod cooperative;
pub mod element;
mod indexed;
pub mod matmul;
mod matrix;
mod parameter;
mod presets;
pub mod product;
mod read;
mod stream;
pub mod suite;
mod tiled;

pub use parameter::{Domain, Parameter, Params, Value};
pub use presets::{PRESETS, Preset};

pub use product::Product;

use std::sync::Arc;

use crate::contents::Contents;
use crate::program::{Buffer, Feature, Limits, Scalar};
use crate::record::Work;

/// Every kernel, in the order of lists and suites.
pub const ALL: &[&Kernel] = &[
    &read::READ,
    &stream::COPY,
    &stream::WRITE,
    &stream::TRIAD,
    &stream::VECTOR_ADD,
    &compute::FMA,
    &cooperative::FMA_COOPERATIVE,
    &matrix::TRAVERSE,
    &matrix::TRANSPOSE,
    &matrix::TRANSPOSE_TILED,
    &indexed::GATHER,
    &indexed::ROWS,
    &tiled::TILED_COPY,
    &matmul::UNCOALESCED,
    &matmul::NAIVE,
    &matmul::TILED,
    &matmul::REGISTER_1D,
    &matmul::REGISTER,
    &matmul::VEC4,
    &matmul::VEC4_PADDED,
    &matmul::PREFETCH,
    &matmul::COOPERATIVE,
];

/// A kernel of the registry.
#[derive(Debug)]
pub struct Kernel {
    /// Stable name: the stem of its file.
    pub id: &'static str,
    /// The folder of its file.
    pub family: &'static str,
    /// The question that it answers.
    pub question: &'static str,
    /// Its WGSL with default parameters.
    pub wgsl: &'static str,
    /// Its knobs.
    pub parameters: &'static [Parameter],
    /// The variable whose costliest access a row's figures are of.
    pub primary: &'static str,
    /// What its speed is counted in.
    pub counts: Counts,
    /// The text and everything around it for given parameters.
    pub draft: fn(&Params, &Setting) -> Result<Draft, Refusal>,
}

/// What a kernel's speed is counted in, beside GB/s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// Bytes only.
    Bytes,
    /// Also elements a second.
    Elements,
    /// Floating-point operations: memory is not asked for anything.
    Operations,
    /// Floating-point operations of a matrix product, which uses what it loads many times.
    Products,
}

/// What a plan is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Bytes of all large buffers of a kernel together.
    pub footprint_bytes: u64,
    /// The device's limits.
    pub limits: Limits,
    /// Seed of the contents.
    pub seed: u32,
    /// What input buffers hold.
    pub fill: Fill,
    /// Rows, columns and depth of matrix products where nobody says.
    pub size: u32,
}

/// What input buffers hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fill {
    /// Random bits with moderate exponents: nothing that hardware could compress.
    #[default]
    Random,
    /// Zeros.
    Zero,
    /// 0, 1, .. 1023, again and again.
    Index,
}

impl Fill {
    /// Its name in options and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Zero => "zero",
            Self::Index => "index",
        }
    }
}

impl Setting {
    /// The contents of an input buffer; `which` tells several inputs of a kernel apart.
    #[must_use]
    pub fn contents(&self, which: u32) -> Contents {
        match self.fill {
            Fill::Random => Contents::Random { seed: self.seed.wrapping_add(which) },
            Fill::Zero => Contents::Zero,
            Fill::Index => Contents::Index,
        }
    }
}

/// Why a kernel cannot be had with these parameters; the row is `unsupported` with this reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

/// What a kernel says of itself for given parameters; the layer above makes a plan of it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The WGSL text.
    pub wgsl: String,
    /// WGSL `override`s other than `workgroup`.
    pub constants: Vec<(&'static str, f64)>,
    /// Lanes of a workgroup.
    pub workgroup: u32,
    /// Workgroups with work, before the grid is folded.
    pub groups: u64,
    /// Storage buffers in binding order.
    pub buffers: Vec<Buffer>,
    /// Uniform values other than `groups`.
    pub uniforms: Vec<(&'static str, Scalar)>,
    /// What each further timed dispatch changes.
    pub phases: Vec<Vec<(&'static str, Scalar)>>,
    /// Whether the shader stores only results of at least `store_from`: a condition on the result itself, so that no
    /// compiler may move the loads behind it.
    pub keeps: bool,
    /// The largest index that each buffer's elements are reached by, with the size of an element.
    pub reach: Vec<Reach>,
    /// What one dispatch does.
    pub work: Work,
    /// Bytes touched from one visit of a byte to the next, over all phases, with granules of at most 128 bytes.
    pub touched_bytes: u64,
    /// What must come out.
    pub oracle: Oracle,
    /// What the device must offer.
    pub features: Vec<Feature>,
}

/// The proof obligation of an unchecked run: the largest element index of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The WGSL variable.
    pub buffer: &'static str,
    /// The largest index that any lane forms, also before multiplication by a smaller factor.
    pub max_index: u64,
    /// Bytes from one element to the next.
    pub pitch: u32,
}

/// The words that a run must leave in its output buffer. It is made from the parameters and never sees the WGSL.
#[derive(Clone)]
pub struct Oracle {
    /// The output's WGSL variable.
    pub buffer: &'static str,
    /// Its size in words.
    pub words: u64,
    /// Word `i` of it; [`crate::contents::POISON`] where nothing is stored.
    pub expected: Arc<dyn Fn(u64) -> u32 + Send + Sync>,
    /// Where the output is a matrix product, what it is the product of: it can be checked without multiplying.
    pub product: Option<Product>,
}

impl Oracle {
    /// The oracle of a buffer of so many words.
    #[must_use]
    pub fn new(buffer: &'static str, words: u64, expected: impl Fn(u64) -> u32 + Send + Sync + 'static) -> Self {
        Self { buffer, words, expected: Arc::new(expected), product: None }
    }
}

impl std::fmt::Debug for Oracle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Oracle").field("buffer", &self.buffer).field("words", &self.words).finish_non_exhaustive()
    }
}

impl Kernel {
    /// Every parameter at its default.
    #[must_use]
    pub fn defaults(&self) -> Params {
        Params::defaults(self.parameters)
    }

    /// The parameter of a name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The WGSL text for these parameters.
    ///
    /// # Errors
    /// Where the kernel cannot be had with them.
    pub fn source(&self, params: &Params) -> Result<String, Refusal> {
        let setting = Setting {
            footprint_bytes: 1 << 22,
            limits: Limits::WITHOUT_DEVICE,
            seed: 0,
            fill: Fill::default(),
            size: matmul::SMALL,
        };
        (self.draft)(params, &setting).map(|draft| draft.wgsl)
    }
}

/// The kernel of an id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Kernel> {
    ALL.iter().copied().find(|kernel| kernel.id == id)
}

/// An output buffer of a kernel.
fn output(name: &str, bytes: u64) -> Buffer {
    Buffer { name: name.to_owned(), bytes: bytes.next_multiple_of(4), contents: Contents::Poison, written: true }
}

/// An input buffer of a kernel.
fn input(name: &str, bytes: u64, contents: Contents) -> Buffer {
    Buffer { name: name.to_owned(), bytes: bytes.next_multiple_of(4), contents, written: false }
}

/// Words as the oracle counts them, in the u32 that buffers are indexed by: plans prove that every index fits.
#[expect(clippy::cast_possible_truncation, reason = "plans prove that indices fit u32")]
const fn word_index(index: u64) -> u32 {
    index as u32
}

/// The WGSL `override` of the kernels whose text depends on how many lanes a subgroup has.
pub const SUBGROUP_SIZE: &str = "subgroup_size";

/// Common parameter: lanes of a workgroup.
const WORKGROUP: Parameter =
    Parameter::numbers("workgroup", "lanes of a workgroup", &[8, 16, 32, 64, 128, 256, 512, 1024], 256);
