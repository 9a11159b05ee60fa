//! Every line of `fixtures/expected.csv`, on the built program.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A line of the table.
struct Expected {
    file: String,
    options: Vec<String>,
    width: String,
    variable: String,
    kind: String,
    figure: String,
    value: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn expected() -> Vec<Expected> {
    let mut reader = csv::Reader::from_path(folder().join("expected.csv")).unwrap();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let cell = |k: usize| record[k].to_owned();
            Expected {
                file: cell(0),
                options: cell(1).split_whitespace().map(str::to_owned).collect(),
                width: cell(2),
                variable: cell(3),
                kind: cell(4),
                figure: cell(5),
                value: cell(6),
            }
        })
        .collect()
}

fn predict(line: &Expected, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sectorscope"))
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .arg("predict")
        .arg(folder().join(&line.file))
        .args(&line.options)
        .args(["--subgroup", &line.width])
        .args(more)
        .output()
        .unwrap()
}

fn json(line: &Expected, status: i32) -> Value {
    let output = predict(line, &["--json", "-"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{}: {message}", line.file);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{}: {error}: {message}", line.file))
}

/// The message of a refused file.
fn refusal(line: &Expected) -> String {
    let output = predict(line, &[]);
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{}: {message}", line.file);
    assert!(output.stdout.is_empty() && !message.contains("panicked"), "{message}");
    message
}

/// The one warning of this code.
fn warning(document: &Value, code: &str) -> (u64, String) {
    let warnings = document["warnings"].as_array().unwrap();
    let found = warnings.iter().find(|warning| warning["code"] == code).unwrap_or_else(|| panic!("{warnings:?}"));
    (found["line"].as_u64().unwrap(), found["text"].as_str().unwrap().to_owned())
}

fn check_figure(line: &Expected) {
    let document = json(line, 0);
    assert_eq!(document["subgroup"].to_string(), line.width);
    let accesses = document["accesses"].as_array().unwrap();
    let of_variable: Vec<&Value> = accesses
        .iter()
        .filter(|access| access["variable"] == line.variable.as_str() && access["kind"] == line.kind.as_str())
        .collect();
    assert!(!of_variable.is_empty(), "{}: no {} of {}", line.file, line.kind, line.variable);
    // Several accesses (the packed xyz) all have the figure.
    for access in of_variable {
        let figure = line.figure.split('.').fold(access, |value, name| &value[name]);
        let found = figure.as_f64().unwrap_or_else(|| panic!("{}: {} is {figure}", line.file, line.figure));
        let wanted: f64 = line.value.parse().unwrap();
        assert!((found - wanted).abs() < 1e-9, "{} {:?}: {} is {found}", line.file, line.options, line.figure);
    }
}

fn check_words(line: &Expected) {
    let has = |text: &str, words: &[&str]| {
        for word in words {
            assert!(text.contains(word), "{} should say '{word}': {text}", line.file);
        }
    };
    match line.file.as_str() {
        "f15_endless.wgsl" => {
            let document = json(line, 1);
            assert_eq!(document["complete"], false);
            let (number, text) = warning(&document, "step_budget");
            assert_eq!(number, 4);
            has(&text, &["stopped after", "depends on a"]);
        }
        "f17_bad_unicode_column.wgsl" => has(&refusal(line), &["line 2, column 60"]),
        "f18_bad_tab_caret.wgsl" => {
            let message = refusal(line);
            has(&message, &["line 3"]);
            // The caret stands under the `;` behind the `+`, with the tab kept in front of it.
            let (source, caret) =
                message.lines().zip(message.lines().skip(1)).find(|(_, next)| next.ends_with('^')).unwrap();
            assert_eq!(source.find(';'), caret.find('^'), "{message}");
        }
        "f19_empty.wgsl" => has(&refusal(line), &["empty"]),
        "f20_bom_crlf.wgsl" => {
            let output = predict(line, &[]);
            assert_eq!(output.status.code(), Some(0));
            // The third line is the last, and none ends with a carriage return.
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(
                text.lines().any(|line| line.trim_start().starts_with('3') && line.ends_with("fn main() {}")),
                "{text}"
            );
            assert!(!text.contains('\r') && !text.contains('\u{feff}'), "{text}");
        }
        "f21_two_entry_points.wgsl" => has(&refusal(line), &["scalar", "wide", "--entry"]),
        "f22_divergent_barrier.wgsl" => {
            let (number, text) = warning(&json(line, 1), "divergent_barrier");
            assert_eq!(number, 6);
            has(&text, &["barrier under a lane-dependent condition"]);
        }
        "f26_no_compute.wgsl" => has(&refusal(line), &["no compute entry point"]),
        other => panic!("{other}: nothing says how to check '{}'", line.value),
    }
}

#[test]
fn every_expectation_holds() {
    let expected = expected();
    assert_eq!(expected.len(), 36);
    for line in &expected {
        match line.figure.as_str() {
            "message" | "error" | "ok" => check_words(line),
            _ => check_figure(line),
        }
    }
}

#[test]
fn every_fixture_ends_with_a_report_or_a_message() {
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "wgsl") {
            continue;
        }
        count += 1;
        let output = Command::new(env!("CARGO_BIN_EXE_sectorscope"))
            .args(["predict", path.to_str().unwrap(), "--max-steps", "10000"])
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0..=2)), "{}: {message}", path.display());
        assert_eq!(output.stdout.is_empty(), output.status.code() == Some(2), "{}: {message}", path.display());
        assert!(!message.contains("panicked"), "{}: {message}", path.display());
        let text = String::from_utf8(output.stdout).unwrap();
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= 80, "{}: {longest} columns\n{text}", path.display());
    }
    assert!(count >= 26, "{count} fixtures");
}
