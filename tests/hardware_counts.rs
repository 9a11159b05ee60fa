//! The whole prediction against hardware counters of one NVIDIA H200: WGSL is interpreted, its accesses are counted, and
//! every row must come out exactly.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken table must fail the test")]

use std::collections::{BTreeMap, BTreeSet};

use sectorscope::contents::Contents;
use sectorscope::interpreter::{Interpreter, Options, Workgroups};
use sectorscope::memory_model::by_key;
use sectorscope::predict::{Counter, Prediction, Scope};
use sectorscope::program::{Buffer, Feature, Program, Scalar, Uniforms};
use serde::Deserialize;

fn rows<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().map(|row| row.expect("a row of the table")).collect()
}

fn program(wgsl: &str, entry_point: &str, block: &str, values: &[(&str, u32)], buffers: &[(&str, u64)]) -> Program {
    let values = values.iter().map(|(name, value)| ((*name).to_owned(), Scalar::U32(*value))).collect();
    let buffer = |(name, bytes): &(&str, u64)| Buffer {
        name: (*name).to_owned(),
        bytes: bytes.next_multiple_of(4),
        contents: Contents::Zero,
        written: false,
    };
    Program {
        wgsl: wgsl.into(),
        entry_point: entry_point.to_owned(),
        constants: BTreeMap::new(),
        buffers: buffers.iter().map(buffer).collect(),
        textures: Vec::new(),
        uniforms: Some(Uniforms { name: block.to_owned(), values, phases: Vec::new(), verification: BTreeMap::new() }),
        grid: [64, 1, 1],
        features: if wgsl.starts_with("enable f16;") { BTreeSet::from([Feature::F16]) } else { BTreeSet::new() },
    }
}

/// Interprets these workgroups and counts them as this device would.
fn predict(program: &Program, workgroups: std::ops::Range<u32>) -> Prediction {
    let options =
        Options { workgroups: Workgroups::List(workgroups.map(|x| [x, 0, 0]).collect()), ..Options::default() };
    let mut counter = Counter::new(by_key("nv-hopper").expect("the model of this device"));
    let interpreter = Interpreter::new(program).unwrap_or_else(|error| panic!("{error}"));
    interpreter.run(&options, &mut counter).unwrap_or_else(|error| panic!("{error}"));
    counter.finish(&Scope { total_workgroups: 64, ..Scope::default() })
}

/// A row of `h200_requests.csv`; `requests.wgsl` says what it does.
#[derive(Debug, Deserialize)]
struct Request {
    space: String,
    elem_bytes: u32,
    w: u32,
    sx: u32,
    sy: u32,
    off: u32,
    mul: u32,
    xor: u32,
    active: u32,
    /// Sectors (global) or wavefronts (shared) that the hardware counted.
    hardware: u64,
}

impl Request {
    fn wgsl(&self) -> String {
        let (enable, element) = match self.elem_bytes {
            2 => ("enable f16;\n", "f16"),
            4 => ("", "f32"),
            8 => ("", "vec2<f32>"),
            16 => ("", "vec4<f32>"),
            other => panic!("{other} bytes"),
        };
        let text = include_str!("data/requests.wgsl");
        format!("{enable}{}", text.replace("alias Element = f32;", &format!("alias Element = {element};")))
    }

    fn program(&self) -> Program {
        let values = [
            ("w", self.w),
            ("sx", self.sx),
            ("sy", self.sy),
            ("off", self.off),
            ("mul", self.mul),
            ("flip", self.xor),
            ("lanes", self.active),
        ];
        let mut buffers = Vec::new();
        let elements = |count: u32| u64::from(count * self.elem_bytes);
        if self.space.starts_with("global") {
            buffers.push(("data", elements(1025)));
        }
        if self.space.ends_with("load") {
            buffers.push(("result", elements(32)));
        }
        program(&self.wgsl(), &self.space, "pattern", &values, &buffers)
    }
}

#[test]
fn every_request_costs_what_the_hardware_counted() {
    let requests: Vec<Request> = rows(include_str!("data/h200_requests.csv"));
    assert_eq!(requests.len(), 765);
    for request in &requests {
        let prediction = predict(&request.program(), 0..1);
        let kind = if request.space.ends_with("load") { "load" } else { "store" };
        let variable = if request.space.starts_with("global") { "data" } else { "tile" };
        let access = prediction
            .accesses
            .iter()
            .find(|access| access.variable == variable && serde_json::json!(access.kind) == kind)
            .unwrap_or_else(|| panic!("{request:?}: no {kind} of {variable}"));
        assert_eq!((access.requests, access.out_of_range), (1, 0), "{request:?}");
        assert_eq!(access.first_request.active_lanes, request.active, "{request:?}");
        let first = access.first_request;
        assert_eq!(first.sectors.or(first.wavefronts), Some(request.hardware), "{request:?}");
    }
}

/// A row of `h200_dram_by_stride.csv`: bytes moved for each element; `strided.wgsl` says how.
#[derive(Debug, Deserialize)]
struct Stride {
    stride_elements: u32,
    element_bytes: u32,
    l1_sector_bytes_per_element: f64,
    l2_miss_bytes_per_element: f64,
    dram_bytes_per_element: f64,
}

#[test]
fn strided_reads_move_what_the_hardware_counted() {
    let strides: Vec<Stride> = rows(include_str!("data/h200_dram_by_stride.csv"));
    assert_eq!(strides.len(), 12);
    for stride in &strides {
        let bytes = u64::from(64 * 8 * 256 * stride.stride_elements * stride.element_bytes);
        let values = [("stride", stride.stride_elements), ("keep", 0)];
        let buffers = [("data", bytes), ("result", 64 * 256 * 4)];
        let program = program(include_str!("data/strided.wgsl"), "main", "params", &values, &buffers);
        for workgroups in [0..1, 0..3, 5..8, 0..64] {
            let elements = f64::from((workgroups.end - workgroups.start) * 8 * 256);
            let prediction = predict(&program, workgroups.clone());
            let row = prediction.primary("data").expect("a load of data");
            let sector_bytes = row.sector_bytes_total as f64 / elements;
            assert_eq!(sector_bytes, stride.l1_sector_bytes_per_element, "{stride:?}, {workgroups:?}");
            // Each sector is touched by one request only, so that both bounds are the hardware's count.
            let traffic = prediction.traffic_efficiency.expect("a storage access");
            for efficiency in [traffic.low, traffic.high] {
                let fetched = f64::from(stride.element_bytes) / efficiency;
                assert_eq!(fetched, stride.dram_bytes_per_element, "{stride:?}, {workgroups:?}");
                assert_eq!(fetched, stride.l2_miss_bytes_per_element, "{stride:?}, {workgroups:?}");
            }
        }
    }
}
