//! A value that a driver's callback sends once to a future: natively it is there after a poll of the device, in a
//! browser the page's event loop brings it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

struct State<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

type Shared<T> = Arc<Mutex<State<T>>>;

/// The end that a callback owns.
pub(super) struct Sender<T>(Shared<T>);

/// The end that is awaited.
pub(super) struct Receiver<T>(Shared<T>);

/// Both ends.
pub(super) fn once<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Mutex::new(State { value: None, waker: None }));
    (Sender(Arc::clone(&shared)), Receiver(shared))
}

/// The state, also after a panic elsewhere: it is whole at any time.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T> Sender<T> {
    pub(super) fn send(self, value: T) {
        let mut state = lock(&self.0);
        state.value = Some(value);
        let waker = state.waker.take();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Receiver<T> {
    /// The value, if it has come.
    pub(super) fn take(&self) -> Option<T> {
        lock(&self.0).value.take()
    }
}

impl<T> Future for Receiver<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let mut state = lock(&self.0);
        match state.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_arrives_before_or_after_the_wait() {
        let (sender, receiver) = once();
        assert_eq!(receiver.take(), None);
        sender.send(7);
        assert_eq!(receiver.take(), Some(7));

        let (sender, receiver) = once();
        std::thread::scope(|scope| {
            scope.spawn(|| sender.send(8));
            assert_eq!(pollster::block_on(receiver), 8);
        });
    }
}
