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

/// Columns of observations; only the order of the values matters.
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
    /// Columns from numbers, one column after another. NaN is a missing observation; infinite numbers are ordinary
    /// values.
    ///
    /// # Errors
    /// When the shape does not match, or there is no memory.
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

    /// Columns in which most observations are 0, from the values that are not 0. The values of column i, and their
    /// rows, are at `starts[i]..starts[i + 1]`. The time to compare two columns depends only on the number of these
    /// values.
    ///
    /// # Errors
    /// When the lengths do not match, a row is not below `observations` or twice in a column, a value is NaN, or there
    /// is no memory.
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

    /// Some of the columns.
    fn part(&self, columns: Range<usize>) -> Result<Self, Error> {
        Ok(Self(match &self.0 {
            Kind::Dense(set) => Kind::Dense(set.select(&memory::collect(columns)?)?),
            Kind::Sparse(set) => Kind::Sparse(set.part(columns)?),
        }))
    }

    /// Finds the levels of a column.
    fn levels(&self, column: usize, out: &mut Levels) -> Result<(), Error> {
        match &self.0 {
            Kind::Dense(set) => out.set(set.row(column)),
            Kind::Sparse(set) => set.levels(column, out),
        }
    }
}

/// A column as the indices of its distinct values, in order.
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
    /// Kendall's tau-b: C - D, divided by the geometric mean of the number of pairs that are not tied in the first
    /// column and the number of pairs that are not tied in the second column.
    #[default]
    TauB,
    /// Kendall's tau-a: C - D, divided by the number of all pairs.
    TauA,
    /// Stuart's tau-c: 2 (C - D) m / (n^2 (m - 1)), where m is the number of distinct values in the column that has
    /// fewer distinct values.
    TauC,
    /// Goodman and Kruskal's gamma: (C - D) / (C + D).
    Gamma,
    /// Somers' D of the second column given the first column: C - D, divided by the number of pairs that are not tied
    /// in the first column.
    Somers,
    /// Spearman's rho: the correlation of mean ranks.
    Spearman,
}

/// The alternative to independence of two columns.
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
    /// The coefficient.
    pub coefficient: Coefficient,
    /// Two columns with fewer common observations have no correlation (NaN).
    pub least: usize,
    /// Computes p-values for the hypothesis that two columns are independent. For Kendall's taus and gamma, they are
    /// p-values of C - D. Without ties these are exact for up to 33 observations, and for more observations if at most
    /// one pair is discordant or at most one pair is concordant. Otherwise they use the normal approximation with its
    /// correction for ties. For Somers' D, p-values use the variance of C - D that is estimated from the observations.
    /// For Spearman's rho, and with weights, they use the statistic divided by its jackknife standard error.
    pub alternative: Option<Alternative>,
    /// Computes intervals of this confidence, between 0 and 1, from the jackknife standard error on the scale of
    /// Fisher's transformation. For Spearman's rho the quantile is from Student's distribution, and accounts for the
    /// spread of the values that leave out one observation.
    pub confidence: Option<f64>,
    /// A weight for each observation; a pair of observations counts with the product of its two weights.
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
        // Sums of products of three weights stay in range.
        match weights.iter().position(|weight| !(*weight >= 0.0 && *weight <= 1e100)) {
            Some(index) => {
                let rule = "a number from 0 to 1e100".to_owned();
                Err(Error::ParameterEntry { name: "weights", index, value: weights[index], rule })
            }
            None => Ok(()),
        }
    }

    /// Memory for what is wanted.
    fn empty(&self, mut zeros: impl FnMut() -> Result<Vec<f64>, Error>) -> Result<Correlations, Error> {
        Ok(Correlations {
            statistic: zeros()?,
            pvalue: self.alternative.map(|_| zeros()).transpose()?,
            low: self.confidence.map(|_| zeros()).transpose()?,
            high: self.confidence.map(|_| zeros()).transpose()?,
        })
    }

    /// Whether the part of each observation is needed.
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
/// Two columns are compared on the observations that both have. If there are fewer than `settings.least` or fewer than
/// two of these observations, the value is NaN. If one column has equal values in all of them, the value is also NaN.
///
/// Without missing observations the matrix of tau-a, tau-b or Spearman's rho is positive semi-definite, up to rounding.
/// With missing observations it need not be positive semi-definite.
///
/// # Errors
/// When the numbers of observations differ, a setting is out of range, `options.threads` or `options.tile` is 0, a result
/// does not fit into memory, or `options.watch` stops the run.
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
        // Not symmetric.
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

/// As [`correlations`], for chosen pairs of columns: a column of `x` and a column of `y`, or two columns of `x` without
/// `y`.
///
/// # Errors
/// The same errors as [`correlations`], and when there is no such column.
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
/// `y`, each pair of different columns of `x` is computed once, the earlier column first. The whole matrix is never in
/// memory.
///
/// # Errors
/// The same errors as [`correlations`].
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

/// This many correlations are computed at once: 256 MiB. With fewer, the columns would be prepared more often.
const CELLS_AT_ONCE: usize = 1 << 25;

/// The coefficient of the first column of `x` and the first column of `y`, and for each observation the coefficient
/// without this observation; NaN for observations that are missing in one of the two columns.
///
/// # Errors
/// The same errors as [`correlations`], and when there is no first column.
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
