//! The strategy for weighted sums of few items: a matrix product of features, computed block by block.
//!
//! In one ranking, let a be a symmetric weight of the two ranks of a pair, and e the sign of the order of the pair; in
//! the other ranking, a' and e'. The concordant sum over the pairs of items i < j is
//!
//! ```text
//! (sum of a a' + sum of (a e) (a' e')) / 2
//! ```
//!
//! The second sum is an inner product of n (n - 1) / 2 features. The first sum has a closed form with sums over single
//! items: `((sum of x)^2 - sum of x^2) / 2` with `x = u u'` for the multiplicative weight, `(n - 2) sum of u u' + (sum
//! of u)^2` for the additive weight. The signed kernel is the second sum alone.
//!
//! If few pairs are concordant, the two sums cancel. If less than 1/512 of the largest possible sum remains, the value
//! is computed again from its definition. So its error stays below 1e-12 times the sum of the absolute values of the
//! concordant terms. This is rare. For uniformly random rankings of six items, it happens for one pair of rankings in
//! 750; with ten or more items, it happened for none in a million.
//!
//! With a tensor of weights, every tuple of items has a feature, which is looked up in the tensor. If the tensor is a
//! symmetric or antisymmetric matrix, one feature for every unordered pair is enough.

use std::ops::Range;

use crate::error::Error;
use crate::gram::cost::{PRODUCT_BLOCK, SINGLE_LOST, SINGLE_STEEP};
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::measure::{KendallMeasure, symmetry};
use crate::memory;
use crate::pair::Workspace;
use crate::parallel::{Cancel, Poll};
use crate::rankings::Rankings;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{self, Finish, Group, GroupRow, Join, Real, TableRows};
use crate::weight::kinds::{PairWeight, TensorWeight, WeightKind};
use crate::weight::own;
use crate::weight::scale::{exponent, scaled, times_power_of_two};

/// If a value is below this fraction of the largest possible sum, it is computed again. The error bound needs this.
const CANCELLED: f64 = 1.0 / 512.0;

/// `G` rankings side by side in `S`, single or double precision.
pub(in crate::gram) struct Product<'a, S, const G: usize> {
    isa: Isa,
    measure: &'a KendallMeasure,
    x: &'a Rankings,
    y: &'a Rankings,
    form: Form,
    /// The weight of each rank; for tensors, all entries.
    weights: Vec<S>,
    blocks: Vec<FeatureBlock>,
    /// The runs of all blocks. They are in one list, so that there are few allocations that can fail.
    runs: Vec<FeatureRun>,
    /// The value for a ranking and itself.
    own: f64,
    finish: Finish,
}

/// What is multiplied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Pairs {
        join: Join,
        signed: bool,
    },
    /// Tensors with `order` axes. With `halved`, one matrix that equals its transpose or minus its transpose.
    Tensors {
        order: usize,
        halved: bool,
    },
}

impl Form {
    /// The number of weights that are multiplied for a term.
    fn degree(self) -> i32 {
        match self {
            Self::Pairs { join: Join::Product, .. } => 4,
            Self::Pairs { join: Join::Sum, .. } | Self::Tensors { .. } => 2,
        }
    }
}

/// Features that are computed and multiplied together.
struct FeatureBlock {
    /// The range of runs.
    runs: Range<usize>,
    /// Whether the squares of the weights of single items follow as features, multiplied by -1/2 in the rows. They are
    /// a part of the closed form of the multiplicative weight.
    squares: bool,
}

/// The features of one item j with several consecutive items.
struct FeatureRun {
    /// For tensors, one number in base n: the number of the tensor, and all items of the tuple except the last.
    j: usize,
    others: Range<usize>,
    /// Whether the features of rows are doubled, because the features of the reversed pairs are left out.
    doubled: bool,
}

/// Rows and columns of a product have different features only for [`FeatureBlock::squares`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Rows,
    Columns,
}

/// Memory for one thread.
pub(in crate::gram) struct ProductPanels<S, const G: usize> {
    rows: FeaturePanels<S, G>,
    columns: FeaturePanels<S, G>,
    /// Sums over pairs of items for each group of columns and each group of rows.
    sums: Vec<Square<G>>,
    workspace: Workspace,
}

/// Groups of rankings and the features of a block.
struct FeaturePanels<S, const G: usize> {
    /// For tensors: ranks as integers. Otherwise ranks are floating-point numbers, stored with the weights.
    indices: Vec<[u32; G]>,
    ranks: Vec<GroupRow<S, G>>,
    weights: Vec<GroupRow<S, G>>,
    features: Vec<GroupRow<S, G>>,
}

impl<S: Real<G>, const G: usize> ProductPanels<S, G> {
    fn new(measure: &KendallMeasure, cancel: &Cancel) -> Result<Self, Error> {
        let panels =
            || FeaturePanels { indices: Vec::new(), ranks: Vec::new(), weights: Vec::new(), features: Vec::new() };
        let mut workspace = Workspace::for_run(None, cancel);
        measure.prepare(&mut workspace)?;
        Ok(Self { rows: panels(), columns: panels(), sums: Vec::new(), workspace })
    }
}

impl<'a, S: Real<G>, const G: usize> Product<'a, S, G> {
    /// The strategy for measures that are sums of products.
    pub(in crate::gram) fn new(
        isa: Isa,
        measure: &'a KendallMeasure,
        x: &'a Rankings,
        y: &'a Rankings,
    ) -> Result<Self, Error> {
        let cannot = || Error::CannotCompute { name: "product".to_owned() };
        let (weight, signed) = measure.summed().ok_or_else(cannot)?;
        let (form, weights) = match weight {
            WeightKind::Pairs(PairWeight::Sums(u)) => (Form::Pairs { join: Join::Sum, signed }, &**u),
            WeightKind::Pairs(PairWeight::Products(u)) => (Form::Pairs { join: Join::Product, signed }, &**u),
            WeightKind::Tensors(TensorWeight::Tensor { order, entries }) => {
                let halved = *order == 2 && symmetry(entries, measure.items()).is_some();
                (Form::Tensors { order: *order, halved }, &**entries)
            }
            WeightKind::Pairs(_) | WeightKind::Tensors(_) | WeightKind::Quadruples(_) => return Err(cannot()),
        };
        let own = measure.self_similarity();
        let (blocks, runs) = blocks(measure.items(), form, weights.len())?;
        // Single precision has a narrow range.
        let exponent = if S::IS_SINGLE { exponent(weights) } else { 0 };
        let weights = scaled(weights, exponent)?;
        let scale = times_power_of_two(measure.scale(), -form.degree() * exponent);
        let finish = Finish { scale, most: own, limit: own * (1.0 - S::ROUNDING), ..finish(form, &weights) };
        let weights = memory::collect(weights.iter().map(|&weight| S::from_f64(weight)))?;
        Ok(Self { isa, measure, x, y, form, weights, blocks, runs, own, finish })
    }

    /// Corrects two kinds of values: values that have cancelled, which are marked as NaN, and values of equal rankings,
    /// which are the largest and must be exact.
    fn recompute_cancelled(
        &self,
        rows: Range<usize>,
        columns: &Range<usize>,
        values: &mut Square<G>,
        workspace: &mut Workspace,
    ) {
        for (row, values) in rows.zip(values) {
            for (column, value) in columns.clone().zip(values) {
                let (s, t) = (self.x.row(row), self.y.row(column));
                if value.is_nan() {
                    *value = self.measure.between_trusted(s, t, workspace);
                } else if *value >= self.finish.limit && s == t {
                    *value = self.own;
                }
            }
        }
    }

    /// Arranges the ranks and weights of rankings side by side, one group after another.
    fn load(&self, rankings: &Rankings, range: Range<usize>, panels: &mut FeaturePanels<S, G>) -> Result<(), Error> {
        let items = self.measure.items();
        let length = range.len().div_ceil(G) * items;
        let tensors = matches!(self.form, Form::Tensors { .. });
        let FeaturePanels { indices, ranks, weights, .. } = panels;
        indices.clear();
        memory::resize(indices, if tensors { length } else { 0 }, [0; G])?;
        for lanes in [&mut *ranks, &mut *weights] {
            lanes.clear();
            memory::resize(lanes, if tensors { 0 } else { length }, GroupRow([S::default(); G]))?;
        }
        for (index, row) in range.enumerate() {
            let (first, lane) = (index / G * items, index % G);
            for (item, &rank) in rankings.row(row).ranks().iter().enumerate() {
                if tensors {
                    indices[first + item][lane] = rank;
                } else {
                    ranks[first + item][lane] = S::from_f64(rank.into());
                    weights[first + item][lane] = self.weights[rank as usize];
                }
            }
        }
        Ok(())
    }

    /// Computes the features of a block for all groups, one group after another; returns their number per group.
    fn make_features(
        &self,
        block: &FeatureBlock,
        side: Side,
        panels: &mut FeaturePanels<S, G>,
    ) -> Result<usize, Error> {
        let items = self.measure.items().max(1);
        let FeaturePanels { indices, ranks, weights, features } = panels;
        let runs = &self.runs[block.runs.clone()];
        let length = runs.iter().map(|run| run.others.len()).sum::<usize>()
            + if block.squares { self.measure.items() } else { 0 };
        features.clear();
        memory::reserve(features, length * (indices.len().max(ranks.len()) / items))?;
        match self.form {
            Form::Pairs { join, .. } => {
                let factor = S::from_f64(if side == Side::Rows { -0.5 } else { 1.0 });
                for (ranks, weights) in ranks.chunks_exact(items).zip(weights.chunks_exact(items)) {
                    for &FeatureRun { j, ref others, .. } in runs {
                        S::pair_features(self.isa, join, Group { ranks, weights }, others.clone(), j, features);
                    }
                    if block.squares {
                        features.extend(
                            weights.iter().map(|weights| GroupRow(weights.map(|weight| factor * weight * weight))),
                        );
                    }
                }
            }
            Form::Tensors { order, .. } => {
                for indices in indices.chunks_exact(items) {
                    for run in runs {
                        let rows = self.rows_of(run.j, order, indices);
                        let factor = S::from_f64(if run.doubled && side == Side::Rows { 2.0 } else { 1.0 });
                        S::look_up(self.isa, rows, &indices[run.others.clone()], factor, features);
                    }
                }
            }
        }
        Ok(length)
    }

    /// For each ranking of a group, the row of weights for the last item of a tuple. `number` encodes the other items.
    fn rows_of(&self, number: usize, order: usize, indices: &[[u32; G]]) -> TableRows<'_, S, G> {
        let items = indices.len();
        let mut starts = [0; G];
        let mut place = 1;
        let mut rest = number;
        for _ in 1..order {
            for (start, &rank) in starts.iter_mut().zip(&indices[rest % items]) {
                *start += rank as usize * place;
            }
            place *= items;
            rest /= items;
        }
        let starts = starts.map(|start: usize| ((rest * place + start) * items) as u32);
        TableRows { table: &self.weights, starts, length: items }
    }

    /// Whether values need sums over single items.
    fn has_singles(&self) -> bool {
        matches!(self.form, Form::Pairs { signed: false, .. })
    }
}

impl<S: Real<G>, const G: usize> Fill for Product<'_, S, G> {
    type Scratch = ProductPanels<S, G>;

    fn scratch(&self, cancel: &Cancel) -> Result<ProductPanels<S, G>, Error> {
        ProductPanels::new(self.measure, cancel)
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        scratch: &mut ProductPanels<S, G>,
        poll: &mut Poll<'_>,
    ) -> Result<(), Error> {
        let (rows, columns) = (tile.rows(), tile.columns());
        let ProductPanels { rows: left, columns: right, sums, workspace } = scratch;
        self.load(self.x, rows.clone(), left)?;
        self.load(self.y, columns.clone(), right)?;
        let squares: Vec<(usize, usize)> = memory::collect(tile.squares::<G>())?;
        memory::resize(sums, squares.len(), [[0.0; G]; G])?;
        for (index, block) in self.blocks.iter().enumerate() {
            if poll.is_cancelled() {
                return Ok(());
            }
            let length = self.make_features(block, Side::Rows, left)?;
            self.make_features(block, Side::Columns, right)?;
            for (&(row, column), sums) in squares.iter().zip(&mut *sums) {
                let (row, column) = (&left.features[row * length..], &right.features[column * length..]);
                S::multiply(self.isa, &row[..length], &column[..length], index > 0, sums);
            }
        }
        let items = self.measure.items();
        let mut singles = [[0.0; G]; G];
        for (&(row, column), values) in squares.iter().zip(&mut *sums) {
            if self.has_singles() {
                let (row, column) = (&left.weights[row * items..], &right.weights[column * items..]);
                S::multiply(self.isa, &row[..items], &column[..items], false, &mut singles);
            }
            let attention = product::finish(self.isa, &self.finish, values, &singles);
            let (row, column) = (row * G, column * G);
            if attention {
                self.recompute_cancelled(
                    rows.start + row..rows.end,
                    &(columns.start + column..columns.end),
                    values,
                    workspace,
                );
            }
        }
        tile.store(self.isa, sums);
        Ok(())
    }
}

/// Whether sums in single precision have errors of at most about 1e-6 of the self-similarity. This holds if no
/// intermediate sum is more than [`SINGLE_LOST`] times the self-similarity.
pub(in crate::gram) fn single_is_enough(measure: &KendallMeasure) -> Result<bool, Error> {
    let (most, own) = match measure.summed() {
        Some((WeightKind::Pairs(PairWeight::Products(u)), signed)) => {
            let u = scaled(u, exponent(u))?;
            let own = own::squared_products(&u, 2, &Cancel::default())?;
            // For a signed kernel, no intermediate sum is larger than the self-similarity. But products of steep
            // weights can underflow.
            (if signed { SINGLE_STEEP } else { u.iter().map(|u| u * u).sum::<f64>().powi(2) }, own)
        }
        Some((WeightKind::Pairs(PairWeight::Sums(u)), _)) => {
            let (own, size) = own::squared_sums(&scaled(u, exponent(u))?, 2);
            (size, own)
        }
        // Terms without negative entries cannot cancel. For other terms, the check would take as long as a pair of
        // rankings.
        Some((WeightKind::Tensors(TensorWeight::Factors { vectors, .. }), _)) => {
            return Ok(vectors.iter().all(|&entry| entry >= 0.0));
        }
        Some((WeightKind::Pairs(_) | WeightKind::Tensors(_) | WeightKind::Quadruples(_), _)) | None => {
            return Ok(true);
        }
    };
    Ok(own * SINGLE_LOST >= most)
}

/// How values are computed from sums, apart from the scale.
fn finish(form: Form, u: &[f64]) -> Finish {
    let plain = Finish {
        half: 1.0,
        square: 0.0,
        linear: 0.0,
        constant: 0.0,
        most_square: 0.0,
        most_linear: 0.0,
        most_constant: 0.0,
        cancelled: 0.0,
        scale: 1.0,
        most: f64::INFINITY,
        limit: f64::INFINITY,
    };
    let half = Finish { half: 0.5, cancelled: CANCELLED, ..plain };
    // An upper bound of a sum over single items. With positive and negative weights, the sum can be much smaller than
    // the sum of the absolute values of its terms, so the bound is used and not the sum.
    let most: f64 = u.iter().map(|u| u * u).sum();
    let mixed = u.iter().any(|&u| u < 0.0);
    match form {
        // Half of ((sum of x)^2 - sum of x^2) / 2 + the signed sum. The squares x^2 are among the features.
        Form::Pairs { join: Join::Product, signed: false } => {
            let found = Finish { square: 0.25, ..half };
            if mixed { Finish { most_constant: most * most, ..found } } else { Finish { most_square: 1.0, ..found } }
        }
        // Half of (n - 2) sum of u u' + (sum of u)^2 + the signed sum.
        Form::Pairs { join: Join::Sum, signed: false } => {
            let (sum, size) = (u.iter().sum::<f64>(), u.iter().map(|u| u.abs()).sum::<f64>());
            let rest = u.len() as f64 - 2.0;
            let plain = Finish { linear: rest / 2.0, constant: sum * sum / 2.0, most_constant: size * size, ..half };
            if mixed {
                Finish { most_constant: plain.most_constant + rest.abs() * most, ..plain }
            } else {
                Finish { most_linear: rest.abs(), ..plain }
            }
        }
        Form::Pairs { signed: true, .. } | Form::Tensors { .. } => plain,
    }
}

/// Splits the features into blocks of [`PRODUCT_BLOCK`] features. `weights` is the number of weights of tensors.
fn blocks(items: usize, form: Form, weights: usize) -> Result<(Vec<FeatureBlock>, Vec<FeatureRun>), Error> {
    let (mut blocks, mut runs) = (Vec::new(), Vec::new());
    let (mut first, mut left) = (0, PRODUCT_BLOCK);
    let mut push = |j: usize, mut others: Range<usize>, doubled: bool| {
        while !others.is_empty() {
            let next = others.start..others.end.min(others.start + left);
            left -= next.len();
            others.start = next.end;
            memory::push(&mut runs, FeatureRun { j, others: next, doubled })?;
            if left == 0 {
                memory::push(&mut blocks, FeatureBlock { runs: first..runs.len(), squares: false })?;
                (first, left) = (runs.len(), PRODUCT_BLOCK);
            }
        }
        Ok(())
    };
    match form {
        Form::Pairs { .. } => (0..items).try_for_each(|j| push(j, 0..j, false)),
        Form::Tensors { halved: true, .. } => (0..items).try_for_each(|j| {
            push(j, 0..j, true)?;
            push(j, j..j + 1, false)
        }),
        Form::Tensors { .. } => (0..weights / items.max(1)).try_for_each(|j| push(j, 0..items, false)),
    }?;
    let squares = form == (Form::Pairs { join: Join::Product, signed: false });
    memory::push(&mut blocks, FeatureBlock { runs: first..runs.len(), squares })?;
    Ok((blocks, runs))
}
