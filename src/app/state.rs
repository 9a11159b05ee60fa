//! What the app knows and what is chosen in it: plain data, nothing that could be computed from the rest.

use crate::engine::{Found, Stage};
use crate::kernels;
use crate::memory_model::{LESSON, MemoryModel};
use crate::program::Limits;
use crate::record::Warning;

use super::documents::Documents;
use super::forecast::{Pattern, Setup};
use super::lessons::Learn;
use super::own::OwnKernel;
use super::settings::Settings;

/// The views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Tab {
    /// One access pattern: lanes, sectors, bandwidth.
    #[default]
    Patterns,
    /// The same bytes by wider and by more instructions.
    Width,
    /// The matmul ladder.
    Matmul,
    /// Ten steps of predict, run, explain.
    Learn,
    /// A kernel of the user's own, line by line.
    Wgsl,
}

impl Tab {
    /// All, in the order of the bar.
    pub const ALL: [Self; 5] = [Self::Patterns, Self::Width, Self::Matmul, Self::Learn, Self::Wgsl];

    /// Its name on the bar.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Patterns => "Patterns",
            Self::Width => "Width",
            Self::Matmul => "Matmul",
            Self::Learn => "Learn",
            Self::Wgsl => "Your WGSL",
        }
    }
}

/// Which memory model counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ModelChoice {
    /// 32 lanes, 32-byte sectors, as in every course.
    #[default]
    Lesson,
    /// What is known of this machine's device.
    ThisGpu,
}

/// The device of this machine.
#[derive(Debug, Clone, Default)]
pub enum Device {
    /// It is being looked for.
    #[default]
    Searching,
    /// There it is.
    Found(Box<Found>),
    /// There is none, for this reason.
    Missing(String),
}

impl Device {
    /// What is known of it.
    #[must_use]
    pub const fn found(&self) -> Option<&Found> {
        match self {
            Self::Found(found) => Some(found),
            Self::Searching | Self::Missing(_) => None,
        }
    }
}

/// What the engine is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Run {
    /// Nothing.
    #[default]
    Idle,
    /// A run goes on.
    Running {
        /// What it was asked for, for people.
        what: String,
        /// Where it is: stage, steps done, steps in all; nothing before the first step.
        at: Option<(Stage, usize, usize)>,
        /// Whether it was told to stop.
        stopping: bool,
    },
}

impl Run {
    /// Whether nothing runs.
    #[must_use]
    pub const fn is_idle(&self) -> bool {
        matches!(self, Self::Idle)
    }
}

/// Which request of the traced workgroup is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The access: so many after the first to the variable that the kernel is about.
    pub access: usize,
    /// The subgroup.
    pub subgroup: usize,
}

/// The footprint of a forecast where neither a device nor the user says, bytes.
const FOOTPRINT: u64 = 256 << 20;

/// All of it.
#[derive(Debug, Clone)]
pub struct State {
    /// The view that is shown.
    pub tab: Tab,
    /// The pattern that is looked at ("B" where one is pinned); the lesson has its own while it is open.
    pub pattern: Pattern,
    /// The pattern beside it, "A".
    pub pinned: Option<Pattern>,
    /// The tile of the view "Width": a pattern of `tiled_copy`.
    pub tile: Pattern,
    /// The rung of the matmul ladder that is looked at: its kernel's id.
    pub rung: &'static str,
    /// Which model counts.
    pub model: ModelChoice,
    /// Bytes that a dispatch walks over; `None`: chosen for the device.
    pub footprint_bytes: Option<u64>,
    /// Which request is shown.
    pub step: Step,
    /// The device.
    pub device: Device,
    /// The engine.
    pub run: Run,
    /// Results of this session, of files, and the recorded ones.
    pub documents: Documents,
    /// The result that was picked from the list: place of its document, place of its row.
    pub picked: Option<(usize, usize)>,
    /// What is typed into the path field, for files that are opened and saved.
    pub path: String,
    /// Hides sectors, bill and plot until a guess was made.
    pub covered: bool,
    /// Whether the parameters under "More" are shown.
    pub more: bool,
    /// Whether the list of keys is shown.
    pub keys_shown: bool,
    /// Where the learner is.
    pub learn: Learn,
    /// The kernel of the view "Your WGSL".
    pub own: OwnKernel,
    /// What stays from one start to the next.
    pub settings: Settings,
    /// What the user must know and can put away.
    pub notices: Vec<Warning>,
}

/// Lanes in a block: small enough for every lane to have its number.
fn first_tile() -> Pattern {
    let tile = Pattern::of(kernels::by_id("tiled_copy").unwrap_or(kernels::ALL[0]));
    let tile = tile.with("bits", 32u32).with("threads_x", 8u32).with("workgroup", 32u32);
    tile.with("values_x", 4u32).with("values_y", 1u32)
}

fn first_rung() -> &'static str {
    kernels::ALL.iter().find(|kernel| kernel.family == kernels::matmul::FAMILY).map_or("", |kernel| kernel.id)
}

impl Default for State {
    fn default() -> Self {
        Self {
            tab: Tab::default(),
            pattern: Pattern::of(kernels::ALL[0]),
            pinned: None,
            tile: first_tile(),
            rung: first_rung(),
            model: ModelChoice::default(),
            footprint_bytes: None,
            step: Step::default(),
            device: Device::default(),
            run: Run::default(),
            documents: Documents::default(),
            picked: None,
            path: String::new(),
            covered: false,
            more: false,
            keys_shown: false,
            learn: Learn::default(),
            own: OwnKernel::default(),
            settings: Settings::default(),
            notices: Vec::new(),
        }
    }
}

impl State {
    /// The model that counts.
    #[must_use]
    pub fn model(&self) -> &MemoryModel {
        match (self.model, self.device.found()) {
            (ModelChoice::ThisGpu, Some(found)) => &found.model,
            (ModelChoice::ThisGpu, None) | (ModelChoice::Lesson, _) => &LESSON,
        }
    }

    /// Bytes that a dispatch walks over.
    #[must_use]
    pub fn footprint_bytes(&self) -> u64 {
        self.footprint_bytes.or_else(|| Some(self.device.found()?.footprint_bytes)).unwrap_or(FOOTPRINT)
    }

    /// What a forecast needs beside the pattern.
    #[must_use]
    pub fn setup(&self) -> Setup {
        let software = self.device.found().is_some_and(|found| found.adapter.is_cpu());
        Setup {
            // As the engine chooses it.
            size: if software { kernels::matmul::SMALL } else { kernels::matmul::LARGE },
            model: self.model().clone(),
            footprint_bytes: self.footprint_bytes(),
            limits: self.device.found().map_or(Limits::WITHOUT_DEVICE, |found| found.limits),
        }
    }
}
