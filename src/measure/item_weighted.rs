//! Kernels of pairs of items that need more than the [`PairWeight`] of a permutation: kernels with the weight "later",
//! and kernels with weights of items.
//!
//! Let U be the weights of two ranks, and v the weights of items, by default 1. The kernel is the sum of the following
//! terms over all ordered pairs of items:
//!
//! ```text
//! v[i] v[j] M_s(i, j) M_t(i, j)
//! ```
//!
//! `M_s(i, j)` is `U[s(i), s(j)]` if i comes before j in s, and otherwise 0. With ties, it is the mean of this number
//! over the complete rankings that agree with s. So the kernel is the inner product of the features `sqrt(v[i] v[j])
//! M_s(i, j)` of the rankings, and positive definite.
//!
//! A block of ranks has the items that are tied with each other. If i is in a block A and j is in a later block B,
//! `M_s(i, j)` is the number below. For two tied items, it depends only on their block.
//!
//! ```text
//! standard   1
//! top, mult  x(A) x(B)       x: the mean of u, or the part of the block in the top k
//! add        x(A) + x(B)
//! later      x(B)
//! ```
//!
//! The average weight is the mean of the top-k kernels. A pair adds a number that depends on the blocks of the later
//! item in both rankings.
//!
//! Two complete rankings take O(n log n), with the sums of `pair/composed.rs`. Rankings with ties also take O(n log n),
//! with a tree of running sums. The signed average kernel of rankings with ties takes O(n^2). Lists are compared over
//! the items that are in at least one list, and one more item. This item stands for all items that are in no list, and
//! its weight is the sum of their weights.

use std::any::Any;
use std::f64::consts::FRAC_1_SQRT_2;
use std::ops::Range;

use super::blocks_of_pairs::{Block, Listed, Memory, Ranked, Side, Union, dot4, most_items, products};
use super::kendall::KendallMeasure;
use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::{check_not_negative, check_range};
use super::value::is_forward;
use super::{Measure, MeasureKind, Part};
use crate::error::Error;
use crate::memory::{self, Shared};
use crate::pair::composed::{Composed, Place, ordered};
use crate::pair::tops::top_block;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;
use crate::simd::tops::of_blocks;
use crate::tree::{add_at, sum_up_to};
use crate::weight::kinds::{PairWeight, TensorWeight};
use crate::weight::own::unless_rounding;
use crate::weight::scale::{exponent, scaled};
use crate::weight::tails::Sum;
use crate::weight::{Factor, later_tensor};

/// Up to this many items, the numbers of all pairs of items of a ranking are kept, and rankings are compared by inner
/// products of these numbers. For 20 items, a value of a matrix takes 0.2 microseconds, most of it to compute the
/// numbers. For 50 items, inner products take longer than sums over concordant pairs.
const FEW_ITEMS: usize = 40;

/// Up to this many items, the weight "later" is turned into a number for each two positions, and a product of matrices
/// is used. For 10 to 50 items, this takes a tenth of the time of sums over concordant pairs; for 100 items, it takes
/// half the time.
const FEW_FOR_TENSOR: usize = 128;

/// Up to this many blocks, or items of two lists, sums that may cancel are computed pair by pair. Sums that are split
/// into parts would cancel more.
const FEW_BLOCKS: usize = 512;

/// The error of a [`Sum`] is below this number times the sum of the absolute values.
const EXACT: f64 = 1e-20;

/// A kernel of pairs with the weight "later", or with weights of items.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemWeighted {
    pub(super) items: usize,
    term: Term,
    pub(super) item_weight: Option<ItemWeight>,
    pub(super) signed: bool,
    pub(super) normalized: bool,
    /// For each rank: the sum of u from this rank on, and the sum of the terms of all pairs of these ranks.
    tails: Vec<[f64; 2]>,
    /// If there are few items, the same kernel in the form that the Gram engine computes fastest.
    tensor: Option<KendallMeasure>,
}

/// What a pair adds, before it is multiplied by the weights of its items.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Term {
    Pairs(PairWeight),
    /// `u[b] u[d]` of the later item.
    Later(Shared),
}

impl Term {
    fn u(&self) -> &[f64] {
        match self {
            Self::Later(u) | Self::Pairs(PairWeight::Sums(u) | PairWeight::Products(u)) => u,
            Self::Pairs(PairWeight::Count { .. } | PairWeight::Average) => &[],
        }
    }

    /// An upper bound of the weight of a pair in one ranking.
    fn largest(&self) -> f64 {
        let u = self.u().iter().fold(0.0, |largest: f64, u| largest.max(u.abs()));
        match self {
            Self::Later(_) => u,
            Self::Pairs(PairWeight::Sums(_)) => 2.0 * u,
            Self::Pairs(PairWeight::Products(_)) => u * u,
            Self::Pairs(PairWeight::Count { .. } | PairWeight::Average) => 1.0,
        }
    }
}

/// The weights of items, the sum of these weights, and the sum of their squares.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ItemWeight {
    each: Vec<f64>,
    sum: Sum,
    squares: Sum,
}

impl ItemWeight {
    fn new(each: Vec<f64>) -> Self {
        let (mut sum, mut squares) = (Sum::default(), Sum::default());
        for weight in &each {
            sum.add(*weight);
            squares.add(weight * weight);
        }
        Self { each, sum, squares }
    }
}

impl Measure {
    /// The kernel of [`Weight::Later`](crate::Weight::Later).
    pub(super) fn later(factor: &Factor, items: usize, rescaled: bool) -> Result<Self, Error> {
        let mut u = factor.values(items)?;
        if rescaled {
            // The first item of a ranking is never the later item of a pair, so its number is not used.
            u = scaled(&u, exponent(u.get(1..).unwrap_or_default()))?;
        }
        let fits = |u: f64| (u * u * 3.0 * (items as f64).powi(2)).is_finite();
        if let Some(position) = u.iter().position(|&u| !fits(u)) {
            return Err(Error::FactorTooLarge { position, value: u[position] });
        }
        Ok(SharedMeasure::new(ItemWeighted::new(items, Term::Later(u.into()), None, false, false)?).into())
    }

    /// Adds weights of items to a measure. In a sum over pairs, the term of a pair is multiplied by the weights of both
    /// items. In a sum over items, the term of an item is multiplied by its weight. A kernel remains a kernel. The
    /// value now depends on the numbering of the items.
    ///
    /// Kernels of order 2 with a named weight can have weights of items. So can the measures whose descriptions mention
    /// weights of items.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - The number of weights is not the number of items.
    /// - A weight is negative, NaN or infinite.
    /// - Sums could exceed the range of `f64`.
    /// - The measure has no form with weights of items.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, Weight, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 2, 1, 3])?;
    /// let kernel = Measure::kernel(&Weight::Standard, 3)?.with_item_weight(&[1.0, 4.0, 16.0])?;
    /// assert_eq!(gram(&kernel, &x, None, Options::default())?, [84.0, 80.0, 80.0, 84.0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn with_item_weight(self, item_weight: &[f64]) -> Result<Self, Error> {
        check_not_negative("item_weight", item_weight, self.items(), "each item")?;
        let no_form = |taker| Err(Error::NoItemWeight { taker });
        match &self.0 {
            MeasureKind::Combination(it) => no_form(it.noun()),
            MeasureKind::Part(Part::Kendall(measure)) => match ItemWeighted::of_kendall(measure)? {
                Some(found) => {
                    let found = found.weighted(item_weight)?;
                    Ok(if item_weight.iter().all(|&weight| weight == 1.0) { self } else { found.into() })
                }
                None => no_form(match measure.order() {
                    2 => "a distance, the Mallows kernel or a kernel with general weights",
                    _ => "a kernel of another order than 2",
                }),
            },
            MeasureKind::Part(Part::Pairwise(measure)) => measure.get().with_item_weight(item_weight).map(Self::from),
        }
    }
}

impl ItemWeighted {
    pub(super) fn new(
        items: usize,
        term: Term,
        item_weight: Option<ItemWeight>,
        signed: bool,
        normalized: bool,
    ) -> Result<Self, Error> {
        let mut new = Self { items, term, item_weight, signed, normalized, tails: Vec::new(), tensor: None };
        if matches!(new.term, Term::Later(_)) && new.item_weight.is_none() && items <= FEW_FOR_TENSOR {
            new.tensor = Some(new.to_tensor()?);
        }
        if !new.term.u().is_empty() {
            let mut tails = memory::filled(items + 1, [0.0; 2])?;
            for rank in (0..items).rev() {
                tails[rank] = new.with_rank(tails[rank + 1], rank);
            }
            new.tails = tails;
        }
        Ok(new)
    }

    /// The standard kernel with weights of items.
    pub(super) fn standard(items: usize, item_weight: &[f64]) -> Result<Self, Error> {
        let item_weight = ItemWeight::new(memory::collect(item_weight.iter().copied())?);
        check_range("item_weight", &item_weight.each, item_weight.sum.value() * item_weight.sum.value())?;
        Self::new(items, Term::Pairs(PairWeight::Count { top: None }), Some(item_weight), false, false)
    }

    /// The same kernel in this form, if the measure is a kernel of order 2 with a named weight.
    fn of_kendall(measure: &KendallMeasure) -> Result<Option<Self>, Error> {
        let is_kernel = measure.is_concordant() || measure.is_signed();
        let Some(weight) = measure.weight().pairs().filter(|_| is_kernel && measure.order() == 2) else {
            return Ok(None);
        };
        let term = Term::Pairs(weight.clone());
        Self::new(measure.items(), term, None, measure.is_signed(), measure.is_normalized()).map(Some)
    }

    /// The kernel of a part, if the part is an [`ItemWeighted`] kernel.
    pub(crate) fn of(part: &Part) -> Option<&Self> {
        let Part::Pairwise(measure) = part else { return None };
        let measure: &dyn Any = measure.get();
        measure.downcast_ref()
    }

    fn weighted(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        // A normalized kernel does not depend on the scale of its weights.
        let power = if self.normalized { exponent(item_weight) } else { 0 };
        let item_weight = ItemWeight::new(scaled(item_weight, power)?);
        let most = item_weight.sum.value() * self.term.largest();
        check_range("item_weight", &item_weight.each, 3.0 * most * most)?;
        Ok(SharedMeasure::new(Self { item_weight: Some(item_weight), tensor: None, ..self.clone() }))
    }

    /// The position weights of the weight "later", if there are no weights of items.
    #[cfg(feature = "python")]
    pub(crate) fn of_later(&self) -> Option<&[f64]> {
        match &self.term {
            Term::Later(u) if self.item_weight.is_none() => Some(u),
            Term::Later(_) | Term::Pairs(_) => None,
        }
    }

    /// Whether there are weights of items.
    pub(crate) fn has_item_weight(&self) -> bool {
        self.item_weight.is_some()
    }

    /// The same kernel as a tensor of weights of positions, if there are few items.
    pub(crate) fn tensor_of(part: &Part) -> Option<&KendallMeasure> {
        Self::of(part)?.tensor.as_ref()
    }

    pub(super) fn to_signed(&self) -> Result<SharedMeasure, Error> {
        let Self { items, term, item_weight, normalized, .. } = self.clone();
        Ok(SharedMeasure::new(Self::new(items, term, item_weight, true, normalized)?))
    }

    pub(super) fn to_normalized(&self) -> Result<SharedMeasure, Error> {
        let Self { items, mut term, mut item_weight, signed, .. } = self.clone();
        if let Some(old) = &item_weight {
            item_weight = Some(ItemWeight::new(scaled(&old.each, exponent(&old.each))?));
        }
        if let Term::Later(u) = &term {
            term = Term::Later(scaled(u, exponent(u.get(1..).unwrap_or_default()))?.into());
        }
        Ok(SharedMeasure::new(Self::new(items, term, item_weight, signed, true)?))
    }

    /// The same kernel with a number for each two positions.
    pub(super) fn to_tensor(&self) -> Result<KendallMeasure, Error> {
        let TensorWeight::Tensor { order, mut entries } = later_tensor(self.term.u())? else {
            return Err(Error::PairsOnly);
        };
        if self.signed {
            // The tensor has each pair in both orders, so each number is divided by the root of 2.
            let number = |entry: usize| entries[entry] * FRAC_1_SQRT_2;
            let mirrored = |entry: usize| entry % self.items * self.items + entry / self.items;
            let signed = (0..entries.len()).map(|entry| number(entry) - number(mirrored(entry)));
            entries = memory::collect(signed)?.into();
        }
        let kernel = KendallMeasure::of_weight(TensorWeight::Tensor { order, entries }.into(), self.items);
        if self.normalized { kernel.try_normalized() } else { Ok(kernel) }
    }

    /// Whether the numbers of the two items of a pair are added and have both signs. Then they may cancel.
    fn may_cancel(&self) -> bool {
        matches!(self.term, Term::Pairs(PairWeight::Sums(_)))
    }

    pub(super) fn is_average(&self) -> bool {
        self.term == Term::Pairs(PairWeight::Average)
    }

    pub(super) fn weight_of(&self, item: usize) -> f64 {
        self.item_weight.as_ref().map_or(1.0, |weight| weight.each[item])
    }

    /// The sums of [`ItemWeighted::tails`] with one more rank in front.
    fn with_rank(&self, [sum, tied]: [f64; 2], rank: usize) -> [f64; 2] {
        let u = self.term.u()[rank];
        let term = match self.term {
            Term::Later(_) => sum,
            Term::Pairs(PairWeight::Products(_)) => u * sum,
            Term::Pairs(PairWeight::Sums(_) | PairWeight::Count { .. } | PairWeight::Average) => 0.0,
        };
        [u + sum, term + tied]
    }

    fn block(&self, ranks: &Range<usize>) -> Block {
        let size = ranks.len() as f64;
        let pairs = if ranks.len() > 1 { size * (size - 1.0) } else { f64::INFINITY };
        if ranks.is_empty() {
            return Block::default();
        }
        let sums = || match self.tails.get(ranks.start) {
            Some(&tail) if ranks.end == self.items => tail,
            _ => ranks.clone().rev().fold([0.0; 2], |sums, rank| self.with_rank(sums, rank)),
        };
        let top = if self.is_average() { top_block(ranks) } else { [0.0; 4] };
        let (first, second, tied) = match &self.term {
            Term::Later(_) => {
                let [sum, tied] = sums();
                ([1.0, 0.0], [sum / size, 0.0], tied / pairs)
            }
            Term::Pairs(PairWeight::Products(_)) => {
                let [sum, tied] = sums();
                ([sum / size, 0.0], [sum / size, 0.0], tied / pairs)
            }
            Term::Pairs(PairWeight::Sums(_)) => {
                let mean = sums()[0] / size;
                ([1.0, mean], [mean, 1.0], mean)
            }
            Term::Pairs(PairWeight::Count { top: Some(k) }) => {
                let inside = k.saturating_sub(ranks.start).min(ranks.len()) as f64;
                ([inside / size, 0.0], [inside / size, 0.0], inside * (inside - 1.0) / 2.0 / pairs)
            }
            Term::Pairs(PairWeight::Count { top: None } | PairWeight::Average) => ([1.0, 0.0], [1.0, 0.0], 0.5),
        };
        Block { first, second, tied, top }
    }

    /// The numbers of an earlier item for pairs that are tied in neither ranking.
    fn earlier(s: &Block, t: &Block) -> [f64; 4] {
        products(s.first, t.first)
    }

    /// The numbers of a later item. The pair adds the inner product of these numbers and those of the earlier item.
    fn later(&self, s: &Block, t: &Block) -> [f64; 4] {
        if self.is_average() { [self.of_tops(s, t, 0), 0.0, 0.0, 0.0] } else { products(s.second, t.second) }
    }

    /// The numbers of a later item in the first ranking, for pairs that are tied in the second.
    fn later_tied(&self, s: &Block, t: &Block) -> [f64; 2] {
        if self.is_average() { [self.of_tops(s, t, 2), 0.0] } else { s.second.map(|number| number * t.tied) }
    }

    /// What an ordered pair adds if its items are tied in both rankings.
    fn both_tied(&self, s: &Block, t: &Block) -> f64 {
        if self.is_average() { self.of_tops(s, t, 3) } else { s.tied * t.tied }
    }

    fn of_tops(&self, s: &Block, t: &Block, kind: usize) -> f64 {
        of_blocks(self.items as f64, s.top, t.top)[kind] / self.items as f64
    }

    /// The value for a ranking and itself, before division. Each block comes with the sum of the weights of its items,
    /// and the sum over pairs of its items of the product of their weights.
    fn own<'b>(&self, blocks: impl Iterator<Item = (&'b Block, f64, f64)> + Clone) -> f64 {
        let (mut own, mut size) = (0.0, 0.0);
        if self.may_cancel() && blocks.clone().count() <= FEW_BLOCKS {
            for (place, (block, sum, pairs)) in blocks.clone().enumerate() {
                for (other, of_other, _) in blocks.clone().take(place) {
                    let [one, two] = [other.first[0] * block.second[0], other.first[1] * block.second[1]];
                    own += sum * of_other * (one + two) * (one + two);
                    size += sum * of_other * (one.abs() + two.abs()) * (one.abs() + two.abs());
                }
                let tied = if self.signed { 0.0 } else { 2.0 * self.both_tied(block, block) * pairs };
                (own, size) = (own + tied, size + tied);
            }
            return unless_rounding(own, size).max(0.0);
        }
        let (mut passed, mut passed_size) = ([0.0; 4], [0.0; 4]);
        for (block, sum, pairs) in blocks {
            let (earlier, later) = (Self::earlier(block, block), self.later(block, block));
            let tied = if self.signed { 0.0 } else { 2.0 * self.both_tied(block, block) * pairs };
            own += sum * dot4(passed, later) + tied;
            size += sum * dot4(passed_size, later.map(f64::abs)) + tied;
            for k in 0..4 {
                passed[k] += sum * earlier[k];
                passed_size[k] += sum * earlier[k].abs();
            }
        }
        unless_rounding(own, size).max(0.0)
    }

    /// The value for two rankings with these self-similarities.
    pub(super) fn finished(&self, sum: f64, own_s: f64, own_t: f64) -> f64 {
        if own_s == 0.0 || own_t == 0.0 {
            return 0.0;
        }
        if self.normalized { (sum / (own_s.sqrt() * own_t.sqrt())).clamp(-1.0, 1.0) } else { sum }
    }

    pub(super) fn own_finished(&self, own: f64) -> f64 {
        if self.normalized { f64::from(u8::from(own > 0.0)) } else { own }
    }

    /// The sum for two complete rankings, given the numbers of all ranks.
    fn complete_sum(&self, ranks: &[Block], s: Row<'_>, t: Row<'_>, composed: &mut Composed) -> f64 {
        let v = |place: Place| self.weight_of(place.item);
        let u = self.term.u();
        match &self.term {
            Term::Later(_) => {
                let concordant = if self.item_weight.is_none() {
                    composed.later(s, t, |place| u[place.s] * u[place.t])
                } else {
                    composed.directed(s, t, |place| [v(place), v(place) * (u[place.s] * u[place.t])])
                };
                if !self.signed {
                    return concordant;
                }
                concordant - composed.discordant_directed(s, t, |place| [v(place) * u[place.t], v(place) * u[place.s]])
            }
            Term::Pairs(PairWeight::Sums(_)) => {
                composed.sums(s, t, self.signed, |place| [v(place), u[place.s], u[place.t]])
            }
            Term::Pairs(PairWeight::Count { .. } | PairWeight::Products(_)) => {
                let number = |place: Place| v(place) * (ranks[place.s].first[0] * ranks[place.t].first[0]);
                if self.signed { composed.signed_products(s, t, number) } else { composed.products(s, t, number) }
            }
            Term::Pairs(PairWeight::Average) => {
                let remaining = |place: Place| (self.items - place.s.max(place.t)) as f64 / self.items as f64;
                let concordant = composed.directed(s, t, |place| [v(place), v(place) * remaining(place)]);
                if self.signed { 2.0 * concordant - self.average_of_all(s, t) } else { concordant }
            }
        }
    }

    /// The sum of the average weight over all pairs, concordant or not. It is the sum over k of the same sum for the
    /// top-k kernel.
    fn average_of_all(&self, s: Row<'_>, t: Row<'_>) -> f64 {
        // The item at rank k of one ranking joins the top k + 1 of both rankings if its rank in the other ranking is
        // not larger than k.
        let (mut inside, mut pairs, mut all) = (0.0, 0.0, 0.0);
        for (k, (&of_s, &of_t)) in s.order().iter().zip(t.order()).enumerate() {
            let [one, two] = [(of_s, t), (of_t, s)].map(|(item, other)| {
                if other.ranks()[item as usize] as usize <= k { self.weight_of(item as usize) } else { 0.0 }
            });
            pairs += inside * one;
            inside += one;
            if of_s != of_t {
                pairs += inside * two;
                inside += two;
            }
            all += pairs;
        }
        all / self.items as f64
    }

    /// The sum for two rankings with ties. The last item stands for several items; `rest` is the sum over pairs of
    /// these items of the product of their weights.
    fn tied_sum(&self, s: Side<'_>, t: Side<'_>, v: &[f64], rest: f64, memory: &mut Memory) -> f64 {
        if self.may_cancel() && v.len() <= FEW_ITEMS {
            return self.sum_of_pairs(s, t, v, rest);
        }
        let [concordant, discordant] = self.split_sums(s, t, v, self.signed, memory);
        let split = concordant - discordant;
        if self.signed || memory.cancel.is_cancelled() {
            return split;
        }
        let in_one = self.tied_in_second(s, t, v, memory) + self.tied_in_second(t, s, v, memory);
        let mut in_both = 0.0;
        memory.cells.clear();
        memory.cells.resize(t.blocks.len(), 0.0);
        for items in s.in_blocks() {
            for &item in items {
                let (b, d) = (s.block(item), t.block(item));
                let cell = &mut memory.cells[t.block_of[item as usize] as usize];
                in_both += self.both_tied(b, d) * (*cell * v[item as usize]);
                *cell += v[item as usize];
            }
            for &item in items {
                memory.cells[t.block_of[item as usize] as usize] = 0.0;
            }
        }
        if rest > 0.0
            && let (Some(b), Some(d)) = (s.blocks.last(), t.blocks.last())
        {
            in_both += self.both_tied(b, d) * rest;
        }
        split + in_one + 2.0 * in_both
    }

    /// The same sum as [`ItemWeighted::tied_sum`], computed pair by pair.
    fn sum_of_pairs(&self, s: Side<'_>, t: Side<'_>, v: &[f64], rest: f64) -> f64 {
        let mut sum = 0.0;
        for j in 0..v.len() {
            for i in 0..j {
                let [one, other] = [s, t].map(|side| [side.number(i, j), side.number(j, i)]);
                let term = if self.signed {
                    (one[0] - one[1]) * (other[0] - other[1])
                } else {
                    one[0] * other[0] + one[1] * other[1]
                };
                sum += v[i] * v[j] * term;
            }
        }
        let last = |side: Side<'_>| side.blocks.last().map_or(0.0, |block| block.tied);
        if self.signed || rest == 0.0 { sum } else { sum + 2.0 * rest * last(s) * last(t) }
    }

    /// The sums over the pairs that are tied in neither ranking: the concordant sum, and, if it is needed, the
    /// discordant sum.
    pub(super) fn split_sums(
        &self,
        s: Side<'_>,
        t: Side<'_>,
        v: &[f64],
        with_discordant: bool,
        memory: &mut Memory,
    ) -> [f64; 2] {
        let Memory { before, after, cancel, .. } = memory;
        let last = t.blocks.len().wrapping_sub(1);
        for tree in [&mut *before, after] {
            tree.clear();
            tree.resize(t.blocks.len() + 1, [0.0; 4]);
        }
        let (mut sums, mut passed) = ([0.0; 2], 0);
        for items in s.in_blocks() {
            if cancel.is_cancelled() {
                return [0.0; 2];
            }
            for &item in items {
                let (b, d) = (s.block(item), t.block(item));
                let place = t.block_of[item as usize] as usize;
                sums[0] += v[item as usize] * dot4(sum_up_to(before, place), self.later(b, d));
                if with_discordant && self.is_average() {
                    let earlier =
                        s.order[..passed].iter().filter(|&&other| t.block_of[other as usize] as usize > place);
                    let terms = earlier.map(|&other| v[other as usize] * self.of_tops(b, t.block(other), 0));
                    sums[1] += v[item as usize] * terms.sum::<f64>();
                } else if with_discordant {
                    sums[1] += v[item as usize] * dot4(sum_up_to(after, last - place), products(b.second, d.first));
                }
            }
            for &item in items {
                let (b, d, v) = (s.block(item), t.block(item), v[item as usize]);
                let place = t.block_of[item as usize] as usize;
                add_at(before, place, Self::earlier(b, d).map(|number| number * v));
                if with_discordant && !self.is_average() {
                    add_at(after, last - place, products(b.first, d.second).map(|number| number * v));
                }
            }
            passed += items.len();
        }
        sums
    }

    /// The sum over the pairs that are tied in the second ranking and not in the first.
    pub(super) fn tied_in_second(&self, s: Side<'_>, t: Side<'_>, v: &[f64], memory: &mut Memory) -> f64 {
        let same = &mut memory.same;
        same.clear();
        same.resize(t.blocks.len(), [0.0; 2]);
        let mut sum = 0.0;
        for items in s.in_blocks() {
            for &item in items {
                let [one, two] = same[t.block_of[item as usize] as usize];
                let later = self.later_tied(s.block(item), t.block(item));
                sum += v[item as usize] * (one * later[0] + two * later[1]);
            }
            for &item in items {
                let first = s.block(item).first;
                let same = &mut same[t.block_of[item as usize] as usize];
                same.iter_mut().zip(first).for_each(|(same, first)| *same += v[item as usize] * first);
            }
        }
        sum
    }

    pub(super) fn ranked<'a>(
        &self,
        order: &'a [u32],
        blocks: impl Iterator<Item = Range<usize>>,
    ) -> Result<Ranked<'a>, Error> {
        let mut ranked = Ranked { order, block_of: memory::filled(order.len(), 0)?, blocks: Vec::new(), own: 0.0 };
        let mut sums = Vec::new();
        for (number, ranks) in (0..).zip(blocks) {
            let (mut sum, mut pairs) = (0.0, 0.0);
            for &item in &order[ranks.clone()] {
                ranked.block_of[item as usize] = number;
                let weight = self.weight_of(item as usize);
                pairs += sum * weight;
                sum += weight;
            }
            memory::push(&mut ranked.blocks, self.block(&ranks))?;
            memory::push(&mut sums, (sum, pairs))?;
        }
        ranked.own = self.own(ranked.blocks.iter().zip(&sums).map(|(block, &(sum, pairs))| (block, sum, pairs)));
        Ok(ranked)
    }

    fn of_row<'a>(&self, row: Row<'a>) -> Result<Ranked<'a>, Error> {
        self.ranked(row.order(), (0..self.items).map(|rank| rank..rank + 1))
    }

    pub(super) fn of_blocks<'a>(&self, blocks: Blocks<'a>) -> Result<Ranked<'a>, Error> {
        self.ranked(blocks.order, blocks.ranges())
    }

    pub(super) fn listed<'a>(&self, list: List<'a>) -> Result<Listed<'a>, Error> {
        let mut order = memory::collect(0..list.len() as u32)?;
        order.sort_unstable_by_key(|&entry| list[entry as usize][1]);
        let mut listed = Listed { list, order, block_of: memory::filled(list.len(), 0)?, blocks: Vec::new(), own: 0.0 };
        let (mut sums, mut start) = (Vec::new(), 0);
        for entries in listed.order.chunk_by(|&one, &other| list[one as usize][1] == list[other as usize][1]) {
            let (mut sum, mut pairs) = (0.0, 0.0);
            for &entry in entries {
                listed.block_of[entry as usize] = listed.blocks.len() as u32;
                let weight = self.weight_of(list[entry as usize][0] as usize);
                pairs += sum * weight;
                sum += weight;
            }
            memory::push(&mut listed.blocks, self.block(&(start..start + entries.len())))?;
            memory::push(&mut sums, (sum, pairs))?;
            start += entries.len();
        }
        memory::push(&mut listed.blocks, self.block(&(start..self.items)))?;
        memory::push(&mut sums, self.rest(list.iter().map(|entry| entry[0]), list.len()))?;
        listed.own = self.own(listed.blocks.iter().zip(&sums).map(|(block, &(sum, pairs))| (block, sum, pairs)));
        Ok(listed)
    }

    /// For all items except the given ones: the sum of their weights, and the sum over pairs of these items of the
    /// product of their weights.
    pub(super) fn rest(&self, items: impl Iterator<Item = u32>, count: usize) -> (f64, f64) {
        let left = self.items - count;
        let Some(weight) = &self.item_weight else {
            let left = left as f64;
            return (left, left * (left - 1.0).max(0.0) / 2.0);
        };
        let (mut sum, mut squares) = (weight.sum, weight.squares);
        for item in items {
            let weight = weight.each[item as usize];
            sum.add(-weight);
            squares.add(-weight * weight);
        }
        let rest = if left > 0 && sum.value() > EXACT * weight.sum.value() { sum.value() } else { 0.0 };
        let pairs = if left > 1 { rest * rest - squares.value() } else { 0.0 };
        (rest, 0.5 * unless_rounding(pairs, rest * rest).max(0.0))
    }
}

impl PairMeasure for ItemWeighted {
    fn about(&self) -> About {
        let name =
            if self.item_weight.is_some() { "a kernel with item_weight" } else { "the kernel with the weight 'later'" };
        About::new(name, self.items, Kind::Kernel, Takes::Lists).weighted(self.item_weight.is_some())
    }

    fn with_item_weight(&self, item_weight: &[f64]) -> Result<SharedMeasure, Error> {
        self.weighted(item_weight)
    }

    fn pair_ns(&self, length: usize) -> f64 {
        let passes = f64::from(1 + u8::from(self.signed));
        if self.items <= FEW_ITEMS && !self.is_average() {
            5.0 + 0.45 * (length * length) as f64 / passes
        } else {
            passes * Composed::sum_ns(length)
        }
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        let ranked = |rankings: &[Row<'a>]| memory::try_map(rankings.to_vec(), |row| self.of_row(row));
        if self.items <= FEW_ITEMS && !self.is_average() {
            return self.by_features(ranked(&rows)?, ranked(&columns)?);
        }
        let ranks = memory::collect((0..self.items).map(|rank| self.block(&(rank..rank + 1))))?;
        let own = |rankings: &[Row<'a>]| -> Result<Vec<f64>, Error> {
            let own = |row: &Row<'a>| {
                let weights = row.order().iter().map(|&item| self.weight_of(item as usize));
                self.own(ranks.iter().zip(weights).map(|(block, weight)| (block, weight, 0.0)))
            };
            match rankings.first() {
                // Without weights of items, the self-similarity is the same for all rankings.
                Some(first) if self.item_weight.is_none() => memory::filled(rankings.len(), own(first)),
                _ => memory::collect(rankings.iter().map(own)),
            }
        };
        let (own_rows, own_columns) = (own(&rows)?, own(&columns)?);
        let mut composed = Composed::new(self.items, cancel)?;
        let oriented = |s: Row<'a>, t: Row<'a>| match &self.item_weight {
            None => is_forward(s, t).map(|forward| if forward { (s, t) } else { (t, s) }),
            // With weights of items, the same permutation can belong to other items and have another value.
            Some(_) => (s != t).then(|| ordered(s, t)),
        };
        Ok(Box::new(move |row, column| match oriented(rows[row], columns[column]) {
            None => self.own_finished(own_rows[row]),
            Some((s, t)) => {
                let sum = self.complete_sum(&ranks, s, t, &mut composed);
                self.finished(sum, own_rows[row], own_columns[column])
            }
        }))
    }

    fn tied<'a>(
        &'a self,
        rows: Vec<Blocks<'a>>,
        columns: Vec<Blocks<'a>>,
        cancel: &Cancel,
    ) -> Result<Values<'a>, Error> {
        let prepared = |rankings: Vec<Blocks<'a>>| memory::try_map(rankings, |blocks| self.of_blocks(blocks));
        let (rows, columns) = (prepared(rows)?, prepared(columns)?);
        if self.items <= FEW_ITEMS && !self.is_average() {
            return self.by_features(rows, columns);
        }
        let v = memory::collect((0..self.items).map(|item| self.weight_of(item)))?;
        let mut memory = Memory::new(self.items, cancel)?;
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            let (first, second) = match s.block_of.cmp(&t.block_of) {
                std::cmp::Ordering::Equal => return self.own_finished(s.own),
                std::cmp::Ordering::Less => (s, t),
                std::cmp::Ordering::Greater => (t, s),
            };
            self.finished(self.tied_sum(first.side(), second.side(), &v, 0.0, &mut memory), s.own, t.own)
        }))
    }

    fn lists<'a>(&'a self, rows: Vec<List<'a>>, columns: Vec<List<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        let most = most_items(&rows, &columns);
        let prepared = |lists: Vec<List<'a>>| memory::try_map(lists, |list| self.listed(list));
        let (rows, columns) = (prepared(rows)?, prepared(columns)?);
        let (mut union, mut memory) = (Union::new(most)?, Memory::new(most, cancel)?);
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            let (first, second) = match s.list.cmp(t.list) {
                std::cmp::Ordering::Equal => return self.own_finished(s.own),
                std::cmp::Ordering::Less => (s, t),
                std::cmp::Ordering::Greater => (t, s),
            };
            let (sides, v, rest) = union.of(
                first,
                second,
                |item| self.weight_of(item),
                |items| self.rest(items.iter().copied(), items.len()),
            );
            self.finished(self.tied_sum(sides[0], sides[1], v, rest, &mut memory), s.own, t.own)
        }))
    }
}
