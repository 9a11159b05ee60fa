// Normals of triangles whose corners are vec3: 12 bytes of every 16, and three corners a lane.
@group(0) @binding(0) var<storage, read> corners: array<vec3<f32>>;
@group(0) @binding(1) var<storage, read_write> normals: array<vec3<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let first = 3u * id.x;
    let a = corners[first];
    let b = corners[first + 1u];
    let c = corners[first + 2u];
    normals[id.x] = normalize(cross(b - a, c - a));
}
