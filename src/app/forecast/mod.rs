//! From a pattern to what it should cost: one traced workgroup at once, the whole dispatch a little later; and the same
//! for the user's own kernel.

mod bill;
mod latest;
mod memo;
mod own;
mod pattern;
mod rung;
mod workgroup;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use bill::Bill;
pub use latest::Newest;
pub use own::{Fault, Own, OwnCounts, OwnForecast, OwnKey, Reflected};
pub use pattern::{Pattern, Setup};
pub use rung::RungTile;
pub use workgroup::{LaneAccess, RecordedAccess, TracedRequest, WorkgroupTrace};

use crate::engine::predict::predict;
use crate::predict::Prediction;
use crate::record::Matmul;

use latest::Latest;
use memo::Memo;

/// What is kept for one pattern under one setup.
type Key = (Pattern, Setup);

/// A result, or why there is none.
pub type Outcome<T> = Rc<Result<T, String>>;

/// Traces and predictions that were asked for, remembered. Both are pure functions of their key, so a view asks in every
/// frame and pays once.
#[derive(Debug)]
pub struct Forecasts {
    traces: Memo<Key, WorkgroupTrace>,
    predictions: Memo<Key, Prediction>,
    tiles: Memo<Key, RungTile>,
    rungs: Memo<Key, Matmul>,
    own: Latest<OwnKey, OwnForecast>,
    last_own: RefCell<LastOwn>,
}

/// What stays of the user's own kernel while a newer text is worked out or wrong.
#[derive(Debug, Default)]
struct LastOwn {
    /// What the last valid text costs.
    counts: Option<Arc<OwnCounts>>,
    /// What the last readable one says of its inputs.
    reflected: Option<Rc<Reflected>>,
}

impl Forecasts {
    /// None yet; `wake` is called from another thread when something that was asked for is there.
    #[must_use]
    pub fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self {
            traces: Memo::new("trace", wake.clone()),
            predictions: Memo::new("predict", wake.clone()),
            tiles: Memo::new("tile", wake.clone()),
            rungs: Memo::new("rung", wake.clone()),
            own: Latest::new(wake),
            last_own: RefCell::default(),
        }
    }

    /// What the first workgroup touches, now: a few milliseconds for a pattern, far more for a matrix product.
    #[must_use]
    pub fn trace(&self, pattern: &Pattern, setup: &Setup) -> Outcome<WorkgroupTrace> {
        self.traces.now((pattern.clone(), setup.clone()), trace)
    }

    /// The same, but worked out beside the window: `None` until it is there. For kernels that do much.
    #[must_use]
    pub fn trace_soon(&self, pattern: &Pattern, setup: &Setup) -> Option<Outcome<WorkgroupTrace>> {
        self.traces.soon((pattern.clone(), setup.clone()), trace)
    }

    /// What the whole dispatch should cost, worked out beside the window: `None` until it is there.
    #[must_use]
    pub fn prediction(&self, pattern: &Pattern, setup: &Setup) -> Option<Outcome<Prediction>> {
        self.predictions.soon((pattern.clone(), setup.clone()), dispatch)
    }

    /// What the first workgroup of a matrix product computes, worked out beside the window: `None` until it is there.
    #[must_use]
    pub fn rung_tile(&self, pattern: &Pattern, setup: &Setup) -> Option<Outcome<RungTile>> {
        self.tiles.soon((pattern.clone(), setup.clone()), rung::tile)
    }

    /// The counts of a matrix product, at a depth that is quickly worked out: `None` until they are there.
    #[must_use]
    pub fn rung_counts(&self, pattern: &Pattern, setup: &Setup) -> Option<Outcome<Matmul>> {
        self.rungs.soon((pattern.clone(), setup.clone()), rung::count)
    }

    /// What the user's own kernel costs, worked out beside the window once text and inputs rest; until then, and while
    /// they are wrong, what the last valid ones cost.
    #[must_use]
    pub fn own(&self, key: &OwnKey) -> Own {
        let newest = self.own.ask(key, own::work);
        let mut last = self.last_own.borrow_mut();
        if let Some(forecast) = &newest.value {
            if let Ok(counts) = &forecast.counts {
                last.counts = Some(counts.clone());
            }
            if let Some(reflected) = &forecast.reflected
                && last.reflected.as_deref() != Some(reflected)
            {
                last.reflected = Some(Rc::new(reflected.clone()));
            }
        }
        Own { newest, counts: last.counts.clone(), reflected: last.reflected.clone() }
    }

    /// Takes in what was worked out. Once a frame.
    pub fn poll(&self) {
        self.traces.poll();
        self.predictions.poll();
        self.tiles.poll();
        self.rungs.poll();
        self.own.poll();
    }

    /// Whether everything that was asked for is there.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let products = self.tiles.is_settled() && self.rungs.is_settled();
        self.traces.is_settled() && self.predictions.is_settled() && products && self.own.is_settled()
    }
}

fn trace((pattern, setup): &Key) -> Result<WorkgroupTrace, String> {
    WorkgroupTrace::record(&pattern.plan(setup)?, &setup.model)
}

fn dispatch((pattern, setup): &Key) -> Result<Prediction, String> {
    predict(&pattern.plan(setup)?, &setup.model, &AtomicBool::new(false)).map_err(|error| error.to_string())
}
