//! Threads of the operating system that wait for work.

use std::collections::VecDeque;
use std::num::NonZero;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;

/// Numbers `0..len`, each of which is given to one thread.
struct Job {
    next: AtomicU64,
    len: u64,
    chunk: u64,
    work: *const (dyn Fn(Range<u64>) + Sync),
    /// Numbers that are not done.
    left: Mutex<u64>,
    done: Condvar,
}

// SAFETY: the work is `Sync`, and valid as long as there are numbers left.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

struct Pool {
    jobs: Mutex<VecDeque<Arc<Job>>>,
    added: Condvar,
}

/// Threads that run work at the same time.
pub(crate) fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// Calls `work` for ranges that make up `0..len`, in several threads, of which this is one. It must not panic.
pub(crate) fn spread(len: u64, work: &(dyn Fn(Range<u64>) + Sync)) {
    let threads = threads() as u64;
    if threads == 1 || len <= 1 {
        work(0..len);
        return;
    }
    // SAFETY: only the lifetime changes; the job is over before this function returns.
    let work = unsafe {
        std::mem::transmute::<&(dyn Fn(Range<u64>) + Sync), *const (dyn Fn(Range<u64>) + Sync + 'static)>(
            work,
        )
    };
    let job = Arc::new(Job {
        next: AtomicU64::new(0),
        len,
        chunk: (len / (32 * threads)).max(1),
        work,
        left: Mutex::new(len),
        done: Condvar::new(),
    });
    let pool = pool();
    lock(&pool.jobs).push_back(job.clone());
    pool.added.notify_all();
    job.help();
    lock(&pool.jobs).retain(|other| !Arc::ptr_eq(other, &job));
    let mut left = lock(&job.left);
    while *left > 0 {
        left = job.done.wait(left).unwrap_or_else(PoisonError::into_inner);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The pool, whose threads are started once. If the system refuses one, there are fewer.
fn pool() -> &'static Pool {
    static POOL: OnceLock<&'static Pool> = OnceLock::new();
    POOL.get_or_init(|| {
        let pool: &'static Pool = Box::leak(Box::new(Pool { jobs: Mutex::default(), added: Condvar::new() }));
        for _ in 1..threads() {
            let _ = thread::Builder::new().name("autodiff kernel".to_owned()).spawn(|| pool.serve());
        }
        pool
    })
}

impl Pool {
    fn serve(&self) -> ! {
        loop {
            let mut jobs = lock(&self.jobs);
            let job = loop {
                if let Some(job) = jobs.iter().find(|job| job.has_more()) {
                    break job.clone();
                }
                jobs = self.added.wait(jobs).unwrap_or_else(PoisonError::into_inner);
            };
            drop(jobs);
            job.help();
        }
    }
}

impl Job {
    fn has_more(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.len
    }

    /// Works until no numbers are left to take.
    fn help(&self) {
        let mut done = 0;
        loop {
            let first = self.next.fetch_add(self.chunk, Ordering::Relaxed);
            if first >= self.len {
                break;
            }
            let range = first..(first + self.chunk).min(self.len);
            done += range.end - range.start;
            // SAFETY: these numbers are left, so the work is valid.
            unsafe { (*self.work)(range) };
        }
        if done > 0 {
            let mut left = lock(&self.left);
            *left -= done;
            if *left == 0 {
                self.done.notify_all();
            }
        }
    }
}
