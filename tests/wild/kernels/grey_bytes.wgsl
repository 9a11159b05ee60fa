// Four packed pixels a lane to grey, four grey bytes to a word; the last lanes lie outside of the image.
@group(0) @binding(0) var<storage, read> pixels: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> grey: array<u32>;

fn luminance(pixel: u32) -> u32 {
    let rgba = unpack4xU8(pixel);
    return (54u * rgba.x + 183u * rgba.y + 19u * rgba.z) >> 8u;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&grey) {
        let four = pixels[id.x];
        grey[id.x] = pack4xU8(vec4<u32>(luminance(four.x), luminance(four.y), luminance(four.z), luminance(four.w)));
    }
}
