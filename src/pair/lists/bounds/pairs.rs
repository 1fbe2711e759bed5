//! Bounds for weights that are products of numbers of the ranks. They are good if most of a sum comes from the common
//! items of the two lists. This is so for top-k weights, and for weights that fall quickly.
//!
//! For a common item, let `a` be the product of its numbers in the two lists. Two common items add at most the product
//! of their `a`. A common item and an item that a list does not have add at most `a` times a function of the shapes of
//! the lists. Let P be the sum of `a` over the common items, and Q the sum of `a^2`. Then all pairs with a common item
//! add at most
//!
//! ```text
//! (P^2 - Q) / 2 + P * (a function of the two shapes)
//! ```
//!
//! Bounds by norms are larger, because the norm of a common item contains its pairs with all other items, also with
//! items that are not common.

use super::super::{ListSums, Listed};
use super::{Bound, BoundBy, SLACK, each_block};

/// Sums of absolute values of a list.
struct Sizes {
    /// The sum over its items.
    sum: f64,
    /// For items that are not in the list: the mean of one item. The next field is the number of an ordered pair of two
    /// such items.
    tail: f64,
    tied: f64,
}

/// A factor of an item of the block. The product of the factors of two items is an upper bound of the entry of the
/// pair. The factor is the mean of the block, or, if this is larger, the root of the entry of two tied items.
fn size_of(listed: &Listed<'_>, start: usize) -> f64 {
    let means = &listed.means;
    means.of_block[start].abs().max((2.0 * means.of_tied[start].abs()).sqrt())
}

impl Sizes {
    fn of(listed: &Listed<'_>, signed: bool) -> Self {
        let (means, length) = (&listed.means, listed.list.len());
        let mut sum = 0.0;
        each_block(listed, |start, size| sum += size * size_of(listed, start));
        let tied = if signed { 0.0 } else { means.of_tied[length].abs() };
        Self { sum, tail: means.of_block[length].abs(), tied }
    }

    /// An upper bound of the sum over the pairs with an item of the list.
    fn all(&self, items: f64) -> f64 {
        self.sum * (self.sum + items * self.tail)
    }
}

/// The numbers of the items of each block, by first rank.
pub(super) fn find_sizes(listed: &Listed<'_>, norms: &mut [f64]) {
    each_block(listed, |start, _| norms[start] = size_of(listed, start));
}

impl ListSums<'_> {
    /// The bound of all pairs; `without` is the bound of the pairs without a common item.
    pub(super) fn by_pairs(&self, by: BoundBy, s: &Listed<'_>, t: &Listed<'_>, without: f64) -> Bound {
        let items = self.items as f64;
        let (in_s, in_t) = (Sizes::of(s, self.signed), Sizes::of(t, self.signed));
        let with_others = in_t.tail * in_s.sum + in_s.tail * in_t.sum + items * in_s.tail * in_t.tail;
        // The entries that were subtracted from the vectors of both lists, for each pair with a common item.
        let common = s.list.len().min(t.list.len()) as f64;
        let mut subtracted = 2.0 * common * items * in_s.tied * in_t.tied;
        if by.negative {
            subtracted += in_s.tied * in_t.all(items) + in_t.tied * in_s.all(items);
        }
        let slack = 1.0 + SLACK;
        Bound { without: without + subtracted * slack, each: with_others * slack }
    }
}
