//! Whole runs from outside: predictions without a device, measurements on the device if there is one.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what must not be")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use sectorscope::record::{Results, Status};
use sectorscope::report::{csv, json};

/// A run that no driver can answer: `VK_DRIVER_FILES` and the other variables hide all of them.
fn without_device() -> Command {
    let mut command = run();
    command.args(["--backend", "vulkan"]).env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none");
    command
}

fn run() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sectorscope"));
    command.env_remove("RUST_LOG").stdin(Stdio::null()).arg("--bench");
    command
}

/// A small run on whatever device there is.
fn small() -> Command {
    let mut command = run();
    command.args(["--kernel", "read", "--set", "stride=1,8", "--bytes", "1MiB", "--samples", "2"]);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The status of a run whose rows are all ok: 0 with a device, 3 without.
fn fine(output: &Output) -> bool {
    matches!(output.status.code(), Some(0 | 3))
}

fn document(output: &Output) -> Results {
    json::from_bytes(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{}", text(&output.stderr)))
}

#[test]
fn predictions_need_no_device() {
    let output = run().args(["--predict-only", "--suite", "quick", "--json", "-"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let results = document(&output);
    assert!(results.adapter.is_none());
    assert_eq!(results.rows.len(), 12);
    for row in &results.rows {
        assert!(row.predicted.is_some() && row.measured.is_none(), "{row:?}");
        assert_eq!(row.status, Status::Skipped);
    }
}

#[test]
fn the_counts_of_the_lesson_are_predicted() {
    let mut command = run();
    command.args([
        "--predict-only",
        "--kernel",
        "read",
        "--set",
        "stride=1,2,8,16",
        "--model",
        "lesson",
        "--json",
        "-",
    ]);
    let results = document(&command.output().unwrap());
    let counts: Vec<f64> =
        results.rows.iter().filter_map(|row| Some(row.predicted.as_ref()?.sectors_per_request)).collect();
    assert_eq!(counts, [4.0, 8.0, 32.0, 32.0]);
}

#[test]
fn no_adapter_is_status_3_with_predictions() {
    let output = without_device().args(["--kernel", "read"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("sectorscope doctor"));
    let table = text(&output.stdout);
    assert!(
        table.contains("Predictions only.") && table.contains("no adapter to measure on") && table.contains("read"),
        "{table}"
    );
}

#[test]
fn slips_are_status_2_before_anything_runs() {
    for (arguments, words) in [
        (vec!["--kernel", "raed"], vec!["raed", "read"]),
        (vec!["--preset", "lesson-strid-8"], vec!["lesson-strid-8", "lesson-stride-8"]),
        (vec!["--kernel", "read", "--set", "strid=8"], vec!["strid", "stride"]),
        (vec!["--kernel", "read", "--set", "stride=0"], vec!["stride", "1..4096"]),
        (vec!["--set", "stride=8"], vec!["--kernel"]),
        (vec!["--kernel", "read", "--model", "no_such_model"], vec!["no_such_model"]),
        (vec!["--kernel", "read", "--adapter", "99"], vec!["99"]),
        (vec!["--kernel", "read", "--adapter", "zzz"], vec!["zzz"]),
    ] {
        let output = run().args(&arguments).output().unwrap();
        let message = text(&output.stderr);
        // A machine without any adapter has no wrong one either.
        let alone = arguments.contains(&"--adapter") && output.status.code() == Some(3);
        assert!(output.status.code() == Some(2) || alone, "{arguments:?}: {message}");
        assert!(alone || words.iter().all(|word| message.contains(word)), "{arguments:?}: {message}");
        assert!(alone || output.stdout.is_empty());
    }
}

#[test]
fn data_is_alone_on_stdout_whatever_is_logged() {
    let output = small().args(["--json", "-"]).env("RUST_LOG", "trace").output().unwrap();
    assert!(fine(&output), "{:?}", output.status);
    assert_eq!(document(&output).rows.len(), 2);
    assert!(text(&output.stderr).contains("stride=8"), "the table goes to stderr");
    let output = small().args(["--csv", "-", "--csv-sep", ";"]).output().unwrap();
    assert!(fine(&output), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with(&csv::columns().join(";")));
    assert_eq!(text(&output.stdout).lines().count(), 3);
}

#[test]
fn files_hold_what_stdout_would() {
    let folder = tempfile::tempdir().unwrap();
    let (json_path, csv_path) = (folder.path().join("a.json"), folder.path().join("a.csv"));
    let output = small().arg("--json").arg(&json_path).arg("--csv").arg(&csv_path).output().unwrap();
    assert!(fine(&output), "{}", text(&output.stderr));
    let results = json::from_bytes(&std::fs::read(&json_path).unwrap()).unwrap();
    assert_eq!(results.rows.len(), 2);
    assert_eq!(std::fs::read(&csv_path).unwrap(), csv::to_bytes(&results, b',').unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left behind");
    assert!(text(&output.stdout).contains("stride=8"), "the table goes to stdout");
}

#[test]
fn the_locale_changes_no_number() {
    let bytes = |locale: &str| {
        let mut command = run();
        command.args(["--predict-only", "--kernel", "read", "--set", "stride=1,3", "--csv", "-"]);
        command.env("LC_ALL", locale).output().unwrap().stdout
    };
    assert_eq!(text(&bytes("C")), text(&bytes("de_DE.UTF-8")));
}

#[test]
fn the_smallest_run_has_no_unexplained_number() {
    let mut command = run();
    let output =
        command.args(["--suite", "quick", "--bytes", "1MiB", "--samples", "1", "--csv", "-"]).output().unwrap();
    let csv = text(&output.stdout).to_lowercase();
    for word in ["nan", ",inf", "-inf"] {
        assert!(!csv.contains(word), "{word} in\n{csv}");
    }
    let mut reader = ::csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap();
    for record in reader.records().map(Result::unwrap) {
        let cell = |name: &str| &record[place(name)];
        assert!(cell("status") == "ok" || !cell("reason").is_empty(), "{record:?}");
        assert!(!cell("median_ns").starts_with("0,") && cell("median_ns") != "0", "{record:?}");
    }
}

#[test]
fn a_software_adapter_is_announced_once() {
    let output = small().args(["--json", "-"]).output().unwrap();
    let results = document(&output);
    let software = results.adapter.as_ref().is_some_and(|adapter| adapter.is_cpu());
    let said = text(&output.stderr).matches("This is a CPU").count();
    assert_eq!(said, usize::from(software), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mut command = run();
    command.args(["--suite", "full", "--samples", "1000", "--json"]).arg(&path);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Long enough to have begun, by far too short for the end.
    for _ in 0..60 {
        if path.is_file() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let results = json::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
    assert!(!results.rows.is_empty(), "rows are kept");
}

/// Runs a shell line with `$S` as a small run of the program.
#[cfg(unix)]
fn shell(line: &str) -> Output {
    let run = format!("{} --bench --predict-only --kernel read --set stride=1,8", env!("CARGO_BIN_EXE_sectorscope"));
    Command::new("bash").args(["-c", line]).env("S", run).stdin(Stdio::null()).output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    for line in ["$S | true", "$S --csv - | head -1", "$S --json - | head -1", "$S --json /dev/stdout | true"] {
        let output = shell(&format!("{line}; exit ${{PIPESTATUS[0]}}"));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{line}: {message}");
        assert!(!message.contains("panicked") && !message.contains("error:"), "{line}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_status_1() {
    for line in ["$S > /dev/full", "$S --json - > /dev/full", "$S --csv /dev/full", "$S --json /dev/full"] {
        assert!(Path::new("/dev/full").exists());
        let output = shell(line);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {message}");
        assert!(message.contains("could not be written"), "{line}: {message}");
    }
}
