//! `matmul_cooperative`: the rung whose subgroups multiply whole matrices. Its text is generated, for the matrices and
//! the subgroups that a device has.

use super::super::{Counts, Draft, Kernel, Parameter, Params, Refusal, SUBGROUP_SIZE, Setting};
use super::lines::{Lines, plus};
use super::{Edges, FAMILY, K, M, N, Rung, SIZE, Shape, draft};
use crate::program::{Cooperative, Matrices};

/// The kernel.
pub(in super::super) const COOPERATIVE: Kernel = Kernel {
    id: "matmul_cooperative",
    family: FAMILY,
    question: "Subgroups multiply whole matrices, of f16 with f32 sums where the device can: what is hardware for matrix \
               products worth?",
    wgsl: include_str!("../../../shaders/matmul/matmul_cooperative.wgsl"),
    parameters: &[
        SIZE,
        M,
        N,
        K,
        Parameter::numbers(
            "strip",
            "rows of tiles that workgroups go down before the next column of tiles",
            &[1, 2, 4, 8, 16],
            1,
        ),
    ],
    primary: "b",
    counts: Counts::Products,
    draft: cooperative,
};

fn cooperative(params: &Params, setting: &Setting) -> Result<Draft, Refusal> {
    let text = Text::of(setting.limits.cooperative.unwrap_or(Cooperative::WITHOUT_DEVICE));
    let most = u64::from(setting.limits.max_workgroup_memory_bytes);
    let needed = text.workgroup_bytes();
    if needed > most {
        return Err(Refusal(format!(
            "its tiles need {needed} bytes of workgroup memory, and this device has {most}: matmul_tiled needs less"
        )));
    }
    let rung = Rung {
        wgsl: text.render(),
        constants: vec![("strip", f64::from(params.number("strip"))), (SUBGROUP_SIZE, text.subgroup as f64)],
        sizes: &["m", "n", "k"],
        workgroup: u32::try_from(text.lanes()).unwrap_or(u32::MAX),
        tile: text.tile(),
        edges: Edges::Padded,
        width: 4,
        cooperative: Some(text.matrices),
        extra_k: text.depth,
        tiled: true,
    };
    draft(rung, params, setting)
}

/// The text for matrices of a kind: a workgroup's subgroups stand in a grid, each of them computes a block of matrices.
struct Text {
    matrices: Matrices,
    /// Lanes of a subgroup.
    subgroup: u64,
    /// Subgroups of a workgroup: down, across.
    subgroups: [u64; 2],
    /// Matrices of a subgroup: down, across.
    block: [u64; 2],
    /// Depth of the tiles.
    depth: u64,
    /// Elements between the rows of a tile in workgroup memory: rows a power of two apart would meet in the same banks.
    padding: u64,
}

impl Text {
    /// What was fastest on an H200 of blocks of 4 x 4, 2 x 8 and 8 x 4 matrices, of 4 and 16 subgroups, of depths of 16,
    /// 32 and 64: more matrices spill from registers, more subgroups wait for each other.
    fn of(cooperative: Cooperative) -> Self {
        Self {
            matrices: cooperative.matrices,
            subgroup: u64::from(cooperative.subgroup),
            subgroups: [2, 2],
            block: [4, 4],
            depth: 32,
            padding: 8,
        }
    }

    fn side(&self) -> u64 {
        u64::from(self.matrices.side())
    }

    const fn lanes(&self) -> u64 {
        self.subgroup * self.subgroups[0] * self.subgroups[1]
    }

    fn tile(&self) -> Shape {
        let [m, n] = [0, 1].map(|way| self.side() * self.block[way] * self.subgroups[way]);
        Shape { m, n, k: self.depth }
    }

    /// Elements from one row of a tile to the next: of a and of b.
    fn pitches(&self) -> [u64; 2] {
        [self.depth + self.padding, self.tile().n + self.padding]
    }

    fn workgroup_bytes(&self) -> u64 {
        let [of_a, of_b] = self.pitches();
        u64::from(self.matrices.input_bytes()) * (self.tile().m * of_a + self.depth * of_b)
    }

    /// Copies of four elements that a lane makes of each tile.
    fn copies(&self) -> [u64; 2] {
        let Shape { m, n, k } = self.tile();
        [m * k / 4 / self.lanes(), k * n / 4 / self.lanes()]
    }

    /// Rows of a tile that lie between the copies of a lane.
    fn rows_apart(&self) -> [u64; 2] {
        [self.depth, self.tile().n].map(|row| self.lanes() / (row / 4))
    }

    fn render(&self) -> String {
        let mut out = Lines::default();
        self.head(&mut out);
        self.start(&mut out);
        let [of_a, of_b] = self.copies();
        let ([apart_a, apart_b], [pitch_a, pitch_b]) = (self.rows_apart(), self.pitches());
        out.line(1, "// The first tile, into registers.");
        (0..of_a).for_each(|i| out.line(1, &format!("var next_a{i} = {};", self.load_a(i, ""))));
        (0..of_b).for_each(|i| out.line(1, &format!("var next_b{i} = {};", self.load_b(i, ""))));
        out.line(1, &format!("for (var t = 0u; t < k; t += {}u) {{", self.depth));
        (0..of_a).for_each(|i| out.line(2, &format!("put_a(to_a{}, next_a{i});", plus(i * apart_a * pitch_a))));
        (0..of_b).for_each(|i| out.line(2, &format!("put_b(to_b{}, next_b{i});", plus(i * apart_b * pitch_b))));
        out.line(2, "workgroupBarrier();");
        out.line(2, "// The next tile, while this one is used; after the last one, the last again.");
        out.line(2, &format!("let next = min(t + {0}u, k - {0}u);", self.depth));
        (0..of_a).for_each(|i| out.line(2, &format!("next_a{i} = {};", self.load_a(i, " + next / 4u"))));
        (0..of_b).for_each(|i| out.line(2, &format!("next_b{i} = {};", self.load_b(i, " + next * n4"))));
        (0..self.depth / self.side()).for_each(|step| self.step(&mut out, step));
        out.line(2, "workgroupBarrier();");
        out.line(1, "}");
        for (i, j) in self.block() {
            let down = if i == 0 { String::new() } else { format!(" + {}u * n", i * self.side()) };
            out.line(1, &format!("coopStoreT(c{i}_{j}, &c[to{down}{}], n);", plus(j * self.side())));
        }
        out.line(0, "}");
        out.0
    }

    /// Row and column of each of a subgroup's matrices.
    fn block(&self) -> impl Iterator<Item = (u64, u64)> {
        let [down, across] = self.block;
        (0..down).flat_map(move |i| (0..across).map(move |j| (i, j)))
    }

    fn head(&self, out: &mut Lines) {
        let (Shape { m, n, k }, [pitch_a, pitch_b]) = (self.tile(), self.pitches());
        let (input, side) = (self.matrices.input(), self.side());
        out.line(0, &format!("// {}", COOPERATIVE.question));
        if self.matrices == Matrices::Half16 {
            out.line(0, "enable f16;");
        }
        out.line(0, "enable wgpu_cooperative_matrix;");
        out.line(0, "");
        for (name, element, role) in [("Left", input, "A"), ("Right", input, "B"), ("Sums", "f32", "C")] {
            out.line(0, &format!("alias {name} = coop_mat{side}x{side}<{element}, {role}>;"));
        }
        out.line(0, "");
        out.line(0, &format!("override workgroup_size: u32 = {};", self.lanes()));
        out.line(0, &format!("override subgroup_size: u32 = {}; // lanes", self.subgroup));
        out.sizes(1);
        out.line(0, "");
        out.bindings([m, n], &format!("vec4<{input}>"), "f32");
        out.line(0, "");
        out.line(0, &format!("// Both tiles lie as in memory, their rows {} elements longer.", self.padding));
        out.line(0, &format!("var<workgroup> tile_a: array<{input}, {}>; // {m} x {pitch_a}", m * pitch_a));
        out.line(0, &format!("var<workgroup> tile_b: array<{input}, {}>; // {k} x {pitch_b}", k * pitch_b));
        for tile in ["a", "b"] {
            out.line(0, "");
            out.line(0, &format!("fn put_{tile}(at: u32, values: vec4<{input}>) {{"));
            for (i, part) in (0..).zip(["x", "y", "z", "w"]) {
                out.line(1, &format!("tile_{tile}[at{}] = values.{part};", plus(i)));
            }
            out.line(0, "}");
        }
    }

    /// Where the workgroup, the subgroup and the lane are.
    fn start(&self, out: &mut Lines) {
        let (Shape { m, n, k }, [pitch_a, pitch_b]) = (self.tile(), self.pitches());
        let ([down, across], [high, wide]) = (self.subgroups, self.block);
        let side = self.side();
        out.line(0, "");
        out.entry([m, n], &format!("{n}u;"));
        let subgroups = format!("{down} x {across} subgroups compute {high} x {wide} matrices");
        out.line(1, &format!("// {subgroups} of {side} x {side} outputs each."));
        out.line(1, "let subgroup = lane / subgroup_size;");
        out.line(1, &format!("let y = subgroup / {across}u * {}u;", high * side));
        out.line(1, &format!("let x = subgroup % {across}u * {}u;", wide * side));
        out.line(1, &format!("let at_a = y * {pitch_a}u;"));
        out.line(1, "let to = (first_row + y) * n + first_column + x;");
        out.line(1, "// What the lane copies, four elements at a time.");
        out.line(1, &format!("let from_a = (first_row + lane / {0}u) * k4 + lane % {0}u;", k / 4));
        out.line(1, &format!("let from_b = lane / {0}u * n4 + first_column / 4u + lane % {0}u;", n / 4));
        out.line(1, &format!("let to_a = lane / {0}u * {pitch_a}u + lane % {0}u * 4u;", k / 4));
        out.line(1, &format!("let to_b = lane / {0}u * {pitch_b}u + lane % {0}u * 4u;", n / 4));
        self.block().for_each(|(i, j)| out.line(1, &format!("var c{i}_{j}: Sums;")));
    }

    /// The products of one step along k: a column of matrices of a times a row of matrices of b. `coopLoadT` takes rows
    /// as they lie.
    fn step(&self, out: &mut Lines, step: u64) {
        let ([down, across], [pitch_a, pitch_b], side) = (self.block, self.pitches(), self.side());
        out.line(2, "{");
        for i in 0..down {
            let offset = plus(i * side * pitch_a + step * side);
            out.line(3, &format!("let a{i} = coopLoadT<Left>(&tile_a[at_a{offset}], {pitch_a}u);"));
        }
        for j in 0..across {
            let offset = plus(step * side * pitch_b + j * side);
            out.line(3, &format!("let b{j} = coopLoadT<Right>(&tile_b[x{offset}], {pitch_b}u);"));
        }
        for (i, j) in self.block() {
            out.line(3, &format!("c{i}_{j} = coopMultiplyAdd(a{i}, b{j}, c{i}_{j});"));
        }
        out.line(2, "}");
    }

    fn load_a(&self, i: u64, along: &str) -> String {
        Lines::load('a', along, i * self.rows_apart()[0], "k4")
    }

    fn load_b(&self, i: u64, along: &str) -> String {
        Lines::load('b', along, i * self.rows_apart()[1], "n4")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::Shader;

    #[test]
    fn the_rendered_default_stands_in_the_folder() {
        let rendered = COOPERATIVE.source(&COOPERATIVE.defaults()).unwrap();
        assert!(
            rendered == COOPERATIVE.wgsl,
            "shaders/matmul/matmul_cooperative.wgsl is not what the generator renders"
        );
    }

    #[test]
    fn every_kind_and_subgroup_makes_a_valid_text_whose_copies_are_the_tiles() {
        for matrices in Matrices::ALL {
            for subgroup in [8, 16, 32, 64] {
                let text = Text::of(Cooperative { matrices, subgroup });
                let Shape { m, n, k } = text.tile();
                assert_eq!([m, n, k], if matrices == Matrices::Half16 { [128, 128, 32] } else { [64, 64, 32] });
                let copied = text.copies().map(|copies| copies * text.lanes() * 4);
                assert_eq!(copied, [m * k, k * n], "{matrices:?} {subgroup}");
                let constants = [("workgroup_size".to_owned(), text.lanes() as f64)].into();
                let shader = Shader::parse(&text.render()).unwrap().specialise("main", &constants).unwrap();
                let bytes = u64::from(shader.reflection().workgroup_bytes);
                assert_eq!(bytes, text.workgroup_bytes(), "{matrices:?} {subgroup}");
                assert!(bytes <= 32 << 10);
            }
        }
    }
}
