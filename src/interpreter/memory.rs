//! Memory: buffers whose contents are functions until they are written, and the workgroup's own.

use std::collections::BTreeMap;

use super::textures::TextureMemory;
use crate::contents::Contents;

/// Words of a page of what was written.
pub const PAGE_WORDS: usize = PAGE as usize;
const PAGE: u32 = 1024;

/// What an execution stored, and what the buffers held before. Only written pages take memory.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    buffers: Vec<BufferMemory>,
    textures: Vec<TextureMemory>,
}

#[derive(Debug, Clone)]
pub(super) struct BufferMemory {
    name: String,
    words: u32,
    contents: Contents,
    pages: BTreeMap<u32, Box<PageWords>>,
    /// Whether stores are kept.
    keeps: bool,
}

#[derive(Debug, Clone)]
struct PageWords {
    words: [u32; PAGE_WORDS],
    written: [u64; PAGE_WORDS / 64],
}

/// A page of a buffer with at least one written word.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    /// The buffer's WGSL variable.
    pub buffer: &'a str,
    /// Index of its first word in the buffer.
    pub first_word: u64,
    /// Its words: those written, and those that the buffer held before.
    pub words: &'a [u32],
    written: &'a [u64],
}

impl Page<'_> {
    /// Whether word `k` of the page was written.
    #[must_use]
    pub fn is_written(&self, k: usize) -> bool {
        self.written.get(k / 64).is_some_and(|bits| bits >> (k % 64) & 1 == 1)
    }
}

impl Memory {
    pub(super) fn add(&mut self, name: &str, bytes: u32, contents: Contents, keeps: bool) {
        let pages = BTreeMap::new();
        self.buffers.push(BufferMemory { name: name.to_owned(), words: bytes / 4, contents, pages, keeps });
    }

    pub(super) fn buffer(&mut self, index: usize) -> &mut BufferMemory {
        &mut self.buffers[index]
    }

    pub(super) fn add_texture(&mut self, texture: TextureMemory) {
        self.textures.push(texture);
    }

    /// A texture by its number.
    pub(super) fn texture(&self, number: u32) -> Option<&TextureMemory> {
        self.textures.get(number as usize)
    }

    pub(super) fn texture_mut(&mut self, number: u32) -> Option<&mut TextureMemory> {
        self.textures.get_mut(number as usize)
    }

    /// The four channels of a texel as the execution left it, as a load gives them; `None` where there is no such texel.
    #[must_use]
    pub fn read_texel(&self, texture: &str, level: u32, at: [u32; 3]) -> Option<[u32; 4]> {
        self.textures.iter().find(|memory| memory.name() == texture)?.texel(level, at)
    }

    /// Word `index` of a buffer as the execution left it; `None` where there is no such word.
    #[must_use]
    pub fn read_word(&self, buffer: &str, index: u64) -> Option<u32> {
        let buffer = self.buffers.iter().find(|memory| memory.name == buffer)?;
        let index = u32::try_from(index).ok().filter(|index| *index < buffer.words)?;
        Some(buffer.word(index))
    }

    /// Every page that was written.
    pub fn written_pages(&self) -> impl Iterator<Item = Page<'_>> {
        self.buffers.iter().flat_map(|buffer| {
            buffer.pages.iter().map(|(number, page)| {
                let first = *number as usize * PAGE_WORDS;
                let count = (buffer.words as usize - first).min(PAGE_WORDS);
                Page {
                    buffer: &buffer.name,
                    first_word: first as u64,
                    words: &page.words[..count],
                    written: &page.written,
                }
            })
        })
    }
}

/// Page and place in it of a word.
const fn split(word: u32) -> (u32, usize) {
    (word / PAGE, (word % PAGE) as usize)
}

impl BufferMemory {
    /// A word; 0 past the end.
    pub(super) fn word(&self, index: u32) -> u32 {
        let (page, at) = split(index);
        match self.pages.get(&page) {
            Some(page) => page.words[at],
            None if index < self.words => self.contents.word(index),
            None => 0,
        }
    }

    /// The words at byte addresses `addresses[lane] + offset`, for every lane: what inactive lanes get means nothing.
    pub(super) fn gather(&self, out: &mut [u32], addresses: &[u32], offset: u32) {
        if !self.pages.is_empty() {
            for (out, address) in out.iter_mut().zip(addresses) {
                *out = self.word(address.wrapping_add(offset) / 4);
            }
            return;
        }
        // One loop for each kind of contents: the choice is made once, not for every lane.
        let each = |out: &mut [u32], f: &dyn Fn(u32) -> u32| {
            for (out, address) in out.iter_mut().zip(addresses) {
                *out = f(address.wrapping_add(offset) / 4);
            }
        };
        match &self.contents {
            Contents::Random { seed } => {
                let sequence = crate::contents::hash(seed ^ crate::contents::SEQUENCE);
                for (out, address) in out.iter_mut().zip(addresses) {
                    let word = address.wrapping_add(offset) / 4;
                    *out = crate::contents::moderate(crate::contents::hash(word ^ sequence));
                }
            }
            Contents::Zero => out.fill(0),
            contents => each(out, &|word| if word < self.words { contents.word(word) } else { 0 }),
        }
    }

    /// Stores bits `mask` of a word.
    pub(super) fn store(&mut self, index: u32, value: u32, mask: u32) {
        if !self.keeps || index >= self.words {
            return;
        }
        let (number, at) = split(index);
        let page = self.pages.entry(number).or_insert_with(|| {
            let first = number * PAGE;
            let words = std::array::from_fn(|k| {
                let index = first + u32::try_from(k).unwrap_or(u32::MAX);
                if index < self.words { self.contents.word(index) } else { 0 }
            });
            Box::new(PageWords { words, written: [0; PAGE_WORDS / 64] })
        });
        page.words[at] = (page.words[at] & !mask) | (value & mask);
        page.written[at / 64] |= 1 << (at % 64);
    }

    /// Whether stores to it are kept.
    pub(super) const fn keeps(&self) -> bool {
        self.keeps
    }
}
