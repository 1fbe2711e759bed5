//! Sums over the concordant pairs of one permutation in O(n log n), for every weight: what each weight gives to the items, and
//! the partition that adds it up.

mod partition;

use crate::simd::{Isa, split};
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
    ones: Vec<f64>,
    /// Instructions for splitting sixteen ways; without them parts are halved.
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
        self.ones.resize(if self.isa.is_some() { items } else { 0 }, 1.0);
    }
}

/// The concordant sum of the permutation in `workspace.values`.
pub(crate) fn concordant(weight: &ValidWeight, workspace: &mut Workspace) -> f64 {
    match weight {
        ValidWeight::Standard => standard(workspace) as f64,
        ValidWeight::Top(k) => top(*k, workspace).0 as f64,
        ValidWeight::Average => per_item(average(workspace).0 as f64, workspace),
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
            let (concordant, all) = average(workspace);
            per_item(balance(concordant, all), workspace)
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
    let Workspace { values, spill, ones, isa, .. } = workspace;
    match *isa {
        None => partition(&Count, 0, &mut values[..kept], spill),
        Some(isa) => {
            let terms = split::Terms::Products { brings: ones, takes: ones };
            partition(&Split { isa, terms, slow: Count }, 0, &mut values[..kept], spill)
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

/// n times the concordant sum and n times the sum over all pairs: whole numbers.
fn average(workspace: &mut Workspace) -> (u128, u128) {
    let n = workspace.values.len();
    // The sum over all pairs is that of the top-k kernels over k: with c_k items in the top k of both, c_k (c_k - 1) / 2.
    let counts = &mut workspace.counts;
    counts.fill(0);
    for (position, &value) in (0..).zip(&workspace.values) {
        counts[value.max(position) as usize] += 1;
    }
    let mut within = 0;
    let mut all = 0;
    for &count in &counts[..n] {
        within += u64::from(count);
        all += u128::from(pairs_of(within));
    }
    for (position, &value) in (0..).zip(&workspace.values) {
        counts[value as usize] = n as u32 - value.max(position);
    }
    let Workspace { values, spill, by_value, counts, ones, isa } = workspace;
    let slow = LaterWeight(counts);
    let concordant = match *isa {
        None => partition(&slow, 0, values, spill),
        Some(isa) => {
            for (weight, &count) in by_value.iter_mut().zip(&*counts) {
                *weight = f64::from(count);
            }
            let terms = split::Terms::Products { brings: ones, takes: by_value };
            partition(&Split { isa, terms, slow }, 0, values, spill)
        }
    };
    (concordant, all)
}

fn add<const SIGNED: bool>(u: &[f64], workspace: &mut Workspace) -> f64 {
    let Workspace { values, spill, by_value, isa, .. } = workspace;
    for (&value, &u) in values.iter().zip(u) {
        by_value[value as usize] = u;
    }
    let slow = Sums::<SIGNED> { first: by_value, second: u };
    match *isa {
        Some(isa) if !SIGNED => {
            partition(&Split { isa, terms: split::Terms::Sums { p: by_value, q: u }, slow }, 0, values, spill)
        }
        _ => partition(&slow, 0, values, spill),
    }
}

fn mult<const SIGNED: bool>(u: &[f64], workspace: &mut Workspace) -> f64 {
    let Workspace { values, spill, by_value, isa, .. } = workspace;
    for (&value, &u_position) in values.iter().zip(u) {
        by_value[value as usize] = u_position * u[value as usize];
    }
    let slow = Products::<SIGNED>(by_value);
    match *isa {
        Some(isa) if !SIGNED => {
            let terms = split::Terms::Products { brings: by_value, takes: by_value };
            partition(&Split { isa, terms, slow }, 0, values, spill)
        }
        _ => partition(&slow, 0, values, spill),
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
