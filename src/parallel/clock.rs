//! The time between two calls of the watch function. WebAssembly without a system has no clock: reading one panics.

use std::time::{Duration, Instant};

const HAS_CLOCK: bool = cfg!(not(all(target_family = "wasm", target_os = "unknown")));

/// Tells when an interval has passed.
pub(super) struct Timer {
    /// The start of the interval; `None` without a clock.
    start: Option<Instant>,
    interval: Duration,
}

impl Timer {
    pub(super) fn new(interval: Duration) -> Self {
        Self { start: HAS_CLOCK.then(Instant::now), interval }
    }

    /// Whether the interval has passed; a new one begins then. Without a clock it has always passed.
    pub(super) fn has_passed(&mut self) -> bool {
        let passed = self.start.is_none_or(|start| start.elapsed() >= self.interval);
        if passed {
            self.start = HAS_CLOCK.then(Instant::now);
        }
        passed
    }
}
