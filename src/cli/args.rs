//! What may stand on the command line. Defaults are told in the help and applied in `request`, so that an option that
//! was not given stays recognisable.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::predict::PredictArguments;
use super::shader::ShaderArguments;
use super::values::{self, FillChoice, Target};

const EXAMPLES: &str = "\
Examples:
  sectorscope --bench --suite quick
  sectorscope --bench --kernel read --set stride=1,2,4,8,16,32 --csv strides.csv
  sectorscope --bench --bytes 1GiB --samples 30 --json before.json
  sectorscope --bench --predict-only --kernel read --set stride=8 --fetch 64
  sectorscope compare before.json after.json
  sectorscope predict kernel.wgsl
  sectorscope --bench --wgsl kernel.wgsl --dispatch 1024 --buffer image=16MiB

Exit status: 0 every row is ok, skipped or unsupported; 1 a row failed or an output could not be written;
2 wrong usage or input; 3 no adapter was found (predictions are still printed), or
no window could be opened; 130 interrupted.

Environment: RUST_LOG=debug tells more on stderr.";

/// Shows what a GPU memory access pattern should cost, and what it does cost.
///
/// The prediction executes the very WGSL that runs on the GPU in an interpreter and counts the sectors that it touches;
/// the measurement times it on the GPU. Data goes to stdout, everything else to stderr.
#[derive(Debug, Parser)]
#[command(name = "sectorscope", version, args_conflicts_with_subcommands = true, after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Run kernels without a window and print a table
    ///
    /// All options below belong to such a run.
    #[arg(long)]
    pub(super) bench: bool,

    /// Open a results file in the desktop app
    #[arg(long, value_name = "FILE", conflicts_with = "bench")]
    pub(super) open: Option<PathBuf>,

    /// Write what the desktop app shows to FILE, and how long its slowest calls took
    ///
    /// One line of JSON for each change; send it along when you ask for help.
    #[arg(long, value_name = "FILE", conflicts_with = "bench")]
    pub(super) log: Option<PathBuf>,

    #[command(flatten)]
    pub(super) run: RunArguments,

    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

/// Options of `--bench`.
#[derive(Debug, Default, PartialEq, Args)]
pub(super) struct RunArguments {
    /// Which rows to run [default: standard, unless kernels or presets are named]
    ///
    /// quick: a dozen rows, seconds. standard: every kernel, with strides, offsets, widths and footprints.
    /// full: all of them. patterns: the memory patterns of standard. matmul: matrix products.
    /// Example: --suite quick
    #[arg(long, value_enum, help_heading = "What to run")]
    pub(super) suite: Option<SuiteName>,

    /// Run these kernels instead of a suite
    ///
    /// `sectorscope kernels` lists them. Example: --kernel read copy
    #[arg(long, value_name = "ID", num_args = 1.., value_delimiter = ',', conflicts_with = "suite", help_heading = "What to run")]
    pub(super) kernel: Vec<String>,

    /// Set a parameter of the kernels; several values make several rows
    ///
    /// Given for several parameters, every combination is run.
    /// Example: --kernel read --set stride=1,2,4 --set items=4,8 makes 6 rows
    #[arg(long, value_name = "NAME=V[,V...]", value_parser = values::setting, help_heading = "What to run")]
    pub(super) set: Vec<(String, Vec<String>)>,

    /// Add the rows of a preset
    ///
    /// `sectorscope kernels` lists them. May be repeated. Example: --preset lesson-stride-8
    #[arg(long, value_name = "ID", value_delimiter = ',', help_heading = "What to run")]
    pub(super) preset: Vec<String>,

    /// Measure a compute shader of your own instead of a suite; may be repeated
    ///
    /// It is executed in the interpreter first, as by `predict`, and runs with the safety checks of WGSL. The options under
    /// "Your shader" and the file of settings beside it say what it is given. Example: --wgsl blur.wgsl --dispatch 64,64
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["suite", "kernel", "set", "preset", "bytes", "checks"], help_heading = "What to run")]
    pub(super) wgsl: Vec<PathBuf>,

    /// Run the shader of --wgsl without safety checks
    ///
    /// An index out of range then reads or writes other memory. It is refused where the interpreter saw one, but
    /// only some of the workgroups of a large dispatch are executed there.
    #[arg(long, requires = "wgsl", help_heading = "What to run")]
    pub(super) unchecked: bool,

    #[command(flatten)]
    pub(super) shader: ShaderArguments,

    /// Measure on this adapter [default: the best one]
    ///
    /// Its index in `sectorscope adapters`, or a part of its name that no other adapter has.
    /// Example: --adapter 1, --adapter radeon
    #[arg(long, value_name = "INDEX|NAME", help_heading = "Device")]
    pub(super) adapter: Option<String>,

    /// Use this graphics interface only [default: all that the system has]
    ///
    /// Example: --backend vulkan
    #[arg(long, value_enum, help_heading = "Device")]
    pub(super) backend: Option<BackendName>,

    /// Bytes of memory that a dispatch walks over [default: chosen for the device]
    ///
    /// Several sizes make several rows. Below four times the last-level cache, where that is known, a row warns: the cache answers.
    /// Example: --bytes 1MiB,64MiB,1GiB
    #[arg(long, value_name = "SIZE[,SIZE...]", value_parser = values::size, value_delimiter = ',', help_heading = "How to measure")]
    pub(super) bytes: Vec<u64>,

    /// Timed samples of each row [default: 16, on a software adapter 5]
    ///
    /// The median, the 10th and the 90th percentile are taken of them. Example: --samples 30
    #[arg(long, value_name = "N", value_parser = values::samples, help_heading = "How to measure")]
    pub(super) samples: Option<u32>,

    /// Stop measuring after this many seconds [default: no limit]
    ///
    /// Rows that were not reached are skipped and say so; predictions are there all the same. Matrix products are of a
    /// size that the time allows, and say so; a size that is set is not changed: where it takes too long, the row is skipped.
    /// Example: --time-limit 60
    #[arg(long, value_name = "SECONDS", value_parser = values::positive, help_heading = "How to measure")]
    pub(super) time_limit: Option<f64>,

    /// Order in which rows are measured [default: forward]
    ///
    /// Two orders that disagree show an influence of one row on the next. Example: --order shuffle --seed 2
    #[arg(long, value_enum, help_heading = "How to measure")]
    pub(super) order: Option<OrderName>,

    /// Seed of buffer contents and of the shuffled order [default: 0]
    ///
    /// Example: --seed 7
    #[arg(long, value_name = "N", value_parser = values::seed, help_heading = "How to measure")]
    pub(super) seed: Option<u32>,

    /// What input buffers hold [default: random]
    ///
    /// Some devices compress zeros and look faster than they are. Example: --fill zero
    ///
    /// Of --wgsl, one buffer's contents as NAME=CONTENTS [default: zero]; may be repeated: zero, index, random,
    /// random:LO..HI, file:PATH, or the values as JSON. Example: --fill indices=random:0..65536
    #[arg(long, value_name = "random|zero|index|NAME=CONTENTS", value_parser = values::fill, help_heading = "How to measure")]
    pub(super) fill: Vec<FillChoice>,

    /// Whether shaders are compiled with safety checks [default: off]
    ///
    /// Bounds and loop checks cost time of their own; `both` measures how much. A shader whose indices are not
    /// proved to be in range is checked in any case. Example: --checks both
    #[arg(long, value_enum, help_heading = "How to measure")]
    pub(super) checks: Option<ChecksName>,

    /// Datasheet memory bandwidth of the device, in GB/s (10^9 bytes a second) [default: known devices only]
    ///
    /// It is shown beside the measured rates and never used for a prediction. Example: --peak 936
    #[arg(long, value_name = "GB_PER_S", value_parser = values::positive, help_heading = "How to measure")]
    pub(super) peak: Option<f64>,

    /// Memory model that predictions use [default: auto, the model of the adapter]
    ///
    /// A key, `lesson` (32 lanes, 32-byte sectors) or `auto`; a wrong key lists them all. Example: --model lesson
    #[arg(long, value_name = "KEY", help_heading = "Prediction")]
    pub(super) model: Option<String>,

    /// Lanes of a subgroup, instead of the model's
    ///
    /// A power of two, 1 to 128. Example: --subgroup 64
    #[arg(long, value_name = "N", value_parser = values::subgroup, help_heading = "Prediction")]
    pub(super) subgroup: Option<u32>,

    /// Bytes of a sector, the smallest piece of a request, instead of the model's
    ///
    /// A power of two, 4 to 1024. Example: --sector 32
    #[arg(long, value_name = "BYTES", value_parser = values::sector, help_heading = "Prediction")]
    pub(super) sector: Option<u32>,

    /// Bytes that come from memory on a miss, instead of the model's
    ///
    /// A power of two, 4 to 4096, not below the sector. Example: --fetch 64
    #[arg(long, value_name = "BYTES", value_parser = values::fetch, help_heading = "Prediction")]
    pub(super) fetch: Option<u32>,

    /// Predict only: use no GPU
    #[arg(long, help_heading = "Prediction")]
    pub(super) predict_only: bool,

    /// Write the results as JSON to a file, or with - to stdout
    ///
    /// A file is replaced as rows arrive, always as a whole. With - the document is written once, at the end, and
    /// the table goes to stderr. Example: --json run.json
    #[arg(long, value_name = "FILE|-", value_parser = values::target, help_heading = "Output")]
    pub(super) json: Option<Target>,

    /// Write one line a row as CSV to a file, or with - to stdout
    ///
    /// Decimals have a dot whatever the locale; what is not known is empty. Example: --csv run.csv
    #[arg(long, value_name = "FILE|-", value_parser = values::target, help_heading = "Output")]
    pub(super) csv: Option<Target>,

    /// Character between the cells of the CSV [default: ,]
    ///
    /// One of , ; | : or tab. Spreadsheets of countries with decimal commas expect a semicolon.
    /// Example: --csv run.csv --csv-sep ';'
    #[arg(long, value_name = "C", value_parser = values::separator, requires = "csv", help_heading = "Output")]
    pub(super) csv_sep: Option<u8>,
}

/// Everything else.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Open the desktop app; so does no command at all
    App {
        /// Open a results file
        #[arg(long, value_name = "FILE")]
        open: Option<PathBuf>,
        /// Start with a preset
        #[arg(long, value_name = "ID")]
        preset: Option<String>,
        /// Write what the window shows to FILE
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
    },
    /// Predict what each line of a WGSL file costs, why, and what would help; needs no GPU
    ///
    /// The file is executed in an interpreter, and every load, store and atomic is counted: requests, sectors against the
    /// fewest possible, wavefronts of workgroup memory. Lanes are numbered x fastest, then y, then z; atomics take
    /// them in that order.
    #[command(after_long_help = super::predict::EXAMPLES)]
    Predict(Box<PredictArguments>),
    /// Compare the rows of two results files: what differs in their settings, then B's speed over A's
    ///
    /// Rows are matched by kernel, parameters, checks and footprint. A ratio counts as a difference only where it
    /// exceeds the noise of both rows. Example: sectorscope compare before.json after.json
    Compare {
        /// The first results file, as written by --bench --json
        #[arg(value_name = "A.json")]
        a: PathBuf,
        /// The second
        #[arg(value_name = "B.json")]
        b: PathBuf,
        /// Write the comparison as JSON to a file, or with - to stdout
        #[arg(long, value_name = "FILE|-", value_parser = values::target)]
        json: Option<Target>,
    },
    /// Print the table of a results file again, or draw the roofline of its matmul ladder
    ///
    /// Example: sectorscope show run.json --markdown
    Show {
        /// The results file, as written by --bench --json
        #[arg(value_name = "FILE.json")]
        file: PathBuf,
        /// As a Markdown table
        #[arg(long)]
        markdown: bool,
        /// Draw the roofline of the matmul ladder instead: as SVG to a file, or with - to stdout
        #[arg(long, value_name = "FILE.svg|-", value_parser = values::target, conflicts_with = "markdown")]
        roofline: Option<Target>,
    },
    /// List the adapters of this machine
    Adapters {
        /// Search this graphics interface only
        #[arg(long, value_enum)]
        backend: Option<BackendName>,
        /// Write the list as JSON to a file, or with - to stdout
        #[arg(long, value_name = "FILE|-", value_parser = values::target)]
        json: Option<Target>,
    },
    /// List the kernels, their parameters and the presets; or print the WGSL of a kernel
    ///
    /// Example: sectorscope kernels --source read --set stride=8
    Kernels {
        /// Write the list as JSON to a file, or with - to stdout
        #[arg(long, value_name = "FILE|-", value_parser = values::target, conflicts_with = "source")]
        json: Option<Target>,
        /// Print the WGSL of this kernel
        #[arg(long, value_name = "ID")]
        source: Option<String>,
        /// Set a parameter of that kernel
        #[arg(long, value_name = "NAME=V", value_parser = values::setting, requires = "source")]
        set: Vec<(String, Vec<String>)>,
    },
    /// Say what was found of drivers and devices, and what to do where something is missing
    Doctor,
}

/// A suite's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SuiteName {
    Quick,
    Standard,
    Full,
    Patterns,
    Matmul,
}

/// A graphics interface's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum BackendName {
    Vulkan,
    Metal,
    Dx12,
    Gl,
}

impl BackendName {
    /// The word that was typed.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Dx12 => "dx12",
            Self::Gl => "gl",
        }
    }
}

/// An order's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OrderName {
    Forward,
    Reverse,
    Shuffle,
}

/// Safety checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ChecksName {
    Off,
    On,
    Both,
}
