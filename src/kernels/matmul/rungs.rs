//! The rungs whose texts are written by hand.

use super::super::{Counts, Draft, Kernel, Parameter, Params, Refusal, Setting};
use super::{Edges, FAMILY, K, M, N, Rung, SIZE, Shape, draft};

const SIDE: Parameter = Parameter::numbers("side", "lanes along the direction of neighbours", &[8, 16, 32, 64], 16);
/// Lanes of the first two rungs.
const LANES: u32 = 256;

/// One output a lane, rows along x.
pub(in super::super) const UNCOALESCED: Kernel = Kernel {
    id: "matmul_uncoalesced",
    family: FAMILY,
    question: "A matrix product, one output a lane, neighbouring lanes one row apart: what does it cost that their loads \
               do not line up?",
    wgsl: include_str!("../../../shaders/matmul/matmul_uncoalesced.wgsl"),
    parameters: &[SIZE, M, N, K, SIDE],
    primary: "a",
    counts: Counts::Products,
    draft: |params, setting| one_output(UNCOALESCED.wgsl, true, params, setting),
};

/// One output a lane, columns along x.
pub(in super::super) const NAIVE: Kernel = Kernel {
    id: "matmul_naive",
    family: FAMILY,
    question: "The same with neighbouring lanes one column apart: what is swapping two indices worth?",
    wgsl: include_str!("../../../shaders/matmul/matmul_naive.wgsl"),
    parameters: &[SIZE, M, N, K, SIDE],
    primary: "b",
    counts: Counts::Products,
    draft: |params, setting| one_output(NAIVE.wgsl, false, params, setting),
};

fn one_output(wgsl: &str, down: bool, params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let side = u64::from(params.number("side"));
    let other = u64::from(LANES) / side;
    let (m, n) = if down { (side, other) } else { (other, side) };
    let rung = Rung {
        wgsl: wgsl.to_owned(),
        constants: vec![("side", side as f64)],
        sizes: &["m", "n", "k"],
        workgroup: LANES,
        tile: Shape { m, n, k: 1 },
        edges: Edges::Guarded,
        width: 1,
        cooperative: None,
        extra_k: 0,
        tiled: false,
    };
    draft(rung, params, setting)
}

/// Tiles in workgroup memory.
pub(in super::super) const TILED: Kernel = Kernel {
    id: "matmul_tiled",
    family: FAMILY,
    question: "A workgroup copies tiles of both matrices into its own memory first: what does it save to load each element \
               once a tile?",
    wgsl: include_str!("../../../shaders/matmul/matmul_tiled.wgsl"),
    parameters: &[SIZE, M, N, K, Parameter::numbers("tile", "side of the tiles", &[8, 16, 32], 16)],
    primary: "b",
    counts: Counts::Products,
    draft: |params, setting| {
        let tile = params.number("tile");
        let side = u64::from(tile);
        let rung = Rung {
            wgsl: TILED.wgsl.to_owned(),
            constants: vec![("tile", f64::from(tile))],
            sizes: &["m", "n", "k"],
            workgroup: tile * tile,
            tile: Shape { m: side, n: side, k: side },
            edges: Edges::Guarded,
            width: 1,
            cooperative: None,
            extra_k: 0,
            tiled: true,
        };
        draft(rung, params, setting)
    },
};

/// A column of outputs in registers.
pub(in super::super) const REGISTER_1D: Kernel = Kernel {
    id: "matmul_register_1d",
    family: FAMILY,
    question: "Each lane computes 8 outputs of a column: what is it worth to use a value from workgroup memory 8 times?",
    wgsl: include_str!("../../../shaders/matmul/matmul_register_1d.wgsl"),
    parameters: &[SIZE, M, N, K],
    primary: "b",
    counts: Counts::Products,
    draft: |params, setting| {
        let rung = Rung { workgroup: 512, tile: Shape { m: 64, n: 64, k: 8 }, ..large(REGISTER_1D.wgsl) };
        draft(rung, params, setting)
    },
};

/// A square of outputs in registers.
pub(in super::super) const REGISTER: Kernel = Kernel {
    id: "matmul_register",
    family: FAMILY,
    question: "Each lane computes 8 x 8 outputs: 16 loads from workgroup memory now feed 64 multiply-adds. Is it \
               arithmetic at last?",
    wgsl: include_str!("../../../shaders/matmul/matmul_register.wgsl"),
    parameters: &[SIZE, M, N, K],
    primary: "b",
    counts: Counts::Products,
    draft: |params, setting| draft(large(REGISTER.wgsl), params, setting),
};

/// Wide loads from workgroup memory.
pub(in super::super) const VEC4: Kernel = Kernel {
    id: "matmul_vec4",
    family: FAMILY,
    question: "The same tile with loads of four floats at a time: what does width buy in workgroup memory?",
    wgsl: include_str!("../../../shaders/matmul/matmul_vec4.wgsl"),
    parameters: &[SIZE, M, N, K],
    primary: "b",
    counts: Counts::Products,
    draft: |params, setting| draft(Rung { width: 4, ..large(VEC4.wgsl) }, params, setting),
};

/// Wide loads, and stores without conflicts.
pub(in super::super) const VEC4_PADDED: Kernel = Kernel {
    id: "matmul_vec4_padded",
    family: FAMILY,
    question: "The transposed store of a tile meets in the same banks: which padding cures it and keeps vec4 loads aligned?",
    wgsl: include_str!("../../../shaders/matmul/matmul_vec4_padded.wgsl"),
    parameters: &[SIZE, M, N, K, Parameter::range("pad", "floats added to each row of the transposed tile", 0, 8, 4)],
    primary: "b",
    counts: Counts::Products,
    draft: |params, setting| {
        let pad = params.number("pad");
        if !pad.is_multiple_of(4) {
            return Err(Refusal(format!(
                "the rows of the tile would begin at multiples of {} bytes, where vec4 loads need 16: pads of 0 and 8 keep \
                 that and the conflict, 4 keeps that and cures it",
                4 << pad.trailing_zeros()
            )));
        }
        let constants = vec![("pad", f64::from(pad))];
        draft(Rung { width: 4, edges: Edges::Padded, constants, ..large(VEC4_PADDED.wgsl) }, params, setting)
    },
};

/// The 128 x 128 x 8 tile of 256 lanes.
fn large(wgsl: &str) -> Rung {
    Rung {
        wgsl: wgsl.to_owned(),
        constants: Vec::new(),
        sizes: &["n", "k"],
        workgroup: 256,
        tile: Shape { m: 128, n: 128, k: 8 },
        edges: Edges::Whole,
        width: 1,
        cooperative: None,
        extra_k: 0,
        tiled: true,
    }
}
