//! Addresses of some kernels, written down in Rust from what the kernel is for: no interpreter is asked.

use sectorscope::trace::AccessKind::{self, Atomic, Load, Store};
use sectorscope::trace::Space;

use super::brute::What;

/// An access of a kernel: where it stands, what it is, and all that it touches.
pub(crate) struct Model {
    pub(crate) kernel: &'static str,
    pub(crate) line: &'static str,
    pub(crate) variable: &'static str,
    pub(crate) what: What,
    pub(crate) touches: Vec<Vec<Option<u32>>>,
}

fn model(
    (kernel, line, variable): (&'static str, &'static str, &'static str),
    (space, kind, element): (Space, AccessKind, u32),
    touches: Vec<Vec<Option<u32>>>,
) -> Model {
    Model { kernel, line, variable, what: What { space, kind, element }, touches }
}

/// The byte address of every lane of a workgroup, from its word where it has one.
fn words(lanes: u32, word: impl Fn(u32) -> Option<u32>) -> Vec<Option<u32>> {
    (0..lanes).map(|lane| word(lane).map(|word| 4 * word)).collect()
}

/// Workgroups of a grid, x fastest.
fn groups(grid: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = grid;
    (0..z).flat_map(move |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])))
}

/// The place of a lane of a workgroup of this size, from a workgroup's origin on.
fn place(lane: u32, size: [u32; 3], group: [u32; 3]) -> [u32; 3] {
    let local = [lane % size[0], lane / size[0] % size[1], lane / size[0] / size[1]];
    std::array::from_fn(|k| group[k] * size[k] + local[k])
}

const GLOBAL_LOAD: (Space, AccessKind, u32) = (Space::Storage, Load, 4);
const TILE_LOAD: (Space, AccessKind, u32) = (Space::Workgroup, Load, 4);

pub(crate) fn all() -> Vec<Model> {
    let mut models = vec![transpose_naive(), transpose_tile(32), transpose_tile(33), reduce_strided()];
    models.extend([blelloch(false), blelloch(true), csr_scalar(), scatter(), halo(), stencil(), life(), depthwise()]);
    models.extend([frontier(), blocks(), butterfly(), bitonic()]);
    models
}

fn transpose_naive() -> Model {
    let touches = groups([4, 4, 1]).map(|group| {
        words(256, |lane| {
            let [x, y, _] = place(lane, [16, 16, 1], group);
            Some(64 * x + y)
        })
    });
    model(("transpose_naive", "result[id.x", "result"), (Space::Storage, Store, 4), touches.collect())
}

fn transpose_tile(pitch: u32) -> Model {
    let kernel = if pitch == 32 { "transpose_tile" } else { "transpose_tile_padded" };
    let touches = (0..4).flat_map(|_group| [0, 8, 16, 24]);
    let touches = touches.map(|row| words(256, |lane| Some(pitch * (lane % 32) + lane / 32 + row)));
    model((kernel, "= tile[lane.x]", "tile"), TILE_LOAD, touches.collect())
}

fn reduce_strided() -> Model {
    let touches = (0..2).flat_map(|_group| [1, 2, 4, 8, 16, 32, 64, 128]);
    let touches = touches.map(|reach| {
        let index = |lane| 2 * reach * lane;
        words(256, |lane| (index(lane) < 256).then_some(index(lane) + reach))
    });
    model(("reduce_strided", "let other = part[", "part"), TILE_LOAD, touches.collect())
}

/// On the way up lane t of round r reads the last leaf below the left child of node t: trees of 2^r leaves.
fn blelloch(padded: bool) -> Model {
    let kernel = if padded { "scan_blelloch_padded" } else { "scan_blelloch" };
    let touches = (0..2).flat_map(|_group| 0..9);
    let touches = touches.map(|round| {
        words(256, |node| {
            let last = (2 * node + 1) * (1 << round) - 1;
            (last < 512).then_some(if padded { last + last / 32 } else { last })
        })
    });
    model((kernel, "let below = tree[left]", "tree"), TILE_LOAD, touches.collect())
}

/// Rows of 1, 2, 3, 4, 1, .. elements behind each other.
fn csr_scalar() -> Model {
    let mut rows = Vec::new();
    let mut start = 0;
    for row in 0..32 {
        rows.push(start..start + 1 + row % 4);
        start = rows[rows.len() - 1].end;
    }
    let touches = (0..4).map(|turn| words(32, |row| rows[row as usize].clone().nth(turn)));
    model(("csr_scalar", "let value = values[k]", "values"), GLOBAL_LOAD, touches.collect())
}

fn scatter() -> Model {
    let corners = [[0, 0], [1, 0], [0, 1], [1, 1]];
    let touches = corners.map(|[dx, dy]| words(64, |lane| Some((lane / 2 + dy) * 34 + lane / 2 + dx)));
    model(("particle_scatter", "atomicAdd(&mass", "mass"), (Space::Storage, Atomic, 4), touches.to_vec())
}

fn halo() -> Model {
    let taps = (0..4).flat_map(|_group| (0..3).flat_map(|y| (0..3).map(move |x| [x, y])));
    let touches = taps.map(|[x, y]| words(256, |lane| Some((lane / 16 + y) * 18 + lane % 16 + x)));
    model(("conv2d_halo", "sum += weight * tile[", "tile"), TILE_LOAD, touches.collect())
}

fn stencil() -> Model {
    let touches = groups([2, 2, 4]).map(|group| {
        words(256, |lane| {
            let [x, y, z] = place(lane, [8, 8, 4], group);
            Some((z * 16 + y) * 16 + x.saturating_sub(1))
        })
    });
    model(("stencil_3d", "let left = last[", "last"), GLOBAL_LOAD, touches.collect())
}

fn life() -> Model {
    let neighbours = [[31, 31], [0, 31], [1, 31], [31, 0], [1, 0], [31, 1], [0, 1], [1, 1]];
    let touches = groups([4, 4, 1]).flat_map(|group| neighbours.map(|neighbour| (group, neighbour)));
    let touches = touches.map(|(group, [dx, dy])| {
        words(64, |lane| {
            let [x, y, _] = place(lane, [8, 8, 1], group);
            Some((y + dy) % 32 * 32 + (x + dx) % 32)
        })
    });
    model(("game_of_life", "living += cells[", "cells"), GLOBAL_LOAD, touches.collect())
}

fn depthwise() -> Model {
    let touches = groups([2, 2, 1]).flat_map(|group| (0..5).map(move |tap| (group, tap)));
    let touches = touches.map(|(group, tap)| {
        words(64, |lane| {
            let [x, channel, _] = place(lane, [16, 4, 1], group);
            (x + tap).checked_sub(2).filter(|x| *x < 32).map(|x| channel * 32 + x)
        })
    });
    model(("depthwise_switch", "sum += weights", "x"), GLOBAL_LOAD, touches.collect())
}

fn frontier() -> Model {
    let touches = (0..3).map(|edge| words(64, |node| (node < 40).then_some(3 * node + edge)));
    model(("bfs_frontier", "let other = edges[edge]", "edges"), GLOBAL_LOAD, touches.collect())
}

fn blocks() -> Model {
    let touches = (0..8).map(|word| words(64, |block| Some(9 * block + 1 + word)));
    model(("matvec_q8_blocks", "let word = blocks", "blocks"), GLOBAL_LOAD, touches.collect())
}

fn butterfly() -> Model {
    let touches = (0..2).map(|group| {
        let word = |i: u32| 2 * (i / 2 * 4 + i % 2);
        words(64, |lane| Some(word(64 * group + lane)))
    });
    model(("fft_butterfly", "result[first] =", "result"), (Space::Storage, Store, 8), touches.collect())
}

fn bitonic() -> Model {
    let touches = (0..2).map(|group| words(128, |lane| (lane & 4 == 0).then_some(128 * group + lane + 4)));
    model(("bitonic_step", "let high = keys[partner]", "keys"), GLOBAL_LOAD, touches.collect())
}
