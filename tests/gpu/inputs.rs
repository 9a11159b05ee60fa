//! Programs made of a user's settings run on a device as the interpreter executes them.

use pollster::block_on;
use sectorscope::gpu::Checks;
use sectorscope::inputs::{Inputs, Key};
use sectorscope::interpreter::{Interpreter, Options};
use sectorscope::trace::Deaf;

use super::{open_each, reflect};

/// Two uniforms in one group and a third in another; an input of floats, one of structs.
const SHADER: &str = "
struct Pair { key: u32, value: f32 }
struct Params { count: u32, low: vec2<f32>, steps: array<vec4<u32>, 2> }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> pairs: array<Pair>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
@group(1) @binding(0) var<uniform> params: Params;
@group(1) @binding(1) var<uniform> factor: u32;
@group(2) @binding(0) var<uniform> shifts: vec2<i32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= params.count { return; }
    let pair = pairs[i];
    o[4u * i] = bitcast<u32>(a[i]);
    o[4u * i + 1u] = pair.key * factor + params.steps[1].w;
    o[4u * i + 2u] = bitcast<u32>(pair.value);
    o[4u * i + 3u] = u32(shifts.y) + bitcast<u32>(params.low.y);
}";

#[test]
fn uniforms_and_typed_contents_reach_the_device() {
    let mut inputs = Inputs::default();
    for (key, text) in [
        (Key::Dispatch, "16"),
        (Key::Buffer, "a=4000"),
        (Key::Buffer, "pairs=8000"),
        (Key::Buffer, "o=16000"),
        (Key::Fill, "a=random:-3..0.7"),
        (Key::Fill, "pairs=random:5..1000"),
        (Key::Uniform, r#"params={"count": 999, "low": [1, -0.5], "steps": [[1, 2, 3, 4], [5, 6, 7, 8]]}"#),
        (Key::Uniform, "factor=3"),
        (Key::Uniform, "shifts=[-1, 70000]"),
    ] {
        inputs.set(key, text).unwrap();
    }
    let (program, open) = inputs.program(SHADER).unwrap();
    assert!(open.iter().all(|open| matches!(open.setting.key, Key::Entry | Key::Seed | Key::Fill)), "{open:?}");
    let interpreted = Interpreter::new(&program).unwrap().run(&Options::default(), &mut Deaf).unwrap();
    let expected: Vec<u32> = (0..4000).map(|index| interpreted.memory.read_word("o", index).unwrap()).collect();
    for lane in [0usize, 500, 998] {
        let words = &expected[4 * lane..4 * lane + 4];
        assert!((-3.0..0.7).contains(&f32::from_bits(words[0])));
        assert!((5..1000).contains(&((words[1] - 8) / 3)) && (words[1] - 8).is_multiple_of(3), "{words:?}");
        assert!((5.0..1000.0).contains(&f32::from_bits(words[2])));
        assert_eq!(words[3], (-0.5f32).to_bits() + 70_000);
    }
    assert_eq!(expected[4 * 999..], [0; 4], "the last lane has nothing to do");
    let reflection = reflect(&program).unwrap();
    for mut gpu in open_each() {
        let prepared = block_on(gpu.prepare(&program, &reflection, Checks::On)).unwrap();
        block_on(gpu.run_for_verification(&prepared)).unwrap();
        let words = block_on(gpu.read_words(&prepared, "o", 0..4000)).unwrap();
        assert_eq!(words, expected, "on {}", gpu.adapter().backend);
    }
}
