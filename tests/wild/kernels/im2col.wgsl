// Lays the 3 x 3 windows of an image of 8 x 8 out as columns of a matrix, for a convolution by matrix product.
const SIDE = 8u;
const OUT = 6u;
const CHANNELS = 2u;
@group(0) @binding(0) var<storage, read> image: array<f32>;
@group(0) @binding(1) var<storage, read_write> columns: array<f32>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= 9u * CHANNELS * OUT * OUT {
        return;
    }
    let column = id.x % (OUT * OUT);
    let row = id.x / (OUT * OUT);
    let y = column / OUT + row % 9u / 3u;
    let x = column % OUT + row % 3u;
    columns[id.x] = image[(row / 9u * SIDE + y) * SIDE + x];
}
