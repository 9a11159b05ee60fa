// Products of rows of 64 signed bytes, four of them packed in a word; both matrices lie row by row.
struct Shape { columns: u32, words: u32 }
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> c: array<i32>;

@compute @workgroup_size(32, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0;
    for (var k = 0u; k < shape.words; k++) {
        let left = a[id.y * shape.words + k];
        let right = b[id.x * shape.words + k];
        sum += dot4I8Packed(left, right);
    }
    c[id.y * shape.columns + id.x] = sum;
}
