//! The same access as it is written in CUDA C++ and in Triton, generated from the parameters: many learners come from
//! there. Shown, never run.

use crate::app::forecast::Pattern;

/// An access in another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign {
    /// The language.
    pub(super) language: &'static str,
    /// Its name for the highlighter.
    pub(super) syntax: &'static str,
    /// The text.
    pub(super) code: String,
    /// The line of the access, from 1.
    pub(super) line: usize,
}

/// The access of a pattern in each language; none where the kernel is more than a strided access.
pub(super) fn of(pattern: &Pattern) -> Vec<Foreign> {
    let Some(access) = Access::of(pattern) else { return Vec::new() };
    vec![access.cuda(), access.triton()]
}

/// What a strided access needs to be written down.
struct Access {
    writes: bool,
    reads: bool,
    element: &'static str,
    items: u32,
    workgroup: u32,
    /// From a tile's element number to the element of the buffer: ` * 8 + 1`, or nothing.
    index: String,
    blocked: bool,
}

impl Access {
    fn of(pattern: &Pattern) -> Option<Self> {
        let (reads, writes) = match pattern.kernel.id {
            "read" => (true, false),
            "write" => (false, true),
            "copy" => (true, true),
            _ => return None,
        };
        let number = |name: &str, otherwise: u32| pattern.number(name).unwrap_or(otherwise);
        let pitch = crate::kernels::element::Element::named(pattern.params.word("element")).pitch.max(1);
        let (stride, offset) = (number("stride", 1), number("offset", 0) + number("offset_bytes", 0) / pitch);
        let scaled = if stride == 1 { String::new() } else { format!(" * {stride}") };
        let index = if offset == 0 { scaled } else { format!("{scaled} + {offset}") };
        Some(Self {
            writes,
            reads,
            element: pattern.params.word("element"),
            items: number("items", 1),
            workgroup: number("workgroup", 256),
            index,
            blocked: pattern.params.word("order") == "blocked",
        })
    }

    fn cuda(&self) -> Foreign {
        let element = match self.element {
            "f16" => "__half",
            "vec2" => "float2",
            "vec3" => "float3",
            "vec4" => "float4",
            "u32" => "unsigned",
            "vec2h" => "__half2",
            "vec4h" => "uint2",
            "f16x8" => "uint4",
            _ => "float",
        };
        let (items, index) = (self.items, &self.index);
        let of_item = if self.blocked {
            format!("threadIdx.x * {items} + item")
        } else {
            "item * blockDim.x + threadIdx.x".to_owned()
        };
        let access = match (self.reads, self.writes) {
            (true, true) => format!("out[i{index}] = in[i{index}];"),
            (false, true) => format!("out[i{index}] = value;"),
            _ => format!("fold(in[i{index}]);"),
        };
        let code = format!(
            "// blocks of {} threads\nconst {element}* in; {element}* out;\nsize_t first = size_t(blockIdx.x) * blockDim.x * \
             {items};\n#pragma unroll\nfor (int item = 0; item < {items}; ++item) {{\n    size_t i = first + {of_item};\n    \
             {access}\n}}",
            self.workgroup
        );
        Foreign { language: "CUDA C++", syntax: "cpp", code, line: 7 }
    }

    fn triton(&self) -> Foreign {
        let tile = u64::from(self.items) * u64::from(self.workgroup);
        let at = format!("(first + tl.arange(0, {tile})){}", self.index);
        let access = match (self.reads, self.writes) {
            (true, true) => format!("tl.store(out_ptr + {at}, tl.load(in_ptr + {at}))"),
            (false, true) => format!("tl.store(out_ptr + {at}, value)"),
            _ => format!("x = tl.load(in_ptr + {at})"),
        };
        let note = match (self.element, self.blocked) {
            ("f32" | "u32" | "f16", false) => "# the tile of this program",
            (_, true) => "# Triton itself chooses which lane owns which elements",
            _ => "# Triton itself chooses wide loads, where addresses are contiguous",
        };
        let code = format!("{note}\nfirst = tl.program_id(0) * {tile}\n{access}");
        Foreign { language: "Triton", syntax: "py", code, line: 3 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;

    #[test]
    fn the_marked_line_is_the_access_with_its_stride() {
        let read = Pattern::of(kernels::by_id("read").unwrap()).with("stride", 8).with("offset", 1);
        let marked: Vec<String> =
            of(&read).iter().map(|text| text.code.lines().nth(text.line - 1).unwrap().trim().to_owned()).collect();
        assert_eq!(marked, ["fold(in[i * 8 + 1]);", "x = tl.load(in_ptr + (first + tl.arange(0, 2048)) * 8 + 1)"]);
        let copy = Pattern::of(kernels::by_id("copy").unwrap());
        assert!(of(&copy)[0].code.contains("out[i] = in[i];"));
        assert!(of(&Pattern::of(kernels::by_id("transpose").unwrap())).is_empty());
    }
}
