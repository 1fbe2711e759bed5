//! The strategy for measures that are counts. Rankings are packed as bits, and 64 pairs of items are compared at a
//! time.
//!
//! - Discordant pairs: the order of each pair of items is a bit, so a ranking has n (n - 1) / 2 bits. The number of
//!   discordant pairs of two rankings is the number of bits that differ.
//! - The top-k kernel has two bits for each pair, one for each order of its items. Both bits are 0 if an item of the
//!   pair is not in the top k.
//! - The average kernel needs, for each item, the number of items that come before it in both rankings. Each item has n
//!   bits, which are combined by "and".

use crate::error::Error;
use crate::gram::cost::{BITS_BLOCK, BITS_TABLE};
use crate::gram::strategies::packed::{BitBlock, Packed, Packing, Ranks, blocks_of_pairs};
use crate::measure::{Counted, KendallMeasure};
use crate::memory;
use crate::pair::pairs_of;
use crate::parallel::Cancel;
use crate::rankings::Rankings;
use crate::simd::bits::{self, SQUARE};
use crate::simd::place::Square;
use crate::simd::{Isa, predecessors};

/// What the bits of a measure count.
pub(in crate::gram) struct Counts<'a> {
    measure: &'a KendallMeasure,
    counted: Counted,
    /// The value for each count, if it is faster to look up a value than to compute it.
    values: Vec<f64>,
}

/// Packs rankings of at most 65,536 items, for a measure that is a count.
pub(in crate::gram) fn bits<'a>(
    isa: Isa,
    measure: &'a KendallMeasure,
    x: &Rankings,
    y: Option<&Rankings>,
    cancel: &Cancel,
) -> Result<Packed<Counts<'a>>, Error> {
    let Some(counted) = measure.counted() else {
        return Err(Error::CannotCompute { name: "bits".to_owned() });
    };
    let pairs = pairs_of(measure.items() as u64);
    let cells = x.rows() as u64 * y.unwrap_or(x).rows() as u64;
    // The largest count is the count of a ranking and itself: the sum over items of (n - rank) times the number of
    // predecessors.
    let max = (measure.items() as u64 + 1) * pairs / 3;
    let values = match counted {
        // A subtraction is faster than a look-up.
        Counted::All if measure.count_divisors() == Some((1.0, 1.0)) => Vec::new(),
        Counted::All if pairs < BITS_TABLE => {
            (0..=pairs).map(|count| measure.value_from_count(pairs - count)).collect()
        }
        Counted::Later if max < BITS_TABLE.min(cells) => {
            (0..=max).map(|count| measure.value_from_count(count)).collect()
        }
        // Computing the value of a top-k count is as fast as a look-up.
        Counted::All | Counted::Top(_) | Counted::Later => Vec::new(),
    };
    let blocks = blocks(counted, measure.items())?;
    let ranks = |set: &Rankings| Ranks::new((set.rows(), set.items()), |row| set.row(row).ranks(), cancel);
    let (x, y) = (ranks(x)?, y.map(ranks).transpose()?);
    Ok(Packed::new(isa, Counts { measure, counted, values }, blocks, x, y))
}

impl Counts<'_> {
    /// The number of words of an item for the average kernel: one word for its weight, then one bit for every item.
    fn words_of_item(&self) -> usize {
        1 + self.measure.items().div_ceil(64)
    }

    /// The values without a table. This is a separate function, because the loop over squares would become too long
    /// with it.
    #[inline(never)]
    fn evaluate_each(&self, isa: Isa, width: usize, counts: &[u64], values: &mut Square<SQUARE>) {
        let all = pairs_of(self.measure.items() as u64);
        match (self.counted, self.measure.count_divisors()) {
            (Counted::All, Some((1.0, 1.0))) => {
                bits::subtract_from(isa, all, width, counts, values);
            }
            (Counted::All, _) => {
                each(width, counts, values, |count| self.measure.value_from_count(all.saturating_sub(count)));
            }
            (Counted::Top(_) | Counted::Later, Some(divisors)) => {
                bits::divide(isa, divisors, width, counts, values);
            }
            (Counted::Top(_) | Counted::Later, None) => {
                each(width, counts, values, |count| self.measure.value_from_count(count));
            }
        }
    }
}

/// The values for a square of counts. Each value is computed from its count.
#[inline]
fn each(width: usize, counts: &[u64], values: &mut Square<SQUARE>, value_of: impl Fn(u64) -> f64) {
    for (counts, values) in counts.chunks(width).zip(values) {
        for (&count, value) in counts.iter().zip(values) {
            *value = value_of(count);
        }
    }
}

impl Packing for Counts<'_> {
    fn length(&self, block: &BitBlock) -> usize {
        match self.counted {
            Counted::All => block.words,
            Counted::Top(_) => 2 * block.words,
            Counted::Later => block.items.len() * self.words_of_item(),
        }
    }

    fn pack(&self, isa: Isa, ranks: &[[u16; 64]], block: &BitBlock, out: &mut Vec<u64>) {
        let items = block.items.clone();
        match self.counted {
            Counted::All => bits::pack_signs(isa, ranks, items, out),
            // Here k is less than the number of items, which is at most 65,536.
            Counted::Top(k) => bits::pack_signs_of_top(isa, ranks, items, k as u16, out),
            Counted::Later => predecessors::pack_predecessors(isa, ranks, items, self.measure.items() as u64, out),
        }
    }

    fn count(&self, isa: Isa, block: &BitBlock, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        match self.counted {
            Counted::All => bits::count_differing(isa, block.words, upper, rows, columns, counts),
            Counted::Top(_) => bits::count_agreeing(isa, block.words, upper, rows, columns, counts),
            Counted::Later => {
                predecessors::sum_common(isa, block.items.len(), self.words_of_item(), upper, rows, columns, counts);
            }
        }
    }

    #[inline]
    fn evaluate(&self, isa: Isa, _: (usize, usize), width: usize, counts: &[u64], values: &mut Square<SQUARE>) {
        if !self.values.is_empty() {
            return bits::look_up(isa, &self.values, 0, width, counts, values);
        }
        self.evaluate_each(isa, width, counts, values);
    }
}

/// Splits the items into blocks of about [`BITS_BLOCK`] words.
fn blocks(counted: Counted, items: usize) -> Result<Vec<BitBlock>, Error> {
    if counted != Counted::Later {
        return blocks_of_pairs(items);
    }
    let step = (BITS_BLOCK / (1 + items.div_ceil(64))).max(1);
    let starts = (0..items).step_by(step);
    memory::collect(starts.map(|start| BitBlock { items: start..items.min(start + step), words: 0 }))
}
