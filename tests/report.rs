//! The formats of the results, against hand-made documents.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not be")]

mod fixture;

use std::collections::BTreeMap;

use fixture::{results, row, software_results, stride_row};
use sectorscope::record::{Band, Results, Status, TimeSource};
use sectorscope::report::{self, ReadError, csv, json, markdown, summary};

/// The CSV as a list of maps from column to cell; checks that every line has all columns.
fn csv_rows(results: &Results, separator: u8) -> Vec<BTreeMap<String, String>> {
    let bytes = csv::to_bytes(results, separator).unwrap();
    let mut reader = ::csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(bytes.as_slice());
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            assert_eq!(record.len(), header.len(), "each line has the header's columns");
            header.iter().cloned().zip(record.iter().map(str::to_owned)).collect()
        })
        .collect()
}

#[test]
fn json_comes_back_the_same() {
    let results = results();
    let bytes = json::to_bytes(&results).unwrap();
    assert!(bytes.ends_with(b"}\n"));
    assert_eq!(json::from_bytes(&bytes).unwrap(), results);
}

#[test]
fn json_keeps_every_bit_of_a_number() {
    let mut results = results();
    results.rows[0].measured.as_mut().unwrap().median_ns = 991_783.226_666_666_7;
    results.rows[1].measured.as_mut().unwrap().median_ns = 0.1 + 0.2;
    assert_eq!(json::from_bytes(&json::to_bytes(&results).unwrap()).unwrap(), results);
}

#[test]
fn json_of_another_kind_is_named() {
    let wrong = json::from_bytes(br#"{"schema": "sectorscope-prediction/1"}"#).unwrap_err();
    assert!(matches!(&wrong, ReadError::WrongSchema { found, .. } if found == "sectorscope-prediction/1"), "{wrong}");
    assert!(wrong.to_string().contains("sectorscope-results/1"), "{wrong}");
    assert!(matches!(json::from_bytes(b"{}"), Err(ReadError::NoSchema { .. })));
    for bytes in [&b""[..], b"[]", b"{", b"kernel,preset", br#"{"schema": "sectorscope-results/1"}"#] {
        assert!(matches!(json::from_bytes(bytes), Err(ReadError::Json(_))), "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn unknown_fields_and_a_byte_order_mark_are_read_over() {
    let mut value: serde_json::Value = serde_json::from_slice(&json::to_bytes(&results()).unwrap()).unwrap();
    value["from_the_future"] = 1.into();
    value["rows"][0]["also"] = "new".into();
    let bytes = format!("\u{feff}{value}");
    assert_eq!(json::from_bytes(bytes.as_bytes()).unwrap(), results());
}

#[test]
fn what_is_not_finite_becomes_absent_with_a_reason() {
    let mut results = results();
    results.rows[0].measured.as_mut().unwrap().median_ns = f64::INFINITY;
    results.rows[1].measured.as_mut().unwrap().useful_gb_per_s = Some(f64::NAN);
    results.rows[2].predicted.as_mut().unwrap().traffic_efficiency.low = f64::NAN;
    results.rows[3].predicted.as_mut().unwrap().useful_gb_per_s = Some(Band { low: 1.0, high: f64::INFINITY });
    results.rows[7].verified = results.rows[3].verified.clone();
    results.rows[7].verified.as_mut().unwrap().max_error = f64::NAN;
    results.reference.write = Some(f64::NEG_INFINITY);
    let read = json::from_bytes(&json::to_bytes(&results).unwrap()).unwrap();
    assert_eq!(read.reference.write, None);
    let reason = |place: usize| read.rows[place].reason.clone().unwrap_or_default();
    assert!(read.rows[0].measured.is_none() && read.rows[0].status == Status::Failed);
    assert_eq!(reason(0), "not a finite number: the measured time");
    assert!(read.rows[1].measured.is_some() && read.rows[1].status == Status::Ok);
    assert_eq!(reason(1), "not a finite number: useful_gb_per_s");
    assert!(read.rows[2].predicted.is_none() && read.rows[3].predicted.is_some());
    assert!(reason(7).starts_with("element 7") && reason(7).ends_with("the largest error of the check"));
    let text = String::from_utf8(csv::to_bytes(&results, b',').unwrap()).unwrap();
    for word in ["NaN", "inf,", ",inf"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}

#[test]
fn csv_keeps_its_columns() {
    for separator in [b',', b';', b'\t'] {
        let rows = csv_rows(&results(), separator);
        assert_eq!(rows.len(), 8);
        assert_eq!(rows[0]["adapter"], "Card, \"8 GB\"; fast second line | x");
    }
    let text = String::from_utf8(csv::to_bytes(&results(), b',').unwrap()).unwrap();
    assert_eq!(text.lines().count(), 9, "a row is one line");
    assert!(text.starts_with("kernel,preset,params,adapter,"), "{text}");
    assert!(
        text.lines()
            .next()
            .unwrap()
            .ends_with(",warnings,param_columns,param_element,param_items,param_order,param_stride")
    );
}

#[test]
fn csv_rates_follow_from_bytes_and_times() {
    for row in csv_rows(&results(), b',').iter().filter(|row| !row["median_ns"].is_empty()) {
        let (bytes, ns): (f64, f64) = (row["useful_bytes"].parse().unwrap(), row["median_ns"].parse().unwrap());
        assert_eq!((bytes / ns).to_string(), row["useful_gb_per_s"], "{row:?}");
    }
}

#[test]
fn csv_of_what_is_absent_is_empty() {
    let rows = csv_rows(&results(), b',');
    let unsupported = &rows[6];
    assert_eq!(unsupported["status"], "unsupported");
    assert_eq!(unsupported["reason"], "no f16 on this device");
    for column in ["median_ns", "useful_gb_per_s", "samples", "predicted_request_efficiency", "limit", "verified"] {
        assert_eq!(unsupported[column], "", "{column}");
    }
    assert_eq!(unsupported["param_stride"], "");
    assert_eq!((rows[1]["param_stride"].as_str(), rows[1]["params"].as_str()), ("8", "element=f32 items=8 stride=8"));
    assert_eq!(rows[0]["time_source"], "gpu_timestamp");
    assert_eq!(rows[0]["footprint_bytes"], "268435456");
    assert_eq!(rows[0]["software_adapter"], "false");
    let mut alone = results();
    alone.adapter = None;
    assert_eq!(csv_rows(&alone, b',')[0]["software_adapter"], "");
}

#[test]
fn csv_without_rows_has_its_header() {
    let mut empty = results();
    empty.rows.clear();
    let text = String::from_utf8(csv::to_bytes(&empty, b',').unwrap()).unwrap();
    assert_eq!(text, csv::columns().join(",") + "\n");
}

#[test]
fn csv_marks_software() {
    assert!(csv_rows(&software_results(), b',').iter().all(|row| row["software_adapter"] == "true"));
}

#[test]
fn the_summary_is_what_people_quote() {
    assert_eq!(
        summary::lines(&results()),
        [
            "Best read 4541 GB/s, 94.6 % of the datasheet's 4800.",
            "Stride 8 costs 8.0x, stride 16 16.0x: this card fetches 64 bytes at a time.",
        ]
    );
}

#[test]
fn the_summary_says_only_what_is_known() {
    let mut results = results();
    results.settings.peak_gb_per_s = Some(5000.0);
    assert_eq!(summary::lines(&results)[0], "Best read 4541 GB/s, 90.8 % of the given peak of 5000.");
    results.settings.peak_gb_per_s = None;
    results.reference.datasheet_gb_per_s = None;
    assert_eq!(summary::lines(&results)[0], "Best read 4541 GB/s; peak unknown: --peak GB_PER_S states it.");
    let knee = results.stride_knee.as_mut().unwrap();
    (knee.fetch_bytes, knee.reason) = (None, "Too few strides.".to_owned());
    assert_eq!(
        summary::lines(&results)[1],
        "Stride 8 costs 8.0x, stride 16 16.0x; how many bytes it fetches at a time is not determined: Too few strides."
    );
    results.stride_knee = None;
    results.rows.insert(0, stride_row(2));
    results.rows.retain(|row| row.params.get("stride") != Some(&16.into()));
    assert_eq!(summary::lines(&results)[1], "Stride 2 costs 2.0x, stride 8 8.0x.");
    results.rows.retain(|row| row.params.get("stride") != Some(&1.into()));
    assert_eq!(summary::lines(&results).len(), 1, "without stride 1 there is nothing to compare with");
    results.reference.read = None;
    assert_eq!(summary::lines(&results), Vec::<String>::new());
}

#[test]
fn the_summary_takes_the_f32_sweep_of_reads() {
    let mut results = results();
    for stride in [1_u64, 2, 4, 8, 16] {
        let params = |element: &str| [("element", element.into()), ("stride", stride.into())];
        results.rows.insert(0, row("read", &params("vec4"), 1 << 20, 1000.0));
        let mut write = row("write", &params("f32"), 1 << 20, 1000.0);
        write.work.bytes_written = 1 << 20;
        results.rows.insert(0, write);
    }
    assert!(summary::lines(&results)[1].starts_with("Stride 8 costs 8.0x, stride 16 16.0x"));
}

#[test]
fn a_software_adapter_is_marked_everywhere() {
    const SENTENCE: &str = "This is a CPU: the counts hold, the speeds do not.";
    let results = software_results();
    let lines = summary::lines(&results);
    assert_eq!(lines.last().map(String::as_str), Some(SENTENCE));
    assert!(lines.iter().all(|line| !line.contains("card fetches")), "{lines:?}");
    assert!(markdown::to_string(&results).contains(SENTENCE));
    assert_eq!(report::heading(&results)[1], SENTENCE);
}

#[test]
fn markdown_is_a_table() {
    let text = markdown::to_string(&results());
    let table: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(table.len(), 2 + 8);
    for line in &table {
        let cells = line.replace("\\|", "").matches('|').count();
        // One more than the terminal's: the evidence.
        assert_eq!(cells, report::HEADERS.len() + 2, "{line}");
        assert!(line.ends_with(" |"), "{line}");
    }
    assert!(table[1].chars().all(|c| "|- :".contains(c)), "{}", table[1]);
    assert!(text.contains("- Best read 4541 GB/s, 94.6 % of the datasheet's 4800.\n"), "{text}");
}

#[test]
fn a_host_time_is_a_word() {
    let mut results = results();
    results.rows[0].measured.as_mut().unwrap().time_source = TimeSource::Host;
    assert_eq!(csv_rows(&results, b',')[0]["time_source"], "host");
}
