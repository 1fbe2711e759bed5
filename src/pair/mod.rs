//! Sums over the concordant pairs of one permutation in O(n log n), for every weight. A weight gives numbers to the
//! items, and the partition algorithm adds them up. For rankings with ties and missing items, the sums are means over
//! the complete rankings that agree with the rankings.
//!
//! ```text
//! mod           the numbers that each weight gives to the items of a permutation
//! general       weights for all tuples of positions
//! composed      numbers of items that measures of their own give
//! observed      columns of observations with missing values
//! anywhere      items that can be anywhere
//! lists         short lists out of a catalogue
//! incomplete    ties: sums over a permutation, and over cells of tied items
//!   partition   sums over the concordant pairs of a permutation
//!   table       the same from a table of counts, for few blocks
//!     tops      the average weight of tied items
//! ```

pub(crate) mod anywhere;
pub(crate) mod composed;
mod general;
pub(crate) mod incomplete;
pub(crate) mod lists;
pub(crate) mod observed;
mod partition;
pub(crate) mod table;
pub(crate) mod tops;

pub(crate) use anywhere::expected_signs;
pub(crate) use general::is_symmetric;

use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::simd::grid::{self, PermutationTerms};
use crate::simd::{self, Isa};
use crate::weight::kinds::{PairWeight, TensorWeight, WeightKind};
use crate::weight::pair::Terms;
use partition::{Short, Spill};

/// The memory to compare two rankings. It is allocated once for each thread, and used for any number of pairs.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// The permutation: its values in the order of positions. A sum overwrites it.
    pub(crate) values: Vec<u32>,
    spill: Spill,
    by_value: Vec<f64>,
    counts: Vec<u32>,
    cells: Vec<f64>,
    tuples: simd::ordered::Memory,
    /// The instruction set for parts of the permutation that are short enough. With `None`, all parts are halved.
    isa: Option<Isa>,
}

impl Workspace {
    /// Memory for rankings of `items` items. If the allocation fails, a later comparison of two rankings returns an
    /// error.
    #[must_use]
    pub fn new(items: usize) -> Self {
        Self::try_new(items).unwrap_or_default()
    }

    /// The same as [`Workspace::new`], but returns an error if the allocation fails.
    ///
    /// # Errors
    /// Returns an error when there is no memory.
    pub fn try_new(items: usize) -> Result<Self, Error> {
        let mut workspace = Self::default();
        workspace.try_fit(items)?;
        Ok(workspace)
    }

    /// The flag that stops the run.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.spill.cancel
    }

    /// An empty workspace for a thread of a run. `isa` is the instruction set for parts that are short enough.
    pub(crate) fn for_run(isa: Option<Isa>, cancel: &Cancel) -> Self {
        let spill = Spill { cancel: cancel.clone(), ..Spill::default() };
        Self { spill, isa, ..Self::default() }
    }

    /// Makes the workspace fit `items` items. If it has this size already, nothing is allocated.
    #[inline]
    pub(crate) fn try_fit(&mut self, items: usize) -> Result<(), Error> {
        // This test must be fast: a pair of rankings of few items takes only some tens of nanoseconds.
        if self.values.len() == items && self.counts.len() == items + 1 { Ok(()) } else { self.fit(items) }
    }

    /// Allocates everything. The memory for counts comes last, so its size tells whether everything fits.
    fn fit(&mut self, items: usize) -> Result<(), Error> {
        memory::resize(&mut self.values, items, 0)?;
        memory::resize(&mut self.spill.buffer, items + 1, 0)?;
        memory::resize(&mut self.by_value, items, 0.0)?;
        memory::resize(&mut self.counts, items + 1, 0)
    }

    /// Makes the workspace fit tuples of `order` items.
    pub(crate) fn fit_order(&mut self, weight: &PairWeight, order: usize) -> Result<(), Error> {
        let components = match weight {
            PairWeight::Sums(_) => 4,
            PairWeight::Count { .. } | PairWeight::Average | PairWeight::Products(_) => 1,
        };
        let [numbers, lists, starts] = simd::ordered::Memory::sizes(components, order, self.values.len());
        memory::reserve(&mut self.tuples.numbers, numbers)?;
        memory::reserve(&mut self.tuples.lists, lists)?;
        memory::reserve(&mut self.tuples.starts, starts)
    }

    /// Sets the length of the permutation to `items`. The workspace must already fit this many items.
    fn shorten(&mut self, items: usize) {
        self.values.resize(items, 0);
    }

    /// Whether the run is stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.spill.cancel.is_cancelled()
    }
}

/// The sum of the permutation in `workspace.values` over its concordant pairs, or over all tuples for general weights.
pub(crate) fn sum(weight: &WeightKind, workspace: &mut Workspace) -> f64 {
    let Workspace { values, spill, .. } = workspace;
    match weight {
        WeightKind::Pairs(weight) => concordant(weight, workspace),
        WeightKind::Tensors(TensorWeight::Tensor { order, entries }) => {
            general::tensors(entries, *order, values, &spill.cancel)
        }
        WeightKind::Tensors(TensorWeight::Factors { order, vectors }) => {
            general::factors(vectors, *order, values, &spill.cancel)
        }
        WeightKind::Quadruples(entries) => general::quadruples(entries, values),
    }
}

/// The sum over the concordant pairs of the permutation in `workspace.values`.
pub(crate) fn concordant(weight: &PairWeight, workspace: &mut Workspace) -> f64 {
    match weight {
        PairWeight::Count { top: None } => standard(workspace) as f64,
        PairWeight::Count { top: Some(k) } => top(*k, workspace).0 as f64,
        PairWeight::Average => per_item(average(workspace) as f64, workspace),
        PairWeight::Sums(u) => add::<false>(u, workspace),
        PairWeight::Products(u) => mult::<false>(u, workspace),
    }
}

/// The sum over the tuples of `order` items that are increasing in the permutation in `workspace.values`.
pub(crate) fn ordered(weight: &PairWeight, order: usize, workspace: &mut Workspace) -> f64 {
    let kept =
        if let &PairWeight::Count { top: Some(k) } = weight { keep_top(k, workspace) } else { workspace.values.len() };
    if order > kept {
        return 0.0;
    }
    let Workspace { values, by_value, tuples, isa, spill, .. } = workspace;
    let values = &values[..kept];
    let terms = match weight {
        PairWeight::Products(u) => {
            let u = &**u;
            for (&value, &u_position) in values.iter().zip(u) {
                by_value[value as usize] = u_position * u[value as usize];
            }
            Terms::Products(by_value)
        }
        PairWeight::Sums(u) => {
            let u = &**u;
            for (&value, &u_position) in values.iter().zip(u) {
                by_value[value as usize] = u_position;
            }
            Terms::Sums { p: by_value, q: u }
        }
        PairWeight::Average => {
            for (position, &value) in (0..).zip(values) {
                by_value[value as usize] = f64::from(kept as u32 - value.max(position));
            }
            Terms::Later(by_value)
        }
        PairWeight::Count { .. } => Terms::Ones,
    };
    let sum = match terms {
        _ if order > 1 => {
            let isa = isa.unwrap_or_else(Isa::portable);
            simd::ordered::sum(isa, terms, order, values, tuples, spill.cancel.flag())
        }
        Terms::Ones => kept as f64,
        Terms::Products(x) | Terms::Later(x) => x.iter().sum(),
        Terms::Sums { p, q } => p.iter().zip(q).map(|(p, q)| p * q).sum(),
    };
    if weight.is_later() { sum / kept as f64 } else { sum }
}

/// The concordant sum minus the discordant sum of the permutation in `workspace.values`.
pub(crate) fn signed(weight: &PairWeight, workspace: &mut Workspace) -> f64 {
    match weight {
        PairWeight::Count { top: None } => {
            let all = pairs_of(workspace.values.len() as u64);
            balance(standard(workspace).into(), all.into())
        }
        PairWeight::Count { top: Some(k) } => {
            let (concordant, kept) = top(*k, workspace);
            balance(concordant.into(), pairs_of(kept).into())
        }
        PairWeight::Average => {
            let all = average_of_all(workspace);
            per_item(balance(average(workspace), all), workspace)
        }
        PairWeight::Sums(u) => add::<true>(u, workspace),
        PairWeight::Products(u) => mult::<true>(u, workspace),
    }
}

/// The sum over the concordant pairs of the permutation in `workspace.values`, where the terms give numbers to items by
/// their values.
fn concordant_of(terms: Terms<'_>, workspace: &mut Workspace) -> f64 {
    let Workspace { values, spill, cells, isa, .. } = workspace;
    partition::concordant(terms, isa.map(|isa| Short { isa, cells }), values, spill)
}

/// The number of unordered pairs of `count` things.
pub(crate) fn pairs_of(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// The concordant sum minus the discordant sum; the two add up to `all`.
pub(crate) fn balance(concordant: u128, all: u128) -> f64 {
    let discordant = all - concordant;
    (concordant.cast_signed() - discordant.cast_signed()) as f64
}

fn per_item(sum: f64, workspace: &Workspace) -> f64 {
    sum / workspace.values.len().max(1) as f64
}

/// The number of concordant pairs of the permutation in `workspace.values`.
pub(crate) fn standard(workspace: &mut Workspace) -> u64 {
    let kept = workspace.values.len();
    count(kept, workspace)
}

/// The number of concordant pairs among the first `kept` values. All these values are below `kept`.
fn count(kept: usize, workspace: &mut Workspace) -> u64 {
    let Workspace { values, spill, cells, isa, .. } = workspace;
    partition::count(isa.map(|isa| Short { isa, cells }), &mut values[..kept], spill)
}

/// The number of concordant pairs among the items in the top k of both rankings, and the number of these items.
fn top(k: usize, workspace: &mut Workspace) -> (u64, u64) {
    let kept = select_top(k, workspace);
    let count = if kept <= FEW_KEPT {
        partition::count_few(&workspace.values[..kept])
    } else {
        renumber(k, kept, workspace);
        count(kept, workspace)
    };
    (count, kept as u64)
}

/// If at most this many values are kept, all of them are compared with each other, and they need not be renumbered. For
/// the top 10 of 20 items, this takes 25 ns in place of 35 ns.
const FEW_KEPT: usize = 16;

/// Keeps only the items in the top k of both rankings, and renumbers their values. Returns how many items are kept.
fn keep_top(k: usize, workspace: &mut Workspace) -> usize {
    let kept = select_top(k, workspace);
    renumber(k, kept, workspace);
    kept
}

/// Keeps only the items in the top k of both rankings. Returns how many items are kept.
fn select_top(k: usize, workspace: &mut Workspace) -> usize {
    let values = &mut workspace.values;
    let mut kept = 0;
    for position in 0..k.min(values.len()) {
        // A branch here would be unpredictable, so there is none: a value that is not kept is overwritten.
        let value = values[position];
        values[kept] = value;
        kept += usize::from((value as usize) < k);
    }
    kept
}

/// Replaces the first `kept` values, which are below k, by their ranks among themselves.
fn renumber(k: usize, kept: usize, workspace: &mut Workspace) {
    let Workspace { values, counts, .. } = workspace;
    let ranks = &mut counts[..k.min(values.len())];
    let values = &mut values[..kept];
    ranks.fill(0);
    for &value in &*values {
        ranks[value as usize] = 1;
    }
    let mut rank = 0;
    for present in ranks.iter_mut() {
        rank += std::mem::replace(present, rank);
    }
    for value in values {
        *value = ranks[*value as usize];
    }
}

/// n times the concordant sum of the average weight. It is an integer.
fn average(workspace: &mut Workspace) -> u128 {
    let n = workspace.values.len() as u32;
    if let Some(sum) = on_grid(PermutationTerms::Remaining(n), workspace) {
        return sum as u128;
    }
    let Workspace { values, spill, by_value, cells, isa, .. } = workspace;
    for (position, &value) in (0..).zip(&*values) {
        by_value[value as usize] = f64::from(n - value.max(position));
    }
    partition::whole(by_value, isa.map(|isa| Short { isa, cells }), values, spill)
}

/// n times the sum of the average weight over all pairs, concordant or not.
fn average_of_all(workspace: &mut Workspace) -> u128 {
    // It is the sum over k of the same number for the top-k kernels. If c_k items are in the top k of both rankings,
    // this number is c_k (c_k - 1) / 2.
    let Workspace { values, counts, .. } = workspace;
    counts.fill(0);
    for (position, &value) in (0..).zip(&*values) {
        counts[value.max(position) as usize] += 1;
    }
    let mut within = 0;
    let mut all = 0;
    for &count in &counts[..values.len()] {
        within += u64::from(count);
        all += u128::from(pairs_of(within));
    }
    all
}

/// The sum, computed on one grid. `None` if there are no vector instructions, or if the permutation is too long.
fn on_grid(terms: PermutationTerms<'_>, workspace: &mut Workspace) -> Option<f64> {
    let Workspace { values, spill, cells, isa, .. } = workspace;
    let isa = isa.filter(|_| values.len() <= terms.most_on_grid())?;
    Some(grid::sum_permutation(isa, terms, values, &mut spill.buffer, cells))
}

fn add<const SIGNED: bool>(u: &[f64], workspace: &mut Workspace) -> f64 {
    if !SIGNED && let Some(sum) = on_grid(PermutationTerms::Sums(u), workspace) {
        return sum;
    }
    let Workspace { values, spill, by_value, cells, isa, .. } = workspace;
    for (&value, &u) in values.iter().zip(u) {
        by_value[value as usize] = u;
    }
    if SIGNED {
        return partition::signed_sums(by_value, u, values, spill);
    }
    partition::concordant(Terms::Sums { p: by_value, q: u }, isa.map(|isa| Short { isa, cells }), values, spill)
}

fn mult<const SIGNED: bool>(u: &[f64], workspace: &mut Workspace) -> f64 {
    if !SIGNED && let Some(sum) = on_grid(PermutationTerms::Products(u), workspace) {
        return sum;
    }
    let Workspace { values, spill, by_value, cells, isa, .. } = workspace;
    for (&value, &u_position) in values.iter().zip(u) {
        by_value[value as usize] = u_position * u[value as usize];
    }
    if SIGNED {
        return partition::signed_products(by_value, values, spill);
    }
    partition::concordant(Terms::Products(by_value), isa.map(|isa| Short { isa, cells }), values, spill)
}
