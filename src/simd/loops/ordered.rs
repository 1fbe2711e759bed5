//! Sums over increasing tuples of any order, for all orders at once.
//!
//! Let `t[d][j]` be the sum over the increasing tuples of d items that end with item j. If the term of a tuple is the
//! product of its numbers x:
//!
//! ```text
//! t[1][j] = x[j]
//! t[d][j] = x[j] * sum of t[d-1][i] over the items i before and below j
//! ```
//!
//! The values are split into leaves. A leaf is summed as above. When a run of leaves is complete, its sums are carried
//! on to the run above it, which has the same length. This takes one pass over both runs, sorted by position. The
//! passes are the same as in the following recursion, in the same order, but without its calls:
//!
//! ```text
//! solve(run):
//!     if it is a leaf: sum it
//!     else: solve(low half); pass from the low half to the high half; solve(high half)
//! ```

use std::sync::atomic::{AtomicBool, Ordering};

use super::task;
use crate::weight::pair::{Ones, PairTerm, Products, Sums, Terms};

/// The number of values in a leaf. For n = 1000, leaves of twice as many values take 1.25 times as long, and leaves of
/// half as many values take the same time.
const LEAF: usize = 8;

/// From this level on, there is a check for a stop before each pass. Such a pass takes a tenth of a millisecond or
/// more.
const LOOK_FROM: usize = 11;

/// Reusable memory. If its vectors have the capacity of [`Memory::sizes`], a sum allocates nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    /// Numbers of items, by value. Each component has numbers for the orders that are carried, and for one more order.
    pub(crate) numbers: Vec<f64>,
    /// For each length of runs, the values of all runs, one run after another. The values of a run are sorted by
    /// position.
    pub(crate) lists: Vec<u32>,
    /// The components, by value, from which the next orders continue.
    pub(crate) starts: Vec<f64>,
}

impl Memory {
    /// The lengths of the three vectors for sums over tuples of `order` items.
    pub(crate) fn sizes(components: usize, order: usize, count: usize) -> [usize; 3] {
        let left = order.saturating_sub(1);
        let each = count.saturating_mul(components);
        let starts = if left > lanes_for(left) { each } else { 0 };
        [each.saturating_mul(stride(lanes_for(left))), levels_for(count).saturating_mul(count), starts]
    }
}

/// The number of orders that are carried at a time, if `left` orders are left.
const fn lanes_for(left: usize) -> usize {
    match left {
        0..=2 => 2,
        3..=4 => 4,
        _ => 8,
    }
}

/// The number of different lengths of runs. The longest run is not counted.
fn levels_for(count: usize) -> usize {
    count.div_ceil(LEAF).max(1).next_power_of_two().trailing_zeros() as usize
}

task! {
    /// Adds up the terms of the increasing tuples of `order` items of a permutation, whose `values` are sorted
    /// by position.
    ///
    /// There are four kinds of terms of a tuple: 1, the number of its last item, the product of all numbers, or the sum
    /// of all p times the sum of all q. If the run is cancelled, the sum ends early and must not be used.
    pub(crate) fn sum(
        _arch: A, terms: Terms<'_>, order: usize, values: &[u32], memory: &mut Memory, cancel: Option<&AtomicBool>,
    ) -> f64 {
        match terms {
            Terms::Ones => by_steps::<Ones, _, _, _>(|_| [], order, values, memory, cancel).sum(),
            Terms::Later(weights) => {
                let counts = by_steps::<Ones, _, _, _>(|_| [], order, values, memory, cancel);
                counts.zip(weights).map(|(count, weight)| count * weight).sum()
            }
            Terms::Products(x) => by_steps::<Products, _, _, _>(|value| [x[value]], order, values, memory, cancel).sum(),
            Terms::Sums { p, q } => {
                by_steps::<Sums, _, _, _>(|value| [p[value], q[value]], order, values, memory, cancel).sum()
            }
        }
    }
}

/// Terms of pairs with a form for tuples. A tuple gives `N` numbers to later items; the last one is its term.
trait TupleTerm<const M: usize, const N: usize>: PairTerm<M, N> {
    /// Adds this item at the end of tuples whose sums are `sums`. Then `longer += share * the numbers of the longer
    /// tuples`. There are `L` orders side by side.
    fn extend<const L: usize>(item: [f64; M], share: f64, sums: &[[f64; L]; N], longer: &mut [[f64; L]; N]);
}

impl TupleTerm<0, 1> for Ones {
    #[inline(always)]
    fn extend<const L: usize>([]: [f64; 0], share: f64, [sums]: &[[f64; L]; 1], [longer]: &mut [[f64; L]; 1]) {
        for lane in 0..L {
            longer[lane] += share * sums[lane];
        }
    }
}

impl TupleTerm<1, 1> for Products {
    #[inline(always)]
    fn extend<const L: usize>([x]: [f64; 1], share: f64, [sums]: &[[f64; L]; 1], [longer]: &mut [[f64; L]; 1]) {
        let factor = share * x;
        for lane in 0..L {
            longer[lane] += factor * sums[lane];
        }
    }
}

/// Let P be the sum of all p of a tuple, and Q the sum of all q. The tuple gives the numbers 1, P, Q and P Q.
impl TupleTerm<2, 4> for Sums {
    #[inline(always)]
    fn extend<const L: usize>(
        [p, q]: [f64; 2],
        share: f64,
        [ones, ps, qs, pqs]: &[[f64; L]; 4],
        [longer, longer_p, longer_q, longer_pq]: &mut [[f64; L]; 4],
    ) {
        for lane in 0..L {
            let both = ones[lane] * q + qs[lane];
            longer[lane] += share * ones[lane];
            longer_p[lane] += share * (ps[lane] + p * ones[lane]);
            longer_q[lane] += share * both;
            longer_pq[lane] += share * (pqs[lane] + ps[lane] * q + p * both);
        }
    }
}

/// The sums of the requested order, by value. As many orders as fit into a register are computed at a time. The next
/// orders continue from these.
#[inline(always)]
fn by_steps<'m, T: TupleTerm<M, N>, I: Fn(usize) -> [f64; M], const M: usize, const N: usize>(
    items: I,
    order: usize,
    values: &'m [u32],
    memory: &'m mut Memory,
    cancel: Option<&AtomicBool>,
) -> impl Iterator<Item = f64> + use<'m, T, I, M, N> {
    let Memory { numbers, lists, starts } = memory;
    let tree = Tree::new(values, lists, cancel);
    let mut base: Option<(usize, usize)> = None;
    let mut left = order - 1;
    // After a stop, the tree may be unfinished and contain numbers that are not values.
    while left > 0 && !is_set(cancel) {
        let lanes = lanes_for(left);
        if let Some((lanes, steps)) = base {
            starts.clear();
            starts.extend((0..values.len() * N).map(|place| numbers[place * stride(lanes) + steps]));
        }
        let steps = left.min(lanes);
        let starts = starts.as_chunks::<N>().0;
        let first = |value: usize| if base.is_some() { starts[value] } else { T::earlier(1.0, items(value)) };
        match lanes {
            2 => carry::<T, M, N, 2>(&items, first, &tree, values.len(), numbers, cancel),
            4 => carry::<T, M, N, 4>(&items, first, &tree, values.len(), numbers, cancel),
            _ => carry::<T, M, N, 8>(&items, first, &tree, values.len(), numbers, cancel),
        }
        base = Some((lanes, steps));
        left -= steps;
    }
    let (lanes, steps) = base.unwrap_or((2, 0));
    let stride = stride(lanes);
    // The last component is the term.
    numbers.chunks_exact(N * stride).map(move |numbers| numbers[(N - 1) * stride + steps])
}

/// Whether to stop.
fn is_set(cancel: Option<&AtomicBool>) -> bool {
    cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
}

/// The number of entries for each component of an item: the orders that are carried, and one more, because they are
/// carried to the next higher orders.
const fn stride(lanes: usize) -> usize {
    lanes + 2
}

/// The runs of leaves, sorted by length.
struct Tree<'a> {
    /// The longest run.
    values: &'a [u32],
    /// The shorter runs, the shortest first.
    levels: std::slice::ChunksExact<'a, u32>,
}

impl<'a> Tree<'a> {
    #[inline(always)]
    fn new(values: &'a [u32], lists: &'a mut Vec<u32>, cancel: Option<&AtomicBool>) -> Self {
        let count = values.len();
        let levels = levels_for(count);
        lists.resize(levels * count, 0);
        // The longest run has all values. Each run is split into two runs, both sorted by position, down to the leaves.
        let mut shorter = lists.as_mut_slice();
        let mut above = values;
        for level in (0..levels).rev() {
            if level >= LOOK_FROM && is_set(cancel) {
                break;
            }
            let list;
            (shorter, list) = shorter.split_at_mut(level * count);
            let list = &mut list[..count];
            let length = LEAF << level;
            for (start, run) in (0..).step_by(2 * length).zip(above.chunks(2 * length)) {
                let middle = start + length;
                let (mut low, mut high) = (start, middle);
                for &value in run {
                    let is_low = (value as usize) < middle;
                    list[if is_low { low } else { high }] = value;
                    low += usize::from(is_low);
                    high += usize::from(!is_low);
                }
            }
            above = list;
        }
        Self { values, levels: lists.chunks_exact(count.max(1)) }
    }

    /// The values of the run of `1 << level` leaves from leaf `first` on, sorted by position.
    #[inline(always)]
    fn run(&self, level: usize, first: usize) -> &'a [u32] {
        let (start, length) = (first * LEAF, LEAF << level);
        let list = self.levels.clone().nth(level).unwrap_or(self.values);
        &list[start..list.len().min(start + length)]
    }
}

/// Fills `numbers`. The first number of each component is given.
#[inline(always)]
fn carry<T: TupleTerm<M, N>, const M: usize, const N: usize, const L: usize>(
    items: &impl Fn(usize) -> [f64; M],
    first: impl Fn(usize) -> [f64; N],
    tree: &Tree<'_>,
    count: usize,
    numbers: &mut Vec<f64>,
    cancel: Option<&AtomicBool>,
) {
    let stride = const { stride(L) };
    numbers.clear();
    numbers.resize(count * N * stride, 0.0);
    for (value, numbers) in numbers.chunks_exact_mut(N * stride).enumerate() {
        for (component, own) in first(value).into_iter().enumerate() {
            numbers[component * stride] = own;
        }
    }
    let leaves = count.div_ceil(LEAF);
    for leaf in 0..leaves {
        let run = tree.run(0, leaf);
        match run.first_chunk::<LEAF>() {
            // A full leaf has a known length, so that the loops are unrolled and the sums stay in registers.
            Some(run) => sum_leaf::<T, M, N, L>(items, run, numbers),
            None => sum_leaf::<T, M, N, L>(items, run, numbers),
        }
        // Takes the longest run of complete leaves that ends here, and the run above it.
        let next = leaf + 1;
        let level = next.trailing_zeros() as usize;
        if level >= LOOK_FROM && is_set(cancel) {
            return;
        }
        if next < leaves {
            pass::<T, M, N, L>(items, tree.run(level + 1, next - (1 << level)), next * LEAF, numbers);
        }
    }
}

/// Carries the numbers of the values below `middle` on to the values above it.
#[inline(always)]
fn pass<T: TupleTerm<M, N>, const M: usize, const N: usize, const L: usize>(
    items: &impl Fn(usize) -> [f64; M],
    run: &[u32],
    middle: usize,
    numbers: &mut [f64],
) {
    let stride = const { stride(L) };
    let mut sums = [[0.0; L]; N];
    for &value in run {
        let value = value as usize;
        // A branch would be unpredictable, so both updates are done, and one of them adds 0.
        let low = f64::from(u8::from(value < middle));
        let numbers = &mut numbers[value * N * stride..][..N * stride];
        let mut longer = [[0.0; L]; N];
        for (component, longer) in longer.iter_mut().enumerate() {
            longer.copy_from_slice(&numbers[component * stride + 1..][..L]);
        }
        T::extend(items(value), 1.0 - low, &sums, &mut longer);
        for (component, sums) in sums.iter_mut().enumerate() {
            for (sum, number) in sums.iter_mut().zip(&numbers[component * stride..][..L]) {
                *sum += low * number;
            }
        }
        for (component, longer) in longer.iter().enumerate() {
            numbers[component * stride + 1..][..L].copy_from_slice(longer);
        }
    }
}

/// Carries the numbers within a leaf: each value gets the numbers of all values that come before it and are smaller.
#[inline(always)]
fn sum_leaf<T: TupleTerm<M, N>, const M: usize, const N: usize, const L: usize>(
    items: &impl Fn(usize) -> [f64; M],
    leaf: &[u32],
    numbers: &mut [f64],
) {
    let stride = const { stride(L) };
    let leaf = &leaf[..leaf.len().min(LEAF)];
    let mut before = [[[0.0; L]; N]; LEAF];
    for (place, &value) in leaf.iter().enumerate() {
        let mut sums = [[0.0; L]; N];
        for (&other, before) in leaf[..place].iter().zip(&before) {
            let below = f64::from(u8::from(other < value));
            for (sums, before) in sums.iter_mut().zip(before) {
                for lane in 0..L {
                    sums[lane] += below * before[lane];
                }
            }
        }
        let value = value as usize;
        let numbers = &mut numbers[value * N * stride..][..N * stride];
        let mut longer = [[0.0; L]; N];
        for (component, longer) in longer.iter_mut().enumerate() {
            longer.copy_from_slice(&numbers[component * stride + 1..][..L]);
        }
        T::extend(items(value), 1.0, &sums, &mut longer);
        for (component, longer) in longer.iter().enumerate() {
            numbers[component * stride + 1..][..L].copy_from_slice(longer);
            before[place][component].copy_from_slice(&numbers[component * stride..][..L]);
        }
    }
}
