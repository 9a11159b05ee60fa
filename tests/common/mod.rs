//! Hand-made results for tests of the reports and of the command line.
#![allow(dead_code, reason = "each test file needs a part of it")]

use std::collections::BTreeMap;

use sectorscope::record::*;

/// A row whose rate is exactly its bytes over its median.
pub(crate) fn row(kernel: &str, params: &[(&str, serde_json::Value)], requested_bytes: u64, median_ns: f64) -> Row {
    let params: BTreeMap<String, serde_json::Value> =
        params.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Row {
        kernel: kernel.to_owned(),
        params,
        preset: None,
        wgsl_sha256: "5ec7".to_owned(),
        checks: "off".to_owned(),
        status: Status::Ok,
        reason: None,
        work: Work {
            requested_bytes,
            bytes_read: requested_bytes,
            footprint_bytes: 256 << 20,
            held: "footprint".to_owned(),
            ..Work::default()
        },
        predicted: Some(predicted(0.125, 0.0625, 0.0625)),
        measured: Some(Measured {
            time_source: TimeSource::GpuTimestamp,
            samples_ns: vec![median_ns * 0.99, median_ns, median_ns * 1.01],
            dispatches_per_sample: 4,
            clock_step_ns: 32.0,
            host_floor_ns: None,
            median_ns,
            p10_ns: median_ns * 0.99,
            p90_ns: median_ns * 1.01,
            drift: None,
            useful_gb_per_s: Some(requested_bytes as f64 / median_ns),
            efficiency: Some(0.0625),
            gflop_per_s: None,
            gelements_per_s: None,
        }),
        implied_moved_gb_per_s: None,
        measured_over_predicted: Some(0.981),
        ratio_reason: None,
        inside_band: None,
        limit: Some(Limit { kind: LimitKind::Lineup, evidence: "Traffic explains it.".to_owned() }),
        verified: Some(Verified {
            method: "elements".to_owned(),
            elements: 65536,
            max_error: 0.0,
            agrees_with_interpreter: Some(true),
        }),
        warnings: Vec::new(),
    }
}

/// A prediction of these efficiencies.
pub(crate) fn predicted(request: f64, low: f64, high: f64) -> Predicted {
    Predicted {
        model: "hopper".to_owned(),
        subgroup: 32,
        sector_bytes: 32,
        fetch_bytes: [64, 64],
        fetch_origin: "model".to_owned(),
        requests: 1024,
        sectors_per_request: 32.0,
        ideal_sectors_per_request: 4.0,
        request_efficiency: request,
        traffic_efficiency: TrafficEfficiency { low, high, method: "work formula".to_owned() },
        wavefronts: None,
        ideal_wavefronts: None,
        useful_bytes: 131_072,
        sector_bytes_total: 1_048_576,
        useful_gb_per_s: Some(Band { low: low * 4541.0, high: high * 4541.0 }),
        traced: "all".to_owned(),
        accesses: Vec::new(),
    }
}

/// A stride row of a 1 GiB f32 sweep that took 237 us, as the H200's did up to stride 16.
pub(crate) fn stride_row(stride: u64) -> Row {
    let bytes = (1_u64 << 30) / stride;
    let params = [("element", "f32".into()), ("items", 8.into()), ("stride", stride.into())];
    row("read", &params, bytes, 236_468.0)
}

/// A run on a device with a documented peak: strides, one row of each status, one band.
pub(crate) fn results() -> Results {
    let mut banded = row("transpose", &[("columns", 4096.into())], 1 << 28, 100_000.0);
    banded.predicted = Some(predicted(1.0, 0.6667, 1.0));
    banded.measured_over_predicted = None;
    banded.ratio_reason = Some("reuse".to_owned());
    banded.inside_band = Some(true);
    banded.warnings = vec![Warning::new("drift", "The clocks moved by 4 %: run again.")];
    let mut compute = row("fma", &[], 1 << 20, 50_000.0);
    compute.ratio_reason = Some("not_memory_bound".to_owned());
    compute.measured_over_predicted = None;
    compute.limit = Some(Limit { kind: LimitKind::Compute, evidence: "Arithmetic.".to_owned() });
    if let Some(measured) = &mut compute.measured {
        measured.gflop_per_s = Some(52_500.0);
    }
    let mut rows = vec![stride_row(1), stride_row(8), stride_row(16), banded, compute];
    for (status, reason) in [
        (Status::Skipped, "time limit"),
        (Status::Unsupported, "no f16 on this device"),
        (Status::Failed, "element 7: 1.5, expected 2, \"wrong\"\nby far"),
    ] {
        let mut bad = row("gather", &[("order", "shuffled".into())], 1 << 28, 1.0);
        (bad.status, bad.reason) = (status, Some(reason.to_owned()));
        (bad.predicted, bad.measured, bad.verified, bad.limit) = (None, None, None, None);
        bad.measured_over_predicted = None;
        rows.push(bad);
    }
    Results {
        schema: SCHEMA.to_owned(),
        started_at: "2026-11-30T08:00:00Z".to_owned(),
        tool: Tool { version: "0.1.0".to_owned(), commit: None, wgpu: "30.0".to_owned(), naga: "30.0".to_owned() },
        host: Host { os: "Linux".to_owned(), cpu: "A CPU".to_owned(), memory_bytes: 1 << 37, power: None },
        adapter: Some(adapter()),
        memory_model: serde_json::json!({"key": "hopper", "sector_bytes": {"value": 32}}),
        settings: Settings {
            suite: Some("quick".to_owned()),
            kernels: Vec::new(),
            set: BTreeMap::new(),
            bytes: Vec::new(),
            samples: 12,
            time_limit_s: None,
            order: "forward".to_owned(),
            seed: 0,
            fill: "random".to_owned(),
            checks: "off".to_owned(),
            peak_gb_per_s: None,
        },
        reference: Reference {
            read: Some(4541.0),
            datasheet_gb_per_s: Some(4800.0),
            datasheet_source: Some("datasheet".to_owned()),
            ..Reference::default()
        },
        stride_knee: Some(StrideKnee {
            fetch_bytes: Some(64),
            confidence: Some(0.97),
            reason: "knee at 64 B".to_owned(),
        }),
        rows,
        warnings: Vec::new(),
    }
}

/// A GPU whose name tries to break every format.
pub(crate) fn adapter() -> Adapter {
    Adapter {
        index: 0,
        name: "Card, \"8 GB\"; fast\nsecond line | x".to_owned(),
        backend: "vulkan".to_owned(),
        device_type: "discrete_gpu".to_owned(),
        vendor_id: 0x10de,
        device_id: 0x2335,
        pci: Some("0000:01:00.0".to_owned()),
        driver: "NVIDIA".to_owned(),
        driver_info: "580.159".to_owned(),
        subgroup_min: 32,
        subgroup_max: 32,
        timestamps: true,
        timestamp_period_ns: Some(1.0),
        features: vec!["f16".to_owned()],
        max_storage_binding_bytes: 2_147_483_644,
        max_workgroup_memory_bytes: 49_152,
    }
}

/// The same run on a processor that plays a GPU.
pub(crate) fn software_results() -> Results {
    let mut results = results();
    let adapter = results.adapter.as_mut().unwrap();
    adapter.name = "llvmpipe (LLVM 19.1.7, 256 bits)".to_owned();
    adapter.device_type = "cpu".to_owned();
    results.reference = Reference { read: Some(9.1), ..Reference::default() };
    results.stride_knee = None;
    results.warnings = vec![Warning::new("software_adapter", "This adapter is a CPU.")];
    results
}
