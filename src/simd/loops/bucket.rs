//! Compares the items of one bucket of a [grid](super::grid) with each other.
#![allow(unsafe_code)]

use super::numbers::{Lanes, Numbers};
use crate::simd::arch::GridRegister;
use crate::weight::pair::PairTerm;

/// Up to `S` items. The items of a row are sorted by position, and `keys[i]` is the value of item i. The items of a
/// column are sorted by value, and `keys[i]` is the position. A pair i < j adds its term if `keys[i] < bounds[j]`.
pub(super) struct Bucket<const M: usize, const S: usize> {
    pub(super) keys: [f64; S],
    pub(super) bounds: [f64; S],
    /// `numbers[k][i]` is number k of item i.
    pub(super) numbers: [[f64; S]; M],
}

impl<const M: usize, const S: usize> Bucket<M, S> {
    pub(super) fn new() -> Self {
        Self { keys: [0.0; S], bounds: [0.0; S], numbers: [[0.0; S]; M] }
    }

    /// Looks up the numbers of the values from `first` on, at these positions.
    ///
    /// # Safety
    /// The values and positions must be below [`Numbers::len`].
    #[inline(always)]
    pub(super) unsafe fn look_up(&mut self, numbers: &impl Numbers<M>, first: usize, positions: &[u32]) {
        const { assert!(M <= 2) };
        // There is one loop for each number, with k known at compile time. With one loop for both numbers, sums take 5
        // % longer for n = 1000. SAFETY: `look_up_one` asks the same of its caller as this function.
        unsafe {
            if M > 0 {
                self.look_up_one(0, numbers, first, positions);
            }
            if M > 1 {
                self.look_up_one(1, numbers, first, positions);
            }
        }
    }

    /// Looks up only the number k.
    ///
    /// # Safety
    /// As for [`Self::look_up`].
    #[inline(always)]
    unsafe fn look_up_one(&mut self, k: usize, numbers: &impl Numbers<M>, first: usize, positions: &[u32]) {
        for (value, (number, &position)) in (first..).zip(self.numbers[k].iter_mut().zip(positions)) {
            // SAFETY: the value and the position are below the length, as the caller promises.
            *number = unsafe { numbers.of(value, position as usize)[k] };
        }
    }

    /// Adds up the pairs of the first `count` items.
    #[inline(always)]
    pub(super) fn sum<T: PairTerm<M, N>, V: GridRegister, const N: usize>(&mut self, arch: V::Arch, count: usize) -> V {
        if V::PLAIN { self.call_sum::<T, V, N>(arch, count) } else { self.inline_sum::<T, V, N>(arch, count) }
    }

    /// The same as [`Self::sum`], compiled once for all callers. If it were inlined, it would take 0.2 MB of the
    /// library. It is only for [plain](GridRegister::PLAIN) registers.
    #[inline(never)]
    fn call_sum<T: PairTerm<M, N>, V: GridRegister, const N: usize>(&mut self, arch: V::Arch, count: usize) -> V {
        self.inline_sum::<T, V, N>(arch, count)
    }

    #[inline(always)]
    fn inline_sum<T: PairTerm<M, N>, V: GridRegister, const N: usize>(&mut self, arch: V::Arch, count: usize) -> V {
        self.keys[count..].fill(f64::INFINITY);
        self.bounds[count..].fill(f64::NEG_INFINITY);
        let mut total = V::splat(arch, 0.0);
        for start in (0..S).step_by(4 * V::WIDTH) {
            total = total.add(self.sum_from::<T, V, N>(arch, start));
        }
        total
    }

    /// Adds up the pairs whose earlier items are in the four vectors from `start` on. Each vector has its own sum, so
    /// that no addition waits for another.
    #[inline(always)]
    fn sum_from<T: PairTerm<M, N>, V: GridRegister, const N: usize>(&self, arch: V::Arch, start: usize) -> V {
        let one = Lanes(V::splat(arch, 1.0));
        // The four vectors are written out, because the elements of an array might not stay in registers.
        macro_rules! earlier {
            ($index:expr) => {{
                let from = start + $index * V::WIDTH;
                let numbers = self.numbers.each_ref().map(|numbers| Lanes(V::load(arch, &numbers[from..])));
                (V::load(arch, &self.keys[from..]), numbers)
            }};
        }
        macro_rules! add {
            ($place:expr,) => {};
            ($place:expr, $($sum:ident: $keys:expr, $earlier:expr);+) => {
                let later = self.numbers.each_ref().map(|numbers| Lanes(V::splat(arch, numbers[$place])));
                let bound = V::splat(arch, self.bounds[$place]);
                $($sum = $sum.add_if_less($keys, bound, varying::<T, V, M, N>(one, $earlier, later));)+
            };
        }
        macro_rules! add_own {
            (
                $index:expr, $own:ident: $own_keys:ident, $own_earlier:ident;
                $($sum:ident: $keys:ident, $earlier:ident);*
            ) => {
                add!(start + $index * V::WIDTH, $($sum: $keys, $earlier);*);
                for lane in 1..V::WIDTH {
                    let place = start + $index * V::WIDTH + lane;
                    add!(place, $own: $own_keys.hide_from(lane), $own_earlier $(; $sum: $keys, $earlier)*);
                }
            };
        }
        let ((ka, a), (kb, b), (kc, c), (kd, d)) = (earlier!(0), earlier!(1), earlier!(2), earlier!(3));
        let zero = V::splat(arch, 0.0);
        let (mut sa, mut sb, mut sc, mut sd) = (zero, zero, zero, zero);
        add_own!(0, sa: ka, a;);
        add_own!(1, sb: kb, b; sa: ka, a);
        add_own!(2, sc: kc, c; sa: ka, a; sb: kb, b);
        add_own!(3, sd: kd, d; sa: ka, a; sb: kb, b; sc: kc, c);
        for place in start + 4 * V::WIDTH..S {
            add!(place, sa: ka, a; sb: kb, b; sc: kc, c; sd: kd, d);
        }
        let (left, right) = (common::<T, V, M, N>(one, a), common::<T, V, M, N>(one, c));
        let left = sa.mul(left).add_product(sb, common::<T, V, M, N>(one, b));
        let right = sc.mul(right).add_product(sd, common::<T, V, M, N>(one, d));
        left.add(right)
    }
}

/// A term, without the factor that [`common`] returns.
#[inline(always)]
fn varying<T: PairTerm<M, N>, V: GridRegister, const M: usize, const N: usize>(
    one: Lanes<V>,
    earlier: [Lanes<V>; M],
    later: [Lanes<V>; M],
) -> V {
    if N == 1 { T::later(one, later)[0].0 } else { T::term(one, earlier, later).0 }
}

/// The factor that all terms of an earlier item share. If the item has a single number, it is this number.
#[inline(always)]
fn common<T: PairTerm<M, N>, V: GridRegister, const M: usize, const N: usize>(
    one: Lanes<V>,
    earlier: [Lanes<V>; M],
) -> V {
    if N == 1 { T::earlier(one, earlier)[0].0 } else { one.0 }
}
