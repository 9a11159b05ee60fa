// Each lane computes 8 x 8 outputs: 16 loads from workgroup memory now feed 64 multiply-adds. Is it arithmetic at last?
override workgroup_size: u32 = 256;
override n: u32 = 256; // columns of b and c
override k: u32 = 256; // columns of a, rows of b

struct Params {
    groups: u32, // tiles of 128 x 128 outputs, one a workgroup; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

// The tile of a is transposed, so that a lane's 8 rows lie next to each other. 132 floats from one of its rows to the
// next: with 128, the 8 lanes that copy from one row of a would meet in one bank.
var<workgroup> tile_a: array<f32, 1056>; // 8 x 132
var<workgroup> tile_b: array<f32, 1024>; // 8 x 128

// Columns 16 apart: the 16 lanes of a row store next to each other.
fn store(to: u32, low: vec4<f32>, high: vec4<f32>) {
    c[to] = low.x;
    c[to + 16u] = low.y;
    c[to + 32u] = low.z;
    c[to + 48u] = low.w;
    c[to + 64u] = high.x;
    c[to + 80u] = high.y;
    c[to + 96u] = high.z;
    c[to + 112u] = high.w;
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
    let tiles_across = n / 128u;
    let first_row = (group / tiles_across) * 128u;
    let first_column = (group % tiles_across) * 128u;
    // This lane's outputs: 8 rows below each other, 8 columns 16 apart.
    let x = lane % 16u;
    let y = lane / 16u * 8u;
    // What it copies: four elements of each tile, of a 32 rows apart, of b 2 rows apart.
    let from_a = (first_row + lane / 8u) * k + lane % 8u;
    let from_b = lane / 128u * n + first_column + lane % 128u;
    let to_a = lane % 8u * 132u + lane / 8u;
    var c0_low = vec4<f32>();
    var c0_high = vec4<f32>();
    var c1_low = vec4<f32>();
    var c1_high = vec4<f32>();
    var c2_low = vec4<f32>();
    var c2_high = vec4<f32>();
    var c3_low = vec4<f32>();
    var c3_high = vec4<f32>();
    var c4_low = vec4<f32>();
    var c4_high = vec4<f32>();
    var c5_low = vec4<f32>();
    var c5_high = vec4<f32>();
    var c6_low = vec4<f32>();
    var c6_high = vec4<f32>();
    var c7_low = vec4<f32>();
    var c7_high = vec4<f32>();
    for (var t = 0u; t < k; t += 8u) {
        let at_a = from_a + t;
        let at_b = from_b + t * n;
        tile_a[to_a] = a[at_a];
        tile_a[to_a + 32u] = a[at_a + 32u * k];
        tile_a[to_a + 64u] = a[at_a + 64u * k];
        tile_a[to_a + 96u] = a[at_a + 96u * k];
        tile_b[lane] = b[at_b];
        tile_b[lane + 256u] = b[at_b + 2u * n];
        tile_b[lane + 512u] = b[at_b + 4u * n];
        tile_b[lane + 768u] = b[at_b + 6u * n];
        workgroupBarrier();
        for (var i = 0u; i < 8u; i++) {
            let of_b = i * 128u + x;
            let b_low = vec4<f32>(tile_b[of_b], tile_b[of_b + 16u], tile_b[of_b + 32u], tile_b[of_b + 48u]);
            let b_high = vec4<f32>(tile_b[of_b + 64u], tile_b[of_b + 80u], tile_b[of_b + 96u], tile_b[of_b + 112u]);
            let of_a = i * 132u + y;
            let a0 = vec4<f32>(tile_a[of_a]);
            c0_low = fma(a0, b_low, c0_low);
            c0_high = fma(a0, b_high, c0_high);
            let a1 = vec4<f32>(tile_a[of_a + 1u]);
            c1_low = fma(a1, b_low, c1_low);
            c1_high = fma(a1, b_high, c1_high);
            let a2 = vec4<f32>(tile_a[of_a + 2u]);
            c2_low = fma(a2, b_low, c2_low);
            c2_high = fma(a2, b_high, c2_high);
            let a3 = vec4<f32>(tile_a[of_a + 3u]);
            c3_low = fma(a3, b_low, c3_low);
            c3_high = fma(a3, b_high, c3_high);
            let a4 = vec4<f32>(tile_a[of_a + 4u]);
            c4_low = fma(a4, b_low, c4_low);
            c4_high = fma(a4, b_high, c4_high);
            let a5 = vec4<f32>(tile_a[of_a + 5u]);
            c5_low = fma(a5, b_low, c5_low);
            c5_high = fma(a5, b_high, c5_high);
            let a6 = vec4<f32>(tile_a[of_a + 6u]);
            c6_low = fma(a6, b_low, c6_low);
            c6_high = fma(a6, b_high, c6_high);
            let a7 = vec4<f32>(tile_a[of_a + 7u]);
            c7_low = fma(a7, b_low, c7_low);
            c7_high = fma(a7, b_high, c7_high);
        }
        workgroupBarrier();
    }
    let to = (first_row + y) * n + first_column + x;
    store(to, c0_low, c0_high);
    store(to + n, c1_low, c1_high);
    store(to + 2u * n, c2_low, c2_high);
    store(to + 3u * n, c3_low, c3_high);
    store(to + 4u * n, c4_low, c4_high);
    store(to + 5u * n, c5_low, c5_high);
    store(to + 6u * n, c6_low, c6_high);
    store(to + 7u * n, c7_low, c7_high);
}
