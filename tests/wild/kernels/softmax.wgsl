// Softmax of rows, a workgroup for each: the largest, then the sum of powers, then their shares.
struct Shape { columns: u32 }
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> logits: array<f32>;
@group(0) @binding(2) var<storage, read_write> shares: array<f32>;

override LANES: u32 = 64;
var<workgroup> part: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.x * shape.columns;
    var largest = -3.4e38;
    for (var i = lane; i < shape.columns; i += LANES) {
        largest = max(largest, logits[first + i]);
    }
    part[lane] = largest;
    workgroupBarrier();
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        if lane < reach {
            part[lane] = max(part[lane], part[lane + reach]);
        }
        workgroupBarrier();
    }
    largest = workgroupUniformLoad(&part[0]);
    var sum = 0.0;
    for (var i = lane; i < shape.columns; i += LANES) {
        let power = exp(logits[first + i] - largest);
        shares[first + i] = power;
        sum += power;
    }
    part[lane] = sum;
    workgroupBarrier();
    for (var reach = LANES / 2u; reach > 0u; reach /= 2u) {
        if lane < reach {
            part[lane] += part[lane + reach];
        }
        workgroupBarrier();
    }
    for (var i = lane; i < shape.columns; i += LANES) {
        shares[first + i] /= part[0];
    }
}
