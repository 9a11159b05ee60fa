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
    let peak = roofline.ceilings[0].gflop_per_s;
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
    for part in ["matmul_uncoalesced: 972 GFLOP/s at 0.059 to 341", "60435 GFLOP/s", "4566 GB/s"] {
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
