//! Sums over pairs of items of two incomplete rankings: means over all complete rankings that agree with them.
//!
//! With weights U of pairs of ranks, a complete ranking gives the ordered pair of items (i, j) the number
//! `U[s(i), s(j)]`, which is 0 unless i comes first. An incomplete one gives it the mean of that: over two blocks of
//! ranks if the items lie in different ones, over the ordered pairs of one block if they are tied. The kernel is the
//! sum over all ordered pairs of items of the product of the two means. Pairs that are tied in neither ranking are a
//! sum over concordant pairs of a permutation in which ties are broken so that no tied pair is concordant. Pairs that
//! are tied are found in *cells*, the items in one block of both rankings.

use super::average::{mean_in_tops, signed_average, sizes, tied_average};
use super::{Workspace, concordant_of, pairs_of};
use crate::error::Error;
use crate::memory;
use crate::parallel::Stop;
use crate::rankings::tied::Blocks;
use crate::simd::Isa;
use crate::weight::lowered::Lowered;
use crate::weight::means::Means;
use crate::weight::pair::Terms;

/// Items that are put in their places between two looks whether the run goes on.
const LOOK_EVERY: usize = 1 << 18;

/// A ranking with what its weights come to.
#[derive(Clone, Copy)]
pub(crate) struct TiedRanking<'a> {
    pub(crate) blocks: Blocks<'a>,
    pub(crate) means: &'a Means,
}

/// Memory for one thread.
#[derive(Default)]
pub(crate) struct TiedWorkspace {
    workspace: Workspace,
    /// The next free rank of each block.
    next: Vec<u32>,
    /// For each item its place in the one ranking, ties broken, and then in the other.
    places: Vec<u32>,
    /// The block in the other ranking, by place in the one; and the other way round.
    other_at: Vec<u32>,
    own_at: Vec<u32>,
    /// Numbers of items, by place in the other ranking.
    p: Vec<f64>,
    q: Vec<f64>,
    /// The numbers of ranks of the blocks of both rankings, by first rank.
    sizes: [Vec<usize>; 2],
    turned: Turned,
    common: [Turned; 2],
    /// What [`expected_signs`] gives for both rankings.
    expected_signs: [Vec<f64>; 2],
    /// New numbers of the items that are kept.
    numbers: Vec<u32>,
}

/// A ranking made of another one.
#[derive(Default)]
struct Turned {
    starts: Vec<u32>,
    order: Vec<u32>,
    down: Vec<u32>,
    start_at: Vec<u32>,
}

impl Turned {
    fn blocks(&self) -> Blocks<'_> {
        let Self { starts, order, down, start_at } = self;
        Blocks { starts, order, down, start_at, placed: order.len() }
    }

    fn reserve(&mut self, items: usize) -> Result<(), Error> {
        let Self { starts, order, down, start_at } = self;
        [starts, order, down, start_at].into_iter().try_for_each(|list| memory::reserve(list, items))
    }

    /// Makes what follows from starts and order.
    fn complete(&mut self) {
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

/// What sums are taken of, which tells the memory that they need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need<'a> {
    pub(crate) weight: &'a Lowered,
    pub(crate) signed: bool,
    /// Whether items can be anywhere.
    pub(crate) unknown: bool,
}

impl TiedWorkspace {
    /// Memory for rankings of `items` items, all of it: sums allocate nothing.
    pub(crate) fn new(need: Need<'_>, items: usize, isa: Option<Isa>, stop: &Stop) -> Result<Self, Error> {
        let mut new = Self { workspace: Workspace::for_run(isa, stop), ..Self::default() };
        new.workspace.try_fit(items)?;
        let Self { next, places, other_at, own_at, p, q, sizes, turned, common, expected_signs, numbers, .. } =
            &mut new;
        for list in [next, places, other_at, own_at] {
            memory::reserve(list, items)?;
        }
        memory::reserve(p, items)?;
        match need.weight {
            Lowered::Sums(_) => memory::reserve(q, items)?,
            Lowered::Later => sizes.iter_mut().try_for_each(|sizes| memory::reserve(sizes, items))?,
            Lowered::Count { .. }
            | Lowered::Products(_)
            | Lowered::Tensor { .. }
            | Lowered::Factors { .. }
            | Lowered::Quadruples(_) => {}
        }
        if need.unknown {
            common.iter_mut().try_for_each(|common| common.reserve(items))?;
            expected_signs.iter_mut().try_for_each(|expected_signs| memory::reserve(expected_signs, items))?;
            memory::reserve(numbers, items)?;
        } else if need.signed {
            turned.reserve(items)?;
        }
        Ok(new)
    }
}

/// The mean of the concordant sum.
pub(crate) fn concordant(weight: &Lowered, s: TiedRanking<'_>, t: TiedRanking<'_>, memory: &mut TiedWorkspace) -> f64 {
    let split = split_concordant(weight, s, t, t.blocks, memory);
    let TiedWorkspace { workspace, other_at, own_at, sizes: [of_s, of_t], .. } = &*memory;
    if workspace.is_stopped() {
        return split;
    }
    let (in_s, in_t, in_both) = match weight {
        Lowered::Later => {
            let (in_s, in_both) = tied_average(s.blocks, of_t, other_at, workspace);
            (in_s, tied_average(t.blocks, of_s, own_at, workspace).0, in_both)
        }
        Lowered::Sums(_) => {
            let (in_s, in_both) = tied::<true>(s, t, other_at);
            (in_s, tied::<true>(t, s, own_at).0, in_both)
        }
        Lowered::Count { .. } | Lowered::Products(_) => {
            let (in_s, in_both) = tied::<false>(s, t, other_at);
            (in_s, tied::<false>(t, s, own_at).0, in_both)
        }
        // General weights have no means; measures refuse them.
        Lowered::Tensor { .. } | Lowered::Factors { .. } | Lowered::Quadruples(_) => (0.0, 0.0, 0.0),
    };
    split + in_s + in_t + in_both
}

/// The mean of the concordant sum minus that of the discordant one: tied pairs cancel.
pub(crate) fn signed(weight: &Lowered, s: TiedRanking<'_>, t: TiedRanking<'_>, memory: &mut TiedWorkspace) -> f64 {
    if weight.is_later() {
        return signed_average(s.blocks, t.blocks, &mut memory.sizes, &memory.workspace);
    }
    let concordant = split_concordant(weight, s, t, t.blocks, memory);
    let mut turned = std::mem::take(&mut memory.turned);
    turn(t.blocks, &mut turned);
    let discordant = split_concordant(weight, s, t, turned.blocks(), memory);
    memory.turned = turned;
    concordant - discordant
}

/// The sum over the pairs that are tied in neither ranking and in the same order in `s` and `placed`, which has the
/// blocks of `t` or the same the other way round. Leaves the blocks of each by place in the other.
fn split_concordant(
    weight: &Lowered,
    s: TiedRanking<'_>,
    t: TiedRanking<'_>,
    placed: Blocks<'_>,
    memory: &mut TiedWorkspace,
) -> f64 {
    let items = s.blocks.starts.len();
    if !place(s.blocks, placed, memory) {
        return 0.0;
    }
    let TiedWorkspace { workspace, places, p, q, sizes: [of_s, of_t], .. } = memory;
    let start = |blocks: Blocks<'_>, item: usize| blocks.starts[item] as usize;
    p.resize(items, 0.0);
    let terms = match weight {
        // General weights have no means; measures refuse them.
        Lowered::Count { top: None } | Lowered::Tensor { .. } | Lowered::Factors { .. } | Lowered::Quadruples(_) => {
            Terms::Ones
        }
        Lowered::Later => {
            sizes(s.blocks, of_s);
            sizes(t.blocks, of_t);
            for (item, &place) in places.iter().enumerate() {
                let (a, b) = (start(s.blocks, item), start(t.blocks, item));
                p[place as usize] = mean_in_tops(items, (a, of_s[a]), (b, of_t[b]));
            }
            Terms::Later(p)
        }
        Lowered::Sums(_) => {
            q.resize(items, 0.0);
            for (item, &place) in places.iter().enumerate() {
                p[place as usize] = s.means.of_block[start(s.blocks, item)];
                q[place as usize] = t.means.of_block[start(t.blocks, item)];
            }
            Terms::Sums { p, q }
        }
        Lowered::Count { top: Some(_) } | Lowered::Products(_) => {
            for (item, &place) in places.iter().enumerate() {
                p[place as usize] = s.means.of_block[start(s.blocks, item)] * t.means.of_block[start(t.blocks, item)];
            }
            Terms::Products(p)
        }
    };
    concordant_of(terms, workspace)
}

/// Writes a permutation, values in order of place, whose concordant pairs are the pairs tied in neither ranking and in
/// the same order in both: tied items get places in the one ranking against their order in the other, and those tied in
/// both by number in the one and against it in the other. False if the run ended meanwhile.
fn place(s: Blocks<'_>, t: Blocks<'_>, memory: &mut TiedWorkspace) -> bool {
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
    for part in t.down.chunks(LOOK_EVERY) {
        for &item in part {
            places[item as usize] = take(next, s.starts[item as usize]);
        }
        if workspace.is_stopped() {
            return false;
        }
    }
    reset(next);
    for part in s.order.rchunks(LOOK_EVERY) {
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

/// The sums over the pairs that are tied in one ranking and not in the other, and over those tied in both.
///
/// Goes through the places of the one ranking without a branch, because blocks are short and of any length. Within a
/// block, the items of a cell follow each other. What was passed of the block before the cell began is not tied in the
/// other ranking.
fn tied<const ADD: bool>(own: TiedRanking<'_>, other: TiedRanking<'_>, other_at: &[u32]) -> (f64, f64) {
    let (mut in_own, mut in_both) = (0.0, 0.0);
    let (mut block, mut cell) = (u32::MAX, u32::MAX);
    // Sum and number of what was passed of the block, of that before the cell began, and how many of the cell were
    // passed.
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

/// The same ranking from the other end.
fn turn(blocks: Blocks<'_>, turned: &mut Turned) {
    let items = blocks.starts.len();
    turned.starts.resize(items, 0);
    turned.order.clear();
    for block in blocks.ranges().rev() {
        for &item in &blocks.order[block.clone()] {
            turned.starts[item as usize] = (items - block.end) as u32;
            turned.order.push(item);
        }
    }
    turned.complete();
}

/// The mean number of concordant pairs where items without a place can be anywhere.
///
/// With e the chance that i comes before j minus the chance that it comes after it, a pair adds (1 + e e') / 2. Of an
/// item with a place, among k such, and one without, e is 1 - 2 r / (k + 1), r being the mean rank of the block from 1;
/// of two without, 0.
pub(crate) fn anywhere(s: Blocks<'_>, t: Blocks<'_>, memory: &mut TiedWorkspace) -> f64 {
    let items = s.starts.len();
    let has = |blocks: Blocks<'_>, item: usize| (blocks.starts[item] as usize) < blocks.placed;
    let mut sum = 0.0;
    // Both in both rankings.
    let mut common = std::mem::take(&mut memory.common);
    for (blocks, kept) in [s, t].into_iter().zip(&mut common) {
        keep(blocks, |item| has(s, item) && has(t, item), &mut memory.numbers, kept);
    }
    sum += balance_of_common(&common, memory);
    memory.common = common;
    if memory.workspace.is_stopped() {
        return sum;
    }
    let [in_s, in_t] = &mut memory.expected_signs;
    expected_signs(s, in_s);
    expected_signs(t, in_t);
    let (in_s, in_t) = (&*in_s, &*in_t);
    // One item in both, the other only in one of them.
    for (own, other, of_other) in [(s, t, in_t), (t, s, in_s)] {
        let alone = |item: usize| has(own, item) && !has(other, item);
        let all = (0..items).filter(|&item| alone(item)).count() as f64;
        let mut before = 0.0;
        for block in own.ranges() {
            let within = own.order[block.clone()].iter().filter(|&&item| alone(item as usize)).count() as f64;
            for &item in &own.order[block] {
                if has(other, item as usize) {
                    let after = all - before - within;
                    sum += of_other[item as usize] * (after - before);
                }
            }
            before += within;
        }
    }
    // One in both, the other in none; one in each only.
    let (mut products, mut nowhere, mut alone) = (0.0, 0.0, (0.0, 0.0));
    for item in 0..items {
        match (has(s, item), has(t, item)) {
            (true, true) => products += in_s[item] * in_t[item],
            (true, false) => alone.0 += in_s[item],
            (false, true) => alone.1 += in_t[item],
            (false, false) => nowhere += 1.0,
        }
    }
    sum += nowhere * products - alone.0 * alone.1;
    f64::midpoint(pairs_of(items as u64) as f64, sum)
}

/// For each item with a place the chance that it comes before an item without one, less the chance that it comes after
/// it.
pub(crate) fn expected_signs(blocks: Blocks<'_>, expected_signs: &mut Vec<f64>) {
    expected_signs.clear();
    expected_signs.resize(blocks.starts.len(), 0.0);
    for block in blocks.ranges() {
        let mean = (block.start + block.end + 1) as f64 / 2.0;
        for &item in &blocks.order[block] {
            expected_signs[item as usize] = 1.0 - 2.0 * mean / (blocks.placed as f64 + 1.0);
        }
    }
}

/// Concordant minus discordant pairs of two rankings of the same few items.
fn balance_of_common([s, t]: &[Turned; 2], memory: &mut TiedWorkspace) -> f64 {
    let (s, t) = (s.blocks(), t.blocks());
    let tied = |blocks: Blocks<'_>| blocks.ranges().map(|block| pairs_of(block.len() as u64)).sum::<u64>();
    if !place(s, t, memory) {
        return 0.0;
    }
    let cells = s.ranges().flat_map(|block| memory.other_at[block].chunk_by(|one, other| one == other));
    let in_both: u64 = cells.map(|cell| pairs_of(cell.len() as u64)).sum();
    let split = pairs_of(s.starts.len() as u64) + in_both - tied(s) - tied(t);
    2.0 * concordant_of(Terms::Ones, &mut memory.workspace) - split as f64
}

/// A ranking of some of the items, numbered anew.
fn keep(blocks: Blocks<'_>, kept: impl Fn(usize) -> bool, numbers: &mut Vec<u32>, into: &mut Turned) {
    numbers.clear();
    numbers.resize(blocks.starts.len(), u32::MAX);
    let mut count = 0;
    for (item, number) in numbers.iter_mut().enumerate() {
        if kept(item) {
            *number = count;
            count += 1;
        }
    }
    into.starts.resize(count as usize, 0);
    into.order.clear();
    for block in blocks.ranges() {
        let start = into.order.len() as u32;
        for &item in &blocks.order[block] {
            let number = numbers[item as usize];
            if number != u32::MAX {
                into.starts[number as usize] = start;
                into.order.push(number);
            }
        }
    }
    into.complete();
}
