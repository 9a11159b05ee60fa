// Array of structures or structure of arrays: what does it cost when each lane reads a whole record?
override workgroup_size: u32 = 256;
override fields: u32 = 8;
override by_field: bool = false;

struct Params {
    groups: u32, // workgroups with work; the folded grid may hold a few more
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    count: u32,  // records
    store_from: u32, // folds from this on are stored: 0 to verify, and to time the largest, which no compiler can know
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> folds: array<u32>;

fn load(record: u32, field: u32) -> u32 {
    return bitcast<u32>(source[select(record * fields + field, field * params.count + record, by_field)]);
}

@compute @workgroup_size(workgroup_size)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = params.first_group + group_id.y * grid.x + group_id.x;
    let record = group * workgroup_size + lane;
    if (group >= params.groups || record >= params.count) {
        return;
    }
    var fold = load(record, 0u) + load(record, 1u);
    if (fields > 2u) {
        fold += load(record, 2u) + load(record, 3u);
    }
    if (fields > 4u) {
        fold += load(record, 4u) + load(record, 5u) + load(record, 6u) + load(record, 7u);
    }
    if (fields > 8u) {
        fold += load(record, 8u) + load(record, 9u) + load(record, 10u) + load(record, 11u);
        fold += load(record, 12u) + load(record, 13u) + load(record, 14u) + load(record, 15u);
    }
    if (fold >= params.store_from) {
        folds[record] = fold;
    }
}
