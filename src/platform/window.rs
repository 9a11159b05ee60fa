//! Native: opens the window, on the first graphics interface that can show one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use eframe::egui_wgpu::{WgpuSetup, WgpuSetupCreateNew};
use eframe::wgpu::{Backends, Instance};
use eframe::{CreationContext, NativeOptions, egui};

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum WindowError {
    /// Nothing to show it on.
    #[error("there is no display to open a window on ({0})")]
    NoDisplay(String),
    /// No graphics interface can draw it.
    #[error("no graphics interface could draw the window: {0}")]
    NoGraphics(String),
    /// It ended by itself.
    #[error("the window ended unexpectedly: {0}")]
    Ended(String),
}

/// The interfaces to try, in turn: all together, so that the best adapter is taken; then each alone, as one that is broken
/// can spoil the others.
const TURNS: [(&str, Backends); 5] = [
    ("any", Backends::all()),
    ("vulkan", Backends::VULKAN),
    ("dx12", Backends::DX12),
    ("metal", Backends::METAL),
    ("gl", Backends::GL),
];

/// Opens a window and returns when it is closed. `make` makes what it shows; it is called again where an interface gave up.
///
/// # Errors
/// No display, no graphics interface that can draw, or a window that ended by itself. Never a panic.
pub fn open_window(
    id: &str,
    viewport: &egui::ViewportBuilder,
    make: impl Fn(&CreationContext<'_>) -> Box<dyn eframe::App>,
) -> Result<(), WindowError> {
    let last_words = Arc::new(Mutex::new(None::<String>));
    // Libraries below panic where a driver or a display library is broken: that is a message, not a crash.
    let heard = last_words.clone();
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        log::error!("{info}");
        if let Ok(mut words) = heard.lock() {
            *words = Some(info.to_string());
        }
    }));
    let result = catch_unwind(AssertUnwindSafe(|| in_turn(id, viewport, &make)));
    std::panic::set_hook(previous);
    result.unwrap_or_else(|_| {
        let words = last_words.lock().ok().and_then(|mut words| words.take());
        Err(WindowError::Ended(words.unwrap_or_else(|| "without a word".to_owned())))
    })
}

fn in_turn(
    id: &str,
    viewport: &egui::ViewportBuilder,
    make: &impl Fn(&CreationContext<'_>) -> Box<dyn eframe::App>,
) -> Result<(), WindowError> {
    let built = Instance::enabled_backend_features();
    let mut refusals = Vec::new();
    for (name, backends) in TURNS {
        let backends = match Backends::from_env() {
            // The user has chosen: one turn.
            Some(_) if name != "any" => break,
            Some(chosen) => chosen,
            None => backends,
        } & built;
        if backends.is_empty() {
            continue;
        }
        match eframe::run_native(id, options(viewport, backends), Box::new(|context| Ok(make(context)))) {
            Ok(()) => return Ok(()),
            Err(error @ (eframe::Error::WinitEventLoop(_) | eframe::Error::Winit(_))) => {
                return Err(WindowError::NoDisplay(cause(&error.to_string())));
            }
            Err(error) => refusals.push(format!("{name}: {error}")),
        }
    }
    Err(WindowError::NoGraphics(refusals.join("; ")))
}

/// The cause alone: winit's errors begin with its own file names.
fn cause(error: &str) -> String {
    error.rsplit(": ").next().unwrap_or(error).trim_end_matches('.').to_owned()
}

fn options(viewport: &egui::ViewportBuilder, backends: Backends) -> NativeOptions {
    let mut setup = WgpuSetupCreateNew::without_display_handle();
    setup.instance_descriptor.backends = backends;
    let mut options = NativeOptions {
        viewport: viewport.clone(),
        // So that another interface can be tried after one that failed.
        run_and_return: true,
        persist_window: true,
        ..NativeOptions::default()
    };
    options.wgpu_options.wgpu_setup = WgpuSetup::CreateNew(setup);
    options
}
