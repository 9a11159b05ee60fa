// Sparse matrix times vector, a lane for each row: rows of different lengths, neighbours far from each other.
@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row + 1u >= arrayLength(&starts) {
        return;
    }
    let end = starts[row + 1u];
    var sum = 0.0;
    for (var k = starts[row]; k < end; k++) {
        let value = values[k];
        sum += value * x[columns[k]];
    }
    y[row] = sum;
}
