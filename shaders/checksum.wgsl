// Adds up `checksum_term` of src/contents.rs over words of a buffer: integer operations on bits, so that the sum does
// not depend on the order.

struct Job {
    first: u32, // word
    words: u32,
}

@group(0) @binding(0) var<storage, read> buffer: array<u32>;
@group(0) @binding(1) var<uniform> job: Job;
@group(0) @binding(2) var<storage, read_write> sum: atomic<u32>;

var<workgroup> partial: atomic<u32>;

const LANES = 256u;

// `hash` of src/contents.rs.
fn scatter(index: u32) -> u32 {
    var x = index;
    x ^= x >> 16u;
    x *= 0x7FEB352Du;
    x ^= x >> 15u;
    x *= 0x846CA68Bu;
    return x ^ (x >> 16u);
}

@compute @workgroup_size(LANES)
fn add_up(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) workgroups: vec3<u32>,
) {
    var total = 0u;
    let step = workgroups.x * LANES;
    for (var i = id.x; i < job.words; i += step) {
        let index = job.first + i;
        total += buffer[index] * (scatter(index) | 1u);
    }
    atomicAdd(&partial, total);
    workgroupBarrier();
    if lane == 0u {
        atomicAdd(&sum, atomicLoad(&partial));
    }
}
