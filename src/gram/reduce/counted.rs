//! Searches for measures that are a function of the number of discordant pairs. The counts are computed from packed
//! bits. While a count is in a register, it is compared with the worst count that its row keeps. Only better counts are
//! written to memory.
//!
//! The bits of the columns are computed once. They are arranged so that a register holds one word of each of eight
//! rankings. To bound the memory, the columns are divided into slabs, and one slab is in memory at a time. A job
//! compares a block of rows with a span of columns of a slab. A span is divided into chunks that stay in the
//! second-level cache.

use std::ops::Range;

use super::kept::{Best, Candidate, Close, replace_worst};
use super::{FoundRows, Wanted};
use crate::error::Error;
use crate::gram::Options;
use crate::gram::cost::{BITS_BLOCK, COUNTED_CHUNK, COUNTED_ROWS, COUNTED_SLAB, COUNTED_SPAN};
use crate::gram::plan::{GramTask, Plan, Strategy};
use crate::measure::Counted;
use crate::memory;
use crate::pair::pairs_of;
use crate::parallel::{self, Phases, Workers};
use crate::rankings::Rankings;
use crate::simd::Isa;
use crate::simd::bits::{self, GROUP};
use crate::simd::nearest::{self, ROWS};

/// The number of columns whose bits a job computes.
const PACKED_A_JOB: usize = 4096;

/// A search that counts discordant pairs.
pub(super) struct CountedSearch<'a> {
    isa: Isa,
    x: &'a Rankings,
    y: &'a Rankings,
    /// The key of each number of discordant pairs.
    keys: Vec<f64>,
    /// The number of words of bits of a ranking.
    words: usize,
    workers: Workers,
}

/// Receives the results for [`ROWS`] rows at a time.
trait Take: Sync {
    /// Calls `scan`, which finds counts of some columns for the rows of a block.
    fn scan(
        &self,
        block: usize,
        columns: Range<usize>,
        scan: impl FnOnce(&mut [u64; ROWS], nearest::Report<'_>),
    ) -> Result<(), Error>;
}

/// Memory for one thread.
#[derive(Default)]
struct CountedScratch {
    ranks: Vec<[u16; 64]>,
    bits: Vec<u64>,
}

impl<'a> CountedSearch<'a> {
    /// A search for a measure whose keys increase with the number of discordant pairs. For the best entries, all keys
    /// must differ.
    pub(super) fn new(
        task: GramTask<'_>,
        plan: Plan,
        x: &'a Rankings,
        y: Option<&'a Rankings>,
        wanted: Wanted,
        sign: f64,
    ) -> Result<Option<Self>, Error> {
        let GramTask { measure, columns, .. } = task;
        let pairs = pairs_of(measure.items() as u64);
        let words = pairs.div_ceil(64) as usize;
        let fits = (1..=BITS_BLOCK).contains(&words) && u32::try_from(columns).is_ok();
        if plan.strategy != Strategy::Bits || measure.counted() != Some(Counted::All) || !fits {
            return Ok(None);
        }
        let keys = memory::collect((0..=pairs).map(|count| measure.value_from_count(pairs - count) * sign))?;
        let rises = match wanted {
            Wanted::Best(_) => keys.is_sorted_by(|a, b| a < b),
            Wanted::Close(_) => keys.is_sorted(),
        };
        let workers = Workers::new(plan.threads, 0.0);
        Ok(rises.then(|| Self { isa: plan.isa, x, y: y.unwrap_or(x), keys, words, workers }))
    }

    pub(super) fn find(self, wanted: Wanted, sign: f64, options: &mut Options<'_>) -> Result<FoundRows, Error> {
        match wanted {
            Wanted::Best(kept) => {
                let best = Best::<u64>::new(self.x.rows(), ROWS, kept.min(self.y.rows()))?;
                self.run(&best, options)?;
                Ok(FoundRows::Counts(best, self.keys))
            }
            Wanted::Close(radius) => {
                let close = Close::new(self.x.rows(), ROWS, radius * sign)?;
                let below = self.keys.partition_point(|&key| key <= radius * sign) as u64;
                self.run(&CloseCounts { below, keys: &self.keys, close: &close }, options)?;
                Ok(FoundRows::Close(close.into_rows()?))
            }
        }
    }

    fn run(&self, take: &impl Take, options: &mut Options<'_>) -> Result<(), Error> {
        let columns = self.y.rows();
        let slab = (COUNTED_SLAB / self.words).next_multiple_of(GROUP);
        let slabs = (0..columns).step_by(slab).map(|start| start..columns.min(start + slab));
        let jobs = slabs.clone().map(|slab| slab.len().div_ceil(PACKED_A_JOB) + self.jobs(slab).count()).sum();
        let mut phases = Phases::new(parallel::share(&mut options.watch), jobs);
        let mut panel = Vec::new();
        for slab in slabs {
            memory::resize(&mut panel, slab.len().next_multiple_of(GROUP) * self.words, 0)?;
            self.pack_columns(slab.clone(), &mut panel, &mut phases)?;
            self.scan(slab, &panel, take, &mut phases)?;
        }
        Ok(())
    }

    /// The jobs: a block of rows, and a span of columns of a slab.
    fn jobs(&self, slab: Range<usize>) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + use<'_, 'a> {
        let (rows, span) = (self.x.rows(), COUNTED_SPAN * self.chunk());
        (0..rows).step_by(COUNTED_ROWS).flat_map(move |row| {
            let spans = slab.clone().step_by(span);
            let end = slab.end;
            spans.map(move |start| (row..rows.min(row + COUNTED_ROWS), start..end.min(start + span)))
        })
    }

    /// The number of columns of a chunk.
    fn chunk(&self) -> usize {
        (COUNTED_CHUNK / self.words / GROUP).max(1) * GROUP
    }

    /// Appends the bits of a ranking.
    fn pack(&self, rankings: &Rankings, row: usize, ranks: &mut Vec<[u16; 64]>, bits: &mut Vec<u64>) {
        let of_row = rankings.row(row).ranks();
        ranks.resize(of_row.len().div_ceil(64), [u16::MAX; 64]);
        for (to, from) in ranks.iter_mut().zip(of_row.chunks(64)) {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = from as u16;
            }
        }
        bits::pack_signs(self.isa, ranks, 1..of_row.len(), bits);
    }

    /// The bits of a slab, side by side.
    fn pack_columns(&self, slab: Range<usize>, panel: &mut [u64], phases: &mut Phases<'_>) -> Result<(), Error> {
        let end = slab.end;
        let groups = panel.chunks_mut(PACKED_A_JOB * self.words);
        let jobs = memory::collect(slab.step_by(PACKED_A_JOB).zip(groups))?;
        phases.run(jobs.len(), |watch| {
            parallel::run(
                jobs,
                self.workers,
                watch,
                |_| Ok(CountedScratch::default()),
                |(start, panel): (usize, &mut [u64]), CountedScratch { ranks, bits }, _| {
                    for (column, index) in (start..end).zip(0..panel.len() / self.words) {
                        bits.clear();
                        self.pack(self.y, column, ranks, bits);
                        let group = &mut panel[index / GROUP * GROUP * self.words..];
                        for (to, &word) in group.chunks_exact_mut(GROUP).zip(&*bits) {
                            to[index % GROUP] = word;
                        }
                    }
                    Ok(())
                },
            )
        })
    }

    fn scan(&self, slab: Range<usize>, panel: &[u64], take: &impl Take, phases: &mut Phases<'_>) -> Result<(), Error> {
        let jobs = memory::collect(self.jobs(slab.clone()))?;
        let first = slab.start;
        phases.run(jobs.len(), |watch| {
            parallel::run(
                jobs,
                self.workers,
                watch,
                |_| Ok(CountedScratch::default()),
                |(rows, columns): (Range<usize>, Range<usize>), CountedScratch { ranks, bits }, poll| {
                    bits.clear();
                    memory::reserve(bits, COUNTED_ROWS * self.words)?;
                    rows.clone().for_each(|row| self.pack(self.x, row, ranks, bits));
                    bits.resize(rows.len().next_multiple_of(ROWS) * self.words, 0);
                    for start in columns.clone().step_by(self.chunk()) {
                        let chunk = start..columns.end.min(start + self.chunk());
                        let until = (chunk.end - first).next_multiple_of(GROUP);
                        let panel = &panel[(start - first) * self.words..until * self.words];
                        for (block, rows) in (rows.start / ROWS..).zip(bits.chunks_exact(ROWS * self.words)) {
                            take.scan(block, chunk.clone(), |limits, found| {
                                nearest::find_below(self.isa, self.words, rows, panel, limits, found);
                            })?;
                        }
                        if poll.is_cancelled() {
                            break;
                        }
                    }
                    Ok(())
                },
            )
        })
    }
}

impl Take for Best<u64> {
    fn scan(
        &self,
        block: usize,
        columns: Range<usize>,
        scan: impl FnOnce(&mut [u64; ROWS], nearest::Report<'_>),
    ) -> Result<(), Error> {
        // Within a chunk, columns come in increasing order. So an equal count is better only if the worst entry is from
        // a later chunk.
        let limit = |worst: u64| (worst >> 32) + u64::from(worst as u32 as usize >= columns.end);
        self.with(block, |heaps, kept| {
            let mut limits = [0; ROWS];
            for (bound, heap) in limits.iter_mut().zip(heaps.chunks_exact(kept)) {
                *bound = limit(heap[0]);
            }
            scan(&mut limits, &mut |row, column, count| {
                let Some(heap) = heaps.chunks_exact_mut(kept).nth(row) else { return 0 };
                if column < columns.len() {
                    replace_worst(heap, count << 32 | (columns.start + column) as u64);
                }
                limit(heap[0])
            });
        });
        Ok(())
    }
}

/// Takes all counts up to the count that belongs to a radius.
struct CloseCounts<'a> {
    below: u64,
    keys: &'a [f64],
    close: &'a Close,
}

impl Take for CloseCounts<'_> {
    fn scan(
        &self,
        block: usize,
        columns: Range<usize>,
        scan: impl FnOnce(&mut [u64; ROWS], nearest::Report<'_>),
    ) -> Result<(), Error> {
        self.close.with(block, |rows, all| {
            let mut limits = [0; ROWS];
            limits[..rows].fill(self.below);
            let mut failed = None;
            scan(&mut limits, &mut |row, column, count| {
                if column < columns.len() {
                    let candidate = Candidate { key: self.keys[count as usize], index: columns.start + column };
                    if let Err(error) = memory::push(all, (row as u32, candidate)) {
                        failed = Some(error);
                        return 0;
                    }
                }
                self.below
            });
            failed.map_or(Ok(()), Err)
        })
    }
}
