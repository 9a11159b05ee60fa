// Particles leave their mass, in fixed point, on the corners of the grid cell that they are in.
struct Grid { side: u32, scale: f32, unit: f32 }
@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> places: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> mass: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&places) {
        return;
    }
    let place = places[id.x] * grid.scale;
    let cell = vec2<u32>(floor(place));
    let share = fract(place);
    for (var dy = 0u; dy < 2u; dy++) {
        for (var dx = 0u; dx < 2u; dx++) {
            let along = select(1.0 - share.x, share.x, dx == 1u);
            let across = select(1.0 - share.y, share.y, dy == 1u);
            let index = (cell.y + dy) * grid.side + cell.x + dx;
            atomicAdd(&mass[index], u32(along * across * grid.unit));
        }
    }
}
