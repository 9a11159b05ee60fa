//! Compiling the expressions of a function: each gets a slot behind those of its operands, or a place if it is a
//! pointer.

use naga::proc::TypeResolution;
use naga::valid::FunctionInfo;
use naga::{Expression as Ir, Function as IrFunction, Handle, MathFunction, ScalarKind, Span, TypeInner};

use super::code::{Expression, Function, Op, Place, Root, Transfer};
use super::compile::{Compiler, argument_span, first_kind};
use super::error::InterpretError;
use super::flat::{Flat, Kind, column_stride};
use super::lanes::Slot;
use crate::trace::AccessKind;

/// Compiles one function.
pub(super) struct FunctionCompiler<'c, 'a> {
    pub compiler: &'c mut Compiler<'a>,
    pub ir: &'a IrFunction,
    info: &'a FunctionInfo,
    pub function: Function,
    /// The place of each expression that is a pointer.
    places: Vec<Option<Place>>,
    locals: Vec<Place>,
}

impl<'c, 'a> FunctionCompiler<'c, 'a> {
    pub(super) fn new(
        compiler: &'c mut Compiler<'a>,
        ir: &'a IrFunction,
        info: &'a FunctionInfo,
    ) -> Result<Self, InterpretError> {
        let mut this =
            Self { compiler, ir, info, function: Function::default(), places: Vec::new(), locals: Vec::new() };
        for (index, argument) in ir.arguments.iter().enumerate() {
            let rows = match this.compiler.shader.module.types[argument.ty].inner {
                TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => 1,
                _ => this.rows_of(argument.ty, argument_span(ir, index))?,
            };
            let slot = this.compiler.slot(rows);
            this.function.arguments.push((slot, rows));
        }
        if let Some(result) = &ir.result {
            let rows = this.rows_of(result.ty, Span::UNDEFINED)?;
            this.function.result = Some((this.compiler.slot(rows), rows));
        }
        for (_, variable) in ir.local_variables.iter() {
            let rows = this.rows_of(variable.ty, Span::UNDEFINED)?;
            let words = match variable.init {
                Some(init) => this.compiler.constant_words(&ir.expressions, init)?,
                None => vec![0; rows as usize],
            };
            let first = this.compiler.local_rows;
            this.compiler.local_rows += rows;
            this.function.locals.push((first, words));
            this.locals.push(Place {
                root: Root::Local,
                offset: first,
                dynamic: None,
                clamp: None,
                beyond: false,
                variable: u32::MAX,
            });
        }
        Ok(this)
    }

    pub(super) fn finish(mut self) -> Result<Function, InterpretError> {
        for (handle, expression) in self.ir.expressions.iter() {
            let compiled = self.expression(handle, expression)?;
            self.function.expressions.push(compiled);
            if self.places.len() < self.function.expressions.len() {
                self.places.push(None);
            }
        }
        self.function.body = self.block(&self.ir.body)?;
        Ok(self.function)
    }

    fn rows_of(&self, ty: Handle<naga::Type>, span: Span) -> Result<u32, InterpretError> {
        let flat = self.compiler.layouts.flat(ty).map_err(|what| self.compiler.unsupported(what, span))?;
        Ok(u32::try_from(flat.parts.len()).unwrap_or(u32::MAX))
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

    fn rows(&self, handle: Handle<Ir>) -> u32 {
        self.function.expressions.get(handle.index()).map_or(0, |expression| expression.rows)
    }

    fn kind_of(&self, handle: Handle<Ir>) -> Result<Kind, InterpretError> {
        Ok(first_kind(&self.flat_of(handle)?))
    }

    /// The place that a pointer expression names.
    pub(super) fn place(&self, handle: Handle<Ir>) -> Result<Place, InterpretError> {
        self.places
            .get(handle.index())
            .copied()
            .flatten()
            .ok_or_else(|| self.unsupported("a pointer of this form", handle))
    }

    /// A load or store of what a pointer points to.
    pub(super) fn transfer(
        &mut self,
        pointer: Handle<Ir>,
        kind: AccessKind,
        span: Span,
    ) -> Result<Transfer, InterpretError> {
        let place = self.place(pointer)?;
        let flat = match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => self.compiler.layouts.flat(base),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                self.compiler.layouts.flat_inner(&TypeInner::Vector { size, scalar })
            }
            TypeInner::ValuePointer { size: None, scalar, .. } => {
                self.compiler.layouts.flat_inner(&TypeInner::Scalar(scalar))
            }
            _ => Err("a pointer of this form".to_owned()),
        };
        let flat = flat.map_err(|what| self.unsupported(what, pointer))?;
        if flat.cooperative && place.root != Root::Local {
            return Err(self.compiler.unsupported("a cooperative matrix as a shared variable", span));
        }
        let access = self.compiler.accesses(&place, &flat.leaves, kind, span);
        Ok(Transfer { place, flat: self.compiler.flat(flat), access })
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
                if matches!(self.inner(handle), TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }) {
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
                let place = self.compiler.globals.get(variable.index()).copied().flatten();
                self.places.push(place);
                filled(0, 0)
            }
            Ir::LocalVariable(variable) => {
                let place = self.locals.get(variable.index()).copied();
                self.places.push(place);
                filled(0, 0)
            }
            Ir::Access { base, index } => self.access(handle, base, index),
            Ir::AccessIndex { base, index } => self.access_index(handle, base, index),
            Ir::CallResult(_) | Ir::AtomicResult { .. } | Ir::WorkGroupUniformLoadResult { .. } => {
                let rows = u32::try_from(self.flat_of(handle)?.parts.len()).unwrap_or(u32::MAX);
                let slot = self.compiler.slot(rows);
                filled(slot, rows)
            }
            _ => {
                let op = self.operation(handle, ir)?;
                let rows = u32::try_from(self.flat_of(handle)?.parts.len()).unwrap_or(u32::MAX);
                let slot = self.compiler.slot(rows);
                Ok(Expression { op, slot, rows, counts: true })
            }
        }
    }

    /// Bytes (rows for variables of a lane) from element to element, and how many there are, of what a pointer names.
    fn elements(&self, pointer: Handle<Ir>, place: &Place) -> Result<(u32, u32), InterpretError> {
        let module = &self.compiler.shader.module;
        let local = place.root == Root::Local;
        let inner = match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => module.types[base].inner.clone(),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => TypeInner::Vector { size, scalar },
            _ => return Err(self.unsupported("an index into this", pointer)),
        };
        let kind = |scalar| Kind::of(scalar).map_err(|what| self.unsupported(what, pointer));
        match inner {
            TypeInner::Vector { size, scalar } => Ok((if local { 1 } else { kind(scalar)?.bytes() }, size as u32)),
            TypeInner::Matrix { columns, rows, scalar } => {
                let stride = column_stride(rows as u32, kind(scalar)?.bytes());
                Ok((if local { rows as u32 } else { stride }, columns as u32))
            }
            TypeInner::Array { base, size, stride } => {
                let count = match (self.compiler.layouts.count(size), place.root) {
                    (Some(count), _) => count,
                    (None, Root::Buffer(index)) => {
                        self.compiler.code.buffers[index].bytes.saturating_sub(place.offset) / stride.max(1)
                    }
                    _ => return Err(self.unsupported("an array of this size", pointer)),
                };
                let stride = if local { self.rows_of(base, self.span(pointer))? } else { stride };
                Ok((stride, count))
            }
            _ => Err(self.unsupported("an index into this", pointer)),
        }
    }

    /// Whether it points into a variable that has no place, because nothing loads from it or stores to it.
    fn is_unused_pointer(&self, handle: Handle<Ir>) -> bool {
        let place = self.places.get(handle.index()).copied().flatten();
        place.is_none() && matches!(self.inner(handle), TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. })
    }

    fn access(
        &mut self,
        handle: Handle<Ir>,
        base: Handle<Ir>,
        index: Handle<Ir>,
    ) -> Result<Expression, InterpretError> {
        let index_slot = self.slot_of(index);
        if self.is_unused_pointer(base) {
            return Ok(Expression { op: Op::None, slot: 0, rows: 0, counts: false });
        }
        if let Some(place) = self.places.get(base.index()).copied().flatten() {
            let (stride, count) = self.elements(base, &place)?;
            let clamp = self.compiler.code.clamps;
            self.compiler.code.clamps += 1;
            let slot = self.compiler.slot(1);
            let op =
                Op::Address { base: place.dynamic, base_clamp: place.clamp, index: index_slot, stride, count, clamp };
            self.places.push(Some(Place { dynamic: Some(slot), clamp: Some(clamp), ..place }));
            return Ok(Expression { op, slot, rows: 1, counts: true });
        }
        let rows = u32::try_from(self.flat_of(handle)?.parts.len()).unwrap_or(u32::MAX);
        let op = Op::Pick { base: self.slot_of(base), count: self.rows(base) / rows.max(1), index: index_slot };
        Ok(Expression { op, slot: self.compiler.slot(rows), rows, counts: true })
    }

    fn access_index(&mut self, handle: Handle<Ir>, base: Handle<Ir>, index: u32) -> Result<Expression, InterpretError> {
        let module = &self.compiler.shader.module;
        if self.is_unused_pointer(base) {
            return Ok(Expression { op: Op::None, slot: 0, rows: 0, counts: false });
        }
        if let Some(place) = self.places.get(base.index()).copied().flatten() {
            let members = match *self.inner(base) {
                TypeInner::Pointer { base, .. } => match &module.types[base].inner {
                    TypeInner::Struct { members, .. } => Some(members),
                    _ => None,
                },
                _ => None,
            };
            let (local, mut beyond) = (place.root == Root::Local, place.beyond);
            let add = match members {
                Some(members) if local => members
                    .iter()
                    .take(index as usize)
                    .map(|member| self.rows_of(member.ty, self.span(handle)))
                    .sum::<Result<u32, _>>()?,
                Some(members) => members.get(index as usize).map_or(0, |member| member.offset),
                None => {
                    let (stride, count) = self.elements(base, &place)?;
                    beyond |= index >= count;
                    stride * index.min(count.saturating_sub(1))
                }
            };
            self.places.push(Some(Place { offset: place.offset + add, beyond, ..place }));
            // The address is known but for what a lane added before: nothing is left to do.
            return Ok(Expression { op: Op::None, slot: 0, rows: 0, counts: true });
        }
        let rows = u32::try_from(self.flat_of(handle)?.parts.len()).unwrap_or(u32::MAX);
        let before = match self.inner(base) {
            TypeInner::Struct { members, .. } => members
                .iter()
                .take(index as usize)
                .map(|member| self.rows_of(member.ty, self.span(handle)))
                .sum::<Result<u32, _>>()?,
            _ => rows * index,
        };
        let slot = self.slot_of(base) + before as usize * self.compiler.code.lanes;
        Ok(Expression { op: Op::None, slot, rows, counts: true })
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
            Ir::Splat { size, value } => Ok(Op::Rows(vec![self.slot_of(value); size as usize])),
            Ir::Swizzle { size, vector, pattern } => {
                let base = self.slot_of(vector);
                Ok(Op::Rows(pattern[..size as usize].iter().map(|part| base + *part as usize * lanes).collect()))
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
                let slot = |arg: Option<Handle<Ir>>| arg.map_or(0, |arg| self.slot_of(arg));
                let third_rows = arg2.map_or(0, |arg| self.rows(arg));
                self.math(fun, arg, [self.slot_of(arg), slot(arg1), slot(arg2), slot(arg3)], third_rows)
            }
            Ir::As { expr, kind, convert } => self.conversion(handle, expr, kind, convert),
            Ir::ArrayLength(pointer) => {
                let place = self.place(pointer)?;
                let (_, count) = self.elements(pointer, &place)?;
                Ok(Op::Fill(count))
            }
            Ir::SubgroupBallotResult | Ir::SubgroupOperationResult { .. } => {
                Err(self.unsupported("a subgroup operation", handle))
            }
            Ir::Derivative { .. } => Err(self.unsupported("a derivative", handle)),
            Ir::ImageSample { .. } | Ir::ImageLoad { .. } | Ir::ImageQuery { .. } => {
                Err(self.unsupported("a texture operation", handle))
            }
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
            | Ir::WorkGroupUniformLoadResult { .. } => Ok(Op::None),
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

    fn math(&self, fun: MathFunction, arg: Handle<Ir>, args: [Slot; 4], third_rows: u32) -> Result<Op, InterpretError> {
        let matrix = match self.inner(arg) {
            TypeInner::Matrix { columns, rows, .. } => Some((*columns as u32, *rows as u32)),
            _ => None,
        };
        // No WGSL text reaches these.
        if let MathFunction::Outer | MathFunction::Inverse = fun {
            return Err(self.unsupported(format!("the function {fun:?}"), arg));
        }
        Ok(Op::Math { fun, kind: self.kind_of(arg)?, args, arg_rows: self.rows(arg), third_rows, matrix })
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
                Ok(Op::Convert { from, to, a })
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
