//! A document beside an older one of the same kernel: what changed, access by access, and whether it became worse.
//!
//! Lines move when a text is edited, so accesses are matched by what they are: first by variable, kind and the text of
//! their line, then by variable and kind alone, in the order of the text.

use crate::record::prediction::{AccessCount, PredictionDocument};
use crate::trace::Space;

/// What counts as a change of a rate: counts are exact, so only rounding is below it.
const SAME: f64 = 1e-9;

/// A comparison with an older document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// What differs, in the order of the text.
    pub changes: Vec<Change>,
    /// Why totals are not compared, where the two runs are not of the same size.
    pub note: Option<String>,
}

/// Which way a change goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// A regression.
    Worse,
    /// Less is paid.
    Better,
    /// An access came or went; the totals say what it is worth.
    Other,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The line in the new text.
    pub line: Option<u32>,
    /// Which way it goes.
    pub kind: ChangeKind,
    /// In words.
    pub text: String,
}

impl Baseline {
    /// Whether something became worse.
    #[must_use]
    pub fn has_regressed(&self) -> bool {
        self.changes.iter().any(|change| change.kind == ChangeKind::Worse)
    }
}

/// Compares a document with an older one.
///
/// # Errors
/// Other facts were counted with: a subgroup, a sector or a model.
pub fn compare(old: &PredictionDocument, new: &PredictionDocument) -> Result<Baseline, String> {
    let facts = |document: &PredictionDocument| (document.model.clone(), document.subgroup, document.sector_bytes);
    if facts(old) != facts(new) {
        let words = |(model, subgroup, sector): (String, u32, u32)| {
            format!("model {model}, {subgroup} lanes, sectors of {sector} bytes")
        };
        return Err(format!(
            "the baseline counts with {}, this run with {}: choose the same with --model, --subgroup and --sector, or \
             write a new baseline with --json",
            words(facts(old)),
            words(facts(new))
        ));
    }
    let pairs = pairs(old, new);
    let mut changes: Vec<Change> = Vec::new();
    for (access, partner) in new.accesses.iter().zip(&pairs) {
        changes.extend(match partner.and_then(|place| old.accesses.get(place)) {
            Some(before) => changed(before, access),
            None => Some(Change {
                line: Some(access.line),
                kind: ChangeKind::Other,
                text: format!("new: {} {}", words(access), rate(access)),
            }),
        });
    }
    for (place, gone) in old.accesses.iter().enumerate() {
        if !pairs.contains(&Some(place)) {
            let text = format!("gone: {} (line {} of the baseline)", words(gone), gone.line);
            changes.push(Change { line: None, kind: ChangeKind::Other, text });
        }
    }
    let size = |document: &PredictionDocument| (document.dispatch, document.workgroup_size, document.traced);
    let note = (size(old) != size(new) || !old.complete || !new.complete)
        .then(|| "the runs differ in dispatch, workgroup or what was executed: only rates are compared".to_owned());
    if note.is_none() {
        changes.extend(totals(old, new));
    }
    Ok(Baseline { changes, note })
}

/// For each access of the new document its partner in the old one.
fn pairs(old: &PredictionDocument, new: &PredictionDocument) -> Vec<Option<usize>> {
    let text = |document: &PredictionDocument, line: u32| document.line(line).map(|line| line.text.clone());
    let alike = |a: &AccessCount, b: &AccessCount| {
        (&a.variable, a.kind, a.space, a.leaf_offset) == (&b.variable, b.kind, b.space, b.leaf_offset)
    };
    let same_line = |a: &AccessCount, b: &AccessCount| alike(a, b) && text(old, a.line) == text(new, b.line);
    let mut pairs: Vec<Option<usize>> = vec![None; new.accesses.len()];
    let mut taken = vec![false; old.accesses.len()];
    for rule in [&same_line as &dyn Fn(&AccessCount, &AccessCount) -> bool, &alike] {
        for (access, pair) in new.accesses.iter().zip(&mut pairs).filter(|(_, pair)| pair.is_none()) {
            let free = (0..taken.len()).find(|place| !taken[*place] && rule(&old.accesses[*place], access));
            if let Some(place) = free {
                taken[place] = true;
                *pair = Some(place);
            }
        }
    }
    pairs
}

/// `load of a`.
fn words(access: &AccessCount) -> String {
    format!("{:?} of {}", access.kind, access.variable).to_lowercase()
}

/// What one request pays, beyond a perfect one of the same bytes.
fn factor(access: &AccessCount) -> Option<f64> {
    let (cost, ideal) = if access.space == Space::Workgroup {
        (access.wavefronts?, access.ideal_wavefronts?)
    } else {
        (access.sectors?, access.ideal_sectors?)
    };
    (ideal > 0).then(|| cost as f64 / ideal as f64)
}

fn rate(access: &AccessCount) -> String {
    let unit = if access.space == Space::Workgroup { "wavefronts" } else { "sectors" };
    format!("{} {unit} a request", super::lines::per_request(access.cost(), access.requests))
}

fn changed(before: &AccessCount, after: &AccessCount) -> Option<Change> {
    let (old, new) = (factor(before)?, factor(after)?);
    if (old - new).abs() <= SAME * old.max(new) {
        return None;
    }
    let kind = if new > old { ChangeKind::Worse } else { ChangeKind::Better };
    let moved = if before.line == after.line { String::new() } else { format!(", line {} before", before.line) };
    Some(Change {
        line: Some(after.line),
        kind,
        text: format!(
            "{}: {} -> {} ({old:.2} -> {new:.2} times ideal{moved})",
            words(after),
            rate(before),
            rate(after)
        ),
    })
}

/// Totals of two runs of the same size: more of anything is a regression, whatever each access says.
fn totals(old: &PredictionDocument, new: &PredictionDocument) -> Vec<Change> {
    let (a, b) = (&old.totals, &new.totals);
    [
        ("requests", Some(a.requests), Some(b.requests)),
        ("sectors", Some(a.sectors), Some(b.sectors)),
        ("wavefronts", a.wavefronts, b.wavefronts),
        ("accesses out of range", Some(a.out_of_range), Some(b.out_of_range)),
    ]
    .into_iter()
    .filter_map(|(what, old, new)| {
        let (old, new) = (old.unwrap_or(0), new.unwrap_or(0));
        let kind = if new > old { ChangeKind::Worse } else { ChangeKind::Better };
        (old != new).then(|| Change { line: None, kind, text: format!("total {what}: {old} -> {new}") })
    })
    .collect()
}
