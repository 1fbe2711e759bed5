//! Kendall's tau-b between columns of observations, with p-values. Missing observations are left out pair by pair.
//!
//! ```text
//! mod        columns, and the correlations of all pairs of them
//! complete   where no observation is missing
//! finish     from counts to tau-b and its p-value
//! exact      the distribution of few observations without ties
//! normal     tails of the normal distribution
//! ```

mod complete;
mod exact;
mod finish;
mod normal;

use crate::error::Error;
use crate::gram::{self, Element, Options};
use crate::parallel::{self, Watch};
use crate::rankings::tied::Reading;
use crate::rankings::value::{AnyNumbers, with_slice};
use crate::rankings::{Incomplete, Missing, Value};
use finish::TauB;

/// Columns of observations; only the order of the values matters.
///
/// ```
/// use wkendall::Columns;
/// // Two columns of three observations, of which the second has two.
/// let columns = Columns::from_values(2, 3, &[1.0, 2.0, 3.0, 0.5, f64::NAN, 0.1])?;
/// assert_eq!((columns.columns(), columns.observations()), (2, 3));
/// # Ok::<(), wkendall::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns(Incomplete);

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
        Ok(Self(Incomplete::build(reading, columns, observations, values, threads, watch)?.settled()))
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.0.rows()
    }

    /// The number of observations of a column, missing ones included.
    #[must_use]
    pub fn observations(&self) -> usize {
        self.0.items()
    }
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

/// Correlations of all pairs of columns, row by row.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Correlations {
    /// Kendall's tau-b.
    pub statistic: Vec<f64>,
    /// The p-values, if there is an alternative to test.
    pub pvalue: Option<Vec<f64>>,
}

/// Kendall's tau-b between all columns of `x`, or between those of `x` and `y`.
///
/// Two columns are compared on the observations that both have. The value is NaN if these are fewer than `least` or
/// fewer than two, or if those of one column are all equal.
///
/// With an [`Alternative`] there are p-values for the hypothesis that two columns are independent. They are exact for
/// up to 33 observations without ties, and for more observations if at most one pair is discordant, or at most one is
/// concordant. Otherwise they use the normal approximation with its correction for ties.
///
/// Without missing observations the matrix is positive semi-definite, up to rounding. With them it need not be.
///
/// # Errors
/// When the numbers of observations differ, `options.threads` or `options.tile` is 0, a result does not fit into
/// memory, or `options.watch` stops the run.
///
/// ```
/// use wkendall::{Alternative, Columns, Options, correlations};
/// let x = Columns::from_values(2, 4, &[1.0, 2.0, 3.0, 4.0, 0.1, 0.3, 0.2, f64::NAN])?;
/// let found = correlations(&x, None, 1, Some(Alternative::TwoSided), Options::default())?;
/// assert_eq!(found.statistic, [1.0, 1.0 / 3.0, 1.0 / 3.0, 1.0]);
/// assert!((found.pvalue.unwrap()[1] - 1.0).abs() < 1e-15);
/// # Ok::<(), wkendall::Error>(())
/// ```
pub fn correlations(
    x: &Columns,
    y: Option<&Columns>,
    least: usize,
    alternative: Option<Alternative>,
    options: Options<'_>,
) -> Result<Correlations, Error> {
    let mut options = options;
    options.check()?;
    let mut zeros = || f64::zeros(x.columns(), y.unwrap_or(x).columns(), parallel::share(&mut options.watch));
    let (mut statistic, mut pvalue) = (zeros()?, alternative.map(|_| zeros()).transpose()?);
    let test = alternative.zip(pvalue.as_deref_mut());
    correlations_into(x, y, least, &mut statistic, test, options)?;
    Ok(Correlations { statistic, pvalue })
}

/// As [`correlations`], into slices of rows x columns values, all of which are overwritten.
///
/// # Errors
/// As [`correlations`], and when the length of a slice is wrong. After an error the contents are unspecified.
pub fn correlations_into(
    x: &Columns,
    y: Option<&Columns>,
    least: usize,
    statistic: &mut [f64],
    test: Option<(Alternative, &mut [f64])>,
    options: Options<'_>,
) -> Result<(), Error> {
    options.check()?;
    let (x, y) = (&x.0, y.map(|y| &y.0));
    let other = y.unwrap_or(x);
    let (rows, columns) = (x.rows(), other.rows());
    if x.items() != other.items() {
        return Err(Error::ObservationsDiffer { left: x.items(), right: other.items() });
    }
    for given in [statistic.len()].into_iter().chain(test.iter().map(|(_, out)| out.len())) {
        if rows.checked_mul(columns) != Some(given) {
            return Err(Error::OutputLength { given, rows, columns });
        }
    }
    let (alternative, pvalue) = test.unzip();
    let finish = TauB::new(least, alternative);
    if x.has_unknown() || other.has_unknown() {
        return gram::fill_columns(&finish, x, y, statistic, pvalue, options);
    }
    complete::fill(&finish, (x, y), (statistic, pvalue), options)
}
