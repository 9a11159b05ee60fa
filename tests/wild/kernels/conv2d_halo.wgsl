// 3 x 3 convolution of tiles of 16 x 16 with their halo in workgroup memory; outside of the image is zero.
const SIDE = 32u;
const TILE = 16u;
const HALO = TILE + 2u;
@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<f32, 9>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
var<workgroup> tile: array<f32, HALO * HALO>;

@compute @workgroup_size(TILE, TILE)
fn main(
    @builtin(local_invocation_id) lane: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    for (var i = index; i < HALO * HALO; i += TILE * TILE) {
        let at = vec2<i32>(group.xy * TILE + vec2<u32>(i % HALO, i / HALO)) - 1;
        let inside = all(at >= vec2<i32>(0)) && all(at < vec2<i32>(i32(SIDE)));
        var value = 0.0;
        if inside {
            value = image[u32(at.y) * SIDE + u32(at.x)];
        }
        tile[i] = value;
    }
    workgroupBarrier();
    var sum = 0.0;
    for (var y = 0u; y < 3u; y++) {
        for (var x = 0u; x < 3u; x++) {
            let weight = weights[y * 3u + x];
            sum += weight * tile[(lane.y + y) * HALO + lane.x + x];
        }
    }
    let at = group.xy * TILE + lane.xy;
    result[at.y * SIDE + at.x] = sum;
}
