// Thread layout x value layout x bits per copy: which lane owns which pieces of a tile, and how wide does it move them?
alias Piece = vec4<f32>; // the bits of one copy

override workgroup_size: u32 = 256;
override threads_x: u32 = 32; // lanes across the tile; workgroup / threads_x lanes down it
override values_x: u32 = 1;   // pieces of a lane across
override values_y: u32 = 4;   // pieces of a lane down
override blocked: bool = false;

struct Params {
    groups: u32, // tiles, one a workgroup
    first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches
    pitch: u32,  // pieces in a row of the matrix, a multiple of the tile's width
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<Piece>;
@group(0) @binding(2) var<storage, read_write> destination: array<Piece>;

// Where in the tile is a lane's `value`-th piece? Interleaved: neighbours own neighbouring pieces. Blocked: a lane's
// own pieces are neighbours.
fn place(first: u32, lane: u32, value: u32) -> u32 {
    let threads_y = workgroup_size / threads_x;
    let across = vec2<u32>(lane % threads_x, value % values_x);
    let down = vec2<u32>(lane / threads_x, value / values_x);
    let x = select(across.y * threads_x + across.x, across.x * values_x + across.y, blocked);
    let y = select(down.y * threads_y + down.x, down.x * values_y + down.y, blocked);
    return first + y * params.pitch + x;
}

// All pieces of a lane, written out: first every load, so that they are in flight together, then every store.
fn copy_pieces(first: u32, lane: u32) {
    var held: array<Piece, 16>;
    held[0] = source[place(first, lane, 0u)];
    if (values_x * values_y > 1u) {
        held[1] = source[place(first, lane, 1u)];
    }
    if (values_x * values_y > 2u) {
        held[2] = source[place(first, lane, 2u)];
        held[3] = source[place(first, lane, 3u)];
    }
    if (values_x * values_y > 4u) {
        held[4] = source[place(first, lane, 4u)];
        held[5] = source[place(first, lane, 5u)];
        held[6] = source[place(first, lane, 6u)];
        held[7] = source[place(first, lane, 7u)];
    }
    if (values_x * values_y > 8u) {
        held[8] = source[place(first, lane, 8u)];
        held[9] = source[place(first, lane, 9u)];
        held[10] = source[place(first, lane, 10u)];
        held[11] = source[place(first, lane, 11u)];
        held[12] = source[place(first, lane, 12u)];
        held[13] = source[place(first, lane, 13u)];
        held[14] = source[place(first, lane, 14u)];
        held[15] = source[place(first, lane, 15u)];
    }
    destination[place(first, lane, 0u)] = held[0];
    if (values_x * values_y > 1u) {
        destination[place(first, lane, 1u)] = held[1];
    }
    if (values_x * values_y > 2u) {
        destination[place(first, lane, 2u)] = held[2];
        destination[place(first, lane, 3u)] = held[3];
    }
    if (values_x * values_y > 4u) {
        destination[place(first, lane, 4u)] = held[4];
        destination[place(first, lane, 5u)] = held[5];
        destination[place(first, lane, 6u)] = held[6];
        destination[place(first, lane, 7u)] = held[7];
    }
    if (values_x * values_y > 8u) {
        destination[place(first, lane, 8u)] = held[8];
        destination[place(first, lane, 9u)] = held[9];
        destination[place(first, lane, 10u)] = held[10];
        destination[place(first, lane, 11u)] = held[11];
        destination[place(first, lane, 12u)] = held[12];
        destination[place(first, lane, 13u)] = held[13];
        destination[place(first, lane, 14u)] = held[14];
        destination[place(first, lane, 15u)] = held[15];
    }
}

@compute @workgroup_size(workgroup_size)
fn main(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let group = params.first_group + group_id.y * grid.x + group_id.x;
    if (group >= params.groups) {
        return;
    }
    let tile_width = threads_x * values_x;
    let tile_height = workgroup_size / threads_x * values_y;
    let tiles_across = params.pitch / tile_width;
    let first = (group / tiles_across) * tile_height * params.pitch + (group % tiles_across) * tile_width;
    copy_pieces(first, lane);
}
