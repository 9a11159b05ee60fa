// The median of five neighbours, sorted in an array of each lane by a function that is given a pointer to it.
@group(0) @binding(0) var<storage, read> source: array<i32>;
@group(0) @binding(1) var<storage, read_write> result: array<i32>;

fn sort(values: ptr<function, array<i32, 5>>) {
    for (var i = 1u; i < 5u; i++) {
        let value = (*values)[i];
        var k = i;
        while k > 0u && (*values)[k - 1u] > value {
            (*values)[k] = (*values)[k - 1u];
            k--;
        }
        (*values)[k] = value;
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x + 4u >= arrayLength(&source) {
        return;
    }
    var values: array<i32, 5>;
    for (var k = 0u; k < 5u; k++) {
        values[k] = source[id.x + k];
    }
    sort(&values);
    result[id.x] = values[2];
}
