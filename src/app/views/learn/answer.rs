//! The answer: the reply to the guess, the explanation, the bill and the micro-world, the plot.

use eframe::egui::{self, RichText, Ui};

use crate::app::command::Command;
use crate::app::forecast::WorkgroupTrace;
use crate::app::lessons::{Ask, Course, Figure, Guess, Question, counted, fill};
use crate::app::picture::{chart_painter, micro_world, scene_painter};
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
    let Some(request) = trace.request(trace.primary_access(), 0) else { return };
    parts::figures(ui, &request.bill.text(), view.palette.excess(request.bill.excess()));
    let scene = micro_world::scene(&request, &LESSON, ui.available_width().max(240.0));
    scene_painter::show(ui, &scene, view.palette);
    parts::remark(ui, view, &course.about.model);
}

/// Whether a guess is right, and what is said to it.
#[must_use]
fn reply(question: &Question, guess: Guess, trace: &WorkgroupTrace) -> (bool, String) {
    match (&question.ask, guess) {
        (Ask::Figure { figure, wrong, otherwise }, Guess::Number(guess)) => {
            let Some(answer) = counted(*figure, trace) else { return (false, "This is not counted here.".to_owned()) };
            let said = format!("{} {}", Figure::text(answer), figure.unit(answer));
            if figure.is_right(guess, answer) {
                return (true, format!("Right: {said}."));
            }
            let own = wrong.iter().find(|wrong| figure.is_right(guess, wrong.guess));
            let words = fill(own.map_or(otherwise, |wrong| &wrong.reply), trace);
            (false, format!("Not quite: the model counts {said}. {words}"))
        }
        (Ask::Choices(all), Guess::Choice(place)) => {
            let Some(choice) = all.get(place) else { return (false, String::new()) };
            let word = if choice.right { "Right" } else { "Not quite" };
            (choice.right, format!("{word}. {}", fill(&choice.reply, trace)))
        }
        (Ask::Figure { .. }, Guess::Choice(_)) | (Ask::Choices(_), Guess::Number(_)) => (false, String::new()),
    }
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

/// Where more of it can be seen.
pub(super) fn elsewhere(ui: &mut Ui, knob: crate::app::lessons::Knob, out: &mut Vec<Command>) {
    use crate::app::lessons::Knob;
    use crate::app::state::Tab;
    let (label, tab) = match knob {
        Knob::Lineup | Knob::Both => ("See it in Patterns", Tab::Patterns),
        Knob::Width => ("See it in Width", Tab::Width),
        Knob::Reuse => ("See it in Matmul", Tab::Matmul),
    };
    if ui.button(label).clicked() {
        out.push(Command::Show(tab));
    }
}
