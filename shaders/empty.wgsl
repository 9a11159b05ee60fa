// Nothing: what does it cost to start and end a dispatch?
@compute @workgroup_size(1)
fn main() {}
