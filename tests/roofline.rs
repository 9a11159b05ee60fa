//! The drawn roofline of the recorded matmul ladder: every mark stands where its figures put it, and the picture of the
//! README is the one that is drawn today.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sectorscope::record::Results;
use sectorscope::report::json;
use sectorscope::report::roofline::{Roofline, svg};

const RECORDED: &str = include_str!("../assets/reference/h200-matmul.json");

fn recorded() -> Results {
    json::from_bytes(RECORDED.as_bytes()).unwrap()
}

fn roofline() -> Roofline {
    Roofline::of(&recorded()).unwrap()
}

/// The number of an attribute, as it stands in the text of an element.
fn number(element: &str, name: &str) -> f64 {
    let value = element.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap();
    value.parse().unwrap()
}

/// All elements of a name: each from its start to its end.
fn elements<'a>(picture: &'a str, name: &str) -> Vec<&'a str> {
    let open = format!("<{name}");
    picture.split(&open).skip(1).map(|rest| rest.split('<').next().unwrap()).collect()
}

/// x of the tick with this label below the plot, y of the tick with this label left of it.
fn tick(picture: &str, label: &str, anchor: &str) -> f64 {
    let found = elements(picture, "text").into_iter().find(|element| {
        let words = element.split('>').nth(1).unwrap().trim();
        words == label && element.contains(&format!("text-anchor=\"{anchor}\"")) && !element.contains("#ffffff")
    });
    if anchor == "middle" { number(found.unwrap(), "x") } else { number(found.unwrap(), "y") - 5.0 }
}

#[test]
fn marks_and_roofs_stand_where_their_figures_put_them() {
    let roofline = roofline();
    let picture = svg::to_string(&roofline, "a device");
    // A decade is as long everywhere: two ticks give the scale.
    let (one, ten) = (tick(&picture, "1", "middle"), tick(&picture, "10", "middle"));
    let x = |intensity: f64| one + intensity.log10() * (ten - one);
    let (low, high) = (tick(&picture, "1", "end"), tick(&picture, "10", "end"));
    let y = |gflop: f64| low + (gflop / 1000.0).log10() * (high - low);
    let near = |a: f64, b: f64| (a - b).abs() < 0.3;
    let circles = elements(&picture, "circle");
    assert_eq!(circles.len(), 2 * roofline.points.len(), "one in the plot and one beside its name");
    for (circle, point) in circles.iter().zip(&roofline.points) {
        assert!(near(number(circle, "cy"), y(point.gflop_per_s)), "{}", point.kernel);
        // Rungs of one tile stand side by side, never left of their place.
        let aside = number(circle, "cx") - x(point.intensity.low);
        assert!(aside > -0.3 && aside < 70.0, "{}: {aside}", point.kernel);
    }
    assert!(near(number(circles[0], "cx"), x(roofline.points[0].intensity.low)), "the first stands at its place");
    let peak = roofline.ceilings.iter().map(|roof| roof.gflop_per_s).fold(0.0, f64::max);
    let ridge = x(peak / roofline.read_gb_per_s);
    let lines = elements(&picture, "line");
    let slope = lines.iter().find(|line| near(number(line, "x2"), ridge)).expect("memory's roof ends at the ridge");
    assert!(near(number(slope, "y2"), y(peak)), "{slope}");
    // One decade right is one decade up: the slope of bandwidth.
    let rise = (number(slope, "y1") - number(slope, "y2")) / (low - high);
    let run = (number(slope, "x2") - number(slope, "x1")) / (ten - one);
    assert!((rise - run).abs() < 0.01, "{rise} decades up, {run} right");
}

#[test]
fn the_words_of_the_picture_hold_its_figures() {
    let picture = svg::to_string(&roofline(), "NVIDIA <H200> & others");
    let words = picture.split("<desc>").nth(1).unwrap().split("</desc>").next().unwrap();
    assert!(words.contains("NVIDIA &lt;H200&gt; &amp; others"), "{words}");
    let recorded = recorded();
    let peaks = [recorded.reference.fma_f32, recorded.reference.fma_cooperative].map(Option::unwrap);
    let read = recorded.reference.read.unwrap();
    let figures = [format!("{:.0} GFLOP/s", peaks[0]), format!("{:.0} GFLOP/s", peaks[1]), format!("{read:.0} GB/s")];
    for part in figures.iter().map(String::as_str).chain(["matmul_uncoalesced: 972 GFLOP/s at 0.059 to 341"]) {
        assert!(words.contains(part), "{part} in {words}");
    }
    assert!(picture.contains("<title>"), "{picture}");
}

#[test]
fn rows_with_safety_checks_stand_in_only_where_there_are_no_others() {
    let mut results = recorded();
    let rate = |results: &Results| Roofline::of(results).unwrap().points[1].gflop_per_s;
    let unchecked = rate(&results);
    results.rows.retain(|row| row.checks == "on" || row.kernel != "matmul_naive");
    let names: Vec<String> = Roofline::of(&results).unwrap().points.into_iter().map(|point| point.kernel).collect();
    assert!(names.contains(&"matmul_naive".to_owned()));
    let checked = Roofline::of(&results).unwrap().points.into_iter().find(|point| point.kernel == "matmul_naive");
    assert!(checked.unwrap().gflop_per_s < unchecked);
    results.rows.clear();
    assert_eq!(Roofline::of(&results), None);
}

#[test]
fn a_rung_of_cooperative_matrices_has_a_roof_of_its_own() {
    let mut results = recorded();
    let roofs = |results: &Results| Roofline::of(results).unwrap().ceilings;
    assert_eq!(roofs(&results).len(), 2);
    assert!(roofs(&results)[1].name.contains("16x16x16 f16 to f32"), "{:?}", roofs(&results));
    let climb = sectorscope::report::summary::lines(&results).join(" ");
    assert!(climb.contains("(matmul_prefetch)") && !climb.contains("(matmul_cooperative)"), "{climb}");
    results.rows.retain(|row| row.kernel != "matmul_cooperative");
    assert_eq!(roofs(&results).len(), 1, "no rung that it is the roof of");
}

#[test]
fn the_readme_shows_what_is_drawn_today() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let shown = std::fs::read_to_string(root.join("assets/pictures/h200-roofline.svg")).unwrap();
    let device = "NVIDIA H200, vulkan, driver NVIDIA 580.159.04, 2026-11-30";
    assert!(shown == svg::to_string(&roofline(), device), "draw it again: `sectorscope show FILE --roofline FILE.svg`");
    assert!(std::fs::read_to_string(root.join("README.md")).unwrap().contains("(assets/pictures/h200-roofline.svg)"));
}

#[test]
fn roofs_stay_in_the_picture_whatever_rungs_there_are() {
    for kernel in ["matmul_cooperative", "matmul_uncoalesced", "matmul_prefetch"] {
        let mut results = recorded();
        results.rows.retain(|row| row.kernel == kernel);
        let picture = svg::to_string(&Roofline::of(&results).unwrap(), "a device");
        for line in elements(&picture, "line") {
            let inside = |name, range: std::ops::RangeInclusive<f64>| range.contains(&number(line, name));
            assert!(inside("x1", 76.0..=640.0) && inside("x2", 76.0..=640.0), "{kernel}: {line}");
            assert!(inside("y1", 64.0..=470.0) && inside("y2", 64.0..=470.0), "{kernel}: {line}");
        }
    }
}
