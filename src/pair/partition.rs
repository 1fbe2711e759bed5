//! The partition algorithm: Algorithm 1 of the paper of Jiao and Vert, for any kind of term.
//!
//! The permutation is a list of values sorted by position:
//!
//! ```text
//! sum(values):
//!     if they are few: compare all pairs
//!     for each value, in order of position:
//!         if it is in the low half of the values: passed += earlier(value)
//!         otherwise: total += passed . later(value)
//!     move the low values before the high ones, both sorted by position
//!     total + sum(low values) + sum(high values)
//! ```
//!
//! Values are ranks, so the middle of the values is known, and each half is half as long, for any permutation. So there
//! are never more than log2 n levels, and the values of a part are a range. The numbers of an item are looked up by
//! value, so each level reads half as much memory for a part as the level before.
//!
//! Parts of up to [`LEAF`] values are summed pair by pair. For short parts, this is faster than the partition. It also
//! avoids a cancellation for few items: the partition expands `(p + p') (q + q')` of the additive weight into four
//! products, which can cancel.

use std::iter::Sum;
use std::marker::PhantomData;
use std::ops::{AddAssign, Range};

use crate::parallel::Cancel;
use crate::simd::{Isa, split};
use crate::weight::pair::{CountingTerm, Directed, ItemSums, Later, Ones, PairTerm, Products, Sums, Terms};

/// Parts of at most this length are summed pair by pair. With 16 and with 32, sums take the same time for n = 100 and n
/// = 1000; with 8, they take up to 1.5 times as long (`cargo bench --bench kappa`, Xeon 2.3 GHz). With 32, there is
/// less cancellation than with 16.
const LEAF: usize = 32;

/// A new running sum begins after this many items. If a million numbers are added one by one to a single sum, four
/// digits are lost; with new sums, only one digit is lost.
const RUN: usize = 512;

/// Before a part of at least this length is summed, there is a check for a stop. Such a part takes a tenth of a
/// millisecond or more.
const LONG: usize = 1 << 16;
/// In longer parts, there is another check after this many items. It is a multiple of [`RUN`].
const STOP_CHECK_INTERVAL: usize = 1 << 21;

/// Memory for the high half of a part.
#[derive(Debug, Clone, Default)]
pub(super) struct Spill {
    pub(super) buffer: Vec<u32>,
    /// A flag that ends sums early. Their results are then discarded.
    pub(super) cancel: Cancel,
}

/// What is needed to sum short parts with vector instructions.
pub(super) struct Short<'a> {
    pub(super) isa: Isa,
    /// Memory for the cells of grids.
    pub(super) cells: &'a mut Vec<f64>,
}

/// The sum over the concordant pairs of a permutation. `values` are sorted by position, and are overwritten.
pub(super) fn concordant(terms: Terms<'_>, short: Option<Short<'_>>, values: &mut [u32], spill: &mut Spill) -> f64 {
    match terms {
        Terms::Ones => count(short, values, spill) as f64,
        Terms::Later(x) => add_up(&counted::<f64, Later, _, _>(move |value| [x[value]]), terms, short, values, spill),
        Terms::Products(x) => {
            add_up(&weighted::<Products, _, _, _, false>(move |value| [x[value]]), terms, short, values, spill)
        }
        Terms::Sums { p, q } => {
            let adder = weighted::<Sums, _, _, _, false>(move |value| [p[value], q[value]]);
            add_up(&adder, terms, short, values, spill)
        }
    }
}

/// The number of concordant pairs.
pub(super) fn count(short: Option<Short<'_>>, values: &mut [u32], spill: &mut Spill) -> u64 {
    add_up(&counted::<u64, Ones, _, _>(|_| []), Terms::Ones, short, values, spill)
}

/// The number of concordant pairs of at most [`LEAF`] different values.
pub(super) fn count_few(values: &[u32]) -> u64 {
    counted::<u64, Ones, _, _>(|_| []).leaf(values)
}

/// The sum over all concordant pairs of the number of the later item; all numbers are integers.
pub(super) fn whole(x: &[f64], short: Option<Short<'_>>, values: &mut [u32], spill: &mut Spill) -> u128 {
    add_up(&counted::<u128, Later, _, _>(move |value| [x[value]]), Terms::Later(x), short, values, spill)
}

/// The sum over the concordant pairs of a product: a number of the earlier item, times another number of the later
/// item.
pub(super) fn directed(earlier: &[f64], later: &[f64], values: &mut [u32], spill: &mut Spill) -> f64 {
    let adder = weighted::<Directed, _, _, _, false>(move |value| [earlier[value], later[value]]);
    partition(&adder, &mut ByPairs, 0, values, spill)
}

/// The sum of x x' over the concordant pairs, minus the sum of x x' over the discordant pairs.
pub(super) fn signed_products(x: &[f64], values: &mut [u32], spill: &mut Spill) -> f64 {
    partition(&weighted::<Products, _, _, _, true>(move |value| [x[value]]), &mut ByPairs, 0, values, spill)
}

/// The sum of (p + p') (q + q') over the concordant pairs, minus the same sum over the discordant pairs.
pub(super) fn signed_sums(p: &[f64], q: &[f64], values: &mut [u32], spill: &mut Spill) -> f64 {
    let adder = weighted::<Sums, _, _, _, true>(move |value| [p[value], q[value]]);
    partition(&adder, &mut ByPairs, 0, values, spill)
}

/// The sum of v v' (p + p') (q + q') over the concordant pairs. If `SIGNED`, the same sum over the discordant pairs is
/// subtracted.
pub(super) fn item_sums<const SIGNED: bool>([v, p, q]: [&[f64]; 3], values: &mut [u32], spill: &mut Spill) -> f64 {
    let adder = weighted::<ItemSums, _, _, _, SIGNED>(move |value| [v[value], p[value], q[value]]);
    partition(&adder, &mut ByPairs, 0, values, spill)
}

/// Adds up a permutation. If there are vector instructions, short parts are summed on grids; otherwise pair by pair.
fn add_up<A: Adder>(
    adder: &A,
    terms: Terms<'_>,
    short: Option<Short<'_>>,
    values: &mut [u32],
    spill: &mut Spill,
) -> A::Sum {
    match short {
        Some(Short { isa, cells }) => partition(adder, &mut OnGrids { isa, terms, cells }, 0, values, spill),
        None => partition(adder, &mut ByPairs, 0, values, spill),
    }
}

/// How terms are added up. An item is given by its value.
trait Adder {
    /// The type of the sum.
    type Sum: Total;
    /// The sums over the low items so far.
    type Passed;
    /// Whether items are processed two at a time.
    const BY_TWO: bool = false;

    /// The sums before the first item of a part whose low values are `low`.
    fn start(&self, low: Range<usize>) -> Self::Passed;

    /// Processes an item that comes after `low` low items. Returns its term, which is zero for a low item.
    fn pass(&self, passed: &mut Self::Passed, low: usize, value: u32, half: Half) -> Self::Sum;

    /// Called after every [`RUN`] items.
    fn settle(&self, _: &mut Self::Passed) {}

    /// Adds up the pairs of at most [`LEAF`] values, sorted by position.
    fn leaf(&self, values: &[u32]) -> Self::Sum;
}

/// The types of sums.
trait Total: Copy + Default + AddAssign + Sum {
    /// A total from a floating-point number.
    fn from_real(value: f64) -> Self;
    /// `count * number`; exact for integers.
    fn product(count: u64, number: f64) -> Self;
}

impl Total for f64 {
    fn from_real(value: f64) -> Self {
        value
    }
    fn product(count: u64, number: f64) -> Self {
        count as Self * number
    }
}

impl Total for u64 {
    fn from_real(value: f64) -> Self {
        value as Self
    }
    fn product(count: u64, number: f64) -> Self {
        count * whole_number(number)
    }
}

impl Total for u128 {
    fn from_real(value: f64) -> Self {
        value as Self
    }
    fn product(count: u64, number: f64) -> Self {
        Self::from(count * whole_number(number))
    }
}

/// Converts an integer from 0 to 2^63. It converts to a signed integer, because most CPUs need fewer instructions for
/// this than for an unsigned integer.
fn whole_number(number: f64) -> u64 {
    (number as i64).cast_unsigned()
}

/// How short parts are summed.
trait Leaves {
    /// Parts of at most this many values are short.
    const MOST: usize;

    /// Adds up a short part. `values` holds the numbers `first..first + values.len()`, sorted by position.
    fn sum<A: Adder>(&mut self, adder: &A, first: usize, values: &mut [u32], buffer: &mut [u32]) -> A::Sum;
}

/// Short parts are summed pair by pair.
struct ByPairs;

impl Leaves for ByPairs {
    const MOST: usize = LEAF;

    fn sum<A: Adder>(&mut self, adder: &A, _: usize, values: &mut [u32], _: &mut [u32]) -> A::Sum {
        adder.leaf(values)
    }
}

/// Short parts are summed on grids with vector instructions.
struct OnGrids<'a> {
    isa: Isa,
    terms: Terms<'a>,
    cells: &'a mut Vec<f64>,
}

impl Leaves for OnGrids<'_> {
    // Sums of integers stay below 2^45 for this many values.
    const MOST: usize = split::MOST;

    fn sum<A: Adder>(&mut self, _: &A, first: usize, values: &mut [u32], buffer: &mut [u32]) -> A::Sum {
        A::Sum::from_real(split::sum(self.isa, self.terms, first, values, buffer, self.cells))
    }
}

/// Adds up a part. `values` holds the numbers `first..first + values.len()`, sorted by position.
fn partition<A: Adder, L: Leaves>(
    adder: &A,
    leaves: &mut L,
    first: usize,
    values: &mut [u32],
    spill: &mut Spill,
) -> A::Sum {
    if values.len() <= L::MOST {
        return leaves.sum(adder, first, values, &mut spill.buffer);
    }
    if values.len() >= LONG && spill.cancel.is_cancelled() {
        return A::Sum::default();
    }
    let Some(mut sum) = across_halves(adder, first, values, spill) else { return A::Sum::default() };
    let half = values.len() / 2;
    let (low, high) = values.split_at_mut(half);
    sum += partition(adder, leaves, first, low, spill);
    sum += partition(adder, leaves, first + half, high, spill);
    sum
}

/// Adds up the pairs of a low and a high item of a part, and moves the low items before the high items. `None` if the
/// run is stopped.
#[inline]
fn across_halves<A: Adder>(
    adder: &A,
    first: usize,
    values: &mut [u32],
    Spill { buffer: spill, cancel }: &mut Spill,
) -> Option<A::Sum> {
    // Slices, so that addresses and lengths stay in registers.
    let spill = spill.as_mut_slice();
    let half = values.len() / 2;
    let halves = Halves::split_at(first + half);
    let mut passed = adder.start(first..first + half);
    let mut sum = A::Sum::default();
    let (mut low, mut high) = (0, 0);
    for start in (0..values.len()).step_by(RUN) {
        if start > 0 && start.is_multiple_of(STOP_CHECK_INTERVAL) && cancel.is_cancelled() {
            return None;
        }
        let mut part = A::Sum::default();
        let mut put = |values: &mut [u32], value| {
            let half = halves.of(value);
            part += adder.pass(&mut passed, low, value, half);
            // The value is written to both sides and kept on one side. A branch would be unpredictable.
            values[low] = value;
            spill[high] = value;
            low = half.count_if_low(low);
            high = half.count_if_high(high);
        };
        let end = values.len().min(start + RUN);
        let mut position = start;
        while A::BY_TWO && position + 1 < end {
            let [first, second] = [values[position], values[position + 1]];
            put(values, first);
            put(values, second);
            position += 2;
        }
        for position in position..end {
            put(values, values[position]);
        }
        sum += part;
        adder.settle(&mut passed);
    }
    values[half..].copy_from_slice(&spill[..high]);
    Some(sum)
}

/// Tells low values from high ones.
#[derive(Clone, Copy)]
struct Halves {
    middle: i64,
    shift: u32,
}

impl Halves {
    fn split_at(middle: usize) -> Self {
        // The compiler must not know this number, so that it cannot use a branch. It is unpredictable to which half the
        // next item belongs. With a branch, the multiplicative weight would take three times as long for n = 1000.
        Self { middle: middle as i64, shift: std::hint::black_box(63) }
    }

    fn of(self, value: u32) -> Half {
        // The sign of the difference, in all bits.
        Half((i64::from(value) - self.middle).wrapping_shr(self.shift).cast_unsigned())
    }
}

/// The half that an item belongs to: all bits are set for a low item, none for a high one.
#[derive(Clone, Copy)]
struct Half(u64);

impl Half {
    /// The count plus 1 for a low item; the count for a high item.
    fn count_if_low(self, count: usize) -> usize {
        count.wrapping_sub(self.0 as usize)
    }

    /// The count plus 1 for a high item; the count for a low item.
    fn count_if_high(self, count: usize) -> usize {
        count.wrapping_add(1).wrapping_add(self.0 as usize)
    }

    /// The count for a high item, otherwise 0.
    fn count_for_high(self, count: usize) -> u64 {
        count as u64 & !self.0
    }

    /// The number for a low item, otherwise 0.
    fn keep_if_low(self, number: f64) -> f64 {
        f64::from_bits(number.to_bits() & self.0)
    }

    /// The number for a high item, otherwise 0.
    fn keep_if_high(self, number: f64) -> f64 {
        f64::from_bits(number.to_bits() & !self.0)
    }
}

/// Terms for which the low items so far are counted. Each high item adds this count times its number.
struct CountedTerms<S, T, I, const M: usize> {
    /// The numbers of an item, given its value.
    items: I,
    kind: PhantomData<(S, T)>,
}

fn counted<S: Total, T: CountingTerm<M>, I: Fn(usize) -> [f64; M], const M: usize>(
    items: I,
) -> CountedTerms<S, T, I, M> {
    CountedTerms { items, kind: PhantomData }
}

impl<S: Total, T: CountingTerm<M>, I: Fn(usize) -> [f64; M], const M: usize> CountedTerms<S, T, I, M> {
    fn number(&self, value: u32) -> f64 {
        T::later(1.0, (self.items)(value as usize))[0]
    }
}

impl<S: Total, T: CountingTerm<M>, I: Fn(usize) -> [f64; M], const M: usize> Adder for CountedTerms<S, T, I, M> {
    type Sum = S;
    type Passed = ();
    // If items are processed one at a time, the loop for counts takes up to a fifth longer; this depends on where the
    // compiler puts the loop. For sums of numbers, it is the other way round: two at a time take 5 to 8 % longer.
    const BY_TWO: bool = M == 0;

    fn start(&self, _: Range<usize>) {}

    fn pass(&self, (): &mut (), low: usize, value: u32, half: Half) -> S {
        S::product(half.count_for_high(low), self.number(value))
    }

    fn leaf(&self, values: &[u32]) -> S {
        let below = |(position, &later): (usize, &u32)| {
            let below: u32 = values[..position].iter().map(|&earlier| u32::from(earlier < later)).sum();
            S::product(below.into(), self.number(later))
        };
        values.iter().enumerate().map(below).sum()
    }
}

/// Terms for which the numbers of the low items so far are summed. If signed, the terms of discordant pairs are
/// subtracted.
struct Weighted<T, I, const M: usize, const N: usize, const SIGNED: bool> {
    /// The numbers of an item, given its value.
    items: I,
    kind: PhantomData<T>,
}

fn weighted<T: PairTerm<M, N>, I: Fn(usize) -> [f64; M], const M: usize, const N: usize, const SIGNED: bool>(
    items: I,
) -> Weighted<T, I, M, N, SIGNED> {
    Weighted { items, kind: PhantomData }
}

/// Sums of the numbers of items.
struct Passed<const N: usize> {
    /// The sums over the low items since the last [`Adder::settle`].
    recent: [f64; N],
    /// The sums over the low items before that call.
    settled: [f64; N],
    /// If signed, the sums over all low items of the part.
    all: [f64; N],
}

impl<T: PairTerm<M, N>, I: Fn(usize) -> [f64; M], const M: usize, const N: usize, const SIGNED: bool> Adder
    for Weighted<T, I, M, N, SIGNED>
{
    type Sum = f64;
    type Passed = Passed<N>;

    fn start(&self, low: Range<usize>) -> Passed<N> {
        let mut passed = Passed { recent: [0.0; N], settled: [0.0; N], all: [0.0; N] };
        if SIGNED {
            for start in low.clone().step_by(RUN) {
                let mut run = [0.0; N];
                for value in start..low.end.min(start + RUN) {
                    add(&mut run, &T::earlier(1.0, (self.items)(value)));
                }
                add(&mut passed.all, &run);
            }
        }
        passed
    }

    fn settle(&self, passed: &mut Passed<N>) {
        add(&mut passed.settled, &std::mem::replace(&mut passed.recent, [0.0; N]));
    }

    fn pass(&self, passed: &mut Passed<N>, _: usize, value: u32, half: Half) -> f64 {
        let item = (self.items)(value as usize);
        let later = T::later(1.0, item);
        add(&mut passed.recent, &T::earlier(1.0, item).map(|number| half.keep_if_low(number)));
        let products = T::ORDER.into_iter().map(|k| {
            let before = passed.settled[k] + passed.recent[k];
            // If signed, this is the sum over the low items before this item, minus the sum over the low items after
            // it.
            let low = if SIGNED { 2.0 * before - passed.all[k] } else { before };
            low * later[k]
        });
        let term = products.reduce(|sum, product| sum + product).unwrap_or(0.0);
        half.keep_if_high(term)
    }

    fn leaf(&self, values: &[u32]) -> f64 {
        // The ranks are floating-point numbers, because a selection by comparing these needs no branch on any machine.
        let mut rank = [0.0; LEAF];
        let mut item = [[0.0; M]; LEAF];
        // Each earlier item has its own sum, so that no addition waits for the previous addition.
        let mut sums = [0.0; LEAF];
        for (j, &value) in values.iter().enumerate().take(LEAF) {
            rank[j] = f64::from(value);
            item[j] = (self.items)(value as usize);
            for i in 0..j {
                let term = T::term(1.0, item[i], item[j]);
                sums[i] += if rank[i] < rank[j] { term } else { 0.0 };
                if SIGNED {
                    sums[i] -= if rank[i] > rank[j] { term } else { 0.0 };
                }
            }
        }
        sums.iter().take(values.len()).fold(0.0, |total, sum| total + sum)
    }
}

fn add<const N: usize>(sums: &mut [f64; N], numbers: &[f64; N]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}
