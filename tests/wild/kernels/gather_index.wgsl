// Reads through an index buffer: how far the entries are apart decides.
@group(0) @binding(0) var<storage, read> entries: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> gathered: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let entry = entries[id.x];
    gathered[id.x] = values[entry];
}
