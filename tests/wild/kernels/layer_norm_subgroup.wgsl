// Layer norm: a workgroup for each row of 256, four numbers a lane; subgroups add up, then workgroup memory.
enable subgroups;
struct Params { epsilon: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> gamma: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> beta: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> y: array<vec4<f32>>;

const LANES = 64u;
var<workgroup> part: array<vec2<f32>, LANES>;

@compute @workgroup_size(LANES)
fn main(
    @builtin(local_invocation_index) index: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let own = x[group.x * LANES + index];
    let sum = subgroupAdd(own.x + own.y + own.z + own.w);
    let squares = subgroupAdd(dot(own, own));
    if lane == 0u {
        part[subgroup] = vec2<f32>(sum, squares);
    }
    workgroupBarrier();
    var all = vec2<f32>(0.0);
    for (var i = 0u; i < subgroups; i++) {
        all += part[i];
    }
    let mean = all.x / f32(4u * LANES);
    let variance = all.y / f32(4u * LANES) - mean * mean;
    let scale = inverseSqrt(variance + params.epsilon);
    y[group.x * LANES + index] = (own - mean) * scale * gamma[index] + beta[index];
}
