//! Vigna's weighted tau: Kendall's tau in which the weight of a pair depends on the ranks of its two items.

use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::{check_not_negative, wrong_number};
use super::{Error, Measure, Parameters};
use crate::memory;
use crate::pair::composed::{BeforeBoth, Composed, RunningSum, ordered};
use crate::pair::incomplete::{Reversed, TiedWorkspace, Untied, reversed};
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::tied::Blocks;
use crate::simd::Isa;
use crate::simd::vectors::{WIDTH, bilinear};
use crate::weight::scale::{exponent, scaled};

/// Up to this many items, sums over all pairs of items are faster than sums over concordant pairs. If weights are added
/// and there are no ties, sums over concordant pairs are always used.
const FEW_ITEMS: usize = 48;

/// The ranks that determine the weights of the items in [`Measure::weighted_tau`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TauRank {
    /// Both rankings: the value is the mean of the value with the ranks in the first ranking and the value with the
    /// ranks in the second ranking.
    Both,
    /// The ranks in the first ranking. Items that are tied in the first ranking are ordered by the second ranking.
    First,
    /// The numbers of the items, from 0.
    Items,
    /// A number for each item. The most important item has the smallest number. Only the order of the numbers matters;
    /// items with equal numbers have the same rank.
    Given(Vec<f64>),
}

#[derive(Debug, PartialEq)]
struct WeightedTau {
    items: usize,
    weights: TauWeights,
    additive: bool,
    /// The weight of all pairs.
    total: f64,
}

/// The weights of items.
#[derive(Debug, PartialEq)]
enum TauWeights {
    /// Weights by rank: the ranks in the first ranking, or, with `both`, the mean over the two rankings.
    Ranks { weights: Vec<f64>, both: bool },
    /// A weight for each item.
    Items(Vec<f64>),
}

impl Measure {
    /// Vigna's weighted tau ("A weighted correlation index for rankings with ties", 2015): the weight of concordant
    /// pairs minus the weight of discordant pairs, divided by the weight of all pairs. `scipy.stats.weightedtau` has
    /// the same values, if it gets scores that decrease with the ranks.
    ///
    /// An item of rank r, from 0, has the weight `weigher[r]`, by default `1 / (r + 1)`. `rank` says which ranks are
    /// used for this. If `additive`, the weight of a pair is the sum of the weights of its items; otherwise it is their
    /// product.
    ///
    /// With ties, take for each ranking the weight of the pairs that are not tied in it. The divisor is the geometric
    /// mean of these two weights. If it is 0, the value is 0.
    ///
    /// With weights by item ([`TauRank::Items`] and [`TauRank::Given`]), the measure is a kernel. Each pair of items
    /// adds its weight times its signs in both rankings, so the value is a cosine. The error is below 1e-12.
    ///
    /// # Errors
    /// Returns an error when the length of the weigher or of the given ranks is not the number of items, when a number
    /// is NaN or infinite, or when a weight is negative.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, TauRank, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 1, 3, 2])?;
    /// let tau = Measure::weighted_tau(3, &TauRank::Both, None, true)?;
    /// // The pairs weigh 3/2, 4/3 and 5/6; the last one is discordant.
    /// assert!((gram(&tau, &x, None, Options::default())?[1] - 6.0 / 11.0).abs() < 1e-15);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn weighted_tau(items: usize, rank: &TauRank, weigher: Option<&[f64]>, additive: bool) -> Result<Self, Error> {
        let by_rank = match weigher {
            None => memory::collect((0..items).map(|rank| 1.0 / (rank as f64 + 1.0)))?,
            Some(weigher) => {
                check_not_negative("weigher", weigher, items, "each rank")?;
                // The value does not depend on the scale of the weights.
                scaled(weigher, exponent(weigher))?
            }
        };
        let weights = match rank {
            TauRank::Both | TauRank::First => TauWeights::Ranks { weights: by_rank, both: *rank == TauRank::Both },
            TauRank::Items => TauWeights::Items(by_rank),
            TauRank::Given(ranks) => TauWeights::Items(by_given(ranks, &by_rank)?),
        };
        let (TauWeights::Ranks { weights: all, .. } | TauWeights::Items(all)) = &weights;
        let total = pair_weights(additive, items, all.iter().map(|&weight| (1, weight)));
        Ok(SharedMeasure::new(WeightedTau { items, weights, additive, total }).into())
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    let rank = match parameters.array("rank", &[items]) {
        _ if parameters.is("rank", None) => TauRank::First,
        Ok(Some(ranks)) => TauRank::Given(memory::collect(ranks.iter().copied())?),
        Ok(None) => TauRank::Both,
        Err(wrong) => match parameters.flag_or("rank", true) {
            Ok(both) => {
                if both {
                    TauRank::Both
                } else {
                    TauRank::Items
                }
            }
            Err(_) => return Err(wrong),
        },
    };
    let named = parameters.is("weigher", Some("hyperbolic"));
    let weigher = if named { None } else { parameters.array("weigher", &[items])? };
    Measure::weighted_tau(items, &rank, weigher, parameters.flag_or("additive", true)?)
}

/// The weights of items by the order of their given ranks.
fn by_given(ranks: &[f64], by_rank: &[f64]) -> Result<Vec<f64>, Error> {
    if ranks.len() != by_rank.len() {
        let rule = format!("an array of length {}, one rank for each item", by_rank.len());
        return Err(Error::parameter("rank", format!("an array of length {}", ranks.len()), rule));
    }
    if let Some(index) = ranks.iter().position(|rank| !rank.is_finite()) {
        return Err(wrong_number("rank", ranks[index], index, "a finite number"));
    }
    let mut order: Vec<usize> = memory::collect(0..ranks.len())?;
    order.sort_unstable_by(|&i, &j| ranks[i].total_cmp(&ranks[j]));
    let mut weights = memory::filled(ranks.len(), 0.0)?;
    for (rank, tied) in order.chunk_by(|&i, &j| ranks[i] == ranks[j]).enumerate() {
        for &item in tied {
            weights[item] = by_rank[rank];
        }
    }
    Ok(weights)
}

/// The weight of all pairs of items in different blocks. Each block has a number of items and a sum of weights.
fn pair_weights(additive: bool, items: usize, blocks: impl Iterator<Item = (usize, f64)>) -> f64 {
    let (mut sum, mut before) = (RunningSum::default(), 0.0);
    for (size, weight) in blocks {
        sum.add(weight * if additive { (items - size) as f64 } else { before });
        before += weight;
    }
    sum.total()
}

impl PairMeasure for WeightedTau {
    fn about(&self) -> About {
        let kind = if matches!(self.weights, TauWeights::Items(_)) { Kind::Kernel } else { Kind::Similarity };
        About {
            is_symmetric: !matches!(self.weights, TauWeights::Ranks { both: false, .. }),
            ..About::new("the weighted tau", self.items, kind, Takes::Ties)
        }
    }

    fn pair_ns(&self, length: usize) -> f64 {
        let products = if matches!(self.weights, TauWeights::Ranks { both: true, .. }) { 2.0 } else { 1.0 };
        match self.additive {
            true => BeforeBoth::sum_ns(length),
            false if self.items <= FEW_ITEMS => 50.0 + 0.3 * (length * length) as f64,
            false => products * Composed::sum_ns(length),
        }
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        if self.total == 0.0 {
            return Ok(Box::new(|_, _| 0.0));
        }
        if self.additive {
            return self.additive(rows, columns, cancel);
        }
        if self.items <= FEW_ITEMS {
            let prepared = |rows| memory::try_map(rows, |row: Row<'a>| FewTau::new(self, row.order(), row.ranks()));
            return self.of_few(prepared(rows)?, prepared(columns)?);
        }
        self.multiplicative(rows, columns, cancel)
    }

    fn tied<'a>(
        &'a self,
        rows: Vec<Blocks<'a>>,
        columns: Vec<Blocks<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        if self.items <= FEW_ITEMS {
            let prepare = |blocks: Blocks<'a>| FewTau::new(self, blocks.order, blocks.starts);
            return self.of_few(memory::try_map(rows, prepare)?, memory::try_map(columns, prepare)?);
        }
        let prepare = |blocks| TiedTau::new(self, blocks);
        let (rows, columns) = (memory::try_map(rows, prepare)?, memory::try_map(columns, prepare)?);
        let mut memory = TiedWorkspace::untied(self.items, cancel)?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            match self.weights {
                TauWeights::Ranks { both: true, .. } => {
                    f64::midpoint(self.one_sided(s, t, &mut memory), self.one_sided(t, s, &mut memory))
                }
                // Sums over a permutation and over its inverse are rounded differently, so the order of the two
                // rankings is fixed here.
                TauWeights::Items(_) if s.blocks.starts > t.blocks.starts => self.one_sided(t, s, &mut memory),
                _ => self.one_sided(s, t, &mut memory),
            }
        }))
    }
}

impl WeightedTau {
    /// An item with the weight x adds x to each pair that it is in. So concordant minus discordant is the sum over
    /// items of `x (c - d)`, where the item is in c concordant and d discordant pairs. If k items come before the item
    /// in both rankings, `c - d = n - 1 - 2 s - 2 t + 4 k`, where s and t are its ranks.
    fn additive<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        let (start, rankings) = (self.items.saturating_sub(1) as f64 / 8.0, [rows, columns]);
        let offset = |rank: usize| start - rank as f64 / 2.0;
        let factor = |item: usize, rank: usize| match &self.weights {
            TauWeights::Ranks { weights, both: true } => weights[rank] / 2.0,
            TauWeights::Ranks { weights, both: false } => weights[rank],
            TauWeights::Items(weights) => weights[item],
        };
        let column_factor = |item: usize, rank: usize| match self.weights {
            TauWeights::Ranks { both: true, .. } => factor(item, rank),
            _ => 0.0,
        };
        let mut sums = BeforeBoth::new(rankings, self.items, offset, factor, column_factor, cancel)?;
        Ok(Box::new(move |row, column| {
            let [s, t] = sums.rankings(row, column);
            if s == t { 1.0 } else { (4.0 * sums.sum(row, column) / self.total).clamp(-1.0, 1.0) }
        }))
    }

    fn multiplicative<'a>(
        &'a self,
        rows: Vec<Row<'a>>,
        columns: Vec<Row<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        let mut composed = Composed::new(self.items, cancel)?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (rows[row], columns[column]);
            if s == t {
                return 1.0;
            }
            let twice = match &self.weights {
                TauWeights::Ranks { weights, both: true } => {
                    let forward = composed.products(s, t, |place| weights[place.s]);
                    forward + composed.products(t, s, |place| weights[place.s])
                }
                TauWeights::Ranks { weights, both: false } => 2.0 * composed.products(s, t, |place| weights[place.s]),
                TauWeights::Items(weights) => {
                    let (s, t) = ordered(s, t);
                    2.0 * composed.products(s, t, |place| weights[place.item])
                }
            };
            (twice / self.total - 1.0).clamp(-1.0, 1.0)
        }))
    }

    /// Values for few items, by sums over all pairs of items.
    fn of_few<'a>(&'a self, rows: Vec<FewTau<'a>>, columns: Vec<FewTau<'a>>) -> Result<Values<'a>, Error> {
        let both = matches!(self.weights, TauWeights::Ranks { both: true, .. });
        let width = self.items.next_multiple_of(WIDTH);
        let mut next = memory::filled(self.items, 0)?;
        let mut weights = [memory::filled(width, 0.0)?, memory::filled(width, 0.0)?];
        let ones = memory::filled(width, 1.0)?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            if s.starts == t.starts {
                return f64::from(u8::from(s.own > 0.0));
            }
            self.write_few(s, t, &mut next, &mut weights[0]);
            let of_t = self.own_few(t, &weights[0]);
            let mut lengths = [s.own.sqrt() * of_t.sqrt(), 0.0];
            if both {
                self.write_few(t, s, &mut next, &mut weights[1]);
                lengths[1] = t.own.sqrt() * self.own_few(s, &weights[1]).sqrt();
            }
            let x = weights.each_ref().map(|weights| &weights[..]);
            // A pair is visited twice, once for each of its items.
            let (y, times) = if self.additive { ([&ones[..]; 2], 1.0) } else { (x, 0.5) };
            let sums = bilinear(Isa::widest(), &s.signs, &t.signs, x, y);
            let value = |side: usize| {
                let length = lengths[side];
                if length > 0.0 { (times * sums[side] / length).clamp(-1.0, 1.0) } else { 0.0 }
            };
            if both { f64::midpoint(value(0), value(1)) } else { value(0) }
        }))
    }

    /// Writes the weights of items: the given weights, or the weights of the ranks in `s`. Items that are tied in `s`
    /// get the ranks of their block in the order of `t`.
    fn write_few(&self, s: &FewTau<'_>, t: &FewTau<'_>, next: &mut [u32], out: &mut [f64]) {
        match &self.weights {
            TauWeights::Items(weights) => out[..self.items].copy_from_slice(weights),
            TauWeights::Ranks { weights, .. } if !s.is_tied => {
                out.iter_mut().zip(s.starts).for_each(|(out, &rank)| *out = weights[rank as usize]);
            }
            TauWeights::Ranks { weights, .. } => {
                next.iter_mut().zip(0..).for_each(|(next, rank)| *next = rank);
                for &item in t.order {
                    let rank = &mut next[s.starts[item as usize] as usize];
                    out[item as usize] = weights[*rank as usize];
                    *rank += 1;
                }
            }
        }
    }

    /// The weight of the pairs that are not tied, given the weights of items.
    fn own_few(&self, of: &FewTau<'_>, weights: &[f64]) -> f64 {
        if !of.is_tied {
            return self.total;
        }
        let blocks = of.order.chunk_by(|&one, &other| of.starts[one as usize] == of.starts[other as usize]);
        let of_blocks = blocks.map(|block| (block.len(), block.iter().map(|&item| weights[item as usize]).sum()));
        pair_weights(self.additive, self.items, of_blocks)
    }

    /// The value with weights by item, or with the weights of the ranks in `s`. Items that are tied in `s` get the
    /// ranks of their block in the order of `t`.
    fn one_sided(&self, s: &TiedTau<'_>, t: &TiedTau<'_>, memory: &mut TiedWorkspace) -> f64 {
        if s.blocks.starts == t.blocks.starts {
            return f64::from(u8::from(s.own > 0.0));
        }
        let Some(mut untied) = memory.untie(s.blocks, t.blocks) else { return 0.0 };
        self.write_weights(s.blocks, &mut untied, true);
        let own_of_t = match self.weights {
            TauWeights::Ranks { .. } => self.own(t.blocks, |value| untied.numbers[value]),
            TauWeights::Items(_) => t.own,
        };
        let length = s.own.sqrt() * own_of_t.sqrt();
        if length == 0.0 {
            return 0.0;
        }
        let difference = if self.additive {
            // With ties, `c - d = 2 c - e` for the e pairs of an item that are tied in neither ranking.
            let (items, mut rest) = (self.items as i64, RunningSum::default());
            for block in s.blocks.ranges() {
                let (start, size) = (block.start, block.len() as i64);
                let mut position = start as i64;
                for cell in untied.other_at[block].chunk_by(|one, other| one == other) {
                    let split = items - size - i64::from(t.sizes[cell[0] as usize]) + cell.len() as i64;
                    for _ in cell {
                        let value = untied.values[position as usize];
                        let count = 2 * (items - 1 - position - i64::from(value)) - split;
                        rest.add(untied.numbers[value as usize] * count as f64);
                        position += 1;
                    }
                }
            }
            4.0 * memory.sum_later() + rest.total()
        } else {
            let concordant = memory.sum_products();
            let Some(mut untied) = memory.untie(s.blocks, t.reversed.blocks()) else { return 0.0 };
            self.write_weights(s.blocks, &mut untied, false);
            concordant - memory.sum_products()
        };
        (difference / length).clamp(-1.0, 1.0)
    }

    /// Writes the weights of items by value. The items of a block of `s` are in reverse order of the other ranking. If
    /// the other ranking is reversed, they are in its order.
    fn write_weights(&self, s: Blocks<'_>, untied: &mut Untied<'_>, turned: bool) {
        match &self.weights {
            TauWeights::Items(weights) => {
                for (&value, &weight) in untied.value_of.iter().zip(weights) {
                    untied.numbers[value as usize] = weight;
                }
            }
            TauWeights::Ranks { weights, .. } => {
                for block in s.ranges() {
                    let last = block.start + block.end - 1;
                    for position in block {
                        let rank = if turned { last - position } else { position };
                        untied.numbers[untied.values[position] as usize] = weights[rank];
                    }
                }
            }
        }
    }

    /// The weight of the pairs that are not tied, by weights of positions.
    fn own(&self, blocks: Blocks<'_>, weight: impl Fn(usize) -> f64) -> f64 {
        let of_blocks = blocks.ranges().map(|block| (block.len(), block.map(&weight).sum()));
        pair_weights(self.additive, self.items, of_blocks)
    }
}

/// A ranking with ties.
struct TiedTau<'a> {
    blocks: Blocks<'a>,
    /// The number of items of a block, by its first rank.
    sizes: Vec<u32>,
    /// The weight of the pairs that are not tied.
    own: f64,
    /// Used only if weights are multiplied.
    reversed: Reversed,
}

impl<'a> TiedTau<'a> {
    fn new(measure: &WeightedTau, blocks: Blocks<'a>) -> Result<Self, Error> {
        let mut sizes = memory::filled(measure.items, 0)?;
        blocks.ranges().for_each(|block| sizes[block.start] = block.len() as u32);
        let own = match &measure.weights {
            TauWeights::Ranks { weights, .. } => measure.own(blocks, |rank| weights[rank]),
            TauWeights::Items(weights) => measure.own(blocks, |place| weights[blocks.order[place] as usize]),
        };
        let reversed = if measure.additive { Reversed::default() } else { reversed(blocks)? };
        Ok(Self { blocks, sizes, own, reversed })
    }
}

/// A ranking of few items, perhaps with ties.
struct FewTau<'a> {
    order: &'a [u32],
    /// The first rank of the block of each item.
    starts: &'a [u32],
    is_tied: bool,
    /// The weight of the pairs that are not tied.
    own: f64,
    /// For each two items, 1 if the first item is before the second, -1 if it is after the second, and 0 if the two are
    /// tied.
    signs: Vec<f64>,
}

impl<'a> FewTau<'a> {
    fn new(measure: &WeightedTau, order: &'a [u32], starts: &'a [u32]) -> Result<Self, Error> {
        let width = starts.len().next_multiple_of(WIDTH);
        let mut signs = memory::filled(starts.len() * width, 0.0)?;
        for (row, one) in signs.chunks_exact_mut(width.max(1)).zip(starts) {
            row.iter_mut().zip(starts).for_each(|(sign, other)| *sign = f64::from(other.cmp(one) as i8));
        }
        let is_tied = order.windows(2).any(|two| starts[two[0] as usize] == starts[two[1] as usize]);
        let mut new = Self { order, starts, is_tied, own: 0.0, signs };
        let mut weights = memory::filled(width, 0.0)?;
        measure.write_few(&new, &new, &mut memory::filled(starts.len(), 0)?, &mut weights);
        new.own = measure.own_few(&new, &weights);
        Ok(new)
    }
}
