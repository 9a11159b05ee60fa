//! Cooperative matrices in execution: values of a whole subgroup.
//!
//! Element e of a matrix, counted row by row, is word e / width of lane e % width of its subgroup: a matrix takes no
//! more room than its elements, and what is done element by element is done as on any other value.
//!
//! Which lane moves what between memory and a matrix is the driver's choice, and no standard tells it. It is *assumed*
//! here that the lanes share a matrix evenly: in each request a lane moves consecutive elements of a row (of a column, if
//! the matrix lies so in memory), up to 16 bytes, and a request moves the next rows in the order of memory. The sectors
//! of the whole matrix do not depend on it. Wavefronts do: within a request the lanes go down the rows first, as NVIDIA's
//! `ldmatrix` takes a row's address from each lane (PTX ISA, "ldmatrix").

use super::code::{Place, Root};
use super::error::InterpretError;
use super::flat::Kind;
use super::lanes::Slot;
use super::machine::Machine;
use super::math::converters;
use crate::trace::{LaneMask, Observer, Position};

/// Most bytes that a lane moves in a request.
pub(super) const MOST_LANE_BYTES: u32 = 16;

/// A matrix's size and scalar type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub rows: u32,
    pub columns: u32,
    pub kind: Kind,
}

/// A matrix held by subgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Matrix {
    pub slot: Slot,
    pub shape: Shape,
}

/// a * b + c.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Product {
    pub a: Matrix,
    pub b: Matrix,
    pub c: Matrix,
}

/// A matrix in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tile {
    /// Its first element.
    pub place: Place,
    /// Elements from the start of one line to the next: a slot.
    pub stride: Slot,
    pub shape: Shape,
    /// Whether its lines are rows; else columns.
    pub row_major: bool,
    /// Elements of a line, consecutive in memory.
    pub line: u32,
    /// Elements that a lane moves in a request; they divide a line.
    pub chunk: u32,
    /// Lines that the lanes go down before they go on to the next chunk of each.
    pub down: u32,
    /// Requests in which a subgroup moves it.
    pub pieces: u32,
    /// First byte of the variable, and the one behind its last.
    pub within: (u32, u32),
    /// Its first access, one for each piece.
    pub access: usize,
}

impl Tile {
    /// The slots that must be alike in a subgroup.
    pub(super) const fn uniform(&self) -> [Option<Slot>; 2] {
        [self.place.dynamic, Some(self.stride)]
    }

    /// Line, and place in it, of the first element of a subgroup's chunk number `n`; none where there is no such chunk.
    fn chunk(&self, n: u32) -> Option<(u32, u32)> {
        let group = self.down * (self.line / self.chunk);
        let line = n / group * self.down + n % group % self.down;
        let lines = self.shape.rows * self.shape.columns / self.line;
        (line < lines).then_some((line, n % group / self.down * self.chunk))
    }

    /// The number, row by row, of an element of a line.
    const fn element(&self, line: u32, at: u32) -> usize {
        let (row, column) = if self.row_major { (line, at) } else { (at, line) };
        (row * self.shape.columns + column) as usize
    }
}

impl<O: Observer + ?Sized> Machine<'_, O> {
    /// Loads a matrix into a slot.
    pub(super) fn load_tile(&mut self, tile: &Tile, dst: Slot, mask: &LaneMask) {
        self.move_tile(tile, dst, mask, |this, word, root, address, kind| {
            let (shift, bits) = kind.in_word(address);
            this.words[word] = this.get(root, address) >> shift & bits;
        });
    }

    /// Stores a slot's matrix.
    pub(super) fn store_tile(&mut self, tile: &Tile, value: Slot, mask: &LaneMask) {
        self.move_tile(tile, value, mask, |this, word, root, address, kind| {
            this.put(root, address, kind, this.words[word]);
        });
    }

    /// Tells of every request, and moves each element between its place in the slot and its address.
    fn move_tile(
        &mut self,
        tile: &Tile,
        slot: Slot,
        mask: &LaneMask,
        mut one: impl FnMut(&mut Self, usize, Root, u32, Kind),
    ) {
        let kind = tile.shape.kind;
        for piece in 0..tile.pieces {
            let (active, out_of_range) = self.aim_piece(tile, piece, mask);
            self.tell(tile.access + piece as usize, &active, (out_of_range, None));
            for lane in active.iter() {
                let Some((line, at)) = tile.chunk(self.number(piece, lane)) else { continue };
                let address = self.addresses[lane];
                for k in 0..tile.chunk {
                    let word = self.word_of(slot, lane, tile.element(line, at + k));
                    one(self, word, tile.place.root, address + k * kind.bytes(), kind);
                }
            }
        }
    }

    /// The number of the chunk that a lane moves in a piece.
    #[expect(clippy::cast_possible_truncation, reason = "a subgroup is no wider than a workgroup")]
    const fn number(&self, piece: u32, lane: usize) -> u32 {
        let width = self.code.subgroup;
        piece * width as u32 + (lane % width) as u32
    }

    /// Where a subgroup's matrix in a slot has its element; any lane names the subgroup.
    const fn word_of(&self, slot: Slot, lane: usize, element: usize) -> usize {
        let width = self.code.subgroup;
        slot + element / width * self.code.lanes + lane / width * width + element % width
    }

    /// Writes the addresses of a piece's lanes; which of them take part, and how many are out of range: those whose
    /// pointer was clamped, and those whose elements do not lie in the variable, which move its last ones.
    fn aim_piece(&mut self, tile: &Tile, piece: u32, mask: &LaneMask) -> (LaneMask, u32) {
        let Tile { place, shape, chunk, within, .. } = *tile;
        let mut active = LaneMask::EMPTY;
        let mut strayed = place.clamp.map_or(LaneMask::EMPTY, |clamp| self.clamps[clamp]);
        let last = within.1.saturating_sub(chunk * shape.kind.bytes()).max(within.0);
        for lane in mask.iter() {
            let Some((line, at)) = tile.chunk(self.number(piece, lane)) else { continue };
            active.insert(lane);
            let start = place.offset.wrapping_add(place.dynamic.map_or(0, |slot| self.words[slot + lane]));
            let elements = u64::from(line) * u64::from(self.words[tile.stride + lane]) + u64::from(at);
            let address = u64::from(start).saturating_add(elements.saturating_mul(shape.kind.bytes().into()));
            self.addresses[lane] = u32::try_from(address).unwrap_or(u32::MAX).min(last);
            if address > u64::from(last) {
                strayed.insert(lane);
            }
        }
        let out_of_range = if place.beyond { active.count() } else { strayed.and(&active).count() };
        (active, out_of_range)
    }

    /// a * b + c in every subgroup of the mask. Sums are f32, in ascending order of the inner index, and rounded once to
    /// the type of c; products of f16 are exact in f32. Devices may add in another order.
    pub(super) fn multiply_add(&mut self, product: &Product, dst: Slot, mask: &LaneMask) {
        let Product { a, b, c } = *product;
        let (inner, columns) = (a.shape.columns as usize, b.shape.columns as usize);
        let (_, to) = converters(c.shape.kind);
        for lane in (0..self.code.lanes).step_by(self.code.subgroup).filter(|lane| mask.contains(*lane)) {
            let [a, b, mut sums] = [a, b, c].map(|matrix| self.numbers(matrix, lane));
            for (sums, a) in sums.chunks_mut(columns).zip(a.chunks(inner)) {
                for (a, b) in a.iter().zip(b.chunks(columns)) {
                    sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
                }
            }
            for (element, sum) in sums.into_iter().enumerate() {
                let word = self.word_of(dst, lane, element);
                self.words[word] = to(sum);
            }
        }
    }

    /// The numbers of a subgroup's matrix, row by row.
    fn numbers(&self, matrix: Matrix, lane: usize) -> Vec<f32> {
        let (from, _) = converters(matrix.shape.kind);
        let elements = 0..matrix.shape.rows as usize * matrix.shape.columns as usize;
        elements.map(|element| from(self.words[self.word_of(matrix.slot, lane, element)])).collect()
    }

    /// Whether each subgroup is in the mask as a whole or not at all, and each slot's words are alike in it.
    pub(super) fn whole_subgroups(
        &self,
        same: &[Option<Slot>; 2],
        position: Position,
        mask: &LaneMask,
    ) -> Result<(), InterpretError> {
        let width = self.code.subgroup;
        for first in (0..self.code.lanes).step_by(width) {
            let here = mask.contains(first);
            let what = if (first..first + width).any(|lane| mask.contains(lane) != here) {
                format!("not every lane of a subgroup of {width} reaches it")
            } else if here && same.iter().flatten().any(|slot| !alike(&self.words[slot + first..][..width])) {
                format!("its place or stride differs within a subgroup of {width} lanes")
            } else {
                continue;
            };
            return Err(InterpretError::DividedSubgroup { what, position });
        }
        Ok(())
    }
}

fn alike(words: &[u32]) -> bool {
    words.windows(2).all(|pair| pair[0] == pair[1])
}
