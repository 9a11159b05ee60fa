//! Guess, model, this machine and the recorded H200 beside each other; and what the measurement shows, in words.

use eframe::egui::{self, Grid, RichText, Ui};

use super::answer;
use crate::app::command::Command;
use crate::app::forecast::Pattern;
use crate::app::lessons::{
    self, Ask, Compared, Course, Figure, Found, Guess, Question, Reading, Step, newest, newest_run, rate, reading,
    recorded,
};
use crate::app::state::Device;
use crate::app::views::{View, found, parts};
use crate::kernels::Value;
use crate::record::{Band, Status};
use crate::units::{Bytes, format_gb_per_s, format_ns, format_percent, format_tenths};

/// From this width on, it is a table; below, one row after the other.
const TABLE: f32 = 700.0;

/// What a share of a measured rate is of; explained below the table.
const OF_ITS_BEST: &str = "of its best";

/// The table and the words.
pub(super) fn show(
    ui: &mut Ui,
    view: &View<'_>,
    course: &Course,
    step: &Step,
    question: &Question,
    out: &mut Vec<Command>,
) {
    if question.rows.is_empty() {
        parts::remark(ui, view, "The next questions of this step lead to the measurement.");
        return;
    }
    ui.separator();
    parts::title(ui, "What the model says, and what was measured");
    let heads = heads(view);
    let lines = lines(view, step, question);
    if ui.available_width() >= TABLE {
        table(ui, view, &heads, &lines);
    } else {
        stack(ui, view, &heads, &lines);
    }
    if lines.iter().any(|line| line.cells.iter().any(|cell| cell.ends_with(OF_ITS_BEST))) {
        let text =
            format!("\"{OF_ITS_BEST}\": the share of the best rate that the same machine reached in the same run.");
        parts::remark(ui, view, text);
    }
    if question.times {
        parts::remark(ui, view, "Times are those of one walk over the buffer, whose size stands beside them.");
    }
    words(ui, view, course, question);
    answer::elsewhere(ui, step.knob, question, out);
}

/// What the columns hold.
fn heads(view: &View<'_>) -> [String; 4] {
    let documents = &view.state.documents;
    let recorded = documents.all().iter().find(|document| document.origin == crate::app::Origin::Recorded);
    [
        "your guess".to_owned(),
        "model (lesson)".to_owned(),
        view.state
            .device
            .found()
            .map_or_else(|| "this machine".to_owned(), |f| format!("this machine: {}", f.adapter.name)),
        recorded.map_or_else(String::new, crate::app::Document::title),
    ]
}

/// A row's name and its cells.
struct Line {
    name: String,
    cells: [String; 4],
}

fn lines(view: &View<'_>, step: &Step, question: &Question) -> Vec<Line> {
    let documents = &view.state.documents;
    let line = |(name, row): (String, &Pattern)| {
        let here = match newest(documents, row) {
            Some(found) => measured(found, question.times),
            None => missing(&view.state.device).to_owned(),
        };
        let there =
            recorded(documents, row).map_or_else(|| "not recorded".to_owned(), |row| measured(row, question.times));
        Line { name, cells: [guessed(view, step, row), modelled(view, row), here, there] }
    };
    names(&question.rows).into_iter().zip(&question.rows).map(line).collect()
}

/// Names that tell rows apart: each kernel with what is not at its default, or differs between the rows.
pub(super) fn names(rows: &[Pattern]) -> Vec<String> {
    let name = |row: &Pattern| {
        let same_kernel = || rows.iter().filter(|other| other.kernel.id == row.kernel.id);
        let parts = row.kernel.parameters.iter().filter_map(|parameter| {
            let value = row.params.get(parameter.name)?;
            let differs = same_kernel().any(|other| other.params.get(parameter.name) != Some(value));
            (differs || *value != parameter.default).then(|| match value {
                Value::Number(number) => format!("{} {number}", parameter.name.replace('_', " ")),
                Value::Word(word) => (*word).to_owned(),
            })
        });
        let parts: Vec<String> = parts.collect();
        let kernel = row.kernel.id;
        if parts.is_empty() { kernel.to_owned() } else { format!("{kernel}, {}", parts.join(", ")) }
    };
    rows.iter().map(name).collect()
}

/// The guess at a row's sectors, and the share that it would leave.
fn guessed(view: &View<'_>, step: &Step, row: &Pattern) -> String {
    let guess = step.questions.iter().enumerate().find_map(|(place, question)| {
        let of_sectors = matches!(question.ask, Ask::Figure { figure: Figure::Sectors, .. });
        let guess = view.state.learn.progress.guess(step, place).filter(|_| of_sectors && question.pattern == *row)?;
        match guess {
            Guess::Number(number) => Some(number),
            Guess::Choice(_) => None,
        }
    });
    let Some(sectors) = guess else { return String::new() };
    let text = format!("{} {}", Figure::text(sectors), Figure::Sectors.unit(sectors));
    let used = super::trace(view, row).and_then(|trace| {
        let trace = trace.as_ref().as_ref().ok()?;
        let bill = trace.request(trace.primary_access(), 0)?.bill;
        let share = bill.useful_bytes as f64 / (sectors * f64::from(bill.sector_bytes));
        (share <= 1.0).then(|| format_tenths(share))
    });
    used.map_or_else(|| text.clone(), |used| format!("{text}: {used} % used"))
}

/// What the model counts for a row: sectors and share, or the bytes that a multiply-add needs.
fn modelled(view: &View<'_>, row: &Pattern) -> String {
    let Some(trace) = super::trace(view, row) else { return "being counted ..".to_owned() };
    let trace = match trace.as_ref() {
        Ok(trace) => trace,
        Err(reason) => return reason.clone(),
    };
    if row.kernel.family == "matmul" {
        let bytes = 2.0 * trace.work.requested_bytes as f64 / trace.work.flop.max(1) as f64;
        let size = trace.product.map_or_else(String::new, |[m, n, k]| format!(", {m} x {n} x {k}"));
        return format!("{bytes:.3} B loaded or stored for each multiply-add{size}");
    }
    let count = |figure| lessons::counted(figure, trace).unwrap_or_default();
    let sectors = count(Figure::Sectors);
    let used = Figure::text(count(Figure::UsedPercent));
    format!("{} {}: {used} % used", Figure::text(sectors), Figure::Sectors.unit(sectors))
}

/// The rate of a row, its share of the best rate of its run, and where it is asked for the time of one walk.
fn measured((_, row): Found<'_>, times: bool) -> String {
    if row.status != Status::Ok {
        return row.reason.clone().unwrap_or_else(|| "not measured".to_owned());
    }
    let Some((rate, unit)) = rate(row) else { return "not measured".to_owned() };
    let share = row.measured.as_ref().and_then(|measured| measured.efficiency).filter(|share| share.is_finite());
    let share = share.map_or_else(String::new, |share| format!(": {} % {OF_ITS_BEST}", format_tenths(share)));
    let size = found::size(row).map_or_else(String::new, |size| format!(", {size}"));
    let time = row.measured.as_ref().filter(|_| times).map_or_else(String::new, |measured| {
        format!("; {} for {}", format_ns(measured.median_ns), Bytes(row.work.footprint_bytes))
    });
    format!("{} {unit}{share}{size}{time}", format_gb_per_s(rate))
}

const fn missing(device: &Device) -> &'static str {
    match device {
        Device::Missing(_) => "no GPU here",
        Device::Searching | Device::Found(_) => "not measured yet",
    }
}

fn table(ui: &mut Ui, view: &View<'_>, heads: &[String; 4], lines: &[Line]) {
    let columns = columns(lines);
    let width = (ui.available_width().min(super::LINE + 200.0) / (columns.len() + 1) as f32 - 12.0).max(90.0);
    let cell = |ui: &mut Ui, text: RichText| {
        ui.scope(|ui| {
            ui.set_width(width);
            ui.add(egui::Label::new(text).wrap());
        });
    };
    Grid::new("learn-compare").striped(true).spacing([12.0, 6.0]).show(ui, |ui| {
        cell(ui, RichText::new(""));
        for column in &columns {
            cell(ui, RichText::new(&heads[*column]).color(view.palette.weak));
        }
        ui.end_row();
        for line in lines {
            cell(ui, RichText::new(&line.name));
            for column in &columns {
                cell(ui, RichText::new(&line.cells[*column]).strong().color(ink(view, *column)));
            }
            ui.end_row();
        }
    });
}

/// The columns with something in them: a choice has no number to stand in the first.
fn columns(lines: &[Line]) -> Vec<usize> {
    (0..4).filter(|column| lines.iter().any(|line| !line.cells[*column].is_empty())).collect()
}

const fn ink(view: &View<'_>, column: usize) -> egui::Color32 {
    match column {
        1 => view.palette.predicted,
        2 => view.palette.measured,
        3 => view.palette.recorded,
        _ => view.palette.text,
    }
}

fn stack(ui: &mut Ui, view: &View<'_>, heads: &[String; 4], lines: &[Line]) {
    for line in lines {
        ui.add(egui::Label::new(RichText::new(&line.name).strong()).wrap());
        for column in columns(lines).into_iter().filter(|column| !line.cells[*column].is_empty()) {
            let text = format!("{}: {}", heads[column], line.cells[column]);
            ui.add(egui::Label::new(RichText::new(text).color(ink(view, column))).wrap());
        }
    }
}

/// What the measurement shows; or what to do for one.
fn words(ui: &mut Ui, view: &View<'_>, course: &Course, question: &Question) {
    ui.set_max_width(super::LINE.min(ui.available_width()));
    match &view.state.device {
        Device::Missing(reason) => {
            let text = format!("Nothing can be measured here: {reason}. The counts hold without a GPU.");
            parts::remark(ui, view, text);
            return;
        }
        Device::Found(found) if found.adapter.is_cpu() => {
            let words = question.words.as_ref().map_or(&course.about.cpu, |words| &words.cpu);
            parts::sentence(ui, view, words);
            return;
        }
        Device::Searching | Device::Found(_) => {}
    }
    let rows = newest_run(&view.state.documents, &question.rows);
    let Some(rows) = rows else {
        parts::remark(ui, view, "Measure on this GPU: the button is below, or press M.");
        return;
    };
    let Some(words) = &question.words else { return };
    let compared: Option<Vec<Compared>> = rows
        .iter()
        .zip(&question.rows)
        .map(|((_, row), pattern)| Some(Compared { expected: expected(view, pattern), rate: rate(row)?.0 }))
        .collect();
    match compared.and_then(|rows| reading(words.shows, &rows)) {
        None => {
            parts::remark(ui, view, "Being compared with the model ..");
        }
        Some(Reading::Shown) => {
            parts::sentence(ui, view, &words.gpu);
        }
        Some(Reading::Absorbed { row, measured, allowed }) => {
            parts::sentence(ui, view, &words.absorbed);
            parts::remark(ui, view, evidence(&names(&question.rows), row, measured, allowed));
        }
    }
}

fn evidence(names: &[String], row: usize, measured: f64, allowed: Option<f64>) -> String {
    let (first, name) = (names.first().map_or("", String::as_str), names.get(row).map_or("", String::as_str));
    let percent = |share: f64| format_percent((100.0 * share).round() / 100.0);
    let allowed =
        allowed.map_or_else(String::new, |allowed| format!("; the counts alone allow {} %", percent(allowed)));
    format!("The evidence: {name} reached {} % of the rate of {first}{allowed}.", percent(measured))
}

/// Useful over fetched bytes of the whole dispatch by the lesson's model.
fn expected(view: &View<'_>, pattern: &Pattern) -> Option<Band> {
    let prediction = view.forecasts.prediction(pattern, &super::setup(view))?;
    let traffic = prediction.as_ref().as_ref().ok()?.traffic_efficiency.as_ref()?;
    Some(Band { low: traffic.low, high: traffic.high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::by_id;

    #[test]
    fn rows_are_named_by_what_tells_them_apart() {
        let read = Pattern::of(by_id("read").unwrap());
        let rows = [read.clone(), read.with("stride", 8)];
        assert_eq!(names(&rows), ["read, stride 1", "read, stride 8"]);
        assert_eq!(names(&[Pattern::of(by_id("matmul_naive").unwrap())]), ["matmul_naive"]);
    }

    #[test]
    fn evidence_names_both_rows_and_what_the_counts_allow() {
        let names = ["read, stride 1".to_owned(), "read, stride 8".to_owned()];
        assert_eq!(
            evidence(&names, 1, 0.6, Some(0.125)),
            "The evidence: read, stride 8 reached 60 % of the rate of read, stride 1; the counts alone allow 13 %."
        );
    }
}
