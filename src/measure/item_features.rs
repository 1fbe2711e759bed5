//! Kernels with the weight "later" or with weights of items as inner products of features.

use std::ops::Range;

use super::blocks_of_pairs::{Ranked, Side};
use super::item_weighted::{ItemWeighted, Term};
use super::pairwise::Values;
use crate::error::Error;
use crate::memory;
use crate::pair::pairs_of;
use crate::simd::Isa;
use crate::simd::vectors;
use crate::weight::kinds::PairWeight;

impl ItemWeighted {
    /// The kernels whose features are together the features of this kernel, and their common factor. They are the
    /// kernel itself or, for the average weight, the top-k kernels.
    fn feature_parts(&self) -> Result<(Vec<Self>, f64), Error> {
        if !self.is_average() {
            return Ok((vec![self.clone()], 1.0));
        }
        let mut parts = memory::with_capacity(self.items.saturating_sub(1))?;
        for k in 2..=self.items {
            let term = Term::Pairs(PairWeight::Count { top: Some(k) });
            parts.push(Self::new(self.items, term, self.item_weight.clone(), self.signed, false)?);
        }
        Ok((parts, (self.items.max(1) as f64).sqrt().recip()))
    }

    /// The number of columns of [`ItemWeighted::features`].
    pub(crate) fn feature_columns(&self) -> Result<usize, Error> {
        let parts = if self.is_average() { self.items.saturating_sub(1) } else { 1 };
        self.feature_count().checked_mul(parts).ok_or(Error::TooLarge { rows: 1, columns: usize::MAX })
    }

    /// The features of a ranking, given by its order and the ranks of its blocks. There is a column for each pair of
    /// items, and for the average weight a column for each pair and each k. If the kernel is not signed, the columns of
    /// the reversed pairs follow.
    pub(crate) fn features(
        &self,
        order: &[u32],
        blocks: impl Iterator<Item = Range<usize>>,
    ) -> Result<Vec<f64>, Error> {
        let blocks: Vec<_> = memory::collect(blocks)?;
        let own = self.ranked(order, blocks.iter().cloned())?.own;
        let roots = self.roots()?;
        let (parts, factor) = self.feature_parts()?;
        let scale = match self.normalized {
            _ if own == 0.0 => 0.0,
            true => factor / own.sqrt(),
            false => factor,
        };
        let pairs = pairs_of(self.items as u64) as usize;
        let mut out = memory::filled(self.feature_columns()?, 0.0)?;
        let mut one = memory::filled(self.feature_count(), 0.0)?;
        for (number, part) in parts.iter().enumerate() {
            part.write_features(part.ranked(order, blocks.iter().cloned())?.side(), &roots, &mut one);
            for (half, numbers) in one.chunks_exact(pairs.max(1)).enumerate() {
                let out = &mut out[(half * parts.len() + number) * pairs..][..pairs];
                out.iter_mut().zip(numbers).for_each(|(out, number)| *out = number * scale);
            }
        }
        Ok(out)
    }

    /// Writes the features of a ranking. The feature of the pair i < j is its number, times the roots of the weights of
    /// both items. If the kernel is signed, the feature of the reversed pair is subtracted; otherwise the features of
    /// the reversed pairs follow.
    fn write_features(&self, side: Side<'_>, roots: &[f64], out: &mut [f64]) {
        let (straight, reversed) = out.split_at_mut(if self.signed { out.len() } else { out.len() / 2 });
        let mut place = 0;
        for (i, root) in roots.iter().enumerate() {
            for (j, other) in roots.iter().enumerate().skip(i + 1) {
                let weight = root * other;
                let numbers = [weight * side.number(i, j), weight * side.number(j, i)];
                straight[place] = if self.signed { numbers[0] - numbers[1] } else { numbers[0] };
                if !self.signed {
                    reversed[place] = numbers[1];
                }
                place += 1;
            }
        }
    }

    /// The number of features of a ranking.
    fn feature_count(&self) -> usize {
        pairs_of(self.items as u64) as usize * if self.signed { 1 } else { 2 }
    }

    fn roots(&self) -> Result<Vec<f64>, Error> {
        memory::collect((0..self.items).map(|item| self.weight_of(item).sqrt()))
    }

    /// Values by inner products of features.
    pub(super) fn by_features<'a>(
        &'a self,
        rows: Vec<Ranked<'a>>,
        columns: Vec<Ranked<'a>>,
    ) -> Result<Values<'a>, Error> {
        let (count, roots) = (self.feature_count(), self.roots()?);
        let width = count.next_multiple_of(vectors::LANES);
        let features = |rankings: &[Ranked<'_>]| -> Result<Vec<f64>, Error> {
            let mut out = memory::filled(rankings.len() * width, 0.0)?;
            for (ranking, out) in rankings.iter().zip(out.chunks_exact_mut(width.max(1))) {
                self.write_features(ranking.side(), &roots, &mut out[..count]);
            }
            Ok(out)
        };
        let (of_rows, of_columns) = (features(&rows)?, features(&columns)?);
        // The values of a row are computed together.
        let (mut sums, mut computed) = (memory::filled(columns.len(), 0.0)?, None);
        Ok(Box::new(move |row, column| {
            let (s, t) = (&rows[row], &columns[column]);
            if s.block_of == t.block_of {
                return self.own_finished(s.own);
            }
            if computed != Some(row) {
                vectors::inner_products(Isa::widest(), &of_rows[row * width..][..width], &of_columns, &mut sums);
                computed = Some(row);
            }
            self.finished(sums[column], s.own, t.own)
        }))
    }
}
