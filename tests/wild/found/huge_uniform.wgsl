// more than any device binds as a uniform
// Its default values alone took 2 GiB.
@group(0) @binding(0) var<uniform> large: array<vec4<f32>, 134217727>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[id.x] = large[id.x].x;
}
