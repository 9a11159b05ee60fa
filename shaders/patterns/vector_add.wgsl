// a + b of two arrays: 12 bytes an element for one addition. Can arithmetic ever be its limit?
alias Element = f32;

override workgroup_size: u32 = 256;
override items: u32 = 4;

struct Params {
    groups: u32, // workgroups with work; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    count: u32,  // elements
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<Element>;
@group(0) @binding(2) var<storage, read> b: array<Element>;
@group(0) @binding(3) var<storage, read_write> destination: array<Element>;

fn load(i: u32) -> Element {
    return a[i] + b[i];
}

// All items of a lane, written out: first every load, so that they are in flight together, then every store.
fn do_items(start: u32) {
    var held: array<Element, 16>;
    held[0] = load(start);
    if (items > 1u) {
        held[1] = load(start + workgroup_size);
    }
    if (items > 2u) {
        held[2] = load(start + 2u * workgroup_size);
        held[3] = load(start + 3u * workgroup_size);
    }
    if (items > 4u) {
        held[4] = load(start + 4u * workgroup_size);
        held[5] = load(start + 5u * workgroup_size);
        held[6] = load(start + 6u * workgroup_size);
        held[7] = load(start + 7u * workgroup_size);
    }
    if (items > 8u) {
        held[8] = load(start + 8u * workgroup_size);
        held[9] = load(start + 9u * workgroup_size);
        held[10] = load(start + 10u * workgroup_size);
        held[11] = load(start + 11u * workgroup_size);
        held[12] = load(start + 12u * workgroup_size);
        held[13] = load(start + 13u * workgroup_size);
        held[14] = load(start + 14u * workgroup_size);
        held[15] = load(start + 15u * workgroup_size);
    }
    destination[start] = held[0];
    if (items > 1u) {
        destination[start + workgroup_size] = held[1];
    }
    if (items > 2u) {
        destination[start + 2u * workgroup_size] = held[2];
        destination[start + 3u * workgroup_size] = held[3];
    }
    if (items > 4u) {
        destination[start + 4u * workgroup_size] = held[4];
        destination[start + 5u * workgroup_size] = held[5];
        destination[start + 6u * workgroup_size] = held[6];
        destination[start + 7u * workgroup_size] = held[7];
    }
    if (items > 8u) {
        destination[start + 8u * workgroup_size] = held[8];
        destination[start + 9u * workgroup_size] = held[9];
        destination[start + 10u * workgroup_size] = held[10];
        destination[start + 11u * workgroup_size] = held[11];
        destination[start + 12u * workgroup_size] = held[12];
        destination[start + 13u * workgroup_size] = held[13];
        destination[start + 14u * workgroup_size] = held[14];
        destination[start + 15u * workgroup_size] = held[15];
    }
}

// The last tile, where not every lane has all its items.
fn do_tail(start: u32) {
    for (var i = start; i < params.count; i += workgroup_size) {
        destination[i] = load(i);
    }
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
    if (first + workgroup_size * items <= params.count) {
        do_items(first + lane);
    } else {
        do_tail(first + lane);
    }
}
