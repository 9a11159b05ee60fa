//! Whether a guess is right.

use super::course::{Ask, Question};
use super::figure::Figure;
use super::progress::Guess;

/// Whether a guess at a question is right; `None` where the figure that it asks for is not counted (yet), or the guess is
/// of another kind.
#[must_use]
pub fn is_right(question: &Question, guess: Guess, counted: impl FnOnce(Figure) -> Option<f64>) -> Option<bool> {
    match (&question.ask, guess) {
        (Ask::Figure { figure, .. }, Guess::Number(guess)) => Some(figure.is_right(guess, counted(*figure)?)),
        (Ask::Choices(all), Guess::Choice(place)) => Some(all.get(place)?.right),
        (Ask::Figure { .. }, Guess::Choice(_)) | (Ask::Choices(_), Guess::Number(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::course;
    use super::*;

    #[test]
    fn numbers_are_held_against_the_count_and_choices_against_the_file() {
        let steps = &course().unwrap().steps;
        let (number, choice) = (&steps[0].questions[0], &steps[1].questions[1]);
        let judge = |question, guess| is_right(question, guess, |_| Some(4.0));
        assert_eq!(judge(number, Guess::Number(4.0)), Some(true));
        assert_eq!(judge(number, Guess::Number(5.0)), Some(false));
        assert_eq!(judge(number, Guess::Choice(0)), None);
        assert_eq!(is_right(number, Guess::Number(4.0), |_| None), None);
        let Ask::Choices(all) = &choice.ask else { panic!("a choice") };
        let right: Vec<Option<bool>> = (0..all.len()).map(|place| judge(choice, Guess::Choice(place))).collect();
        assert_eq!(right.iter().filter(|right| **right == Some(true)).count(), 1);
        assert_eq!(judge(choice, Guess::Choice(99)), None);
    }
}
