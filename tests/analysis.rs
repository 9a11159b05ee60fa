//! Causes, cures, needs and model columns of hand-made kernels, through the library: what a `#[test]` of a project with
//! kernels of its own would call. Counts are derived in the comments, for 32 lanes and sectors of 32 bytes.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not be")]

use sectorscope::analysis::{Settings, Trace, predict};
use sectorscope::inputs::{Inputs, Key};
use sectorscope::memory_model::{LESSON, UNKNOWN, by_key};
use sectorscope::record::prediction::{Cure, PredictionDocument, Reach};

const BUFFERS: &str = "@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@group(0) @binding(2) var<storage, read> idx: array<u32>;
";

fn inputs(settings: &[(Key, &str)]) -> Inputs {
    let mut inputs = Inputs::default();
    for (key, text) in settings {
        inputs.set(*key, text).unwrap();
    }
    inputs
}

fn run(wgsl: &str, settings: &[(Key, &str)], cures: bool) -> PredictionDocument {
    predict(wgsl, &inputs(settings), &Settings { cures, ..Settings::default() }).unwrap()
}

/// A kernel of these workgroups over the common buffers.
fn kernel(size: &str, body: &str) -> String {
    format!(
        "{BUFFERS}@compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) g: vec3<u32>, \
         @builtin(local_invocation_id) l: vec3<u32>) {{\n{body}\n}}"
    )
}

/// The cause of the first access to a variable.
fn cause(wgsl: &str, variable: &str, settings: &[(Key, &str)]) -> String {
    let document = run(wgsl, settings, false);
    document.accesses_of(variable).next().unwrap().cause.clone().unwrap()
}

#[test]
fn causes_follow_from_the_addresses() {
    for (body, variable, words) in [
        ("o[g.x] = a[g.x];", "a", "unit stride"),
        ("o[g.x] = a[7];", "a", "uniform: every lane at the same address"),
        ("o[g.x] = a[5u * g.x];", "a", "stride 5 elements: neighbouring lanes are 20 bytes apart"),
        ("o[g.x] = a[100u - g.x];", "a", "misaligned by 20 bytes: unit stride, but it begins 20 bytes into a sector"),
        ("o[g.x] = a[g.x + 3u];", "a", "misaligned by 12 bytes: unit stride, but it begins 12 bytes into a sector"),
        ("o[g.x] = a[g.x ^ 5u];", "a", "every element once, in another order than the lanes, which costs nothing"),
        ("o[g.x] = a[g.x * g.x];", "a", "scattered: the addresses follow no single stride"),
        ("o[g.x] = a[idx[g.x]];", "a", "scattered by data in `idx`"),
        ("if (g.x < 20u) { o[g.x] = 1.0; }", "o", "partial subgroup: 20 of 32 lanes take part"),
        ("if (g.x == 3u) { o[g.x] = 1.0; }", "o", "one lane only: a sector for one element"),
        (
            "if (g.x < 8u) { o[4u * g.x] = 1.0; }",
            "o",
            "stride 4 elements: neighbouring lanes are 16 bytes apart; partial subgroup: 8 of 32 lanes take part",
        ),
        (
            "var s = 0.0; for (var k = 0u; k < 6u; k++) { s += a[6u * g.x + k]; } o[g.x] = s;",
            "a",
            "blocked scalars: each lane walks through a block of its own, 4 bytes at a time; neighbouring lanes are 24 \
             bytes apart",
        ),
    ] {
        let found = cause(&kernel("32", body), variable, &[(Key::Fill, "idx=random:0..4096")]);
        assert_eq!(found, words, "{body}");
    }
}

#[test]
fn causes_know_the_rows_of_the_workgroup() {
    let column = cause(&kernel("16, 16", "o[g.y * 256u + g.x] = a[g.x * 256u + g.y];"), "a", &[]);
    assert_eq!(
        column,
        "stride 256 elements: neighbouring lanes are 1024 bytes apart along x; they lie side by side along y"
    );
    let rows = cause(&kernel("16, 16", "o[g.y * 256u + g.x] = a[g.y * 256u + g.x + 1u];"), "a", &[]);
    assert_eq!(
        rows,
        "misaligned by 4 bytes: rows of 16 lanes side by side, 1024 bytes from row to row, but it begins 4 bytes into a \
         sector"
    );
}

#[test]
fn structures_and_vectors_have_padding() {
    let wgsl = "struct P { pos: vec3<f32>, mass: f32, vel: vec3<f32>, id: u32 }
@group(0) @binding(0) var<storage, read> p: array<P>;
@group(0) @binding(1) var<storage, read> v: array<vec3<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) g: vec3<u32>) { o[g.x] = p[g.x].mass + v[g.x].x + v[g.x].y; }";
    let whole = "@group(0) @binding(1) var<storage, read> v: array<vec3<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) g: vec3<u32>) { let w = v[g.x]; o[g.x] = w.x + w.y; }";
    assert_eq!(cause(wgsl, "p", &[]), "structure padding: 4 of the 32 bytes of a `P` are used, for member `mass`");
    assert_eq!(cause(whole, "v", &[]), "structure padding: a vec3 of 12 bytes takes 16 in an array");
}

#[test]
fn banks_conflict_by_their_stride() {
    let tile = |ty: &str, store: &str, load: &str| {
        format!("var<workgroup> t: {ty};\n{}", kernel("32, 8", &format!("{store}\nworkgroupBarrier();\n{load}")))
    };
    let column = tile("array<array<f32, 32>, 32>", "t[l.y][l.x] = a[g.x];", "o[g.x] = t[l.x][l.y];");
    let document = run(&column, &[], false);
    let words: Vec<_> = document.accesses_of("t").map(|access| access.cause.clone().unwrap()).collect();
    assert_eq!(words, ["unit stride", "bank conflict 32-way: neighbouring lanes are 128 bytes apart"]);
    let two = tile("array<f32, 64>", "t[l.x] = a[g.x];", "o[g.x] = t[2u * l.x];");
    assert_eq!(
        run(&two, &[], false).accesses_of("t").nth(1).unwrap().cause.as_deref(),
        Some("bank conflict 2-way: neighbouring lanes are 8 bytes apart")
    );
    let one = tile("array<f32, 64>", "t[l.x] = a[g.x];", "o[g.x] = t[9];");
    assert_eq!(
        run(&one, &[], false).accesses_of("t").nth(1).unwrap().cause.as_deref(),
        Some("broadcast: every lane reads the same word")
    );
}

fn one_cure(wgsl: &str, settings: &[(Key, &str)]) -> Cure {
    let mut cures = run(wgsl, settings, true).cures;
    assert_eq!(cures.len(), 1, "{cures:?}");
    cures.remove(0)
}

#[test]
fn a_column_walk_is_cured_by_swapping() {
    // A subgroup has 16 x and 2 y: 16 sectors each for load and store, 8 subgroups: 256. Swapped, each row of 16 lanes
    // fills two sectors: 4 each, 64 in all.
    let wgsl = kernel("16, 16", "o[g.x * 64u + g.y] = a[g.x * 64u + g.y];");
    let cure = one_cure(&wgsl, &[(Key::Dispatch, "4,4")]);
    assert_eq!((cure.kind.as_str(), cure.line, cure.before, cure.after), ("swap", 5, 256, 64));
    assert_eq!(cure.edits.len(), 1);
    assert_eq!(cure.edits[0].text, "o[g.y * 64u + g.x] = a[g.y * 64u + g.x];");
    assert!(!cure.text.contains("dispatch"), "{}", cure.text);
}

#[test]
fn a_swap_says_the_dispatch_that_goes_with_it() {
    // Workgroups of 32 x 1 in a domain of 64 x 128: swapped it is 128 x 64 lanes, 4 x 64 workgroups.
    let wgsl = kernel("32, 1", "let i = g.x * 128u + g.y;\no[i] = 2.0 * a[i];");
    let cure = one_cure(&wgsl, &[(Key::Dispatch, "2,128")]);
    assert!(cure.text.contains("and dispatch 4,64,1"), "{}", cure.text);
    // A square of 32 x 32 lanes: 32 subgroups of 32 sectors for load and store alike; swapped 4 of each.
    assert_eq!((cure.before, cure.after), (2048, 256));
}

#[test]
fn one_change_that_helps_two_lines_is_offered_once() {
    // A product of matrices whose rows go along x: the load of `a` and the store walk columns, the load of `idx` does not.
    let body = "var s = 0.0;\nfor (var k = 0u; k < 16u; k++) {\ns += a[g.x * 64u + k] * f32(idx[k * 64u + g.y]);\n}\no[g.x * 64u + g.y] = s;";
    let cure = one_cure(&kernel("16, 16", body), &[(Key::Dispatch, "4,4"), (Key::Fill, "a=random")]);
    // One workgroup, 8 subgroups, 16 turns: 16 sectors for a and one for idx; then one for each of two rows of a (2, as
    // their 256 bytes lie apart) and 2 for the 16 neighbours of idx.
    assert_eq!((cure.line, cure.before, cure.after), (7, 8 * 16 * 17, 8 * 16 * 4));
    assert_eq!(cure.also_lines, [9]);
}

#[test]
fn a_transposition_has_no_swap() {
    // One of the two sides walks columns whichever way the lanes lie.
    let wgsl = kernel("16, 16", "o[g.y * 64u + g.x] = a[g.x * 64u + g.y];");
    assert_eq!(run(&wgsl, &[(Key::Dispatch, "4,4")], true).cures, []);
}

#[test]
fn nothing_is_cured_that_is_not_ill() {
    let wgsl = kernel("16, 16", "o[g.y * 64u + g.x] = a[g.y * 64u + g.x];");
    assert_eq!(run(&wgsl, &[(Key::Dispatch, "4,4")], true).cures, []);
    // One dimension: swapping would make every lane do the same work.
    let strided = kernel("64", "o[g.x] = a[5u * g.x];");
    assert_eq!(run(&strided, &[(Key::Dispatch, "4")], true).cures, []);
}

/// A tile of 32 x 32 f32, stored by rows and read by columns: 8 subgroups, 4 turns, 32 wavefronts each time: 1024; with
/// one more element a row 1 each time: 32.
fn transposed(declaration: &str, store: &str, load: &str) -> String {
    format!(
        "const TILE = 32u;\n{declaration}\n{}",
        kernel(
            "32, 8",
            &format!(
                "for (var j = 0u; j < 32u; j += 8u) {{ {store} = a[(l.y + j) * 32u + l.x]; }}
workgroupBarrier();
for (var j = 0u; j < 32u; j += 8u) {{ o[(l.y + j) * 32u + l.x] = {load}; }}"
            )
        )
    )
}

#[test]
fn rows_are_padded_however_they_are_written() {
    for (declaration, store, load, declared) in [
        (
            "var<workgroup> t: array<array<f32, 32>, 32>;",
            "t[l.y + j][l.x]",
            "t[l.x][l.y + j]",
            "var<workgroup> t: array<array<f32, 33>, 32>;",
        ),
        (
            "var<workgroup> t: array<array<f32, TILE>, TILE>;",
            "t[l.y + j][l.x]",
            "t[l.x][l.y + j]",
            "var<workgroup> t: array<array<f32, TILE + 1>, TILE>;",
        ),
        (
            "var<workgroup> t: array<f32, 1024>;",
            "t[(l.y + j) * 32u + l.x]",
            "t[l.x * 32u + l.y + j]",
            "var<workgroup> t: array<f32, 1056>;",
        ),
        (
            "var<workgroup> t: array<f32, TILE * TILE>;",
            "t[(l.y + j) * TILE + l.x]",
            "t[l.x * TILE + l.y + j]",
            "var<workgroup> t: array<f32, (TILE + 1) * TILE>;",
        ),
    ] {
        let cure = one_cure(&transposed(declaration, store, load), &[]);
        assert_eq!((cure.kind.as_str(), cure.before, cure.after), ("pad", 1024, 32), "{}", cure.text);
        assert_eq!(cure.edits[0].text, declared);
        assert!(cure.text.contains("by 1 element (workgroup memory 4096 to 4224 bytes)"), "{}", cure.text);
    }
}

#[test]
fn a_padded_tile_needs_no_cure() {
    let wgsl = transposed("var<workgroup> t: array<array<f32, 33>, 32>;", "t[l.y + j][l.x]", "t[l.x][l.y + j]");
    assert_eq!(run(&wgsl, &[], true).cures, []);
}

#[test]
fn blocked_scalars_become_vectors() {
    // Four times 16 sectors (32 lanes, 16 bytes apart), then 16 once.
    for body in [
        "var s = 0.0;\nfor (var k = 0u; k < 4u; k++) { s += a[g.x * 4u + k]; }\no[g.x] = s;",
        "let i = g.x * 4u;\no[g.x] = a[i] + a[i + 1u] + a[i + 2u] + a[i + 3u];",
    ] {
        let cure = one_cure(&kernel("32", body), &[]);
        assert_eq!(cure.kind, "vec4", "{}", cure.text);
        assert_eq!(cure.before - cure.after, 48, "{}", cure.text);
        assert_eq!(cure.edits[0].text, "@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;");
    }
}

#[test]
fn pairs_that_overlap_are_no_vectors() {
    // The bounds of a sparse row: each lane's second is the next lane's first. Zeros would not show the difference.
    let wgsl = kernel("32", "for (var k = idx[g.x]; k < idx[g.x + 1u]; k++) { o[k] = 1.0; }\no[g.x] = a[g.x];");
    assert_eq!(run(&wgsl, &[], true).cures, []);
    // The same in a buffer whose contents decide nothing.
    assert_eq!(run(&kernel("32", "o[g.x] = a[g.x] + a[g.x + 1u];"), &[], true).cures, []);
}

#[test]
fn a_lone_member_gets_an_array_of_its_own() {
    // 32 lanes, 32 bytes apart: 32 sectors and 4 for the store; then 4 and 4.
    let wgsl = "struct P { pos: vec3<f32>, mass: f32, vel: vec3<f32>, id: u32 }
@group(0) @binding(0) var<storage, read> p: array<P>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
o[g.x] = p[g.x].mass;
}";
    let cure = one_cure(wgsl, &[(Key::Fill, "p=random")]);
    assert_eq!((cure.kind.as_str(), cure.before, cure.after), ("split", 36, 8));
    assert_eq!(cure.edits[1].text, "o[g.x] = p_mass[g.x];");
}

#[test]
fn needs_say_whether_somebody_chose() {
    let wgsl = kernel("32", "o[g.x] = a[idx[g.x]];");
    let open = run(&wgsl, &[], false);
    assert_eq!(open.needs.len(), 1);
    assert_eq!((open.needs[0].buffer.as_str(), open.needs[0].default), ("idx", true));
    assert_eq!((open.needs[0].reaches[0].line, open.needs[0].reaches[0].what), (5, Reach::Address));
    assert!(open.warnings.iter().any(|warning| warning.code == "default_contents" && warning.line == Some(5)));
    let chosen = run(&wgsl, &[(Key::Fill, "idx=index")], false);
    assert!(!chosen.needs[0].default && chosen.warnings.is_empty(), "{:?}", chosen.warnings);
}

#[test]
fn strays_are_told_with_lane_and_index() {
    let wgsl = kernel("32", "o[g.x] = a[g.x * 3u];");
    // 40 elements: 3 x 14 = 42 is the first one outside; 18 lanes from lane 14 on.
    let document = run(&wgsl, &[(Key::Buffer, "a=160")], false);
    let warning = document.warnings.iter().find(|warning| warning.code == "out_of_range").unwrap();
    assert!(
        warning.text.starts_with("18 loads of a") && warning.text.contains("lane 14, index 42"),
        "{}",
        warning.text
    );
}

#[test]
fn accesses_that_no_lane_reached_are_named() {
    let wgsl = kernel("32", "if (idx[0] > 0u) {\no[g.x] = a[g.x];\n}");
    let document = run(&wgsl, &[], false);
    let warning = document.warnings.iter().find(|warning| warning.code == "not_reached").unwrap();
    assert!(warning.text.starts_with("2 of the 3 accesses") && warning.text.contains("lines 6"), "{}", warning.text);
    assert!(run(&wgsl, &[(Key::Fill, "idx=index"), (Key::Buffer, "idx=64")], false).line(6).is_none());
}

#[test]
fn each_model_has_its_column_and_unknown_facts_a_band() {
    // Stride 2 of f32. 32 lanes cover 256 bytes: 8 sectors of 32 bytes where 4 would do, 4 of 64 where 2 would do.
    let wgsl = kernel("64", "o[g.x] = a[2u * g.x];");
    let models = vec![LESSON.clone(), by_key("nv-hopper").unwrap().clone(), UNKNOWN.clone()];
    let settings = Settings { models, ..Settings::default() };
    let document = predict(&wgsl, &inputs(&[]), &settings).unwrap();
    assert_eq!(document.models.len(), 3);
    let column = |k: usize| document.models[k].lines[0].clone();
    // Load and store on one line, two subgroups: (8 + 4) sectors where 4 + 4 would do.
    assert_eq!((column(0).sectors, column(0).ideal_sectors), (Some(24), Some(16)));
    assert_eq!(column(1).sectors, column(0).sectors);
    assert_eq!((column(2).sectors, column(2).ideal_sectors), (Some(12), Some(8)));
    // 4 lanes: 16 bytes of 32 apart take one sector whether 32 or 128 bytes large, as they would side by side: 1.
    // 64 lanes (a whole workgroup of what may be 128) with sectors of 32 bytes: (16 + 8) / (8 + 8) = 1.5.
    let band = column(2).times_ideal.unwrap();
    assert_eq!((band.low, band.high), (1.0, 1.5));
    let exact = column(0).times_ideal.unwrap();
    assert_eq!((exact.low, exact.high), (1.5, 1.5));
}

#[test]
fn what_a_subgroup_computes_is_executed_for_each_width() {
    // The lanes that are first in their subgroup store: 2 of 64 at 32 lanes, 1 at 64.
    let wgsl = format!(
        "{BUFFERS}@compute @workgroup_size(64) fn main(@builtin(subgroup_invocation_id) s: u32, \
         @builtin(local_invocation_index) i: u32) {{ if (s == 0u) {{ o[i] = 1.0; }} }}"
    );
    let models = vec![LESSON.clone(), by_key("amd-gcn").unwrap().clone()];
    let document = predict(&wgsl, &inputs(&[]), &Settings { models, ..Settings::default() }).unwrap();
    let requests: Vec<u64> = document.models.iter().map(|model| model.totals.requests).collect();
    assert_eq!(requests, [2, 1]);
}

#[test]
fn workgroups_are_chosen() {
    let wgsl = kernel("32", "o[g.x] = a[g.x];");
    let traced = |trace| {
        let settings = Settings { trace, ..Settings::default() };
        predict(&wgsl, &inputs(&[(Key::Dispatch, "1000")]), &settings).unwrap()
    };
    assert_eq!((traced(Trace::Sample).traced.workgroups, traced(Trace::Sample).traced.blocks), (48, 3));
    assert_eq!(traced(Trace::All).totals.requests, 2000);
    assert_eq!(traced(Trace::One([7, 0, 0])).totals.requests, 2);
}
