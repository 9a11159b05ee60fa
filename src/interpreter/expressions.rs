//! Compiling the expressions of a function: each gets a slot behind those of its operands, or a place if it is a
//! pointer. One that cannot be executed is noted, and is zero ever after; one whose very type is not covered has no
//! slot, and what uses it is left out.

use naga::proc::TypeResolution;
use naga::valid::FunctionInfo;
use naga::{Expression as Ir, Function as IrFunction, Handle, MathFunction, ScalarKind, Span, TypeInner};

use super::code::{Expression, Function, Op, Place, Root};
use super::compile::{Compiler, argument_span, first_kind};
use super::error::InterpretError;
use super::flat::{Flat, Kind};
use super::lanes::Slot;
use super::operands::operands;
use super::{math, wide};
use crate::trace::AccessKind;

/// Compiles one function.
pub(super) struct FunctionCompiler<'c, 'a> {
    pub compiler: &'c mut Compiler<'a>,
    pub ir: &'a IrFunction,
    info: &'a FunctionInfo,
    pub function: Function,
    /// The place of each expression that is a pointer.
    pub places: Vec<Option<Place>>,
    locals: Vec<Option<Place>>,
    /// Which expressions have neither slot nor place.
    missing: Vec<bool>,
}

impl<'c, 'a> FunctionCompiler<'c, 'a> {
    pub(super) fn new(
        compiler: &'c mut Compiler<'a>,
        ir: &'a IrFunction,
        info: &'a FunctionInfo,
        span: Span,
    ) -> Result<Self, InterpretError> {
        let mut this = Self {
            compiler,
            ir,
            info,
            function: Function::default(),
            places: Vec::new(),
            locals: Vec::new(),
            missing: Vec::new(),
        };
        for (index, argument) in ir.arguments.iter().enumerate() {
            let rows = match this.compiler.shader.module.types[argument.ty].inner {
                TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => 1,
                _ => this.rows_or_none(argument.ty, argument_span(ir, index))?.unwrap_or(0),
            };
            let slot = this.compiler.slot(rows);
            this.function.arguments.push((slot, rows));
        }
        if let Some(result) = &ir.result {
            let rows = this.rows_or_none(result.ty, span)?.unwrap_or(0);
            this.function.result = Some((this.compiler.slot(rows), rows));
        }
        for (handle, variable) in ir.local_variables.iter() {
            let Some(rows) = this.rows_or_none(variable.ty, ir.local_variables.get_span(handle))? else {
                this.locals.push(None);
                continue;
            };
            let words = this.compiler.initial_words(&ir.expressions, variable.init, rows)?;
            let first = this.compiler.local_rows;
            this.compiler.local_rows += rows;
            this.function.locals.push((first, words));
            this.locals.push(Some(Place {
                root: Root::Local,
                offset: first,
                dynamic: None,
                clamp: None,
                beyond: false,
                variable: u32::MAX,
            }));
        }
        Ok(this)
    }

    pub(super) fn finish(mut self) -> Result<Function, InterpretError> {
        for (handle, expression) in self.ir.expressions.iter() {
            let first = self.places.len();
            let compiled = if self.any_missing(&operands(expression)) || self.is_unknown_argument(expression) {
                None
            } else {
                match self.expression(handle, expression) {
                    Ok(compiled) => Some(compiled),
                    Err(error) => {
                        self.compiler.note(error)?;
                        self.places.truncate(first);
                        None
                    }
                }
            };
            let compiled = compiled.or_else(|| self.zeros(handle));
            self.places.resize(first + 1, None);
            self.missing.push(compiled.is_none() || (self.is_pointer(handle) && self.places[first].is_none()));
            let nothing = Expression { op: Op::None, slot: 0, rows: 0, counts: false };
            self.function.expressions.push(compiled.unwrap_or(nothing));
            self.function.needed.push(self.needs(handle));
        }
        self.function.body = self.block(&self.ir.body)?;
        Ok(self.function)
    }

    /// Whether it is an argument of a type that is not covered.
    fn is_unknown_argument(&self, ir: &Ir) -> bool {
        matches!(ir, Ir::FunctionArgument(index) if self.function.arguments[*index as usize].1 == 0)
    }

    /// Whether any of these has neither slot nor place.
    pub(super) fn any_missing(&self, handles: &[Handle<Ir>]) -> bool {
        handles.iter().any(|handle| self.missing.get(handle.index()).copied().unwrap_or(false))
    }

    /// A slot that nothing ever fills; `None` for pointers and types that are not covered. What began it is noted.
    fn zeros(&mut self, handle: Handle<Ir>) -> Option<Expression> {
        if self.is_pointer(handle) {
            return None;
        }
        let rows = self.flat_of(handle).ok()?.rows();
        Some(Expression { op: Op::None, slot: self.compiler.slot(rows), rows, counts: false })
    }

    /// Rows of a type; `None`, and a note, where it is not covered.
    fn rows_or_none(&mut self, ty: Handle<naga::Type>, span: Span) -> Result<Option<u32>, InterpretError> {
        match self.rows_of(ty, span) {
            Ok(rows) => Ok(Some(rows)),
            Err(error) => self.compiler.note(error).map(|()| None),
        }
    }

    pub(super) fn rows_of(&self, ty: Handle<naga::Type>, span: Span) -> Result<u32, InterpretError> {
        let flat = self.compiler.layouts.flat(ty).map_err(|what| self.compiler.unsupported(what, span))?;
        Ok(flat.rows())
    }

    pub(super) fn span(&self, handle: Handle<Ir>) -> Span {
        self.ir.expressions.get_span(handle)
    }

    pub(super) fn unsupported(&self, construct: impl Into<String>, handle: Handle<Ir>) -> InterpretError {
        self.compiler.unsupported(construct, self.span(handle))
    }

    pub(super) fn inner(&self, handle: Handle<Ir>) -> &'a TypeInner {
        self.info[handle].ty.inner_with(&self.compiler.shader.module.types)
    }

    pub(super) fn is_pointer(&self, handle: Handle<Ir>) -> bool {
        matches!(self.inner(handle), TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
    }

    /// The layout of an expression's value.
    pub(super) fn flat_of(&self, handle: Handle<Ir>) -> Result<Flat, InterpretError> {
        let flat = match &self.info[handle].ty {
            TypeResolution::Handle(ty) => self.compiler.layouts.flat(*ty),
            TypeResolution::Value(inner) => self.compiler.layouts.flat_inner(inner),
        };
        flat.map_err(|what| self.unsupported(what, handle))
    }

    pub(super) fn slot_of(&self, handle: Handle<Ir>) -> Slot {
        self.function.expressions.get(handle.index()).map_or(0, |expression| expression.slot)
    }

    pub(super) fn rows(&self, handle: Handle<Ir>) -> u32 {
        self.function.expressions.get(handle.index()).map_or(0, |expression| expression.rows)
    }

    pub(super) fn kind_of(&self, handle: Handle<Ir>) -> Result<Kind, InterpretError> {
        Ok(first_kind(&self.flat_of(handle)?))
    }

    fn expression(&mut self, handle: Handle<Ir>, ir: &Ir) -> Result<Expression, InterpretError> {
        let lanes = self.compiler.code.lanes;
        let filled = |slot, rows| Ok(Expression { op: Op::None, slot, rows, counts: false });
        match *ir {
            Ir::Literal(_) | Ir::Constant(_) | Ir::ZeroValue(_) => {
                let words = self.compiler.constant_words(&self.ir.expressions, handle)?;
                let rows = u32::try_from(words.len()).unwrap_or(u32::MAX);
                if let [word] = *words.as_slice() {
                    return filled(self.compiler.constant(word), 1);
                }
                let slot = self.compiler.slot(rows);
                let constants = words.iter().enumerate().map(|(k, word)| (slot + k * lanes, *word));
                self.compiler.code.constants.extend(constants);
                filled(slot, rows)
            }
            Ir::FunctionArgument(index) => {
                let (slot, rows) = self.function.arguments[index as usize];
                if self.is_pointer(handle) {
                    let place = Place {
                        root: Root::Local,
                        offset: 0,
                        dynamic: Some(slot),
                        clamp: None,
                        beyond: false,
                        variable: u32::MAX,
                    };
                    self.places.push(Some(place));
                }
                filled(slot, rows)
            }
            Ir::GlobalVariable(variable) => {
                if let Some(slot) = self.compiler.resource(variable) {
                    return filled(slot, 1);
                }
                let place = self.compiler.globals.get(variable.index()).copied().flatten();
                self.places.push(place);
                filled(0, 0)
            }
            Ir::LocalVariable(variable) => {
                let place = self.locals.get(variable.index()).copied().flatten();
                self.places.push(place);
                filled(0, 0)
            }
            Ir::Access { base, index } => self.access(handle, base, index),
            Ir::AccessIndex { base, index } => self.access_index(handle, base, index),
            Ir::CallResult(_)
            | Ir::AtomicResult { .. }
            | Ir::WorkGroupUniformLoadResult { .. }
            | Ir::SubgroupBallotResult
            | Ir::SubgroupOperationResult { .. } => {
                let rows = self.flat_of(handle)?.rows();
                filled(self.compiler.slot(rows), rows)
            }
            _ => {
                let op = self.operation(handle, ir)?;
                let rows = self.flat_of(handle)?.rows();
                let slot = self.compiler.slot(rows);
                Ok(Expression { op, slot, rows, counts: true })
            }
        }
    }

    fn operation(&mut self, handle: Handle<Ir>, ir: &Ir) -> Result<Op, InterpretError> {
        let lanes = self.compiler.code.lanes;
        match *ir {
            Ir::Compose { ref components, .. } => {
                let rows = components.iter().flat_map(|part| {
                    let slot = self.slot_of(*part);
                    (0..self.rows(*part) as usize).map(move |row| slot + row * lanes)
                });
                Ok(Op::Rows(rows.collect()))
            }
            Ir::Splat { size, value } => {
                let (base, words) = (self.slot_of(value), self.rows(value) as usize);
                let rows = (0..size as usize * words).map(|row| base + row % words.max(1) * lanes);
                Ok(Op::Rows(rows.collect()))
            }
            Ir::Swizzle { size, vector, pattern } => {
                let (base, words) = (self.slot_of(vector), self.kind_of(vector)?.words() as usize);
                let parts = pattern[..size as usize].iter().map(|part| *part as usize);
                let rows = parts.flat_map(|part| (0..words).map(move |word| base + (part * words + word) * lanes));
                Ok(Op::Rows(rows.collect()))
            }
            Ir::Load { pointer } => {
                let span = self.span(handle);
                Ok(Op::Load(self.transfer(pointer, AccessKind::Load, span)?))
            }
            Ir::Unary { op, expr } => Ok(Op::Unary { op, kind: self.kind_of(expr)?, a: self.slot_of(expr) }),
            Ir::Binary { op, left, right } => self.binary(op, left, right),
            Ir::Select { condition, accept, reject } => Ok(Op::Select {
                condition: self.slot_of(condition),
                condition_rows: self.rows(condition),
                accept: self.slot_of(accept),
                reject: self.slot_of(reject),
            }),
            Ir::Relational { fun, argument } => Ok(Op::Relational {
                fun,
                kind: self.kind_of(argument)?,
                a: self.slot_of(argument),
                a_rows: self.rows(argument),
            }),
            Ir::Math { fun, arg, arg1, arg2, arg3 } => {
                let operand = |arg: Option<Handle<Ir>>| arg.map_or((0, 0), |arg| (self.slot_of(arg), self.rows(arg)));
                self.math(handle, fun, arg, [operand(Some(arg)), operand(arg1), operand(arg2), operand(arg3)])
            }
            Ir::As { expr, kind, convert } => self.conversion(handle, expr, kind, convert),
            Ir::ArrayLength(pointer) => {
                let place = self.place(pointer)?;
                let (_, count) = self.elements(pointer, &place)?;
                Ok(Op::Fill(count))
            }
            Ir::Derivative { .. } => Err(self.unsupported("a derivative", handle)),
            Ir::ImageSample { .. } | Ir::ImageLoad { .. } | Ir::ImageQuery { .. } => self.texture(handle, ir),
            Ir::RayQueryVertexPositions { .. } | Ir::RayQueryProceedResult | Ir::RayQueryGetIntersection { .. } => {
                Err(self.unsupported("a ray query", handle))
            }
            Ir::CooperativeLoad { ref data, .. } => self.load_tile(handle, data),
            Ir::CooperativeMultiplyAdd { a, b, c } => self.multiply_add(handle, [a, b, c]),
            Ir::Override(_) => Err(self.unsupported("an override without a value", handle)),
            Ir::Literal(_)
            | Ir::Constant(_)
            | Ir::ZeroValue(_)
            | Ir::FunctionArgument(_)
            | Ir::GlobalVariable(_)
            | Ir::LocalVariable(_)
            | Ir::Access { .. }
            | Ir::AccessIndex { .. }
            | Ir::CallResult(_)
            | Ir::AtomicResult { .. }
            | Ir::WorkGroupUniformLoadResult { .. }
            | Ir::SubgroupBallotResult
            | Ir::SubgroupOperationResult { .. } => Ok(Op::None),
        }
    }

    fn binary(&self, op: naga::BinaryOperator, left: Handle<Ir>, right: Handle<Ir>) -> Result<Op, InterpretError> {
        let (a, b, kind) = (self.slot_of(left), self.slot_of(right), self.kind_of(left)?);
        let product = |inner: u32, left_rows: u32, right_columns: u32| Op::MatrixProduct {
            kind,
            a,
            b,
            inner,
            left_rows,
            right_columns,
        };
        if op == naga::BinaryOperator::Multiply {
            match (self.inner(left), self.inner(right)) {
                (TypeInner::Matrix { columns, rows, .. }, TypeInner::Vector { .. }) => {
                    return Ok(product(*columns as u32, *rows as u32, 1));
                }
                (TypeInner::Vector { size, .. }, TypeInner::Matrix { columns, .. }) => {
                    return Ok(product(*size as u32, 1, *columns as u32));
                }
                (TypeInner::Matrix { columns, rows, .. }, TypeInner::Matrix { columns: right_columns, .. }) => {
                    return Ok(product(*columns as u32, *rows as u32, *right_columns as u32));
                }
                _ => {}
            }
        }
        Ok(Op::Binary { op, kind, a, a_rows: self.rows(left), b, b_rows: self.rows(right) })
    }

    fn math(
        &self,
        handle: Handle<Ir>,
        fun: MathFunction,
        arg: Handle<Ir>,
        args: [(Slot, u32); 4],
    ) -> Result<Op, InterpretError> {
        let matrix = match self.inner(arg) {
            TypeInner::Matrix { columns, rows, .. } => Some((*columns as u32, *rows as u32)),
            _ => None,
        };
        let kind = self.kind_of(arg)?;
        if let (MathFunction::Transpose, Some((columns, rows))) = (fun, matrix) {
            let (lanes, words) = (self.compiler.code.lanes, kind.words());
            let of =
                |row: u32, column: u32, word: u32| args[0].0 + ((column * rows + row) * words + word) as usize * lanes;
            let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
            let parts = all.flat_map(|(row, column)| (0..words).map(move |word| of(row, column, word)));
            return Ok(Op::Rows(parts.collect()));
        }
        let covered = if kind.is_wide() { wide::covers(fun, kind) } else { math::covers(fun) };
        if !covered {
            let bits = if kind.is_wide() { "64-bit numbers" } else { "this type" };
            return Err(self.unsupported(format!("the function {fun:?} of {bits}"), handle));
        }
        Ok(Op::Math { fun, kind, args, matrix })
    }

    fn conversion(
        &self,
        handle: Handle<Ir>,
        expr: Handle<Ir>,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Result<Op, InterpretError> {
        let (from, a) = (self.kind_of(expr)?, self.slot_of(expr));
        let to = self.kind_of(handle)?;
        match convert {
            Some(width) => {
                let to = Kind::of(naga::Scalar { kind, width }).map_err(|what| self.unsupported(what, handle))?;
                Ok(Op::Convert { from, to, a, a_rows: self.rows(expr) })
            }
            None if from.bytes() == to.bytes() => {
                let lanes = self.compiler.code.lanes;
                Ok(Op::Rows((0..self.rows(expr) as usize).map(|row| a + row * lanes).collect()))
            }
            // naga has no bitcast from one width to another yet.
            None => Err(self.unsupported("a bitcast to another width", handle)),
        }
    }
}
