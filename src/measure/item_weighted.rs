//! Kernels of pairs of items that depend on more than a permutation's [`PairWeight`]: the weight "later", and any weight
//! with weights of items.
//!
//! Let U be the weights of two ranks, and v the weights of items, 1 by default. The kernel is the sum over all ordered
//! pairs of items of
//!
//! ```text
//! v[i] v[j] M_s(i, j) M_t(i, j)
//! ```
//!
//! `M_s(i, j)` is `U[s(i), s(j)]`, and 0 unless i comes first in s; with ties its mean over the complete rankings that agree
//! with s. So it is an inner product, and positive definite: `sqrt(v[i] v[j]) M_s(i, j)` are features of s. A pair of items
//! in two blocks of ranks, A before B, has a sum of products; a pair of tied items has a number of their block:
//!
//! ```text
//! standard   1
//! top, mult  x(A) x(B)       x: the mean of u, or the part of the block in the top k
//! add        x(A) + x(B)
//! later      x(B)
//! ```
//!
//! The average weight is the mean of the top-k kernels: a number of the later item, which depends on its blocks in both
//! rankings. Complete rankings take O(n log n), by the sums of `pair/composed.rs`. So do rankings with ties, by a tree of
//! running sums; but the signed average kernel of these takes O(n^2). Lists are compared over the items of both and one
//! more, which stands for all items that are in neither: their weights are added up.

use std::any::Any;
use std::f64::consts::FRAC_1_SQRT_2;
use std::ops::Range;

use super::kendall::KendallMeasure;
use super::pairwise::{PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::{check_not_negative, check_range};
use super::value::orient;
use super::{Measure, MeasureKind, Part};
use crate::error::Error;
use crate::memory::{self, Shared};
use crate::pair::composed::{Composed, Place, ordered};
use crate::pair::pairs_of;
use crate::pair::tops::top_block;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::rankings::lists::List;
use crate::rankings::tied::Blocks;
use crate::simd::Isa;
use crate::simd::inner;
use crate::simd::tops::{TopBlock, of_blocks};
use crate::weight::kinds::{PairWeight, TensorWeight};
use crate::weight::own::unless_rounding;
use crate::weight::powers::{exponent, scaled};
use crate::weight::tails::Sum;
use crate::weight::{Factor, later_tensor};

/// Up to this many items, the numbers of all pairs of items of a ranking are kept, and rankings are compared by inner
/// products of these. In a matrix that takes 0.2 microseconds for 20 items, most of it for these numbers; for 50 items it
/// takes longer than sums over concordant pairs.
const FEW_ITEMS: usize = 40;

/// Up to this many items, the weight "later" has a number for each two positions: a product of matrices then takes a
/// tenth of the time of sums over concordant pairs for 10 to 50 items, and half for 100.
const FEW_FOR_TENSOR: usize = 128;

/// Up to this many blocks, or items of two lists, sums that may cancel are made pair by pair: their parts would cancel more.
const FEW_BLOCKS: usize = 512;

/// The error of a [`Sum`] is below this part of the sum of the absolute values.
const EXACT: f64 = 1e-20;

/// A kernel of pairs with the weight "later", or with weights of items.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ItemWeighted {
    items: usize,
    term: Term,
    item_weight: Option<ItemWeight>,
    signed: bool,
    normalized: bool,
    /// By rank: the sum of u from there on, and the sum of the terms of the pairs of these ranks.
    tails: Vec<[f64; 2]>,
    /// The same kernel in the form that the Gram engine computes fastest, if there are few items.
    tensor: Option<KendallMeasure>,
}

/// What a pair adds, before it is multiplied by the weights of its items.
#[derive(Debug, Clone, PartialEq)]
enum Term {
    Pairs(PairWeight),
    /// `u[b] u[d]` of the later item.
    Later(Shared),
}

impl Term {
    fn u(&self) -> &[f64] {
        match self {
            Self::Later(u) | Self::Pairs(PairWeight::Sums(u) | PairWeight::Products(u)) => u,
            Self::Pairs(PairWeight::Count { .. } | PairWeight::Later) => &[],
        }
    }

    /// A bound of the weight of a pair in one ranking.
    fn largest(&self) -> f64 {
        let u = self.u().iter().fold(0.0, |largest: f64, u| largest.max(u.abs()));
        match self {
            Self::Later(_) => u,
            Self::Pairs(PairWeight::Sums(_)) => 2.0 * u,
            Self::Pairs(PairWeight::Products(_)) => u * u,
            Self::Pairs(PairWeight::Count { .. } | PairWeight::Later) => 1.0,
        }
    }
}

/// The weights of items, and the sums of them and of their squares.
#[derive(Debug, Clone, PartialEq)]
struct ItemWeight {
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
            // The first number belongs to no pair.
            u = scaled(&u, exponent(u.get(1..).unwrap_or_default()))?;
        }
        let fits = |u: f64| (u * u * 3.0 * (items as f64).powi(2)).is_finite();
        if let Some(position) = u.iter().position(|&u| !fits(u)) {
            return Err(Error::FactorTooLarge { position, value: u[position] });
        }
        Ok(SharedMeasure::new(ItemWeighted::new(items, Term::Later(u.into()), None, false, false)?).into())
    }

    /// Multiplies what a pair of items adds by the weights of both items, or what an item adds by its weight: for kernels
    /// of order 2 with a named weight, and for the measures whose descriptions say so. It is no longer the same for
    /// relabelled items. A kernel remains one.
    ///
    /// # Errors
    /// When there is not one number for each item, one is negative, NaN or infinite, sums could exceed the range of
    /// `f64`, or the measure has no form with weights of items.
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
    fn new(
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

    /// The same kernel, if it is a kernel of order 2 with a named weight.
    fn of_kendall(measure: &KendallMeasure) -> Result<Option<Self>, Error> {
        let is_kernel = measure.is_concordant() || measure.is_signed();
        let Some(weight) = measure.weight().pairs().filter(|_| is_kernel && measure.order() == 2) else {
            return Ok(None);
        };
        let term = Term::Pairs(weight.clone());
        Self::new(measure.items(), term, None, measure.is_signed(), measure.is_normalized()).map(Some)
    }

    /// The kernel of a measure, if it is one of these.
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
            // A pair is in two orders.
            let number = |entry: usize| entries[entry] * FRAC_1_SQRT_2;
            let mirrored = |entry: usize| entry % self.items * self.items + entry / self.items;
            let signed = (0..entries.len()).map(|entry| number(entry) - number(mirrored(entry)));
            entries = memory::collect(signed)?.into();
        }
        let kernel = KendallMeasure::of_weight(TensorWeight::Tensor { order, entries }.into(), self.items);
        if self.normalized { kernel.try_normalized() } else { Ok(kernel) }
    }

    /// Whether the numbers of the two items of a pair are added, so that those of both signs may cancel.
    fn may_cancel(&self) -> bool {
        matches!(self.term, Term::Pairs(PairWeight::Sums(_)))
    }

    fn is_average(&self) -> bool {
        self.term == Term::Pairs(PairWeight::Later)
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
            Term::Pairs(PairWeight::Sums(_) | PairWeight::Count { .. } | PairWeight::Later) => 0.0,
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
            Term::Pairs(PairWeight::Count { top: None } | PairWeight::Later) => ([1.0, 0.0], [1.0, 0.0], 0.5),
        };
        Block { first, second, tied, top }
    }

    /// The numbers of an earlier item for pairs that are tied in neither ranking.
    fn earlier(s: &Block, t: &Block) -> [f64; 4] {
        products(s.first, t.first)
    }

    /// The same for a later item: the pair adds the inner product.
    fn later(&self, s: &Block, t: &Block) -> [f64; 4] {
        if self.is_average() { [self.of_tops(s, t, 0), 0.0, 0.0, 0.0] } else { products(s.second, t.second) }
    }

    /// The numbers of a later item in the first ranking, for pairs that are tied in the second.
    fn later_tied(&self, s: &Block, t: &Block) -> [f64; 2] {
        if self.is_average() { [self.of_tops(s, t, 2), 0.0] } else { s.second.map(|number| number * t.tied) }
    }

    /// What an ordered pair adds that is tied in both rankings.
    fn both_tied(&self, s: &Block, t: &Block) -> f64 {
        if self.is_average() { self.of_tops(s, t, 3) } else { s.tied * t.tied }
    }

    fn of_tops(&self, s: &Block, t: &Block, kind: usize) -> f64 {
        of_blocks(self.items as f64, s.top, t.top)[kind] / self.items as f64
    }

    /// The value for a ranking and itself, before division: for each block, the sum of the weights of its items, and the
    /// sum over their pairs of the products.
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
    fn finished(&self, sum: f64, own_s: f64, own_t: f64) -> f64 {
        if own_s == 0.0 || own_t == 0.0 {
            return 0.0;
        }
        if self.normalized { (sum / (own_s.sqrt() * own_t.sqrt())).clamp(-1.0, 1.0) } else { sum }
    }

    fn own_finished(&self, own: f64) -> f64 {
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
            Term::Pairs(PairWeight::Later) => {
                let remaining = |place: Place| (self.items - place.s.max(place.t)) as f64 / self.items as f64;
                let concordant = composed.directed(s, t, |place| [v(place), v(place) * remaining(place)]);
                if self.signed { 2.0 * concordant - self.average_of_all(s, t) } else { concordant }
            }
        }
    }

    /// The sum of the average weight over all pairs, concordant or not: that of the top-k kernels over k.
    fn average_of_all(&self, s: Row<'_>, t: Row<'_>) -> f64 {
        // The item at rank k of one ranking joins the top k + 1 of both if its rank in the other is not larger.
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

    /// The sum for two rankings with ties; `rest` is the sum of the products of the weights over the pairs of items that
    /// the last item stands for.
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

    /// The same, pair by pair.
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

    /// The sums over the pairs that are tied in neither ranking: concordant, and discordant if asked for.
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
        before.reset(t.blocks.len());
        after.reset(t.blocks.len());
        let (mut sums, mut passed) = ([0.0; 2], 0);
        for items in s.in_blocks() {
            if cancel.is_cancelled() {
                return [0.0; 2];
            }
            for &item in items {
                let (b, d) = (s.block(item), t.block(item));
                let place = t.block_of[item as usize] as usize;
                sums[0] += v[item as usize] * dot4(before.below(place), self.later(b, d));
                if with_discordant && self.is_average() {
                    let earlier =
                        s.order[..passed].iter().filter(|&&other| t.block_of[other as usize] as usize > place);
                    let terms = earlier.map(|&other| v[other as usize] * self.of_tops(b, t.block(other), 0));
                    sums[1] += v[item as usize] * terms.sum::<f64>();
                } else if with_discordant {
                    sums[1] += v[item as usize] * dot4(after.below(last - place), products(b.second, d.first));
                }
            }
            for &item in items {
                let (b, d, v) = (s.block(item), t.block(item), v[item as usize]);
                let place = t.block_of[item as usize] as usize;
                before.add(place, Self::earlier(b, d).map(|number| number * v));
                if with_discordant && !self.is_average() {
                    after.add(last - place, products(b.first, d.second).map(|number| number * v));
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

    /// The kernels whose features are those of this one: itself, or the top-k kernels, and their common factor.
    fn feature_parts(&self) -> Result<(Vec<Self>, f64), Error> {
        if !self.is_average() {
            return Ok((vec![self.clone()], 1.0));
        }
        let mut parts = memory::with_capacity(self.items.saturating_sub(1))?;
        for k in 2..=self.items {
            let term = Term::Pairs(PairWeight::Count { top: Some(k) });
            parts.push(Self::new(self.items, term, self.item_weight.clone(), self.signed, false)?);
        }
        Ok((parts, (self.items.max(1) as f64).sqrt().recip()))
    }

    /// The number of columns of [`ItemWeighted::features`].
    pub(crate) fn feature_columns(&self) -> Result<usize, Error> {
        let parts = if self.is_average() { self.items.saturating_sub(1) } else { 1 };
        self.feature_count().checked_mul(parts).ok_or(Error::TooLarge { rows: 1, columns: usize::MAX })
    }

    /// The features of a ranking, given by its order and the ranks of its blocks: columns for all pairs of items, and for
    /// each k of the average weight; then, unless signed, the same for the reversed pairs.
    pub(crate) fn features(
        &self,
        order: &[u32],
        blocks: impl Iterator<Item = Range<usize>>,
    ) -> Result<Vec<f64>, Error> {
        let blocks: Vec<_> = memory::collect(blocks)?;
        let own = self.ranked(order, blocks.iter().cloned())?.own;
        let roots = self.roots()?;
        let (parts, factor) = self.feature_parts()?;
        let scale = match self.normalized {
            _ if own == 0.0 => 0.0,
            true => factor / own.sqrt(),
            false => factor,
        };
        let pairs = pairs_of(self.items as u64) as usize;
        let mut out = memory::filled(self.feature_columns()?, 0.0)?;
        let mut one = memory::filled(self.feature_count(), 0.0)?;
        for (number, part) in parts.iter().enumerate() {
            part.write_features(part.ranked(order, blocks.iter().cloned())?.side(), &roots, &mut one);
            for (half, numbers) in one.chunks_exact(pairs.max(1)).enumerate() {
                let out = &mut out[(half * parts.len() + number) * pairs..][..pairs];
                out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number * scale);
            }
        }
        Ok(out)
    }

    /// The features of a ranking: the numbers of the ordered pairs of items i < j times the roots of the weights of both,
    /// minus those of the reversed pairs if signed, otherwise followed by these.
    fn write_features(&self, side: Side<'_>, roots: &[f64], out: &mut [f64]) {
        let (straight, reversed) = out.split_at_mut(if self.signed { out.len() } else { out.len() / 2 });
        let mut place = 0;
        for (i, root) in roots.iter().enumerate() {
            for (j, other) in roots.iter().enumerate().skip(i + 1) {
                let weight = root * other;
                let numbers = [weight * side.number(i, j), weight * side.number(j, i)];
                straight[place] = if self.signed { numbers[0] - numbers[1] } else { numbers[0] };
                if !self.signed {
                    reversed[place] = numbers[1];
                }
                place += 1;
            }
        }
    }

    /// The number of features of a ranking.
    fn feature_count(&self) -> usize {
        pairs_of(self.items as u64) as usize * if self.signed { 1 } else { 2 }
    }

    fn roots(&self) -> Result<Vec<f64>, Error> {
        memory::collect((0..self.items).map(|item| self.weight_of(item).sqrt()))
    }

    /// Values by inner products of features.
    fn by_features<'a>(&'a self, rows: Vec<Ranked<'a>>, columns: Vec<Ranked<'a>>) -> Result<Values<'a>, Error> {
        let (count, roots) = (self.feature_count(), self.roots()?);
        let width = count.next_multiple_of(inner::LANES);
        let features = |rankings: &[Ranked<'_>]| -> Result<Vec<f64>, Error> {
            let mut out = memory::filled(rankings.len() * width, 0.0)?;
            for (ranking, out) in rankings.iter().zip(out.chunks_exact_mut(width.max(1))) {
                self.write_features(ranking.side(), &roots, &mut out[..count]);
            }
            Ok(out)
        };
        let (of_rows, of_columns) = (features(&rows)?, features(&columns)?);
        // The values of a row are computed together.
        let (mut sums, mut computed) = (memory::filled(columns.len(), 0.0)?, None);
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            if s.block_of == t.block_of {
                return self.own_finished(s.own);
            }
            if computed != Some(row) {
                inner::inner_products(Isa::widest(), &of_rows[row * width..][..width], &of_columns, &mut sums);
                computed = Some(row);
            }
            self.finished(sums[column], s.own, t.own)
        }))
    }

    fn ranked<'a>(&self, order: &'a [u32], blocks: impl Iterator<Item = Range<usize>>) -> Result<Ranked<'a>, Error> {
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

    /// The sum of the weights of all items but these, and the sum over their pairs of the products.
    fn rest(&self, items: impl Iterator<Item = u32>, count: usize) -> (f64, f64) {
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
    fn name(&self) -> &'static str {
        if self.item_weight.is_some() { "a kernel with item_weight" } else { "the kernel with the weight 'later'" }
    }

    fn items(&self) -> usize {
        self.items
    }

    fn takes(&self) -> Takes {
        Takes::Lists
    }

    fn is_kernel(&self) -> bool {
        true
    }

    fn depends_on_items(&self) -> bool {
        self.item_weight.is_some()
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
                // Without weights of items it is the same for all rankings.
                Some(first) if self.item_weight.is_none() => memory::filled(rankings.len(), own(first)),
                _ => memory::collect(rankings.iter().map(own)),
            }
        };
        let (own_rows, own_columns) = (own(&rows)?, own(&columns)?);
        let mut composed = Composed::new(self.items, cancel)?;
        let oriented = |s: Row<'a>, t: Row<'a>| match &self.item_weight {
            None => orient(s, t),
            // The same permutation can belong to other items.
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
            let (sides, v, rest) = union.of(first, second, self, true);
            self.finished(self.tied_sum(sides[0], sides[1], v, rest, &mut memory), s.own, t.own)
        }))
    }
}

/// The largest number of items of two lists, and one more.
pub(super) fn most_items(rows: &[List<'_>], columns: &[List<'_>]) -> usize {
    let longest = |lists: &[List<'_>]| lists.iter().map(|list| list.len()).max().unwrap_or(0);
    longest(rows) + longest(columns) + 1
}

/// The numbers of a block of ranks. Two items in blocks A before B have the inner product of `A.first` and `B.second`.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    first: [f64; 2],
    second: [f64; 2],
    /// The number of an ordered pair of tied items.
    tied: f64,
    /// For the average weight.
    top: TopBlock,
}

/// A ranking of all items.
pub(super) struct Ranked<'a> {
    order: &'a [u32],
    /// The number of the block of each item.
    pub(super) block_of: Vec<u32>,
    blocks: Vec<Block>,
    /// The sum for the ranking and itself.
    own: f64,
}

impl Ranked<'_> {
    pub(super) fn side(&self) -> Side<'_> {
        Side { order: self.order, block_of: &self.block_of, blocks: &self.blocks }
    }
}

/// A list with its blocks; the last one has the items that are not listed.
pub(super) struct Listed<'a> {
    pub(super) list: List<'a>,
    /// The entries from the first block to the last.
    order: Vec<u32>,
    /// The number of the block of each entry.
    block_of: Vec<u32>,
    blocks: Vec<Block>,
    own: f64,
}

/// One of two rankings of the same items.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    order: &'a [u32],
    block_of: &'a [u32],
    blocks: &'a [Block],
}

impl<'a> Side<'a> {
    fn block(self, item: u32) -> &'a Block {
        &self.blocks[self.block_of[item as usize] as usize]
    }

    /// The items of each block.
    fn in_blocks(self) -> impl Iterator<Item = &'a [u32]> {
        self.order.chunk_by(move |&one, &other| self.block_of[one as usize] == self.block_of[other as usize])
    }

    /// The number of an ordered pair of items.
    fn number(self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.block_of[i], self.block_of[j]);
        let (first, second) = (&self.blocks[a as usize], &self.blocks[b as usize]);
        match a.cmp(&b) {
            std::cmp::Ordering::Less => first.first[0] * second.second[0] + first.first[1] * second.second[1],
            std::cmp::Ordering::Equal => first.tied,
            std::cmp::Ordering::Greater => 0.0,
        }
    }
}

/// Memory for the items of two lists, numbered: those of the first, those only in the second, and one for the rest.
pub(super) struct Union {
    order: [Vec<u32>; 2],
    block_of: [Vec<u32>; 2],
    v: Vec<f64>,
    items: Vec<u32>,
    /// The numbers of the entries of the second list.
    numbers: Vec<u32>,
}

impl Union {
    pub(super) fn new(most: usize) -> Result<Self, Error> {
        let list = || memory::with_capacity(most);
        Ok(Self {
            order: [list()?, list()?],
            block_of: [list()?, list()?],
            v: memory::with_capacity(most)?,
            items: list()?,
            numbers: list()?,
        })
    }

    /// Both lists as rankings of these items; their weights, the last of which is 0 without the rest; and the sum over the
    /// pairs of the rest of the products of their weights.
    pub(super) fn of<'b>(
        &'b mut self,
        s: &'b Listed<'_>,
        t: &'b Listed<'_>,
        kernel: &ItemWeighted,
        with_rest: bool,
    ) -> ([Side<'b>; 2], &'b [f64], f64) {
        let Self { order: [order_s, order_t], block_of: [block_s, block_t], v, items, numbers } = self;
        for list in [&mut *order_s, order_t, block_s, block_t, items, numbers] {
            list.clear();
        }
        let [tail_s, tail_t] = [s, t].map(|list| list.blocks.len() as u32 - 1);
        items.extend(s.list.iter().map(|entry| entry[0]));
        block_s.extend(&s.block_of);
        block_t.resize(s.list.len(), tail_t);
        let mut place = 0;
        for (&[item, _], &block) in t.list.iter().zip(&t.block_of) {
            while s.list.get(place).is_some_and(|entry| entry[0] < item) {
                place += 1;
            }
            if s.list.get(place).is_some_and(|entry| entry[0] == item) {
                block_t[place] = block;
                numbers.push(place as u32);
            } else {
                numbers.push(items.len() as u32);
                items.push(item);
                block_s.push(tail_s);
                block_t.push(block);
            }
        }
        let listed = items.len();
        block_s.push(tail_s);
        block_t.push(tail_t);
        order_s.extend(&s.order);
        order_s.extend(s.list.len() as u32..=listed as u32);
        order_t.extend(t.order.iter().map(|&entry| numbers[entry as usize]));
        order_t.extend((0..s.list.len() as u32).filter(|&item| block_t[item as usize] == tail_t));
        order_t.push(listed as u32);
        v.clear();
        v.extend(items.iter().map(|&item| kernel.weight_of(item as usize)));
        let (rest, pairs) = if with_rest { kernel.rest(items.iter().copied(), listed) } else { (0.0, 0.0) };
        v.push(rest);
        let sides = [
            Side { order: order_s, block_of: block_s, blocks: &s.blocks },
            Side { order: order_t, block_of: block_t, blocks: &t.blocks },
        ];
        (sides, v, pairs)
    }
}

/// Memory for a pair of rankings with ties, for one thread.
pub(super) struct Memory {
    before: Tree,
    after: Tree,
    same: Vec<[f64; 2]>,
    cells: Vec<f64>,
    cancel: Cancel,
}

impl Memory {
    pub(super) fn new(most: usize, cancel: &Cancel) -> Result<Self, Error> {
        Ok(Self {
            before: Tree(memory::with_capacity(most + 1)?),
            after: Tree(memory::with_capacity(most + 1)?),
            same: memory::with_capacity(most)?,
            cells: memory::with_capacity(most)?,
            cancel: cancel.clone(),
        })
    }
}

/// Sums of numbers over blocks, as a Fenwick tree.
struct Tree(Vec<[f64; 4]>);

impl Tree {
    fn reset(&mut self, blocks: usize) {
        self.0.clear();
        self.0.resize(blocks + 1, [0.0; 4]);
    }

    /// The sum over the blocks before this one.
    fn below(&self, block: usize) -> [f64; 4] {
        let (mut sum, mut node) = ([0.0; 4], block);
        while node > 0 {
            sum.iter_mut().zip(self.0[node]).for_each(|(sum, number)| *sum += number);
            node &= node - 1;
        }
        sum
    }

    fn add(&mut self, block: usize, numbers: [f64; 4]) {
        let mut node = block + 1;
        while let Some(sums) = self.0.get_mut(node) {
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
            node += node & node.wrapping_neg();
        }
    }
}

/// All products of two times two numbers.
fn products([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 4] {
    [a * c, a * d, b * c, b * d]
}

fn dot4(one: [f64; 4], other: [f64; 4]) -> f64 {
    (one[0] * other[0] + one[1] * other[1]) + (one[2] * other[2] + one[3] * other[3])
}
