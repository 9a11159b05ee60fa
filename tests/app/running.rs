//! Measuring: what is asked of the engine, and what becomes of what it tells.

use egui_kittest::kittest::Queryable as _;
use sectorscope::app::{Origin, Run, Told};
use sectorscope::engine::{Event, Stage};
use sectorscope::kernels::Value;
use sectorscope::record::{Row, Status, Warning};

use crate::fake::{Bench, device, document, row};

#[test]
fn measuring_asks_for_the_pattern_and_shows_its_rate() {
    let mut bench = Bench::new();
    bench.harness.get_by_label("Exact stride").set_value_accesskit(8.0);
    bench.run();
    bench.harness.get_by_label("Measure on this GPU (about 5 s)").click();
    bench.run();
    let requests = bench.script.borrow().requests.clone();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].rows[0].1.get("stride"), Some(&Value::Number(8)));
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    bench.event(Event::Progress { stage: Stage::Measure, done: 3, total: 8, what: "read".into() });
    bench.harness.get_by_label("read, stride 8: measuring 3/8");
    bench.event(Event::Row { index: 0, row: Box::new(row(8, 123.0)) });
    assert_eq!(bench.harness.query_all_by_label("read, stride 8: 123 GB/s").count(), 2, "in the list, and explained");
    bench.harness.get_by_label_contains("As fast as it gets. 99.71 % of the reference rate");
    bench.tell(Told::Ended(Ok(())));
    assert_eq!(bench.state().run, Run::Idle);
    let documents = bench.state().documents.all();
    assert_eq!(documents.last().map(|document| &document.origin), Some(&Origin::Session("read, stride 8".into())));
}

#[test]
fn a_sweep_asks_for_every_detent_and_stop_ends_it() {
    let mut bench = Bench::new();
    bench.harness.get_by_label("Sweep").click();
    bench.run();
    let strides: Vec<u32> =
        bench.script.borrow().requests[0].rows.iter().map(|(_, params)| params.number("stride")).collect();
    assert_eq!(strides, [1, 2, 4, 8, 16, 32, 64]);
    bench.harness.get_by_label("Stop").click();
    bench.run();
    assert_eq!(bench.script.borrow().stops, 1);
    bench.harness.get_by_label("read, every stride: stopping ..");
}

#[test]
fn a_machine_without_gpu_still_predicts_and_says_why() {
    let mut bench = Bench::new();
    bench.tell(Told::Device(Err("no adapter was found on vulkan".into())));
    bench.harness.get_by_label("No GPU to measure on. Predictions work all the same.");
    bench.harness.get_by_label("no adapter was found on vulkan");
    bench.harness.get_by_label("Measure on this GPU (about 5 s)").click();
    bench.run();
    assert!(bench.script.borrow().requests.is_empty());
    bench.harness.get_by_label("Asked 128 B · 4 sectors = 128 B · 100 % used");
}

#[test]
fn rows_wait_while_the_run_goes_on_and_not_after_it_was_stopped() {
    let mut bench = Bench::new();
    bench.harness.get_by_label("Sweep").click();
    bench.run();
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 7 });
    let waiting = Row { measured: None, status: Status::Skipped, reason: None, ..row(16, 1.0) };
    bench.event(Event::Row { index: 4, row: Box::new(waiting.clone()) });
    bench.harness.get_by_label("read, stride 16: waiting");
    let left_out = Row { reason: Some("interrupted".into()), ..waiting };
    bench.event(Event::Row { index: 4, row: Box::new(left_out) });
    bench.tell(Told::Ended(Ok(())));
    bench.harness.get_by_label("read, stride 16: not measured");
}

#[test]
fn rows_that_failed_are_told_with_their_cause_and_another_run_can_be_started() {
    let mut bench = Bench::new();
    bench.harness.get_by_label("Sweep").click();
    bench.run();
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 2 });
    let reason = Some("the device was lost".to_owned());
    let failed = Row { measured: None, status: Status::Failed, reason, ..row(16, 1.0) };
    bench.event(Event::Row { index: 0, row: Box::new(row(8, 321.0)) });
    bench.event(Event::Row { index: 1, row: Box::new(failed) });
    bench.tell(Told::Ended(Ok(())));
    bench.harness.get_by_label_contains("1 of 2 failed: the device was lost. Counts and predictions hold");
    bench.harness.get_by_label("Sweep").click();
    bench.run();
    assert_eq!(bench.script.borrow().requests.len(), 2);
    // A run in which nothing failed says nothing, and what was said before is not said again.
    bench.harness.get_by_label("Dismiss").click();
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    bench.event(Event::Row { index: 0, row: Box::new(row(8, 321.0)) });
    bench.tell(Told::Ended(Ok(())));
    assert!(bench.state().notices.is_empty());
}

#[test]
fn a_lost_device_is_a_notice_that_can_be_put_away() {
    let mut bench = Bench::new();
    bench.event(Event::Warning(Warning::new("device_failed", "the device was lost")));
    bench.harness.get_by_label("the device was lost");
    bench.harness.get_by_label("Dismiss").click();
    bench.run();
    assert!(bench.harness.query_by_label("the device was lost").is_none());
}

#[test]
fn the_plot_has_the_recorded_points_the_prediction_and_what_was_measured() {
    let mut bench = Bench::new();
    bench.settle();
    let plot = |bench: &Bench| {
        let node = bench.harness.get_by_label_contains("read by stride: useful GB/s over stride in elements.");
        egui_kittest::kittest::NodeT::accesskit_node(&node).label().unwrap_or_default()
    };
    let text = plot(&bench);
    assert!(text.contains("recorded on an NVIDIA H200, not this machine: 1: 4"), "{text}");
    assert!(text.contains("predicted, from the recorded best rate: 1: 4"), "{text}");
    bench.harness.get_by_label("Sweep").click();
    bench.run();
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 7 });
    bench.event(Event::Row { index: 3, row: Box::new(row(8, 321.0)) });
    let text = plot(&bench);
    assert!(text.contains("measured on this machine: 8: 321."), "{text}");
}

/// Where time falls though traffic is equal, memory was not the limit: the app says so, with the evidence.
#[test]
fn a_failed_demonstration_is_told_with_its_evidence() {
    for (last, told) in [(1e6, false), (0.5e6, true)] {
        let mut bench = Bench::new();
        bench.harness.get_by_label("Sweep").click();
        bench.run();
        bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 7 });
        let mut eight = row(8, 100.0);
        eight.measured.as_mut().unwrap().median_ns = last;
        bench.event(Event::Row { index: 0, row: Box::new(row(1, 800.0)) });
        bench.event(Event::Row { index: 3, row: Box::new(eight) });
        let text =
            "Time fell as the stride grew, so memory traffic was not the limit here. Try a footprint of at least";
        assert_eq!(bench.harness.query_by_label_contains(text).is_some(), told, "{last} ns");
    }
}

#[test]
fn keys_do_what_buttons_do() {
    use eframe::egui::Key;
    let mut bench = Bench::new();
    for (key, check) in [
        (Key::P, (|bench| bench.state().pinned.is_some()) as fn(&Bench) -> bool),
        (Key::C, |bench| bench.state().covered),
        (Key::L, |bench| bench.state().model == sectorscope::app::ModelChoice::ThisGpu),
        (Key::M, |bench| bench.script.borrow().requests.len() == 1),
        (Key::Escape, |bench| bench.script.borrow().stops == 1),
        (Key::Num3, |bench| bench.state().tab == sectorscope::app::Tab::Matmul),
        (Key::Questionmark, |bench| bench.harness.query_by_label("dark or light").is_some()),
        (Key::Escape, |bench| bench.harness.query_by_label("dark or light").is_none()),
    ] {
        bench.harness.key_press(key);
        bench.run();
        bench.run();
        assert!(check(&bench), "{key:?}");
    }
}

#[test]
fn results_are_copied_as_a_table_of_markdown() {
    let mut bench = Bench::new();
    bench.harness.get_by_label("Measure on this GPU (about 5 s)").click();
    bench.run();
    bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 1 });
    bench.event(Event::Row { index: 0, row: Box::new(row(8, 123.0)) });
    bench.tell(Told::Ended(Ok(())));
    bench.harness.get_by_label_contains("Copy table: ").click();
    let copied = (0..4).find_map(|_| {
        bench.harness.step();
        bench.harness.output().platform_output.commands.iter().find_map(|command| match command {
            eframe::egui::OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        })
    });
    let table = copied.expect("a table on the clipboard");
    assert!(table.lines().any(|line| line.starts_with("| read | stride=8 |") && line.contains("| 123 |")), "{table}");
    bench.harness.get_by_label_contains("Save JSON: ");
    bench.harness.get_by_label_contains("Save CSV: ");
}

#[test]
fn of_several_results_of_a_pattern_the_newest_counts_and_older_runs_are_folded() {
    let mut bench = Bench::new();
    for (started, rate) in [("2026-11-30T10:00:00Z", 111.0), ("2026-11-30T11:00:00Z", 222.0)] {
        bench.harness.get_by_label("Sweep").click();
        bench.run();
        let results = sectorscope::record::Results { started_at: started.into(), ..document(device().adapter) };
        bench.event(Event::Started { results: Box::new(results), rows: 1 });
        bench.event(Event::Row { index: 0, row: Box::new(row(8, rate)) });
        bench.tell(Told::Ended(Ok(())));
    }
    bench.harness.get_by_label("read, stride 8: 222 GB/s");
    assert!(bench.harness.query_by_label("read, stride 8: 111 GB/s").is_none(), "its run is folded");
    bench.harness.get_by_label("Strong counts: the newest of a pattern, over its largest footprint.");
    bench.harness.get_by_label("Unfold read, every stride").click();
    bench.run();
    bench.harness.get_by_label("read, stride 8: 111 GB/s").click();
    bench.run();
    bench.harness.get_by_label("Over 1 GiB, 8 samples, read, every stride.");
}

#[test]
fn the_code_stays_in_sight_however_many_results_there_are() {
    let mut bench = Bench::new();
    for _ in 0..12 {
        bench.harness.get_by_label("Sweep").click();
        bench.run();
        bench.event(Event::Started { results: Box::new(document(device().adapter)), rows: 7 });
        for (index, stride) in [1, 2, 4, 8, 16, 32, 64].into_iter().enumerate() {
            bench.event(Event::Row { index, row: Box::new(row(stride, 100.0)) });
        }
        bench.tell(Told::Ended(Ok(())));
    }
    let title = bench.harness.get_by_label("The access").rect();
    assert!(title.bottom() < 560.0, "{title:?}");
}
