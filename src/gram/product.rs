//! The strategy for weighted sums of few items: a matrix product of features, made block by block.
//!
//! For a symmetric weight a of the two ranks of a pair and the sign e of its order, the concordant sum is
//! (sum of a a' + sum of (a e) (a' e')) / 2 over the pairs of items i < j. The second sum is a product of n (n - 1) / 2 features.
//! The first has a closed form in sums over single items: ((sum of x)^2 - sum of x^2) / 2 with x = u u' for the multiplicative
//! weight, (n - 2) sum of u u' + (sum of u)^2 for the additive one. The signed kernel is the second sum alone.
//!
//! The two sums cancel where few pairs are concordant. Where less than one part in 512 is left the value is computed anew from its
//! definition, so that the error stays below 1e-12 of the sum of the absolute values of the concordant terms. This is rare: of
//! uniform rankings it happens to one pair in 750 for six items, and to none in a million for ten or more.
//!
//! A general weight matrix has a feature for every ordered pair of items.

use std::ops::Range;

use super::tiles::Tile;
use super::{Element, Fill};
use crate::error::Error;
use crate::kappa::Workspace;
use crate::measure::Measure;
use crate::parallel::Proceed;
use crate::ranking::Rankings;
use crate::simd::Isa;
use crate::simd::place::Square;
use crate::simd::product::{self, Finish, Group, Join, Real};
use crate::weight::ValidWeight;

/// Features in a block: those of a group of rankings take 32 KiB and stay in the first cache while they are multiplied.
const BLOCK: usize = 256;
/// Below this part of the largest sum there could be, a value is computed anew.
const CANCELLED: f64 = 1.0 / 512.0;

/// `G` rankings side by side in `S`, single or double precision.
pub(super) struct Product<'a, S, const G: usize> {
    isa: Isa,
    measure: &'a Measure,
    x: &'a Rankings,
    y: &'a Rankings,
    form: Form,
    /// The weight of each rank; of a matrix, all entries.
    weights: Vec<S>,
    blocks: Vec<Block>,
    /// The value for a ranking and itself.
    own: f64,
    finish: Finish,
}

/// What is multiplied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Pairs { join: Join, signed: bool },
    Matrix,
}

/// Features that are made and multiplied together.
struct Block {
    runs: Vec<Run>,
    /// Whether they are followed by the squares of the weights of single items, halved and negative in the rows: the part of the
    /// closed form of the multiplicative weight that is itself a product.
    squares: bool,
}

/// Features of one item j with a run of other items.
struct Run {
    j: usize,
    others: Range<usize>,
}

/// Rows and columns of a product have other features only for [`Block::squares`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Rows,
    Columns,
}

/// Memory for one thread.
pub(super) struct Scratch<S, const G: usize> {
    rows: Panels<S, G>,
    columns: Panels<S, G>,
    /// Sums over pairs of items for each group of columns and each group of rows.
    sums: Vec<Square<G>>,
    workspace: Workspace,
}

/// Groups of rankings and the features of a block.
struct Panels<S, const G: usize> {
    ranks: Vec<[S; G]>,
    weights: Vec<[S; G]>,
    features: Vec<[S; G]>,
}

impl<S: Real<G>, const G: usize> Scratch<S, G> {
    fn new(items: usize) -> Self {
        let panels = || Panels { ranks: Vec::new(), weights: Vec::new(), features: Vec::new() };
        Self { rows: panels(), columns: panels(), sums: Vec::new(), workspace: Workspace::new(items) }
    }
}

impl<'a, S: Real<G>, const G: usize> Product<'a, S, G> {
    /// For measures that are sums of products.
    pub(super) fn new(isa: Isa, measure: &'a Measure, x: &'a Rankings, y: &'a Rankings) -> Result<Self, Error> {
        let cannot = || Error::CannotCompute { name: "product".to_owned() };
        let (weight, signed) = measure.summed().ok_or_else(cannot)?;
        let (form, weights) = match weight {
            ValidWeight::Add(u) => (Form::Pairs { join: Join::Sum, signed }, u),
            ValidWeight::Mult(u) => (Form::Pairs { join: Join::Product, signed }, u),
            ValidWeight::Matrix(entries) => (Form::Matrix, entries),
            _ => return Err(cannot()),
        };
        let own = measure.of_equal();
        let finish = Finish { scale: measure.of_sum(1.0), limit: own * (1.0 - 1e-9), ..finish(form, weights) };
        let weights = weights.iter().map(|&weight| S::from_f64(weight)).collect();
        Ok(Self { isa, measure, x, y, form, weights, blocks: blocks(measure.items(), form), own, finish })
    }

    /// Mends the values that have cancelled, which are marked as NaN, and those for equal rankings, than which none is larger and
    /// which should have no rounding of their own.
    fn mend(&self, rows: Range<usize>, columns: &Range<usize>, values: &mut Square<G>, workspace: &mut Workspace) {
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

    /// Lays the ranks and weights of rankings side by side, in groups, one after the other.
    fn load(&self, rankings: &Rankings, range: Range<usize>, panels: &mut Panels<S, G>) {
        let items = self.measure.items();
        let groups = range.len().div_ceil(G);
        for lanes in [&mut panels.ranks, &mut panels.weights] {
            lanes.clear();
            lanes.resize(groups * items, [S::default(); G]);
        }
        for (index, row) in range.enumerate() {
            let (first, lane) = (index / G * items, index % G);
            for (item, &rank) in rankings.row(row).ranks().iter().enumerate() {
                panels.ranks[first + item][lane] = S::from_f64(rank.into());
                if !matches!(self.form, Form::Matrix) {
                    panels.weights[first + item][lane] = self.weights[rank as usize];
                }
            }
        }
    }

    /// Makes the features of a block for all groups, one group after the other; how many there are for each.
    fn make_features(&self, block: &Block, side: Side, panels: &mut Panels<S, G>) -> usize {
        let items = self.measure.items();
        let factor = S::from_f64(if side == Side::Rows { -0.5 } else { 1.0 });
        let Panels { ranks, weights, features } = panels;
        features.clear();
        for (ranks, weights) in ranks.chunks_exact(items.max(1)).zip(weights.chunks_exact(items.max(1))) {
            for &Run { j, ref others } in &block.runs {
                match self.form {
                    Form::Pairs { join, .. } => {
                        S::pair_features(self.isa, join, Group { ranks, weights }, others.clone(), j, features);
                    }
                    Form::Matrix => features.extend(ranks[others.clone()].iter().map(|other| {
                        std::array::from_fn(|lane| {
                            let (row, column): (f64, f64) = (ranks[j][lane].into(), other[lane].into());
                            self.weights[row as usize * items + column as usize]
                        })
                    })),
                }
            }
            if block.squares {
                features.extend(weights.iter().map(|weights| weights.map(|weight| factor * weight * weight)));
            }
        }
        block.runs.iter().map(|run| run.others.len()).sum::<usize>() + if block.squares { items } else { 0 }
    }

    /// Whether values need sums over single items.
    fn has_singles(&self) -> bool {
        matches!(self.form, Form::Pairs { signed: false, .. })
    }
}

impl<S: Real<G>, const G: usize> Fill for Product<'_, S, G> {
    type Scratch = Scratch<S, G>;

    fn scratch(&self) -> Scratch<S, G> {
        Scratch::new(self.measure.items())
    }

    fn fill<T: Element>(&self, tile: &mut Tile<'_, T>, scratch: &mut Scratch<S, G>, proceed: Proceed<'_>) {
        let (rows, columns) = (tile.rows(), tile.columns());
        let Scratch { rows: left, columns: right, sums, workspace } = scratch;
        self.load(self.x, rows.clone(), left);
        self.load(self.y, columns.clone(), right);
        let squares: Vec<(usize, usize)> = tile.squares::<G>().collect();
        sums.resize(squares.len(), [[0.0; G]; G]);
        for (index, block) in self.blocks.iter().enumerate() {
            if !proceed() {
                return;
            }
            let length = self.make_features(block, Side::Rows, left);
            self.make_features(block, Side::Columns, right);
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
                self.mend(rows.start + row..rows.end, &(columns.start + column..columns.end), values, workspace);
            }
        }
        tile.store(self.isa, sums);
    }
}

/// How values follow from sums, but for their scale.
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
        limit: f64::INFINITY,
    };
    let half = Finish { half: 0.5, cancelled: CANCELLED, ..plain };
    // What a sum over single items can be at most; with weights of both signs it can also be much less than that of the absolute
    // values of its terms, so that this has to do instead.
    let most: f64 = u.iter().map(|u| u * u).sum();
    let mixed = u.iter().any(|&u| u < 0.0);
    match form {
        // Half of ((sum of x)^2 - sum of x^2) / 2 + the signed sum; the squares are among the features.
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
        _ => plain,
    }
}

/// Cuts the features into blocks of [`BLOCK`].
fn blocks(items: usize, form: Form) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut runs = Vec::new();
    let mut room = BLOCK;
    for j in 0..items {
        let (mut start, end) = (0, if form == Form::Matrix { items } else { j });
        while start < end {
            let others = start..end.min(start + room);
            room -= others.len();
            start = others.end;
            runs.push(Run { j, others });
            if room == 0 {
                blocks.push(Block { runs: std::mem::take(&mut runs), squares: false });
                room = BLOCK;
            }
        }
    }
    let squares = form == (Form::Pairs { join: Join::Product, signed: false });
    blocks.push(Block { runs, squares });
    blocks
}
