//! The engine of the strategies that pack rankings as bits. It makes blocks of bits, counts the bits for a tile, and
//! can divide a tile among threads.
//!
//! A block of bits is computed for all rankings of a tile. It is used for all pairs of the tile while it is in the
//! cache, and then dropped. So memory does not grow with n^2. [`Packing`] defines the bits of a ranking, how bits are
//! counted, and how values are computed from counts.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::gram::cost::{BITS_BLOCK, BITS_KEPT};
use crate::gram::target::FillInParts;
use crate::gram::tiles::{Tile, TileShape};
use crate::gram::{Element, Fill};
use crate::memory;
use crate::parallel::{self, Cancel, Poll, Watch, Workers};
use crate::simd::Isa;
use crate::simd::bits::{GROUP, SQUARE};
use crate::simd::place::Square;

/// A way to pack rankings as bits, and to turn counts into values.
pub(super) trait Packing: Sync {
    /// The number of words of a ranking in a packed block.
    fn length(&self, block: &BitBlock) -> usize;

    /// Appends the bits of a ranking.
    fn pack(&self, isa: Isa, ranks: &[[u16; 64]], block: &BitBlock, out: &mut Vec<u64>);

    /// Adds to the counts of all rows and columns. With `upper`, only the pairs above the diagonal are needed; a few
    /// pairs below it may be counted too.
    fn count(&self, isa: Isa, block: &BitBlock, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]);

    /// The values for a square of counts. `at` is the first row and the first column of the square in the result. A row
    /// of counts begins every `width` counts. Counts after the last column can give any value.
    fn evaluate(&self, isa: Isa, at: (usize, usize), width: usize, counts: &[u64], values: &mut Square<SQUARE>);
}

/// Rankings as bits.
pub(super) struct Packed<P> {
    isa: Isa,
    packing: P,
    x: PackedSet,
    /// The rankings of the columns. `None` if these are the rankings of the rows.
    y: Option<PackedSet>,
    blocks: Vec<BitBlock>,
}

/// Rankings for the rows or the columns of the result.
struct PackedSet {
    ranks: Ranks,
    /// The bits of all rankings; `None` if they take too much memory.
    kept: Option<Vec<u64>>,
}

/// The items whose pairs are one block.
pub(super) struct BitBlock {
    pub(super) items: Range<usize>,
    /// The number of words of a ranking.
    pub(super) words: usize,
}

/// The rank of padding. It is larger than all ranks.
const PADDING: u16 = u16::MAX;

/// Ranks of 16 bits, padded to whole blocks of 64.
pub(super) struct Ranks {
    blocks: usize,
    ranks: Vec<[u16; 64]>,
}

impl Ranks {
    /// The ranks of `rows` rankings of `items` items; `row` gives the ranks of a ranking.
    pub(super) fn new<'r>(
        (rows, items): (usize, usize),
        row: impl Fn(usize) -> &'r [u32],
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let blocks = items.div_ceil(64);
        let mut ranks = memory::filled(rows * blocks, [PADDING; 64])?;
        for (index, ranks) in ranks.chunks_exact_mut(blocks.max(1)).enumerate() {
            if cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            for (to, from) in ranks.iter_mut().zip(row(index).chunks(64)) {
                for (to, &from) in to.iter_mut().zip(from) {
                    *to = from as u16;
                }
            }
        }
        Ok(Self { blocks, ranks })
    }

    fn rows(&self) -> usize {
        self.ranks.len() / self.blocks.max(1)
    }

    pub(super) fn row(&self, row: usize) -> &[[u16; 64]] {
        &self.ranks[row * self.blocks..(row + 1) * self.blocks]
    }
}

/// Memory for one thread.
#[derive(Default)]
pub(super) struct PackedPanels {
    rows: Vec<u64>,
    columns: Vec<u64>,
    one: Vec<u64>,
    counts: Vec<u64>,
    values: Vec<Square<SQUARE>>,
}

impl<P: Packing> Packed<P> {
    pub(super) fn new(isa: Isa, packing: P, blocks: Vec<BitBlock>, x: Ranks, y: Option<Ranks>) -> Self {
        let side = |ranks| PackedSet { ranks, kept: None };
        let mut all = Self { isa, packing, x: side(x), y: y.map(side), blocks };
        all.x.kept = all.keep(&all.x.ranks);
        let kept = all.y.as_ref().and_then(|side| all.keep(&side.ranks));
        if let Some(side) = &mut all.y {
            side.kept = kept;
        }
        all
    }

    /// The bits of all rankings, if they are few and there is memory for them.
    fn keep(&self, ranks: &Ranks) -> Option<Vec<u64>> {
        let [block] = self.blocks.as_slice() else { return None };
        let rows = ranks.rows();
        let words = rows * self.packing.length(block);
        let mut bits = Vec::new();
        (words <= BITS_KEPT && self.pack_rows(ranks, 0..rows, block, &mut bits).is_ok()).then_some(bits)
    }

    /// The bits of some rankings. They have been kept, or they are computed now in `room`.
    fn bits<'r>(
        &self,
        side: &'r PackedSet,
        rows: Range<usize>,
        block: &BitBlock,
        room: &'r mut Vec<u64>,
    ) -> Result<&'r [u64], Error> {
        if let Some(kept) = &side.kept {
            let length = self.packing.length(block);
            return Ok(&kept[rows.start * length..rows.end * length]);
        }
        self.pack_rows(&side.ranks, rows, block, room)?;
        Ok(room)
    }

    fn pack_rows(&self, ranks: &Ranks, rows: Range<usize>, block: &BitBlock, out: &mut Vec<u64>) -> Result<(), Error> {
        out.clear();
        memory::reserve(out, rows.len() * self.packing.length(block))?;
        for row in rows {
            self.packing.pack(self.isa, ranks.row(row), block, out);
        }
        Ok(())
    }
}

/// The number of counts in a row of a tile.
fn width(shape: &TileShape) -> usize {
    shape.columns.len().next_multiple_of(GROUP)
}

/// A tile whose counts are computed in parts.
struct Gathered<'t, T> {
    tile: Tile<'t, T>,
    counts: Vec<u64>,
    parts_left: usize,
}

impl<P: Packing> Packed<P> {
    /// Computes the counts of a tile for some of the blocks, and adds them to `scratch.counts`. Returns false if the
    /// run was stopped.
    fn count_blocks(
        &self,
        shape: &TileShape,
        blocks: &[BitBlock],
        PackedPanels { rows, columns, one, counts, .. }: &mut PackedPanels,
        poll: &mut Poll<'_>,
    ) -> Result<bool, Error> {
        counts.clear();
        memory::resize(counts, shape.rows.len() * width(shape), 0)?;
        // All memory for panels is reserved here. Otherwise panels would grow and move from block to block.
        let longest = blocks.iter().map(|block| self.packing.length(block)).max().unwrap_or(0);
        columns.clear();
        memory::reserve(columns, longest * width(shape))?;
        if self.x.kept.is_none() {
            rows.clear();
            memory::reserve(rows, longest * shape.rows.len())?;
        }
        for block in blocks {
            if poll.is_cancelled() {
                return Ok(false);
            }
            let length = self.packing.length(block);
            let rows = self.bits(&self.x, shape.rows.clone(), block, rows)?;
            if shape.diagonal {
                interleave(length, rows.chunks_exact(length), columns)?;
            } else {
                let side = self.y.as_ref().unwrap_or(&self.x);
                let bits = self.bits(side, shape.columns.clone(), block, one)?;
                interleave(length, bits.chunks_exact(length), columns)?;
            }
            self.packing.count(self.isa, block, shape.diagonal, rows, columns, counts);
        }
        Ok(true)
    }

    fn store<T: Element>(
        &self,
        counts: &[u64],
        values: &mut Vec<Square<SQUARE>>,
        tile: &mut Tile<'_, T>,
    ) -> Result<(), Error> {
        let shape = tile.shape();
        let (width, rows, columns) = (width(&shape), shape.rows.start, shape.columns.start);
        memory::resize(values, tile.squares::<SQUARE>().count(), [[0.0; SQUARE]; SQUARE])?;
        for (square, (row, column)) in values.iter_mut().zip(tile.squares::<SQUARE>()) {
            let (row, column) = (row * SQUARE, column * SQUARE);
            let at = (rows + row, columns + column);
            self.packing.evaluate(self.isa, at, width, &counts[row * width + column..], square);
        }
        tile.store(self.isa, values);
        Ok(())
    }
}

impl<P: Packing> FillInParts for Packed<P> {
    /// Fills a few tiles of rankings with many items. Threads divide the pairs of items among themselves, and not the
    /// tiles: with smaller tiles, the bits of a ranking would be computed more often. Counts are integers, so the order
    /// of additions does not matter.
    fn fill_in_parts<T: Element>(
        &self,
        tiles: Vec<Tile<'_, T>>,
        parts: usize,
        workers: Workers,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        let length = self.blocks.len().div_ceil(parts).max(1);
        let parts = self.blocks.len().div_ceil(length);
        let mut gathered = memory::with_capacity(tiles.len())?;
        for tile in tiles {
            let shape = tile.shape();
            let counts = memory::filled(shape.rows.len() * width(&shape), 0)?;
            gathered.push((shape, Mutex::new(Gathered { tile, counts, parts_left: parts })));
        }
        let jobs = gathered.iter().flat_map(|tile| self.blocks.chunks(length).map(move |blocks| (tile, blocks)));
        parallel::run(
            memory::collect(jobs)?,
            workers,
            watch,
            |cancel| self.scratch(cancel),
            |((shape, gathered), blocks), scratch, poll| {
                if !self.count_blocks(shape, blocks, scratch, poll)? {
                    return Ok(());
                }
                let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
                let Gathered { tile, counts, parts_left } = &mut *gathered;
                for (sum, &count) in counts.iter_mut().zip(&scratch.counts) {
                    *sum = sum.wrapping_add(count);
                }
                *parts_left -= 1;
                if *parts_left == 0 { self.store(counts, &mut scratch.values, tile) } else { Ok(()) }
            },
        )
    }
}

impl<P: Packing> Fill for Packed<P> {
    type Scratch = PackedPanels;

    fn scratch(&self, _: &Cancel) -> Result<PackedPanels, Error> {
        Ok(PackedPanels::default())
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        panels: &mut PackedPanels,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        if self.count_blocks(&tile.shape(), &self.blocks, panels, poll)? {
            self.store(&panels.counts, &mut panels.values, tile)?;
        }
        Ok(())
    }
}

/// Splits the items into blocks of about [`BITS_BLOCK`] words. Item j has the j pairs with the items before it.
pub(super) fn blocks_of_pairs(items: usize) -> Result<Vec<BitBlock>, Error> {
    let mut blocks = Vec::new();
    let (mut start, mut pairs) = (1, 0);
    for j in 1..items {
        pairs += j;
        if pairs >= BITS_BLOCK * 64 || j + 1 == items {
            memory::push(&mut blocks, BitBlock { items: start..j + 1, words: pairs.div_ceil(64) })?;
            (start, pairs) = (j + 1, 0);
        }
    }
    Ok(blocks)
}

/// Interleaves the words of [`GROUP`] rankings. The last group is filled up with zeros.
pub(super) fn interleave<'a>(
    length: usize,
    rankings: impl ExactSizeIterator<Item = &'a [u64]>,
    out: &mut Vec<u64>,
) -> Result<(), Error> {
    let groups = rankings.len().div_ceil(GROUP);
    out.clear();
    memory::resize(out, groups * length * GROUP, 0)?;
    for (index, words) in rankings.enumerate() {
        let panel = &mut out[index / GROUP * length * GROUP..];
        for (to, &word) in panel.chunks_exact_mut(GROUP).zip(words) {
            to[index % GROUP] = word;
        }
    }
    Ok(())
}
