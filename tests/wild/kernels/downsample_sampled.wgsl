// Halves an image: a sampler averages 2 x 2 texels, and each pixel is packed into a word of a buffer.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var between: sampler;
@group(0) @binding(2) var<storage, read_write> pixels: array<u32>;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(source) / 2u;
    let place = (vec2<f32>(id.xy) + 0.5) / vec2<f32>(size);
    let colour = textureSampleLevel(source, between, place, 0.0);
    pixels[id.y * size.x + id.x] = pack4x8unorm(colour);
}
