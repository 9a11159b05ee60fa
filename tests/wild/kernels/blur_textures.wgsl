// A blur along rows: a line of texels with its margins in workgroup memory, nine of them averaged into each.
@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var blurred: texture_storage_2d<rgba8unorm, write>;

const LANES = 64u;
const REACH = 4u;
var<workgroup> line: array<vec4<f32>, LANES + 2u * REACH>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    let size = vec2<i32>(textureDimensions(source));
    for (var i = lane; i < LANES + 2u * REACH; i += LANES) {
        let x = clamp(i32(id.x - lane + i) - i32(REACH), 0, size.x - 1);
        line[i] = textureLoad(source, vec2<i32>(x, i32(id.y)), 0);
    }
    workgroupBarrier();
    var sum = vec4<f32>(0.0);
    for (var k = 0u; k < 2u * REACH + 1u; k++) {
        sum += line[lane + k];
    }
    textureStore(blurred, id.xy, sum / f32(2u * REACH + 1u));
}
