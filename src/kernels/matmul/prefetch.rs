//! `matmul_prefetch`: the rung whose text is generated, since WGSL has no way to ask for an unrolled loop.

use super::super::{Counts, Draft, Kernel, Parameter, Params, Refusal, Setting};
use super::lines::{Lines, plus};
use super::{Edges, FAMILY, K, M, N, Rung, SIZE, Shape, draft, shape};

/// The kernel.
pub(in super::super) const PREFETCH: Kernel = Kernel {
    id: "matmul_prefetch",
    family: FAMILY,
    question: "Loops written out, the next tile loaded while this one is used: how near does WGSL come to the vendor's \
               library?",
    wgsl: include_str!("../../../shaders/matmul/matmul_prefetch.wgsl"),
    parameters: &[
        SIZE,
        M,
        N,
        K,
        Parameter::words(
            "tile",
            "m x n x k of a workgroup's step: two halves along k, one in use while the other is filled; auto: \
             128x128x16 where there are 128 of them, else 64x128x16",
            &["auto", "64x64x16", "64x128x16", "128x128x16"],
        ),
        Parameter::numbers(
            "strip",
            "rows of tiles that workgroups go down before the next column of tiles",
            &[1, 2, 4, 8, 16],
            8,
        ),
    ],
    primary: "b",
    counts: Counts::Products,
    draft: prefetch,
};

/// Outputs of a subgroup's lanes: rows, and columns in vec4.
const SUBGROUP_TILE: [u64; 2] = [32, 16];
/// Outputs of a lane.
const OUTPUTS: u64 = 64;
/// Steps along k of a half of the tile.
const HALF: u64 = 8;
/// Tiles that fill a large device: one for each of its multiprocessors.
const ENOUGH_GROUPS: u64 = 128;

fn prefetch(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let most = u64::from(setting.limits.max_workgroup_memory_bytes);
    let sides = |m, n| Shape { m, n, k: 2 * HALF };
    let tile = match params.word("tile") {
        "64x64x16" => sides(64, 64),
        "64x128x16" => sides(64, 128),
        "128x128x16" => sides(128, 128),
        _ => chosen(shape(params, setting), most),
    };
    let needed = workgroup_bytes(tile);
    if needed > most {
        return Err(Refusal(format!(
            "a tile of {} x {} x {} needs {needed} bytes of workgroup memory, and this device has {most}: take tile=auto",
            tile.m, tile.n, tile.k
        )));
    }
    let text = Text { tile };
    let lanes = text.lanes();
    let rung = Rung {
        wgsl: text.render(),
        constants: vec![("strip", f64::from(params.number("strip")))],
        sizes: &["m", "n", "k"],
        workgroup: u32::try_from(lanes).unwrap_or(u32::MAX),
        tile,
        edges: Edges::Padded,
        width: 4,
        cooperative: None,
        extra_k: HALF,
        tiled: true,
    };
    draft(rung, params, setting)
}

/// The largest tile of which there are enough, and whose workgroup memory the device has.
fn chosen(shape: Shape, most_bytes: u64) -> Shape {
    let large = Shape { m: 128, n: 128, k: 2 * HALF };
    let enough = shape.m.div_ceil(large.m) * shape.n.div_ceil(large.n) >= ENOUGH_GROUPS;
    if enough && workgroup_bytes(large) <= most_bytes { large } else { Shape { m: 64, ..large } }
}

const fn workgroup_bytes(tile: Shape) -> u64 {
    4 * tile.k * (pitch(tile) + tile.n)
}

/// Floats from one row of the transposed tile of a to the next: with 4 more than there are, the two lanes that copy one
/// row of a store into different halves of the banks.
const fn pitch(tile: Shape) -> u64 {
    tile.m + 4
}

/// The text for a tile.
struct Text {
    tile: Shape,
}

impl Text {
    const fn lanes(&self) -> u64 {
        self.tile.m * self.tile.n / OUTPUTS
    }

    /// vec4 that a lane copies of each half of a tile.
    const fn copies(&self) -> [u64; 2] {
        let lanes = self.lanes();
        [self.tile.m * HALF / 4 / lanes, HALF * self.tile.n / 4 / lanes]
    }

    fn render(&self) -> String {
        let mut out = Lines::default();
        self.head(&mut out);
        self.start(&mut out);
        let [of_a, of_b] = self.copies();
        out.line(1, "// The first half of a tile, by way of registers.");
        (0..of_a).for_each(|i| out.line(1, &format!("var next_a{i} = {};", self.load_a(i, ""))));
        (0..of_b).for_each(|i| out.line(1, &format!("var next_b{i} = {};", self.load_b(i, ""))));
        self.fill(&mut out, 1, 0);
        out.line(1, "workgroupBarrier();");
        out.line(1, "// What a step multiplies; the next step's is loaded before this step's is used.");
        self.fragments(&mut out, "    var ", 0, 0);
        (0..8).for_each(|r| out.line(1, &format!("var a1_{r}: f32;")));
        ["low", "high"].iter().for_each(|part| out.line(1, &format!("var b1_{part}: vec4<f32>;")));
        out.line(1, &format!("for (var t = 0u; t < k; t += {}u) {{", self.tile.k));
        (0..2).for_each(|half| self.half(&mut out, half));
        out.line(1, "}");
        for r in 0..8 {
            let row = match r / 4 * 16 + r % 4 {
                0 => String::new(),
                row => format!(" + {row}u * n4"),
            };
            out.line(1, &format!("c[to{row}] = c{r}_low;"));
            out.line(1, &format!("c[to{row} + 8u] = c{r}_high;"));
        }
        out.line(0, "}");
        out.0
    }

    fn head(&self, out: &mut Lines) {
        let Shape { m, n, k } = self.tile;
        let pitch = pitch(self.tile);
        out.line(0, &format!("// {}", PREFETCH.question));
        out.line(0, &format!("override workgroup_size: u32 = {};", self.lanes()));
        out.sizes(8);
        out.line(0, "");
        out.bindings([m, n], "vec4<f32>", "vec4<f32>");
        out.line(0, "");
        out.line(0, "// Tiles in two halves along k: one is in use while the other is filled. The tile of a lies transposed, in floats,");
        out.line(
            0,
            "// since lanes store parts of each other's four; four that lie side by side a compiler may load at once.",
        );
        out.line(0, &format!("var<workgroup> tile_a: array<f32, {}>; // {k} x {pitch}", k * pitch));
        out.line(0, &format!("var<workgroup> tile_b: array<vec4<f32>, {}>; // {k} x {}", k * n / 4, n / 4));
    }

    /// Where the workgroup and the lane are.
    fn start(&self, out: &mut Lines) {
        let Shape { m, n, .. } = self.tile;
        let across = n / 4 / SUBGROUP_TILE[1];
        out.line(0, "");
        out.entry([m, n], &format!("{}u; // in vec4", n / 4));
        out.line(
            1,
            "// 32 lanes compute 32 x 64 outputs as 4 x 8 lanes; a lane has rows y to y + 3 and y + 16 to y + 19, and two vec4 of columns.",
        );
        out.line(1, &format!("let y = lane / 32u / {across}u * {}u + lane % 32u / 8u * 4u;", SUBGROUP_TILE[0]));
        out.line(1, &format!("let x = lane / 32u % {across}u * {}u + lane % 8u;", SUBGROUP_TILE[1]));
        out.line(1, "let to = (first_row + y) * n4 + first_column + x;");
        out.line(1, "// What it copies.");
        let (four, wide) = (HALF / 4, n / 4);
        out.line(1, &format!("let from_a = (first_row + lane / {four}u) * k4 + lane % {four}u;"));
        out.line(1, &format!("let from_b = lane / {wide}u * n4 + first_column + lane % {wide}u;"));
        out.line(1, &format!("let to_a = lane % {four}u * {}u + lane / {four}u;", 4 * pitch(self.tile)));
        for r in 0..8 {
            out.line(1, &format!("var c{r}_low = vec4<f32>();"));
            out.line(1, &format!("var c{r}_high = vec4<f32>();"));
        }
    }

    /// The steps of one half of the tile, while the next half is under way and then stored into the other.
    fn half(&self, out: &mut Lines, half: u64) {
        let other = 1 - half;
        let [of_a, of_b] = self.copies();
        out.line(2, "{");
        out.line(3, "// The next half, while this one is used; after the last one, the last again.");
        out.line(3, &format!("let next = min(t + {}u, k - {HALF}u);", (half + 1) * HALF));
        (0..of_a).for_each(|i| out.line(3, &format!("next_a{i} = {};", self.load_a(i, " + next / 4u"))));
        (0..of_b).for_each(|i| out.line(3, &format!("next_b{i} = {};", self.load_b(i, " + next * n4"))));
        for step in 0..HALF {
            let set = step % 2;
            if step + 1 < HALF {
                self.fragments(out, "            ", 1 - set, half * HALF + step + 1);
            } else {
                self.fill(out, 3, other);
                out.line(3, "workgroupBarrier();");
                self.fragments(out, "            ", 1 - set, other * HALF);
            }
            for r in 0..8 {
                for part in ["low", "high"] {
                    out.line(3, &format!("c{r}_{part} = fma(vec4<f32>(a{set}_{r}), b{set}_{part}, c{r}_{part});"));
                }
            }
        }
        out.line(2, "}");
    }

    /// Stores what the lane has loaded into a half of the tile.
    fn fill(&self, out: &mut Lines, depth: usize, half: u64) {
        let [of_a, of_b] = self.copies();
        for i in 0..of_a {
            for (step, part) in ["x", "y", "z", "w"].iter().enumerate() {
                let at = (half * HALF + step as u64) * pitch(self.tile) + i * self.rows_apart();
                out.line(depth, &format!("tile_a[to_a{}] = next_a{i}.{part};", plus(at)));
            }
        }
        for i in 0..of_b {
            let at = half * HALF * self.tile.n / 4 + i * self.lanes();
            out.line(depth, &format!("tile_b[lane{}] = next_b{i};", plus(at)));
        }
    }

    /// Loads what the lane multiplies in a step of the tile: 8 floats of a, two vec4 of b. Lines begin with `before`.
    fn fragments(&self, out: &mut Lines, before: &str, set: u64, step: u64) {
        for r in 0..8 {
            let at = step * pitch(self.tile) + r / 4 * 16 + r % 4;
            out.line(0, &format!("{before}a{set}_{r} = tile_a[y{}];", plus(at)));
        }
        for (place, part) in [(0, "low"), (8, "high")] {
            let at = step * self.tile.n / 4 + place;
            out.line(0, &format!("{before}b{set}_{part} = tile_b[x{}];", plus(at)));
        }
    }

    /// Rows of a from one copy of a lane to its next.
    const fn rows_apart(&self) -> u64 {
        self.lanes() / (HALF / 4)
    }

    fn load_a(&self, i: u64, along: &str) -> String {
        Lines::load('a', along, i * self.rows_apart(), "k4")
    }

    fn load_b(&self, i: u64, along: &str) -> String {
        Lines::load('b', along, i * self.lanes() / (self.tile.n / 4), "n4")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rendered_default_stands_in_the_folder() {
        let rendered = PREFETCH.source(&PREFETCH.defaults()).unwrap();
        assert!(rendered == PREFETCH.wgsl, "shaders/matmul/matmul_prefetch.wgsl is not what the generator renders");
    }

    #[test]
    fn tiles_are_as_large_as_the_device_allows() {
        let cube = |size| Shape { m: size, n: size, k: size };
        let tile = |size, bytes| {
            let Shape { m, n, k } = chosen(cube(size), bytes);
            [m, n, k]
        };
        assert_eq!(tile(1024, 48 << 10), [64, 128, 16]);
        assert_eq!(tile(2048, 32 << 10), [128, 128, 16]);
        assert_eq!(tile(2048, 16 << 10), [64, 128, 16]);
    }
}
