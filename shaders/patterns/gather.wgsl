// What does `source[indices[i]]` cost, from indices in order to indices anywhere?
override workgroup_size: u32 = 256;
override items: u32 = 4;

struct Params {
    groups: u32, // workgroups with work; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    count: u32,  // indices
    store_from: u32, // folds from this on are stored: 0 to verify, and to time the largest, which no compiler can know
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read> source: array<f32>;
@group(0) @binding(3) var<storage, read_write> folds: array<u32>;

fn load(first: u32, lane: u32, item: u32) -> u32 {
    return bitcast<u32>(source[indices[first + item * workgroup_size + lane]]);
}

// All items of a lane, written out so that the loads are independent and in flight together.
fn load_items(first: u32, lane: u32) -> u32 {
    var fold = load(first, lane, 0u);
    if (items > 1u) {
        fold += load(first, lane, 1u);
    }
    if (items > 2u) {
        fold += load(first, lane, 2u) + load(first, lane, 3u);
    }
    if (items > 4u) {
        fold += load(first, lane, 4u) + load(first, lane, 5u) + load(first, lane, 6u) + load(first, lane, 7u);
    }
    return fold;
}

// The last tile, where not every lane has all its items.
fn load_tail(first: u32, lane: u32) -> u32 {
    var fold = 0u;
    for (var item = 0u; item < items; item++) {
        if (first + item * workgroup_size + lane < params.count) {
            fold += load(first, lane, item);
        }
    }
    return fold;
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
    let first = group * workgroup_size * items;
    var fold: u32;
    if (first + workgroup_size * items <= params.count) {
        fold = load_items(first, lane);
    } else {
        fold = load_tail(first, lane);
    }
    if (fold >= params.store_from) {
        folds[group * workgroup_size + lane] = fold;
    }
}
