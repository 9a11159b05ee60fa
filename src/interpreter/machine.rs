//! The state of a workgroup in execution, and how expressions change it.

use naga::BinaryOperator;

use super::arithmetic;
use super::code::{Code, Expression, Op, Place, Root, Transfer};
use super::flat::Kind;
use super::lanes::{Slot, map2};
use super::math::{Call, converters, math};
use super::memory::Memory;
use super::paths::Paths;
use super::repeat::Repeats;
use super::textures::TextureUse;
use super::wide::{self, Operand};
use crate::trace::{Access, LaneMask, Observer, SiteId, Strayed};

/// A workgroup in execution.
pub(super) struct Machine<'a, O: Observer + ?Sized> {
    pub code: &'a Code,
    pub observer: &'a mut O,
    pub memory: Memory,
    /// All slots.
    pub words: Vec<u32>,
    pub workgroup: Vec<u32>,
    /// Which lanes clamped an index, by clamp number.
    pub clamps: Vec<LaneMask>,
    /// Where the index of each clamp is, how many elements there are, and the clamp before it.
    clamped_indices: Vec<(Slot, u32, Option<usize>)>,
    pub paths: Paths,
    /// Addresses of the access at hand.
    pub addresses: Vec<u32>,
    pub counts: Counts,
    pub uses: Vec<TextureUse>,
    /// Whether values are computed that feed no address and no control flow.
    pub values: bool,
    pub repeats: Repeats,
}

/// What an execution did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Emitted expressions that are no constants, and stores, times active lanes.
    pub lane_expressions: u64,
    /// Loads, stores and atomics of the workgroup in lockstep, each leaf counted.
    pub accesses: u64,
    /// Lanes that asked for an address outside their variable.
    pub out_of_range: u64,
}

impl<'a, O: Observer + ?Sized> Machine<'a, O> {
    pub(super) fn new(code: &'a Code, observer: &'a mut O, memory: Memory) -> Self {
        let mut words = vec![0; code.words];
        for (slot, word) in &code.constants {
            words[*slot..slot + code.lanes].fill(*word);
        }
        Self {
            code,
            observer,
            memory,
            words,
            workgroup: vec![0; code.workgroup_bytes.div_ceil(4) as usize],
            clamps: vec![LaneMask::EMPTY; code.clamps],
            clamped_indices: vec![(0, 0, None); code.clamps],
            paths: Paths::new(code.accesses.len()),
            addresses: vec![0; code.lanes],
            counts: Counts::default(),
            uses: code.uses.iter().map(TextureUse::new).collect(),
            values: true,
            repeats: Repeats::default(),
        }
    }

    /// The lanes of `mask` whose word in a slot is not zero.
    pub(super) fn truth(&self, slot: Slot, mask: &LaneMask) -> LaneMask {
        let words = &self.words[slot..slot + self.code.lanes];
        let mut bits = [0u64; crate::trace::MAX_LANES / 64];
        for (bits, words) in bits.iter_mut().zip(words.chunks(64)) {
            *bits = words.iter().rev().fold(0, |bits, word| bits << 1 | u64::from(*word != 0));
        }
        mask.and(&LaneMask::from_words(bits))
    }

    /// Evaluates one expression for every lane; loads only for those of the mask.
    pub(super) fn evaluate(&mut self, expression: &Expression, mask: &LaneMask) {
        let (lanes, dst, rows) = (self.code.lanes, expression.slot, expression.rows as usize);
        let words = &mut self.words;
        match &expression.op {
            Op::None => {}
            Op::Load(transfer) => self.load(transfer, dst, mask),
            Op::Rows(slots) => {
                for (k, slot) in slots.iter().enumerate() {
                    words.copy_within(*slot..slot + lanes, dst + k * lanes);
                }
            }
            Op::Pick { base, count, index } => pick(words, (dst, rows, lanes), *base, *count as usize, *index),
            Op::Address { base, base_clamp, index, stride, count, clamp } => {
                self.address(dst, (*base, *base_clamp), *index, (*stride, *count), *clamp);
            }
            Op::Unary { op, kind, a } if kind.is_wide() => {
                let [dst, a] = [dst, *a].map(|slot| Operand::new(slot, expression.rows, *kind));
                wide::each(words, dst, [a], lanes, |[a]| wide::unary(*op, *kind, a));
            }
            Op::Unary { op, kind, a } => arithmetic::unary(words, dst, *a, rows * lanes, *op, *kind),
            Op::Binary { op, kind, a, a_rows, b, b_rows } => {
                if kind.is_wide() {
                    return self.wide_binary(expression, (*op, *kind), [(*a, *a_rows), (*b, *b_rows)]);
                }
                if a_rows == b_rows {
                    return arithmetic::binary(words, dst, [*a, *b], rows * lanes, *op, *kind);
                }
                for row in 0..rows {
                    let at = |slot: Slot, own: u32| if own == 1 { slot } else { slot + row * lanes };
                    arithmetic::binary(words, dst + row * lanes, [at(*a, *a_rows), at(*b, *b_rows)], lanes, *op, *kind);
                }
            }
            Op::MatrixProduct { kind, a, b, inner, left_rows, right_columns } => {
                let shape = [*inner, *left_rows, *right_columns].map(|n| n as usize);
                if kind.is_wide() {
                    return wide::matrix_product(words, (dst, lanes), [*a, *b], shape);
                }
                matrix_product(words, (dst, lanes), *kind, [*a, *b], shape);
            }
            Op::Select { condition, condition_rows, accept, reject } => {
                // A condition serves all words of its component, or all components.
                let words_of_one = rows / (*condition_rows as usize).max(1);
                for row in 0..rows {
                    let at = row * lanes;
                    let condition = condition + row / words_of_one.max(1) * lanes;
                    super::lanes::map3(words, dst + at, [condition, accept + at, reject + at], lanes, |c, a, r| {
                        if c != 0 { a } else { r }
                    });
                }
            }
            Op::Relational { fun, kind, a, a_rows } => {
                arithmetic::relational(words, dst, (*a, *a_rows as usize), lanes, *fun, *kind);
            }
            Op::Convert { from, to, a, a_rows } if from.is_wide() || to.is_wide() => {
                let [dst, a] = [(dst, expression.rows, *to), (*a, *a_rows, *from)]
                    .map(|(slot, rows, kind)| Operand::new(slot, rows, kind));
                wide::each(words, dst, [a], lanes, |[a]| wide::convert(*from, *to, a));
            }
            Op::Convert { from, to, a, .. } => arithmetic::convert(words, dst, *a, rows * lanes, *from, *to),
            Op::Math { fun, kind, args, .. } if kind.is_wide() => {
                wide::math(words, *fun, *kind, *args, Operand::new(dst, expression.rows, *kind), lanes);
            }
            Op::Math { fun, kind, args, matrix } => {
                let call = Call {
                    fun: *fun,
                    kind: *kind,
                    args: args.map(|(slot, _)| slot),
                    dst,
                    rows,
                    arg_rows: args[0].1 as usize,
                    third_rows: args[2].1 as usize,
                    matrix: *matrix,
                    lanes,
                };
                // The compiler has refused what `math` does not cover.
                let _covered = math(words, &call);
            }
            Op::Texture(reading) => self.read_texture(reading, (dst, rows), mask),
            Op::Fill(word) => words[dst..dst + lanes].fill(*word),
            Op::LoadTile(tile) => self.load_tile(tile, dst, mask),
            Op::MultiplyAdd(product) => self.multiply_add(product, dst, mask),
        }
    }

    /// An operator on scalars of 64 bits; the right of a shift has 32, and comparisons give booleans.
    fn wide_binary(&mut self, expression: &Expression, (op, kind): (BinaryOperator, Kind), operands: [(Slot, u32); 2]) {
        let is_shift = matches!(op, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight);
        let is_number = !matches!(
            op,
            BinaryOperator::Equal
                | BinaryOperator::NotEqual
                | BinaryOperator::Less
                | BinaryOperator::LessEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterEqual
        );
        let [(a, a_rows), (b, b_rows)] = operands;
        let a = Operand { slot: a, rows: a_rows, wide: true };
        let b = Operand { slot: b, rows: b_rows, wide: !is_shift };
        let dst = Operand { slot: expression.slot, rows: expression.rows, wide: is_number };
        wide::each(&mut self.words, dst, [a, b], self.code.lanes, |[a, b]| wide::binary(op, kind, a, b));
    }

    /// base + min(index, count - 1) * stride; lanes that were clamped are remembered.
    fn address(
        &mut self,
        dst: Slot,
        (base, base_clamp): (Option<Slot>, Option<usize>),
        index: Slot,
        (stride, count): (u32, u32),
        clamp: usize,
    ) {
        let lanes = self.code.lanes;
        let last = count.saturating_sub(1);
        let indices = &self.words[index..index + lanes];
        let mut clamped = base_clamp.map_or(LaneMask::EMPTY, |base| self.clamps[base]);
        if indices.iter().fold(0, |most, index| index.max(&most).to_owned()) >= count {
            indices.iter().enumerate().filter(|(_, index)| **index >= count).for_each(|(lane, _)| clamped.insert(lane));
        }
        self.clamps[clamp] = clamped;
        self.clamped_indices[clamp] = (index, count, base_clamp);
        match base {
            Some(base) => map2(&mut self.words, dst, base, index, lanes, |base, index| {
                base.wrapping_add(index.min(last).wrapping_mul(stride))
            }),
            None => {
                super::lanes::map1(&mut self.words, dst, index, lanes, |index| index.min(last).wrapping_mul(stride));
            }
        }
    }

    /// Writes the address of each lane's `offset`-th byte of a place.
    pub(super) fn addresses(&mut self, place: &Place, offset: u32) {
        let start = place.offset.wrapping_add(offset);
        match place.dynamic {
            None => self.addresses.fill(start),
            Some(slot) => {
                for (address, dynamic) in self.addresses.iter_mut().zip(&self.words[slot..]) {
                    *address = dynamic.wrapping_add(start);
                }
            }
        }
    }

    /// Tells the observer of access number `access`, whose addresses are at hand.
    pub(super) fn observe(&mut self, access: usize, place: &Place, mask: &LaneMask) {
        let out_of_range = match place.clamp {
            _ if place.beyond => mask.count(),
            Some(clamp) if !self.clamps[clamp].is_empty() => self.clamps[clamp].and(mask).count(),
            _ => 0,
        };
        let strayed = if out_of_range > 0 { self.first_strayed(place, mask) } else { None };
        let site = self.tell(access, mask, (out_of_range, strayed));
        if let Some(steps) = &mut self.repeats.steps {
            steps.hear((access, site), place.dynamic, &self.addresses, mask, (out_of_range, strayed));
        }
    }

    /// The first lane whose index was clamped on the way to a place, with that index.
    fn first_strayed(&self, place: &Place, mask: &LaneMask) -> Option<Strayed> {
        let at = |lane: usize, index| Some(Strayed { lane: u32::try_from(lane).unwrap_or(u32::MAX), index });
        if place.beyond {
            return at(mask.iter().next()?, None);
        }
        let lane = self.clamps[place.clamp?].and(mask).iter().next()?;
        let mut next = place.clamp;
        while let Some(clamp) = next {
            let (slot, count, before) = self.clamped_indices[clamp];
            let index = self.words[slot + lane];
            if index >= count {
                return at(lane, Some(index));
            }
            next = before;
        }
        at(lane, None)
    }

    /// The same where it is known how many lanes are out of range, and which is the first.
    pub(super) fn tell(
        &mut self,
        access: usize,
        mask: &LaneMask,
        (out_of_range, first_strayed): (u32, Option<Strayed>),
    ) -> SiteId {
        let info = &self.code.accesses[access];
        let site = self.paths.site(access, self.code, self.observer);
        self.counts.accesses += 1;
        self.counts.out_of_range += u64::from(out_of_range);
        self.observer.access(&Access {
            site,
            element_bytes: info.element_bytes,
            space: info.space,
            variable: info.variable,
            kind: info.kind,
            addresses: &self.addresses,
            active: *mask,
            out_of_range,
            first_strayed,
        });
        site
    }

    /// Loads a value into a slot.
    pub(super) fn load(&mut self, transfer: &Transfer, dst: Slot, mask: &LaneMask) {
        let (lanes, code) = (self.code.lanes, self.code);
        let (place, flat) = (&transfer.place, &code.flats[transfer.flat]);
        if place.root == Root::Local {
            return self.load_local(place, dst, flat.parts.len());
        }
        for (k, leaf) in flat.leaves.iter().enumerate() {
            self.addresses(place, leaf.offset);
            self.observe(transfer.access + k, place, mask);
            for number in leaf.first..leaf.first + leaf.count {
                let part = flat.parts[number as usize];
                let (row, offset) = (dst + number as usize * lanes, part.offset - leaf.offset);
                let out = &mut self.words[row..row + lanes];
                match place.root {
                    // One address for all lanes: contents that are computed are computed once.
                    Root::Buffer(index) if place.dynamic.is_none() => {
                        let address = place.offset.wrapping_add(part.offset);
                        out.fill(self.memory.buffer(index).word(address / 4));
                    }
                    Root::Buffer(index) => self.memory.buffer(index).gather(out, &self.addresses, offset),
                    Root::Workgroup | Root::Local => {
                        for (out, address) in out.iter_mut().zip(&self.addresses) {
                            let word = address.wrapping_add(offset) as usize / 4;
                            *out = self.workgroup.get(word).copied().unwrap_or_default();
                        }
                    }
                }
                if part.kind.bytes() < 4 {
                    for (out, address) in out.iter_mut().zip(&self.addresses) {
                        let (shift, mask) = part.kind.in_word(address.wrapping_add(offset));
                        *out = *out >> shift & mask;
                    }
                }
            }
        }
    }

    fn load_local(&mut self, place: &Place, dst: Slot, rows: usize) {
        let lanes = self.code.lanes;
        let (read, write) = self.words.split_at_mut(dst);
        for row in 0..rows {
            let out = &mut write[row * lanes..(row + 1) * lanes];
            let first = place.offset as usize + row;
            match place.dynamic {
                None => out.copy_from_slice(&read[first * lanes..(first + 1) * lanes]),
                Some(slot) => {
                    for (lane, out) in out.iter_mut().enumerate() {
                        let word = (first + read[slot + lane] as usize) * lanes + lane;
                        *out = read.get(word).copied().unwrap_or_default();
                    }
                }
            }
        }
    }

    /// Stores a slot's value.
    pub(super) fn store(&mut self, transfer: &Transfer, value: Slot, mask: &LaneMask) {
        let (lanes, code) = (self.code.lanes, self.code);
        let (place, flat) = (&transfer.place, &code.flats[transfer.flat]);
        if place.root == Root::Local {
            return self.store_local(place, value, flat.parts.len(), mask);
        }
        for (k, leaf) in flat.leaves.iter().enumerate() {
            self.addresses(place, leaf.offset);
            self.observe(transfer.access + k, place, mask);
            if let Root::Buffer(index) = place.root
                && !self.memory.buffer(index).keeps()
            {
                continue;
            }
            for number in leaf.first..leaf.first + leaf.count {
                let part = flat.parts[number as usize];
                let row = value + number as usize * lanes;
                for lane in mask.iter() {
                    let address = self.addresses[lane].wrapping_add(part.offset - leaf.offset);
                    self.put(place.root, address, part.kind, self.words[row + lane]);
                }
            }
        }
    }

    /// Stores a scalar at a byte address of shared memory.
    pub(super) fn put(&mut self, root: Root, address: u32, kind: Kind, value: u32) {
        let (shift, mask) = kind.in_word(address);
        let mask = mask << shift;
        match root {
            Root::Buffer(index) => self.memory.buffer(index).store(address / 4, value << shift, mask),
            Root::Workgroup => {
                if let Some(word) = self.workgroup.get_mut(address as usize / 4) {
                    *word = (*word & !mask) | (value << shift & mask);
                }
            }
            Root::Local => {}
        }
    }

    /// The word at a byte address of shared memory.
    pub(super) fn get(&mut self, root: Root, address: u32) -> u32 {
        match root {
            Root::Buffer(index) => self.memory.buffer(index).word(address / 4),
            Root::Workgroup => self.workgroup.get(address as usize / 4).copied().unwrap_or_default(),
            Root::Local => 0,
        }
    }

    /// The address that a lane has in the access at hand.
    pub(super) fn aim(&mut self, place: &Place) -> &[u32] {
        self.addresses(place, 0);
        &self.addresses
    }

    fn store_local(&mut self, place: &Place, value: Slot, rows: usize, mask: &LaneMask) {
        let lanes = self.code.lanes;
        let whole = mask.count() as usize == lanes;
        for row in 0..rows {
            let first = place.offset as usize + row;
            let from = value + row * lanes;
            match place.dynamic {
                None if whole => self.words.copy_within(from..from + lanes, first * lanes),
                None => mask.iter().for_each(|lane| self.words[first * lanes + lane] = self.words[from + lane]),
                Some(slot) => {
                    for lane in mask.iter() {
                        let word = (first + self.words[slot + lane] as usize) * lanes + lane;
                        let value = self.words[from + lane];
                        if let Some(word) = self.words.get_mut(word) {
                            *word = value;
                        }
                    }
                }
            }
        }
    }
}

fn pick(words: &mut [u32], (dst, rows, lanes): (Slot, usize, usize), base: Slot, count: usize, index: Slot) {
    let (read, write) = words.split_at_mut(dst);
    for row in 0..rows {
        for (lane, out) in write[row * lanes..(row + 1) * lanes].iter_mut().enumerate() {
            let element = (read[index + lane] as usize).min(count.saturating_sub(1));
            *out = read[base + (element * rows + row) * lanes + lane];
        }
    }
}

fn matrix_product(
    words: &mut [u32],
    (dst, lanes): (Slot, usize),
    kind: Kind,
    [a, b]: [Slot; 2],
    [inner, left_rows, right_columns]: [usize; 3],
) {
    let (from, to) = converters(kind);
    let (read, write) = words.split_at_mut(dst);
    for (column, row) in (0..right_columns).flat_map(|column| (0..left_rows).map(move |row| (column, row))) {
        let out = &mut write[(column * left_rows + row) * lanes..][..lanes];
        for (lane, out) in out.iter_mut().enumerate() {
            let term = |k: usize| {
                from(read[a + (k * left_rows + row) * lanes + lane])
                    * from(read[b + (column * inner + k) * lanes + lane])
            };
            *out = to((0..inner).map(term).reduce(|sum, term| sum + term).unwrap_or(0.0));
        }
    }
}
