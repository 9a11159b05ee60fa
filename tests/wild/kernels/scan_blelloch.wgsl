// Exclusive prefix sum of 512 numbers by a tree, up and down, as in the textbook: strides of powers of two meet in few banks.
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

const LANES = 256u;
var<workgroup> tree: array<u32, 2 * LANES>;

fn place(index: u32) -> u32 {
    return index;
}

@compute @workgroup_size(LANES)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = 2u * LANES * group.x;
    tree[place(lane)] = source[first + lane];
    tree[place(lane + LANES)] = source[first + lane + LANES];
    var reach = 1u;
    for (var working = LANES; working > 0u; working >>= 1u) {
        workgroupBarrier();
        if lane < working {
            let left = place(reach * (2u * lane + 1u) - 1u);
            let right = place(reach * (2u * lane + 2u) - 1u);
            let below = tree[left];
            tree[right] += below;
        }
        reach *= 2u;
    }
    if lane == 0u {
        totals[group.x] = tree[place(2u * LANES - 1u)];
        tree[place(2u * LANES - 1u)] = 0u;
    }
    for (var working = 1u; working <= LANES; working *= 2u) {
        reach >>= 1u;
        workgroupBarrier();
        if lane < working {
            let left = place(reach * (2u * lane + 1u) - 1u);
            let right = place(reach * (2u * lane + 2u) - 1u);
            let before = tree[left];
            tree[left] = tree[right];
            tree[right] += before;
        }
    }
    workgroupBarrier();
    sums[first + lane] = tree[place(lane)];
    sums[first + lane + LANES] = tree[place(lane + LANES)];
}
