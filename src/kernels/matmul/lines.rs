//! Pieces of generated WGSL.

/// ` + 5u`, and nothing for 0.
pub(super) fn plus(offset: u64) -> String {
    if offset == 0 { String::new() } else { format!(" + {offset}u") }
}

/// A text that grows by indented lines.
#[derive(Default)]
pub(super) struct Lines(pub String);

impl Lines {
    pub(super) fn line(&mut self, depth: usize, text: &str) {
        if !text.is_empty() {
            self.0.push_str(&"    ".repeat(depth));
            self.0.push_str(text);
        }
        self.0.push('\n');
    }

    /// The sizes that every rung of whole tiles has.
    pub(super) fn sizes(&mut self, strip: u32) {
        self.line(0, "override m: u32 = 256; // rows of a and c");
        self.line(0, "override n: u32 = 256; // columns of b and c");
        self.line(0, "override k: u32 = 256; // columns of a, rows of b");
        let what = "rows of tiles that workgroups go down before the next column of tiles";
        self.line(0, &format!("override strip: u32 = {strip}; // {what}"));
    }

    /// The uniform block of a rung with a tile of m x n outputs, and its buffers.
    pub(super) fn bindings(&mut self, [m, n]: [u64; 2], input: &str, output: &str) {
        self.line(0, "struct Params {");
        let groups = format!("groups: u32, // tiles of {m} x {n} outputs, one a workgroup");
        self.line(1, &format!("{groups}; the folded grid may hold a few more"));
        self.line(1, "first_group: u32, // of this dispatch: 0, but where a long run is split into several dispatches");
        self.line(0, "}");
        self.line(0, "");
        self.line(0, "@group(0) @binding(0) var<uniform> params: Params;");
        self.line(0, &format!("@group(0) @binding(1) var<storage, read> a: array<{input}>;"));
        self.line(0, &format!("@group(0) @binding(2) var<storage, read> b: array<{input}>;"));
        self.line(0, &format!("@group(0) @binding(3) var<storage, read_write> c: array<{output}>;"));
    }

    /// The head of the entry point, and which tile the workgroup has: its first row, and its first column in units of
    /// `columns` a tile.
    pub(super) fn entry(&mut self, [m, n]: [u64; 2], columns: &str) {
        self.line(0, "@compute @workgroup_size(workgroup_size)");
        self.line(0, "fn main(");
        self.line(1, "@builtin(workgroup_id) group_id: vec3<u32>,");
        self.line(1, "@builtin(num_workgroups) grid: vec3<u32>,");
        self.line(1, "@builtin(local_invocation_index) lane: u32,");
        self.line(0, ") {");
        self.line(1, "let group = params.first_group + group_id.y * grid.x + group_id.x;");
        self.line(1, "if (group >= params.groups) {");
        self.line(2, "return;");
        self.line(1, "}");
        self.line(1, "let n4 = n / 4u;");
        self.line(1, "let k4 = k / 4u;");
        self.line(1, "// Tiles in strips of rows, so that workgroups that run together share rows and columns.");
        self.line(1, &format!("let tiles_across = n / {n}u;"));
        self.line(1, "let strip_start = group / (strip * tiles_across) * strip;");
        self.line(1, &format!("let strip_rows = min(strip, m / {m}u - strip_start);"));
        self.line(1, "let in_strip = group % (strip * tiles_across);");
        self.line(1, &format!("let first_row = (strip_start + in_strip % strip_rows) * {m}u;"));
        self.line(1, &format!("let first_column = in_strip / strip_rows * {columns}"));
    }

    /// A load of a lane's copy number `i`, `rows` below its first: `from` steps `along` the rows or columns.
    pub(super) fn load(name: char, along: &str, rows: u64, pitch: &str) -> String {
        let below = if rows == 0 { String::new() } else { format!(" + {rows}u * {pitch}") };
        format!("{name}[from_{name}{along}{below}]")
    }
}
