//! The hits that are kept for one list during a search.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::error::Error;
use crate::memory;

/// A list that was found. A smaller key is better; of equal keys, the smaller index is better.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) key: f64,
    pub(super) index: u32,
    pub(super) value: f64,
}

impl Hit {
    fn order(&self, other: &Self) -> Ordering {
        self.key.partial_cmp(&other.key).unwrap_or(Ordering::Equal).then(self.index.cmp(&other.index))
    }
}

impl PartialEq for Hit {
    fn eq(&self, other: &Self) -> bool {
        self.order(other).is_eq()
    }
}

impl Eq for Hit {}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other)
    }
}

/// The hits that are kept.
pub(super) enum Kept {
    /// The `count` best hits. The worst of them is on top.
    Best { count: usize, heap: BinaryHeap<Hit> },
    /// All hits whose key is at most the limit.
    Close { limit: f64, hits: Vec<Hit> },
}

impl Kept {
    /// Whether a hit with this key would be kept.
    pub(super) fn admits(&self, key: f64, index: u32) -> bool {
        match self {
            Self::Best { count, heap } if heap.len() < *count => true,
            Self::Best { heap, .. } => heap.peek().is_some_and(|worst| Hit { key, index, value: 0.0 } < *worst),
            Self::Close { limit, .. } => key <= *limit,
        }
    }

    /// Whether worse hits are dropped from now on.
    pub(super) fn is_full(&self) -> bool {
        matches!(self, Self::Best { count, heap } if heap.len() == *count)
    }

    /// The index of the worst hit that is kept. It matters only if worse hits are dropped.
    pub(super) fn last(&self) -> u32 {
        match self {
            Self::Best { count, heap } if heap.len() == *count => heap.peek().map_or(u32::MAX, |worst| worst.index),
            Self::Best { .. } | Self::Close { .. } => u32::MAX,
        }
    }

    /// Takes a hit, if it is good enough.
    pub(super) fn offer(&mut self, hit: Hit) -> Result<(), Error> {
        if !self.admits(hit.key, hit.index) {
            return Ok(());
        }
        match self {
            Self::Best { count, heap } => {
                if heap.len() == *count {
                    heap.pop();
                }
                heap.try_reserve(1).map_err(|_| Error::OutOfMemory { bytes: size_of::<Hit>() * *count })?;
                heap.push(hit);
                Ok(())
            }
            Self::Close { hits, .. } => memory::push(hits, hit),
        }
    }

    /// Returns the kept hits. `Best` hits are sorted, the best first; `Close` hits are sorted by index.
    pub(super) fn take(&mut self) -> Vec<Hit> {
        match self {
            Self::Best { heap, .. } => std::mem::take(heap).into_sorted_vec(),
            Self::Close { hits, .. } => {
                let mut hits = std::mem::take(hits);
                hits.sort_unstable_by_key(|hit| hit.index);
                hits
            }
        }
    }
}
