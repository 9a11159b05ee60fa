//! How far a learner is; stays from one start to the next.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::course::{Ask, Course, Step};

/// A guess.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Guess {
    /// A number.
    Number(f64),
    /// The choice at this place.
    Choice(usize),
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StepState {
    /// A question has no guess.
    Open,
    /// All questions have one.
    Answered,
    /// And its rows were measured here.
    Done,
}

impl StepState {
    /// In a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::Done => "done",
        }
    }
}

/// What was guessed, and what was measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    guesses: BTreeMap<String, Guess>,
    measured: BTreeSet<String>,
}

/// Names of questions outlive a change of the lesson's order.
fn key(step: &Step, question: usize) -> String {
    format!("{}/{question}", step.id)
}

impl Progress {
    /// The guess at a question; `None` where there is none, or none that fits it.
    #[must_use]
    pub fn guess(&self, step: &Step, question: usize) -> Option<Guess> {
        let guess = self.guesses.get(&key(step, question)).copied()?;
        let fits = match (&step.questions.get(question)?.ask, guess) {
            (Ask::Figure { .. }, Guess::Number(number)) => number.is_finite(),
            (Ask::Choices(all), Guess::Choice(place)) => place < all.len(),
            (Ask::Figure { .. }, Guess::Choice(_)) | (Ask::Choices(_), Guess::Number(_)) => false,
        };
        fits.then_some(guess)
    }

    /// Keeps a guess, or forgets it.
    pub fn set(&mut self, step: &Step, question: usize, guess: Option<Guess>) {
        match guess {
            Some(guess) => self.guesses.insert(key(step, question), guess),
            None => self.guesses.remove(&key(step, question)),
        };
    }

    /// Keeps that the rows of a step were measured.
    pub fn set_measured(&mut self, step: &Step) {
        self.measured.insert(step.id.clone());
    }

    /// How far a step is.
    #[must_use]
    pub fn state(&self, step: &Step) -> StepState {
        if (0..step.questions.len()).any(|question| self.guess(step, question).is_none()) {
            StepState::Open
        } else if self.measured.contains(&step.id) {
            StepState::Done
        } else {
            StepState::Answered
        }
    }

    /// `3 of 10 steps answered, 2 measured so far`, in earlier windows or in this one.
    #[must_use]
    pub fn sentence(&self, course: &Course) -> String {
        let at_least = |state| course.steps.iter().filter(|step| self.state(step) >= state).count();
        let (answered, done) = (at_least(StepState::Answered), at_least(StepState::Done));
        let measured = if done == 0 { String::new() } else { format!(", {done} measured so far") };
        format!("{answered} of {} steps answered{measured}", course.steps.len())
    }

    /// As stored; nothing done where that is not readable.
    #[must_use]
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// For storage.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::course;
    use super::*;

    #[test]
    fn a_step_is_answered_when_all_its_questions_are_and_done_when_it_was_measured() {
        let course = course().unwrap();
        // Two questions: a number and a choice.
        let step = &course.steps[1];
        let mut progress = Progress::default();
        progress.set(step, 0, Some(Guess::Number(5.0)));
        progress.set_measured(step);
        assert_eq!(progress.state(step), StepState::Open);
        progress.set(step, 1, Some(Guess::Choice(0)));
        assert_eq!(progress.state(step), StepState::Done);
        assert_eq!(progress.sentence(course), "1 of 10 steps answered, 1 measured so far");
        assert_eq!(Progress::from_json(&progress.to_json()), progress);
        progress.set(step, 1, None);
        assert_eq!(progress.state(step), StepState::Open);
        assert_eq!(progress.sentence(course), "0 of 10 steps answered");
    }

    #[test]
    fn what_does_not_fit_the_question_is_no_guess() {
        let step = &course().unwrap().steps[1];
        let mut progress = Progress::default();
        progress.set(step, 0, Some(Guess::Choice(0)));
        progress.set(step, 1, Some(Guess::Choice(99)));
        assert_eq!((progress.guess(step, 0), progress.guess(step, 1), progress.guess(step, 2)), (None, None, None));
        assert_eq!(Progress::from_json("{\"guesses\": 7}"), Progress::default());
    }
}
