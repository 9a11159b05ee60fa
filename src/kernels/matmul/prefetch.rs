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
            "m x n x k of a workgroup's tile; auto: the largest that still fills the device",
            &["auto", "64x64x16", "64x128x16", "128x128x16", "128x128x32"],
        ),
        Parameter::numbers(
            "strip",
            "rows of tiles that workgroups go down before the next column of tiles; 0: 8 for tiles of 64 rows, else 1",
            &[0, 1, 2, 4, 8, 16],
            0,
        ),
        Parameter::words(
            "lanes",
            "how a subgroup's 4 x 8 lanes are numbered: every other lane a row apart, or along rows",
            &["zigzag", "rows"],
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
/// Tiles that fill a large device: one for each of its multiprocessors.
const ENOUGH_GROUPS: u64 = 128;

fn prefetch(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let most = u64::from(setting.limits.max_workgroup_memory_bytes);
    let tile = match params.word("tile") {
        "64x64x16" => Shape { m: 64, n: 64, k: 16 },
        "64x128x16" => Shape { m: 64, n: 128, k: 16 },
        "128x128x16" => Shape { m: 128, n: 128, k: 16 },
        "128x128x32" => Shape { m: 128, n: 128, k: 32 },
        _ => chosen(shape(params, setting), most),
    };
    let needed = workgroup_bytes(tile);
    if needed > most {
        return Err(Refusal(format!(
            "a tile of {} x {} x {} needs {needed} bytes of workgroup memory, and this device has {most}: take tile=auto",
            tile.m, tile.n, tile.k
        )));
    }
    let strip = match params.number("strip") {
        0 if tile.m < 128 => 8,
        0 => 1,
        strip => strip,
    };
    let text = Text { tile, zigzag: params.word("lanes") == "zigzag" };
    let lanes = text.lanes();
    let rung = Rung {
        wgsl: text.render(),
        constants: vec![("strip", f64::from(strip))],
        sizes: &["m", "n", "k"],
        workgroup: u32::try_from(lanes).unwrap_or(u32::MAX),
        tile,
        edges: Edges::Padded,
        width: 4,
        cooperative: None,
        extra_tiles: 1,
        tiled: true,
    };
    draft(rung, params, setting)
}

/// The largest tile of which there are enough, and whose workgroup memory the device has.
fn chosen(shape: Shape, most_bytes: u64) -> Shape {
    let deep = Shape { m: 128, n: 128, k: 32 };
    if shape.m.div_ceil(deep.m) * shape.n.div_ceil(deep.n) < ENOUGH_GROUPS {
        Shape { m: 64, n: 128, k: 16 }
    } else if workgroup_bytes(deep) <= most_bytes {
        deep
    } else {
        Shape { k: 16, ..deep }
    }
}

const fn workgroup_bytes(tile: Shape) -> u64 {
    16 * (tile.m * pitch(tile) + tile.k * tile.n / 4)
}

/// vec4 from one row of the tile of a to the next. Two rows are loaded at a time: rows of 32 floats need a vec4 between
/// them so as not to meet in the same banks, rows of 16 lie in different ones as they are (and with a vec4 between them
/// the stores would meet).
const fn pitch(tile: Shape) -> u64 {
    let row = tile.k / 4;
    if row.is_multiple_of(8) { row + 1 } else { row }
}

/// The text for a tile.
struct Text {
    tile: Shape,
    zigzag: bool,
}

impl Text {
    const fn lanes(&self) -> u64 {
        self.tile.m * self.tile.n / OUTPUTS
    }

    /// vec4 that a lane copies of each tile.
    const fn copies(&self) -> [u64; 2] {
        let lanes = self.lanes();
        [self.tile.m * self.tile.k / 4 / lanes, self.tile.k * self.tile.n / 4 / lanes]
    }

    fn render(&self) -> String {
        let mut out = Lines::default();
        self.head(&mut out);
        self.start(&mut out);
        let [of_a, of_b] = self.copies();
        out.line(1, "// The first tile, into registers.");
        (0..of_a).for_each(|i| out.line(1, &format!("var next_a{i} = {};", self.load_a(i, ""))));
        (0..of_b).for_each(|i| out.line(1, &format!("var next_b{i} = {};", self.load_b(i, ""))));
        out.line(1, &format!("for (var t = 0u; t < k; t += {}u) {{", self.tile.k));
        (0..of_a).for_each(|i| out.line(2, &format!("tile_a[to_a{}] = next_a{i};", self.row_of_a(i, self.pitch()))));
        (0..of_b).for_each(|i| out.line(2, &format!("tile_b[lane{}] = next_b{i};", plus(i * self.lanes()))));
        out.line(2, "workgroupBarrier();");
        out.line(2, "// The next tile, while this one is used; after the last one, the last again.");
        out.line(2, &format!("let next = min(t + {0}u, k - {0}u);", self.tile.k));
        (0..of_a).for_each(|i| out.line(2, &format!("next_a{i} = {};", self.load_a(i, " + next / 4u"))));
        (0..of_b).for_each(|i| out.line(2, &format!("next_b{i} = {};", self.load_b(i, " + next * n4"))));
        (0..self.tile.k / 4).for_each(|quad| self.four_steps(&mut out, quad));
        out.line(2, "workgroupBarrier();");
        out.line(1, "}");
        for r in 0..8 {
            let row = if r == 0 { String::new() } else { format!(" + {}u * n4", 4 * r) };
            out.line(1, &format!("c[to{row}] = c{r}_low;"));
            out.line(1, &format!("c[to{row} + 8u] = c{r}_high;"));
        }
        out.line(0, "}");
        out.0
    }

    fn head(&self, out: &mut Lines) {
        let Shape { m, n, k } = self.tile;
        let pitch = self.pitch();
        out.line(0, &format!("// {}", PREFETCH.question));
        out.line(0, &format!("override workgroup_size: u32 = {};", self.lanes()));
        out.line(0, "override m: u32 = 256; // rows of a and c");
        out.line(0, "override n: u32 = 256; // columns of b and c");
        out.line(0, "override k: u32 = 256; // columns of a, rows of b");
        out.line(
            0,
            "override strip: u32 = 8; // rows of tiles that workgroups go down before the next column of tiles",
        );
        out.line(0, "");
        out.line(0, "struct Params {");
        out.line(
            1,
            &format!(
                "groups: u32, // tiles of {m} x {n} outputs, one a workgroup; the folded grid may hold a few more"
            ),
        );
        out.line(1, "first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches");
        out.line(0, "}");
        out.line(0, "");
        out.line(0, "@group(0) @binding(0) var<uniform> params: Params;");
        out.line(0, "@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;");
        out.line(0, "@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;");
        out.line(0, "@group(0) @binding(3) var<storage, read_write> c: array<vec4<f32>>;");
        out.line(0, "");
        out.line(0, "// Both tiles lie as in memory, four floats along a row. No two lanes that are served together meet in a bank.");
        out.line(0, &format!("var<workgroup> tile_a: array<vec4<f32>, {}>; // {m} x {pitch}", m * pitch));
        out.line(0, &format!("var<workgroup> tile_b: array<vec4<f32>, {}>; // {k} x {}", k * n / 4, n / 4));
        out.line(0, "");
        out.line(0, "@compute @workgroup_size(workgroup_size)");
        out.line(0, "fn main(");
        out.line(1, "@builtin(workgroup_id) group_id: vec3<u32>,");
        out.line(1, "@builtin(num_workgroups) grid: vec3<u32>,");
        out.line(1, "@builtin(local_invocation_index) lane: u32,");
        out.line(0, ") {");
    }

    /// Where the workgroup and the lane are.
    fn start(&self, out: &mut Lines) {
        let Shape { m, n, k } = self.tile;
        let across = n / 4 / SUBGROUP_TILE[1];
        out.line(1, "let group = params.first_group + group_id.y * grid.x + group_id.x;");
        out.line(1, "if (group >= params.groups) {");
        out.line(2, "return;");
        out.line(1, "}");
        out.line(1, "let n4 = n / 4u;");
        out.line(1, "let k4 = k / 4u;");
        out.line(1, "// Tiles in strips of rows, so that workgroups that run together share rows and columns.");
        out.line(1, &format!("let tiles_across = n / {n}u;"));
        out.line(1, "let strip_start = group / (strip * tiles_across) * strip;");
        out.line(1, &format!("let strip_rows = min(strip, m / {m}u - strip_start);"));
        out.line(1, "let in_strip = group % (strip * tiles_across);");
        out.line(1, &format!("let first_row = (strip_start + in_strip % strip_rows) * {m}u;"));
        out.line(1, &format!("let first_column = in_strip / strip_rows * {}u; // in vec4", n / 4));
        out.line(
            1,
            "// 32 lanes compute 32 x 64 outputs as 4 x 8 lanes; a lane's 8 rows are 4 apart, its 2 vec4 of columns 8.",
        );
        if self.zigzag {
            out.line(1, "// Neighbours lie below each other: pairs then ask for the same of b, and pairs of pairs for the same of a.");
            out.line(1, "let lane_row = lane % 2u + lane / 16u % 2u * 2u;");
            out.line(1, "let lane_column = lane / 2u % 8u;");
        } else {
            out.line(1, "let lane_row = lane / 8u % 4u;");
            out.line(1, "let lane_column = lane % 8u;");
        }
        out.line(1, &format!("let y = lane / 32u / {across}u * {}u + lane_row;", SUBGROUP_TILE[0]));
        out.line(1, &format!("let x = lane / 32u % {across}u * {}u + lane_column;", SUBGROUP_TILE[1]));
        out.line(1, &format!("let at_a = y * {}u;", self.pitch()));
        out.line(1, "let to = (first_row + y) * n4 + first_column + x;");
        out.line(1, "// What it copies.");
        out.line(1, &format!("let from_a = (first_row + lane / {0}u) * k4 + lane % {0}u;", k / 4));
        out.line(1, &format!("let from_b = lane / {0}u * n4 + first_column + lane % {0}u;", n / 4));
        out.line(1, &format!("let to_a = lane / {0}u * {1}u + lane % {0}u;", k / 4, self.pitch()));
        for r in 0..8 {
            out.line(1, &format!("var c{r}_low = vec4<f32>();"));
            out.line(1, &format!("var c{r}_high = vec4<f32>();"));
        }
    }

    /// The products of four steps along k: a vec4 of each of the lane's rows, four times two vec4 of b.
    fn four_steps(&self, out: &mut Lines, quad: u64) {
        let row4 = self.tile.n / 4;
        out.line(2, "{");
        for r in 0..8 {
            out.line(3, &format!("let a{r} = tile_a[at_a{}];", plus(4 * r * self.pitch() + quad)));
        }
        for (step, part) in ["x", "y", "z", "w"].iter().enumerate() {
            let row = (4 * quad + step as u64) * row4;
            out.line(3, &format!("let b{step}_low = tile_b[x{}];", plus(row)));
            out.line(3, &format!("let b{step}_high = tile_b[x{}];", plus(row + 8)));
            for r in 0..8 {
                for half in ["low", "high"] {
                    out.line(3, &format!("c{r}_{half} = fma(vec4<f32>(a{r}.{part}), b{step}_{half}, c{r}_{half});"));
                }
            }
        }
        out.line(2, "}");
    }

    const fn pitch(&self) -> u64 {
        pitch(self.tile)
    }

    /// How far the rows of a that copy `i` reads are below the first copy's, times `pitch`.
    fn row_of_a(&self, i: u64, pitch: u64) -> String {
        plus(i * self.lanes() / (self.tile.k / 4) * pitch)
    }

    fn load_a(&self, i: u64, along: &str) -> String {
        let rows = i * self.lanes() / (self.tile.k / 4);
        format!("a[from_a{along}{}]", if rows == 0 { String::new() } else { format!(" + {rows}u * k4") })
    }

    fn load_b(&self, i: u64, along: &str) -> String {
        let rows = i * self.lanes() / (self.tile.n / 4);
        format!("b[from_b{along}{}]", if rows == 0 { String::new() } else { format!(" + {rows}u * n4") })
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
        assert_eq!(tile(2048, 48 << 10), [128, 128, 32]);
        assert_eq!(tile(2048, 32 << 10), [128, 128, 16]);
    }
}
