// All pairs of bodies, 64 bodies at a time in workgroup memory, which every lane reads at the same place.
struct Params { count: u32, step: f32, softening: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> speeds: array<vec4<f32>>;

const TILE = 64u;
var<workgroup> tile: array<vec4<f32>, TILE>;

@compute @workgroup_size(TILE)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    let own = bodies[id.x];
    var pull = vec3<f32>(0.0);
    for (var first = 0u; first < params.count; first += TILE) {
        tile[lane] = bodies[first + lane];
        workgroupBarrier();
        for (var i = 0u; i < TILE; i++) {
            let other = tile[i];
            let way = other.xyz - own.xyz;
            let near = inverseSqrt(dot(way, way) + params.softening);
            pull += way * (other.w * near * near * near);
        }
        workgroupBarrier();
    }
    speeds[id.x] += vec4<f32>(pull * params.step, 0.0);
}
