//! Remembers the results of a pure function, worked out at once or beside the window.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use crate::platform;

/// Results that are kept; the oldest go first.
const KEPT: usize = 256;

type Work<K, V> = fn(&K) -> Result<V, String>;

/// Remembers results by key.
pub(super) struct Memo<K, V> {
    name: &'static str,
    wake: Arc<dyn Fn() + Send + Sync>,
    inner: RefCell<Inner<K, V>>,
    queue: Arc<Mutex<Queue<K, V>>>,
    send: Sender<(K, Result<V, String>)>,
    receive: Receiver<(K, Result<V, String>)>,
}

/// What the thread has to work out. One thread: a measurement may go on, and the window needs a core too.
struct Queue<K, V> {
    waiting: VecDeque<(K, Work<K, V>)>,
    /// Whether a thread is at it.
    busy: bool,
}

struct Inner<K, V> {
    known: VecDeque<(K, Rc<Result<V, String>>)>,
    /// What was asked for and is not known.
    wanted: Vec<K>,
}

impl<K, V> std::fmt::Debug for Memo<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Memo").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<K: Clone + PartialEq + Send + 'static, V: Send + 'static> Memo<K, V> {
    /// Nothing is known. `name` is that of the thread; `wake` is called from it.
    pub(super) fn new(name: &'static str, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (send, receive) = channel();
        let inner = Inner { known: VecDeque::new(), wanted: Vec::new() };
        let queue = Arc::new(Mutex::new(Queue { waiting: VecDeque::new(), busy: false }));
        Self { name, wake, inner: RefCell::new(inner), queue, send, receive }
    }

    /// The result of a key, worked out now if it is not known.
    pub(super) fn now(&self, key: K, work: Work<K, V>) -> Rc<Result<V, String>> {
        let known = self.inner.borrow().find(&key);
        known.unwrap_or_else(|| {
            let result = Rc::new(work(&key));
            self.inner.borrow_mut().keep(key, result.clone());
            result
        })
    }

    /// The result of a key if it is known; else it will be.
    pub(super) fn soon(&self, key: K, work: Work<K, V>) -> Option<Rc<Result<V, String>>> {
        let known = self.inner.borrow().find(&key);
        let asks = known.is_none() && !self.inner.borrow().wanted.contains(&key);
        if asks {
            self.inner.borrow_mut().wanted.push(key.clone());
            self.enqueue(key, work);
        }
        known
    }

    /// Takes in what was worked out.
    pub(super) fn poll(&self) {
        while let Ok((key, result)) = self.receive.try_recv() {
            let mut inner = self.inner.borrow_mut();
            inner.wanted.retain(|wanted| *wanted != key);
            inner.keep(key, Rc::new(result));
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.inner.borrow().wanted.is_empty()
    }

    /// Puts a key at the end of the queue, and a thread at the queue where none is.
    fn enqueue(&self, key: K, work: Work<K, V>) {
        let Ok(mut queue) = self.queue.lock() else { return };
        queue.waiting.push_back((key, work));
        if std::mem::replace(&mut queue.busy, true) {
            return;
        }
        drop(queue);
        let (shared, send, wake) = (self.queue.clone(), self.send.clone(), self.wake.clone());
        let started = platform::spawn(self.name, move || async move {
            while let Some((key, work)) = next(&shared) {
                let result = work(&key);
                // Nobody listens any more where the window is closed.
                if send.send((key, result)).is_err() {
                    return;
                }
                wake();
            }
        });
        if let Err(error) = started {
            let text = format!("no thread to work it out in: {error}");
            while let Some((key, _)) = next(&self.queue) {
                self.send.send((key, Err(text.clone()))).unwrap_or_default();
            }
        }
    }
}

/// The first in the queue; at its end the thread is told off.
fn next<K, V>(queue: &Mutex<Queue<K, V>>) -> Option<(K, Work<K, V>)> {
    let mut queue = queue.lock().ok()?;
    let first = queue.waiting.pop_front();
    queue.busy = first.is_some();
    first
}

impl<K: PartialEq, V> Inner<K, V> {
    fn find(&self, key: &K) -> Option<Rc<Result<V, String>>> {
        self.known.iter().rev().find(|(known, _)| known == key).map(|(_, result)| result.clone())
    }

    fn keep(&mut self, key: K, result: Rc<Result<V, String>>) {
        if self.known.len() >= KEPT {
            self.known.pop_front();
        }
        self.known.push_back((key, result));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn half(key: &u32) -> Result<u32, String> {
        if key.is_multiple_of(2) { Ok(key / 2) } else { Err(format!("{key} is odd")) }
    }

    #[test]
    fn a_result_comes_soon_and_stays() {
        let (woken, wakes) = channel();
        let memo = Memo::new("half", Arc::new(move || woken.send(()).unwrap_or_default()));
        assert!(memo.soon(8, half).is_none());
        assert!(memo.soon(7, half).is_none());
        assert!(!memo.is_settled());
        let start = platform::now();
        while !memo.is_settled() && start.elapsed() < Duration::from_secs(10) {
            wakes.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
            memo.poll();
        }
        assert_eq!(memo.soon(8, half).as_deref(), Some(&Ok(4)));
        assert_eq!(memo.soon(7, half).as_deref(), Some(&Err("7 is odd".to_owned())));
        assert_eq!(*memo.now(6, half), Ok(3));
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let memo = Memo::new("half", Arc::new(|| {}));
        for key in 0..=u32::try_from(KEPT).unwrap() {
            drop(memo.now(key, half));
        }
        let inner = memo.inner.borrow();
        assert_eq!((inner.known.len(), inner.find(&0), inner.find(&1).is_some()), (KEPT, None, true));
    }
}
