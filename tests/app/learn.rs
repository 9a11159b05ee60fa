//! The lesson as a learner goes through it.

use eframe::egui::{Key, OutputCommand};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use sectorscope::app::lessons::{Guess, Page, StepState, course};
use sectorscope::app::{Start, Tab, Told};
use sectorscope::engine::{Event, Found};
use sectorscope::kernels::Value;
use sectorscope::record::Row;

use crate::fake::{Bench, Memory, device, document, row};

fn learn() -> Bench {
    sized([1280.0, 1400.0])
}

fn sized(size: [f32; 2]) -> Bench {
    let mut bench = Bench::start(&Start::default(), size);
    bench.harness.get_by_label("Learn").click();
    bench.run();
    bench
}

fn click(bench: &mut Bench, label: &str) {
    bench.harness.get_by_label(label).click();
    bench.run();
}

fn says(bench: &Bench, text: &str) -> bool {
    bench.harness.query_all_by_label_contains(text).next().is_some()
}

/// Types a number and presses Enter; the entry has the focus by itself.
fn guess(bench: &mut Bench, number: &str) {
    for digit in number.chars() {
        bench.harness.event(eframe::egui::Event::Text(digit.to_string()));
    }
    bench.harness.key_press(Key::Enter);
    bench.run();
}

/// Opens step 4, whose question is a choice, and answers it.
fn step_4() -> Bench {
    let mut bench = learn();
    click(&mut bench, "Step 4: The same time, so why is it bad?, open");
    click(&mut bench, "It is not bad: the time is the same");
    bench
}

/// The engine measures step 4 at these rates.
fn measure(bench: &mut Bench, found: &Found, rates: [f64; 2]) {
    click(bench, "Measure on this GPU");
    bench.event(Event::Started { results: Box::new(document(found.adapter.clone())), rows: 2 });
    let rows: [Row; 2] = [row(1, rates[0]), row(8, rates[1])];
    for (index, row) in rows.into_iter().enumerate() {
        bench.event(Event::Row { index, row: Box::new(row) });
    }
    bench.tell(Told::Ended(Ok(())));
    bench.settle();
}

#[test]
fn the_answer_is_covered_until_a_guess_and_a_wrong_guess_has_its_own_words() {
    let mut bench = learn();
    assert!(says(&bench, "How many sectors does this one load need?"));
    assert!(!says(&bench, "sectors ="), "the bill would tell");
    assert!(bench.harness.query_by_label("Measure on this GPU").is_none(), "first guess, then run");
    guess(&mut bench, "32");
    let reply = "Not quite: the model counts 4 sectors. That would be a sector for each lane. Lanes that fall into the \
                 same sector share it: a sector is fetched once for a load, whoever asks.";
    bench.harness.get_by_label(reply);
    bench.harness.get_by_label("Asked 128 B · 4 sectors = 128 B · 100 % used");
    bench.harness.get_by_label("Your guess: 32 sectors");
    assert!(says(&bench, "128 bytes side by side fill 4 sectors to the last byte: 100 % of what is fetched is used."));
    bench.harness.get_by_label("Step 1: Neighbours ask for neighbours, answered, not all right");
    assert!(says(&bench, "1 of 10 steps answered"));
}

#[test]
fn a_guess_nobody_foresaw_is_answered_too_and_can_be_taken_back() {
    let mut bench = learn();
    guess(&mut bench, "7");
    assert!(says(
        &bench,
        "Not quite: the model counts 4 sectors. Count bytes first: 32 lanes times 4 bytes are 128 bytes."
    ));
    click(&mut bench, "Guess again");
    assert!(bench.state().covered && !says(&bench, "sectors ="));
    guess(&mut bench, "4");
    bench.harness.get_by_label("Right: 4 sectors.");
}

#[test]
fn what_is_no_number_is_not_taken() {
    let mut bench = learn();
    guess(&mut bench, "4x");
    bench.harness.get_by_label("'4x' is not a number: type digits, as in 12.");
    assert!(bench.state().covered);
}

#[test]
fn choices_are_answered_and_show_what_they_are_about() {
    let bench = step_4();
    let reply = "Not quite. The same time for an eighth of the elements. Compare what you get for it: useful bytes a second, not \
                 seconds for a footprint. Right is: It brings an eighth of the elements in that time.";
    bench.harness.get_by_label(reply);
    assert!(says(&bench, "Asked 128 bytes, moved 1024."));
    assert_eq!(bench.state().pattern.number("stride"), Some(8));
}

#[test]
fn keys_turn_pages_and_choose() {
    let mut bench = learn();
    let page = |bench: &Bench| match bench.state().learn.page {
        Page::Question { step, question } => (step, question),
        other => panic!("{other:?}"),
    };
    // The entry has the focus and is empty: arrows turn pages.
    for expected in [(1, 0), (1, 1)] {
        bench.harness.key_press(Key::ArrowRight);
        bench.run();
        assert_eq!(page(&bench), expected);
    }
    bench.harness.key_press(Key::ArrowDown);
    bench.run();
    bench.harness.key_press(Key::ArrowDown);
    bench.run();
    bench.harness.key_press(Key::Enter);
    bench.run();
    let learn = &bench.state().learn;
    let course = course().unwrap();
    assert_eq!(
        learn.progress.guess(&course.steps[1], 1),
        Some(Guess::Choice(1)),
        "down once: the first; twice: the second"
    );
    assert!(says(&bench, "only whether it starts at the edge of one. Offset 8 needs 4 sectors."));
    bench.harness.key_press(Key::ArrowLeft);
    bench.run();
    assert_eq!(page(&bench), (1, 0));
    click(&mut bench, "Next");
    assert_eq!(page(&bench), (1, 1));
    click(&mut bench, "Back");
    assert_eq!(page(&bench), (1, 0));
}

#[test]
fn measuring_runs_exactly_the_rows_of_the_step() {
    let mut bench = step_4();
    click(&mut bench, "Measure on this GPU");
    let requests = bench.script.borrow().requests.clone();
    let strides: Vec<_> =
        requests[0].rows.iter().map(|(kernel, params)| (kernel.as_str(), params.get("stride").copied())).collect();
    assert_eq!(strides, [("read", Some(Value::Number(1))), ("read", Some(Value::Number(8)))]);
    assert!(requests[0].brief && requests.len() == 1);
}

#[test]
fn a_gpu_that_shows_the_effect_is_told_so_beside_the_recorded_one() {
    let mut bench = step_4();
    assert!(says(&bench, "not measured yet"));
    measure(&mut bench, &device(), [1000.0, 130.0]);
    // One millisecond each in the fixed figures, over the recorded row's footprint.
    bench.harness.get_by_label("1000 GB/s; 1.00 ms for 1 GiB");
    bench.harness.get_by_label("130 GB/s; 1.00 ms for 1 GiB");
    // From the recorded run: 570.47 GB/s, 12.457 % of its best read; 1 GiB / 8 at that rate are 235 us.
    bench.harness.get_by_label("570 GB/s: 12.5 % of its best; 235.3 us for 1 GiB");
    bench.harness.get_by_label("32 sectors: 12.5 % used");
    assert!(says(&bench, "recorded on an NVIDIA H200, not this machine"));
    assert!(says(&bench, "The memory is full of bytes nobody asked for."));
    bench.harness.get_by_label("Step 4: The same time, so why is it bad?, done, not all right");
    click(&mut bench, "Guess again");
    click(&mut bench, "It brings an eighth of the elements in that time");
    bench.harness.get_by_label("Step 4: The same time, so why is it bad?, done");
}

#[test]
fn a_cache_that_absorbed_it_is_named_with_the_evidence() {
    let mut bench = step_4();
    measure(&mut bench, &device(), [1000.0, 600.0]);
    assert!(says(&bench, "Here time fell as the stride grew, so memory traffic was not the limit"));
    let evidence =
        "The evidence: read, stride 8 reached 60 % of the rate of read, stride 1; the counts alone allow 13 %.";
    bench.harness.get_by_label(evidence);
    assert!(!says(&bench, "The memory is full of bytes nobody asked for."));
}

#[test]
fn a_processor_is_told_that_its_speeds_do_not_hold() {
    let mut bench = step_4();
    let mut found = device();
    found.adapter.device_type = "cpu".into();
    bench.tell(Told::Device(Ok(Box::new(found.clone()))));
    measure(&mut bench, &found, [10.0, 9.0]);
    bench.harness.get_by_label("This is a CPU. The counts hold, the speeds do not.");
    bench.harness.get_by_label("9.00 GB/s; 1.00 ms for 1 GiB");
    assert!(!says(&bench, "time fell as the stride grew"));
}

#[test]
fn without_a_gpu_the_lesson_works_as_far_as_counting_goes() {
    let mut bench = learn();
    bench.tell(Told::Device(Err("no adapter was found on vulkan".into())));
    guess(&mut bench, "4");
    bench.harness.get_by_label("Right: 4 sectors.");
    bench.harness.get_by_label("no GPU here");
    assert!(says(
        &bench,
        "Nothing can be measured here: no adapter was found on vulkan. The counts hold without a GPU."
    ));
}

#[test]
fn the_teacher_covers_the_answer_again() {
    let mut bench = learn();
    guess(&mut bench, "5");
    click(&mut bench, "Cover answer");
    assert!(!says(&bench, "sectors =") && !says(&bench, "the model counts"));
    click(&mut bench, "Cover answer");
    assert!(says(&bench, "the model counts 4 sectors"));
}

#[test]
fn a_guess_stands_beside_what_is_counted() {
    let mut bench = learn();
    click(&mut bench, "Step 2: One element aside, open");
    guess(&mut bench, "8");
    // 128 useful bytes of 8 x 32 and of 5 x 32.
    bench.harness.get_by_label("8 sectors: 50 % used");
    bench.harness.get_by_label("5 sectors: 80 % used");
}

#[test]
fn the_paragraph_names_the_learners_gpu_once_it_was_measured() {
    let mut bench = learn();
    click(&mut bench, "In one breath");
    assert!(says(&bench, "Memory moves in sectors. Ask which sectors a load touches: that is lineup."));
    assert!(says(&bench, "stands here once read, stride 1 and read, stride 8 are measured."));
    click(&mut bench, "Go to step 3: Stepping over elements");
    // The question whose rows are measured; its button comes with a guess.
    assert_eq!(bench.state().learn.page, Page::Question { step: 2, question: 2 });
    guess(&mut bench, "32");
    bench.harness.get_by_label("Measure on this GPU");
    let mut bench = step_4();
    let mut found = device();
    found.adapter.name = "Card of the learner".into();
    measure(&mut bench, &found, [1000.0, 130.0]);
    click(&mut bench, "In one breath");
    let start = "On Card of the learner I measured 1000 GB/s for neighbouring f32 loads and 130 GB/s at stride 8, where by \
                 the lesson's model 12.5 % of the fetched bytes are used.";
    assert!(says(&bench, start));
    bench.harness.get_by_label("Copy the paragraph").click();
    let mut copied = Vec::new();
    for _ in 0..4 {
        bench.harness.step();
        let commands = &bench.harness.output().platform_output.commands;
        copied.extend(commands.iter().filter_map(|command| match command {
            OutputCommand::CopyText(text) => Some(text.clone()),
            _ => None,
        }));
    }
    assert!(copied.len() == 1 && copied[0].starts_with(start), "{copied:?}");
}

#[test]
fn claims_stand_beside_recorded_figures_with_source_and_date() {
    let mut bench = learn();
    click(&mut bench, "Where claims and hardware differ");
    // From the recorded run: 570.47, 284.99 and 160.58 GB/s.
    assert!(says(&bench, "570 GB/s at stride 8, 285 at stride 16. Then pages began to cost: 161 at stride 64."));
    assert!(says(
        &bench,
        "Recorded on an NVIDIA H200, not this machine, with this program on 2026-11-30 (vulkan, driver NVIDIA 580.159.04)."
    ));
}

#[test]
fn progress_is_kept_from_one_start_to_the_next() {
    let mut memory = Memory::default();
    let mut bench = learn();
    guess(&mut bench, "4");
    eframe::App::save(bench.harness.state_mut(), &mut memory);
    let mut bench = Bench::new();
    bench.harness.state_mut().recall(&memory, &Start::default());
    bench.harness.get_by_label("Learn").click();
    bench.run();
    let first = &course().unwrap().steps[0];
    assert_eq!(bench.state().learn.progress.state(first), StepState::Answered);
    assert_eq!(bench.state().learn.page, Page::Question { step: 1, question: 0 }, "the first that is open");
}

#[test]
fn m_measures_the_step_and_other_views_are_as_they_were() {
    let mut bench = step_4();
    bench.harness.key_press(Key::M);
    bench.run();
    assert_eq!(bench.script.borrow().requests[0].rows.len(), 2);
    let mut bench = learn();
    click(&mut bench, "Patterns");
    assert_eq!((bench.state().tab, bench.state().covered), (Tab::Patterns, false));
}

#[test]
fn every_page_fits_the_window_in_width_and_back_and_next_stay() {
    for size in [[480.0, 420.0], [720.0, 480.0], [1024.0, 640.0], [1920.0, 1080.0]] {
        let mut bench = sized(size);
        let course = course().unwrap();
        for (place, step) in course.steps.iter().enumerate() {
            let name = format!("Step {}: {}, ", place + 1, step.title);
            bench.harness.query_all_by_label_contains(&name).next().unwrap().click();
            bench.run();
            for node in bench.harness.query_all_by_label_contains("") {
                let rect = node.rect();
                let text = node.accesskit_node().label().unwrap_or_default();
                assert!(rect.left() >= -0.5 && rect.right() <= size[0] + 0.5, "{size:?}: {text}: {rect:?}");
            }
            for label in ["Back", "Next"].into_iter().filter(|_| size[1] >= 600.0) {
                let rect = bench.harness.get_by_label(label).rect();
                assert!(rect.bottom() <= size[1] && rect.top() >= 0.0, "{size:?}: {label}: {rect:?}");
            }
        }
    }
}

#[test]
fn a_page_says_how_far_it_is_and_which_words_may_be_new() {
    let mut bench = learn();
    bench.harness.get_by_label("Question 1 of 19");
    for start in ["lane: One invocation", "sector: The smallest piece", "f32: A floating-point number"] {
        assert!(bench.harness.query_all_by_label_contains(start).count() == 1, "{start}");
    }
    click(&mut bench, "In one breath");
    bench.harness.get_by_label("All questions are behind you");
}

#[test]
fn patterns_and_its_pin_are_as_they_were_and_the_lesson_can_be_taken_there() {
    let mut bench = Bench::start(&Start::default(), [1280.0, 1400.0]);
    bench.harness.get_by_label("Exact stride").set_value_accesskit(16.0);
    bench.run();
    bench.harness.key_press(Key::P);
    bench.run();
    let before = (bench.state().pattern.clone(), bench.state().pinned.clone());
    assert_eq!(before.1, Some(before.0.clone()));
    click(&mut bench, "Learn");
    click(&mut bench, "Step 10: How a matrix product escapes, open");
    click(&mut bench, "Patterns");
    assert_eq!((bench.state().pattern.clone(), bench.state().pinned.clone()), before);
    click(&mut bench, "Learn");
    click(&mut bench, "Step 3: Stepping over elements, open");
    click(&mut bench, "Next");
    click(&mut bench, "Next");
    guess(&mut bench, "32");
    click(&mut bench, "See it in Patterns");
    let state = bench.state();
    assert_eq!((state.tab, state.pattern.number("stride"), &state.pinned), (Tab::Patterns, Some(8), &before.1));
}

#[test]
fn few_lanes_are_told_beside_the_models_32() {
    let mut bench = learn();
    click(&mut bench, "Step 7: Scattered, reversed, transposed, open");
    guess(&mut bench, "8");
    assert!(says(&bench, "up to 32 lanes at a time, sectors of 32 bytes. This workgroup has only 8."));
}

#[test]
fn the_pads_question_shows_banks_and_not_the_sectors_of_b() {
    let mut bench = learn();
    click(&mut bench, "Step 10: How a matrix product escapes, open");
    click(&mut bench, "Next");
    click(&mut bench, "8");
    bench.settle();
    // By hand: without a pad, and with 8, the lanes 2q and 2q + 1 meet in bank q; with 4 they are 16 banks apart.
    for (title, figures) in [
        ("Without a pad: 32 lanes store in 2 passes", 2),
        ("With a pad of 8: 32 lanes store in 2 passes", 2),
        ("With a pad of 4: 32 lanes store in 1 pass", 1),
    ] {
        bench.harness.get_by_label(title);
        let drawn = format!("32 lanes store to 32 banks in {figures} passes, {} banks idle", 32 - 32 / figures);
        assert!(says(&bench, &drawn), "{drawn}");
    }
    assert!(says(&bench, "bank 3: lane 6, then lane 7"));
    assert!(says(&bench, "bank 16: lane 1;"));
    assert!(!says(&bench, "sectors ="));
}

#[test]
fn counts_and_speeds_of_products_say_their_size() {
    let mut bench = learn();
    click(&mut bench, "Step 10: How a matrix product escapes, open");
    click(&mut bench, "With wider loads alone");
    bench.settle();
    assert!(says(&bench, "B loaded or stored for each multiply-add, 2048 x 2048 x 2048"));
    assert!(bench.harness.query_all_by_label_contains("GFLOP/s, 2048 x 2048 x 2048").count() >= 3);
}
