// Each lane computes 8 outputs of a column: what is it worth to use a value from workgroup memory 8 times?
override workgroup_size: u32 = 512;
override n: u32 = 256; // columns of b and c
override k: u32 = 256; // columns of a, rows of b

struct Params {
    groups: u32, // tiles of 64 x 64 outputs, one a workgroup; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

var<workgroup> tile_a: array<f32, 512>; // 64 x 8
var<workgroup> tile_b: array<f32, 512>; // 8 x 64

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
    let tiles_across = n / 64u;
    let first_row = (group / tiles_across) * 64u;
    let first_column = (group % tiles_across) * 64u;
    // This lane's outputs: 8 rows below each other.
    let x = lane % 64u;
    let y = lane / 64u * 8u;
    // What it copies: one element of each tile.
    let from_a = (first_row + lane / 8u) * k + lane % 8u;
    let from_b = lane / 64u * n + first_column + x;
    var c0 = 0.0;
    var c1 = 0.0;
    var c2 = 0.0;
    var c3 = 0.0;
    var c4 = 0.0;
    var c5 = 0.0;
    var c6 = 0.0;
    var c7 = 0.0;
    for (var t = 0u; t < k; t += 8u) {
        tile_a[lane] = a[from_a + t];
        tile_b[lane] = b[from_b + t * n];
        workgroupBarrier();
        for (var i = 0u; i < 8u; i++) {
            let of_b = tile_b[i * 64u + x];
            let at_a = y * 8u + i;
            c0 = fma(tile_a[at_a], of_b, c0);
            c1 = fma(tile_a[at_a + 8u], of_b, c1);
            c2 = fma(tile_a[at_a + 16u], of_b, c2);
            c3 = fma(tile_a[at_a + 24u], of_b, c3);
            c4 = fma(tile_a[at_a + 32u], of_b, c4);
            c5 = fma(tile_a[at_a + 40u], of_b, c5);
            c6 = fma(tile_a[at_a + 48u], of_b, c6);
            c7 = fma(tile_a[at_a + 56u], of_b, c7);
        }
        workgroupBarrier();
    }
    let to = (first_row + y) * n + first_column + x;
    c[to] = c0;
    c[to + n] = c1;
    c[to + 2u * n] = c2;
    c[to + 3u * n] = c3;
    c[to + 4u * n] = c4;
    c[to + 5u * n] = c5;
    c[to + 6u * n] = c6;
    c[to + 7u * n] = c7;
}
