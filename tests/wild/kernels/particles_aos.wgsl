// Particles as structures: each lane moves its own, and neighbours are 32 bytes apart.
struct Particle { place: vec3<f32>, mass: f32, speed: vec3<f32>, id: u32 }
struct Params { step: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let speed = particles[id.x].speed;
    particles[id.x].place += speed * params.step;
}
