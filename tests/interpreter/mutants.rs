//! Changed programs: whatever naga still accepts runs or ends in an error, and touches only its own memory.

use sectorscope::contents::hash;
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::trace::{Access, Observer, Site};

use super::all_cases;

/// Replaces one piece of the text, chosen by `seed`, by another of its kind.
fn mutate(text: &str, seed: u32) -> String {
    const KINDS: [&[&str]; 6] = [
        &["0u", "1u", "2u", "3u", "7u", "40u", "4294967295u", "lane"],
        &[" + ", " - ", " * ", " / ", " % "],
        &[" < ", " == ", " > ", " != ", " >= "],
        &["break;", "continue;", "return;", "{ }", "workgroupBarrier();"],
        &["r[0]", "r[lane]", "r[lane * 77u]", "r[7]"],
        &["0.5", "1e20", "0.0", "-3.0", "1e-30"],
    ];
    let kind = KINDS[seed as usize % KINDS.len()];
    let places: Vec<(usize, &str)> =
        kind.iter().flat_map(|word| text.match_indices(word).map(|(at, _)| (at, *word))).collect();
    let Some((at, old)) = places.get(hash(seed) as usize % places.len().max(1)) else { return text.to_owned() };
    let new = kind[hash(seed ^ 0x5555) as usize % kind.len()];
    format!("{}{new}{}", &text[..*at], &text[at + old.len()..])
}

/// Storage addresses lie in the 64 words that both buffers have.
struct Bounded;

impl Observer for Bounded {
    fn site(&mut self, _: &Site) {}
    fn workgroup(&mut self, _: [u32; 3]) {}
    fn access(&mut self, access: &Access<'_>) {
        if access.space == sectorscope::trace::Space::Storage {
            assert!(access.active.iter().all(|lane| access.addresses[lane] + access.element_bytes <= 256));
        }
    }
}

#[test]
fn changed_programs_never_panic() {
    let (mut run, mut ended) = (0, 0);
    for case in all_cases() {
        for seed in 0..30 {
            let mut program = case.program();
            let mut text = program.wgsl.to_string();
            for round in 0..=seed % 3 {
                text = mutate(&text, hash(seed * 3 + round));
            }
            program.wgsl = text.into();
            let Ok(interpreter) = Interpreter::new(&program) else { continue };
            let options = Options { step_budget: 3000, ..Options::default() };
            match interpreter.run(&options, &mut Bounded) {
                Ok(_) => run += 1,
                Err(_) => ended += 1,
            }
        }
    }
    assert!(run > 300 && ended > 10, "{run} ran, {ended} ended early");
}
