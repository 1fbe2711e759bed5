//! Means of weights over the ranks that tied items share.

use crate::error::Error;
use crate::memory;
use crate::rankings::tied::Blocks;
use crate::weight::kinds::PairWeight;
use crate::weight::scale::times_power_of_two;

/// A ranking is rescaled for normalization if its largest product of two weights is below 2 to minus this power.
const STEEP: f64 = 200.0;

/// The means of the weights for the blocks of one ranking, by the first rank of a block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Means {
    /// The mean weight of the ranks of the block. Two items in different blocks have the product or the sum of the two
    /// means as their number.
    pub(crate) of_block: Vec<f64>,
    /// The number of an ordered pair of tied items.
    pub(crate) of_tied: Vec<f64>,
}

impl Means {
    /// The means for a ranking.
    pub(crate) fn of(weight: &PairWeight, blocks: Blocks<'_>) -> Result<Self, Error> {
        let items = blocks.starts.len();
        let mut means = Self { of_block: memory::filled(items, 0.0)?, of_tied: memory::filled(items, 0.0)? };
        for block in blocks.ranges() {
            let size = block.len() as f64;
            let pairs = size * (size - 1.0);
            let (mean, tied) = match weight {
                PairWeight::Count { top: None } => (1.0, 0.5),
                PairWeight::Count { top: Some(k) } => {
                    let inside = k.saturating_sub(block.start).min(block.len()) as f64;
                    (inside / size, inside * (inside - 1.0) / 2.0 / pairs)
                }
                PairWeight::Products(u) => {
                    let (mut sum, mut products) = (0.0, 0.0);
                    for &u in &u[block.clone()] {
                        products += sum * u;
                        sum += u;
                    }
                    (sum / size, products / pairs)
                }
                PairWeight::Sums(u) => {
                    let mean = u[block.clone()].iter().sum::<f64>() / size;
                    (mean, mean)
                }
                // The numbers of pairs depend on both rankings, so they are computed for every two rankings. General
                // weights have no means here.
                PairWeight::Average => (0.0, 0.0),
            };
            means.of_block[block.start] = mean;
            means.of_tied[block.start] = if block.len() > 1 { tied } else { 0.0 };
        }
        Ok(means)
    }

    /// The power of two by which the numbers of pairs must be multiplied so that the squares of the largest numbers do
    /// not underflow. Use it for results that do not depend on the scale of one ranking. Products of two weights can be
    /// as small as 1e-170, although the largest weight is 1.
    pub(crate) fn power(&self, weight: &PairWeight, signed: bool) -> i32 {
        match weight {
            PairWeight::Products(_) => {}
            PairWeight::Count { .. } | PairWeight::Average | PairWeight::Sums(_) => return 0,
        }
        let (mut most, mut second) = (0.0_f64, 0.0_f64);
        for mean in &self.of_block {
            second = second.max(mean.abs().min(most));
            most = most.max(mean.abs());
        }
        let tied = if signed { 0.0 } else { self.of_tied.iter().fold(0.0_f64, |most, tied| most.max(tied.abs())) };
        let largest = tied.log2().max(most.log2() + second.log2());
        if largest > -STEEP || largest == f64::NEG_INFINITY {
            return 0;
        }
        // The limit keeps products of the means of two rankings in range.
        2 * (-largest / 2.0).min(500.0 - most.log2()) as i32
    }

    /// Multiplies the numbers of pairs of items by an even power of two.
    pub(crate) fn rescale(&mut self, power: i32, signed: bool) {
        if power == 0 {
            return;
        }
        self.of_block.iter_mut().for_each(|mean| *mean = times_power_of_two(*mean, power / 2));
        // Signed sums do not use these numbers. They could overflow, so they become 0.
        self.of_tied.iter_mut().for_each(|tied| *tied = if signed { 0.0 } else { times_power_of_two(*tied, power) });
    }

    /// The means for a complete ranking, in which every rank is a block.
    pub(crate) fn of_ranks(weight: &PairWeight, items: usize) -> Result<Self, Error> {
        let ranks = memory::collect(0..items as u32)?;
        Self::of(weight, Blocks { starts: &ranks, order: &ranks, down: &[], start_at: &ranks, placed: items })
    }

    /// The sum for a ranking and itself, signed or not. The weight must be one for which a pair has the product or the
    /// sum of two means.
    pub(crate) fn own(&self, weight: &PairWeight, blocks: Blocks<'_>, signed: bool) -> f64 {
        // For the blocks so far: the number of items, the sum of the means over the items, and the sum of their
        // squares.
        let (mut items, mut sum, mut squares) = (0.0, 0.0, 0.0);
        let mut own = 0.0;
        for block in blocks.ranges() {
            let (size, mean, tied) = (block.len() as f64, self.of_block[block.start], self.of_tied[block.start]);
            let square = mean * mean;
            own += size
                * match weight {
                    PairWeight::Sums(_) => square * items + 2.0 * mean * sum + squares,
                    PairWeight::Count { .. } | PairWeight::Products(_) => square * squares,
                    PairWeight::Average => 0.0,
                };
            if !signed {
                own += size * (size - 1.0) * (tied * tied);
            }
            items += size;
            sum += size * mean;
            squares += size * square;
        }
        own
    }

    /// The number of an ordered pair of items and the number of the reversed pair, given the first ranks of the blocks
    /// of both items.
    pub(crate) fn of_pair(&self, weight: &PairWeight, first: u32, second: u32) -> (f64, f64) {
        if first == second {
            let tied = self.of_tied[first as usize];
            return (tied, tied);
        }
        let (a, b) = (self.of_block[first as usize], self.of_block[second as usize]);
        let joined = match weight {
            PairWeight::Sums(_) => a + b,
            PairWeight::Count { .. } | PairWeight::Products(_) => a * b,
            PairWeight::Average => 0.0,
        };
        if first < second { (joined, 0.0) } else { (0.0, joined) }
    }
}
