//! What is painted, compared with pictures that were looked at (`pictures/`), on a software adapter where there is one.
//!
//! They are rewritten only by hand, with `UPDATE_SNAPSHOTS=1` (under which the last test here fails), and then looked at. The tolerance: a pixel may differ
//! by what the rounding of a rasteriser does to soft edges, and a handful of them by more; a sector of another colour is
//! hundreds of pixels.

use eframe::egui::{self, Theme};
use egui_kittest::{Harness, SnapshotOptions, SnapshotResult, try_image_snapshot_options};
use sectorscope::app::forecast::{Pattern, Setup, TracedRequest, WorkgroupTrace};
use sectorscope::app::picture::tile::{self, Show, Tile};
use sectorscope::app::picture::{
    Chart, ChartMark, Dot, Fill, Ink, Region, Role, Scale, Scene, Series, Shape, chart_painter, micro_world,
    scene_painter,
};
use sectorscope::app::theme::{self, Palette};
use sectorscope::kernels;
use sectorscope::memory_model::{self, MemoryModel};
use sectorscope::program::Limits;

use crate::common::gpu;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/app/pictures");
const WIDTH: f32 = 720.0;

fn options(folder: impl Into<std::path::PathBuf>) -> SnapshotOptions {
    SnapshotOptions::new().output_path(folder).threshold(0.05).max_failed_pixels(40usize)
}

fn trace(pattern: &Pattern, model: &MemoryModel) -> WorkgroupTrace {
    let setup = Setup { model: model.clone(), footprint_bytes: 64 << 20, limits: Limits::WITHOUT_DEVICE, size: 256 };
    WorkgroupTrace::record(&pattern.plan(&setup).unwrap(), model).unwrap()
}

fn request(stride: u32, offset: u32, model: &MemoryModel) -> TracedRequest {
    let read = Pattern::of(kernels::by_id("read").unwrap()).with("stride", stride).with("offset", offset);
    let trace = trace(&read, model);
    trace.request(trace.primary_access(), 0).unwrap()
}

fn micro(stride: u32, offset: u32, model: &str) -> Scene {
    let model = memory_model::by_key(model).unwrap();
    micro_world::scene(&request(stride, offset, model), model, WIDTH)
}

/// What is painted, as pixels; `None` without an adapter, which is said.
fn painted(size: [f32; 2], dark: bool, draw: impl Fn(&mut egui::Ui, &Palette) + 'static) -> Option<image::RgbaImage> {
    gpu()?;
    let theme = if dark { Theme::Dark } else { Theme::Light };
    let builder = Harness::builder().with_size([size[0] + 16.0, size[1] + 16.0]).with_theme(theme);
    let mut harness = builder.with_context_setup(theme::apply).wgpu().build_ui(move |ui| {
        let palette = Palette::of(theme);
        egui::Frame::new().fill(palette.ground).inner_margin(8).show(ui, |ui| draw(ui, palette));
    });
    harness.run_ok();
    Some(harness.render().unwrap())
}

fn paint_scene(scene: &Scene, dark: bool) -> Option<image::RgbaImage> {
    let scene = scene.clone();
    painted(scene.size, dark, move |ui, palette| {
        scene_painter::show(ui, &scene, palette);
    })
}

fn compare(image: &image::RgbaImage, name: &str) {
    let result: SnapshotResult = try_image_snapshot_options(image, name, &options(FOLDER));
    result.unwrap_or_else(|difference| panic!("{difference}"));
}

fn check(scene: &Scene, dark: bool, name: &str) {
    if let Some(image) = paint_scene(scene, dark) {
        compare(&image, name);
    }
}

#[test]
fn the_micro_world_looks_as_reviewed() {
    check(&micro(1, 0, "lesson"), false, "stride-1");
    check(&micro(8, 0, "lesson"), false, "stride-8");
    check(&micro(1, 1, "lesson"), true, "one-element-aside");
    // Sectors that come along are hatched, and have brackets.
    check(&micro(16, 0, "nv-hopper"), false, "stride-16-this-gpu");
    // Long gaps are left out.
    check(&micro(500, 0, "lesson"), true, "stride-500");
}

#[test]
fn two_patterns_beside_each_other_look_as_reviewed() {
    let scenes = [micro(1, 0, "lesson"), micro(8, 0, "lesson")];
    let size = [WIDTH, 2.0 * scenes[0].size[1] + 40.0];
    let image = painted(size, false, move |ui, palette| {
        for scene in &scenes {
            scene_painter::show(ui, scene, palette);
        }
    });
    if let Some(image) = image {
        compare(&image, "pinned-and-other");
    }
}

#[test]
fn a_tile_looks_as_reviewed() {
    let lesson = memory_model::by_key("lesson").unwrap();
    let copy = Pattern::of(kernels::by_id("tiled_copy").unwrap());
    let copy = copy.with("bits", 32u32).with("threads_x", 8u32).with("workgroup", 32u32);
    let tile = Tile::of(&trace(&copy.with("values_x", 2u32).with("values_y", 1u32), lesson), 16);
    check(&tile::scene(&tile, Show::Load(0), 32, WIDTH), false, "tile-lanes");
    check(&tile::scene(&tile, Show::Lane(0), 32, WIDTH), true, "tile-values");
}

/// A band, spreads, a flagged point, every shape, and both regions.
pub(crate) fn every_mark() -> Chart {
    let at = |x: f64, y: f64| Dot { x, y, low: 0.8 * y, high: 1.2 * y, flag: None };
    let strides = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
    let dots = |rate: fn(f64) -> f64| strides.into_iter().map(|x| at(x, rate(x))).collect::<Vec<_>>();
    let mut measured = dots(|x| 3900.0 / x);
    measured[5].flag = Some("a cache answered".to_owned());
    let plain = |rate: fn(f64) -> f64| strides.into_iter().map(|x| Dot::new(x, rate(x))).collect::<Vec<_>>();
    Chart {
        title: "read by stride".to_owned(),
        x_label: "stride in elements".to_owned(),
        y_label: "useful GB/s".to_owned(),
        y_scale: Scale::Log2,
        x_ticks: (0..=12).map(|power| f64::from(power).exp2()).collect(),
        series: vec![
            Series::new("predicted", Ink::Predicted, ChartMark::Line, dots(|x| 4000.0 / x.min(16.0))),
            Series::new("recorded", Ink::Recorded, ChartMark::Diamond, plain(|x| 4500.0 / x)),
            Series::new("a.json", Ink::File(0), ChartMark::Square, plain(|x| 900.0 / x)),
            Series::new("moved", Ink::Moved, ChartMark::Triangle, plain(|_| 4100.0)),
            Series::new("measured", Ink::Measured, ChartMark::Disc, measured),
        ],
        regions: vec![
            Region { from: 1.0, to: 8.0, label: "here every GPU agrees".to_owned() },
            Region { from: 8.0, to: 64.0, label: "here your GPU answers".to_owned() },
        ],
        here: vec![(8.0, "here".to_owned())],
    }
}

#[test]
fn the_plot_looks_as_reviewed() {
    for (dark, name) in [(false, "plot-light"), (true, "plot-dark")] {
        let image = painted([WIDTH, 440.0], dark, |ui, palette| {
            chart_painter::show(ui, "plot", &every_mark(), palette, 380.0);
        });
        if let Some(image) = image {
            compare(&image, name);
        }
    }
}

/// The comparison is worth something: one sector of another colour, even only its unused part, is found.
#[test]
fn one_sector_of_another_colour_is_found() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(format!("{FOLDER}/stride-8.png"), folder.path().join("stride-8.png")).unwrap();
    let scene = micro(8, 0, "lesson");
    let is_sector = |mark: &sectorscope::app::picture::Mark| matches!(mark.shape, Shape::Rect { size, fill: Fill::Soft, .. } if size[1] > 40.0);
    let sectors: Vec<usize> = (0..scene.marks.len()).filter(|place| is_sector(&scene.marks[*place])).collect();
    assert_eq!(sectors.len(), 32);
    for role in [Role::Excess(1.0), Role::Excess(2.0), Role::Accent] {
        let mut other = scene.clone();
        other.marks[sectors[13]].role = role;
        let Some(image) = paint_scene(&other, false) else { return };
        let result = try_image_snapshot_options(&image, "stride-8", &options(folder.path()));
        assert!(result.is_err(), "{role:?} went unnoticed");
    }
    let image = paint_scene(&scene, false).unwrap();
    try_image_snapshot_options(&image, "stride-8", &options(folder.path())).unwrap();
}
