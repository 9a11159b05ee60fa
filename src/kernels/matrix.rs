//! `traverse`, `transpose`, `transpose_tiled`: the same matrix along and against the grain.

use super::{Counts, Draft, Kernel, Oracle, Parameter, Params, Reach, Refusal, Setting, input, output, word_index};
use crate::program::Scalar;
use crate::record::Work;

/// A matrix summed along rows or down columns.
pub(super) const TRAVERSE: Kernel = Kernel {
    id: "traverse",
    family: "patterns",
    question: "The same matrix, the same loads: what does it cost to give each lane a row instead of a column?",
    wgsl: include_str!("../../shaders/patterns/traverse.wgsl"),
    parameters: &[
        Parameter::words(
            "lanes_own",
            "what a lane sums: neighbours then read neighbours, or a row apart",
            &["columns", "rows"],
        ),
        Parameter::numbers("columns", "of the matrix: the stride between rows", &[256, 512, 1024, 2048, 4096], 1024),
        Parameter::numbers(
            "workgroup",
            "lanes of a workgroup, and the side of its square block",
            &[32, 64, 128, 256],
            256,
        ),
    ],
    primary: "matrix",
    counts: Counts::Bytes,
    draft: traverse,
};

/// A transpose straight from memory to memory.
pub(super) const TRANSPOSE: Kernel = Kernel {
    id: "transpose",
    family: "patterns",
    question: "A transpose must read or write against the grain: which is worse?",
    wgsl: include_str!("../../shaders/patterns/transpose.wgsl"),
    parameters: &[Parameter::words("strided", "the side that runs down columns", &["read", "write"])],
    primary: "source",
    counts: Counts::Bytes,
    draft: |params, setting| {
        let strided = params.word("strided") == "read";
        transposed(TRANSPOSE.wgsl, ("read_strided", f64::from(u8::from(strided))), setting)
    },
};

/// A transpose through workgroup memory.
pub(super) const TRANSPOSE_TILED: Kernel = Kernel {
    id: "transpose_tiled",
    family: "patterns",
    question: "A transpose through workgroup memory reads and writes along rows: what do bank conflicts and one \
               padding column do?",
    wgsl: include_str!("../../shaders/patterns/transpose_tiled.wgsl"),
    parameters: &[Parameter::range("padding", "floats added to each row of the tile", 0, 8, 1)],
    primary: "source",
    counts: Counts::Bytes,
    draft: |params, setting| {
        transposed(TRANSPOSE_TILED.wgsl, ("pitch", f64::from(params.number("padding")) + TILE as f64), setting)
    },
};

/// Side of the tiles of both transposes.
const TILE: u64 = 32;
/// Their lanes: each moves four elements of its tile.
const TRANSPOSE_LANES: u32 = 256;

fn traverse(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let side = u64::from(params.number("workgroup"));
    let columns = u64::from(params.number("columns"));
    let by_row = params.word("lanes_own") == "rows";
    let rows = setting.footprint_bytes / 4 / columns / side * side;
    if rows == 0 {
        return Err(Refusal(format!(
            "the footprint of {} bytes holds no block of {side} rows of {columns} columns: take at least {}",
            setting.footprint_bytes,
            4 * side * columns
        )));
    }
    let (count, groups) = (rows * columns, rows / side * (columns / side));
    let contents = setting.contents(0);
    let expected = {
        let contents = contents.clone();
        move |word: u64| {
            let (group, lane) = (word / side, word % side);
            let (block_row, block_column) = (group / (columns / side), group % (columns / side));
            (0..side)
                .map(|step| if by_row { (lane, step) } else { (step, lane) })
                .map(|(row, column)| (block_row * side + row) * columns + block_column * side + column)
                .fold(0u32, |sum, at| sum.wrapping_add(contents.word(word_index(at))))
        }
    };
    Ok(Draft {
        wgsl: TRAVERSE.wgsl.to_owned(),
        constants: vec![("by_row", f64::from(u8::from(by_row)))],
        workgroup: params.number("workgroup"),
        groups,
        buffers: vec![input("matrix", count * 4, contents), output("sums", groups * side * 4)],
        uniforms: vec![("columns", Scalar::U32(params.number("columns")))],
        phases: Vec::new(),
        keeps: true,
        reach: vec![
            Reach { buffer: "matrix", max_index: count - 1, pitch: 4 },
            Reach { buffer: "sums", max_index: groups * side - 1, pitch: 4 },
        ],
        work: Work {
            requested_bytes: count * 4,
            bytes_read: count * 4,
            footprint_bytes: count * 4,
            useful_loads: count,
            held: "loads".into(),
            ..Work::default()
        },
        touched_bytes: count * 4,
        oracle: Oracle::new("sums", groups * side, expected),
        features: Vec::new(),
    })
}

fn transposed(wgsl: &str, constant: (&'static str, f64), setting: &Setting) -> Result<Draft, Refusal> {
    let n = (setting.footprint_bytes / 8).isqrt() / TILE * TILE;
    if n == 0 {
        return Err(Refusal(format!(
            "the footprint of {} bytes holds no pair of {TILE} x {TILE} matrices: take at least {}",
            setting.footprint_bytes,
            8 * TILE * TILE
        )));
    }
    let bytes = n * n * 4;
    let contents = setting.contents(0);
    let expected = {
        let contents = contents.clone();
        move |word: u64| contents.word(word_index(word % n * n + word / n))
    };
    let reach = |buffer| Reach { buffer, max_index: n * n - 1, pitch: 4 };
    Ok(Draft {
        wgsl: wgsl.to_owned(),
        constants: vec![constant],
        workgroup: TRANSPOSE_LANES,
        groups: (n / TILE) * (n / TILE),
        buffers: vec![input("source", bytes, contents), output("destination", bytes)],
        uniforms: vec![("n", Scalar::U32(word_index(n)))],
        phases: Vec::new(),
        keeps: false,
        reach: vec![reach("source"), reach("destination")],
        work: Work {
            requested_bytes: 2 * bytes,
            bytes_read: bytes,
            bytes_written: bytes,
            footprint_bytes: 2 * bytes,
            useful_loads: n * n,
            held: "loads".into(),
            ..Work::default()
        },
        touched_bytes: 2 * bytes,
        oracle: Oracle::new("destination", n * n, expected),
        features: Vec::new(),
    })
}
