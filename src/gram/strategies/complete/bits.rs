//! The strategy for measures that count: rankings as bits, compared 64 pairs of items at a time.
//!
//! The order of each pair of items is a bit, so a ranking is n (n - 1) / 2 bits and two rankings have as many
//! discordant pairs as bits that differ. The top-k kernel has a second bit for each pair, which says whether both items
//! are in the top k. The average kernel needs, for each item, how many items come before it in both rankings: n bits an
//! item, compared by "and".
//!
//! A block of bits is made for all rankings of a tile, used for all its pairs while it is in the cache, and dropped.
//! Memory therefore does not grow with n^2.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;
use crate::gram::cost::{BITS_BLOCK, BITS_KEPT, BITS_TABLE};
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::kappa::pairs_of;
use crate::measure::{Counted, Measure};
use crate::memory;
use crate::parallel::{self, Crew, Proceed, Stop, Watch};
use crate::rankings::Rankings;
use crate::simd::Isa;
use crate::simd::bits::{self, GROUP};
use crate::simd::place::Square;

pub(in crate::gram) struct Bits<'a> {
    isa: Isa,
    measure: &'a Measure,
    counted: Counted,
    x: PackedSet,
    /// That of `x` where there is none.
    y: Option<PackedSet>,
    blocks: Vec<BitBlock>,
    values: Vec<f64>,
}

/// Rankings for the rows or the columns of the result.
struct PackedSet {
    ranks: Ranks,
    /// The bits of all of them, unless these are many.
    kept: Option<Vec<u64>>,
}

/// Items of which the pairs make one block.
struct BitBlock {
    items: Range<usize>,
    /// Words for each ranking.
    words: usize,
}

/// Rows and columns that are stored together: two lines of the cache.
const SQUARE: usize = 16;
/// Stands before no rank.
const PADDING: u16 = u16::MAX;

/// Ranks of 16 bits, padded to whole blocks of 64.
struct Ranks {
    blocks: usize,
    ranks: Vec<[u16; 64]>,
}

impl Ranks {
    fn new(rankings: &Rankings, stop: &Stop) -> Result<Self, Error> {
        let blocks = rankings.items().div_ceil(64);
        let mut ranks = memory::filled(rankings.rows() * blocks, [PADDING; 64])?;
        for (row, ranks) in ranks.chunks_exact_mut(blocks.max(1)).enumerate() {
            if stop.is_set() {
                return Err(Error::Interrupted);
            }
            for (to, from) in ranks.iter_mut().zip(rankings.row(row).ranks().chunks(64)) {
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

    fn row(&self, row: usize) -> &[[u16; 64]] {
        &self.ranks[row * self.blocks..(row + 1) * self.blocks]
    }
}

/// Memory for one thread.
#[derive(Default)]
pub(in crate::gram) struct Scratch {
    rows: Vec<u64>,
    columns: Vec<u64>,
    one: Vec<u64>,
    counts: Vec<u64>,
    values: Vec<Square<SQUARE>>,
}

impl<'a> Bits<'a> {
    /// For measures that count, of at most 65,536 items.
    pub(in crate::gram) fn new(
        isa: Isa,
        measure: &'a Measure,
        x: &Rankings,
        y: Option<&Rankings>,
        stop: &Stop,
    ) -> Result<Self, Error> {
        let Some(counted) = measure.counted() else {
            return Err(Error::CannotCompute { name: "bits".to_owned() });
        };
        let pairs = pairs_of(measure.items() as u64);
        let cells = x.rows() as u64 * y.unwrap_or(x).rows() as u64;
        // For a ranking and itself, the sum of n less the rank of each item times its number of predecessors.
        let most = (measure.items() as u64 + 1) * pairs / 3;
        let values = match counted {
            Counted::All if pairs < BITS_TABLE => (0..=pairs).map(|count| measure.of_count(pairs - count)).collect(),
            Counted::Later if most < BITS_TABLE.min(cells) => (0..=most).map(|count| measure.of_count(count)).collect(),
            // What a count of the top k makes is as quick as a look-up.
            Counted::All | Counted::Top(_) | Counted::Later => Vec::new(),
        };
        let blocks = blocks(counted, measure.items())?;
        let side = |rankings| Ok(PackedSet { ranks: Ranks::new(rankings, stop)?, kept: None });
        let mut all = Self { isa, measure, counted, x: side(x)?, y: y.map(side).transpose()?, blocks, values };
        all.x.kept = all.keep(&all.x.ranks);
        let kept = all.y.as_ref().and_then(|side| all.keep(&side.ranks));
        if let Some(side) = &mut all.y {
            side.kept = kept;
        }
        Ok(all)
    }

    /// The bits of all rankings, if they are few and there is memory for them.
    fn keep(&self, ranks: &Ranks) -> Option<Vec<u64>> {
        let [block] = self.blocks.as_slice() else { return None };
        let rows = ranks.rows();
        let words = rows * self.length(block);
        let mut bits = Vec::new();
        (words <= BITS_KEPT && self.pack_rows(ranks, 0..rows, block, &mut bits).is_ok()).then_some(bits)
    }

    /// Words for each ranking in a packed block.
    fn length(&self, block: &BitBlock) -> usize {
        match self.counted {
            Counted::All => block.words,
            Counted::Top(_) => 2 * block.words,
            Counted::Later => block.items.len() * (1 + self.x.ranks.blocks),
        }
    }

    /// The bits of some rankings, kept or made in `room`.
    fn bits<'r>(
        &self,
        side: &'r PackedSet,
        rows: Range<usize>,
        block: &BitBlock,
        room: &'r mut Vec<u64>,
    ) -> Result<&'r [u64], Error> {
        if let Some(kept) = &side.kept {
            let length = self.length(block);
            return Ok(&kept[rows.start * length..rows.end * length]);
        }
        self.pack_rows(&side.ranks, rows, block, room)?;
        Ok(room)
    }

    fn pack_rows(&self, ranks: &Ranks, rows: Range<usize>, block: &BitBlock, out: &mut Vec<u64>) -> Result<(), Error> {
        out.clear();
        memory::reserve(out, rows.len() * self.length(block))?;
        for row in rows {
            let (ranks, items) = (ranks.row(row), block.items.clone());
            match self.counted {
                Counted::All => bits::pack_signs(self.isa, ranks, items, out),
                Counted::Top(k) => bits::pack_signs_of_top(self.isa, ranks, items, k.min(u16::MAX.into()) as u16, out),
                Counted::Later => bits::pack_predecessors(self.isa, ranks, items, self.measure.items() as u64, out),
            }
        }
        Ok(())
    }

    fn count(&self, block: &BitBlock, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        match self.counted {
            Counted::All => bits::count_differing(self.isa, block.words, upper, rows, columns, counts),
            Counted::Top(_) => bits::count_agreeing(self.isa, block.words, upper, rows, columns, counts),
            Counted::Later => {
                bits::sum_common(self.isa, block.items.len(), 1 + self.x.ranks.blocks, upper, rows, columns, counts);
            }
        }
    }

    /// The values for counts; of lanes that stand for no column these can be nonsense.
    #[inline]
    fn evaluate(&self, counts: &[u64], values: &mut [f64]) {
        if !self.values.is_empty() {
            return bits::look_up(self.isa, &self.values, counts, values);
        }
        self.evaluate_each(counts, values);
    }

    /// The same without a table. Apart, because it makes the loop over rows too long where there is one.
    #[inline(never)]
    fn evaluate_each(&self, counts: &[u64], values: &mut [f64]) {
        let pairs = counts.iter().zip(values);
        match (self.counted, self.measure.count_divisors()) {
            (Counted::All, _) => {
                let all = pairs_of(self.measure.items() as u64);
                pairs.for_each(|(&count, value)| *value = self.measure.of_count(all.saturating_sub(count)));
            }
            (Counted::Top(_) | Counted::Later, Some((divisor, own))) if divisor != 1.0 || own != 1.0 => {
                pairs.for_each(|(&count, value)| *value = count as f64 / divisor / own);
            }
            (Counted::Top(_) | Counted::Later, Some(_)) => {
                pairs.for_each(|(&count, value)| *value = count as f64);
            }
            (Counted::Top(_) | Counted::Later, None) => {
                pairs.for_each(|(&count, value)| *value = self.measure.of_count(count));
            }
        }
    }
}

/// What a tile covers.
#[derive(Clone)]
struct Shape {
    rows: Range<usize>,
    columns: Range<usize>,
    diagonal: bool,
}

impl Shape {
    fn of<T: Element>(tile: &Tile<'_, T>) -> Self {
        Self { rows: tile.rows(), columns: tile.columns(), diagonal: tile.is_diagonal() }
    }

    /// Counts in a row.
    fn width(&self) -> usize {
        self.columns.len().next_multiple_of(GROUP)
    }
}

/// A tile whose counts come in parts.
struct Gathered<'t, T> {
    tile: Tile<'t, T>,
    counts: Vec<u64>,
    parts_left: usize,
}

impl Bits<'_> {
    /// Counts for a tile over some of the blocks, into `scratch.counts`; whether it has come to the end.
    fn count_blocks(
        &self,
        shape: &Shape,
        blocks: &[BitBlock],
        Scratch { rows, columns, one, counts, .. }: &mut Scratch,
        proceed: Proceed<'_>,
    ) -> Result<bool, Error> {
        counts.clear();
        memory::resize(counts, shape.rows.len() * shape.width(), 0)?;
        for block in blocks {
            if !proceed() {
                return Ok(false);
            }
            let length = self.length(block);
            let rows = self.bits(&self.x, shape.rows.clone(), block, rows)?;
            if shape.diagonal {
                interleave(length, rows.chunks_exact(length), columns)?;
            } else {
                let side = self.y.as_ref().unwrap_or(&self.x);
                let bits = self.bits(side, shape.columns.clone(), block, one)?;
                interleave(length, bits.chunks_exact(length), columns)?;
            }
            self.count(block, shape.diagonal, rows, columns, counts);
        }
        Ok(true)
    }

    fn store<T: Element>(
        &self,
        counts: &[u64],
        values: &mut Vec<Square<SQUARE>>,
        tile: &mut Tile<'_, T>,
    ) -> Result<(), Error> {
        let width = Shape::of(tile).width();
        memory::resize(values, tile.squares::<SQUARE>().count(), [[0.0; SQUARE]; SQUARE])?;
        for (square, (row, column)) in values.iter_mut().zip(tile.squares::<SQUARE>()) {
            for (values, counts) in square.iter_mut().zip(counts.chunks_exact(width).skip(row * SQUARE)) {
                let counts = &counts[column * SQUARE..];
                match counts.first_chunk::<SQUARE>() {
                    Some(counts) => self.evaluate(counts, values),
                    None => self.evaluate(counts, values),
                }
            }
        }
        tile.store(self.isa, values);
        Ok(())
    }

    /// Fills few tiles of many items: threads share the pairs of items instead of the tiles, because smaller tiles
    /// would mean to make the bits of a ranking more often. Counts are whole, so that it does not matter in which order
    /// they are added up.
    pub(in crate::gram) fn fill_in_parts<T: Element>(
        &self,
        tiles: Vec<Tile<'_, T>>,
        parts: usize,
        crew: Crew,
        watch: Option<Watch<'_>>,
    ) -> Result<(), Error> {
        let length = self.blocks.len().div_ceil(parts).max(1);
        let parts = self.blocks.len().div_ceil(length);
        let mut gathered = memory::with_capacity(tiles.len())?;
        for tile in tiles {
            let shape = Shape::of(&tile);
            let counts = memory::filled(shape.rows.len() * shape.width(), 0)?;
            gathered.push((shape, Mutex::new(Gathered { tile, counts, parts_left: parts })));
        }
        let jobs = gathered.iter().flat_map(|tile| self.blocks.chunks(length).map(move |blocks| (tile, blocks)));
        parallel::run(
            memory::collect(jobs)?,
            crew,
            watch,
            |stop| self.scratch(stop),
            |((shape, gathered), blocks), scratch, proceed| {
                if !self.count_blocks(shape, blocks, scratch, proceed)? {
                    return Ok(());
                }
                let mut gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
                let Gathered { tile, counts, parts_left } = &mut *gathered;
                for (sum, &count) in counts.iter_mut().zip(&scratch.counts) {
                    *sum += count;
                }
                *parts_left -= 1;
                if *parts_left == 0 { self.store(counts, &mut scratch.values, tile) } else { Ok(()) }
            },
        )
    }
}

impl Fill for Bits<'_> {
    type Scratch = Scratch;

    fn scratch(&self, _: &Stop) -> Result<Scratch, Error> {
        Ok(Scratch::default())
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut Scratch,
        proceed: Proceed<'_>,
    ) -> Result<(), Error> {
        if self.count_blocks(&Shape::of(tile), &self.blocks, scratch, proceed)? {
            self.store(&scratch.counts, &mut scratch.values, tile)?;
        }
        Ok(())
    }
}

/// Cuts the items into blocks of about [`BITS_BLOCK`] words.
fn blocks(counted: Counted, items: usize) -> Result<Vec<BitBlock>, Error> {
    if counted == Counted::Later {
        let step = (BITS_BLOCK / (1 + items.div_ceil(64))).max(1);
        let starts = (0..items).step_by(step);
        return memory::collect(starts.map(|start| BitBlock { items: start..items.min(start + step), words: 0 }));
    }
    let mut blocks = Vec::new();
    // Item j brings its pairs with the j items before it.
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

/// Lays the words of [`GROUP`] rankings side by side, filling the last group with zeros.
fn interleave<'a>(
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
