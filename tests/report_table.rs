//! The table for a terminal and the comparison, against hand-made documents.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at what must not be")]

mod fixture;

use fixture::{results, row, software_results};
use sectorscope::record::{Results, Status};
use sectorscope::report::compare::{Difference, compare};
use sectorscope::report::table;

/// The cells of the table's line that begins with these words.
fn line<'a>(text: &'a str, start: &str) -> &'a str {
    let begins = |line: &&str| line.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(start);
    text.lines().find(begins).unwrap_or_else(|| panic!("no '{start}' in\n{text}"))
}

#[test]
fn the_table_has_the_figures() {
    let text = table::to_string(&results(), 140);
    let words = |start: &str| line(&text, start).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words("read stride=8"), "read stride=8 32 12.5 6.25 284 568 0.98 lineup");
    assert_eq!(words("transpose"), "transpose columns=4096 32 100 67-100 3027-4541 2684 inside lineup drift");
    assert_eq!(words("fma"), "fma 32 12.5 6.25 284 52500 GFLOP/s - compute");
    assert!(text.contains("failed [1]"), "{text}");
    assert!(text.contains("[1] gather: element 7: 1.5, expected 2, \"wrong\"\nby far\n"), "{text}");
    assert!(text.contains("unsupported: no f16"), "{text}");
    assert!(text.contains("Best read 4541 GB/s"), "{text}");
    assert!(text.contains("drift: The clocks moved by 4 %: run again."), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours");
}

#[test]
fn the_table_fits() {
    for width in [100, 120, 160] {
        for line in table::to_string(&results(), width).lines() {
            assert!(line.chars().count() <= usize::from(width), "{width}: {line}");
        }
    }
}

#[test]
fn usual_parameters_are_left_out() {
    let text = table::to_string(&results(), 140);
    assert!(!text.contains("items=8") && !text.contains("checks off"), "{text}");
    let mut results = results();
    results.settings.set.insert("items".to_owned(), vec!["8".to_owned()]);
    results.settings.bytes = vec![1 << 20, 256 << 20];
    results.rows[0].checks = "on".to_owned();
    let text = table::to_string(&results, 200);
    assert!(text.contains("items=8 256 MiB checks on"), "{text}");
}

#[test]
fn a_table_without_adapter_or_rows_says_so() {
    let mut alone = results();
    alone.adapter = None;
    assert!(table::to_string(&alone, 120).starts_with("Predictions only.\n"));
    alone.rows.clear();
    assert!(!table::to_string(&alone, 120).contains("kernel"));
    assert!(table::to_string(&software_results(), 120).contains("This is a CPU: the counts hold"));
}

/// The same run on a later day: other driver, one row 10 % slower, one gone, one new, one failed.
fn later() -> Results {
    let mut b = results();
    b.adapter.as_mut().unwrap().driver_info = "590.1".to_owned();
    b.settings.seed = 7;
    b.memory_model["sector_bytes"]["value"] = 64.into();
    let measured = b.rows[0].measured.as_mut().unwrap();
    for time in [&mut measured.median_ns, &mut measured.p10_ns, &mut measured.p90_ns] {
        *time /= 0.9;
    }
    measured.useful_gb_per_s = measured.useful_gb_per_s.map(|rate| rate * 0.9);
    b.rows[1].wgsl_sha256 = "other".to_owned();
    b.rows[3].status = Status::Failed;
    b.rows[3].reason = Some("device lost".to_owned());
    b.rows[3].measured = None;
    b.rows.remove(2);
    b.rows.push(row("copy", &[], 1 << 20, 1000.0));
    b
}

#[test]
fn a_comparison_finds_what_differs() {
    let comparison = compare(&results(), &later());
    let difference = |name: &str, a: &str, b: &str| Difference { name: name.into(), a: a.into(), b: b.into() };
    assert_eq!(
        comparison.differences,
        [
            difference("driver", "NVIDIA 580.159", "NVIDIA 590.1"),
            difference("seed", "0", "7"),
            difference("memory model: sector_bytes", r#"{"value":32}"#, r#"{"value":64}"#),
        ]
    );
    let first = &comparison.rows[0];
    assert_eq!((first.verdict, first.unit), ("slower", "GB/s"));
    assert!((first.ratio.unwrap() - 0.9).abs() < 1e-12, "{first:?}");
    let noise = first.noise.unwrap();
    assert!((noise.low - 0.9 * 0.99 / 1.01).abs() < 1e-12 && (noise.high - 0.9 * 1.01 / 0.99).abs() < 1e-12);
    assert_eq!(
        (comparison.rows[1].verdict, comparison.rows[1].notes.as_slice()),
        ("same", &["the WGSL differs".to_owned()][..])
    );
    let failed = comparison.rows.iter().find(|pair| pair.kernel == "transpose").unwrap();
    assert_eq!((failed.verdict, failed.notes[0].as_str()), ("unknown", "ok -> failed (device lost)"));
    assert_eq!((comparison.only_in_a, comparison.only_in_b), (vec!["read stride=16".into()], vec!["copy".to_owned()]));
}

#[test]
fn a_comparison_with_itself_finds_nothing() {
    let comparison = compare(&results(), &results());
    assert!(comparison.differences.is_empty() && comparison.only_in_a.is_empty() && comparison.only_in_b.is_empty());
    assert_eq!(comparison.rows.len(), results().rows.len());
    for pair in &comparison.rows {
        assert!(matches!(pair.verdict, "same" | "unknown") && pair.notes.is_empty(), "{pair:?}");
    }
    let text = comparison.to_text(120);
    assert!(text.starts_with("A and B have the same device and settings.\n"), "{text}");
    assert!(text.contains("1.000"), "{text}");
}

#[test]
fn a_comparison_reads_settings_first() {
    let text = compare(&results(), &later()).to_text(140);
    let (settings, rows) = (text.find("590.1").unwrap(), text.find("0.900").unwrap());
    assert!(settings < rows, "{text}");
    assert!(text.contains("only in A: read stride=16\nonly in B: copy\n"), "{text}");
}

#[test]
fn a_baseline_is_told_by_what_others_change() {
    let mut results = results();
    results.rows.truncate(3);
    results.rows.push(fixture::stride_row(1));
    results.rows[3].params.insert("items".to_owned(), 1.into());
    let text = table::to_string(&results, 120);
    for parameters in [" read    items=1 ", " read    stride=8 ", " read    stride=16 "] {
        let begins = |line: &str| line.split_whitespace().take(2).eq(parameters.split_whitespace());
        assert!(text.lines().any(begins), "{parameters} is not in\n{text}");
    }
    assert!(!text.contains("stride=1 ") && !text.contains("items=8"), "{text}");
}

#[test]
fn what_all_rows_share_is_said_once() {
    let mut results = results();
    for row in &mut results.rows {
        (row.status, row.reason) = (Status::Skipped, Some("predictions only, as asked".to_owned()));
    }
    let text = table::to_string(&results, 120);
    assert_eq!(text.matches("predictions only, as asked").count(), 1, "{text}");
    assert!(text.contains("Every row is skipped: predictions only, as asked\n"), "{text}");
}
