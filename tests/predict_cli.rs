//! `predict` from outside: options, streams, formats, checks and exit status.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not be")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Load and store walk columns; line 5.
const COLUMNS: &str = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[g.x * 64u + g.y] = 2.0 * a[g.x * 64u + g.y];
}
";
/// Nothing to complain of; line 5.
const ROWS: &str = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[g.x] = 2.0 * a[g.x];
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn with(&self, name: &str, text: &str) -> String {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name).to_str().unwrap().to_owned()
    }
}

fn call(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sectorscope"))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .arg("predict")
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The report of a call that ends with this status.
fn report(arguments: &[&str], status: i32) -> String {
    let output = call(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// A text without its line breaks.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn json(arguments: &[&str], status: i32) -> Value {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json", "-"]).collect();
    serde_json::from_str(&report(&arguments, status)).unwrap()
}

/// The call must end with status 2, say nothing on stdout, and name these words.
fn refused(arguments: &[&str], words: &[&str]) {
    let output = call(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty() && !message.contains("panicked"), "{message}");
    for word in words {
        assert!(message.contains(word), "{arguments:?} should name '{word}': {message}");
    }
}

#[test]
fn help_lists_the_contract() {
    let help = report(&["--help"], 0);
    for option in [
        "--entry",
        "--dispatch",
        "--trace",
        "--override",
        "--buffer",
        "--fill",
        "--uniform",
        "--texture",
        "--seed",
        "--inputs",
        "--model",
        "--subgroup",
        "--sector",
        "--fetch",
        "--max-steps",
        "--without-shortcuts",
        "--fail-below",
        "--baseline",
        "--format",
        "--json",
        "--no-cures",
        "Exit status",
        ".sectorscope.toml",
    ] {
        assert!(help.contains(option), "help lacks {option}");
    }
    let all = Command::new(env!("CARGO_BIN_EXE_sectorscope")).arg("--help").output().unwrap();
    assert!(text(&all.stdout).contains("predict"));
}

#[test]
fn the_report_names_line_cause_and_cure_in_80_columns() {
    let folder = Folder::new();
    let report = report(&[&folder.with("k.wgsl", COLUMNS), "--dispatch", "4,4"], 0);
    for words in [
        "1. line 5, load of a: 16 sectors a request where 4 would do",
        "stride 64 elements",
        "cure: swap x and y of global_invocation_id",
        "5 | o[g.y * 64u + g.x] = 2.0 * a[g.y * 64u + g.x];",
        "as written",
        "all 16 workgroups executed",
    ] {
        assert!(flowing(&report).contains(words), "the report lacks '{words}':\n{report}");
    }
    assert_eq!(report.matches("as written").count(), 1);
    // Two requests of 16 sectors a subgroup, 8 subgroups, 16 workgroups: 4096 where 1024 would do.
    assert!(report.contains("4096/1024"), "{report}");
    assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    assert!(!report.contains('\u{1b}'), "colours in a pipe");
}

#[test]
fn the_document_has_every_name_of_the_contract() {
    let folder = Folder::new();
    let document = json(&[&folder.with("k.wgsl", COLUMNS), "--dispatch", "4,4"], 0);
    assert_eq!(document["schema"], "sectorscope-prediction/1");
    for name in
        ["entry_point", "workgroup_size", "model", "subgroup", "sector_bytes", "traced", "totals", "needs", "warnings"]
    {
        assert!(document.get(name).is_some(), "{name}");
    }
    let access = document["accesses"][0].as_object().unwrap();
    for name in [
        "line",
        "column",
        "call_path",
        "space",
        "variable",
        "kind",
        "element_bytes",
        "requests",
        "requests_per_workgroup",
        "active_lanes",
        "requested_bytes",
        "useful_bytes",
        "sectors",
        "ideal_sectors",
        "sector_bytes_total",
        "request_efficiency",
        "distinct_sectors",
        "wavefronts",
        "ideal_wavefronts",
        "out_of_range",
        "cause",
        "first_request",
    ] {
        assert!(access.contains_key(name), "{name}");
    }
    assert_eq!(document["accesses"][0]["space"], "storage");
    // 16 workgroups of 8 subgroups, 32 lanes of 4 bytes in 16 sectors.
    let load = document["accesses"].as_array().unwrap().iter().find(|access| access["kind"] == "load").unwrap();
    let numbers =
        ["requests", "requests_per_workgroup", "active_lanes", "useful_bytes", "sectors", "sector_bytes_total"];
    let found: Vec<f64> = numbers.iter().map(|name| load[*name].as_f64().unwrap()).collect();
    assert_eq!(found, [128.0, 8.0, 4096.0, 16384.0, 2048.0, 65536.0]);
    // The 64 x 64 elements together are 512 sectors.
    assert_eq!((load["distinct_sectors"].as_u64(), load["request_efficiency"].as_f64()), (Some(512), Some(0.25)));
}

#[test]
fn standard_input_is_read_and_data_stands_alone() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sectorscope"))
        .args(["predict", "-", "--json", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(ROWS.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["file"], Value::Null);
    assert!(text(&output.stderr).contains("No line costs more"));
}

#[test]
fn github_gets_workflow_commands() {
    let folder = Folder::new();
    let file = folder.with("k.wgsl", COLUMNS);
    let report = report(&[&file, "--format", "github", "--fail-below", "0.5"], 1);
    assert!(report.lines().all(|line| line.starts_with("::")), "{report}");
    assert!(
        report.contains(&format!(
            "::warning file={},line=5,title=memory access::load of a: 16 sectors",
            file.replace(':', "%3A")
        )),
        "{report}"
    );
    assert!(report.contains("::error") && report.contains("25 %25 efficient"), "{report}");
}

#[test]
fn thresholds_fail_with_the_lines_below_them() {
    let folder = Folder::new();
    let file = folder.with("k.wgsl", COLUMNS);
    assert!(report(&[&file, "--fail-below", "25%"], 0).contains("line 5"));
    let whole = report(&[&file, "--fail-below", "0.26"], 1);
    assert!(whole.contains("FAILED: the kernel is 25 % efficient") && whole.contains("line 5 wastes most"), "{whole}");
    let line = report(&[&file, "--fail-below", "5=0.9"], 1);
    assert!(line.contains("FAILED: line 5 is 25 % efficient"), "{line}");
    // A line without an access cannot be efficient: the number is a mistake, or the text has moved.
    assert!(report(&[&file, "--fail-below", "3=0.1"], 1).contains("no access was executed on line 3"));
    refused(&[&file, "--fail-below", "2"], &["'2'", "0.9"]);
}

#[test]
fn a_baseline_follows_lines_and_fails_on_regressions() {
    let folder = Folder::new();
    let file = folder.with("k.wgsl", ROWS);
    let before = folder.path("before.json").to_str().unwrap().to_owned();
    report(&[&file, "--json", &before], 0);
    // Two lines in front: the same accesses, elsewhere.
    folder.with("k.wgsl", &format!("// one\n// two\n{ROWS}"));
    assert!(report(&[&file, "--baseline", &before], 0).contains("nothing changed"));
    // Every load begins four bytes into a sector: 5 sectors where 4 would do.
    folder.with("k.wgsl", &ROWS.replace("a[g.x]", "a[g.x + 1u]"));
    let worse = report(&[&file, "--baseline", &before], 1);
    assert!(worse.contains("WORSE  line 5, load of a: 4 sectors a request -> 5 sectors a request"), "{worse}");
    assert!(worse.contains("total sectors: 16 -> 18"), "{worse}");
    // And back: better is no failure.
    let after = folder.path("after.json").to_str().unwrap().to_owned();
    report(&[&file, "--json", &after], 0);
    folder.with("k.wgsl", ROWS);
    assert!(report(&[&file, "--baseline", &after], 0).contains("better line 5"));
    // One load more is a regression although each is perfect.
    folder.with("k.wgsl", &ROWS.replace("2.0 * a[g.x]", "a[g.x] + a[g.x + 64u]"));
    assert!(report(&[&file, "--baseline", &before], 1).contains("total requests: 4 -> 6"));
    refused(&[&file, "--baseline", &before, "--subgroup", "8"], &["32 lanes", "8 lanes"]);
    refused(&[&file, "--baseline", &file], &["--baseline"]);
}

#[test]
fn without_shortcuts_the_counts_are_the_same() {
    let folder = Folder::new();
    let looped = ROWS.replace("2.0 * a[g.x];", "0.0; for (var k = 0u; k < 40u; k++) { o[g.x] += a[g.x + k * 64u]; }");
    let file = folder.with("k.wgsl", &looped);
    let told = |document: &Value| document["lines"][0]["extrapolated_requests"].as_u64().unwrap();
    let mut short = json(&[&file], 0);
    let mut whole = json(&[&file, "--without-shortcuts"], 0);
    assert!(told(&short) > 0 && told(&whole) == 0, "{short:#}");
    assert!(report(&[&file], 0).contains("* turns of a loop"));
    assert!(!report(&[&file, "--without-shortcuts"], 0).contains("* turns of a loop"));
    for row in [&mut short, &mut whole].into_iter().flat_map(|document| {
        let object = document.as_object_mut().unwrap();
        object.iter_mut().filter(|(key, _)| ["lines", "accesses"].contains(&key.as_str())).map(|(_, rows)| rows)
    }) {
        row.as_array_mut().unwrap().iter_mut().for_each(|row| row["extrapolated_requests"] = Value::Null);
    }
    assert_eq!(short, whole);
}

#[test]
fn a_budget_ends_with_the_counts_so_far() {
    let folder = Folder::new();
    let endless = ROWS.replace("o[g.x] = 2.0 * a[g.x];", "loop { if (a[0] > 1.0) { break; } o[g.x] = 1.0; }");
    let file = folder.with("k.wgsl", &endless);
    let document = json(&[&file, "--max-steps", "10"], 1);
    assert_eq!(document["complete"], false);
    // Ten turns of two subgroups.
    let loads = document["accesses"].as_array().unwrap().iter().find(|access| access["kind"] == "load").unwrap();
    assert_eq!(loads["requests"], 20);
    assert!(document["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "step_budget"));
}

#[test]
fn several_models_have_their_columns() {
    let folder = Folder::new();
    let file = folder.with("k.wgsl", COLUMNS);
    let document = json(&[&file, "--model", "lesson,amd-gcn,unknown"], 0);
    let keys: Vec<&str> =
        document["models"].as_array().unwrap().iter().map(|model| model["model"].as_str().unwrap()).collect();
    assert_eq!(keys, ["lesson", "amd-gcn", "unknown"]);
    let table = report(&[&file, "--model", "all"], 0);
    assert!(table.contains("nv-hopper") && table.contains("cpu-x86") && table.contains("4.00"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    refused(&[&file, "--model", "nv-hoper"], &["nv-hopper"]);
    refused(&[&file, "--model", "auto"], &["looks at no device"]);
}

#[test]
fn settings_beside_the_shader_hold_and_options_go_before_them() {
    let folder = Folder::new();
    let file = folder.with("k.wgsl", ROWS);
    folder.with("k.sectorscope.toml", "dispatch = [4]\n");
    assert_eq!(json(&[&file], 0)["dispatch"][0], 4);
    assert_eq!(json(&[&file, "--dispatch", "7"], 0)["dispatch"][0], 7);
    let other = folder.with("other.toml", "dispatch = [2, 3]\n");
    assert_eq!(json(&[&file, "--inputs", &other], 0)["dispatch"][1], 3);
}

#[test]
fn wrong_input_is_named_with_its_cure() {
    let folder = Folder::new();
    let file = folder.with("k.wgsl", ROWS);
    let missing = folder.path("missing.wgsl");
    refused(&[missing.to_str().unwrap()], &["missing.wgsl"]);
    refused(&[&file, "--buffer", "b=1MiB"], &["b", "a"]);
    refused(&[&file, "--buffer", "a=1MB"], &["1MB"]);
    refused(&[&file, "--trace", "some"], &["some", "sample"]);
    refused(&[&file, "--max-steps", "0"], &["--max-steps"]);
    refused(&[&file, "--entry", "other"], &["other", "main"]);
    let unwritable = folder.path("no/such/folder.json");
    assert_eq!(call(&[&file, "--json", unwritable.to_str().unwrap()]).status.code(), Some(1));
    refused(&[], &["FILE.wgsl"]);
    assert!(!Path::new(&folder.path("no")).exists());
}
