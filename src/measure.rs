//! Measures: what can be computed for a pair of rankings, with its parameters checked.

mod price;

use std::sync::OnceLock;

use crate::error::Error;
use crate::kappa::own::{ROUNDING, cost_ns, own};
use crate::kappa::{self, Workspace};
use crate::parallel::Stop;
use crate::ranking::Row;
use crate::weight::{ValidWeight, Weight};

/// A checked function of two rankings of a given number of items: a kernel, a distance or a correlation.
///
/// Every measure here is right-invariant: it depends on the permutation `t o s^-1` only, which gives `t`'s rank of the
/// item that `s` ranks a-th. It is also symmetric to the last bit, because of this permutation and its inverse, that is, the
/// pair taken the other way round, the one that comes first in lexicographic order is always used. The one exception is
/// [`Weight::Quadruples`] without symmetry.
///
/// A self-similarity of at most 1e-12 times the sum of the absolute values of its terms is taken for rounding: it is 0, and so is
/// every normalized value with that ranking. Normalized kernels are within -1 and 1.
///
/// ```
/// use wkendall::{Factor, Measure, Rankings, Weight, Workspace};
/// let x = Rankings::from_ranks(2, 4, &[1, 2, 3, 4, 2, 1, 3, 4])?;
/// let kendall = Measure::kernel(&Weight::Standard, 4)?;
/// let mut workspace = Workspace::new(4);
/// assert_eq!(kendall.between(x.row(0), x.row(1), &mut workspace)?, 5.0);
/// let tau = kendall.signed()?.normalized();
/// assert_eq!(tau.between(x.row(0), x.row(1), &mut workspace)?, 4.0 / 6.0);
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Measure {
    items: usize,
    weight: ValidWeight,
    /// How many items the tuples have that named weights are summed over.
    order: usize,
    reading: Reading,
    /// The sum over all tuples for a ranking and itself, which is the same for all rankings; found when it is needed.
    own: OnceLock<f64>,
    /// Whether the two rankings can change places.
    symmetric: bool,
    /// Whether sums are divided by `own`.
    normalized: bool,
}

/// What is made of the concordant pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reading {
    Concordant,
    Signed,
    Correlation,
    Discordant,
    Mallows(f64),
}

/// What the mean is taken of for incomplete rankings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mean {
    /// The concordant sum.
    Concordant,
    /// The concordant sum minus the discordant one.
    Signed,
    /// The number of discordant pairs.
    Discordant,
}

/// What a measure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    /// Concordant pairs.
    All,
    /// Concordant pairs among the items in the top k of both.
    Top(usize),
    /// For each concordant pair, n less the larger rank, from 0, of its later item.
    Rooms,
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        // All else follows.
        let parts = |measure: &Self| (measure.items, measure.order, measure.reading, measure.normalized);
        parts(self) == parts(other) && self.weight == other.weight
    }
}

impl Measure {
    /// The kernel with this weight: the sum over concordant pairs of what the weight gives them.
    ///
    /// # Errors
    /// When the weight's parameters do not fit the number of items.
    pub fn kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        Ok(Self::of_weight(weight.check(items)?, items))
    }

    /// As [`Measure::kernel`], with all numbers of the weight times a power of two that brings the largest near 1. For kernels that
    /// are normalized, which do not depend on that scale: weights whose sums would be too large are not refused.
    ///
    /// # Errors
    /// As [`Measure::kernel`].
    ///
    /// ```
    /// use wkendall::{Factor, Measure, Weight};
    /// let weight = Weight::Mult(Factor::Values(vec![4e200, 2e200, 1e200]));
    /// assert!(Measure::kernel(&weight, 3).is_err());
    /// let kernel = Measure::rescaled_kernel(&weight, 3)?.try_normalized()?;
    /// assert_eq!(kernel.of_equal(), 1.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn rescaled_kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        Ok(Self::of_weight(weight.check_rescaled(items)?, items))
    }

    /// The kernel with a weight that fits the number of items.
    pub(crate) fn of_weight(weight: ValidWeight, items: usize) -> Self {
        Self::new(weight, 2, items, Reading::Concordant)
    }

    fn new(weight: ValidWeight, order: usize, items: usize, reading: Reading) -> Self {
        let symmetric = match &weight {
            ValidWeight::Quadruples(entries) => kappa::is_symmetric(entries, items),
            _ => true,
        };
        Self { items, weight, order, reading, own: OnceLock::new(), symmetric, normalized: false }
    }

    /// Turns a kernel with one of the named weights into that of another order: the sum over the tuples of so many items that are
    /// in the same order in both rankings. With ranks `a` in one ranking and `c` in the other, [`Weight::Add`] gives a tuple the sum of
    /// all `u[a]` times the sum of all `u[c]`, [`Weight::Mult`] the product of them all, [`Weight::Top`] 1 if all ranks are at most
    /// k, and [`Weight::Average`] what its last item has for pairs. Takes O(order n log n) a pair of rankings. An order above the
    /// number of items gives 0. Counts above 2^53 are rounded.
    ///
    /// # Errors
    /// When the order is 0, sums can be too large for a real number, the weights have an order of their own, or the measure is
    /// not a kernel of [`Measure::kernel`].
    ///
    /// ```
    /// use wkendall::{Measure, Rankings, Weight, Workspace};
    /// let x = Rankings::from_ranks(2, 4, &[1, 2, 3, 4, 2, 1, 3, 4])?;
    /// let triples = Measure::kernel(&Weight::Standard, 4)?.of_order(3)?;
    /// assert_eq!(triples.between(x.row(0), x.row(1), &mut Workspace::new(4))?, 2.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn of_order(self, order: usize) -> Result<Self, Error> {
        if self.reading != Reading::Concordant {
            return Err(Error::NotAKernel);
        }
        if order == 0 || self.weight.is_general() {
            return Err(Error::Order { order });
        }
        self.weight.check_order(order, self.items)?;
        let found = Self::new(self.weight, order, self.items, self.reading);
        if self.normalized { found.try_normalized() } else { Ok(found) }
    }

    /// The number of discordant pairs: the Kendall tau distance.
    #[must_use]
    pub fn distance(items: usize) -> Self {
        Self::new(ValidWeight::Standard, 2, items, Reading::Discordant)
    }

    /// The Mallows kernel, `exp(-lambda * distance)`.
    ///
    /// # Errors
    /// When `lambda` is negative, NaN or infinite.
    pub fn mallows(items: usize, lambda: f64) -> Result<Self, Error> {
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(Error::Lambda { value: lambda });
        }
        Ok(Self::new(ValidWeight::Standard, 2, items, Reading::Mallows(lambda)))
    }

    /// The weighted correlation `(C - D) / (C + D)` of concordant and discordant sums; 0 where the denominator is 0.
    ///
    /// It is not a kernel: the denominator depends on the pair, and its matrices can have negative eigenvalues.
    ///
    /// # Errors
    /// As [`Measure::kernel`], and when the weights are general.
    pub fn correlation(weight: &Weight, items: usize) -> Result<Self, Error> {
        let signed = Self::kernel(weight, items)?.signed()?;
        Ok(Self::new(signed.weight.scaled(2, items, &Stop::default())?, 2, items, Reading::Correlation))
    }

    /// Turns a kernel into its signed form: the sum over concordant pairs minus that over discordant ones.
    ///
    /// # Errors
    /// When the weights are general, which do not ask for concordance, the order is not 2, or the measure is not a kernel of
    /// [`Measure::kernel`].
    pub fn signed(self) -> Result<Self, Error> {
        match (&self.weight, self.reading) {
            (weight, _) if weight.is_general() => Err(Error::WeightSigned),
            _ if self.order != 2 => Err(Error::OrderSigned { order: self.order }),
            (_, Reading::Concordant | Reading::Signed) => Ok(Self { reading: Reading::Signed, ..self }),
            _ => Err(Error::NotAKernel),
        }
    }

    /// Divides a kernel by the value it has for a ranking and itself, which is the same for all rankings; where that is 0, so
    /// is every value. A distance stays what it is.
    ///
    /// # Panics
    /// When there is no memory for a copy of the weights, or they are too steep for the order; [`Measure::try_normalized`] returns
    /// that as an error.
    #[must_use]
    pub fn normalized(self) -> Self {
        self.try_normalized().unwrap_or_else(|error| panic!("{error}"))
    }

    /// As [`Measure::normalized`].
    ///
    /// # Errors
    /// When there is no memory for a copy of the weights, or they are too steep for the order.
    pub fn try_normalized(self) -> Result<Self, Error> {
        self.normalized_until(&Stop::default())
    }

    /// As [`Measure::try_normalized`], until told to stop: the scale of steep weights can take long to find.
    pub(crate) fn normalized_until(self, stop: &Stop) -> Result<Self, Error> {
        if self.reading == Reading::Discordant {
            return Ok(self);
        }
        let weight = self.weight.scaled(self.order, self.items, stop)?;
        Ok(Self { normalized: true, ..Self::new(weight, self.order, self.items, self.reading) })
    }

    /// The number of items of the rankings that are compared.
    #[must_use]
    pub fn items(&self) -> usize {
        self.items
    }

    /// Finds the self-similarity, if it is not known; it is then there for all who ask.
    pub(crate) fn find_own(&self, stop: &Stop) -> Result<f64, Error> {
        if let Some(&own) = self.own.get() {
            return Ok(own);
        }
        let found = own(&self.weight, self.order, self.items, stop)?;
        Ok(*self.own.get_or_init(|| found))
    }

    /// About how long it takes to find the self-similarity.
    pub(crate) fn own_ns(&self) -> f64 {
        if self.own.get().is_some() { 0.0 } else { cost_ns(&self.weight, self.order, self.items) }
    }

    fn own(&self) -> f64 {
        self.find_own(&Stop::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The value for a ranking and itself, which does not depend on the ranking.
    ///
    /// # Panics
    /// When there is no memory for some numbers, as many as the order.
    #[must_use]
    pub fn of_equal(&self) -> f64 {
        match self.reading {
            Reading::Concordant | Reading::Signed => self.of_sum(self.own()),
            Reading::Discordant => 0.0,
            Reading::Mallows(_) => 1.0,
            Reading::Correlation => ratio(self.own(), self.own()),
        }
    }

    /// Makes the workspace fit.
    pub(crate) fn prepare(&self, workspace: &mut Workspace) -> Result<(), Error> {
        workspace.try_fit(self.items)?;
        if self.order == 2 { Ok(()) } else { workspace.fit_order(&self.weight, self.order) }
    }

    /// The value for two rankings.
    ///
    /// # Errors
    /// When a ranking has another number of items than the measure, or there is no memory for the workspace.
    pub fn between(&self, s: Row<'_>, t: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        for row in [s, t] {
            self.check_items(row.ranks().len())?;
        }
        self.prepare(workspace)?;
        if self.vanishes(workspace)? {
            return Ok(0.0);
        }
        Ok(self.between_trusted(s, t, workspace))
    }

    /// The value as a function of one permutation: that for the identity and `pi`.
    ///
    /// # Errors
    /// When the permutation has another number of items than the measure, or there is no memory for the workspace.
    ///
    /// ```
    /// use wkendall::{Measure, Rankings, Weight, Workspace};
    /// let pi = Rankings::from_ranks(1, 3, &[2, 3, 1])?;
    /// let kendall = Measure::kernel(&Weight::Standard, 3)?;
    /// assert_eq!(kendall.kappa(pi.row(0), &mut Workspace::new(3))?, 1.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn kappa(&self, pi: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        self.check_items(pi.ranks().len())?;
        self.prepare(workspace)?;
        if self.vanishes(workspace)? {
            return Ok(0.0);
        }
        if pi.ranks().is_sorted() {
            self.find_own(workspace.stop())?;
            return Ok(self.of_equal());
        }
        let chosen = if self.symmetric { pi.ranks().min(pi.order()) } else { pi.ranks() };
        Ok(self.evaluate(|values| values.copy_from_slice(chosen), workspace))
    }

    pub(crate) fn check_items(&self, items: usize) -> Result<(), Error> {
        if items == self.items { Ok(()) } else { Err(Error::ItemsDiffer { left: items, right: self.items }) }
    }

    /// The value for two rankings of `self.items` items, with a workspace that fits.
    pub(crate) fn between_trusted(&self, s: Row<'_>, t: Row<'_>, workspace: &mut Workspace) -> f64 {
        let (s, t) = match orient(s, t) {
            None => return self.of_equal(),
            Some(oriented) => {
                if self.symmetric {
                    oriented
                } else {
                    (s, t)
                }
            }
        };
        let compose = |values: &mut [u32]| {
            for (value, &item) in values.iter_mut().zip(s.order()) {
                *value = t.ranks()[item as usize];
            }
        };
        self.evaluate(compose, workspace)
    }

    /// The value for the permutation that `fill` writes.
    fn evaluate(&self, fill: impl Fn(&mut [u32]), workspace: &mut Workspace) -> f64 {
        fill(&mut workspace.values);
        let value = match self.reading {
            Reading::Concordant if self.order != 2 => kappa::ordered(&self.weight, self.order, workspace),
            Reading::Concordant => kappa::concordant(&self.weight, workspace),
            Reading::Signed => kappa::signed(&self.weight, workspace),
            Reading::Discordant => self.discordant(workspace),
            Reading::Mallows(lambda) => (-lambda * self.discordant(workspace)).exp(),
            Reading::Correlation => {
                let signed = kappa::signed(&self.weight, workspace);
                fill(&mut workspace.values);
                let both = 2.0 * kappa::concordant(&self.weight, workspace) - signed;
                fill(&mut workspace.values);
                // What is left of a sum that cancels is rounding.
                let noise = ROUNDING * kappa::magnitude(&self.weight, &workspace.values);
                if both.abs() <= noise { 0.0 } else { signed / both }
            }
        };
        self.finished(value)
    }

    fn discordant(&self, workspace: &mut Workspace) -> f64 {
        kappa::pairs_of(self.items as u64) as f64 - kappa::concordant(&self.weight, workspace)
    }

    /// The weight and what the mean is taken of for incomplete rankings, if there is such a mean.
    pub(crate) fn mean(&self) -> Option<(&ValidWeight, Mean)> {
        let mean = match self.reading {
            Reading::Concordant => Mean::Concordant,
            Reading::Signed => Mean::Signed,
            Reading::Discordant => Mean::Discordant,
            Reading::Correlation | Reading::Mallows(_) => return None,
        };
        (self.order == 2 && !self.weight.is_general()).then_some((&self.weight, mean))
    }

    /// Whether values are divided by those for a ranking and itself.
    pub(crate) fn is_normalized(&self) -> bool {
        self.normalized
    }

    /// The largest absolute value that there can be.
    pub(crate) fn largest(&self) -> f64 {
        match &self.weight {
            // Not checked to be a kernel, whose largest value is that of equal rankings.
            ValidWeight::Quadruples(entries) => {
                let largest = entries.iter().fold(0.0, |largest: f64, entry| largest.max(entry.abs()));
                self.finished(largest * kappa::pairs_of(self.items as u64) as f64)
            }
            _ => self.of_equal(),
        }
    }

    /// Whether the value is the same for the two rankings in either order.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// Whether the value is 0 for all pairs of rankings: by the Cauchy-Schwarz inequality, if a kernel is 0 for a ranking and itself.
    pub(crate) fn is_zero(&self) -> bool {
        let sum = matches!(self.reading, Reading::Concordant | Reading::Signed);
        sum && !matches!(self.weight, ValidWeight::Quadruples(_)) && self.own() == 0.0
    }

    /// As [`Measure::is_zero`], asked only where terms can cancel: it can take as long as a pair of rankings to say.
    fn vanishes(&self, workspace: &Workspace) -> Result<bool, Error> {
        let cancels = match &self.weight {
            ValidWeight::Factors { vectors, .. } => vectors.iter().any(|&entry| entry < 0.0),
            weight => weight.has_negative(),
        };
        if cancels {
            self.find_own(workspace.stop())?;
        }
        Ok(cancels && self.is_zero())
    }

    /// The value for a sum or a function of one.
    #[inline]
    fn finished(&self, value: f64) -> f64 {
        if self.normalized { self.quotient(value) } else { value }
    }

    fn quotient(&self, value: f64) -> f64 {
        match (&self.weight, self.reading) {
            // The value for equal rankings is 1 as it is.
            (_, Reading::Discordant | Reading::Mallows(_) | Reading::Correlation) => value,
            // Not checked to be a kernel, for which the quotient would be within -1 and 1.
            (ValidWeight::Quadruples(_), _) => ratio(value, self.own().abs()),
            _ => ratio(value, self.own()).clamp(-1.0, 1.0),
        }
    }

    /// Whether the sum is over tuples of another number of items than two.
    pub(crate) fn is_ordered(&self) -> bool {
        self.order != 2
    }

    /// Whether the weights are given as sums of products of vectors.
    pub(crate) fn is_factored(&self) -> bool {
        matches!(self.weight, ValidWeight::Factors { .. })
    }

    /// The weight, and whether the sum is signed, if the measure is a sum of real weights that [`Measure::of_sum`] knows.
    pub(crate) fn summed(&self) -> Option<(&ValidWeight, bool)> {
        match (&self.weight, self.reading) {
            (ValidWeight::Tensor { .. } | ValidWeight::Factors { .. }, Reading::Concordant) => {
                Some((&self.weight, false))
            }
            _ if self.order != 2 => None,
            (ValidWeight::Add(_) | ValidWeight::Mult(_), Reading::Concordant) => Some((&self.weight, false)),
            (ValidWeight::Add(_) | ValidWeight::Mult(_), Reading::Signed) => Some((&self.weight, true)),
            _ => None,
        }
    }

    /// The value for a sum of what [`Measure::summed`] names.
    pub(crate) fn of_sum(&self, sum: f64) -> f64 {
        self.finished(sum)
    }

    /// What sums are multiplied by.
    pub(crate) fn scale(&self) -> f64 {
        if self.normalized { ratio(1.0, self.own()) } else { 1.0 }
    }

    /// What is counted, if the measure is a function of a count of concordant pairs that [`Measure::of_count`] knows.
    pub(crate) fn counted(&self) -> Option<Counted> {
        match (&self.weight, self.reading) {
            _ if self.order != 2 => None,
            (ValidWeight::Standard, _) => Some(Counted::All),
            (&ValidWeight::Top(k), Reading::Concordant) => Some(Counted::Top(k)),
            (ValidWeight::Average, Reading::Concordant) => Some(Counted::Rooms),
            _ => None,
        }
    }

    /// Two numbers that a count is divided by, one after the other, to give what [`Measure::of_count`] gives, if that is all.
    pub(crate) fn count_divisors(&self) -> Option<(f64, f64)> {
        let whole = if self.weight == ValidWeight::Average { self.items.max(1) as f64 } else { 1.0 };
        let own = if self.normalized { self.own() } else { 1.0 };
        (self.reading == Reading::Concordant && own > 0.0).then_some((whole, own))
    }

    /// The value for a count of what [`Measure::counted`] names.
    #[inline]
    pub(crate) fn of_count(&self, count: u64) -> f64 {
        let all = kappa::pairs_of(self.items as u64);
        let value = match self.reading {
            Reading::Concordant if self.weight == ValidWeight::Average => count as f64 / self.items.max(1) as f64,
            Reading::Concordant => count as f64,
            Reading::Signed => kappa::balance(count.into(), all.into()),
            Reading::Discordant => (all - count) as f64,
            Reading::Mallows(lambda) => (-lambda * (all - count) as f64).exp(),
            Reading::Correlation => ratio(kappa::balance(count.into(), all.into()), all as f64),
        };
        self.finished(value)
    }
}

/// Whether a matrix equals its transpose, `Some(true)`, or the negative of it, `Some(false)`.
pub(crate) fn symmetry(entries: &[f64], items: usize) -> Option<bool> {
    if entries.len() != items * items {
        return None;
    }
    [true, false].into_iter().find(|&same| {
        (0..items).all(|row| {
            (0..=row).all(|column| {
                let mirrored = entries[column * items + row];
                entries[row * items + column] == if same { mirrored } else { -mirrored }
            })
        })
    })
}

/// A quotient that is 0 where it has no value.
fn ratio(value: f64, unit: f64) -> f64 {
    if unit == 0.0 { 0.0 } else { value / unit }
}

/// The two rankings in the order whose permutation `t o s^-1` comes first in lexicographic order: a sum over a permutation
/// and one over its inverse round differently, and relabelling the items changes neither permutation. `None` if they are equal.
fn orient<'a>(s: Row<'a>, t: Row<'a>) -> Option<(Row<'a>, Row<'a>)> {
    for (&from_s, &from_t) in s.order().iter().zip(t.order()) {
        let (forward, backward) = (t.ranks()[from_s as usize], s.ranks()[from_t as usize]);
        if forward != backward {
            return Some(if forward < backward { (s, t) } else { (t, s) });
        }
    }
    (s != t).then_some((s, t))
}
