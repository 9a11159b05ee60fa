//! Subgroup operations: cases for one subgroup of eight lanes, and every operation at every width against a plain model.

use std::collections::BTreeMap;

use sectorscope::contents::{Contents, hash};
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::program::{Feature, Program};
use sectorscope::trace::Deaf;

use super::raw::Raw;
use super::{Case, buffer, case, program};

pub(super) const CASES: &[Case] = &[
    case(
        "sums and scans of eight lanes",
        "",
        "r[0] = subgroupAdd(lane + 1u); r[1] = subgroupExclusiveAdd(lane + 1u); r[2] = subgroupInclusiveAdd(vec2<u32>(lane, 1u)).y;
         r[3] = subgroupMul(lane % 3u + 1u); r[4] = subgroupInclusiveMul(2u); r[5] = subgroupExclusiveMul(2u); r[6] = u32(subgroupMin(i32(lane) - 5));
         r[7] = subgroupMax(lane ^ 5u);",
        |n| vec![36, n * (n + 1) / 2, n + 1, 6 * 6 * 2, 2 << n, 1 << n, (-5i32).cast_unsigned(), 7],
    ),
    case(
        "bits and votes of eight lanes",
        "",
        "r[0] = subgroupAnd(lane | 8u); r[1] = subgroupOr(1u << lane); r[2] = subgroupXor(3u << lane); r[3] = u32(subgroupAll(lane < 8u)) + 2u * u32(subgroupAll(lane < 7u));
         r[4] = u32(subgroupAny(lane == 7u)) + 2u * u32(subgroupAny(lane > 7u)); let b = subgroupBallot(lane % 3u == 0u); r[5] = b.x + b.y + b.z + b.w;
         r[6] = subgroupBallot().x;",
        |_| vec![8, 255, 0x101, 1, 1, 0b0100_1001, 255],
    ),
    case(
        "values of other lanes",
        "",
        "let x = lane * lane; r[0] = subgroupBroadcast(x, 3u); r[1] = subgroupBroadcastFirst(x + 7u); r[2] = subgroupShuffle(x, 7u - lane); r[3] = subgroupShuffleXor(x, 5u);
         let down = subgroupShuffleDown(vec2<u32>(x, lane), 1u).y; r[4] = select(7u, down, lane < 7u); r[5] = subgroupShuffleUp(x, lane / 7u); r[6] = quadBroadcast(x, 2u);
         r[7] = quadSwapX(lane) + 10u * quadSwapY(lane) + 100u * quadSwapDiagonal(lane);",
        |n| {
            let square = |n: u32| n * n;
            let down = if n == 7 { 7 } else { n + 1 };
            let quad = n / 4 * 4 + 2;
            vec![9, 7, square(7 - n), square(n ^ 5), down, square(n - n / 7), square(quad), (n ^ 1) + 10 * (n ^ 2) + 100 * (n ^ 3)]
        },
    ),
    case(
        "lanes that are away take no part",
        "",
        "if (lane % 2u == 1u) { r[0] = subgroupAdd(lane); r[1] = subgroupInclusiveAdd(1u); r[2] = subgroupBallot(true).x; r[3] = subgroupBroadcastFirst(lane);
         if (lane > 2u) { r[4] = subgroupMin(lane); } } for (var i = 0u; i < lane; i++) { r[6] += subgroupAdd(1u); }",
        |n| {
            let odd = u32::from(n % 2 == 1);
            let late = u32::from(n % 2 == 1 && n > 2);
            vec![16 * odd, (n / 2 + 1) * odd, 0b1010_1010 * odd, odd, 3 * late, 0, (0..n).map(|i| 7 - i).sum()]
        },
    ),
    case(
        "floats and structures of lanes",
        "",
        "r[0] = bitcast<u32>(subgroupAdd(f32(lane) * 0.5)); r[1] = bitcast<u32>(subgroupMax(vec3<f32>(f32(lane), -1.0, 0.0)).x); r[2] = bitcast<u32>(subgroupExclusiveMul(0.5));
         r[3] = bitcast<u32>(subgroupMin(-f32(lane)));",
        |n| vec![14.0f32.to_bits(), 7.0f32.to_bits(), 0.5f32.powi(n.cast_signed()).to_bits(), (-7.0f32).to_bits()],
    ),
];

/// Lanes of the workgroup in which every width is tried.
const LANES: usize = 128;

/// The mask of active lanes and the value of each lane, of a round.
fn active(lane: usize, round: u32) -> bool {
    round == 0 || !hash(u32::try_from(lane).unwrap() * 31 + round).is_multiple_of(3)
}

fn value(lane: usize) -> u32 {
    hash(u32::try_from(lane).unwrap() ^ 0x0005_1AE5)
}

/// What an operation gives a lane, from the values of the lanes of its subgroup: (own number, [(number, value)]).
type Model = fn(usize, &[(usize, u32)]) -> u32;

/// The value of lane `number`, or of the lane itself where that one is not there.
fn of(lanes: &[(usize, u32)], number: usize, own: usize) -> u32 {
    let find = |wanted: usize| lanes.iter().find(|(number, _)| *number == wanted).map(|(_, value)| *value);
    find(number).or_else(|| find(own)).unwrap()
}

const OPERATIONS: &[(&str, Model)] = &[
    ("subgroupAdd(x)", |_, all| all.iter().fold(0, |sum, (_, x)| sum.wrapping_add(*x))),
    ("subgroupMul(x | 1u)", |_, all| all.iter().fold(1, |sum, (_, x)| sum.wrapping_mul(*x | 1))),
    ("subgroupMin(x)", |_, all| all.iter().map(|(_, x)| *x).min().unwrap()),
    ("bitcast<u32>(subgroupMax(bitcast<i32>(x)))", |_, all| {
        all.iter().map(|(_, x)| x.cast_signed()).max().unwrap().cast_unsigned()
    }),
    ("subgroupAnd(x | 255u)", |_, all| all.iter().fold(u32::MAX, |bits, (_, x)| bits & (x | 255))),
    ("subgroupOr(x & 0x01010101u)", |_, all| all.iter().fold(0, |bits, (_, x)| bits | (x & 0x0101_0101))),
    ("subgroupXor(x)", |_, all| all.iter().fold(0, |bits, (_, x)| bits ^ x)),
    ("subgroupExclusiveAdd(x)", |own, all| {
        all.iter().filter(|(n, _)| *n < own).fold(0, |sum, (_, x)| sum.wrapping_add(*x))
    }),
    ("subgroupInclusiveMul(x | 1u)", |own, all| {
        all.iter().filter(|(n, _)| *n <= own).fold(1, |sum, (_, x)| sum.wrapping_mul(*x | 1))
    }),
    ("u32(subgroupAll((x & 64u) == 0u))", |_, all| u32::from(all.iter().all(|(_, x)| x & 64 == 0))),
    ("u32(subgroupAny((x & 64u) == 0u))", |_, all| u32::from(all.iter().any(|(_, x)| x & 64 == 0))),
    ("subgroupBallot((x & 1u) == 0u)[(id / 32u) % 4u]", |own, all| {
        let word = own / 32;
        all.iter().filter(|(n, x)| n / 32 == word && x & 1 == 0).fold(0, |bits, (n, _)| bits | 1 << (n % 32))
    }),
    ("subgroupBroadcastFirst(x)", |_, all| all[0].1),
    ("subgroupBroadcast(x, 1u)", |own, all| of(all, 1, own)),
    ("subgroupShuffle(x, x % 7u)", |own, all| of(all, of(all, own, own) as usize % 7, own)),
    ("subgroupShuffleUp(x, 2u)", |own, all| of(all, own.wrapping_sub(2), own)),
    ("subgroupShuffleDown(x, 3u)", |own, all| of(all, own + 3, own)),
    ("subgroupShuffleXor(x, 6u)", |own, all| of(all, own ^ 6, own)),
    ("quadBroadcast(x, 3u)", |own, all| of(all, own | 3, own)),
    ("quadSwapDiagonal(x)", |own, all| of(all, own ^ 3, own)),
];

/// A program that does every operation, in rounds with different active lanes, and leaves built-in values too.
fn everything(rounds: u32) -> Program {
    let mut body = String::new();
    for (k, (text, _)) in OPERATIONS.iter().enumerate() {
        body += &format!("o[({k}u * {rounds}u + round) * {LANES}u + lane] = {text};\n");
    }
    let count = OPERATIONS.len();
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> on: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@compute @workgroup_size({LANES})
fn main(@builtin(local_invocation_index) lane: u32, @builtin(subgroup_invocation_id) id: u32, @builtin(subgroup_size) size: u32,
        @builtin(subgroup_id) group: u32, @builtin(num_subgroups) groups: u32) {{
    let x = a[lane];
    o[{count}u * {rounds}u * {LANES}u + lane] = id + 1000u * size + 1000000u * group + 100000000u * groups;
    for (var round = 0u; round < {rounds}u; round++) {{
        if (on[round * {LANES}u + lane] == 1u) {{
            {body}
        }}
    }}
}}"
    );
    let words = |words: Vec<u32>| super::bytes(words);
    let on = (0..rounds).flat_map(|round| (0..LANES).map(move |lane| u32::from(active(lane, round)))).collect();
    let size = (count as u64 * u64::from(rounds) + 1) * LANES as u64;
    let buffers = vec![
        buffer("a", LANES as u64, words((0..LANES).map(value).collect())),
        buffer("on", u64::from(rounds) * LANES as u64, words(on)),
        buffer("o", size, Contents::Zero),
    ];
    Program { constants: BTreeMap::new(), ..program(&wgsl, buffers, [1, 1, 1]) }
}

/// Words of `o` by the model.
fn expected(rounds: u32, width: usize) -> Vec<u32> {
    let mut words = Vec::new();
    for (_, model) in OPERATIONS {
        for round in 0..rounds {
            for lane in 0..LANES {
                let first = lane / width * width;
                let all: Vec<(usize, u32)> = (first..LANES.min(first + width))
                    .filter(|other| active(*other, round))
                    .map(|other| (other - first, value(other)))
                    .collect();
                words.push(if active(lane, round) { model(lane - first, &all) } else { 0 });
            }
        }
    }
    words.extend((0..LANES).map(|lane| {
        let numbers = [lane % width, 1000 * width, 1_000_000 * (lane / width), 100_000_000 * LANES.div_ceil(width)];
        u32::try_from(numbers.into_iter().sum::<usize>()).unwrap()
    }));
    words
}

fn compare(found: &[u32], expected: &[u32], rounds: u32, by: &str) {
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        let lane = k % LANES;
        let text = OPERATIONS.get(k / LANES / rounds as usize).map_or("built-in values", |(text, _)| text);
        assert_eq!(found, expected, "{text} in round {} lane {lane} by {by}", k / LANES % rounds as usize);
    }
    assert_eq!(found.len(), expected.len());
}

#[test]
fn every_operation_at_every_width_is_as_the_model_has_it() {
    let program = everything(3);
    for width in [4, 8, 16, 24, 32, 64, 96, 128] {
        let interpreter = Interpreter::with_subgroup(&program, width).unwrap();
        let outcome = interpreter.run(&Options::default(), &mut Deaf).unwrap();
        let words = program.buffers[2].bytes / 4;
        let found: Vec<u32> = (0..words).map(|word| outcome.memory.read_word("o", word).unwrap()).collect();
        compare(&found, &expected(3, width as usize), 3, &format!("the interpreter at width {width}"));
    }
}

#[test]
fn a_device_agrees_where_every_lane_is_there() {
    // What a device gives a lane whose source is away is open, so only the round in which all are active is compared,
    // and only operations whose source is always there.
    let program = everything(1);
    assert!(program.features.contains(&Feature::Subgroups));
    let Some(raw) = Raw::open(&program) else { return };
    let Some(width) = raw.subgroup.filter(|width| (8..=128).contains(width)) else {
        println!("SKIPPED: the device has subgroups of several widths, or narrow ones");
        return;
    };
    let (found, expected) = (raw.run(&program), expected(1, width as usize));
    let open = |text: &str| text.contains("ShuffleUp") || text.contains("ShuffleDown");
    for (k, (text, _)) in OPERATIONS.iter().enumerate().filter(|(_, (text, _))| !open(text)) {
        let here = k * LANES..(k + 1) * LANES;
        assert_eq!(found[here.clone()], expected[here], "{text} at width {width}");
    }
}
