//! Buffers whose contents matter for addresses or control flow, and whether anyone chose them.

use std::collections::{BTreeMap, BTreeSet};

use naga::AddressSpace;

use super::anatomy::Anatomy;
use crate::inputs::{Defaulted, Key};
use crate::interpreter::taint::SinkKind;
use crate::record::prediction::{LineWarning, Need, Reach, ReachedLine};
use crate::shader::Specialised;
use crate::trace::Space;

/// The needs of a shader, in the order of its variables.
pub(super) fn needs(shader: &Specialised, anatomy: &Anatomy, defaulted: &[Defaulted]) -> Vec<Need> {
    let mut reached: BTreeMap<u32, BTreeSet<ReachedLine>> = BTreeMap::new();
    for (sink, sources) in &anatomy.sinks {
        let what = match sink.kind {
            SinkKind::Address => Reach::Address,
            SinkKind::Branch => Reach::Branch,
            SinkKind::Loop => Reach::Loop,
        };
        for variable in sources.variables() {
            reached.entry(variable).or_default().insert(ReachedLine { line: sink.position.line, what });
        }
    }
    let variables = (0u32..).zip(shader.module.global_variables.iter());
    variables
        .filter_map(|(index, (_, variable))| {
            let space = match variable.space {
                AddressSpace::Uniform => Space::Uniform,
                AddressSpace::Storage { .. } => Space::Storage,
                _ => return None,
            };
            let reaches: Vec<ReachedLine> = reached.remove(&index)?.into_iter().collect();
            let buffer = variable.name.clone().unwrap_or_default();
            let default = defaulted.iter().any(|defaulted| is_contents_of(defaulted, &buffer));
            Some(Need { buffer, space, reaches, default })
        })
        .collect()
}

/// Whether this is the contents of a buffer, as nobody chose them.
fn is_contents_of(defaulted: &Defaulted, buffer: &str) -> bool {
    let name = defaulted.setting.name.as_str();
    let member = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
    matches!(defaulted.setting.key, Key::Fill | Key::Uniform) && name.strip_prefix(buffer).is_some_and(member)
}

/// One warning for each buffer that nobody chose the contents of although they matter.
pub(super) fn warnings(needs: &[Need]) -> impl Iterator<Item = LineWarning> + '_ {
    needs.iter().filter(|need| need.default).map(|need| {
        let buffer = &need.buffer;
        let option = match need.space {
            Space::Uniform => format!("--uniform {buffer}=JSON"),
            Space::Storage | Space::Workgroup => format!("--fill {buffer}=.."),
        };
        LineWarning {
            code: "default_contents".to_owned(),
            line: need.reaches.first().map(|reached| reached.line),
            text: format!(
                "the contents of {buffer} decide {}; nobody chose them: {option} gives yours",
                places(&need.reaches)
            ),
        }
    })
}

/// `addresses (lines 4, 7) and when loops end (line 5)`.
pub(super) fn places(reaches: &[ReachedLine]) -> String {
    let of = |what: Reach| {
        let lines: BTreeSet<u32> = reaches.iter().filter(|r| r.what == what).map(|r| r.line).collect();
        let plural = if lines.len() == 1 { "line" } else { "lines" };
        let list: Vec<String> = lines.iter().take(4).map(u32::to_string).collect();
        let more = if lines.len() > 4 { ", .." } else { "" };
        (!lines.is_empty()).then(|| format!("{} ({plural} {}{more})", what.words(), list.join(", ")))
    };
    Reach::ALL.into_iter().filter_map(of).collect::<Vec<_>>().join(" and ")
}
