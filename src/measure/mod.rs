//! Measures: functions of two rankings, with checked parameters.
//!
//! ```text
//! named                 measures by name
//! mod                   a measure: one part, or a combination of parts; the table of names
//! combination           sums, products and powers of kernels, and the correlation
//! tau_x                 Emond and Mason's correlation
//! fagin_kendall         K^(p) of top lists
//! kemeny_snell          the Kemeny-Snell distance
//! differing_pairs       pairs that two rankings order differently, with weights of items
//! ap_correlation        the rank correlation of average precision
//! average_overlap       average overlap
//! footrule              Spearman's footrule
//! item_features         features of kernels with the weight "later", or with weights of items
//! item_weighted         these kernels
//! blocks_of_pairs       two rankings or lists as blocks of items, for these kernels
//! generalized_kendall   Kumar and Vassilvitskii's distance, with weights of items and costs of positions
//! rank_biased_overlap   rank-biased overlap
//! spearman_rho          Spearman's rho
//! swap_distance         the cheapest way from one ranking to another by swaps of neighbours
//! weighted_concordance  Shieh's sum of weights of pairs of ranks
//! weighted_tau          Vigna's weighted tau
//! pairwise              the interface of measures that are computed for one pair of rankings at a time
//! overlap               the common items of the tops of two rankings
//! value                 the value of a sum over pairs for one pair of rankings
//! form                  the kind of sum or count from which it follows, for the strategies of the Gram engine
//! kendall               sums over pairs or tuples of items: their parameters
//! parameters            parameters by name, and the rules that measures share
//! ```

mod ap_correlation;
mod average_overlap;
mod blocks_of_pairs;
mod combination;
mod differing_pairs;
mod fagin_kendall;
mod footrule;
mod form;
mod generalized_kendall;
mod item_features;
mod item_weighted;
mod kemeny_snell;
mod kendall;
mod named;
mod overlap;
mod pairwise;
mod parameters;
mod rank_biased_overlap;
mod spearman_rho;
mod swap_distance;
mod tau_x;
mod value;
mod weighted_concordance;
mod weighted_tau;

pub(crate) use combination::Combination;
pub(crate) use form::{Counted, Mean, MeanWeight, symmetry};
pub(crate) use kendall::KendallMeasure;
pub use kendall::mallows_rate;
pub(crate) use named::NamedMeasure;
pub(crate) use overlap::Ranked;
#[cfg(test)]
pub(crate) use pairwise::About;
pub(crate) use pairwise::{BoundedPairs, Kind, PairMeasure, SharedMeasure, Takes, Values};
#[cfg(feature = "python")]
pub(crate) use parameters::Numbers;
pub use parameters::{Parameter, Parameters};
pub use weighted_tau::TauRank;

use std::borrow::Cow;

use crate::error::Error;
use crate::pair::Workspace;
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::weight::Weight;
use footrule::Footrule;
pub(crate) use item_weighted::ItemWeighted;

/// All measures by name, with the names of their parameters. A new measure needs a file, a `mod` line above, and a line
/// in this table.
static MEASURES: &[NamedMeasure] = &[
    NamedMeasure::new(
        "kendall",
        &["weight", "k", "u", "order", "signed", "item_weight", "normalize"],
        kendall::kernel_from,
    ),
    NamedMeasure::new("tensor", &["U", "factors", "W", "order", "normalize"], kendall::tensor_from),
    NamedMeasure::new("mallows", &["lam", "normalize"], kendall::mallows_from),
    NamedMeasure::new("distance", &[], |items, _| Ok(Measure::distance(items))),
    NamedMeasure::new("correlation", &["weight", "k", "u"], combination::correlation_from),
    NamedMeasure::new("ap_correlation", &["symmetric"], ap_correlation::from_parameters),
    NamedMeasure::new("average_overlap", &["depth", "item_weight"], average_overlap::from_parameters),
    NamedMeasure::new("fagin_kendall", &["p", "item_weight"], fagin_kendall::from_parameters),
    NamedMeasure::new("footrule", &["item_weight"], |items, _| Ok(Measure::footrule(items))),
    NamedMeasure::new("generalized_kendall", &["item_weights", "position_costs"], generalized_kendall::from_parameters),
    NamedMeasure::new("kemeny_snell", &["item_weight"], |items, _| Ok(Measure::kemeny_snell(items))),
    NamedMeasure::new(
        "rank_biased_overlap",
        &["p", "value", "ties", "item_weight"],
        rank_biased_overlap::from_parameters,
    ),
    NamedMeasure::new("spearman_rho", &[], |items, _| Ok(Measure::spearman_rho(items))),
    NamedMeasure::new("swap_distance", &["costs"], swap_distance::from_parameters),
    NamedMeasure::new("tau_x", &[], |items, _| Ok(Measure::tau_x(items))),
    NamedMeasure::new(
        "weighted_concordance",
        &["w", "earlier", "later", "side"],
        weighted_concordance::from_parameters,
    ),
    NamedMeasure::new("weighted_tau", &["rank", "weigher", "additive"], weighted_tau::from_parameters),
];

/// A checked function of two rankings of a given number of items: a kernel, a distance or a correlation.
///
/// A measure without weights of items does not depend on the numbering of the items (it is right-invariant). It depends
/// only on the permutation `t o s^-1`: for each position in `s`, this is the rank in `t` of the item at this position.
/// Weights of items are set by [`Measure::with_item_weight`], [`Measure::generalized_kendall`], [`TauRank::Items`] and
/// [`TauRank::Given`].
///
/// Most measures are exactly symmetric: if the two rankings are swapped, the value is bitwise the same. These measures
/// need not be symmetric:
///
/// - [`Weight::Quadruples`], if the array W is not symmetric.
/// - [`Measure::weighted_tau`] with [`TauRank::First`].
/// - [`Measure::ap_correlation`], if `symmetric` is false.
/// - [`Measure::weighted_concordance`] and [`Measure::factored_concordance`], if `both` is false.
///
/// A self-similarity is the value of a ranking with itself. If it is at most 1e-12 times the sum of the absolute values
/// of its terms, it is treated as a rounding error and set to 0. Then every normalized value with that ranking is 0,
/// too. Normalized kernels are between -1 and 1.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Measure(MeasureKind);

/// What a measure is made of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MeasureKind {
    /// A single part.
    Part(Part),
    /// A function of the values of several parts.
    Combination(Combination),
}

/// A measure that is not a combination of others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// A sum over pairs or tuples of items, or a function of such a sum. The Gram engine has several strategies for it.
    Kendall(KendallMeasure),
    /// A measure that is computed for one pair of rankings at a time.
    Pairwise(SharedMeasure),
}

impl Part {
    /// Returns an error if rankings have another number of items.
    pub(crate) fn check_items(&self, items: usize) -> Result<(), Error> {
        check_items(items, self.items())
    }

    fn items(&self) -> usize {
        match self {
            Self::Kendall(measure) => measure.items(),
            Self::Pairwise(measure) => measure.get().about().items,
        }
    }

    /// Whether the value is the same for the two rankings in either order.
    pub(crate) fn is_symmetric(&self) -> bool {
        match self {
            Self::Kendall(measure) => measure.is_symmetric(),
            Self::Pairwise(measure) => measure.get().about().is_symmetric,
        }
    }

    /// Whether small values mean that rankings are similar.
    pub(crate) fn is_distance(&self) -> bool {
        match self {
            Self::Kendall(measure) => measure.is_distance(),
            Self::Pairwise(measure) => measure.get().about().kind == Kind::Distance,
        }
    }

    /// Whether the measure is defined for complete rankings only.
    #[cfg(feature = "python")]
    pub(crate) fn takes_complete_only(&self) -> bool {
        match self {
            // A kernel of order 1 has a form of its own for rankings with ties.
            Self::Kendall(measure) => measure.mean().is_err() && !matches!(measure.as_positions(), Ok(Some(_))),
            Self::Pairwise(measure) => measure.get().about().takes == Takes::Complete,
        }
    }

    /// Whether the measure uses only the listed items of lists.
    #[cfg(feature = "python")]
    pub(crate) fn takes_listed(&self) -> bool {
        matches!(self, Self::Pairwise(measure) if measure.get().about().takes == Takes::Listed)
    }

    fn is_kernel(&self) -> bool {
        match self {
            Self::Kendall(measure) => !measure.is_distance(),
            Self::Pairwise(measure) => measure.get().about().kind == Kind::Kernel,
        }
    }

    /// The noun that messages use for the measure.
    fn noun(&self) -> &'static str {
        match self {
            Self::Kendall(measure) if measure.is_distance() => "a distance",
            Self::Kendall(_) => "a kernel",
            Self::Pairwise(measure) => measure.get().about().name,
        }
    }

    fn self_similarity(&self) -> f64 {
        match self {
            Self::Kendall(measure) => measure.self_similarity(),
            Self::Pairwise(measure) => {
                measure.get().with_identity(None, &Cancel::default()).unwrap_or_else(|error| panic!("{error}"))
            }
        }
    }

    fn between(&self, s: Row<'_>, t: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        match self {
            Self::Kendall(measure) => measure.between(s, t, workspace),
            Self::Pairwise(measure) => measure.get().between(s, t, workspace.cancel()),
        }
    }

    fn kappa(&self, pi: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        match self {
            Self::Kendall(measure) => measure.kappa(pi, workspace),
            Self::Pairwise(measure) if measure.get().about().depends_on_items => {
                Err(Error::NoItemWeight { taker: "kappa, a function of one permutation," })
            }
            Self::Pairwise(measure) => measure.get().with_identity(Some(pi), workspace.cancel()),
        }
    }
}

/// Returns an error if the numbers of items of rankings and of a measure differ.
fn check_items(of_rankings: usize, of_measure: usize) -> Result<(), Error> {
    if of_rankings == of_measure { Ok(()) } else { Err(Error::ItemsDiffer { left: of_rankings, right: of_measure }) }
}

impl From<Part> for Measure {
    fn from(part: Part) -> Self {
        Self(MeasureKind::Part(part))
    }
}

impl From<KendallMeasure> for Measure {
    fn from(measure: KendallMeasure) -> Self {
        Self(MeasureKind::Part(Part::Kendall(measure)))
    }
}

impl From<SharedMeasure> for Measure {
    fn from(measure: SharedMeasure) -> Self {
        Self(MeasureKind::Part(Part::Pairwise(measure)))
    }
}

impl Measure {
    /// The kernel with this weight: the sum of the weight over concordant pairs.
    ///
    /// # Errors
    /// Returns an error when the parameters of the weight do not match the number of items.
    pub fn kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        match weight.of_later_item() {
            Some(factor) => Self::later(&factor, items, false),
            None => KendallMeasure::kernel(weight, items).map(Self::from),
        }
    }

    /// The same as [`Measure::kernel`], but all numbers of the weight are multiplied by one power of two, so that the
    /// largest number is near 1. Use it for kernels that will be normalized, because a normalized kernel does not
    /// depend on the scale of its weight. Large weights whose sums would overflow are then accepted.
    ///
    /// # Errors
    /// Returns the same errors as [`Measure::kernel`].
    ///
    /// ```
    /// use wkendall::{Factor, Measure, Weight};
    /// let weight = Weight::Mult(Factor::Values(vec![4e200, 2e200, 1e200]));
    /// assert!(Measure::kernel(&weight, 3).is_err());
    /// let kernel = Measure::rescaled_kernel(&weight, 3)?.try_normalized()?;
    /// assert_eq!(kernel.self_similarity(), 1.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn rescaled_kernel(weight: &Weight, items: usize) -> Result<Self, Error> {
        match weight.of_later_item() {
            Some(factor) => Self::later(&factor, items, true),
            None => KendallMeasure::rescaled_kernel(weight, items).map(Self::from),
        }
    }

    /// Turns a kernel with a named weight into a kernel of another order: the sum over the tuples of `order` items that
    /// are in the same order in both rankings. Let `a` be the ranks of a tuple in one ranking, and `c` its ranks in the
    /// other ranking. The weight of the tuple is:
    ///
    /// - [`Weight::Add`]: the sum of all `u[a]` times the sum of all `u[c]`.
    /// - [`Weight::Mult`]: the product of all `u[a]` and all `u[c]`.
    /// - [`Weight::Top`]: 1 if all ranks are at most k, otherwise 0.
    /// - [`Weight::Average`]: the weight of the last item, as for pairs.
    ///
    /// A pair of rankings takes O(order n log n). If the order is above the number of items, the value is 0. Counts
    /// above 2^53 are rounded.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - The order is 0.
    /// - Sums can exceed the range of `f64`.
    /// - The weight has its own order, as [`Weight::Tensor`] has.
    /// - The kernel is signed and the order is not 2.
    /// - The measure is not a kernel of [`Measure::kernel`].
    ///
    /// ```
    /// use wkendall::{Measure, Rankings, Weight, Workspace};
    /// let x = Rankings::from_ranks(2, 4, &[1, 2, 3, 4, 2, 1, 3, 4])?;
    /// let triples = Measure::kernel(&Weight::Standard, 4)?.with_order(3)?;
    /// assert_eq!(triples.between(x.row(0), x.row(1), &mut Workspace::new(4))?, 2.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn with_order(self, order: usize) -> Result<Self, Error> {
        match self.0 {
            MeasureKind::Part(Part::Kendall(measure)) => measure.with_order(order).map(Self::from),
            MeasureKind::Part(part) if order == 2 && ItemWeighted::of(&part).is_some() => {
                Ok(Self(MeasureKind::Part(part)))
            }
            MeasureKind::Part(part) => Err(Error::NoOtherOrder { measure: part.noun(), order }),
            // A correlation compares pairs of items, so its order is 2.
            MeasureKind::Combination(it) if order == 2 && it.is_correlation() => Ok(Self(MeasureKind::Combination(it))),
            MeasureKind::Combination(it) => Err(Error::NoOtherOrder { measure: it.noun(), order }),
        }
    }

    /// The number of discordant pairs: the Kendall tau distance.
    #[must_use]
    pub fn distance(items: usize) -> Self {
        KendallMeasure::distance(items).into()
    }

    /// The Mallows kernel, `exp(-lambda * distance)`. [`mallows_rate`](crate::mallows_rate) suggests a rate.
    ///
    /// # Errors
    /// Returns an error when `lambda` is negative, NaN or infinite.
    pub fn mallows(items: usize, lambda: f64) -> Result<Self, Error> {
        KendallMeasure::mallows(items, lambda).map(Self::from)
    }

    /// The weighted correlation `(C - D) / (C + D)`. C is the sum of the weights of the concordant pairs, and D is the
    /// sum of the weights of the discordant pairs. If `C + D` is 0, the correlation is 0.
    ///
    /// With [`Weight::Standard`], the correlation is a kernel. With other weights it is not: `C + D` then depends on
    /// the pair of rankings, and matrices of the correlation can have negative eigenvalues.
    ///
    /// # Errors
    /// Returns the same errors as [`Measure::kernel`], and an error when the weights are general, such as
    /// [`Weight::Matrix`].
    pub fn correlation(weight: &Weight, items: usize) -> Result<Self, Error> {
        Ok(Self(MeasureKind::Combination(Combination::correlation(weight, items)?)))
    }

    /// Spearman's footrule: for each item i, take the difference `|s(i) - t(i)|` between its ranks in the two rankings,
    /// and add up these differences. It is a metric, and not a kernel.
    ///
    /// Tied items have the mean of their ranks. Two [`Lists`](crate::Lists) are compared over the items that are in at
    /// least one of them. If a list has k items, every other item has rank k + 1 in it (Fagin, Kumar and Sivakumar,
    /// "Comparing top k lists", 2003). [`Incomplete`](crate::Incomplete) rankings whose missing items come last are
    /// compared in the same way. With [weights of items](Measure::with_item_weight), each difference is multiplied by
    /// the weight of its item.
    ///
    /// ```
    /// use wkendall::{Lists, Measure, Options, Rankings, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 3, 1, 2])?;
    /// assert_eq!(gram(&Measure::footrule(3), &x, None, Options::default())?, [0.0, 4.0, 4.0, 0.0]);
    /// // Item 7 is second, and first; items 5 and 9 are in one list only.
    /// let x = Lists::from_orders(1000, &[vec![5, 7], vec![7, 9]])?;
    /// assert_eq!(gram(&Measure::footrule(1000), &x, None, Options::default())?[1], 4.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    #[must_use]
    pub fn footrule(items: usize) -> Self {
        SharedMeasure::new(Footrule { items, item_weight: None }).into()
    }

    /// The sum of two kernels of the same number of items.
    ///
    /// # Errors
    /// Returns an error when one of the two measures is not a kernel, or when they have different numbers of items.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, Weight, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 2, 1, 3])?;
    /// let both = Measure::kernel(&Weight::Standard, 3)?.plus(Measure::kernel(&Weight::Top(2), 3)?.scaled(10.0)?)?;
    /// assert_eq!(gram(&both, &x, None, Options::default())?, [13.0, 2.0, 2.0, 13.0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn plus(self, other: Self) -> Result<Self, Error> {
        Ok(Self(MeasureKind::Combination(self.into_combination()?.plus(other.into_combination()?)?)))
    }

    /// The product of two kernels of the same number of items.
    ///
    /// # Errors
    /// Returns the same errors as [`Measure::plus`].
    pub fn times(self, other: Self) -> Result<Self, Error> {
        Ok(Self(MeasureKind::Combination(self.into_combination()?.times(other.into_combination()?)?)))
    }

    /// The kernel, multiplied by a number that is 0 or positive.
    ///
    /// # Errors
    /// Returns an error when the measure is not a kernel, or when the number is negative or not finite.
    pub fn scaled(self, factor: f64) -> Result<Self, Error> {
        Ok(Self(MeasureKind::Combination(self.into_combination()?.scaled(factor)?)))
    }

    /// A power of a kernel.
    ///
    /// # Errors
    /// Returns an error when the measure is not a kernel, or when the exponent is 0.
    pub fn power(self, exponent: u32) -> Result<Self, Error> {
        Ok(Self(MeasureKind::Combination(self.into_combination()?.power(exponent)?)))
    }

    fn into_combination(self) -> Result<Combination, Error> {
        match self.0 {
            MeasureKind::Part(part) => Combination::of(part),
            MeasureKind::Combination(it) if it.is_kernel() => Ok(it),
            MeasureKind::Combination(it) => Err(Error::NotAKernel { measure: it.noun() }),
        }
    }

    /// Turns a kernel into its signed form: the sum over concordant pairs minus the sum over discordant pairs.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - The weights are general, such as [`Weight::Matrix`]. General weights are defined without concordance.
    /// - The order is not 2.
    /// - The measure is not a kernel of [`Measure::kernel`].
    pub fn signed(self) -> Result<Self, Error> {
        match self.0 {
            MeasureKind::Part(Part::Kendall(measure)) => measure.signed().map(Self::from),
            MeasureKind::Part(part) => match ItemWeighted::of(&part) {
                Some(kernel) => kernel.to_signed().map(Self::from),
                None => Err(Error::NoSignedForm { measure: part.noun() }),
            },
            MeasureKind::Combination(it) => Err(Error::NoSignedForm { measure: it.noun() }),
        }
    }

    /// Divides a kernel by its self-similarity, the value of a ranking with itself. Without weights of items, the
    /// self-similarity is the same for all complete rankings. If it depends on the ranking, as for rankings with ties,
    /// a value is divided by the geometric mean of the self-similarities of its two rankings. If the divisor is 0, the
    /// normalized value is 0.
    ///
    /// # Panics
    /// Panics when the measure has no normalized form, when there is no memory for a copy of the weights, or when the
    /// weights are too steep for the order ([`Error::TooSteep`]). [`Measure::try_normalized`] returns an error in these
    /// cases.
    #[must_use]
    pub fn normalized(self) -> Self {
        self.try_normalized().unwrap_or_else(|error| panic!("{error}"))
    }

    /// The same as [`Measure::normalized`], but returns an error where that function panics.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - The measure is a distance or a combination of kernels.
    /// - There is no memory for a copy of the weights.
    /// - The weights are too steep for the order ([`Error::TooSteep`]).
    pub fn try_normalized(self) -> Result<Self, Error> {
        match self.0 {
            MeasureKind::Part(Part::Kendall(measure)) => measure.try_normalized().map(Self::from),
            MeasureKind::Part(part) => match ItemWeighted::of(&part) {
                Some(kernel) => kernel.to_normalized().map(Self::from),
                None => Err(Error::NoNormalizedForm { measure: part.noun() }),
            },
            // If any weight is not 0, the correlation of a ranking with itself is 1. So the correlation is already
            // normalized.
            MeasureKind::Combination(it) if it.is_correlation() => Ok(Self(MeasureKind::Combination(it))),
            MeasureKind::Combination(it) => Err(Error::NoNormalizedForm { measure: it.noun() }),
        }
    }

    /// The number of items of the rankings that are compared.
    #[must_use]
    pub fn items(&self) -> usize {
        self.parts()[0].items()
    }

    /// The value for a ranking and itself. Without weights of items, it is the same for all complete rankings. With
    /// weights of items, it is the value for the identity permutation and itself.
    ///
    /// # Panics
    /// Panics when there is no memory for a vector whose length is the order.
    #[must_use]
    pub fn self_similarity(&self) -> f64 {
        match &self.0 {
            MeasureKind::Part(part) => part.self_similarity(),
            MeasureKind::Combination(it) => it.value_from(Part::self_similarity),
        }
    }

    /// The value for two rankings.
    ///
    /// # Errors
    /// Returns an error when a ranking and the measure have different numbers of items, or when there is no memory for
    /// the workspace.
    pub fn between(&self, s: Row<'_>, t: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        match &self.0 {
            MeasureKind::Part(part) => part.between(s, t, workspace),
            MeasureKind::Combination(it) => it.try_value_from(|part| part.between(s, t, workspace)),
        }
    }

    /// The value as a function of one permutation: it is the value for the identity permutation and `pi`.
    ///
    /// # Errors
    /// Returns an error when the permutation and the measure have different numbers of items, when the measure has
    /// weights of items, or when there is no memory for the workspace.
    ///
    /// ```
    /// use wkendall::{Measure, Rankings, Weight, Workspace};
    /// let pi = Rankings::from_ranks(1, 3, &[2, 3, 1])?;
    /// let kendall = Measure::kernel(&Weight::default(), 3)?;
    /// assert_eq!(kendall.kappa(pi.row(0), &mut Workspace::new(3))?, 1.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn kappa(&self, pi: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        match &self.0 {
            MeasureKind::Part(part) => part.kappa(pi, workspace),
            MeasureKind::Combination(it) => it.try_value_from(|part| part.kappa(pi, workspace)),
        }
    }

    /// The fastest measure that has the same values for complete rankings.
    pub(crate) fn on_complete(&self) -> &Self {
        match &self.0 {
            MeasureKind::Combination(it) => it.on_complete().unwrap_or(self),
            MeasureKind::Part(_) => self,
        }
    }

    /// What the measure is made of.
    pub(crate) fn kind(&self) -> &MeasureKind {
        &self.0
    }

    /// The measures from which the value is computed. There is at least one.
    pub(crate) fn parts(&self) -> &[Part] {
        match &self.0 {
            MeasureKind::Part(part) => std::slice::from_ref(part),
            MeasureKind::Combination(it) => it.parts(),
        }
    }

    /// The kernel as a sum over pairs of items. Computations that use sums over rankings need this form.
    ///
    /// # Errors
    /// Returns an error when the measure is not such a kernel, or when it has weights of items, which `taker` does not
    /// take.
    pub(crate) fn pair_sum(&self, taker: &'static str) -> Result<Cow<'_, KendallMeasure>, Error> {
        match &self.0 {
            MeasureKind::Part(Part::Kendall(measure)) => Ok(Cow::Borrowed(measure)),
            MeasureKind::Part(part) => match ItemWeighted::of(part) {
                Some(kernel) if kernel.has_item_weight() => Err(Error::NoItemWeight { taker }),
                Some(kernel) => kernel.to_tensor().map(Cow::Owned),
                None => Err(Error::PairsOnly),
            },
            MeasureKind::Combination(_) => Err(Error::PairsOnly),
        }
    }

    /// The measure itself, if it is a sum over pairs of items and not a combination.
    pub(crate) fn kendall(&self) -> Option<&KendallMeasure> {
        if let MeasureKind::Part(Part::Kendall(measure)) = &self.0 { Some(measure) } else { None }
    }

    /// Whether the value is the same for the two rankings in either order.
    #[cfg(feature = "python")]
    pub(crate) fn is_symmetric(&self) -> bool {
        self.parts().iter().all(Part::is_symmetric)
    }

    /// Returns an error if rankings have another number of items.
    pub(crate) fn check_items(&self, items: usize) -> Result<(), Error> {
        check_items(items, self.items())
    }
}
