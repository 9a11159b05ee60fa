//! The rows that stand along the plot's axis: one a place, all of one footprint where that can be.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::app::documents::Document;
use crate::app::forecast::Pattern;
use crate::record::{Results, Row, Status};
use crate::units::Bytes;

/// A pattern whose rows are looked for, its axis, and the footprint that is looked at, bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Along<'a> {
    pub(super) pattern: &'a Pattern,
    pub(super) axis: &'static str,
    pub(super) footprint: u64,
}

/// A measured row at its place.
#[derive(Debug, Clone)]
pub(super) struct Found<'a> {
    pub(super) x: f64,
    pub(super) results: &'a Results,
    pub(super) row: &'a Row,
    /// The footprint of most others, where this one has another.
    others: Option<u64>,
}

impl Found<'_> {
    /// Why it should not be trusted as others are.
    pub(super) fn flag(&self) -> Option<String> {
        let warned = serious(self.row);
        warned.or_else(|| {
            let (own, others) = (Bytes(self.row.work.footprint_bytes), Bytes(self.others?));
            Some(format!("measured over {own}, the others over {others}"))
        })
    }
}

/// Why the figure of a row should not be trusted as others are, by its warnings.
pub(in crate::app::views) fn serious(row: &Row) -> Option<String> {
    const SERIOUS: [&str; 5] = ["cache", "drift", "coarse_clock", "incomplete", "interpreter_differs"];
    let warning = row.warnings.iter().find(|warning| SERIOUS.contains(&warning.code.as_str()))?;
    Some(warning.text.clone())
}

impl<'a> Along<'a> {
    /// Of a whole run: rows of the footprint that stands at the most places, of several such the one that is looked at, else
    /// the largest. Rows of other footprints are there to show caches.
    pub(super) fn of_run(&self, document: &'a Document) -> Vec<Found<'a>> {
        let all = self.all(document);
        let Some(footprint) = self.footprint(&all, |places, same, bytes| (places, u64::from(same), bytes)) else {
            return Vec::new();
        };
        one_a_place(all.into_iter().filter(|found| found.row.work.footprint_bytes == footprint))
    }

    /// Of this session's runs, the newest last: rows of the footprint that is looked at, else of the largest. At places that
    /// have none, others, which say so.
    pub(super) fn of_session(&self, documents: impl Iterator<Item = &'a Document>) -> Vec<Found<'a>> {
        let all: Vec<Found<'a>> = documents.flat_map(|document| self.all(document)).collect();
        let Some(footprint) = self.footprint(&all, |_, same, bytes| (u64::from(same), bytes)) else {
            return Vec::new();
        };
        let mut found = one_a_place(all.iter().filter(|found| found.row.work.footprint_bytes == footprint).cloned());
        let has: BTreeSet<u64> = found.iter().map(|one| one.x.to_bits()).collect();
        let others = all.into_iter().filter(|other| !has.contains(&other.x.to_bits()));
        let others = one_a_place(others).into_iter().map(|other| Found { others: Some(footprint), ..other });
        found.extend(others.collect::<Vec<_>>());
        found
    }

    /// All measured rows of a document along the axis.
    fn all(&self, document: &'a Document) -> Vec<Found<'a>> {
        let Some(results) = document.results() else { return Vec::new() };
        let fits = |row: &&Row| {
            row.status == Status::Ok && row.measured.is_some() && self.pattern.matches(row, Some(self.axis))
        };
        let found = |row: &'a Row| Some(Found { x: row.params.get(self.axis)?.as_f64()?, results, row, others: None });
        document.rows().filter(fits).filter_map(found).collect()
    }

    /// The footprint that ranks first, by the places that have it, whether it is looked at, and its size.
    fn footprint<K: Ord>(&self, all: &[Found<'_>], rank: impl Fn(usize, bool, u64) -> K) -> Option<u64> {
        let mut sizes: Vec<u64> = all.iter().map(|found| found.row.work.footprint_bytes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes.into_iter().max_by_key(|bytes| {
            let of_it = all.iter().filter(|found| found.row.work.footprint_bytes == *bytes).cloned();
            rank(one_a_place(of_it).len(), is_about(*bytes, self.footprint), *bytes)
        })
    }
}

/// A plan rounds its footprint down to whole tiles.
fn is_about(bytes: u64, wanted: u64) -> bool {
    bytes.abs_diff(wanted) <= wanted / 16
}

/// Of several rows at one place the newest, but one without safety checks before one with them.
fn one_a_place<'a>(all: impl Iterator<Item = Found<'a>>) -> Vec<Found<'a>> {
    let mut chosen: BTreeMap<u64, Found<'a>> = BTreeMap::new();
    for found in all {
        match chosen.entry(found.x.to_bits()) {
            Entry::Occupied(other) if other.get().row.checks == "off" && found.row.checks != "off" => {}
            Entry::Occupied(mut other) => _ = other.insert(found),
            Entry::Vacant(place) => _ = place.insert(found),
        }
    }
    chosen.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::documents::Documents;
    use crate::kernels;

    fn footprints(found: &[Found<'_>]) -> Vec<(f64, u64)> {
        let mut all: Vec<(f64, u64)> = found.iter().map(|one| (one.x, one.row.work.footprint_bytes >> 20)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all
    }

    fn read() -> Pattern {
        Pattern::of(kernels::by_id("read").unwrap())
    }

    /// The recorded run has strides 1, 8, 16 and 64 over 16 MiB too: they must not stand among those over 1 GiB.
    #[test]
    fn recorded_rows_are_of_one_footprint_whatever_is_looked_at() {
        let documents = Documents::recorded();
        for footprint in [16u64 << 20, 1 << 30] {
            let along = Along { pattern: &read(), axis: "stride", footprint };
            let found = along.of_run(&documents.all()[0]);
            assert!(found.len() >= 7 && found.iter().all(|one| one.row.work.footprint_bytes == 1 << 30), "{footprint}");
        }
    }

    #[test]
    fn in_a_session_the_footprint_that_is_looked_at_comes_first_and_others_say_so() {
        let mut results = Documents::recorded().all()[0].results().unwrap().clone();
        let rows = results.rows.clone();
        let row = |stride: u32, mib: u64, checks: &str| {
            let is_it =
                |row: &&Row| read().with("stride", stride).matches(row, None) && row.work.footprint_bytes == 1 << 30;
            let mut row = rows.iter().find(is_it).unwrap().clone();
            (row.work.footprint_bytes, row.checks) = (mib << 20, checks.to_owned());
            row.warnings.clear();
            row
        };
        results.rows =
            vec![row(1, 1024, "off"), row(1, 1024, "on"), row(8, 1024, "off"), row(8, 16, "off"), row(64, 16, "off")];
        results.control_rows.clear();
        let mut documents = Documents::default();
        documents.add_file("a.json".into(), results);
        for (looked_at, expected) in [
            (1u64 << 30, [(1.0, 1024), (8.0, 1024), (64.0, 16)]),
            (16 << 20, [(1.0, 1024), (8.0, 16), (64.0, 16)]),
            (64 << 20, [(1.0, 1024), (8.0, 1024), (64.0, 16)]),
        ] {
            let along = Along { pattern: &read(), axis: "stride", footprint: looked_at };
            let found = along.of_session(documents.all().iter());
            assert_eq!(footprints(&found), expected, "{looked_at}");
            assert!(found.iter().all(|one| one.row.checks == "off"));
        }
        let along = Along { pattern: &read(), axis: "stride", footprint: 1 << 30 };
        let found = along.of_session(documents.all().iter());
        let odd = found.iter().find(|one| one.x == 64.0).unwrap();
        assert_eq!(odd.flag().as_deref(), Some("measured over 16 MiB, the others over 1 GiB"));
    }
}
