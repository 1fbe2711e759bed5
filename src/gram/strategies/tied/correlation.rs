//! Weighted correlations of rankings with ties: a quotient of two means, one pair of rankings at a time.

use super::setting::TiedSetting;
use crate::error::Error;
use crate::gram::tiles::Tile;
use crate::gram::{Element, Fill};
use crate::kappa::incomplete::TiedWorkspace;
use crate::measure::Mean;
use crate::parallel::{Proceed, Stop};
use crate::simd::Isa;
use crate::weight::lowered::Lowered;
use crate::weight::own::ROUNDING;

/// `(C - D) / (C + D)` of the means of the concordant and the discordant sum.
pub(super) struct TiedCorrelations<'a> {
    setting: &'a TiedSetting<'a>,
    isa: Option<Isa>,
    /// The absolute values of the weights, if some are negative.
    sizes: Option<Lowered>,
}

impl<'a> TiedCorrelations<'a> {
    pub(super) fn new(setting: &'a TiedSetting<'a>, isa: Option<Isa>) -> Result<Self, Error> {
        Ok(Self { setting, isa, sizes: setting.weight.without_signs()? })
    }

    /// The mean of the concordant sum minus that of the discordant one, and of both together.
    fn sums(
        &self,
        weight: &Lowered,
        row: usize,
        column: usize,
        memory: &mut TiedWorkspace,
    ) -> Result<(f64, f64), Error> {
        let TiedSetting { x, y, .. } = *self.setting;
        let (of_row, of_column) = (self.setting.ready_for(weight, x, row)?, self.setting.ready_for(weight, y, column)?);
        let mut value =
            |mean| self.setting.taking(weight, mean).value((x, row, &of_row), (y, column, &of_column), memory);
        let signed = value(Mean::Signed);
        Ok((signed, 2.0 * value(Mean::Concordant) - signed))
    }

    fn between(&self, row: usize, column: usize, memory: &mut TiedWorkspace) -> Result<f64, Error> {
        let (signed, both) = self.sums(self.setting.weight, row, column, memory)?;
        let size = self.sizes.as_ref().map_or(Ok(0.0), |weight| Ok(self.sums(weight, row, column, memory)?.1))?;
        // A sum that cancels leaves only rounding errors.
        Ok(if both.abs() <= ROUNDING * size { 0.0 } else { signed / both })
    }
}

impl Fill for TiedCorrelations<'_> {
    type Scratch = TiedWorkspace;

    fn scratch(&self, stop: &Stop) -> Result<TiedWorkspace, Error> {
        self.setting.taking(self.setting.weight, Mean::Signed).memory(self.isa, stop)
    }

    fn fill<T: Element>(
        &self,
        tile: &mut Tile<'_, T>,
        memory: &mut TiedWorkspace,
        proceed: Proceed<'_>,
    ) -> Result<(), Error> {
        let mut failed = Ok(());
        tile.fill(|row, column| {
            let value = if proceed() { self.between(row, column, memory) } else { return None };
            value.map_err(|error| failed = Err(error)).ok()
        });
        failed
    }
}
