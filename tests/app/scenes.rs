//! The micro-world as plain data: what is drawn is what was counted.

use sectorscope::app::forecast::{Pattern, Setup, TracedRequest, WorkgroupTrace};
use sectorscope::app::picture::{Fill, Role, Scene, Shape, micro_world};
use sectorscope::kernels;
use sectorscope::memory_model::{self, MemoryModel};
use sectorscope::program::Limits;

const WIDTH: f32 = 800.0;

fn request(pattern: &Pattern, model: &MemoryModel) -> TracedRequest {
    let setup = Setup { model: model.clone(), footprint_bytes: 64 << 20, limits: Limits::WITHOUT_DEVICE, size: 256 };
    let trace = WorkgroupTrace::record(&pattern.plan(&setup).unwrap(), model).unwrap();
    trace.request(trace.primary_access(), 0).unwrap()
}

/// Rectangles as high as a sector of this filling.
fn sectors(scene: &Scene, fill: Fill) -> usize {
    let tall = |mark: &&sectorscope::app::picture::Mark| matches!(mark.shape, Shape::Rect { size, fill: f, .. } if f == fill && size[1] > 40.0);
    scene.marks.iter().filter(tall).count()
}

#[test]
fn as_many_sectors_are_filled_as_were_counted() {
    for model in ["lesson", "nv-hopper", "amd-rdna", "cpu-x86", "apple"] {
        let model = memory_model::by_key(model).unwrap();
        for element in ["f32", "vec4", "f16", "vec3"] {
            for stride in [1u32, 2, 3, 8, 16, 64, 500, 4096] {
                for offset in [0u32, 1, 7] {
                    let read = Pattern::of(kernels::by_id("read").unwrap());
                    let pattern = read.with("element", element).with("stride", stride).with("offset", offset);
                    let request = request(&pattern, model);
                    let scene = micro_world::scene(&request, model, WIDTH);
                    let filled = sectors(&scene, Fill::Soft) as u64;
                    let name = format!("{} {element} stride {stride} offset {offset}", model.key);
                    if model.lanes_per_request.is_none() {
                        assert_eq!(filled, request.bill.sectors, "{name}");
                    }
                    for mark in &scene.marks {
                        if let Shape::Rect { at, size, .. } = mark.shape {
                            let inside =
                                at[0] >= 0.0 && at[0] + size[0] <= WIDTH + 0.5 && at[1] + size[1] <= scene.size[1];
                            assert!(inside && size[0] > 0.0, "{name}: {:?}", mark.shape);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn what_memory_drags_along_is_hatched() {
    let hopper = memory_model::by_key("nv-hopper").unwrap();
    let read = Pattern::of(kernels::by_id("read").unwrap());
    let drawn = |stride: u32| {
        let scene = micro_world::scene(&request(&read.with("stride", stride), hopper), hopper, WIDTH);
        (sectors(&scene, Fill::Soft), sectors(&scene, Fill::Hatched))
    };
    assert_eq!([drawn(1), drawn(8), drawn(16), drawn(64)], [(4, 0), (32, 0), (32, 32), (32, 32)]);
}

#[test]
fn lanes_and_sectors_point_at_each_other() {
    let lesson = memory_model::by_key("lesson").unwrap();
    let read = Pattern::of(kernels::by_id("read").unwrap());
    let scene = micro_world::scene(&request(&read.with("stride", 8), lesson), lesson, WIDTH);
    let lane = scene.parts.iter().position(|part| part.tip.starts_with("Lane 5 ")).unwrap();
    assert_eq!(scene.parts[lane].tip, "Lane 5 asks for bytes 160 to 163 of `source`: sector 5.");
    let [sector] = scene.parts[lane].linked[..] else { panic!("{:?}", scene.parts[lane]) };
    assert_eq!(scene.parts[sector].tip, "Sector 5, bytes 160 to 191: 4 of 32 bytes are used, by lane 5.");
    assert_eq!(scene.parts[sector].linked, [lane]);
}

#[test]
fn a_broadcast_is_not_red() {
    let lesson = memory_model::by_key("lesson").unwrap();
    let naive = Pattern::of(kernels::by_id("matmul_naive").unwrap()).with("size", 64u32).with("side", 32u32);
    let setup = Setup { model: lesson.clone(), footprint_bytes: 1 << 20, limits: Limits::WITHOUT_DEVICE, size: 256 };
    let trace = WorkgroupTrace::record(&naive.plan(&setup).unwrap(), lesson).unwrap();
    let requests = (0..trace.accesses.len()).filter_map(|access| trace.request(access, 0));
    // All 32 lanes of a row of C read the same element of A.
    let broadcast = requests.into_iter().find(|request| request.bill.useful_bytes == 4).unwrap();
    assert_eq!((broadcast.bill.asked_bytes, broadcast.bill.sectors), (128, 1));
    let scene = micro_world::scene(&broadcast, lesson, WIDTH);
    let costs = scene.marks.iter().filter_map(|mark| match mark.role {
        Role::Excess(times) => Some(times),
        _ => None,
    });
    assert_eq!(costs.fold(0.0, f64::max), 1.0);
    assert!(scene.description.starts_with("32 lanes ask for 4 bytes each, all for the same."), "{}", scene.description);
}
