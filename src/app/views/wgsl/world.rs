//! The micro-world of the line that is looked at: its lanes and their sectors, request by request.

use eframe::egui;

use super::verdict::{cost, worst_line};
use crate::app::command::Command;
use crate::app::forecast::{Own, OwnCounts, WorkgroupTrace};
use crate::app::own::{Act, Look};
use crate::app::picture::{micro_world, scene_painter};
use crate::app::views::{View, parts, stepping};
use crate::trace::AccessKind;

/// A lane is not drawn wider than this.
const WIDEST_LANE: f32 = 60.0;

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, own: &Own, out: &mut Vec<Command>) {
    ui.add_space(4.0);
    let Some(counts) = &own.counts else { return };
    let look = view.state.own.look;
    let document = &counts.document;
    let line = look.line.or_else(|| worst_line(document).or(document.lines.first()).map(|line| line.line));
    let Some(line) = line else {
        parts::remark(ui, view, "No line of this text touches memory.");
        stepping::model_chip(ui, view, out);
        return;
    };
    match &counts.trace {
        Ok(trace) => accesses(ui, view, counts, trace, line, out),
        Err(reason) => {
            ui.colored_label(view.palette.fair, reason);
        }
    }
}

fn accesses(
    ui: &mut egui::Ui,
    view: &View<'_>,
    counts: &OwnCounts,
    trace: &WorkgroupTrace,
    line: u32,
    out: &mut Vec<Command>,
) {
    let look = view.state.own.look;
    let is_of_line = |access: &usize| trace.site(*access).is_some_and(|site| site.position.line == line);
    let of_line: Vec<usize> = (0..trace.accesses.len()).filter(is_of_line).collect();
    let at = look.access.min(of_line.len().saturating_sub(1));
    let subgroup = look.subgroup.min(trace.subgroups() - 1);
    let request = of_line.get(at).and_then(|access| trace.request(*access, subgroup));
    let title = request.as_ref().map_or_else(
        || format!("Line {line}"),
        |request| format!("Line {line}: {} `{}`", does(request.site.kind), request.site.name),
    );
    parts::title(ui, &title);
    ui.horizontal_wrapped(|ui| {
        stepping::model_chip(ui, view, out);
        let mut go = |access, subgroup| {
            out.push(Command::Own(Act::Look(Look { line: Some(line), access, subgroup })));
        };
        if let Some(access) = stepping::turn(ui, "Access", at, of_line.len()) {
            go(access, subgroup);
        }
        if let Some(subgroup) = stepping::turn(ui, "Subgroup", subgroup, trace.subgroups()) {
            go(at, subgroup);
        }
    });
    match &request {
        Some(request) => {
            parts::figures(ui, &request.bill.text(), view.palette.excess(request.bill.excess()));
            let width = ui.available_width().min(WIDEST_LANE * request.subgroup_lanes as f32).max(240.0);
            scene_painter::show(ui, &micro_world::scene(request, trace.model(), width), view.palette);
        }
        None => {
            parts::remark(ui, view, absent(counts, line, of_line.is_empty()));
        }
    }
}

const fn does(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "loads from",
        AccessKind::Store => "stores to",
        AccessKind::Atomic => "changes, by an atomic operation,",
    }
}

/// Why there is no picture.
fn absent(counts: &OwnCounts, line: u32, no_access: bool) -> String {
    match counts.document.line(line) {
        Some(count) if no_access && count.wavefronts.is_some() => {
            let cost = cost(count);
            format!(
                "Line {line} touches workgroup memory, which has banks, not sectors: {} {}, at best {}.",
                cost.paid, cost.unit, cost.ideal
            )
        }
        Some(_) if no_access => format!("The first workgroup does not come to line {line}."),
        Some(_) => format!("No lane of this subgroup takes part in this access of line {line}."),
        None => format!("Line {line} touches no memory."),
    }
}
