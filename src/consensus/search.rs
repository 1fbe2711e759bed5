//! Local search from several starts. Each item is moved to its best position, and pairs of items are exchanged, as long
//! as this improves the value. Then the order is changed a little at random and improved again, many times. Worse
//! results are discarded.

use std::sync::{Mutex, PoisonError};

use super::terms::ObjectiveTerms;
use crate::error::Error;
use crate::memory;
use crate::parallel::{self, Poll, Watch, Workers};

/// The number of starts. The order of Borda and the starts of the caller are included.
const STARTS: usize = 8;
/// The work of all starts in nanoseconds. The next numbers are the maximum and the minimum number of random changes.
const WORK_NS: f64 = 3e9;
const MAX_KICKS: f64 = 400.0;
const MIN_KICKS: f64 = 2.0;
/// The approximate number of passes over all items after a random change, until no move improves the value.
const PASSES: f64 = 5.0;
/// Gains of at most this fraction of the sum of all terms are rounding errors.
const ROUNDING: f64 = 1e-14;
/// With margins, an exchange takes O(n). For more items than this, exchanges are not used; insertions are enough.
const MAX_FOR_EXCHANGES: usize = 1000;

/// Returns the best order that was found, and its value. A start that reaches the value `most` stops. The result does
/// not depend on the number of threads.
pub(crate) fn search(
    terms: &ObjectiveTerms,
    most: f64,
    given: &[Vec<u32>],
    seed: u64,
    threads: Option<usize>,
    watch: Option<Watch<'_>>,
) -> Result<(Vec<u32>, f64), Error> {
    let items = terms.items();
    let kick_ns = PASSES * (items * items) as f64 * terms.gain_ns() + 1.0;
    let kicks = (WORK_NS / (kick_ns * STARTS as f64)).clamp(MIN_KICKS, MAX_KICKS) as usize;
    let starts = if kicks > MIN_KICKS as usize { STARTS } else { STARTS / 2 };
    let least = ROUNDING * terms.size();
    let jobs = memory::collect((0..starts.max(given.len())).map(|number| (number, given.get(number))))?;
    let best: Mutex<Option<(f64, usize, Vec<u32>)>> = Mutex::new(None);
    let workers =
        Workers::new(parallel::threads_for(kick_ns * (kicks * starts) as f64, threads), terms.gain_ns() * items as f64);
    parallel::run(
        jobs,
        workers,
        watch,
        |_| memory::filled(items, 0),
        |(number, start), work, poll| {
            let mut random = Random::new(seed, number as u64);
            let mut order = match start {
                Some(start) => memory::collect(start.iter().copied())?,
                None => memory::collect(0..items as u32)?,
            };
            if start.is_none() {
                random.shuffle(&mut order);
            }
            let mut climb = Climb { terms, enough: most - least, least, work, poll };
            if let Some(value) = climb.iterate(&mut order, kicks, &mut random)? {
                let mut best = best.lock().unwrap_or_else(PoisonError::into_inner);
                let better =
                    best.as_ref().is_none_or(|(most, earlier, _)| value > *most || value == *most && number < *earlier);
                if better {
                    *best = Some((value, number, order));
                }
            }
            Ok(())
        },
    )?;
    let best = best.into_inner().unwrap_or_else(PoisonError::into_inner);
    best.map(|(value, _, order)| (order, value)).ok_or(Error::Interrupted)
}

/// The search from one start.
struct Climb<'a, 'w> {
    terms: &'a ObjectiveTerms,
    enough: f64,
    least: f64,
    work: &'a mut Vec<u32>,
    poll: &'a mut Poll<'w>,
}

impl Climb<'_, '_> {
    /// Improves an order, then changes it at random and improves it again, `kicks` times. Returns the value of the
    /// order, or `None` if the run must stop.
    fn iterate(&mut self, order: &mut [u32], kicks: usize, random: &mut Random) -> Result<Option<f64>, Error> {
        let mut sequence = memory::collect(0..order.len())?;
        let mut trial = memory::collect(order.iter().copied())?;
        if !self.improve(order, &mut sequence, random) {
            return Ok(None);
        }
        let mut value = self.terms.value(order);
        for _ in 0..if order.len() > 3 { kicks } else { 0 } {
            if value >= self.enough {
                break;
            }
            trial.copy_from_slice(order);
            for _ in 0..2 + random.below(3) {
                let (from, to) = (random.below(order.len()), random.below(order.len()));
                insert(&mut trial, from, to);
            }
            if !self.improve(&mut trial, &mut sequence, random) {
                return Ok(None);
            }
            let found = self.terms.value(&trial);
            // Equal values are accepted, so that the search does not stay at one order.
            if found >= value - self.least {
                value = found;
                order.copy_from_slice(&trial);
            }
        }
        Ok(Some(value))
    }

    /// Inserts and exchanges items until nothing improves the value. Returns false if the run must stop.
    fn improve(&mut self, order: &mut [u32], sequence: &mut [usize], random: &mut Random) -> bool {
        loop {
            let mut gained = true;
            while gained {
                gained = false;
                random.shuffle(sequence);
                for &from in &*sequence {
                    let (to, gain) = self.terms.best_insertion(order, from, self.work);
                    if gain > self.least {
                        insert(order, from, to);
                        gained = true;
                    }
                    if self.poll.is_cancelled() {
                        return false;
                    }
                }
            }
            if order.len() > MAX_FOR_EXCHANGES {
                return true;
            }
            match self.exchange_any(order) {
                None => return false,
                Some(false) => return true,
                Some(true) => {}
            }
        }
    }

    /// Tries every exchange once, and makes those that improve the value. Returns whether there was one, or `None` if
    /// the run must stop.
    fn exchange_any(&mut self, order: &mut [u32]) -> Option<bool> {
        let mut gained = false;
        for first in 0..order.len() {
            for second in first + 2..order.len() {
                if self.terms.exchange(order, first, second) > self.least {
                    order.swap(first, second);
                    gained = true;
                }
            }
            if self.poll.is_cancelled() {
                return None;
            }
        }
        Some(gained)
    }
}

/// Moves an item to another position. The items in between move by one position.
fn insert(order: &mut [u32], from: usize, to: usize) {
    if from < to {
        order[from..=to].rotate_left(1);
    } else {
        order[to..=from].rotate_right(1);
    }
}

/// Pseudorandom numbers: `SplitMix64`.
struct Random(u64);

impl Random {
    fn new(seed: u64, stream: u64) -> Self {
        let mut random = Self(seed ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }

    fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}
