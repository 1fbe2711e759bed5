//! Sums over the concordant pairs of one permutation in O(n log n), for every weight: what each weight gives to the items, and
//! the partition that adds it up.

mod partition;

use crate::simd::{Isa, grid};
use crate::weight::ValidWeight;
use partition::{Count, LaterWeight, Products, Split, Sums, partition};

/// The memory that comparing two rankings takes; made once for each thread and used for any number of pairs.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// The permutation: values in order of position. Consumed by the sums.
    pub(crate) values: Vec<u32>,
    spill: Vec<u32>,
    by_value: Vec<f64>,
    counts: Vec<u32>,
    cells: Vec<f64>,
    /// Vector instructions for parts that are short enough; without them all parts are halved.
    isa: Option<Isa>,
}

impl Workspace {
    /// Memory for rankings of `items` items.
    #[must_use]
    pub fn new(items: usize) -> Self {
        let mut workspace = Self::default();
        workspace.fit(items);
        workspace
    }

    /// Memory for rankings of `items` items, and the instructions to use for parts that are short enough.
    pub(crate) fn with_isa(items: usize, isa: Isa) -> Self {
        let mut workspace = Self { isa: Some(isa), ..Self::default() };
        workspace.fit(items);
        workspace
    }

    /// Makes it fit `items` items; allocates nothing where it was as large before.
    pub(crate) fn fit(&mut self, items: usize) {
        self.values.resize(items, 0);
        self.spill.resize(items + 1, 0);
        self.by_value.resize(items, 0.0);
        self.counts.resize(items + 1, 0);
    }
}

/// The concordant sum of the permutation in `workspace.values`.
pub(crate) fn concordant(weight: &ValidWeight, workspace: &mut Workspace) -> f64 {
    match weight {
        ValidWeight::Standard => standard(workspace) as f64,
        ValidWeight::Top(k) => top(*k, workspace).0 as f64,
        ValidWeight::Average => per_item(average(workspace) as f64, workspace),
        ValidWeight::Add(u) => add::<false>(u, workspace),
        ValidWeight::Mult(u) => mult::<false>(u, workspace),
        ValidWeight::Matrix(entries) => matrix(entries, workspace),
    }
}

/// The concordant sum minus the discordant sum of the permutation in `workspace.values`.
///
/// A weight matrix has no such form; [`crate::Measure`] refuses it, and here it gives its plain sum.
pub(crate) fn signed(weight: &ValidWeight, workspace: &mut Workspace) -> f64 {
    match weight {
        ValidWeight::Standard => {
            let all = pairs_of(workspace.values.len() as u64);
            balance(standard(workspace).into(), all.into())
        }
        ValidWeight::Top(k) => {
            let (concordant, kept) = top(*k, workspace);
            balance(concordant.into(), pairs_of(kept).into())
        }
        ValidWeight::Average => {
            let all = average_of_all(workspace);
            per_item(balance(average(workspace), all), workspace)
        }
        ValidWeight::Add(u) => add::<true>(u, workspace),
        ValidWeight::Mult(u) => mult::<true>(u, workspace),
        ValidWeight::Matrix(entries) => matrix(entries, workspace),
    }
}

/// At least the sum of the absolute values of the terms of all pairs, for weights that are not counts; for counts 0.
pub(crate) fn magnitude(weight: &ValidWeight, values: &[u32]) -> f64 {
    let sizes = |u: &[f64]| -> (f64, f64) {
        let products = values.iter().zip(u).map(|(&value, u_position)| (u_position * u[value as usize]).abs());
        (products.sum(), u.iter().map(|u| u.abs()).sum())
    };
    match weight {
        ValidWeight::Mult(u) => sizes(u).0.powi(2),
        ValidWeight::Add(u) => {
            let (products, all) = sizes(u);
            values.len() as f64 * products + all * all
        }
        _ => 0.0,
    }
}

/// The number of unordered pairs of `count` things.
pub(crate) fn pairs_of(count: u64) -> u64 {
    count * count.saturating_sub(1) / 2
}

/// Concordant minus discordant, where both together make `all`.
pub(crate) fn balance(concordant: u128, all: u128) -> f64 {
    let discordant = all - concordant;
    (concordant.cast_signed() - discordant.cast_signed()) as f64
}

fn per_item(sum: f64, workspace: &Workspace) -> f64 {
    sum / workspace.values.len().max(1) as f64
}

fn standard(workspace: &mut Workspace) -> u64 {
    let kept = workspace.values.len();
    count(kept, workspace)
}

/// Concordant pairs among the first `kept` values, which are all below `kept`.
fn count(kept: usize, workspace: &mut Workspace) -> u64 {
    let Workspace { values, spill, cells, isa, .. } = workspace;
    match *isa {
        None => partition(&mut Count, 0, &mut values[..kept], spill),
        Some(isa) => {
            let terms = grid::Terms::Ones;
            partition(&mut Split { isa, terms, cells, slow: Count }, 0, &mut values[..kept], spill)
        }
    }
}

/// The count among the items that are in the top k of both rankings, and how many of these there are.
fn top(k: usize, workspace: &mut Workspace) -> (u64, u64) {
    let k = k.min(workspace.values.len());
    let mut kept = 0;
    let ranks = &mut workspace.counts[..k];
    ranks.fill(0);
    for position in 0..k {
        let value = workspace.values[position];
        if (value as usize) < k {
            workspace.values[kept] = value;
            kept += 1;
            ranks[value as usize] = 1;
        }
    }
    // The values kept have gaps; their ranks among themselves have none, and the order is the same.
    let mut rank = 0;
    for present in ranks.iter_mut() {
        rank += std::mem::replace(present, rank);
    }
    for value in &mut workspace.values[..kept] {
        *value = ranks[*value as usize];
    }
    (count(kept, workspace), kept as u64)
}

/// n times the concordant sum: a whole number.
fn average(workspace: &mut Workspace) -> u128 {
    let n = workspace.values.len() as u32;
    let Workspace { values, spill, by_value, cells, isa, .. } = workspace;
    if let Some(isa) = short(*isa, values) {
        return grid::sum_whole(isa, grid::Whole::Rooms(n), values, spill, cells) as u128;
    }
    for (position, &value) in (0..).zip(&*values) {
        by_value[value as usize] = f64::from(n - value.max(position));
    }
    let mut slow = LaterWeight(by_value);
    match *isa {
        None => partition(&mut slow, 0, values, spill),
        Some(isa) => {
            let terms = grid::Terms::Later(by_value);
            partition(&mut Split { isa, terms, cells, slow }, 0, values, spill)
        }
    }
}

/// n times the sum of the average weight over all pairs, concordant or not.
fn average_of_all(workspace: &mut Workspace) -> u128 {
    // It is the sum of those of the top-k kernels over k: with c_k items in the top k of both, c_k (c_k - 1) / 2.
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

/// The vector instructions, if there are any and the permutation is short enough for one grid.
fn short(isa: Option<Isa>, values: &[u32]) -> Option<Isa> {
    isa.filter(|_| values.len() <= grid::MOST)
}

fn add<const SIGNED: bool>(u: &[f64], workspace: &mut Workspace) -> f64 {
    let Workspace { values, spill, by_value, cells, isa, .. } = workspace;
    for (&value, &u) in values.iter().zip(u) {
        by_value[value as usize] = u;
    }
    let mut slow = Sums::<SIGNED> { first: by_value, second: u };
    match *isa {
        Some(isa) if !SIGNED => {
            let terms = grid::Terms::Sums { p: by_value, q: u };
            partition(&mut Split { isa, terms, cells, slow }, 0, values, spill)
        }
        _ => partition(&mut slow, 0, values, spill),
    }
}

fn mult<const SIGNED: bool>(u: &[f64], workspace: &mut Workspace) -> f64 {
    let Workspace { values, spill, by_value, cells, isa, .. } = workspace;
    if let Some(isa) = short(*isa, values)
        && !SIGNED
    {
        return grid::sum_whole(isa, grid::Whole::Products(u), values, spill, cells);
    }
    for (&value, &u_position) in values.iter().zip(u) {
        by_value[value as usize] = u_position * u[value as usize];
    }
    let mut slow = Products::<SIGNED>(by_value);
    match *isa {
        Some(isa) if !SIGNED => {
            let terms = grid::Terms::Squares(by_value);
            partition(&mut Split { isa, terms, cells, slow }, 0, values, spill)
        }
        _ => partition(&mut slow, 0, values, spill),
    }
}

/// `G_U` by its definition.
fn matrix(entries: &[f64], workspace: &Workspace) -> f64 {
    let values = &workspace.values;
    if values.is_empty() {
        return 0.0;
    }
    let rows = entries.chunks_exact(values.len());
    rows.zip(values)
        .map(|(row, &value)| {
            let other = &entries[value as usize * values.len()..][..values.len()];
            row.iter().zip(values).map(|(entry, &value)| entry * other[value as usize]).sum::<f64>()
        })
        .sum()
}
