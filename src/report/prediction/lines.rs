//! The lines of a document from the worst on, each with the words of its accesses.

use std::collections::BTreeSet;

use crate::record::prediction::{AccessCount, PredictionDocument};
use crate::trace::{AccessKind, Space};
use crate::units::format_tenths;

/// The accesses of a line that cost more than their ideal, the worst first, alike ones once.
pub(super) fn culprits(document: &PredictionDocument, line: u32) -> Vec<&AccessCount> {
    let mut accesses: Vec<&AccessCount> =
        document.accesses.iter().filter(|access| access.line == line && access.excess() > 0).collect();
    accesses.sort_by_key(|access| (std::cmp::Reverse(access.excess()), access.kind));
    let mut seen = BTreeSet::new();
    accesses.retain(|access| seen.insert((&access.variable, access.kind, &access.cause)));
    accesses
}

/// `load of a: 16.0 sectors a request where 4.0 would do (25 % of their bytes are used)`.
pub(super) fn bill(access: &AccessCount) -> String {
    let kind = match access.kind {
        AccessKind::Load => "load of",
        AccessKind::Store => "store to",
        AccessKind::Atomic => "atomic on",
    };
    let (cost, ideal, unit) = if access.space == Space::Workgroup {
        (access.wavefronts, access.ideal_wavefronts, "wavefronts")
    } else {
        (access.sectors, access.ideal_sectors, "sectors")
    };
    let each = |value: Option<u64>| per_request(value.unwrap_or(0), access.requests);
    let used = access
        .request_efficiency
        .map_or_else(String::new, |share| format!(" ({} % of their bytes are used)", format_tenths(share)));
    format!("{kind} {}: {} {unit} a request where {} would do{used}", access.variable, each(cost), each(ideal))
}

/// A count for each request: whole numbers without a decimal.
pub(super) fn per_request(count: u64, requests: u64) -> String {
    if requests > 0 && count.is_multiple_of(requests) {
        (count / requests).to_string()
    } else {
        format!("{:.1}", count as f64 / requests.max(1) as f64)
    }
}
