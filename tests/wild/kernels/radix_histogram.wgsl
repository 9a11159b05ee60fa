// One pass of a radix sort counts digits: in workgroup memory first, then digit by digit for all workgroups.
struct Params { shift: u32, count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

const DIGITS = 16u;
var<workgroup> own: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(64)
fn main(
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var i = group.x * 256u + lane; i < min(params.count, group.x * 256u + 256u); i += 64u) {
        let digit = (keys[i] >> params.shift) & (DIGITS - 1u);
        atomicAdd(&own[digit], 1u);
    }
    workgroupBarrier();
    if lane < DIGITS {
        counts[lane * groups.x + group.x] = atomicLoad(&own[lane]);
    }
}
