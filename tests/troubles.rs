//! Whole runs on a device that misbehaves on purpose: clocks that lie, memory that ends, a device that is lost.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and a skipped one says so"
)]

mod common;

use std::process::{Command, Output};

use sectorscope::record::{Results, Row, Status, TimeSource};
use sectorscope::report::json;

/// A small run with these variables set; `None` without a device.
fn run(variables: &[(&str, &str)], options: &[&str]) -> Option<(Output, Results)> {
    common::gpu()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_sectorscope"));
    command.args(["--bench", "--json", "-"]);
    if !options.contains(&"--kernel") && !options.contains(&"--suite") {
        command.args(["--kernel", "read", "--set", "stride=1,8"]);
    }
    if !options.contains(&"--samples") {
        command.args(["--samples", "3"]);
    }
    command.args(options).env_remove("WGPU_ADAPTER_NAME");
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    let results = json::from_bytes(&output.stdout).unwrap();
    Some((output, results))
}

const SMALL: [&str; 2] = ["--bytes", "4MiB"];

fn sources(results: &Results) -> Vec<TimeSource> {
    results.rows.iter().filter_map(|row| Some(row.measured.as_ref()?.time_source)).collect()
}

fn warned(results: &Results, code: &str) -> bool {
    results.warnings.iter().any(|warning| warning.code == code)
}

#[test]
fn clocks_that_lie_are_not_believed() {
    let lies = [
        ("SECTORSCOPE_TEST_ZERO_TIMESTAMPS", "1"),
        ("SECTORSCOPE_TEST_PERIOD_SCALE", "80"),
        ("SECTORSCOPE_TEST_PERIOD_SCALE", "0.0125"),
        ("SECTORSCOPE_TEST_NO_TIMESTAMPS", "1"),
    ];
    for lie in lies {
        let Some((output, results)) = run(&[lie], &SMALL) else { return };
        assert_eq!(output.status.code(), Some(0), "{lie:?}");
        assert_eq!(sources(&results), [TimeSource::Host; 2], "{lie:?}");
        assert!(warned(&results, "host_time"), "{lie:?}: {:?}", results.warnings);
        for row in &results.rows {
            let measured = row.measured.as_ref().unwrap();
            assert!(measured.samples_ns.iter().all(|ns| ns.is_finite() && *ns > 0.0), "{lie:?}");
            assert!(row.warnings.iter().any(|warning| warning.code == "host_time"), "{lie:?}");
        }
    }
    let Some((_, honest)) = run(&[], &SMALL) else { return };
    assert!(!warned(&honest, "host_time"));
}

#[test]
fn a_lost_device_fails_the_rows_that_lack_samples() {
    for submissions in ["20", "60", "90"] {
        let Some((output, results)) = run(&[("SECTORSCOPE_TEST_LOSE_DEVICE_AFTER", submissions)], &SMALL) else {
            return;
        };
        let whole = |results: &Results| results.rows.iter().all(|row| row.status == Status::Ok);
        if whole(&results) {
            println!("SKIPPED: the run ended before {submissions} submissions");
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "after {submissions}");
        for row in results.rows.iter().filter(|row| row.status != Status::Ok) {
            assert_eq!(row.status, Status::Failed, "after {submissions}: {:?}", row.reason);
            assert!(row.reason.as_ref().unwrap().contains("lost"), "after {submissions}: {:?}", row.reason);
        }
    }
}

#[test]
fn memory_that_ends_halves_the_default_footprint() {
    let Some((output, results)) = run(&[("SECTORSCOPE_TEST_MEMORY_BYTES", "40000000")], &[]) else { return };
    assert_eq!(output.status.code(), Some(0));
    assert!(warned(&results, "out_of_memory"));
    assert!(results.rows.iter().all(|row| row.status == Status::Ok && row.work.footprint_bytes < 32 << 20));
}

#[test]
fn memory_that_ends_spares_the_sizes_that_fit() {
    let sizes = ["--bytes", "1MiB,2MiB,64MiB"];
    let Some((output, results)) = run(&[("SECTORSCOPE_TEST_MEMORY_BYTES", "60000000")], &sizes) else { return };
    assert_eq!(output.status.code(), Some(1));
    for row in &results.rows {
        let fits = row.work.footprint_bytes <= 2 << 20;
        assert_eq!(row.status, if fits { Status::Ok } else { Status::Failed }, "{:?}", row.reason);
    }
    assert!(results.reference.read.is_some());
}

#[test]
fn a_time_limit_ends_in_time_and_says_so() {
    let options = ["--bytes", "16MiB", "--time-limit", "2", "--samples", "2000"];
    let start = sectorscope::platform::now();
    let Some((output, results)) = run(&[], &options) else { return };
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(results.ended, "time_limit");
    assert!(start.elapsed().as_secs() < 30);
    for row in &results.rows {
        let told = row.status == Status::Skipped || row.warnings.iter().any(|warning| warning.code == "incomplete");
        assert!(told, "{:?}", row.warnings);
    }
}

#[test]
fn a_run_that_holds_the_device_too_long_is_split() {
    let limit = [("SECTORSCOPE_TEST_LONGEST_SUBMISSION_NS", "4e7")];
    let options = ["--kernel", "matmul_naive", "--set", "size=16,512", "--bytes", "1MiB", "--time-limit", "300"];
    let Some((output, results)) = run(&limit, &options) else { return };
    assert_eq!(output.status.code(), Some(0));
    let split = |row: &Row| row.warnings.iter().any(|warning| warning.code == "split");
    let [small, large] = &results.rows[..] else { panic!("{} rows", results.rows.len()) };
    let [whole, parts] = [small, large].map(|row| row.measured.as_ref().unwrap());
    if !split(large) {
        println!("SKIPPED: this device is too fast");
        return;
    }
    assert!(!split(small));
    assert_eq!((whole.dispatches_per_run, whole.longest_dispatch_ns), (1, None));
    assert!(parts.dispatches_per_run > 1 && parts.dispatches_per_sample == 1);
    // A sample is the sum of its parts: of equal ones, so that it is far longer than the longest that is allowed.
    let longest = parts.longest_dispatch_ns.unwrap();
    assert!(parts.median_ns > 2e7 && longest < parts.median_ns, "{longest} of {}", parts.median_ns);
    // Verified in parts as well: every product is right.
    assert!(results.rows.iter().all(|row| row.status == Status::Ok && row.verified.is_some()));
}

#[test]
fn a_size_that_was_asked_for_is_left_out_where_the_time_is_too_short() {
    let limit = [("SECTORSCOPE_TEST_LONGEST_SUBMISSION_NS", "4e7")];
    let options = ["--kernel", "matmul_naive", "--set", "size=16,4096", "--bytes", "1MiB", "--time-limit", "20"];
    let Some((output, results)) = run(&limit, &options) else { return };
    let [small, large] = &results.rows[..] else { panic!("{} rows", results.rows.len()) };
    if large.status == Status::Ok {
        println!("SKIPPED: this device is too fast");
        return;
    }
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(large.status, Status::Skipped, "{:?}", large.reason);
    let reason = large.reason.as_ref().unwrap();
    assert!(reason.contains("too long for --time-limit 20") && reason.contains("smaller size"), "{reason}");
    assert!(large.measured.is_none() && small.params["size"] == 16);
    assert_eq!(results.ended, "time_limit");
}

#[test]
fn the_ladder_shrinks_to_what_the_time_allows_and_says_so() {
    let ladder = ["--kernel", "matmul_uncoalesced", "--kernel", "matmul_tiled", "--kernel", "matmul_vec4"];
    // So little time that every run must be as short as the shortest that is ever asked for.
    let Some((output, results)) = run(&[], &[&ladder[..], &["--time-limit", "3"]].concat()) else { return };
    assert_eq!(output.status.code(), Some(0));
    let sizes: Vec<[u64; 3]> =
        results.rows.iter().filter_map(|row| row.matmul.as_ref()).map(|rung| [rung.m, rung.n, rung.k]).collect();
    assert_eq!(sizes.len(), 3);
    assert!(sizes.iter().flatten().all(|size| *size == sizes[0][0]), "rungs differ in size: {sizes:?}");
    let default = if results.is_software() { 256 } else { 2048 };
    for row in &results.rows {
        let warning = row.warnings.iter().find(|warning| warning.code == "size_reduced");
        assert_eq!(warning.is_some(), sizes[0][0] < default, "{sizes:?}");
        if let Some(warning) = warning {
            assert!(warning.text.contains(&format!("size {} in place of {default}", sizes[0][0])), "{}", warning.text);
            assert!(warning.text.contains("--time-limit 3"), "{}", warning.text);
        }
    }
    // A size that was asked for stays.
    let asked = [&ladder[..2], &["--set", "size=200", "--time-limit", "30"]].concat();
    let Some((_, results)) = run(&[], &asked) else { return };
    assert_eq!(results.rows[0].matmul.as_ref().unwrap().n, 200);
    assert!(results.rows[0].warnings.iter().all(|warning| warning.code != "size_reduced"));
}
