//! All rungs at a glance: bars of what they reach, and the roofline that they stand under.

use eframe::egui::{self, Sense};

use super::{chosen, number, pattern, rungs, title};
use crate::app::command::Command;
use crate::app::documents::{Document, Origin};
use crate::app::forecast::Pattern;
use crate::app::picture::bars::{self, Bar, Line};
use crate::app::picture::roofline::{self, Roof, Whose};
use crate::app::picture::{Scene, scene_painter};
use crate::app::views::{View, found, parts};
use crate::record::{Matmul, Row};
use crate::report::roofline::Roofline;
use crate::units::{format_flop_rate, format_percent};

/// From this width on, bars and roofline stand side by side.
const WIDE: f32 = 1080.0;
pub(super) const TITLE: &str = "Share of the highest multiply-add rate that was measured in the same run";
pub(super) const ROOFS: &str = "Under which roof does each rung stand?";

pub(super) fn show(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    if ui.available_width() >= WIDE {
        parts::columns(ui, 2, |column, ui| match column {
            0 => bars(ui, view, out),
            _ => roofs(ui, view),
        });
    } else {
        bars(ui, view, out);
        ui.add_space(8.0);
        roofs(ui, view);
    }
}

fn bars(ui: &mut egui::Ui, view: &View<'_>, out: &mut Vec<Command>) {
    parts::title(ui, "How near does each rung come to the arithmetic that this device can do?");
    let lines = lines(view);
    let scene = bars::scene(TITLE, &lines, ui.available_width().max(360.0));
    let response = scene_painter::show(ui, &scene, view.palette).interact(Sense::click());
    let pointed = response.interact_pointer_pos().filter(|_| response.clicked());
    let pointed = pointed.and_then(|at| scene.part_at([at.x - response.rect.left(), at.y - response.rect.top()]));
    if let Some(kernel) = pointed.and_then(|part| rungs().get(part).copied()) {
        out.push(Command::Rung(kernel.id));
    }
    parts::remark(ui, view, legend(view));
}

fn legend(view: &View<'_>) -> String {
    let size = |row: &Row| found::size(row).map_or_else(String::new, |size| format!(", {size}"));
    let here = newest(view).and_then(|document| document.rows().find(|row| is_rung(row)));
    let here = match here {
        Some(row) => format!("Full bars: measured on this machine{}.", size(row)),
        None => "Nothing is measured on this machine yet: run the rungs.".to_owned(),
    };
    let recorded = rungs().into_iter().find_map(|kernel| found::recorded(view, &pattern(kernel)));
    let file = rungs().into_iter().find_map(|kernel| found::file(view, &pattern(kernel)));
    let file = file.map_or_else(String::new, |(document, row)| format!(" Pale: {}{}.", document.title(), size(row)));
    let recorded =
        recorded.map_or_else(String::new, |(document, row)| format!(" Hatched: {}{}.", document.title(), size(row)));
    format!(
        "{here}{file}{recorded} 100 % is the multiply-add peak measured in the same run. The last rung has a 100 % of its \
         own, the peak of cooperative matrices: its bars compare with each other, not with those above."
    )
}

/// The newest run on this machine that measured a rung.
fn newest<'a>(view: &View<'a>) -> Option<&'a Document> {
    let own = view.state.documents.shown().filter(|document| matches!(document.origin, Origin::Session(_)));
    own.filter(|document| document.rows().any(is_rung)).last()
}

fn is_rung(row: &Row) -> bool {
    row.matmul.is_some() && row.measured.is_some()
}

/// One line a rung.
fn lines(view: &View<'_>) -> Vec<Line> {
    let looked_at = chosen(view).map(|kernel| kernel.id);
    let newest = newest(view);
    let line = |kernel| {
        let pattern = pattern(kernel);
        let here = found::here(view, &pattern);
        let file = found::file(view, &pattern);
        let recorded = found::recorded(view, &pattern);
        let mut notes = Vec::new();
        if here.is_some_and(|(document, _)| newest.is_some_and(|newest| !std::ptr::eq(newest, document))) {
            notes.push("earlier run");
        }
        if [here, file, recorded].into_iter().flatten().any(|(_, row)| of_matrices(row)) {
            notes.push("100 %: matrices");
        }
        Line {
            name: title(kernel),
            note: notes.join("; "),
            here: here.and_then(bar).or_else(|| refused(view, &pattern)),
            file: file.and_then(bar),
            recorded: recorded.and_then(bar),
            chosen: looked_at == Some(kernel.id),
        }
    };
    rungs().into_iter().map(line).collect()
}

/// Whether its subgroups multiply whole matrices, which have a peak of their own.
fn of_matrices(row: &Row) -> bool {
    row.matmul.as_ref().is_some_and(|matmul| matmul.cooperative.is_some())
}

/// `33.7 TFLOP/s, 55.73 %`: the share of the peak of the same run, which is known a little later than the rate.
fn bar((document, row): (&Document, &Row)) -> Option<Bar> {
    let rate = row.measured.as_ref()?.gflop_per_s?;
    let peak = || {
        let reference = &document.results()?.reference;
        if of_matrices(row) { reference.fma_cooperative } else { reference.fma_f32 }.filter(|peak| *peak > 0.0)
    };
    let known = row.matmul.as_ref().and_then(Matmul::share_of_peak);
    let share = known.or_else(|| Some(rate / peak()?));
    let percent = share.map_or_else(|| "no peak yet".to_owned(), |share| format!("{} %", format_percent(share)));
    Some(Bar { share: share.unwrap_or(0.0), text: format!("{}, {percent}", format_flop_rate(rate)) })
}

/// A bar of no length where the rung was tried here and could not be measured.
fn refused(view: &View<'_>, pattern: &Pattern) -> Option<Bar> {
    let (words, _) = found::refusal(view, pattern)?;
    Some(Bar { share: 0.0, text: words.to_owned() })
}

fn roofs(ui: &mut egui::Ui, view: &View<'_>) {
    parts::title(ui, ROOFS);
    let roofs = rooflines(view);
    let width = ui.available_width().max(360.0);
    let height = (rungs().len() as f32 * bars::line_height(&[]) + 26.0).clamp(300.0, 460.0);
    let scene = roofline::scene(&roofs, &number, [width, height]);
    scene_painter::show(ui, &scene, view.palette);
    let whose = roofs.iter().map(|roof| {
        let [m, n, k] = roof.roofline.size;
        let style = match roof.whose {
            Whose::Recorded => "Thin, grey",
            Whose::File(_) => "Hatched marks",
            Whose::Here => "Strong",
        };
        format!(" {style}: {}, {m} x {n} x {k}.", roof.name)
    });
    let earlier = if roofs.iter().all(|roof| roof.earlier.is_empty()) {
        ""
    } else {
        " Empty marks: of an earlier run, whose roof was another."
    };
    parts::remark(
        ui,
        view,
        format!(
            "Numbers are rungs. The slope is what memory allows, the flat what arithmetic allows. A mark stands where nothing \
             is cached, its line ends where each matrix comes from memory once, both by the memory model of the device that \
             ran: a mark above the slope was helped by caches.{}{earlier}",
            whose.collect::<String>()
        ),
    );
}

/// The bars and the roofline, for a file.
pub(super) fn scenes(view: &View<'_>, size: [f32; 2]) -> [Scene; 2] {
    [bars::scene(TITLE, &lines(view), size[0]), roofline::scene(&rooflines(view), &number, size)]
}

/// The rooflines that there are: the recorded one, those of files, and this machine's.
fn rooflines(view: &View<'_>) -> Vec<Roof> {
    let of = |document: &Document| Roofline::of(document.results()?);
    let documents = || view.state.documents.shown();
    let recorded = documents().filter(|document| document.origin == Origin::Recorded);
    let recorded = recorded.filter_map(|document| Some((of(document)?, document.title()))).last();
    let recorded =
        recorded.map(|(roofline, name)| Roof { roofline, name, whose: Whose::Recorded, earlier: Vec::new() });
    let own = documents().filter(|document| matches!(document.origin, Origin::Session(_))).filter_map(of);
    let files = documents().filter(|document| matches!(document.origin, Origin::File(_)));
    let files = files.filter_map(|document| Some((of(document)?, document.title()))).zip(0..);
    let files = files.map(|((roofline, name), number)| Roof {
        roofline,
        name,
        whose: Whose::File(number),
        earlier: Vec::new(),
    });
    let own = own.fold(None, |earlier, now| Some(together(earlier, now)));
    recorded.into_iter().chain(files).chain(own).collect()
}

/// A later run under its own roof, with the rungs that only earlier ones of the same size have.
fn together(earlier: Option<Roof>, roofline: Roofline) -> Roof {
    let mut now = Roof { roofline, name: "this machine".to_owned(), whose: Whose::Here, earlier: Vec::new() };
    let earlier = earlier.filter(|earlier| earlier.roofline.size == now.roofline.size);
    for point in earlier.into_iter().flat_map(|earlier| earlier.roofline.points) {
        if !now.roofline.points.iter().any(|other| other.kernel == point.kernel) {
            now.earlier.push(point.kernel.clone());
            now.roofline.points.push(point);
        }
    }
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Band;
    use crate::report::roofline::Point;

    fn roofline(size: u64, points: &[(&str, f64)]) -> Roofline {
        let point = |(kernel, gflop_per_s): &(&str, f64)| Point {
            kernel: (*kernel).to_owned(),
            intensity: Band { low: 1.0, high: 2.0 },
            gflop_per_s: *gflop_per_s,
        };
        Roofline {
            read_gb_per_s: 1.0,
            ceilings: Vec::new(),
            size: [size; 3],
            points: points.iter().map(point).collect(),
        }
    }

    #[test]
    fn rungs_that_ran_one_by_one_stand_under_the_newest_roof_and_earlier_ones_are_told() {
        let first = together(None, roofline(256, &[("a", 1.0), ("b", 2.0)]));
        assert!(first.earlier.is_empty());
        let both = together(Some(first.clone()), roofline(256, &[("b", 3.0)]));
        let rates: Vec<f64> = both.roofline.points.iter().map(|point| point.gflop_per_s).collect();
        assert_eq!((rates, both.earlier), (vec![3.0, 1.0], vec!["a".to_owned()]));
        assert_eq!(together(Some(first), roofline(512, &[("b", 3.0)])).roofline.points.len(), 1);
    }
}
