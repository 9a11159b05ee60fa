//! Kernels in the manner of the field: their counts against figures worked out by hand, against a second counter that
//! shares no code with the predictor, and against addresses that no interpreter has computed.
//!
//! Each kernel is a WGSL file with its settings beside it in `kernels/`. Their outputs are compared with those of a
//! device in `tests/gpu/outputs.rs`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod addresses;
mod brute;
mod figures;
mod kernels;

use std::collections::BTreeMap;

use sectorscope::analysis::{Settings, Trace, of_program, predict as predict_text};
use sectorscope::inputs::{Inputs, Key};
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::memory_model::{LESSON, MemoryModel, Overrides};
use sectorscope::record::prediction::{AccessCount, PredictionDocument};
use sectorscope::trace::{AccessKind, Deaf, Position, Space};

use brute::{Count, Tape, What, count};
use figures::{FIGURES, Figure, Of};
use kernels::Kernel;

/// The lesson's width, and a narrow one.
const WIDTHS: [u32; 2] = [32, 8];

fn model(width: u32) -> MemoryModel {
    LESSON.with(&Overrides { subgroup: Some(width), ..Overrides::default() }).unwrap()
}

fn predict(kernel: &Kernel, width: u32) -> PredictionDocument {
    let settings = Settings { models: vec![model(width)], trace: Trace::All, ..Settings::default() };
    let document = of_program(&kernel.program, &kernel.defaulted, &settings).unwrap();
    assert!(document.complete, "{}: {:?}", kernel.name, document.warnings);
    document
}

/// The accesses of a variable on the lines that contain a text.
fn accesses<'a>(
    kernel: &'a Kernel,
    document: &'a PredictionDocument,
    (line, variable, kind): (&'a str, &'a str, AccessKind),
) -> impl Iterator<Item = &'a AccessCount> {
    let lines: Vec<&str> = kernel.program.wgsl.lines().collect();
    document.accesses.iter().filter(move |access| {
        let text = lines.get(access.line as usize - 1).copied().unwrap_or_default();
        text.contains(line) && access.variable == variable && access.kind == kind
    })
}

fn value(access: &AccessCount, of: Of) -> u64 {
    let value = match of {
        Of::Requests => Some(access.requests),
        Of::Lanes => Some(access.active_lanes),
        Of::Sectors => access.sectors,
        Of::FirstSectors => access.first_request.sectors,
        Of::Wavefronts => access.wavefronts,
        Of::Ideal => access.ideal_sectors.or(access.ideal_wavefronts),
    };
    value.unwrap_or_else(|| panic!("{access:?} has no {of:?}"))
}

#[test]
fn figures_are_those_worked_out_by_hand() {
    let mut wrong = Vec::new();
    for kernel in kernels::all() {
        let figures: Vec<&Figure> = FIGURES.iter().filter(|figure| figure.0 == kernel.name).collect();
        assert!(!figures.is_empty(), "{} has no figure", kernel.name);
        for (at, width) in WIDTHS.into_iter().enumerate() {
            let document = predict(&kernel, width);
            for (_, line, variable, kind, of, expected) in &figures {
                let mut found =
                    accesses(&kernel, &document, (*line, *variable, *kind)).map(|access| value(access, *of));
                // What moves in pieces has one access for each; the first request is that of the first piece.
                let found: u64 = if *of == Of::FirstSectors { found.next().unwrap_or(0) } else { found.sum() };
                if found != expected[at] {
                    wrong.push(format!(
                        "{}, {width} lanes, {line:?}: {of:?} of {variable} is {found}, not {}",
                        kernel.name, expected[at]
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_figure_is_of_a_kernel_and_there_are_enough() {
    let names: Vec<String> = kernels::all().into_iter().map(|kernel| kernel.name).collect();
    assert!(names.len() >= 25, "{}", names.len());
    assert!(FIGURES.iter().all(|figure| names.iter().any(|name| name == figure.0)));
}

#[test]
fn files_of_settings_leave_nothing_open_that_decides_counts() {
    for kernel in kernels::all() {
        let open =
            kernel.defaulted.iter().filter(|open| !matches!(open.setting.key, Key::Entry | Key::Fill | Key::Seed));
        assert_eq!(open.map(ToString::to_string).collect::<Vec<_>>(), [""; 0], "{}", kernel.name);
        // What is left at zero is an output that is added to.
        let document = predict(&kernel, 32);
        for warning in &document.warnings {
            assert_eq!(warning.code, "texture", "{}: {warning:?}", kernel.name);
        }
    }
}

/// What names an access in a document and in an execution alike.
type Name = (Position, Vec<Position>, u32, String, AccessKind);

/// What both counters give: of the naive one, and of the predictor.
fn of_document(access: &AccessCount) -> Count {
    let first = access.first_request;
    Count {
        requests: access.requests,
        lanes: access.active_lanes,
        useful_bytes: access.useful_bytes,
        cost: access.sectors.or(access.wavefronts).unwrap(),
        ideal: access.ideal_sectors.or(access.ideal_wavefronts).unwrap(),
        distinct: access.distinct_sectors.unwrap_or(0),
        first: [first.active_lanes.into(), first.sectors.or(first.wavefronts).unwrap()],
    }
}

#[test]
fn a_second_counter_agrees_on_every_access() {
    let mut compared = 0;
    for kernel in kernels::all() {
        for width in WIDTHS {
            let mut tape = Tape::default();
            let interpreter = Interpreter::with_subgroup(&kernel.program, width).unwrap();
            interpreter.run(&Options::default(), &mut tape).unwrap();
            let mut expected: BTreeMap<Name, (Count, u64)> = BTreeMap::new();
            for (number, site) in tape.sites.iter().enumerate() {
                let what = What { space: site.space, kind: site.kind, element: site.element_bytes };
                let counted = count(&tape.touches[number], what, width as usize);
                let name = (site.position, site.call_path.clone(), site.leaf_offset, site.name.clone(), site.kind);
                let old = expected.insert(name, (counted, tape.out_of_range[number]));
                assert!(old.is_none(), "{}: two accesses of one name: {site:?}", kernel.name);
            }
            let document = predict(&kernel, width);
            let mut totals = [0; 3];
            for access in &document.accesses {
                let position = Position { line: access.line, column: access.column };
                let name =
                    (position, access.call_path.clone(), access.leaf_offset, access.variable.clone(), access.kind);
                let (counted, beyond) = expected.remove(&name).unwrap();
                let place = format!("{}, {width} lanes: {name:?}", kernel.name);
                assert_eq!(of_document(access), counted, "{place}");
                assert_eq!(access.out_of_range, beyond, "{place}");
                assert_eq!(access.requested_bytes, counted.lanes * u64::from(access.element_bytes), "{place}");
                totals[0] += counted.requests;
                totals[if access.space == Space::Workgroup { 2 } else { 1 }] += counted.cost;
                compared += 1;
            }
            assert!(expected.is_empty(), "{}: the document lacks {:?}", kernel.name, expected.keys());
            let sums = &document.totals;
            assert_eq!([sums.requests, sums.sectors, sums.wavefronts.unwrap_or(0)], totals, "{}", kernel.name);
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn addresses_written_down_in_rust_cost_the_same() {
    for model in addresses::all() {
        let kernel = kernels::kernel(model.kernel);
        for width in WIDTHS {
            let document = predict(&kernel, width);
            let found: Vec<Count> =
                accesses(&kernel, &document, (model.line, model.variable, model.what.kind)).map(of_document).collect();
            let expected = count(&model.touches, model.what, width as usize);
            assert_eq!(found, [expected], "{}, {width} lanes: {}", model.kernel, model.line);
        }
    }
}

#[test]
fn medians_are_those_of_a_sort_in_rust() {
    let kernel = kernels::kernel("median_rows");
    let memory = Interpreter::new(&kernel.program).unwrap().run(&Options::default(), &mut Deaf).unwrap().memory;
    let source = &kernel.program.buffers.iter().find(|buffer| buffer.name == "source").unwrap().contents;
    for first in 0..128 {
        let mut five: Vec<i32> = (first..first + 5).map(|index| source.word(index).cast_signed()).collect();
        five.sort_unstable();
        assert_eq!(memory.read_word("result", first.into()), Some(five[2].cast_unsigned()), "{first}");
    }
}

#[test]
fn what_was_found_has_an_answer() {
    let found = kernels::folder().with_file_name("found");
    for path in std::fs::read_dir(found).unwrap().map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = text.lines().next().unwrap().trim_start_matches("// ");
        let settings = Settings { max_steps: 2_000, ..Settings::default() };
        let answer = match predict_text(&text, &Inputs::default(), &settings) {
            Ok(document) => format!("{} accesses", document.accesses.len()),
            Err(error) => error.to_string(),
        };
        assert!(answer.contains(expected), "{}: {answer}", path.display());
    }
}
