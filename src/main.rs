//! The program: hands its command line to the library, and with it the way to the window where one is built in.

use std::process::ExitCode;

use sectorscope::cli;

fn main() -> ExitCode {
    cli::main(std::env::args_os(), WINDOW)
}

#[cfg(feature = "app")]
const WINDOW: Option<cli::OpenWindow> = Some(|opening| {
    use sectorscope::app::{Journal, Shell, Start, viewport};
    use sectorscope::platform::open_window;
    let start = Start { open: opening.open, preset: opening.preset };
    let opened = open_window(sectorscope::app::ID, &viewport(), |context| {
        if let Some(file) = &opening.log {
            Journal::keep(context, file);
        }
        Box::new(Shell::open(context, &start))
    });
    opened.map_err(|error| error.to_string())
});

#[cfg(not(feature = "app"))]
const WINDOW: Option<cli::OpenWindow> = None;
