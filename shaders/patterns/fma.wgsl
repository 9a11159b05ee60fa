// How many multiply-adds can the device do when memory is not asked for anything?
alias Element = vec4<f32>;

override workgroup_size: u32 = 256;
override iterations: u32 = 64;

struct Params {
    groups: u32, // workgroups with work; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    factor: f32, // 1, which no compiler can know: the sums stay small integers, exact in f16 too
    store_from: u32, // sums from this on are stored: 0 to verify, and to time the largest, which no compiler can know
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> sums: array<vec4<f32>>;

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
    // Eight chains of four components: independent work for every pipeline stage.
    let a = Element(vec4<f32>(params.factor));
    let b = Element(vec4<f32>(params.factor, params.factor + 1.0, params.factor + 2.0, params.factor + 3.0));
    let start = Element(vec4<f32>(f32(lane % 64u)));
    var c0 = start;
    var c1 = start + a;
    var c2 = c1 + a;
    var c3 = c2 + a;
    var c4 = c3 + a;
    var c5 = c4 + a;
    var c6 = c5 + a;
    var c7 = c6 + a;
    for (var k = 0u; k < iterations; k++) {
        c0 = fma(c0, a, b);
        c1 = fma(c1, a, b);
        c2 = fma(c2, a, b);
        c3 = fma(c3, a, b);
        c4 = fma(c4, a, b);
        c5 = fma(c5, a, b);
        c6 = fma(c6, a, b);
        c7 = fma(c7, a, b);
        c0 = fma(c0, a, b);
        c1 = fma(c1, a, b);
        c2 = fma(c2, a, b);
        c3 = fma(c3, a, b);
        c4 = fma(c4, a, b);
        c5 = fma(c5, a, b);
        c6 = fma(c6, a, b);
        c7 = fma(c7, a, b);
        c0 = fma(c0, a, b);
        c1 = fma(c1, a, b);
        c2 = fma(c2, a, b);
        c3 = fma(c3, a, b);
        c4 = fma(c4, a, b);
        c5 = fma(c5, a, b);
        c6 = fma(c6, a, b);
        c7 = fma(c7, a, b);
        c0 = fma(c0, a, b);
        c1 = fma(c1, a, b);
        c2 = fma(c2, a, b);
        c3 = fma(c3, a, b);
        c4 = fma(c4, a, b);
        c5 = fma(c5, a, b);
        c6 = fma(c6, a, b);
        c7 = fma(c7, a, b);
    }
    var sum = vec4<f32>(c0) + vec4<f32>(c1) + vec4<f32>(c2) + vec4<f32>(c3);
    sum += vec4<f32>(c4) + vec4<f32>(c5) + vec4<f32>(c6) + vec4<f32>(c7);
    if (sum.x + sum.y + sum.z + sum.w >= f32(params.store_from)) {
        sums[group * workgroup_size + lane] = sum;
    }
}
