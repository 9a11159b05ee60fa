//! Samples come back complete and in order, and their times are times or nothing.

use pollster::block_on;
use sectorscope::gpu::{Checks, Plausibility, TestHooks, host_clock_step_ns, plausibility};

use super::{copy_program, open, open_each, open_with};

#[test]
fn every_pair_is_a_time_within_the_hosts() {
    for mut gpu in open_each() {
        let (program, reflection) = copy_program(1 << 20);
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
        let floor = block_on(gpu.empty_submission_ns()).unwrap();
        assert!(floor > 0.0);
        for dispatches in [1, 2, 4, 8] {
            let sample = block_on(gpu.time_alone(&prepared, dispatches, 0)).unwrap();
            println!(
                "{}: {dispatches} dispatches, device {:?} ns, host {:.0} ns, floor {floor:.0} ns, step {:?} ns",
                gpu.adapter().backend,
                sample.gpu_ns,
                sample.host_ns,
                gpu.clock_step_ns()
            );
            assert_eq!(sample.dispatches, dispatches);
            assert!(sample.host_ns > 0.0);
            assert!(sample.gpu_ns.is_none_or(|ns| ns > 0.0));
            assert!(!matches!(plausibility(&[sample]), Plausibility::LongerThanHost { .. }), "{sample:?}");
        }
        assert_eq!(gpu.timestamps(), gpu.adapter().timestamp_period_ns.is_some());
    }
}

#[test]
fn more_samples_than_a_query_set_holds() {
    for mut gpu in open_each() {
        let (program, reflection) = copy_program(64);
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
        for _round in 0..2 {
            let ids: Vec<_> = (0..3000).map(|k| gpu.submit_sample(&prepared, 1, k).unwrap()).collect();
            let samples = block_on(gpu.collect()).unwrap();
            assert!(samples.iter().map(|sample| sample.id).eq(ids), "in the order of submission");
            let timed: Vec<f64> = samples.iter().filter_map(|sample| sample.gpu_ns).collect();
            println!("{}: {} of 3000 pairs are times", gpu.adapter().backend, timed.len());
            if timed.len() > 2900 {
                assert_ne!(timed[..100], timed[2048..2148], "results repeat after a full query set");
            }
        }
        assert!(block_on(gpu.collect()).unwrap().is_empty());
    }
}

#[test]
fn a_sample_alone_leaves_those_in_flight_alone() {
    let Some(mut gpu) = open() else { return };
    let (program, reflection) = copy_program(4096);
    let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
    let first = gpu.submit_sample(&prepared, 1, 0).unwrap();
    let alone = block_on(gpu.time_alone(&prepared, 3, 0)).unwrap();
    let last = gpu.submit_sample(&prepared, 2, 0).unwrap();
    let samples = block_on(gpu.collect()).unwrap();
    assert_eq!(
        samples.iter().map(|sample| (sample.id, sample.dispatches)).collect::<Vec<_>>(),
        [(first, 1), (last, 2)]
    );
    assert!(first < alone.id && alone.id < last);
    if gpu.timestamps() {
        assert!(samples.iter().chain([&alone]).all(|sample| sample.gpu_ns.is_some()));
    }
}

#[test]
fn zeroed_or_missing_timestamps_are_no_times() {
    for hooks in [
        TestHooks { zero_timestamps: true, ..TestHooks::default() },
        TestHooks { disable_timestamps: true, ..TestHooks::default() },
    ] {
        let Some(mut gpu) = open_with(None, hooks.clone()) else { return };
        assert!(!hooks.disable_timestamps || !gpu.timestamps());
        assert_eq!(gpu.clock_step_ns().is_some(), gpu.timestamps());
        assert!(host_clock_step_ns() > 0.0);
        let (program, reflection) = copy_program(4096);
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
        let alone = block_on(gpu.time_alone(&prepared, 1, 0)).unwrap();
        gpu.submit_sample(&prepared, 1, 0).unwrap();
        gpu.submit_sample(&prepared, 1, 0).unwrap();
        let batch = block_on(gpu.collect()).unwrap();
        assert_eq!(batch.len(), 2);
        for sample in batch.iter().chain([&alone]) {
            assert_eq!(sample.gpu_ns, None, "{hooks:?}");
            assert!(sample.host_ns > 0.0);
        }
        assert_eq!(plausibility(&batch), Plausibility::Incomplete);
    }
}

#[test]
fn a_wrong_period_is_noticed() {
    let Some(mut gpu) = open_with(None, TestHooks { period_scale: Some(80.0), ..TestHooks::default() }) else { return };
    if !gpu.timestamps() {
        return;
    }
    let (program, reflection) = copy_program(1 << 20);
    let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
    let sample = block_on(gpu.time_alone(&prepared, 20, 0)).unwrap();
    assert!(matches!(plausibility(&[sample]), Plausibility::LongerThanHost { .. }), "{sample:?}");
}
