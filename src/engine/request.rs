//! What a run is asked for, and the rows that this means.

use crate::inputs::Inputs;
use crate::kernels::suite::{Choice, Footprint, Suite};
use crate::kernels::{self, Fill, Kernel, PRESETS, Params, Value};
use crate::suggest::hint;

/// A user's own shader to measure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserShader {
    /// What its row is called: the file's name, as a rule.
    pub name: String,
    /// The WGSL text.
    pub wgsl: String,
    /// What it is given.
    pub inputs: Inputs,
    /// Without the safety checks that wgpu adds: an index out of range then reaches memory of others.
    pub unchecked: bool,
}

/// What a run is asked for. `None` and empty mean: the default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Request {
    /// A suite; `standard` where neither kernels, presets nor rows are named.
    pub suite: Option<Suite>,
    /// Kernels by id.
    pub kernels: Vec<String>,
    /// Presets by id.
    pub presets: Vec<String>,
    /// Values for parameters of the named kernels; several values or parameters: their product.
    pub set: Vec<(String, Vec<String>)>,
    /// Single rows: a kernel's id and all its parameters.
    pub rows: Vec<(String, Params)>,
    /// Shaders of the user's own; where there are any, they are measured in place of a suite.
    pub shaders: Vec<UserShader>,
    /// Footprints in bytes; several: each row at each.
    pub bytes: Vec<u64>,
    /// Timed samples a row.
    pub samples: Option<u32>,
    /// Seconds that the run may take.
    pub time_limit_s: Option<f64>,
    /// The order in which rows are measured.
    pub order: Order,
    /// Seed of contents and shuffle.
    pub seed: u32,
    /// What input buffers hold.
    pub fill: Fill,
    /// With or without safety checks.
    pub checks: ChecksMode,
    /// Datasheet peak, GB/s.
    pub peak_gb_per_s: Option<f64>,
    /// A memory model's key; `auto` or `None`: the adapter's.
    pub model: Option<String>,
    /// In place of the model's subgroup width.
    pub subgroup: Option<u32>,
    /// In place of the model's sector.
    pub sector: Option<u32>,
    /// In place of the model's fetch granule.
    pub fetch: Option<u32>,
    /// Measure nothing.
    pub predict_only: bool,
    /// For someone who waits for the first point: no references of other directions, no rows that nobody asked for, no
    /// more samples of rows that scatter.
    pub brief: bool,
    /// An adapter by index or a unique part of its name.
    pub adapter: Option<String>,
    /// `vulkan`, `metal`, `dx12` or `gl`.
    pub backend: Option<String>,
}

/// The order in which rows are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// As in the suite.
    #[default]
    Forward,
    /// Backwards.
    Reverse,
    /// Shuffled by the seed.
    Shuffle,
}

/// Whether kernels run with the safety checks that wgpu adds to shaders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChecksMode {
    /// Without: every index has been proved to be in range.
    #[default]
    Off,
    /// With.
    On,
    /// Each row twice.
    Both,
}

impl ChecksMode {
    /// Its name in options and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Both => "both",
        }
    }
}

impl Order {
    /// Its name in options and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::Shuffle => "shuffle",
        }
    }
}

/// Timed samples of a row where nobody says.
const SAMPLES: u32 = 16;
/// The same on a software adapter, whose rows take much longer.
const SOFTWARE_SAMPLES: u32 = 5;

impl Request {
    /// The suite that runs: the one named, or `standard` where no kernels, presets, rows or shaders are.
    #[must_use]
    pub fn suite(&self) -> Option<Suite> {
        let rows = !(self.kernels.is_empty() && self.presets.is_empty() && self.rows.is_empty());
        let named = rows || !self.shaders.is_empty();
        self.suite.or((!named).then_some(Suite::Standard))
    }

    /// Timed samples of a row.
    #[must_use]
    pub fn samples(&self, software: bool) -> u32 {
        self.samples.unwrap_or(if software { SOFTWARE_SAMPLES } else { SAMPLES })
    }

    /// The rows, in the order of the results.
    ///
    /// # Errors
    /// Which name or value is wrong, and what would be right.
    pub fn choices(&self) -> Result<Vec<Choice>, String> {
        let mut rows = Vec::new();
        for id in &self.presets {
            rows.extend(preset_rows(id)?);
        }
        let kernels = self.kernels.iter().map(|id| kernel(id)).collect::<Result<Vec<_>, _>>()?;
        if !self.set.is_empty() && kernels.is_empty() {
            return Err("--set changes parameters of the kernels named by --kernel: name one".into());
        }
        for kernel in kernels {
            rows.extend(self.variants(kernel)?);
        }
        self.check_set_names()?;
        for (id, params) in &self.rows {
            let params = params.clone();
            rows.push(Choice { kernel: kernel(id)?, params, footprint: Footprint::Run, preset: None });
        }
        rows.extend(self.suite().into_iter().flat_map(Suite::rows));
        Ok(self.at_each_footprint(&rows))
    }

    /// Every row at every footprint that was asked for.
    fn at_each_footprint(&self, rows: &[Choice]) -> Vec<Choice> {
        if self.bytes.is_empty() {
            return rows.to_vec();
        }
        let at = |bytes: &u64| {
            let footprint = Footprint::Bytes(*bytes);
            rows.iter()
                .filter(|row| row.footprint == Footprint::Run)
                .map(move |row| Choice { footprint, ..row.clone() })
        };
        self.bytes.iter().flat_map(at).collect()
    }

    /// The product of all values that are set, for the parameters that the kernel has.
    fn variants(&self, kernel: &'static Kernel) -> Result<Vec<Choice>, String> {
        let mut all = vec![kernel.defaults()];
        for (name, texts) in &self.set {
            let Some(parameter) = kernel.parameter(name) else { continue };
            let values = texts
                .iter()
                .map(|text| {
                    let complain = |fits| format!("--set {name}={text}: {name} of {} must be one of {fits}", kernel.id);
                    parameter.domain.parse(text).map_err(complain)
                })
                .collect::<Result<Vec<Value>, _>>()?;
            all = all
                .iter()
                .flat_map(|params: &Params| values.iter().map(|value| params.clone().with(parameter.name, *value)))
                .collect();
        }
        let row = |params| Choice { kernel, params, footprint: Footprint::Run, preset: None };
        Ok(all.into_iter().map(row).collect())
    }

    /// A parameter that no named kernel has is a slip, not a wish.
    fn check_set_names(&self) -> Result<(), String> {
        for (name, _) in &self.set {
            let known: Vec<&str> = self
                .kernels
                .iter()
                .filter_map(|id| kernels::by_id(id))
                .flat_map(|kernel| kernel.parameters.iter().map(|parameter| parameter.name))
                .collect();
            if !known.contains(&name.as_str()) {
                return Err(format!(
                    "--set {name}: {} has no such parameter{}; it has {}",
                    self.kernels.join(", "),
                    hint(name, known.iter().copied()),
                    known.join(", ")
                ));
            }
        }
        Ok(())
    }
}

fn kernel(id: &str) -> Result<&'static Kernel, String> {
    kernels::by_id(id).ok_or_else(|| {
        let known: Vec<_> = kernels::ALL.iter().map(|kernel| kernel.id).collect();
        let hint = hint(id, known.iter().copied());
        format!("--kernel {id}: there is no such kernel{hint}; there are {}", known.join(", "))
    })
}

fn preset_rows(id: &str) -> Result<Vec<Choice>, String> {
    let preset = PRESETS.iter().find(|preset| preset.id == id).ok_or_else(|| {
        let known: Vec<_> = PRESETS.iter().map(|preset| preset.id).collect();
        let hint = hint(id, known.iter().copied());
        format!("--preset {id}: there is no such preset{hint}; there are {}", known.join(", "))
    })?;
    let kernel = kernel(preset.kernel)?;
    let row = |params| Choice { kernel, params, footprint: Footprint::Run, preset: Some(preset.id) };
    Ok(preset.params().into_iter().map(row).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kernel: &str, set: &[(&str, &[&str])]) -> Request {
        let set =
            set.iter().map(|(name, values)| ((*name).to_owned(), values.iter().map(ToString::to_string).collect()));
        Request { kernels: vec![kernel.into()], set: set.collect(), ..Request::default() }
    }

    #[test]
    fn several_values_are_their_product() {
        let rows = request("read", &[("stride", &["1", "2", "8"]), ("element", &["f32", "vec4"])]).choices().unwrap();
        assert_eq!(rows.len(), 6);
        assert_eq!(rows[5].params.number("stride"), 8);
        assert_eq!(rows[5].params.word("element"), "vec4");
    }

    #[test]
    fn slips_are_named_with_the_cure() {
        let complaint = |request: Request| request.choices().unwrap_err();
        assert!(complaint(request("raed", &[])).contains("there are read, copy"));
        assert!(complaint(request("read", &[("strid", &["1"])])).contains("it has element, stride"));
        assert!(complaint(request("read", &[("stride", &["0"])])).contains("1..4096"));
        assert!(complaint(Request { presets: vec!["x".into()], ..Request::default() }).contains("lesson-aligned"));
    }

    #[test]
    fn nothing_asked_is_the_standard_suite() {
        assert_eq!(Request::default().choices().unwrap().len(), Suite::Standard.rows().len());
    }

    #[test]
    fn single_rows_are_as_they_are() {
        let read = kernels::by_id("read").unwrap().defaults();
        let rows = [1u32, 8].map(|stride| ("read".to_owned(), read.clone().with("stride", stride))).to_vec();
        let rows = Request { rows, ..Request::default() }.choices().unwrap();
        assert_eq!(rows.iter().map(|row| row.params.number("stride")).collect::<Vec<_>>(), [1, 8]);
    }

    #[test]
    fn every_preset_has_rows() {
        for preset in PRESETS {
            let request = Request { presets: vec![preset.id.into()], ..Request::default() };
            assert_eq!(request.choices().unwrap().len(), preset.rows.len(), "{}", preset.id);
        }
    }
}
