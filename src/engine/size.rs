//! The size of the matmul ladder where nobody says: the device's default, or less where its slowest rung would take too
//! long. It is decided once a run, so that all rungs multiply the same.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::gpu::{Checks, Gpu, GpuError, Pace};
use crate::kernels::matmul::{FAMILY, has_own_size};
use crate::kernels::suite::Choice;
use crate::kernels::{ALL, Kernel, Setting};
use crate::plan::plan;
use crate::program::Block;
use crate::units::format_ns;

use super::measure::reflect;
use super::request::{ChecksMode, Request};

/// Of the rungs whose size is chosen the one that takes longest: the lowest of the ladder for its loads, but on a
/// processor the tiled one for its barriers.
fn slowest(choices: &[Choice], is_cpu: bool) -> Option<&'static Kernel> {
    let is_asked = |kernel: &&&Kernel| choices.iter().any(|choice| is_chosen(choice) && choice.kernel.id == kernel.id);
    let tiled = || ALL.iter().find(|kernel| kernel.id == "matmul_tiled").filter(is_asked);
    is_cpu.then(tiled).flatten().or_else(|| ALL.iter().find(is_asked)).copied()
}

/// The most multiply-adds of a row whose size is chosen, over those of a cube of the default.
fn largest_share(choices: &[Choice], size: u32) -> f64 {
    let side = |choice: &Choice, name| match choice.params.number(name) {
        0 => 1.0,
        number => f64::from(number) / f64::from(size),
    };
    let shares = choices.iter().filter(|choice| is_chosen(choice));
    shares.map(|choice| ["m", "n", "k"].map(|name| side(choice, name)).iter().product()).fold(0.0, f64::max)
}

/// The default is not halved below this: the largest tile of a rung.
const SMALLEST: u32 = 128;
/// Where no time is given one run may take this long, ns: a row takes a few dozen.
const LONGEST_RUN_NS: f64 = 500e6;
/// However little time is given, a run may take as long as a sample of any other row, ns.
const SHORTEST_RUN_NS: f64 = 20e6;
/// The share of a time limit that goes into runs; predictions, compiling and checking take the rest.
const SHARE_OF_RUNS: f64 = 0.5;
/// Runs of a row beside its samples: two to verify it, one to size its samples.
const OTHER_RUNS: f64 = 3.0;
/// A trial of at least this time says how long larger ones take, ns.
const TELLING_NS: f64 = 5e6;
/// A trial is repeated so often, and for so long, ns, but not much longer: the first run may compile the shader, and the
/// clocks of an idle device are slow.
const TRIALS: u32 = 3;
const TRIAL_NS: f64 = 50e6;
const LONGEST_TRIAL_NS: f64 = 500e6;

/// A size that was chosen in place of the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reduced {
    pub size: u32,
    /// What the rows say.
    pub text: String,
}

/// Whether the size of a row is chosen for it.
pub(super) fn is_chosen(choice: &Choice) -> bool {
    choice.kernel.family == FAMILY && !has_own_size(&choice.params)
}

/// The size to take in place of the default; `None` where the default will do or cannot be tried.
pub(super) async fn choose(
    gpu: &mut Gpu,
    request: &Request,
    setting: &Setting,
    choices: &[Choice],
    rows: usize,
    cancel: &AtomicBool,
) -> Option<Reduced> {
    let kernel = slowest(choices, gpu.adapter().is_cpu())?;
    let from = setting.size;
    let samples = f64::from(request.samples(gpu.adapter().is_cpu()));
    let limit_s = request.time_limit_s;
    let allowed_ns = limit_s.map_or(LONGEST_RUN_NS, |limit_s| {
        (SHARE_OF_RUNS * limit_s * 1e9 / rows as f64 / (samples + OTHER_RUNS)).max(SHORTEST_RUN_NS)
    });
    let checks = if request.checks == ChecksMode::Off { Checks::Off } else { Checks::On };
    let mut trials = Trials { gpu, setting, checks, kernel, cancel };
    let cube_ns = trials.estimate(from).await.ok().flatten();
    gpu.release();
    let run_ns = cube_ns? * largest_share(choices, from);
    let size = largest_within(from, run_ns, allowed_ns);
    let allowed = format_ns(allowed_ns);
    let why = match limit_s {
        None => {
            format!(
                "{allowed} is the most where nobody sets a size; --kernel {} --set size={from} asks for it",
                kernel.id
            )
        }
        Some(limit_s) if allowed_ns > SHORTEST_RUN_NS => {
            format!("--time-limit {limit_s} leaves {allowed} for each of its runs")
        }
        Some(limit_s) => format!("--time-limit {limit_s} leaves no more than {allowed} for each of its runs"),
    };
    (size < from).then(|| Reduced {
        size,
        text: format!(
            "size {size} in place of {from}, where one run of {} takes about {}: {why}",
            kernel.id,
            format_ns(run_ns)
        ),
    })
}

/// The largest of `from` and its halves whose run takes no longer than allowed: an eighth for each halving.
fn largest_within(from: u32, run_ns: f64, allowed_ns: f64) -> u32 {
    let (mut size, mut run_ns) = (from, run_ns);
    while run_ns > allowed_ns && size > SMALLEST {
        (size, run_ns) = (size / 2, run_ns / 8.0);
    }
    size
}

/// Runs of the slowest rung that tell how long it takes.
struct Trials<'a> {
    gpu: &'a mut Gpu,
    setting: &'a Setting,
    checks: Checks,
    kernel: &'static Kernel,
    cancel: &'a AtomicBool,
}

impl Trials<'_> {
    /// Time of one run at a size, ns, from trials that grow until they take long enough to tell.
    async fn estimate(&mut self, size: u32) -> Result<Option<f64>, GpuError> {
        let mut trial = SMALLEST.min(size);
        loop {
            let Some(ns) = self.run_ns(trial).await? else { return Ok(None) };
            if ns >= TELLING_NS || trial >= size {
                return Ok(Some(ns * (f64::from(size) / f64::from(trial)).powi(3)));
            }
            trial = (4 * trial).min(size);
        }
    }

    /// Time of one run at a size, ns, the shortest of several.
    async fn run_ns(&mut self, size: u32) -> Result<Option<f64>, GpuError> {
        let params = self.kernel.defaults().with("size", size);
        let Ok(plan) = plan(self.kernel, &params, self.setting) else { return Ok(None) };
        let Ok(reflection) = reflect(&plan.program) else { return Ok(None) };
        let prepared = self.gpu.prepare(&plan.program, &reflection, self.checks).await?;
        let (mut pace, mut runs, mut elapsed, mut shortest) = (Pace::default(), 0, 0.0, f64::INFINITY);
        let mut go_on = |_: &_| !self.cancel.load(Ordering::Relaxed);
        while elapsed < TRIAL_NS || runs < TRIALS && elapsed < LONGEST_TRIAL_NS {
            runs += 1;
            let run = self.gpu.run_in_parts(&prepared, Block::Phase(0), &mut pace, &mut go_on).await?;
            let Some(run) = run else { break };
            elapsed += run.elapsed_ns.max(1.0);
            shortest = shortest.min(run.whole_ns);
        }
        Ok(shortest.is_finite().then_some(shortest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_halving_takes_an_eighth_of_the_time() {
        assert_eq!(largest_within(2048, 3.4e9, 0.5e9), 1024);
        assert_eq!(largest_within(2048, 0.5e9, 0.5e9), 2048);
        assert_eq!(largest_within(2048, 3.4e9, 0.06e9), 512);
        assert_eq!(largest_within(2048, 1e15, 1.0), 128);
        assert_eq!(largest_within(256, 64e6, 20e6), 128);
    }
}
