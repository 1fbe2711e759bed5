//! The value of a measure for one pair of rankings.

use std::hint::select_unpredictable;

use super::kendall::{KendallMeasure, Quantity, ratio};
use crate::error::Error;
use crate::pair::{self, Workspace};
use crate::rankings::Row;
use crate::weight::kinds::PairWeight;

impl KendallMeasure {
    /// Makes the workspace large enough for the measure.
    pub(crate) fn prepare(&self, workspace: &mut Workspace) -> Result<(), Error> {
        workspace.try_fit(self.items)?;
        if self.order == 2 {
            Ok(())
        } else {
            self.weight.pairs().map_or(Ok(()), |weight| workspace.fit_order(weight, self.order))
        }
    }

    /// The value for two rankings.
    ///
    /// # Errors
    /// Returns an error when a ranking and the measure have different numbers of items, or when there is no memory for
    /// the workspace.
    pub fn between(&self, s: Row<'_>, t: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        for row in [s, t] {
            self.check_items(row.ranks().len())?;
        }
        self.prepare(workspace)?;
        if self.vanishes(workspace)? {
            return Ok(0.0);
        }
        Ok(self.between_trusted(s, t, workspace))
    }

    /// The value as a function of one permutation: it is the value for the identity permutation and `pi`.
    ///
    /// # Errors
    /// Returns an error when the permutation and the measure have different numbers of items, or when there is no
    /// memory for the workspace.
    ///
    /// ```
    /// use wkendall::{Measure, Rankings, Weight, Workspace};
    /// let pi = Rankings::from_ranks(1, 3, &[2, 3, 1])?;
    /// let kendall = Measure::kernel(&Weight::default(), 3)?;
    /// assert_eq!(kendall.kappa(pi.row(0), &mut Workspace::new(3))?, 1.0);
    /// # Ok::<(), wkendall::Error>(())
    /// ```
    pub fn kappa(&self, pi: Row<'_>, workspace: &mut Workspace) -> Result<f64, Error> {
        self.check_items(pi.ranks().len())?;
        self.prepare(workspace)?;
        if self.vanishes(workspace)? {
            return Ok(0.0);
        }
        // This test comes first, because the CPU can predict its branch. The CPU cannot predict where a search for the
        // first descent ends.
        let may_be_identity = pi.ranks().first().is_none_or(|&first| first == 0);
        if may_be_identity && pi.ranks().is_sorted() {
            self.find_own(workspace.cancel())?;
            return Ok(self.self_similarity());
        }
        let chosen = if self.symmetric { pi.ranks().min(pi.order()) } else { pi.ranks() };
        Ok(self.evaluate(|values| values.copy_from_slice(chosen), workspace))
    }

    /// The value for two rankings of `self.items` items, with a workspace that fits.
    pub(crate) fn between_trusted(&self, s: Row<'_>, t: Row<'_>, workspace: &mut Workspace) -> f64 {
        let Some(forward) = is_forward(s, t) else { return self.self_similarity() };
        // A branch here would be mispredicted for half of the pairs, so the code has none.
        #[allow(clippy::needless_bitwise_bool)]
        let forward = forward | !self.symmetric;
        let order = select_unpredictable(forward, s.order(), t.order());
        let ranks = select_unpredictable(forward, t.ranks(), s.ranks());
        let compose = |values: &mut [u32]| {
            for (value, &item) in values.iter_mut().zip(order) {
                *value = ranks[item as usize];
            }
        };
        self.evaluate(compose, workspace)
    }

    /// The value for the permutation that `fill` writes.
    fn evaluate(&self, fill: impl FnOnce(&mut [u32]), workspace: &mut Workspace) -> f64 {
        fill(&mut workspace.values);
        self.finished(match self.weight.pairs() {
            Some(weight) => self.value_for(weight, workspace),
            // The other weights exist for kernels only.
            None => pair::sum(&self.weight, workspace),
        })
    }

    /// The value for the permutation in `workspace.values`, before division.
    #[inline]
    fn value_for(&self, weight: &PairWeight, workspace: &mut Workspace) -> f64 {
        let pairs = pair::pairs_of(self.items as u64) as f64;
        match self.quantity {
            Quantity::Concordant if self.order != 2 => pair::ordered(weight, self.order, workspace),
            Quantity::Concordant => pair::concordant(weight, workspace),
            Quantity::Signed => pair::signed(weight, workspace),
            Quantity::Discordant => pairs - pair::concordant(weight, workspace),
            Quantity::Mallows(lambda) => (-lambda * (pairs - pair::concordant(weight, workspace))).exp(),
        }
    }

    /// Whether all values are 0 because terms cancel. [`KendallMeasure::is_zero`] is called only if terms can cancel,
    /// because it can take as long as the value of a pair of rankings.
    #[inline]
    fn vanishes(&self, workspace: &Workspace) -> Result<bool, Error> {
        if !self.cancels {
            return Ok(false);
        }
        self.find_own(workspace.cancel())?;
        Ok(self.is_zero())
    }

    /// The value of the measure, given the sum or the function of the sum: divided if the measure is normalized.
    #[inline]
    pub(super) fn finished(&self, value: f64) -> f64 {
        if self.normalized { self.quotient(value) } else { value }
    }

    fn quotient(&self, value: f64) -> f64 {
        match self.quantity {
            // The value for equal rankings is already 1.
            Quantity::Discordant | Quantity::Mallows(_) => value,
            // The quotient of a kernel is between -1 and 1.
            Quantity::Concordant | Quantity::Signed => match self.weight.unchecked_kernel() {
                Some(_) => ratio(value, self.own().abs()),
                None => ratio(value, self.own()).clamp(-1.0, 1.0),
            },
        }
    }
}

/// Whether the permutation `t o s^-1` comes before its inverse `s o t^-1` in lexicographic order; `None` if the
/// rankings are equal. The smaller of the two is used, because sums over a permutation and over its inverse are rounded
/// differently. The two permutations do not change if the items are relabelled.
#[inline]
pub(super) fn is_forward(s: Row<'_>, t: Row<'_>) -> Option<bool> {
    for (&from_s, &from_t) in s.order().iter().zip(t.order()) {
        let (forward, backward) = (t.ranks()[from_s as usize], s.ranks()[from_t as usize]);
        if forward != backward {
            return Some(forward < backward);
        }
    }
    (s != t).then_some(true)
}
