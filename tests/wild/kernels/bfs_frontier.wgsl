// One level of a breadth-first search: the first to reach a node enters it in the next frontier.
struct Params { level: u32, frontier: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> edges: array<u32>;
@group(0) @binding(3) var<storage, read> frontier: array<u32>;
@group(0) @binding(4) var<storage, read_write> levels: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> next: array<u32>;
@group(0) @binding(6) var<storage, read_write> count: atomic<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.frontier {
        return;
    }
    let node = frontier[id.x];
    for (var edge = starts[node]; edge < starts[node + 1u]; edge++) {
        let other = edges[edge];
        let old = atomicCompareExchangeWeak(&levels[other], 0xFFFFFFFFu, params.level);
        if old.exchanged {
            next[atomicAdd(&count, 1u)] = other;
        }
    }
}
