//! The shell around the views: draws them, carries their commands to the state and the effects to the world. The only
//! part of the app that knows eframe.

use std::sync::Arc;
use std::time::Duration;

use eframe::egui::{self, RichText, ThemePreference};

use super::command::{Command, Effect};
use super::documents::Documents;
use super::files::Files;
use super::forecast::Forecasts;
use super::journal::Journal;
use super::kept::{self, Keeper};
use super::keys;
use super::lessons::Progress;
use super::own::OwnKernel;
use super::runner::{Engine, Runner, Told};
use super::settings::{Place, Settings, ThemeChoice};
use super::state::{Device, Run, State, Tab};
use super::theme::{self, Palette};
use super::update::{file_done, hear, notice, remember, update};
use super::views::{self, View, parts};
use crate::engine::Stage;
use crate::platform;
use crate::record::Warning;

/// What a start may ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Start {
    /// A results file to open.
    pub open: Option<String>,
    /// A preset to begin with.
    pub preset: Option<String>,
}

/// What the shell works with; tests bring their own.
pub struct Services {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// Traces and predictions.
    pub forecasts: Forecasts,
}

impl std::fmt::Debug for Services {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Services").field("forecasts", &self.forecasts).finish_non_exhaustive()
    }
}

/// Events of a run come in this often at most: drawing disturbs what is measured.
const REDRAW: Duration = Duration::from_millis(100);
/// Where the settings are stored.
const SETTINGS: &str = "sectorscope-settings";
/// Where it is stored where the user was.
const PLACE: &str = "sectorscope-place";
/// Where it is stored how far the learner is.
const LESSONS: &str = "sectorscope-lessons";
/// Where the user's own kernel is stored.
const OWN: &str = "sectorscope-own";

/// The app in its window.
pub struct Shell {
    state: State,
    services: Services,
    files: Files,
    /// Keeps measurements from one start to the next; none where there is no place for them.
    keeper: Option<Keeper>,
    /// The size that the window has by the settings.
    zoom: Option<f32>,
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Shell {
    /// The app with its real engine, in this window.
    #[must_use]
    pub fn open(context: &eframe::CreationContext<'_>, start: &Start) -> Self {
        let ctx = context.egui_ctx.clone();
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(move || ctx.request_repaint_after(REDRAW));
        let services =
            Services { engine: Box::new(Runner::new(wake.clone())), forecasts: Forecasts::new(wake.clone()) };
        let mut shell = Self::new(&context.egui_ctx, services, Files::new(wake.clone()), Settings::default(), start);
        if let Some(folder) = platform::data_folder(super::ID) {
            shell.keep_in(&folder, wake);
        }
        if let Some(storage) = context.storage {
            shell.recall(storage, start);
        }
        shell
    }

    /// Keeps measurements in this folder, and shows those that are kept there. `wake` is called from other threads.
    pub fn keep_in(&mut self, folder: &std::path::Path, wake: Arc<dyn Fn() + Send + Sync>) {
        self.keeper = Some(Keeper::open(folder.join(kept::FILE), wake));
    }

    /// Goes on where the user left off, but for what this start asks for.
    pub fn recall(&mut self, storage: &dyn eframe::Storage, start: &Start) {
        let stored = |key: &str| storage.get_string(key);
        self.state.settings = stored(SETTINGS).map(|text| Settings::from_json(&text)).unwrap_or_default();
        self.state.learn.progress = stored(LESSONS).map(|text| Progress::from_json(&text)).unwrap_or_default();
        self.state.own = stored(OWN).map(|text| OwnKernel::from_json(&text)).unwrap_or_default();
        if *start == Start::default() {
            let place = stored(PLACE).map(|text| Place::from_json(&text)).unwrap_or_default();
            update(&mut self.state, Command::Model(place.model));
            update(&mut self.state, Command::Show(place.tab));
        }
    }

    /// The app with these services.
    #[must_use]
    pub fn new(ctx: &egui::Context, mut services: Services, files: Files, settings: Settings, start: &Start) -> Self {
        theme::apply(ctx);
        services.engine.look();
        let state = State { documents: Documents::recorded(), settings, ..State::default() };
        let mut shell = Self { state, services, files, keeper: None, zoom: None };
        let preset = start.preset.as_deref().and_then(|id| {
            let known = crate::kernels::PRESETS.iter().find(|preset| preset.id == id);
            known.map(|preset| preset.id)
        });
        match (preset, &start.preset) {
            (Some(id), _) => shell.carry_out(ctx, vec![Command::Preset(id)]),
            (None, Some(wrong)) => {
                notice(&mut shell.state, Warning::new("preset", format!("There is no preset {wrong}.")));
            }
            (None, None) => {}
        }
        if let Some(path) = &start.open {
            shell.carry_out(ctx, vec![Command::OpenPath(path.clone())]);
        }
        shell
    }

    /// What is known and chosen.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// What traces and predictions there are.
    #[must_use]
    pub const fn forecasts(&self) -> &Forecasts {
        &self.services.forecasts
    }

    /// Takes in what engine, files and forecasts have to tell; never waits.
    pub fn poll(&mut self) {
        let mut keep = false;
        for told in self.services.engine.poll() {
            keep |= matches!(told, Told::Ended(_));
            hear(&mut self.state, told);
        }
        for told in self.keeper.as_mut().map(Keeper::poll).unwrap_or_default() {
            keep |= remember(&mut self.state, told);
        }
        self.keep(keep);
        for done in self.files.poll() {
            file_done(&mut self.state, done);
        }
        self.services.forecasts.poll();
    }

    /// Draws one frame and carries out what the user did in it.
    pub fn show(&mut self, ui: &mut egui::Ui) {
        self.apply_settings(ui.ctx());
        let mut commands = Vec::new();
        let view =
            View { state: &self.state, forecasts: &self.services.forecasts, palette: Palette::of(ui.ctx().theme()) };
        bar(ui, &view, &mut commands);
        notices(ui, &view, &mut commands);
        actions(ui, &view, &mut commands);
        views::show(ui, &view, &mut commands);
        keys::show(ui, &view, &mut commands);
        let ctx = ui.ctx().clone();
        self.carry_out(&ctx, commands);
    }

    /// Keeps what is measured so far, if something has changed.
    fn keep(&mut self, changed: bool) {
        if let Some(keeper) = self.keeper.as_mut().filter(|_| changed) {
            keeper.keep(&self.state.documents);
        }
    }

    fn carry_out(&mut self, ctx: &egui::Context, commands: Vec<Command>) {
        let any = !commands.is_empty();
        for command in commands {
            let closes = matches!(command, Command::Close(_));
            for effect in update(&mut self.state, command) {
                match effect {
                    Effect::Start(request) => self.services.engine.start(*request),
                    Effect::Stop => self.services.engine.stop(),
                    Effect::Look => self.services.engine.look(),
                    Effect::Open => self.files.ask_and_open(),
                    Effect::OpenPath(path) => self.files.open(&path),
                    Effect::OpenWgsl => self.files.ask_and_open_wgsl(),
                    Effect::OpenWgslPath(path) => self.files.open_wgsl(&path),
                    Effect::Save(export) => self.files.ask_and_save(*export),
                    Effect::SaveTo(path, export) => self.files.save(&path, *export),
                    Effect::Copy(text) => ctx.copy_text(text),
                }
            }
            // What was put away must not come back.
            self.keep(closes);
        }
        if any {
            ctx.request_repaint();
        }
    }

    fn apply_settings(&mut self, ctx: &egui::Context) {
        let preference = match self.state.settings.theme {
            ThemeChoice::System => ThemePreference::System,
            ThemeChoice::Dark => ThemePreference::Dark,
            ThemeChoice::Light => ThemePreference::Light,
        };
        if ctx.options(|options| options.theme_preference) != preference {
            ctx.set_theme(preference);
        }
        // egui has keys of its own for the size: what they did is what the user wants, as far as it goes.
        let now = ctx.zoom_factor();
        if self.zoom == Some(self.state.settings.zoom) && now != self.state.settings.zoom {
            let settings = Settings { zoom: now, ..self.state.settings };
            update(&mut self.state, Command::Settings(settings));
        }
        ctx.set_zoom_factor(self.state.settings.zoom);
        self.zoom = Some(self.state.settings.zoom);
    }
}

impl eframe::App for Shell {
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        Journal::time(ctx, "logic", || self.poll());
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        Journal::time(&ctx, "ui", || self.show(ui));
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        storage.set_string(SETTINGS, self.state.settings.to_json());
        let model = self.state.learn.model_elsewhere().unwrap_or(self.state.model);
        let place = Place { tab: self.state.tab, model };
        storage.set_string(PLACE, place.to_json());
        storage.set_string(OWN, self.state.own.to_json());
        storage.set_string(LESSONS, self.state.learn.progress.to_json());
    }

    fn on_exit(&mut self) {
        self.services.engine.close();
        if let Some(keeper) = &mut self.keeper {
            keeper.close();
        }
    }
}

/// The bar at the top: views, theme, size, help.
fn bar(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    egui::Panel::top("bar").show(ui, |ui| {
        ui.add_space(2.0);
        ui.horizontal_wrapped(|ui| {
            for tab in Tab::ALL {
                let text = RichText::new(tab.title()).text_style(theme::title());
                if ui.selectable_label(view.state.tab == tab, text).clicked() {
                    out.push(Command::Show(tab));
                }
            }
            ui.separator();
            let mut covered = view.state.covered;
            if ui.checkbox(&mut covered, "Cover answer").on_hover_text("Hides sectors, bill and plot.").changed() {
                out.push(Command::Cover(covered));
            }
            if ui.button("Open results").on_hover_text("A file that --bench --json or this app wrote.").clicked() {
                out.push(Command::Open);
            }
            let settings = view.state.settings;
            if ui.button(if view.palette.dark { "Light" } else { "Dark" }).clicked() {
                out.push(Command::Settings(toggled(settings, view.palette.dark)));
            }
            for (sign, name, factor) in [("A-", "Smaller", 1.0 / 1.1), ("A+", "Larger", 1.1)] {
                let response = ui.button(sign).on_hover_text(name);
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
                if response.clicked() {
                    out.push(Command::Settings(Settings { zoom: settings.zoom * factor, ..settings }));
                }
            }
            let keys = ui.button("?").on_hover_text("Keys");
            keys.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Keys"));
            if keys.clicked() {
                out.push(Command::Keys(!view.state.keys_shown));
            }
        });
        ui.add_space(2.0);
    });
}

/// The other of dark and light.
pub(super) const fn toggled(settings: Settings, dark: bool) -> Settings {
    Settings { theme: if dark { ThemeChoice::Light } else { ThemeChoice::Dark }, ..settings }
}

/// What the user must know and can put away.
fn notices(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    if view.state.notices.is_empty() {
        return;
    }
    egui::Panel::top("notices").show(ui, |ui| {
        for (place, notice) in view.state.notices.iter().enumerate() {
            ui.horizontal(|ui| {
                if ui.small_button("Dismiss").clicked() {
                    out.push(Command::Dismiss(place));
                }
                ui.add(egui::Label::new(RichText::new(&notice.text).color(view.palette.fair)).wrap());
            });
        }
    });
}

/// The bar at the bottom, which stays visible at any size: the view's buttons, Stop, and how far the run is.
fn actions(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    egui::Panel::bottom("actions").show(ui, |ui| {
        ui.add_space(3.0);
        ui.horizontal_wrapped(|ui| {
            let can_start = view.state.run.is_idle() && view.state.device.found().is_some();
            for action in views::actions(view) {
                let button = if action.main {
                    parts::main_button(view, &action.label)
                } else {
                    egui::Button::new(&action.label)
                };
                let response = ui.add_enabled(can_start && action.ready, button).on_hover_text(&action.tip);
                if response.on_disabled_hover_text(why_not(view.state)).clicked() {
                    out.push(action.command);
                }
            }
            match &view.state.run {
                Run::Idle => {
                    ui.add_enabled(false, egui::Button::new("Stop"));
                }
                Run::Running { what, at, stopping } => {
                    if ui.add_enabled(!stopping, egui::Button::new("Stop")).clicked() {
                        out.push(Command::Stop);
                    }
                    ui.label(progress(what, *at, *stopping));
                }
            }
        });
        ui.add_space(3.0);
    });
}

/// Why nothing can be measured now.
const fn why_not(state: &State) -> &'static str {
    match (&state.run, &state.device) {
        (Run::Running { .. }, _) => "One run at a time: stop it, or wait for its end.",
        (Run::Idle, Device::Searching) => "The GPU is being looked for.",
        (Run::Idle, Device::Missing(_)) => "There is no GPU to measure on.",
        (Run::Idle, Device::Found(_)) => "",
    }
}

fn progress(what: &str, at: Option<(Stage, usize, usize)>, stopping: bool) -> String {
    let at = at.map_or_else(
        || "opening the device".to_owned(),
        |(stage, done, total)| {
            let stage = match stage {
                Stage::Predict => "predicting",
                Stage::Verify => "checking",
                Stage::WarmUp => "warming up",
                Stage::Measure => "measuring",
            };
            format!("{stage} {done}/{total}")
        },
    );
    if stopping { format!("{what}: stopping ..") } else { format!("{what}: {at}") }
}
