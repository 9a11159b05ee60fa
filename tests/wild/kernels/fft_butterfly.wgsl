// One step of a fast Fourier transform (Stockham): reads halves in order, writes pairs a distance apart.
struct Step { half: u32, count: u32 }
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read> source: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec2<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let place = i % step.half;
    let angle = -3.14159265 * f32(place) / f32(step.half);
    let turn = vec2<f32>(cos(angle), sin(angle));
    let a = source[i];
    let b = source[i + step.count / 2u];
    let turned = vec2<f32>(b.x * turn.x - b.y * turn.y, b.x * turn.y + b.y * turn.x);
    let first = (i - place) * 2u + place;
    result[first] = a + turned;
    result[first + step.half] = a - turned;
}
