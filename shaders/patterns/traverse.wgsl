// The same matrix, the same loads: what does it cost to give each lane a row instead of a column?
override workgroup_size: u32 = 256;
override by_row: bool = false;

struct Params {
    groups: u32,  // square blocks of workgroup x workgroup elements, one a workgroup
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    columns: u32, // of the matrix, a multiple of the workgroup
    store_from: u32, // sums from this on are stored: 0 to verify, and to time the largest, which no compiler can know
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

// The `step`-th element that a lane visits in the block whose first element is `first`.
fn load(first: u32, lane: u32, step: u32) -> u32 {
    return bitcast<u32>(matrix[first + select(step * params.columns + lane, lane * params.columns + step, by_row)]);
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
    let blocks_across = params.columns / workgroup_size;
    let block_row = group / blocks_across;
    let block_column = group % blocks_across;
    let first = block_row * workgroup_size * params.columns + block_column * workgroup_size;
    var sum = 0u;
    for (var step = 0u; step < workgroup_size; step += 8u) {
        sum += load(first, lane, step) + load(first, lane, step + 1u);
        sum += load(first, lane, step + 2u) + load(first, lane, step + 3u);
        sum += load(first, lane, step + 4u) + load(first, lane, step + 5u);
        sum += load(first, lane, step + 6u) + load(first, lane, step + 7u);
    }
    if (sum >= params.store_from) {
        sums[group * workgroup_size + lane] = sum;
    }
}
