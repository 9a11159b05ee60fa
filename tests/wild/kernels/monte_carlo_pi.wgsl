// Counts random points within a quarter of a circle: a number generator for each lane, one counter a workgroup.
struct Params { points: u32, seed: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> hits: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> states: array<u32>;

var<workgroup> own: atomic<u32>;
var<private> state: u32;

fn random() -> f32 {
    state ^= state << 13u;
    state ^= state >> 17u;
    state ^= state << 5u;
    return f32(state >> 8u) / 16777216.0;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    state = (id.x + 1u) * 747796405u + params.seed;
    var found = 0u;
    for (var point = 0u; point < params.points; point++) {
        let x = random();
        let y = random();
        found += select(0u, 1u, x * x + y * y < 1.0);
    }
    states[id.x] = state;
    atomicAdd(&own, found);
    workgroupBarrier();
    if lane == 0u {
        atomicAdd(&hits, atomicLoad(&own));
    }
}
