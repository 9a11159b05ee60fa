//! Taking a guess: a number, or one of a few choices; and what was guessed.

use eframe::egui::{self, Align2, Button, Id, Key, RichText, Stroke, TextEdit, Ui};

use crate::app::command::Command;
use crate::app::lessons::{Act, Ask, Choice, Course, Figure, Guess, Page, Question};
use crate::app::theme;
use crate::app::views::{View, parts};

/// Digits that a guess may have.
const DIGITS: usize = 9;
/// Of the row with the entry, whose digits are large.
const HEIGHT: f32 = 46.0;

/// The entry, or what was guessed.
pub(super) fn show(ui: &mut Ui, view: &View<'_>, course: &Course, question: &Question, out: &mut Vec<Command>) {
    let page = view.state.learn.page;
    match (view.state.learn.guess(course), &question.ask) {
        (None, Ask::Figure { figure, .. }) => number(ui, view, page, *figure, out),
        (None, Ask::Choices(all)) => choices(ui, page, all, out),
        (Some(guess), ask) => {
            ui.horizontal_wrapped(|ui| {
                ui.strong(format!("Your guess: {}", text(guess, ask)));
                if ui.button("Guess again").clicked() {
                    forget(ui, page);
                    out.push(Command::Learn(Act::Again));
                }
            });
        }
    }
}

/// `16 sectors`, or the words of a choice.
pub(super) fn text(guess: Guess, ask: &Ask) -> String {
    match (guess, ask) {
        (Guess::Number(number), Ask::Figure { figure, .. }) => {
            format!("{} {}", Figure::text(number), figure.unit(number))
        }
        (Guess::Choice(place), Ask::Choices(all)) => {
            all.get(place).map_or_else(String::new, |choice| choice.text.clone())
        }
        (Guess::Number(_), Ask::Choices(_)) | (Guess::Choice(_), Ask::Figure { .. }) => String::new(),
    }
}

/// A guess as typed, or what is wrong with it.
fn parse(text: &str) -> Result<f64, String> {
    let text = text.trim();
    match text.replace(',', ".").parse::<f64>() {
        _ if text.is_empty() => Err("Type a number first, as in 12.".to_owned()),
        Ok(number) if number < 0.0 => Err(format!("'{text}' is less than nothing: type a number from 0 on.")),
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) | Err(_) => Err(format!("'{text}' is not a number: type digits, as in 12.")),
    }
}

fn number(ui: &mut Ui, view: &View<'_>, page: Page, figure: Figure, out: &mut Vec<Command>) {
    let id = entry(page);
    let mut draft = draft(ui, page);
    // Nothing moves by itself in this window.
    ui.visuals_mut().text_cursor.blink = false;
    // The entry is seen without the focus, too.
    ui.visuals_mut().widgets.inactive.bg_stroke = Stroke::new(1.0, view.palette.weak);
    let mut given = false;
    ui.horizontal(|ui| {
        ui.set_min_height(HEIGHT);
        let label = ui.label("Your guess");
        let edit = TextEdit::singleline(&mut draft)
            .id(id)
            .char_limit(DIGITS)
            .desired_width(110.0)
            .font(theme::large())
            .align(Align2::LEFT_CENTER)
            .hint_text("number");
        let response = ui.add(edit).labelled_by(label.id);
        if first_time(ui, page) {
            response.request_focus();
        }
        given = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
        ui.label(figure.unit(0.0));
        given |= ui.add(parts::main_button(view, "Answer")).on_hover_text("Enter").clicked();
    });
    let guess = parse(&draft);
    if given {
        match &guess {
            Ok(guess) => out.push(Command::Learn(Act::Guess(Guess::Number(*guess)))),
            Err(_) => ui.memory_mut(|memory| memory.request_focus(id)),
        }
    }
    // An empty entry is only wrong once it was given.
    let tried = id.with("tried");
    if given {
        ui.data_mut(|data| data.insert_temp(tried, true));
    }
    if let Err(problem) = guess
        && (!draft.trim().is_empty() || ui.data(|data| data.get_temp(tried).unwrap_or(false)))
    {
        ui.colored_label(view.palette.fair, problem);
    }
    keep(ui, page, draft);
}

fn choices(ui: &mut Ui, page: Page, all: &[Choice], out: &mut Vec<Command>) {
    for (place, choice) in all.iter().enumerate() {
        let letter = char::from(b'A' + u8::try_from(place % 26).unwrap_or_default());
        let response =
            ui.add(Button::new(RichText::new(format!("{letter}.  {}", choice.text)).text_style(theme::title())).wrap());
        if place == 0 {
            ui.data_mut(|data| data.insert_temp(first_choice(page), response.id));
        }
        // The label of a button is what it says, so that it can be found by it.
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &choice.text));
        if response.clicked() {
            out.push(Command::Learn(Act::Guess(Guess::Choice(place))));
        }
    }
}

fn entry(page: Page) -> Id {
    Id::unique(("learn-guess", page))
}

fn first_choice(page: Page) -> Id {
    Id::unique(("learn-first-choice", page))
}

fn draft(ui: &Ui, page: Page) -> String {
    ui.data(|data| data.get_temp(entry(page))).unwrap_or_default()
}

fn keep(ui: &Ui, page: Page, draft: String) {
    ui.data_mut(|data| data.insert_temp(entry(page), draft));
}

/// Another guess begins with an empty entry.
fn forget(ui: &Ui, page: Page) {
    keep(ui, page, String::new());
    ui.data_mut(|data| {
        data.remove::<bool>(entry(page).with("tried"));
        data.remove::<Page>(Id::unique("learn-shown"));
    });
}

/// Whether a page is shown for the first time since another one was.
fn first_time(ui: &Ui, page: Page) -> bool {
    let shown = Id::unique("learn-shown");
    ui.data_mut(|data| {
        let before = data.get_temp::<Page>(shown);
        data.insert_temp(shown, page);
        before != Some(page)
    })
}

/// Whether the focus is on the entry and nothing was typed: arrows have nothing to do in it.
pub(super) fn entry_is_empty(ui: &Ui, page: Page) -> bool {
    ui.memory(|memory| memory.has_focus(entry(page))) && draft(ui, page).is_empty()
}

/// Puts the focus on the first choice; the others follow by the arrows, and Enter takes one.
pub(super) fn focus_first_choice(ui: &Ui, page: Page) {
    if let Some(id) = ui.data(|data| data.get_temp::<Id>(first_choice(page))) {
        ui.memory_mut(|memory| {
            memory.request_focus(id);
            // The key that led here must not lead further.
            memory.move_focus(egui::FocusDirection::None);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, number) in [("32", 32.0), (" 12,5 ", 12.5), ("0", 0.0)] {
            assert_eq!(parse(text), Ok(number));
        }
        for (text, problem) in
            [("", "first"), ("-3", "from 0 on"), ("many", "digits"), ("1e999", "digits"), ("nan", "digits")]
        {
            assert!(parse(text).unwrap_err().contains(problem), "{text}");
        }
    }
}
