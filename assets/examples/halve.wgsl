// Halves a matrix of 256 x 256 numbers, one lane a number. Which line costs more than it must, and why?
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> halves: array<f32>;

const SIDE = 256u;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = source[id.x * SIDE + id.y];
    halves[id.x * SIDE + id.y] = 0.5 * number;
}
