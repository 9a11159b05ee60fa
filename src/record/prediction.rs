//! The prediction document `sectorscope-prediction/1`: what each access of a WGSL text costs. Fields may be added, never
//! renamed. Absent is null, never 0; shares are 0..1.

use serde::{Deserialize, Serialize};

use super::{Band, TrafficEfficiency};
use crate::trace::{AccessKind, Position, Space};

/// The name and version of the document's form.
pub const SCHEMA: &str = "sectorscope-prediction/1";

/// Which workgroups were looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traced {
    /// Workgroups that were executed.
    pub workgroups: u64,
    /// Contiguous blocks that they form.
    pub blocks: u64,
    /// Workgroups of the dispatch.
    pub total: u64,
}

impl std::fmt::Display for Traced {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.workgroups >= self.total {
            return write!(f, "all {} workgroups", self.total);
        }
        let plural = if self.blocks == 1 { "" } else { "s" };
        write!(f, "{} of {} workgroups in {} block{plural}", self.workgroups, self.total, self.blocks)
    }
}

/// The first request of an access: what a reader checks by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstRequest {
    /// Lanes that took part.
    pub active_lanes: u32,
    /// Distinct sectors; null in workgroup memory.
    pub sectors: Option<u64>,
    /// Passes over the banks; null outside workgroup memory or where no banks are known.
    pub wavefronts: Option<u64>,
}

/// All requests of one access of the text, over the traced workgroups. Byte counts are over all requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AccessCount {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Where the functions around it were called, outermost first.
    pub call_path: Vec<Position>,
    /// Which memory.
    pub space: Space,
    /// The variable's name.
    pub variable: String,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes that each lane moves.
    pub element_bytes: u32,
    /// Byte offset of this piece in a value of over 16 bytes, which is moved piece by piece; else 0.
    #[serde(default)]
    pub leaf_offset: u32,
    /// Requests: executions by a subgroup with at least one active lane.
    pub requests: u64,
    /// How many of these were not executed one by one: turns of a loop that only shift addresses, counted exactly from
    /// one of them.
    #[serde(default)]
    pub extrapolated_requests: u64,
    /// Requests of one traced workgroup, on average.
    pub requests_per_workgroup: f64,
    /// Active lanes over all requests.
    pub active_lanes: u64,
    /// Active lanes x element size.
    pub requested_bytes: u64,
    /// Distinct bytes of each request.
    pub useful_bytes: u64,
    /// Distinct sectors of each request; null in workgroup memory.
    pub sectors: Option<u64>,
    /// The fewest that could hold the useful bytes of each request.
    pub ideal_sectors: Option<u64>,
    /// Sectors x sector size.
    pub sector_bytes_total: Option<u64>,
    /// Useful over sector bytes.
    pub request_efficiency: Option<f64>,
    /// Distinct sectors over all requests of each traced block, added over the blocks.
    pub distinct_sectors: Option<u64>,
    /// Passes over the banks of workgroup memory.
    pub wavefronts: Option<u64>,
    /// The fewest that any addresses with the same distinct bytes and active lanes could cost.
    pub ideal_wavefronts: Option<u64>,
    /// Lanes that asked for an address outside the variable.
    pub out_of_range: u64,
    /// Why it costs more than ideal, where that is known.
    pub cause: Option<String>,
    /// The first request.
    pub first_request: FirstRequest,
}

/// Sums over all accesses: sector figures over storage and uniform buffers, wavefronts over workgroup memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Requests to any memory.
    pub requests: u64,
    /// Active lanes x element size, storage and uniform buffers.
    pub requested_bytes: u64,
    /// Distinct bytes of each request, storage and uniform buffers.
    pub useful_bytes: u64,
    /// Distinct sectors of each request.
    pub sectors: u64,
    /// The fewest that could hold the useful bytes.
    pub ideal_sectors: u64,
    /// Sectors x sector size.
    pub sector_bytes_total: u64,
    /// Useful over sector bytes; null where nothing was requested.
    pub request_efficiency: Option<f64>,
    /// Distinct sectors of each buffer in each traced block, added: what several accesses share counts once.
    pub distinct_sectors: u64,
    /// Passes over the banks; null without a workgroup access, or where no banks are known.
    pub wavefronts: Option<u64>,
    /// The fewest these could be.
    pub ideal_wavefronts: Option<u64>,
    /// Lanes that asked for an address outside the variable.
    pub out_of_range: u64,
}

/// What a WGSL text costs.
///
/// The top level is what the first model says; `models` has a column for each, the first one included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictionDocument {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of the program that made it.
    pub tool_version: String,
    /// The file, as it was named; null for a text that is in no file.
    pub file: Option<String>,
    /// SHA-256 of the text.
    pub wgsl_sha256: String,
    /// The compute entry point.
    pub entry_point: String,
    /// Lanes of a workgroup in x, y, z.
    pub workgroup_size: [u32; 3],
    /// Workgroups of the dispatch in x, y, z.
    pub dispatch: [u32; 3],
    /// The memory model's key.
    pub model: String,
    /// Lanes of a subgroup.
    pub subgroup: u32,
    /// Sector in bytes.
    pub sector_bytes: u32,
    /// Which workgroups were executed.
    pub traced: Traced,
    /// Whether they were executed to their end; if not, counts are what was reached, and a warning says why.
    pub complete: bool,
    /// Every access that was executed, in the order of the text.
    pub accesses: Vec<AccessCount>,
    /// Their sums.
    pub totals: Totals,
    /// Useful over fetched bytes of all storage accesses; null without one.
    pub traffic_efficiency: Option<TrafficEfficiency>,
    /// Every line with an access, in the order of the text.
    pub lines: Vec<LineCount>,
    /// Changes of the text that the interpreter has run and found better, the best first.
    pub cures: Vec<Cure>,
    /// What the shader was given, and what of it nobody chose.
    pub inputs: Vec<Input>,
    /// Buffers whose contents matter for addresses or control flow.
    pub needs: Vec<Need>,
    /// What a reader must know.
    pub warnings: Vec<LineWarning>,
    /// One column of counts a model.
    pub models: Vec<ModelColumn>,
}

impl PredictionDocument {
    /// The accesses of a variable, in the order of the text.
    pub fn accesses_of<'a>(&'a self, variable: &'a str) -> impl Iterator<Item = &'a AccessCount> {
        self.accesses.iter().filter(move |access| access.variable == variable)
    }

    /// Lines that cost more than their ideal, the most wasteful first, equals as in the text.
    #[must_use]
    pub fn worst_lines(&self) -> Vec<&LineCount> {
        let mut lines: Vec<&LineCount> = self.lines.iter().filter(|line| line.excess() > 0).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.excess()));
        lines
    }

    /// The sums of a line; `None` where no access was executed there.
    #[must_use]
    pub fn line(&self, line: u32) -> Option<&LineCount> {
        self.lines.iter().find(|other| other.line == line)
    }
}

impl AccessCount {
    /// What is paid: sectors, or passes over the banks of workgroup memory; 0 where neither is counted.
    #[must_use]
    pub fn cost(&self) -> u64 {
        self.sectors.or(self.wavefronts).unwrap_or(0)
    }

    /// What is paid beyond the ideal.
    #[must_use]
    pub fn excess(&self) -> u64 {
        self.cost().saturating_sub(self.ideal_sectors.or(self.ideal_wavefronts).unwrap_or(0))
    }
}

impl LineCount {
    /// What is paid beyond the ideal: sectors and passes over the banks.
    #[must_use]
    pub fn excess(&self) -> u64 {
        let excess = |cost: Option<u64>, ideal: Option<u64>| cost.unwrap_or(0).saturating_sub(ideal.unwrap_or(0));
        excess(self.sectors, self.ideal_sectors) + excess(self.wavefronts, self.ideal_wavefronts)
    }

    /// The fewest sectors and passes over the banks possible, over those paid; `None` where neither is counted.
    ///
    /// A broadcast is 1 here although few of its sector's bytes are useful: no address could be cheaper.
    #[must_use]
    pub fn efficiency(&self) -> Option<f64> {
        let paid = self.sectors.unwrap_or(0) + self.wavefronts.unwrap_or(0);
        let ideal = self.ideal_sectors.unwrap_or(0) + self.ideal_wavefronts.unwrap_or(0);
        (paid > 0).then(|| ideal as f64 / paid as f64)
    }
}

/// All accesses of one line of the text, whatever the path of calls that led there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LineCount {
    /// Line, from 1.
    pub line: u32,
    /// The line, without the blanks around it.
    pub text: String,
    /// Requests to any memory.
    pub requests: u64,
    /// How many of these were not executed one by one, as in [`AccessCount::extrapolated_requests`].
    #[serde(default)]
    pub extrapolated_requests: u64,
    /// Distinct bytes of each request to storage and uniform buffers.
    pub useful_bytes: u64,
    /// Distinct sectors of each request; null where the line touches workgroup memory only.
    pub sectors: Option<u64>,
    /// The fewest that could hold the useful bytes.
    pub ideal_sectors: Option<u64>,
    /// Useful over sector bytes.
    pub request_efficiency: Option<f64>,
    /// Passes over the banks; null without an access to workgroup memory, or where no banks are known.
    pub wavefronts: Option<u64>,
    /// The fewest these could be.
    pub ideal_wavefronts: Option<u64>,
    /// Lanes that asked for an address outside their variable.
    pub out_of_range: u64,
}

/// A change of the text that makes a line cheaper. It has been executed: what it writes is what the text wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cure {
    /// The line that it is for.
    pub line: u32,
    /// The variable.
    pub variable: String,
    /// Stable lower-case word: `swap`, `pad`, `vec4`, `split`.
    pub kind: String,
    /// What to do, with its figures.
    pub text: String,
    /// The lines that change, each as it would then stand.
    pub edits: Vec<Edit>,
    /// Sectors, or passes over the banks, of the line before.
    pub before: u64,
    /// The same after.
    pub after: u64,
    /// Of what: `sectors` or `wavefronts`.
    pub unit: String,
    /// Other lines that the same change makes cheaper.
    #[serde(default)]
    pub also_lines: Vec<u32>,
}

/// A line that changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Line of the text as it was given, from 1.
    pub line: u32,
    /// What stands there afterwards; may be several lines.
    pub text: String,
}

/// What the shader was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The variable, override, or `dispatch`.
    pub name: String,
    /// What it was given, in words: `1 MiB of zeros`.
    pub value: String,
    /// Whether nobody chose it.
    pub default: bool,
}

/// What contents reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// The address of an access.
    Address,
    /// Whether lanes take part in an access.
    Branch,
    /// When a loop ends.
    Loop,
}

impl Reach {
    /// All, in the order in which they are told.
    pub const ALL: [Self; 3] = [Self::Address, Self::Branch, Self::Loop];

    /// What contents decide there, for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Address => "addresses",
            Self::Branch => "which lanes take part",
            Self::Loop => "when loops end",
        }
    }
}

/// A place that the contents of a buffer reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReachedLine {
    /// Line, from 1.
    pub line: u32,
    /// What is decided there.
    pub what: Reach,
}

/// A buffer whose contents matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// Its variable.
    pub buffer: String,
    /// Which memory.
    pub space: Space,
    /// Where, in the order of the text.
    pub reaches: Vec<ReachedLine>,
    /// Whether nobody chose its contents: then the counts may be those of another run than the real one.
    pub default: bool,
}

/// Something a reader must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineWarning {
    /// Stable lower-case word: `out_of_range`, `step_budget`, `divergent_barrier`, `default_contents`, ..
    pub code: String,
    /// The line, where there is one.
    pub line: Option<u32>,
    /// What it means and what to do.
    pub text: String,
}

/// What one memory model says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelColumn {
    /// The model's key.
    pub model: String,
    /// For people.
    pub title: String,
    /// Lanes of a subgroup.
    pub subgroup: u32,
    /// Sector in bytes.
    pub sector_bytes: u32,
    /// The subgroups that the model allows, [low, high].
    pub subgroup_range: [u32; 2],
    /// The sectors that it allows, [low, high].
    pub sector_bytes_range: [u32; 2],
    /// The sums.
    pub totals: Totals,
    /// Useful over sector bytes over all widths and sectors that it allows; null where nothing was requested.
    pub request_efficiency: Option<Band>,
    /// Every line with an access, as in [`PredictionDocument::lines`].
    pub lines: Vec<ModelLine>,
}

/// What one memory model says of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelLine {
    /// Line, from 1.
    pub line: u32,
    /// Requests to any memory.
    pub requests: u64,
    /// Distinct sectors of each request.
    pub sectors: Option<u64>,
    /// The fewest that could hold the useful bytes.
    pub ideal_sectors: Option<u64>,
    /// Useful over sector bytes, over all widths and sectors that the model allows.
    pub request_efficiency: Option<Band>,
    /// Passes over the banks.
    pub wavefronts: Option<u64>,
    /// The fewest these could be.
    pub ideal_wavefronts: Option<u64>,
    /// Sectors and passes over the fewest possible, over all widths and sectors that the model allows; 1 is ideal.
    pub times_ideal: Option<Band>,
}
