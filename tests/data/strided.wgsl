// Strided reads: 256 lanes a workgroup, 8 loads a lane, neighbouring lanes `stride` elements apart.
struct Params { stride: u32, keep: u32 }

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> data: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {
    var sum = 0.0;
    for (var item = 0u; item < 8u; item++) {
        sum += data[((group.x * 8u + item) * 256u + t) * params.stride];
    }
    if params.keep == 1u { result[group.x * 256u + t] = sum; }
}
