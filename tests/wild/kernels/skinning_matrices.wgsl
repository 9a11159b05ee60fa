// Moves vertices by the matrix of their bone: 64 bytes of matrix a lane, in four pieces.
struct Bone { turn: mat4x4<f32> }
@group(0) @binding(0) var<storage, read> bones: array<Bone>;
@group(0) @binding(1) var<storage, read> bone_of: array<u32>;
@group(0) @binding(2) var<storage, read_write> vertices: array<vec4<f32>>;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let turn = bones[bone_of[id.x]].turn;
    vertices[id.x] = turn * vertices[id.x];
}
