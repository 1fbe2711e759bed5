//! The strategy for tensors of weights that are given as sums of products of vectors. For each axis, there is a matrix
//! product over the items. The results of the axes are multiplied entry by entry.

use std::ops::Range;

use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::measure::KendallMeasure;
use crate::memory;
use crate::parallel::{Cancel, Poll};
use crate::rankings::Rankings;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{GroupRow, Real};
use crate::weight::kinds::{TensorWeight, WeightKind};
use crate::weight::scale::balanced;
use crate::weight::scale::times_power_of_two;

/// The number of items that are summed at a time.
const RUN: usize = 512;

/// `G` rankings side by side in `S`, single or double precision.
pub(in crate::gram) struct Factored<'a, S, const G: usize> {
    isa: Isa,
    measure: &'a KendallMeasure,
    x: &'a Rankings,
    y: &'a Rankings,
    /// The number of axes of the tensor. A term has as many vectors.
    order: usize,
    vectors: Vec<S>,
    /// The factor by which all sums are multiplied.
    scale: f64,
    /// The value for a ranking and itself. The next number is a limit: a value above it may be the value of equal
    /// rankings.
    own: f64,
    limit: f64,
}

/// Memory for one thread: for each group of rankings, the entries of the vectors at its ranks.
#[derive(Default)]
pub(in crate::gram) struct FactoredPanels<S, const G: usize> {
    rows: Vec<GroupRow<S, G>>,
    columns: Vec<GroupRow<S, G>>,
    values: Vec<Square<G>>,
}

impl<'a, S: Real<G>, const G: usize> Factored<'a, S, G> {
    pub(in crate::gram) fn new(
        isa: Isa,
        measure: &'a KendallMeasure,
        x: &'a Rankings,
        y: &'a Rankings,
    ) -> Result<Self, Error> {
        let Some((WeightKind::Tensors(TensorWeight::Factors { order, vectors }), _)) = measure.summed() else {
            return Err(Error::CannotCompute { name: "product".to_owned() });
        };
        let own = measure.self_similarity();
        // Single precision has a narrow range.
        let (balanced, power) =
            if S::IS_SINGLE { balanced(vectors, *order, measure.items())? } else { (Vec::new(), 0) };
        let vectors: &[f64] = if S::IS_SINGLE { &balanced } else { vectors };
        let scale = times_power_of_two(measure.scale(), -2 * power);
        let vectors = memory::collect(vectors.iter().map(|&weight| S::from_f64(weight)))?;
        Ok(Self { isa, measure, x, y, order: *order, vectors, scale, own, limit: own * (1.0 - S::ROUNDING) })
    }

    /// The length of the entries of a term for a group of rankings.
    fn term_length(&self) -> usize {
        self.order * self.measure.items()
    }

    fn load(&self, rankings: &Rankings, range: Range<usize>, panel: &mut Vec<GroupRow<S, G>>) -> Result<(), Error> {
        let items = self.measure.items().max(1);
        panel.clear();
        memory::resize(panel, range.len().div_ceil(G) * self.vectors.len(), GroupRow([S::default(); G]))?;
        for (index, row) in range.enumerate() {
            let ranks = rankings.row(row).ranks();
            let group = &mut panel[index / G * self.vectors.len()..][..self.vectors.len()];
            for (weights, vector) in group.chunks_exact_mut(items).zip(self.vectors.chunks_exact(items)) {
                for (lanes, &rank) in weights.iter_mut().zip(ranks) {
                    lanes[index % G] = vector[rank as usize];
                }
            }
        }
        Ok(())
    }

    /// The product over the axes of the inner products of two terms, one of the rows and one of the columns.
    fn multiply(&self, rows: &[GroupRow<S, G>], columns: &[GroupRow<S, G>], product: &mut Square<G>) {
        let items = self.measure.items().max(1);
        let mut factor = [[0.0; G]; G];
        for (axis, (rows, columns)) in rows.chunks_exact(items).zip(columns.chunks_exact(items)).enumerate() {
            let target = if axis == 0 { &mut *product } else { &mut factor };
            // Sums over many items are computed in parts, so that they lose fewer digits.
            for (run, (rows, columns)) in rows.chunks(RUN).zip(columns.chunks(RUN)).enumerate() {
                S::multiply(self.isa, rows, columns, run > 0, target);
            }
            if axis > 0 {
                each(product, &factor, |value, factor| value * factor);
            }
        }
    }

    /// The values of a group of rows and a group of columns, before scaling. Two different terms occur in both orders;
    /// these two numbers are added first, so that the result is the same if rows and columns are swapped.
    fn sum(&self, rows: &[GroupRow<S, G>], columns: &[GroupRow<S, G>]) -> Square<G> {
        let length = self.term_length().max(1);
        let mut sum = [[0.0; G]; G];
        let (mut one, mut other) = ([[0.0; G]; G], [[0.0; G]; G]);
        let terms = self.vectors.len() / length;
        let term = |panel: &'_ [GroupRow<S, G>], index: usize| index * length..panel.len().min((index + 1) * length);
        for a in 0..terms {
            self.multiply(&rows[term(rows, a)], &columns[term(columns, a)], &mut one);
            each(&mut sum, &one, |sum, value| sum + value);
            for b in a + 1..terms {
                self.multiply(&rows[term(rows, a)], &columns[term(columns, b)], &mut one);
                self.multiply(&rows[term(rows, b)], &columns[term(columns, a)], &mut other);
                each(&mut one, &other, |one, other| one + other);
                each(&mut sum, &one, |sum, value| sum + value);
            }
        }
        sum
    }
}

fn each<const G: usize>(values: &mut Square<G>, others: &Square<G>, f: impl Fn(f64, f64) -> f64) {
    for (value, &other) in values.as_flattened_mut().iter_mut().zip(others.as_flattened()) {
        *value = f(*value, other);
    }
}

impl<S: Real<G>, const G: usize> Fill for Factored<'_, S, G> {
    type Scratch = FactoredPanels<S, G>;

    fn scratch(&self, _: &Cancel) -> Result<FactoredPanels<S, G>, Error> {
        Ok(FactoredPanels { rows: Vec::new(), columns: Vec::new(), values: Vec::new() })
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut FactoredPanels<S, G>,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let (rows, columns) = (tile.rows(), tile.columns());
        self.load(self.x, rows.clone(), &mut scratch.rows)?;
        self.load(self.y, columns.clone(), &mut scratch.columns)?;
        let length = self.vectors.len();
        scratch.values.clear();
        memory::reserve(&mut scratch.values, tile.squares::<G>().count())?;
        for (row, column) in tile.squares::<G>() {
            if poll.is_cancelled() {
                return Ok(());
            }
            let of_row = &scratch.rows[row * length..][..length];
            let of_column = &scratch.columns[column * length..][..length];
            let mut values = self.sum(of_row, of_column);
            for (row, values) in (rows.start + row * G..rows.end).zip(&mut values) {
                for (column, value) in (columns.start + column * G..columns.end).zip(values) {
                    *value = (*value * self.scale).clamp(-self.own, self.own);
                    // The value of equal rankings is exactly `own`.
                    if *value >= self.limit && self.x.row(row) == self.y.row(column) {
                        *value = self.own;
                    }
                }
            }
            scratch.values.push(values);
        }
        tile.store(self.isa, &scratch.values);
        Ok(())
    }
}
