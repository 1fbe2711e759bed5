//! Rank correlations between columns of observations, with p-values and intervals. Missing observations are left out pair
//! by pair.
//!
//! ```text
//! mod        columns, and the correlations of all pairs of them, of chosen ones, or of the strongly correlated ones
//! complete   tau where no observation is missing
//! by_pairs   one pair of columns at a time: every coefficient, weights, intervals, sparse columns
//! detail     the part of each observation in a coefficient, for weights and intervals
//! sparse     columns of which most observations are 0
//! finish     from counts to a coefficient and its p-value
//! exact      the distribution of few observations without ties
//! normal     tails of the normal distribution
//! ```

mod by_pairs;
mod complete;
mod detail;
mod exact;
mod finish;
mod normal;
mod sparse;

use std::ops::Range;

use crate::error::Error;
use crate::gram::{self, Element, Options};
use crate::memory;
use crate::parallel::{self, Phases, Watch};
use crate::rankings::tied::{Blocks, Reading};
use crate::rankings::value::{AnyNumbers, with_slice};
use crate::rankings::{Incomplete, Missing, Value};
use by_pairs::ByPairs;
use finish::Finish;
use sparse::SparseColumns;

/// Columns of observations. Only the order of the values in a column matters.
///
/// ```
/// use wkendall::Columns;
/// // Two columns of three observations, of which the second has two.
/// let columns = Columns::from_values(2, 3, &[1.0, 2.0, 3.0, 0.5, f64::NAN, 0.1])?;
/// assert_eq!((columns.columns(), columns.observations()), (2, 3));
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Columns(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Dense(Incomplete),
    Sparse(SparseColumns),
}

impl Columns {
    /// Columns from numbers, one column after another. NaN is a missing observation. Infinite numbers are ordinary
    /// values.
    ///
    /// # Errors
    /// Returns an error when there are not `columns * observations` values, or when there is no memory.
    pub fn from_values<V: Value>(columns: usize, observations: usize, values: &[V]) -> Result<Self, Error> {
        Self::from_numbers(columns, observations, V::numbers(values))
    }

    fn from_numbers(columns: usize, observations: usize, numbers: AnyNumbers<'_>) -> Result<Self, Error> {
        with_slice!(numbers, |values| Self::build(columns, observations, values, None, None))
    }

    pub(crate) fn build<V: Value>(
        columns: usize,
        observations: usize,
        values: &[V],
        threads: Option<usize>,
        watch: Option<Watch<'_>>,
    ) -> Result<Self, Error> {
        if columns.checked_mul(observations) != Some(values.len()) {
            return Err(Error::ColumnShape { values: values.len(), columns, observations });
        }
        let reading = Reading { descending: false, ties: true, missing: Missing::Anywhere, infinite: true };
        let built = Incomplete::build(reading, columns, observations, values, threads, watch)?.settled();
        Ok(Self(Kind::Dense(built)))
    }

    /// Columns in which most observations are 0, from the values that are not 0. The values of column i, and the
    /// numbers of their observations (rows), are at `starts[i]..starts[i + 1]`. The time to compare two columns depends
    /// only on the number of these values.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - The lengths do not match.
    /// - A row is not below `observations`, or is twice in a column.
    /// - A value is NaN.
    /// - There is no memory.
    ///
    /// ```
    /// use wkendall::{Columns, CorrelationSettings, Options, correlations};
    /// let sparse = Columns::from_sparse(4, &[0, 2, 3], &[1, 3, 3], &[5.0, 7.0, 2.0])?;
    /// let dense = Columns::from_values(2, 4, &[0.0, 5.0, 0.0, 7.0, 0.0, 0.0, 0.0, 2.0])?;
    /// let of = |columns| correlations(columns, None, &CorrelationSettings::default(), Options::default());
    /// assert_eq!(of(&sparse)?.statistic, of(&dense)?.statistic);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn from_sparse<V: Value>(
        observations: usize,
        starts: &[usize],
        rows: &[usize],
        values: &[V],
    ) -> Result<Self, Error> {
        let numbers = V::numbers(values);
        with_slice!(numbers, |values| Ok(Self(Kind::Sparse(SparseColumns::build(observations, starts, rows, values)?))))
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        match &self.0 {
            Kind::Dense(set) => set.rows(),
            Kind::Sparse(set) => set.columns(),
        }
    }

    /// The number of observations of a column, including missing observations.
    #[must_use]
    pub fn observations(&self) -> usize {
        match &self.0 {
            Kind::Dense(set) => set.items(),
            Kind::Sparse(set) => set.observations(),
        }
    }

    /// The columns in this range.
    fn part(&self, columns: Range<usize>) -> Result<Self, Error> {
        Ok(Self(match &self.0 {
            Kind::Dense(set) => Kind::Dense(set.select(&memory::collect(columns)?)?),
            Kind::Sparse(set) => Kind::Sparse(set.part(columns)?),
        }))
    }

    /// Finds the levels of a column: its distinct values, numbered in increasing order.
    fn levels(&self, column: usize, out: &mut Levels) -> Result<(), Error> {
        match &self.0 {
            Kind::Dense(set) => out.set(set.row(column)),
            Kind::Sparse(set) => set.levels(column, out),
        }
    }
}

/// A column whose values are replaced by levels: the distinct values are numbered in increasing order.
#[derive(Debug, Default)]
struct Levels {
    /// The level of each observation.
    of_items: Vec<u32>,
    /// The observations that are not missing, in the order of their levels.
    order: Vec<u32>,
    count: usize,
}

impl Levels {
    /// The level of a missing observation.
    const MISSING: u32 = u32::MAX;

    fn clear(&mut self, observations: usize) -> Result<(), Error> {
        self.of_items.clear();
        memory::resize(&mut self.of_items, observations, Self::MISSING)?;
        self.order.clear();
        memory::reserve(&mut self.order, observations)
    }

    fn set(&mut self, blocks: Blocks<'_>) -> Result<(), Error> {
        self.clear(blocks.starts.len())?;
        self.order.extend_from_slice(&blocks.order[..blocks.placed]);
        self.count = 0;
        for block in blocks.ranges() {
            for &item in &blocks.order[block] {
                self.of_items[item as usize] = self.count as u32;
            }
            self.count += 1;
        }
        Ok(())
    }
}

/// A rank correlation. C and D are the numbers of concordant and discordant pairs of observations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Coefficient {
    /// Kendall's tau-b: C - D, divided by the geometric mean of two numbers. These are the number of pairs that are not
    /// tied in the first column, and the number of pairs that are not tied in the second column.
    #[default]
    TauB,
    /// Kendall's tau-a: C - D, divided by the number of all pairs.
    TauA,
    /// Stuart's tau-c: 2 (C - D) m / (n^2 (m - 1)). Here n is the number of observations. Each column has a number of
    /// distinct values, and m is the smaller of these two numbers.
    TauC,
    /// Goodman and Kruskal's gamma: (C - D) / (C + D).
    Gamma,
    /// Somers' D of the second column given the first column: C - D, divided by the number of pairs that are not tied
    /// in the first column.
    Somers,
    /// Spearman's rho: the correlation of mean ranks.
    Spearman,
}

/// The alternative hypothesis. The null hypothesis is that the two columns are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Alternative {
    /// Any association.
    #[default]
    TwoSided,
    /// A negative association.
    Less,
    /// A positive association.
    Greater,
}

/// What [`correlations`] computes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CorrelationSettings<'a> {
    /// The coefficient to compute.
    pub coefficient: Coefficient,
    /// The minimum number of common observations. If two columns have fewer, their correlation is NaN.
    pub least: usize,
    /// If an alternative is given, p-values are computed for the hypothesis that two columns are independent.
    ///
    /// - Kendall's taus and gamma have the p-value of C - D. Without ties, the p-value is exact for up to 33
    ///   observations. For more observations without ties, it is exact if at most one pair is discordant or at most one
    ///   pair is concordant. In all other cases, it is the normal approximation with its correction for ties.
    /// - The p-value of Somers' D uses the variance of C - D, estimated from the observations.
    /// - For Spearman's rho, and for any coefficient with weights, the statistic is divided by its jackknife standard
    ///   error.
    pub alternative: Option<Alternative>,
    /// If a confidence between 0 and 1 is given, intervals are computed. They use the jackknife standard error on the
    /// scale of Fisher's transformation, and a quantile of the normal distribution. For Spearman's rho, they use a
    /// quantile of Student's distribution. Its degrees of freedom depend on the spread of the values that leave out one
    /// observation.
    pub confidence: Option<f64>,
    /// A weight for each observation. A pair of observations counts with the product of its two weights.
    pub weights: Option<&'a [f64]>,
}

impl CorrelationSettings<'_> {
    fn check(&self, x: &Columns, y: &Columns) -> Result<(), Error> {
        if x.observations() != y.observations() {
            return Err(Error::ObservationsDiffer { left: x.observations(), right: y.observations() });
        }
        if matches!(x.0, Kind::Sparse(_)) != matches!(y.0, Kind::Sparse(_)) {
            return Err(Error::parameter("y", "sparse, but x is not, or the reverse", "of the kind of x"));
        }
        if let Some(confidence) = self.confidence.filter(|confidence| !(*confidence > 0.0 && *confidence < 1.0)) {
            return Err(Error::parameter("confidence", confidence.to_string(), "between 0 and 1"));
        }
        let Some(weights) = self.weights else { return Ok(()) };
        if weights.len() != x.observations() {
            let rule = format!("one number for each of {} observations", x.observations());
            return Err(Error::parameter("weights", format!("{} numbers", weights.len()), rule));
        }
        // The limit keeps sums of products of three weights in range.
        match weights.iter().position(|weight| !(*weight >= 0.0 && *weight <= 1e100)) {
            Some(index) => {
                let rule = "a number from 0 to 1e100".to_owned();
                Err(Error::ParameterEntry { name: "weights", index, value: weights[index], rule })
            }
            None => Ok(()),
        }
    }

    /// Memory for the results that are requested.
    fn empty(&self, mut zeros: impl FnMut() -> Result<Vec<f64>, Error>) -> Result<Correlations, Error> {
        Ok(Correlations {
            statistic: zeros()?,
            pvalue: self.alternative.map(|_| zeros()).transpose()?,
            low: self.confidence.map(|_| zeros()).transpose()?,
            high: self.confidence.map(|_| zeros()).transpose()?,
        })
    }

    /// Whether the computation needs the part that each observation has in a coefficient.
    fn needs_detail(&self) -> bool {
        let tested =
            self.alternative.is_some() && matches!(self.coefficient, Coefficient::Somers | Coefficient::Spearman);
        self.weights.is_some() || self.confidence.is_some() || tested
    }
}

/// Correlations of pairs of columns.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Correlations {
    /// The coefficients.
    pub statistic: Vec<f64>,
    /// The p-values, if there is an alternative to test.
    pub pvalue: Option<Vec<f64>>,
    /// The lower ends of intervals, if a confidence is given.
    pub low: Option<Vec<f64>>,
    /// The upper ends of intervals, if a confidence is given.
    pub high: Option<Vec<f64>>,
}

/// Rank correlations between all columns of `x`, or between the columns of `x` and the columns of `y`, row by row.
///
/// Two columns are compared on their common observations: those that are missing in neither column. If there are fewer
/// than `settings.least` common observations, or fewer than two, the value is NaN. If one column has equal values in
/// all common observations, the value is also NaN.
///
/// If no observation is missing, the matrix of tau-a, tau-b or Spearman's rho is positive semi-definite, up to
/// rounding. With missing observations, the matrix can have negative eigenvalues.
///
/// # Errors
/// Returns an error in these cases:
///
/// - The numbers of observations differ, or only one of `x` and `y` is sparse.
/// - A setting is out of range.
/// - `options.threads` or `options.tile` is 0.
/// - A result does not fit into memory.
/// - `options.watch` stops the run.
///
/// ```
/// use wkendall::{Alternative, Columns, CorrelationSettings, Options, correlations};
/// let x = Columns::from_values(2, 4, &[1.0, 2.0, 3.0, 4.0, 0.1, 0.3, 0.2, f64::NAN])?;
/// let settings = CorrelationSettings { alternative: Some(Alternative::TwoSided), ..Default::default() };
/// let found = correlations(&x, None, &settings, Options::default())?;
/// assert_eq!(found.statistic, [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]);
/// assert!((found.pvalue.unwrap()[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn correlations(
    x: &Columns,
    y: Option<&Columns>,
    settings: &CorrelationSettings<'_>,
    mut options: Options<'_>,
) -> Result<Correlations, Error> {
    options.check()?;
    let other = y.unwrap_or(x);
    settings.check(x, other)?;
    let (rows, columns) = (x.columns(), other.columns());
    let mut found = settings.empty(|| f64::zeros(rows, columns, parallel::share(&mut options.watch)))?;
    let finish = Finish::new(settings.coefficient, settings.least, settings.alternative);
    let (Kind::Dense(set), Kind::Dense(of_other), false) = (&x.0, &other.0, settings.needs_detail()) else {
        ByPairs::new(x, other, settings, finish).matrix(y.is_none(), &mut found, options)?;
        return Ok(found);
    };
    let complete = !set.has_unknown() && !of_other.has_unknown();
    let dense_y = y.map(|_| of_other);
    let (statistic, pvalue) = (&mut found.statistic, found.pvalue.as_deref_mut());
    match settings.coefficient {
        Coefficient::TauA | Coefficient::TauB | Coefficient::Somers if complete => {
            complete::fill(&finish, (set, dense_y), (statistic, pvalue), options)?;
        }
        Coefficient::TauA | Coefficient::TauB => {
            gram::fill_columns(&finish, set, dense_y, statistic, pvalue, options)?;
        }
        // Somers' D is not symmetric, so the whole matrix is computed.
        Coefficient::Somers => gram::fill_columns(&finish, set, Some(of_other), statistic, pvalue, options)?,
        Coefficient::Spearman if complete && set.items() >= settings.least.max(1) => {
            gram::fill_spearman(set, dense_y, statistic, options)?;
        }
        Coefficient::TauC | Coefficient::Gamma | Coefficient::Spearman => {
            ByPairs::new(x, other, settings, finish).matrix(y.is_none(), &mut found, options)?;
        }
    }
    Ok(found)
}

/// The same as [`correlations`], for chosen pairs of columns. A pair is a column of `x` and a column of `y`. Without
/// `y`, it is two columns of `x`.
///
/// # Errors
/// Returns the same errors as [`correlations`], and an error when there is no such column.
pub fn correlations_of(
    x: &Columns,
    y: Option<&Columns>,
    pairs: &[(usize, usize)],
    settings: &CorrelationSettings<'_>,
    options: Options<'_>,
) -> Result<Correlations, Error> {
    options.check()?;
    let other = y.unwrap_or(x);
    settings.check(x, other)?;
    for &(first, second) in pairs {
        for (column, columns) in [(first, x.columns()), (second, other.columns())] {
            if column >= columns {
                return Err(Error::parameter("pairs", format!("{column} at one place"), format!("below {columns}")));
            }
        }
    }
    let mut found = settings.empty(|| memory::filled(pairs.len(), 0.0))?;
    let finish = Finish::new(settings.coefficient, settings.least, settings.alternative);
    ByPairs::new(x, other, settings, finish).chosen(pairs, &mut found, options)?;
    Ok(found)
}

/// Pairs of columns, and a coefficient for each.
pub type ColumnPairs = (Vec<(usize, usize)>, Vec<f64>);

/// The pairs of columns whose coefficient is at least `limit` or at most `-limit`, with their coefficients. Without
/// `y`, each pair of different columns of `x` occurs once, with the earlier column first. The whole matrix is never in
/// memory.
///
/// # Errors
/// Returns the same errors as [`correlations`].
pub fn correlations_at_least(
    x: &Columns,
    y: Option<&Columns>,
    limit: f64,
    settings: &CorrelationSettings<'_>,
    options: Options<'_>,
) -> Result<ColumnPairs, Error> {
    options.check()?;
    if limit.is_nan() || limit < 0.0 {
        return Err(Error::parameter("limit", limit.to_string(), "a number that is not negative"));
    }
    let other = y.unwrap_or(x);
    settings.check(x, other)?;
    let settings = CorrelationSettings { alternative: None, confidence: None, ..*settings };
    let (rows, columns) = (x.columns(), other.columns());
    let at_once = (CELLS_AT_ONCE / columns.max(1)).clamp(1, rows.max(1));
    let starts = memory::collect((0..rows).step_by(at_once))?;
    let Options { threads, tile, backend, watch } = options;
    let cells = |start: usize| (rows.min(start + at_once) - start) * (columns - y.map_or(start, |_| 0)) / 64 + 1;
    let mut phases = Phases::new(watch, starts.iter().map(|&start| cells(start)).sum());
    let (mut pairs, mut values) = (Vec::new(), Vec::new());
    for start in starts {
        let end = rows.min(start + at_once);
        let first = if y.is_some() { 0 } else { start };
        let found = phases.run(cells(start), |watch| {
            let options = Options { threads, tile, backend, watch };
            correlations(&x.part(start..end)?, Some(&other.part(first..columns)?), &settings, options)
        })?;
        for (row, line) in (start..end).zip(found.statistic.chunks(columns - first)) {
            let from = if y.is_some() { 0 } else { row + 1 - first };
            for (column, &value) in line.iter().enumerate().skip(from) {
                if value.abs() >= limit {
                    memory::push(&mut pairs, (row, first + column))?;
                    memory::push(&mut values, value)?;
                }
            }
        }
    }
    Ok((pairs, values))
}

/// This many correlations are computed at once; they take 256 MiB. With a smaller number, the columns would be prepared
/// more often.
const CELLS_AT_ONCE: usize = 1 << 25;

/// The coefficient of the first column of `x` and the first column of `y`. Also, for each observation, the coefficient
/// without this observation. If the observation is missing in one of the two columns, it is NaN.
///
/// # Errors
/// Returns the same errors as [`correlations`], and an error when there is no first column.
pub fn leave_one_out(
    x: &Columns,
    y: &Columns,
    settings: &CorrelationSettings<'_>,
    options: Options<'_>,
) -> Result<(f64, Vec<f64>), Error> {
    options.check()?;
    settings.check(x, y)?;
    for columns in [x, y] {
        if columns.columns() == 0 {
            return Err(Error::parameter("x", "empty", "a column"));
        }
    }
    ByPairs::new(x, y, settings, Finish::new(settings.coefficient, settings.least, None)).without_each(options)
}
