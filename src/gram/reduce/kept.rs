//! The best values of the rows of a matrix, collected while its tiles are computed.
//!
//! Rows are kept in blocks, and each block has a lock. Values are ordered by key, and equal keys by the index of the
//! column, so no two values are equal. Therefore the result does not depend on the order of the tiles.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::memory;

/// A column with the key of its value. A smaller key is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) key: f64,
    pub(super) index: usize,
}

/// A type of entries. Each row keeps its best entries.
pub(super) trait Entry: Copy + Send {
    /// A placeholder for no entry.
    const NONE: Self;

    /// Whether this entry is better than the other entry.
    fn beats(self, other: Self) -> bool;
}

impl Entry for Candidate {
    const NONE: Self = Self { key: f64::INFINITY, index: usize::MAX };

    #[inline]
    fn beats(self, other: Self) -> bool {
        self.key < other.key || (self.key == other.key && self.index < other.index)
    }
}

/// The entry has a count in its upper half and a column in its lower half.
impl Entry for u64 {
    const NONE: Self = Self::MAX;

    #[inline]
    fn beats(self, other: Self) -> bool {
        self < other
    }
}

/// Sorts entries, the best first.
pub(super) fn sort<E: Entry>(entries: &mut [E]) {
    entries.sort_unstable_by(|&a, &b| b.beats(a).cmp(&a.beats(b)));
}

/// Replaces the worst entry of a heap by a better entry. The worst entry is the first.
#[inline]
pub(super) fn replace_worst<E: Entry>(heap: &mut [E], entry: E) {
    if !heap.first().is_some_and(|&worst| entry.beats(worst)) {
        return;
    }
    let mut at = 0;
    loop {
        let left = 2 * at + 1;
        let Some(&first) = heap.get(left) else { break };
        let (worse, child) = match heap.get(left + 1) {
            Some(&second) if first.beats(second) => (left + 1, second),
            _ => (left, first),
        };
        if !entry.beats(child) {
            break;
        }
        heap[at] = child;
        at = worse;
    }
    heap[at] = entry;
}

/// Blocks of rows. Each block has data behind a lock.
struct LockedBlocks<S> {
    /// The number of rows of a block.
    height: usize,
    all: Vec<Mutex<S>>,
}

impl<S> LockedBlocks<S> {
    fn new(rows: usize, height: usize, make: impl Fn(usize) -> Result<S, Error>) -> Result<Self, Error> {
        let mut all = memory::with_capacity(rows.div_ceil(height))?;
        for start in (0..rows).step_by(height) {
            all.push(Mutex::new(make(height.min(rows - start))?));
        }
        Ok(Self { height, all })
    }

    fn lock(&self, block: usize) -> MutexGuard<'_, S> {
        self.all[block].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Receives candidates for the rows of a block. Rows are given by their positions in the block.
pub(super) trait Keep: Sync {
    /// Writes a limit for each row of a block: candidates with a larger key are not kept.
    fn limits(&self, block: usize, limits: &mut Vec<f64>) -> Result<(), Error>;

    fn take(&self, block: usize, found: &[(u32, Candidate)]) -> Result<(), Error>;
}

/// The best entries of each row. Each row has a heap.
pub(super) struct Best<E> {
    kept: usize,
    blocks: LockedBlocks<Vec<E>>,
}

impl<E: Entry> Best<E> {
    /// Memory for `rows` rows in blocks of `height` rows. `kept` entries are kept for each row.
    pub(super) fn new(rows: usize, height: usize, kept: usize) -> Result<Self, Error> {
        let make = |rows: usize| memory::filled(rows.saturating_mul(kept), E::NONE);
        Ok(Self { kept, blocks: LockedBlocks::new(rows, height, make)? })
    }

    /// Gives access to the heaps of the rows of a block, and to their size.
    pub(super) fn with(&self, block: usize, work: impl FnOnce(&mut [E], usize)) {
        work(&mut self.blocks.lock(block), self.kept);
    }

    /// Adds entries for the rows of a block.
    pub(super) fn add(&self, block: usize, found: impl Iterator<Item = (usize, E)>) {
        let mut heaps = self.blocks.lock(block);
        for (row, entry) in found {
            replace_worst(&mut heaps[row * self.kept..][..self.kept], entry);
        }
    }

    /// The entries of a row, the best first.
    pub(super) fn row(&self, row: usize, entries: &mut Vec<E>) -> Result<(), Error> {
        let height = self.blocks.height;
        entries.clear();
        memory::reserve(entries, self.kept)?;
        entries.extend_from_slice(&self.blocks.lock(row / height)[row % height * self.kept..][..self.kept]);
        sort(entries);
        Ok(())
    }
}

impl Keep for Best<Candidate> {
    fn limits(&self, block: usize, limits: &mut Vec<f64>) -> Result<(), Error> {
        let heaps = self.blocks.lock(block);
        limits.clear();
        memory::reserve(limits, heaps.len() / self.kept)?;
        limits.extend(heaps.chunks_exact(self.kept).map(|heap| heap[0].key));
        Ok(())
    }

    fn take(&self, block: usize, found: &[(u32, Candidate)]) -> Result<(), Error> {
        self.add(block, found.iter().map(|&(row, candidate)| (row as usize, candidate)));
        Ok(())
    }
}

/// All candidates whose key is at most a limit.
pub(super) struct Close {
    limit: f64,
    rows: usize,
    blocks: LockedBlocks<Vec<(u32, Candidate)>>,
}

impl Close {
    pub(super) fn new(rows: usize, height: usize, limit: f64) -> Result<Self, Error> {
        Ok(Self { limit, rows, blocks: LockedBlocks::new(rows, height, |_| Ok(Vec::new()))? })
    }

    /// Gives access to the candidates of a block, and to its number of rows.
    pub(super) fn with<R>(&self, block: usize, work: impl FnOnce(usize, &mut Vec<(u32, Candidate)>) -> R) -> R {
        work(self.height(block), &mut self.blocks.lock(block))
    }

    /// The number of rows of a block.
    fn height(&self, block: usize) -> usize {
        self.blocks.height.min(self.rows - block * self.blocks.height)
    }

    /// The candidates of each row, sorted by index.
    pub(super) fn into_rows(self) -> Result<CloseRows, Error> {
        let LockedBlocks { height, all } = self.blocks;
        let mut blocks = memory::collect(all.into_iter().map(into_inner))?;
        for block in &mut blocks {
            block.sort_unstable_by_key(|&(row, candidate)| (row, candidate.index));
        }
        Ok(CloseRows { height, blocks })
    }
}

fn into_inner<S>(block: Mutex<S>) -> S {
    block.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The result of [`Close`], sorted.
pub(super) struct CloseRows {
    height: usize,
    blocks: Vec<Vec<(u32, Candidate)>>,
}

impl CloseRows {
    /// The candidates of a row.
    pub(super) fn row(&self, row: usize) -> &[(u32, Candidate)] {
        let (block, within) = (&self.blocks[row / self.height], (row % self.height) as u32);
        let start = block.partition_point(|&(row, _)| row < within);
        let end = block.partition_point(|&(row, _)| row <= within);
        &block[start..end]
    }
}

impl Keep for Close {
    fn limits(&self, block: usize, limits: &mut Vec<f64>) -> Result<(), Error> {
        limits.clear();
        memory::resize(limits, self.height(block), self.limit)
    }

    fn take(&self, block: usize, found: &[(u32, Candidate)]) -> Result<(), Error> {
        let mut all = self.blocks.lock(block);
        let bytes = size_of_val(&all[..]) + size_of_val(found);
        all.try_reserve(found.len()).map_err(|_| Error::OutOfMemory { bytes })?;
        all.extend_from_slice(found);
        Ok(())
    }
}
