// How many multiply-adds can the device's matrix units do when memory is not asked for anything?
enable f16;
enable wgpu_cooperative_matrix;

alias Element = f16;
alias Left = coop_mat16x16<f16, A>;
alias Right = coop_mat16x16<f16, B>;
alias Sums = coop_mat16x16<f32, C>;
const SIDE = 16u;
const SUBGROUPS = 4u;

override workgroup_size: u32 = 128; // four subgroups
override subgroup_size: u32 = 32; // lanes
override iterations: u32 = 32;

const PLACES = SIDE * SIDE; // of a matrix

struct Params {
    groups: u32, // workgroups with work; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    factor: f32, // 1, which no compiler can know: the sums stay integers below 2^24, exact in f32
    store_from: u32, // sums from this on are stored: 0 to verify, and to time the largest, which no compiler can know
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> inputs: array<Element, 6u * PLACES>;
var<workgroup> results: array<f32, SUBGROUPS * PLACES>;

// The lane's places of its subgroup's matrix, added up.
fn part(at: u32, lane: u32) -> f32 {
    var sum = 0.0;
    for (var i = lane; i < PLACES; i += subgroup_size) {
        sum += results[at + i];
    }
    return sum;
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
    for (var i = lane; i < 6u * PLACES; i += workgroup_size) {
        inputs[i] = Element(params.factor * f32(i * 7u % 11u % 5u));
    }
    workgroupBarrier();
    let a0 = coopLoadT<Left>(&inputs[0], SIDE);
    let a1 = coopLoadT<Left>(&inputs[PLACES], SIDE);
    let b0 = coopLoadT<Right>(&inputs[2u * PLACES], SIDE);
    let b1 = coopLoadT<Right>(&inputs[3u * PLACES], SIDE);
    let b2 = coopLoadT<Right>(&inputs[4u * PLACES], SIDE);
    let b3 = coopLoadT<Right>(&inputs[5u * PLACES], SIDE);
    // Eight sums of different products: independent work for every pipeline stage.
    var c0: Sums;
    var c1: Sums;
    var c2: Sums;
    var c3: Sums;
    var c4: Sums;
    var c5: Sums;
    var c6: Sums;
    var c7: Sums;
    for (var turn = 0u; turn < iterations; turn++) {
        c0 = coopMultiplyAdd(a0, b0, c0);
        c1 = coopMultiplyAdd(a0, b1, c1);
        c2 = coopMultiplyAdd(a0, b2, c2);
        c3 = coopMultiplyAdd(a0, b3, c3);
        c4 = coopMultiplyAdd(a1, b0, c4);
        c5 = coopMultiplyAdd(a1, b1, c5);
        c6 = coopMultiplyAdd(a1, b2, c6);
        c7 = coopMultiplyAdd(a1, b3, c7);
        c0 = coopMultiplyAdd(a0, b0, c0);
        c1 = coopMultiplyAdd(a0, b1, c1);
        c2 = coopMultiplyAdd(a0, b2, c2);
        c3 = coopMultiplyAdd(a0, b3, c3);
        c4 = coopMultiplyAdd(a1, b0, c4);
        c5 = coopMultiplyAdd(a1, b1, c5);
        c6 = coopMultiplyAdd(a1, b2, c6);
        c7 = coopMultiplyAdd(a1, b3, c7);
        c0 = coopMultiplyAdd(a0, b0, c0);
        c1 = coopMultiplyAdd(a0, b1, c1);
        c2 = coopMultiplyAdd(a0, b2, c2);
        c3 = coopMultiplyAdd(a0, b3, c3);
        c4 = coopMultiplyAdd(a1, b0, c4);
        c5 = coopMultiplyAdd(a1, b1, c5);
        c6 = coopMultiplyAdd(a1, b2, c6);
        c7 = coopMultiplyAdd(a1, b3, c7);
        c0 = coopMultiplyAdd(a0, b0, c0);
        c1 = coopMultiplyAdd(a0, b1, c1);
        c2 = coopMultiplyAdd(a0, b2, c2);
        c3 = coopMultiplyAdd(a0, b3, c3);
        c4 = coopMultiplyAdd(a1, b0, c4);
        c5 = coopMultiplyAdd(a1, b1, c5);
        c6 = coopMultiplyAdd(a1, b2, c6);
        c7 = coopMultiplyAdd(a1, b3, c7);
    }
    let at = lane / subgroup_size * PLACES;
    var sum = 0.0;
    coopStoreT(c0, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    coopStoreT(c1, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    coopStoreT(c2, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    coopStoreT(c3, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    coopStoreT(c4, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    coopStoreT(c5, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    coopStoreT(c6, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    coopStoreT(c7, &results[at], SIDE);
    workgroupBarrier();
    sum += part(at, lane % subgroup_size);
    workgroupBarrier();
    if (sum >= f32(params.store_from)) {
        sums[group * workgroup_size + lane] = sum;
    }
}
