//! The engine beside the window: in a thread of its own, on a device of its own. The window never waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::engine::{self, Event, Found, Request};
use crate::platform::{self, Task};

/// What the engine tells.
#[derive(Debug, Clone)]
pub enum Told {
    /// The device of this machine, or why there is none.
    Device(Result<Box<Found>, String>),
    /// An event of the run.
    Event(Event),
    /// The run is over; why it could not begin, where it could not.
    Ended(Result<(), String>),
}

/// Runs requests for the app. The real one is [`Runner`]; tests have one with fixed figures.
pub trait Engine {
    /// Begins to look for the device.
    fn look(&mut self);
    /// Begins a run; one at a time.
    fn start(&mut self, request: Request);
    /// Tells the run to end soon.
    fn stop(&mut self);
    /// What was told since the last call; never waits.
    fn poll(&mut self) -> Vec<Told>;
    /// Ends the run and waits for its end, but not long: the window is closing.
    fn close(&mut self);
}

/// How long a closing window waits for the device to finish what it is at.
const LAST_WAIT: Duration = Duration::from_millis(1200);

/// The engine in its own thread.
pub struct Runner {
    wake: Arc<dyn Fn() + Send + Sync>,
    send: Sender<Told>,
    receive: Receiver<Told>,
    cancel: Arc<AtomicBool>,
    /// Goes from job to job: opening a device takes long.
    device: Arc<Mutex<engine::Device>>,
    task: Option<Task>,
    /// Whether its last word is still to come.
    open: bool,
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("task", &self.task).finish_non_exhaustive()
    }
}

impl Runner {
    /// Nothing runs yet. `wake` is called, from another thread, whenever there is something to [`Engine::poll`]; it should
    /// not redraw more than a few times a second, as drawing disturbs what is measured.
    #[must_use]
    pub fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (send, receive) = channel();
        Self { wake, send, receive, cancel: Arc::default(), device: Arc::default(), task: None, open: false }
    }

    fn spawn(&mut self, job: impl Job) {
        let (send, wake, device) = (self.send.clone(), self.wake.clone(), self.device.clone());
        let told = move |told| {
            // Nobody listens any more where the window is closed.
            drop(send.send(told));
            wake();
        };
        let last = self.send.clone();
        let make = move || async move {
            // A job that panicked leaves a device that nobody should use again; jobs never overlap for long, since the
            // app starts one only when the one before has ended.
            let mut own = device.lock().map(|mut device| std::mem::take(&mut *device)).unwrap_or_default();
            job.carry_out(&mut own, &told).await;
            if let Ok(mut device) = device.lock() {
                *device = own;
            }
        };
        self.open = true;
        match platform::spawn("engine", make) {
            Ok(task) => self.task = Some(task),
            Err(error) => drop(last.send(Told::Ended(Err(format!("no thread to measure in: {error}"))))),
        }
    }
}

/// What the thread does.
trait Job: Send + 'static {
    async fn carry_out(self, device: &mut engine::Device, told: &impl Fn(Told));
}

struct Look;

impl Job for Look {
    async fn carry_out(self, device: &mut engine::Device, told: &impl Fn(Told)) {
        told(Told::Device(device.look(&Request::default()).await.map(Box::new)));
    }
}

struct Measure {
    request: Request,
    cancel: Arc<AtomicBool>,
}

impl Job for Measure {
    async fn carry_out(self, device: &mut engine::Device, told: &impl Fn(Told)) {
        let run = engine::run_on(device, &self.request, &mut |event| told(Told::Event(event)), &self.cancel).await;
        told(Told::Ended(run.map(drop).map_err(|error| error.to_string())));
    }
}

impl Engine for Runner {
    fn look(&mut self) {
        self.spawn(Look);
    }

    fn start(&mut self, request: Request) {
        self.cancel = Arc::default();
        self.spawn(Measure { request, cancel: self.cancel.clone() });
    }

    fn stop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    fn poll(&mut self) -> Vec<Told> {
        // Asked first: what a finished thread said is in the channel.
        let finished = self.task.as_ref().is_some_and(Task::is_finished);
        let mut all: Vec<Told> = self.receive.try_iter().collect();
        self.open &= !all.iter().any(|told| matches!(told, Told::Ended(_) | Told::Device(_)));
        if finished {
            self.task = None;
            if std::mem::take(&mut self.open) {
                // It panicked: say so, rather than wait for ever.
                all.push(Told::Ended(Err("the measuring thread ended unexpectedly; try again".to_owned())));
            }
        }
        all
    }

    fn close(&mut self) {
        self.stop();
        if let Some(task) = self.task.take()
            && !task.join_within(LAST_WAIT)
        {
            log::debug!("the device is still at work; its thread ends with the program");
        }
    }
}
