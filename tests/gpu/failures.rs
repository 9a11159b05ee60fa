//! What goes wrong is a value that says what to do, and the device stays usable where it can.

use pollster::block_on;
use sectorscope::gpu::{AdapterChoice, Backend, Checks, Gpu, GpuError, TestHooks, adapters};
use sectorscope::program::Feature;

use super::{copy_program, open, open_with};

#[test]
fn limits_are_checked_before_anything_is_created() {
    let Some(mut gpu) = open() else { return };
    let limits = gpu.limits();
    let refuse =
        |gpu: &mut Gpu, change: &dyn Fn(&mut sectorscope::program::Program, &mut sectorscope::shader::Reflection)| {
            let (mut program, mut reflection) = copy_program(64);
            change(&mut program, &mut reflection);
            match block_on(gpu.prepare(&program, &reflection, Checks::On)).unwrap_err() {
                GpuError::OverLimit { what, wanted, limit } => (what, wanted, limit),
                error => panic!("{error}"),
            }
        };
    let bytes = limits.max_buffer_bytes.max(limits.max_storage_binding_bytes) + (1 << 20);
    let (what, wanted, limit) = refuse(&mut gpu, &|program, _| program.buffers[0].bytes = bytes);
    assert!(
        what.contains("`source`") && wanted == bytes && limit < bytes && limit / 4096 > 0,
        "{what} {wanted} {limit}"
    );

    let lanes = limits.max_workgroup_lanes * 2;
    let (what, wanted, limit) = refuse(&mut gpu, &|_, reflection| reflection.workgroup_size = [lanes / 2, 2, 1]);
    assert_eq!((what.as_str(), wanted, limit), ("workgroup size (lanes)", u64::from(lanes), u64::from(lanes / 2)));

    let memory = limits.max_workgroup_memory_bytes;
    let (_, wanted, limit) = refuse(&mut gpu, &|_, reflection| reflection.workgroup_bytes = memory + 4);
    assert_eq!((wanted, limit), (u64::from(memory) + 4, u64::from(memory)));

    let groups = limits.max_workgroups_per_dimension;
    let (what, ..) = refuse(&mut gpu, &|program, _| program.grid[1] = groups + 1);
    assert_eq!(what, "grid (workgroups) in y");
    let error = GpuError::OverLimit { what: "x".into(), wanted: 2048, limit: 1024 };
    assert_eq!(error.to_string(), "x is 2048, but this device allows at most 1024");
}

#[test]
fn a_shader_that_does_not_compile_leaves_the_device_usable() {
    let Some(mut gpu) = open() else { return };
    let (good, reflection) = copy_program(64);
    for (from, to) in [
        ("fn copy", "fn copy copy"),
        ("var<storage, read_write>", "var<uniform>"),
        ("source[i]", "sauce[i]"),
        ("fn copy", "fn kopie"),
        ("@group(1) @binding(0)", "@group(1) @binding(9)"),
    ] {
        let mut bad = good.clone();
        bad.wgsl = bad.wgsl.replace(from, to).into();
        for checks in [Checks::On, Checks::Off] {
            let error = block_on(gpu.prepare(&bad, &reflection, checks)).unwrap_err();
            assert!(matches!(error, GpuError::Validation(_)), "{to}: {error:?}");
            assert!(!error.is_fatal());
        }
    }
    let mut bad = good.clone();
    bad.buffers.remove(0);
    let error = block_on(gpu.prepare(&bad, &reflection, Checks::On)).unwrap_err();
    assert!(error.to_string().contains("`source`"), "{error}");
    bad = good.clone();
    bad.buffers[0].bytes = 6;
    assert!(matches!(block_on(gpu.prepare(&bad, &reflection, Checks::On)), Err(GpuError::Program(_))));

    let prepared = block_on(gpu.prepare(&good, &reflection, Checks::On)).unwrap();
    block_on(gpu.run_for_verification(&prepared)).unwrap();
    assert!(matches!(block_on(gpu.read_words(&prepared, "sauce", 0..1)), Err(GpuError::Program(_))));
    assert!(matches!(block_on(gpu.read_words(&prepared, "source", 60..65)), Err(GpuError::Program(_))));
}

#[test]
fn a_missing_feature_is_named() {
    let Some(mut gpu) = open_with(Some(Backend::Gl), TestHooks::default()) else { return };
    if gpu.features().contains(&Feature::F16) {
        return;
    }
    let (mut program, reflection) = copy_program(64);
    program.features.insert(Feature::F16);
    let error = block_on(gpu.prepare(&program, &reflection, Checks::On)).unwrap_err();
    assert_eq!(error.to_string(), "this device does not support f16");
}

#[test]
fn a_lost_device_is_an_error_wherever_it_strikes() {
    let mut survived = 0;
    for after in 0..24 {
        let hooks = TestHooks { lose_device_after: Some(after), ..TestHooks::default() };
        let Some(mut gpu) = open_with(None, hooks) else { return };
        let (program, reflection) = copy_program(1000);
        let run = async {
            let prepared = gpu.prepare(&program, &reflection, Checks::Off).await?;
            gpu.run_for_verification(&prepared).await?;
            gpu.read_words(&prepared, "target_words", 0..1000).await?;
            gpu.checksum(&prepared, "target_words").await?;
            gpu.time_alone(&prepared, 1, 0).await?;
            for k in 0..4 {
                gpu.submit_sample(&prepared, 1, k)?;
            }
            gpu.collect().await
        };
        match block_on(run) {
            Err(error) => {
                assert!(matches!(error, GpuError::DeviceLost(_)) && error.is_fatal(), "after {after}: {error:?}");
                assert!(gpu.lost().is_some());
                let again = block_on(gpu.prepare(&program, &reflection, Checks::On)).unwrap_err();
                assert!(matches!(again, GpuError::DeviceLost(_)), "{again:?}");
            }
            Ok(samples) => {
                assert_eq!(samples.len(), 4);
                survived += 1;
            }
        }
    }
    assert!((1..23).contains(&survived), "the loss must strike in the middle: {survived} of 24 runs survived");
    // A new device works.
    assert!(open().is_some());
}

#[test]
fn memory_that_runs_out_is_reported_and_given_back() {
    let hooks = TestHooks { memory_bytes: Some(1 << 20), ..TestHooks::default() };
    let Some(mut gpu) = open_with(None, hooks) else { return };
    let (large, reflection) = copy_program(1 << 20);
    let (small, _) = copy_program(1 << 14);
    let error = block_on(gpu.reserve(&[&small, &large])).unwrap_err();
    assert_eq!(error, GpuError::OutOfMemory { bytes: 8 << 20 });
    assert_eq!(error.to_string(), "not enough device memory (8 MiB were asked for)");
    assert_eq!(gpu.reserved_bytes(), 0);
    block_on(gpu.reserve(&[&small])).unwrap();
    let prepared = block_on(gpu.prepare(&small, &reflection, Checks::Off)).unwrap();
    block_on(gpu.run_for_verification(&prepared)).unwrap();
}

#[test]
fn wrong_adapter_choices_list_what_there_is() {
    let all = block_on(adapters(None));
    println!("{all:#?}");
    if all.is_empty() {
        open();
        return;
    }
    assert!(all.iter().enumerate().all(|(place, adapter)| adapter.index == place));
    let open = |adapter: &str| {
        block_on(Gpu::open(&AdapterChoice { backend: None, adapter: Some(adapter.into()) }))
            .map(|gpu| gpu.adapter().index)
    };
    for wanted in ["zzz", "99"] {
        match open(wanted) {
            Err(GpuError::NotFound { wanted: told, adapters }) => {
                assert_eq!((told.as_str(), adapters), (wanted, strip(&all)));
            }
            other => panic!("{other:?}"),
        }
    }
    for adapter in &all {
        match open(&adapter.index.to_string()) {
            Ok(index) => assert_eq!(index, adapter.index),
            Err(error) => assert!(matches!(error, GpuError::NoCompute { .. }), "{error}"),
        }
        let same = all.iter().filter(|other| other.name.to_lowercase().contains(&adapter.name.to_lowercase())).count();
        match open(&adapter.name.to_uppercase()) {
            Ok(index) => assert!(same == 1 && index == adapter.index),
            Err(GpuError::Ambiguous { adapters, .. }) => assert_eq!(adapters.len(), same),
            Err(error) => assert!(matches!(error, GpuError::NoCompute { .. }), "{error}"),
        }
    }
}

/// As a search for one adapter sees them, without opening each.
fn strip(adapters: &[sectorscope::record::Adapter]) -> Vec<sectorscope::record::Adapter> {
    adapters
        .iter()
        .cloned()
        .map(|adapter| sectorscope::record::Adapter { timestamp_period_ns: None, ..adapter })
        .collect()
}

#[test]
fn a_backend_that_is_not_there_is_named() {
    let foreign = if cfg!(target_vendor = "apple") { Backend::Dx12 } else { Backend::Metal };
    let choice = AdapterChoice { backend: Some(foreign), adapter: None };
    let error = block_on(Gpu::open(&choice)).unwrap_err();
    assert!(matches!(error, GpuError::NoAdapter { .. }) && error.to_string().contains(foreign.name()), "{error}");
    assert!(block_on(adapters(Some(foreign))).is_empty());
    assert_eq!("VULKAN".parse(), Ok(Backend::Vulkan));
    assert!("cuda".parse::<Backend>().unwrap_err().contains("vulkan, metal, dx12 or gl"));
}

#[test]
fn without_a_vulkan_driver_the_search_ends_in_an_error() {
    // Drivers are chosen by the environment, which a test must not change for others: run one test in a process of its own.
    if std::env::var("VK_DRIVER_FILES").is_ok_and(|files| files == "/none") {
        let choice = AdapterChoice { backend: Some(Backend::Vulkan), adapter: None };
        assert!(matches!(block_on(Gpu::open(&choice)), Err(GpuError::NoAdapter { .. })));
        let diagnosis = block_on(sectorscope::gpu::diagnose());
        println!("{diagnosis:#?}");
        assert!(
            diagnosis.backends.iter().all(|report| report.backend != Backend::Vulkan || report.adapters.is_empty())
        );
        assert!(diagnosis.environment.contains(&("VK_DRIVER_FILES".into(), "/none".into())));
        return;
    }
    let name = "failures::without_a_vulkan_driver_the_search_ends_in_an_error";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .envs([("VK_DRIVER_FILES", "/none"), ("VK_ICD_FILENAMES", "/none")])
        .output()
        .unwrap();
    println!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_device_that_takes_too_long_is_not_waited_for() {
    // Only lavapipe works in the background and is slow enough for certain.
    let Some(mut gpu) = open_with(Some(Backend::Vulkan), TestHooks::default()) else { return };
    if !gpu.adapter().is_cpu() {
        return;
    }
    let (program, reflection) = copy_program(1 << 20);
    let prepared = block_on(gpu.prepare(&program, &reflection, Checks::Off)).unwrap();
    gpu.set_wait_seconds(0);
    let error = block_on(gpu.time_alone(&prepared, 50, 0)).unwrap_err();
    assert_eq!(error, GpuError::TimedOut { seconds: 0 });
    gpu.set_wait_seconds(60);
    assert!(block_on(gpu.time_alone(&prepared, 1, 0)).unwrap().host_ns > 0.0);
}
