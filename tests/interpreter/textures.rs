//! Textures: texels by hand, and every access against the device.

use sectorscope::contents::Contents;
use sectorscope::interpreter::{Interpreter, Options, SUBGROUP};
use sectorscope::program::{Edges, Filter, Program, Texels, Texture};
use sectorscope::trace::{AccessKind, Deaf};

use super::raw::Raw;
use super::{buffer, interpret, program};

fn texture(name: &str, size: [u32; 3], levels: u32) -> Texture {
    let texels = Texels::Noise { seed: 11 };
    Texture { name: name.into(), size, levels, texels, filter: Filter::Linear, edges: Edges::Repeat }
}

fn with_textures(globals: &str, body: &str, textures: Vec<Texture>) -> Program {
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n{globals}
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {{ {body} }}"
    );
    Program { textures, ..program(&wgsl, vec![buffer("o", 256, Contents::Zero)], [1, 1, 1]) }
}

const SAMPLED: &str =
    "@group(0) @binding(1) var t: texture_2d<f32>; @group(0) @binding(2) var u: texture_2d_array<u32>;
    @group(0) @binding(3) var v: texture_3d<i32>; @group(0) @binding(4) var s: sampler;
    fn corner(t: texture_2d<f32>, i: u32) -> f32 { return textureLoad(t, vec2<u32>(i, 0u), 0).x; }";

fn sampled(body: &str) -> Program {
    let bound = "let every = textureDimensions(t).x + textureDimensions(u).x + textureDimensions(v).x; if (every == 0u) { o[0] = bitcast<u32>(textureSampleLevel(t, s, vec2<f32>(), 0.0).x); }";
    let textures = vec![texture("t", [16, 8, 1], 3), texture("u", [5, 4, 3], 1), texture("v", [4, 4, 4], 1)];
    with_textures(SAMPLED, &format!("{bound} {body}"), textures)
}

#[test]
fn sizes_levels_and_layers_are_those_of_the_program() {
    let words = interpret(&sampled(
        "let d = textureDimensions(t, lane % 4u); o[lane * 4u] = d.x + 100u * d.y; o[lane * 4u + 1u] = textureNumLevels(t) + 10u * textureNumLayers(u);
         let e = textureDimensions(v); o[lane * 4u + 2u] = e.x + 10u * e.y + 100u * e.z; o[lane * 4u + 3u] = textureDimensions(u).y;",
    ))
    .unwrap();
    assert_eq!([words[0], words[4], words[8]], [16 + 800, 8 + 400, 4 + 200]);
    assert_eq!(words[1..4], [3 + 30, 444, 4]);
}

#[test]
fn loads_give_the_texels_and_nothing_outside() {
    let program = sampled(
        "let at = vec2<u32>(lane % 17u, lane / 16u); o[lane] = bitcast<u32>(textureLoad(t, at, 0).y); o[64u + lane] = textureLoad(u, at % vec2<u32>(5u, 4u), lane % 3u, 0).z;
         o[128u + lane] = u32(textureLoad(v, vec3<u32>(lane % 4u, lane / 4u % 4u, lane / 16u), 0).x); o[192u + lane] = bitcast<u32>(corner(t, lane % 16u));",
    );
    let interpreter = Interpreter::new(&program).unwrap();
    let outcome = interpreter.run(&Options::default(), &mut Deaf).unwrap();
    let found = |word: u32| outcome.memory.read_word("o", word.into()).unwrap();
    let noise = Texels::Noise { seed: 11 };
    let unorm = |byte: u8| (f32::from(byte) / 255.0).to_bits();
    for lane in 0..64u32 {
        let (x, y) = (lane % 17, lane / 16);
        assert_eq!(found(lane), if x < 16 { unorm(noise.byte(0, [x, y, 0], 1)) } else { 0 }, "lane {lane}");
        assert_eq!(found(64 + lane), u32::from(noise.byte(0, [x % 5, y % 4, lane % 3], 2)));
        let signed = i32::from(noise.byte(0, [lane % 4, lane / 4 % 4, lane / 16], 0).cast_signed());
        assert_eq!(found(128 + lane), signed.cast_unsigned());
        assert_eq!(found(192 + lane), unorm(noise.byte(0, [lane % 16, 0, 0], 0)));
    }
    assert_eq!(outcome.out_of_range, 3);
    let uses: Vec<_> = outcome.textures.iter().filter(|found| found.accesses > 0).collect();
    assert_eq!(uses.len(), 4);
    assert!(uses.iter().all(|found| found.lanes == 64 && found.kind == AccessKind::Load && found.accesses == 1));
    assert_eq!(uses.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["t", "t", "u", "v"]);
}

const STORED: &str = "@group(0) @binding(1) var w: texture_storage_2d<rgba8unorm, write>; @group(0) @binding(2) var c: texture_storage_1d<r32uint, read_write>;";

fn stored() -> Program {
    let textures = vec![texture("w", [8, 8, 1], 1), texture("c", [4, 1, 1], 1)];
    with_textures(
        STORED,
        "textureStore(w, vec2<u32>(lane % 9u, lane / 9u), vec4<f32>(f32(lane) / 64.0, 2.0, -1.0, 0.5)); let old = textureLoad(c, lane % 5u); textureStore(c, lane % 4u, vec4<u32>(lane + old.x * 0u));
         o[lane] = textureLoad(c, lane % 4u).x;",
        textures,
    )
}

#[test]
fn stores_keep_what_the_format_holds() {
    let program = stored();
    let outcome = Interpreter::new(&program).unwrap().run(&Options::default(), &mut Deaf).unwrap();
    let fraction = |byte: u8| (f32::from(byte) / 255.0).to_bits();
    // Lane 10 stores to (1, 1): 10 / 64 is 39.84 of 255.
    let texel = outcome.memory.read_texel("w", 0, [1, 1, 0]).unwrap();
    assert_eq!(texel, [fraction(40), fraction(255), 0, fraction(128)]);
    assert_eq!(outcome.memory.read_texel("w", 0, [8, 0, 0]), None);
    // Stores in ascending order of the lanes: the last one stays.
    assert_eq!(outcome.memory.read_texel("c", 0, [3, 0, 0]), Some([63, 0, 0, 1]));
    assert_eq!(outcome.memory.read_word("o", 0), Some(60));
    // Column 8 does not exist: lanes 8, 17, .. 62. Loads at 4: lanes 4, 9, .. 59.
    assert_eq!(outcome.out_of_range, 7 + 12);
}

#[test]
fn linear_samples_are_means_of_texels() {
    let noise = Texels::Noise { seed: 11 };
    let texel = |x: u32, y: u32| f32::from(noise.byte(0, [x, y, 0], 0)) / 255.0;
    // Half-way between the centres of texels 3 and 4, a quarter of the way from row 2 to row 3.
    let at = "textureSampleLevel(t, s, vec2<f32>(4.0 / 16.0, 2.75 / 8.0), 0.0).x";
    let words = interpret(&sampled(&format!("o[lane] = bitcast<u32>({at});"))).unwrap();
    let row = |y| (texel(3, y) + texel(4, y)) / 2.0;
    let expected = row(2) * 0.75 + row(3) * 0.25;
    assert!((f32::from_bits(words[5]) - expected).abs() < 1e-6);
    // The left edge repeats: half of the last texel of the row.
    let words =
        interpret(&sampled("o[lane] = bitcast<u32>(textureSampleLevel(t, s, vec2<f32>(0.0, 0.5 / 8.0), 0.0).x);"));
    let expected = (texel(15, 0) + texel(0, 0)) / 2.0;
    assert!((f32::from_bits(words.unwrap()[5]) - expected).abs() < 1e-6);
}

#[test]
fn a_device_reads_the_same() {
    let integers = "let at = vec2<u32>(lane % 16u, lane / 16u); o[lane] = textureLoad(u, at % vec2<u32>(5u, 4u), lane % 3u, 0).z; o[64u + lane] = u32(textureLoad(v, vec3<u32>(lane % 4u, lane / 4u % 4u, lane / 16u), 0).x);
         o[128u + lane] = bitcast<u32>(textureLoad(t, at / 2u, 1).w); let d = textureDimensions(t, 1); o[192u + lane] = d.x + 10u * d.y + 100u * textureNumLevels(t) + 1000u * textureNumLayers(u);";
    let filtered = "let at = vec2<f32>(f32(lane) * 0.037 - 0.4, f32(lane % 11u) * 0.21 - 0.7); o[lane] = bitcast<u32>(textureSampleLevel(t, s, at, 0.0).x); o[64u + lane] = bitcast<u32>(textureSampleLevel(t, s, at, 1.0).y);
         o[128u + lane] = bitcast<u32>(textureSampleLevel(t, s, at, 0.0, vec2<i32>(2, -1)).z);";
    let Some(raw) = Raw::open(&sampled(integers)) else { return };
    let program = sampled(integers);
    for (k, (found, device)) in interpret(&program).unwrap().into_iter().zip(raw.run(&program)).enumerate() {
        // A device may multiply by a rounded 1/255.
        assert!(found == device || (k / 64 == 2 && found.abs_diff(device) <= 1), "word {k}: {found:x} and {device:x}");
    }
    for (filter, edges) in [
        (Filter::Linear, Edges::Repeat),
        (Filter::Linear, Edges::Clamp),
        (Filter::Nearest, Edges::Repeat),
        (Filter::Nearest, Edges::Clamp),
    ] {
        let mut program = sampled(filtered);
        program.textures.iter_mut().for_each(|texture| (texture.filter, texture.edges) = (filter, edges));
        let (found, device) = (interpret(&program).unwrap(), raw.run(&program));
        for (k, (found, device)) in found.iter().zip(&device).enumerate().take(192) {
            // Devices weigh in steps of 1/256 (Vulkan: at least 4 bits), in both directions.
            let (found, device) = (f32::from_bits(*found), f32::from_bits(*device));
            let bound = if filter == Filter::Linear { 2.0 / 256.0 } else { 1e-6 };
            assert!((found - device).abs() <= bound, "{filter:?} {edges:?} word {k}: {found} and {device}");
        }
    }
    let program = stored();
    let Some(raw) = Raw::open(&program) else { return };
    // Four lanes share a texel, and which of them stays is the device's choice: only that a lane of the four does.
    for (lane, word) in raw.run(&program).into_iter().take(64).enumerate() {
        assert_eq!(word as usize % 4, lane % 4);
    }
}

#[test]
fn a_texture_without_a_size_is_named_and_the_rest_runs() {
    let mut program = sampled("o[lane] = lane + u32(textureLoad(t, vec2<u32>(0u), 0).x);");
    program.textures.remove(0);
    let interpreter = Interpreter::partial(&program, SUBGROUP).unwrap();
    let constructs: Vec<&str> = interpreter.unsupported().iter().map(|found| found.construct.as_str()).collect();
    assert_eq!(constructs, ["texture t without a size"]);
    let outcome = interpreter.run(&Options::default(), &mut Deaf).unwrap();
    assert_eq!(outcome.memory.read_word("o", 9), Some(9));
    program.textures[0].size = [0, 1, 1];
    assert!(Interpreter::partial(&program, SUBGROUP).err().unwrap().to_string().contains("texture u"));
}
