//! Every kernel and parameter combination of the suites, interpreted: results against the oracle, bytes against the
//! work formula.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeMap;

use sectorscope::interpreter::{Interpreter, Options, Workgroups};
use sectorscope::kernels::suite::{Choice, Footprint, Suite};
use sectorscope::kernels::{self, PRESETS, Refusal};
use sectorscope::plan::{Plan, PlanError, plan};
use sectorscope::program::Block;
use sectorscope::trace::{Access, AccessKind, Deaf, Observer, Site, Space};

/// Bytes that lanes load from and store to storage buffers.
#[derive(Default)]
struct Bytes {
    read: u64,
    written: u64,
    read_by_variable: BTreeMap<u32, u64>,
}

impl Observer for Bytes {
    fn site(&mut self, _: &Site) {}
    fn workgroup(&mut self, _: [u32; 3]) {}
    fn access(&mut self, access: &Access<'_>) {
        if access.space != Space::Storage {
            return;
        }
        assert_eq!(access.out_of_range, 0, "an index out of range");
        let bytes = u64::from(access.active.count()) * u64::from(access.element_bytes);
        match access.kind {
            AccessKind::Load => {
                self.read += bytes;
                *self.read_by_variable.entry(access.variable).or_default() += bytes;
            }
            AccessKind::Store | AccessKind::Atomic => self.written += bytes,
        }
    }
}

fn options(block: Block, keep_stores: bool) -> Options<'static> {
    Options { workgroups: Workgroups::All, block, keep_stores, ..Options::default() }
}

/// Small enough to interpret whole, and ragged where kernels allow it.
fn small(choice: &Choice) -> Plan {
    plan(choice.kernel, &choice.params, &common::setting(common::small_bytes(choice))).unwrap()
}

#[test]
fn the_work_formula_counts_what_the_interpreter_counts() {
    for choice in Suite::Standard.rows().into_iter().chain(presets()) {
        let plan = small(&choice);
        let mut bytes = Bytes::default();
        Interpreter::new(&plan.program).unwrap().run(&options(Block::Phase(0), false), &mut bytes).unwrap();
        let counted = (bytes.read, bytes.written, bytes.read + bytes.written);
        let formula = (plan.work.bytes_read, plan.work.bytes_written, plan.work.requested_bytes);
        assert_eq!(counted, formula, "{} {:?}", choice.kernel.id, choice.params);
    }
}

#[test]
fn the_interpreter_agrees_with_the_oracle() {
    let fma = |choice: &Choice| choice.kernel.id == "fma";
    for choice in Suite::Standard.rows().into_iter().chain(presets()) {
        let setting = common::setting(if fma(&choice) { 1 << 20 } else { common::small_bytes(&choice) });
        let plan = plan(choice.kernel, &choice.params, &setting).unwrap();
        let outcome =
            Interpreter::new(&plan.program).unwrap().run(&options(Block::Verification, true), &mut Deaf).unwrap();
        for word in 0..plan.oracle.words {
            let expected = (plan.oracle.expected)(word);
            let found = outcome.memory.read_word(plan.oracle.buffer, word);
            assert_eq!(found, Some(expected), "{} {:?}: word {word}", choice.kernel.id, choice.params);
        }
    }
}

fn presets() -> impl Iterator<Item = Choice> {
    PRESETS.iter().flat_map(|preset| {
        let kernel = kernels::by_id(preset.kernel).unwrap();
        preset.params().into_iter().map(move |params| Choice {
            kernel,
            params,
            footprint: Footprint::Run,
            preset: Some(preset.id),
        })
    })
}

#[test]
fn a_wide_load_that_cannot_be_aligned_is_refused_with_the_reason() {
    let kernel = kernels::by_id("read").unwrap();
    let params = kernel.defaults().with("element", "vec4").with("offset_bytes", 4);
    let error = plan(kernel, &params, &common::setting(1 << 20)).unwrap_err();
    let PlanError::Refused(Refusal(text)) = error else { panic!("{error}") };
    assert!(text.contains("multiple of 16") && text.contains("element=f32 with offset=1"), "{text}");
    let scalar = kernel.defaults().with("offset_bytes", 4);
    assert!(plan(kernel, &scalar, &common::setting(1 << 20)).is_ok());
}

#[test]
fn limits_and_wrapping_indices_are_refused_with_numbers() {
    let kernel = kernels::by_id("read").unwrap();
    let mut setting = common::setting(129 << 20);
    setting.limits.max_storage_binding_bytes = 128 << 20;
    let error = plan(kernel, &kernel.defaults(), &setting).unwrap_err().to_string();
    assert!(error.contains("134217728") && error.contains("135266304"), "{error}");
    // 2^32 f16 elements: the last index fits, the end of the last tile does not.
    let mut huge = common::setting(8 << 30);
    huge.limits.max_storage_binding_bytes = u64::MAX;
    huge.limits.max_buffer_bytes = u64::MAX;
    let error = plan(kernel, &kernel.defaults().with("element", "f16"), &huge).unwrap_err();
    assert!(matches!(error, PlanError::Wraps { index: 4_294_967_296, .. }), "{error}");
}

#[test]
fn grids_above_the_limit_fold_and_still_cover_everything() {
    let kernel = kernels::by_id("copy").unwrap();
    let params = kernel.defaults().with("workgroup", 32).with("items", 1);
    // 101 workgroups in rows of at most 7: 15 rows of 7 with 4 to spare; the last has 5 elements.
    let mut setting = common::setting(2 * 4 * (100 * 32 + 5) / 16 * 16 + 32);
    setting.limits.max_workgroups_per_dimension = 20;
    let plan = plan(kernel, &params, &setting).unwrap();
    assert!(plan.program.grid[1] > 1 && plan.groups == 101, "{:?} {}", plan.program.grid, plan.groups);
    let outcome = Interpreter::new(&plan.program).unwrap().run(&options(Block::Phase(0), true), &mut Deaf).unwrap();
    for word in 0..plan.oracle.words {
        assert_eq!(outcome.memory.read_word("destination", word), Some((plan.oracle.expected)(word)), "word {word}");
    }
}
