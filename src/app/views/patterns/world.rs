//! The first sentence, the bill, and the micro-world; two of each where a pattern is pinned.

use eframe::egui;

use crate::app::command::Command;
use crate::app::forecast::{Pattern, TracedRequest, WorkgroupTrace};
use crate::app::picture::{micro_world, scene_painter};
use crate::app::state::Step;
use crate::app::theme;
use crate::app::views::{View, parts, stepping};

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    let trace = view.trace(&view.state.pattern);
    let trace = match trace.as_ref() {
        Ok(trace) => trace,
        Err(reason) => {
            parts::sentence(ui, view, "This pattern cannot run here.");
            ui.colored_label(view.palette.bad, reason);
            return;
        }
    };
    let step = shown_step(view.state.step, trace);
    match trace.request(step.access, step.subgroup) {
        Some(request) => {
            parts::sentence(ui, view, &question(&request));
            if view.state.covered {
                ui.strong(view.state.pattern.name());
                if let Some(pinned) = &view.state.pinned {
                    ui.strong(format!("A: {}", pinned.name()));
                }
                parts::remark(ui, view, "The answer is covered: make a guess, then uncover it.");
                return;
            }
            match &view.state.pinned {
                Some(pinned) if ui.available_width() >= 2.0 * NARROWEST => ui.columns(2, |sides| {
                    beside(&mut sides[0], view, pinned, out);
                    shown(&mut sides[1], view, &request, true);
                }),
                pinned => {
                    if let Some(pinned) = pinned {
                        beside(ui, view, pinned, out);
                    }
                    shown(ui, view, &request, pinned.is_some());
                }
            }
            steps(ui, view, trace, step, out);
        }
        None => {
            parts::sentence(ui, view, "No lane of this subgroup takes part in this request.");
            steps(ui, view, trace, step, out);
        }
    }
}

/// Two micro-worlds stand side by side where each gets so many points.
const NARROWEST: f32 = 440.0;
/// A bill and the hint beside it have so many points.
const BESIDE_BILL: f32 = 760.0;
/// A lane is not drawn wider than this: few lanes are no reason to fill the screen.
const WIDEST_LANE: f32 = 60.0;

/// The pattern that is looked at: its bill and its picture.
fn shown(ui: &mut egui::Ui, view: &View<'_>, request: &TracedRequest, has_other: bool) {
    if has_other {
        ui.horizontal(|ui| {
            ui.set_min_height(ui.spacing().interact_size.y);
            ui.strong(format!("B: {}", view.state.pattern.name()));
        });
    }
    // Beside a bill of one row; below one of several.
    if ui.available_width() >= BESIDE_BILL {
        ui.horizontal_wrapped(|ui| {
            bill(ui, view, request);
            hint(ui, view);
        });
    } else {
        bill(ui, view, request);
        hint(ui, view);
    }
    picture(ui, view, request);
}

/// The request that is shown: the first of the variable that the kernel is about, unless another was chosen.
pub(super) fn shown_step(step: Step, trace: &WorkgroupTrace) -> Step {
    let last = trace.accesses.len().saturating_sub(1);
    Step {
        access: (trace.primary_access() + step.access).min(last),
        subgroup: step.subgroup.min(trace.subgroups() - 1),
    }
}

/// `32 lanes ask for 4 bytes each. How many 32-byte sectors must be fetched?`
#[must_use]
pub(super) fn question(request: &TracedRequest) -> String {
    let (lanes, bytes, sector) = (request.bill.lanes, request.site.element_bytes, request.bill.sector_bytes);
    format!("{lanes} lanes ask for {bytes} bytes each. How many {sector}-byte sectors must be fetched?")
}

fn bill(ui: &mut egui::Ui, view: &View<'_>, request: &TracedRequest) {
    parts::figures(ui, &request.bill.text(), view.palette.excess(request.bill.excess()));
}

/// What to do next, for someone who sees this for the first time.
fn hint(ui: &mut egui::Ui, view: &View<'_>) {
    // Only where nothing was changed yet.
    if view.state.pattern == Pattern::of(crate::kernels::ALL[0]) && view.state.pinned.is_none() {
        let hint = egui::RichText::new("Drag Stride to 8.").text_style(theme::title()).strong();
        ui.add(egui::Label::new(hint.color(view.palette.accent)).extend());
    }
}

fn picture(ui: &mut egui::Ui, view: &View<'_>, request: &TracedRequest) {
    let width = ui.available_width().min(WIDEST_LANE * request.subgroup_lanes as f32).max(240.0);
    let scene = micro_world::scene(request, view.state.model(), width);
    scene_painter::show(ui, &scene, view.palette);
}

/// The pinned pattern's bill and picture.
fn beside(ui: &mut egui::Ui, view: &View<'_>, pinned: &Pattern, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let name = format!("A: {}", pinned.name());
        ui.label(egui::RichText::new(name).strong().color(view.palette.pinned));
        if ui.button("Unpin A").clicked() {
            out.push(Command::Unpin);
        }
    });
    match view.trace(pinned).as_ref() {
        Ok(trace) => {
            if let Some(request) = trace.request(trace.primary_access(), 0) {
                bill(ui, view, &request);
                picture(ui, view, &request);
            }
        }
        Err(reason) => {
            ui.colored_label(view.palette.bad, reason);
        }
    }
}

/// Steps through requests and subgroups, says which model counts.
fn steps(ui: &mut egui::Ui, view: &View<'_>, trace: &WorkgroupTrace, step: Step, out: &mut Vec<Command>) {
    let first = trace.primary_access();
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().button_padding.x = 8.0;
        stepping::model_chip(ui, view, out);
        let requests = trace.accesses.len() - first.min(trace.accesses.len());
        let at = step.access - first;
        if let Some(access) = stepping::turn(ui, "Request", at, requests) {
            out.push(Command::Step(Step { access, subgroup: step.subgroup }));
        }
        if let Some(subgroup) = stepping::turn(ui, "Subgroup", step.subgroup, trace.subgroups()) {
            out.push(Command::Step(Step { access: at, subgroup }));
        }
        if ui
            .button("Pin as A")
            .on_hover_text("Keeps this pattern, so that another can be dragged beside it.")
            .clicked()
        {
            out.push(Command::Pin);
        }
    });
}
