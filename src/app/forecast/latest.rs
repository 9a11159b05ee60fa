//! The newest result of a function whose key changes with every letter typed: worked out beside the window once the key
//! rests, given up when a newer one comes.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::platform::{self, Instant};

/// How long a key must stay the same: as long as a pause between words.
pub(super) const REST: Duration = Duration::from_millis(300);

/// What is known of the key that is asked for.
#[derive(Debug)]
pub struct Newest<V> {
    /// The last result, of this key or of an earlier one.
    pub value: Option<Rc<V>>,
    /// Whether it is of this key, and all of it.
    pub complete: bool,
    /// Whether it is of this key.
    pub current: bool,
    /// When to ask again, where nothing is begun before.
    pub ask_in: Option<Duration>,
}

/// Works out a result in one or more steps: each is told as it comes; the flag tells it to give up.
pub(super) type Work<K, V> = fn(&K, &AtomicBool, &mut dyn FnMut(V));

/// What comes from the thread: whose, a result or the end.
type Word<V> = (u64, Option<V>);

/// The newest result.
pub(super) struct Latest<K, V> {
    wake: Arc<dyn Fn() + Send + Sync>,
    inner: RefCell<Inner<K, V>>,
    send: Sender<Word<V>>,
    receive: Receiver<Word<V>>,
}

struct Inner<K, V> {
    key: Option<K>,
    /// Grows with every key.
    turn: u64,
    since: Option<Instant>,
    /// Ends the work that goes on.
    cancel: Option<Arc<AtomicBool>>,
    value: Option<Rc<V>>,
    value_turn: u64,
    ended: bool,
}

impl<K, V> std::fmt::Debug for Latest<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Latest").finish_non_exhaustive()
    }
}

impl<K: Clone + PartialEq + Send + 'static, V: Send + 'static> Latest<K, V> {
    /// Nothing is known; `wake` is called from another thread when there is news.
    pub(super) fn new(wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (send, receive) = channel();
        let inner = Inner { key: None, turn: 0, since: None, cancel: None, value: None, value_turn: 0, ended: true };
        Self { wake, inner: RefCell::new(inner), send, receive }
    }

    /// What is known of a key; begins to work it out once it has rested. The first key need not rest.
    pub(super) fn ask(&self, key: &K, work: Work<K, V>) -> Newest<V> {
        let mut inner = self.inner.borrow_mut();
        if inner.key.as_ref() != Some(key) {
            if let Some(cancel) = inner.cancel.take() {
                cancel.store(true, Ordering::Relaxed);
            }
            inner.key = Some(key.clone());
            inner.turn += 1;
            inner.since = Some(platform::now());
            inner.ended = false;
        }
        let mut ask_in = None;
        if let Some(since) = inner.since {
            let rested = if inner.turn == 1 { REST } else { since.elapsed() };
            match REST.checked_sub(rested).filter(|left| !left.is_zero()) {
                Some(left) => ask_in = Some(left),
                None => {
                    inner.since = None;
                    self.begin(&mut inner, key.clone(), work);
                }
            }
        }
        let current = inner.value.is_some() && inner.value_turn == inner.turn;
        Newest { value: inner.value.clone(), complete: current && inner.ended, current, ask_in }
    }

    fn begin(&self, inner: &mut Inner<K, V>, key: K, work: Work<K, V>) {
        let cancel = Arc::new(AtomicBool::new(false));
        inner.cancel = Some(cancel.clone());
        let (turn, send, wake) = (inner.turn, self.send.clone(), self.wake.clone());
        let started = platform::spawn("own kernel", move || async move {
            work(&key, &cancel, &mut |value| {
                // Nobody listens any more where the window is closed.
                send.send((turn, Some(value))).unwrap_or_default();
                wake();
            });
            send.send((turn, None)).unwrap_or_default();
            wake();
        });
        if let Err(error) = started {
            log::warn!("no thread to work out a kernel in: {error}");
            inner.ended = true;
        }
    }

    /// Takes in what was worked out of the newest key.
    pub(super) fn poll(&self) {
        let mut inner = self.inner.borrow_mut();
        while let Ok((turn, word)) = self.receive.try_recv() {
            if turn == inner.turn {
                match word {
                    Some(value) => (inner.value, inner.value_turn) = (Some(Rc::new(value)), turn),
                    None => inner.ended = true,
                }
            }
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.inner.borrow().ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(key: &u32, cancel: &AtomicBool, tell: &mut dyn FnMut(u32)) {
        tell(*key);
        while *key == 7 && !cancel.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        tell(10 * key);
    }

    fn settle(latest: &Latest<u32, u32>, key: u32) -> Newest<u32> {
        let start = platform::now();
        loop {
            let newest = latest.ask(&key, steps);
            latest.poll();
            if latest.is_settled() || start.elapsed() > Duration::from_secs(10) {
                return latest.ask(&key, steps);
            }
            std::thread::sleep(newest.ask_in.unwrap_or(Duration::from_millis(1)));
        }
    }

    #[test]
    fn a_newer_key_ends_the_work_on_an_older_one_whose_result_stays_until_then() {
        let latest = Latest::new(Arc::new(|| {}));
        let first = settle(&latest, 3);
        assert_eq!((first.value.as_deref(), first.current, first.complete), (Some(&30), true, true));
        // This one would go on for ever.
        let start = platform::now();
        while !latest.ask(&7, steps).current && start.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(1));
            latest.poll();
        }
        let half = latest.ask(&7, steps);
        assert_eq!((half.value.as_deref(), half.current, half.complete), (Some(&7), true, false));
        let waiting = latest.ask(&4, steps);
        assert_eq!((waiting.value.as_deref(), waiting.current), (Some(&7), false));
        assert!(waiting.ask_in.is_some_and(|left| left <= REST));
        assert_eq!(settle(&latest, 4).value.as_deref(), Some(&40));
    }
}
