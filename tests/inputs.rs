//! What a user says of a run becomes a program; what does not fit is named with its cure.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use sectorscope::contents::{Contents, random_bits};
use sectorscope::inputs::*;
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::program::Program;
use sectorscope::trace::Deaf;

/// Buffers and uniforms of all kinds, and a loop that stores what the uniforms hold.
const SHADER: &str = "enable f16;
override N: u32 = 4u;
override fast: bool = false;
struct Params { n: u32, shift: i32, scale: f32, _pad: u32, dims: vec3<u32>, inner: array<Inner, 2> }
struct Inner { m: mat2x3<f32>, k: u32 }
struct Node { next: u32, mass: f32, at: vec3<f32> }
struct List { count: atomic<u32>, nodes: array<Node> }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> u: array<u32>;
@group(0) @binding(2) var<storage, read> h: array<f16>;
@group(0) @binding(3) var<storage, read_write> list: List;
@group(0) @binding(4) var<storage, read_write> o: array<vec4<f32>, 8>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<uniform> gain: f32;
@group(1) @binding(2) var<uniform> unused: f32;
@compute @workgroup_size(1) fn main() {
  let i = u32(fast) + N;
  o[0] = vec4<f32>(f32(params.n), f32(params.shift), params.scale, gain);
  o[1] = vec4<f32>(f32(params.dims.z), params.inner[1].m[1].z, f32(params.inner[1].k), a[i] + f32(u[i]) + f32(h[i]));
  atomicAdd(&list.count, 1u);
  o[2].x = list.nodes[1].mass;
}";

fn inputs(settings: &[(Key, &str)]) -> Result<Inputs, InputsError> {
    let mut inputs = Inputs::default();
    settings.iter().try_for_each(|(key, text)| inputs.set(*key, text)).map(|()| inputs)
}

fn program(settings: &[(Key, &str)]) -> Result<(Program, Vec<Defaulted>), InputsError> {
    inputs(settings)?.program(SHADER)
}

fn error(settings: &[(Key, &str)]) -> String {
    match program(settings) {
        Ok(_) => panic!("accepted: {settings:?}"),
        Err(error) => error.to_string(),
    }
}

fn words(program: &Program, buffer: &str, count: u32) -> Vec<u32> {
    let buffer = program.buffers.iter().find(|known| known.name == buffer).unwrap();
    (0..count).map(|index| buffer.contents.word(index)).collect()
}

fn floats(program: &Program, buffer: &str, count: u32) -> Vec<f32> {
    words(program, buffer, count).into_iter().map(f32::from_bits).collect()
}

fn bytes(program: &Program, buffer: &str) -> u64 {
    program.buffers.iter().find(|known| known.name == buffer).unwrap().bytes
}

#[test]
fn nothing_given_is_defaulted_and_said() {
    let (program, open) = program(&[]).unwrap();
    let said: Vec<String> = open.iter().map(ToString::to_string).collect();
    let expected = [
        "entry = main (the only one)",
        "dispatch = 1 (counts of one workgroup)",
        "buffer a = 1 MiB (its type has no size)",
        "fill a = zero (no contents are given)",
        "buffer u = 1 MiB (its type has no size)",
        "fill u = zero (no contents are given)",
        "buffer h = 1 MiB (its type has no size)",
        "fill h = zero (no contents are given)",
        // Nodes of 32 bytes behind a head of 16: one less than fit into 1 MiB without it.
        "buffer list = 1048560 bytes (its type has no size)",
        "fill list = zero (no contents are given)",
        "uniform params = 64 in every number (lets loops over a size turn a few times)",
        "uniform gain = 64 in every number (lets loops over a size turn a few times)",
    ];
    assert_eq!(said, expected);
    assert_eq!(bytes(&program, "list"), 16 + 32 * 32_767);
    assert_eq!((bytes(&program, "o"), program.grid), (128, [1, 1, 1]));
    assert!(program.uniforms.is_none(), "uniforms are buffers");
    assert_eq!(words(&program, "params", 3), [64, 64, 64f32.to_bits()]);
    let writes: Vec<&str> = program.buffers.iter().filter(|own| own.written).map(|own| own.name.as_str()).collect();
    assert_eq!(writes, ["list", "o"]);
}

#[test]
fn uniforms_are_laid_out_by_member_names_and_read_by_the_interpreter() {
    let params = r#"params={"n": 7, "shift": -3, "scale": 0.5, "dims": [1, 2, 9],
        "inner": [{"m": [[1, 2, 3], [4, 5, 6]], "k": 1}, {"m": [[7, 8, 9], [10, 11, 12.5]], "k": "0x20"}]}"#;
    let settings = [(Key::Uniform, params), (Key::Uniform, "gain=-inf"), (Key::Fill, "a=index")];
    let (_, problem) = (program(&settings[..1]).unwrap(), error(&settings[..2]));
    // A bare word is no JSON: a float that JSON lacks is a string.
    assert!(problem.starts_with("uniform gain: '-inf' is neither JSON nor file:PATH"), "{problem}");
    let settings = [
        settings[0],
        (Key::Uniform, r#"gain="-inf""#),
        settings[2],
        (
            Key::Fill,
            "list={\"count\": 5, \"nodes\": [{\"next\": 1, \"mass\": 1, \"at\": [0,0,0]}, {\"next\": 0, \"mass\": 2.5, \"at\": [0,0,0]}]}",
        ),
    ];
    let (program, _) = program(&settings).unwrap();
    let interpreter = Interpreter::new(&program).unwrap();
    let outcome = interpreter.run(&Options::default(), &mut Deaf).unwrap();
    let read = |index| f32::from_bits(outcome.memory.read_word("o", index).unwrap());
    let found: Vec<f32> = (0..9).map(read).collect();
    // The last of the second vector: a[4] is 4, u and h hold zeros.
    assert_eq!(found, [7.0, -3.0, 0.5, f32::NEG_INFINITY, 9.0, 12.5, 32.0, 4.0, 2.5]);
    assert_eq!(outcome.memory.read_word("list", 0), Some(6));
    assert_eq!(bytes(&program, "list"), 16 + 2 * 32);
}

#[test]
fn what_does_not_fit_is_named_with_its_cure() {
    let whole = r#""n": 7, "shift": -3, "scale": 0.5, "dims": [1, 2, 9], "inner": []"#;
    let params = |members: &str| format!("params={{{members}}}");
    let nodes = r#"list={"count": 1, "nodes": "#;
    let cases: Vec<(Key, String, &[&str])> = vec![
        // Names.
        (Key::Buffer, "aa=64".into(), &["buffer aa: there is no such variable; did you mean 'a'?", "a, u, h, list, o"]),
        (Key::Buffer, "params=64".into(), &["buffer params: it is a uniform", "--uniform params=JSON"]),
        (Key::Uniform, "a=1".into(), &["uniform a: it is a storage buffer", "--buffer a=SIZE", "--fill a="]),
        (Key::Uniform, "gian=1".into(), &["did you mean 'gain'?", "params, gain, unused"]),
        (Key::Texture, "t=4x4".into(), &["texture t: there is no such variable; there are no textures"]),
        (Key::Override, "M=4".into(), &["there is no override 'M'", "N: u32, fast: bool"]),
        (Key::Entry, "mian".into(), &["did you mean 'main'?"]),
        // Forms.
        (Key::Buffer, "a".into(), &["buffer: 'a' is not of the form NAME=SIZE"]),
        (Key::Buffer, "a=64kb".into(), &["buffer a: '64kb' is not a size: write 64MiB"]),
        (Key::Buffer, "=64".into(), &["names no variable"]),
        (Key::Fill, "a=ones".into(), &["fill a: 'ones' is no fill", "random:LO..HI", "file:PATH"]),
        (Key::Fill, "a=random:5..5".into(), &["fill a: 5..5 is empty"]),
        (Key::Fill, "a=[1, 2".into(), &["fill a: '[1, 2' is neither JSON"]),
        (Key::Dispatch, "8x8".into(), &["dispatch: '8x8' is not of the form X[,Y[,Z]]"]),
        (Key::Dispatch, "1,2,3,4".into(), &["X[,Y[,Z]]"]),
        (Key::Dispatch, "0".into(), &["0 workgroups: each side takes 1 to 65535"]),
        (Key::Dispatch, "4294967297".into(), &["1 to 65535"]),
        (Key::Seed, "-1".into(), &["seed: '-1' is no number"]),
        (Key::Texture, "t=0x4".into(), &["0 texels: each side has 1 to 16384"]),
        (Key::Override, "N=four".into(), &["override N: 'four' is no number, true or false"]),
        (Key::Override, "N=nan".into(), &["override N: 'nan'"]),
        // Values of overrides.
        (Key::Override, "N=1.5".into(), &["override N: 1.5 is no u32", "0 to 4294967295"]),
        (Key::Override, "N=-1".into(), &["override N: -1 is no u32"]),
        (Key::Override, "fast=2".into(), &["override fast: 2 is no bool"]),
        // Sizes.
        (Key::Buffer, "a=2".into(), &["buffer a: 2 bytes are too few: array<f32> takes at least 4"]),
        (
            Key::Buffer,
            "a=18".into(),
            &["buffer a: 18 bytes are no whole number of elements of 4 bytes", "give 16 or 20"],
        ),
        (Key::Buffer, "h=6".into(), &["buffer h: 6 bytes", "give 4 or 8"]),
        (Key::Buffer, "list=100".into(), &["buffer list: 100 bytes", "elements of 32 bytes", "give 80 or 112"]),
        (Key::Buffer, "list=32".into(), &["buffer list: 32 bytes are too few: List takes at least 48"]),
        (Key::Buffer, "o=64".into(), &["buffer o: 64 bytes are too few: array<vec4<f32>, 8> takes at least 128"]),
        (Key::Buffer, "a=2GiB".into(), &["buffer a: 2147483648 bytes are more than a buffer can have", "2147483392"]),
        // Values of uniforms.
        (
            Key::Uniform,
            params(&whole.replace("\"n\"", "\"nn\"")),
            &[
                "uniform params: there is no member 'nn'; did you mean 'n'?",
                "n: u32, shift: i32, scale: f32",
                "dims: vec3<u32>, inner: array<Inner, 2>",
            ],
        ),
        (
            Key::Uniform,
            params("\"n\": 1, \"scale\": 2"),
            &["uniform params: members shift, dims, inner have no value", "the members of Params are n: u32"],
        ),
        (Key::Uniform, params(whole), &["uniform params: inner: 0 elements are given, array<Inner, 2> needs 2"]),
        (
            Key::Uniform,
            params(&whole.replace("9]", "-9]")),
            &["uniform params: dims[2]: -9 is no u32: it holds 0 to 4294967295"],
        ),
        (Key::Uniform, params(&whole.replace("0.5", "1e39")), &["uniform params: scale: 1e+39 is too large for f32"]),
        (Key::Uniform, params(&whole.replace("7", "7.5")), &["uniform params: n: 7.5 is no u32"]),
        (
            Key::Uniform,
            params(&whole.replace("[]", "[{\"m\": [[1,2,3],[4,5]], \"k\": 1}, {}]")),
            &["inner[0].m[1]: 2 numbers are given, vec3<f32> needs 3"],
        ),
        (
            Key::Uniform,
            "params=3".into(),
            &["uniform params: 3 gives no values by member names; the members of Params are"],
        ),
        (Key::Uniform, "gain=[1]".into(), &["uniform gain: [1] is no f32"]),
        (Key::Uniform, "gain=true".into(), &["uniform gain: true is no f32"]),
        (Key::Uniform, "gain=file:nowhere.bin".into(), &["uniform gain: file nowhere.bin: "]),
        // Values of buffers.
        (Key::Fill, "a=[1, \"x\"]".into(), &["fill a: [1]: \"x\" is no f32"]),
        (Key::Fill, "a=[]".into(), &["fill a: 0 elements are given, array<f32> needs at least 1"]),
        (Key::Fill, format!("{nodes}[{{}}]}}"), &["fill list: nodes[0]: members next, mass, at have no value"]),
        (Key::Fill, "u=random:0..5000000000".into(), &["fill u: 0..5000000000 leaves the range of u32: 0..4294967296"]),
        (Key::Fill, "u=random:-1..5".into(), &["fill u: -1..5 leaves the range of u32"]),
        (Key::Fill, "u=random:0.5..5".into(), &["fill u: a range of u32 is between integers"]),
        (Key::Fill, "h=random:0..70000".into(), &["fill h: f16 holds no numbers of that range"]),
        (Key::Fill, "list=random:-1..1".into(), &["fill list: -1..1 leaves the range of u32"]),
    ];
    for (key, text, parts) in cases {
        let message = error(&[(key, &text)]);
        for part in parts {
            assert!(message.contains(part), "{key:?} {text}:\n{message}\nlacks: {part}");
        }
    }
    let twice = error(&[(Key::Buffer, "a=64"), (Key::Buffer, "a=64")]);
    assert_eq!(twice, "buffer a: it is given twice");
    let short = error(&[(Key::Buffer, "a=4"), (Key::Fill, "a=[1, 2, 3]")]);
    assert!(short.contains("12 bytes are given, the buffer has 4") && short.contains("--buffer a=12"), "{short}");
}

#[test]
fn fills_respect_the_types_of_elements() {
    let settings = [
        (Key::Fill, "a=random:-2..0.5"),
        (Key::Fill, "u=random:10..13"),
        (Key::Fill, "h=random:1..2"),
        (Key::Fill, "list=index"),
        (Key::Seed, "9"),
    ];
    let (first, open) = program(&settings).unwrap();
    assert!(!open.iter().any(|open| open.setting.key == Key::Fill), "all are given");
    let a = floats(&first, "a", 4000);
    assert!(a.iter().all(|value| (-2.0..0.5).contains(value)));
    // Uniform: a tenth of the range holds a tenth of the numbers (standard deviation 19).
    for tenth in 0u8..10 {
        let low = -2.0 + 0.25 * f32::from(tenth);
        let count = a.iter().filter(|value| (low..low + 0.25).contains(*value)).count();
        assert!((300..500).contains(&count), "{count} from {low}");
    }
    let u = words(&first, "u", 3000);
    assert!([10, 11, 12].map(|value| u.iter().filter(|word| **word == value).count()).iter().all(|n| *n > 900));
    assert!(u.iter().all(|word| (10..13).contains(word)));
    let halves = |words: &[u32]| bytemuck::cast_slice::<u32, u16>(words).to_vec();
    let h: Vec<f32> =
        halves(&words(&first, "h", 500)).into_iter().map(|bits| half::f16::from_bits(bits).to_f32()).collect();
    assert!(h.iter().all(|value| (1.0..2.0).contains(value)) && h.iter().any(|value| *value > 1.9));
    // count at 0; nodes from 16 on, every 32 bytes: next, mass, padding, then a vec3 at 16. Words by their own place,
    // floats modulo 1024.
    let list = words(&first, "list", 20);
    let bits = |n: u16| f32::from(n).to_bits();
    assert_eq!(list[..8], [0, 0, 0, 0, 4, bits(5), 0, 0]);
    assert_eq!(list[8..16], [bits(8), bits(9), bits(10), 0, 12, bits(13), 0, 0]);
    assert_eq!(first.buffers[3].contents.word(4 + 8 * 200 + 1), bits((4 + 8 * 200 + 1) % 1024));

    // Sequences of buffers differ; those of one seed are the same.
    let both = [(Key::Fill, "a=random"), (Key::Fill, "u=random"), (Key::Fill, "h=zero")];
    let (again, open) = program(&both).unwrap();
    assert!(open.iter().any(|open| open.to_string() == "seed = 1 (chooses the random sequences)"), "{open:?}");
    assert_ne!(words(&again, "a", 8), words(&again, "u", 8));
    assert_eq!(program(&both).unwrap().0, again);
    assert_ne!(random_bits(1, 0), random_bits(2, 0));
    let (index, _) = program(&[(Key::Fill, "u=index"), (Key::Fill, "h=index")]).unwrap();
    assert_eq!(index.buffers[1].contents.word(123_456), 123_456);
    let expected: Vec<u16> = [0.0, 1.0, 2.0, 3.0].map(|value| half::f16::from_f32(value).to_bits()).to_vec();
    assert_eq!(halves(&words(&index, "h", 2)), expected);
}

#[test]
fn given_values_decide_the_size() {
    let (program, open) = program(&[(Key::Fill, "a=[1.5, 2, 3]"), (Key::Fill, "h=[1, 2, 3]")]).unwrap();
    assert_eq!(bytes(&program, "a"), 12);
    assert_eq!(floats(&program, "a", 3), [1.5, 2.0, 3.0]);
    // Three halves are 6 bytes; a buffer has whole words.
    assert_eq!(bytes(&program, "h"), 8);
    assert!(!open.iter().any(|open| ["a", "h"].contains(&open.setting.name.as_str())), "{open:?}");
}

#[test]
fn files_hold_bytes_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a.bin", &[0, 0, 128, 63, 0, 0, 0]);
    write("u.json", b"[3, 1, 2]");
    write("gain.bin", &2.5f32.to_le_bytes());
    write("empty", b"");
    write("kernel.wgsl", SHADER.as_bytes());
    write(
        "kernel.sectorscope.toml",
        br#"
entry = "main"
dispatch = [8, 4]
seed = 3
override.N = 2
override.fast = true
buffer.h = "64KiB"
fill.a = "file:a.bin"
fill.u = "file:u.json"
fill.h = "random:0..1"
uniform.gain = "file:gain.bin"
uniform.unused = 1.0
[uniform.params]
n = 3
shift = -1
scale = inf
dims = [1, 2, 3]
inner = [{ m = [[1, 2, 3], [4, 5, 6]], k = 1 }, { m = [[1, 2, 3], [4, 5, 6]], k = 2 }]
"#,
    );
    let kernel = folder.path().join("kernel.wgsl");
    let file = Inputs::load(&Inputs::beside(&kernel)).unwrap();
    let (program, open) = file.program(&read_shader(&kernel).unwrap()).unwrap();
    assert_eq!((program.grid, program.constants["N"], program.constants["fast"]), ([8, 4, 1], 2.0, 1.0));
    // 7 bytes: two words, the last byte of which is zero.
    assert_eq!((bytes(&program, "a"), words(&program, "a", 2)), (8, vec![0x3F80_0000, 0]));
    assert_eq!(words(&program, "u", 4), [3, 1, 2, 0]);
    assert_eq!(floats(&program, "gain", 1), [2.5]);
    assert_eq!(floats(&program, "params", 3)[2], f32::INFINITY);
    let said: Vec<String> = open.iter().map(|open| format!("{} {}", open.setting, open.value)).collect();
    assert_eq!(said, ["buffer list 1048560 bytes", "fill list zero", "uniform unused unused"]);

    // The command line goes first.
    let typed = inputs(&[(Key::Dispatch, "2"), (Key::Fill, "u=[9]"), (Key::Override, "N=5")]).unwrap();
    let (both, _) = typed.or(file).program(SHADER).unwrap();
    assert_eq!((both.grid, both.constants["N"], both.constants["fast"]), ([2, 1, 1], 5.0, 1.0));
    assert_eq!((words(&both, "u", 1), bytes(&both, "h")), (vec![9], 64 << 10));

    let in_folder = |text: &str| {
        Inputs::from_toml(text, folder.path())
            .and_then(|inputs| inputs.program(SHADER).map(|_| ()).map_err(|error| error.to_string()))
    };
    assert!(in_folder("fill.a = \"file:empty\"").unwrap_err().ends_with("it is empty"));
    assert!(in_folder("uniform.gain = \"file:a.bin\"").unwrap_err().contains("7 bytes are given, f32 has 4"));
    assert!(in_folder("fill.a = \"file:none\"").unwrap_err().contains("none: "));
    assert!(in_folder("fill.a = \"file:.\"").unwrap_err().starts_with("fill a: file "));
    let problem = read_shader(&folder.path().join("none.wgsl")).unwrap_err().to_string();
    assert!(problem.contains("none.wgsl: "), "{problem}");
    write("large.wgsl", &vec![b' '; 5_000_000]);
    assert!(read_shader(&folder.path().join("large.wgsl")).unwrap_err().to_string().contains("5000000 bytes"));
}

#[test]
fn errors_in_a_file_name_their_line() {
    let cases = [
        ("entry = \"main\"\ndispatsh = 4\n", 2, "dispatsh"),
        ("seed = 1\nbuffer.a = \"64kb\"\n", 2, "'64kb' is not a size"),
        ("seed = 1\nbuffer.b = 64\nbuffer.a = -4\n", 3, "'-4' is not a size"),
        ("\n\n[fill]\nu = \"index\"\na = \"ones\"\n", 5, "'ones' is no fill"),
        ("dispatch = [1, 2, 3, 4]", 1, "is no dispatch"),
        ("dispatch = 0", 1, "1 to 65535"),
        ("override.N = \"x\"", 1, "'x' is no number"),
        ("texture.t = [1.5]", 1, "is no size of a texture"),
        ("seed = 1\nseed = 2\n", 2, "duplicate"),
        ("fill.a = [1,\n", 1, ""),
    ];
    for (text, line, part) in cases {
        let problem = Inputs::from_toml(text, Path::new("")).unwrap_err();
        assert!(problem.starts_with(&format!("line {line}: ")) && problem.contains(part), "{text}\n{problem}");
    }
    assert_eq!(Inputs::from_toml("", Path::new("")), Ok(Inputs::default()));
}

#[test]
fn textures_have_sizes() {
    let text = "@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var cube: texture_cube_array<f32>;
@group(0) @binding(2) var s: sampler;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(1) fn main() {
  o[0] = textureLoad(t, vec2<i32>(0), 0).x + textureSampleLevel(cube, s, vec3<f32>(1.0), 0, 0.0).x;
}";
    let settings = inputs(&[(Key::Texture, "t=64x32"), (Key::Texture, "cube=16x16x2")]).unwrap();
    let (program, open) = settings.program(text).unwrap();
    let sizes: Vec<_> = program.textures.iter().map(|texture| (texture.name.as_str(), texture.size)).collect();
    // Two cubes have twelve faces.
    assert_eq!(sizes, [("t", [64, 32, 1]), ("cube", [16, 16, 12])]);
    assert!(open.iter().all(|open| open.setting.key != Key::Texture), "{open:?}");
    let (program, open) = Inputs::default().program(text).unwrap();
    assert_eq!(program.textures[0].size, [256, 256, 1]);
    let open: Vec<_> = open.iter().filter(|open| open.setting.key == Key::Texture).collect();
    assert_eq!(open.len(), 2, "{open:?}");
    let sampler = inputs(&[(Key::Texture, "s=4x4")]).unwrap().program(text).unwrap_err().to_string();
    assert_eq!(sampler, "texture s: it is a sampler: it takes no setting");
}

#[test]
fn overrides_are_named_by_number_or_name() {
    let text = "@id(7) override n: u32;\n@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n\
                @compute @workgroup_size(n) fn main() { o[0] = n; }";
    let run = |setting: &str| inputs(&[(Key::Override, setting)]).unwrap().program(text).map(|run| run.0.constants);
    assert_eq!(run("7=4").unwrap(), [("7".to_owned(), 4.0)].into());
    assert_eq!(run("n=4").unwrap(), [("7".to_owned(), 4.0)].into());
    let missing = Inputs::default().program(text).unwrap_err().to_string();
    assert!(missing.contains("--override 7=VALUE (n, u32)"), "{missing}");
    let both = inputs(&[(Key::Override, "7=4"), (Key::Override, "n=4")]).unwrap().program(text).unwrap_err();
    assert!(both.to_string().contains("by its name and by its number"), "{both}");
}

#[test]
fn the_fixtures_get_programs_with_no_options_or_those_of_their_table() {
    let table = include_str!("fixtures/expected.csv");
    let mut runs = 0;
    for line in table.lines().skip(1) {
        let mut cells = line.split(',');
        let (file, options) = (cells.next().unwrap(), cells.next().unwrap());
        if line.contains(",error,") {
            continue;
        }
        let text =
            std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file)).unwrap();
        let mut inputs = Inputs::default();
        let words: Vec<&str> = options.split_whitespace().collect();
        for pair in words.chunks(2) {
            let all = [Key::Entry, Key::Buffer, Key::Override];
            let key = all.into_iter().find(|key| pair[0] == format!("--{}", key.name())).unwrap();
            inputs.set(key, pair[1]).unwrap();
        }
        let (program, _) = inputs.program(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(program.buffers.iter().all(|buffer| !matches!(buffer.contents, Contents::Poison)), "{file}");
        runs += 1;
    }
    assert!(runs > 25, "{runs}");
    let two = Inputs::default().program(include_str!("fixtures/f21_two_entry_points.wgsl")).unwrap_err().to_string();
    assert!(two.contains("scalar, wide"), "{two}");
    let f05 = inputs(&[(Key::Buffer, "a=80")]).unwrap();
    let (f05, _) = f05.program(include_str!("fixtures/f05_short_circuit.wgsl")).unwrap();
    assert_eq!(bytes(&f05, "a"), 80);
}
