//! Call paths: the same access reached by two chains of calls is two sites.

use super::code::Code;
use crate::trace::{Observer, Position, Site, SiteId};

/// No site yet.
const NONE: SiteId = SiteId::MAX;

/// All chains of calls that were taken, as a tree, with the sites of each.
pub(super) struct Paths {
    nodes: Vec<Path>,
    current: usize,
    sites: SiteId,
    accesses: usize,
}

struct Path {
    parent: usize,
    call: Option<usize>,
    /// (call, path) of the calls made here.
    children: Vec<(usize, usize)>,
    /// The site of each access; empty until one is reached.
    sites: Vec<SiteId>,
}

impl Paths {
    pub(super) fn new(accesses: usize) -> Self {
        let root = Path { parent: 0, call: None, children: Vec::new(), sites: Vec::new() };
        Self { nodes: vec![root], current: 0, sites: 0, accesses }
    }

    pub(super) fn enter(&mut self, call: usize) {
        let known = self.nodes[self.current].children.iter().find(|(other, _)| *other == call);
        self.current = match known {
            Some((_, path)) => *path,
            None => {
                let path = Path { parent: self.current, call: Some(call), children: Vec::new(), sites: Vec::new() };
                self.nodes.push(path);
                let number = self.nodes.len() - 1;
                self.nodes[self.current].children.push((call, number));
                number
            }
        };
    }

    pub(super) fn leave(&mut self) {
        self.current = self.nodes[self.current].parent;
    }

    /// The site of an access on the current path, announced if it is new.
    pub(super) fn site<O: Observer + ?Sized>(&mut self, access: usize, code: &Code, observer: &mut O) -> SiteId {
        let path = &mut self.nodes[self.current];
        if path.sites.is_empty() {
            path.sites = vec![NONE; self.accesses];
        }
        if path.sites[access] != NONE {
            return path.sites[access];
        }
        path.sites[access] = self.sites;
        let info = &code.accesses[access];
        observer.site(&Site {
            position: info.position,
            call_path: self.call_path(code),
            space: info.space,
            variable: info.variable,
            name: info.name.clone(),
            kind: info.kind,
            element_bytes: info.element_bytes,
            leaf_offset: info.leaf_offset,
        });
        self.sites += 1;
        self.sites - 1
    }

    fn call_path(&self, code: &Code) -> Vec<Position> {
        let mut positions = Vec::new();
        let mut number = self.current;
        while let Some(call) = self.nodes[number].call {
            positions.push(code.calls[call]);
            number = self.nodes[number].parent;
        }
        positions.reverse();
        positions
    }
}
