//! Sums over increasing tuples of any order, all orders side by side.
//!
//! Every item j has a number for each order: the sum over the increasing tuples of that order that end with j. Order 1 is the
//! item's own number `x_j`, and each next order is `x_j` times the sum of the order before over the items before and below j. The values
//! are cut into leaves. A leaf is summed by its definition; whenever a run of leaves is complete, one pass in order of
//! position over it and the equally long run above it carries its sums on. The passes are those of a recursion that solves the low
//! half, passes over both halves, and solves the high half, in the same order and without its calls.

use std::sync::atomic::{AtomicBool, Ordering};

use super::grid::Terms;
use super::task;

/// Values in a leaf. Twice as many take a quarter as long again at n = 1000, half as many the same.
const LEAF: usize = 8;

/// From this level on, whoever passes over a run looks first whether to stop: it takes a tenth of a millisecond and more.
const LOOK_FROM: usize = 11;

/// Memory to be used again. With room for as many numbers as [`Memory::sizes`] says, nothing more is allocated.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    /// Numbers of items, by value: for each component as many orders as are carried, and one.
    pub(crate) numbers: Vec<f64>,
    /// Values in order of position, for each length of run sorted by run.
    pub(crate) lists: Vec<u32>,
    /// The components, by value, that the next orders go on from.
    pub(crate) starts: Vec<f64>,
}

impl Memory {
    /// How many numbers, entries of lists and starts sums over tuples of so many items take.
    pub(crate) fn sizes(components: usize, order: usize, count: usize) -> [usize; 3] {
        let left = order.saturating_sub(1);
        let each = count.saturating_mul(components);
        let starts = if left > lanes_for(left) { each } else { 0 };
        [each.saturating_mul(stride(lanes_for(left))), levels_for(count).saturating_mul(count), starts]
    }
}

/// How many orders are carried at a time when so many are left.
const fn lanes_for(left: usize) -> usize {
    match left {
        0..=2 => 2,
        3..=4 => 4,
        _ => 8,
    }
}

/// How many lengths of runs there are, but for the longest.
fn levels_for(count: usize) -> usize {
    count.div_ceil(LEAF).max(1).next_power_of_two().trailing_zeros() as usize
}

task! {
    /// Adds up what the increasing tuples of `order` of a permutation add: the product of the numbers of their items, that of the
    /// last item, or the product of two sums of numbers of their items. `values` are in order of position. When `stop` gets set, the
    /// sum ends early and is meaningless.
    pub(crate) fn sum<A>(
        terms: Terms<'_>, order: usize, values: &[u32], memory: &mut Memory, stop: Option<&AtomicBool>,
    ) -> f64 {
        match terms {
            Terms::Ones => by_steps(&Ones, order, values, memory, stop).sum(),
            Terms::Later(weights) => {
                by_steps(&Ones, order, values, memory, stop).zip(weights).map(|(count, weight)| count * weight).sum()
            }
            Terms::Squares(x) => by_steps(&Products(x), order, values, memory, stop).sum(),
            Terms::Sums { p, q } => by_steps(&Sums { p, q }, order, values, memory, stop).sum(),
        }
    }
}

/// What is carried from order to order, in `C` components.
trait Algebra<const C: usize> {
    /// The components of order 1.
    fn own(&self, value: usize) -> [f64; C];
    /// Adds `share` times what the tuples in `sums` become with this item at their end.
    fn extend<const L: usize>(&self, value: usize, share: f64, sums: &[[f64; L]; C], longer: &mut [[f64; L]; C]);
}

struct Ones;

impl Algebra<1> for Ones {
    #[inline(always)]
    fn own(&self, _: usize) -> [f64; 1] {
        [1.0]
    }
    #[inline(always)]
    fn extend<const L: usize>(&self, _: usize, share: f64, [sums]: &[[f64; L]; 1], [longer]: &mut [[f64; L]; 1]) {
        for lane in 0..L {
            longer[lane] += share * sums[lane];
        }
    }
}

struct Products<'a>(&'a [f64]);

impl Algebra<1> for Products<'_> {
    #[inline(always)]
    fn own(&self, value: usize) -> [f64; 1] {
        [self.0[value]]
    }
    #[inline(always)]
    fn extend<const L: usize>(&self, value: usize, share: f64, [sums]: &[[f64; L]; 1], [longer]: &mut [[f64; L]; 1]) {
        let factor = share * self.0[value];
        for lane in 0..L {
            longer[lane] += factor * sums[lane];
        }
    }
}

struct Sums<'a> {
    p: &'a [f64],
    q: &'a [f64],
}

/// The number of tuples, their sums of p, their sums of q, and the products of these sums; what is added up in the end comes last.
impl Algebra<4> for Sums<'_> {
    #[inline(always)]
    fn own(&self, value: usize) -> [f64; 4] {
        let (p, q) = (self.p[value], self.q[value]);
        [1.0, p, q, p * q]
    }
    #[inline(always)]
    fn extend<const L: usize>(
        &self,
        value: usize,
        share: f64,
        [ones, ps, qs, pqs]: &[[f64; L]; 4],
        [longer, longer_p, longer_q, longer_pq]: &mut [[f64; L]; 4],
    ) {
        let (p, q) = (self.p[value], self.q[value]);
        for lane in 0..L {
            let both = ones[lane] * q + qs[lane];
            longer[lane] += share * ones[lane];
            longer_p[lane] += share * (ps[lane] + p * ones[lane]);
            longer_q[lane] += share * both;
            longer_pq[lane] += share * (pqs[lane] + ps[lane] * q + p * both);
        }
    }
}

/// The numbers of the wanted order, by value: as many orders at a time as fit a register, from which the next ones go on.
#[inline(always)]
fn by_steps<'m, A: Algebra<C>, const C: usize>(
    algebra: &A,
    order: usize,
    values: &'m [u32],
    memory: &'m mut Memory,
    stop: Option<&AtomicBool>,
) -> impl Iterator<Item = f64> + use<'m, A, C> {
    let Memory { numbers, lists, starts } = memory;
    let tree = Tree::new(values, lists, stop);
    let mut base: Option<(usize, usize)> = None;
    let mut left = order - 1;
    // When told to stop, the tree may be unfinished and full of numbers that are no values.
    while left > 0 && !is_set(stop) {
        let lanes = lanes_for(left);
        if let Some((lanes, steps)) = base {
            starts.clear();
            starts.extend((0..values.len() * C).map(|place| numbers[place * stride(lanes) + steps]));
        }
        let steps = left.min(lanes);
        let starts = starts.as_chunks::<C>().0;
        let first = |value: usize| if base.is_some() { starts[value] } else { algebra.own(value) };
        match lanes {
            2 => carry::<A, C, 2>(algebra, first, &tree, values.len(), numbers, stop),
            4 => carry::<A, C, 4>(algebra, first, &tree, values.len(), numbers, stop),
            _ => carry::<A, C, 8>(algebra, first, &tree, values.len(), numbers, stop),
        }
        base = Some((lanes, steps));
        left -= steps;
    }
    let (lanes, steps) = base.unwrap_or((2, 0));
    let stride = stride(lanes);
    numbers.chunks_exact(C * stride).map(move |numbers| numbers[(C - 1) * stride + steps])
}

/// Whether to stop.
fn is_set(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// Numbers for each component of an item: those that are carried, and those they are carried to, one further.
const fn stride(lanes: usize) -> usize {
    lanes + 2
}

/// The runs of leaves, by length.
struct Tree<'a> {
    /// The longest run.
    values: &'a [u32],
    /// Those that are shorter, from the shortest.
    levels: std::slice::ChunksExact<'a, u32>,
}

impl<'a> Tree<'a> {
    #[inline(always)]
    fn new(values: &'a [u32], lists: &'a mut Vec<u32>, stop: Option<&AtomicBool>) -> Self {
        let count = values.len();
        let levels = levels_for(count);
        lists.resize(levels * count, 0);
        // From the longest run, which is all values, down to leaves: each run is cut in two, both in order of position.
        let mut shorter = lists.as_mut_slice();
        let mut above = values;
        for level in (0..levels).rev() {
            if level >= LOOK_FROM && is_set(stop) {
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

    /// The values of the run of `1 << level` leaves from leaf `first` on, in order of position.
    #[inline(always)]
    fn run(&self, level: usize, first: usize) -> &'a [u32] {
        let (start, length) = (first * LEAF, LEAF << level);
        let list = self.levels.clone().nth(level).unwrap_or(self.values);
        &list[start..list.len().min(start + length)]
    }
}

/// Fills `numbers`, the first of each component being given.
#[inline(always)]
fn carry<A: Algebra<C>, const C: usize, const L: usize>(
    algebra: &A,
    first: impl Fn(usize) -> [f64; C],
    tree: &Tree<'_>,
    count: usize,
    numbers: &mut Vec<f64>,
    stop: Option<&AtomicBool>,
) {
    let stride = const { stride(L) };
    numbers.clear();
    numbers.resize(count * C * stride, 0.0);
    for (value, numbers) in numbers.chunks_exact_mut(C * stride).enumerate() {
        for (component, own) in first(value).into_iter().enumerate() {
            numbers[component * stride] = own;
        }
    }
    let leaves = count.div_ceil(LEAF);
    for leaf in 0..leaves {
        let run = tree.run(0, leaf);
        match run.first_chunk::<LEAF>() {
            // Of known length, so that the loops are unrolled and what has been summed up stays in registers.
            Some(run) => sum_leaf::<A, C, L>(algebra, run, numbers),
            None => sum_leaf::<A, C, L>(algebra, run, numbers),
        }
        // The longest run of complete leaves that ends here, and the one above it.
        let next = leaf + 1;
        let level = next.trailing_zeros() as usize;
        if level >= LOOK_FROM && is_set(stop) {
            return;
        }
        if next < leaves {
            pass::<A, C, L>(algebra, tree.run(level + 1, next - (1 << level)), next * LEAF, numbers);
        }
    }
}

/// Carries the numbers of the values below `middle` on to those above.
#[inline(always)]
fn pass<A: Algebra<C>, const C: usize, const L: usize>(algebra: &A, run: &[u32], middle: usize, numbers: &mut [f64]) {
    let stride = const { stride(L) };
    let mut sums = [[0.0; L]; C];
    for &value in run {
        let value = value as usize;
        // Which half a value is in cannot be foreseen: both things are done to it, one of them in vain.
        let low = f64::from(u8::from(value < middle));
        let numbers = &mut numbers[value * C * stride..][..C * stride];
        let mut longer = [[0.0; L]; C];
        for (component, longer) in longer.iter_mut().enumerate() {
            longer.copy_from_slice(&numbers[component * stride + 1..][..L]);
        }
        algebra.extend(value, 1.0 - low, &sums, &mut longer);
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

/// The same among the values of a leaf, for each with all before it.
#[inline(always)]
fn sum_leaf<A: Algebra<C>, const C: usize, const L: usize>(algebra: &A, leaf: &[u32], numbers: &mut [f64]) {
    let stride = const { stride(L) };
    let leaf = &leaf[..leaf.len().min(LEAF)];
    let mut before = [[[0.0; L]; C]; LEAF];
    for (place, &value) in leaf.iter().enumerate() {
        let mut sums = [[0.0; L]; C];
        for (&other, before) in leaf[..place].iter().zip(&before) {
            let below = f64::from(u8::from(other < value));
            for (sums, before) in sums.iter_mut().zip(before) {
                for lane in 0..L {
                    sums[lane] += below * before[lane];
                }
            }
        }
        let value = value as usize;
        let numbers = &mut numbers[value * C * stride..][..C * stride];
        let mut longer = [[0.0; L]; C];
        for (component, longer) in longer.iter_mut().enumerate() {
            longer.copy_from_slice(&numbers[component * stride + 1..][..L]);
        }
        algebra.extend(value, 1.0, &sums, &mut longer);
        for (component, longer) in longer.iter().enumerate() {
            numbers[component * stride + 1..][..L].copy_from_slice(longer);
            before[place][component].copy_from_slice(&numbers[component * stride..][..L]);
        }
    }
}
