//! `--bench --wgsl` from outside: a user's own shader counted and measured, and every way in which one can be wrong.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what must not be")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use sectorscope::record::{Results, Row, Status};
use sectorscope::report::json;

/// Every other element is read: 64 lanes a workgroup.
const STRIDED: &str = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[g.x] = a[2u * g.x];
}
";
/// The loop of line 6 ends when the contents of `flags` say so.
const ENDLESS: &str = "@group(0) @binding(0) var<storage, read> flags: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var n = 0u;
    while (flags[g.x] == 0u) { n += 1u; }
    o[g.x] = n;
}
";
/// Every lane takes a ticket, and stores at its number: what is written decides an address.
const TICKETS: &str = "@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    let ticket = atomicAdd(&next, 1u);
    o[ticket] = g.x;
}
";
/// A pointer to an element is passed on: line 9.
const POINTER: &str = "@group(0) @binding(0) var<storage, read_write> o: array<f32>;
fn twice(p: ptr<function, f32>) -> f32 {
    return 2.0 * *p;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    var t: array<f32, 4>;
    t[i & 3u] = 1.0;
    o[i] = twice(&t[i & 3u]);
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn with(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn bench(file: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sectorscope"))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .args(["--bench", "--samples", "3", "--wgsl", file])
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn results(output: &Output) -> Results {
    json::from_bytes(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", text(&output.stderr)))
}

/// The one row of a run that ended well, and whether it was measured: not where there is no device.
fn row(file: &str, arguments: &[&str]) -> (Row, bool) {
    let output = bench(file, &[arguments, &["--json", "-"]].concat());
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
    let results = results(&output);
    let measured = results.adapter.is_some();
    assert!(measured || std::env::var_os("REQUIRE_GPU").is_none_or(|value| value != "1"));
    assert_eq!(results.rows.len(), 1);
    (results.rows.into_iter().next().unwrap(), measured)
}

/// A run that is refused with all these words, after which the next one works.
fn refused(file: &str, arguments: &[&str], words: &[&str]) {
    let output = bench(file, arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for word in words {
        assert!(said.contains(word), "{word} is not in: {said}");
    }
    assert!(output.stdout.is_empty());
    works_after();
}

/// A good shader runs.
fn works_after() {
    let folder = Folder::new();
    let (row, measured) = row(&folder.with("good.wgsl", STRIDED), &["--dispatch", "4"]);
    assert_eq!(row.status, if measured { Status::Ok } else { Status::Skipped }, "{row:?}");
}

fn has(row: &Row, code: &str) -> bool {
    row.warnings.iter().any(|warning| warning.code == code)
}

#[test]
fn a_shader_is_counted_and_measured() {
    let folder = Folder::new();
    let file = folder.with("strided.wgsl", STRIDED);
    let (row, measured) = row(&file, &["--dispatch", "16", "--buffer", "a=8KiB", "--model", "lesson"]);
    assert_eq!((row.kernel.as_str(), row.checks.as_str()), (file.as_str(), "on"));
    // 16 workgroups of 64 lanes: 1024 lanes load 4 bytes and store 4 bytes.
    assert_eq!((row.work.bytes_read, row.work.bytes_written), (4096, 4096));
    assert_eq!((row.work.requested_bytes, row.work.useful_bytes), (8192, 8192));
    // 32 subgroups of 32 lanes, each with one load over 32 * 8 bytes = 8 sectors and one store of 128 bytes = 4.
    let predicted = row.predicted.as_ref().unwrap();
    assert_eq!((predicted.requests, predicted.sectors_per_request), (64, 6.0));
    assert_eq!((predicted.useful_bytes, predicted.sector_bytes), (8192, 32 * (8 + 4) * 32));
    assert_eq!(predicted.traced, "all 16 workgroups");
    assert_eq!(row.measured.is_some(), measured);
    if let Some(times) = &row.measured {
        assert_eq!((row.status, times.samples_ns.len()), (Status::Ok, 3));
        let rate = times.useful_gb_per_s.unwrap();
        assert!((rate * times.median_ns / 8192.0 - 1.0).abs() < 1e-9, "{rate}");
        // The reference runs of this device are there, so the row is compared with them.
        assert!(times.efficiency.is_some() && predicted.useful_gb_per_s.is_some());
    }
    assert!(!has(&row, "default_dispatch") && !has(&row, "out_of_range"), "{:?}", row.warnings);
}

#[test]
fn results_are_shown_and_compared_as_those_of_other_runs() {
    let folder = Folder::new();
    let file = folder.with("strided.wgsl", STRIDED);
    let paths = ["a.json", "b.json"].map(|name| folder.with(name, ""));
    for path in &paths {
        let output = bench(&file, &["--dispatch", "16", "--json", path]);
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("strided.wgsl"), "{}", text(&output.stdout));
    }
    let call = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_sectorscope")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(call(&["show", &paths[0]]).contains("strided.wgsl"));
    assert!(call(&["compare", &paths[0], &paths[1]]).contains("strided.wgsl"));
}

#[test]
fn settings_that_do_not_fit_are_refused_by_name() {
    let folder = Folder::new();
    let file = folder.with("strided.wgsl", STRIDED);
    refused(&file, &["--buffer", "a=2"], &["a", "at least 4"]);
    refused(&file, &["--buffer", "b=4KiB"], &["b"]);
    refused(&file, &["--buffer", "a=4GiB"], &["a", "at most"]);
    let uniform = "struct P { n: u32 }\n@group(0) @binding(0) var<uniform> p: P;\n".to_owned()
        + "@group(0) @binding(1) var<storage, read_write> o: array<u32>;\n"
        + "@compute @workgroup_size(1)\nfn main() { o[0] = p.n; }\n";
    refused(&folder.with("uniform.wgsl", &uniform), &["--uniform", "p={\"m\": 1}"], &["p", "m"]);
}

#[test]
fn an_endless_loop_is_refused_with_its_line_and_its_buffer() {
    let folder = Folder::new();
    let file = folder.with("endless.wgsl", ENDLESS);
    refused(&file, &[], &["endless.wgsl", "line 6", "flags", "not run on a device", "give contents"]);
    // With contents that end it, it runs.
    let (row, measured) = row(&file, &["--fill", "flags=random:1..9"]);
    assert_eq!(row.status, if measured { Status::Ok } else { Status::Skipped });
}

#[test]
fn an_index_out_of_range_is_counted_and_refused_without_checks() {
    let folder = Folder::new();
    let file = folder.with("strided.wgsl", STRIDED);
    // 64 lanes read elements 0, 2 .. 126 of 64: those of lanes 32 to 63 are outside.
    let (row, measured) = row(&file, &["--dispatch", "1", "--buffer", "a=256"]);
    let warning = row.warnings.iter().find(|warning| warning.code == "out_of_range").unwrap();
    for word in ["line 5", "32 loads of a", "first: lane 32, index 64"] {
        assert!(warning.text.contains(word), "{}", warning.text);
    }
    assert_eq!(row.status, if measured { Status::Ok } else { Status::Skipped });
    refused(&file, &["--buffer", "a=256", "--unchecked"], &["line 5", "lane 32", "--unchecked"]);
}

#[test]
fn without_checks_there_are_warnings() {
    let folder = Folder::new();
    let file = folder.with("strided.wgsl", STRIDED);
    let output = bench(&file, &["--unchecked", "--json", "-"]);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("can read or write other memory"));
    let results = results(&output);
    let row = &results.rows[0];
    assert_eq!((row.checks.as_str(), results.settings.checks.as_str()), ("off", "off"));
    assert!(has(row, "unchecked") && has(row, "default_dispatch"), "{:?}", row.warnings);
}

#[test]
fn what_feeds_itself_does_the_same_work_in_every_sample() {
    let folder = Folder::new();
    let file = folder.with("tickets.wgsl", TICKETS);
    // Tickets that went on from sample to sample would leave the 64 elements of `o`.
    let (row, _) = row(&file, &["--dispatch", "1", "--buffer", "o=256"]);
    assert!(!has(&row, "out_of_range"), "{:?}", row.warnings);
    if let Some(measured) = &row.measured {
        assert_eq!((measured.dispatches_per_sample, measured.samples_ns.len()), (1, 3));
    }
}

#[test]
fn a_construct_that_the_compiler_lacks_is_named_with_its_line() {
    let folder = Folder::new();
    let file = folder.with("pointer.wgsl", POINTER);
    let (row, _) = row(&file, &[]);
    assert_eq!(row.status, Status::Unsupported);
    assert!(row.reason.as_ref().unwrap().contains("line 9"), "{:?}", row.reason);
    assert!(row.predicted.is_some() && row.measured.is_none());
    works_after();
}

#[test]
fn options_of_other_runs_are_refused() {
    let folder = Folder::new();
    let file = folder.with("strided.wgsl", STRIDED);
    for (arguments, word) in [
        (&["--fill", "zero"][..], "names a buffer"),
        (&["--checks", "off"], "cannot be used with"),
        (&["--kernel", "read"], "cannot be used with"),
    ] {
        let output = bench(&file, arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(word), "{}", text(&output.stderr));
    }
    for arguments in [&["--bench", "--buffer", "a=4"][..], &["--bench", "--fill", "a=zero"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_sectorscope")).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("--wgsl"), "{}", text(&output.stderr));
    }
}
