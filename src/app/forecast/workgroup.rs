//! What one workgroup touches: every access to a buffer, as the interpreter met it, cut into requests on demand.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::interpreter::{Interpreter, Options, Workgroups};
use crate::memory_model::MemoryModel;
use crate::plan::Plan;
use crate::predict::{Counter, Prediction, Scope};
use crate::program::{Block, Program};
use crate::record::Work;
use crate::trace::{Access, AccessKind, LaneMask, Observer, Site, Space};

use super::bill::Bill;

/// Accesses that are kept: enough to step through, little enough for a matrix product.
const KEPT: usize = 4096;

/// Accesses of one place of a user's text that are kept: so that a long loop leaves room for what follows it.
const KEPT_PER_SITE: usize = 64;

/// Stores to workgroup memory that are kept: those of a tile's first filling.
const KEPT_STORES: usize = 16;

/// What the first workgroup of a plan touches.
#[derive(Debug, Clone)]
pub struct WorkgroupTrace {
    /// The text that was executed.
    pub wgsl: Arc<str>,
    /// Lanes of the workgroup.
    pub lanes: usize,
    /// The places of the text that access memory, by [`Access::site`].
    pub sites: Vec<Site>,
    /// Accesses to storage buffers, in the order of execution; at most a few thousand of the first ones.
    pub accesses: Vec<RecordedAccess>,
    /// The first stores to workgroup memory, in the order of execution.
    pub shared_stores: Vec<RecordedAccess>,
    /// How many accesses to storage buffers there were.
    pub access_count: usize,
    /// The variable that the kernel is about.
    pub primary: &'static str,
    /// All that the workgroup did, counted.
    pub counts: Prediction,
    /// What the whole dispatch does.
    pub work: Work,
    /// Rows, columns and depth of a matrix product.
    pub product: Option<[u64; 3]>,
    model: MemoryModel,
}

/// An access of a whole workgroup.
#[derive(Debug, Clone)]
pub struct RecordedAccess {
    /// Which place of the text.
    pub site: u32,
    /// Byte address of each lane's element.
    pub addresses: Vec<u32>,
    /// The lanes that took part.
    pub active: LaneMask,
}

/// What one lane asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneAccess {
    /// The lane in its subgroup.
    pub lane: u32,
    /// Byte address from the start of the buffer.
    pub address: u32,
    /// Bytes.
    pub bytes: u32,
}

/// One request: an access by one subgroup.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedRequest {
    /// Where it stands in the text, and what it does.
    pub site: Site,
    /// Lanes of the subgroup, active or not.
    pub subgroup_lanes: u32,
    /// What the active lanes ask for, by lane.
    pub lanes: Vec<LaneAccess>,
    /// What it costs.
    pub bill: Bill,
}

impl WorkgroupTrace {
    /// Executes the first workgroup of a plan.
    ///
    /// # Errors
    /// Where the interpreter cannot.
    pub fn record(plan: &Plan, model: &MemoryModel) -> Result<Self, String> {
        let mut recorder = Recorder::new(model, None);
        run(&plan.program, &Options::default(), &mut recorder)?;
        Ok(Self {
            primary: plan.kernel.primary,
            work: plan.work.clone(),
            product: plan.oracle.product.as_ref().map(|product| {
                let shape = product.shape();
                [shape.m, shape.n, shape.k]
            }),
            ..recorder.trace(&plan.program)
        })
    }

    /// Executes the first workgroup of a program that no plan is behind: it is about no variable in particular, and its
    /// work is not known. Where it comes to no end, what it did before is kept.
    ///
    /// # Errors
    /// Where it did nothing before the interpreter gave up.
    pub fn of_program(
        program: &Program,
        model: &MemoryModel,
        step_budget: u64,
        cancel: &AtomicBool,
    ) -> Result<Self, String> {
        let mut recorder = Recorder::new(model, Some(KEPT_PER_SITE));
        let options = Options { step_budget, cancel: Some(cancel), ..Options::default() };
        match run(program, &options, &mut recorder) {
            Err(reason) if recorder.kept.is_empty() => Err(reason),
            Ok(()) | Err(_) => Ok(recorder.trace(program)),
        }
    }

    /// The model it is counted by.
    #[must_use]
    pub const fn model(&self) -> &MemoryModel {
        &self.model
    }

    /// Subgroups of the workgroup.
    #[must_use]
    pub fn subgroups(&self) -> usize {
        self.lanes.div_ceil(self.model.subgroup.value as usize).max(1)
    }

    /// The site of an access.
    #[must_use]
    pub fn site(&self, access: usize) -> Option<&Site> {
        self.sites.get(self.accesses.get(access)?.site as usize)
    }

    /// The first access to the variable that the kernel is about.
    #[must_use]
    pub fn primary_access(&self) -> usize {
        (0..self.accesses.len()).find(|k| self.site(*k).is_some_and(|site| site.name == self.primary)).unwrap_or(0)
    }

    /// The request of a subgroup at an access; `None` where none of its lanes takes part.
    #[must_use]
    pub fn request(&self, access: usize, subgroup: usize) -> Option<TracedRequest> {
        let (site, recorded) = (self.site(access)?.clone(), self.accesses.get(access)?);
        let width = self.model.subgroup.value as usize;
        let range = subgroup * width..((subgroup + 1) * width).min(recorded.addresses.len());
        let lanes: Vec<LaneAccess> = range
            .clone()
            .filter(|lane| recorded.active.contains(*lane))
            .map(|lane| LaneAccess {
                lane: u32::try_from(lane - range.start).unwrap_or(u32::MAX),
                address: recorded.addresses[lane],
                bytes: site.element_bytes,
            })
            .collect();
        if lanes.is_empty() {
            return None;
        }
        let bill = Bill::of(&site, &lanes, &self.model);
        Some(TracedRequest { site, subgroup_lanes: u32::try_from(range.len()).unwrap_or(u32::MAX), lanes, bill })
    }
}

fn run(program: &Program, options: &Options<'_>, recorder: &mut Recorder) -> Result<(), String> {
    let complain = |error: crate::interpreter::InterpretError| error.to_string();
    let interpreter = Interpreter::new(program).map_err(complain)?;
    let options = Options {
        workgroups: Workgroups::List(vec![[0, 0, 0]]),
        block: Block::Phase(0),
        keep_stores: false,
        ..options.clone()
    };
    interpreter.run(&options, recorder).map(drop).map_err(complain)
}

/// Keeps the first accesses to buffers and the first stores to workgroup memory, counts all.
struct Recorder {
    counter: Counter,
    sites: Vec<Site>,
    kept: Vec<RecordedAccess>,
    stores: Vec<RecordedAccess>,
    count: usize,
    model: MemoryModel,
    /// Most accesses that are kept of one place of the text; then uniforms are kept too. `None`: as many as there is
    /// room for.
    per_site: Option<usize>,
    kept_of: Vec<usize>,
}

impl Recorder {
    fn trace(self, program: &Program) -> WorkgroupTrace {
        WorkgroupTrace {
            wgsl: program.wgsl.clone(),
            lanes: self.kept.first().map_or(0, |access| access.addresses.len()),
            sites: self.sites,
            accesses: self.kept,
            shared_stores: self.stores,
            access_count: self.count,
            primary: "",
            counts: self.counter.finish(&Scope { total_workgroups: 1, ..Scope::default() }),
            work: Work::default(),
            product: None,
            model: self.model,
        }
    }

    fn new(model: &MemoryModel, per_site: Option<usize>) -> Self {
        Self {
            per_site,
            kept_of: Vec::new(),
            counter: Counter::new(model),
            sites: Vec::new(),
            kept: Vec::new(),
            stores: Vec::new(),
            count: 0,
            model: model.clone(),
        }
    }
}

impl Observer for Recorder {
    fn site(&mut self, site: &Site) {
        self.counter.site(site);
        self.sites.push(site.clone());
        self.kept_of.push(0);
    }

    fn workgroup(&mut self, id: [u32; 3]) {
        self.counter.workgroup(id);
    }

    fn access(&mut self, access: &Access<'_>) {
        self.counter.access(access);
        let (kept, most) = match (access.space, access.kind) {
            (Space::Storage, _) => {
                self.count += 1;
                (&mut self.kept, KEPT)
            }
            (Space::Workgroup, AccessKind::Store) => (&mut self.stores, KEPT_STORES),
            (Space::Uniform, _) if self.per_site.is_some() => (&mut self.kept, KEPT),
            (Space::Workgroup | Space::Uniform, _) => return,
        };
        let Some(of_site) = self.kept_of.get_mut(access.site as usize) else { return };
        if kept.len() < most && self.per_site.is_none_or(|most| *of_site < most) {
            *of_site += 1;
            kept.push(RecordedAccess {
                site: access.site,
                addresses: access.addresses.to_vec(),
                active: access.active,
            });
        }
    }
}
