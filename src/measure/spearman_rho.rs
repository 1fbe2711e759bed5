//! Spearman's rho: the correlation of ranks.
//!
//! It is a kernel. For each ranking, subtract the mean rank from the ranks, and divide the vector by its length. The
//! value is the inner product of the two vectors. If all items of a ranking are tied, the value is 0.

use super::Measure;
use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use crate::error::Error;
use crate::memory;
use crate::pair::lists::CommonItems;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;

/// Up to this many items, sums of products of ranks are below 2^53, so that sums of `f64` are exact in any order.
const EXACT: usize = 1 << 17;

/// Spearman's rho of rankings of this many items.
#[derive(Debug, PartialEq)]
struct SpearmanRho {
    items: usize,
}

impl Measure {
    /// Spearman's rho: the correlation between the ranks of the items in two rankings. It is a kernel.
    ///
    /// Tied items have the mean of their ranks. If all items of a ranking are tied, the value is 0. Items that are not
    /// in a [list](crate::Lists) are tied at its end. The sum of the products of ranks is exact; after that, the value
    /// is rounded three times.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 2, 1, 3])?;
    /// assert_eq!(gram(&Measure::spearman_rho(3), &x, None, Options::default())?, [1.0, 0.5, 0.5, 1.0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn spearman_rho(items: usize) -> Self {
        SharedMeasure::new(SpearmanRho { items }).into()
    }
}

impl PairMeasure for SpearmanRho {
    fn about(&self) -> About {
        About::new("Spearman's rho", self.items, Kind::Kernel, Takes::Lists)
    }

    fn pair_ns(&self, length: usize) -> f64 {
        10.0 + if length <= EXACT { 0.3 } else { 1.0 } * length as f64
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let last = self.items as f64 - 1.0;
        let centred = |row: Row<'a>| {
            memory::collect(row.ranks().iter().map(|&rank| 2.0 * f64::from(rank) - last)).map(Centred::new)
        };
        Ok(between(memory::try_map(rows, centred)?, memory::try_map(columns, centred)?))
    }

    fn tied<'a>(&'a self, rows: Vec<Blocks<'a>>, columns: Vec<Blocks<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let last = self.items as f64 - 1.0;
        let centred = |blocks: Blocks<'a>| {
            let mut ranks = memory::filled(self.items, 0.0)?;
            for block in blocks.ranges() {
                let twice = (block.start + block.end - 1) as f64 - last;
                blocks.order[block].iter().for_each(|&item| ranks[item as usize] = twice);
            }
            Ok(Centred::new(ranks))
        };
        Ok(between(memory::try_map(rows, centred)?, memory::try_map(columns, centred)?))
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let shifted = |list| Shifted::new(list, self.items);
        let (rows, columns) = (memory::try_map(rows, shifted)?, memory::try_map(columns, shifted)?);
        let mut common = CommonItems::new(columns.iter().map(|shifted| shifted.list))?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            let shared = common.of(row, s.list, column).iter();
            let products =
                shared.map(|&[one, two]| i128::from(s.ranks[one as usize]) * i128::from(t.ranks[two as usize]));
            let tails = self.items as i128 * s.list.len() as i128 * t.list.len() as i128;
            quotient((products.sum::<i128>() - tails) as f64, s.square, t.square)
        }))
    }
}

/// The correlation, computed from the sum of products and the two sums of squares.
fn quotient(product: f64, s: f64, t: f64) -> f64 {
    if s * t == 0.0 { 0.0 } else { (product / (s * t).sqrt()).clamp(-1.0, 1.0) }
}

/// Ranks of all items.
struct Centred {
    /// Twice the mean rank of each item, minus twice the mean of all ranks.
    ranks: Vec<f64>,
    square: f64,
}

impl Centred {
    fn new(ranks: Vec<f64>) -> Self {
        let square = product(&ranks, &ranks);
        Self { ranks, square }
    }
}

fn between<'a>(rows: Vec<Centred>, columns: Vec<Centred>) -> Values<'a> {
    Box::new(move |row, column| {
        let (s, t) = (&rows[row], &columns[column]);
        quotient(product(&s.ranks, &t.ranks), s.square, t.square)
    })
}

/// The sum of products of whole numbers, rounded once.
fn product(s: &[f64], t: &[f64]) -> f64 {
    const LANES: usize = 8;
    if s.len() > EXACT {
        return s.iter().zip(t).map(|(&s, &t)| s as i128 * t as i128).sum::<i128>() as f64;
    }
    let (chunks_s, rest_s) = s.as_chunks::<LANES>();
    let (chunks_t, rest_t) = t.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (s, t) in chunks_s.iter().zip(chunks_t) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += s[lane] * t[lane];
        }
    }
    // The sum starts with 0, because `sum` would return -0 for no numbers.
    sums.into_iter().sum::<f64>() + rest_s.iter().zip(rest_t).fold(0.0, |sum, (s, t)| sum + s * t)
}

/// A list out of a catalogue.
struct Shifted<'a> {
    list: List<'a>,
    /// For each item of the list, in the order of item numbers: twice its mean rank, minus twice the mean rank of the
    /// items that are not listed. To get the sum of products of centred ranks over all items, subtract N times the
    /// product of the two lengths from the sum of products of these numbers.
    ranks: Vec<i64>,
    square: f64,
}

impl<'a> Shifted<'a> {
    fn new(list: List<'a>, items: usize) -> Result<Self, Error> {
        let mut sizes = memory::filled(list.len(), 0)?;
        for &[_, start] in list {
            sizes[start as usize] += 1;
        }
        let unlisted = (list.len() + items) as i64;
        let twice = |start: u32| 2 * i64::from(start) + sizes[start as usize];
        let ranks = memory::collect(list.iter().map(|&[_, start]| twice(start) - unlisted))?;
        let squares: i128 = ranks.iter().map(|&rank: &i64| i128::from(rank) * i128::from(rank)).sum();
        let square = (squares - items as i128 * (list.len() as i128).pow(2)) as f64;
        Ok(Self { list, ranks, square })
    }
}
