//! What the most telling lines of each kernel cost, with 32 and with 8 lanes a subgroup: worked out with pencil and
//! paper from the text and its inputs, as the comments say. A sector has 32 bytes, 8 words; there are 32 banks.

use sectorscope::trace::AccessKind::{self, Atomic, Load, Store};

use Of::{FirstSectors, Ideal, Lanes, Requests, Sectors, Wavefronts};

/// A figure of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Requests,
    Lanes,
    Sectors,
    FirstSectors,
    Wavefronts,
    /// The fewest sectors, or in workgroup memory wavefronts, that could do.
    Ideal,
}

/// Kernel, a piece of the line, the variable there, what it does, which figure, and its value at 32 and at 8 lanes.
pub(crate) type Figure = (&'static str, &'static str, &'static str, AccessKind, Of, [u64; 2]);

#[rustfmt::skip]
pub(crate) const FIGURES: &[Figure] = &[
    // 16 workgroups of 256 lanes: 128 requests, or 512. 32 lanes are two rows of 16: x steps by 256 bytes, and the two
    // rows are neighbours in one sector, so 16 sectors of 4 ideal ones. 8 lanes are one row: 8 of 1.
    ("transpose_naive", "let value = source[", "source", Load, FirstSectors, [4, 1]),
    ("transpose_naive", "result[id.x", "result", Store, FirstSectors, [16, 8]),
    ("transpose_naive", "result[id.x", "result", Store, Sectors, [128 * 16, 512 * 8]),
    ("transpose_naive", "result[id.x", "result", Store, Ideal, [128 * 4, 512]),
    // 4 workgroups, 4 turns, 8 subgroups (32): 128 requests (512). Lanes of a column are 32 words apart: one bank.
    ("transpose_tile", "= tile[lane.x]", "tile", Load, Wavefronts, [128 * 32, 512 * 8]),
    ("transpose_tile", "= tile[lane.x]", "tile", Load, Ideal, [128, 512]),
    ("transpose_tile", "tile[lane.y + row][lane.x] =", "tile", Store, Wavefronts, [128, 512]),
    ("transpose_tile", "result[", "result", Store, FirstSectors, [4, 1]),
    // 33 words apart: the next bank.
    ("transpose_tile_padded", "= tile[lane.x]", "tile", Load, Wavefronts, [128, 512]),
    // 2 workgroups; reach 1..16 leaves lanes in all 8 subgroups, 32 in 7, 64 in 6, 128 in 4: 40 + 17. Of 32 subgroups:
    // 3 x 32 for 1, 2, 4, then 31, 30, 28, 24, 16. Lanes: 8 x 256 - (1 + .. + 128). Neighbours read neighbours.
    ("scan_hillis_steele", "sum += ping[", "ping", Load, Requests, [2 * 57, 2 * 225]),
    ("scan_hillis_steele", "sum += ping[", "ping", Load, Lanes, [2 * 1793, 2 * 1793]),
    ("scan_hillis_steele", "sum += ping[", "ping", Load, Wavefronts, [2 * 57, 2 * 225]),
    // Lanes at work: 256, 128, .. 1, at strides of 2, 4, .. 512 words. Requests: 8 + 4 + 2 + 1 x 6 = 20 (8 lanes:
    // 32 + 16 + 8 + 4 + 2 + 1 x 4 = 66). Conflicts: strides of 2, 4, 8 over whole requests give 16 each (8 x 2, 4 x 4,
    // 2 x 8), 32 lanes at 16 words 16, 16 lanes at 32 words 16, then 8, 4, 2, 1: 95. 8 lanes: 32 x 1, 16 x 1, 8 x 2,
    // 4 x 4, 2 x 8, then 8, 4, 2, 1: 111.
    ("scan_blelloch", "let below = tree[left]", "tree", Load, Requests, [2 * 20, 2 * 66]),
    ("scan_blelloch", "let below = tree[left]", "tree", Load, Wavefronts, [2 * 95, 2 * 111]),
    ("scan_blelloch", "let below = tree[left]", "tree", Load, Ideal, [2 * 20, 2 * 66]),
    // The padding moves every 32nd word one bank on: no two lanes of a request meet at any stride.
    ("scan_blelloch_padded", "let below = tree[left]", "tree", Load, Wavefronts, [2 * 20, 2 * 66]),
    // Every 2nd, 4th, .. 32nd lane: all 8 subgroups stay, five times; then 4, 2, 1: 47. Of 32 subgroups: three times
    // 32, then 16, 8, 4, 2, 1: 127. 255 lanes in all, in distinct banks.
    ("reduce_interleaved", "let other = part[", "part", Load, Requests, [2 * 47, 2 * 127]),
    ("reduce_interleaved", "let other = part[", "part", Load, Lanes, [2 * 255, 2 * 255]),
    ("reduce_interleaved", "let other = part[", "part", Load, Wavefronts, [2 * 47, 2 * 127]),
    // 128, 64, .. 1 lanes: 4 + 2 + 1 x 6 = 12 requests; strides of 2, 4, 8, 16, 32 words give 8 wavefronts each (4 x 2,
    // 2 x 4, 1 x 8, 8, 8), then 4, 2, 1: 47. 8 lanes: 16 + 8 + 4 + 2 + 1 x 4 = 34; 16 x 1, 8 x 1, 4 x 2, 2 x 4, 8, 4,
    // 2, 1: 55.
    ("reduce_strided", "let other = part[", "part", Load, Requests, [2 * 12, 2 * 34]),
    ("reduce_strided", "let other = part[", "part", Load, Wavefronts, [2 * 47, 2 * 55]),
    // The same lanes side by side.
    ("reduce_sequential", "let other = part[", "part", Load, Requests, [2 * 12, 2 * 34]),
    ("reduce_sequential", "let other = part[", "part", Load, Wavefronts, [2 * 12, 2 * 34]),
    // 8 (32) subgroups leave one number each; the first one reads them: 8 lanes once, or 8 lanes four times.
    ("reduce_subgroup", "part[subgroup] = own", "part", Store, Requests, [2 * 8, 2 * 32]),
    ("reduce_subgroup", "sum += part[i]", "part", Load, Requests, [2, 2 * 4]),
    ("reduce_subgroup", "sum += part[i]", "part", Load, Lanes, [2 * 8, 2 * 32]),
    // 2000 keys: 7 workgroups of 256 make 8 requests each, the last has 208: 6 and one of 16 lanes. 8 lanes: 250.
    // Keys count up and the digit is key / 16: two digits in 32 lanes, in two banks.
    ("radix_histogram", "let digit = (keys[", "keys", Load, Requests, [63, 250]),
    ("radix_histogram", "atomicAdd(&own", "own", Atomic, Wavefronts, [63, 250]),
    // 16 lanes, each 8 workgroups = 32 bytes from the next: a sector a lane, 64 bytes of use.
    ("radix_histogram", "counts[lane", "counts", Store, Sectors, [8 * 16, 16 * 8]),
    ("radix_histogram", "counts[lane", "counts", Store, Ideal, [8 * 2, 16]),
    // 2 workgroups, 2 tiles, 64 turns, 2 (8) subgroups. One address for all: four passes of 8 lanes merge in pairs.
    ("nbody_tile", "let other = tile[i]", "tile", Load, Wavefronts, [512 * 2, 2048]),
    ("nbody_tile", "tile[lane] = bodies[", "bodies", Load, FirstSectors, [16, 4]),
    // 2 workgroups x 2 tiles x 2 (8) subgroups; 32 lanes x 16 bytes fill the banks four times.
    ("nbody_tile", "tile[lane] = bodies[", "tile", Store, Wavefronts, [8 * 4, 32]),
    // Lanes 2c and 2c + 1 are in cell (c, c): 35 words from one cell to the next, so a sector for each cell.
    ("particle_scatter", "let place = places[", "places", Load, FirstSectors, [8, 2]),
    ("particle_scatter", "atomicAdd(&mass", "mass", Atomic, FirstSectors, [16, 4]),
    ("particle_scatter", "atomicAdd(&mass", "mass", Atomic, Sectors, [4 * 2 * 16, 4 * 8 * 4]),
    // Turn k has the rows of more than k elements: 32, 24, 16, 8 lanes. Turns 0 to 2 touch all 10 sectors of the 320
    // bytes; turn 3 touches bytes 40 q + 36, q = 0..7: sectors 1 2 3 4 6 7 8 9. 8 lanes are q = 0 1, 2 3, 4 5, 6 7:
    // 3 + 3 + 3 + 3, the same, 3 + 2 + 3 + 2, and 2 each.
    ("csr_scalar", "let value = values[k]", "values", Load, Requests, [4, 16]),
    ("csr_scalar", "let value = values[k]", "values", Load, Lanes, [80, 80]),
    ("csr_scalar", "let value = values[k]", "values", Load, Sectors, [38, 42]),
    // Rows begin at bytes 0, 160, 188, 444. 40: 4 + 1 sectors; 7: 1; 64 elements at 28 bytes into a sector: 5 + 5; 1: 1.
    // 8 lanes: 5, 1, 8 requests of 2, 1.
    ("csr_vector", "let value = values[k]", "values", Load, Requests, [6, 15]),
    ("csr_vector", "let value = values[k]", "values", Load, Sectors, [17, 23]),
    // 3 rows, 2 (8) subgroups that each leave a pair and read all pairs; 8 bytes for all lanes: two passes merge.
    ("layer_norm_subgroup", "let own = x[", "x", Load, FirstSectors, [16, 4]),
    ("layer_norm_subgroup", "part[subgroup] =", "part", Store, Requests, [3 * 2, 3 * 8]),
    ("layer_norm_subgroup", "all += part[i]", "part", Load, Wavefronts, [3 * 2 * 2, 3 * 8 * 8]),
    // Rows of 400 bytes: aligned ones 4 + 4 + 4 + 1 sectors, those at 16 bytes 5 + 5 + 5 + 1. 8 lanes: 12 x 1 + 1, and
    // 12 x 2 + 1.
    ("softmax", "largest = max(largest", "logits", Load, Requests, [4 * 4, 4 * 13]),
    ("softmax", "largest = max(largest", "logits", Load, Sectors, [2 * 13 + 2 * 16, 2 * 13 + 2 * 25]),
    // 16 turns, 2 workgroups of 2 (8) subgroups; keys are 128 bytes apart, 8 bytes of each.
    ("attention_scores_f16", "let key = keys[", "keys", Load, Sectors, [64 * 32, 256 * 8]),
    ("attention_scores_f16", "let key = keys[", "keys", Load, Ideal, [64 * 8, 256 * 2]),
    ("attention_scores_f16", "let query = queries[", "queries", Load, FirstSectors, [1, 1]),
    ("attention_scores_f16", "scores[", "scores", Store, FirstSectors, [2, 1]),
    // Columns 0 to 31 are windows in rows of 6: five rows and two more, each image row one sector. 8 are 6 and 2.
    ("im2col", "= image[", "image", Load, FirstSectors, [6, 2]),
    // 648 words: 81 sectors, the last request with 8 lanes.
    ("im2col", "columns[id.x] =", "columns", Store, Requests, [21, 81]),
    ("im2col", "columns[id.x] =", "columns", Store, Sectors, [81, 81]),
    // 4 workgroups, 9 turns, 8 (32) subgroups. 32 lanes are words 0..15 and 18..33: words 32 and 33 meet 0 and 1.
    ("conv2d_halo", "sum += weight * tile[", "tile", Load, Wavefronts, [288 * 2, 1152]),
    // 324 words by 256 lanes: 8 + 3 requests, or 32 + 9. Of 18 x 18 in each corner 17 x 17 lie in the image.
    ("conv2d_halo", "tile[i] = value", "tile", Store, Wavefronts, [4 * 11, 4 * 41]),
    ("conv2d_halo", "value = image[", "image", Load, Lanes, [4 * 289, 4 * 289]),
    // Lanes whose bit 2 is clear: half of each sector.
    ("bitonic_step", "let low = keys[i]", "keys", Load, Lanes, [128, 128]),
    ("bitonic_step", "let low = keys[i]", "keys", Load, Sectors, [8 * 4, 32]),
    ("bitonic_step", "let low = keys[i]", "keys", Load, Ideal, [8 * 2, 32]),
    // 4 rows, 9 turns, 2 (8) subgroups; 16 bytes a lane fill the banks four times (once).
    ("blur_textures", "sum += line[lane + k]", "line", Load, Wavefronts, [72 * 4, 288]),
    // 72 texels by 64 lanes: 4 + 4, and 1 for the last 8.
    ("blur_textures", "line[i] =", "line", Store, Wavefronts, [4 * 9, 4 * 9]),
    // 4 workgroups of 8 x 8: 4 rows (1 row) of 8 words, each a sector.
    ("downsample_sampled", "pixels[", "pixels", Store, Sectors, [8 * 4, 32]),
    // 2 workgroups, 4 (16) subgroups, 16 turns; rows of 16 words: every lane its own sector.
    ("matmul_q8", "let right = b[", "b", Load, Sectors, [128 * 32, 512 * 8]),
    ("matmul_q8", "let right = b[", "b", Load, Ideal, [128 * 4, 512]),
    ("matmul_q8", "let left = a[", "a", Load, FirstSectors, [1, 1]),
    // 36 bytes from block to block: no two lanes in a sector, 8 turns.
    ("matvec_q8_blocks", "let word = blocks", "blocks", Load, Sectors, [16 * 32, 64 * 8]),
    ("matvec_q8_blocks", "let word = blocks", "blocks", Load, Ideal, [16 * 4, 64]),
    ("matvec_q8_blocks", "sum * blocks", "blocks", Load, FirstSectors, [32, 8]),
    // 12 of every 32 bytes: a sector a lane; 32 x 12 bytes fit in 12 sectors, 8 x 12 in 3.
    ("particles_aos", "let speed = particles", "particles", Load, Sectors, [4 * 32, 16 * 8]),
    ("particles_aos", "let speed = particles", "particles", Load, Ideal, [4 * 12, 16 * 3]),
    ("particles_soa", "place_x[i] +=", "speed_x", Load, FirstSectors, [4, 1]),
    ("particles_soa", "place_z[i] +=", "place_z", Store, FirstSectors, [4, 1]),
    // Corners of neighbours are 48 bytes apart; normals 16.
    ("normals_vec3", "let a = corners", "corners", Load, FirstSectors, [32, 8]),
    ("normals_vec3", "normals[id.x] =", "normals", Store, FirstSectors, [16, 4]),
    // 20 bytes apart: every sector of the way, 640 (160) bytes.
    ("gather_index", "= values[entry]", "values", Load, FirstSectors, [20, 5]),
    ("gather_index", "= values[entry]", "values", Load, Sectors, [2 * 20, 8 * 5]),
    // 16 workgroups, 8 (32) subgroups of 4 (1) rows of 8 words. One to the left: a row straddles two sectors, but at the
    // side it is clamped and stays in one.
    ("stencil_3d", "let centre = last[", "last", Load, Sectors, [128 * 4, 512]),
    ("stencil_3d", "let left = last[", "last", Load, Sectors, [64 * 4 + 64 * 8, 256 + 256 * 2]),
    ("stencil_3d", "let left = last[", "last", Load, Ideal, [128 * 4, 512]),
    // 4 workgroups, 8 (32) subgroups of 2 rows of 16 words (8 words).
    ("mandelbrot", "turns[", "turns", Store, Sectors, [32 * 4, 128]),
    // One word for all lanes, 2 (8) subgroups in 4 workgroups; then one lane each.
    ("monte_carlo_pi", "atomicAdd(&own", "own", Atomic, Wavefronts, [8, 32]),
    ("monte_carlo_pi", "atomicAdd(&hits", "hits", Atomic, Sectors, [4, 4]),
    // 16 workgroups of 2 (8) subgroups of 4 (1) rows of 8 words; two neighbours straight above and below, six to a side,
    // where a row straddles two sectors, on the torus too: 2 x 4 + 6 x 8, or 2 + 6 x 2.
    ("game_of_life", "living += cells[", "cells", Load, Requests, [8 * 32, 8 * 128]),
    ("game_of_life", "living += cells[", "cells", Load, Sectors, [32 * 56, 128 * 14]),
    ("game_of_life", "living += cells[", "cells", Load, Ideal, [8 * 32 * 4, 8 * 128]),
    // Pairs of 8 bytes every 32: half of each sector.
    ("fft_butterfly", "let a = source[i]", "source", Load, FirstSectors, [8, 2]),
    ("fft_butterfly", "result[first] =", "result", Store, FirstSectors, [16, 4]),
    ("fft_butterfly", "result[first] =", "result", Store, Ideal, [4 * 8, 16 * 2]),
    // 40 nodes: 32 and 8 lanes, three turns; edges of neighbours are 12 bytes apart: 12 and 3 sectors. 8 lanes: 3.
    ("bfs_frontier", "let other = edges[edge]", "edges", Load, Requests, [6, 15]),
    ("bfs_frontier", "let other = edges[edge]", "edges", Load, Sectors, [3 * 12 + 3 * 3, 15 * 3]),
    // Edges lead to nodes 1 to 120, each once; 81 of them are new. Nodes 0 to 12 find none: of 8 lanes one subgroup.
    ("bfs_frontier", "next[atomicAdd", "next", Store, Lanes, [81, 81]),
    ("bfs_frontier", "next[atomicAdd", "next", Store, Requests, [6, 12]),
    // 8 rows of 32 in two halves; taps at -2 .. 2 words: 2 2 2 3 3 sectors in the left half, 3 3 2 2 2 in the right.
    // In quarters 1 1 1 2 2, twice 2 2 1 2 2, 2 2 1 1 1. Of 160 taps of a row 6 lie outside.
    ("depthwise_switch", "sum += weights", "x", Load, Lanes, [8 * 154, 8 * 154]),
    ("depthwise_switch", "sum += weights", "x", Load, Sectors, [8 * (12 + 12), 8 * (7 + 9 + 9 + 7)]),
    // Four pieces of 16 bytes, 8 (2) bones in a request, 64 bytes from bone to bone.
    ("skinning_matrices", "let turn = bones", "bones", Load, Requests, [2 * 4, 8 * 4]),
    ("skinning_matrices", "let turn = bones", "bones", Load, Sectors, [8 * 8, 32 * 2]),
    ("skinning_matrices", "let turn = bones", "bones", Load, Ideal, [8 * 4, 32]),
    // Five taps, of which four begin within a sector: 4 + 4 x 5, or 1 + 4 x 2.
    ("median_rows", "values[k] = source[", "source", Load, Sectors, [4 * 24, 16 * 9]),
    // 100 lanes of 16 bytes: 2 + 1 requests of 32 lanes and one of 4; 8 + 4 of 8 lanes and one of 4.
    ("grey_bytes", "let four = pixels[", "pixels", Load, Requests, [4, 13]),
    ("grey_bytes", "let four = pixels[", "pixels", Load, Sectors, [50, 50]),
];
