//! Every row of the standard suite on every backend, with and without safety checks, word by word against its oracle.

use pollster::block_on;
use sectorscope::gpu::{Checks, Gpu, GpuError};
use sectorscope::kernels::suite::{Choice, Suite};
use sectorscope::kernels::{Fill, Setting};
use sectorscope::plan::plan;

use super::{open_each, reflect};

#[test]
fn every_kernel_agrees_with_its_oracle() {
    let rows = Suite::Standard.rows();
    let mut wrong = Vec::new();
    for mut gpu in open_each() {
        let mut own = block_on(gpu.open_cooperative()).ok();
        for choice in &rows {
            let gpu = own.as_mut().filter(|_| choice.kernel.id.ends_with("_cooperative")).unwrap_or(&mut gpu);
            for checks in [Checks::On, Checks::Off] {
                if let Err(problem) = check(gpu, choice, checks) {
                    let backend = &gpu.adapter().backend;
                    wrong.push(format!("{} {:?} {checks:?} on {backend}: {problem}", choice.kernel.id, choice.params));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn check(gpu: &mut Gpu, choice: &Choice, checks: Checks) -> Result<(), String> {
    // Small enough for a software adapter, and at least what the kernel needs.
    let footprint_bytes = if choice.kernel.id == "tiled_copy" { 16 << 20 } else { 1 << 20 };
    let setting = Setting { footprint_bytes, limits: gpu.limits(), seed: 5, fill: Fill::Random, size: 256 };
    let plan = match plan(choice.kernel, &choice.params, &setting) {
        Ok(plan) => plan,
        Err(error) => {
            println!("SKIPPED: {} {:?}: {error}", choice.kernel.id, choice.params);
            return Ok(());
        }
    };
    let reflection = reflect(&plan.program).map_err(|error| error.to_string())?;
    let prepared = match block_on(gpu.prepare(&plan.program, &reflection, checks)) {
        Ok(prepared) => prepared,
        Err(error @ GpuError::Unsupported(_)) => {
            println!("SKIPPED: {} {:?}: {error}", choice.kernel.id, choice.params);
            return Ok(());
        }
        Err(error) => return Err(error.to_string()),
    };
    block_on(gpu.run_for_verification(&prepared)).map_err(|error| error.to_string())?;
    let words = block_on(gpu.read_words(&prepared, plan.oracle.buffer, 0..plan.oracle.words));
    for (i, found) in (0..).zip(words.map_err(|error| error.to_string())?) {
        let expected = (plan.oracle.expected)(i);
        if found != expected {
            return Err(format!("word {i} is {found:#x}, not {expected:#x}"));
        }
    }
    Ok(())
}
