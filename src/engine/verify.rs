//! Correct first: a row is checked against the kernel's oracle, and against the interpreter, before anything is timed.

use crate::contents::checksum_term;
use crate::gpu::{Gpu, GpuError, Prepared, Progress};
use crate::interpreter::{Interpreter, Memory, Options, Workgroups};
use crate::kernels::Oracle;
use crate::plan::Plan;
use crate::platform;
use crate::program::Block;
use crate::record::Verified;
use crate::trace::Deaf;

use super::predict::position;
use super::product;
use super::reals::{self, WrongReals};

/// Outputs up to this size are compared word by word.
pub(super) const COMPARED_BYTES: u64 = 64 << 20;
/// Words at the end of a larger output that are compared beside its checksum.
const LAST_WORDS: u64 = 1024;

/// Why a row is not verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The device failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// A word differs.
    #[error(
        "word {index} of {buffer} is {found:#010x}, and must be {expected:#010x} ({wrong} of {compared} words differ)"
    )]
    Word {
        /// The buffer.
        buffer: &'static str,
        /// The first word that differs.
        index: u64,
        /// What the device left there.
        found: u32,
        /// What belongs there.
        expected: u32,
        /// How many differ.
        wrong: u64,
        /// Of how many.
        compared: u64,
    },
    /// The caller did not want to wait any longer.
    #[error("stopped before it was verified")]
    Stopped,
    /// The oracle itself failed.
    #[error("the oracle of {0} failed: this is a mistake in the kernel's entry")]
    Oracle(&'static str),
    /// A product of reals is too far off.
    #[error(transparent)]
    Reals(#[from] WrongReals),
    /// The checksum differs.
    #[error("the checksum of {buffer} is {found:#010x}, and must be {expected:#010x}")]
    Checksum {
        /// The buffer.
        buffer: &'static str,
        /// Of the device's words.
        found: u32,
        /// Of the right ones.
        expected: u32,
    },
}

/// Runs the plan once with its results stored and compares them with the oracle's, and a few workgroups' with the
/// interpreter's.
///
/// # Errors
/// What differs, or how the device failed.
pub async fn verify(gpu: &mut Gpu, prepared: &Prepared, plan: &Plan) -> Result<Verified, VerifyError> {
    verify_up_to(COMPARED_BYTES, gpu, prepared, plan).await
}

/// As [`verify`], with outputs of at most `compared_bytes` compared word by word, larger ones by checksum.
///
/// # Errors
/// As [`verify`].
pub async fn verify_up_to(
    compared_bytes: u64,
    gpu: &mut Gpu,
    prepared: &Prepared,
    plan: &Plan,
) -> Result<Verified, VerifyError> {
    let mut go_on = |_: &Progress| true;
    verify_while(compared_bytes, gpu, prepared, plan, &mut go_on).await
}

/// As [`verify_up_to`], as long as `go_on` says so after each part of a long run.
///
/// # Errors
/// As [`verify`], and [`VerifyError::Stopped`].
pub(super) async fn verify_while(
    compared_bytes: u64,
    gpu: &mut Gpu,
    prepared: &Prepared,
    plan: &Plan,
    go_on: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Verified, VerifyError> {
    gpu.run_for_verification_while(prepared, go_on).await?.ok_or(VerifyError::Stopped)?;
    let oracle = &plan.oracle;
    let method = if let Some(product) = product::large(oracle) {
        product::check(gpu, prepared, oracle, product).await?;
        "freivalds"
    } else if oracle.words * 4 <= compared_bytes {
        compare(gpu, prepared, oracle, 0..oracle.words).await?;
        "elements"
    } else {
        compare_checksums(gpu, prepared, oracle).await?;
        compare(gpu, prepared, oracle, oracle.words.saturating_sub(LAST_WORDS)..oracle.words).await?;
        "checksum"
    };
    let agrees_with_interpreter = agrees_with_interpreter(gpu, prepared, plan).await?;
    let nearness = reals::check(reals::COMPARED_FMA, gpu, prepared, plan, go_on).await?;
    Ok(Verified {
        method: if nearness.is_some() { format!("{method}+reals") } else { method.to_owned() },
        elements: oracle.words,
        max_error: nearness.map_or(0.0, |nearness| nearness.largest),
        mean_error: nearness.and_then(|nearness| nearness.mean),
        real_elements: nearness.map_or(0, |nearness| nearness.elements),
        agrees_with_interpreter,
    })
}

async fn compare(
    gpu: &mut Gpu,
    prepared: &Prepared,
    oracle: &Oracle,
    words: std::ops::Range<u64>,
) -> Result<(), VerifyError> {
    let found = gpu.read_words(prepared, oracle.buffer, words.clone()).await?;
    let at = |index: u64| found.get(usize::try_from(index).unwrap_or(usize::MAX)).copied().unwrap_or_default();
    let parts = platform::in_parallel(words.end - words.start, 64, |range| {
        let wrong = |k: &u64| (oracle.expected)(words.start + k) != at(*k);
        (range.clone().find(wrong), range.filter(wrong).count() as u64)
    })
    .ok_or(VerifyError::Oracle(oracle.buffer))?;
    match parts.iter().find_map(|(first, _)| *first) {
        None => Ok(()),
        Some(first) => Err(VerifyError::Word {
            buffer: oracle.buffer,
            index: words.start + first,
            found: at(first),
            expected: (oracle.expected)(words.start + first),
            wrong: parts.iter().map(|(_, wrong)| wrong).sum(),
            compared: words.end - words.start,
        }),
    }
}

async fn compare_checksums(gpu: &mut Gpu, prepared: &Prepared, oracle: &Oracle) -> Result<(), VerifyError> {
    let found = gpu.checksum(prepared, oracle.buffer).await?;
    let parts = platform::in_parallel(oracle.words, 64, |range| {
        range.fold(0u32, |sum, index| {
            let place = u32::try_from(index).unwrap_or(u32::MAX);
            sum.wrapping_add(checksum_term(place, (oracle.expected)(index)))
        })
    })
    .ok_or(VerifyError::Oracle(oracle.buffer))?;
    let expected = parts.into_iter().fold(0, u32::wrapping_add);
    if found == expected { Ok(()) } else { Err(VerifyError::Checksum { buffer: oracle.buffer, found, expected }) }
}

/// Whether the interpreter stores the same words as the device in the first, a middle and the last workgroup; `None`
/// where it cannot execute the kernel.
async fn agrees_with_interpreter(gpu: &mut Gpu, prepared: &Prepared, plan: &Plan) -> Result<Option<bool>, VerifyError> {
    let mut numbers = vec![0, plan.groups / 2, plan.groups - 1];
    numbers.dedup();
    let options = Options {
        workgroups: Workgroups::List(numbers.iter().map(|n| position(*n, plan.program.grid)).collect()),
        block: Block::Verification,
        keep_stores: true,
        ..Options::default()
    };
    let interpreter = Interpreter::with_subgroup(&plan.program, plan.subgroup());
    let outcome = interpreter.and_then(|interpreter| interpreter.run(&options, &mut Deaf));
    let Ok(outcome) = outcome else { return Ok(None) };
    same_words(gpu, prepared, &outcome.memory).await
}

/// Whether every word that the interpreter stored is the device's too; `None` where it stored none.
async fn same_words(gpu: &mut Gpu, prepared: &Prepared, memory: &Memory) -> Result<Option<bool>, VerifyError> {
    let mut same = None;
    for page in memory.written_pages() {
        let end = page.first_word + page.words.len() as u64;
        let found = gpu.read_words(prepared, page.buffer, page.first_word..end).await?;
        let differs = |(k, found): (usize, &u32)| page.is_written(k) && page.words[k] != *found;
        if found.iter().enumerate().any(differs) {
            return Ok(Some(false));
        }
        same = Some(true);
    }
    Ok(same)
}
