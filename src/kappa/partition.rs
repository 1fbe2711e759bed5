//! The partition: the paper's Algorithm 1, for whatever there is to add up.
//!
//! The permutation is a list of values in order of position. A stable partition moves its low half of values before its
//! high half; while it passes over the positions it knows the low values passed so far, and every high value it meets is
//! concordant with exactly those. Both halves are then solved alike. Values are ranks, so the middle is known and each half
//! is half as long, whatever the permutation: never more than log2 n levels, and the values of a part are a range. What
//! belongs to an item besides its value is therefore looked up by value, in a piece of memory that halves at every level.
//!
//! Parts of up to [`LEAF`] values are summed pair by pair as the definition says. That is faster there, and for few items
//! it spares the additive weight the cancellation between the four products that `(a + b) * (c + d)` is expanded into.

use std::ops::{AddAssign, Range};

use crate::parallel::Stop;
use crate::simd::{Isa, grid, split};

/// Parts this short are summed pair by pair. 16 and 32 take the same time at n = 100 and n = 1000, 8 takes up to half as much
/// again (`cargo bench --bench kappa`, Xeon 2.3 GHz); the larger one keeps to the definition for longer.
const LEAF: usize = 32;

/// Running sums are settled after so many items: adding a million numbers one by one to a single sum loses four digits, and
/// three of them are kept this way.
const RUN: usize = 512;

/// Parts from this long on look first whether the run goes on: they take a tenth of a millisecond and more.
const LONG: usize = 1 << 16;
/// Longer ones look again after so many items. A multiple of [`RUN`].
const LOOK_EVERY: usize = 1 << 21;

/// Room for the high half of a part.
#[derive(Debug, Clone, Default)]
pub(super) struct Spill {
    pub(super) room: Vec<u32>,
    /// Ends sums early; what they return then is thrown away.
    pub(super) stop: Stop,
}

/// What the partition adds up. An item is named by its value.
pub(super) trait Terms {
    /// The type of the sum.
    type Sum: Copy + Default + AddAssign;
    /// What is known of the low items passed so far.
    type Passed;

    /// Nothing has been passed of a part whose low values are `low`.
    fn start(&self, low: Range<usize>) -> Self::Passed;

    /// Passes an item; returns what it adds, which is nothing for a low one.
    fn pass(&self, passed: &mut Self::Passed, value: u32, is_low: bool, masks: Masks) -> Self::Sum;

    /// Comes after every [`RUN`] items.
    fn settle(&self, _: &mut Self::Passed) {}

    /// Parts of at most this many values are leaves.
    const LEAF: usize = LEAF;

    /// Adds up a leaf, which holds `first..first + values.len()` in order of position.
    fn leaf(&mut self, first: usize, values: &mut [u32], spill: &mut [u32]) -> Self::Sum;
}

/// Parts that are short enough are summed with vector instructions.
pub(super) struct Split<'a, T> {
    pub(super) isa: Isa,
    pub(super) terms: grid::Terms<'a>,
    /// Memory for the cells of grids.
    pub(super) cells: &'a mut Vec<f64>,
    /// Adds up what is too long.
    pub(super) slow: T,
}

/// Sums that a real number holds exactly or as well as any.
pub(super) trait FromReal {
    fn from_real(value: f64) -> Self;
}

impl FromReal for f64 {
    fn from_real(value: f64) -> Self {
        value
    }
}

impl FromReal for u64 {
    fn from_real(value: f64) -> Self {
        value as Self
    }
}

impl FromReal for u128 {
    fn from_real(value: f64) -> Self {
        value as Self
    }
}

impl<T: Terms<Sum: FromReal>> Terms for Split<'_, T> {
    type Sum = T::Sum;
    type Passed = T::Passed;
    // Whole sums stay below 2^45 for so many values.
    const LEAF: usize = split::MOST;

    fn start(&self, low: Range<usize>) -> T::Passed {
        self.slow.start(low)
    }

    fn pass(&self, passed: &mut T::Passed, value: u32, is_low: bool, masks: Masks) -> T::Sum {
        self.slow.pass(passed, value, is_low, masks)
    }

    fn settle(&self, passed: &mut T::Passed) {
        self.slow.settle(passed);
    }

    fn leaf(&mut self, first: usize, values: &mut [u32], spill: &mut [u32]) -> T::Sum {
        T::Sum::from_real(split::sum(self.isa, self.terms, first, values, spill, self.cells))
    }
}

/// Adds up a part: `values` holds `first..first + values.len()` in order of position.
pub(super) fn partition<T: Terms>(terms: &mut T, first: usize, values: &mut [u32], spill: &mut Spill) -> T::Sum {
    if values.len() <= T::LEAF {
        return terms.leaf(first, values, &mut spill.room);
    }
    if values.len() >= LONG && spill.stop.is_set() {
        return T::Sum::default();
    }
    let Some(mut sum) = across_halves(terms, first, values, spill) else { return T::Sum::default() };
    let half = values.len() / 2;
    let (low, high) = values.split_at_mut(half);
    sum += partition(terms, first, low, spill);
    sum += partition(terms, first + half, high, spill);
    sum
}

/// Adds up the pairs of a low and a high item of a part, and moves the low ones before the high ones; `None` if the run is over.
#[inline]
fn across_halves<T: Terms>(
    terms: &mut T,
    first: usize,
    values: &mut [u32],
    Spill { room: spill, stop }: &mut Spill,
) -> Option<T::Sum> {
    // Slices, whose addresses and lengths stay in registers.
    let spill = spill.as_mut_slice();
    let half = values.len() / 2;
    let middle = (first + half) as u32;
    let masks = Masks::new();
    let mut passed = terms.start(first..first + half);
    let mut sum = T::Sum::default();
    let (mut low, mut high) = (0, 0);
    for start in (0..values.len()).step_by(RUN) {
        if start > 0 && start.is_multiple_of(LOOK_EVERY) && stop.is_set() {
            return None;
        }
        let mut part = T::Sum::default();
        for position in start..values.len().min(start + RUN) {
            let value = values[position];
            let is_low = value < middle;
            part += terms.pass(&mut passed, value, is_low, masks);
            // Written to both sides and kept on one, for want of a branch that could be predicted.
            values[low] = value;
            spill[high] = value;
            low += usize::from(is_low);
            high += usize::from(!is_low);
        }
        sum += part;
        terms.settle(&mut passed);
    }
    values[half..].copy_from_slice(&spill[..high]);
    Some(sum)
}

/// How many of the values before each are below it.
fn count_below(values: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    values.iter().enumerate().map(|(position, &later)| {
        let below = values[..position].iter().map(|&earlier| u32::from(earlier < later)).sum();
        (later, below)
    })
}

/// Adds `term` over the concordant pairs of a leaf, given `p` and `q` of both items; when signed, minus that over the
/// discordant ones.
fn leaf_sum<const SIGNED: bool>(
    values: &[u32],
    p: &[f64],
    q: &[f64],
    term: impl Fn((f64, f64), (f64, f64)) -> f64,
) -> f64 {
    // Reals, because a choice between reals by comparing reals needs no branch on any machine.
    let mut rank = [0.0; LEAF];
    let mut item = [(0.0, 0.0); LEAF];
    // One sum for each earlier item, so that no addition waits for the one before it.
    let mut sums = [0.0; LEAF];
    for (j, &value) in values.iter().enumerate().take(LEAF) {
        rank[j] = f64::from(value);
        item[j] = (p[value as usize], q[value as usize]);
        for i in 0..j {
            let value = term(item[i], item[j]);
            sums[i] += if rank[i] < rank[j] { value } else { 0.0 };
            if SIGNED {
                sums[i] -= if rank[i] > rank[j] { value } else { 0.0 };
            }
        }
    }
    sums.iter().sum()
}

/// Keeps a number or makes it 0, without a branch. Which half the next item belongs to is a coin toss, and the compiler, free
/// to choose, makes a branch that is mispredicted every other time: the multiplicative weight then takes three times as long
/// at n = 1000. It cannot when it does not know the masks.
#[derive(Clone, Copy)]
pub(super) struct Masks([u64; 2]);

impl Masks {
    fn new() -> Self {
        Self(std::hint::black_box([0, u64::MAX]))
    }

    fn keep_if(self, keep: bool, value: f64) -> f64 {
        f64::from_bits(value.to_bits() & self.0[usize::from(keep)])
    }
}

/// Counts concordant pairs.
pub(super) struct Count;

impl Terms for Count {
    type Sum = u64;
    type Passed = u64;

    fn start(&self, _: Range<usize>) -> u64 {
        0
    }

    fn pass(&self, passed: &mut u64, _: u32, is_low: bool, _: Masks) -> u64 {
        *passed += u64::from(is_low);
        *passed * u64::from(!is_low)
    }

    fn leaf(&mut self, _: usize, values: &mut [u32], _: &mut [u32]) -> u64 {
        count_below(values).map(|(_, below)| u64::from(below)).sum()
    }
}

/// Adds the weight, a whole number, of the later item of each concordant pair.
pub(super) struct LaterWeight<'a>(pub(super) &'a [f64]);

impl Terms for LaterWeight<'_> {
    type Sum = u128;
    type Passed = u64;

    fn start(&self, _: Range<usize>) -> u64 {
        0
    }

    fn pass(&self, passed: &mut u64, value: u32, is_low: bool, masks: Masks) -> u128 {
        let weight = self.0[value as usize] as u64;
        u128::from(Count.pass(passed, value, is_low, masks) * weight)
    }

    fn leaf(&mut self, _: usize, values: &mut [u32], _: &mut [u32]) -> u128 {
        count_below(values).map(|(value, below)| u128::from(u64::from(below) * self.0[value as usize] as u64)).sum()
    }
}

/// As [`LaterWeight`] for weights that are not whole numbers.
pub(super) struct LaterReal<'a>(pub(super) &'a [f64]);

impl Terms for LaterReal<'_> {
    type Sum = f64;
    type Passed = u64;

    fn start(&self, _: Range<usize>) -> u64 {
        0
    }

    fn pass(&self, passed: &mut u64, value: u32, is_low: bool, masks: Masks) -> f64 {
        Count.pass(passed, value, is_low, masks) as f64 * self.0[value as usize]
    }

    fn leaf(&mut self, _: usize, values: &mut [u32], _: &mut [u32]) -> f64 {
        count_below(values).map(|(value, below)| f64::from(below) * self.0[value as usize]).sum()
    }
}

/// Sums over the low items passed, in two parts, and, when signed, over all low items.
pub(super) struct Passed<S> {
    recent: S,
    settled: S,
    all: S,
}

/// Adds `x_i x_j`; when signed, discordant pairs count negative.
pub(super) struct Products<'a, const SIGNED: bool>(pub(super) &'a [f64]);

impl<const SIGNED: bool> Terms for Products<'_, SIGNED> {
    type Sum = f64;
    type Passed = Passed<f64>;

    fn start(&self, low: Range<usize>) -> Passed<f64> {
        let all = if SIGNED { self.0[low].chunks(RUN).map(|run| run.iter().sum::<f64>()).sum() } else { 0.0 };
        Passed { recent: 0.0, settled: 0.0, all }
    }

    fn settle(&self, passed: &mut Passed<f64>) {
        passed.settled += std::mem::take(&mut passed.recent);
    }

    fn pass(&self, passed: &mut Passed<f64>, value: u32, is_low: bool, masks: Masks) -> f64 {
        let x = self.0[value as usize];
        passed.recent += masks.keep_if(is_low, x);
        let before = passed.settled + passed.recent;
        let against = if SIGNED { 2.0 * before - passed.all } else { before };
        masks.keep_if(!is_low, against * x)
    }

    fn leaf(&mut self, _: usize, values: &mut [u32], _: &mut [u32]) -> f64 {
        leaf_sum::<SIGNED>(values, self.0, self.0, |(x, _), (y, _)| x * y)
    }
}

/// Adds `(p_i + p_j) (q_i + q_j)`; when signed, discordant pairs count negative.
pub(super) struct Sums<'a, const SIGNED: bool> {
    pub(super) first: &'a [f64],
    pub(super) second: &'a [f64],
}

/// Sums over low items of 1, p, q and p q.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    one: f64,
    p: f64,
    q: f64,
    pq: f64,
}

impl Moments {
    fn push(&mut self, one: f64, p: f64, q: f64) {
        self.one += one;
        self.p += p;
        self.q += q;
        self.pq += p * q;
    }

    fn plus(&self, other: &Self) -> Self {
        Self { one: self.one + other.one, p: self.p + other.p, q: self.q + other.q, pq: self.pq + other.pq }
    }

    /// The sum of `(p_i + p) (q_i + q)`.
    fn with(&self, p: f64, q: f64) -> f64 {
        self.pq + self.p * q + self.q * p + self.one * (p * q)
    }

    /// These among all counted positive, the rest of all negative.
    fn against(&self, all: &Self) -> Self {
        Self {
            one: 2.0 * self.one - all.one,
            p: 2.0 * self.p - all.p,
            q: 2.0 * self.q - all.q,
            pq: 2.0 * self.pq - all.pq,
        }
    }
}

impl<const SIGNED: bool> Terms for Sums<'_, SIGNED> {
    type Sum = f64;
    type Passed = Passed<Moments>;

    fn start(&self, low: Range<usize>) -> Passed<Moments> {
        let mut passed = Passed { recent: Moments::default(), settled: Moments::default(), all: Moments::default() };
        if SIGNED {
            for (p, q) in self.first[low.clone()].chunks(RUN).zip(self.second[low].chunks(RUN)) {
                let mut run = Moments::default();
                for (&p, &q) in p.iter().zip(q) {
                    run.push(1.0, p, q);
                }
                passed.all = passed.all.plus(&run);
            }
        }
        passed
    }

    fn settle(&self, passed: &mut Passed<Moments>) {
        passed.settled = passed.settled.plus(&std::mem::take(&mut passed.recent));
    }

    fn pass(&self, passed: &mut Passed<Moments>, value: u32, is_low: bool, masks: Masks) -> f64 {
        let (p, q) = (self.first[value as usize], self.second[value as usize]);
        let keep_low = |x| masks.keep_if(is_low, x);
        passed.recent.push(keep_low(1.0), keep_low(p), keep_low(q));
        let before = passed.settled.plus(&passed.recent);
        let against = if SIGNED { before.against(&passed.all) } else { before };
        masks.keep_if(!is_low, against.with(p, q))
    }

    fn leaf(&mut self, _: usize, values: &mut [u32], _: &mut [u32]) -> f64 {
        leaf_sum::<SIGNED>(values, self.first, self.second, |(p, q), (r, s)| (p + r) * (q + s))
    }
}
