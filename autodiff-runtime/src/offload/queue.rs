//! Launches that the program does not wait for.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use super::device_list::Device;
use super::error::LaunchError;

/// Launches on one device that run one after the other, while the program does something else.
///
/// `offload! { .., queue = &queue }` returns at once, with an [`Event`] to wait for. Its arguments must outlive it:
/// values, and [`Buffer`](super::Buffer)s, which live as long as any launch that uses them. Launches that use the same buffer
/// run in the order in which they were made, also those of different queues.
///
/// A queue that is dropped still runs what was put in.
///
/// ```
/// use autodiff::offload::{Buffer, Device, Disjoint, Queue, offload, offload_kernel};
///
/// #[offload_kernel]
/// fn add(x: Disjoint<'_, f64>, amount: f64) {
///     if let Some((_, x)) = x.part() {
///         *x += amount;
///     }
/// }
///
/// let device = Device::preferred()?;
/// let queue = Queue::new(&device);
/// let mut x = Buffer::filled(&device, 0.0, 100)?;
/// for amount in [1.0, 2.0, 3.0] {
///     offload! { kernel = add, args = (&mut x, amount), thread_dim = [128, 1, 1], queue = &queue }?;
/// }
/// queue.wait()?;
/// assert_eq!(x.to_vec()?, [6.0; 100]);
/// # Ok::<(), autodiff::offload::LaunchError>(())
/// ```
#[derive(Debug)]
pub struct Queue {
    device: Device,
    jobs: Sender<Job>,
    /// Events of launches that may not have ended, or failed.
    events: Mutex<Vec<Event>>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Queue {
    /// An empty queue.
    ///
    /// # Panics
    ///
    /// If the system has no thread left.
    pub fn new(device: &Device) -> Self {
        let (jobs, received) = channel::<Job>();
        thread::Builder::new()
            .name("autodiff queue".to_owned())
            .spawn(move || received.into_iter().for_each(|job| job()))
            .expect("a thread for the queue: the system refuses to start one");
        Self { device: device.clone(), jobs, events: Mutex::default() }
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Waits until everything has run that was put in so far; the first error among it, if any.
    pub fn wait(&self) -> Result<(), LaunchError> {
        let events = std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner));
        let results: Vec<_> = events.iter().map(Event::wait).collect();
        results.into_iter().collect()
    }

    /// Runs `job` when everything before has run.
    pub(crate) fn push(&self, event: &Event, job: impl FnOnce() -> Result<(), LaunchError> + Send + 'static) {
        let done = event.clone();
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.retain(|event| !event.has_succeeded());
        events.push(event.clone());
        drop(events);
        // The thread runs until the sender is dropped, so it is there.
        let _ = self.jobs.send(Box::new(move || done.finish(job())));
    }
}

/// The end of a launch in a [`Queue`].
#[derive(Debug, Clone)]
pub struct Event(Arc<State>);

#[derive(Debug, Default)]
struct State {
    result: Mutex<Option<Result<(), LaunchError>>>,
    ended: Condvar,
}

impl Event {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    /// Waits for the end of the launch, and says how it went.
    pub fn wait(&self) -> Result<(), LaunchError> {
        let mut result = self.0.result.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*result {
                Some(result) => return result.clone(),
                None => result = self.0.ended.wait(result).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Whether the launch has ended.
    pub fn has_ended(&self) -> bool {
        self.0.result.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether both are the end of one launch.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn has_succeeded(&self) -> bool {
        matches!(&*self.0.result.lock().unwrap_or_else(PoisonError::into_inner), Some(Ok(())))
    }

    pub(crate) fn finish(&self, outcome: Result<(), LaunchError>) {
        *self.0.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.0.ended.notify_all();
    }
}
