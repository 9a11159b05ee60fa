//! Where a demonstration fails, the app says so, with its evidence.

use crate::app::documents::Origin;
use crate::app::forecast::Pattern;
use crate::app::state::State;
use crate::kernels::element::Element;
use crate::record::{Row, Status};
use crate::units::{Bytes, format_ns};

/// A time that fell by more than this share did fall.
const FELL: f64 = 0.2;
/// A footprint is large enough from so many times the last-level cache on.
const TIMES_CACHE: u64 = 4;

/// Why what was measured along the strides of this pattern does not show what it should; `None` where it does, or where
/// too little is measured.
#[must_use]
pub fn verdict(state: &State, pattern: &Pattern) -> Option<String> {
    let rows: Vec<&Row> = state
        .documents
        .all()
        .iter()
        .filter(|document| matches!(document.origin, Origin::Session(_)))
        .flat_map(|document| document.rows())
        .filter(|row| row.status == Status::Ok && pattern.matches(row, Some("stride")))
        .collect();
    // On a CPU nothing of this is to be expected, which the device's own line says.
    let found = state.device.found().filter(|found| !found.adapter.is_cpu())?;
    // Up to a sector from lane to lane every stride fetches the whole footprint: equal traffic, so equal time.
    let pitch = Element::named(pattern.params.word("element")).pitch.max(1);
    let sector = u64::from((found.model.sector_bytes.value / pitch).max(1));
    let time = |stride: u64| {
        let row = rows.iter().rev().find(|row| row.params.get("stride").and_then(|s| s.as_u64()) == Some(stride))?;
        Some((row.measured.as_ref()?.median_ns, row.work.footprint_bytes))
    };
    let ((first, footprint), (last, _)) = time(1).zip(time(sector))?;
    if last >= (1.0 - FELL) * first {
        return None;
    }
    let cache = found.facts.as_ref().and_then(|facts| facts.last_level_cache_bytes);
    let enough = cache.map(|cache| TIMES_CACHE * cache).filter(|enough| *enough > footprint);
    let enough = enough.unwrap_or(TIMES_CACHE * footprint).next_power_of_two();
    Some(format!(
        "Time fell as the stride grew, so memory traffic was not the limit here. Try a footprint of at least {}. \
         (Stride 1 took {}, stride {sector} {}, though both fetch all of {}.)",
        Bytes(enough),
        format_ns(first),
        format_ns(last),
        Bytes(footprint)
    ))
}
