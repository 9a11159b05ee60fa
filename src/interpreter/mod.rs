//! Executes a [`Program`] on naga IR, a whole workgroup in lockstep, and streams what it touches.
//!
//! A function is compiled once: each expression gets a slot, a row of 32-bit words for each of its scalars, one word a
//! lane. Executing an expression is one tight loop over the lanes of its rows; no lane ever has a value of its own on
//! the heap. Control flow keeps a mask of active lanes; pure expressions ignore it, because naga's scoping rules forbid
//! a lane to see what was computed while it was away; loads, stores and atomics obey it.
//!
//! Loads happen where the IR emits them, and `&&` is an `if` there already. Lanes of a workgroup are in lockstep, so
//! memory is always ordered, and atomics take the lanes in ascending order. Integers wrap, and indices are clamped and
//! counted, as WGSL's safe mode does.
//!
//! Subgroups are runs of lanes in the order of their linear index; the width matters to subgroup operations, which leave
//! inactive lanes out, and to cooperative matrices. Such a matrix belongs to a subgroup: its elements
//! lie row by row over the subgroup's lanes. Which lane moves what between memory and such a matrix is the driver's
//! choice; the lanes are taken to share it evenly in the order of memory, up to 16 bytes a lane at a time.
//!
//! Who wants counts and no results can have them sooner. `taint` knows which values feed an address or a branch; without
//! [`Options::values`] only those are computed, and everything else is told without being done. With
//! [`Options::extrapolate`] turns of loops that differ by fixed steps of addresses only are told at once, after a proof on
//! a few that are executed (`repeat`). Neither changes what an observer counts.

mod affine;
mod arithmetic;
mod code;
mod compile;
mod control;
mod cooperative;
mod error;
mod expressions;
mod flat;
mod fold;
mod globals;
mod half;
mod images;
mod lanes;
mod machine;
mod math;
mod memory;
mod operands;
mod paths;
mod places;
mod reach;
mod repeat;
mod slice;
mod statements;
mod steps;
mod subgroups;
pub(crate) mod taint;
mod texels;
mod textures;
mod tiles;
mod wide;

use std::sync::atomic::AtomicBool;

pub use error::{InterpretError, Unsupported};
pub use memory::{Memory, PAGE_WORDS, Page};
pub(crate) use reach::inner_blocks;
pub use textures::TextureUse;

use code::{BuiltInValue, Code};
use control::Budget;
use machine::Machine;
use textures::TextureMemory;

use crate::contents::Contents;
use crate::program::{Block, Program};
use crate::shader::{Shader, Specialised};
use crate::trace::{LaneMask, Observer};

/// Steps that an execution may take where nobody says: turns of loops and calls, over all workgroups.
pub const STEP_BUDGET: u64 = 100_000_000;

/// Lanes of a subgroup where nobody says.
pub const SUBGROUP: u32 = 32;

/// Which workgroups are executed, in which order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Workgroups {
    /// The whole grid, x fastest.
    All,
    /// These.
    List(Vec<[u32; 3]>),
}

/// How to execute.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// Which workgroups.
    pub workgroups: Workgroups,
    /// Which uniform block.
    pub block: Block,
    /// Whether to keep stores to buffers that the entry point never loads from. Without, memory does not grow with the
    /// grid; stores to buffers that it does load from are always kept.
    pub keep_stores: bool,
    /// Whether values are computed. Without, only what feeds addresses and control flow is executed: the observer hears
    /// the same, quicker, and what is left in memory means nothing.
    pub values: bool,
    /// Whether turns of loops that only shift addresses are told at once, through [`Observer::repeat`], instead of
    /// executed. It pays where values are not computed.
    pub extrapolate: bool,
    /// Most turns of loops and calls, over all workgroups.
    pub step_budget: u64,
    /// Ends the execution when set.
    pub cancel: Option<&'a AtomicBool>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            workgroups: Workgroups::All,
            block: Block::Phase(0),
            keep_stores: true,
            values: true,
            extrapolate: false,
            step_budget: STEP_BUDGET,
            cancel: None,
        }
    }
}

/// What an execution did and left.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Workgroups that were executed.
    pub workgroups: u64,
    /// Turns of loops, and calls.
    pub steps: u64,
    /// Emitted expressions that are no constants, and stores, times active lanes; without values also those whose value
    /// was not computed, but for whole branches in which nothing mattered.
    pub lane_expressions: u64,
    /// Loads, stores and atomics of a workgroup in lockstep, each piece of at most 16 bytes counted.
    pub accesses: u64,
    /// Lanes that asked for an address outside their variable.
    pub out_of_range: u64,
    /// What was not executed, in the order of the text: empty unless the interpreter is [`Interpreter::partial`].
    pub unsupported: Vec<Unsupported>,
    /// Accesses to textures. They have no addresses that anyone could know, so no observer hears of them.
    pub textures: Vec<TextureUse>,
    /// Buffers and textures as they were left.
    pub memory: Memory,
}

/// A program compiled for execution.
#[derive(Debug)]
pub struct Interpreter<'p> {
    program: &'p Program,
    shader: Specialised,
    code: Code,
}

impl<'p> Interpreter<'p> {
    /// Parses, specialises and compiles a program, with subgroups of [`SUBGROUP`] lanes.
    ///
    /// # Errors
    /// A text that is no shader, a construct that is not covered, a buffer that the program lacks.
    pub fn new(program: &'p Program) -> Result<Self, InterpretError> {
        Self::with_subgroup(program, SUBGROUP)
    }

    /// The same with subgroups of so many lanes, which matters to programs with cooperative matrices or subgroup
    /// operations only.
    ///
    /// # Errors
    /// As [`Interpreter::new`]; a cooperative matrix in a workgroup that is not a whole number of subgroups.
    pub fn with_subgroup(program: &'p Program, lanes: u32) -> Result<Self, InterpretError> {
        let interpreter = Self::partial(program, lanes)?;
        match interpreter.unsupported().first() {
            None => Ok(interpreter),
            Some(Unsupported { construct, position }) => {
                Err(InterpretError::Unsupported { construct: construct.clone(), position: *position })
            }
        }
    }

    /// Executes what is covered and lists the rest. An expression that is not covered is zero in every lane, a
    /// statement is left out; what has a type that is not covered has no value, and statements that use it are left
    /// out too. Values, addresses and branches that depend on such a zero mean nothing: who shows them must say so.
    ///
    /// # Errors
    /// As [`Interpreter::new`], but for constructs that leave something to execute.
    pub fn partial(program: &'p Program, lanes: u32) -> Result<Self, InterpretError> {
        let shader = Shader::parse(&program.wgsl)?.specialise(&program.entry_point, &program.constants)?;
        let code = compile::compile(&shader, program, lanes)?;
        Ok(Self { program, shader, code })
    }

    /// What will not be executed, in the order of the text.
    #[must_use]
    pub fn unsupported(&self) -> &[Unsupported] {
        &self.code.unsupported
    }

    /// Executes workgroups one after the other and tells the observer of every access.
    ///
    /// # Errors
    /// A barrier in divergent control flow, a cooperative matrix that a subgroup does not move as one, the step budget, the
    /// cancel flag, uniforms that do not fit.
    pub fn run<O: Observer + ?Sized>(
        &self,
        options: &Options<'_>,
        observer: &mut O,
    ) -> Result<Outcome, InterpretError> {
        let memory = self.memory(options)?;
        let mut machine = Machine::new(&self.code, observer, memory);
        machine.values = options.values;
        machine.repeats.allowed = options.extrapolate;
        let mut budget = Budget { steps: 0, most: options.step_budget, cancel: options.cancel };
        let mut workgroups = 0;
        let mut one = |id: [u32; 3]| {
            budget.check_cancel()?;
            workgroups += 1;
            self.workgroup(&mut machine, id, &mut budget)
        };
        match &options.workgroups {
            Workgroups::List(ids) => ids.iter().try_for_each(|id| one(*id))?,
            Workgroups::All => {
                let [x, y, z] = self.program.grid;
                for id in (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z]))) {
                    one(id)?;
                }
            }
        }
        let counts = machine.counts;
        Ok(Outcome {
            workgroups,
            steps: budget.steps,
            lane_expressions: counts.lane_expressions,
            accesses: counts.accesses,
            out_of_range: counts.out_of_range,
            unsupported: self.code.unsupported.clone(),
            textures: machine.uses,
            memory: machine.memory,
        })
    }

    /// The buffers before the execution.
    fn memory(&self, options: &Options<'_>) -> Result<Memory, InterpretError> {
        let mut memory = Memory::default();
        for bound in &self.code.buffers {
            let contents = match (&self.program.uniforms, bound.uniform) {
                (Some(uniforms), true) if uniforms.name == bound.name => {
                    Contents::Bytes(self.shader.reflection().uniform_bytes(uniforms, options.block)?.into())
                }
                (_, uniform) => match self.program.buffers.iter().find(|buffer| buffer.name == bound.name) {
                    Some(buffer) => buffer.contents.clone(),
                    None if uniform => {
                        return Err(InterpretError::Program(format!("uniform {} has no values", bound.name)));
                    }
                    None => Contents::Zero,
                },
            };
            memory.add(&bound.name, bound.bytes, contents, options.keep_stores || bound.loaded);
        }
        for texture in &self.code.textures {
            memory.add_texture(TextureMemory::new(texture.clone()));
        }
        Ok(memory)
    }

    fn workgroup<O: Observer + ?Sized>(
        &self,
        machine: &mut Machine<'_, O>,
        id: [u32; 3],
        budget: &mut Budget<'_>,
    ) -> Result<(), InterpretError> {
        let lanes = self.code.lanes;
        machine.workgroup.fill(0);
        machine.observer.workgroup(id);
        for (first, words) in &self.code.privates {
            for (row, word) in words.iter().enumerate() {
                machine.words[(*first as usize + row) * lanes..][..lanes].fill(*word);
            }
        }
        for (slot, value) in &self.code.built_ins {
            self.built_in(&mut machine.words[*slot..], *value, id);
        }
        let entry = self.code.functions.len().saturating_sub(1);
        machine.run(entry, &LaneMask::first(lanes), budget)
    }

    /// Writes a built-in value's rows.
    fn built_in(&self, words: &mut [u32], value: BuiltInValue, id: [u32; 3]) {
        let (lanes, size) = (self.code.lanes, self.code.workgroup_size);
        let local = |lane: u32| [lane % size[0], lane / size[0] % size[1], lane / (size[0] * size[1])];
        for (lane, number) in (0..lanes).zip(0u32..) {
            let width = self.code.subgroup;
            let one = match value {
                BuiltInValue::LocalInvocationIndex => Some(lane),
                BuiltInValue::NumSubgroups => Some(lanes.div_ceil(width)),
                BuiltInValue::SubgroupId => Some(lane / width),
                BuiltInValue::SubgroupSize => Some(width),
                BuiltInValue::SubgroupInvocationId => Some(lane % width),
                _ => None,
            };
            if let Some(one) = one {
                words[lane] = u32::try_from(one).unwrap_or(u32::MAX);
                continue;
            }
            let rows: [u32; 3] = match value {
                BuiltInValue::LocalInvocationId => local(number),
                BuiltInValue::GlobalInvocationId => {
                    let local = local(number);
                    std::array::from_fn(|k| id[k].wrapping_mul(size[k]).wrapping_add(local[k]))
                }
                BuiltInValue::WorkgroupId => id,
                BuiltInValue::NumWorkgroups => self.program.grid,
                _ => size,
            };
            for (row, word) in rows.into_iter().enumerate() {
                words[row * lanes + lane] = word;
            }
        }
    }
}
