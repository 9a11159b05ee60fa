//! Cooperative matrices: products against products of integers, and what a subgroup is said to move, by hand.

use half::f16;
use sectorscope::contents::Contents;
use sectorscope::interpreter::{InterpretError, Interpreter, Options, Workgroups};
use sectorscope::memory_model;
use sectorscope::predict::{Counter, Prediction, Scope};
use sectorscope::program::{Buffer, Program};
use sectorscope::trace::{AccessKind, Deaf, Position};

use super::traces::{Log, listen_with};
use super::{buffer, bytes, common, program};

/// Small integers of either sign, without a pattern that a transposed or shifted matrix would share.
fn number(seed: u32, index: u32) -> i32 {
    i32::try_from(sectorscope::contents::hash(seed ^ index) % 7).unwrap() - 3
}

#[expect(clippy::cast_precision_loss, reason = "small integers")]
const fn float(value: i32) -> f32 {
    value as f32
}

fn numbers(seed: u32, half: bool, count: u32) -> Contents {
    let value = |index| float(number(seed, index));
    if half {
        let bits = |index| u32::from(f16::from_f32(value(index)).to_bits());
        bytes((0..count / 2).map(|word| bits(2 * word) | bits(2 * word + 1) << 16))
    } else {
        bytes((0..count).map(|index| value(index).to_bits()))
    }
}

/// A word's number, or the numbers of its two halves.
fn decode(words: impl Iterator<Item = u32>, half: bool) -> Vec<f32> {
    let value = |word: u32, shift: u32| f16::from_bits((word >> shift & 0xFFFF) as u16).to_f32();
    words
        .flat_map(|word| if half { vec![value(word, 0), value(word, 16)] } else { vec![f32::from_bits(word)] })
        .collect()
}

/// A product a * b + c of one matrix a subgroup. Letters after the lines are "T" for rows or "" for columns.
#[derive(Debug, Clone, Copy)]
struct Product {
    size: u32,
    input: &'static str,
    output: &'static str,
    /// Elements from line to line of a, b and the output, which c shares.
    strides: [u32; 3],
    rows: [&'static str; 3],
}

/// Elements of each buffer, and lanes of the workgroup.
const ELEMENTS: u32 = 4096;
const LANES: u32 = 128;

impl Product {
    fn wgsl(&self, width: u32) -> String {
        let Self { size, input, output, strides: [sa, sb, so], rows: [ta, tb, to] } = self;
        format!(
            "enable f16; enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read> a: array<{input}>;
@group(0) @binding(1) var<storage, read> b: array<{input}>;
@group(0) @binding(2) var<storage, read> c: array<{output}>;
@group(0) @binding(3) var<storage, read_write> o: array<{output}>;
@compute @workgroup_size({LANES}) fn main(@builtin(local_invocation_index) lane: u32) {{
    let s = lane / {width}u;
    let ma = coopLoad{ta}<coop_mat{size}x{size}<{input}, A>>(&a[3u + s * {size}u], {sa}u);
    let mb = coopLoad{tb}<coop_mat{size}x{size}<{input}, B>>(&b[s], {sb}u);
    var mc = coopLoad{to}<coop_mat{size}x{size}<{output}, C>>(&c[s * {size}u], {so}u);
    mc = coopMultiplyAdd(ma, mb, mc);
    coopStore{to}(mc, &o[s % 4u * {size}u * {so}u], {so}u);
}}"
        )
    }

    fn program(&self, width: u32) -> Program {
        let half = |element| element == "f16";
        let fill = |name, seed, element| buffer(name, u64::from(ELEMENTS * 4), numbers(seed, half(element), ELEMENTS));
        let inputs = [fill("a", 100_000, self.input), fill("b", 200_000, self.input), fill("c", 300_000, self.output)];
        let output = buffer("o", u64::from(ELEMENTS), Contents::Zero);
        program(&self.wgsl(width), inputs.into_iter().chain([output]).collect(), [1, 1, 1])
    }

    /// What the last four subgroups must leave; the others store to the same places before.
    fn expected(&self, width: u32) -> Vec<f32> {
        let Self { size, strides: [sa, sb, so], rows: [ta, tb, to], .. } = *self;
        let at = |rows: &str, stride: u32, row: u32, column: u32| {
            if rows == "T" { row * stride + column } else { column * stride + row }
        };
        let mut expected = vec![0.0; ELEMENTS as usize];
        for s in 0..LANES / width {
            for (row, column) in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
                let term =
                    |k| number(100_000, 3 + s * size + at(ta, sa, row, k)) * number(200_000, s + at(tb, sb, k, column));
                let sum = (0..size).map(term).sum::<i32>() + number(300_000, s * size + at(to, so, row, column));
                expected[(s % 4 * size * so + at(to, so, row, column)) as usize] = float(sum);
            }
        }
        expected
    }

    fn found(&self, program: &Program, width: u32) -> Vec<f32> {
        let interpreter = Interpreter::with_subgroup(program, width).unwrap();
        let outcome = interpreter.run(&Options::default(), &mut Deaf).unwrap();
        let half = self.output == "f16";
        let words = u64::from(if half { ELEMENTS / 2 } else { ELEMENTS });
        assert_eq!(outcome.out_of_range, 0);
        decode((0..words).map(|word| outcome.memory.read_word("o", word).unwrap()), half)
    }
}

fn products() -> impl Iterator<Item = Product> {
    let kinds = [(16, "f16", "f32", [24, 40, 56]), (16, "f16", "f16", [16, 24, 20]), (8, "f32", "f32", [8, 12, 9])];
    let letters = ["", "T"];
    kinds.into_iter().flat_map(move |(size, input, output, strides)| {
        (0..8).map(move |n: usize| {
            let rows = [letters[n & 1], letters[n >> 1 & 1], letters[n >> 2 & 1]];
            Product { size, input, output, strides, rows }
        })
    })
}

#[test]
fn products_are_those_of_integers_in_every_layout_and_width() {
    for product in products() {
        for width in [4, 8, 32, 64, 128] {
            let found = product.found(&product.program(width), width);
            assert!(found == product.expected(width), "{product:?} width {width}");
        }
    }
}

#[test]
fn a_wrong_stride_or_layout_changes_the_result() {
    for product in products() {
        let expected = product.expected(32);
        for k in 0..3 {
            let mut strides = product.strides;
            strides[k] += 1;
            let mut rows = product.rows;
            rows[k] = if rows[k] == "T" { "" } else { "T" };
            for mutant in [Product { strides, ..product }, Product { rows, ..product }] {
                assert!(mutant.found(&mutant.program(32), 32) != expected, "{product:?} and {mutant:?}");
            }
        }
    }
}

#[test]
fn a_tiled_product_through_workgroup_memory_is_exact() {
    let wgsl = include_str!("../fixtures/cooperative.wgsl");
    let buffers = vec![
        buffer("a", 64 * 32, numbers(100_000, true, 64 * 64)),
        buffer("b", 64 * 32, numbers(200_000, true, 64 * 64)),
        buffer("o", 64 * 64, Contents::Poison),
    ];
    let program = program(wgsl, buffers, [2, 2, 1]);
    let interpreter = Interpreter::new(&program).unwrap();
    let options = Options { workgroups: Workgroups::List(vec![[1, 0, 0]]), ..Options::default() };
    let outcome = interpreter.run(&options, &mut Deaf).unwrap();
    assert_eq!(outcome.out_of_range, 0);
    for (row, column) in (0..64).flat_map(|row| (0..64).map(move |column| (row, column))) {
        let word = outcome.memory.read_word("o", u64::from(row * 64 + column)).unwrap();
        if row < 32 && column >= 32 {
            let sum: i32 = (0..64).map(|k| number(100_000, row * 64 + k) * number(200_000, k * 64 + column)).sum();
            assert_eq!(f32::from_bits(word).to_bits(), float(sum).to_bits(), "row {row} column {column}");
        } else {
            assert_eq!(word, Contents::Poison.word(row * 64 + column));
        }
    }
}

/// A program of these lanes with an f16 array `h`, an f32 array `o` and workgroup memory `t`, all with a few rows to spare.
fn with_arrays(lanes: u32, globals: &str, body: &str) -> Program {
    let wgsl = format!(
        "diagnostic(off, derivative_uniformity); enable f16; enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read> h: array<f16>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
var<workgroup> t: array<f16, 1024>;
{globals}
@compute @workgroup_size({lanes}) fn main(@builtin(local_invocation_index) lane: u32) {{
{body}
}}"
    );
    let buffers: Vec<Buffer> = vec![buffer("h", 512, Contents::Index), buffer("o", 1024, Contents::Zero)];
    program(&wgsl, buffers, [1, 1, 1])
}

fn count(program: &Program) -> Prediction {
    let mut counter = Counter::new(memory_model::by_key("nv-hopper").unwrap());
    Interpreter::new(program).unwrap().run(&Options::default(), &mut counter).unwrap();
    counter.finish(&Scope { total_workgroups: 1, ..Scope::default() })
}

fn load(element: &str, at: &str, stride: u32) -> String {
    format!("let m = coopLoadT<coop_mat16x16<{element}, A>>(&{at}, {stride}u);")
}

#[test]
fn a_tile_of_halves_is_one_request_of_16_bytes_a_lane() {
    // Row r of 32 bytes at 64 r: lane r has its first half, lane 16 + r its second.
    let log = listen_with(&with_arrays(32, "", &load("f16", "h[0]", 32)), 32);
    let heard = log.of("h", AccessKind::Load);
    assert_eq!((heard.len(), heard[0].bytes, heard[0].requests(32), heard[0].out_of_range), (1, 16, 1, 0));
    let expected: Vec<(usize, u32)> = (0..32).map(|lane| (lane as usize, lane % 16 * 64 + lane / 16 * 16)).collect();
    assert_eq!(heard[0].lanes, expected);
    // 16 sectors where rows are aligned or side by side; two a row where they begin in the middle of one.
    for (at, stride, sectors) in [("h[0]", 32, 16), ("h[0]", 16, 16), ("h[8]", 32, 32), ("h[8]", 16, 17)] {
        let prediction = count(&with_arrays(32, "", &load("f16", at, stride)));
        let access = &prediction.accesses[0];
        assert_eq!((access.requests, access.useful_bytes, access.sectors), (1, 512, Some(sectors)), "{at} {stride}");
    }
    // Columns are lines as well.
    let columns = "let m = coopLoad<coop_mat16x16<f16, A>>(&h[0], 32u);";
    assert_eq!(listen_with(&with_arrays(32, "", columns), 32).of("h", AccessKind::Load)[0].lanes, expected);
}

#[test]
fn a_tile_of_floats_is_two_requests_each_of_whole_rows() {
    let body = "var m: coop_mat16x16<f32, C>; coopStoreT(m, &o[0], 32u);";
    let log = listen_with(&with_arrays(32, "", body), 32);
    let heard = log.of("o", AccessKind::Store);
    // Rows of 64 bytes at 128 r: the first request has rows 0 to 7, four lanes a row.
    let place = |first: u32, lane: u32| (lane as usize, (first + lane % 8) * 128 + lane / 8 * 16);
    let lanes = |first: u32| (0..32).map(|lane| place(first, lane)).collect::<Vec<_>>();
    assert_eq!(heard.iter().map(|heard| heard.lanes.clone()).collect::<Vec<_>>(), [lanes(0), lanes(8)]);
    let prediction = count(&with_arrays(32, "", body));
    let found = |k: usize| (prediction.accesses[k].requests, prediction.accesses[k].sectors);
    assert_eq!([found(0), found(1)], [(1, Some(16)), (1, Some(16))]);
    assert_eq!(prediction.accesses[0].line, prediction.accesses[1].line);
}

#[test]
fn padded_rows_of_workgroup_memory_meet_no_bank_twice() {
    // Eight rows of four words in a pass. 40 halves are 20 banks: rows begin at banks 0, 20, 8, 28, 16, 4, 24, 12.
    // 32 halves are 16 banks: rows begin at banks 0 and 16 only, four words deep.
    for (stride, wavefronts) in [(40, 4), (32, 16)] {
        let prediction = count(&with_arrays(32, "", &load("f16", "t[0]", stride)));
        let access = &prediction.accesses[0];
        assert_eq!((access.requests, access.wavefronts, access.ideal_wavefronts), (1, Some(wavefronts), Some(4)));
    }
}

#[test]
fn every_width_shares_a_matrix_evenly() {
    let half = load("f16", "h[0]", 16);
    let float = "var m: coop_mat8x8<f32, C>; coopStoreT(m, &o[0], 8u);";
    // Lanes, width, requests of a subgroup, bytes a lane, lanes of the last request.
    for (body, lanes, width, requests, lane_bytes, last) in [
        (half.as_str(), 4, 4, 8, 16, 4),
        (&half, 16, 8, 4, 16, 8),
        (&half, 64, 64, 1, 8, 64),
        (&half, 128, 128, 1, 4, 128),
        // Whole rows of two lanes each: 6, 6 and 4 rows.
        (&half, 12, 12, 3, 16, 8),
        // Rows of two lanes do not fit: 9, 9, 9 and 5 halves of rows.
        (&half, 9, 9, 4, 16, 5),
        (float, 4, 4, 4, 16, 4),
        (float, 32, 32, 1, 8, 32),
        (float, 64, 64, 1, 4, 64),
        (float, 128, 128, 1, 4, 64),
    ] {
        let program = with_arrays(lanes, "", body);
        let log = listen_with(&program, width);
        let heard = [log.of("h", AccessKind::Load), log.of("o", AccessKind::Store)].concat();
        let found = (heard.len(), heard[0].bytes, heard.last().unwrap().first_request(width as usize).len());
        assert_eq!(found, (requests, lane_bytes, last), "{body} in {lanes} lanes, {width} wide");
        // Together they move every byte once, for each subgroup.
        let mut moved: Vec<u32> = heard
            .iter()
            .flat_map(|heard| heard.first_request(width as usize).into_iter().map(|(_, at)| at..at + heard.bytes))
            .flatten()
            .collect();
        moved.sort_unstable();
        let whole = if body == float { 256 } else { 512 };
        assert_eq!(moved, (0..whole).collect::<Vec<u32>>(), "{body} in {lanes} lanes, {width} wide");
    }
}

#[test]
fn what_lies_outside_is_counted_and_stays_inside() {
    let outside = |body: &str| {
        let log: Log = listen_with(&with_arrays(32, "", body), 32);
        let heard = log.accesses.iter().map(|heard| heard.out_of_range).sum::<u32>();
        assert!(log.accesses.iter().flat_map(|heard| &heard.lanes).all(|(_, at)| *at + 16 <= 4096), "{body}");
        heard
    };
    // `h` has 1024 halves: with this stride rows 0 to 7 are inside, two lanes a row outside.
    assert_eq!(outside(&load("f16", "h[0]", 128)), 16);
    assert_eq!(outside(&load("f16", "h[512]", 32)), 0);
    assert_eq!(outside(&load("f16", "h[528]", 32)), 0);
    assert_eq!(outside(&load("f16", "h[529]", 32)), 1);
    // An index that is clamped before concerns every lane, and so does a stride beyond all bounds but for the first row.
    assert_eq!(outside(&load("f16", "h[1024u + lane / 32u]", 32)), 32);
    assert_eq!(outside(&load("f16", "t[0]", u32::MAX)), 30);
    assert_eq!(outside("let m = coopLoadT<coop_mat16x16<f16, A>>(&t[1000], 0u);"), 0);
}

#[test]
fn half_sums_are_rounded_once() {
    // 2048 + 1 + 1 + 1 in f32 is 2051, and 2052 in f16; rounded after every term it would stay at 2048.
    let body = "
    for (var i = lane; i < 768u; i += 32u) { t[i] = 0.0h; }
    workgroupBarrier();
    if (lane == 0u) { t[0] = 1.0h; t[1] = 1.0h; t[2] = 1.0h; t[256] = 1.0h; t[272] = 1.0h; t[288] = 1.0h; t[512] = 2048.0h; }
    workgroupBarrier();
    let a = coopLoadT<coop_mat16x16<f16, A>>(&t[0], 16u);
    let b = coopLoadT<coop_mat16x16<f16, B>>(&t[256], 16u);
    let c = coopLoadT<coop_mat16x16<f16, C>>(&t[512], 16u);
    coopStoreT(coopMultiplyAdd(a, b, c), &t[0], 16u);
    o[lane] = f32(t[lane]);";
    let words = super::interpret(&with_arrays(32, "", body)).unwrap();
    assert_eq!(words[..2], [2052.0f32.to_bits(), 0]);
}

#[test]
fn matrices_are_values_like_any_other() {
    let globals = "
struct Pair { n: u32, m: array<coop_mat8x8<f32, C>, 2> }
fn twice(m: coop_mat8x8<f32, C>) -> coop_mat8x8<f32, C> { return m + m; }
fn negate(m: ptr<function, coop_mat8x8<f32, C>>) { *m = *m * -1.0; }";
    let body = "
    for (var i = lane; i < 256u; i += 64u) { o[i] = f32(i); }
    storageBarrier();
    let s = lane / 32u;
    var p: Pair;
    p.m[0] = coopLoadT<coop_mat8x8<f32, C>>(&o[0], 8u);
    p.m[1] = coopLoadT<coop_mat8x8<f32, C>>(&o[64], 8u);
    if (s == 1u) { p.m[1] = twice(p.m[1]); }
    var m = p.m[s];
    negate(&m);
    coopStoreT(m * 0.5 - coop_mat8x8<f32, C>(), &o[128u + 64u * s], 8u);";
    let words = super::interpret(&with_arrays(64, globals, body)).unwrap();
    for i in 0..64u16 {
        let found = [128, 192].map(|first| f32::from_bits(words[first + usize::from(i)]));
        assert_eq!(found, [-0.5 * f32::from(i), -f32::from(64 + i)], "element {i}");
    }
}

#[test]
fn a_subgroup_moves_a_matrix_as_a_whole_or_not_at_all() {
    let load = load("f16", "t[lane / 32u * 16u]", 16);
    let divided = |body: &str| {
        let program = with_arrays(64, "", body);
        match Interpreter::new(&program).unwrap().run(&Options::default(), &mut Deaf) {
            Ok(_) => None,
            Err(InterpretError::DividedSubgroup { what, position }) => Some((what, position)),
            Err(other) => panic!("{other}"),
        }
    };
    let line = |body: &str| divided(body).map(|(what, position)| (what.contains("not every lane"), position.line));
    assert_eq!(line(&load), None);
    // The text of a body begins in line 7.
    assert_eq!(line(&format!("if (lane < 32u) {{\n{load} }}")), None);
    assert_eq!(line(&format!("if (lane < 40u) {{\n{load} }}")), Some((true, 8)));
    assert_eq!(line(&format!("if (lane == 5u) {{ return; }}\n{load}")), Some((true, 8)));
    assert_eq!(line("let m = coopLoadT<coop_mat16x16<f16, A>>(&t[lane], 16u);"), Some((false, 7)));
    assert_eq!(line("let m = coopLoadT<coop_mat16x16<f16, A>>(&t[0], lane);"), Some((false, 7)));
    let matrices = "var m: coop_mat8x8<f32, C>; var n: array<coop_mat8x8<f32, C>, 2>;\n";
    for (body, whole) in [
        ("if (lane < 9u) { coopStore(m, &o[0], 8u); }", true),
        ("if (lane < 9u) { m = n[0]; }", true),
        ("n[lane % 2u] = m;", false),
        ("let k = n[lane % 2u];", false),
        ("coopStore(m, &o[lane], 8u);", false),
    ] {
        assert_eq!(line(&format!("{matrices}{body}")), Some((whole, 8)), "{body}");
    }
    let (what, position) = divided(&format!("if (lane < 40u) {{ {load} }}")).unwrap();
    assert_eq!(
        (what.as_str(), position),
        ("not every lane of a subgroup of 32 reaches it", Position { line: 7, column: 27 })
    );
    // The subgroups of a model with other widths are others.
    let program = with_arrays(64, "", &load);
    let run = |width| Interpreter::with_subgroup(&program, width).unwrap().run(&Options::default(), &mut Deaf);
    assert!(run(8).is_ok());
    assert!(matches!(run(64), Err(InterpretError::DividedSubgroup { .. })));
}

#[test]
fn what_no_device_could_run_is_refused_with_its_line() {
    let refused = |lanes: u32, body: &str| match Interpreter::new(&with_arrays(
        lanes,
        "var<workgroup> w: coop_mat8x8<f32, C>;",
        body,
    )) {
        Ok(_) => panic!("{body} is compiled"),
        Err(InterpretError::Unsupported { construct, position }) => (construct, position.line),
        Err(other) => panic!("{other}"),
    };
    let small = "let b = coopLoad<coop_mat8x8<f16, B>>(&t[0], 8u);";
    let sums = "var c: coop_mat16x16<f32, C>;";
    for (lanes, body, word) in [
        (48, sums.to_owned(), "last subgroup of 32 is partial"),
        (8, load("f16", "h[0]", 16), "last subgroup of 32 is partial"),
        (
            32,
            format!("{} {small} {sums}\nlet d = coopMultiplyAdd(m, b, c);", load("f16", "h[0]", 16)),
            "of these sizes",
        ),
        (32, "let m = coopLoad<coop_mat8x8<f16, A>>(&t[0], 8.0);".to_owned(), "stride"),
        (32, "var p: array<f32, 64>; let m = coopLoad<coop_mat8x8<f32, A>>(&p[0], 8u);".to_owned(), "one lane"),
        (32, "var m: coop_mat8x8<f32, C>; w = m;".to_owned(), "shared variable"),
    ] {
        let (construct, line) = refused(lanes, &body);
        assert!(construct.contains(word), "{construct}");
        assert_eq!(line, if body.contains('\n') { 8 } else { 7 }, "{body}");
    }
    let vectors = "enable f16; enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read> h: array<vec4<f16>>;
@compute @workgroup_size(32) fn main() { let m = coopLoad<coop_mat8x8<f16, A>>(&h[0], 8u); }";
    let vectors = program(vectors, vec![buffer("h", 64, Contents::Zero)], [1, 1, 1]);
    let error = Interpreter::new(&vectors).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("line 3") && error.contains("other than a scalar"), "{error}");
    assert!(Interpreter::with_subgroup(&vectors, 0).is_err());
}

#[test]
fn a_loop_that_waits_for_a_matrix_names_the_buffer() {
    let body = "
    for (var i = 0u; t[0] < 1000.0h; i++) {
        let m = coopLoadT<coop_mat16x16<f16, A>>(&h[0], 16u);
        coopStoreT(m, &t[0], 16u);
    }";
    let program = with_arrays(32, "", body);
    let options = Options { step_budget: 50, ..Options::default() };
    let error = Interpreter::new(&program).unwrap().run(&options, &mut Deaf).unwrap_err();
    let InterpretError::StepBudget { depends_on, .. } = error else { panic!("{error}") };
    assert_eq!(depends_on, ["h"]);
}

#[test]
fn loads_and_stores_of_matrices_are_seen_in_what_a_shader_says_of_itself() {
    let body = format!("{} var c: coop_mat16x16<f32, C>; coopStore(c, &o[0], 16u);", load("f16", "h[0]", 16));
    let reflection = common::reflect(&with_arrays(32, "", &body));
    let used = |name| reflection.binding(name).map(|binding| (binding.loaded, binding.stored));
    assert_eq!([used("h"), used("o")], [Some((true, false)), Some((false, true))]);
}
