// A step of the game of life on a torus: eight neighbours, one word a cell.
@group(0) @binding(0) var<storage, read> cells: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;

const SIDE = 32u;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var living = 0u;
    for (var dy = 0u; dy < 3u; dy++) {
        for (var dx = 0u; dx < 3u; dx++) {
            if dx == 1u && dy == 1u {
                continue;
            }
            let x = (id.x + dx + SIDE - 1u) % SIDE;
            let y = (id.y + dy + SIDE - 1u) % SIDE;
            living += cells[y * SIDE + x];
        }
    }
    let own = cells[id.y * SIDE + id.x];
    next[id.y * SIDE + id.x] = u32(living == 3u || (living == 2u && own == 1u));
}
