// A transpose through workgroup memory reads and writes along rows: what do bank conflicts and one padding column do?
override workgroup_size: u32 = 256;
override pitch: u32 = 33; // floats from one row of the tile to the next: 32, or 33 so that a column uses every bank

struct Params {
    groups: u32, // tiles of 32 x 32 elements, one a workgroup
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    n: u32,      // the matrix is n x n, n a multiple of 32
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> destination: array<f32>;

var<workgroup> tile: array<f32, 32 * pitch>;

@compute @workgroup_size(workgroup_size)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = params.first_group + group_id.y * grid.x + group_id.x;
    if (group >= params.groups) {
        return;
    }
    let tiles_across = params.n / 32u;
    let tile_x = (group % tiles_across) * 32u;
    let tile_y = (group / tiles_across) * 32u;
    let column = lane % 32u;
    let row = lane / 32u;
    let from_first = (tile_y + row) * params.n + tile_x + column;
    let value_0 = source[from_first];
    let value_1 = source[from_first + 8u * params.n];
    let value_2 = source[from_first + 16u * params.n];
    let value_3 = source[from_first + 24u * params.n];
    tile[row * pitch + column] = value_0;
    tile[(row + 8u) * pitch + column] = value_1;
    tile[(row + 16u) * pitch + column] = value_2;
    tile[(row + 24u) * pitch + column] = value_3;
    workgroupBarrier();
    let to_first = (tile_x + row) * params.n + tile_y + column;
    destination[to_first] = tile[column * pitch + row];
    destination[to_first + 8u * params.n] = tile[column * pitch + row + 8u];
    destination[to_first + 16u * params.n] = tile[column * pitch + row + 16u];
    destination[to_first + 24u * params.n] = tile[column * pitch + row + 24u];
}
