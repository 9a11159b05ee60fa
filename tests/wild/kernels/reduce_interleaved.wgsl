// Sum of 256 numbers a workgroup: every second, fourth, eighth lane goes on, so that all subgroups stay busy with few lanes.
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

const N = 256u;
var<workgroup> part: array<u32, N>;

@compute @workgroup_size(N)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    part[lane] = source[id.x];
    workgroupBarrier();
    for (var reach = 1u; reach < N; reach *= 2u) {
        if lane % (2u * reach) == 0u {
            let other = part[lane + reach];
            part[lane] += other;
        }
        workgroupBarrier();
    }
    if lane == 0u {
        sums[group.x] = part[0];
    }
}
