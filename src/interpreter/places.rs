//! Pointers: which place an expression names, and the parts of values.

use naga::{Expression as Ir, Handle, Span, TypeInner};

use super::code::{Expression, Op, Place, Root, Transfer};
use super::error::InterpretError;
use super::expressions::FunctionCompiler;
use super::flat::{Kind, column_stride};
use crate::trace::AccessKind;

impl FunctionCompiler<'_, '_> {
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

    /// Bytes (rows for variables of a lane) from element to element, and how many there are, of what a pointer names.
    pub(super) fn elements(&self, pointer: Handle<Ir>, place: &Place) -> Result<(u32, u32), InterpretError> {
        let module = &self.compiler.shader.module;
        let local = place.root == Root::Local;
        let inner = match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => module.types[base].inner.clone(),
            TypeInner::ValuePointer { size: Some(size), scalar, .. } => TypeInner::Vector { size, scalar },
            _ => return Err(self.unsupported("an index into this", pointer)),
        };
        let kind = |scalar| Kind::of(scalar).map_err(|what| self.unsupported(what, pointer));
        match inner {
            TypeInner::Vector { size, scalar } => {
                let kind = kind(scalar)?;
                Ok((if local { kind.words() } else { kind.bytes() }, size as u32))
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let (rows, kind) = (rows as u32, kind(scalar)?);
                Ok((if local { rows * kind.words() } else { column_stride(rows, kind.bytes()) }, columns as u32))
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

    pub(super) fn access(
        &mut self,
        handle: Handle<Ir>,
        base: Handle<Ir>,
        index: Handle<Ir>,
    ) -> Result<Expression, InterpretError> {
        let index_slot = self.slot_of(index);
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
        let rows = self.flat_of(handle)?.rows();
        let op = Op::Pick { base: self.slot_of(base), count: self.rows(base) / rows.max(1), index: index_slot };
        Ok(Expression { op, slot: self.compiler.slot(rows), rows, counts: true })
    }

    pub(super) fn access_index(
        &mut self,
        handle: Handle<Ir>,
        base: Handle<Ir>,
        index: u32,
    ) -> Result<Expression, InterpretError> {
        let module = &self.compiler.shader.module;
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
        let rows = self.flat_of(handle)?.rows();
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
}
