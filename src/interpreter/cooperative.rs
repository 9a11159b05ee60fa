//! Compiling cooperative matrices.
//!
//! naga takes for a load any pointer to a number, and its scalar type for that of the matrix; for a product any three
//! matrices of the roles A, B and C. What no device could run is refused here. In the SPIR-V that naga writes
//! `coopLoad` and `coopStore` are column-major and those with a `T` row-major; the stride is the distance in elements
//! from one column (row) to the next.

use naga::{CooperativeData, Expression as Ir, Handle, Span, TypeInner};

use super::code::{Op, Root};
use super::compile::first_kind;
use super::error::InterpretError;
use super::expressions::FunctionCompiler;
use super::flat::{Kind, Leaf};
use super::lanes::Slot;
use super::tiles::{MOST_LANE_BYTES, Matrix, Product, Shape, Tile};
use crate::trace::AccessKind;

impl FunctionCompiler<'_, '_> {
    pub(super) fn load_tile(&mut self, handle: Handle<Ir>, data: &CooperativeData) -> Result<Op, InterpretError> {
        let span = self.span(handle);
        Ok(Op::LoadTile(Box::new(self.tile(handle, data, AccessKind::Load, span)?)))
    }

    pub(super) fn multiply_add(&self, handle: Handle<Ir>, operands: [Handle<Ir>; 3]) -> Result<Op, InterpretError> {
        let matrix = |operand| self.shape(operand).map(|shape| Matrix { slot: self.slot_of(operand), shape });
        let [a, b, c] = operands.map(matrix);
        let product = Product { a: a?, b: b?, c: c? };
        let [a, b, c] = [product.a.shape, product.b.shape, product.c.shape];
        if (a.rows, a.columns, b.columns) != (c.rows, b.rows, c.columns) {
            return Err(self.unsupported("a product of cooperative matrices of these sizes", handle));
        }
        if [a, b, c].iter().any(|shape| !matches!(shape.kind, Kind::F16 | Kind::F32)) {
            return Err(self.unsupported("a product of cooperative matrices of integers", handle));
        }
        Ok(Op::MultiplyAdd(Box::new(product)))
    }

    /// The slots that must be alike in a subgroup if the expression moves a cooperative matrix.
    pub(super) fn moves_a_matrix(&self, handle: Handle<Ir>) -> Option<[Option<Slot>; 2]> {
        match &self.function.expressions.get(handle.index())?.op {
            Op::LoadTile(tile) => Some(tile.uniform()),
            Op::MultiplyAdd(_) => Some([None; 2]),
            Op::Load(transfer) if self.compiler.code.flats[transfer.flat].cooperative => {
                // What is copied in every lane alike needs no lane.
                transfer.place.dynamic.map(|slot| [Some(slot), None])
            }
            _ => None,
        }
    }

    fn shape(&self, matrix: Handle<Ir>) -> Result<Shape, InterpretError> {
        match *self.inner(matrix) {
            TypeInner::CooperativeMatrix { columns, rows, scalar, .. } => Ok(Shape {
                rows: rows as u32,
                columns: columns as u32,
                kind: Kind::of(scalar).map_err(|what| self.unsupported(what, matrix))?,
            }),
            _ => Err(self.unsupported("a cooperative operation on this", matrix)),
        }
    }

    /// Where a matrix lies in memory, and how a subgroup's lanes share it.
    pub(super) fn tile(
        &mut self,
        matrix: Handle<Ir>,
        data: &CooperativeData,
        kind: AccessKind,
        span: Span,
    ) -> Result<Tile, InterpretError> {
        let shape = self.shape(matrix)?;
        let module = &self.compiler.shader.module;
        let scalar = match *self.inner(data.pointer) {
            TypeInner::Pointer { base, .. } => matches!(module.types[base].inner, TypeInner::Scalar(_)),
            TypeInner::ValuePointer { size, .. } => size.is_none(),
            _ => false,
        };
        // In which unit the stride would count is not said anywhere.
        if !scalar {
            return Err(self.unsupported("a cooperative matrix at a pointer to other than a scalar", data.pointer));
        }
        if !matches!(first_kind(&self.flat_of(data.stride)?), Kind::I32 | Kind::U32) {
            return Err(self.unsupported("a stride that is no integer", data.stride));
        }
        let place = self.place(data.pointer)?;
        let variable = module.global_variables.iter().nth(place.variable as usize);
        let (first, bytes) = match (place.root, variable) {
            (Root::Buffer(index), _) => (0, self.compiler.code.buffers[index].bytes),
            (Root::Workgroup, Some((handle, variable))) => {
                let start = self.compiler.globals[handle.index()].map_or(0, |place| place.offset);
                (start, crate::shader::type_bytes(module, &self.compiler.layouts.layouter, variable.ty))
            }
            _ => return Err(self.unsupported("a cooperative matrix in a variable of one lane", data.pointer)),
        };
        let (elements, width) = (shape.rows * shape.columns, self.compiler.layouts.lanes[1]);
        let row_major = data.row_major;
        let line = if row_major { shape.columns } else { shape.rows };
        // A power of two, so that it divides a row or column.
        let even = (elements / width).clamp(1, line.min(MOST_LANE_BYTES / shape.kind.bytes()));
        let chunk = 1 << even.ilog2();
        let in_line = line / chunk;
        let down = if width % in_line == 0 { (width / in_line).min(elements / line) } else { 1 };
        let pieces = elements.div_ceil(chunk * width);
        let bytes_of_chunk = chunk * shape.kind.bytes();
        let leaf = |k| Leaf { offset: k * bytes_of_chunk, bytes: bytes_of_chunk, first: k * chunk, count: chunk };
        let leaves: Vec<Leaf> = (0..pieces).map(leaf).collect();
        let access = self.compiler.accesses(&place, &leaves, kind, span);
        let stride = self.slot_of(data.stride);
        Ok(Tile { place, stride, shape, row_major, line, chunk, down, pieces, within: (first, first + bytes), access })
    }
}
