// One step of a bitonic sort: pairs of keys a distance apart are put in order; the upper lane of a pair has no work.
struct Step { distance: u32, block: u32 }
@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let partner = i ^ step.distance;
    if partner > i {
        let low = keys[i];
        let high = keys[partner];
        let rising = (i & step.block) == 0u;
        if (low > high) == rising {
            keys[i] = high;
            keys[partner] = low;
        }
    }
}
