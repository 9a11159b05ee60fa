// A matrix product, one output a lane, neighbouring lanes one row apart: what does it cost that their loads do not line up?
override workgroup_size: u32 = 256;
override m: u32 = 256; // rows of a and c
override n: u32 = 256; // columns of b and c
override k: u32 = 256; // columns of a, rows of b
override side: u32 = 16; // lanes down a column of c

struct Params {
    groups: u32, // tiles of c, one a workgroup; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

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
    let tile_rows = side;
    let tile_columns = workgroup_size / side;
    let tiles_across = (n + tile_columns - 1u) / tile_columns;
    let row = (group / tiles_across) * tile_rows + lane % tile_rows;
    let column = (group % tiles_across) * tile_columns + lane / tile_rows;
    if (row >= m || column >= n) {
        return;
    }
    var sum = 0.0;
    for (var i = 0u; i < k; i++) {
        sum = fma(a[row * k + i], b[i * n + column], sum);
    }
    c[row * n + column] = sum;
}
