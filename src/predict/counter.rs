//! The observer that counts.

use std::collections::BTreeMap;

use super::prediction::Prediction;
use crate::memory_model::MemoryModel;
use crate::trace::{Access, Observer, Site};

/// What the counter cannot see in a sample of workgroups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Workgroups of the whole dispatch; where it is less than what was traced, the traced ones are the dispatch.
    pub total_workgroups: u64,
    /// Size in bytes of each storage buffer, by the name of its variable: a dispatch cannot fetch more than that.
    pub buffer_bytes: BTreeMap<String, u64>,
}

/// Counts an execution under one memory model. Memory does not grow with the number of accesses.
#[derive(Debug, Clone)]
pub struct Counter {
    model: MemoryModel,
}

impl Counter {
    /// A counter under this model.
    #[must_use]
    pub fn new(model: &MemoryModel) -> Self {
        Self { model: model.clone() }
    }

    /// The result.
    #[must_use]
    pub fn finish(self, _scope: &Scope) -> Prediction {
        todo!("{}", self.model.key)
    }
}

impl Observer for Counter {
    fn site(&mut self, _: &Site) {}
    fn workgroup(&mut self, _: [u32; 3]) {}
    fn access(&mut self, _: &Access<'_>) {}
}

/// Two observers that hear the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Both<A, B>(pub A, pub B);

impl<A: Observer, B: Observer> Observer for Both<A, B> {
    fn site(&mut self, site: &Site) {
        self.0.site(site);
        self.1.site(site);
    }

    fn workgroup(&mut self, id: [u32; 3]) {
        self.0.workgroup(id);
        self.1.workgroup(id);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.0.access(access);
        self.1.access(access);
    }
}
