//! What a panel may ask for, and what the shell must do about it.

use crate::engine::Request;
use crate::kernels::Value;

use super::forecast::Pattern;
use super::lessons::Act;
use super::own;
use super::settings::Settings;
use super::state::{ModelChoice, Step, Tab};

/// Something that the user did. Panels return these; [`super::update()`] carries them out.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Show a view.
    Show(Tab),
    /// Look at the kernel of this id, at its defaults.
    Kernel(&'static str),
    /// Look at a pattern.
    Pattern(Pattern),
    /// Set a parameter of the pattern that is looked at.
    Set(&'static str, Value),
    /// Look at the rows of a preset: the last as the pattern, the first of several as the pinned one.
    Preset(&'static str),
    /// Copy a tile by this pattern of `tiled_copy`.
    Tile(Pattern),
    /// Look at this rung of the matmul ladder: its kernel's id.
    Rung(&'static str),
    /// Count by this model.
    Model(ModelChoice),
    /// Walk over so many bytes; `None`: as many as suit the device.
    Footprint(Option<u64>),
    /// Show this request of the workgroup.
    Step(Step),
    /// Keep the pattern as "A".
    Pin,
    /// Let go of "A".
    Unpin,
    /// Measure the pattern (and the pinned one).
    Measure,
    /// Measure the pattern at every detent of its stride.
    Sweep,
    /// Measure something else.
    Run {
        /// What, for people: `the ladder`.
        what: String,
        /// The request.
        request: Box<Request>,
    },
    /// End the run.
    Stop,
    /// Look for the device again.
    Look,
    /// Look at a result: place of its document, place of its row; `None`: at none.
    Pick(Option<(usize, usize)>),
    /// Choose a results file and open it.
    Open,
    /// Open the results file of this path.
    OpenPath(String),
    /// Have this in the path field.
    Path(String),
    /// Put a document away: its place.
    Close(usize),
    /// Show or hide a document in the plots: its place.
    Overlay(usize, bool),
    /// Save something: to the path that is typed, else to one to choose.
    Save(Box<Export>),
    /// Put text on the clipboard.
    Copy(String),
    /// Hide sectors, bill and plot, or show them.
    Cover(bool),
    /// Show the parameters under "More", or hide them.
    More(bool),
    /// Show the list of keys, or hide it.
    Keys(bool),
    /// Do something in the lesson.
    Learn(Act),
    /// Do something with the user's own kernel.
    Own(own::Act),
    /// Choose a file of WGSL and open it.
    OpenWgsl,
    /// Open the file of WGSL at this path.
    OpenWgslPath(String),
    /// Change what stays from one start to the next.
    Settings(Settings),
    /// Put a notice away: its place.
    Dismiss(usize),
}

/// Something to be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// The name that is offered.
    pub name: String,
    /// Its contents.
    pub contents: Contents,
}

/// What a file is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contents {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A picture, as a text of SVG, that becomes a PNG: that takes longer than a frame may.
    Picture(String),
}

/// What has to happen outside the state.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Start a run.
    Start(Box<Request>),
    /// End it.
    Stop,
    /// Look for the device.
    Look,
    /// Ask for a results file and read it.
    Open,
    /// Read the results file of this path.
    OpenPath(String),
    /// Ask for a file of WGSL and read it.
    OpenWgsl,
    /// Read the file of WGSL at this path.
    OpenWgslPath(String),
    /// Ask for a place and write.
    Save(Box<Export>),
    /// Write to this path.
    SaveTo(String, Box<Export>),
    /// Put text on the clipboard.
    Copy(String),
}
