//! Why an access costs what it costs, in words, from the addresses of its requests.

use super::anatomy::Parts;
use super::form::{Form, Shape};
use super::tally::{SiteTally, Weight};
use crate::trace::{AccessKind, Space};

/// Subgroups that are less full than this are worth a word.
const FULL: f64 = 0.97;
/// The share of requests from which on an access is part of a lane's walk.
const WALKING: f64 = 0.5;

/// What the words need beside the requests.
pub(super) struct Around<'a> {
    pub(super) parts: &'a Parts,
    /// Names of all variables, by their index.
    pub(super) names: &'a [String],
    pub(super) workgroup_size: [u32; 3],
    /// Whether the model knows banks.
    pub(super) banks: bool,
}

/// The cause in words; `None` without a request.
pub(super) fn cause(site: &SiteTally, around: &Around<'_>) -> Option<String> {
    let (shape, weight) = site.leading()?;
    let words = if site.site.space == Space::Workgroup {
        banked(site, shape, weight, around)
    } else {
        memory(site, shape, weight, around)
    };
    Some(match partial(site) {
        Some(partial) if weight.excess() == 0 && is_plain(shape, site) => partial,
        Some(partial) if !matches!(shape.form, Form::Single) => format!("{words}; {partial}"),
        _ => words,
    })
}

/// Whether lanes lie side by side in their order.
fn is_plain(shape: &Shape, site: &SiteTally) -> bool {
    matches!(shape.form, Form::Line { step } if step.unsigned_abs() == u64::from(site.site.element_bytes))
}

/// `partial subgroup: ..` where lanes stay away.
fn partial(site: &SiteTally) -> Option<String> {
    let share = site.active as f64 / site.lanes.max(1) as f64;
    let mean = |lanes: u64| {
        let text = format!("{:.1}", lanes as f64 / site.requests.max(1) as f64);
        text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
    };
    (share < FULL).then(|| {
        let average = if site.requests > 1 { " on average" } else { "" };
        format!("partial subgroup: {} of {} lanes take part{average}", mean(site.active), mean(site.lanes))
    })
}

fn memory(site: &SiteTally, shape: &Shape, weight: &Weight, around: &Around<'_>) -> String {
    let element = u64::from(site.site.element_bytes);
    let excess = weight.excess() > 0;
    match shape.form {
        Form::Single => "one lane only: a sector for one element".to_owned(),
        Form::Same if site.site.kind == AccessKind::Atomic => {
            "uniform: every lane at the same address, so the lanes take turns".to_owned()
        }
        Form::Same => "uniform: every lane at the same address".to_owned(),
        Form::Line { step } if step.unsigned_abs() == element => side_by_side("unit stride", shape, excess),
        Form::Line { step } => strided(site, step.unsigned_abs(), around),
        Form::Rows { row, step: 0, pitch } => {
            format!("uniform in rows of {row} lanes, which are {} bytes apart", pitch.unsigned_abs())
        }
        Form::Rows { row, step, pitch } if step.unsigned_abs() == element => {
            let words = format!("rows of {row} lanes side by side, {} bytes from row to row", pitch.unsigned_abs());
            side_by_side(&words, shape, excess)
        }
        Form::Rows { row, step, pitch: 0 } => {
            format!("rows of {row} lanes repeat the same addresses, {} bytes apart", step.unsigned_abs())
        }
        Form::Rows { row, step, pitch } => {
            let along = if row == around.workgroup_size[0] as usize { " along x" } else { "" };
            let mut words = strided(site, step.unsigned_abs(), around);
            words.push_str(along);
            if pitch.unsigned_abs() == element {
                let across = if along.is_empty() { "from row to row" } else { "along y" };
                words.push_str(&format!("; they lie side by side {across}"));
            }
            words
        }
        Form::Shuffled if excess => side_by_side("every element once, in another order than the lanes", shape, excess),
        Form::Shuffled => "every element once, in another order than the lanes, which costs nothing".to_owned(),
        Form::Scattered => scattered(around),
    }
}

fn scattered(around: &Around<'_>) -> String {
    let fed = around.parts.fed_by.iter().filter_map(|index| around.names.get(*index as usize));
    let fed: Vec<String> = fed.map(|name| format!("`{name}`")).collect();
    if fed.is_empty() {
        "scattered: the addresses follow no single stride".to_owned()
    } else {
        format!("scattered by data in {}", fed.join(", "))
    }
}

/// Elements side by side: what is paid beyond the ideal is the start behind a sector's.
fn side_by_side(words: &str, shape: &Shape, excess: bool) -> String {
    match shape.behind_sector {
        0 => words.to_owned(),
        bytes if excess => format!("misaligned by {bytes} bytes: {words}, but it begins {bytes} bytes into a sector"),
        _ => words.to_owned(),
    }
}

/// Lanes `step` bytes apart, with more than an element between them.
fn strided(site: &SiteTally, step: u64, around: &Around<'_>) -> String {
    let element = u64::from(site.site.element_bytes);
    let apart = format!("neighbouring lanes are {step} bytes apart");
    let parts = around.parts;
    if parts.stride.map(u64::from) == Some(step) && step > element {
        if let Some(structure) = &parts.structure {
            return match &parts.member {
                Some(member) => format!(
                    "structure padding: {element} of the {step} bytes of a `{structure}` are used, for member `{member}`"
                ),
                None => format!(
                    "whole structures: each lane moves a `{structure}` of its own, {element} bytes at a time; {apart}"
                ),
            };
        }
        if parts.of_vec3 && element == 12 {
            return format!("structure padding: a vec3 of {element} bytes takes {step} in an array");
        }
    }
    if site.walks as f64 >= WALKING * site.requests as f64 {
        return format!(
            "blocked scalars: each lane walks through a block of its own, {element} bytes at a time; {apart}"
        );
    }
    if element > 0 && step.is_multiple_of(element) {
        format!("stride {} elements: {apart}", step / element)
    } else {
        format!("stride {step} bytes: {apart}")
    }
}

fn banked(site: &SiteTally, shape: &Shape, weight: &Weight, around: &Around<'_>) -> String {
    let element = u64::from(site.site.element_bytes);
    let form = match shape.form {
        Form::Single => "one lane".to_owned(),
        Form::Same if site.site.kind == AccessKind::Load => "broadcast: every lane reads the same word".to_owned(),
        Form::Same => "uniform: every lane at the same address".to_owned(),
        Form::Line { step } | Form::Rows { step, .. } if step.unsigned_abs() == element => "unit stride".to_owned(),
        Form::Line { step } => format!("neighbouring lanes are {} bytes apart", step.unsigned_abs()),
        Form::Rows { row, step, pitch } => format!(
            "neighbouring lanes are {} bytes apart, rows of {row} lanes {} bytes",
            step.unsigned_abs(),
            pitch.unsigned_abs()
        ),
        Form::Shuffled => "every element once, in another order than the lanes".to_owned(),
        Form::Scattered => scattered(around),
    };
    if !around.banks {
        return format!("{form}; this model knows no banks");
    }
    if weight.excess() == 0 {
        return form;
    }
    let ways = weight.cost as f64 / weight.ideal.max(1) as f64;
    let ways =
        if weight.cost.is_multiple_of(weight.ideal.max(1)) { format!("{ways:.0}") } else { format!("{ways:.1}") };
    format!("bank conflict {ways}-way: {form}")
}
