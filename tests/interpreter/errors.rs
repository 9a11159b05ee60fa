//! What cannot be executed ends in a value that says what and where; nothing panics.

use std::sync::atomic::AtomicBool;

use sectorscope::contents::Contents;
use sectorscope::interpreter::{InterpretError, Interpreter, Options};
use sectorscope::platform::now;
use sectorscope::program::{Buffer, Program};
use sectorscope::trace::{Deaf, Position};

use super::{buffer, interpret, program};

const BUFFERS: &str = "enable wgpu_int16;
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> o: array<u32>;";

fn buffers() -> Vec<Buffer> {
    vec![buffer("a", 64, Contents::Zero), buffer("o", 64, Contents::Zero)]
}

/// A program whose entry point is `main` of the text; the text begins in line 4.
fn with_buffers(text: &str) -> Program {
    program(&format!("{BUFFERS}\n{text}"), buffers(), [1, 1, 1])
}

fn error(text: &str) -> InterpretError {
    interpret(&with_buffers(text)).unwrap_err()
}

fn main_of(body: &str) -> String {
    format!("@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) lane: u32) {{\n{body}\n}}")
}

fn run_with(text: &str, options: &Options<'_>) -> InterpretError {
    let program = with_buffers(text);
    Interpreter::new(&program).unwrap().run(options, &mut Deaf).unwrap_err()
}

#[test]
fn an_endless_loop_ends_with_its_line_and_the_buffer_it_waits_for() {
    let wgsl = include_str!("../fixtures/f15_endless.wgsl");
    let program = program(wgsl, vec![buffer("a", 4, Contents::Zero)], [1, 1, 1]);
    let interpreter = Interpreter::new(&program).unwrap();
    let start = now();
    let options = Options { step_budget: 100_000, ..Options::default() };
    let InterpretError::StepBudget { position, steps, depends_on } = interpreter.run(&options, &mut Deaf).unwrap_err()
    else {
        panic!("another error")
    };
    assert_eq!((position, steps), (Position { line: 4, column: 13 }, 100_000));
    assert_eq!(depends_on, ["a"]);
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn the_buffer_is_the_one_that_decides() {
    let options = Options { step_budget: 1000, ..Options::default() };
    let depends = |body: &str| match run_with(&main_of(body), &options) {
        InterpretError::StepBudget { depends_on, .. } => depends_on,
        other => panic!("{other}"),
    };
    // `o` is loaded first, and decides nothing.
    assert_eq!(depends("loop { let x = o[1]; if (a[0] == 1u) { break; } o[2] = x; }"), ["a"]);
    // Through a variable.
    assert_eq!(depends("var k = 0u; while (k < 5u) { o[2] = o[1]; k = a[0]; }"), ["a"]);
    // Before the loop, and with another one.
    assert_eq!(depends("let n = a[0]; while (n < 5u) { o[3] = n; }"), ["a"]);
    assert_eq!(depends("loop { if (a[0] > 5u || o[1] > 6u) { break; } }"), ["a", "o"]);
    assert_eq!(depends("loop { let x = o[1]; continuing { o[3] = x; break if a[2] == 1u; } }"), ["a"]);
    // The loop waits for nothing.
    assert_eq!(depends("var k = 0u; loop { o[k] = o[1]; if (k > 5u) { break; } }"), [""; 0]);
}

#[test]
fn calls_count_as_steps() {
    // 2^30 calls without a loop, and in no buffer's hands.
    let mut text = "fn f0() -> u32 { return 1u; }\n".to_owned();
    for k in 1..=30 {
        text += &format!("fn f{k}() -> u32 {{ return f{}() + f{}(); }}\n", k - 1, k - 1);
    }
    let start = now();
    let found = error(&(text + &main_of("o[lane] = f30();")));
    assert!(matches!(found, InterpretError::Unsupported { .. } | InterpretError::StepBudget { .. }), "{found}");
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn the_flag_cancels() {
    let flag = AtomicBool::new(true);
    let options = Options { cancel: Some(&flag), ..Options::default() };
    assert_eq!(run_with(&main_of("loop { if (a[0] == 1u) { break; } }"), &options), InterpretError::Cancelled);
    let flag = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let options = Options { cancel: Some(&flag), step_budget: u64::MAX, ..Options::default() };
            run_with(&main_of("loop { if (a[0] == 1u) { break; } }"), &options)
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        flag.store(true, std::sync::atomic::Ordering::Relaxed);
        run.join().unwrap()
    });
    assert_eq!(found, InterpretError::Cancelled);
}

#[test]
fn a_divergent_barrier_is_an_error_with_its_line() {
    let wgsl = include_str!("../fixtures/f22_divergent_barrier.wgsl");
    let found = interpret(&program(wgsl, vec![buffer("o", 32, Contents::Zero)], [1, 1, 1])).unwrap_err();
    let InterpretError::DivergentBarrier { position } = found else { panic!("{found}") };
    assert_eq!(position, Position { line: 6, column: 34 });
    // In a loop that lanes leave at different turns, after a return, in a function, in a switch.
    for body in [
        "for (var i = 0u; i < lane; i++) { workgroupBarrier(); }",
        "if (lane == 3u) { return; }\nworkgroupBarrier();",
        "switch (lane) { case 1u: { } default: { storageBarrier(); } }",
    ] {
        assert!(matches!(error(&main_of(body)), InterpretError::DivergentBarrier { .. }), "{body}");
    }
    // A condition that is the same for all lanes is none.
    for body in [
        "if (a[0] == 0u) { workgroupBarrier(); }",
        "for (var i = 0u; i < a[1] + 2u; i++) { workgroupBarrier(); }",
        "switch (a[0]) { case 0u: { workgroupBarrier(); } default: { } }",
        "for (var i = 0u; i < 5u; i++) { if (i == lane) { continue; } o[lane] += 1u; } workgroupBarrier();",
    ] {
        interpret(&with_buffers(&main_of(body))).unwrap();
    }
}

#[test]
fn what_is_not_covered_is_named_with_its_place() {
    let unsupported = |text: &str| match error(text) {
        InterpretError::Unsupported { construct, position } => (construct, position),
        other => panic!("{other}"),
    };
    let texture = "@group(0) @binding(2) var t: texture_2d<f32>;\n";
    let (construct, position) =
        unsupported(&(texture.to_owned() + &main_of("o[lane] = u32(textureLoad(t, vec2<i32>(0), 0).x);")));
    assert!(construct.contains("texture t"), "{construct}");
    assert_eq!(position, Position { line: 4, column: 23 });
    let (construct, position) = unsupported(&main_of("let x = modf(f64(lane));\no[lane] = u32(x.whole);"));
    assert!(construct.contains("Modf"), "{construct}");
    assert_eq!(position, Position { line: 5, column: 9 });
    let (construct, position) = unsupported(&main_of("o[lane] = u32(\n u16(lane) + 1);"));
    assert!(construct.contains("16-bit"), "{construct}");
    assert_eq!(position.line, 6);
    let short = "fn f(i: u32,\n x: u16) -> u32 { return u32(x); }\n".to_owned();
    let (_, position) = unsupported(&(short + &main_of("o[lane] = f(1u, u16(2));")));
    assert_eq!(position, Position { line: 5, column: 2 });
}

#[test]
fn the_rest_runs_and_what_was_left_out_is_listed() {
    let run = |text: &str| {
        let program = with_buffers(text);
        let interpreter = Interpreter::partial(&program, 32).unwrap();
        let outcome = interpreter.run(&Options::default(), &mut Deaf).unwrap();
        assert_eq!(interpreter.unsupported(), outcome.unsupported);
        let places: Vec<u32> = outcome.unsupported.iter().map(|found| found.position.line).collect();
        let words = |name: &str| [0, 9, 31].map(|word| outcome.memory.read_word(name, word).unwrap_or_default());
        (places, words("o"), words("a"))
    };
    // A value that is not covered is zero; its type is known, so what uses it still runs.
    let (lines, o, a) = run(&main_of(
        "let x = modf(f64(lane));\no[lane] = 5u + u32(x.whole);\nlet y = frexp(f64(lane)).fract;\na[lane] = lane;",
    ));
    assert_eq!((lines, o, a), (vec![5, 7], [5; 3], [0, 9, 31]));
    // A type that is not covered: variables of it are not there, calls go on without it.
    let functions = "var<private> p: u16;\nfn f(x: u16, k: u32) -> u32 { p += x; return k + u32(x); }\nfn g(x: u16) -> u16 { return x + x; }\n";
    let (lines, o, a) = run(&(functions.to_owned()
        + &main_of("var s = u16(lane);\ns += u16(1);\no[lane] = f(s, lane);\na[lane] = u32(g(s)) + lane;")));
    // The variable p, arguments and results of the functions, the variable s, what is added to it, the call.
    assert_eq!(lines, [4, 5, 6, 8, 9, 11]);
    assert_eq!((o, a), ([0, 9, 31], [0, 9, 31]));
    // Nothing left out.
    assert_eq!(run(&main_of("o[lane] = 1u;")).0, Vec::<u32>::new());
    // Loops and returns around it keep their shape.
    let (lines, o, _) = run(&main_of(
        "for (var k = 0u; k < 3u; k++) { let z = modf(f64(k)).whole; if (k == 2u) { o[lane] = k; return; } }\no[lane] = 77u;",
    ));
    assert_eq!((lines, o), (vec![5], [2; 3]));
}

/// naga takes every bitcast for one to the width that the operand has: two halves from a word are an f32 to it. Their
/// bits are right; a text that uses them as halves is no shader to it.
#[test]
fn bitcasts_to_halves_keep_their_bits_where_naga_accepts_them() {
    let run = |body: &str| {
        let text = format!("enable f16;\n{}\n{}", BUFFERS.lines().skip(1).collect::<String>(), main_of(body));
        interpret(&program(&text, buffers(), [1, 1, 1]))
    };
    let found = run("let v = bitcast<vec2<f16>>(0x3C004000u + lane); o[lane] = bitcast<u32>(v);").unwrap();
    assert_eq!(found[..2], [0x3C00_4000, 0x3C00_4001]);
    let found = run("o[lane] = u32(bitcast<vec2<f16>>(0x3C004000u).y);");
    assert!(matches!(found, Err(InterpretError::Shader(_))), "{found:?}");
}

#[test]
fn what_the_entry_point_does_not_reach_may_be_anything() {
    let unused =
        "fn never() -> u32 { return u32(modf(f64(1u)).whole); }\nfn nor(x: u16) -> u16 { var y = x; return y * x; }
fn calls() -> u32 { return never(); }
@group(0) @binding(5) var t: texture_2d<f32>;
@compute @workgroup_size(32) fn other() { o[0] = calls() + u32(textureLoad(t, vec2<i32>(0), 0).x); }
fn fine(x: u32) -> u32 { return x + 1u; }\n";
    for text in [unused.to_owned(), unused.replace("@compute @workgroup_size(32) fn other", "fn other")] {
        let words = interpret(&with_buffers(&(text + &main_of("o[lane] = fine(lane);")))).unwrap();
        assert_eq!(words[..3], [1, 2, 3]);
    }
}

#[test]
fn large_things_are_refused_or_run_but_never_panic() {
    let error_of = |text: &str| interpret(&with_buffers(text)).err().map(|error| error.to_string());
    let huge = "var<workgroup> t: array<vec4<u32>, 60000000>;\n";
    assert!(error_of(&(huge.to_owned() + &main_of("t[lane].x = 1u;"))).unwrap().contains("workgroup memory"));
    let two = "var<workgroup> t: array<vec4<u32>, 60000000>;\nvar<workgroup> u: array<vec4<u32>, 250000000>;\n";
    assert!(error_of(&(two.to_owned() + &main_of("t[lane].x = u[lane].y;"))).is_some());
    let private = "var<private> p: array<u32, 16000000>;\n";
    assert!(error_of(&(private.to_owned() + &main_of("p[lane] = 1u;"))).unwrap().contains("16000000"));
    let mut many = String::new();
    for k in 0..200 {
        many += &format!("var v{k}: array<u32, 16000>; v{k}[lane] = 1u; o[lane] += v{k}[lane];\n");
    }
    let text =
        format!("@compute @workgroup_size(1024) fn main(@builtin(local_invocation_index) lane: u32) {{ {many} }}");
    assert!(error_of(&text).unwrap().contains("GiB"), "{:?}", error_of(&text));
}

#[test]
fn long_chains_of_calls_are_refused_or_run_but_never_overflow_the_stack() {
    for depth in [20, 100, 1000] {
        let mut text = "fn f0(x: u32) -> u32 { return x; }\n".to_owned();
        for k in 1..=depth {
            text += &format!(
                "fn f{k}(x: u32) -> u32 {{ if (x > 0u) {{ loop {{ return f{}(x) + 1u; }} }} return 0u; }}\n",
                k - 1
            );
        }
        let result = interpret(&with_buffers(&(text + &main_of(&format!("o[lane] = f{depth}(1u);")))));
        match result {
            Ok(words) => assert_eq!(words[0], depth + 1),
            Err(error) => assert!(depth >= 100 && matches!(error, InterpretError::Unsupported { .. }), "{error}"),
        }
    }
    let nested = |depth: usize| format!("{}o[lane] = 1u;{}", "if (lane < 99u) { ".repeat(depth), "}".repeat(depth));
    assert_eq!(interpret(&with_buffers(&main_of(&nested(60)))).unwrap()[0], 1);
    let _refused_or_not = interpret(&with_buffers(&main_of(&nested(120))));
}

#[test]
fn nonsense_is_an_error() {
    for text in [
        "",
        "\u{0}\u{1}",
        "fn main() {}",
        "@compute @workgroup_size(0) fn main() {}",
        "@compute @workgroup_size(65536) fn main() {}",
    ] {
        let result = Interpreter::new(&program(text, buffers(), [1, 1, 1])).map(|_| ());
        assert!(result.is_err(), "{text:?}");
    }
    // A buffer without a size, one too small for an element, none at all.
    let text = format!("{BUFFERS}\n{}", main_of("o[lane] = a[lane] + a[0] + arrayLength(&a);"));
    assert!(matches!(Interpreter::new(&program(&text, vec![], [1, 1, 1])), Err(InterpretError::Program(_))));
    let empty = vec![buffer("a", 0, Contents::Random { seed: 1 }), buffer("o", 0, Contents::Zero)];
    assert_eq!(interpret(&program(&text, empty, [1, 1, 1])), Ok(Vec::new()));
}
