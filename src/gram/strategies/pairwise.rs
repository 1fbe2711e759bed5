//! Measures that are computed for one pair of rankings at a time.

use std::ops::Range;

use super::own::{OwnCost, each_ranking};
use crate::error::Error;
use crate::gram::cost::{PREPARE_NS, STOP_CHECK_INTERVAL_NS};
use crate::gram::element::check_single;
use crate::gram::plan::{PairwiseTask, Plan};
use crate::gram::target::{Target, Tiling};
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill, Options};
use crate::measure::{PairMeasure, Values};
use crate::memory;
use crate::parallel::{Cancel, Poll, Workers};
use crate::rankings::{Operands, RankingSet};

/// The values of some rows and columns.
fn values<'a>(
    measure: &'a dyn PairMeasure,
    operands: Operands<'a>,
    rows: Range<usize>,
    columns: Range<usize>,
    cancel: &Cancel,
) -> Result<Values<'a>, Error> {
    match operands {
        Operands::Complete(x, y) => {
            let y = y.unwrap_or(x);
            let rows = memory::collect(rows.map(|row| x.row(row)))?;
            measure.complete(rows, memory::collect(columns.map(|row| y.row(row)))?, cancel)
        }
        Operands::Tied(x, y) => {
            let y = y.unwrap_or(x);
            let rows = memory::collect(rows.map(|row| x.row(row)))?;
            measure.tied(rows, memory::collect(columns.map(|row| y.row(row)))?, cancel)
        }
        Operands::Lists(x, y) => {
            let y = y.unwrap_or(x);
            let rows = memory::collect(rows.map(|row| x.row(row)))?;
            measure.lists(rows, memory::collect(columns.map(|row| y.row(row)))?, cancel)
        }
    }
}

/// The measure of each ranking and itself.
pub(in crate::gram) fn diagonal(
    PairwiseTask { measure, length, longest, rows, .. }: PairwiseTask<'_>,
    operands: Operands<'_>,
    options: Options<'_>,
) -> Result<Vec<f64>, Error> {
    let ns = |length| measure.pair_ns(length) + 2.0 * PREPARE_NS * (1 + length) as f64;
    each_ranking(
        rows,
        &OwnCost { usual: ns(length), longest: ns(longest) },
        options.run(),
        |cancel| Ok(cancel.clone()),
        |row, cancel| Ok(values(measure, operands, row..row + 1, row..row + 1, cancel)?(0, 0)),
    )
}

pub(in crate::gram) fn fill<R: RankingSet>(
    PairwiseTask { measure, longest, rows, columns, .. }: PairwiseTask<'_>,
    Plan { tile, threads, pair_ns, .. }: Plan,
    x: &R,
    y: Option<&R>,
    target: impl Target,
    options: Options<'_>,
) -> Result<(), Error> {
    let tiling = Tiling { rows, columns, tile, symmetric: y.is_none() && measure.about().is_symmetric };
    let pairs =
        Pairwise { measure, operands: R::operands(x, y), interval: (STOP_CHECK_INTERVAL_NS / pair_ns) as usize };
    target.run(tiling, &pairs, Workers::new(threads, measure.pair_ns(longest)), options.watch)
}

/// A strategy that computes one pair of rankings at a time.
struct Pairwise<'a> {
    measure: &'a dyn PairMeasure,
    operands: Operands<'a>,
    /// The number of pairs between two checks for cancellation.
    interval: usize,
}

impl Fill for Pairwise<'_> {
    type Scratch = Cancel;

    fn scratch(&self, cancel: &Cancel) -> Result<Cancel, Error> {
        Ok(cancel.clone())
    }

    fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, cancel: &mut Cancel, poll: &mut Poll<'_>) -> Result<(), Error> {
        let (rows, columns) = (tile.rows(), tile.columns());
        let mut value = values(self.measure, self.operands, rows.clone(), columns.clone(), cancel)?;
        let mut checked = Ok(());
        tile.fill_while(self.interval, poll, |row, column| {
            let value = value(row - rows.start, column - columns.start);
            checked = check_single::<T>(value);
            checked.is_ok().then_some(value)
        });
        checked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{About, Kind, Measure, SharedMeasure, Takes};
    use crate::rankings::Row;
    use crate::{Incomplete, Lists, Matrix, Missing, Rankings, Weight};

    /// A measure that is not symmetric: take the best item of one ranking; the value is its rank in the other ranking,
    /// times a factor.
    #[derive(Debug, PartialEq)]
    struct RankOfBest {
        factor: f64,
        takes: Takes,
    }

    impl PairMeasure for RankOfBest {
        fn about(&self) -> About {
            // The measure is not a kernel, but it is called one here so that it can be used in sums.
            About { is_symmetric: false, ..About::new("the rank of the best item", 3, Kind::Kernel, self.takes) }
        }

        fn pair_ns(&self, _: usize) -> f64 {
            5.0
        }

        fn complete<'a>(&'a self, rows: Vec<Row<'a>>, columns: Vec<Row<'a>>, _: &Cancel) -> Result<Values<'a>, Error> {
            Ok(Box::new(move |row, column| {
                f64::from(columns[column].ranks()[rows[row].order()[0] as usize]) * self.factor
            }))
        }
    }

    fn measure(factor: f64, takes: Takes) -> Measure {
        SharedMeasure::new(RankOfBest { factor, takes }).into()
    }

    fn rankings() -> Rankings {
        Rankings::from_ranks(3, 3, &[1, 2, 3, 2, 3, 1, 3, 2, 1]).unwrap()
    }

    #[test]
    fn a_measure_that_is_not_symmetric_is_computed_in_full() {
        let (x, one) = (rankings(), measure(1.0, Takes::Complete));
        let wanted = [0.0, 1.0, 2.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0];
        assert_eq!(crate::gram(&one, &x, None, Options::default()).unwrap(), wanted);
        assert_eq!(crate::gram(&one, &x, Some(&x), Options::default()).unwrap(), wanted);
        let near = crate::neighbors(&one, &x, None, 2, Options::default()).unwrap();
        assert_eq!((near.indices, near.values), (vec![2, 1, 0, 2, 0, 1], vec![2.0, 1.0, 2.0, 0.0, 2.0, 0.0]));
        let sum = one.clone().plus(Measure::kernel(&Weight::Standard, 3).unwrap()).unwrap();
        let found = crate::gram(&sum, &x, None, Options::default()).unwrap();
        assert_eq!(found, [3.0, 2.0, 2.0, 3.0, 3.0, 2.0, 2.0, 2.0, 3.0]);
        assert_eq!(crate::diagonal(&sum, &x, Options::default()).unwrap(), [3.0; 3]);
        assert_ne!(one, measure(2.0, Takes::Complete));
    }

    #[test]
    fn rankings_that_a_measure_does_not_take() {
        let tied = Incomplete::from_ranks(1, 3, &[1, 1, 2], Missing::Error).unwrap();
        let lists = Lists::from_orders(3, &[vec![1]]).unwrap();
        let rankings = "rankings with ties or missing items, only for complete rankings";
        let refused = Error::NotTaken { measure: "the rank of the best item", rankings };
        for takes in [Takes::Complete, Takes::Ties, Takes::Lists] {
            let measure = measure(1.0, takes);
            assert_eq!(crate::gram(&measure, &tied, None, Options::default()).unwrap_err(), refused);
            assert_eq!(crate::gram(&measure, &lists, None, Options::default()).unwrap_err(), refused);
            assert_eq!(crate::diagonal(&measure, &lists, Options::default()).unwrap_err(), refused);
        }
    }

    #[test]
    fn values_beyond_single_precision() {
        let found: Result<Matrix<f32>, _> =
            crate::gram_matrix(&measure(1e39, Takes::Complete), &rankings(), None, Options::default());
        assert_eq!(found.unwrap_err(), Error::BeyondSingle { value: 1e39 });
    }
}
