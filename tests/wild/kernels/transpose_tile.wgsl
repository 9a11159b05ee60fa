// Transposes through a tile of workgroup memory: its columns lie in one bank.
@group(0) @binding(0) var<storage, read> source: array<f32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;

const N = 64u;
const TILE = 32u;
const ROWS = 8u;
var<workgroup> tile: array<array<f32, 32>, 32>;

@compute @workgroup_size(TILE, ROWS)
fn main(@builtin(local_invocation_id) lane: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let x = group.x * TILE + lane.x;
    for (var row = 0u; row < TILE; row += ROWS) {
        tile[lane.y + row][lane.x] = source[(group.y * TILE + lane.y + row) * N + x];
    }
    workgroupBarrier();
    let column = group.y * TILE + lane.x;
    for (var row = 0u; row < TILE; row += ROWS) {
        result[(group.x * TILE + lane.y + row) * N + column] = tile[lane.x][lane.y + row];
    }
}
