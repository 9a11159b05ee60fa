//! Textures in execution. Where their texels lie is the driver's secret: nothing here has an address, so accesses are
//! counted and never told to an observer. A load outside gives zeros, a store outside does nothing, and both are
//! counted, as on a device with checks.

use std::collections::BTreeMap;

use super::arithmetic::f;
use super::code::AtomicKind;
use super::flat::Kind;
use super::images::{Aim, BoundTexture, Reading, Use, Writing};
use super::lanes::Slot;
use super::machine::Machine;
use crate::program::{Edges, Filter};
use crate::trace::{AccessKind, LaneMask, Observer, Position};

/// How often a place in the text touched a texture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureUse {
    /// Where.
    pub position: Position,
    /// The texture's name there.
    pub name: String,
    /// What it does.
    pub kind: AccessKind,
    /// Times that a workgroup in lockstep came by.
    pub accesses: u64,
    /// Active lanes, all times together.
    pub lanes: u64,
}

impl TextureUse {
    pub(super) fn new(place: &Use) -> Self {
        Self { position: place.position, name: place.name.clone(), kind: place.kind, accesses: 0, lanes: 0 }
    }
}

/// A texture's texels.
#[derive(Debug, Clone)]
pub(super) struct TextureMemory {
    bound: BoundTexture,
    /// By level, z, y, x.
    written: BTreeMap<(u32, [u32; 3]), [u32; 4]>,
}

impl TextureMemory {
    pub(super) const fn new(bound: BoundTexture) -> Self {
        Self { bound, written: BTreeMap::new() }
    }

    pub(super) fn name(&self) -> &str {
        &self.bound.texture.name
    }

    /// Width, height and depth or layers of a level.
    fn size(&self, level: u32) -> [u32; 3] {
        let [width, height, third] = self.bound.texture.size;
        let shrink = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
        [shrink(width), shrink(height), if self.bound.deep { shrink(third) } else { third }]
    }

    /// Four channels of a texel; `None` outside.
    pub(super) fn texel(&self, level: u32, at: [u32; 3]) -> Option<[u32; 4]> {
        let inside = level < self.bound.texture.levels && at.iter().zip(self.size(level)).all(|(at, size)| *at < size);
        if !inside {
            return None;
        }
        let [x, y, z] = at;
        Some(self.written.get(&(level, [z, y, x])).copied().unwrap_or_else(|| {
            let channels = std::array::from_fn::<_, 4, _>(|channel| {
                let channel = u32::try_from(channel).unwrap_or(0);
                let byte = self.bound.texture.texels.byte(level, at, channel);
                match self.bound.kind {
                    Kind::F32 => (f32::from(byte) / 255.0).to_bits(),
                    Kind::I32 => i32::from(byte.cast_signed()).cast_unsigned(),
                    _ => byte.into(),
                }
            });
            self.bound.format.map_or(channels, |format| format.round(channels))
        }))
    }

    fn store(&mut self, [x, y, z]: [u32; 3], texel: [u32; 4]) {
        let texel = self.bound.format.map_or(texel, |format| format.round(texel));
        self.written.insert((0, [z, y, x]), texel);
    }

    /// Channels at coordinates in units of the texture, moved by whole texels.
    fn sample(&self, level: u32, dimensions: usize, at: [f32; 3], offset: [i32; 3], layer: Option<u32>) -> [u32; 4] {
        let level = level.min(self.bound.texture.levels - 1);
        let size = self.size(level);
        let linear = self.bound.texture.filter == Filter::Linear;
        // The texel on the lower side in each direction, and the weight of the one above it.
        let mut low = [0i64; 3];
        let mut share = [0.0f32; 3];
        for k in 0..dimensions {
            #[expect(clippy::cast_precision_loss, reason = "sizes of textures have fewer than 24 bits")]
            let place = at[k] * size[k] as f32 - if linear { 0.5 } else { 0.0 };
            #[expect(clippy::cast_possible_truncation, reason = "saturates")]
            let whole = place.floor() as i64;
            low[k] = whole.saturating_add(offset[k].into());
            share[k] = if linear { place - place.floor() } else { 0.0 };
        }
        let edge = |place: i64, size: u32| {
            let place = match self.bound.texture.edges {
                Edges::Clamp => place.clamp(0, i64::from(size) - 1),
                Edges::Repeat => place.rem_euclid(size.into()),
            };
            u32::try_from(place).unwrap_or(0)
        };
        let mut sum = [0.0f32; 4];
        for corner in 0..1usize << dimensions {
            let mut weight = 1.0f32;
            let mut texel = [0u32; 3];
            for k in 0..dimensions {
                let above = corner >> k & 1;
                weight *= if above == 1 { share[k] } else { 1.0 - share[k] };
                texel[k] = edge(low[k].saturating_add(i64::from(above == 1)), size[k]);
            }
            if let Some(layer) = layer {
                texel[2] = layer.min(size[2] - 1);
            }
            if weight == 0.0 {
                continue;
            }
            let channels = self.texel(level, texel).unwrap_or_default();
            for (sum, channel) in sum.iter_mut().zip(channels) {
                *sum += weight * f(channel);
            }
        }
        sum.map(f32::to_bits)
    }
}

impl<O: Observer + ?Sized> Machine<'_, O> {
    /// Reads or asks for every lane of the mask.
    pub(super) fn read_texture(&mut self, reading: &Reading, (dst, rows): (Slot, usize), mask: &LaneMask) {
        let lanes = self.code.lanes;
        let mut beyond = 0;
        for lane in mask.iter() {
            let word = |slot: Slot, row: usize| self.words[slot + row * lanes + lane];
            let image = |slot: Slot| self.memory.texture(word(slot, 0));
            let found = match reading {
                Reading::Load(aim) => {
                    let level = aim.level.map_or(0, |slot| word(slot, 0));
                    let texel = image(aim.image).and_then(|texture| texture.texel(level, self.place(aim, lane)));
                    beyond += u32::from(texel.is_none());
                    texel.unwrap_or_default()
                }
                Reading::Sample { aim, level_is_float, offset } => {
                    let dimensions = aim.dimensions as usize;
                    let mut at = [0.0; 3];
                    let mut moved = [0; 3];
                    for k in 0..dimensions {
                        at[k] = f(word(aim.coordinate, k));
                        moved[k] = offset.map_or(0, |slot| word(slot, k).cast_signed());
                    }
                    let level = match aim.level.map(|slot| word(slot, 0)) {
                        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
                        Some(level) if *level_is_float => f(level).round_ties_even() as u32,
                        level => level.unwrap_or(0),
                    };
                    let layer = aim.layer.map(|slot| word(slot, 0));
                    image(aim.image).map_or([0; 4], |texture| texture.sample(level, dimensions, at, moved, layer))
                }
                Reading::Size { image: slot, level } => {
                    let level = level.map_or(0, |slot| word(slot, 0));
                    let [x, y, z] = image(*slot).map_or([0; 3], |texture| texture.size(level));
                    [x, y, z, 0]
                }
                Reading::Levels(slot) => [image(*slot).map_or(0, |texture| texture.bound.texture.levels), 0, 0, 0],
                Reading::Layers { image: slot, faces } => {
                    [image(*slot).map_or(0, |texture| texture.bound.texture.size[2] / faces), 0, 0, 0]
                }
            };
            for (row, channel) in found.into_iter().take(rows).enumerate() {
                self.words[dst + row * lanes + lane] = channel;
            }
        }
        if let Reading::Load(aim) | Reading::Sample { aim, .. } = reading {
            self.count_texture(aim, mask, beyond);
        }
    }

    /// Stores, or changes, a texel for every lane of the mask, in ascending order.
    pub(super) fn write_texture(&mut self, writing: &Writing, mask: &LaneMask) {
        self.counts.lane_expressions += u64::from(mask.count());
        let (lanes, aim) = (self.code.lanes, &writing.aim);
        let mut beyond = 0;
        for lane in mask.iter() {
            let at = self.place(aim, lane);
            let number = self.words[aim.image + lane];
            let Some(old) = self.memory.texture(number).and_then(|texture| texture.texel(0, at)) else {
                beyond += 1;
                continue;
            };
            let kind = self.memory.texture(number).map_or(Kind::U32, |texture| texture.bound.kind);
            let value = |row: usize| self.words[writing.value + row * lanes + lane];
            let texel = match writing.atomic {
                None => std::array::from_fn(value),
                Some(AtomicKind::Fold(fold)) => {
                    #[expect(clippy::cast_possible_truncation, reason = "texels of atomics have 32 bits")]
                    let new = fold.combine(kind, old[0].into(), value(0).into()) as u32;
                    [new, old[1], old[2], old[3]]
                }
                Some(AtomicKind::Exchange | AtomicKind::CompareExchange(_)) => [value(0), old[1], old[2], old[3]],
            };
            if let Some(texture) = self.memory.texture_mut(number) {
                texture.store(at, texel);
            }
        }
        self.count_texture(aim, mask, beyond);
    }

    fn count_texture(&mut self, aim: &Aim, mask: &LaneMask, beyond: u32) {
        self.counts.out_of_range += u64::from(beyond);
        if let Some(found) = self.uses.get_mut(aim.number) {
            found.accesses += 1;
            found.lanes += u64::from(mask.count());
        }
    }

    /// The texel that a lane names by integers.
    fn place(&self, aim: &Aim, lane: usize) -> [u32; 3] {
        let mut at = [0; 3];
        for (k, at) in at.iter_mut().enumerate().take(aim.dimensions as usize) {
            *at = self.words[aim.coordinate + k * self.code.lanes + lane];
        }
        if let Some(layer) = aim.layer {
            at[2] = self.words[layer + lane];
        }
        at
    }
}
