// One subgroup of 32 lanes, one access a lane: lane t of the first `lanes` touches element
// off + (l % w) * sx + (l / w) * sy, where l = ((t * mul) & 31) ^ flip.
alias Element = f32;

struct Pattern { w: u32, sx: u32, sy: u32, off: u32, mul: u32, flip: u32, lanes: u32 }

@group(0) @binding(0) var<uniform> pattern: Pattern;
@group(0) @binding(1) var<storage, read_write> data: array<Element>;
@group(0) @binding(2) var<storage, read_write> result: array<Element>;
var<workgroup> tile: array<Element, 1025>;

fn element(t: u32) -> u32 {
    let l = ((t * pattern.mul) & 31u) ^ pattern.flip;
    return pattern.off + (l % pattern.w) * pattern.sx + (l / pattern.w) * pattern.sy;
}

@compute @workgroup_size(32)
fn global_load(@builtin(local_invocation_index) t: u32) {
    if t < pattern.lanes { result[t] = data[element(t)]; }
}

@compute @workgroup_size(32)
fn global_store(@builtin(local_invocation_index) t: u32) {
    if t < pattern.lanes { data[element(t)] = Element(1); }
}

@compute @workgroup_size(32)
fn shared_load(@builtin(local_invocation_index) t: u32) {
    if t < pattern.lanes { result[t] = tile[element(t)]; }
}

@compute @workgroup_size(32)
fn shared_store(@builtin(local_invocation_index) t: u32) {
    if t < pattern.lanes { tile[element(t)] = Element(1); }
}
