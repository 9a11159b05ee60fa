// Weights in blocks of 32 signed bytes behind their scale, 36 bytes a block; a lane for each block, then a sum over rows.
struct Block { scale: f32, words: array<u32, 8> }
@group(0) @binding(0) var<storage, read> blocks: array<Block>;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> parts: array<f32>;

const BLOCKS_IN_ROW = 4u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = id.x % BLOCKS_IN_ROW * 8u;
    var sum = 0.0;
    for (var k = 0u; k < 8u; k++) {
        let word = blocks[id.x].words[k];
        sum += dot(vec4<f32>(unpack4xI8(word)), x[first + k]);
    }
    parts[id.x] = sum * blocks[id.x].scale;
}
