// The same tile with loads of four floats at a time: what does width buy in workgroup memory?
override workgroup_size: u32 = 256;
override n: u32 = 256; // columns of b and c
override k: u32 = 256; // columns of a, rows of b

struct Params {
    groups: u32, // tiles of 128 x 128 outputs, one a workgroup; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> c: array<vec4<f32>>;

// The tile of a is transposed. Each lane stores its four floats one by one into four rows, and the two lanes that copy
// from one row of a meet in the same bank: every such store takes two passes.
var<workgroup> tile_a: array<vec4<f32>, 256>; // 8 x 32
var<workgroup> tile_b: array<vec4<f32>, 256>; // 8 x 32

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
    let tiles_across = n / 128u;
    let first_row = (group / tiles_across) * 128u;
    let first_column = (group % tiles_across) * 32u; // in vec4
    // This lane's outputs: 8 rows below each other, 2 vec4 of columns 16 apart. Neighbours lie below each other: pairs then
    // ask for the same of b, and pairs of pairs for the same of a, which takes half the passes.
    let x = lane / 2u % 16u;
    let y = (lane % 2u + lane / 32u * 2u) * 2u; // in vec4 of the transposed tile
    // What it copies: one vec4 of each tile.
    let from_a = (first_row + lane / 2u) * k4 + lane % 2u;
    let from_b = lane / 32u * n4 + first_column + lane % 32u;
    let to_a = lane % 2u * 4u * 32u + lane / 8u;
    let part = lane / 2u % 4u;
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
        let of_a = a[from_a + t / 4u];
        tile_b[lane] = b[from_b + t * n4];
        tile_a[to_a][part] = of_a.x;
        tile_a[to_a + 32u][part] = of_a.y;
        tile_a[to_a + 64u][part] = of_a.z;
        tile_a[to_a + 96u][part] = of_a.w;
        workgroupBarrier();
        for (var i = 0u; i < 8u; i++) {
            let b_low = tile_b[i * 32u + x];
            let b_high = tile_b[i * 32u + x + 16u];
            let a_low = tile_a[i * 32u + y];
            let a_high = tile_a[i * 32u + y + 1u];
            c0_low = fma(vec4<f32>(a_low.x), b_low, c0_low);
            c0_high = fma(vec4<f32>(a_low.x), b_high, c0_high);
            c1_low = fma(vec4<f32>(a_low.y), b_low, c1_low);
            c1_high = fma(vec4<f32>(a_low.y), b_high, c1_high);
            c2_low = fma(vec4<f32>(a_low.z), b_low, c2_low);
            c2_high = fma(vec4<f32>(a_low.z), b_high, c2_high);
            c3_low = fma(vec4<f32>(a_low.w), b_low, c3_low);
            c3_high = fma(vec4<f32>(a_low.w), b_high, c3_high);
            c4_low = fma(vec4<f32>(a_high.x), b_low, c4_low);
            c4_high = fma(vec4<f32>(a_high.x), b_high, c4_high);
            c5_low = fma(vec4<f32>(a_high.y), b_low, c5_low);
            c5_high = fma(vec4<f32>(a_high.y), b_high, c5_high);
            c6_low = fma(vec4<f32>(a_high.z), b_low, c6_low);
            c6_high = fma(vec4<f32>(a_high.z), b_high, c6_high);
            c7_low = fma(vec4<f32>(a_high.w), b_low, c7_low);
            c7_high = fma(vec4<f32>(a_high.w), b_high, c7_high);
        }
        workgroupBarrier();
    }
    let to = (first_row + y * 4u) * n4 + first_column + x;
    c[to] = c0_low;
    c[to + 16u] = c0_high;
    c[to + n4] = c1_low;
    c[to + n4 + 16u] = c1_high;
    c[to + 2u * n4] = c2_low;
    c[to + 2u * n4 + 16u] = c2_high;
    c[to + 3u * n4] = c3_low;
    c[to + 3u * n4 + 16u] = c3_high;
    c[to + 4u * n4] = c4_low;
    c[to + 4u * n4 + 16u] = c4_high;
    c[to + 5u * n4] = c5_low;
    c[to + 5u * n4 + 16u] = c5_high;
    c[to + 6u * n4] = c6_low;
    c[to + 6u * n4 + 16u] = c6_high;
    c[to + 7u * n4] = c7_low;
    c[to + 7u * n4 + 16u] = c7_high;
}
