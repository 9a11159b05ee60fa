// Sum of 256 numbers a workgroup: subgroups add up their own, the first subgroup adds up what they found.
enable subgroups;
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> part: array<u32, 64>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let own = subgroupAdd(source[id.x]);
    if lane == 0u {
        part[subgroup] = own;
    }
    workgroupBarrier();
    if subgroup == 0u {
        var sum = 0u;
        for (var i = lane; i < subgroups; i += width) {
            sum += part[i];
        }
        sum = subgroupAdd(sum);
        if lane == 0u {
            sums[group.x] = sum;
        }
    }
}
