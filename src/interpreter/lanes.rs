//! Arithmetic over rows of lanes: one function call an expression, one tight loop over all its lanes.
//!
//! Slots are one long row of words; an expression's slot lies behind those of its operands, so that a split gives
//! operands and result at once, and the loops have nothing in them that would keep a compiler from vectorising.

/// A slot: a row of words for each scalar of a value, `lanes` words each.
pub(super) type Slot = usize;

/// `dst[i] = f(a[i])` over `len` words.
pub(super) fn map1(words: &mut [u32], dst: Slot, a: Slot, len: usize, f: impl Fn(u32) -> u32) {
    let (read, write) = words.split_at_mut(dst);
    for (out, a) in write[..len].iter_mut().zip(&read[a..a + len]) {
        *out = f(*a);
    }
}

/// `dst[i] = f(a[i], b[i])` over `len` words.
pub(super) fn map2(words: &mut [u32], dst: Slot, a: Slot, b: Slot, len: usize, f: impl Fn(u32, u32) -> u32) {
    let (read, write) = words.split_at_mut(dst);
    for ((out, a), b) in write[..len].iter_mut().zip(&read[a..a + len]).zip(&read[b..b + len]) {
        *out = f(*a, *b);
    }
}

/// `dst[i] = f(a[i], b[i], c[i])` over `len` words.
pub(super) fn map3(words: &mut [u32], dst: Slot, [a, b, c]: [Slot; 3], len: usize, f: impl Fn(u32, u32, u32) -> u32) {
    let (read, write) = words.split_at_mut(dst);
    let rows = read[a..a + len].iter().zip(&read[b..b + len]).zip(&read[c..c + len]);
    for (out, ((a, b), c)) in write[..len].iter_mut().zip(rows) {
        *out = f(*a, *b, *c);
    }
}
