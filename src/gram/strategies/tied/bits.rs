//! The strategy for counts of rankings with ties: two bits for each pair of items.
//!
//! The first bit, o, is the order of the pair. The second bit, d, tells whether the pair is decided, that is, not tied.
//! Let e be 1, 0 or -1 for a pair that is in order, tied or reversed. The sum of e e' over all pairs is
//!
//! ```text
//! ones in (d & d' & !(o ^ o')) - ones in (d & d' & (o ^ o'))
//! ```
//!
//! A pair adds (1 + e e') / 2 to the mean of the concordant count. So the means of the concordant, the signed and the
//! discordant count follow from this sum.

use super::setting::TiedSetting;
use crate::error::Error;
use crate::gram::cost::BITS_TABLE;
use crate::gram::strategies::packed::{BitBlock, Packed, Packing, Ranks, blocks_of_pairs};
use crate::memory;
use crate::pair::pairs_of;
use crate::parallel::Cancel;
use crate::rankings::Incomplete;
use crate::simd::Isa;
use crate::simd::bits::{self, SQUARE};
use crate::simd::place::Square;

/// Packs rankings with ties as bits, and computes values from the counts of bits.
pub(super) struct Balances<'a> {
    setting: &'a TiedSetting<'a>,
    /// The number of pairs of items.
    all: u64,
    /// The value for each balance, from the smallest on; empty if there are many.
    values: Vec<f64>,
    /// Whether the values in the table are final. If not, they still have to be divided or exponentiated.
    finished: bool,
}

/// Packs rankings of at most 65,535 items, for a measure that counts pairs.
pub(super) fn bits<'a>(isa: Isa, setting: &'a TiedSetting<'a>, cancel: &Cancel) -> Result<Packed<Balances<'a>>, Error> {
    let items = setting.x.items();
    let all = pairs_of(items as u64);
    let table = if 2 * all < BITS_TABLE { 2 * all + 1 } else { 0 };
    let finished = table > 0 && setting.depends_on_sum_alone();
    let values = memory::collect((0..table).map(|index| {
        let value = setting.of_balance(index as f64 - all as f64);
        if finished { setting.finished(value, 0, 0) } else { value }
    }))?;
    let ranks = |set: &Incomplete| Ranks::new((set.rows(), items), |row| set.row(row).starts, cancel);
    let (x, y) = (ranks(setting.x)?, setting.other().map(ranks).transpose()?);
    Ok(Packed::new(isa, Balances { setting, all, values, finished }, blocks_of_pairs(items)?, x, y))
}

impl Packing for Balances<'_> {
    fn length(&self, block: &BitBlock) -> usize {
        2 * block.words
    }

    fn pack(&self, isa: Isa, ranks: &[[u16; 64]], block: &BitBlock, out: &mut Vec<u64>) {
        bits::pack_signs_with_ties(isa, ranks, block.items.clone(), out);
    }

    fn count(&self, isa: Isa, block: &BitBlock, upper: bool, rows: &[u64], columns: &[u64], counts: &mut [u64]) {
        bits::count_balance(isa, block.words, upper, rows, columns, counts);
    }

    #[inline]
    fn evaluate(&self, isa: Isa, at: (usize, usize), width: usize, counts: &[u64], values: &mut Square<SQUARE>) {
        if self.values.is_empty() {
            for (counts, values) in counts.chunks(width).zip(&mut *values) {
                for (&count, value) in counts.iter().zip(values) {
                    *value = self.setting.of_balance(count.cast_signed() as f64);
                }
            }
        } else {
            bits::look_up(isa, &self.values, self.all, width, counts, values);
        }
        if !self.finished {
            let (row, column) = at;
            for (index, (_, values)) in counts.chunks(width).zip(values).enumerate() {
                self.setting.finish_row(isa, row + index, column, values);
            }
        }
    }
}
