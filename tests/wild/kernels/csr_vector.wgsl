// Sparse matrix times vector, a workgroup for each row: neighbours read neighbours, and short rows leave lanes idle.
@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

const LANES = 32u;
var<workgroup> part: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let row = group.x;
    let end = starts[row + 1u];
    var sum = 0.0;
    for (var k = starts[row] + lane; k < end; k += LANES) {
        let value = values[k];
        sum += value * x[columns[k]];
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var reach = LANES / 2u; reach > 0u; reach >>= 1u) {
        if lane < reach {
            part[lane] += part[lane + reach];
        }
        workgroupBarrier();
    }
    if lane == 0u {
        y[row] = part[0];
    }
}
