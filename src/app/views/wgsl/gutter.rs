//! What stands before each line of the text: its number, its requests, its sectors against the fewest possible.

use eframe::egui::{self, Align2, Color32, FontId, Rect, Sense, WidgetInfo, pos2, vec2};

use super::verdict::{cost, worst_line};
use crate::app::command::Command;
use crate::app::forecast::Own;
use crate::app::own::{Act, Look};
use crate::app::views::{View, listing, parts};
use crate::record::prediction::LineCount;

const NUMBER: f32 = 34.0;
const REQUESTS: f32 = 62.0;
const COST: f32 = 96.0;
const BAR: f32 = 74.0;
/// Space between columns.
const GAP: f32 = 8.0;
/// From this width of the editor on, bars and requests have room.
const ROOMY: f32 = 620.0;

/// Which columns there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    requests: bool,
    cost: bool,
    bar: bool,
}

impl Columns {
    pub(super) fn for_width(width: f32, covered: bool) -> Self {
        let roomy = width >= ROOMY && !covered;
        Self { requests: roomy, cost: !covered, bar: roomy }
    }

    pub(super) fn width(self) -> f32 {
        let room = |is: bool, width: f32| if is { GAP + width } else { 0.0 };
        NUMBER + room(self.requests, REQUESTS) + room(self.cost, COST) + room(self.bar, BAR)
    }

    /// Right ends of the columns of requests and costs, left end of the bars.
    fn ends(self) -> [f32; 3] {
        let requests = NUMBER + if self.requests { GAP + REQUESTS } else { 0.0 };
        let cost = requests + if self.cost { GAP + COST } else { 0.0 };
        [requests, cost, cost + GAP]
    }
}

/// Where the lines are.
pub(super) struct Rows {
    /// The gutter.
    pub(super) area: Rect,
    /// Of a line.
    pub(super) height: f32,
    /// How many.
    pub(super) rows: usize,
    /// What stands in it.
    pub(super) columns: Columns,
}

/// What the columns mean.
pub(super) fn head(ui: &mut egui::Ui, view: &View<'_>, columns: &Columns) {
    if columns.cost {
        let requests = if columns.requests { "requests, " } else { "" };
        parts::remark(ui, view, format!("line, {requests}sectors (w: passes over banks) / the fewest possible"));
    }
}

/// Draws it, in sight only; a line that was clicked is looked at.
pub(super) fn rows(ui: &mut egui::Ui, view: &View<'_>, own: &Own, rows: &Rows, out: &mut Vec<Command>) {
    let document = own.counts.as_ref().map(|counts| &counts.document);
    let looked = view.state.own.look.line.or_else(|| worst_line(document?).map(|line| line.line));
    let most = document.map_or(0, |document| document.lines.iter().map(|line| cost(line).paid).max().unwrap_or(0));
    let fault = own.fault().and_then(|fault| fault.position).map(|position| position.line);
    let sight = ui.clip_rect();
    for row in 0..rows.rows {
        let top = rows.area.top() + row as f32 * rows.height;
        if top + rows.height < sight.top() || top > sight.bottom() {
            continue;
        }
        let rect = Rect::from_min_size(pos2(rows.area.left(), top), vec2(rows.area.width(), rows.height));
        let line = u32::try_from(row + 1).unwrap_or(u32::MAX);
        let count = document.filter(|_| rows.columns.cost).and_then(|document| document.line(line));
        if fault == Some(line) {
            ui.painter().rect_filled(rect, 2.0, view.palette.bad.gamma_multiply(0.3));
        }
        if let Some(count) = count {
            let response =
                ui.interact(rect.shrink2(vec2(0.0, 0.5)), ui.scope_id().with(("own line", row)), Sense::click());
            let marked = looked == Some(line);
            if marked || response.hovered() || response.has_focus() {
                let strength = if marked { 0.25 } else { 0.12 };
                ui.painter().rect_filled(rect, 2.0, view.palette.accent.gamma_multiply(strength));
            }
            let name = told(count, own.is_current());
            response.widget_info(|| WidgetInfo::selected(egui::Role::Button, true, marked, &name));
            if response.on_hover_text(&name).clicked() {
                out.push(Command::Own(Act::Look(Look { line: Some(line), ..Look::default() })));
            }
            figures(ui, view, rect, rows.columns, count, most, own.is_current());
        }
        let (number, color) = if fault == Some(line) {
            (format!("! {line}"), view.palette.bad)
        } else {
            (line.to_string(), view.palette.weak)
        };
        write(ui, rect, NUMBER, &number, color);
    }
}

/// A line's costs in words.
fn told(count: &LineCount, current: bool) -> String {
    let cost = cost(count);
    let last = if current { "" } else { ", in the last text that was valid" };
    let plural = if count.requests == 1 { "" } else { "s" };
    format!(
        "Line {}: {} request{plural}, {} {}, at best {}{last}",
        count.line, count.requests, cost.paid, cost.unit, cost.ideal
    )
}

fn write(ui: &egui::Ui, rect: Rect, right: f32, text: &str, color: Color32) {
    let at = pos2(rect.left() + right, rect.center().y);
    ui.painter().text(at, Align2::RIGHT_CENTER, text, FontId::monospace(listing::LETTERS - 1.0), color);
}

fn figures(ui: &egui::Ui, view: &View<'_>, rect: Rect, columns: Columns, count: &LineCount, most: u64, current: bool) {
    let cost = cost(count);
    let [requests, paid, bar] = columns.ends();
    let times = cost.paid as f64 / cost.ideal.max(1) as f64;
    let color = if current { view.palette.excess(times) } else { view.palette.weak };
    if columns.requests {
        write(ui, rect, requests, &short(count.requests), view.palette.weak);
    }
    let mark = if cost.unit == "sectors" { "" } else { "w" };
    write(ui, rect, paid, &format!("{}/{}{mark}", short(cost.paid), short(cost.ideal)), color);
    if columns.bar && most > 0 {
        // The whole bar is what is paid, its filled part what must be.
        let length = |value: u64| BAR * (value as f32 / most as f32);
        let corner = pos2(rect.left() + bar, rect.top() + 3.0);
        let high = rect.height() - 6.0;
        let whole = Rect::from_min_size(corner, vec2(length(cost.paid).max(1.0), high));
        let must = Rect::from_min_size(corner, vec2(length(cost.ideal.min(cost.paid)).max(1.0), high));
        ui.painter().rect_filled(whole, 0.0, color.gamma_multiply(0.3));
        let outline = egui::Stroke::new(1.0, color);
        ui.painter().rect_stroke(whole, 0.0, outline, egui::StrokeKind::Inside);
        ui.painter().rect_filled(must, 0.0, color);
    }
}

/// A number in at most five letters: `950`, `12.3k`, `4.5M`.
fn short(number: u64) -> String {
    const STEPS: [(u64, &str); 4] = [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    match STEPS.into_iter().find(|(step, _)| number >= 10 * step) {
        None => number.to_string(),
        Some((step, letter)) if number < 100 * step => {
            let tenths = number / (step / 10);
            format!("{}.{}{letter}", tenths / 10, tenths % 10)
        }
        Some((step, letter)) => format!("{}{letter}", number / step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_never_raised() {
        for (number, text) in
            [(0, "0"), (9_999, "9999"), (10_000, "10.0k"), (99_999, "99.9k"), (999_999, "999k"), (12_345_678, "12.3M")]
        {
            assert_eq!(short(number), text);
        }
    }
}
