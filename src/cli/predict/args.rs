//! What may stand behind `predict`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::analysis::Trace;
use crate::cli::shader::ShaderArguments;
use crate::cli::values::{self, Target};
use crate::report::prediction::Threshold;

pub(in crate::cli) const EXAMPLES: &str = "\
Examples:
  sectorscope predict blur.wgsl
  sectorscope predict blur.wgsl --dispatch 64,64 --buffer image=16MiB --uniform params='{\"width\": 2048}'
  sectorscope predict blur.wgsl --model all
  sectorscope predict gather.wgsl --fill indices=random:0..65536
  sectorscope predict blur.wgsl --json now.json --baseline before.json --fail-below 0.9
  cat blur.wgsl | sectorscope predict - --format github

Exit status: 0 predicted; 1 a line is below --fail-below, worse than the baseline, or was not executed to its end, or an
output could not be written; 2 wrong usage or input.

Settings can stand in a file beside the shader, blur.sectorscope.toml, with the names of the options:
  dispatch = [64, 64]
  [buffer]
  image = \"16MiB\"";

/// Options of `predict`.
#[derive(Debug, Args)]
pub(in crate::cli) struct PredictArguments {
    /// The WGSL file, or - for standard input
    #[arg(value_name = "FILE.wgsl|-")]
    pub(super) file: PathBuf,

    #[command(flatten)]
    pub(super) shader: ShaderArguments,

    /// Which workgroups are executed [default: sample]
    ///
    /// sample: all of a small dispatch, else blocks at its start, middle and end. all: every one. X,Y,Z: this one.
    #[arg(long, value_name = "all|sample|X,Y,Z", help_heading = "What runs")]
    pub(super) trace: Option<Trace>,

    /// Most turns of loops and calls, over all workgroups [default: 1000000]
    ///
    /// A kernel that takes more ends there: the counts so far are shown with a warning, and the exit status is 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "What runs")]
    pub(super) max_steps: Option<u64>,

    /// Execute everything, every turn of every loop
    ///
    /// Otherwise only what feeds addresses and control flow is executed, and turns of a loop that only shift addresses
    /// are counted, exactly, from a few of them; such lines carry a star. The counts are the same, later.
    #[arg(long, help_heading = "What runs")]
    pub(super) without_shortcuts: bool,

    /// Contents of a storage buffer [default: zero]; may be repeated
    ///
    /// zero, index (0, 1, 2, ..), random, random:LO..HI, file:PATH, or the values as JSON: --fill sizes=[4,4,2].
    /// A buffer whose contents decide addresses or loops is named in the report.
    #[arg(long = "fill", value_name = "NAME=CONTENTS", help_heading = "Data")]
    pub(super) fills: Vec<String>,

    /// Seed of random contents [default: 1]
    #[arg(long, value_name = "N", help_heading = "Data")]
    pub(super) seed: Option<String>,

    /// Memory models, one column each [default: lesson]
    ///
    /// Keys, `lesson` (32 lanes, 32-byte sectors) or `all`; a wrong key lists them. Causes and cures are those of the
    /// first. Example: --model nv-hopper,amd-rdna
    #[arg(long, value_name = "KEY[,KEY..]|all", value_delimiter = ',', help_heading = "Models")]
    pub(super) model: Vec<String>,

    /// Lanes of a subgroup, instead of the models'
    #[arg(long, value_name = "N", value_parser = values::subgroup, help_heading = "Models")]
    pub(super) subgroup: Option<u32>,

    /// Bytes of a sector, instead of the models'
    #[arg(long, value_name = "BYTES", value_parser = values::sector, help_heading = "Models")]
    pub(super) sector: Option<u32>,

    /// Bytes that come from memory on a miss, instead of the models'
    #[arg(long, value_name = "BYTES", value_parser = values::fetch, help_heading = "Models")]
    pub(super) fetch: Option<u32>,

    /// Fail where the kernel, or a line of it, is less efficient than this; may be repeated
    ///
    /// Efficiency is the fewest sectors and wavefronts possible over those paid: 0.9, 90%, or 12=0.9 for line 12.
    #[arg(long, value_name = "E|LINE=E", help_heading = "Checks")]
    pub(super) fail_below: Vec<Threshold>,

    /// Compare with an older --json of this kernel, and fail on what became worse
    ///
    /// Accesses are found again where lines have moved.
    #[arg(long, value_name = "OLD.json", help_heading = "Checks")]
    pub(super) baseline: Option<PathBuf>,

    /// Look for no cures, which costs some executions
    #[arg(long, help_heading = "Checks")]
    pub(super) no_cures: bool,

    /// How the report is printed [default: text]
    ///
    /// github: workflow commands that put messages beside the lines of a pull request.
    #[arg(long, value_enum, help_heading = "Output")]
    pub(super) format: Option<FormatName>,

    /// Write the report as JSON to a file, or with - to stdout
    #[arg(long, value_name = "FILE|-", value_parser = values::target, help_heading = "Output")]
    pub(super) json: Option<Target>,
}

/// A form of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatName {
    Text,
    Json,
    Github,
}
