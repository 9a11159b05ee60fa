//! The lesson's file, held against the interpreter and the recorded runs.

use std::sync::Arc;
use std::time::Duration;

use sectorscope::app::forecast::Setup;
use sectorscope::app::lessons::{
    Ask, Compared, Course, Figure, Question, Reading, Shows, Step, counted, course, fill, fill_rates, rate, reading,
    recorded,
};
use sectorscope::app::{Documents, Forecasts, Pattern, WorkgroupTrace};
use sectorscope::kernels;
use sectorscope::memory_model::LESSON;
use sectorscope::program::Limits;
use sectorscope::record::Band;

fn lesson() -> &'static Course {
    course().unwrap()
}

fn setup() -> Setup {
    Setup { model: LESSON.clone(), footprint_bytes: 256 << 20, limits: Limits::WITHOUT_DEVICE, size: 2048 }
}

fn trace(pattern: &Pattern) -> WorkgroupTrace {
    WorkgroupTrace::record(&pattern.plan(&setup()).unwrap(), &LESSON).unwrap()
}

fn questions() -> impl Iterator<Item = (&'static Step, &'static Question)> {
    lesson().steps.iter().flat_map(|step| step.questions.iter().map(move |question| (step, question)))
}

fn answer(question: &Question) -> Option<f64> {
    match &question.ask {
        Ask::Figure { figure, .. } => counted(*figure, &trace(&question.pattern)),
        Ask::Choices(_) => None,
    }
}

#[test]
fn the_interpreter_answers_as_a_person_does() {
    // By hand: 32 lanes, 32-byte sectors; in the order of the file, choices left out.
    let by_hand = [
        4.0,  // 128 bytes from a sector's edge
        5.0,  // 128 bytes from byte 4
        8.0,  // 4 lanes a sector
        16.0, // 2 lanes a sector
        32.0, // 1 lane a sector
        2.0,  // 64 bytes
        8.0,  // 8 lanes far apart
        4.0,  // the same elements backwards
        32.0, // 32 rows
    ];
    let answers: Vec<f64> = questions().filter_map(|(_, question)| answer(question)).collect();
    assert_eq!(answers, by_hand);
}

#[test]
fn wrong_guesses_are_wrong_and_each_has_its_own_words() {
    for (step, question) in questions() {
        let Ask::Figure { figure, wrong, .. } = &question.ask else { continue };
        let answer = answer(question).unwrap();
        assert!(!wrong.is_empty(), "{}: {}", step.id, question.text);
        for (place, guess) in wrong.iter().enumerate() {
            assert!(!figure.is_right(guess.guess, answer), "{}: {} is right", step.id, guess.guess);
            let again = wrong.iter().skip(place + 1).any(|other| figure.is_right(other.guess, guess.guess));
            assert!(!again, "{}: {} is answered twice", step.id, guess.guess);
        }
    }
}

/// Every text of a question that is filled from its trace.
fn texts(question: &Question) -> Vec<&str> {
    let mut texts = vec![question.text.as_str(), question.explain.as_str()];
    match &question.ask {
        Ask::Figure { wrong, otherwise, .. } => {
            texts.push(otherwise);
            texts.extend(wrong.iter().map(|wrong| wrong.reply.as_str()));
        }
        Ask::Choices(all) => texts.extend(all.iter().flat_map(|choice| [choice.text.as_str(), choice.reply.as_str()])),
    }
    texts.extend(question.words.iter().flat_map(|words| [words.gpu.as_str(), &words.absorbed, &words.cpu]));
    texts
}

#[test]
fn every_placeholder_is_known_and_filled() {
    for (step, question) in questions() {
        let trace = trace(&question.pattern);
        for text in texts(question) {
            let filled = fill(text, &trace);
            assert!(!filled.contains(['{', '}']), "{}: {filled}", step.id);
        }
    }
}

#[test]
fn every_step_can_be_measured_and_ends_with_words_for_what_comes_out() {
    for step in &lesson().steps {
        assert!(!step.rows().is_empty(), "{}", step.id);
        let last = step.questions.last().unwrap();
        let any = step.questions.iter().filter_map(|question| question.words.as_ref());
        assert!(any.count() > 0 && !last.rows.is_empty(), "{}", step.id);
    }
    for (step, question) in questions() {
        assert!(question.words.is_none() || !question.rows.is_empty(), "{}", step.id);
        // A number that is guessed in a question with rows stands beside them.
        if let (Ask::Figure { figure: Figure::Sectors, .. }, false) = (&question.ask, question.rows.is_empty()) {
            assert!(question.rows.contains(&question.pattern), "{}: {}", step.id, question.text);
        }
    }
}

#[test]
fn every_row_was_recorded() {
    let documents = Documents::recorded();
    let lesson = lesson();
    let rows = lesson.steps.iter().flat_map(Step::rows);
    for row in
        rows.chain(lesson.differs.iter().flat_map(|differs| differs.rows.clone())).chain(lesson.recall.rows.clone())
    {
        assert!(recorded(&documents, &row).is_some(), "{} is not in assets/reference", row.name());
    }
}

#[test]
fn claims_are_answered_with_recorded_figures() {
    let documents = Documents::recorded();
    let filled: Vec<String> = lesson()
        .differs
        .iter()
        .map(|differs| {
            let rows: Vec<_> = differs.rows.iter().map(|row| recorded(&documents, row).unwrap()).collect();
            fill_rates(&differs.measured, &rows).unwrap()
        })
        .collect();
    for text in &filled {
        assert!(!text.contains(['{', '}']), "{text}");
    }
    // What each of them says against its claim, in the recorded figures.
    let of = |place: usize, row: usize| {
        let (_, row) = recorded(&documents, &lesson().differs[place].rows[row]).unwrap();
        rate(row).unwrap().0
    };
    assert!(of(0, 1) / of(0, 0) > 0.98, "one element aside costs nothing like a fifth");
    assert!(of(1, 1) / of(1, 0) > 0.9 && of(1, 3) / of(1, 2) > 0.5, "nowhere near a quarter");
    assert!(of(2, 1) / of(2, 0) < 0.6 && of(2, 2) < of(2, 1), "it gets worse beyond stride 8");
    assert!(of(3, 1) < of(3, 0), "vec4 is slower");
    assert!(of(4, 1) / of(4, 0) < 1.05, "the pad changes next to nothing");
}

#[test]
fn the_recorded_h200_shows_what_the_lesson_says() {
    let documents = Documents::recorded();
    for (step, question) in questions() {
        let Some(words) = &question.words else { continue };
        let compared: Vec<Compared> = question
            .rows
            .iter()
            .map(|pattern| Compared {
                // Only what must fall as its counts do needs them; the counts of products take long.
                expected: if words.shows == Shows::Falls { expected(pattern) } else { None },
                rate: rate(recorded(&documents, pattern).unwrap().1).unwrap().0,
            })
            .collect();
        let reading = reading(words.shows, &compared).unwrap();
        // Its caches keep the sector that a shifted load cuts: the one step whose effect they absorb.
        let absorbed = matches!(reading, Reading::Absorbed { .. });
        assert_eq!(absorbed, step.id == "one-aside", "{}: {reading:?}, {compared:?}", step.id);
    }
}

/// By the predictions that the app itself makes.
fn expected(pattern: &Pattern) -> Option<Band> {
    let forecasts = Forecasts::new(Arc::new(|| {}));
    for _ in 0..30_000 {
        if let Some(prediction) = forecasts.prediction(pattern, &setup()) {
            let traffic = prediction.as_ref().as_ref().ok()?.traffic_efficiency.as_ref()?;
            return Some(Band { low: traffic.low, high: traffic.high });
        }
        std::thread::sleep(Duration::from_millis(2));
        forecasts.poll();
    }
    panic!("a prediction never came");
}

#[test]
fn only_the_pad_of_four_removes_the_conflict() {
    let padded = Pattern::of(kernels::by_id("matmul_vec4_padded").unwrap());
    let excess = |pad: u32| counted(Figure::StoreConflictPasses, &trace(&padded.with("pad", pad))).unwrap();
    assert_eq!(excess(4), 0.0);
    assert!(excess(0) > 0.0);
    assert_eq!(excess(8), excess(0), "as the reply to a pad of 8 says");
    assert!(padded.with("pad", 1u32).plan(&setup()).is_err(), "a pad of 1 breaks loads of 16 bytes");
}
