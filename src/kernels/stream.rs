//! `copy`, `write`, `triad`, `vector_add`: whole arrays in, whole arrays out.

use super::element::Element;
use super::read::layout;
use super::{
    Counts, Draft, Kernel, Oracle, Parameter, Params, Reach, Refusal, Setting, WORKGROUP, input, output, word_index,
};
use crate::contents::{Contents, POISON};
use crate::program::Scalar;
use crate::record::Work;

const ELEMENT: Parameter = Parameter::words("element", "what one lane moves at once", &["f32", "vec2", "vec4"]);
const ITEMS: Parameter = Parameter::numbers("items", "independent elements of a lane", &[1, 2, 4, 8, 16], 4);
const STRIDE: Parameter = Parameter::range("stride", "elements from one lane's to the next lane's", 1, 4096, 1);
const OFFSET: Parameter = Parameter::range("offset", "elements before the first", 0, 4096, 0);

/// One array to another.
pub(super) const COPY: Kernel = Kernel {
    id: "copy",
    family: "patterns",
    question: "How fast can memory be read and written at once, and what do strides and widths do to it?",
    wgsl: include_str!("../../shaders/patterns/copy.wgsl"),
    parameters: &[ELEMENT, STRIDE, OFFSET, ITEMS, WORKGROUP],
    primary: "source",
    counts: Counts::Bytes,
    draft: |params, setting| strided(&COPY, params, setting),
};

/// One array written.
pub(super) const WRITE: Kernel = Kernel {
    id: "write",
    family: "patterns",
    question: "How fast can memory be written, and what do partly written sectors cost?",
    wgsl: include_str!("../../shaders/patterns/write.wgsl"),
    parameters: &[ELEMENT, STRIDE, OFFSET, ITEMS, WORKGROUP],
    primary: "destination",
    counts: Counts::Bytes,
    draft: |params, setting| strided(&WRITE, params, setting),
};

/// STREAM's triad.
pub(super) const TRIAD: Kernel = Kernel {
    id: "triad",
    family: "patterns",
    question: "a = b + scale * c: STREAM's triad, two reads and one write.",
    wgsl: include_str!("../../shaders/patterns/triad.wgsl"),
    parameters: &[ELEMENT, ITEMS, WORKGROUP],
    primary: "b",
    counts: Counts::Bytes,
    draft: |params, setting| sum_of_two(&TRIAD, params, setting),
};

/// Two arrays added.
pub(super) const VECTOR_ADD: Kernel = Kernel {
    id: "vector_add",
    family: "patterns",
    question: "a + b of two arrays: 12 bytes an element for one addition. Can arithmetic ever be its limit?",
    wgsl: include_str!("../../shaders/patterns/vector_add.wgsl"),
    parameters: &[ELEMENT, ITEMS, WORKGROUP],
    primary: "a",
    counts: Counts::Elements,
    draft: |params, setting| sum_of_two(&VECTOR_ADD, params, setting),
};

/// The factor of `triad`: a power of two, so that a fused multiply-add rounds as a separate one does.
const SCALE: f32 = 2.0;

/// What `write` stores at element `i` (each component alike): a number in [1, 2) with a scattered mantissa.
const fn written_word(i: u64) -> u32 {
    0x3F80_0000 | (word_index(i).wrapping_mul(0x9E37_79B1) >> 9)
}

fn strided(kernel: &'static Kernel, params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let copies = kernel.id == COPY.id;
    let element = Element::named(params.word("element"));
    let buffers = 1 + u64::from(copies);
    let bytes = setting.footprint_bytes / buffers / 16 * 16;
    let layout = layout(element, params, bytes)?;
    let (count, offset) = (layout.count, layout.offset);
    let stride = u64::from(params.number("stride"));
    let source = setting.contents(0);
    let words = u64::from(element.pitch / 4);
    let expected = {
        let source = source.clone();
        move |word: u64| {
            let (element, component) = (word / words, word % words);
            match element.checked_sub(offset) {
                Some(at) if at.is_multiple_of(stride) && at / stride < count => {
                    if copies {
                        source.word(word_index(element * words + component))
                    } else {
                        written_word(at / stride)
                    }
                }
                _ => POISON,
            }
        }
    };
    let useful = count * u64::from(element.bytes);
    let mut draft = Draft {
        buffers: vec![output("destination", bytes)],
        uniforms: vec![
            ("count", Scalar::U32(word_index(count))),
            ("stride", Scalar::U32(params.number("stride"))),
            ("offset", Scalar::U32(word_index(offset))),
        ],
        phases: layout.phase_offsets.iter().map(|o| vec![("offset", Scalar::U32(word_index(*o)))]).collect(),
        touched_bytes: buffers * layout.touched_bytes,
        oracle: Oracle::new("destination", bytes / 4, expected),
        ..whole_arrays(kernel, params, element, count)
    };
    let max_offset = layout.phase_offsets.last().copied().unwrap_or(offset);
    let max_index = ((count - 1) * stride + max_offset).max(draft.reach[0].max_index);
    draft.reach = vec![Reach { buffer: "destination", max_index, pitch: element.pitch }];
    if copies {
        draft.buffers.insert(0, input("source", bytes, source));
        draft.reach.push(Reach { buffer: "source", max_index, pitch: element.pitch });
    }
    draft.work = Work {
        requested_bytes: useful * buffers,
        bytes_read: if copies { useful } else { 0 },
        bytes_written: useful,
        footprint_bytes: bytes * buffers,
        useful_loads: if copies { count } else { 0 },
        held: "footprint".into(),
        ..Work::default()
    };
    Ok(draft)
}

fn sum_of_two(kernel: &'static Kernel, params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let element = Element::named(params.word("element"));
    let bytes = setting.footprint_bytes / 3 / 16 * 16;
    if bytes == 0 {
        let given = setting.footprint_bytes;
        return Err(Refusal(format!("the footprint of {given} bytes holds no three arrays of 16: take at least 48")));
    }
    let count = bytes / u64::from(element.pitch);
    let triad = kernel.id == TRIAD.id;
    let names = if triad { ["b", "c"] } else { ["a", "b"] };
    let [first, second] = [setting.contents(0), setting.contents(1)];
    let expected = {
        let (first, second) = (first.clone(), second.clone());
        move |word: u64| {
            let [x, y] = [&first, &second].map(|contents: &Contents| f32::from_bits(contents.word(word_index(word))));
            (if triad { x + SCALE * y } else { x + y }).to_bits()
        }
    };
    let mut draft = whole_arrays(kernel, params, element, count);
    draft.buffers = vec![input(names[0], bytes, first), input(names[1], bytes, second), output("destination", bytes)];
    if triad {
        draft.uniforms.push(("scale", Scalar::from(SCALE)));
    }
    let reach = draft.reach[0];
    draft.reach = [names[0], names[1], "destination"].map(|buffer| Reach { buffer, ..reach }).to_vec();
    draft.work = Work {
        requested_bytes: 3 * bytes,
        bytes_read: 2 * bytes,
        bytes_written: bytes,
        flop: bytes / 4 * if triad { 2 } else { 1 },
        footprint_bytes: 3 * bytes,
        useful_loads: 2 * count,
        held: "footprint".into(),
        ..Work::default()
    };
    draft.touched_bytes = 3 * bytes;
    draft.oracle = Oracle::new("destination", bytes / 4, expected);
    Ok(draft)
}

/// What all kernels over `count` elements share; buffers, work and oracle are the caller's.
fn whole_arrays(kernel: &'static Kernel, params: &Params, element: &Element, count: u64) -> Draft {
    let items = u64::from(params.number("items"));
    let tile = items * u64::from(params.number("workgroup"));
    let groups = count.div_ceil(tile);
    Draft {
        wgsl: element.render(kernel.wgsl),
        constants: vec![("items", items as f64)],
        workgroup: params.number("workgroup"),
        groups,
        buffers: Vec::new(),
        uniforms: vec![("count", Scalar::U32(word_index(count)))],
        phases: Vec::new(),
        keeps: false,
        reach: vec![Reach { buffer: kernel.primary, max_index: count - 1, pitch: element.pitch }],
        work: Work::default(),
        touched_bytes: 0,
        oracle: Oracle::new("destination", 0, |_| POISON),
        features: element.feature().into_iter().collect(),
    }
}
