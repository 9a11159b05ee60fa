//! What several tests share: small settings, and the device if there is one.
#![allow(dead_code, reason = "each test binary uses its part")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, and a skipped one says so")]

use sectorscope::gpu::{AdapterChoice, Gpu};
use sectorscope::kernels::suite::Choice;
use sectorscope::kernels::{Fill, Setting};
use sectorscope::program::{Limits, Program};
use sectorscope::shader::{Reflection, Shader};

/// A setting of the given footprint without a device.
pub(crate) fn setting(footprint_bytes: u64) -> Setting {
    Setting { footprint_bytes, limits: Limits::WITHOUT_DEVICE, seed: 5, fill: Fill::Random, size: 256 }
}

/// A footprint at which the whole grid of a choice is interpreted quickly: at least one tile, and a ragged tail.
pub(crate) fn small_bytes(choice: &Choice) -> u64 {
    match choice.kernel.id {
        // One block of 256 x 1024, or tiles of matrices: no smaller ones.
        "traverse" => 1 << 20,
        "tiled_copy" => 1 << 24,
        "fma" => 1 << 18,
        _ => 100_000 * u64::from(choice.params.number("stride").clamp(1, 16)) + 16,
    }
}

/// The device, or `None` with a line that says so; with `REQUIRE_GPU=1` a missing device is a failure.
pub(crate) fn gpu() -> Option<Gpu> {
    match pollster::block_on(Gpu::open(&AdapterChoice::default())) {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            assert!(std::env::var_os("REQUIRE_GPU").is_none_or(|value| value != "1"), "{error}");
            println!("SKIPPED: {error}");
            None
        }
    }
}

/// What the text of a program says of its bindings.
pub(crate) fn reflect(program: &Program) -> Reflection {
    let shader = Shader::parse(&program.wgsl).unwrap();
    shader.specialise(&program.entry_point, &program.constants).unwrap().reflection().clone()
}
