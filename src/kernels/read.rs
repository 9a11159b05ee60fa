//! `read`: strided, misaligned, wide, narrow, interleaved and blocked loads.

use super::element::{self, Element};
use super::{
    Counts, Draft, Kernel, Oracle, Parameter, Params, Reach, Refusal, Setting, WORKGROUP, input, output, word_index,
};
use crate::program::Scalar;
use crate::record::Work;

/// The kernel.
pub(super) const READ: Kernel = Kernel {
    id: "read",
    family: "patterns",
    question: "What does a load cost when neighbouring lanes step through memory by `stride`, start at `offset`, or \
               each own a run?",
    wgsl: include_str!("../../shaders/patterns/read.wgsl"),
    parameters: &[
        Parameter::words("element", "what one lane loads at once", element::NAMES),
        Parameter::range("stride", "elements from one lane's to the next lane's", 1, 4096, 1),
        Parameter::range("offset", "elements before the first", 0, 4096, 0),
        Parameter::range("offset_bytes", "bytes before the first, on top of `offset`", 0, 65_536, 0),
        Parameter::numbers("items", "independent loads of a lane", &[1, 2, 4, 8, 16], 8),
        Parameter::words(
            "order",
            "whether neighbours or one lane own consecutive elements",
            &["interleaved", "blocked"],
        ),
        WORKGROUP,
    ],
    primary: "source",
    counts: Counts::Bytes,
    draft,
};

/// Bytes that no known device fetches more than on one miss (see `memory_model`); phases are this far apart, so that
/// no granule is fetched by two of them.
const MAX_FETCH_BYTES: u64 = 128;

/// No more phases than this: a uniform block each.
const MAX_PHASES: u64 = 64;

/// How strided elements lie in a footprint.
pub(super) struct Layout {
    /// Elements that fit.
    pub count: u64,
    /// Elements before the first.
    pub offset: u64,
    /// Further offsets whose elements share no granule with each other's.
    pub phase_offsets: Vec<u64>,
    /// Bytes touched over all phases.
    pub touched_bytes: u64,
}

/// As many elements of the stride as fit in `bytes`.
pub(super) fn layout(element: &Element, params: &Params, bytes: u64) -> Result<Layout, Refusal> {
    let (pitch, stride) = (u64::from(element.pitch), u64::from(params.number("stride")));
    let extra = u64::from(params.number("offset_bytes"));
    if !extra.is_multiple_of(pitch) {
        let at = u64::from(params.number("offset")) * pitch + extra;
        let nearest = match at {
            at if at.is_multiple_of(4) => format!("element=f32 with offset={}", at / 4),
            at if at.is_multiple_of(2) => format!("element=f16 with offset={}", at / 2),
            _ => "none: WGSL has no loads of single bytes".to_owned(),
        };
        return Err(Refusal(format!(
            "a {} load at byte {at} cannot be aligned: its address must be a multiple of {pitch}. In CUDA it is a \
             run-time error, in WGSL it cannot be written; the nearest scalar load is {nearest}",
            element.wgsl
        )));
    }
    let offset = u64::from(params.number("offset")) + extra / pitch;
    let room = (bytes / pitch).saturating_sub(offset);
    let count = room / stride;
    if count == 0 {
        return Err(Refusal(format!(
            "the footprint of {bytes} bytes holds no element at stride {stride}: take more bytes"
        )));
    }
    let step = MAX_FETCH_BYTES.div_ceil(pitch);
    let phases = (stride / step).clamp(1, MAX_PHASES);
    let touched_bytes = phases * count * (stride * pitch).min(MAX_FETCH_BYTES);
    Ok(Layout { count, offset, phase_offsets: (1..phases).map(|k| offset + k * step).collect(), touched_bytes })
}

fn draft(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let element = Element::named(params.word("element"));
    let (items, workgroup) = (u64::from(params.number("items")), u64::from(params.number("workgroup")));
    let stride = u64::from(params.number("stride"));
    let bytes = setting.footprint_bytes / 4 * 4;
    let layout = layout(element, params, bytes)?;
    let (count, offset) = (layout.count, layout.offset);
    let blocked = params.word("order") == "blocked";
    let tile = workgroup * items;
    let groups = count.div_ceil(tile);
    let max_offset = layout.phase_offsets.last().copied().unwrap_or(offset);
    let contents = setting.contents(0);
    let expected = {
        let contents = contents.clone();
        move |fold: u64| {
            let (first, lane) = (fold / workgroup * tile, fold % workgroup);
            (0..items)
                .map(|item| first + if blocked { lane * items + item } else { item * workgroup + lane })
                .filter(|i| *i < count)
                .map(|i| element.fold(i * stride + offset, |word| contents.word(word_index(word))))
                .fold(0, u32::wrapping_add)
        }
    };
    let offset_of = |offset: u64| ("offset", Scalar::U32(word_index(offset)));
    Ok(Draft {
        wgsl: element.render(READ.wgsl),
        constants: vec![("items", items as f64), ("blocked", f64::from(u8::from(blocked)))],
        workgroup: params.number("workgroup"),
        groups,
        buffers: vec![input("source", bytes, contents), output("folds", groups * workgroup * 4)],
        uniforms: vec![
            ("count", Scalar::U32(word_index(count))),
            ("stride", Scalar::U32(params.number("stride"))),
            offset_of(offset),
        ],
        phases: layout.phase_offsets.iter().map(|offset| vec![offset_of(*offset)]).collect(),
        keeps: true,
        reach: vec![
            Reach { buffer: "source", max_index: (count - 1) * stride + max_offset, pitch: element.pitch },
            Reach { buffer: "folds", max_index: groups * workgroup - 1, pitch: 4 },
        ],
        work: Work {
            requested_bytes: count * u64::from(element.bytes),
            bytes_read: count * u64::from(element.bytes),
            footprint_bytes: setting.footprint_bytes,
            useful_loads: count,
            held: "footprint".into(),
            ..Work::default()
        },
        touched_bytes: layout.touched_bytes,
        oracle: Oracle::new("folds", groups * workgroup, expected),
        features: element.feature().into_iter().collect(),
    })
}
