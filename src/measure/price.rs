//! What measures cost: about how long a pair of rankings takes, for plans.

use super::{Measure, Reading, symmetry};
use crate::weight::ValidWeight;

impl Measure {
    /// About how long one pair of rankings takes by halving, in nanoseconds on a core of 2.3 GHz (`cargo bench --bench kappa`).
    pub(crate) fn cost_ns(&self) -> f64 {
        let n = self.items as f64;
        match self.weight {
            ValidWeight::Tensor { .. } | ValidWeight::Factors { .. } => 30.0 + self.products(),
            ValidWeight::Quadruples(_) => 30.0 + n * n,
            _ if self.order != 2 => {
                let each = if matches!(self.weight, ValidWeight::Add(_)) { 14.0 } else { 4.0 };
                50.0 + each * (self.order as f64 / 8.0).ceil() * n * (n + 1.0).log2()
            }
            ValidWeight::Mult(_) | ValidWeight::Add(_) => 30.0 + 1.9 * self.cost_factor() * n * (n + 1.0).log2(),
            _ => 30.0 + 1.1 * self.cost_factor() * n * (n + 1.0).log2(),
        }
    }

    /// How much longer than a count the weight takes by halving, one pair at a time.
    pub(crate) fn cost_factor(&self) -> f64 {
        match self.weight {
            // Only what is in the top k of both is looked at.
            ValidWeight::Top(k) => (k as f64 / self.items.max(1) as f64).powi(2).max(0.05),
            ValidWeight::Add(_) => 1.4,
            ValidWeight::Average => 1.3,
            _ => 1.0,
        }
    }

    /// The same for sums on a grid.
    pub(crate) fn grid_factor(&self) -> f64 {
        match self.weight {
            ValidWeight::Top(_) => self.cost_factor(),
            ValidWeight::Add(_) => 1.8,
            _ => 1.0,
        }
    }

    /// Whether there are vector instructions for one pair of rankings.
    pub(crate) fn has_grid(&self) -> bool {
        match (&self.weight, self.reading) {
            (weight, _) if weight.is_general() => false,
            _ if self.order != 2 => true,
            (ValidWeight::Add(_) | ValidWeight::Mult(_), reading) => reading == Reading::Concordant,
            _ => true,
        }
    }

    /// How many products the sum over features has for a pair of rankings.
    pub(crate) fn products(&self) -> f64 {
        let n = self.items as f64;
        match &self.weight {
            ValidWeight::Tensor { order: 2, entries } if symmetry(entries, self.items).is_some() => n * n / 2.0,
            ValidWeight::Tensor { entries, .. } => entries.len() as f64,
            ValidWeight::Factors { order, vectors } => {
                let terms = vectors.len() as f64 / (n * *order as f64).max(1.0);
                terms * vectors.len() as f64
            }
            _ => n * n / 2.0 + 3.0 * n,
        }
    }
}
