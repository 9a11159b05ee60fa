// One word: what does it cost to start and end a dispatch that waits for the one before it?
@group(0) @binding(0) var<storage, read_write> word: array<u32>;

@compute @workgroup_size(1)
fn main() {
    word[0] = 0u;
}
