//! Upper bounds of the value of all orders, for weights of positions.

use super::terms::{Component, TensorTerms};
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// The largest number of items for which rows are rearranged. This takes O(n^3), a tenth of a second for this number.
const MAX_TO_REARRANGE: usize = 300;

/// A bound for sums of products of a factor of items and a factor of positions. It is the smaller of two bounds:
///
/// - By the Cauchy-Schwarz inequality, each component is at most the product of the two norms.
/// - Sort the row of an item and the row of a position. The terms of the item at this position are at most the inner
///   product of the two sorted rows.
pub(crate) fn of_tensors(terms: &TensorTerms) -> Result<f64, Error> {
    let n = terms.items;
    let norm = |numbers: &[f64]| numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    let norms = terms.components.iter().map(|part| norm(&part.of_items) * norm(&part.of_places) / 2.0).sum::<f64>();
    let by_norms = norms + if terms.own.is_empty() { 0.0 } else { best_places(&terms.own, n) };
    if n > MAX_TO_REARRANGE {
        return Ok(by_norms);
    }
    let mut most = memory::filled(n * n, 0.0)?;
    for Component { of_items, of_places, .. } in &terms.components {
        let (items, places) = (sorted_rows(of_items, n)?, sorted_rows(of_places, n)?);
        for (cell, number) in most.iter_mut().zip(0..) {
            let (item, place) = (&items[number / n * n..][..n], &places[number % n * n..][..n]);
            // The diagonal entry comes first, and `1..` leaves it out.
            *cell += item[1..].iter().zip(&place[1..]).map(|(item, place)| item * place).sum::<f64>() / 2.0;
        }
    }
    most.iter_mut().zip(&terms.own).for_each(|(most, own)| *most += own);
    Ok(by_norms.min(best_places(&most, n)))
}

/// The rows of a matrix, sorted except for the diagonal entry, which comes first.
fn sorted_rows(matrix: &[f64], n: usize) -> Result<Vec<f64>, Error> {
    let mut rows = memory::collect(matrix.iter().copied())?;
    for (index, row) in rows.chunks_exact_mut(n.max(1)).enumerate() {
        row.swap(0, index);
        row[1..].sort_unstable_by(f64::total_cmp);
    }
    Ok(rows)
}

/// An upper bound for all assignments of items to positions. It uses the best position for each item, or the best item
/// for each position.
fn best_places(numbers: &[f64], n: usize) -> f64 {
    let most = |of: &dyn Fn(usize, usize) -> usize| -> f64 {
        (0..n).map(|one| (0..n).map(|other| numbers[of(one, other)]).fold(f64::NEG_INFINITY, f64::max)).sum()
    };
    most(&|item, place| item * n + place).min(most(&|place, item| item * n + place))
}

/// A bound for weights that count the pairs with both items in the top k. If m pairs are counted, it is the sum of the
/// m largest numbers of pairs.
pub(crate) fn of_top(of_items: &[f64], n: usize, k: usize) -> Result<f64, Error> {
    let mut pairs = memory::with_capacity(n * n.saturating_sub(1) / 2)?;
    for first in 0..n {
        pairs.extend((first + 1..n).map(|second| of_items[first * n + second].max(of_items[second * n + first])));
    }
    Ok(largest(&mut pairs, k * k.saturating_sub(1) / 2))
}

/// The sum of the `count` largest numbers.
fn largest(numbers: &mut [f64], count: usize) -> f64 {
    let kept = count.min(numbers.len());
    if kept > 0 && kept < numbers.len() {
        numbers.select_nth_unstable_by(kept - 1, |a, b| b.total_cmp(a));
    }
    numbers[..kept].iter().sum()
}

/// A bound for the average weight: the mean of [`of_top`] over k. It first turns the probabilities of the ranks of
/// later items into values of pairs at each position of the later item. These values can be signed.
pub(crate) fn of_tops(numbers: &mut [f64], n: usize, signed: bool, cancel: &Cancel) -> Result<f64, Error> {
    let mut most = 0.0;
    let mut pairs = memory::with_capacity(n * n.saturating_sub(1) / 2)?;
    let at = |later: usize, rank: usize, earlier: usize| (later * n + rank) * n + earlier;
    for rank in 0..n {
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
        pairs.clear();
        for first in 0..n {
            for second in first + 1..n {
                let cells = [at(second, rank, first), at(first, rank, second)];
                if rank > 0 {
                    for cell in cells {
                        numbers[cell] += numbers[cell - n];
                    }
                }
                pairs.push(cells.map(|cell| numbers[cell]));
            }
        }
        let best = |&[before, after]: &[f64; 2]| {
            if signed { (before - after).abs() } else { before.max(after) }
        };
        let mut best = memory::collect(pairs.iter().map(best))?;
        most += largest(&mut best, (rank + 1) * rank / 2);
    }
    let unit = 1.0 / n.max(1) as f64;
    for rank in (0..n).rev() {
        if cancel.is_cancelled() {
            return Err(Error::Interrupted);
        }
        for first in 0..n {
            for second in first + 1..n {
                let cells = [at(second, rank, first), at(first, rank, second)];
                let [before, after] = cells.map(|cell| numbers[cell]);
                let counted = if signed { [before - after, after - before] } else { [before, after] };
                for (cell, counted) in cells.into_iter().zip(counted) {
                    let below = if rank + 1 < n { numbers[cell + n] } else { 0.0 };
                    numbers[cell] = below + counted * unit;
                }
            }
        }
    }
    Ok(most * unit)
}
