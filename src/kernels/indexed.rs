//! `gather` and `rows`: addresses from data, and records.

use super::{
    Counts, Draft, Kernel, Oracle, Parameter, Params, Reach, Refusal, Setting, WORKGROUP, input, output, word_index,
};
use crate::contents::{Contents, Pointing};
use crate::program::Scalar;
use crate::record::Work;

/// Loads through an index buffer.
pub(super) const GATHER: Kernel = Kernel {
    id: "gather",
    family: "patterns",
    question: "What does `source[indices[i]]` cost, from indices in order to indices anywhere?",
    wgsl: include_str!("../../shaders/patterns/gather.wgsl"),
    parameters: &[
        Parameter::words(
            "indices",
            "in order, each 32 reversed, lanes swapped by xor 5, random, random in 4 KiB, all the same",
            &["identity", "reversed", "xor", "random", "window", "equal"],
        ),
        Parameter::numbers("items", "independent loads of a lane", &[1, 2, 4, 8], 4),
        WORKGROUP,
    ],
    primary: "source",
    counts: Counts::Bytes,
    draft: gather,
};

/// Whole records, stored by record or by field.
pub(super) const ROWS: Kernel = Kernel {
    id: "rows",
    family: "patterns",
    question: "Array of structures or structure of arrays: what does it cost when each lane reads a whole record?",
    wgsl: include_str!("../../shaders/patterns/rows.wgsl"),
    parameters: &[
        Parameter::words("layout", "array of structures or structure of arrays", &["aos", "soa"]),
        Parameter::numbers("fields", "f32 fields of a record", &[2, 4, 8, 16], 8),
        WORKGROUP,
    ],
    primary: "source",
    counts: Counts::Bytes,
    draft: rows,
};

/// Tells the index sequence from the data it points into.
const INDEX_SEED: u32 = 0x1D;

fn pointing(word: &str) -> Pointing {
    match word {
        "reversed" => Pointing::Reversed,
        "xor" => Pointing::Xor,
        "random" => Pointing::Random,
        "window" => Pointing::Window,
        "equal" => Pointing::Equal,
        _ => Pointing::Identity,
    }
}

fn gather(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let (items, workgroup) = (u64::from(params.number("items")), u64::from(params.number("workgroup")));
    let count = setting.footprint_bytes / 8;
    if count == 0 {
        return Err(Refusal(format!(
            "the footprint of {} bytes holds no element: take at least 8",
            setting.footprint_bytes
        )));
    }
    let (tile, bytes) = (workgroup * items, count * 4);
    let groups = count.div_ceil(tile);
    let source = setting.contents(0);
    let indices = Contents::Indices {
        pointing: pointing(params.word("indices")),
        count: word_index(count),
        seed: setting.seed ^ INDEX_SEED,
    };
    let expected = {
        let (source, indices) = (source.clone(), indices.clone());
        move |fold: u64| {
            let (first, lane) = (fold / workgroup * tile, fold % workgroup);
            (0..items)
                .map(|item| first + item * workgroup + lane)
                .filter(|i| *i < count)
                .fold(0u32, |sum, i| sum.wrapping_add(source.word(indices.word(word_index(i)))))
        }
    };
    Ok(Draft {
        wgsl: GATHER.wgsl.to_owned(),
        constants: vec![("items", items as f64)],
        workgroup: params.number("workgroup"),
        groups,
        buffers: vec![
            input("indices", bytes, indices),
            input("source", bytes, source),
            output("folds", groups * workgroup * 4),
        ],
        uniforms: vec![("count", Scalar::U32(word_index(count)))],
        phases: Vec::new(),
        keeps: true,
        reach: vec![
            Reach { buffer: "indices", max_index: count - 1, pitch: 4 },
            Reach { buffer: "source", max_index: count - 1, pitch: 4 },
            Reach { buffer: "folds", max_index: groups * workgroup - 1, pitch: 4 },
        ],
        work: Work {
            requested_bytes: 2 * bytes,
            bytes_read: 2 * bytes,
            footprint_bytes: 2 * bytes,
            useful_loads: count,
            held: "loads".into(),
            ..Work::default()
        },
        touched_bytes: 2 * bytes,
        oracle: Oracle::new("folds", groups * workgroup, expected),
        features: Vec::new(),
    })
}

fn rows(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let (fields, workgroup) = (u64::from(params.number("fields")), u64::from(params.number("workgroup")));
    let by_field = params.word("layout") == "soa";
    // Fields of whole sectors, as an allocator would lay them out: else every field but the first is misaligned.
    let count = setting.footprint_bytes / 4 / fields / 64 * 64;
    if count == 0 {
        return Err(Refusal(format!(
            "the footprint of {} bytes holds no 64 records of {fields} fields: take at least {}",
            setting.footprint_bytes,
            256 * fields
        )));
    }
    let bytes = count * fields * 4;
    let contents = setting.contents(0);
    let expected = {
        let contents = contents.clone();
        move |record: u64| {
            (0..fields)
                .map(|field| if by_field { field * count + record } else { record * fields + field })
                .fold(0u32, |sum, at| sum.wrapping_add(contents.word(word_index(at))))
        }
    };
    Ok(Draft {
        wgsl: ROWS.wgsl.to_owned(),
        constants: vec![("fields", fields as f64), ("by_field", f64::from(u8::from(by_field)))],
        workgroup: params.number("workgroup"),
        groups: count.div_ceil(workgroup),
        buffers: vec![input("source", bytes, contents), output("folds", count * 4)],
        uniforms: vec![("count", Scalar::U32(word_index(count)))],
        phases: Vec::new(),
        keeps: true,
        reach: vec![
            Reach { buffer: "source", max_index: count * fields - 1, pitch: 4 },
            Reach { buffer: "folds", max_index: count - 1, pitch: 4 },
        ],
        work: Work {
            requested_bytes: bytes,
            bytes_read: bytes,
            footprint_bytes: bytes,
            useful_loads: count * fields,
            held: "footprint".into(),
            ..Work::default()
        },
        touched_bytes: bytes,
        oracle: Oracle::new("folds", count, expected),
        features: Vec::new(),
    })
}
