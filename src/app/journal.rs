//! The window's journal: what can be seen in it and how long it took, as lines of JSON in a file. Off unless asked for
//! (`--log FILE`): for a user who needs help, and for the script that drives the window.
//!
//! | line | meaning |
//! |---|---|
//! | `{"ms":812,"id":"5f..","role":"Label","text":"..","enabled":true,"at":[x,y,width,height]}` | this appeared, or changed; `at` in pixels of the window |
//! | `{"ms":900,"id":"5f..","gone":true}` | it is no longer there |
//! | `{"ms":815,"call":"ui","took_ms":12.5,"longest_ms":12.5}` | no call of this name took as long before |
//!
//! What is seen is the tree that screen readers get, so the file says what is on the screen, not what the state holds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use eframe::egui::{self, accesskit};
use serde::Serialize;

use crate::platform::{self, Instant};

/// A piece of the window.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Piece {
    role: accesskit::Role,
    text: String,
    enabled: bool,
    /// Left, top, width, height, in pixels.
    at: [i64; 4],
}

/// A line of the file.
#[derive(Debug, Serialize)]
struct Line<T> {
    ms: u128,
    #[serde(flatten)]
    what: T,
}

#[derive(Debug, Serialize)]
struct Shown<'a> {
    id: String,
    #[serde(flatten)]
    piece: &'a Piece,
}

#[derive(Debug, Serialize)]
struct Gone {
    id: String,
    gone: bool,
}

#[derive(Debug, Serialize)]
struct Took {
    call: &'static str,
    took_ms: f64,
    longest_ms: f64,
}

/// Writes the journal of a window; lives in its egui context.
#[derive(Debug)]
pub struct Journal {
    /// `None` once it could not be written.
    file: Option<PathBuf>,
    start: Instant,
    shown: BTreeMap<u64, Piece>,
    longest_ms: BTreeMap<&'static str, f64>,
}

/// Calls that took this long are worth a line each, milliseconds: a hand feels them.
const SLOW_MS: f64 = 50.0;

impl Journal {
    /// Keeps the journal of this window in `file`, after what is there.
    pub fn keep(context: &eframe::CreationContext<'_>, file: &Path) {
        Self::keep_of(&context.egui_ctx, file);
    }

    fn keep_of(ctx: &egui::Context, file: &Path) {
        let (shown, longest_ms) = (BTreeMap::new(), BTreeMap::new());
        ctx.add_plugin(Self { file: Some(file.to_owned()), start: platform::now(), shown, longest_ms });
    }

    /// Carries out a call of the window and notes how long it took, where a journal is kept.
    pub fn time<T>(ctx: &egui::Context, call: &'static str, work: impl FnOnce() -> T) -> T {
        let start = platform::now();
        let result = work();
        let took_ms = start.elapsed().as_secs_f64() * 1e3;
        ctx.with_plugin(|journal: &mut Self| journal.took(call, took_ms));
        result
    }

    fn took(&mut self, call: &'static str, took_ms: f64) {
        let longest_ms = self.longest_ms.entry(call).or_default();
        let is_longest = took_ms > *longest_ms;
        *longest_ms = longest_ms.max(took_ms);
        let longest_ms = *longest_ms;
        if is_longest || took_ms > SLOW_MS {
            let text = self.line(Took { call, took_ms, longest_ms });
            self.write(&text);
        }
    }

    fn line(&self, what: impl Serialize) -> String {
        let line = Line { ms: self.start.elapsed().as_millis(), what };
        serde_json::to_string(&line).map_or_else(|error| error.to_string(), |text| text + "\n")
    }

    fn see(&mut self, now: BTreeMap<u64, Piece>) {
        let mut text = String::new();
        for id in self.shown.keys().filter(|id| !now.contains_key(id)) {
            text += &self.line(Gone { id: format!("{id:x}"), gone: true });
        }
        for (id, piece) in now.iter().filter(|(id, piece)| self.shown.get(id) != Some(*piece)) {
            text += &self.line(Shown { id: format!("{id:x}"), piece });
        }
        self.shown = now;
        self.write(&text);
    }

    /// All lines of a frame at once: a reader sees whole frames.
    fn write(&mut self, text: &str) {
        let Some(file) = &self.file else { return };
        if !text.is_empty()
            && let Err(error) = platform::append_to_file(file, text.as_bytes())
        {
            log::warn!("{}: the journal ends here: {error}", file.display());
            self.file = None;
        }
    }
}

impl egui::Plugin for Journal {
    fn debug_name(&self) -> &'static str {
        "journal"
    }

    fn input_hook(&mut self, ctx: &egui::Context, _input: &mut egui::RawInput) {
        // The tree is made for screen readers only; the last one that leaves turns it off.
        ctx.enable_accesskit();
    }

    fn output_hook(&mut self, ctx: &egui::Context, output: &mut egui::FullOutput) {
        if let Some(tree) = &output.platform_output.accesskit_update {
            let scale = f64::from(ctx.pixels_per_point());
            self.see(tree.nodes.iter().filter_map(|(id, node)| Some((id.0, piece(node, scale)?))).collect());
        }
    }
}

/// What is written or drawn there; `None` for what only holds other pieces.
fn piece(node: &accesskit::Node, scale: f64) -> Option<Piece> {
    // The lines that a text is broken into: the text itself is there too.
    if node.role() == accesskit::Role::TextRun {
        return None;
    }
    let text = node.label().or_else(|| node.value()).filter(|text| !text.is_empty())?.to_owned();
    let bounds = node.bounds()?;
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a window")]
    let at = [bounds.x0, bounds.y0, bounds.width(), bounds.height()].map(|length| (length * scale).round() as i64);
    Some(Piece { role: node.role(), text, enabled: !node.is_disabled(), at })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(file: &Path) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn frame(ctx: &egui::Context, draw: impl FnMut(&mut egui::Ui)) {
        ctx.run_ui(egui::RawInput::default(), draw).textures_delta.clear();
    }

    #[test]
    fn what_appears_changes_and_goes_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal");
        let ctx = egui::Context::default();
        Journal::keep_of(&ctx, &file);
        for text in ["4 sectors", "4 sectors", "32 sectors"] {
            frame(&ctx, |ui| drop(ui.label(text)));
        }
        let texts = |lines: &[serde_json::Value]| {
            lines.iter().filter_map(|line| Some(line.get("text")?.as_str()?.to_owned())).collect::<Vec<_>>()
        };
        assert_eq!(texts(&lines(&file)), ["4 sectors", "32 sectors"]);
        let place = &lines(&file)[0]["at"];
        assert!(place[2].as_i64().unwrap() > 20 && place[3].as_i64().unwrap() > 5, "{place}");
        frame(&ctx, |_| {});
        let all = lines(&file);
        assert_eq!((all.last().unwrap()["gone"].as_bool(), texts(&all).len()), (Some(true), 2));
        assert_eq!(all.last().unwrap()["id"], all[0]["id"]);
    }

    #[test]
    fn the_longest_call_and_every_slow_one_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal");
        let ctx = egui::Context::default();
        Journal::keep_of(&ctx, &file);
        for took_ms in [3.0, 2.0, 4.0, 60.0, 55.0, 5.0] {
            ctx.with_plugin(|journal: &mut Journal| journal.took("ui", took_ms));
        }
        let took: Vec<_> = lines(&file).iter().map(|line| line["took_ms"].as_f64().unwrap()).collect();
        assert_eq!(took, [3.0, 4.0, 60.0, 55.0]);
        assert_eq!(lines(&file)[3]["longest_ms"], 60.0);
    }

    #[test]
    fn without_a_journal_a_call_is_just_a_call() {
        assert_eq!(Journal::time(&egui::Context::default(), "ui", || 5), 5);
    }
}
