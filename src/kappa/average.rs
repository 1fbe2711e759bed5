//! What the average weight gives to pairs of items of incomplete rankings: means over the tops of all lengths.

use super::Workspace;
use crate::rankings::tied::Blocks;

/// Sums over so many ranks or more look first whether the run goes on.
const LONG: usize = 1 << 12;

/// The sums over the pairs that are tied in one ranking and not in the other, and over those tied in both, cell by
/// cell. The cells of a block come from the end of the other ranking, so that what was passed is later. The sizes are
/// those of the blocks of the other ranking.
pub(super) fn tied_average(own: Blocks<'_>, of_other: &[usize], other_at: &[u32], workspace: &Workspace) -> (f64, f64) {
    let items = own.starts.len();
    let (mut in_own, mut in_both) = (0.0, 0.0);
    for block in own.ranges().filter(|block| block.len() > 1) {
        let mut passed = 0.0;
        let tied = |k| tied_in_top(k, block.start, block.len());
        for cell in other_at[block.clone()].chunk_by(|one, other| one == other) {
            let (start, count) = (cell[0] as usize, cell.len() as f64);
            let (zero, constant) = (block.start.max(start), block.end.max(start + of_other[start]));
            if constant - zero >= LONG && workspace.is_stopped() {
                return (in_own, in_both);
            }
            in_own += passed * count;
            passed += count * over_tops(items, zero, constant, |k| tied(k) * part_in_top(k, start, of_other[start]));
            if cell.len() > 1 {
                let both = over_tops(items, zero, constant, |k| tied(k) * tied_in_top(k, start, of_other[start]));
                in_both += count * (count - 1.0) * both;
            }
        }
    }
    (in_own, in_both)
}

/// Writes the number of ranks of each block, by its first rank.
pub(super) fn sizes(blocks: Blocks<'_>, sizes: &mut Vec<usize>) {
    sizes.clear();
    sizes.resize(blocks.starts.len(), 0);
    for block in blocks.ranges() {
        sizes[block.start] = block.len();
    }
}

/// The part of a block of ranks that is in the top k.
fn part_in_top(k: usize, start: usize, size: usize) -> f64 {
    k.saturating_sub(start).min(size) as f64 / size as f64
}

/// The chance that of two items tied in a block both are in the top k and one given of them is first.
fn tied_in_top(k: usize, start: usize, size: usize) -> f64 {
    let inside = k.saturating_sub(start).min(size) as f64;
    inside * (inside - 1.0).max(0.0) / 2.0 / (size as f64 * (size as f64 - 1.0))
}

/// The mean of a term over k = 1..n, if it is zero up to a rank and constant from another one on.
fn over_tops(items: usize, zero: usize, constant: usize, term: impl Fn(usize) -> f64) -> f64 {
    let end = constant.min(items);
    let varying: f64 = (zero + 1..=end).map(&term).sum();
    (varying + (items - end) as f64 * term(items)) / items as f64
}

/// The mean over k = 1..n of the product of the parts of two blocks, given by first rank and size, that are in the top
/// k.
///
/// The part rises from 0 at the first rank to 1 at the end of the block: where both rise the products are quadratic in
/// k, then one rises alone, then both are 1.
pub(super) fn mean_in_tops(items: usize, (a, p): (usize, usize), (b, q): (usize, usize)) -> f64 {
    let sum = |upto: usize| (upto * (upto + 1) / 2) as f64;
    // Of millions of items it takes more than 64 bits.
    let squares = |upto: usize| (upto as u128 * (upto as u128 + 1) * (2 * upto as u128 + 1) / 6) as f64;
    let (start, first_end, end) = (a.max(b), (a + p).min(b + q), (a + p).max(b + q));
    let both = first_end.saturating_sub(start);
    let (x, y) = ((start - a) as f64, (start - b) as f64);
    let rising = (both as f64 * x * y + (x + y) * sum(both) + squares(both)) / (p as f64 * q as f64);
    let (last, size) = if a + p >= b + q { (a, p) } else { (b, q) };
    let alone = (sum(size) - sum(start.max(first_end) - last)) / size as f64;
    (rising + alone + (items - end) as f64) / items as f64
}

/// The signed sum of the average weight, pair by pair: a pair adds what the later item in the one ranking and the later
/// one in the other have.
pub(super) fn signed_average(
    s: Blocks<'_>,
    t: Blocks<'_>,
    [of_s, of_t]: &mut [Vec<usize>; 2],
    workspace: &Workspace,
) -> f64 {
    let items = s.starts.len();
    sizes(s, of_s);
    sizes(t, of_t);
    let mut sum = 0.0;
    for i in 0..items {
        if i >= LONG && workspace.is_stopped() {
            break;
        }
        for j in 0..i {
            let ((a, b), (c, d)) = ((s.starts[i], s.starts[j]), (t.starts[i], t.starts[j]));
            if a == b || c == d {
                continue;
            }
            let (later, other) = (a.max(b) as usize, c.max(d) as usize);
            let both = mean_in_tops(items, (later, of_s[later]), (other, of_t[other]));
            sum += if (a < b) == (c < d) { both } else { -both };
        }
    }
    sum
}
