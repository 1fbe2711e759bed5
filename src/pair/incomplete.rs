//! Sums over pairs of items of two incomplete rankings: means over all complete rankings that agree with them.
//!
//! Let U be weights of pairs of ranks. In a complete ranking s, the ordered pair of items (i, j) has a number: `U[s(i),
//! s(j)]` if i comes first, otherwise 0. In an incomplete ranking, the number is a mean. If the items are in different
//! blocks, it is the mean over the ranks of the two blocks. If they are tied, it is the mean over the ordered pairs of
//! ranks of their block. For the kernel, multiply the numbers of an ordered pair in the two rankings, and add up these
//! products over all ordered pairs.
//!
//! There are two kinds of pairs. Pairs that are tied in neither ranking are a sum over concordant pairs of a
//! permutation: ties are broken so that no tied pair is concordant. Tied pairs are found in *cells*. A cell has the
//! items that share a block in both rankings.

use super::table::{self, Levels, Table};
use super::tops::{self, top_block};
use super::{Workspace, concordant_of, pairs_of};
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;
use crate::rankings::tied::Blocks;
use crate::simd::Isa;
use crate::simd::tops::{TopBlock, of_blocks};
use crate::weight::kinds::PairWeight;
use crate::weight::means::Means;
use crate::weight::pair::Terms;

/// The number of items that are placed between two checks for a stop.
const STOP_CHECK_INTERVAL: usize = 1 << 18;

/// A ranking with the block means of its weights.
#[derive(Clone, Copy)]
pub(crate) struct TiedRanking<'a> {
    pub(crate) blocks: Blocks<'a>,
    pub(crate) means: &'a Means,
    /// The levels of the ranking; only if all items have a position.
    pub(crate) levels: Option<&'a Levels>,
}

/// Memory for one thread.
#[derive(Default)]
pub(crate) struct TiedWorkspace {
    pub(super) workspace: Workspace,
    /// The next free rank of each block.
    next: Vec<u32>,
    /// The position of each item in one ranking with ties broken, and then in the other.
    places: Vec<u32>,
    /// For each position in the first ranking, the block of its item in the second ranking. The next field is the same
    /// with the two rankings swapped.
    pub(super) other_at: Vec<u32>,
    own_at: Vec<u32>,
    /// Numbers of items, by position in the second ranking.
    p: Vec<f64>,
    q: Vec<f64>,
    /// The blocks of both rankings, each stored at its first rank.
    tops: [Vec<TopBlock>; 2],
    table: Table,
    reversed: Reversed,
    pub(super) common: [Reversed; 2],
    /// The results of [`expected_signs`](super::anywhere::expected_signs) for both rankings.
    pub(super) expected_signs: [Vec<f64>; 2],
    /// New numbers of the items that are kept.
    pub(super) numbers: Vec<u32>,
}

/// A ranking derived from another one.
#[derive(Default)]
pub(crate) struct Reversed {
    pub(super) starts: Vec<u32>,
    pub(super) order: Vec<u32>,
    down: Vec<u32>,
    start_at: Vec<u32>,
}

impl Reversed {
    pub(crate) fn blocks(&self) -> Blocks<'_> {
        let Self { starts, order, down, start_at } = self;
        Blocks { starts, order, down, start_at, placed: order.len() }
    }

    fn reserve(&mut self, items: usize) -> Result<(), Error> {
        let Self { starts, order, down, start_at } = self;
        [starts, order, down, start_at].into_iter().try_for_each(|list| memory::reserve(list, items))
    }

    /// Computes the other fields from the starts and the order.
    pub(super) fn complete(&mut self) {
        self.start_at.clear();
        self.start_at.extend(self.order.iter().map(|&item| self.starts[item as usize]));
        self.down.clear();
        let mut end = self.order.len();
        while end > 0 {
            let start = self.start_at[end - 1] as usize;
            self.down.extend_from_slice(&self.order[start..end]);
            end = start;
        }
    }
}

/// The sums to compute, which determine the memory that they need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need<'a> {
    pub(crate) weight: &'a PairWeight,
    pub(crate) signed: bool,
    /// Whether items can be anywhere.
    pub(crate) unknown: bool,
    /// Tables of blocks are used up to this many cells.
    pub(crate) most_cells: usize,
}

impl TiedWorkspace {
    /// Memory for rankings of `items` items; the sums allocate nothing more.
    pub(crate) fn new(need: Need<'_>, items: usize, isa: Option<Isa>, cancel: &Cancel) -> Result<Self, Error> {
        let mut new = Self { workspace: Workspace::for_run(isa, cancel), ..Self::default() };
        new.workspace.try_fit(items)?;
        let Self {
            next, places, other_at, own_at, p, q, tops, table, reversed, common, expected_signs, numbers, ..
        } = &mut new;
        for list in [next, places, other_at, own_at] {
            memory::reserve(list, items)?;
        }
        memory::reserve(p, items)?;
        match need.weight {
            PairWeight::Sums(_) => memory::reserve(q, items)?,
            PairWeight::Average => tops.iter_mut().try_for_each(|tops| memory::reserve(tops, items))?,
            PairWeight::Count { .. } | PairWeight::Products(_) => {}
        }
        if isa.is_some() && !need.unknown {
            table.fit(need.weight, items, need.most_cells)?;
        }
        if need.unknown {
            common.iter_mut().try_for_each(|common| common.reserve(items))?;
            expected_signs.iter_mut().try_for_each(|expected_signs| memory::reserve(expected_signs, items))?;
            memory::reserve(numbers, items)?;
        } else if need.signed {
            reversed.reserve(items)?;
        }
        Ok(new)
    }
}

/// Two rankings with ties as one permutation, made by [`place`]. Its concordant pairs are the pairs that are tied in
/// neither ranking and have the same order in both.
pub(crate) struct Untied<'a> {
    /// Values, in order of position.
    pub(crate) values: &'a [u32],
    /// The value of each item.
    pub(crate) value_of: &'a [u32],
    /// For each position, the first rank of the block in the second ranking.
    pub(crate) other_at: &'a [u32],
    /// A number for each item, by value, for the sums.
    pub(crate) numbers: &'a mut [f64],
}

impl TiedWorkspace {
    /// The same as [`TiedWorkspace::new`], for the sums of [`Untied`].
    pub(crate) fn untied(items: usize, cancel: &Cancel) -> Result<Self, Error> {
        let weight = &PairWeight::Count { top: None };
        let need = Need { weight, signed: false, unknown: false, most_cells: 0 };
        Self::new(need, items, Some(Isa::widest()), cancel)
    }

    /// Breaks the ties of two rankings; `None` if the run is cancelled.
    pub(crate) fn untie(&mut self, s: Blocks<'_>, t: Blocks<'_>) -> Option<Untied<'_>> {
        if !place(s, t, self) {
            return None;
        }
        self.p.resize(s.starts.len(), 0.0);
        let Self { workspace, places, other_at, p, .. } = self;
        Some(Untied { values: &workspace.values, value_of: places, other_at, numbers: p })
    }

    /// The sum over the concordant pairs of the number of the later item. Overwrites the permutation.
    pub(crate) fn sum_later(&mut self) -> f64 {
        concordant_of(Terms::Later(&self.p), &mut self.workspace)
    }

    /// The sum over the concordant pairs of the product of the numbers of both items. Overwrites the permutation.
    pub(crate) fn sum_products(&mut self) -> f64 {
        concordant_of(Terms::Products(&self.p), &mut self.workspace)
    }
}

/// The mean of the concordant sum.
pub(crate) fn concordant(
    weight: &PairWeight,
    s: TiedRanking<'_>,
    t: TiedRanking<'_>,
    memory: &mut TiedWorkspace,
) -> f64 {
    if let (Some(isa), Some(of_s), Some(of_t)) = (memory.workspace.isa, s.levels, t.levels)
        && let Some(sum) = table::concordant(weight, of_s, of_t, &mut memory.table, isa)
    {
        return sum;
    }
    let split = split_concordant(weight, s, t, t.blocks, memory);
    let TiedWorkspace { workspace, other_at, own_at, tops: [of_s, of_t], .. } = &*memory;
    if workspace.is_stopped() {
        return split;
    }
    let (in_s, in_t, in_both) = match weight {
        PairWeight::Average => {
            let (in_s, in_both) = tied_later(s.blocks, of_s, of_t, other_at);
            (in_s, tied_later(t.blocks, of_t, of_s, own_at).0, in_both)
        }
        PairWeight::Sums(_) => {
            let (in_s, in_both) = tied::<true>(s, t, other_at);
            (in_s, tied::<true>(t, s, own_at).0, in_both)
        }
        PairWeight::Count { .. } | PairWeight::Products(_) => {
            let (in_s, in_both) = tied::<false>(s, t, other_at);
            (in_s, tied::<false>(t, s, own_at).0, in_both)
        }
    };
    split + in_s + in_t + in_both
}

/// The mean of the concordant sum minus the mean of the discordant sum. Tied pairs cancel.
pub(crate) fn signed(weight: &PairWeight, s: TiedRanking<'_>, t: TiedRanking<'_>, memory: &mut TiedWorkspace) -> f64 {
    if let (Some(isa), Some(of_s), Some(of_t)) = (memory.workspace.isa, s.levels, t.levels)
        && let Some(sum) = table::signed(weight, of_s, of_t, &mut memory.table, isa)
    {
        return sum;
    }
    if weight.is_later() {
        let concordant = split_concordant(weight, s, t, t.blocks, memory);
        let TiedWorkspace { workspace, next, places, .. } = memory;
        return 2.0 * concordant - tops::split_pairs(s.blocks, t.blocks, [next, places], workspace.cancel());
    }
    let concordant = split_concordant(weight, s, t, t.blocks, memory);
    if weight.counts_all() {
        return 2.0 * concordant - split_pairs(s.blocks, t.blocks, &memory.other_at) as f64;
    }
    let mut reversed = std::mem::take(&mut memory.reversed);
    reverse(t.blocks, &mut reversed);
    let discordant = split_concordant(weight, s, t, reversed.blocks(), memory);
    memory.reversed = reversed;
    concordant - discordant
}

/// The sum over the pairs that are tied in neither ranking and have the same order in `s` and `placed`. `placed` has
/// the blocks of `t` or of the reversed `t`. Afterwards, `memory` has the blocks of each ranking by positions in the
/// other ranking.
fn split_concordant(
    weight: &PairWeight,
    s: TiedRanking<'_>,
    t: TiedRanking<'_>,
    placed: Blocks<'_>,
    memory: &mut TiedWorkspace,
) -> f64 {
    let items = s.blocks.starts.len();
    if !place(s.blocks, placed, memory) {
        return 0.0;
    }
    let TiedWorkspace { workspace, places, p, q, tops: [of_s, of_t], .. } = memory;
    let start = |blocks: Blocks<'_>, item: usize| blocks.starts[item] as usize;
    p.resize(items, 0.0);
    let terms = match weight {
        // General weights have no means here. Measures return an error for them before.
        PairWeight::Count { top: None } => Terms::Ones,
        PairWeight::Average => {
            by_start(s.blocks, of_s);
            by_start(t.blocks, of_t);
            for (item, &place) in places.iter().enumerate() {
                let (a, b) = (start(s.blocks, item), start(t.blocks, item));
                p[place as usize] = of_blocks(items as f64, of_s[a], of_t[b])[0] / items as f64;
            }
            Terms::Later(p)
        }
        PairWeight::Sums(_) => {
            q.resize(items, 0.0);
            for (item, &place) in places.iter().enumerate() {
                p[place as usize] = s.means.of_block[start(s.blocks, item)];
                q[place as usize] = t.means.of_block[start(t.blocks, item)];
            }
            Terms::Sums { p, q }
        }
        PairWeight::Count { top: Some(_) } | PairWeight::Products(_) => {
            for (item, &place) in places.iter().enumerate() {
                p[place as usize] = s.means.of_block[start(s.blocks, item)] * t.means.of_block[start(t.blocks, item)];
            }
            Terms::Products(p)
        }
    };
    concordant_of(terms, workspace)
}

/// Writes a permutation: its values in the order of positions. Its concordant pairs are the pairs that are tied in
/// neither ranking and have the same order in both. Items that are tied in only one ranking are placed there in the
/// reverse order of the other ranking. Items that are tied in both rankings are placed by number in one ranking, and in
/// reverse order in the other. Returns false if the run is stopped.
pub(super) fn place(s: Blocks<'_>, t: Blocks<'_>, memory: &mut TiedWorkspace) -> bool {
    let items = s.starts.len();
    let TiedWorkspace { workspace, next, places, other_at, own_at, .. } = memory;
    workspace.shorten(items);
    for at in [&mut *next, places, other_at, own_at] {
        at.resize(items, 0);
    }
    let reset = |next: &mut [u32]| next.iter_mut().zip(0..).for_each(|(next, start)| *next = start);
    let take = |next: &mut [u32], start: u32| {
        let place = next[start as usize];
        next[start as usize] += 1;
        place
    };
    reset(next);
    for part in t.down.chunks(STOP_CHECK_INTERVAL) {
        for &item in part {
            places[item as usize] = take(next, s.starts[item as usize]);
        }
        if workspace.is_stopped() {
            return false;
        }
    }
    reset(next);
    for part in s.order.rchunks(STOP_CHECK_INTERVAL) {
        for &item in part.iter().rev() {
            let item = item as usize;
            let value = take(next, t.starts[item]);
            let place = std::mem::replace(&mut places[item], value) as usize;
            workspace.values[place] = value;
            other_at[place] = t.starts[item];
            own_at[value as usize] = s.starts[item];
        }
        if workspace.is_stopped() {
            return false;
        }
    }
    true
}

/// The number of pairs of items that are tied in neither ranking. `other_at` has the blocks of the second ranking, by
/// position in the first ranking.
pub(super) fn split_pairs(s: Blocks<'_>, t: Blocks<'_>, other_at: &[u32]) -> u64 {
    let tied = |blocks: Blocks<'_>| blocks.ranges().map(|block| pairs_of(block.len() as u64)).sum::<u64>();
    let cells = s.ranges().flat_map(|block| other_at[block].chunk_by(|one, other| one == other));
    let in_both: u64 = cells.map(|cell| pairs_of(cell.len() as u64)).sum();
    pairs_of(s.starts.len() as u64) + in_both - tied(s) - tied(t)
}

/// The number of pairs in which two rankings differ. A pair in opposite orders counts twice. A pair that is tied in
/// only one ranking counts once.
pub(crate) fn differing_pairs(s: Blocks<'_>, t: Blocks<'_>, memory: &mut TiedWorkspace) -> u64 {
    if !place(s, t, memory) {
        return 0;
    }
    let tied = |blocks: Blocks<'_>| blocks.ranges().map(|block| pairs_of(block.len() as u64)).sum::<u64>();
    let split = split_pairs(s, t, &memory.other_at);
    // Each pair is tied in no ranking (split), in one or in both. `in_one` is the number tied in s, plus the number
    // tied in t, minus twice the number tied in both.
    let in_one = 2 * (pairs_of(s.starts.len() as u64) - split) - tied(s) - tied(t);
    // If the run is cancelled, the count can be any number.
    2 * split.saturating_sub(super::standard(&mut memory.workspace)) + in_one
}

/// Two sums: over the pairs that are tied in `own` and not in `other`, and over the pairs that are tied in both.
///
/// The loop goes through the positions of one ranking without branches, because blocks are short and of any length.
/// Within a block, the items of a cell are consecutive. The items of the block before the cell are not tied with it in
/// the other ranking.
fn tied<const ADD: bool>(own: TiedRanking<'_>, other: TiedRanking<'_>, other_at: &[u32]) -> (f64, f64) {
    let (mut in_own, mut in_both) = (0.0, 0.0);
    let (mut block, mut cell) = (u32::MAX, u32::MAX);
    // The sum and the number of the items of the block so far; the same for the items before the cell; and the number
    // of items of the cell so far.
    let (mut sum, mut number, mut before, mut number_before, mut of_cell) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (&start, &of_other) in own.blocks.start_at.iter().zip(other_at) {
        let same_block = start == block;
        let same_cell = same_block && of_other == cell;
        sum = if same_block { sum } else { 0.0 };
        before = if same_cell { before } else { sum };
        of_cell = if same_cell { of_cell + 1.0 } else { 0.0 };
        let value = other.means.of_block[of_other as usize];
        let tied = own.means.of_tied[start as usize];
        if ADD {
            number = if same_block { number } else { 0.0 };
            number_before = if same_cell { number_before } else { number };
            in_own += tied * (before + number_before * value);
            number += 1.0;
        } else {
            in_own += tied * (before * value);
        }
        in_both += 2.0 * of_cell * (tied * other.means.of_tied[of_other as usize]);
        sum += value;
        (block, cell) = (start, of_other);
    }
    (in_own, in_both)
}

/// The same two sums for the average weight, cell by cell. The cells of a block come in the reverse order of the other
/// ranking.
fn tied_later(own: Blocks<'_>, of_own: &[TopBlock], of_other: &[TopBlock], other_at: &[u32]) -> (f64, f64) {
    let items = own.starts.len() as f64;
    let (mut in_own, mut in_both) = (0.0, 0.0);
    for block in own.ranges().filter(|block| block.len() > 1) {
        let mut passed = 0.0;
        for cell in other_at[block.clone()].chunk_by(|one, other| one == other) {
            let count = cell.len() as f64;
            let [_, tied, _, both] = of_blocks(items, of_own[block.start], of_other[cell[0] as usize]);
            in_own += passed * count;
            passed += count * tied;
            in_both += count * (count - 1.0) * both;
        }
    }
    (in_own / items.max(1.0), in_both / items.max(1.0))
}

/// Writes each block at its first rank.
fn by_start(blocks: Blocks<'_>, by_start: &mut Vec<TopBlock>) {
    by_start.clear();
    by_start.resize(blocks.starts.len(), [0.0; 4]);
    for block in blocks.ranges() {
        by_start[block.start] = top_block(&block);
    }
}

/// The ranking reversed, with memory of its own.
pub(crate) fn reversed(blocks: Blocks<'_>) -> Result<Reversed, Error> {
    let mut reversed = Reversed::default();
    reversed.reserve(blocks.starts.len())?;
    reverse(blocks, &mut reversed);
    Ok(reversed)
}

/// The ranking reversed.
fn reverse(blocks: Blocks<'_>, reversed: &mut Reversed) {
    let items = blocks.starts.len();
    reversed.starts.resize(items, 0);
    reversed.order.clear();
    for block in blocks.ranges().rev() {
        for &item in &blocks.order[block.clone()] {
            reversed.starts[item as usize] = (items - block.end) as u32;
            reversed.order.push(item);
        }
    }
    reversed.complete();
}
