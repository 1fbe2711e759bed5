//! The term of a concordant pair of items, for each kind of term.
//!
//! A term is the inner product of two vectors: `N` numbers of the earlier item, and `N` numbers of the later item.
//!
//! ```text
//! Ones      1                    = [1] . [1]
//! Later     y                    = [1] . [y]
//! Products  x y                  = [x] . [y]
//! Directed  p q'                 = [p] . [q']
//! Sums      (p + p') (q + q')    = [1, p, q, p q] . [p' q', q', p', 1]
//! ItemSums  v v' (p + p') (q + q')
//! ```
//!
//! So a sum over pairs does not need the earlier items one by one. It needs only the `N` sums of their numbers:
//!
//! ```text
//! sum over i of term(i, j) = (sum over i of earlier(i)) . later(j)
//! ```

// These functions must be inlined into functions that are compiled for other vector instructions.
#![allow(clippy::inline_always)]

/// A kind of term. It depends on `M` numbers of each item.
pub(crate) trait PairTerm<const M: usize, const N: usize> {
    /// Whether the two items can be swapped. If so, `later` has the numbers of `earlier` in reverse order.
    const SYMMETRIC: bool;

    /// The order in which the `N` products are added, if they are added one by one. The rounding depends on this order.
    const ORDER: [usize; N];

    /// The numbers of an earlier item. `one` is 1.
    fn earlier<X: TermNumber>(one: X, item: [X; M]) -> [X; N];

    /// The numbers of a later item. `one` is 1.
    fn later<X: TermNumber>(one: X, item: [X; M]) -> [X; N];

    /// The term of a pair. It is the inner product, or the same number computed with less rounding. `one` is 1.
    fn term<X: TermNumber>(one: X, earlier: [X; M], later: [X; M]) -> X;
}

/// A kind of term for which earlier items are only counted: each earlier item has the number 1.
pub(crate) trait CountingTerm<const M: usize>: PairTerm<M, 1> {}

/// Terms, with the numbers of the items. An item is given by its value in the permutation.
#[derive(Clone, Copy)]
pub(crate) enum Terms<'a> {
    /// One.
    Ones,
    /// The number of the later item.
    Later(&'a [f64]),
    /// The product of the numbers of both items.
    Products(&'a [f64]),
    /// `(p + p') (q + q')`.
    Sums {
        /// The first number of each item.
        p: &'a [f64],
        /// The second number of each item.
        q: &'a [f64],
    },
}

/// One floating-point number, or a vector of several.
pub(crate) trait TermNumber: Copy {
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
}

impl TermNumber for f64 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }
}

/// 1.
pub(crate) struct Ones;

impl PairTerm<0, 1> for Ones {
    const SYMMETRIC: bool = true;
    const ORDER: [usize; 1] = [0];

    #[inline(always)]
    fn earlier<X: TermNumber>(one: X, []: [X; 0]) -> [X; 1] {
        [one]
    }
    #[inline(always)]
    fn later<X: TermNumber>(one: X, []: [X; 0]) -> [X; 1] {
        [one]
    }
    #[inline(always)]
    fn term<X: TermNumber>(one: X, []: [X; 0], []: [X; 0]) -> X {
        one
    }
}

impl CountingTerm<0> for Ones {}

/// The number of the later item.
pub(crate) struct Later;

impl PairTerm<1, 1> for Later {
    const SYMMETRIC: bool = false;
    const ORDER: [usize; 1] = [0];

    #[inline(always)]
    fn earlier<X: TermNumber>(one: X, _: [X; 1]) -> [X; 1] {
        [one]
    }
    #[inline(always)]
    fn later<X: TermNumber>(_: X, item: [X; 1]) -> [X; 1] {
        item
    }
    #[inline(always)]
    fn term<X: TermNumber>(_: X, _: [X; 1], [later]: [X; 1]) -> X {
        later
    }
}

impl CountingTerm<1> for Later {}

/// The product of the numbers of both items.
pub(crate) struct Products;

impl PairTerm<1, 1> for Products {
    const SYMMETRIC: bool = true;
    const ORDER: [usize; 1] = [0];

    #[inline(always)]
    fn earlier<X: TermNumber>(_: X, item: [X; 1]) -> [X; 1] {
        item
    }
    #[inline(always)]
    fn later<X: TermNumber>(_: X, item: [X; 1]) -> [X; 1] {
        item
    }
    #[inline(always)]
    fn term<X: TermNumber>(_: X, [earlier]: [X; 1], [later]: [X; 1]) -> X {
        earlier.times(later)
    }
}

/// The product of the first number of the earlier item and the second of the later item.
pub(crate) struct Directed;

impl PairTerm<2, 1> for Directed {
    const SYMMETRIC: bool = false;
    const ORDER: [usize; 1] = [0];

    #[inline(always)]
    fn earlier<X: TermNumber>(_: X, [p, _]: [X; 2]) -> [X; 1] {
        [p]
    }
    #[inline(always)]
    fn later<X: TermNumber>(_: X, [_, q]: [X; 2]) -> [X; 1] {
        [q]
    }
    #[inline(always)]
    fn term<X: TermNumber>(_: X, [p, _]: [X; 2], [_, q]: [X; 2]) -> X {
        p.times(q)
    }
}

/// The product of two sums. Each sum adds a number of the earlier item and a number of the later item.
pub(crate) struct Sums;

impl PairTerm<2, 4> for Sums {
    const SYMMETRIC: bool = true;
    const ORDER: [usize; 4] = [3, 1, 2, 0];

    #[inline(always)]
    fn earlier<X: TermNumber>(one: X, [p, q]: [X; 2]) -> [X; 4] {
        [one, p, q, p.times(q)]
    }
    #[inline(always)]
    fn later<X: TermNumber>(one: X, [p, q]: [X; 2]) -> [X; 4] {
        [p.times(q), q, p, one]
    }
    #[inline(always)]
    fn term<X: TermNumber>(_: X, [p, q]: [X; 2], [later_p, later_q]: [X; 2]) -> X {
        p.plus(later_p).times(q.plus(later_q))
    }
}

/// The same as [`Sums`], multiplied by a third number of each of the two items.
pub(crate) struct ItemSums;

impl PairTerm<3, 4> for ItemSums {
    const SYMMETRIC: bool = true;
    const ORDER: [usize; 4] = Sums::ORDER;

    #[inline(always)]
    fn earlier<X: TermNumber>(one: X, [v, p, q]: [X; 3]) -> [X; 4] {
        Sums::earlier(one, [p, q]).map(|number| number.times(v))
    }
    #[inline(always)]
    fn later<X: TermNumber>(one: X, [v, p, q]: [X; 3]) -> [X; 4] {
        Sums::later(one, [p, q]).map(|number| number.times(v))
    }
    #[inline(always)]
    fn term<X: TermNumber>(one: X, [v, p, q]: [X; 3], [later_v, later_p, later_q]: [X; 3]) -> X {
        Sums::term(one, [p, q], [later_p, later_q]).times(v.times(later_v))
    }
}
