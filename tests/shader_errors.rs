//! What can be wrong with a text: each message has its place, in characters, and its cure, and comes soon.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use sectorscope::platform::now;
use sectorscope::program::Feature;
use sectorscope::shader::*;
use sectorscope::trace::Position;

fn error(text: &str) -> ShaderError {
    match Shader::parse(text) {
        Ok(_) => panic!("accepted: {:.200}", text),
        Err(error) => error,
    }
}

/// The place and the message of a text that is refused.
fn at(text: &str) -> ((u32, u32), String) {
    let error = error(text);
    let Position { line, column } = error.position().unwrap_or_else(|| panic!("no place: {error}"));
    ((line, column), error.to_string())
}

const MAIN: &str = "@compute @workgroup_size(32) fn main() {}";

#[test]
fn places_are_in_characters_and_carets_below_them() {
    let (place, message) = at(include_str!("fixtures/f17_bad_unicode_column.wgsl"));
    // `x` of `const x: u32 = 1.0;`: 59 characters precede it, 60 bytes.
    assert_eq!(place, (2, 60), "{message}");
    let caret = message.lines().last().unwrap();
    let source = message.lines().rev().nth(1).unwrap();
    let column = caret.chars().position(|c| c == '^').unwrap();
    assert_eq!(source.chars().nth(column), Some('x'), "{message}");

    let (place, message) = at(include_str!("fixtures/f18_bad_tab_caret.wgsl"));
    // `\tlet y = x +;`: the tab is one character, the semicolon the twelfth.
    assert_eq!(place, (3, 13), "{message}");
    assert!(message.ends_with("3 | \tlet y = x +;\n  | \t           ^"), "{message}");
}

#[test]
fn tables_of_texts_and_messages() {
    let cases: &[(&str, (u32, u32), &[&str])] = &[
        // Validation: the value that is returned.
        ("fn f() -> u32 {\n    let x = 1.5;\n    return x;\n}\n", (2, 13), &["return"]),
        ("fn f() {\n  var é = 1u;  é = ü; }", (2, 20), &["no definition in scope", "pasted"]),
        ("@compute @workgroup_size(32) fn main() {\r\n\r\n  let a = 1u + 1.0f;\r\n}\r\n", (3, 11), &[]),
        ("\u{FEFF}fn f( {}", (1, 7), &[]),
        // Long lines are cut around the place.
        (&format!("/*{}*/ fn f( {{}}", "x".repeat(500)), (1, 512), &[".. ", "^"]),
        // Templates and preprocessors, outside of comments only.
        ("// {{ no }}\nconst N = {{ n }};", (2, 11), &["`{{ n }}`", "template", "paste what your program renders"]),
        ("{% if f16 %}\nenable f16;", (1, 1), &["`{% if f16 %}`", "template"]),
        ("fn f() {}\n  #import bevy::mesh\n", (2, 3), &["`#import`", "naga_oil", "paste"]),
        ("#include \"common.wgsl\"\n", (1, 1), &["`#include`", "paste the included text"]),
        ("/* a\n #ifdef */\n#ifdef HALF\nfn f() {}\n#endif", (3, 1), &["`#ifdef`", "keep the branch"]),
        ("#define N 4\n", (1, 1), &["`#define`", "const or an override"]),
        ("#version 450\n", (1, 1), &["`#version`", "GLSL"]),
        ("const N = ${n}u;", (1, 11), &["`${n}`", "JavaScript"]),
        ("import package::common::N;\nfn f() {}", (1, 1), &["WESL"]),
    ];
    for (text, place, words) in cases {
        let (found, message) = at(text);
        assert_eq!(found, *place, "{text:.100}\n{message}");
        for word in *words {
            assert!(message.contains(word), "{message} lacks {word}");
        }
        assert!(message.lines().all(|line| line.chars().count() < 400), "{message}");
    }
}

#[test]
fn two_blocks_are_no_template() {
    let text = "@compute @workgroup_size(1) fn main() {{ let a = 1u; }}";
    assert!(Shader::parse(text).is_ok());
    let (_, message) = at(&text.replace("1u", "b"));
    assert!(message.contains("no definition in scope"), "{message}");
}

#[test]
fn texts_without_a_compute_entry_point() {
    assert_eq!(error(include_str!("fixtures/f19_empty.wgsl")).to_string(), "the WGSL text is empty");
    assert_eq!(error("\u{FEFF} \r\n\t"), ShaderError::Empty);
    let message = error(include_str!("fixtures/f26_no_compute.wgsl")).to_string();
    assert!(message.contains("no compute entry point (there is fragment fs)"), "{message}");
    assert!(message.contains("@compute @workgroup_size"), "{message}");
    let message = error("fn helper() {}").to_string();
    assert!(message.starts_with("there is no compute entry point: "), "{message}");
}

#[test]
fn entry_points_are_named() {
    let shader = Shader::parse(include_str!("fixtures/f21_two_entry_points.wgsl")).unwrap();
    let several = shader.entry_point(None).unwrap_err().to_string();
    assert!(several.contains("scalar, wide") && several.contains("--entry"), "{several}");
    let unknown = shader.entry_point(Some("wdie")).unwrap_err().to_string();
    assert!(unknown.contains("did you mean 'wide'?") && unknown.contains("scalar, wide"), "{unknown}");
    assert_eq!(shader.entry_point(Some("wide")), Ok("wide"));
    assert_eq!(Shader::parse(MAIN).unwrap().entry_point(None), Ok("main"));
}

#[test]
fn byte_order_mark_and_line_ends_are_accepted() {
    let text = include_str!("fixtures/f20_bom_crlf.wgsl");
    assert!(text.starts_with('\u{FEFF}') && text.contains("\r\n"), "the fixture was converted");
    assert!(Shader::parse(text).is_ok());
    let (place, _) = at(&text.replace("{}", "{ let a = b; }"));
    // Line 3 as the author counts: `fn main() { let a = b; }`.
    assert_eq!(place, (3, 21));
}

#[test]
fn files_that_are_no_text() {
    let message = |bytes: &[u8]| decode(bytes).unwrap_err().to_string();
    assert!(message(b"\x7FELF\x02\x01\x01\x00\x00").contains("byte 7 is zero"));
    assert!(message(b"fn main() \xE9").contains("byte 10 (0xE9) is no UTF-8"));
    assert!(message(&[0xFF, 0xFE, b'f', 0]).contains("UTF-16"));
    let large = vec![b' '; 5_000_000];
    let message = message(&large);
    assert!(message.contains("5000000") && message.contains(&MOST_BYTES.to_string()), "{message}");
    assert_eq!(decode(MAIN.as_bytes()), Ok(MAIN));
}

/// Texts that would exhaust a parser's stack or patience, with what they have too much of. All run on a thread of 2 MiB,
/// the least that Rust gives one.
fn deep(count: usize) -> Vec<(&'static str, String)> {
    let body = |body: String| format!("var<private> o: f32;\n@compute @workgroup_size(1) fn main() {{ {body} }}");
    let repeat = |text: &str| text.repeat(count);
    vec![
        ("operators", body(format!("o = o{};", repeat(" + o")))),
        ("operators", body(format!("o = {}o;", repeat("- ")))),
        ("operators", body(format!("if (o > 0.0{}) {{ o = 1.0; }}", repeat(" && o > 0.0")))),
        ("brackets", body(format!("o = {}o{};", repeat("1.0 + ("), repeat(")")))),
        ("brackets", body(format!("o = {}o{};", repeat("max(1.0, "), repeat(")")))),
        ("else-ifs", body(format!("if (o == 0.0) {{ o = 1.0; }} {}", repeat("else if (o == 1.0) { o = 2.0; } ")))),
        ("else-ifs", body(format!("{} o = 1.0; {}", repeat("{ if (o > 0.0) "), repeat("}")))),
        ("else-ifs", body(format!("{} o = 1.0; {}", repeat("for (var i = 0; i < 2; i++) { "), repeat("}")))),
        ("operators", format!("alias T = {}f32{};\n{MAIN}", repeat("array<"), repeat(", 1>"))),
        (
            "declarations",
            format!(
                "{}const c{count} = 1;\n{MAIN}",
                (0..count).map(|k| format!("const c{k} = c{};\n", k + 1)).collect::<String>()
            ),
        ),
    ]
}

#[test]
fn what_is_too_deep_is_refused_with_its_place() {
    let start = now();
    for count in [2_100, 40_000] {
        for (what, text) in deep(count) {
            if text.len() > MOST_BYTES {
                assert!(matches!(error(&text), ShaderError::TooLarge { .. }));
                continue;
            }
            let (place, message) = at(&text);
            assert!(message.contains(what) && message.contains("split it"), "{what}: {message:.300}");
            assert!(place > (1, 1), "{place:?}");
        }
    }
    assert!(start.elapsed().as_secs() < 20, "{:?} for 20 texts", start.elapsed());
}

#[test]
fn what_is_nearly_too_deep_is_parsed_on_a_small_stack() {
    let limits = [
        MOST_OPERATORS - 10,
        MOST_OPERATORS - 10,
        // `&&`, `>` and the dot of `0.0`.
        MOST_OPERATORS / 4 - 10,
        MOST_BRACKETS - 10,
        MOST_BRACKETS - 10,
        MOST_BLOCKS - 10,
        MOST_BLOCKS / 2 - 10,
        MOST_BLOCKS - 10,
        MOST_BRACKETS - 10,
        MOST_DECLARATIONS - 10,
    ];
    let all = |(k, count): (usize, usize)| deep(count).swap_remove(k);
    let texts: Vec<_> = limits.into_iter().enumerate().map(all).collect();
    let parse = move || {
        for (what, text) in texts {
            let problem = Shader::parse(&text).err().map(|error| error.to_string());
            // naga may have limits of its own: what counts is that the stack holds.
            assert!(problem.as_ref().is_none_or(|problem| !problem.contains("split it")), "{what}: {problem:?}");
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(parse).unwrap().join().unwrap();
}

#[test]
fn long_functions_and_long_lines_end_soon() {
    let start = now();
    for body in ["o=o+1.0;", "o=o+1.0;\n", "a<b;", "{}", "/*", "x", ";", "{{", "}", "\"", "é", "<", "@a "] {
        let text = format!("var<private> o: f32;\n@compute @workgroup_size(1) fn main() {{ {}", body.repeat(60_000));
        let message = error(&text).to_string();
        assert!(message.len() < 2_000, "{} characters", message.len());
    }
    assert!(start.elapsed().as_secs() < 20, "{:?} for 13 texts", start.elapsed());
}

#[test]
fn extensions_that_need_no_enabling_are_blanked() {
    let subgroup = "\n@compute @workgroup_size(32) fn main() { _ = subgroupAdd(1u); let é = ?; }";
    for enable in ["enable subgroups;", "enable  subgroups ;", "enable\nsubgroups;", "/* c */ enable subgroups; // d"] {
        let text = format!("{enable}{subgroup}");
        assert!(Shader::parse(&text.replace(" let é = ?;", "")).is_ok(), "{enable}");
        let line = u32::try_from(text.lines().count()).unwrap();
        assert_eq!(at(&text).0, (line, 71), "{enable}");
    }
    let mixed = "enable f16, subgroups;\nvar<private> h: f16;\n@compute @workgroup_size(1) fn main() { h = 1h; }";
    let shader = Shader::parse(mixed).unwrap();
    assert_eq!(shader.text().len(), mixed.len());
    assert!(shader.text().starts_with("enable f16; "));
    // Elsewhere it is no directive.
    assert!(error(&format!("{MAIN} enable subgroups;")).to_string().contains("enable"));
}

#[test]
fn overrides_without_values_are_listed() {
    let text = "override N: u32;\n@id(7) override scale: f32;\noverride flag: bool = true;\noverride unused: i32;\n\
                var<private> o: f32;\n\
                @compute @workgroup_size(N) fn main() { if (flag) { o = scale; } }\n\
                @compute @workgroup_size(1) fn other() { o = f32(unused); }";
    let shader = Shader::parse(text).unwrap();
    let keys: Vec<_> = shader.overrides().into_iter().map(|own| (own.key, own.ty, own.has_default)).collect();
    let expected = [
        ("N", ScalarType::U32, false),
        ("7", ScalarType::F32, false),
        ("flag", ScalarType::Bool, true),
        ("unused", ScalarType::I32, false),
    ];
    assert_eq!(keys, expected.map(|(key, ty, has_default)| (key.to_owned(), ty, has_default)));
    let missing = |entry: &str, given: &[(&str, f64)]| {
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        shader.specialise(entry, &given).map(|_| ()).map_err(|error| error.to_string())
    };
    let both = missing("main", &[]).unwrap_err();
    assert!(both.contains("--override N=VALUE (u32)") && both.contains("--override 7=VALUE (scale, f32)"), "{both}");
    assert!(!both.contains("unused") && !both.contains("flag"), "{both}");
    let one = missing("main", &[("N", 64.0)]).unwrap_err();
    assert!(!one.contains("N=") && one.contains("7=VALUE"), "{one}");
    assert_eq!(missing("main", &[("N", 64.0), ("7", 2.0)]), Ok(()));
    assert!(missing("other", &[]).unwrap_err().contains("--override unused=VALUE (i32)"));
    let unknown = missing("main", &[("scael", 1.0)]).unwrap_err();
    assert!(unknown.contains("did you mean 'scale'?") && unknown.contains("scale (@id 7): f32"), "{unknown}");
}

#[test]
fn features_are_those_without_which_the_shader_is_invalid() {
    let features = |globals: &str, body: &str| {
        let text = format!("{globals}\n@compute @workgroup_size(32) fn main() {{ {body} }}");
        let shader = Shader::parse(&text).unwrap().specialise("main", &[].into()).unwrap();
        shader.reflection().features.iter().copied().collect::<Vec<_>>()
    };
    assert_eq!(features("var<private> o: f32;", "o = 1.0;"), []);
    assert_eq!(features("enable f16; var<private> h: f16;", "h = 1h;"), [Feature::F16]);
    assert_eq!(features("var<private> s: u32;", "s = subgroupAdd(1u);"), [Feature::Subgroups]);
    assert_eq!(features("var<private> l: i64;", "l = 1li;"), [Feature::Int64]);
    assert_eq!(features("var<private> d: f64;", "d = 1.0lf;"), [Feature::Float64]);
    let atomics = "@group(0) @binding(0) var<storage, read_write> a: atomic<u64>;";
    assert_eq!(features(atomics, "atomicAdd(&a, 1lu);"), [Feature::Int64, Feature::Int64Atomics]);
    let atomics = "@group(0) @binding(0) var<storage, read_write> a: atomic<f32>;";
    assert_eq!(features(atomics, "atomicAdd(&a, 1.0);"), [Feature::Float32Atomics]);
    // These need nothing that is optional.
    assert_eq!(features("var<private> o: u32;", "o = pack2x16float(vec2(1.0, 2.0));"), []);
}

#[test]
fn types_are_reflected_with_their_offsets() {
    let text = "enable f16;
struct Inner { a: vec3<f32>, b: u32, m: mat3x2<f32> }
struct Outer { n: u32, list: array<Inner, 2>, h: f16, tail: array<vec3<f16>> }
struct P { size: vec2<u32>, scale: f32 }
@group(0) @binding(0) var<storage, read_write> o: Outer;
@group(0) @binding(1) var<uniform> p: P;
@group(0) @binding(2) var<storage, read_write> c: array<atomic<i32>, 4>;
@group(1) @binding(0) var t: texture_2d_array<f32>;
@group(1) @binding(1) var s: sampler;
@group(1) @binding(2) var w: texture_storage_3d<rgba8unorm, write>;
@compute @workgroup_size(1) fn main() {
  o.n = p.size.x; atomicAdd(&c[0], 1);
  let v = textureSampleLevel(t, s, vec2<f32>(0.5), 0, 0.0); textureStore(w, vec3<i32>(0), v);
}";
    let shader = Shader::parse(text).unwrap().specialise("main", &[].into()).unwrap();
    let reflection = shader.reflection();
    let outer = &reflection.binding("o").unwrap().ty;
    // Alignments: vec3<f32> 16, mat3x2<f32> 8, f16 2, vec3<f16> 8. Inner: a at 0, b at 12, m at 16 with 3 columns of 8
    // bytes, so 40, rounded up to 48. Outer: list at 16, h at 112, tail at 120 with stride 8.
    let offsets =
        |ty: &Type| ty.members().iter().map(|member| (member.name.clone(), member.offset)).collect::<Vec<_>>();
    let named = |list: &[(&str, u32)]| list.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect::<Vec<_>>();
    assert_eq!(offsets(outer), named(&[("n", 0), ("list", 16), ("h", 112), ("tail", 120)]));
    let Type::Array { element: inner, count: Some(2), stride: 48 } = &outer.members()[1].ty else {
        panic!("{outer:?}")
    };
    assert_eq!(offsets(inner), named(&[("a", 0), ("b", 12), ("m", 16)]));
    assert_eq!((inner.bytes(), outer.runtime_array()), (48, Some((120, 8))));
    assert_eq!(inner.members()[2].ty.to_string(), "mat3x2<f32>");
    assert_eq!(outer.members()[3].ty.to_string(), "array<vec3<f16>>");
    assert_eq!(outer.only_scalar(), None);
    let p = &reflection.binding("p").unwrap().ty;
    assert_eq!((p.to_string().as_str(), p.bytes()), ("P", 16));
    let c = &reflection.binding("c").unwrap().ty;
    assert_eq!(
        (c.to_string().as_str(), c.only_scalar(), c.bytes()),
        ("array<atomic<i32>, 4>", Some(ScalarType::I32), 16)
    );
    let [t, w] = reflection.textures.as_slice() else { panic!("{:?}", reflection.textures) };
    assert_eq!((t.name.as_str(), t.dimension, t.arrayed, t.group), ("t", Dimension::Two, true, 1));
    assert_eq!(t.kind, TextureKind::Sampled { scalar: ScalarType::F32 });
    assert_eq!(w.kind, TextureKind::Storage { format: "rgba8unorm".into(), loads: false, stores: true });
    assert_eq!(w.dimension, Dimension::Three);
    assert_eq!(reflection.samplers.iter().map(|sampler| sampler.name.as_str()).collect::<Vec<_>>(), ["s"]);
}
