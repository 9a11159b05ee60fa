// The same particles as arrays of numbers: neighbouring lanes move neighbouring words.
struct Params { step: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> place_x: array<f32>;
@group(0) @binding(2) var<storage, read_write> place_y: array<f32>;
@group(0) @binding(3) var<storage, read_write> place_z: array<f32>;
@group(0) @binding(4) var<storage, read> speed_x: array<f32>;
@group(0) @binding(5) var<storage, read> speed_y: array<f32>;
@group(0) @binding(6) var<storage, read> speed_z: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    place_x[i] += speed_x[i] * params.step;
    place_y[i] += speed_y[i] * params.step;
    place_z[i] += speed_z[i] * params.step;
}
