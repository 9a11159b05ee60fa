//! The matmul ladder: C = A x B, row-major, in f32 (the last rung: of f16 inputs); each rung differs from the one before
//! by one idea.

mod cooperative;
mod lines;
mod prefetch;
mod rungs;

pub(super) use cooperative::COOPERATIVE;
pub(super) use prefetch::PREFETCH;
pub(super) use rungs::{NAIVE, REGISTER, REGISTER_1D, TILED, UNCOALESCED, VEC4, VEC4_PADDED};

use super::product::{Product, REAL_DEPTH, Shape};
use super::{Draft, Fill, Oracle, Parameter, Params, Reach, Refusal, Setting, input, output, word_index};
use crate::contents::Contents;
use crate::program::{Matrices, Scalar};
use crate::record::Work;

/// The folder of the ladder's texts, and what its kernels have in common.
pub const FAMILY: &str = "matmul";

/// Most rows, columns or depth: the exact sums stay far below 2^24, and indices below 2^32.
const MOST: u32 = 16_384;

const SIZE: Parameter = Parameter::range(
    "size",
    "rows, columns and depth; 0: 2048, or 256 on a processor, or less where that takes too long",
    0,
    MOST,
    0,
);
const M: Parameter = Parameter::range("m", "rows of A and C, where they differ from size; 0: size", 0, MOST, 0);
const N: Parameter = Parameter::range("n", "columns of B and C, where they differ from size; 0: size", 0, MOST, 0);
const K: Parameter =
    Parameter::range("k", "columns of A and rows of B, where they differ from size; 0: size", 0, MOST, 0);

/// Rows, columns and depth where nobody says: of a GPU, and of a processor, which is a thousand times slower.
pub const LARGE: u32 = 2048;
/// See [`LARGE`].
pub const SMALL: u32 = 256;

/// Whether rows, columns and depth are all given.
#[must_use]
pub fn has_own_size(params: &Params) -> bool {
    let given = |name| params.number(name) > 0;
    given("size") || ["m", "n", "k"].into_iter().all(given)
}

/// The product that parameters and setting ask for.
fn shape(params: &Params, setting: &Setting) -> Shape {
    let or = |name: &str, other: u64| match u64::from(params.number(name)) {
        0 => other,
        number => number,
    };
    let size = or("size", setting.size.into());
    Shape { m: or("m", size), n: or("n", size), k: or("k", size) }
}

/// What a rung does where the product is not a multiple of its tile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edges {
    /// The text guards every access.
    Guarded,
    /// It refuses.
    Whole,
    /// Matrices are stored with rows and columns of zeros around them.
    Padded,
}

/// What the text of a rung needs around it.
struct Rung {
    wgsl: String,
    /// Constants beside `m`, `n` and `k`.
    constants: Vec<(&'static str, f64)>,
    /// Which of `m`, `n`, `k` the text has as constants.
    sizes: &'static [&'static str],
    workgroup: u32,
    /// The tile of a workgroup.
    tile: Shape,
    edges: Edges,
    /// Elements of a load from memory: 1 or 4.
    width: u32,
    /// The matrices that subgroups multiply, for the rung that has them: they say what a and b are made of.
    cooperative: Option<Matrices>,
    /// Columns of a and rows of b that are loaded once more than needed: the prefetch past the end.
    extra_k: u64,
    /// Whether tiles go through workgroup memory; else each lane loads all that it multiplies.
    tiled: bool,
}

/// The draft of a rung.
fn draft(rung: Rung, params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let shape = shape(params, setting);
    let Shape { m, n, k } = shape;
    let tile = rung.tile;
    let stored = match rung.edges {
        Edges::Guarded => shape,
        Edges::Whole => whole(shape, tile)?,
        Edges::Padded => {
            Shape { m: m.next_multiple_of(tile.m), n: n.next_multiple_of(tile.n), k: k.next_multiple_of(tile.k) }
        }
    };
    let (down, across) = (stored.m.div_ceil(tile.m), stored.n.div_ceil(tile.n));
    let input_bytes = rung.cooperative.map_or(4, Matrices::input_bytes);
    let each = u64::from(input_bytes);
    let [a_bytes, b_bytes, c_bytes] = [each * stored.m * stored.k, each * stored.k * stored.n, 4 * stored.m * stored.n];
    let a = integers(setting, 0, [m, k, stored.k], input_bytes);
    let b = integers(setting, 1, [k, n, stored.n], input_bytes);
    let loaded = stored.k + rung.extra_k;
    let bytes_read = if rung.tiled { each * loaded * (stored.m * across + stored.n * down) } else { 8 * m * n * k };
    let depth = k.min(REAL_DEPTH);
    let product = Product::new(shape, stored, a.clone(), b.clone()).with_reals(
        depth,
        reals(setting, 2, [m, depth, stored.k], input_bytes),
        reals(setting, 3, [depth, n, stored.n], input_bytes),
    );
    let expected = product.clone();
    let mut constants = rung.constants;
    let sizes = [("m", stored.m), ("n", stored.n), ("k", stored.k)];
    constants
        .extend(sizes.iter().filter(|(name, _)| rung.sizes.contains(name)).map(|(name, size)| (*name, *size as f64)));
    // What the tiles cover, of which guards leave what is there.
    let covered = |tiles: u64, side: u64, size: u64| {
        if rung.edges == Edges::Guarded { size.min(tiles * side) } else { tiles * side }
    };
    let (rows, columns) = (covered(down, tile.m, m), covered(across, tile.n, n));
    let deep = covered(stored.k.div_ceil(tile.k), tile.k, k);
    let reach = |buffer, [rows, columns, pitch]: [u64; 3], element_bytes: u32, width: u32| Reach {
        buffer,
        max_index: ((rows - 1) * pitch + columns - 1) / u64::from(width),
        pitch: element_bytes * width,
    };
    // A subgroup stores a matrix from the place of its first float.
    let stored_width = if rung.cooperative.is_some() { 1 } else { rung.width };
    let footprint_bytes = a_bytes + b_bytes + c_bytes;
    Ok(Draft {
        wgsl: rung.wgsl,
        constants,
        workgroup: rung.workgroup,
        groups: down * across,
        buffers: vec![input("a", a_bytes, a), input("b", b_bytes, b), output("c", c_bytes)],
        uniforms: Vec::<(&str, Scalar)>::new(),
        phases: Vec::new(),
        keeps: false,
        reach: vec![
            reach("a", [rows, deep, stored.k], input_bytes, rung.width),
            reach("b", [deep, columns, stored.n], input_bytes, rung.width),
            reach("c", [rows, columns, stored.n], 4, stored_width),
        ],
        work: Work {
            requested_bytes: bytes_read + c_bytes,
            bytes_read,
            bytes_written: c_bytes,
            flop: 2 * shape.fma(),
            footprint_bytes,
            useful_loads: (a_bytes + b_bytes) / each,
            held: "footprint".into(),
            ..Work::default()
        },
        touched_bytes: footprint_bytes,
        oracle: Oracle { product: Some(product), ..Oracle::new("c", c_bytes / 4, move |word| expected.word(word)) },
        features: rung.cooperative.map_or_else(Vec::new, |matrices| matrices.features().to_vec()),
    })
}

/// The shape, if it is made of whole tiles.
fn whole(shape: Shape, tile: Shape) -> Result<Shape, Refusal> {
    let sides = [("m", shape.m, tile.m), ("n", shape.n, tile.n), ("k", shape.k, tile.k)];
    match sides.iter().find(|(_, size, side)| !size.is_multiple_of(*side)) {
        None => Ok(shape),
        Some((name, size, side)) => Err(Refusal(format!(
            "{name} = {size} is no multiple of {side}: this rung takes whole tiles of m x n x k = {} x {} x {}; matmul_tiled, \
             matmul_vec4_padded and matmul_prefetch take any size",
            tile.m, tile.n, tile.k
        ))),
    }
}

/// A factor: small integers whatever the run's fill is, for exact answers; zeros where zeros are asked for.
fn integers(setting: &Setting, which: u32, [rows, columns, pitch]: [u64; 3], element_bytes: u32) -> Contents {
    let [rows, columns, pitch] = [rows, columns, pitch].map(word_index);
    let seed = setting.seed.wrapping_add(which);
    match setting.fill {
        Fill::Zero => Contents::Zero,
        Fill::Random | Fill::Index if element_bytes == 2 => Contents::HalfIntegers { seed, rows, columns, pitch },
        Fill::Random | Fill::Index => Contents::Integers { seed, rows, columns, pitch },
    }
}

/// A factor of random reals, which shows how the text rounds.
fn reals(setting: &Setting, which: u32, [rows, columns, pitch]: [u64; 3], element_bytes: u32) -> Contents {
    let [rows, columns, pitch] = [rows, columns, pitch].map(word_index);
    let seed = setting.seed.wrapping_add(which);
    if element_bytes == 2 {
        Contents::HalfReals { seed, rows, columns, pitch }
    } else {
        Contents::Reals { seed, rows, columns, pitch }
    }
}
