// Scores of queries and keys, both f16: neighbouring lanes take neighbouring keys, which lie a row apart.
enable f16;
struct Shape { keys: u32, depth: u32, scale: f32 }
@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> queries: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read> keys: array<vec4<f16>>;
@group(0) @binding(3) var<storage, read_write> scores: array<f16>;

@compute @workgroup_size(32, 2)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = shape.depth / 4u;
    var sum = 0.0;
    for (var k = 0u; k < row; k++) {
        let query = queries[id.y * row + k];
        let key = keys[id.x * row + k];
        sum += dot(vec4<f32>(query), vec4<f32>(key));
    }
    scores[id.y * shape.keys + id.x] = f16(sum * shape.scale);
}
