// How long each point stays near: a loop that every lane leaves at its own turn.
struct View { origin: vec2<f32>, step: f32, most: u32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> turns: array<u32>;

const WIDTH = 32u;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = view.origin + vec2<f32>(id.xy) * view.step;
    var z = vec2<f32>(0.0);
    var turn = 0u;
    while turn < view.most {
        z = vec2<f32>(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        if dot(z, z) > 4.0 {
            break;
        }
        turn++;
    }
    turns[id.y * WIDTH + id.x] = turn;
}
