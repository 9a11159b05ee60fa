//! What the learner does: turns pages, guesses, guesses again. Called by [`crate::app::update()`] alone.

use super::course::{Course, Question, Step, course};
use super::progress::{Guess, Progress};
use super::rows::newest_run;
use crate::app::forecast::Pattern;
use crate::app::state::{ModelChoice, State, Step as Shown, Tab};

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Page {
    /// A question of a step, by their places.
    Question {
        /// The step.
        step: usize,
        /// Its question.
        question: usize,
    },
    /// What to take home.
    Recall,
    /// Where claims and hardware differ.
    Differs,
}

/// Where the learner is.
#[derive(Debug, Clone, PartialEq)]
pub struct Learn {
    /// What is open.
    pub page: Page,
    /// What was done so far.
    pub progress: Progress,
    /// What the other views looked at when this one was opened: it has its own, and theirs comes back.
    elsewhere: Option<Elsewhere>,
    /// Whether the view was open before.
    opened: bool,
}

impl Default for Learn {
    fn default() -> Self {
        let page = Page::Question { step: 0, question: 0 };
        Self { page, progress: Progress::default(), elsewhere: None, opened: false }
    }
}

/// What the views beside the lesson look at.
#[derive(Debug, Clone, PartialEq)]
struct Elsewhere {
    pattern: Pattern,
    pinned: Option<Pattern>,
    picked: Option<(usize, usize)>,
    step: Shown,
    model: ModelChoice,
    covered: bool,
}

impl Elsewhere {
    fn of(state: &State) -> Self {
        Self {
            pattern: state.pattern.clone(),
            pinned: state.pinned.clone(),
            picked: state.picked,
            step: state.step,
            model: state.model,
            covered: state.covered,
        }
    }

    fn bring_back(self, state: &mut State) {
        (state.pattern, state.pinned, state.picked) = (self.pattern, self.pinned, self.picked);
        (state.step, state.model, state.covered) = (self.step, self.model, self.covered);
    }
}

/// What the learner does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Act {
    /// Opens a page.
    Go(Page),
    /// Opens a step at its first open question.
    Step(usize),
    /// Guesses at the question that is open.
    Guess(Guess),
    /// Takes the guess back.
    Again,
    /// Forgets all guesses.
    Restart,
}

impl Learn {
    /// The question that is open, with its step and its place in it.
    #[must_use]
    pub fn question<'a>(&self, course: &'a Course) -> Option<(&'a Step, &'a Question, usize)> {
        let Page::Question { step, question } = self.page else { return None };
        let step = course.steps.get(step)?;
        Some((step, step.questions.get(question)?, question))
    }

    /// The model that counts in the other views, which the lesson leaves alone; `None` while they have it themselves.
    #[must_use]
    pub fn model_elsewhere(&self) -> Option<ModelChoice> {
        self.elsewhere.as_ref().map(|elsewhere| elsewhere.model)
    }

    /// The guess at the question that is open.
    #[must_use]
    pub fn guess(&self, course: &Course) -> Option<Guess> {
        let (step, _, question) = self.question(course)?;
        self.progress.guess(step, question)
    }
}

/// All pages, in order.
#[must_use]
pub fn pages(course: &Course) -> Vec<Page> {
    let questions = course
        .steps
        .iter()
        .enumerate()
        .flat_map(|(step, all)| (0..all.questions.len()).map(move |question| Page::Question { step, question }));
    questions.chain([Page::Recall, Page::Differs]).collect()
}

/// Carries out what the learner does.
pub fn carry_out(state: &mut State, act: Act) {
    let Ok(course) = course() else { return };
    let learn = &mut state.learn;
    match act {
        Act::Go(page) => {
            if pages(course).contains(&page) {
                learn.page = page;
            }
        }
        Act::Step(place) => {
            let Some(step) = course.steps.get(place) else { return };
            learn.page = Page::Question { step: place, question: first_open(&learn.progress, step).unwrap_or(0) };
        }
        Act::Guess(guess) => set(learn, course, Some(guess)),
        Act::Again => set(learn, course, None),
        Act::Restart => {
            learn.progress = Progress::default();
            learn.page = Learn::default().page;
        }
    }
    if state.tab == Tab::Learn {
        open(state, course);
    }
}

fn set(learn: &mut Learn, course: &Course, guess: Option<Guess>) {
    if let Page::Question { step, question } = learn.page
        && let Some(step) = course.steps.get(step)
    {
        learn.progress.set(step, question, guess);
    }
}

fn first_open(progress: &Progress, step: &Step) -> Option<usize> {
    (0..step.questions.len()).find(|question| progress.guess(step, *question).is_none())
}

/// Another view is about to be shown, or this one.
pub fn tab(state: &mut State, to: Tab) {
    let Ok(course) = course() else { return };
    match (state.tab == Tab::Learn, to == Tab::Learn) {
        (false, true) => {
            state.learn.elsewhere = Some(Elsewhere::of(state));
            if !std::mem::replace(&mut state.learn.opened, true) {
                // Whoever was here before goes on where the first question is open.
                let progress = &state.learn.progress;
                let next = course
                    .steps
                    .iter()
                    .enumerate()
                    .find_map(|(place, step)| Some((place, first_open(progress, step)?)));
                state.learn.page = next.map_or(Page::Recall, |(step, question)| Page::Question { step, question });
            }
            open(state, course);
        }
        (true, false) => {
            if let Some(elsewhere) = state.learn.elsewhere.take() {
                elsewhere.bring_back(state);
            }
        }
        (true, true) | (false, false) => {}
    }
}

/// Sets what the open question is asked of, and covers the answer until there is a guess.
fn open(state: &mut State, course: &Course) {
    let Some((_, question, _)) = state.learn.question(course) else {
        state.covered = false;
        return;
    };
    state.covered = state.learn.guess(course).is_none();
    state.pattern = question.pattern.clone();
    state.pinned = None;
    state.picked = None;
    state.step = Shown::default();
    state.model = ModelChoice::Lesson;
}

/// Keeps which steps were measured on this machine.
pub fn note_measured(state: &mut State) {
    let Ok(course) = course() else { return };
    for step in &course.steps {
        if newest_run(&state.documents, &step.rows()).is_some() {
            state.learn.progress.set_measured(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Command;
    use crate::app::update;

    fn at(state: &State) -> (usize, usize) {
        let Page::Question { step, question } = state.learn.page else { panic!("{:?}", state.learn.page) };
        (step, question)
    }

    #[test]
    fn a_step_sets_its_parameters_and_covers_the_answer_until_a_guess() {
        let mut state = State::default();
        update(&mut state, Command::Show(Tab::Learn));
        assert!(state.covered);
        update(&mut state, Command::Learn(Act::Step(2)));
        assert_eq!((state.pattern.number("stride"), at(&state)), (Some(2), (2, 0)));
        update(&mut state, Command::Learn(Act::Guess(Guess::Number(4.0))));
        assert!(!state.covered);
        update(&mut state, Command::Learn(Act::Go(Page::Question { step: 2, question: 2 })));
        assert_eq!((state.pattern.number("stride"), state.covered), (Some(8), true));
        update(&mut state, Command::Learn(Act::Step(2)));
        assert_eq!(at(&state), (2, 1), "its first open question");
        update(&mut state, Command::Learn(Act::Go(Page::Question { step: 2, question: 0 })));
        update(&mut state, Command::Learn(Act::Again));
        assert!(state.covered);
    }

    #[test]
    fn other_views_are_as_covered_as_they_were() {
        for covered in [false, true] {
            let mut state = State { covered, ..State::default() };
            update(&mut state, Command::Show(Tab::Learn));
            assert!(state.covered);
            update(&mut state, Command::Show(Tab::Learn));
            update(&mut state, Command::Show(Tab::Patterns));
            assert_eq!(state.covered, covered);
        }
    }

    #[test]
    fn other_views_look_at_what_they_looked_at() {
        let mut state = State::default();
        for command in [
            Command::Set("stride", 4u32.into()),
            Command::Pin,
            Command::Set("stride", 2u32.into()),
            Command::Step(Shown { access: 3, subgroup: 1 }),
            Command::Model(ModelChoice::ThisGpu),
        ] {
            update(&mut state, command);
        }
        let before = Elsewhere::of(&state);
        update(&mut state, Command::Show(Tab::Learn));
        update(&mut state, Command::Learn(Act::Step(9)));
        update(&mut state, Command::Learn(Act::Guess(Guess::Choice(0))));
        assert_eq!((state.pattern.kernel.family, &state.pinned, state.model), ("matmul", &None, ModelChoice::Lesson));
        assert_eq!(state.learn.model_elsewhere(), Some(ModelChoice::ThisGpu));
        for tab in [Tab::Matmul, Tab::Patterns] {
            update(&mut state, Command::Show(tab));
            assert_eq!(Elsewhere::of(&state), before);
        }
        // And what was changed there is not the lesson's either.
        update(&mut state, Command::Set("stride", 64u32.into()));
        update(&mut state, Command::Show(Tab::Learn));
        assert_eq!(state.pattern.kernel.family, "matmul");
        update(&mut state, Command::Show(Tab::Patterns));
        assert_eq!(state.pattern.number("stride"), Some(64));
    }

    #[test]
    fn whoever_was_here_before_goes_on_at_the_first_open_question() {
        let mut state = State::default();
        let first = &course().unwrap().steps[0];
        state.learn.progress.set(first, 0, Some(Guess::Number(4.0)));
        update(&mut state, Command::Show(Tab::Learn));
        assert_eq!(at(&state), (1, 0));
        update(&mut state, Command::Learn(Act::Restart));
        assert_eq!((at(&state), &state.learn.progress), ((0, 0), &Progress::default()));
    }

    #[test]
    fn places_that_are_none_open_nothing() {
        let mut state = State { tab: Tab::Learn, ..State::default() };
        for act in [Act::Step(99), Act::Go(Page::Question { step: 0, question: 9 })] {
            update(&mut state, Command::Learn(act));
            assert_eq!(at(&state), (0, 0));
        }
    }
}
