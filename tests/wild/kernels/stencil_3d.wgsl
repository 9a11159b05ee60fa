// Seven points of a grid of 16 x 16 x 16, clamped at its sides.
@group(0) @binding(0) var<storage, read> last: array<f32>;
@group(0) @binding(1) var<storage, read_write> next: array<f32>;

const SIDE = 16u;

fn at(x: u32, y: u32, z: u32) -> u32 {
    return (z * SIDE + y) * SIDE + x;
}

@compute @workgroup_size(8, 8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let before = max(id, vec3<u32>(1u)) - 1u;
    let behind = min(id + 1u, vec3<u32>(SIDE - 1u));
    let centre = last[at(id.x, id.y, id.z)];
    let left = last[at(before.x, id.y, id.z)];
    let right = last[at(behind.x, id.y, id.z)];
    let up = last[at(id.x, before.y, id.z)];
    let down = last[at(id.x, behind.y, id.z)];
    let front = last[at(id.x, id.y, before.z)];
    let back = last[at(id.x, id.y, behind.z)];
    next[at(id.x, id.y, id.z)] = 0.25 * centre + 0.125 * (left + right + up + down + front + back);
}
