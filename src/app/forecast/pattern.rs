//! A pattern: a kernel with its parameters; and what else decides what it costs.

use crate::kernels::{Fill, Kernel, Params, Setting, Value};
use crate::memory_model::MemoryModel;
use crate::plan::{Plan, plan};
use crate::program::Limits;
use crate::record::Row;

/// A kernel with its parameters.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// A value for each of its parameters.
    pub params: Params,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.kernel.id == other.kernel.id && self.params == other.params
    }
}

impl Eq for Pattern {}

/// What else decides what a pattern costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The memory model.
    pub model: MemoryModel,
    /// Bytes that a dispatch walks over.
    pub footprint_bytes: u64,
    /// What the device allows.
    pub limits: Limits,
    /// Rows, columns and depth of matrix products where nobody says.
    pub size: u32,
}

impl Pattern {
    /// The kernel at its defaults.
    #[must_use]
    pub fn of(kernel: &'static Kernel) -> Self {
        Self { kernel, params: kernel.defaults() }
    }

    /// The same with one parameter changed.
    #[must_use]
    pub fn with(&self, name: &'static str, value: impl Into<Value>) -> Self {
        Self { kernel: self.kernel, params: self.params.clone().with(name, value) }
    }

    /// A numeric parameter, where the kernel has it.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u32> {
        match self.params.get(name) {
            Some(Value::Number(number)) => Some(*number),
            Some(Value::Word(_)) | None => None,
        }
    }

    /// What runs.
    ///
    /// # Errors
    /// Why the kernel cannot be had with these parameters here, and what would help.
    pub fn plan(&self, setup: &Setup) -> Result<Plan, String> {
        let Setup { footprint_bytes, limits, size, .. } = *setup;
        let setting = Setting { footprint_bytes, limits, seed: 0, fill: Fill::default(), size };
        plan(self.kernel, &self.params, &setting).map_err(|error| error.to_string())
    }

    /// Whether the row is of this pattern, whatever the parameter `free` is.
    #[must_use]
    pub fn matches(&self, row: &Row, free: Option<&str>) -> bool {
        row.kernel == self.kernel.id
            && self.params.iter().all(|(name, value)| {
                Some(name) == free || row.params.get(name) == Some(&serde_json::Value::from(value))
            })
    }

    /// The pattern of a row, where this program has its kernel and all its values fit.
    #[must_use]
    pub fn of_row(row: &Row) -> Option<Self> {
        let kernel = crate::kernels::by_id(&row.kernel)?;
        let mut pattern = Self::of(kernel);
        for (name, value) in &row.params {
            let parameter = kernel.parameter(name)?;
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            pattern.params.set(parameter.name, parameter.domain.parse(&text).ok()?);
        }
        Some(pattern)
    }

    /// What differs from the kernel's defaults: `stride 8, f16`; empty where nothing does.
    #[must_use]
    pub fn changes(&self) -> String {
        let changed = self.kernel.parameters.iter().filter_map(|parameter| {
            let value = self.params.get(parameter.name).filter(|value| **value != parameter.default)?;
            Some(match value {
                Value::Number(number) => format!("{} {number}", parameter.name.replace('_', " ")),
                Value::Word(word) => (*word).to_owned(),
            })
        });
        changed.collect::<Vec<_>>().join(", ")
    }

    /// Its name: `read, stride 8`.
    #[must_use]
    pub fn name(&self) -> String {
        let changes = self.changes();
        if changes.is_empty() { self.kernel.id.to_owned() } else { format!("{}, {changes}", self.kernel.id) }
    }
}
