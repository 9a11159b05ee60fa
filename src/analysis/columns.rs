//! Several memory models at once: one execution, a counter for every width and sector that a model allows.

use crate::memory_model::MemoryModel;
use crate::predict::{Counter, Prediction, Scope};
use crate::trace::{Access, Observer, Site};

/// Counters that hear the same execution.
pub(super) struct Counters(pub(super) Vec<Counter>);

impl Observer for Counters {
    fn site(&mut self, site: &Site) {
        self.0.iter_mut().for_each(|counter| counter.site(site));
    }

    fn workgroup(&mut self, id: [u32; 3]) {
        self.0.iter_mut().for_each(|counter| counter.workgroup(id));
    }

    fn access(&mut self, access: &Access<'_>) {
        self.0.iter_mut().for_each(|counter| counter.access(access));
    }

    fn repeat(&mut self, access: &Access<'_>, steps: &[u32], times: u64) {
        self.0.iter_mut().for_each(|counter| counter.repeat(access, steps, times));
    }
}

/// What has to be counted for some models: every distinct set of facts once.
pub(super) struct Variants {
    pub(super) facts: Vec<MemoryModel>,
    /// For each model the places of its facts: the values to predict with first, then the ends of its bands.
    pub(super) of_model: Vec<Vec<usize>>,
}

impl Variants {
    pub(super) fn of(models: &[MemoryModel]) -> Self {
        let mut this = Self { facts: Vec::new(), of_model: Vec::new() };
        for model in models {
            let mut places: Vec<usize> = Vec::new();
            for facts in ends(model) {
                let place = this.facts.iter().position(|known| counts_alike(known, &facts)).unwrap_or(this.facts.len());
                if place == this.facts.len() {
                    this.facts.push(facts);
                }
                if !places.contains(&place) {
                    places.push(place);
                }
            }
            this.of_model.push(places);
        }
        this
    }

    /// The subgroups that occur, the first model's first.
    pub(super) fn widths(&self) -> Vec<u32> {
        let mut widths: Vec<u32> = Vec::new();
        for facts in &self.facts {
            if !widths.contains(&facts.subgroup.value) {
                widths.push(facts.subgroup.value);
            }
        }
        widths
    }
}

/// The model as it stands, then with each pair of ends of its bands.
fn ends(model: &MemoryModel) -> Vec<MemoryModel> {
    let mut all = vec![model.clone()];
    for subgroup in [model.subgroup.low, model.subgroup.high] {
        for sector in [model.sector_bytes.low, model.sector_bytes.high] {
            let mut facts = model.clone();
            facts.subgroup.value = subgroup;
            facts.sector_bytes.value = sector;
            all.push(facts);
        }
    }
    all
}

/// Whether a counter gives the same for both.
fn counts_alike(a: &MemoryModel, b: &MemoryModel) -> bool {
    let banks = |model: &MemoryModel| model.banks.as_ref().map(|banks| (banks.count, banks.bytes, banks.merges_pairs));
    a.subgroup.value == b.subgroup.value
        && a.sector_bytes.value == b.sector_bytes.value
        && (a.fetch_bytes.low, a.fetch_bytes.high) == (b.fetch_bytes.low, b.fetch_bytes.high)
        && a.lanes_per_request == b.lanes_per_request
        && banks(a) == banks(b)
}

/// The predictions of all counters of a fan, in the order of its facts.
pub(super) fn finish(counters: Vec<Counter>, scope: &Scope) -> Vec<Prediction> {
    counters.into_iter().map(|counter| counter.finish(scope)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_model::{LESSON, UNKNOWN, by_key};

    #[test]
    fn every_set_of_facts_is_counted_once() {
        let models = [LESSON.clone(), by_key("nv-hopper").unwrap().clone(), UNKNOWN.clone()];
        let variants = Variants::of(&models);
        // Hopper has the lesson's widths, sectors and banks, and another granule.
        assert_eq!(variants.of_model[0].len(), 1);
        assert_eq!(variants.of_model[1].len(), 1);
        // 32 lanes x 64 B, then 4 and 128 lanes with 32 and 128 B.
        assert_eq!(variants.of_model[2].len(), 5);
        assert_eq!(variants.facts.len(), 7);
        assert_eq!(variants.widths(), [32, 4, 128]);
    }
}
