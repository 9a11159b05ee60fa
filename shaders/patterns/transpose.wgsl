// A transpose must read or write against the grain: which is worse?
override workgroup_size: u32 = 256;
override read_strided: bool = false;

struct Params {
    groups: u32, // tiles of 32 x 32 elements, one a workgroup
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    n: u32,      // the matrix is n x n, n a multiple of 32
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> destination: array<f32>;

// Neighbouring lanes differ in x: one side of the copy runs along a row, the other down a column.
fn along(x: u32, y: u32) -> u32 {
    return y * params.n + x;
}

fn down(x: u32, y: u32) -> u32 {
    return x * params.n + y;
}

fn load(x: u32, y: u32) -> f32 {
    return source[select(along(x, y), down(x, y), read_strided)];
}

fn store(x: u32, y: u32, value: f32) {
    destination[select(down(x, y), along(x, y), read_strided)] = value;
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
    let tiles_across = params.n / 32u;
    let x = (group % tiles_across) * 32u + lane % 32u;
    let y = (group / tiles_across) * 32u + lane / 32u;
    let value_0 = load(x, y);
    let value_1 = load(x, y + 8u);
    let value_2 = load(x, y + 16u);
    let value_3 = load(x, y + 24u);
    store(x, y, value_0);
    store(x, y + 8u, value_1);
    store(x, y + 16u, value_2);
    store(x, y + 24u, value_3);
}
