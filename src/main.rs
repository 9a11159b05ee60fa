//! Sectorscope.
fn main() {}
