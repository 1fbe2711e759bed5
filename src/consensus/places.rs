//! The best order of up to 20 items, found by dynamic programming over subsets. The term of an item may depend on the
//! set of items before it, but must not depend on their order.
//!
//! Take a set of items that come first in an order. Each of its items can be the last of the set. The value is then the
//! best value of the other items, plus the term of the last item; the best value of the set is the maximum of these.
//! There are 2^n sets with up to n items each. The term of an item is a sum over the items before it. Two tables have
//! such sums, one for each half of the items.

use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// The maximum number of items. The 2^20 sets take 9 MiB and a tenth of a second.
pub(crate) const MAX_ITEMS: usize = 20;
/// A bit, stored with the number of the last item of a set. It marks sets for which several orders have the best value.
const SEVERAL: u8 = 1 << 7;
/// The number of sets between two checks for a stop.
const STOP_CHECK_INTERVAL: usize = 1 << 14;

/// How the weight of a pair of positions a < b can be written as a product.
#[derive(Default)]
pub(crate) enum Placing {
    /// It cannot: the weight depends on both positions.
    #[default]
    Both,
    /// A factor of the later position, times a factor of the two items in this order.
    LaterPlace(Vec<f64>, Vec<f64>),
    /// The sum of the factors of both positions, times a factor of the two items in this order.
    SumOfPlaces(Vec<f64>, Vec<f64>),
}

/// The term of the item that is placed next: for item j at position b, after the items i of a set, the term is
/// `factor[b] * (base[j] + sum over the set of table[layer][j, i])`.
pub(crate) struct Steps {
    pub(crate) items: usize,
    /// A factor for each position.
    pub(crate) factors: Vec<f64>,
    /// A number for each item.
    pub(crate) base: Vec<f64>,
    /// A number for each layer, item that is placed, and item before it. There is one layer, or one for each position.
    pub(crate) numbers: Vec<f64>,
}

impl Steps {
    /// For weights with which a term depends only on the set of earlier items. `of_items[i * n + j]` is the factor of i
    /// before j.
    pub(crate) fn of(placing: &Placing, items: usize) -> Option<Self> {
        let (factors, of_items, both) = match placing {
            Placing::Both => return None,
            Placing::LaterPlace(factors, of_items) => (factors, of_items, false),
            Placing::SumOfPlaces(factors, of_items) => (factors, of_items, true),
        };
        let mut steps =
            Self { items, factors: factors.clone(), base: vec![0.0; items], numbers: vec![0.0; items * items] };
        for j in 0..items {
            for i in (0..items).filter(|&i| i != j) {
                let (before, after) = (of_items[i * items + j], of_items[j * items + i]);
                // With the sum of both positions, the factor of an item's own position multiplies the terms with all
                // other items, earlier and later.
                steps.numbers[j * items + i] = if both { before - after } else { before };
                steps.base[j] += if both { after } else { 0.0 };
            }
        }
        Some(steps)
    }

    /// The best order, and whether the values of all other orders are smaller by more than `least`.
    pub(crate) fn best_order(&self, least: f64, cancel: &Cancel) -> Result<(Vec<u32>, bool), Error> {
        let (n, halves) = (self.items, HalfSums::new(self)?);
        let mut values = memory::filled(1 << n, 0.0)?;
        let mut lasts = memory::filled(1 << n, 0_u8)?;
        for set in 1..1_usize << n {
            if set % STOP_CHECK_INTERVAL == 0 && cancel.is_cancelled() {
                return Err(Error::Interrupted);
            }
            let place = set.count_ones() as usize - 1;
            let (mut best, mut last, mut rest) = (f64::NEG_INFINITY, 0, set);
            let mut several = 0;
            while rest != 0 {
                let item = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let others = set & !(1 << item);
                let value = values[others] + self.factors[place] * (self.base[item] + halves.sum(place, item, others));
                if value > best + least {
                    several = lasts[others] & SEVERAL;
                } else if value >= best - least {
                    several = SEVERAL;
                }
                // If values are equal, the item with the largest number comes last.
                if value >= best {
                    (best, last) = (value, item);
                }
            }
            values[set] = best;
            lasts[set] = last as u8 | several;
        }
        let mut order = vec![0; n];
        let mut set = (1_usize << n) - 1;
        for place in (0..n).rev() {
            let last = lasts[set] & !SEVERAL;
            order[place] = u32::from(last);
            set &= !(1 << last);
        }
        Ok((order, lasts[(1 << n) - 1] & SEVERAL == 0))
    }
}

/// Sums over all subsets of each half of the items.
struct HalfSums {
    items: usize,
    low: usize,
    layers: usize,
    sums: Vec<f64>,
}

impl HalfSums {
    fn new(steps: &Steps) -> Result<Self, Error> {
        let n = steps.items;
        let (low, layers) = (n / 2, steps.numbers.len() / (n * n).max(1));
        let size = 1 << (n - low);
        let mut sums = memory::filled(layers * n * 2 * size, 0.0)?;
        for (row, sums) in sums.chunks_exact_mut(2 * size).enumerate() {
            let numbers = &steps.numbers[row * n..][..n];
            let (low_sums, high_sums) = sums.split_at_mut(size);
            for (sums, numbers) in [(low_sums, &numbers[..low]), (high_sums, &numbers[low..])] {
                for set in 1..1_usize << numbers.len() {
                    let item = set.trailing_zeros() as usize;
                    sums[set] = sums[set & (set - 1)] + numbers[item];
                }
            }
        }
        Ok(Self { items: n, low, layers, sums })
    }

    #[inline]
    fn sum(&self, place: usize, item: usize, set: usize) -> f64 {
        let layer = if self.layers == 1 { 0 } else { place };
        let size = 1 << (self.items - self.low);
        let sums = &self.sums[(layer * self.items + item) * 2 * size..][..2 * size];
        sums[set & ((1 << self.low) - 1)] + sums[size + (set >> self.low)]
    }
}
