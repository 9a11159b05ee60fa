//! The view "Matmul": the ladder of matrix products, each rung with its tile, its counts and its text.

mod ladder;
mod rung;
mod sheet;

use eframe::egui;

use super::{Action, View, keep, parts};
use crate::app::command::Command;
use crate::app::forecast::Pattern;
use crate::app::update::request;
use crate::kernels::{self, Kernel, matmul::FAMILY};

/// What it is about.
const SENTENCE: &str = "How does a matrix product escape memory? It lines up its loads, then uses each value often, then keeps arithmetic fed.";

/// Draws it.
pub fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    egui::CentralPanel::default().show(ui, |ui| {
        egui::ScrollArea::vertical().id_salt("matmul").auto_shrink(false).show(ui, |ui| {
            parts::sentence(ui, view, SENTENCE);
            parts::words(ui, view, &["rung, tile, lane, subgroup, workgroup, roof, vec4"]);
            parts::software(ui, view);
            if !parts::covered(ui, view) {
                ladder::show(ui, view, out);
            }
            ui.add_space(8.0);
            ui.separator();
            rung::show(ui, view, out);
            ui.add_space(8.0);
            ui.separator();
            keep::show(ui, view, "sectorscope-matmul", &|| Some(sheet::sheet(view)), out);
            ui.add_space(12.0);
        });
    });
}

/// The rungs, in the order of the registry.
fn rungs() -> Vec<&'static Kernel> {
    kernels::ALL.iter().copied().filter(|kernel| kernel.family == FAMILY).collect()
}

/// A rung as every suite runs it: all parameters at their defaults, the size that suits the device.
fn pattern(kernel: &'static Kernel) -> Pattern {
    Pattern::of(kernel)
}

/// The number of a rung, from 1; 0 for a kernel that is none.
fn number(id: &str) -> usize {
    rungs().iter().position(|kernel| kernel.id == id).map_or(0, |place| place + 1)
}

/// `3 tiled`.
fn title(kernel: &Kernel) -> String {
    let name = kernel.id.strip_prefix("matmul_").unwrap_or(kernel.id).replace('_', " ");
    format!("{} {name}", number(kernel.id))
}

fn chosen(view: &View<'_>) -> Option<&'static Kernel> {
    let rungs = rungs();
    rungs.iter().find(|kernel| kernel.id == view.state.rung).or(rungs.first()).copied()
}

/// Its buttons.
#[must_use]
pub fn actions(view: &View<'_>) -> Vec<Action> {
    let run = |what: String, rungs: &[&'static Kernel]| {
        let patterns = rungs.iter().copied().map(pattern).collect();
        Command::Run { what, request: Box::new(request(view.state, patterns)) }
    };
    let all = rungs();
    let mut actions = vec![Action {
        label: "Run all rungs (about 20 s)".to_owned(),
        tip: format!("Checks and times all {} kernels of the ladder on this machine.", all.len()),
        command: run("the matmul ladder".to_owned(), &all),
        ready: true,
        main: true,
    }];
    actions.extend(chosen(view).map(|kernel| Action {
        label: format!("Run rung {}", title(kernel)),
        tip: format!("Checks and times {} on this machine.", kernel.id),
        command: run(kernel.id.to_owned(), &[kernel]),
        ready: true,
        main: false,
    }));
    actions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_are_numbered_as_in_the_registry() {
        let titles: Vec<String> = rungs().into_iter().take(3).map(title).collect();
        assert_eq!(titles, ["1 uncoalesced", "2 naive", "3 tiled"]);
        assert_eq!(number("read"), 0);
    }
}
