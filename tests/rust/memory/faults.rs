//! An allocator that fails when it is told to, and runs with each allocation failing in turn.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Debug;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wkendall::Error;

/// Allocations above the limit are counted, and the one with this number fails.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static FAILS: AtomicUsize = AtomicUsize::new(usize::MAX);
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Faulty;

fn fails(size: usize) -> bool {
    size > LIMIT.load(Ordering::Relaxed) && COUNT.fetch_add(1, Ordering::Relaxed) == FAILS.load(Ordering::Relaxed)
}

// SAFETY: does what the system's allocator does, or returns null, which stands for no memory.
unsafe impl GlobalAlloc for Faulty {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the promises of the allocator, which are those of the system's.
        if fails(layout.size()) { null_mut() } else { unsafe { System.alloc(layout) } }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as for `alloc`.
        if fails(layout.size()) { null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as for `alloc`; all memory is the system's.
        if fails(size) { null_mut() } else { unsafe { System.realloc(memory, layout, size) } }
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as for `alloc`; all memory is the system's.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Faulty = Faulty;

pub const MEBIBYTE: usize = 1 << 20;

/// Runs a case without a fault and then with each allocation above the limit failing. If `WKENDALL_FAULT_STEP` is set,
/// only every so many of them fail: with a sanitizer, each run takes many times as long.
pub fn each_fault_above<R: PartialEq + Debug>(limit: usize, name: &str, mut case: impl FnMut() -> Result<R, Error>) {
    let mut attempt = |fault: usize| {
        COUNT.store(0, Ordering::SeqCst);
        FAILS.store(fault, Ordering::SeqCst);
        LIMIT.store(limit, Ordering::SeqCst);
        let result = case();
        LIMIT.store(usize::MAX, Ordering::SeqCst);
        (result, COUNT.load(Ordering::SeqCst))
    };
    let (expected, count) = attempt(usize::MAX);
    assert!(count > 0, "{name} allocates nothing above the limit");
    assert!(count < 300, "{name} allocates {count} times");
    let mut errors = 0;
    let step = std::env::var("WKENDALL_FAULT_STEP").ok().and_then(|value| value.parse().ok()).unwrap_or(1);
    for fault in (0..).step_by(step) {
        let (found, count) = attempt(fault);
        match &found {
            Err(Error::OutOfMemory { bytes }) => {
                assert!(*bytes > limit / 2, "{name}, fault {fault}: {bytes} bytes");
                errors += 1;
            }
            Err(Error::TooLarge { .. }) => errors += 1,
            _ => assert!(found == expected, "{name}, fault {fault}: {} instead of {}", short(&found), short(&expected)),
        }
        if count <= fault {
            assert!(found == expected, "{name} without a fault: {} instead of {}", short(&found), short(&expected));
            break;
        }
    }
    println!("{name}: {count} allocations, {errors} errors");
}

/// The beginning of what a value looks like: the whole of it would be megabytes, which the test harness has to allocate
/// too.
pub fn short(value: &impl Debug) -> String {
    format!("{value:?}").chars().take(60).collect()
}

/// Faults are those of the whole process: the tests take turns.
pub fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn each_fault<R: PartialEq + Debug>(name: &str, case: impl FnMut() -> Result<R, Error>) {
    each_fault_above(MEBIBYTE, name, case);
}
