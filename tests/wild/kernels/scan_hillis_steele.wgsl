// Inclusive prefix sum of 256 numbers a workgroup: log n rounds over all lanes, between two halves of one buffer.
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

const N = 256u;
var<workgroup> ping: array<u32, 2 * N>;

@compute @workgroup_size(N)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
    var read_at = 0u;
    var write_at = N;
    ping[lane] = source[id.x];
    workgroupBarrier();
    for (var reach = 1u; reach < N; reach *= 2u) {
        var sum = ping[read_at + lane];
        if lane >= reach {
            sum += ping[read_at + lane - reach];
        }
        ping[write_at + lane] = sum;
        let old = read_at;
        read_at = write_at;
        write_at = old;
        workgroupBarrier();
    }
    sums[id.x] = ping[read_at + lane];
}
