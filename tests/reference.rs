//! Recorded runs stay readable, hold what the README says of them, and the README's table is printed from them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use sectorscope::record::{Results, Row, Status};
use sectorscope::report::{json, markdown};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn recorded(name: &str) -> Results {
    let bytes = std::fs::read(root().join("assets/reference").join(name)).unwrap();
    json::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The three runs of the standard suite on one card: forward, reversed, and after a minute of idling.
fn h200() -> [Results; 3] {
    ["h200-standard.json", "h200-standard-reversed.json", "h200-standard-after-idle.json"].map(recorded)
}

#[test]
fn every_recorded_run_is_readable_and_names_its_machine() {
    let files: Vec<PathBuf> =
        std::fs::read_dir(root().join("assets/reference")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 3);
    for path in files {
        let results = recorded(path.file_name().unwrap().to_str().unwrap());
        let adapter = results.adapter.unwrap_or_else(|| panic!("{} has no adapter", path.display()));
        assert!(!adapter.name.is_empty() && !adapter.driver_info.is_empty(), "{}", path.display());
        assert!(results.started_at.starts_with("20"), "{}", path.display());
    }
}

#[test]
fn the_readme_shows_the_recorded_run() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let table = markdown::to_string(&h200()[0]);
    assert!(
        readme.contains(&table),
        "README.md must hold what `sectorscope show assets/reference/h200-standard.json --markdown` prints"
    );
}

fn rate(row: &Row) -> Option<f64> {
    row.measured.as_ref()?.useful_gb_per_s
}

#[test]
fn the_recorded_card_behaves_as_predicted() {
    for results in h200() {
        assert!(results.rows.iter().all(|row| row.status == Status::Ok), "a row of a recorded run is not ok");
        assert_eq!(results.stride_knee.unwrap().fetch_bytes, Some(64));
        assert!(results.reference.read.unwrap() >= 4400.0 && results.reference.mixed.unwrap() >= 4150.0);
        let strides = results.rows.iter().filter(|row| {
            let is = |name: &str, value: &str| row.params.get(name).is_some_and(|found| found == value);
            let plain = is("element", "f32") && is("order", "interleaved");
            row.kernel == "read"
                && plain
                && row.params["items"] == 8
                && row.params["offset"] == 0
                && row.work.footprint_bytes == 1 << 30
        });
        let mut found = 0;
        for row in strides.filter(|row| row.params["stride"].as_u64().unwrap() <= 16) {
            let ratio = row.measured_over_predicted.unwrap();
            assert!((0.97..=1.03).contains(&ratio), "stride {}: {ratio}", row.params["stride"]);
            found += 1;
        }
        assert!(found >= 5, "{found} strides");
    }
}

#[test]
fn the_recorded_runs_repeat() {
    let [first, reversed, idle] = h200();
    for other in [reversed, idle] {
        for (a, b) in first.rows.iter().zip(&other.rows) {
            assert_eq!((&a.kernel, &a.params), (&b.kernel, &b.params));
            let (Some(x), Some(y)) = (rate(a), rate(b)) else { continue };
            // Rows of a few microseconds are launch, not memory: 3 % there.
            let tolerance = if a.measured.as_ref().unwrap().median_ns < 10_000.0 { 0.03 } else { 0.01 };
            assert!((x / y - 1.0).abs() < tolerance, "{} {:?}: {x} and {y}", a.kernel, a.params);
        }
    }
}
