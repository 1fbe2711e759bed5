//! The strategy for measures that count: rankings as bits, compared 64 pairs of items at a time.
//!
//! The order of each pair of items is a bit, so a ranking is n (n - 1) / 2 bits and two rankings have as many discordant pairs
//! as bits that differ. The top-k kernel has a second bit for each pair, which says whether both items are in the top k. The
//! average kernel needs, for each item, how many items come before it in both rankings: n bits an item, compared by "and".
//!
//! A block of bits is made for all rankings of a tile, used for all its pairs while it is in the cache, and dropped. Memory
//! therefore does not grow with n^2.

use std::ops::Range;

use super::tiles::Tile;
use super::{Element, Fill};
use crate::error::Error;
use crate::kappa::pairs_of;
use crate::measure::{Counted, Measure};
use crate::parallel::Proceed;
use crate::ranking::Rankings;
use crate::simd::Isa;
use crate::simd::bits::{self, GROUP};
use crate::simd::place::Square;

/// Words for each ranking in a block: with tiles of 256 the bits of all rankings of a tile take 512 KiB, and those of a group of
/// columns 8 KiB, which is to say that one fits the second cache and the other the first.
const BLOCK: usize = 128;
/// Ranks are 16 bits wide here.
pub(super) const MOST_ITEMS: usize = 1 << 16;
/// Up to this many possible counts the values are looked up. A table costs one evaluation for each, which pays when there are
/// more cells than that; this one stays in the second cache.
const TABLE: u64 = 1 << 15;

pub(super) struct Bits<'a> {
    isa: Isa,
    measure: &'a Measure,
    counted: Counted,
    x: Ranks,
    /// Those of `x` where there are none.
    y: Option<Ranks>,
    blocks: Vec<Block>,
    values: Vec<f64>,
}

/// Items of which the pairs make one block.
struct Block {
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
    fn new(rankings: &Rankings) -> Self {
        let blocks = rankings.items().div_ceil(64);
        let mut ranks = vec![[PADDING; 64]; rankings.rows() * blocks];
        for (row, ranks) in ranks.chunks_exact_mut(blocks.max(1)).enumerate() {
            for (to, from) in ranks.iter_mut().zip(rankings.row(row).ranks().chunks(64)) {
                for (to, &from) in to.iter_mut().zip(from) {
                    *to = from as u16;
                }
            }
        }
        Self { blocks, ranks }
    }

    fn row(&self, row: usize) -> &[[u16; 64]] {
        &self.ranks[row * self.blocks..(row + 1) * self.blocks]
    }
}

/// Memory for one thread.
#[derive(Default)]
pub(super) struct Scratch {
    rows: Vec<u64>,
    columns: Vec<u64>,
    one: Vec<u64>,
    counts: Vec<u64>,
    values: Vec<Square<SQUARE>>,
}

impl<'a> Bits<'a> {
    /// For measures that count, of at most [`MOST_ITEMS`] items.
    pub(super) fn new(isa: Isa, measure: &'a Measure, x: &Rankings, y: Option<&Rankings>) -> Result<Self, Error> {
        let Some(counted) = measure.counted() else {
            return Err(Error::CannotCompute { name: "bits".to_owned() });
        };
        let most = pairs_of(measure.items() as u64);
        let values = match counted {
            Counted::All if most < TABLE => (0..=most).map(|count| measure.of_count(most - count)).collect(),
            _ => Vec::new(),
        };
        let blocks = blocks(counted, measure.items());
        Ok(Self { isa, measure, counted, x: Ranks::new(x), y: y.map(Ranks::new), blocks, values })
    }

    /// Words for each ranking in a packed block.
    fn length(&self, block: &Block) -> usize {
        match self.counted {
            Counted::All => block.words,
            Counted::Top(_) => 2 * block.words,
            Counted::Rooms => block.items.len() * (1 + self.x.blocks),
        }
    }

    fn pack_rows(&self, ranks: &Ranks, rows: Range<usize>, block: &Block, out: &mut Vec<u64>) {
        out.clear();
        for row in rows {
            let (ranks, items) = (ranks.row(row), block.items.clone());
            match self.counted {
                Counted::All => bits::pack_signs(self.isa, ranks, items, out),
                Counted::Top(k) => bits::pack_signs_of_top(self.isa, ranks, items, k.min(u16::MAX.into()) as u16, out),
                Counted::Rooms => bits::pack_predecessors(self.isa, ranks, items, self.measure.items() as u64, out),
            }
        }
    }

    fn count(&self, block: &Block, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        match self.counted {
            Counted::All => bits::count_differing(self.isa, block.words, upper, rows, columns, counts),
            Counted::Top(_) => bits::count_agreeing(self.isa, block.words, upper, rows, columns, counts),
            Counted::Rooms => {
                bits::sum_common(self.isa, block.items.len(), 1 + self.x.blocks, upper, rows, columns, counts);
            }
        }
    }

    /// The values for counts; of lanes that stand for no column these can be nonsense.
    #[inline]
    fn evaluate(&self, counts: &[u64], values: &mut [f64]) {
        let pairs = counts.iter().zip(values);
        match self.counted {
            Counted::All if !self.values.is_empty() => {
                pairs.for_each(|(&count, value)| *value = self.values[count as usize]);
            }
            Counted::All => {
                let all = pairs_of(self.measure.items() as u64);
                pairs.for_each(|(&count, value)| *value = self.measure.of_count(all.saturating_sub(count)));
            }
            _ => pairs.for_each(|(&count, value)| *value = self.measure.of_count(count)),
        }
    }
}

impl Fill for Bits<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch::default()
    }

    fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, scratch: &mut Scratch, proceed: Proceed<'_>) {
        let (rows, columns) = (tile.rows(), tile.columns());
        let width = columns.len().next_multiple_of(GROUP);
        scratch.counts.clear();
        scratch.counts.resize(rows.len() * width, 0);
        for block in &self.blocks {
            if !proceed() {
                return;
            }
            let length = self.length(block);
            self.pack_rows(&self.x, rows.clone(), block, &mut scratch.rows);
            if tile.is_diagonal() {
                interleave(length, scratch.rows.chunks_exact(length), &mut scratch.columns);
            } else {
                self.pack_rows(self.y.as_ref().unwrap_or(&self.x), columns.clone(), block, &mut scratch.one);
                interleave(length, scratch.one.chunks_exact(length), &mut scratch.columns);
            }
            self.count(block, tile.is_diagonal(), &scratch.rows, &scratch.columns, &mut scratch.counts);
        }
        scratch.values.clear();
        for (row, column) in tile.squares::<SQUARE>() {
            let mut values = [[0.0; SQUARE]; SQUARE];
            for (values, counts) in values.iter_mut().zip(scratch.counts.chunks_exact(width).skip(row * SQUARE)) {
                let counts = &counts[column * SQUARE..];
                match counts.first_chunk::<SQUARE>() {
                    Some(counts) => self.evaluate(counts, values),
                    None => self.evaluate(counts, values),
                }
            }
            scratch.values.push(values);
        }
        tile.store(self.isa, &scratch.values);
    }
}

/// Cuts the items into blocks of about [`BLOCK`] words.
fn blocks(counted: Counted, items: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    if counted == Counted::Rooms {
        let step = (BLOCK / (1 + items.div_ceil(64))).max(1);
        blocks.extend((0..items).step_by(step).map(|start| Block { items: start..items.min(start + step), words: 0 }));
        return blocks;
    }
    // Item j brings its pairs with the j items before it.
    let (mut start, mut pairs) = (1, 0);
    for j in 1..items {
        pairs += j;
        if pairs >= BLOCK * 64 || j + 1 == items {
            blocks.push(Block { items: start..j + 1, words: pairs.div_ceil(64) });
            (start, pairs) = (j + 1, 0);
        }
    }
    blocks
}

/// Lays the words of [`GROUP`] rankings side by side, filling the last group with zeros.
fn interleave<'a>(length: usize, rankings: impl ExactSizeIterator<Item = &'a [u64]>, out: &mut Vec<u64>) {
    let groups = rankings.len().div_ceil(GROUP);
    out.clear();
    out.resize(groups * length * GROUP, 0);
    for (index, words) in rankings.enumerate() {
        let panel = &mut out[index / GROUP * length * GROUP..];
        for (to, &word) in panel.chunks_exact_mut(GROUP).zip(words) {
            to[index % GROUP] = word;
        }
    }
}
