//! Indices past the end of buffers: counted, clamped to the last element, and wrapped as u32 before.

use std::collections::BTreeMap;

use sectorscope::contents::Contents;
use sectorscope::interpreter::{Interpreter, Options, Outcome};
use sectorscope::program::{Block, Buffer, Scalar, Uniforms};
use sectorscope::trace::{Access, Deaf, Observer, Site};

use super::{buffer, bytes, program};

fn run(text: &str, buffers: Vec<Buffer>) -> Outcome {
    let program = program(text, buffers, [1, 1, 1]);
    Interpreter::new(&program).unwrap().run(&Options::default(), &mut Deaf).unwrap()
}

fn words(outcome: &Outcome, buffer: &str, count: u64) -> Vec<u32> {
    (0..count).map(|word| outcome.memory.read_word(buffer, word).unwrap()).collect()
}

const TWO: &str = "
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) lane: u32) {";

#[test]
fn loads_and_stores_past_the_end_are_clamped_and_counted() {
    let buffers = || vec![buffer("a", 6, bytes(10..16)), buffer("o", 8, Contents::Zero)];
    let outcome = run(&format!("{TWO} o[lane] = a[lane]; }}"), buffers());
    assert_eq!((outcome.out_of_range, words(&outcome, "o", 8)), (2, vec![10, 11, 12, 13, 14, 15, 15, 15]));
    // The wrapped index of lane 0 is far outside; constant indices count too.
    let outcome = run(&format!("{TWO} o[lane] = a[lane - 1u]; }}"), buffers());
    assert_eq!((outcome.out_of_range, words(&outcome, "o", 8)[0]), (2, 15));
    let outcome = run(&format!("{TWO} o[lane] = a[100]; a[7] = 9u; }}"), buffers());
    assert_eq!((outcome.out_of_range, words(&outcome, "o", 2), words(&outcome, "a", 6)[5]), (16, vec![15, 15], 9));
    let outcome = run(&format!("{TWO} if (lane > 5u) {{ a[lane * 0x20000000u] = lane; }} }}"), buffers());
    assert_eq!((outcome.out_of_range, words(&outcome, "a", 6)), (2, vec![10, 11, 12, 13, 14, 7]));
    // Both indices of a chain are out of range in lanes 4 and up: each lane counts once.
    let nested = TWO.replace("a: array<u32>", "a: array<array<u32, 4>>");
    let outcome = run(&format!("{nested} o[lane] = a[lane][lane]; }}"), buffers());
    assert_eq!((outcome.out_of_range, words(&outcome, "o", 8)), (7, vec![10, 11, 12, 13, 13, 13, 13, 13]));
}

#[test]
fn an_array_at_the_end_of_a_structure() {
    let text = "struct E { x: vec3<u32>, y: u32 } struct S { n: u32, items: array<E> }
        @group(0) @binding(0) var<storage, read> a: S;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lane: u32) {
            o[lane] = a.items[lane].y; o[lane + 4u] = a.items[lane].x[2] + arrayLength(&a.items) + a.n; }";
    // 4 words of head with padding, three items of 4 words, and a rest that is no item.
    let outcome = run(text, vec![buffer("a", 18, bytes(0..18)), buffer("o", 8, Contents::Zero)]);
    assert_eq!(words(&outcome, "o", 8), [7, 11, 15, 15, 9, 13, 17, 17]);
    assert_eq!(outcome.out_of_range, 2);
}

#[test]
fn layouts_of_buffers() {
    let text = "struct S { k: u32, v: vec3<f32>, m: mat3x3<f32>, t: array<vec3<u32>, 2>, d: mat2x2<f32> }
        @group(0) @binding(0) var<storage, read> a: array<S>;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lane: u32) {
            let s = a[lane]; let base = lane * 8u; o[base] = s.k; o[base + 1u] = bitcast<u32>(s.v.y); o[base + 2u] = bitcast<u32>(s.m[2].z);
            o[base + 3u] = s.t[1].x; o[base + 4u] = bitcast<u32>(a[lane].m[lane][1]); o[base + 5u] = bitcast<u32>(s.d[1][0]);
            let v = a[lane].t[lane]; o[base + 6u] = v.z; o[base + 7u] = arrayLength(&a); }";
    // Words: k 0, v 4..7, m 8..20 in columns of 4, t 20..28 in elements of 4, d 28..32.
    let outcome = run(text, vec![buffer("a", 64, bytes(0..64)), buffer("o", 16, Contents::Zero)]);
    let expected = |base: u32, lane: u32| {
        [base, base + 5, base + 18, base + 24, base + 8 + 4 * lane + 1, base + 30, base + 20 + 4 * lane + 2, 2]
    };
    assert_eq!(words(&outcome, "o", 16), [expected(0, 0), expected(32, 1)].concat());
}

#[test]
fn halves_lie_two_to_a_word() {
    let text = "enable f16; struct S { x: f16, v: vec3<f16>, m: mat3x3<f16> }
        @group(0) @binding(0) var<storage, read_write> a: array<f16>;
        @group(0) @binding(1) var<storage, read> s: S;
        @group(0) @binding(2) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lane: u32) {
            if (lane != 1u) { a[lane] = a[lane] + 1.0h; } o[lane] = u32(s.v[lane % 3u]) + 10u * u32(s.m[1][lane % 3u]) + 100u * u32(s.x); }";
    // 1.0h is 0x3C00, 2.0h is 0x4000, 3.0h is 0x4200.
    let s = bytes([0x4200, 0, 0x4000_3C00, 0x4200, 0, 0, 0x3C00_4200, 0x4000, 0, 0]);
    let outcome =
        run(text, vec![buffer("a", 2, bytes([0x4000_3C00; 2])), buffer("s", 10, s), buffer("o", 4, Contents::Zero)]);
    assert_eq!(words(&outcome, "a", 2), [0x4000_4000, 0x4200_4000]);
    assert_eq!(words(&outcome, "o", 4), [331, 312, 323, 331]);
}

#[test]
fn atomics_in_storage_are_kept_even_where_stores_are_not() {
    let text = "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>, 4>;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) w: vec3<u32>) {
            atomicAdd(&c[lane & 1u], 1u); atomicMax(&c[2], lane + 10u * w.x); let old = atomicCompareExchangeWeak(&c[3], w.x, w.x + 1u);
            if (old.exchanged) { o[w.x] = old.old_value; } atomicStore(&c[lane], 5u * u32(lane == 9u) + atomicLoad(&c[lane])); }";
    let buffers = vec![buffer("c", 4, Contents::Zero), buffer("o", 3, Contents::Zero)];
    let program = program(text, buffers, [3, 1, 1]);
    let options = Options { keep_stores: false, ..Options::default() };
    let outcome = Interpreter::new(&program).unwrap().run(&options, &mut Deaf).unwrap();
    assert_eq!(words(&outcome, "c", 4), [12, 12, 27, 3]);
    assert_eq!(words(&outcome, "o", 3), [0; 3], "stores to what is never loaded are dropped");
    let outcome = Interpreter::new(&program).unwrap().run(&Options::default(), &mut Deaf).unwrap();
    assert_eq!(words(&outcome, "o", 3), [0, 1, 2]);
}

#[test]
fn built_in_values_of_workgroups_with_three_dimensions() {
    let text = "@group(0) @binding(0) var<storage, read_write> o: array<vec4<u32>>;
        struct In { @builtin(local_invocation_id) l: vec3<u32>, @builtin(num_workgroups) n: vec3<u32> }
        @compute @workgroup_size(2, 3, 4) fn main(in: In, @builtin(global_invocation_id) g: vec3<u32>,
            @builtin(workgroup_id) w: vec3<u32>, @builtin(local_invocation_index) i: u32) {
            let group = (w.z * in.n.y + w.y) * in.n.x + w.x;
            o[group * 24u + i] = vec4<u32>(g, in.l.x + 10u * in.l.y + 100u * in.l.z + 1000u * in.n.x + 10000u * in.n.z); }";
    let program = program(text, vec![buffer("o", 4 * 24 * 30, Contents::Poison)], [5, 2, 3]);
    let outcome = Interpreter::new(&program).unwrap().run(&Options::default(), &mut Deaf).unwrap();
    assert_eq!(outcome.workgroups, 30);
    let mut expected = Vec::new();
    for (z, y, x) in (0..3).flat_map(|z| (0..2).flat_map(move |y| (0..5).map(move |x| (z, y, x)))) {
        for (c, b, a) in (0..4).flat_map(|c| (0..3).flat_map(move |b| (0..2).map(move |a| (c, b, a)))) {
            expected.extend([2 * x + a, 3 * y + b, 4 * z + c, a + 10 * b + 100 * c + 5000 + 30_000]);
        }
    }
    assert_eq!(words(&outcome, "o", 4 * 24 * 30), expected);
}

#[test]
fn uniforms_come_from_their_block() {
    let text = "struct P { n: u32, scale: f32, shift: i32 } @group(0) @binding(0) var<uniform> p: P;
        @group(0) @binding(1) var<storage, read_write> o: array<u32>;
        @compute @workgroup_size(1) fn main() { o[0] = p.n; o[1] = bitcast<u32>(p.scale); let q = p; o[2] = u32(q.shift); }";
    let mut program = program(text, vec![buffer("o", 3, Contents::Zero)], [1, 1, 1]);
    let of = |n: u32| BTreeMap::from([("n".to_owned(), Scalar::U32(n))]);
    let mut values = of(3);
    values.extend([("scale".into(), Scalar::from(1.5f32)), ("shift".into(), Scalar::I32(-2))]);
    program.uniforms = Some(Uniforms { name: "p".into(), values, phases: vec![of(4)], verification: of(5) });
    let interpreter = Interpreter::new(&program).unwrap();
    for (block, n) in [(Block::Phase(0), 3), (Block::Phase(1), 4), (Block::Phase(2), 3), (Block::Verification, 5)] {
        let outcome = interpreter.run(&Options { block, ..Options::default() }, &mut Deaf).unwrap();
        assert_eq!(words(&outcome, "o", 3), [n, 1.5f32.to_bits(), (-2i32).cast_unsigned()]);
    }
}

/// Every address that an observer sees lies inside its variable.
struct Inside(Vec<u32>);

impl Observer for Inside {
    fn site(&mut self, _: &Site) {}
    fn workgroup(&mut self, _: [u32; 3]) {}
    fn access(&mut self, access: &Access<'_>) {
        for lane in access.active.iter() {
            assert!(access.addresses[lane] + access.element_bytes <= self.0[access.variable as usize]);
        }
    }
}

#[test]
fn addresses_stay_inside_their_variable() {
    let text = format!(
        "{TWO} for (var i = 0u; i < 40u; i++) {{ let at = lane * 0x10000001u * i; o[at] = a[at + i] + a[at * 3u]; }} }}"
    );
    let program = program(&text, vec![buffer("a", 6, bytes(10..16)), buffer("o", 8, Contents::Zero)], [1, 1, 1]);
    Interpreter::new(&program).unwrap().run(&Options::default(), &mut Inside(vec![24, 32])).unwrap();
}
