// Depthwise convolution over rows of channels, and one of several activations after it.
struct Layer { width: u32, channels: u32, activation: u32 }
@group(0) @binding(0) var<uniform> layer: Layer;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

fn activate(value: f32) -> f32 {
    switch layer.activation {
        case 0u, 3u: {
            return value;
        }
        case 1u: {
            return max(value, 0.0);
        }
        default: {
            return clamp(value, 0.0, 6.0);
        }
    }
}

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let channel = id.y;
    var sum = 0.0;
    for (var tap = 0u; tap < 5u; tap++) {
        let place = i32(id.x + tap) - 2;
        if place < 0 || place >= i32(layer.width) {
            continue;
        }
        sum += weights[channel * 5u + tap] * x[channel * layer.width + u32(place)];
    }
    y[channel * layer.width + id.x] = activate(sum);
}
