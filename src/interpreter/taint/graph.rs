//! Nodes and what they are computed from, followed in both directions.

use super::Sources;

/// A graph: an edge leads from a node to one that is computed from it.
#[derive(Debug, Default)]
pub(super) struct Graph {
    /// For each node those it is computed from.
    from: Vec<Vec<usize>>,
    seeds: Vec<(usize, Sources)>,
}

impl Graph {
    /// So many new nodes in a row; the first.
    pub(super) fn nodes(&mut self, count: usize) -> usize {
        let first = self.from.len();
        self.from.resize_with(first + count, Vec::new);
        first
    }

    /// A new node that is computed from these.
    pub(super) fn joined(&mut self, from: impl IntoIterator<Item = usize>) -> usize {
        self.from.push(from.into_iter().collect());
        self.from.len() - 1
    }

    pub(super) fn edge(&mut self, from: usize, to: usize) {
        self.from[to].push(from);
    }

    /// What a node holds by itself.
    pub(super) fn seed(&mut self, node: usize, sources: Sources) {
        self.seeds.push((node, sources));
    }

    /// For each node the sources that reach it.
    pub(super) fn spread(&self) -> Vec<Sources> {
        let mut into = vec![Vec::new(); self.from.len()];
        for (to, all) in self.from.iter().enumerate() {
            for from in all {
                into[*from].push(to);
            }
        }
        let mut reached = vec![Sources::default(); self.from.len()];
        let mut open = Vec::new();
        for (node, sources) in &self.seeds {
            reached[*node] = reached[*node].or(*sources);
            open.push(*node);
        }
        while let Some(node) = open.pop() {
            for next in &into[node] {
                let all = reached[*next].or(reached[node]);
                if all != reached[*next] {
                    reached[*next] = all;
                    open.push(*next);
                }
            }
        }
        reached
    }

    /// For each node whether one of `roots` is computed from it; the roots themselves count.
    pub(super) fn feeds(&self, roots: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut found = vec![false; self.from.len()];
        let mut open: Vec<usize> = roots.into_iter().collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut found[node], true) {
                open.extend(self.from[node].iter().copied().filter(|from| !found[*from]));
            }
        }
        found
    }
}
