// What does a load cost when neighbouring lanes step through memory by `stride`, start at `offset`, or each own a run?
alias Element = f32;
fn bits(x: Element) -> u32 { return bitcast<u32>(x); }

override workgroup_size: u32 = 256;
override items: u32 = 8;
override blocked: bool = false;

struct Params {
    groups: u32, // workgroups with work; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    count: u32,  // elements to load
    stride: u32, // elements from one to the next
    offset: u32, // elements before the first
    store_from: u32, // folds from this on are stored: 0 to verify, and to time the largest, which no compiler can know
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read_write> folds: array<u32>;

// Which element of its workgroup's tile is a lane's `item`-th?
fn element_of(lane: u32, item: u32) -> u32 {
    return select(item * workgroup_size + lane, lane * items + item, blocked);
}

fn load(first: u32, lane: u32, item: u32) -> u32 {
    let i = first + element_of(lane, item);
    return bits(source[i * params.stride + params.offset]);
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
    if (items > 8u) {
        fold += load(first, lane, 8u) + load(first, lane, 9u) + load(first, lane, 10u) + load(first, lane, 11u);
        fold += load(first, lane, 12u) + load(first, lane, 13u) + load(first, lane, 14u) + load(first, lane, 15u);
    }
    return fold;
}

// The last tile, where not every lane has all its items.
fn load_tail(first: u32, lane: u32) -> u32 {
    var fold = 0u;
    for (var item = 0u; item < items; item++) {
        if (first + element_of(lane, item) < params.count) {
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
