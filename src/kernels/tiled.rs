//! `tiled_copy`: thread layout, value layout and bits per copy, the two knobs of lineup and width side by side.

use super::element::replace_line;
use super::{
    Counts, Draft, Kernel, Oracle, Parameter, Params, Reach, Refusal, Setting, WORKGROUP, input, output, word_index,
};
use crate::contents::POISON;
use crate::program::{Feature, Scalar};
use crate::record::Work;

/// The kernel.
pub(super) const TILED_COPY: Kernel = Kernel {
    id: "tiled_copy",
    family: "patterns",
    question: "Thread layout x value layout x bits per copy: which lane owns which pieces of a tile, and how wide does \
               it move them?",
    wgsl: include_str!("../../shaders/patterns/tiled_copy.wgsl"),
    parameters: &[
        Parameter::numbers("bits", "bits of one copy of a lane", &[128, 64, 32, 16], 128),
        Parameter::numbers("threads_x", "lanes across the tile", &[1, 2, 4, 8, 16, 32, 64, 128, 256], 32),
        Parameter::numbers("values_x", "pieces of a lane across the tile", &[1, 2, 4, 8, 16], 1),
        Parameter::numbers("values_y", "pieces of a lane down the tile", &[1, 2, 4, 8, 16], 4),
        Parameter::words(
            "order",
            "whether neighbours or one lane own neighbouring pieces",
            &["interleaved", "blocked"],
        ),
        WORKGROUP,
    ],
    primary: "source",
    counts: Counts::Bytes,
    draft,
};

/// Bytes in a row of the matrix.
const ROW_BYTES: u64 = 8192;

fn draft(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let [bits, threads_x, values_x, values_y, workgroup] =
        ["bits", "threads_x", "values_x", "values_y", "workgroup"].map(|name| u64::from(params.number(name)));
    let piece_bytes = bits / 8;
    let pitch = ROW_BYTES / piece_bytes;
    if values_x * values_y > 16 {
        return Err(Refusal(format!("values_x x values_y = {} pieces a lane: at most 16", values_x * values_y)));
    }
    if threads_x > workgroup || threads_x * values_x > pitch {
        return Err(Refusal(format!(
            "a tile {} pieces wide needs threads_x <= workgroup ({workgroup}) and at most {pitch} pieces of {bits} bits a row",
            threads_x * values_x
        )));
    }
    let (tile_width, tile_height) = (threads_x * values_x, workgroup / threads_x * values_y);
    let rows = setting.footprint_bytes / 2 / ROW_BYTES / tile_height * tile_height;
    if rows == 0 {
        return Err(Refusal(format!(
            "the footprint of {} bytes holds no pair of tiles of {tile_height} rows of {ROW_BYTES} bytes: take at least {}",
            setting.footprint_bytes,
            2 * ROW_BYTES * tile_height
        )));
    }
    let (alias, feature) = match bits {
        16 => ("f16", Some(Feature::F16)),
        32 => ("f32", None),
        64 => ("vec2<f32>", None),
        _ => ("vec4<f32>", None),
    };
    let wgsl = replace_line(TILED_COPY.wgsl, "alias Piece = ", &format!("alias Piece = {alias};"));
    let wgsl = if feature.is_some() { format!("enable f16;\n{wgsl}") } else { wgsl };
    let bytes = rows * ROW_BYTES;
    let contents = setting.contents(0);
    let expected = {
        let contents = contents.clone();
        move |word: u64| if word * 4 < bytes { contents.word(word_index(word)) } else { POISON }
    };
    let max_index = bytes / piece_bytes - 1;
    Ok(Draft {
        wgsl,
        constants: vec![
            ("threads_x", threads_x as f64),
            ("values_x", values_x as f64),
            ("values_y", values_y as f64),
            ("blocked", f64::from(u8::from(params.word("order") == "blocked"))),
        ],
        workgroup: params.number("workgroup"),
        groups: rows / tile_height * (pitch / tile_width),
        buffers: vec![input("source", bytes, contents), output("destination", bytes)],
        uniforms: vec![("pitch", Scalar::U32(word_index(pitch)))],
        phases: Vec::new(),
        keeps: false,
        reach: ["source", "destination"]
            .map(|buffer| Reach { buffer, max_index, pitch: word_index(piece_bytes) })
            .to_vec(),
        work: Work {
            requested_bytes: 2 * bytes,
            bytes_read: bytes,
            bytes_written: bytes,
            footprint_bytes: 2 * bytes,
            useful_loads: bytes / piece_bytes,
            held: "footprint".into(),
            ..Work::default()
        },
        touched_bytes: 2 * bytes,
        oracle: Oracle::new("destination", bytes / 4, expected),
        features: feature.into_iter().collect(),
    })
}
