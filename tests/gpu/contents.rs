//! The device fills and sums buffers exactly as `contents.rs` does.

use pollster::block_on;
use sectorscope::contents::{Contents, POISON, Pointing, checksum_term};
use sectorscope::gpu::{Checks, Gpu};

use super::{copy_program, open, open_each};

fn check_fill(gpu: &mut Gpu, contents: &Contents, words: u32) {
    let (mut program, reflection) = copy_program(words);
    program.buffers[0].contents = contents.clone();
    let prepared = block_on(gpu.prepare(&program, &reflection, Checks::On)).unwrap();
    let backend = gpu.adapter().backend.clone();
    let filled = block_on(gpu.read_words(&prepared, "source", 0..u64::from(words))).unwrap();
    assert_eq!(filled.len(), words as usize);
    for (i, word) in (0..).zip(&filled) {
        assert_eq!(*word, contents.word(i), "word {i} of {contents:?} on {backend}");
    }
    let expected = (0..).zip(&filled).fold(0_u32, |sum, (i, word)| sum.wrapping_add(checksum_term(i, *word)));
    assert_eq!(block_on(gpu.checksum(&prepared, "source")).unwrap(), expected, "{contents:?} on {backend}");
}

#[test]
fn the_device_fills_and_sums_as_the_host_does() {
    for mut gpu in open_each() {
        for words in [1, 3, 64, 1023, 262_144 + 77] {
            let indices = |pointing| Contents::Indices { pointing, count: words, seed: 9 };
            let mut kinds = vec![
                Contents::Zero,
                Contents::Index,
                Contents::Random { seed: 0 },
                Contents::Random { seed: 77 },
                Contents::Integers { seed: 5, rows: words.div_ceil(70), columns: 61, pitch: 67 },
                Contents::HalfIntegers { seed: 5, rows: (2 * words).div_ceil(70), columns: 61, pitch: 67 },
                Contents::Reals { seed: 6, rows: words.div_ceil(70), columns: 61, pitch: 67 },
                Contents::HalfReals { seed: 6, rows: (2 * words).div_ceil(70), columns: 61, pitch: 67 },
                Contents::Poison,
                Contents::Bytes((0..=200).collect()),
                Contents::Bytes([].into()),
            ];
            kinds.extend([Pointing::Identity, Pointing::Reversed, Pointing::Xor].map(indices));
            kinds.extend([Pointing::Random, Pointing::Window, Pointing::Equal].map(indices));
            for contents in kinds {
                check_fill(&mut gpu, &contents, words);
            }
        }
    }
}

#[test]
fn an_index_buffer_longer_than_its_count_stays_in_range() {
    let Some(mut gpu) = open() else { return };
    for pointing in [Pointing::Identity, Pointing::Xor, Pointing::Random, Pointing::Window] {
        check_fill(&mut gpu, &Contents::Indices { pointing, count: 1500, seed: 3 }, 5000);
    }
}

#[test]
fn the_largest_buffer_is_filled_to_its_last_word() {
    for mut gpu in open_each() {
        // Several submissions of the fill, and a tail that is no multiple of anything.
        let words = (gpu.limits().max_storage_binding_bytes / 4).min((33 << 20) + 13);
        let words = u32::try_from(words).unwrap();
        let (mut program, reflection) = copy_program(words);
        program.grid = [1, 1, 1];
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::On)).unwrap();
        let contents = &program.buffers[0].contents;
        for (name, expected) in [("source", contents), ("target_words", &Contents::Poison)] {
            let sum = (0..words).fold(0_u32, |sum, i| sum.wrapping_add(checksum_term(i, expected.word(i))));
            assert_eq!(block_on(gpu.checksum(&prepared, name)).unwrap(), sum, "{name}");
            let end = u64::from(words);
            let tail = block_on(gpu.read_words(&prepared, name, end - 3..end)).unwrap();
            assert_eq!(tail, [3, 2, 1].map(|back| expected.word(words - back)), "{name}");
        }
    }
}

#[test]
fn programs_share_buffers_and_see_their_own_sizes() {
    let Some(mut gpu) = open() else { return };
    let (small, reflection) = copy_program(100);
    let (large, _) = copy_program(10_000);
    block_on(gpu.reserve(&[&small, &large])).unwrap();
    assert_eq!(gpu.reserved_bytes(), 2 * 40_000);
    let first = block_on(gpu.prepare(&small, &reflection, Checks::Off)).unwrap();
    let second = block_on(gpu.prepare(&large, &reflection, Checks::Off)).unwrap();
    assert_eq!(gpu.reserved_bytes(), 2 * 40_000);
    block_on(gpu.run_for_verification(&second)).unwrap();
    block_on(gpu.run_for_verification(&first)).unwrap();
    let contents = &small.buffers[0].contents;
    let words = block_on(gpu.read_words(&first, "target_words", 0..100)).unwrap();
    assert!((0..).zip(&words).all(|(i, word)| *word == contents.word(i).wrapping_mul(3).wrapping_add(5)));
    // Only the small program's range was poisoned and written again.
    let word = block_on(gpu.read_words(&second, "target_words", 100..101)).unwrap();
    assert_ne!(word, [POISON]);
    gpu.release();
    assert_eq!(gpu.reserved_bytes(), 0);
}
