//! Whatever text and whatever settings: a prediction or an error, soon, in little memory, and never a panic.
//!
//! The first byte of an input chooses what the rest is: a shader as it stands; edits of the tokens of a kernel; options
//! for a kernel; a file of settings for a kernel.
#![no_main]

mod mutate;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use sectorscope::analysis::{Settings, of_program};
use sectorscope::inputs::{Inputs, Key};
use sectorscope::memory_model::{LESSON, UNKNOWN};
use sectorscope::shader::decode;

/// Turns of loops and calls of an execution: enough to enter every loop.
const STEPS: u64 = 2_000;

/// A kernel of the tests, and the settings beside it.
pub(crate) struct Seed {
    pub(crate) text: String,
    settings: String,
}

/// All kernels of the tests.
pub(crate) fn seeds() -> &'static [Seed] {
    static SEEDS: OnceLock<Vec<Seed>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folders = ["tests/wild/kernels", "tests/wild/found", "tests/fixtures", "shaders"];
        let mut files: Vec<PathBuf> = folders
            .iter()
            .filter_map(|folder| std::fs::read_dir(root.join(folder)).ok())
            .flatten()
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
            .collect();
        files.sort();
        let read = |path: &Path| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let seed = |path: &PathBuf| Seed {
            text: read(path).unwrap_or_default(),
            settings: read(&Inputs::beside(path)).unwrap_or_default(),
        };
        files.iter().map(seed).collect()
    })
}

/// An input for each kernel and way.
fn write_seeds(folder: &Path) -> std::io::Result<()> {
    for (number, seed) in (0u8..).zip(seeds()) {
        for (way, rest) in [(0u8, seed.text.as_str()), (3, seed.settings.as_str())] {
            let mut bytes = vec![way];
            if way == 3 {
                bytes.push(number);
            }
            bytes.extend(rest.as_bytes());
            std::fs::write(folder.join(format!("seed-{number}-{way}")), bytes)?;
        }
        std::fs::write(folder.join(format!("seed-{number}-1")), [1, number, 1, 2, 3, 4, 5, 6, 7, 8, 9])?;
        std::fs::write(folder.join(format!("seed-{number}-2")), [&[2, number][..], b"1=1\n4=a=64"].concat())?;
    }
    Ok(())
}

/// Takes lines as options: a digit that names the option, `=`, and its text.
fn options(text: &str) -> Inputs {
    const KEYS: [Key; 8] =
        [Key::Entry, Key::Dispatch, Key::Seed, Key::Override, Key::Buffer, Key::Fill, Key::Uniform, Key::Texture];
    let mut inputs = Inputs::default();
    for line in text.lines() {
        let Some((key, value)) = line.split_once('=') else { continue };
        let key = key.bytes().next().unwrap_or(b'0');
        // Errors are answers too.
        let _told = inputs.set(KEYS[usize::from(key) % KEYS.len()], value);
    }
    inputs
}

fn settings_of(seed: &Seed) -> Inputs {
    Inputs::from_toml(&seed.settings, Path::new("")).unwrap_or_default()
}

fn run(text: &str, inputs: &Inputs, cures: bool) {
    let Ok((program, defaulted)) = inputs.program(text) else { return };
    let settings =
        Settings { models: vec![LESSON.clone(), UNKNOWN.clone()], max_steps: STEPS, cures, ..Settings::default() };
    if let Ok(document) = of_program(&program, &defaulted, &settings) {
        assert!(document.accesses.iter().all(|access| access.requests > 0 && access.active_lanes >= access.requests));
        assert!(document.lines.iter().all(|line| line.efficiency().is_none_or(|share| share > 0.0 && share <= 1.0)));
    }
}

fuzz_target!(
    init: {
        let mut arguments = std::env::args().skip(1);
        if arguments.next().as_deref() == Some("--write-seeds") {
            let written = arguments.next().map(|folder| write_seeds(Path::new(&folder)));
            std::process::exit(if matches!(written, Some(Ok(()))) { 0 } else { 1 });
        }
    },
    |data: &[u8]| -> Corpus {
        let Some((way, rest)) = data.split_first() else { return Corpus::Reject };
        // No file of this machine is an input.
        if rest.windows(5).any(|window| window == b"file:") {
            return Corpus::Reject;
        }
        let seeds = seeds();
        let (number, tail) = rest.split_first().unwrap_or((&0, &[]));
        let seed = &seeds[usize::from(*number) % seeds.len()];
        match way % 4 {
            0 => {
                if let Ok(text) = decode(rest) {
                    run(text, &Inputs::default(), way & 4 != 0);
                }
            }
            1 => run(&mutate::mutate(&seed.text, tail), &settings_of(seed), way & 4 != 0),
            2 => run(&seed.text, &options(&String::from_utf8_lossy(tail)), false),
            _ => {
                if let Ok(inputs) = Inputs::from_toml(&String::from_utf8_lossy(tail), Path::new("")) {
                    run(&seed.text, &inputs, false);
                }
            }
        }
        Corpus::Keep
    }
);
