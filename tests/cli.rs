//! The command line, from outside: exit status, what goes to which stream, help, closed pipes and full disks.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not be")]

mod fixture;

use std::path::Path;
use std::process::{Command, Output, Stdio};

use sectorscope::report::json;

fn sectorscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sectorscope"));
    command.env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

fn call(arguments: &[&str]) -> Output {
    sectorscope().args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The call must end with status 2, say nothing on stdout, and name these words on stderr.
fn refused(arguments: &[&str], words: &[&str]) {
    let output = call(arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
    assert!(output.stdout.is_empty(), "{arguments:?} wrote to stdout");
    for word in words {
        assert!(message.contains(word), "{arguments:?} should name '{word}': {message}");
    }
    assert!(!message.contains("panicked"), "{message}");
}

/// Writes two documents to compare; returns the folder and both paths.
fn documents() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (a, b) = (path("a.json"), path("b.json"));
    let mut later = fixture::results();
    later.settings.seed = 7;
    std::fs::write(&a, json::to_bytes(&fixture::results()).unwrap()).unwrap();
    std::fs::write(&b, json::to_bytes(&later).unwrap()).unwrap();
    (folder, a, b)
}

#[test]
fn help_lists_the_contract() {
    let output = call(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    for option in [
        "--bench",
        "--suite",
        "--kernel",
        "--set",
        "--preset",
        "--wgsl",
        "--unchecked",
        "--dispatch",
        "--buffer",
        "--uniform",
        "--texture",
        "--override",
        "--entry",
        "--inputs",
        "--adapter",
        "--backend",
        "--bytes",
        "--samples",
        "--time-limit",
        "--order",
        "--seed",
        "--fill",
        "--checks",
        "--peak",
        "--model",
        "--subgroup",
        "--sector",
        "--fetch",
        "--predict-only",
        "--json",
        "--csv",
        "--csv-sep",
        "quick",
        "standard",
        "full",
        "patterns",
        "matmul",
        "vulkan",
        "metal",
        "dx12",
        "gl",
        "forward",
        "reverse",
        "shuffle",
        "random",
        "zero",
        "index",
        "compare",
        "adapters",
        "kernels",
        "doctor",
        "GB/s",
        "64MiB",
        "Exit status",
    ] {
        assert!(help.contains(option), "the help lacks {option}");
    }
    assert!(output.stderr.is_empty());
    for command in ["compare", "adapters", "kernels", "doctor", "predict", "app"] {
        assert_eq!(call(&[command, "--help"]).status.code(), Some(0), "{command}");
    }
    assert_eq!(text(&call(&["--version"]).stdout), format!("sectorscope {}\n", env!("CARGO_PKG_VERSION")));
}

/// The call finds no display, whatever this machine has.
#[cfg(all(feature = "app", target_os = "linux"))]
fn without_display(arguments: &[&str]) -> Output {
    let mut command = sectorscope();
    for name in ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"] {
        command.env_remove(name);
    }
    command.args(arguments).output().unwrap()
}

#[test]
#[cfg(not(feature = "app"))]
fn no_arguments_help_a_beginner() {
    let output = call(&[]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("sectorscope --bench --suite quick"));
}

#[test]
#[cfg(not(feature = "app"))]
fn a_build_without_the_app_says_so() {
    refused(&["app"], &["not built into this program", "--bench"]);
    refused(&["app", "--preset", "lesson-stride-8"], &["--bench"]);
    refused(&["--preset", "lesson-stride-8"], &["--bench"]);
    refused(&["--open", "a.json"], &["--bench"]);
}

#[test]
#[cfg(all(feature = "app", target_os = "linux"))]
fn without_a_display_the_cause_and_the_way_out_are_named() {
    for arguments in [&[][..], &["app"], &["app", "--preset", "lesson-stride-8"], &["--open", "a.json"]] {
        let output = without_display(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {message}");
        for word in ["no display", "sectorscope --bench", "doctor"] {
            assert!(message.contains(word), "{arguments:?} should name '{word}': {message}");
        }
        assert!(!message.contains("panicked") && !message.contains(".rs"), "{message}");
    }
    let output = without_display(&["app", "--preset", "lesson-strid-8"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("lesson-stride-8"));
}

#[test]
fn what_is_not_built_in_says_so() {
    refused(&["predict"], &["FILE.wgsl"]);
    refused(&["predict", "no-such.wgsl", "--dispatch", "1,2"], &["no-such.wgsl"]);
}

#[test]
fn wrong_usage_is_named() {
    refused(&["--benhc"], &["--benhc", "--bench"]);
    refused(&["benchmark"], &["benchmark"]);
    refused(&["--suite", "quick"], &["add --bench"]);
    refused(&["--json", "-"], &["add --bench"]);
    refused(&["--bench", "compare"], &["compare"]);
    refused(&["--bench", "--suite", "fast"], &["fast", "quick"]);
    refused(&["--bench", "--suite", "quick", "--kernel", "read"], &["--suite", "--kernel"]);
    refused(&["--bench", "--kernel"], &["--kernel"]);
    refused(&["--bench", "--set", "stride"], &["NAME=VALUE"]);
    refused(&["--bench", "--set", "stride=1", "--set", "stride=2"], &["--set stride=A,B"]);
    refused(&["--bench", "--bytes", "64MB"], &["64MB", "64MiB"]);
    refused(&["--bench", "--bytes", "0"], &["64MiB"]);
    refused(&["--bench", "--samples", "0"], &["'0'"]);
    refused(&["--bench", "--time-limit", "-1"], &["-1"]);
    refused(&["--bench", "--time-limit", "inf"], &["'inf'"]);
    refused(&["--bench", "--order", "backward"], &["backward", "reverse"]);
    refused(&["--bench", "--seed", "x"], &["'x'"]);
    refused(&["--bench", "--fill", "ones"], &["ones", "random"]);
    refused(&["--bench", "--checks", "maybe"], &["maybe", "both"]);
    refused(&["--bench", "--peak", "fast"], &["'fast'"]);
    refused(&["--bench", "--backend", "cuda"], &["cuda", "vulkan"]);
    refused(&["--bench", "--subgroup", "33"], &["33", "power of two"]);
    refused(&["--bench", "--sector", "0"], &["power of two"]);
    refused(&["--bench", "--fetch", "32", "--sector", "64"], &["--fetch 32", "--sector 64"]);
    refused(&["--bench", "--csv-sep", ";"], &["--csv"]);
    refused(&["--bench", "--csv", "a.csv", "--csv-sep", "."], &["'.'"]);
    refused(&["kernels", "--set", "stride=1"], &["--source"]);
}

#[test]
fn two_documents_need_two_places() {
    refused(&["--bench", "--json", "-", "--csv", "-"], &["--json -", "--csv -"]);
    refused(&["--bench", "--json", "same", "--csv", "same"], &["same", "different files"]);
    assert!(!Path::new("same").exists());
}

#[test]
fn a_file_that_cannot_be_written_costs_no_run() {
    for path in ["no/such/folder/a.json", "."] {
        for option in ["--json", "--csv"] {
            let output = call(&["--bench", option, path]);
            assert_eq!(output.status.code(), Some(1), "{path}");
            assert!(text(&output.stderr).contains(&format!("{path} could not be written")), "{}", text(&output.stderr));
        }
    }
}

#[test]
fn compare_reads_two_files() {
    let (_folder, a, b) = documents();
    let output = call(&["compare", &a, &b]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("seed") && table.contains("stride=16"), "{table}");
    let output = call(&["compare", &a, &b, "--json", "-"]);
    let comparison: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(comparison["schema"], "sectorscope-comparison/1");
    assert_eq!(comparison["differences"][0]["name"], "seed");
    assert!(text(&output.stderr).contains("stride=16"), "the table goes to stderr");
}

#[test]
fn compare_names_what_it_cannot_read() {
    let (folder, a, _) = documents();
    let other = folder.path().join("other.json");
    std::fs::write(&other, br#"{"schema": "sectorscope-prediction/1"}"#).unwrap();
    let other = other.to_str().unwrap();
    refused(&["compare", &a, other], &[other, "sectorscope-prediction/1", "sectorscope-results/1"]);
    refused(&["compare", &a, "missing.json"], &["missing.json could not be read"]);
    refused(&["compare", &a], &["B.json"]);
}

#[test]
fn an_unknown_kernel_has_no_source() {
    refused(&["kernels", "--source", "no_such_kernel"], &["no_such_kernel", "sectorscope kernels"]);
}

#[test]
fn lists_are_json_too() {
    let kernels: serde_json::Value = serde_json::from_slice(&call(&["kernels", "--json", "-"]).stdout).unwrap();
    assert_eq!(kernels["schema"], "sectorscope-kernels/1");
    let adapters: serde_json::Value = serde_json::from_slice(&call(&["adapters", "--json", "-"]).stdout).unwrap();
    assert_eq!(adapters["schema"], "sectorscope-adapters/1");
}

#[test]
fn without_a_driver_lists_say_what_to_do() {
    let mut command = sectorscope();
    command.env("VK_DRIVER_FILES", "/none").env("VK_ICD_FILENAMES", "/none");
    let output = command.args(["adapters", "--backend", "vulkan"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("sectorscope doctor"));
}

/// Runs a shell line with `$S` as the program and `$A`, `$B` as two documents.
#[cfg(unix)]
fn shell(line: &str) -> Output {
    let (_folder, a, b) = documents();
    let program = env!("CARGO_BIN_EXE_sectorscope");
    Command::new("bash").args(["-c", line]).envs([("S", program), ("A", &a), ("B", &b)]).output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    for arguments in ["--help", "kernels", "compare $A $B", "compare $A $B --json -", "kernels --json -"] {
        for reader in ["true", "head -1"] {
            let output = shell(&format!("\"$S\" {arguments} | {reader}; exit ${{PIPESTATUS[0]}}"));
            let message = text(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{arguments} | {reader}: {message}");
            assert!(!message.contains("panicked") && !message.contains("error"), "{arguments} | {reader}: {message}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for line in [
        "\"$S\" --help > /dev/full",
        "\"$S\" kernels --json - > /dev/full",
        "\"$S\" kernels > /dev/full",
        "\"$S\" compare $A $B > /dev/full",
        "\"$S\" compare $A $B --json - > /dev/full",
        "\"$S\" compare $A $B --json /dev/full",
    ] {
        let output = shell(line);
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(text(&output.stderr).contains("could not be written"), "{line}: {}", text(&output.stderr));
    }
}

#[cfg(unix)]
#[test]
fn a_closed_stderr_does_no_harm() {
    let output = shell("\"$S\" compare $A $B 2>&-");
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("stride=16"));
}

#[test]
fn nothing_is_coloured_off_a_terminal() {
    for arguments in [&["--help"][..], &["--benhc"], &["kernels"]] {
        let output = call(arguments);
        assert!(![output.stdout, output.stderr].concat().contains(&0x1b), "{arguments:?}");
    }
}
