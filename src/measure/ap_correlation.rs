//! AP correlation: Kendall's tau in which errors near the top count more, as in average precision.

use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::{Error, Measure, Parameters};
use crate::memory;
use crate::pair::composed::{BeforeBoth, RunningSum};
use crate::pair::incomplete::TiedWorkspace;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::tied::Blocks;

#[derive(Debug, PartialEq)]
struct ApCorrelation {
    items: usize,
    symmetric: bool,
}

impl Measure {
    /// The AP correlation of Yilmaz, Aslam and Robertson ("A new rank correlation coefficient for information
    /// retrieval", 2008). A row of a matrix is the truth, and a column is the estimate. Take each item of the estimate,
    /// except the first. Of the items above it in the estimate, compute the share that is also above it in the truth.
    /// The value is twice the mean of these shares, minus 1. If `symmetric`, the value is the mean of two values: the
    /// second value takes the row as the estimate and the column as the truth.
    ///
    /// For rankings with ties there are two variants (Urbano and Marrero, "The treatment of ties in AP correlation",
    /// 2017). If `symmetric` is false, the value is `tau_AP,a`: the mean over all rankings without ties that agree with
    /// the rankings. If `symmetric` is true, the value is `tau_AP,b`, in which tied items are not above each other. If
    /// there are fewer than two items, the value is 0. If all items are tied, `tau_AP,b` is also 0. The AP correlation
    /// is not a kernel. Its error is below 1e-12.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 1, 3, 2])?;
    /// // The second item of the estimate has one of one above it in the truth, the last one of two.
    /// assert_eq!(gram(&Measure::ap_correlation(3, false), &x, None, Options::default())?[1], 0.5);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn ap_correlation(items: usize, symmetric: bool) -> Self {
        SharedMeasure::new(ApCorrelation { items, symmetric }).into()
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    Ok(Measure::ap_correlation(items, parameters.flag("symmetric")?))
}

impl PairMeasure for ApCorrelation {
    fn about(&self) -> About {
        About {
            is_symmetric: self.symmetric,
            ..About::new("the AP correlation", self.items, Kind::Similarity, Takes::Ties)
        }
    }

    fn pair_ns(&self, length: usize) -> f64 {
        BeforeBoth::sum_ns(length)
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        if self.items < 2 {
            return Ok(Box::new(|_, _| 0.0));
        }
        let of_rank = |rank: usize| if rank > 0 { 1.0 / rank as f64 } else { 0.0 };
        let row_factor = |_: usize, rank: usize| if self.symmetric { of_rank(rank) } else { 0.0 };
        let rankings = [rows, columns];
        let mut sums = BeforeBoth::new(rankings, self.items, |_| 0.0, row_factor, |_, rank| of_rank(rank), cancel)?;
        let twice = if self.symmetric { 1.0 } else { 2.0 } / (self.items - 1) as f64;
        Ok(Box::new(move |row, column| {
            let [s, t] = sums.rankings(row, column);
            if s == t { 1.0 } else { (twice * sums.sum(row, column) - 1.0).clamp(-1.0, 1.0) }
        }))
    }

    fn tied<'a>(
        &'a self,
        rows: Vec<Blocks<'a>>,
        columns: Vec<Blocks<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        if self.items < 2 {
            return Ok(Box::new(|_, _| 0.0));
        }
        let mut memory = TiedWorkspace::untied(self.items, cancel)?;
        if !self.symmetric {
            let columns = memory::try_map(columns, Estimate::new)?;
            let twice = 2.0 / (self.items - 1) as f64;
            return Ok(Box::new(move |row, column| {
                let sum = columns[column].sum(rows[row], &mut memory);
                (twice * sum - 1.0).clamp(-1.0, 1.0)
            }));
        }
        let (rows, columns) = (memory::try_map(rows, Shares::new)?, memory::try_map(columns, Shares::new)?);
        Ok(Box::new(move |row, column| {
            // Sums over a permutation and over its inverse are rounded differently.
            let (s, t) = (&rows[row], &columns[column]);
            let (s, t) = if s.blocks.starts <= t.blocks.starts { (s, t) } else { (t, s) };
            s.correlation(t, &mut memory)
        }))
    }
}

/// An estimate with ties: means over the rankings without ties that agree with it.
struct Estimate<'a> {
    blocks: Blocks<'a>,
    /// For the first rank of each block: the mean of 1 / r over the ranks r of the block, from 0. The rank r = 0 is
    /// left out.
    inverse: Vec<f64>,
    /// The sum over pairs of tied items. Of two tied items, one is above the other in the truth.
    of_tied: f64,
}

impl<'a> Estimate<'a> {
    fn new(blocks: Blocks<'a>) -> Result<Self, Error> {
        let mut inverse = memory::filled(blocks.starts.len(), 0.0)?;
        let mut of_tied = RunningSum::default();
        for block in blocks.ranges() {
            let sum: f64 = block.clone().skip(usize::from(block.start == 0)).map(|rank| 1.0 / rank as f64).sum();
            inverse[block.start] = sum / block.len() as f64;
            // An item at rank r has r - start tied items above it. On average, half of these are above it in the truth.
            block.clone().skip(1).for_each(|rank| of_tied.add((rank - block.start) as f64 / (2 * rank) as f64));
        }
        Ok(Self { blocks, inverse, of_tied: of_tied.total() })
    }

    /// The sum over all items except the first. Each item adds the share of the items above it that are also above it
    /// in the truth.
    fn sum(&self, truth: Blocks<'_>, memory: &mut TiedWorkspace) -> f64 {
        let Some(untied) = memory.untie(truth, self.blocks) else { return 0.0 };
        let mut half = RunningSum::default();
        for block in truth.ranges() {
            // Items that are tied in the truth are in reverse order of the estimate.
            let mut position = block.start;
            for cell in untied.other_at[block.clone()].chunk_by(|one, other| one == other) {
                let number = self.inverse[cell[0] as usize];
                for &value in &untied.values[position..position + cell.len()] {
                    untied.numbers[value as usize] = number;
                }
                position += cell.len();
                half.add(number * ((block.end - position) * cell.len()) as f64);
            }
        }
        memory.sum_later() + half.total() / 2.0 + self.of_tied
    }
}

/// A ranking with ties, in which tied items are not above each other.
struct Shares<'a> {
    blocks: Blocks<'a>,
    /// For the first rank of each block: 1, divided by the number of items before the block and by the number of items
    /// after the first block.
    inverse: Vec<f64>,
}

impl<'a> Shares<'a> {
    fn new(blocks: Blocks<'a>) -> Result<Self, Error> {
        let mut inverse = memory::filled(blocks.starts.len(), 0.0)?;
        let mut ranges = blocks.ranges();
        let after_first = blocks.starts.len() - ranges.next().map_or(0, |block| block.len());
        ranges.for_each(|block| inverse[block.start] = 1.0 / block.start as f64 / after_first as f64);
        Ok(Self { blocks, inverse })
    }

    fn all_tied(&self) -> bool {
        self.blocks.start_at.last() == Some(&0)
    }

    fn correlation(&self, other: &Self, memory: &mut TiedWorkspace) -> f64 {
        if self.all_tied() || other.all_tied() {
            return 0.0;
        }
        if self.blocks.starts == other.blocks.starts {
            return 1.0;
        }
        let Some(untied) = memory.untie(self.blocks, other.blocks) else { return 0.0 };
        for ((&value, &start), &of_other) in untied.values.iter().zip(self.blocks.start_at).zip(untied.other_at) {
            untied.numbers[value as usize] = self.inverse[start as usize] + other.inverse[of_other as usize];
        }
        (memory.sum_later() - 1.0).clamp(-1.0, 1.0)
    }
}
