//! Means of weights for lists: means for the blocks of listed items, and means for the ranks of the unlisted items.
//!
//! The unlisted items have all ranks from the length of the list on, so their means depend only on this length. These
//! means are computed once for every length, in one pass over the weights from the last to the first.

use super::kinds::PairWeight;
use super::means::Means;
use crate::error::Error;
use crate::memory;
use crate::parallel::Cancel;

/// The number of ranks between two checks for a stop.
const STOP_CHECK_INTERVAL: usize = 1 << 16;

/// The means of the weights of the last ranks.
pub(crate) struct Tails<'a> {
    weight: &'a PairWeight,
    items: usize,
    /// For each length of a list, the mean weight of the ranks from this length on, and the mean number of an ordered
    /// pair of these ranks.
    means: Vec<(f64, f64)>,
}

/// A sum with compensation for rounding.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, term: f64) {
        let sum = self.sum + term;
        let most = if self.sum.abs() >= term.abs() { (self.sum, term) } else { (term, self.sum) };
        self.lost += (most.0 - sum) + most.1;
        self.sum = sum;
    }

    pub(crate) fn value(self) -> f64 {
        self.sum + self.lost
    }
}

impl<'a> Tails<'a> {
    /// The means for lists of up to `longest` items.
    pub(crate) fn new(weight: &'a PairWeight, items: usize, longest: usize, stop: &Cancel) -> Result<Self, Error> {
        let mut means = memory::filled(longest.min(items) + 1, (0.0, 0.0))?;
        match weight {
            PairWeight::Count { .. } => {
                for (length, mean) in means.iter_mut().enumerate() {
                    *mean = of_counts(weight, length, items - length);
                }
            }
            PairWeight::Products(u) | PairWeight::Sums(u) => {
                let (mut sum, mut products) = (Sum::default(), Sum::default());
                for (rank, &u) in u.iter().enumerate().rev() {
                    if rank % STOP_CHECK_INTERVAL == 0 && stop.is_cancelled() {
                        return Err(Error::Interrupted);
                    }
                    products.add(u * sum.value());
                    sum.add(u);
                    if let Some(mean) = means.get_mut(rank) {
                        *mean = of_sums(weight, sum.value(), products.value(), items - rank);
                    }
                }
            }
            // The numbers of pairs depend on both lists, so they are computed for every two lists. General weights have
            // no means here.
            PairWeight::Average => {}
        }
        Ok(Self { weight, items, means })
    }

    /// Makes the object from means that are already known.
    pub(crate) fn known(weight: &'a PairWeight, items: usize, means: &[(f64, f64)]) -> Result<Self, Error> {
        Ok(Self { weight, items, means: memory::collect(means.iter().copied())? })
    }

    /// For each length of a list, the mean weight and the mean number of an ordered pair.
    pub(crate) fn means(&self) -> &[(f64, f64)] {
        &self.means
    }

    /// The means of the weights for a list whose blocks have these sizes. Sizes and means are stored at the first rank
    /// of a block. The mean of the unlisted items is stored at the length of the list.
    pub(crate) fn of_list(&self, sizes: &[u32]) -> Result<Means, Error> {
        let length = sizes.len();
        let mut means = Means { of_block: memory::filled(length + 1, 0.0)?, of_tied: memory::filled(length + 1, 0.0)? };
        if length < self.items {
            (means.of_block[length], means.of_tied[length]) = self.means[length];
        }
        for (start, &size) in sizes.iter().enumerate().filter(|&(_, &size)| size > 0) {
            (means.of_block[start], means.of_tied[start]) = self.of_block(start, size as usize);
        }
        Ok(means)
    }

    /// The mean weight of a block of ranks, and the mean number of an ordered pair of its ranks.
    fn of_block(&self, start: usize, size: usize) -> (f64, f64) {
        match self.weight {
            PairWeight::Count { .. } => of_counts(self.weight, start, size),
            PairWeight::Products(u) | PairWeight::Sums(u) => {
                let (mut sum, mut products) = (0.0, 0.0);
                for &u in &u[start..start + size] {
                    products += sum * u;
                    sum += u;
                }
                of_sums(self.weight, sum, products, size)
            }
            PairWeight::Average => (0.0, 0.0),
        }
    }
}

/// The two means of a block of ranks, for a weight that counts.
fn of_counts(weight: &PairWeight, start: usize, size: usize) -> (f64, f64) {
    let PairWeight::Count { top: Some(k) } = weight else { return (1.0, if size > 1 { 0.5 } else { 0.0 }) };
    let inside = k.saturating_sub(start).min(size) as f64;
    let pairs = size as f64 * (size as f64 - 1.0);
    (inside / size.max(1) as f64, if size > 1 { inside * (inside - 1.0) / 2.0 / pairs } else { 0.0 })
}

/// The two means of a block of ranks, given the sum of its weights and the sum of the products of two weights.
fn of_sums(weight: &PairWeight, sum: f64, products: f64, size: usize) -> (f64, f64) {
    let mean = sum / size as f64;
    if size < 2 {
        return (mean, 0.0);
    }
    match weight {
        PairWeight::Products(_) => (mean, products / (size as f64 * (size as f64 - 1.0))),
        PairWeight::Sums(_) => (mean, mean),
        PairWeight::Count { .. } | PairWeight::Average => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_takes_is_kept() {
        let mut sum = Sum::default();
        for term in [1e16, 1.0, -1e16, 1.0] {
            sum.add(term);
        }
        assert_eq!(sum.value(), 2.0);
    }

    #[test]
    fn tails_are_the_means_of_their_ranks() {
        let u = [0.5, -2.0, 3.0, 0.25, 1.0];
        let weight = PairWeight::Products(u.to_vec().into());
        let tails = Tails::new(&weight, 5, 5, &Cancel::default()).unwrap();
        let means = tails.of_list(&[1, 2, 0]).unwrap();
        assert_eq!(means.of_block, [0.5, 0.5, 0.0, 0.625]);
        assert_eq!(means.of_tied, [0.0, -3.0, 0.0, 0.125]);
        let all = tails.of_list(&[2, 0, 3, 0, 0]).unwrap();
        assert_eq!((all.of_block[5], all.of_tied[5]), (0.0, 0.0));
    }
}
