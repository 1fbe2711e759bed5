//! Rank-biased overlap: at each depth d, the agreement is the share of items that the first d items of two rankings
//! have in common. The value is the mean of the agreements, where depth d has the weight `(1 - p) p^(d - 1)`.
//!
//! The lower bound ("min") is a kernel. At each depth, it is the product of two kernels. The first is an inner product
//! of vectors that tell which items are in the top. The second depends on the sizes a and b of the two tops. For the
//! three variants of ties, it is `1 / d`, `1 / (a b)` or `2 / (a + b)`. The last of these is a kernel, because it is
//! the integral of `2 exp(-a x) exp(-b x)` over x from 0. With weights of items, the inner product is weighted, and the
//! lower bound remains a kernel.
//!
//! The other values are not kernels: their matrices for lists of two items have negative eigenvalues.

use std::ops::RangeInclusive;

use super::overlap::{CommonItem, Gains, Ranked, all_weights, sum_by_larger, sums_above, table_end, weights_of};
use super::pairwise::{About, BoundedPairs, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::check_range;
use super::{Measure, Parameters};
use crate::error::Error;
use crate::memory;
use crate::pair::lists::CommonItems;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;

/// What is assumed about the items after the end of the shorter list, and after the end of both lists.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    /// The lists continue to agree as before.
    Extrapolated,
    /// No such item is common.
    Min,
    /// Each such item is common if this is possible.
    Max,
    /// The difference between `Max` and `Min`.
    Residual,
}

/// The divisor of the overlap at a depth, if the last item of a top is tied. The variants are those of Corsi and
/// Urbano.
#[derive(Debug, Clone, Copy, PartialEq)]
enum TiedSize {
    /// Tied items share the first of their ranks. The divisor is the mean of the numbers of items in the two tops.
    W,
    /// Ties are broken at random. The divisor is the depth.
    A,
    /// Ties are broken at random. The divisor is the root of the product of two overlaps: of each top with itself.
    B,
}

/// Rank-biased overlap of rankings of this many items.
#[derive(Debug, Clone, PartialEq)]
struct RankBiasedOverlap {
    items: usize,
    p: f64,
    bound: Bound,
    size: TiedSize,
    /// The weights of items; with `None`, all are 1.
    item_weight: Option<Vec<f64>>,
}

impl Measure {
    /// Rank-biased overlap (Webber, Moffat and Zobel 2010): for each depth d, take the share of items that the first d
    /// items of both rankings have in common. The value is the weighted mean of these shares; depth d has the weight
    /// `(1 - p) p^(d - 1)`. It is computed for rankings and for [`Lists`](crate::Lists) of any lengths. The items after
    /// the end of a list are treated as unknown.
    ///
    /// `value` says what is assumed about the unknown items:
    ///
    /// - "min": they are not common.
    /// - "max": they are common wherever this is possible.
    /// - "ext": the lists continue to agree as before.
    /// - "res": the difference between "max" and "min".
    ///
    /// `ties` is the variant for tied items (Corsi and Urbano 2024):
    ///
    /// - "w": all tied items have the first of their ranks.
    /// - "a": the mean over all orders of the tied items.
    /// - "b": at each depth, the overlap of "a" is divided by the geometric mean of the overlaps of each ranking with
    ///   itself.
    ///
    /// "min" is a kernel; the other values are not. Errors are below 1e-13. "ext" and "min" are sums over the common
    /// items, so they can have [weights of items](Measure::with_item_weight): what an item adds is multiplied by its
    /// weight.
    ///
    /// # Errors
    /// Returns an error when `p` is not between 0 and 1, or when `value` or `ties` is none of the names above.
    ///
    /// ```
    /// use wkendall::{Lists, Measure, Options, gram};
    /// let x = Lists::from_orders(1000, &[vec![5, 7], vec![7, 9]])?;
    /// let overlap = Measure::rank_biased_overlap(1000, 0.5, "ext", "a")?;
    /// // No common item in the tops of 1, one in those of 2, and as large a share from there on.
    /// assert!((gram(&overlap, &x, None, Options::default())?[1] - 0.25).abs() < 1e-15);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn rank_biased_overlap(items: usize, p: f64, value: &str, ties: &str) -> Result<Self, Error> {
        if !(p > 0.0 && p < 1.0) {
            return Err(Error::parameter("p", format!("{p:?}"), "a number above 0 and below 1"));
        }
        let bound = match value {
            "ext" => Bound::Extrapolated,
            "min" => Bound::Min,
            "max" => Bound::Max,
            "res" => Bound::Residual,
            _ => return Err(Error::parameter("value", format!("{value:?}"), r#""ext", "min", "max" or "res""#)),
        };
        let size = match ties {
            "w" => TiedSize::W,
            "a" => TiedSize::A,
            "b" => TiedSize::B,
            _ => return Err(Error::parameter("ties", format!("{ties:?}"), r#""w", "a" or "b""#)),
        };
        Ok(SharedMeasure::new(RankBiasedOverlap { items, p, bound, size, item_weight: None }).into())
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    let value = parameters.choice("value", &["ext", "min", "max", "res"])?;
    let ties = parameters.choice("ties", &["a", "b", "w"])?;
    Measure::rank_biased_overlap(items, parameters.real("p")?.unwrap_or(0.9), value, ties)
}

impl PairMeasure for RankBiasedOverlap {
    fn about(&self) -> About {
        let kind = if self.bound == Bound::Min { Kind::Kernel } else { Kind::Similarity };
        About::new("rank-biased overlap", self.items, kind, Takes::Listed).weighted(self.item_weight.is_some())
    }

    fn with_item_weight(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        if matches!(self.bound, Bound::Max | Bound::Residual) {
            // The items after the end of a list are unknown, so their weights are unknown too.
            return Err(Error::NoItemWeight { taker: "rank-biased overlap with the value 'max' or 'res'" });
        }
        check_range("item_weight", item_weight, item_weight.iter().sum())?;
        let item_weight = Some(memory::collect(item_weight.iter().copied())?);
        Ok(SharedMeasure::new(Self { item_weight, ..self.clone() }))
    }

    fn pair_ns(&self, length: usize) -> f64 {
        20.0 + 1.5 * length as f64
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let n = self.items;
        let tables = Tables::new(self.p, n)?;
        let all = self.item_weight.as_ref().map_or(n as f64, |v| v.iter().sum());
        Ok(Box::new(move |row, column| {
            let (s, t) = (rows[row].ranks(), columns[column].ranks());
            let sum = match &self.item_weight {
                Some(v) => {
                    s.iter().zip(t).zip(v).fold(0.0, |sum, ((&s, &t), v)| sum + v * tables.after[s.max(t) as usize])
                }
                None => sum_by_larger(s, t, &tables.after, n as u32),
            };
            self.untied(&tables, Untied { sum, common: all, in_shorter: all, shorter: n, longer: n })
        }))
    }

    fn tied<'a>(&'a self, rows: Vec<Blocks<'a>>, columns: Vec<Blocks<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let n = self.items;
        let prepared = |blocks: &Vec<Blocks<'a>>| memory::try_map(blocks.clone(), Ranked::from_blocks);
        let (of_rows, of_columns) = (prepared(&rows)?, prepared(&columns)?);
        let tables = Tables::new(self.p, n)?;
        let mut gains = Gains::new(n, self.item_weight.is_some())?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&of_rows[row], &of_columns[column]);
            let starts = rows[row].starts.iter().zip(columns[column].starts).map(|(&s, &t)| [s, t]);
            self.value(&tables, [s, t], starts.zip(all_weights(self.item_weight.as_deref())), &mut gains)
        }))
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
        let (rows, columns) = (memory::try_map(rows, Ranked::from_list)?, memory::try_map(columns, Ranked::from_list)?);
        let longest = rows.iter().chain(&columns).map(Ranked::len).max().unwrap_or(0);
        let tables = Tables::new(self.p, 2 * longest)?;
        let mut gains = Gains::new(longest, self.item_weight.is_some())?;
        let mut common = CommonItems::new(columns.iter().map(|list| &*list.entries))?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            let common = common.of(row, &s.entries, column);
            if let Some(v) = &self.item_weight {
                let items = s.starts(t, common).zip(weights_of(v, s, common));
                return self.shorter_first(&tables, [s, t], items, &mut gains);
            }
            self.shorter_first(&tables, [s, t], s.starts(t, common).map(|starts| (starts, 1.0)), &mut gains)
        }))
    }

    fn bounded(&self, longest: usize) -> Result<Option<Box<dyn BoundedPairs + '_>>, Error> {
        if matches!(self.bound, Bound::Max | Bound::Residual) || self.item_weight.is_some() {
            return Ok(None); // lists without a common item can have the largest value; bounds are for weights of 1
        }
        let tables = Tables::new(self.p, 2 * longest)?;
        Ok(Some(Box::new(ListPairs { measure: self, tables, gains: Gains::new(longest, false)? })))
    }

    fn bounds_ties(&self) -> bool {
        self.size != TiedSize::B
    }
}

/// Compares pairs of lists for an index.
struct ListPairs<'a> {
    measure: &'a RankBiasedOverlap,
    tables: Tables,
    gains: Gains,
}

impl BoundedPairs for ListPairs<'_> {
    fn value(&mut self, s: &Ranked<'_>, t: &Ranked<'_>, starts: &[[u32; 2]]) -> f64 {
        let Self { measure, tables, gains } = self;
        measure.shorter_first(tables, [s, t], starts.iter().map(|&starts| (starts, 1.0)), gains)
    }

    /// Without ties, the value is a sum over the common items. Let m be the larger rank of an item. The item adds
    /// `after[m] - after[x] + p^x / x`, which decreases in x. Here x is the length of one of the lists. If both lists
    /// are longer than m, x is the length of the shorter list. If only one list is longer than m, x is the length of
    /// this list. Now vary the length of the other list: what the item adds is constant while this length is at most m,
    /// and decreases for larger lengths.
    ///
    /// With ties, the bound uses the first rank of each block, and the variants W and A divide by at least the depth.
    fn bound(&self, length: usize, lengths: RangeInclusive<usize>, larger: usize, tied: bool) -> f64 {
        if tied && !self.measure.bounds_ties() {
            return f64::INFINITY;
        }
        let with_one = |other: usize| {
            let (shorter, longer) = (length.min(other), length.max(other));
            let in_shorter = f64::from(u8::from(larger < shorter));
            let one = Untied { sum: self.tables.after[larger], common: 1.0, in_shorter, shorter, longer };
            self.measure.untied(&self.tables, one)
        };
        with_one(*lengths.start()).max(with_one((larger + 1).clamp(*lengths.start(), *lengths.end())))
    }
}

impl RankBiasedOverlap {
    /// The value for two rankings of any lengths.
    fn shorter_first(
        &self,
        tables: &Tables,
        [s, t]: [&Ranked<'_>; 2],
        items: impl Iterator<Item = CommonItem>,
        gains: &mut Gains,
    ) -> f64 {
        if s.len() <= t.len() {
            self.value(tables, [s, t], items, gains)
        } else {
            self.value(tables, [t, s], items.map(|([s, t], weight)| ([t, s], weight)), gains)
        }
    }

    /// The value for two rankings, the shorter one first.
    fn value(
        &self,
        tables: &Tables,
        [s, t]: [&Ranked<'_>; 2],
        items: impl Iterator<Item = CommonItem>,
        gains: &mut Gains,
    ) -> f64 {
        let (shorter, longer) = (s.len(), t.len());
        if !s.is_tied && !t.is_tied {
            let (mut sum, mut common, mut in_shorter) = (0.0, 0.0, 0.0);
            for ([s, t], weight) in items {
                let larger = s.max(t) as usize;
                sum += weight * tables.after[larger];
                in_shorter += if larger < shorter { weight } else { 0.0 };
                common += weight;
            }
            return self.untied(tables, Untied { sum, common, in_shorter, shorter, longer });
        }
        // `seen` is the sum of the agreements at known depths. The others are what the items after the end of the
        // shorter list add.
        let (mut seen, mut extrapolated, mut most, mut last) = (0.0, 0.0, 0.0, 0.0);
        let (count, common) = gains.each_depth(s, t, items, |top| {
            let (depth, [cut_s, cut_t]) = (top.depth, top.cuts);
            let ended = depth > shorter;
            let (overlap, size) = match self.size {
                TiedSize::W => (top.possible(), (cut_s.end + cut_t.end) as f64 / 2.0),
                TiedSize::A => (top.overlap(), depth as f64),
                TiedSize::B => (top.overlap(), cut_s.squares().sqrt() * cut_t.squares().sqrt()),
            };
            let weight = tables.depth_weight(depth) / size;
            seen += weight * overlap;
            if depth == shorter {
                last = overlap / size;
            } else if ended {
                let unknown = (depth - shorter) as f64;
                let share = if self.size == TiedSize::W { 1.0 } else { cut_t.share() };
                // The items of the longer list that are not common: those that are surely in its top, and those in the
                // block that is cut.
                let inside = cut_t.start as f64 - f64::from(top.counts[0]);
                let partly = (cut_t.end - cut_t.start) as f64 - f64::from(top.counts[2]);
                extrapolated += weight * unknown * last * ((inside + partly * share) / (inside + partly));
                most += weight * (unknown.min(inside) + (unknown - inside).clamp(0.0, partly) * share);
            }
        });
        let unseen = tables.unseen(count, shorter, longer);
        match self.bound {
            Bound::Extrapolated => seen + extrapolated + tables.extrapolated(common, shorter, longer, last),
            Bound::Min => seen + common * tables.after[longer],
            Bound::Max => seen + most + unseen,
            Bound::Residual => most + unseen - common * tables.after[longer],
        }
    }

    /// The value for two rankings without ties. Without weights of items, it is at most 1.
    fn untied(&self, tables: &Tables, of: Untied) -> f64 {
        let value = tables.untied(self.bound, of);
        if self.item_weight.is_some() { value } else { value.min(1.0) }
    }
}

/// The common items of two rankings without ties.
struct Untied {
    /// For each common item, the sum of `weight / depth` over the depths at which it is common; summed over the common
    /// items.
    sum: f64,
    /// The sum of the weights of the common items. Without weights of items, it is their number.
    common: f64,
    /// The sum of the weights of the items that are common at the end of the shorter list.
    in_shorter: f64,
    shorter: usize,
    longer: usize,
}

/// Sums of the weights of depths.
struct Tables {
    p: f64,
    /// The sum of the weights of all depths above r: `p^r`.
    powers: Vec<f64>,
    /// The sum of `(1 - p) p^(d - 1) / d` over all depths d above r.
    after: Vec<f64>,
}

impl Tables {
    /// For depths up to `most`.
    fn new(p: f64, most: usize) -> Result<Self, Error> {
        // Powers below 1e-290 are set to 0, because arithmetic with subnormal numbers is slow.
        let power = |exponent: usize| Some(p.powf(exponent as f64)).filter(|&power| power > 1e-290).unwrap_or(0.0);
        let powers = memory::collect((0..=table_end(most)).map(power))?;
        let weight = |depth: usize| (1.0 - p) * powers[depth - 1] / depth as f64;
        let at_end = |end: usize| {
            if p > 0.5 && (1.0 - p) * (end as f64) < 1.0 {
                // The sum of all weights is -ln(1 - p) (1 - p) / p. The weights up to the end are subtracted from it.
                return -(1.0 - p).ln() * (1.0 - p) / p - (1..=end).rev().map(weight).sum::<f64>();
            }
            (1.0 - p) * powers[end] * tail(p, (end + 1) as f64)
        };
        let after = sums_above(most, at_end, weight)?;
        Ok(Self { p, powers, after })
    }

    fn depth_weight(&self, depth: usize) -> f64 {
        (1.0 - self.p) * self.powers[depth - 1]
    }

    /// The value for two rankings without ties.
    fn untied(&self, bound: Bound, Untied { sum, common, in_shorter, shorter, longer }: Untied) -> f64 {
        let Self { powers, after, .. } = self;
        // The value if each item after the end of the shorter list is common.
        let most = if shorter == longer {
            0.0
        } else {
            (powers[shorter] - powers[longer]) - shorter as f64 * (after[shorter] - after[longer])
        };
        let residual = || most + self.unseen(common as usize, shorter, longer) - common * after[longer];
        match bound {
            Bound::Extrapolated => {
                let last = if shorter > 0 { in_shorter / shorter as f64 } else { 0.0 };
                let seen = sum - common * after[longer] + last * most;
                seen + self.extrapolated(common, shorter, longer, last)
            }
            Bound::Min => sum,
            Bound::Max => sum + residual(),
            Bound::Residual => residual(),
        }
    }

    /// What the depths after the end of both lists add if the lists continue to agree as before. `last` is the
    /// agreement at the end of the shorter list.
    fn extrapolated(&self, common: f64, shorter: usize, longer: usize, last: f64) -> f64 {
        let overlap = common + (longer - shorter) as f64 * last;
        if longer > 0 { overlap / longer as f64 * self.powers[longer] } else { 0.0 }
    }

    /// What the depths after the end of both lists add if the items there are common wherever this is possible. At each
    /// depth, two more items are common, until all items are common.
    fn unseen(&self, common: usize, shorter: usize, longer: usize) -> f64 {
        let Self { powers, after, .. } = self;
        let all = longer + shorter - common;
        2.0 * (powers[longer] - powers[all]) - all as f64 * (after[longer] - after[all]) + powers[all]
    }
}

/// The sum of `p^j / (a + j)` over j from 0, where `a (1 - p)` is at least about 1. It is a hypergeometric function,
/// computed with Gauss's continued fraction. After `steps` steps, the error is below `exp(-4 sqrt(steps / 2))`.
fn tail(p: f64, a: f64) -> f64 {
    const STEPS: u32 = 200;
    let fraction = (1..=STEPS).rev().fold(1.0, |rest, step| {
        let k = f64::from(step / 2);
        let numerator = if step % 2 == 0 { k * k } else { (a + k) * (a + k) };
        let denominator = (a + f64::from(step) - 1.0) * (a + f64::from(step));
        1.0 - numerator / denominator * p / rest
    });
    1.0 / (a * fraction)
}
