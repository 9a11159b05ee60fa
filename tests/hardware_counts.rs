//! Predictions against hardware counters of one NVIDIA H200: every row must come out exactly.
#![expect(clippy::expect_used, clippy::panic, reason = "a broken table must fail the test")]

use sectorscope::memory_model::by_key;
use sectorscope::predict::{Counter, Prediction, Scope};
use sectorscope::trace::{Access, AccessKind, LaneMask, Observer, Position, Site, Space};
use serde::Deserialize;

/// One 32-lane request: lane t accesses element `off + (l % w) * sx + (l / w) * sy` with `l = ((t * mul) & 31) ^ xor`.
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
    fn address(&self, t: u32) -> u32 {
        let l = ((t * self.mul) & 31) ^ self.xor;
        (self.off + (l % self.w) * self.sx + (l / self.w) * self.sy) * self.elem_bytes
    }

    fn space_and_kind(&self) -> (Space, AccessKind) {
        match self.space.as_str() {
            "global_load" => (Space::Storage, AccessKind::Load),
            "global_store" => (Space::Storage, AccessKind::Store),
            "shared_load" => (Space::Workgroup, AccessKind::Load),
            "shared_store" => (Space::Workgroup, AccessKind::Store),
            other => panic!("{other}"),
        }
    }
}

fn rows<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().map(|row| row.expect("a row of the table")).collect()
}

fn site(space: Space, kind: AccessKind, element_bytes: u32) -> Site {
    Site {
        position: Position { line: 1, column: 1 },
        call_path: Vec::new(),
        space,
        variable: 0,
        name: "data".into(),
        kind,
        element_bytes,
        leaf_offset: 0,
    }
}

fn access<'a>(site: &Site, addresses: &'a [u32], active: LaneMask) -> Access<'a> {
    let Site { space, variable, kind, element_bytes, .. } = *site;
    Access { site: 0, element_bytes, space, variable, kind, addresses, active, out_of_range: 0 }
}

#[test]
fn every_request_costs_what_the_hardware_counted() {
    let requests: Vec<Request> = rows(include_str!("data/h200_requests.csv"));
    assert_eq!(requests.len(), 765);
    for request in &requests {
        let (space, kind) = request.space_and_kind();
        let site = site(space, kind, request.elem_bytes);
        let addresses: Vec<u32> = (0..32).map(|t| request.address(t)).collect();
        let mut counter = Counter::new(by_key("nv-hopper").expect("the model of this device"));
        counter.site(&site);
        counter.workgroup([0; 3]);
        counter.access(&access(&site, &addresses, LaneMask::first(request.active as usize)));
        let prediction = counter.finish(&Scope::default());
        let first = prediction.accesses[0].first_request;
        assert_eq!(first.sectors.or(first.wavefronts), Some(request.hardware), "{request:?}");
        let ideal = prediction.accesses[0].ideal_sectors.or(prediction.accesses[0].ideal_wavefronts);
        assert!(ideal <= Some(request.hardware), "{request:?}: ideal {ideal:?}");
    }
}

/// Strided f32 reads of 256-lane workgroups, 8 loads a lane: bytes moved for each element.
#[derive(Debug, Deserialize)]
struct Stride {
    stride_elements: u32,
    element_bytes: u32,
    l1_sector_bytes_per_element: f64,
    l2_miss_bytes_per_element: f64,
    dram_bytes_per_element: f64,
}

/// What `workgroups` of them do, the first of them `first`.
fn strided(stride: &Stride, first: u32, workgroups: u32) -> Prediction {
    let site = site(Space::Storage, AccessKind::Load, stride.element_bytes);
    let mut counter = Counter::new(by_key("nv-hopper").expect("the model of this device"));
    counter.site(&site);
    for workgroup in first..first + workgroups {
        counter.workgroup([workgroup, 0, 0]);
        for item in 0..8 {
            let start = (workgroup * 8 + item) * 256;
            let addresses: Vec<u32> =
                (0..256).map(|lane| (start + lane) * stride.stride_elements * stride.element_bytes).collect();
            counter.access(&access(&site, &addresses, LaneMask::first(256)));
        }
    }
    counter.finish(&Scope { total_workgroups: 4096, ..Scope::default() })
}

#[test]
fn strided_reads_move_what_the_hardware_counted() {
    let strides: Vec<Stride> = rows(include_str!("data/h200_dram_by_stride.csv"));
    assert_eq!(strides.len(), 12);
    for stride in &strides {
        for (first, workgroups) in [(0, 1), (0, 3), (5, 3), (0, 64)] {
            let prediction = strided(stride, first, workgroups);
            let elements = f64::from(workgroups * 8 * 256);
            let sector_bytes = prediction.totals.sector_bytes_total as f64 / elements;
            assert_eq!(sector_bytes, stride.l1_sector_bytes_per_element, "{stride:?}, {workgroups} workgroups");
            let traffic = prediction.traffic_efficiency.expect("a storage access");
            // Each sector is touched by one request only, so that both bounds are the hardware's count.
            for efficiency in [traffic.low, traffic.high] {
                let fetched = f64::from(stride.element_bytes) / efficiency;
                assert_eq!(fetched, stride.dram_bytes_per_element, "{stride:?}, {workgroups} workgroups");
                assert_eq!(fetched, stride.l2_miss_bytes_per_element, "{stride:?}, {workgroups} workgroups");
            }
        }
    }
}
