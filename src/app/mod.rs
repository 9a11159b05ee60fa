//! The desktop app: a window on the engine. One [`State`], drawn by panels that return [`Command`]s.
//!
//! ```text
//! Shell (the only one that knows eframe)
//!   draws   views/*  <-- View (state + forecasts + palette)      picture/* (plain data -> painter, or a file)
//!   hears   Vec<Command> --> update(State, Command) --> Vec<Effect> --> engine thread, files, clipboard
//!   polls   Told (events of the engine) --> State
//!   journal (where one is kept) <-- the tree of what is shown, and the time it took
//! ```
//!
//! - A panel is `fn show(ui, &View, &mut Vec<Command>)`. It changes nothing by itself.
//! - [`update()`] is the only place that changes the state; it is pure but for the state.
//! - What can be computed from the state is not in it: [`Forecasts`] remembers traces and predictions.
//! - Pictures are plain data first ([`picture`]), so that tests and exports see what the screen shows.
//!
//! To add a view: a variant of [`Tab`], a file in `views/` with a `show`, and a line in `views::show`.

pub mod command;
pub mod documents;
pub mod files;
pub mod forecast;
mod journal;
pub mod kept;
mod keys;
pub mod lessons;
pub mod own;
pub mod picture;
pub mod runner;
pub mod settings;
mod shell;
pub mod state;
pub mod theme;
pub mod update;
pub mod views;
pub mod words;

pub use command::{Command, Effect};
pub use documents::{Document, Documents, Origin};
pub use files::Files;
pub use forecast::{Bill, Forecasts, Pattern, TracedRequest, WorkgroupTrace};
pub use journal::Journal;
pub use own::OwnKernel;
pub use runner::{Engine, Runner, Told};
pub use settings::Settings;
pub use shell::{Services, Shell, Start};
pub use state::{Device, ModelChoice, Run, State, Tab};
pub use update::update;
pub use views::View;

/// The window's title.
pub const TITLE: &str = "Sectorscope: what your GPU fetches for what you ask";

/// The name under which the system knows it, and its folder.
pub const ID: &str = "sectorscope";

/// The window that the app wants.
#[must_use]
pub fn viewport() -> eframe::egui::ViewportBuilder {
    eframe::egui::ViewportBuilder::default()
        .with_title(TITLE)
        .with_app_id(ID)
        .with_inner_size([1280.0, 720.0])
        .with_min_inner_size([720.0, 480.0])
}
