// A workgroup copies tiles of both matrices into its own memory first: what does it save to load each element once a tile?
override workgroup_size: u32 = 256;
override m: u32 = 256; // rows of a and c
override n: u32 = 256; // columns of b and c
override k: u32 = 256; // columns of a, rows of b
override tile: u32 = 16; // side of the tiles: 8, 16 or 32; a workgroup has a lane for each element

struct Params {
    groups: u32, // tiles of c, one a workgroup; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<f32, tile * tile>;
var<workgroup> tile_b: array<f32, tile * tile>;

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
    let tiles_across = (n + tile - 1u) / tile;
    let x = lane % tile;
    let y = lane / tile;
    let row = (group / tiles_across) * tile + y;
    let column = (group % tiles_across) * tile + x;
    var sum = 0.0;
    for (var t = 0u; t < k; t += tile) {
        // Beyond the edges there are zeros, which add nothing.
        var of_a = 0.0;
        if (row < m && t + x < k) {
            of_a = a[row * k + t + x];
        }
        var of_b = 0.0;
        if (t + y < k && column < n) {
            of_b = b[(t + y) * n + column];
        }
        tile_a[lane] = of_a;
        tile_b[lane] = of_b;
        workgroupBarrier();
        for (var i = 0u; i < tile; i += 8u) {
            let at_a = y * tile + i;
            let at_b = i * tile + x;
            sum = fma(tile_a[at_a], tile_b[at_b], sum);
            sum = fma(tile_a[at_a + 1u], tile_b[at_b + tile], sum);
            sum = fma(tile_a[at_a + 2u], tile_b[at_b + 2u * tile], sum);
            sum = fma(tile_a[at_a + 3u], tile_b[at_b + 3u * tile], sum);
            sum = fma(tile_a[at_a + 4u], tile_b[at_b + 4u * tile], sum);
            sum = fma(tile_a[at_a + 5u], tile_b[at_b + 5u * tile], sum);
            sum = fma(tile_a[at_a + 6u], tile_b[at_b + 6u * tile], sum);
            sum = fma(tile_a[at_a + 7u], tile_b[at_b + 7u * tile], sum);
        }
        workgroupBarrier();
    }
    if (row < m && column < n) {
        c[row * n + column] = sum;
    }
}
