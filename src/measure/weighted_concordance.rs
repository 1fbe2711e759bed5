//! Shieh's weighted concordance: the sum over concordant pairs of a weight that depends on the two ranks of the pair.

use super::pairwise::{About, Kind, PairMeasure, SharedMeasure, Takes, Values};
use super::parameters::{check_finite, check_range};
use super::{Error, Measure, Parameters};
use crate::memory;
use crate::pair::composed::{Composed, RunningSum};
use crate::parallel::Cancel;
use crate::rankings::Row;
use crate::simd::{Isa, vectors};

#[derive(Debug, PartialEq)]
struct WeightedConcordance {
    items: usize,
    weights: ConcordanceWeights,
    /// Whether the weights of the ranks in the second ranking are added.
    both: bool,
}

#[derive(Debug, PartialEq)]
enum ConcordanceWeights {
    /// A weight for the rank of the earlier item (row) and the rank of the later item (column), row by row.
    Table(Vec<f64>),
    /// The weight is the product of two numbers: one for the rank of the earlier item and one for the rank of the later
    /// item.
    Factors { earlier: Vec<f64>, later: Vec<f64> },
}

impl Measure {
    /// Shieh's weighted concordance ("A weighted Kendall's tau statistic", 1998): the sum of `w[a, b]` over concordant
    /// pairs, where a < b are the ranks of the pair in the first ranking. The first ranking is the row of a matrix. If
    /// `both`, the pair also adds `w[c, d]`, where c < d are its ranks in the second ranking. `w` has `items` rows of
    /// `items` numbers; only the numbers above its diagonal are used.
    ///
    /// Two rankings take O(n^2). If `w` is a product, [`Measure::factored_concordance`] takes O(n log n). The measure
    /// is not a kernel. Its error is below 1e-12 times the sum of the absolute values of the weights.
    ///
    /// # Errors
    /// Returns an error when there are not `items * items` numbers, when a number is NaN or infinite, or when sums
    /// could exceed the range of `f64`.
    ///
    /// ```
    /// use wkendall::{Measure, Options, Rankings, gram};
    /// let x = Rankings::from_ranks(2, 3, &[1, 2, 3, 1, 3, 2])?;
    /// let w = [0.0, 1.0, 10.0, 0.0, 0.0, 100.0, 0.0, 0.0, 0.0];
    /// let concordance = Measure::weighted_concordance(3, &w, false)?;
    /// assert_eq!(gram(&concordance, &x, None, Options::default())?, [111.0, 11.0, 11.0, 111.0]);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn weighted_concordance(items: usize, w: &[f64], both: bool) -> Result<Self, Error> {
        check_finite("w", w, items.saturating_mul(items), "each two ranks")?;
        check_range("w", w, w.iter().map(|weight| 2.0 * weight.abs()).sum())?;
        let weights = ConcordanceWeights::Table(memory::collect(w.iter().copied())?);
        Ok(SharedMeasure::new(WeightedConcordance { items, weights, both }).into())
    }

    /// The same as [`Measure::weighted_concordance`] with the weights `w[a, b] = earlier[a] * later[b]`, in O(n log n)
    /// for two rankings.
    ///
    /// # Errors
    /// Returns an error when `earlier` or `later` does not have `items` numbers, when a number is NaN or infinite, or
    /// when sums could exceed the range of `f64`.
    pub fn factored_concordance(items: usize, earlier: &[f64], later: &[f64], both: bool) -> Result<Self, Error> {
        let sum = |numbers: &[f64]| -> f64 { numbers.iter().map(|number| number.abs()).sum() };
        for numbers in [earlier, later] {
            check_finite("w", numbers, items, "each rank")?;
            check_range("w", numbers, 2.0 * sum(earlier) * sum(later))?;
        }
        let [earlier, later] = [earlier, later].map(|numbers| memory::collect(numbers.iter().copied()));
        let weights = ConcordanceWeights::Factors { earlier: earlier?, later: later? };
        Ok(SharedMeasure::new(WeightedConcordance { items, weights, both }).into())
    }
}

pub(super) fn from_parameters(items: usize, parameters: &Parameters) -> Result<Measure, Error> {
    let both = parameters.choice("side", &["first", "both"])? == "both";
    match (parameters.array("earlier", &[items])?, parameters.array("later", &[items])?) {
        (Some(earlier), Some(later)) => Measure::factored_concordance(items, earlier, later, both),
        _ => match parameters.array("w", &[items, items])? {
            Some(w) => Measure::weighted_concordance(items, w, both),
            None => {
                Err(Error::ParameterType { name: "w", rule: format!("an array of {items} x {items} real numbers") })
            }
        },
    }
}

impl PairMeasure for WeightedConcordance {
    fn about(&self) -> About {
        About {
            is_symmetric: self.both,
            ..About::new("the weighted concordance", self.items, Kind::Similarity, Takes::Complete)
        }
    }

    fn pair_ns(&self, length: usize) -> f64 {
        let sums = if self.both { 2.0 } else { 1.0 };
        let length = length as f64;
        match self.weights {
            ConcordanceWeights::Table(_) => sums * (20.0 + 9.5 * length + 0.04 * length * length),
            ConcordanceWeights::Factors { .. } => sums * (20.0 + 3.0 * length * (length + 1.0).log2()),
        }
    }

    fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, cancel: &Cancel) -> Result<Values<'a>, Error> {
        match &self.weights {
            ConcordanceWeights::Table(table) => {
                let mut values = memory::filled(self.items, 0)?;
                let cancel = cancel.clone();
                Ok(self.values(rows, columns, move |s, t| table_sum(table, s, t, &mut values, &cancel)))
            }
            ConcordanceWeights::Factors { earlier, later } => {
                let mut composed = Composed::new(self.items, cancel)?;
                let sum =
                    move |s: Row<'_>, t: Row<'_>| composed.directed(s, t, |place| [earlier[place.s], later[place.s]]);
                Ok(self.values(rows, columns, sum))
            }
        }
    }
}

impl WeightedConcordance {
    /// The values, given the sum with the weights of the ranks in the first ranking.
    fn values<'a>(
        &'a self,
        rows: Vec<Row<'a>>,
        columns: Vec<Row<'a>>,
        mut sum: impl FnMut(Row<'_>, Row<'_>) -> f64 + 'a,
    ) -> Values<'a> {
        Box::new(move |row, column| {
            let (s, t) = (rows[row], columns[column]);
            if self.both { sum(s, t) + sum(t, s) } else { sum(s, t) }
        })
    }
}

fn table_sum(table: &[f64], s: Row<'_>, t: Row<'_>, values: &mut [u32], cancel: &Cancel) -> f64 {
    for (value, &item) in values.iter_mut().zip(s.order()) {
        *value = t.ranks()[item as usize];
    }
    let (isa, mut sum) = (Isa::widest(), RunningSum::default());
    for (earlier, row) in table.chunks_exact(values.len().max(1)).enumerate() {
        if earlier % 1024 == 0 && cancel.is_cancelled() {
            break;
        }
        sum.add(vectors::sum_above(isa, values[earlier], &values[earlier + 1..], &row[earlier + 1..]));
    }
    sum.total()
}
