//! The answer: the reply to the guess, the explanation, the bill and the micro-world, the plot.

use eframe::egui::{self, RichText, Ui};

use super::banks;
use crate::app::command::Command;
use crate::app::forecast::WorkgroupTrace;
use crate::app::lessons::{Ask, Course, Figure, Guess, Knob, Picture, Question, counted, fill, is_right};
use crate::app::picture::{chart_painter, micro_world, scene_painter};
use crate::app::state::Tab;
use crate::app::views::patterns::{chart, sweep};
use crate::app::views::{View, parts};
use crate::memory_model::LESSON;

type Traced<'a> = Option<&'a Result<WorkgroupTrace, String>>;

/// Reply and explanation where there is a guess; bill and picture in any case.
pub(super) fn show(ui: &mut Ui, view: &View<'_>, course: &Course, question: &Question, trace: Traced<'_>) {
    let trace = match trace {
        Some(Ok(trace)) => trace,
        Some(Err(reason)) => {
            parts::sentence(ui, view, "This cannot be counted here.");
            ui.colored_label(view.palette.bad, reason);
            return;
        }
        None => {
            parts::remark(ui, view, "Being counted ..");
            return;
        }
    };
    if let Some(guess) = view.state.learn.guess(course) {
        ui.scope(|ui| {
            ui.set_max_width(super::LINE.min(ui.available_width()));
            let (right, text) = reply(question, guess, trace);
            let color = if right { view.palette.good } else { view.palette.fair };
            ui.add(egui::Label::new(RichText::new(text).heading().color(color)).wrap());
            parts::sentence(ui, view, &fill(&question.explain, trace));
        });
    }
    if question.picture == Picture::Banks {
        banks::show(ui, view, question);
        return;
    }
    let Some(request) = trace.request(trace.primary_access(), 0) else { return };
    parts::figures(ui, &request.bill.text(), view.palette.excess(request.bill.excess()));
    let scene = micro_world::scene(&request, &LESSON, ui.available_width().max(240.0));
    scene_painter::show(ui, &scene, view.palette);
    let few = request.subgroup_lanes < LESSON.subgroup.value;
    let few = if few { format!(" This workgroup has only {}.", request.subgroup_lanes) } else { String::new() };
    parts::remark(ui, view, format!("{}{few}", course.about.model));
}

/// Whether a guess is right, and what is said to it.
#[must_use]
fn reply(question: &Question, guess: Guess, trace: &WorkgroupTrace) -> (bool, String) {
    let right = is_right(question, guess, |figure| counted(figure, trace));
    let Some(right) = right else { return (false, "This is not counted here.".to_owned()) };
    let text = match (&question.ask, guess) {
        (Ask::Figure { figure, wrong, otherwise }, Guess::Number(guess)) => {
            let answer = counted(*figure, trace).unwrap_or_default();
            let said = format!("{} {}", Figure::text(answer), figure.unit(answer));
            if right {
                format!("Right: {said}.")
            } else {
                let own = wrong.iter().find(|wrong| figure.is_right(guess, wrong.guess));
                let words = fill(own.map_or(otherwise, |wrong| &wrong.reply), trace);
                format!("Not quite: the model counts {said}. {words}")
            }
        }
        (Ask::Choices(all), Guess::Choice(place)) => {
            let words = all.get(place).map_or_else(String::new, |choice| fill(&choice.reply, trace));
            match all.iter().find(|choice| choice.right).filter(|_| !right) {
                Some(choice) => format!("Not quite. {words} Right is: {}.", choice.text),
                None => format!("Right. {words}"),
            }
        }
        (Ask::Figure { .. }, Guess::Choice(_)) | (Ask::Choices(_), Guess::Number(_)) => String::new(),
    };
    (right, text)
}

/// The plot along the stride, for a question that moves it.
pub(super) fn plot(ui: &mut Ui, view: &View<'_>, question: &Question) {
    if question.rows.len() < 2 || sweep::axis(question.pattern.kernel) != Some("stride") {
        return;
    }
    let strides: std::collections::BTreeSet<_> = question.rows.iter().map(|row| row.number("stride")).collect();
    let Some(chart) = chart::chart(view).filter(|_| strides.len() > 1) else { return };
    ui.separator();
    parts::title(ui, "Useful bandwidth along the stride");
    let height = ui.available_height().clamp(280.0, 460.0);
    chart_painter::show(ui, "learn-plot", &chart, view.palette, height);
}

/// Where more of it can be seen; the view there takes the question's pattern over.
pub(super) fn elsewhere(ui: &mut Ui, knob: Knob, question: &Question, out: &mut Vec<Command>) {
    let (label, tab) = match knob {
        Knob::Lineup | Knob::Both => ("See it in Patterns", Tab::Patterns),
        Knob::Width => ("See it in Width", Tab::Width),
        Knob::Reuse => ("See it in Matmul", Tab::Matmul),
    };
    if ui.button(label).clicked() {
        out.push(Command::Show(tab));
        match tab {
            Tab::Patterns => out.push(Command::Pattern(question.pattern.clone())),
            Tab::Matmul => out.push(Command::Rung(question.pattern.kernel.id)),
            Tab::Width | Tab::Learn | Tab::Wgsl => {}
        }
    }
}
