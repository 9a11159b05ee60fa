// Fills words of a buffer by the same function of (kind, seed, place) as `Contents::word` in src/contents.rs.

struct Job {
    first: u32, // word
    words: u32,
    kind: u32,
    seed: u32,
    count: u32, // entries of an index buffer; at least 1
    rows: u32,  // of a matrix, zero beyond its edges
    columns: u32,
    pitch: u32, // elements from one row to the next; at least 1
}

@group(0) @binding(0) var<storage, read_write> buffer: array<u32>;
@group(0) @binding(1) var<uniform> job: Job;

const LANES = 256u;
const ROW_LANES = 1024u * LANES;
const WINDOW_ELEMENTS = 1024u;
const POISON = 0x7FEDC0DEu;

fn hash(input: u32) -> u32 {
    var x = input;
    x ^= x >> 16u;
    x *= 0x7FEB352Du;
    x ^= x >> 15u;
    x *= 0x846CA68Bu;
    return x ^ (x >> 16u);
}

fn random_bits(index: u32) -> u32 {
    return hash(index ^ hash(job.seed ^ 0x9E3779B9u));
}

fn moderate(bits: u32) -> u32 {
    let high = 12u + ((bits >> 26u) & 7u);
    let low = 12u + ((bits >> 10u) & 7u);
    return (bits & 0x83FF83FFu) | (high << 26u) | (low << 10u);
}

// An entry that would leave the range stays where it is.
fn inside(entry: u32, index: u32) -> u32 {
    return select(min(index, job.count - 1u), entry, entry < job.count);
}

fn window(index: u32) -> u32 {
    let start = index - index % WINDOW_ELEMENTS;
    let left = select(1u, job.count - start, start < job.count);
    return inside(start + random_bits(index) % min(WINDOW_ELEMENTS, left), index);
}

fn in_matrix(index: u32) -> bool {
    return index % job.pitch < job.columns && index / job.pitch < job.rows;
}

fn integer(index: u32) -> f32 {
    return select(0.0, f32(i32(random_bits(index) % 9u) - 4), in_matrix(index));
}

fn real(index: u32) -> f32 {
    return select(0.0, f32(i32(random_bits(index) >> 8u) - 8388608) * 1.1920928955078125e-7, in_matrix(index));
}

fn half_real(index: u32) -> f32 {
    return select(0.0, f32(i32(random_bits(index) >> 21u) - 1024) * 0.0009765625, in_matrix(index));
}

fn word(index: u32) -> u32 {
    switch job.kind {
        case 1u: { return bitcast<u32>(f32(index & 1023u)); }
        case 2u: { return moderate(random_bits(index)); }
        case 3u: { return POISON; }
        case 4u: { return inside(index, index); }
        case 5u: { return inside(index ^ 31u, index); }
        case 6u: { return inside(index ^ 5u, index); }
        case 7u: { return random_bits(index) % job.count; }
        case 8u: { return window(index); }
        case 9u: { return job.count / 2u; }
        case 10u: { return bitcast<u32>(integer(index)); }
        case 11u: { return pack2x16float(vec2<f32>(integer(2u * index), integer(2u * index + 1u))); }
        case 12u: { return bitcast<u32>(real(index)); }
        case 13u: { return pack2x16float(vec2<f32>(half_real(2u * index), half_real(2u * index + 1u))); }
        default: { return 0u; }
    }
}

@compute @workgroup_size(LANES)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    let lane = id.y * ROW_LANES + id.x;
    if lane < job.words {
        let index = job.first + lane;
        buffer[index] = word(index);
    }
}
