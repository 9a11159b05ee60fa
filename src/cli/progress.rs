//! How far a run is: a bar where stderr is a terminal, else a line now and then.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::terminal::Terminal;
use crate::engine::Stage;
use crate::platform;

/// Where there is no bar, a stage says something this often.
const QUIET: Duration = Duration::from_secs(10);

/// How often the bar redraws by itself; seldom, as the host's work disturbs what is measured.
const TICK: Duration = Duration::from_millis(500);

/// Shows progress on stderr.
#[derive(Debug)]
pub(super) struct Progress {
    terminal: Terminal,
    bar: Option<ProgressBar>,
    is_terminal: bool,
    stage: Option<Stage>,
    stage_began: platform::Instant,
    last_line: platform::Instant,
}

impl Progress {
    pub(super) fn new(terminal: &Terminal) -> Self {
        let now = platform::now();
        Self {
            terminal: terminal.clone(),
            bar: None,
            is_terminal: std::io::stderr().is_terminal(),
            stage: None,
            stage_began: now,
            last_line: now,
        }
    }

    /// Work of a stage: `done` of `total` steps, now at `what`.
    pub(super) fn update(&mut self, stage: Stage, done: usize, total: usize, what: &str) {
        let now = platform::now();
        let new = self.stage != Some(stage);
        if new {
            self.stage = Some(stage);
            self.stage_began = now;
        }
        if self.is_terminal {
            self.show_bar(stage, new, done, total, what);
        } else if new || now - self.last_line >= QUIET {
            self.last_line = now;
            let left = time_left(now - self.stage_began, done, total).unwrap_or_default();
            self.terminal.note(&format!("{} {done}/{total}: {what}{left}", word(stage)));
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn show_bar(&mut self, stage: Stage, new: bool, done: usize, total: usize, what: &str) {
        let bar = self.bar.get_or_insert_with(|| {
            let bar = self.terminal.bars.add(ProgressBar::new(0));
            // A wrong template is a mistake of this file; the default bar is readable too.
            if let Ok(style) = ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} {eta} left  {wide_msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        if new {
            bar.reset();
            bar.set_prefix(word(stage));
        }
        bar.set_length(total as u64);
        bar.set_position(done as u64);
        bar.set_message(what.to_owned());
    }
}

const fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::Predict => "predicting",
        Stage::Verify => "checking",
        Stage::WarmUp => "warming up",
        Stage::Measure => "measuring",
    }
}

/// `, about 12 s left`, once a tenth of the steps tells how long they take; nothing below a second.
fn time_left(passed: Duration, done: usize, total: usize) -> Option<String> {
    if done == 0 || done * 10 < total || done >= total {
        return None;
    }
    let seconds = passed.as_secs_f64() * (total - done) as f64 / done as f64;
    if seconds < 1.0 {
        return None;
    }
    Some(format!(", about {seconds:.0} s left"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_needs_something_to_go_by() {
        let passed = Duration::from_secs(10);
        assert_eq!(time_left(passed, 0, 10), None);
        assert_eq!(time_left(passed, 10, 10), None);
        assert_eq!(time_left(passed, 1, 100), None);
        assert_eq!(time_left(passed, 5, 10).as_deref(), Some(", about 10 s left"));
    }
}
