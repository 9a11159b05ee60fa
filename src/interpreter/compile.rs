//! naga IR to [`Code`]: every expression gets a slot, every access a number, every buffer its size.

use std::collections::HashMap;

use naga::valid::FunctionInfo;
use naga::{Arena, BuiltIn, Expression as Ir, Function as IrFunction, Handle, Literal, Span};

use super::code::{AccessInfo, BuiltInValue, Code, Function, Place, Root};
use super::error::{InterpretError, Unsupported};
use super::flat::{Flat, Kind, Layouts, Leaf};
use super::reach::reached;
use super::taint::Slice;
use crate::program::Program;
use crate::shader::Specialised;
use crate::trace::{AccessKind, MAX_LANES, Space};

/// More workgroup memory than any device has.
const MOST_WORKGROUP_BYTES: u32 = 1 << 24;
/// Words of all values of one workgroup.
const MOST_WORDS: usize = 1 << 28;

/// What compiling needs to know and what it has made so far.
pub(super) struct Compiler<'a> {
    pub shader: &'a Specialised,
    pub layouts: Layouts<'a>,
    pub code: Code,
    /// Where each global variable is, by its index.
    pub globals: Vec<Option<Place>>,
    /// What feeds addresses and control flow.
    pub slice: Slice,
    /// Rows handed out to private and function variables.
    pub local_rows: u32,
    constants: HashMap<u32, usize>,
    /// Which functions the entry point reaches.
    reached: Vec<bool>,
    /// The number of each global variable that is a texture; 0 for samplers.
    pub resources: Vec<Option<u32>>,
}

/// Compiles the entry point of a program.
pub(super) fn compile(shader: &Specialised, program: &Program, subgroup: u32) -> Result<Code, InterpretError> {
    let size = shader.reflection().workgroup_size;
    let lanes = size.iter().map(|n| *n as usize).product::<usize>();
    if lanes == 0 || lanes > MAX_LANES {
        return Err(InterpretError::Program(format!(
            "a workgroup of {lanes} lanes: from 1 to {MAX_LANES} are possible"
        )));
    }
    if subgroup == 0 {
        return Err(InterpretError::Program("a subgroup of 0 lanes: it has at least 1".into()));
    }
    let layouts = Layouts::new(&shader.module, [size.iter().product(), subgroup]).map_err(InterpretError::Program)?;
    let code = Code { workgroup_size: size, lanes, subgroup: subgroup as usize, ..Code::default() };
    let mut compiler = Compiler {
        shader,
        layouts,
        code,
        globals: Vec::new(),
        slice: Slice::default(),
        local_rows: 0,
        constants: HashMap::new(),
        reached: Vec::new(),
        resources: Vec::new(),
    };
    compiler.globals(program)?;
    if compiler.code.workgroup_bytes > MOST_WORKGROUP_BYTES {
        let bytes = compiler.code.workgroup_bytes;
        return Err(InterpretError::Program(format!(
            "{bytes} bytes of workgroup memory: up to {MOST_WORKGROUP_BYTES} are possible"
        )));
    }
    compiler.reach()?;
    compiler.slice = Slice::new(shader).unwrap_or_default();
    compiler.count_local_rows();
    compiler.code.local_rows = compiler.local_rows;
    compiler.code.words = (compiler.local_rows as usize).saturating_mul(lanes);
    compiler.local_rows = compiler.code.privates.iter().map(|(first, words)| first + count(words)).max().unwrap_or(0);
    compiler.functions()?;
    if compiler.code.words > MOST_WORDS {
        return Err(InterpretError::Program(format!(
            "the values of one workgroup take {:.1} GiB: variables and arrays of {lanes} lanes may take 1 GiB",
            compiler.code.words as f64 * 4.0 / f64::from(1u32 << 30)
        )));
    }
    let found = &mut compiler.code.unsupported;
    found.sort_by_key(|unsupported| unsupported.position);
    // Once for each line is enough.
    found.dedup_by(|next, kept| next.construct == kept.construct && next.position.line == kept.position.line);
    Ok(compiler.code)
}

impl<'a> Compiler<'a> {
    pub(super) fn unsupported(&self, construct: impl Into<String>, span: Span) -> InterpretError {
        InterpretError::Unsupported { construct: construct.into(), position: self.shader.source.start(span) }
    }

    /// Remembers what cannot be executed, so that the rest can; any other error is handed on.
    pub(super) fn note(&mut self, error: InterpretError) -> Result<(), InterpretError> {
        let InterpretError::Unsupported { construct, position } = error else { return Err(error) };
        self.code.unsupported.push(Unsupported { construct, position });
        Ok(())
    }

    /// The slot of a texture's or sampler's number.
    pub(super) fn resource(&mut self, variable: Handle<naga::GlobalVariable>) -> Option<usize> {
        let number = self.resources.get(variable.index()).copied().flatten()?;
        Some(self.constant(number))
    }

    /// A new slot of so many rows.
    pub(super) const fn slot(&mut self, rows: u32) -> usize {
        let slot = self.code.words;
        self.code.words = slot.saturating_add((rows as usize).saturating_mul(self.code.lanes));
        slot
    }

    /// The slot of a word that is the same in every lane.
    pub(super) fn constant(&mut self, word: u32) -> usize {
        if let Some(slot) = self.constants.get(&word) {
            return *slot;
        }
        let slot = self.slot(1);
        self.code.constants.push((slot, word));
        self.constants.insert(word, slot);
        slot
    }

    /// Remembers a layout.
    pub(super) fn flat(&mut self, flat: Flat) -> usize {
        self.code.flats.iter().position(|known| *known == flat).unwrap_or_else(|| {
            self.code.flats.push(flat);
            self.code.flats.len() - 1
        })
    }

    /// The entry point and its index.
    fn entry(&self) -> Option<(usize, &'a IrFunction)> {
        let name = &self.shader.reflection().entry_point;
        let points = &self.shader.module.entry_points;
        let index = points.iter().position(|point| point.name == *name)?;
        Some((index, &points[index].function))
    }

    fn reach(&mut self) -> Result<(), InterpretError> {
        if let Some((_, entry)) = self.entry() {
            self.reached =
                reached(&self.shader.module, entry).map_err(|too_far| self.unsupported(too_far.what, too_far.span))?;
        }
        Ok(())
    }

    /// Rows of all function variables, so that they lie before every slot.
    fn count_local_rows(&mut self) {
        let module = &self.shader.module;
        let reached = module.functions.iter().filter(|(handle, _)| self.reached[handle.index()]);
        for function in reached.map(|(_, function)| function).chain(self.entry().map(|(_, function)| function)) {
            for (_, variable) in function.local_variables.iter() {
                // One that is not covered gets no rows, and a note when its function is compiled.
                let rows = self.layouts.flat(variable.ty).map_or(0, |flat| flat.rows());
                self.local_rows = self.local_rows.saturating_add(rows);
            }
        }
    }

    fn functions(&mut self) -> Result<(), InterpretError> {
        let (module, info) = (&self.shader.module, &self.shader.info);
        for (handle, function) in module.functions.iter() {
            let reached = self.reached[handle.index()];
            let span = module.functions.get_span(handle);
            let compiled = if reached { self.function(function, &info[handle], span)? } else { Function::default() };
            self.code.functions.push(compiled);
        }
        let Some((index, function)) = self.entry() else { return Ok(()) };
        let compiled = self.function(function, info.get_entry_point(index), Span::UNDEFINED)?;
        for (index, (slot, _)) in (0..).zip(&compiled.arguments) {
            self.built_in_argument(&function.arguments[index], *slot, argument_span(function, index))?;
        }
        self.code.functions.push(compiled);
        Ok(())
    }

    /// Built-in values reach the entry point as arguments, or as members of a structure.
    fn built_in_argument(
        &mut self,
        argument: &naga::FunctionArgument,
        slot: usize,
        span: Span,
    ) -> Result<(), InterpretError> {
        if let Some(binding) = &argument.binding {
            return self.built_in(binding, slot, span);
        }
        let naga::TypeInner::Struct { members, .. } = &self.shader.module.types[argument.ty].inner else {
            return Ok(());
        };
        let mut rows = 0;
        for member in members {
            if let Some(binding) = &member.binding {
                self.built_in(binding, slot + rows * self.code.lanes, span)?;
            }
            // Built-in values are numbers, and their layout known.
            rows += self.layouts.flat(member.ty).map_or(0, |flat| flat.parts.len());
        }
        Ok(())
    }

    fn built_in(&mut self, binding: &naga::Binding, slot: usize, span: Span) -> Result<(), InterpretError> {
        let value = match binding {
            naga::Binding::BuiltIn(BuiltIn::GlobalInvocationId) => BuiltInValue::GlobalInvocationId,
            naga::Binding::BuiltIn(BuiltIn::LocalInvocationId) => BuiltInValue::LocalInvocationId,
            naga::Binding::BuiltIn(BuiltIn::LocalInvocationIndex) => BuiltInValue::LocalInvocationIndex,
            naga::Binding::BuiltIn(BuiltIn::WorkGroupId) => BuiltInValue::WorkgroupId,
            naga::Binding::BuiltIn(BuiltIn::NumWorkGroups) => BuiltInValue::NumWorkgroups,
            naga::Binding::BuiltIn(BuiltIn::WorkGroupSize) => BuiltInValue::WorkgroupSize,
            naga::Binding::BuiltIn(BuiltIn::NumSubgroups) => BuiltInValue::NumSubgroups,
            naga::Binding::BuiltIn(BuiltIn::SubgroupId) => BuiltInValue::SubgroupId,
            naga::Binding::BuiltIn(BuiltIn::SubgroupSize) => BuiltInValue::SubgroupSize,
            naga::Binding::BuiltIn(BuiltIn::SubgroupInvocationId) => BuiltInValue::SubgroupInvocationId,
            naga::Binding::BuiltIn(other) => {
                return self.note(self.unsupported(format!("the built-in value {other:?}"), span));
            }
            naga::Binding::Location { .. } => {
                return self.note(self.unsupported("an input at a location", span));
            }
        };
        self.code.built_ins.push((slot, value));
        Ok(())
    }

    fn function(
        &mut self,
        function: &'a IrFunction,
        info: &'a FunctionInfo,
        span: Span,
    ) -> Result<Function, InterpretError> {
        super::expressions::FunctionCompiler::new(self, function, info, span)?.finish()
    }

    /// Numbers the accesses of a transfer, one for each leaf.
    pub(super) fn accesses(&mut self, place: &Place, leaves: &[Leaf], kind: AccessKind, span: Span) -> usize {
        let first = self.code.accesses.len();
        let space = match place.root {
            Root::Local => return first,
            Root::Workgroup => Space::Workgroup,
            Root::Buffer(index) if self.code.buffers[index].uniform => Space::Uniform,
            Root::Buffer(_) => Space::Storage,
        };
        let handle = self.shader.module.global_variables.iter().nth(place.variable as usize);
        let name = handle.and_then(|(_, variable)| variable.name.clone()).unwrap_or_default();
        let position = self.shader.source.start(span);
        for leaf in leaves {
            self.code.accesses.push(AccessInfo {
                position,
                space,
                variable: place.variable,
                name: name.clone(),
                kind,
                element_bytes: leaf.bytes,
                leaf_offset: leaf.offset,
            });
        }
        first
    }

    /// What a variable begins with: zeros, and a note, where its initialiser is not covered.
    pub(super) fn initial_words(
        &mut self,
        arena: &Arena<Ir>,
        init: Option<Handle<Ir>>,
        rows: u32,
    ) -> Result<Vec<u32>, InterpretError> {
        match init.map(|init| self.constant_words(arena, init)) {
            Some(Ok(words)) => return Ok(words),
            Some(Err(error)) => self.note(error)?,
            None => {}
        }
        Ok(vec![0; rows as usize])
    }

    /// The words of a constant expression.
    pub(super) fn constant_words(&self, arena: &Arena<Ir>, handle: Handle<Ir>) -> Result<Vec<u32>, InterpretError> {
        let module = &self.shader.module;
        let recurse = |handle| self.constant_words(arena, handle);
        match arena[handle] {
            Ir::Literal(literal) => literal_words(literal)
                .ok_or_else(|| self.unsupported(format!("the literal {literal:?}"), arena.get_span(handle))),
            Ir::Constant(constant) => self.constant_words(&module.global_expressions, module.constants[constant].init),
            Ir::ZeroValue(ty) => {
                let flat = self.layouts.flat(ty).map_err(|what| self.unsupported(what, arena.get_span(handle)))?;
                Ok(vec![0; flat.parts.len()])
            }
            Ir::Compose { ref components, .. } => {
                Ok(components.iter().map(|part| recurse(*part)).collect::<Result<Vec<_>, _>>()?.concat())
            }
            Ir::Splat { size, value } => Ok(recurse(value)?.repeat(size as usize)),
            _ => Err(self.unsupported("a constant expression of this form", arena.get_span(handle))),
        }
    }
}

/// Where an argument's name stands.
pub(super) fn argument_span(function: &IrFunction, index: usize) -> Span {
    let is_it = |ir: &Ir| matches!(ir, Ir::FunctionArgument(number) if *number as usize == index);
    let found = function.expressions.iter().find(|(_, ir)| is_it(ir));
    found.map_or(Span::UNDEFINED, |(handle, _)| function.expressions.get_span(handle))
}

/// The bits of a literal.
fn literal_words(literal: Literal) -> Option<Vec<u32>> {
    #[expect(clippy::cast_possible_truncation, reason = "the two halves of a number")]
    let wide = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
    Some(match literal {
        Literal::F64(value) => wide(value.to_bits()),
        Literal::U64(value) => wide(value),
        Literal::I64(value) => wide(value.cast_unsigned()),
        Literal::F32(value) => vec![value.to_bits()],
        Literal::F16(value) => vec![u32::from(value.to_bits())],
        Literal::U32(value) => vec![value],
        Literal::I32(value) => vec![value.cast_unsigned()],
        Literal::Bool(value) => vec![u32::from(value)],
        Literal::AbstractInt(value) => vec![i32::try_from(value).ok()?.cast_unsigned()],
        #[expect(clippy::cast_possible_truncation, reason = "an abstract float becomes an f32")]
        Literal::AbstractFloat(value) => vec![(value as f32).to_bits()],
        Literal::U16(_) | Literal::I16(_) => return None,
    })
}

pub(super) fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

/// The kind of a type's first scalar; unsigned where it has none.
pub(super) fn first_kind(flat: &Flat) -> Kind {
    flat.parts.first().map_or(Kind::U32, |part| part.kind)
}
