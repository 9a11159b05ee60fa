// Subgroups multiply whole matrices, of f16 with f32 sums where the device can: what is hardware for matrix products worth?
enable f16;
enable wgpu_cooperative_matrix;

alias Left = coop_mat16x16<f16, A>;
alias Right = coop_mat16x16<f16, B>;
alias Sums = coop_mat16x16<f32, C>;

override workgroup_size: u32 = 128;
override subgroup_size: u32 = 32; // lanes
override m: u32 = 256; // rows of a and c
override n: u32 = 256; // columns of b and c
override k: u32 = 256; // columns of a, rows of b
override strip: u32 = 1; // rows of tiles that workgroups go down before the next column of tiles

struct Params {
    groups: u32, // tiles of 128 x 128 outputs, one a workgroup; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

// Both tiles lie as in memory, their rows 8 elements longer.
var<workgroup> tile_a: array<f16, 5120>; // 128 x 40
var<workgroup> tile_b: array<f16, 4352>; // 32 x 136

fn put_a(at: u32, values: vec4<f16>) {
    tile_a[at] = values.x;
    tile_a[at + 1u] = values.y;
    tile_a[at + 2u] = values.z;
    tile_a[at + 3u] = values.w;
}

fn put_b(at: u32, values: vec4<f16>) {
    tile_b[at] = values.x;
    tile_b[at + 1u] = values.y;
    tile_b[at + 2u] = values.z;
    tile_b[at + 3u] = values.w;
}

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
    let n4 = n / 4u;
    let k4 = k / 4u;
    // Tiles in strips of rows, so that workgroups that run together share rows and columns.
    let tiles_across = n / 128u;
    let strip_start = group / (strip * tiles_across) * strip;
    let strip_rows = min(strip, m / 128u - strip_start);
    let in_strip = group % (strip * tiles_across);
    let first_row = (strip_start + in_strip % strip_rows) * 128u;
    let first_column = in_strip / strip_rows * 128u;
    // 2 x 2 subgroups compute 4 x 4 matrices of 16 x 16 outputs each.
    let subgroup = lane / subgroup_size;
    let y = subgroup / 2u * 64u;
    let x = subgroup % 2u * 64u;
    let at_a = y * 40u;
    let to = (first_row + y) * n + first_column + x;
    // What the lane copies, four elements at a time.
    let from_a = (first_row + lane / 8u) * k4 + lane % 8u;
    let from_b = lane / 32u * n4 + first_column / 4u + lane % 32u;
    let to_a = lane / 8u * 40u + lane % 8u * 4u;
    let to_b = lane / 32u * 136u + lane % 32u * 4u;
    var c0_0: Sums;
    var c0_1: Sums;
    var c0_2: Sums;
    var c0_3: Sums;
    var c1_0: Sums;
    var c1_1: Sums;
    var c1_2: Sums;
    var c1_3: Sums;
    var c2_0: Sums;
    var c2_1: Sums;
    var c2_2: Sums;
    var c2_3: Sums;
    var c3_0: Sums;
    var c3_1: Sums;
    var c3_2: Sums;
    var c3_3: Sums;
    // The first tile, into registers.
    var next_a0 = a[from_a];
    var next_a1 = a[from_a + 16u * k4];
    var next_a2 = a[from_a + 32u * k4];
    var next_a3 = a[from_a + 48u * k4];
    var next_a4 = a[from_a + 64u * k4];
    var next_a5 = a[from_a + 80u * k4];
    var next_a6 = a[from_a + 96u * k4];
    var next_a7 = a[from_a + 112u * k4];
    var next_b0 = b[from_b];
    var next_b1 = b[from_b + 4u * n4];
    var next_b2 = b[from_b + 8u * n4];
    var next_b3 = b[from_b + 12u * n4];
    var next_b4 = b[from_b + 16u * n4];
    var next_b5 = b[from_b + 20u * n4];
    var next_b6 = b[from_b + 24u * n4];
    var next_b7 = b[from_b + 28u * n4];
    for (var t = 0u; t < k; t += 32u) {
        put_a(to_a, next_a0);
        put_a(to_a + 640u, next_a1);
        put_a(to_a + 1280u, next_a2);
        put_a(to_a + 1920u, next_a3);
        put_a(to_a + 2560u, next_a4);
        put_a(to_a + 3200u, next_a5);
        put_a(to_a + 3840u, next_a6);
        put_a(to_a + 4480u, next_a7);
        put_b(to_b, next_b0);
        put_b(to_b + 544u, next_b1);
        put_b(to_b + 1088u, next_b2);
        put_b(to_b + 1632u, next_b3);
        put_b(to_b + 2176u, next_b4);
        put_b(to_b + 2720u, next_b5);
        put_b(to_b + 3264u, next_b6);
        put_b(to_b + 3808u, next_b7);
        workgroupBarrier();
        // The next tile, while this one is used; after the last one, the last again.
        let next = min(t + 32u, k - 32u);
        next_a0 = a[from_a + next / 4u];
        next_a1 = a[from_a + next / 4u + 16u * k4];
        next_a2 = a[from_a + next / 4u + 32u * k4];
        next_a3 = a[from_a + next / 4u + 48u * k4];
        next_a4 = a[from_a + next / 4u + 64u * k4];
        next_a5 = a[from_a + next / 4u + 80u * k4];
        next_a6 = a[from_a + next / 4u + 96u * k4];
        next_a7 = a[from_a + next / 4u + 112u * k4];
        next_b0 = b[from_b + next * n4];
        next_b1 = b[from_b + next * n4 + 4u * n4];
        next_b2 = b[from_b + next * n4 + 8u * n4];
        next_b3 = b[from_b + next * n4 + 12u * n4];
        next_b4 = b[from_b + next * n4 + 16u * n4];
        next_b5 = b[from_b + next * n4 + 20u * n4];
        next_b6 = b[from_b + next * n4 + 24u * n4];
        next_b7 = b[from_b + next * n4 + 28u * n4];
        {
            let a0 = coopLoadT<Left>(&tile_a[at_a], 40u);
            let a1 = coopLoadT<Left>(&tile_a[at_a + 640u], 40u);
            let a2 = coopLoadT<Left>(&tile_a[at_a + 1280u], 40u);
            let a3 = coopLoadT<Left>(&tile_a[at_a + 1920u], 40u);
            let b0 = coopLoadT<Right>(&tile_b[x], 136u);
            let b1 = coopLoadT<Right>(&tile_b[x + 16u], 136u);
            let b2 = coopLoadT<Right>(&tile_b[x + 32u], 136u);
            let b3 = coopLoadT<Right>(&tile_b[x + 48u], 136u);
            c0_0 = coopMultiplyAdd(a0, b0, c0_0);
            c0_1 = coopMultiplyAdd(a0, b1, c0_1);
            c0_2 = coopMultiplyAdd(a0, b2, c0_2);
            c0_3 = coopMultiplyAdd(a0, b3, c0_3);
            c1_0 = coopMultiplyAdd(a1, b0, c1_0);
            c1_1 = coopMultiplyAdd(a1, b1, c1_1);
            c1_2 = coopMultiplyAdd(a1, b2, c1_2);
            c1_3 = coopMultiplyAdd(a1, b3, c1_3);
            c2_0 = coopMultiplyAdd(a2, b0, c2_0);
            c2_1 = coopMultiplyAdd(a2, b1, c2_1);
            c2_2 = coopMultiplyAdd(a2, b2, c2_2);
            c2_3 = coopMultiplyAdd(a2, b3, c2_3);
            c3_0 = coopMultiplyAdd(a3, b0, c3_0);
            c3_1 = coopMultiplyAdd(a3, b1, c3_1);
            c3_2 = coopMultiplyAdd(a3, b2, c3_2);
            c3_3 = coopMultiplyAdd(a3, b3, c3_3);
        }
        {
            let a0 = coopLoadT<Left>(&tile_a[at_a + 16u], 40u);
            let a1 = coopLoadT<Left>(&tile_a[at_a + 656u], 40u);
            let a2 = coopLoadT<Left>(&tile_a[at_a + 1296u], 40u);
            let a3 = coopLoadT<Left>(&tile_a[at_a + 1936u], 40u);
            let b0 = coopLoadT<Right>(&tile_b[x + 2176u], 136u);
            let b1 = coopLoadT<Right>(&tile_b[x + 2192u], 136u);
            let b2 = coopLoadT<Right>(&tile_b[x + 2208u], 136u);
            let b3 = coopLoadT<Right>(&tile_b[x + 2224u], 136u);
            c0_0 = coopMultiplyAdd(a0, b0, c0_0);
            c0_1 = coopMultiplyAdd(a0, b1, c0_1);
            c0_2 = coopMultiplyAdd(a0, b2, c0_2);
            c0_3 = coopMultiplyAdd(a0, b3, c0_3);
            c1_0 = coopMultiplyAdd(a1, b0, c1_0);
            c1_1 = coopMultiplyAdd(a1, b1, c1_1);
            c1_2 = coopMultiplyAdd(a1, b2, c1_2);
            c1_3 = coopMultiplyAdd(a1, b3, c1_3);
            c2_0 = coopMultiplyAdd(a2, b0, c2_0);
            c2_1 = coopMultiplyAdd(a2, b1, c2_1);
            c2_2 = coopMultiplyAdd(a2, b2, c2_2);
            c2_3 = coopMultiplyAdd(a2, b3, c2_3);
            c3_0 = coopMultiplyAdd(a3, b0, c3_0);
            c3_1 = coopMultiplyAdd(a3, b1, c3_1);
            c3_2 = coopMultiplyAdd(a3, b2, c3_2);
            c3_3 = coopMultiplyAdd(a3, b3, c3_3);
        }
        workgroupBarrier();
    }
    coopStoreT(c0_0, &c[to], n);
    coopStoreT(c0_1, &c[to + 16u], n);
    coopStoreT(c0_2, &c[to + 32u], n);
    coopStoreT(c0_3, &c[to + 48u], n);
    coopStoreT(c1_0, &c[to + 16u * n], n);
    coopStoreT(c1_1, &c[to + 16u * n + 16u], n);
    coopStoreT(c1_2, &c[to + 16u * n + 32u], n);
    coopStoreT(c1_3, &c[to + 16u * n + 48u], n);
    coopStoreT(c2_0, &c[to + 32u * n], n);
    coopStoreT(c2_1, &c[to + 32u * n + 16u], n);
    coopStoreT(c2_2, &c[to + 32u * n + 32u], n);
    coopStoreT(c2_3, &c[to + 32u * n + 48u], n);
    coopStoreT(c3_0, &c[to + 48u * n], n);
    coopStoreT(c3_1, &c[to + 48u * n + 16u], n);
    coopStoreT(c3_2, &c[to + 48u * n + 32u], n);
    coopStoreT(c3_3, &c[to + 48u * n + 48u], n);
}
